"""No statement of hostile.jsonl gets through: not through both layers, not through either layer alone."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

import pytest

from chatmem.memory.errors import Refused
from chatmem.memory.guard import guard, sandbox
from chatmem.memory.store.store import Store
from chatmem.memory.values import HUMAN, Verdict
from tests.memory.guard.costs import cost

Statement = dict[str, Any]


@pytest.fixture(scope="module")
def hostile(load: Callable[[str], list[Statement]]) -> list[Statement]:
    return load("hostile.jsonl")


def raw(sql: str) -> Verdict:
    """What the sandbox would get were there no parser."""
    return Verdict(True, sql=sql)


def name(statement: Statement) -> str:
    return f"{statement['class']}: {statement['sql'][:200]!r}"


def test_the_set_is_large_and_of_many_kinds(hostile: list[Statement]) -> None:
    assert len({statement["sql"] for statement in hostile}) >= 200
    assert len({statement["class"] for statement in hostile}) >= 30


def test_the_guard_refuses_each_with_a_reason(hostile: list[Statement]) -> None:
    for statement in hostile:
        for check in (guard.check_read, guard.check_write):
            judge = partial(check, statement["sql"], subjects=("Ana", "Bob", "Miguel"))
            assert cost(judge, 0.5) < 0.5, name(statement)
            verdict = judge()
            if statement.get("expect") != "empty":
                assert not verdict.allowed, name(statement)
            if not verdict.allowed:
                assert 8 < len(verdict.reason) < 600, name(statement)
                assert not verdict.sql and not verdict.steps, name(statement)


def test_what_aims_at_another_user_finds_nothing(hostile: list[Statement], shared: Any) -> None:
    before = shared.dump()
    for statement in hostile:
        if statement.get("expect") == "empty":
            read, write = guard.check_read(statement["sql"]), guard.check_write(statement["sql"])
            assert read.allowed != write.allowed, name(statement)
            found = list(shared.read(read).rows) if read.allowed else shared.write(write)
            assert found == [], name(statement)
    assert shared.dump() == before


def test_the_sandbox_alone_lets_no_read_out(hostile: list[Statement], shared: Any) -> None:
    before, files = shared.dump(), shared.files()
    for statement in hostile:
        for sql in {statement["sql"], *statement["sql"].split(";")}:
            try:
                rows = shared.read(raw(sql), seconds=0.2)
            except Refused as refused:
                assert refused.reason, name(statement)
                continue
            shared.check_read(rows)
            if sql == statement["sql"]:
                assert statement.get("alone") == "own" or statement.get("expect") == "empty", name(statement)
    assert shared.dump() == before
    assert shared.files() == files


def test_the_sandbox_alone_lets_no_write_out(hostile: list[Statement], shared: Any) -> None:
    before, files = shared.dump(), shared.files()
    for statement in hostile:
        for sql in {statement["sql"], *statement["sql"].split(";")}:
            may_pass = statement.get("alone") == "own" or statement.get("expect") == "empty" or sql != statement["sql"]
            _write_alone(shared, sql, may_pass, name(statement))
    assert (shared.dump(), shared.files()) == (before, files)


def _write_alone(shared: Any, sql: str, may_pass: bool, what: str) -> None:
    before = shared.dump()
    shared.db.execute("BEGIN")
    try:
        shared.write(raw(sql))
        assert may_pass, what
        shared.check_change(before)
    except Refused:
        assert shared.dump() == before, what
    finally:
        assert shared.db.in_transaction, what
        shared.db.execute("ROLLBACK")


def test_the_authorizer_alone_lets_nothing_out(
    hostile: list[Statement], shared: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As above, and without the sandbox's own look at how a statement begins."""
    monkeypatch.setattr(sandbox, "_READ_SHAPE", re.compile(""))
    monkeypatch.setattr(sandbox, "_WRITE_SHAPE", re.compile(""))
    before, files = shared.dump(), shared.files()
    for statement in hostile:
        for sql in {statement["sql"], *statement["sql"].split(";")}:
            with suppress(Refused):
                rows = shared.read(raw(sql), seconds=0.2)
                if not re.match(r"\s*explain", sql, re.IGNORECASE):  # its listing names the view's insides, no rows
                    shared.check_read(rows)
            _write_alone(shared, sql, True, name(statement))
    assert (shared.dump(), shared.files()) == (before, files)


def test_the_store_journals_each_refusal_and_changes_nothing_else(hostile: list[Statement], world: Any) -> None:
    before = world.dump()
    with Store.open(world.path) as store, store.db.write():  # one transaction, to wait for the disk once
        for statement in hostile:
            result = store.facts.write(1, statement["sql"], author=HUMAN)
            if result.refused is None:
                assert statement.get("expect") == "empty" and result.entries == (), name(statement)
            else:
                assert [(entry.kind, entry.reason) for entry in result.entries] == [("refused", result.refused)]
                assert len(result.entries[0].sql) <= 40_000
            with suppress(Refused):
                rows = store.facts.read(1, statement["sql"]).rows
                assert statement.get("expect") == "empty" and rows == (), name(statement)
    after = world.dump()
    for table in before.keys() - {"journal", "sqlite_sequence"}:
        assert after[table] == before[table], table
    assert set(before["journal"]) <= set(after["journal"])
    assert len(after["journal"]) > len(hostile) * 0.9
