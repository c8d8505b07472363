"""Laws over mutated statements: nothing outside the user's own view is read or changed, only Refused is raised."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chatmem.memory.errors import Refused
from chatmem.memory.guard import guard
from chatmem.memory.guard.read_rules import FUNCTIONS
from chatmem.memory.guard.tokens import statements, tidy
from chatmem.memory.guard.view import COLUMNS, LINE_COLUMNS
from chatmem.memory.values import Verdict
from tests.effort import times

_PIECES = """
lines memory memories users turns journal sessions vectors memories_fts sqlite_master temp main . , ; ( ) * = < > || -
-- speaker text session
/* */ ' '' " ` [ ] SELECT FROM WHERE AND OR NOT IN LIKE UNION ALL JOIN AS WITH RECURSIVE INSERT INTO VALUES UPDATE SET
DELETE RETURNING REPLACE ATTACH PRAGMA DROP TABLE VIEW BEGIN COMMIT ROLLBACK EXPLAIN NULL LIMIT ORDER BY GROUP HAVING
CASE WHEN THEN ELSE END EXISTS id subject topic fact happened_on said_at user_id rowid 'Ana' 'Bob' 1 101 -1
about('dog') load_extension('x') zeroblob(9999999) count(*) lower( json_each('[1]') OVER COLLATE CAST ESCAPE '%'
x'00' ?1 :a @a $a 1e9 0x10
"""
PIECES = (*_PIECES.split(), *"\n\t\x0b\0\ud800\u00a0\u202e\u200b\uff1b\u2019\U0001f4a3")
_WORDS = """
lines select distinct from memory as where group by having order limit offset desc nulls first last and or not is null
like escape between in union all case when then else end cast integer real text collate nocase current_date
current_timestamp about insert into values update set delete
"""
WORDS = frozenset(_WORDS.split())
LEAN = settings(max_examples=times(200, 60), deadline=None, suppress_health_check=list(HealthCheck))


@st.composite
def mutated(draw: st.DrawFn, bases: list[str]) -> str:
    """A statement of the data files with some of its pieces swapped, doubled, dropped, replaced or spliced."""
    parts = re.findall(r"\w+|\s+|[^\w\s]", draw(st.sampled_from(bases)))
    other = re.findall(r"\w+|\s+|[^\w\s]", draw(st.sampled_from(bases)))
    for _ in range(draw(st.integers(1, 5))):
        at = draw(st.integers(0, len(parts)))
        end = min(len(parts), at + draw(st.integers(0, 6)))
        change = draw(st.sampled_from(("insert", "replace", "drop", "double", "splice", "case", "comment", "swap")))
        piece = draw(st.sampled_from(PIECES))
        if change == "swap" and end < len(parts) and at < len(parts):
            parts[at], parts[end] = parts[end], parts[at]
            continue
        parts[at:end] = {
            "insert": [piece, " ", *parts[at:end]], "replace": [piece], "drop": [], "double": parts[at:end] * 2,
            "splice": other[draw(st.integers(0, len(other))) :], "case": [part.swapcase() for part in parts[at:end]],
            "comment": ["/**/", *parts[at:end], "--\n"], "swap": parts[at:end],
        }[change]  # fmt: skip
    return "".join(parts)


@pytest.fixture(scope="module")
def bases(load: Any) -> list[str]:
    return [item["sql"][:300] for name in ("honest.jsonl", "hostile.jsonl") for item in load(name)]


def names_of(sql: str) -> set[str]:
    """The bare words of a canonical statement: not its texts, not the aliases it quotes."""
    found = {token.text.lower() for one in statements(sql, 10**6) for token in one.tokens if token.kind == "name"}
    return {name for name in found if not name.startswith('"')}


@LEAN
@given(data=st.data())
def test_what_the_guard_allows_holds_nothing_that_is_not_listed(bases: list[str], data: st.DataObject) -> None:
    sql = data.draw(mutated(bases))
    for check in (guard.check_read, guard.check_write):
        verdict = check(sql)
        if verdict.allowed and verdict.sql:
            assert names_of(verdict.sql) <= WORDS | {*COLUMNS, *LINE_COLUMNS, "about_line"} | FUNCTIONS.keys()
            if not verdict.about:
                assert check(verdict.sql).sql == verdict.sql
        else:
            assert verdict.reason and not verdict.sql


@LEAN
@given(text=st.text(max_size=300))
def test_the_guard_has_a_verdict_on_any_text(text: str) -> None:
    assert guard.check_read(text).reason
    assert not guard.check_write(f"DELETE FROM memory WHERE {text}; DROP TABLE users").allowed


@LEAN
@given(value=st.text(max_size=60))
def test_any_text_can_be_a_fact_and_comes_back(shared: Any, value: str) -> None:
    """A value never leaves its quotes: either it is refused, or it is stored with its spaces made single."""
    quoted = value.replace("'", "''")
    verdict = guard.check_write(f"INSERT INTO memory (subject, topic, fact) VALUES ('Ana', 'x', 'A {quoted}')")
    if not verdict.allowed:
        assert "character" in verdict.reason
        return
    shared.db.execute("BEGIN")
    shared.write(verdict)
    assert shared.seen()[-1][1:5] == ("Ana", "x", tidy(f"A {value}"), None)
    shared.db.execute("ROLLBACK")


@LEAN
@given(data=st.data(), parsed=st.booleans(), user=st.sampled_from((1, 2)))
def test_no_read_shows_what_is_not_the_users(
    shared: Any, bases: list[str], data: st.DataObject, parsed: bool, user: int
) -> None:
    sql = data.draw(mutated(bases))
    files = shared.files()
    try:
        rows = shared.read(guard.check_read(sql) if parsed else Verdict(True, sql=sql), user, seconds=0.1)
    except Refused as refused:
        assert refused.reason
    else:
        if user == 1:
            shared.check_read(rows)
        else:
            assert not any(f"{row[3]!r}" in repr(rows.rows) for row in shared.seen(1))
    assert shared.files() == files
    assert not shared.db.in_transaction


@LEAN
@given(data=st.data(), parsed=st.booleans(), user=st.sampled_from((1, 2)))
def test_no_write_changes_what_is_not_the_users(
    shared: Any, bases: list[str], data: st.DataObject, parsed: bool, user: int
) -> None:
    sql = data.draw(mutated(bases))
    before = shared.dump()
    shared.db.execute("BEGIN")
    try:
        shared.write(guard.check_write(sql) if parsed else Verdict(True, sql=sql), user)
    except Refused as refused:
        assert refused.reason
        assert shared.dump() == before
    else:
        shared.check_change(before, user)
    finally:
        shared.db.execute("ROLLBACK")
    assert shared.dump() == before
