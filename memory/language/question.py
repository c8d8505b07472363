"""What a question asks for, apart from its words: whom it names, whether it says "my" or "your", which dates."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

from ..values import Moment
from .dates import find_dates, resolve
from .detect import language_of
from .language import Language, english
from .tense import ahead_at
from .words import query_words, sentences, tokens

_BESIDE = " .!?\n"
"""What stands beside the words of a line."""
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
WHEN = re.compile(r"\b(?:when|how long|(?:what|which) (?:date|day|week|month|year|season|time))\b", re.IGNORECASE)
_STILL = re.compile(
    r"(?:^|[,;.!?] )(?:do|does|am|is|are|have|has|'?m i)\b[^,;.!?]* (?:still|any ?more|any longer)\b", re.IGNORECASE
)
"""Of a question that can be answered with yes or no, that it asks whether something has changed."""
_ORDER = re.compile(
    r"\border (?:in which|of)\b|\bchronolog\w+|\bsequence (?:of|in which)\b|\btimeline\b|"
    r"\bin (?:(?:what|which|the|a|right|correct|same|chronological) )*order\b(?! (?:to|for|that)\b)|"
    r"\bfrom (?:the )?first to (?:the )?last\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=1)
def _asks_back() -> re.Pattern[str]:
    return re.compile(
        r"(?<!\bcan )(?<!\bcould )(?<!\bwould )(?<!\bwill )"  # what one asks for now was not said before
        rf"\byou (?:\w+ )?(?:{english().alternatives('questions', 'said')})|\byours?\b|"
        r"\bdid you (?:\w+ )?(?:give|list|show|draft|come up with)\b|"
        r"(?:^|[.!?] )(?:(?:and|so|hey|ok|wait),? )?(?:which|what) \w+ was it\b(?! (?:in|on|at|when|where|that i)\b)"
    )


@lru_cache(maxsize=1)
def _past() -> re.Pattern[str]:
    """How something was, or whether it still is."""
    formerly = english().alternatives("questions", "formerly")
    return re.compile(rf"\b(?:was|were|used to|did\b.*\buse to|had been|{formerly})\b")


@lru_cache(maxsize=1)
def _form() -> re.Pattern[str]:
    """A sentence that tells in which form the answer is wanted, not what is asked."""
    telling, form = (english().alternatives("questions", name) for name in ("formatting", "form"))
    return re.compile(rf"(?:(?:please|just|and|only) )*(?:{telling})\b.*\b(?:{form})\b", re.IGNORECASE)


@lru_cache(maxsize=1)
def _wrapped() -> re.Pattern[str]:
    return re.compile(rf"^(?:(?:{english().alternatives('questions', 'wrapping')})\b[ ,]*)+", re.IGNORECASE)


@lru_cache(maxsize=8)
def _month(language: Language) -> re.Pattern[str]:
    """A month's whole name after such a word: "may" and "march" are verbs too."""
    names = "|".join(language.month_names)
    return re.compile(rf"\b(?:in|on|of|during|since|until|by|last|this|next|\d+(?:st|nd|rd|th)?)\s+({names})\b")


def stands_alone(text: str, language: Language | None = None) -> bool:
    """Whether the text is one question that is understood without the lines before it ("what is she called?" isn't)."""
    language = language or english()
    if not language.claims or len(sentences(text)) != 1:
        return False
    bare = _wrapped().sub("", text.strip())
    asked = tokens(bare)
    asks = bool(asked) and (asked[0] in language.asking or bare != text.strip())
    return asks and bool(set(query_words(bare)) - language.asking) and not set(asked) & language.referring


def asks_still(text: str) -> bool:
    """Whether an English question asks if something is still so: "do I still go to the gym?"."""
    return bool(_STILL.search(text))


@dataclass(frozen=True)
class Question:
    """A query with who asks it and when."""

    text: str
    asker: str | None
    now: Moment

    @cached_property
    def language(self) -> Language:
        """Of which language it surely is; English where that can't be told by a look at its words."""
        return language_of(self.text, thorough=False)

    @cached_property
    def words(self) -> list[str]:
        return query_words(self.text, self.language)

    @cached_property
    def tokens(self) -> frozenset[str]:
        return frozenset(tokens(self.text))

    @cached_property
    def parts(self) -> list[str]:
        """The whole question, and its last sentence when it has several: that one holds what is asked, unless it only
        tells in which form the answer is wanted."""
        pieces = sentences(self.text)
        if len(pieces) < 2:
            return [self.text]
        asking = [one for one in pieces if not (self.language.claims and _form().match(one))]
        asked = (asking or pieces)[-1]
        if self.language.claims and not query_words(asked, self.language):
            return [self.text]  # "The pills I take at night. What are they?"
        return [self.text, asked]

    def is_said_in(self, text: str) -> bool:
        """Whether a line is this question itself, asked before or just now: that answers nothing."""
        bare = text.strip(_BESIDE)
        if len(bare) != len(self._bare) and bare.isascii():  # settles most: such letters stay as many
            return False
        return bare.casefold() == self._bare

    @cached_property
    def _bare(self) -> str:
        return _bare(self.text)

    @cached_property
    def asks_back(self) -> bool:
        """Whether what is asked is about the one who is asked: what they said, or something of theirs."""
        return self.language.claims and bool(_asks_back().search(self.parts[-1].lower()))

    @cached_property
    def asks_when(self) -> bool:
        """Whether it asks for a time."""
        return self.language.claims and bool(WHEN.search(self.text))

    @cached_property
    def asks_order(self) -> bool:
        """Whether it asks in which order things came: then one line of each time is wanted, not the best of one."""
        return self.language.claims and bool(_ORDER.search(self.text))

    @cached_property
    def asks_past(self) -> bool:
        """Whether it asks how something was, or what became of it: then what has ended answers, too."""
        asked = self.parts[-1]
        return self.language.claims and (bool(_past().search(asked.lower())) or asks_still(asked))

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
            pointed = self.asker is not None and bool(
                self._own_words & (self.language.first_person if mine else self.language.second_person)
            )
            self._people[name] = named, pointed
        return self._people[name]

    @cached_property
    def _dates(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        told = find_dates(self.text, self.now, language=self.language)
        days = [day for _, day in told]
        # "The party on Saturday?" may ask of the last one as well as of the next.
        either = [words for words, _ in told if ahead_at(self.text, self.text.find(words)) is None]
        days += filter(None, (resolve(words, self.now) for words in either))
        low, known = self.text.lower(), self.language.months
        named = _month(self.language).findall(low) if self.language.claims else []
        years, months = _YEAR.findall(low), [known[month] for month in named]
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
    return text.strip(_BESIDE).casefold()
