"""Questions about the memory itself: "who am I?", "what do you know about Tom?", "when did I tell you that?"."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Literal, NamedTuple

from ..facts.areas import OTHER, PEOPLE, area
from ..language import Language, english
from ..question import asks_still
from .forms import forms_of, words_of
from .personal import unwrapped

Wish = Literal[
    "name", "everything", "about", "said", "when", "when_about", "how", "still", "taste", "your_words", "my_words"
]
_ORDER: tuple[Wish, ...] = (
    "name",
    "everything",
    "your_words",
    "my_words",
    "when",
    "how",
    "when_about",
    "about",
    "said",
)
"""Whole questions go first; of the rest what is asked about is cut out."""

_TASTE = re.compile(
    r"do (?P<what>i (?:(?:really|actually|even) )?(?:like|love|enjoy|hate|dislike|detest|can't stand) (?!to\b).+)",
    re.IGNORECASE,
)
_CLOSING = english().alternatives("questions", "closing")
_CLOSERS = re.compile(rf"(?:[,.]? (?:{_CLOSING}|{_CLOSING.upper()}))+$")
"""With which a question ends that is asked politely, or once more: "what's my name again, please?". What is asked about
may end so where it is a name ("The Here And Then")."""


_FOR = re.compile(
    r"what (?:should|must|does|would|do) (?:an?|any|the|my|our) (?P<who>[\w -]+?) (?:(?:need|have|want|like) to )?"
    r"know about me",
    re.IGNORECASE,
)
"""What is of use to somebody: what a doctor should know is of health."""


class Wanted(NamedTuple):
    """What is wanted of the memory; `about`: whom or what it is about, in the asker's words."""

    wish: Wish
    about: str = ""


def wanted(text: str, language: Language) -> Wanted | None:
    """What a line asks of the memory itself; None for any other line, and in a language without such words."""
    phrases = _phrases().get(language.code)
    if phrases is None:
        return None
    whole = text.strip()
    said = (_bare(whole), _bare(unwrapped(whole, forms_of(language.code))))
    for core in dict.fromkeys((*(_CLOSERS.sub("", one) for one in said), *said)):
        low = " ".join(word.low for word in words_of(core))
        if low in phrases["plans"]:
            return Wanted("about", "my plans")
        for wish in _ORDER:
            for phrase in phrases[wish]:
                head, gap, _ = phrase.partition("...")
                if (not gap and low == phrase) or (gap and low.startswith(head) and len(low) > len(head)):
                    return Wanted(wish, _after(core, head) if gap else "")
    if asks_still(whole):
        return Wanted("still", _bare(whole))
    if somebody := _FOR.match(_bare(whole)):
        of = area(somebody["who"])
        return Wanted("everything") if of in (OTHER, PEOPLE) else Wanted("about", f"my {of}")
    liked = _TASTE.match(_bare(whole))
    return Wanted("taste", liked["what"]) if liked else None


def _bare(text: str) -> str:
    """Without a greeting before it and marks after it: "hey, who am I??" -> "who am I"."""
    words = words_of(text)
    forms = forms_of("en")
    skip = 0
    while skip < len(words) and forms.has("openers", words[skip].low):
        skip += 1
    start = words[skip - 1].end if 0 < skip < len(words) else 0
    return text[start:].strip(" ,.!?;:")


def _after(core: str, head: str) -> str:
    """The rest of the question behind as many words as the phrase has."""
    return core[words_of(core)[len(head.split()) - 1].end :].strip(" ,.!?")


@lru_cache(maxsize=1)
def _phrases() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    table = tomllib.loads((Path(__file__).parent / "about_memory.toml").read_text(encoding="utf-8"))
    return {
        code: {name: tuple(" ".join(one.split()) for one in text.split("|")) for name, text in lists.items()}
        for code, lists in table.items()
    }
