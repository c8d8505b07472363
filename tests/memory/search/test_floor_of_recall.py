"""On no kind of talk does search find less than BM25, MiniLM or their fusion: small slices of the talks that ship, and
of the data sets in the folder that CHATMEM_DATA names, whose licences let none of them ship."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pytest

from chatmem.eval.datasets.beam import BeamTalk, load_beam
from chatmem.eval.datasets.locomo import LocomoTalk, load_locomo
from chatmem.eval.datasets.msc import load_dmr, load_msc
from chatmem.eval.datasets.official_files import good_rows
from chatmem.memory.store.store import Store
from chatmem.memory.values import ASSISTANT, Recall, RecallItem
from chatmem.models.embedder.minilm import LlamaEmbedder
from chatmem.training.material.templates.talk import GoldTalk
from chatmem.training.material.templates.told import told_talks
from chatmem.training.recall.replied import replied_talks
from chatmem.training.recall.rows import EvidenceQuestion
from tests.benchmarks.memory.bench_floor import (
    PLAIN,
    Found,
    K,
    about_chats,
    about_rows,
    about_talks,
    below,
    fit,
    floor,
    surely_below,
)

LINES = 20
"""Lines of a talk that are told here."""
FILES = {"locomo": "locomo*.json", "beam": "beam*.json", "dmr": "*.jsonl", "msc": "*.jsonl"}
"""The data sets by their folders, and how the files are called there; the first by name is taken."""
REPLIES = 8
"""Of so many replies that no question is about, one is told: they are long, and reading them takes the most time."""
Talk = TypeVar("Talk", LocomoTalk, BeamTalk)
Told = Callable[[str], tuple[Store, list[EvidenceQuestion]]]
"""A kind of talk to the store that holds a slice of it, and the questions about that."""


def slices(count: int) -> list[GoldTalk]:
    """The beginnings of talks, with the questions about them."""
    found = []
    for talk in told_talks("valid")[:count]:
        short = replace(talk, lines=talk.lines[:LINES])
        told = sum(len(line.facts) for line in short.lines)
        found.append(
            replace(short, questions=tuple(q for q in talk.questions if q.needs is not None and q.needs < told))
        )
    return found


def test_beside_long_replies(store: Store) -> None:
    talks = slices(2)
    asked = replied_talks(store, talks, ["a", "b"])
    found = floor(store, asked)
    assert len(asked) >= 8 and below(found) is None, {name: sum(values) for name, values in found.items()}


def test_between_two_people(store: Store) -> None:
    asked = []
    for number, talk in enumerate(slices(2)):
        user = store.users.get(f"user-{number}").id
        session, told = store.sessions.start(user).id, list[int]()
        for line in talk.lines:
            who = "Robin" if line.speaker == ASSISTANT else line.speaker
            turn = store.turns.add(session, who, line.text, said_at=line.said_at)
            told += [turn.id] * len(line.facts)
        asked += [EvidenceQuestion(talk.user, user, one.text, (told[one.needs],), asker=talk.user)
                  for one in talk.questions if one.needs is not None]  # fmt: skip
    found = floor(store, asked)
    assert len(asked) >= 8 and below(found) is None, {name: sum(values) for name, values in found.items()}


def test_a_search_that_finds_less_than_one_of_them_is_told(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = replied_talks(store, slices(1), ["a"])
    monkeypatch.setattr(store.ground.searcher, "search", lambda *args, **options: Recall(""))  # finds nothing
    assert below(floor(store, asked)) in PLAIN


def test_what_the_assistant_said_is_found_when_it_is_asked_for(store: Store) -> None:
    user = store.users.get("ana").id
    session = store.sessions.start(user).id
    store.turns.add(session, "Ana", "What could I cook for my neighbour on Friday?")
    text = "For your neighbour you could cook a mushroom risotto with thyme, and a lemon sorbet afterwards."
    parts = [text, *(f"Then there is this and that to be said of day {n}, and of the one after." for n in range(9))]
    said = store.turns.add(session, ASSISTANT, "\n\n".join(parts[::-1]))
    for number in range(K + 2):
        store.turns.add(session, "Ana", f"My neighbour number {number} cooks well on Fridays.")
    for question in ("What did you suggest to cook for my neighbour?", "which recipe was it for the neighbour?"):
        found = store.search(user, question, speaker="Ana", limit=K)
        item = next(one for one in found.items if one.turns[0].id == said.id)
        assert "risotto" in item.passage


class Remembering:
    """An embedder that reads no text twice: search and MiniLM embed the same lines."""

    def __init__(self, embedder: LlamaEmbedder) -> None:
        self.embedder, self.name = embedder, embedder.name
        self.embed_questions, self.known = embedder.embed_questions, dict[str, np.ndarray]()

    @property
    def dimensions(self) -> int:
        return self.embedder.dimensions

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        new = [text for text in dict.fromkeys(texts) if text not in self.known]
        self.known |= zip(new, self.embedder.embed(new), strict=True)
        return np.stack([self.known[text] for text in texts])


def beginning(talk: Talk, sessions: int) -> Talk:
    """A talk's first sessions, and the questions whose evidence is told in them."""
    short = talk.sessions[:sessions]
    told = {turn.id for session in short for turn in session.turns}
    asked = tuple(one for one in talk.questions if one.evidence and told.issuperset(one.evidence))
    return replace(talk, sessions=short, questions=asked)


