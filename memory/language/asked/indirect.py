"""A question as what wasn't told: "what am I allergic to?" -> "what you're allergic to". English.

Only the forms whose words can be put in order for certain; of any other question nothing is said but that it is open.
"""

from __future__ import annotations

import re

from ..language import english
from ..third_person import third_form

_SWAPPED = {
    "i": "you", "my": "your", "mine": "yours", "me": "you", "myself": "yourself", "we": "you", "our": "your",
    "us": "you", "ours": "yours", "i'm": "you're", "i've": "you've", "im": "you're",
}  # fmt: skip
_BE = {"is": "is", "are": "are", "am": "are", "was": "was", "were": "were"}
_SHORT = {
    f"{word}{end}": f"{word} is" for word in ("what", "who", "where", "when", "how", "why") for end in ("'s", "s")
}
_PRONOUNS = frozenset({"i", "we", "you", "he", "she", "it", "they"})
_OPENED = frozenset({"my", "our", "your", "his", "her", "their", "the"})
_AFTER = english().words("questions", "after_subject")
"""Words that can't belong to the one asked of: the verb stands before them."""
_WH = frozenset({"what", "who", "whom", "whose", "which", "where", "when", "how", "why"})


def indirect(core: str) -> str | None:
    """The question in the order of a statement, told to the one who asked; None where that isn't certain."""
    text = " ".join(_SHORT.get(word.lower(), word) for word in core.replace("’", "'").strip(" ?!.").split())
    words = text.split()
    lows = [word.lower() for word in words]
    if not 2 < len(words) < 16 or re.search(r"[,;:?!.]", text):
        return None
    if lows[0] in _WH:
        verb = next(
            (place for place, low in enumerate(lows) if place and (low in _BE or low in ("do", "does", "have", "has"))),
            0,
        )
        if not verb or verb > 4 or {*lows[1:verb]} & _PRONOUNS:
            return None
        head, rest = words[:verb], words[verb:]
    else:
        head, rest = ["whether"], words
    ordered = _ordered(rest, yes_or_no=head == ["whether"])
    return (
        None
        if ordered is None
        else _swapped([*(word.lower() if not n else word for n, word in enumerate(head)), *ordered])
    )


def _ordered(rest: list[str], *, yes_or_no: bool = False) -> list[str] | None:
    """Verb, subject and rest in the order of a statement; of a yes-or-no question the last word is what is asked of the
    subject, whatever it is: "was my phone stolen?"."""
    verb, after = rest[0].lower(), rest[1:]
    if not after:
        return None
    size = _doer(after) if verb in ("do", "does") else _subject(after)
    if size is None:
        return None
    if yes_or_no and verb in _BE and size == len(after) > 1:
        size -= 1
    subject, other = after[:size], after[size:]
    first = subject[0].lower()
    if first == "the" and other[:1] == ["of"] and not {*map(str.lower, other)} & {"called", "named"}:
        subject, other = after, []
    if verb in _BE:
        yours = {"was": "were", "were": "were"}.get(verb, "are") if first in ("i", "we", "you") else _BE[verb]
        return [*subject, yours, *other]
    if verb in ("have", "has"):
        return (
            [*subject, verb, *other] if other and {*map(str.lower, other)}.isdisjoint(("told", "mentioned")) else None
        )
    if first not in _PRONOUNS | _OPENED:
        subject = [subject[0].capitalize(), *subject[1:]]
    if len(other) > 1 and other[0].lower() == "not":
        return [*subject, "don't" if verb == "do" else "doesn't", *other[1:]]
    if verb == "do":
        return [*subject, *other] if other else None
    if verb == "does" and other:
        done = other[0].lower()
        if done in ("still", "also", "usually", "always", "often", "never", "ever") and len(other) > 1:
            return [*subject, *([] if done == "ever" else [done]), third_form(other[1]), *other[2:]]
        return [*subject, third_form(other[0]), *other[1:]]
    return None


def _doer(words: list[str]) -> int | None:
    """How many words after "do" or "does" are its subject; None where that can't be told."""
    lows = [word.lower() for word in words]
    if lows[0] in _PRONOUNS or lows[0] not in _OPENED:
        return 3 if len(words) > 3 and lows[1] == "and" else 1
    owned = next((place for place, low in enumerate(lows) if low.endswith("'s")), None)
    if owned is not None:
        return owned + 2
    return 2 if len(words) == 3 or lows[1] in english().relations else None


def _subject(words: list[str]) -> int | None:
    """How many of the words after the verb are its subject; None where that can't be told."""
    lows = [word.lower() for word in words]
    if lows[0] in _PRONOUNS:
        return 1
    least = 2 if lows[0] in _OPENED else 0  # of "my driving test" the second word is no verb
    stop = next((place for place, low in enumerate(lows) if low in _AFTER and place >= least), len(words))
    owned = next((place for place, low in enumerate(lows) if low.endswith("'s")), None)
    if words[0][0].isupper() and owned is None and (said := _called(words)) < len(words):
        return stop or None if lows[said] in ("and", "or", "of") else said
    if lows[0] in _OPENED or owned is not None or words[0][0].isupper():
        if stop == len(words) and len(words) > 4:
            return None
        if lows[0] in _OPENED and owned is None and stop == len(words):
            return len(words) if len(words) < 4 else None
        return stop or None
    return None


def _called(words: list[str]) -> int:
    """How many words a name has that stands first."""
    return next((place for place, word in enumerate(words) if not word[0].isupper()), len(words))


def _swapped(words: list[str]) -> str:
    """The words as said to the one who asked: "my" -> "your"."""
    told = " ".join(_SWAPPED.get(word.lower(), word) for word in words)
    return told.replace("you are ", "you're ") if not told.endswith("you are") else told
