"""`lines`: what was said, readable in a SELECT beside `memory`, the user's own alone, and never written."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from chatmem.memory.errors import Refused
from chatmem.memory.guard import guard
from chatmem.memory.store.store import Store
from chatmem.memory.values import HUMAN, Verdict

SAID = [("Ana", "I have two cats."), ("assistant", "Lovely!"), ("Ana", "My sister moved to Porto.")]


@pytest.fixture
def store(tmp_path: Path) -> Any:
    with Store.open(tmp_path / "memory.db") as store:
        for name, secret in (("ana", ""), ("bob", " SECRET")):
            user = store.users.get(name)
            session = store.sessions.start(user.id, at="2026-05-01T10:00:00Z")
            for day, (speaker, text) in enumerate(SAID, 1):
                store.turns.add(session.id, speaker, text + secret, said_at=f"2026-05-0{day}T10:00:00Z")
            store.facts.remember(user.id, "Ana", "pets", f"Ana has two cats.{secret}", author=HUMAN)
        yield store


def texts(store: Store, sql: str, user: int = 1) -> list[Any]:
    return [row[0] for row in store.facts.read(user, sql).rows]


def test_lines_are_read_with_filters_and_order(store: Store) -> None:
    every = store.facts.read(1, "SELECT * FROM lines ORDER BY id")
    assert every.columns == ("id", "speaker", "text", "said_at", "session") and every.table == "lines"
    assert [row[1:3] for row in every.rows] == SAID
    assert texts(store, "SELECT text FROM lines WHERE speaker = 'Ana' AND said_at >= '2026-05-02'") == [SAID[2][1]]
    assert texts(store, "SELECT l.speaker FROM lines AS l WHERE l.text LIKE '%Porto%'") == ["Ana"]
    assert texts(store, "SELECT count(*) FROM lines GROUP BY session") == [3]


def test_about_ranks_lines_by_a_search_over_them(store: Store) -> None:
    found = store.facts.read(1, "SELECT text, about('sister in Porto') AS fits FROM lines ORDER BY fits DESC LIMIT 2")
    assert found.rows[0] == (SAID[2][1], 1.0)
    assert found.rows[1][1] < 1.0
    both = texts(store, "SELECT text FROM lines ORDER BY max(about('cats'), about('sister')) DESC LIMIT 2")
    assert {*both} == {SAID[0][1], SAID[2][1]}


def test_both_tables_in_one_statement(store: Store) -> None:
    union = store.facts.read(1, "SELECT fact AS told FROM memory UNION SELECT text FROM lines ORDER BY told")
    assert len(union.rows) == 4 and union.table == ""
    nested = "SELECT fact FROM memory WHERE subject IN (SELECT speaker FROM lines) ORDER BY about('cats') DESC"
    assert store.facts.read(1, nested).table == "memory"
    stars = "SELECT * FROM lines WHERE speaker = 'Ana' UNION SELECT * FROM lines WHERE id = 2 ORDER BY said_at LIMIT 9"
    assert len(store.facts.read(1, stars).rows) == 3


def test_nobody_reads_anothers_lines(store: Store) -> None:
    for sql in ("SELECT text FROM lines", "SELECT text FROM lines WHERE id > 3", "SELECT * FROM lines WHERE id = 4"):
        assert "SECRET" not in repr(store.facts.read(1, sql).rows)
    assert all("SECRET" in text for text in texts(store, "SELECT text FROM lines", user=2))
    assert "SECRET" not in repr(store.facts.read(1, "SELECT text FROM lines ORDER BY about('SECRET') DESC").rows)


def test_columns_belong_to_their_table() -> None:
    for sql, reason in (
        ("SELECT fact FROM lines", "there are id, speaker, text, said_at, session"),
        ("SELECT text FROM memory", "there are id, subject"),
        ("SELECT l.fact FROM lines AS l", "there are id, speaker"),
        ("SELECT * FROM turns", "only the tables memory and lines"),
        ("SELECT memory.id FROM lines", "there is no table 'memory'"),
    ):
        verdict = guard.check_read(sql)
        assert not verdict.allowed and reason in verdict.reason, (sql, verdict.reason)
    mended = guard.check_read("SELECT * FROM lines WHERE speaker = 'ana'", subjects=("Ana",))
    assert "'Ana'" in mended.sql


def test_lines_are_never_written(store: Store) -> None:
    for sql in (
        "DELETE FROM lines WHERE id = 1",
        "UPDATE lines SET text = 'x' WHERE id = 1",
        "INSERT INTO memory (subject, topic, fact) SELECT speaker, 'x', text FROM lines",
    ):
        assert store.facts.write(1, sql, author=HUMAN).refused
    assert len(store.facts.read(1, "SELECT * FROM lines").rows) == 3


def test_about_on_lines_needs_a_search_behind_it(shared: Any) -> None:
    from chatmem.memory.guard import sandbox

    verdict = guard.check_read("SELECT * FROM lines ORDER BY about('cats') DESC")
    assert verdict.about == () and verdict.about_lines == ("cats",)
    with pytest.raises(Refused, match="no search"):
        sandbox.run_read(shared.db, 1, verdict, lambda words: {})
    asked: list[str] = []

    def about(words: str) -> Mapping[int, float]:
        asked.append(words)
        return {1: 0.5, 2: 9.0}

    rows = sandbox.run_read(shared.db, 1, verdict, None, about_lines=about).rows
    assert asked == ["cats"] and [row[2] for row in rows] == ["I have two cats."]


def test_the_sandbox_alone_keeps_two_users_lines_apart(shared: Any) -> None:
    for sql in ("SELECT * FROM lines", "SELECT text FROM lines WHERE id = 2", "SELECT max(text) FROM temp.lines"):
        shared.check_read(shared.read(Verdict(True, sql=sql)))
    assert "CANARY text" in repr(shared.read(Verdict(True, sql="SELECT * FROM lines"), user=2).rows)
