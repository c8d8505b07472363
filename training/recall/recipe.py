"""`chatmem train recall`: the question encoder and the ranker of lines, each measured on conversations held back.

1. The conversations go into a store beside the run, lines embedded as the chat embeds them: LoCoMo, and as further
   kinds of talk DMR, BEAM, MSC's chats with questions, and the talks that ship, with long replies put in between.
2. For each group of conversations, of every kind some, a question encoder is trained without it and asked that group's
   questions, so that the ranker learns from vectors like those that it will meet: of questions that nobody trained on.
3. The rankers of the other groups are measured on each group, and so is how their lines are packed; then each whole
   kind is held back once. Of a few rankers that one is taken whose worst kind, and the mean of all, gain most over the
   plain fusion; it is trained on everything and written (packing's few weights are told).

What is done is kept in --out; the same command goes on after an interruption.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...eval.datasets.beam import BeamTalk, load_beam
from ...eval.datasets.locomo import LocomoTalk, load_locomo
from ...eval.datasets.msc import DmrRow, MscChat, load_dmr, load_msc
from ...eval.datasets.official_files import good_rows
from ...eval.measures.intervals import Estimate
from ...eval.runs.progress import make_progress
from ...memory.errors import InputError
from ...memory.language.question import Question
from ..material.chat_questions import ChatQuestion, read_questions
from . import kinds, known_fit, options, packing_fit, question_encoder, ranker, replied
from .choice import asking_fit, crossed_fit, ended_fit, later_fit, punctuation_fit, reader_fit, wished_fit
from .question_encoder import Lines, QuestionConfig, QuestionEncoder
from .rows import (
    ASKER,
    TELLER,
    EvidenceQuestion,
    beam_questions,
    dmr_questions,
    folds,
    line_vectors,
    locomo_questions,
    msc_questions,
    said_lines,
    session_of_turns,
    telling,
    turns,
)

if TYPE_CHECKING:
    from ...memory.store.store import Store

Vectors = dict[str, np.ndarray]
ENCODED = ("locomo", "dmr", "msc")
"""Kinds whose questions the question encoder learns from."""
PACKED = ("locomo", "msc")
"""Kinds that packing is fitted to: in the others no answer's words are marked, or lines are one short sentence."""


@dataclass(frozen=True, slots=True)
class Material:
    """Questions by the kind of talk, the vectors of the lines, who speaks, and the model that made the vectors."""

    asked: Mapping[str, Sequence[EvidenceQuestion]]
    lines: Lines
    speakers: dict[str, tuple[str, str]]
    model: str

    @property
    def learned(self) -> list[EvidenceQuestion]:
        """Questions that the question encoder may learn from."""
        return telling([one for kind in ENCODED for one in self.asked.get(kind, ())])

    @property
    def ranked(self) -> list[EvidenceQuestion]:
        """Questions that the ranker may learn from; LoCoMo's adversarial ones name the wrong speaker on purpose, and
        would teach that names don't matter."""
        return telling([one for some in self.asked.values() for one in some if not one.adversarial])


def train(args: argparse.Namespace) -> int:
    """Trains both and prints what they reach on conversations that were held back. Raises InputError."""
    from ...memory.store.store import Store
    from ...models.embedder.minilm import load_embedder

    options.check(args)
    if args.known:
        return known_fit.run(args.out)
    if args.reader:
        return reader_fit.run(args.out)
    if args.cross_encoder:
        return crossed_fit.run(args.out, args.model, args.seed, args.start)
    if args.later:
        return later_fit.run(args.out, args.start)
    if args.asking:
        return asking_fit.run(args.out, args.seed)
    if args.ended:
        return ended_fit.run(args.out, args.model, args.seed, args.start)
    if args.wished:
        return wished_fit.run(args.out, args.model, args.seed, args.start)
    if args.punctuation:
        return punctuation_fit.run(args.out, args.model, args.seed, args.start)
    args.out.mkdir(parents=True, exist_ok=True)
    with Store.open(args.out / "lines.db", embedder=load_embedder()) as store:
        material = _material(store, args)
        table, weights, bias = _ranker(store, material, args)
    from ...models.embedder.convert import convert

    _encoder(material, [], args, "all", save=args.out / "questions")
    convert(args.out / "questions", args.out / "questions.Q8_0.gguf")
    plain = {name: [one.value, one.low, one.high, one.n] for name, one in table.items()}
    (args.out / "held-back.json").write_text(json.dumps(plain, indent=1) + "\n", encoding="utf-8")
    for name, one in table.items():
        print(f"{name:52} {one}")
    print(f"{args.out}: questions.Q8_0.gguf for chatmem.models.embedder.share, lines.json for assets/ranker")
    rounded = tuple(round(one, 2) for one in weights)
    print(f"for memory/search/packing.py: LINE_WEIGHTS = {rounded}, LINE_BIAS = {bias:.2f}")
    return 0


def _ranker(
    store: Store, material: Material, args: argparse.Namespace
) -> tuple[dict[str, Estimate], Sequence[float], float]:
    """Writes the ranker; what all reaches on groups and on kinds held back, and packing's weights."""
    groups = _groups(material, args.folds)
    if len(groups) < 2:
        raise InputError("One group can't be held back from itself; give more conversations or --folds 2 or more.")
    seen = _looked(store, material, groups, args)
    config, scores = kinds.chosen(seen, groups, args.seed)
    sessions, said = session_of_turns(store), said_lines(store)
    table = kinds.table(seen, scores, sessions)
    table |= kinds.held_back(seen, config, args.seed)
    packs = [packing_fit.recalled(row, found, said) for row, found in zip(seen, scores, strict=True)]
    packs = [one for one in packs if one.kind in PACKED]
    table |= packing_fit.table(packs, groups)
    ranker.write(ranker.train(seen, config, args.seed), args.out / "lines.json")
    return table, *packing_fit.fit(packs)


