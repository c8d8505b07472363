"""`chatmem train recall`: the question encoder and the ranker of lines, each measured on conversations held back.

1. The conversations go into a store beside the run, lines embedded as the chat embeds them.
2. For each group of conversations, LoCoMo's and DMR's, a question encoder is trained without it and asked that group's
   questions, so that the ranker learns from vectors like those that it will meet: of questions that nobody trained on.
3. The rankers of the other groups are measured on each group, and so is how their lines are packed; then all are
   trained on everything and written (packing's few weights are told).

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

from ..eval import loaders, ranking
from ..eval.metrics import Estimate, bootstrap
from ..eval.progress import good_rows, make_progress
from ..memory.errors import InputError
from ..memory.question import Question
from ..memory.ranker import chances
from . import packed, ranker, recall_rows
from .asked_chats import ChatQuestion, read_questions
from .questions import Lines, QuestionConfig, QuestionEncoder
from .recall_rows import Asked

if TYPE_CHECKING:
    from ..memory.store import Store

Vectors = dict[str, np.ndarray]
ADVERSARIAL = 5


@dataclass(frozen=True, slots=True)
class Material:
    """Questions of LoCoMo, of DMR and about MSC's chats, the vectors of the lines, and who speaks."""

    locomo: Sequence[Asked]
    dmr: Sequence[Asked]
    chats: Sequence[Asked]
    lines: Lines
    speakers: dict[str, tuple[str, str]]
    model: str


def train(args: argparse.Namespace) -> int:
    """Trains both and prints what they reach on conversations that were held back. Raises InputError."""
    from ..memory.store import Store
    from ..models.embedder import load_embedder

    args.out.mkdir(parents=True, exist_ok=True)
    with Store.open(args.out / "lines.db", embedder=load_embedder()) as store:
        material = _material(store, args)
        groups = _groups(material, args.folds)
        if len(groups) < 2:
            raise InputError("One group can't be held back from itself; give more conversations or --folds 2 or more.")
        # Adversarial questions name the wrong speaker on purpose: they would teach that names don't matter.
        seen = [row for row in _looked(store, material, groups, args) if row.asked.category != ADVERSARIAL]
        config = ranker.RankerConfig()
        scores = ranker.held_back(seen, groups, config, args.seed)
        table = _table(seen, scores, recall_rows.sessions(store))
        said = recall_rows.said(store)
        packs = [packed.recalled(row, found, said) for row, found in zip(seen, scores, strict=True)]
        table |= packed.table(packs, groups)
        weights, bias = packed.fit(packs)
        ranker.write(ranker.train(seen, config, args.seed), args.out / "lines.json")
    from ..models.embedder_gguf import convert

    _encoder(material, [], args, "all", save=args.out / "questions")
    convert(args.out / "questions", args.out / "questions.Q8_0.gguf")
    plain = {name: [one.value, one.low, one.high, one.n] for name, one in table.items()}
    (args.out / "held-back.json").write_text(json.dumps(plain, indent=1) + "\n", encoding="utf-8")
    for name, one in table.items():
        print(f"{name:44} {one}")
    print(f"{args.out}: questions.Q8_0.gguf for assets/embedder, lines.json for assets/ranker")
    print(f"for memory/packing.py: LINE_WEIGHTS = {tuple(round(one, 2) for one in weights)}, LINE_BIAS = {bias:.2f}")
    return 0


def _material(store: Store, args: argparse.Namespace) -> Material:
    talks = list(good_rows(loaders.load_locomo(args.locomo)))
    rows = list(good_rows(loaders.load_dmr(args.dmr)))[: args.dmr_rows] if args.dmr else []
    names = [f"dmr-{number}" for number in range(len(rows))]
    chats, questions = _chats(args)
    told = [f"msc-{chat.id}" for chat in chats]
    users = [*(talk.id for talk in talks), *names, *told]
    _ingest(store, list(zip(users, (*talks, *rows, *chats), strict=True)))
    assert store.embedder is not None
    model = store.embedder.name
    lines = {name: recall_rows.line_vectors(store, store.user(name).id, model) for name in users}
    return Material(
        recall_rows.locomo(store, talks), recall_rows.dmr(store, rows, names),
        recall_rows.chats(store, chats, told, questions), lines, {talk.id: talk.speakers for talk in talks}, model,
    )  # fmt: skip


def _chats(args: argparse.Namespace) -> tuple[list[loaders.MscChat], dict[str, list[ChatQuestion]]]:
    """MSC's chats that somebody wrote questions about, and these."""
    if bool(args.msc) != bool(args.questions):
        raise InputError("--msc and --questions belong together; give both or neither.")
    if not args.questions:
        return [], {}
    chats = list(good_rows(loaders.load_msc(args.msc)))
    questions = read_questions(args.questions, {chat.id: len(recall_rows.turns(chat)) for chat in chats})
    return [chat for chat in chats if chat.id in questions], questions


