"""The bench of questions that count, list and date: its memories, what counts as brought, and its run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from chatmem.app.cli import main
from chatmem.eval.agents.asked import memory as memories
from chatmem.eval.agents.asked.measure import brought, differences, measures, tried
from chatmem.eval.agents.asked.memory import Asked, AskedMemory, Noted, Said
from chatmem.memory.store.store import Store
from chatmem.models.chat.retrieval import RetrievalAgent

DAYS = ("2024-03-02", "2024-03-20", "2024-04-11")
HINTS = {"who": "Owen", "topics": ["running"], "words": "runs", "since": "2024-03", "until": "2024-04", "told": False}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "m.db") as opened:
        yield opened


@pytest.fixture
def small() -> AskedMemory:
    lines = [Said("Owen", f"Went running, {n} km.", f"{day}T09:00:00Z", n) for n, day in enumerate(DAYS, 5)]
    facts = [Noted("Owen", "running", f"Owen ran {n + 5} km.", day, n) for n, day in enumerate(DAYS)]
    asked = Asked("count", "How many runs did I go on in March?", (0, 1), ("5 km", "6 km"), HINTS | {"besides": ""})
    return AskedMemory("owen", "Owen", "2024-06-01T09:00:00Z", tuple(lines), tuple(facts), (asked,))


def test_the_bench_holds_300_questions_with_known_lines() -> None:
    bench = memories.read()
    assert sum(len(one.asked) for one in bench) == 300
    for one in bench:
        for asked in one.asked:
            assert asked.needs and len(asked.needs) == len(asked.keys)
            assert all(0 <= line < len(one.lines) for line in asked.needs)


def test_what_a_select_brings_is_measured_in_what_is_shown(store: Store, small: AskedMemory) -> None:
    places = memories.tell(store, small)
    agent = RetrievalAgent(None, store)
    found = agent.found(places.user, small.asked[0].text, now=small.now, asker="Owen")
    nothing = replace(found, items=())
    assert brought(nothing, places, small.asked[0]) == 0.0
    sql = "SELECT * FROM memory WHERE topic IN ('running') AND happened_on {} ORDER BY said_at LIMIT 20;"
    right = tried(agent, small, places, 0, sql.format("< '2024-04'"), nothing)
    assert right == {"both": 1.0, "select": 1.0, "rows": 2, "precise": 1.0, "exact": 1.0}
    wrong = tried(agent, small, places, 0, sql.format(">= '2024-04'"), nothing)
    assert wrong["both"] == 0.0 and wrong["exact"] == 0.0
    assert "refused" in tried(agent, small, places, 0, "DROP TABLE memory;", nothing)


def test_measures_and_differences_are_paired() -> None:
    row = {"kind": "count", "search": 0.5, "select": 1.0, "both": 1.0, "sql": "x", "refused": None, "precise": 1.0}
    worse = row | {"both": 0.5, "sql": None}
    table = measures([row, worse])
    assert table["both minus search"].value == 0.25 and table["a SELECT is written"].value == 0.5
    assert differences([worse], [row])["both"].value == 0.5


def test_the_run_writes_records_and_goes_on(
    tmp_path: Path, small: AskedMemory, capsys: pytest.CaptureFixture[str]
) -> None:
    data, out = tmp_path / "asked.jsonl", tmp_path / "rows.jsonl"
    memories.write(data, [small])
    assert memories.read(data) == [small]
    command = ["eval", "asked", "--data", str(data), "--threads", "1", "--json", "--out", str(out)]
    for _ in range(2):
        assert main(command) == 0
        table = json.loads(capsys.readouterr().out)["models"]["embedded+retrieval"]
        assert table["a SELECT is written"]["value"] == 1.0 and table["SELECT passes the guard"]["n"] == 1
    assert len(out.read_text().splitlines()) == 2


def test_data_asked_writes_memories_and_a_broken_file_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "made" / "asked.jsonl"
    assert main(["data", "asked", "--count", "1", "--out", str(out), "--seed", "3"]) == 0
    assert "questions: " in capsys.readouterr().out and len(memories.read(out)) == 1
    out.write_text("{}")
    assert main(["eval", "asked", "--data", str(out)]) == 1
    assert "can't be read as memories" in capsys.readouterr().err
