"""The sandbox gives the connection back as it was, bounds time, rows and bytes, and keeps two users apart."""

from __future__ import annotations

import json
import sqlite3
import statistics
import time
from contextlib import suppress
from typing import Any

import pytest

from chatmem.memory.errors import Refused
from chatmem.memory.guard import guard, sandbox
from chatmem.memory.values import Author, Verdict
from tests.clock import least_seconds

INSERT = "INSERT INTO memory (subject, topic, fact) VALUES ('Ana', 'hobby', 'Ana sings.')"
LIMITS = [value for name, value in vars(sqlite3).items() if name.startswith("SQLITE_LIMIT_")]


def state(db: sqlite3.Connection) -> tuple[Any, ...]:
    """What a run may have left behind on a connection."""
    pragmas = ("query_only", "foreign_keys", "trusted_schema", "recursive_triggers")
    return (
        [db.getlimit(limit) for limit in LIMITS],
        [db.execute(f"PRAGMA {pragma}").fetchone() for pragma in pragmas],
        db.in_transaction,
    )


@pytest.mark.parametrize("query_only", [0, 1])
def test_the_connection_comes_back_as_it_was(world: Any, query_only: int) -> None:
    world.db.execute(f"PRAGMA query_only = {query_only}")
    before = state(world.db)
    slow = "SELECT count(*) FROM " + ", ".join(f"memory m{n}" for n in range(12))
    for sql in ("SELECT * FROM memory", "SELECT * FROM users", "SELECT about(0, id) FROM memory", slow, "SELECT nope("):
        with suppress(Refused):
            world.read(Verdict(True, sql=sql, about=("dog",)), seconds=0.05)
        assert state(world.db) == before
        assert world.db.execute("SELECT count(*) FROM users").fetchone() == (2,)
    assert world.db.execute("SELECT count(*) FROM memory").fetchone() == (0,)  # the view shows nobody's rows in between
    with pytest.raises(sqlite3.OperationalError):
        world.db.execute("SELECT about(0, 1)")


def test_a_write_leaves_the_transaction_open_and_the_connection_free(world: Any) -> None:
    before = state(world.db)
    world.db.execute("BEGIN")
    entries = world.write(guard.check_write(INSERT))
    assert world.db.in_transaction and len(entries) == 1
    world.db.execute("INSERT INTO users (name, created_at) VALUES ('later', '-')")
    world.db.execute("COMMIT")
    assert state(world.db) == before
    world.db.execute("CREATE TABLE free_again (x)")


def test_a_batch_is_all_or_nothing(world: Any) -> None:
    before = world.dump()
    bad = "UPDATE memory SET fact = NULL WHERE id = 2"
    good = "UPDATE memory SET fact = 'Changed.' WHERE id = 1"
    for steps in ([good, bad], [INSERT, "DELETE FROM memories"], [good, INSERT, "nonsense"]):
        world.db.execute("BEGIN")
        world.db.execute("UPDATE turns SET text = 'kept' WHERE id = 1")
        with pytest.raises(Refused):
            world.write(Verdict(True, kind="insert", sql="x", steps=tuple((step, step) for step in steps)))
        assert world.db.execute("SELECT text FROM turns WHERE id = 1").fetchone() == ("kept",)
        world.db.execute("ROLLBACK")
        assert world.dump() == before


def test_a_rollback_that_takes_the_view_away_does_no_harm(world: Any) -> None:
    world.db.execute("BEGIN")
    world.write(guard.check_write(INSERT))
    world.db.execute("ROLLBACK")
    assert world.db.execute("SELECT count(*) FROM sqlite_temp_master").fetchone() == (0,)
    assert len(world.read(guard.check_read("SELECT * FROM memory")).rows) == len(world.seen())


