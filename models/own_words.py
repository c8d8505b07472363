"""How a line's SQL is mended by rule: made-up people go, and clauses that it lost are told as they were said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..memory.dates import find_dates
from ..memory.words import terms
from .faithful import alike, facts_of, lossy, topics_of, unheard
from .person import retold
from .prompts import NOTHING, Line, insert_sql
from .strangers import kept_rows, without_strangers

ANY_DAY = "2024-06-12T12:00:00Z"
"""The words for dates in a line are the same on any day; what they mean is resolved when the SQL is run."""


class Told(NamedTuple):
    """A clause as a fact, and the words for its date."""

    fact: str
    when: str | None


def in_own_words(sql: str, line: Line, heard: Sequence[str]) -> str:
    """The SQL without facts that hold a made-up name, and the clauses that it loses told as they were said.

    Lost are clauses whose names and numbers no fact keeps, and those that only a made-up fact told. A fact of which
    such a clause says every word goes, too. `heard`: the line and all else that was to be read, known facts too.
    """
    true = without_strangers(sql, heard)
    facts, topics = facts_of(true), topics_of(sql)
    clauses = lossy([*facts, line.speaker], line.text) if topics else []
    if topics and len(facts) < len(facts_of(sql)):
        clauses += [clause for clause in unheard(facts, line.text) if clause not in clauses]
    told = [Told(fact, date_words(clause)) for clause in clauses if (fact := retold(clause, line.speaker))]
    if not told:
        return true or NOTHING
    rest = kept_rows(true, lambda fact, when: not any(_says(one, fact, when) for one in told))
    said = insert_sql([(line.speaker, topics[-1], fact, when) for fact, when in told])
    return f"{rest} {said}" if rest else said


def date_words(text: str) -> str | None:
    """The first words for a date in a text, as they were said."""
    return next((words for words, _ in find_dates(text, ANY_DAY)), None)


def _says(told: Told, fact: str, when: str | None) -> bool:
    return {*terms(alike(fact))} <= {*terms(alike(told.fact))} and when in (None, told.when)
