"""Every statement of honest.jsonl passes and does what it says: the same as on a plain table of the same rows."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from chatmem.memory.guard import guard
from chatmem.memory.store.store import Store
from chatmem.memory.values import HUMAN, Verdict

Statement = dict[str, Any]
Rows = list[tuple[Any, ...]]


@pytest.fixture(scope="module")
def honest(load: Callable[[str], list[Statement]]) -> list[Statement]:
    return load("honest.jsonl")


@contextmanager
def plain_table(rows: Rows) -> Iterator[sqlite3.Connection]:
    """The oracle: an ordinary table `memory` with the rows that the view shows."""
    db = sqlite3.connect(":memory:", isolation_level=None)
    db.execute("CREATE TABLE memory (id INTEGER PRIMARY KEY, subject, topic, fact, happened_on, said_at)")
    db.executemany("INSERT INTO memory VALUES (?, ?, ?, ?, ?, ?)", rows)
    try:
        yield db
    finally:
        db.close()


def expected_read(statement: Statement, rows: Rows) -> Rows:
    with plain_table(rows) as db:
        return db.execute(statement["sql"]).fetchall()


def contents(rows: Rows) -> Counter[tuple[Any, ...]]:
    return Counter(row[1:5] for row in rows)


def expected_write(statement: Statement, rows: Rows) -> Counter[tuple[Any, ...]]:
    """What subject, topic, fact and happened_on there are afterwards."""
    with plain_table(rows) as db:
        db.executescript(statement["sql"])
        return contents(db.execute("SELECT * FROM memory").fetchall())


def check_rows(statement: Statement, found: Rows, rows: Rows, columns: tuple[str, ...]) -> None:
    if "ids" in statement:
        assert [row[columns.index("id")] for row in found] == statement["ids"], statement
        return
    expected = expected_read(statement, rows)
    if "order by" not in statement["sql"].lower():
        found, expected = sorted(found, key=repr), sorted(expected, key=repr)
    assert found == expected, statement


def check_contents(statement: Statement, before: Rows, after: Rows) -> None:
    if "added" in statement:
        added, removed = contents(after) - contents(before), contents(before) - contents(after)
        assert added == Counter(map(tuple, statement["added"])), statement
        assert removed.total() == statement["removed"], statement
    else:
        assert contents(after) == expected_write(statement, before), statement


def verdict_of(statement: Statement) -> Verdict:
    check = guard.check_read if statement["path"] == "read" else guard.check_write
    extra = {"said_at": statement["said_at"]} if "said_at" in statement else {}
    return check(statement["sql"], **({"subjects": statement["subjects"]} if "subjects" in statement else {}), **extra)


def test_the_set_is_large(honest: list[Statement]) -> None:
    assert len({statement["sql"] for statement in honest}) >= 100


def test_the_guard_lets_each_pass(honest: list[Statement]) -> None:
    for statement in honest:
        verdict = verdict_of(statement)
        assert verdict.allowed, (statement, verdict.reason)
        assert all(written in statement["sql"] for _, written in verdict.steps)


def test_what_passed_passes_again(honest: list[Statement]) -> None:
    """The canonical form of a write is canonical, and a read's is too, but for about()."""
    for statement in honest:
        verdict = verdict_of(statement)
        if verdict.sql and not verdict.about:
            again = guard.check_read(verdict.sql) if statement["path"] == "read" else guard.check_write(verdict.sql)
            assert again.sql == verdict.sql, (statement, again.reason)


def test_reads_through_both_layers(honest: list[Statement], shared: Any) -> None:
    before, files = shared.dump(), shared.files()
    for statement in honest:
        if statement["path"] == "read":
            result = shared.read(verdict_of(statement))
            check_rows(statement, list(result.rows), shared.seen(), result.columns)
            shared.check_read(result)
    assert (shared.dump(), shared.files()) == (before, files)


def test_writes_through_both_layers(honest: list[Statement], shared: Any) -> None:
    for statement in honest:
        if statement["path"] == "write":
            before, seen = shared.dump(), shared.seen()
            shared.db.execute("BEGIN")
            entries = shared.write(verdict_of(statement))
            check_contents(statement, seen, shared.seen())
            shared.check_change(before)
            assert set(entries) == {row[0] for row in set(shared.dump()["journal"]) - set(before["journal"])}
            shared.db.execute("ROLLBACK")


def test_the_sandbox_alone_lets_them_pass(honest: list[Statement], shared: Any) -> None:
    """What needs no rewriting runs as written, so it is not the parser that makes the sandbox work."""
    passed = 0
    for statement in honest:
        if "ids" in statement or "added" in statement or re.search(r';\s*\w|"memory"|^\s*--', statement["sql"]):
            continue
        raw = Verdict(True, sql=statement["sql"])
        passed += 1
        if statement["path"] == "read":
            result = shared.read(raw)
            check_rows(statement, list(result.rows), shared.seen(), result.columns)
            continue
        seen = shared.seen()
        shared.db.execute("BEGIN")
        shared.write(raw)
        check_contents(statement | {"sql": verdict_of(statement).sql}, seen, shared.seen())
        shared.db.execute("ROLLBACK")
    assert passed >= 80


def test_the_store_takes_each(honest: list[Statement], world: Any) -> None:
    with Store.open(world.path) as store:
        for statement in honest:
            extra = {key: statement[key] for key in ("subjects", "said_at") if key in statement}
            if statement["path"] == "write":
                with pytest.raises(ZeroDivisionError), store.db.write():
                    seen = _seen(store)
                    result = store.facts.write(1, statement["sql"], author=HUMAN, **extra)
                    assert result.refused is None, (statement, result.refused)
                    check_contents(statement, seen, _seen(store))
                    raise ZeroDivisionError  # take it back, so that each statement meets the same rows
            elif "subjects" not in extra:
                found = store.facts.read(
                    1, statement["sql"], about=lambda words: {8: 0.8, 1: 0.1} if words == "dog" else {}
                )
                if "ids" not in statement:
                    check_rows(statement, list(found.rows), _seen(store), found.columns)


def _seen(store: Store) -> Rows:
    return [(m.id, m.subject, m.topic, m.fact, m.happened_on, m.said_at) for m in store.facts.all(1)]
