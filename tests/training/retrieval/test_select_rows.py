"""Rows and rewards of the retrieval agent: what a question needs is known, and a SELECT earns what it shows."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from chatmem.eval.agents.asked.memory import AskedMemory, tell
from chatmem.memory.errors import InputError
from chatmem.memory.guard import guard
from chatmem.memory.store.store import Store
from chatmem.models.decoding.scripted import ScriptedLM
from chatmem.training.material.listed.memories import written
from chatmem.training.retrieval import recipe
from chatmem.training.retrieval.again import again, main
from chatmem.training.retrieval.reward import BETA, MEMORY, REFUSED, RetrievalTask, holds
from chatmem.training.retrieval.rows import asked_row, candidates


@pytest.fixture(scope="module")
def memory() -> AskedMemory:
    """The lines and facts that four questions need and some beside them, so that they are told quickly."""
    whole = next(written("train", 3, 1))
    asked = [one for one in whole.asked if len(one.needs) < 5][:4]
    kept = sorted({line for one in asked for line in one.needs} | {one.line for one in whole.facts[:8]})
    place = {line: number for number, line in enumerate(kept)}
    facts = (one._replace(line=place[one.line]) for one in whole.facts if one.line in place)
    moved = (replace(one, needs=tuple(place[line] for line in one.needs)) for one in asked)
    return replace(whole, lines=tuple(whole.lines[n] for n in kept), facts=tuple(facts), asked=tuple(moved))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, memory: AskedMemory) -> Path:
    """A run's folder, with the store that its rows ask over."""
    place = tmp_path_factory.mktemp("run")
    with Store.open(place / MEMORY) as store:
        tell(store, memory)
    return place


@pytest.fixture
def task(folder: Path) -> Iterator[RetrievalTask]:
    made = RetrievalTask(folder)
    yield made
    made.close()


def rows(task: RetrievalTask, memory: AskedMemory) -> list[dict[str, object]]:
    user = task.store.users.get(memory.name)
    turns = [turn.id for one in reversed(task.store.sessions.all(user.id)) for turn in task.store.turns.of(one.id)]
    from chatmem.eval.agents.asked.memory import Places

    facts = {}
    for one in task.store.facts.all(user.id):
        for turn in task.store.facts.evidence([one.id]).get(one.id, ()):
            facts[turns.index(turn.id)] = one.id
    places = Places(user, turns, facts)
    made = [asked_row(task.agent, memory, places, n, asked) for n, asked in enumerate(memory.asked)]
    return [row for row in made if row]


def test_a_select_earns_what_the_chat_would_show_with_it(task: RetrievalTask, memory: AskedMemory) -> None:
    found = rows(task, memory)
    assert len(found) >= 3
    for row in found:
        assert task.accepts(row)
        best = task.score(row, str(row["completion"]))
        assert best["shown"] > 0 and best["reward"] <= 1 + BETA
        nothing = task.score(row, "SELECT * FROM memory WHERE topic IN ('no such') ORDER BY said_at LIMIT 3;")
        assert nothing["shown"] <= best["shown"] and nothing["reward"] == nothing["c"]  # no bonus for no rows
        assert task.score(row, "DROP TABLE memory;")["reward"] == REFUSED


def test_the_gate_is_all_or_nothing_and_the_same_rows_are_answered_once(folder: Path, memory: AskedMemory) -> None:
    gated = RetrievalTask(folder, "answer", ScriptedLM(["no idea"]))
    try:
        row = rows(gated, memory)[0]
        sql = str(row["completion"])
        first, again = gated.score(row, sql), gated.score(row, sql.replace("LIMIT 20", "LIMIT  20"))
        assert first == again and first["c"] == 0.0  # a second reply was not scripted
    finally:
        gated.close()
    known = RetrievalTask(folder, "answer")
    try:
        assert {known.score(row, str(row["completion"]))["c"] for row in rows(known, memory)} <= {0.0, 1.0}
    finally:
        known.close()


def test_a_reply_holds_the_number_or_all_the_words() -> None:
    assert holds("You saw three films.", "count", ["Dune", "Arrival", "Amelie"])
    assert not holds("You saw two films.", "count", ["Dune", "Arrival", "Amelie"])
    assert holds("Dune and the Barbie film.", "list", ["the Barbie film", "Dune"])
    assert not holds("Dune.", "list", ["the Barbie film", "Dune"])


def test_every_candidate_passes_the_guard(task: RetrievalTask, memory: AskedMemory) -> None:
    user = task.store.users.get(memory.name)
    for asked in memory.asked:
        found = task.agent.found(user, asked.text, now=memory.now, asker=user.subject)
        for sql in candidates(asked, task.agent.look(user, found, memory.now)):
            assert guard.check_read(sql).allowed, sql


def test_parts_share_no_people_things_or_phrasings() -> None:
    from chatmem.training.material.listed.memories import PEOPLE
    from chatmem.training.material.listed.series import phrasings, series_of

    things = [{one.plural for one in series_of(part)} for part in ("train", "valid", "test")]
    assert not things[0] & things[1] and not things[0] & things[2] and not things[1] & things[2]
    assert not set(PEOPLE["train"]) & set(PEOPLE["test"]) and not set(PEOPLE["valid"]) & set(PEOPLE["test"])
    ways = [{way for one in phrasings(part).values() for way in one} for part in ("train", "test")]
    assert not ways[0] & ways[1]


def test_a_run_builds_its_rows_and_keeps_the_memory_beside_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = lambda store, seed, count, part="train": islice(iter([{"part": part}]), count)  # noqa: E731
    monkeypatch.setattr(recipe, "listed_rows", few)
    train, valid = recipe.build(argparse.Namespace(seed=1, talks=1, out=tmp_path, agent="retrieval"), tmp_path)
    assert (train, valid) == ([{"part": "train"}], [{"part": "valid"}]) and (tmp_path / MEMORY).is_file()


def test_samples_are_weighted_once_more_by_what_they_show(tmp_path: Path) -> None:
    row = {"messages": [["user", "x"]], "completion": "gold", "case": {"units": [[1, 1], [2, 2]]}}
    samples = [
        {"text": "half", "clipped": False, "reward": 0.0, "valid": 1.0, "shown": 0.5, "rows": 2.0},
        {"text": "none", "clipped": False, "reward": 0.0, "valid": 1.0, "shown": 0.0, "rows": 2.0},
        {"text": "bad", "clipped": False, "reward": -0.2, "valid": 0.0},
    ]
    (tmp_path / "samples-0.jsonl").write_text(json.dumps({"row": row, "samples": samples}) + "\n")
    out = tmp_path / "rows.jsonl"
    assert main([str(tmp_path), str(out)]) == 0
    (only,) = [json.loads(line) for line in out.read_text().splitlines() if "reward" in json.loads(line)]
    assert only["completion"] == "half" and only["reward"] == pytest.approx(0.5 * (1 + BETA))
    with pytest.raises(InputError):
        again(tmp_path / "nowhere", 3)
