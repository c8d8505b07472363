"""Questions of somebody whose name is in small letters: "did tomas call", "has ida moved", "are owen and me together".

A name that begins with a capital, a pronoun or an article tells a question from a line that drops its "I" ("did the
dishes", "has been a long day"). A name in small letters is any word, so it is told by what follows it: the form of a
verb that goes with the first one. English.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from ..language import english
from ..points import letters as re
from ..third_person import verbs
from .forms import Forms, Word, forms_of

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


def drops_it(after: str, forms: Forms, sentence: str) -> bool:
    """Whether an "is" before this word has lost its "it": "is only dream"; of most words only where the sentence ends
    with a full stop, for "is hot water included" asks."""
    told = sentence.rstrip()[-1:] in (".", "!") and forms.has("after_is_told", after)
    return told or forms.has("after_is", after)


def says_how_it_is(text: str) -> bool:
    """Whether a few words say of a thing how or where it is, or what it does: "Kettle's on again", "rain's stopped", no
    "my dog's name", "Tom's wedding" or "Ana's home address"."""
    return any(_is_done(found["done"].lower()) for found in _how_it_is().finditer(text))


def _is_done(word: str) -> bool:
    """Whether a word is no thing that somebody has, but what one does or did."""
    known = verbs()
    if word.endswith("ed"):
        return bool({word[:-2], word[:-1], word[:-3]} & (known.base | known.either))
    return not word.endswith("ing") or word not in english().words("questions", "things_in_ing")


@lru_cache(maxsize=1)
def _how_it_is() -> re.Pattern[str]:
    how = english().alternatives("questions", "how_it_is")
    return re.compile(
        rf"\b[a-z]{{2,}}['’]s (?:(?:not|still|just|already|finally|all|so|too) )?(?P<done>{how}|\w{{3,}}(?:ing|ed))\b"
        rf"(?=\W*$|\s*[,.!;]|\W+(?:{english().alternatives('questions', 'behind_how')})\b)",
        re.IGNORECASE,
    )
