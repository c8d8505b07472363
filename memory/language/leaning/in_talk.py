"""A line of a talk as it is understood alone: who is meant, and who does what it leaves unsaid. English."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ..about_others import with_capitals
from ..typed.contracted import spelled_out
from ..typed.opened import opened
from .apposed import as_sentences
from .talked_of import named_in_talk
from .unsaid import going_on

LOOKED_AT = 4
"""Lines before, of which each is understood with those before it."""


def understood(line: str, earlier: Sequence[str], speaker: str, known: Collection[str] = ()) -> str:
    """The line with who is meant in the place of pronouns and of a subject that it lacks, each statement that can stand
    by itself as a sentence. `earlier`: the speaker's lines before it, oldest first; `known`: names of people."""
    said = [opened(spelled_out(with_capitals(one, known))) for one in earlier]
    before: list[str] = []
    for place in range(max(0, len(said) - LOOKED_AT), len(said)):
        before.append(named_in_talk(going_on(said[place], before), said[:place], speaker, known))
    return as_sentences(named_in_talk(going_on(line, before), said, speaker, known))