def thinned(talk: BeamTalk) -> BeamTalk:
    """A chat without most of the replies that no question is about."""
    wanted = {name for one in talk.questions for name in one.evidence}
    idle = [turn.id for session in talk.sessions for turn in session.turns
            if turn.speaker == ASSISTANT and turn.id not in wanted]  # fmt: skip
    gone = {*idle} - {*idle[::REPLIES]}
    return replace(talk, sessions=tuple(
        replace(one, turns=tuple(turn for turn in one.turns if turn.id not in gone)) for one in talk.sessions
    ))  # fmt: skip


def sliced(store: Store, kind: str, path: Path) -> list[EvidenceQuestion]:
    """Puts a slice of a data set into the store; the questions about it. Of most files search has learned from the
    first rows the most, so the last are taken; of BEAM's chats the shorter ones."""
    if kind == "locomo":
        return about_talks(store, kind, [beginning(one, 8) for one in good_rows(load_locomo(path))[-1:]])
    if kind == "beam":
        return about_talks(store, kind, [thinned(beginning(one, 2)) for one in good_rows(load_beam(path))[:2]])
    if kind == "dmr":
        return about_rows(store, good_rows(load_dmr(path))[-32:])
    return about_chats(store, good_rows(load_msc(path))[-2:])


@pytest.fixture(scope="module")
def told(embedder: LlamaEmbedder, tmp_path_factory: pytest.TempPathFactory, data_folder: Path | None) -> Iterator[Told]:
    """Each slice is put into the store when it is first asked for. Skips where the data set isn't at hand."""
    with Store.open(tmp_path_factory.mktemp("slices") / "memory.db", embedder=Remembering(embedder)) as opened:

        @cache
        def asked(kind: str) -> tuple[Store, list[EvidenceQuestion]]:
            if data_folder is None:
                pytest.skip("CHATMEM_DATA names no folder with data sets")
            path = min((data_folder / kind).glob(FILES[kind]), default=None)
            if path is None:
                pytest.skip(f"there is no {kind}/{FILES[kind]} in the folder that CHATMEM_DATA names")
            return opened, fit(sliced(opened, kind, path))

        yield asked


def figures(found: Found) -> str:
    """For the report of a test that fails."""
    return ", ".join(f"{name} {np.mean(values):.3f}" for name, values in found.items())


@pytest.mark.parametrize("kind", FILES)
def test_on_a_slice_of_a_data_set(kind: str, told: Told) -> None:
    store, asked = told(kind)
    found = floor(store, asked)
    assert len(asked) >= 15, "too few questions to tell anything"
    assert not surely_below(found), figures(found)


@pytest.mark.parametrize("kind", FILES)
def test_on_no_slice_a_search_that_goes_by_ids_gets_through(
    kind: str, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, asked = told(kind)

    def oldest(database: Any, embedder: Any, user_id: int, query: str, **options: Any) -> Recall:
        turns = [turn for session in store.sessions.all(user_id) for turn in store.turns.of(session.id)]
        first = sorted(turns, key=lambda turn: turn.id)[:K]
        return Recall(query, tuple(RecallItem(0.0, turns=(turn,)) for turn in first))

    monkeypatch.setattr(store.ground.searcher, "search", oldest)
    found = floor(store, asked)
    assert surely_below(found), figures(found)
