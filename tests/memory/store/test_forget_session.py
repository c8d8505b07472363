"""A forgotten session: what was concluded from it and what quotes it goes too, and each line of it is no look through
the whole journal."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from chatmem.memory.store.store import Store
from tests.memory.lives import AGENT, Person
from tests.memory.store.test_forget import holds

NOTES = """INSERT INTO journal (user_id, batch, at, kind, actor, sql, "after")
    WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < ?)
    SELECT ?, 'batch', '2026-05-08T13:00:00Z', 'refused', 'human', 'note ' || n, '{}' FROM c"""


@pytest.fixture
def one(tmp_path: Path) -> Iterator[Person]:
    with Store.open(tmp_path / "a.db") as store:
        yield Person(store, store.users.get("ana"))


def tell(one: Person, *facts: str) -> list[int]:
    """The rows of lines that say just that, in a session of their own."""
    session, rows = one.store.sessions.start(one.user.id), []
    for fact in facts:
        line = one.store.turns.add(session.id, "User", f"{fact}, I said")
        rows.append(one.store.facts.remember(one.user.id, "User", "talk", fact, turn_ids=[line.id]).memory_id or 0)
    one.session = session
    return rows


@pytest.mark.parametrize("back", [False, True])
def test_an_insight_of_a_session_and_what_quotes_it_go_with_it(one: Person, back: bool) -> None:
    store, user = one.store, one.user.id
    (kept,) = tell(one, "User rows.")
    rows = tell(one, "User's shoulder is quorbal.", "User's knee is zimbarell.")
    done = store.facts.conclude(user, "User is thrumbled.", certainty=0.7, facts=[kept, *rows], author=AGENT)
    if back:
        store.journal.undo(done.entries[0].id)
    for quoting in ("x User's shoulder is quorbal. x", "x User''s knee is zimbarell. x"):
        store.facts.write(user, f"SELECT '{quoting}'", author=AGENT)
    report = store.forget.session(one.session.id, forget=True)
    assert report.bytes_checked and [row.id for row in store.facts.all(user, current=False)] == [kept]
    assert not [word for word in ("quorbal", "zimbarell", "thrumbled") if holds(store, word)]


def work(folder: Path, notes: int) -> int:
    """Steps of SQLite's machine, in hundreds, that forgetting forty lines takes beside so many other entries."""
    with Store.open(folder / f"{notes}.db") as store:
        one = Person(store, store.users.get("ana"))
        tell(one, *(f"User told of number {place}." for place in range(40)))
        with store.db.write() as db:
            db.exec_driver_sql(NOTES, (notes, one.user.id))
        steps = count()
        with store.db.alone() as driver:
            driver.set_progress_handler(lambda: next(steps) < 0, 100)
        store.forget.of_session(one.session.id)
        return next(steps)


def test_a_session_of_many_lines_is_forgotten_beside_a_long_journal(tmp_path: Path) -> None:
    assert work(tmp_path, 4_000) - work(tmp_path, 1_000) < 40 * 3_000 / 100
