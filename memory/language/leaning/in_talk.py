"""A line of a talk as it is understood alone: who is meant, and who does what it leaves unsaid. English."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from .apposed import as_sentences
from .dropped import going_on
from .talked_of import named_in_talk

LOOKED_AT = 3
"""Lines before, of which each is understood with the one before it."""


def understood(line: str, earlier: Sequence[str], speaker: str, known: Collection[str] = ()) -> str:
    """The line with who is meant in the place of pronouns and of a subject that it lacks, each statement that can stand
    by itself as a sentence. `earlier`: the speaker's lines before it, oldest first; `known`: names of people."""
    before = ""
    for place in range(max(0, len(earlier) - LOOKED_AT), len(earlier)):
        before = named_in_talk(going_on(earlier[place], before), earlier[:place], speaker, known)
    return as_sentences(named_in_talk(going_on(line, before), earlier, speaker, known))
