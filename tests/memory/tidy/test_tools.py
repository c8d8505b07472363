"""Laws of the six tools: whatever is called, evidence stays, nobody else is touched, the journal tells it all."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any
from zlib import crc32

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from chatmem.memory.errors import InputError, NotFound
from chatmem.memory.language.words import content, details, lost
from chatmem.memory.store.journal import CHANGES
from chatmem.memory.store.store import Store
from chatmem.memory.tidy.merging import clauses
from chatmem.memory.tidy.run import Call, RunLimits
from chatmem.memory.tidy.schemas import openai_tools, tool_specs
from chatmem.memory.tidy.toolbox import MemoryTools
from chatmem.memory.values import User
from tests.effort import times
from tests.memory.lives import fresh, picture

FACTS = (
    ("Ana", "pets", "Ana has two cats, Nori and Kit.", "I have two cats, Nori and Kit"),
    ("Ana", "pets", "Ana's cats are called Nori and Kit.", "Nori and Kit, my cats, woke me up"),
    ("Ana", "job", "Ana works as a nurse and has a dog named Rex.", "I work as a nurse, and I have a dog, Rex"),
    ("Ana", "job", "Ana works as a baker.", "I quit nursing, I'm a baker now"),
    ("Ana", "trip", "Ana went to Rome in May 2023 and visited Oslo in June 2024.", "Rome in May 2023, then Oslo"),
    ("Ana", "", "Ana said hello.", "hello"),
    ("Ben", "city", "Ben lives in Graz.", "Ben lives in Graz"),
    ("Ben", "city", "Ben is from Graz and likes it.", "He's from Graz, he likes it"),
)  # fmt: skip
_numbers = count()


class WordsEmbedder:
    """A stand-in for the real embedder, for laws that need vectors, not meaning: a bag of hashed words."""

    name, dimensions = "words", 64

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        found = np.full((len(texts), self.dimensions), 0.01, np.float32)
        for place, text in enumerate(texts):
            for word in content(text):
                found[place, crc32(word.encode()) % self.dimensions] += 1
        normed: np.ndarray = found / np.linalg.norm(found, axis=1, keepdims=True)
        return normed

    def embed_questions(self, texts: Sequence[str]) -> np.ndarray:
        return self.embed(texts)


@pytest.fixture(scope="module")
def store() -> Iterator[Store]:
    with fresh(embedder=WordsEmbedder()) as opened:
        yield opened
        assert opened.check() == []


def person(store: Store) -> User:
    """A user with the facts above, each from a line, the last one pinned."""
    user = store.users.get(f"user {next(_numbers)}")
    session = store.sessions.start(user.id, "first")
    for subject, topic, fact, line in FACTS:
        turn = store.turns.add(session.id, subject, line)
        entry = store.facts.remember(user.id, subject, topic, fact, turn_ids=[turn.id])
    store.facts.pin(entry.memory_id or 0, True)
    return user


def ids(store: Store, user: User) -> list[int]:
    return [memory.id for memory in store.facts.all(user.id)]


def dump(store: Store, user: User) -> bytes:
    return json.dumps(picture(store, user.id), default=str).encode()


def replayed(store: Store, user: User) -> dict[int, Any]:
    """The rows that the journal, read from its beginning, leaves current."""
    state: dict[int, Any] = {}
    for entry in store.journal.entries(user.id):
        if entry.kind in CHANGES:
            if entry.before and "id" in entry.before:
                state.pop(entry.before["id"], None)
            if entry.after and "id" in entry.after:
                state[entry.after["id"]] = entry.after
    return state


PLACES = st.integers(0, 9)
TEXT = st.sampled_from(
    [fact for _, _, fact, _ in FACTS] + ["Ana lives in Paris.", "", "x" * 2500, "Ana bakes; DROP TABLE"]
)
SCHEMES = st.sampled_from(["summarize", "concatenate", "extract_common", "newest", "nonsense"])
CALLS = st.one_of(
    st.tuples(st.just("search_memory"), st.fixed_dictionaries({"query": TEXT}, optional={"top_k": st.integers(0, 60)})),
    st.tuples(st.just("sample_memory"), st.fixed_dictionaries(
        {"k": st.integers(1, 5), "strategy": st.sampled_from(["random", "diverse", "recent", "none"])})),
    st.tuples(st.just("manage_memory"), st.fixed_dictionaries(
        {"operation": st.sampled_from(["create", "update"]), "content": TEXT},
        optional={"memory_id": PLACES, "metadata": st.fixed_dictionaries({}, optional={
            "topic": st.sampled_from(["pets", ""]), "subject": st.sampled_from(["Ana", "Ben", "Zoe"])}),
            "source": st.sampled_from(["", "1", "#2, 3", "none"])})),
    st.tuples(st.just("delete_memory"), st.fixed_dictionaries({"memory_id": PLACES})),
    st.tuples(st.just("merge_memory"), st.fixed_dictionaries(
        {"memory_ids": st.lists(PLACES, min_size=1, max_size=6), "strategy": SCHEMES}, optional={"content": TEXT})),
    st.tuples(st.just("split_memory"), st.fixed_dictionaries(
        {"memory_id": PLACES, "split_criteria": st.sampled_from(["temporal", "thematic", "speaker"])},
        optional={"max_parts": st.integers(1, 6)})),
    st.tuples(st.sampled_from(["forget", "merge_memory"]), st.dictionaries(st.text(max_size=5), PLACES, max_size=2)),
)  # fmt: skip


def meant(arguments: dict[str, Any], known: list[int]) -> dict[str, Any]:
    """Places become ids of current rows; places beyond them become ids that are not this user's or nobody's."""
    real = [*known, 1, 10**6]
    told = dict(arguments)
    for name in ("memory_id", "memory_ids"):
        if isinstance(told.get(name), int):
            told[name] = real[told[name] % len(real)]
        elif isinstance(told.get(name), list):
            told[name] = [real[place % len(real)] for place in told[name]]
    return told


def evidence(store: Store, user: User) -> dict[int, set[int]]:
    found = store.facts.evidence(ids(store, user))
    return {key: {turn.id for turn in turns} for key, turns in found.items()}


@settings(max_examples=times(12, 6), deadline=None, suppress_health_check=list(HealthCheck),
          phases=[Phase.explicit, Phase.reuse, Phase.generate])  # fmt: skip
@given(st.lists(CALLS, min_size=40, max_size=40), st.integers(0, 99))
def test_hundreds_of_random_calls_break_nothing(
    store: Store, calls: list[tuple[str, dict[str, Any]]], seed: int
) -> None:
    other, user = person(store), person(store)
    theirs = (dump(store, other), store.journal.entries(other.id))
    begin = dump(store, user)
    pinned = [memory for memory in store.facts.all(user.id) if memory.pinned]
    tools = MemoryTools(store, user, seed=seed)
    for name, arguments in calls:
        before, lines = dump(store, user), evidence(store, user)
        call = tools.call(name, meant(arguments, ids(store, user)))
        _holds(store, user, call, before, lines)
    assert [memory for memory in store.facts.all(user.id) if memory.pinned] == pinned
    assert (dump(store, other), store.journal.entries(other.id)) == theirs
    tools.close()
    if any(call.wrote for call in tools.calls):
        assert store.journal.runs(user.id)[0] == tools.run
        store.journal.undo_run(tools.run, user_id=user.id)
    assert dump(store, user) == begin


def _holds(store: Store, user: User, call: Call, before: bytes, lines: dict[int, set[int]]) -> None:
    """What must hold after each call."""
    json.dumps(call.result)
    current = {memory.id: memory.fact for memory in store.facts.all(user.id)}
    assert {key: row["fact"] for key, row in replayed(store, user).items()} == current
    if call.failed or not call.wrote:
        assert dump(store, user) == before
        return
    assert {entry.batch for entry in call.wrote} == {call.batch}
    assert {entry.author.actor for entry in call.wrote} == {"agent:editor"}
    closed = [entry.before["id"] for entry in call.wrote if entry.before]
    opened = [entry.after["id"] for entry in call.wrote if entry.after]
    now = evidence(store, user)
    for key in opened:  # a merge keeps all lines of all rows, a split and an update those of the one
        assert now[key] >= set[int]().union(*(lines.get(old, set()) for old in closed))


def test_a_call_is_undone_alone_and_the_run_keeps_the_rest(store: Store) -> None:
    user = person(store)
    tools = MemoryTools(store, user)
    known = ids(store, user)
    merged = tools.call("merge_memory", {"memory_ids": known[:2], "strategy": "summarize"}, "said twice")
    after_merge = dump(store, user)
    tools.call("delete_memory", {"memory_id": known[5], "reason": "a greeting"})
    assert [entry.reason for entry in tools.calls[1].wrote] == ["a greeting"]
    store.journal.undo_batch(tools.calls[1].batch)
    assert dump(store, user) == after_merge
    result = merged.result["memories"][0]["id"]
    assert {entry.id for entry in store.journal.history(result)} >= {entry.id for entry in merged.wrote}
    assert store.journal.runs(user.id)[0] == tools.run
    store.journal.undo_run(tools.run)
    assert tools.run not in store.journal.runs(user.id)


def test_forgetting_what_was_merged_erases_what_it_was_merged_from(store: Store) -> None:
    user = person(store)
    tools = MemoryTools(store, user)
    known = ids(store, user)
    result = tools.call("merge_memory", {"memory_ids": known[:2], "strategy": "concatenate"}).result["memories"][0][
        "id"
    ]
    parts = tools.call("split_memory", {"memory_id": known[2], "split_criteria": "thematic"}).result["memories"]
    assert [part["fact"] for part in parts] == ["Ana works as a nurse.", "Ana has a dog named Rex."]
    store.forget.memories(user.id, [result])
    for key in known[:2]:
        with pytest.raises(NotFound):
            store.facts.get(key)
    store.forget.memories(user.id, [parts[0]["id"]])
    assert parts[1]["id"] in ids(store, user)  # the other half was not asked for
    with pytest.raises(NotFound):
        store.facts.get(known[2])  # but the sentence that held both is gone


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("merge_memory", {"memory_ids": [0, 6], "strategy": "summarize"}, "one subject only"),
        ("merge_memory", {"memory_ids": [0, 1], "strategy": "summarize", "content": "Ana likes Paris."}, "paris"),
        ("manage_memory", {"operation": "update", "memory_id": 3, "content": "Ana is a pilot from Lima."}, "lima"),
        ("manage_memory", {"operation": "create", "content": "Ana owns a yacht named Bella."}, "none of its lines"),
        ("manage_memory", {"operation": "update", "content": "Ana bakes."}, "give the memory_id"),
        ("delete_memory", {"memory_id": 7}, "pinned"),
        ("split_memory", {"memory_id": 0, "split_criteria": "thematic"}, "one statement only"),
        ("forget", {}, "there is no tool"),
    ],
)  # fmt: skip
def test_what_is_refused_says_why(store: Store, name: str, arguments: dict[str, Any], told: str) -> None:
    user = person(store)
    tools, before = MemoryTools(store, user), dump(store, user)
    call = tools.call(name, meant(arguments, ids(store, user)))
    assert call.failed
    assert re.search(told, call.result["error"])
    assert dump(store, user) == before


def test_a_run_may_touch_only_its_share_and_its_subject(store: Store) -> None:
    user = person(store)
    known = ids(store, user)
    tools = MemoryTools(store, user, limits=RunLimits(share=0.25, least=1))
    assert [tools.call("delete_memory", {"memory_id": key}).failed for key in known[:4]] == [False, False, True, True]
    about_ben = MemoryTools(store, user, limits=RunLimits(subject="Ben"))
    assert "about Ana" in about_ben.call("delete_memory", {"memory_id": known[3]}).result["error"]
    assert {row["subject"] for row in about_ben.call("sample_memory", {"k": 9}).result["memories"]} == {"Ben"}


def test_the_newest_replaces_and_keeps_the_old_line(store: Store) -> None:
    user = person(store)
    tools = MemoryTools(store, user)
    known = ids(store, user)
    split = tools.call("split_memory", {"memory_id": known[2], "split_criteria": "thematic"}).result["memories"][0][
        "id"
    ]
    call = tools.call("merge_memory", {"memory_ids": [known[3], split], "strategy": "newest"})
    row = call.result["memories"][0]
    assert row["fact"] == "Ana works as a baker."
    assert len(store.facts.evidence([row["id"]])[row["id"]]) == 2


def test_the_schemas_are_those_of_the_yaml() -> None:
    names = ["search_memory", "manage_memory", "delete_memory", "sample_memory", "merge_memory", "split_memory"]
    assert list(tool_specs()) == names
    for tool in openai_tools():
        schema = tool["function"]["parameters"]
        assert set(schema["required"]) <= set(schema["properties"])
        assert schema["additionalProperties"] is False
    merge = tool_specs()["merge_memory"].schema["properties"]["memory_ids"]
    assert (merge["minItems"], merge["maxItems"]) == (2, 5)


def test_what_a_fact_is_made_of() -> None:
    assert details("Ana has two cats, Nori and Kit.", "Ana") == {"2", "nori", "kit"}
    assert clauses("Ana works as a nurse, and has two cats.", "Ana") == ["Ana works as a nurse.", "Ana has two cats."]
    assert clauses("Ana has cats and dogs.", "Ana") == ["Ana has cats and dogs."]
    assert lost(["Ana has two cats."], ["Ana has 2 cats"], "Ana") == frozenset()
    assert lost(["Ana has two cats, Nori and Kit."], ["Ana has cats", "they are called Nori"], "Ana") == {"2", "kit"}
    with pytest.raises(InputError):
        from chatmem.memory.tidy.merging import check_kept

        check_kept(["Ana has a dog."], ["Ana has a cat."], "Ana")
