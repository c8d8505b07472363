"""Clauses of a line that its draft lost, told as they were said."""

from __future__ import annotations

from collections.abc import Callable

from ....memory.language.third_person import retold
from ....memory.language.words import terms
from ...prompts.draft import Add, Close, Draft, Entry, date_words
from ...prompts.messages import Line
from .fidelity import alike, companions, lossy, unheard


def in_own_words(draft: Draft, line: Line, wrote: Draft, alone: Callable[[str, str], str | None] = retold) -> Draft:
    """The draft with the clauses that it loses told as they were said.

    Lost are clauses whose names and numbers no fact keeps, those of which a fact keeps but with whom it was done, and
    those that only a fact told which was taken out since the model `wrote` it. A fact of which such a clause says
    every word goes, too. `alone`: a clause about somebody else by name as a fact, of a line with its speaker.
    """
    topics = [entry.topic for entry in wrote.added]
    clauses = lossy([*draft.facts, line.speaker], line.text) if topics else []
    if draft.facts:
        clauses += [clause for clause in companions(draft.facts, line.text) if clause not in clauses]
    if topics and len(draft.facts) < len(wrote.facts):
        clauses += [clause for clause in unheard(draft.facts, line.text) if clause not in clauses]
    own = [
        Add(line.speaker, topics[-1], fact, date_words(clause))
        for clause in clauses
        if (fact := retold(clause, line.speaker) or alone(clause, line.speaker))
    ]
    return draft.mapped(lambda entry: None if any(_says(one, entry) for one in own) else entry).plus(own)


def _says(own: Add, entry: Entry) -> bool:
    if isinstance(entry, Close) or entry.fact is None:
        return False
    return {*terms(alike(entry.fact))} <= {*terms(alike(own.fact))} and (entry.when or None) in (None, own.when)
