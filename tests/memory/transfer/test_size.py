"""An export of four times as much takes four times the work, in every form."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import pytest

from chatmem.memory.database.engine import raw
from chatmem.memory.store.store import Store
from chatmem.memory.transfer.exchange import export_file

TURNS = """INSERT INTO turns (session_id, user_id, speaker, text, said_at)
    WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < ?)
    SELECT ?, ?, 'Ana', 'line ' || n, '2026-05-08T13:00:00Z' FROM c"""
FACTS = """INSERT INTO memories (user_id, subject, fact, said_at, valid_from, created_by)
    SELECT user_id, 'Ana', 'Fact ' || id, said_at, said_at, 'human' FROM turns"""


def work(folder: Path, form: str, rows: int) -> int:
    """Steps of SQLite's machine, in hundreds, on the connection that an export goes through."""
    with Store.open(folder / f"m{rows}.db") as store:
        user = store.users.get("ana").id
        with store.db.write() as db:
            db.exec_driver_sql(TURNS, (rows, store.sessions.start(user).id, user))
            db.exec_driver_sql(FACTS)
            db.exec_driver_sql("INSERT INTO memory_evidence SELECT id, id FROM memories")
        steps = count()
        with store.db.read() as db:
            raw(db).set_progress_handler(lambda: next(steps) < 0, 100)
        assert export_file(store, user, folder / f"{rows}.{form}", form) >= rows
        return next(steps)


@pytest.mark.parametrize("form", ["json", "csv", "db"])
def test_an_export_is_no_more_work_for_each_row_of_a_large_memory(tmp_path: Path, form: str) -> None:
    assert work(tmp_path, form, 8_000) < 6 * work(tmp_path, form, 2_000)
