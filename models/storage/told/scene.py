"""What a storage model is shown of the talk, and what its draft is held against."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from ....memory.language.kinship import plainly_related
from ....memory.language.language import UNKNOWN, Language, english
from ....memory.language.words import stem, terms
from ....memory.values import ASSISTANT
from ...prompts.draft import Change, Draft
from ...prompts.messages import Known, Line

_LEANING = re.compile(rf"\b(?:{english().alternatives('words', 'pointing')})\b", re.IGNORECASE)
_NAMED = re.compile(r"\b[A-Z][\w-]*\w")


def leans(text: str) -> bool:
    """Whether words point at something said before: "she loves them"."""
    return bool(_LEANING.search(text))


class Scene(NamedTuple):
    """A line to be stored, those before it, whom it may be about (the speaker alone by default), and known rows."""

    before: Sequence[Line]
    line: Line
    subjects: Sequence[str] | None = None
    known: Sequence[Known] = ()
    language: Language = UNKNOWN
    """That of the line."""
    asides: Sequence[str] = ()
    """What of the line is told of others, and read apart."""

    @property
    def english(self) -> bool:
        """Whether the checks, whose patterns are English, may speak of the line."""
        return self.language.code == "en"

    @property
    def asked(self) -> bool:
        """Whether the assistant's line before asks something."""
        who, said = self.before[-1] if self.before else ("", "")
        return who == ASSISTANT and said.rstrip(" \"'”»)").endswith(("?", "？", "؟"))

    def unknowing(self) -> Scene:
        """The same as if nothing were known."""
        return self._replace(known=())

    def around(self, known: Sequence[Known] = ()) -> list[str]:
        """Where a fact may take words from, beside the line: the line before, which it may answer, and `known`; for a
        line that leans ("she loves them") the speaker's own before that, too."""
        near = 2 if leans(self.line.text) else 1
        before = (said for _, said in self.before[-near:])
        return [self.line.speaker, "user", *(self.subjects or ()), *before, *(row.fact for row in known)]

    def strays(self, draft: Draft) -> bool:
        """Whether a draft gives a known row another fact with a word of that row, and neither the line nor one of those
        before it has any: "he'll come at the start of next month" is of no appointment that was told some lines ago.
        Words in which facts are told anew don't count: "we moved to Porto" ends "lives in Berlin". Nor do days where
        another name comes in: by "Lindqvist doesn't need it before Friday" who comes on Friday isn't Lindqvist."""
        said = {*terms(plainly_related(" ".join([self.line.text, *(text for _, text in self.before)])))}
        none = {stem(one) for one in english().words("doing", "retelling")} | {*terms(f"{self.line.speaker} user")}
        days = {stem(one) for one in english().calendar}
        told = {row.id: row.fact for row in self.known}

        def is_stray(now: str, was: str) -> bool:
            names = {one for one in _NAMED.findall(now) if stem(one.lower()) not in days}
            renamed = names - {*_NAMED.findall(was)}
            words = {*terms(plainly_related(was))} - none - (days if renamed else frozenset())
            return bool(words & {*terms(plainly_related(now))}) and not words & said

        changed = [(one.fact, told.get(one.id)) for one in draft if isinstance(one, Change) and one.fact]
        return any(is_stray(now, was) for now, was in changed if was is not None)

    def heard(self) -> list[str]:
        """All that was said: whoever is spoken of there is no stranger."""
        return [self.line.speaker, self.line.text, *(self.subjects or ()), *(said for _, said in self.before)]

    def told(self) -> list[str]:
        """The facts of the known rows."""
        return [row.fact for row in self.known]