def _material(store: Store, args: argparse.Namespace) -> Material:
    from ..material.templates.told import told_talks

    talks = list(good_rows(load_locomo(args.locomo)))
    beam = list(good_rows(load_beam(args.beam))) if args.beam else []
    rows = list(good_rows(load_dmr(args.dmr)))[: args.dmr_rows] if args.dmr else []
    names = [f"dmr-{number}" for number in range(len(rows))]
    chats, questions = _chats(args)
    told = [f"msc-{chat.id}" for chat in chats]
    everything: list[LocomoTalk | DmrRow | MscChat | BeamTalk] = [*talks, *rows, *chats, *beam]
    named = (*(talk.id for talk in talks), *names, *told, *(talk.id for talk in beam))
    _ingest(store, list(zip(named, everything, strict=True)))
    written = [*told_talks("train"), *told_talks("valid")]
    asked = {
        "locomo": locomo_questions(store, talks), "dmr": dmr_questions(store, rows, names),
        "msc": msc_questions(store, chats, told, questions), "beam": beam_questions(store, beam),
        "replied": replied.replied_talks(store, written, [f"replied-{n}" for n in range(len(written))]),
    }  # fmt: skip
    assert store.embedder is not None
    model, users = store.embedder.name, [*(talk.id for talk in talks), *names, *told]
    lines = {name: line_vectors(store, store.users.get(name).id, model) for name in users}
    return Material(asked, lines, {talk.id: talk.speakers for talk in talks}, model)


def _chats(args: argparse.Namespace) -> tuple[list[MscChat], dict[str, list[ChatQuestion]]]:
    """MSC's chats that somebody wrote questions about, and these."""
    if bool(args.msc) != bool(args.questions):
        raise InputError("--msc and --questions belong together; give both or neither.")
    if not args.questions:
        return [], {}
    chats = list(good_rows(load_msc(args.msc)))
    questions = read_questions(args.questions, {chat.id: len(turns(chat)) for chat in chats})
    return [chat for chat in chats if chat.id in questions], questions


def _groups(material: Material, count: int) -> list[list[str]]:
    """Conversations of LoCoMo, and beside them as many groups of each other kind's."""
    groups = folds(list(material.speakers), count)
    for kind, some in material.asked.items():
        if kind != "locomo":
            for group, more in zip(groups, folds(_unique(one.talk for one in some), len(groups)), strict=False):
                group += more
    return groups


def _ingest(store: Store, wanted: Sequence[tuple[str, LocomoTalk | DmrRow | MscChat | BeamTalk]]) -> None:
    """Their turns, or what is missing of them after an interruption."""
    from ...eval.datasets.cases import Conversation
    from ...eval.ingestion.ingest import ingest

    tell = make_progress("conversations", len(wanted))
    for number, (name, row) in enumerate(wanted, 1):
        ingest(store, store.users.get(name), Conversation(name, row.sessions, ASKER, TELLER))
        tell(number)


def _looked(
    store: Store, material: Material, groups: Sequence[Sequence[str]], args: argparse.Namespace
) -> list[ranker.Ranked]:  # fmt: skip
    """What search sees for each question with told lines, embedded by an encoder that never saw its conversation."""
    assert store.embedder is not None
    seen = []
    for number, group in enumerate(groups):
        vectors = _encoder(material, group, args, f"fold-{number}")
        held = set(group)
        asked = [one for one in material.ranked if one.talk in held]
        tell = make_progress(f"group {number + 1}, questions looked up", len(asked))
        for done, one in enumerate(asked, 1):
            parts = _parts(one)
            matrix = np.stack([vectors[part] for part in parts])
            seen.append(ranker.look(store, one, material.model, matrix, store.embedder.embed(parts)))
            tell(done)
    return seen


def _parts(asked: EvidenceQuestion) -> list[str]:
    return Question(asked.text, asked.asker, asked.now).parts


def _encoder(
    material: Material, held: Sequence[str], args: argparse.Namespace, name: str, save: Path | None = None
) -> Vectors:  # fmt: skip
    """The vectors of all questions by an encoder trained without the conversations `held`; made once."""
    from ...models.embedder.convert import packaged_weights

    path = args.out / f"{name}.npz"
    if path.exists() and (save is None or save.exists()):
        with np.load(path) as known:
            return dict(zip(known["texts"].tolist(), known["vectors"], strict=True))
    asked, apart = [one for some in material.asked.values() for one in some], set(held)
    rows = [one for one in material.learned if one.talk not in apart]
    config = QuestionConfig(epochs=args.epochs, seed=args.seed)
    total = config.epochs * -(-len(rows) // config.batch)
    encoder, tell = QuestionEncoder(args.model or packaged_weights()), make_progress(f"{name}, steps", total)
    question_encoder.train(
        encoder, rows, material.lines, material.speakers, config, lambda done, _total, _loss: tell(done)
    )
    texts = _unique(part for one in asked for part in _parts(one))
    vectors = encoder.vectors(texts)
    if save is not None:
        encoder.save(save)
    np.savez(path, texts=np.array(texts), vectors=vectors)
    return dict(zip(texts, vectors, strict=True))


def _unique(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(texts))