def _groups(material: Material, count: int) -> list[list[str]]:
    """Conversations of LoCoMo, and beside them as many groups of DMR's and of MSC's."""
    groups = recall_rows.folds(list(material.speakers), count)
    for some in (material.dmr, material.chats):
        for group, more in zip(groups, recall_rows.folds(_unique(one.talk for one in some), len(groups)), strict=False):
            group += more
    return groups


def _ingest(store: Store, wanted: Sequence[tuple[str, loaders.LocomoTalk | loaders.DmrRow | loaders.MscChat]]) -> None:
    """Their turns, or what is missing of them after an interruption."""
    from ..eval.cases import Talk
    from ..eval.ingestion import ingest

    tell = make_progress("conversations", len(wanted))
    for number, (name, row) in enumerate(wanted, 1):
        ingest(store, store.user(name), Talk(name, row.sessions, recall_rows.ASKER, recall_rows.TELLER))
        tell(number)


def _looked(
    store: Store, material: Material, groups: Sequence[Sequence[str]], args: argparse.Namespace
) -> list[ranker.Ranked]:  # fmt: skip
    """What search sees for each question with told lines, embedded by an encoder that never saw its conversation."""
    seen = []
    for number, group in enumerate(groups):
        vectors = _encoder(material, group, args, f"fold-{number}")
        asked = [one for one in (*material.locomo, *material.chats) if one.talk in group]
        tell = make_progress(f"group {number + 1}, questions looked up", len(asked))
        for done, one in enumerate(asked, 1):
            matrix = np.stack([vectors[part] for part in _parts(one)])
            seen.append(ranker.look(store, one, material.model, matrix))
            tell(done)
    return seen


def _parts(asked: Asked) -> list[str]:
    return Question(asked.text, asked.asker, asked.now).parts


def _encoder(
    material: Material, held: Sequence[str], args: argparse.Namespace, name: str, save: Path | None = None
) -> Vectors:  # fmt: skip
    """The vectors of all questions by an encoder trained without the conversations `held`; made once."""
    from ..models.embedder_gguf import packaged_weights
    from .questions import train as fit

    path = args.out / f"{name}.npz"
    if path.exists() and (save is None or save.exists()):
        with np.load(path) as known:
            return dict(zip(known["texts"].tolist(), known["vectors"], strict=True))
    asked = (*material.locomo, *material.dmr, *material.chats)
    rows = [one for one in recall_rows.telling(asked) if one.talk not in held]
    config = QuestionConfig(epochs=args.epochs, seed=args.seed)
    total = config.epochs * -(-len(rows) // config.batch)
    encoder, tell = QuestionEncoder(args.model or packaged_weights()), make_progress(f"{name}, steps", total)
    fit(encoder, rows, material.lines, material.speakers, config, lambda done, _total, _loss: tell(done))
    texts = _unique(part for one in asked for part in _parts(one))
    vectors = encoder.vectors(texts)
    if save is not None:
        encoder.save(save)
    np.savez(path, texts=np.array(texts), vectors=vectors)
    return dict(zip(texts, vectors, strict=True))


def _unique(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(texts))


def _table(
    seen: Sequence[ranker.Ranked], scores: Sequence[np.ndarray], sessions: Mapping[int, int]
) -> dict[str, Estimate]:
    """The sum of signs and the ranker, on conversations held back from both trainings."""
    everything = list(zip(seen, scores, strict=True))
    pairs = [(row, found) for row, found in everything if row.asked.category]
    seen = [row for row, _ in pairs]
    best = [_recall(row, found) for row, found in pairs]
    table = {
        "recall@10, sum of signs": bootstrap([_recall(row, row.signs[:, 0]) for row in seen]),
        "recall@10, ranker": bootstrap(best),
    }
    for category in (1, 2, 3, 4):
        some = [value for value, row in zip(best, seen, strict=True) if row.asked.category == category]
        if some:
            table[f"recall@10, ranker, category {category}"] = bootstrap(some)
    if others := [(row, found) for row, found in everything if not row.asked.category]:
        table["recall@10, sum of signs, MSC's chats"] = bootstrap([_recall(row, row.signs[:, 0]) for row, _ in others])
        table["recall@10, ranker, MSC's chats"] = bootstrap([_recall(row, found) for row, found in others])
    for k in (1, 5):
        table[f"sessions, NDCG@{k}, ranker"] = bootstrap([_sessions(row, found, sessions, k) for row, found in pairs])
    return table


def _recall(row: ranker.Ranked, scores: np.ndarray) -> float:
    order = np.argsort(-scores, kind="stable")
    return ranking.recall_at([row.ids[place] for place in order], row.asked.lines, 10)


def _sessions(row: ranker.Ranked, scores: np.ndarray, sessions: Mapping[int, int], k: int) -> float:
    """NDCG of the sessions, each with the sum of its lines' chances, as search ranks them."""
    shares: dict[int, float] = {}
    for turn, chance in zip(row.ids, chances(scores).tolist(), strict=True):
        shares[sessions[turn]] = shares.get(sessions[turn], 0.0) + chance
    ranked = sorted(shares, key=lambda one: -shares[one])
    return ranking.ndcg_at(ranked, ranking.unique(sessions[turn] for turn in row.asked.lines), k)
