"""Nothing that a model or a person writes costs more than .3 s of processor time: not the guard, not what runs."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from chatmem.memory.errors import Refused
from chatmem.memory.guard import guard, parsing, shape
from chatmem.memory.store.store import Store
from chatmem.models.editor.native import _arguments
from chatmem.models.prompts.draft import read_draft
from tests.effort import times
from tests.memory.guard import bombs
from tests.memory.guard.costs import cost
from tests.memory.guard.mutate import mutated

MOST = 0.3
"""Seconds of processor time."""


def quick(act: Callable[[], object]) -> bool:
    return cost(act, MOST) < MOST


@pytest.fixture(scope="module", autouse=True)
def loaded() -> None:
    """sqlglot and dateparser are loaded once in a process, not by a statement."""
    row = f"{bombs.ROW[:-9]}, happened_on) VALUES ('Ana', 'x', 'the 3rd of may next year or so')"
    guard.check_write(row, said_at="2026-05-08T10:00:00Z")


@pytest.mark.parametrize("name", bombs.READS)
def test_a_read_is_judged_in_time(name: str) -> None:
    sql = bombs.READS[name]
    assert len(sql) <= guard.MAX_READ
    assert quick(lambda: guard.check_read(sql))
    assert quick(lambda: guard.check_write(sql))


@pytest.mark.parametrize("name", bombs.WRITES)
def test_a_write_is_judged_in_time(name: str) -> None:
    sql = bombs.WRITES[name]
    assert quick(lambda: guard.check_write(sql, said_at="2026-05-08T10:00:00Z"))
    assert quick(lambda: read_draft(sql))
    assert quick(lambda: read_draft(sql, cut=True))


@pytest.mark.parametrize(
    ("sql", "told"),
    [
        (bombs.READS["30 joins"], "each SELECT reads one table"),
        (bombs.READS["struct"], "'struct' is not on the list"),
        (bombs.READS["date"], f"calls nest too deep \\(more than {shape.MAX_CALL_DEPTH} in one another\\)"),
        (bombs.READS["case"], "too many CASEs"),
        (bombs.select("(WITH a AS (SELECT 1) SELECT 1)"), "WITH can't be used"),
        (bombs.READS["windows"], "OVER can't be used"),
        (bombs.select(", ".join(["abs(id)"] * 61)), f"too many function calls .* \\(more than {shape.MAX_CALLS}\\)"),
        (bombs.READS["concatenation"], f"too many \\|\\| in one statement \\(more than {shape.MAX_CONCATENATIONS}\\)"),
        (bombs.WRITES["functions"], "a write calls no functions"),
    ],
)  # fmt: skip
def test_the_refusal_tells_the_limit(sql: str, told: str) -> None:
    check = guard.check_read if sql.startswith("SELECT") else guard.check_write
    with pytest.raises(Refused, match=told):
        raise Refused(check(sql).reason)


def test_the_parser_counts_its_steps_where_no_token_is_judged_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the look at the tokens, the 30 joins alone would take sqlglot half an hour."""
    monkeypatch.setattr(shape, "check_shape", lambda tokens, functions: None)
    for name in ("30 joins", "left joins", "lateral", "struct", "map"):
        assert quick(lambda sql=bombs.READS[name]: guard.check_read(sql + " "))  # type: ignore[misc]
    with pytest.raises(Refused, match="takes too long to read"):
        parsing.parse(bombs.READS["30 joins"])


def test_honest_statements_need_few_steps(load: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of what is allowed is enough for each of them, so the count refuses none."""
    monkeypatch.setattr(parsing, "STEPS", parsing.STEPS / 1.5)
    monkeypatch.setattr(parsing, "STEPS_MORE", 5)
    for item in load("honest.jsonl"):
        check = guard._read.__wrapped__ if item["path"] == "read" else guard._write.__wrapped__
        extra = () if item["path"] == "read" else (20, item.get("said_at"))
        subjects = tuple(item["subjects"]) if "subjects" in item else (() if item["path"] == "read" else None)
        assert check(item["sql"], subjects, *extra).allowed, item


def test_an_honest_statement_is_not_late_in_a_large_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where Python tidied its memory in the midst of a parse, for .2 s, a fact was refused."""
    clock = iter(range(10_000))
    monkeypatch.setattr(parsing.time, "thread_time", lambda: next(clock))
    values = ", ".join(f"('Ana', 'x', 'Ana has {number} cats and many other things.')" for number in range(20))
    assert guard._write.__wrapped__(
        f"INSERT INTO memory (subject, topic, fact) VALUES {values}", ("Ana",), 20, None
    ).allowed
    with pytest.raises(Refused, match="takes too long to read"):
        parsing.parse(bombs.READS["30 joins"])


@pytest.fixture(scope="module")
def heavy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Store, int]]:
    with Store.open(tmp_path_factory.mktemp("heavy") / "memory.db") as store:
        yield store, bombs.heavy(store)


@pytest.mark.parametrize("name", bombs.RUNS)
def test_what_runs_is_ended_in_time(name: str, heavy: tuple[Store, int]) -> None:
    store, user = heavy

    def run() -> None:
        try:
            store.facts.read(user, bombs.RUNS[name])
        except Refused as refused:
            assert refused.reason

    assert guard.check_read(bombs.RUNS[name]).allowed
    assert quick(run)


def test_instr_is_as_sqlite_has_it(world: Any) -> None:
    values = (
        "'Ana has two cats'",
        "'two'",
        "''",
        "NULL",
        "12.5",
        "5",
        "1e3",
        "x'6162'",
        "x'62'",
        "'Zoë in Kraków'",
        "'ó'",
    )
    asked = [f"SELECT instr({text}, {part})" for text in values for part in values]
    expected = [world.db.execute(sql).fetchone() for sql in asked]
    world.read(guard.check_read("SELECT instr(fact, 'cats') FROM memory"))
    assert [world.db.execute(sql).fetchone() for sql in asked] == expected


def test_replies_in_deep_json_are_faults_not_crashes() -> None:
    assert read_draft('{"sql":' * 5_000).fault
    assert "not JSON" in _arguments("[" * 100_000)


def test_mutated_statements_are_judged_in_time(load: Any) -> None:
    """A slice of what `tests/benchmarks/memory/bench_guard.py` does 12,000 times."""
    bases = [item["sql"][:300] for name in ("honest.jsonl", "hostile.jsonl") for item in load(name)]
    bases += [*bombs.READS.values(), *bombs.WRITES.values()]
    rng = random.Random(17)
    for _ in range(times(2_000, 300)):
        sql = mutated(rng, bases)
        assert quick(lambda sql=sql: (guard.check_read(sql), guard.check_write(sql))), sql  # type: ignore[misc]
