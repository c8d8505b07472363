"""What a question asks for, apart from its words: whom it names, whether it says "my" or "your", which dates."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from .dates import find_dates
from .values import Moment
from .words import query_words, sentences, tokens

_MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
# "may" and "march" are verbs too: as months they follow such a word.
_MONTH = re.compile(
    rf"\b(?:in|on|of|during|since|until|by|last|this|next|\d+(?:st|nd|rd|th)?)\s+({'|'.join(_MONTHS)})\b"
)
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
WHEN = re.compile(r"\b(?:when|how long|(?:what|which) (?:date|day|week|month|year|season|time))\b", re.IGNORECASE)
_ASKS_BACK = re.compile(
    r"\byou (?:\w+ )?(?:say|said|tell|told|mention|suggest|recommend|advise|propose|promise|think|thought|mean|meant|"
    r"write|wrote|answer|explain|name|call)|\byours?\b"
)
_WRAPPED = re.compile(
    r"^(?:(?:hey|so|ok|okay|well|please|tell me|do you (?:still )?(?:remember|know|recall)|"
    r"can you (?:tell me|remember)|did i (?:ever )?tell you)\b[ ,]*)+",
    re.IGNORECASE,
)
_ASKING_WORDS = """
who whom whose what when where which why how do does did is are am was were have has had can could will would should
whats whos wheres
"""
_REFERRING_WORDS = """
he she it they him her hers them his its their theirs that this those these there then one ones other others else again
too also same former latter instead earlier you your yours about
"""
_ASKING, _REFERRING = frozenset(_ASKING_WORDS.split()), frozenset(_REFERRING_WORDS.split())
_MINE = frozenset({"i", "me", "my", "mine", "myself"})
_YOURS = frozenset({"you", "your", "yours", "yourself"})


def stands_alone(text: str) -> bool:
    """Whether the text is one question that is understood without the lines before it ("what is she called?" isn't)."""
    if len(sentences(text)) != 1:
        return False
    bare = _WRAPPED.sub("", text.strip())
    asked = tokens(bare)
    asks = bool(asked) and (asked[0] in _ASKING or bare != text.strip())
    return asks and bool(set(query_words(bare)) - _ASKING) and not set(asked) & _REFERRING


@dataclass(frozen=True)
class Question:
    """A query with who asks it and when."""

    text: str
    asker: str | None
    now: Moment

    @cached_property
    def words(self) -> list[str]:
        return query_words(self.text)

    @cached_property
    def tokens(self) -> frozenset[str]:
        return frozenset(tokens(self.text))

    @cached_property
    def parts(self) -> list[str]:
        """The whole question, and its last sentence when it has several: that one holds what is asked."""
        pieces = sentences(self.text)
        return [self.text, pieces[-1]] if len(pieces) > 1 else [self.text]

    def is_said_in(self, text: str) -> bool:
        """Whether a line is this question itself, asked before or just now: that answers nothing."""
        return _bare(text) == self._bare

    @cached_property
    def _bare(self) -> str:
        return _bare(self.text)

    @cached_property
    def asks_back(self) -> bool:
        """Whether what is asked is about the one who is asked: what they said, or something of theirs."""
        return bool(_ASKS_BACK.search(self.parts[-1].lower()))

    @cached_property
    def asks_when(self) -> bool:
        """Whether it asks for a time."""
        return bool(WHEN.search(self.text))

    @cached_property
    def about_asker(self) -> bool:
        """Whether what is asked is about the asker ("my", "I")."""
        return bool(self._own_words & _MINE)

    @cached_property
    def _own_words(self) -> frozenset[str]:
        return frozenset(tokens(self.parts[-1]))

    @cached_property
    def _people(self) -> dict[str, tuple[bool, bool]]:
        return {}

    def names(self, name: str) -> bool:
        """Whether the question names this person."""
        return self._means(name)[0]

    def points_at(self, name: str) -> bool:
        """Whether "my" or "your" in what is asked means this person."""
        return self._means(name)[1]

    def _means(self, name: str) -> tuple[bool, bool]:
        if name not in self._people:
            wanted = tokens(name)
            named = bool(wanted) and self.tokens.issuperset(wanted)
            mine = self.asker is not None and name.casefold() == self.asker.casefold()
            pointed = self.asker is not None and bool(self._own_words & (_MINE if mine else _YOURS))
            self._people[name] = named, pointed
        return self._people[name]

    @cached_property
    def _dates(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        days = tuple(day for _, day in find_dates(self.text, self.now))
        low = self.text.lower()
        years, months = _YEAR.findall(low), [_MONTHS.index(m) + 1 for m in _MONTH.findall(low)]
        loose = () if years else tuple(f"-{month:02}" for month in months)
        whole = tuple(f"{year}-{month:02}" for year in years for month in months) or tuple(years)
        return tuple(dict.fromkeys((*days, *whole))), loose

    def dates(self, when: str | None) -> bool:
        """Whether the question mentions the day, month or year of this ISO date or moment."""
        exact, loose = self._dates
        if not when or not (exact or loose):
            return False
        return when.startswith(exact) or when[4:7] in loose


def _bare(text: str) -> str:
    return text.strip(" .!?\n").casefold()