def test_time_is_bounded(world: Any) -> None:
    slow = "SELECT count(*) FROM " + ", ".join(f"memory m{n}" for n in range(12))

    def read() -> None:
        with pytest.raises(Refused, match="too long"):
            world.read(Verdict(True, sql=slow), seconds=0.1)

    assert least_seconds(read, enough=0.5) < 0.5


def test_rows_and_bytes_are_bounded(world: Any) -> None:
    verdict = guard.check_read("SELECT fact FROM memory")
    cut = sandbox.run_read(world.db, 1, verdict, None, sandbox.ReadLimits(rows=3))
    assert (len(cut.rows), cut.truncated) == (3, True)
    whole = sandbox.run_read(world.db, 1, verdict, None, sandbox.ReadLimits(rows=len(world.seen())))
    assert (len(whole.rows), whole.truncated) == (len(world.seen()), False)
    small = sandbox.run_read(world.db, 1, verdict, None, sandbox.ReadLimits(bytes=100))
    assert small.truncated and sum(len(row[0]) for row in small.rows) <= 100


def test_a_write_that_meets_too_many_rows_is_refused(world: Any) -> None:
    before = world.dump()
    for max_rows, allowed in ((2, False), (3, True)):
        verdict = guard.check_write("DELETE FROM memory WHERE subject = 'Ana'", max_rows=max_rows)
        world.db.execute("BEGIN")
        if allowed:
            assert len(world.write(verdict)) == 3
        else:
            with pytest.raises(Refused, match="too many rows"):
                world.write(verdict)
        world.db.execute("ROLLBACK")
    assert world.dump() == before


def test_an_id_of_another_subject_is_refused(world: Any) -> None:
    with pytest.raises(Refused, match="Miguel"):
        world.write(guard.check_write("UPDATE memory SET fact = 'x y' WHERE id = 4", subjects=("Ana",)))
    world.write(guard.check_write("UPDATE memory SET fact = 'x y' WHERE id = 4", subjects=("miguel",)))


def test_subjects_are_limited_and_mended() -> None:
    verdict = guard.check_write(INSERT.replace("'Ana',", "'ANA',"), subjects=("Ana", "assistant"))
    assert "('Ana', 'hobby'" in verdict.sql
    for sql in (INSERT, "DELETE FROM memory WHERE subject = 'Ana'", "UPDATE memory SET subject = 'Ana' WHERE id = 1"):
        assert "Ana" in guard.check_write(sql, subjects=("Bob",)).reason


def test_the_journal_holds_before_and_after(world: Any) -> None:
    written = "UPDATE memory SET fact='Ana has three cats.' WHERE subject='ana' AND topic='pets'"
    (entry,) = world.write(guard.check_write(written + ";", subjects=("Ana",)))
    row = world.db.execute(
        'SELECT user_id, batch, at, kind, actor, model, sql, memory_id, turn_id, session_id, "before", "after"'
        " FROM journal WHERE id = ?",
        (entry,),
    ).fetchone()
    assert row[:4] == (1, "batch", "2026-05-09T08:00:00Z", "update")
    assert row[4:7] == ("agent:storage", "tiny", written)
    before, after = json.loads(row[10]), json.loads(row[11])
    assert (before["id"], before["fact"], before["valid_to"]) == (1, "Ana has two cats, Nori and Wasabi.", None)
    assert (after["id"], after["fact"], after["replaces"]) == (row[7], "Ana has three cats.", 1)
    assert (after["said_at"], after["valid_from"]) == ("2026-05-08T10:00:00Z", "2026-05-09T08:00:00Z")
    assert (after["pinned"], after["created_by"], after["evidence"]) == (False, "agent:storage", [1])
    assert row[8:10] == (1, 1)


def test_evidence_of_another_user_or_of_nothing_is_left_out(world: Any) -> None:
    context = sandbox.WriteContext("b", Author("human"), (1, 2, 99), None, None, "2026-05-09T08:00:00Z")
    sandbox.run_write(world.db, 1, guard.check_write(INSERT), context)
    new = world.db.execute("SELECT max(id) FROM memories").fetchone()[0]
    assert world.db.execute("SELECT turn_id FROM memory_evidence WHERE memory_id = ?", (new,)).fetchall() == [(1,)]


