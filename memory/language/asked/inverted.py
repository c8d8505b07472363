"""Questions of somebody whose name is in small letters: "did tomas call", "has ida moved", "are owen and me together".

A name that begins with a capital, a pronoun or an article tells a question from a line that drops its "I" ("did the
dishes", "has been a long day"). A name in small letters is any word, so it is told by what follows it: the form of a
verb that goes with the first one. English.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..language import english
from ..third_person import verbs
from .forms import Word, forms_of

_WITH_BASE = frozenset({"did", "didn't", "didnt", "can", "could", "will", "would", "should", "won't"})


def of_somebody(words: Sequence[Word]) -> bool:
    """Whether a verb stands before a name in small letters and what that does."""
    first, rest = words[0].low, words[1:]
    if len(rest) < 2 or not _names(rest[0].low):
        return False
    if first in ("are", "were"):  # but "were sick and stayed home"
        return len(rest) > 3 and rest[1].low == "and" and rest[2].low in ("me", "i")
    size = 3 if len(rest) > 3 and rest[1].low == "and" else 1
    then = rest[size].low
    if first in _WITH_BASE:
        nouns = frozenset[str]() if first.startswith("did") else verbs().either  # "did great work today"
        return then in verbs().base | nouns or forms_of("en").has("asked_of", then)
    return first == "has" and _done(then) and not _done(rest[0].low)


def _names(word: str) -> bool:
    """Whether a word may be a name: none that is known for something else."""
    known = verbs()
    no = (
        english().stop
        | {"one", "maybe", "since"}
        | known.adverbs
        | known.modals
        | known.base
        | known.either
        | known.past
        | known.third
    )
    return word.isalpha() and word not in no and not word.endswith(("ing", "ly", "ed"))


def _done(word: str) -> bool:
    return word in verbs().past or (word.endswith("ed") and len(word) > 3)
