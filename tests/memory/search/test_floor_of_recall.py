"""On no kind of talk does search find less than BM25, MiniLM or their fusion: a small slice of talks that ship."""

from __future__ import annotations

from dataclasses import replace

import pytest

from chatmem.memory.store.store import Store
from chatmem.memory.values import ASSISTANT, Recall
from chatmem.training.material.templates.talk import GoldTalk
from chatmem.training.material.templates.told import told_talks
from chatmem.training.recall.replied import replied_talks
from chatmem.training.recall.rows import EvidenceQuestion
from tests.benchmarks.memory.bench_floor import PLAIN, K, below, floor

LINES = 20
"""Lines of a talk that are told here."""


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
