"""What is done by rule with the SQL that was written for a line."""

from __future__ import annotations

from chatmem.models.faithful import facts_of
from chatmem.models.own_words import date_words, in_own_words
from chatmem.models.prompts import NOTHING, Line, insert_sql

from .test_faithful import says

LINE = Line("Ana", "i share a flat with two friends, Lotte and Max, third floor")


def mended(line: Line, *facts: str) -> list[str]:
    return facts_of(in_own_words(says(*facts), line, [line.text, line.speaker]))


def test_a_fact_of_which_the_told_clause_says_every_word_goes() -> None:
    own = "Ana shares a flat with two friends, Lotte and Max, third floor."
    assert mended(LINE, "Ana has two friends.") == [own]
    assert mended(LINE, "Ana has friends, Lotte and Pat.") == [own]  # Pat is a stranger
    assert mended(LINE, "Ana lives on the third floor.") == ["Ana lives on the third floor.", own]


def test_sql_that_keeps_all_names_stays_as_it_is() -> None:
    sql = says("Ana has two friends, Lotte and Max.")
    assert in_own_words(sql, LINE, [LINE.text, "Ana"]) == sql
    assert in_own_words(NOTHING, LINE, [LINE.text, "Ana"]) == NOTHING


def test_a_date_is_kept_with_the_fact_that_has_it() -> None:
    line = Line("Ana", "I flew to Rome and Siena last week")
    dated = insert_sql([("Ana", "travel", "Ana flew to Rome.", "last week")])
    undated = insert_sql([("Ana", "travel", "Ana flew to Rome.", "in May")])
    own = insert_sql([("Ana", "travel", "Ana flew to Rome and Siena last week.", "last week")])
    assert in_own_words(dated, line, [line.text, "Ana"]) == own
    assert in_own_words(undated, line, [line.text, "Ana"]) == f"{undated} {own}"
    assert date_words("nothing of the kind") is None