def test_two_users_in_turn_on_one_connection(world: Any) -> None:
    everything = guard.check_read("SELECT * FROM memory ORDER BY id")
    for _ in range(2):
        for user in (1, 2, 3):
            assert list(world.read(everything, user).rows) == world.seen(user)
    ana, bob = world.seen(1), world.seen(2)
    world.write(guard.check_write("DELETE FROM memory WHERE subject = 'Ana'"), user=2)
    assert world.seen(1) == ana and len(world.seen(2)) == len(bob) - 1
    world.write(guard.check_write("UPDATE memory SET fact = 'Taken.' WHERE id IN (1, 101)"), user=1)
    assert [row[3] for row in world.seen(2)] == [row[3] for row in bob if row[1] != "Ana"]
    assert "Taken." in [row[3] for row in world.seen(1)]


def test_a_write_needs_a_user_that_exists(world: Any) -> None:
    with pytest.raises(Refused):
        world.write(guard.check_write(INSERT), user=77)


def test_what_is_not_the_statements_fault_comes_through(world: Any) -> None:
    reader = sqlite3.connect(f"file:{world.path}?mode=ro", uri=True, isolation_level=None)
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        sandbox.run_write(reader, 1, guard.check_write(INSERT), world.context())
    reader.close()
    other = sqlite3.connect(world.path, isolation_level=None, timeout=0)
    world.db.execute("BEGIN IMMEDIATE")
    with pytest.raises(sqlite3.OperationalError, match="locked"):
        sandbox.run_write(other, 1, guard.check_write(INSERT), world.context())
    world.db.execute("ROLLBACK")
    other.close()


def test_about_needs_a_search_behind_it(world: Any) -> None:
    verdict = guard.check_read("SELECT * FROM memory ORDER BY about('dog') DESC")
    with pytest.raises(Refused, match="about"):
        sandbox.run_read(world.db, 1, verdict)


def test_refused_verdicts_do_not_run(world: Any) -> None:
    with pytest.raises(Refused, match="only a SELECT"):
        world.read(guard.check_read("DROP TABLE users"))
    with pytest.raises(Refused, match="WHERE"):
        world.write(guard.check_write("DELETE FROM memory"))
    assert world.write(guard.check_write("-- nothing")) == []


def test_the_view_uses_the_index(world: Any) -> None:
    """Reading one subject must not scan all rows of all users."""
    world.read(guard.check_read("SELECT * FROM memory"))
    plan = repr(world.db.execute("EXPLAIN QUERY PLAN SELECT * FROM memory WHERE subject = 'Ana'").fetchall())
    assert "memories_current (user_id=? AND valid_to=? AND subject=?)" in plan


def test_checking_and_running_is_quick(world: Any) -> None:
    """New statements: a write under 6 ms, a read under 4 ms, twice what a quiet machine takes. Work is counted, not
    waiting for others; a busy machine makes work itself slower, so it is the quickest tenth that tells."""
    reads, writes = [], []
    world.db.execute("BEGIN")
    for n in range(60):
        started = time.thread_time()
        world.read(guard.check_read(f"SELECT * FROM memory WHERE subject = 'Ana' AND id <> {n} ORDER BY id LIMIT 8"))
        reads.append(time.thread_time() - started)
        started = time.thread_time()
        world.write(guard.check_write(INSERT.replace("sings", f"sings {n} songs"), subjects=("Ana", "Miguel")))
        writes.append(time.thread_time() - started)
    world.db.execute("ROLLBACK")
    assert statistics.quantiles(reads, n=10)[0] < 0.004
    assert statistics.quantiles(writes, n=10)[0] < 0.006
