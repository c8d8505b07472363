"""Lines of a running talk that leave out whom they tell of: "works nights, poor thing" after a line about a brother.

A small model takes such a line for the speaker's own. That it isn't is told by its verb ("works"), by "herself", or
beside a state by what is done to "me"; of whom it tells, by whom the lines before named last. Where nothing tells that
somebody else is meant, the line stays as it is. English.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from ..language import english
from ..points import letters as re
from ..third_person import verbs
from ..words import alternatives
from .named import does, named

LOOKED_AT = 4
"""Sentences before that are looked through for whom is meant."""
_FILLER = re.compile(rf"^(?:(?:{english().alternatives('others', 'before_pronoun')}|btw|anyway|lol|haha)\b,? )*", re.I)
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_WORD = re.compile(r"[A-Za-z]+(?:['’-][A-Za-z]+)*|\d+")
_HERSELF = re.compile(r"\b(?:herself|himself)\b")
_OF_ME = re.compile(r"\b(?:me|us)\b|\bthan I\b")
"""Somebody else does something to the speaker, or is held against them."""
_SHE = re.compile(r"\b(?:he|she)\b")


def going_on(line: str, earlier: Sequence[str]) -> str:
    """The line with whom it tells of, where it leaves them out and doesn't mean the speaker; else unchanged.

    `earlier`: the speaker's lines before it as they are understood, oldest first.
    """
    rest = line[_FILLER.match(line).end() :]  # type: ignore[union-attr]
    kind = _begins(rest) if not line.rstrip().endswith("?") else ""
    if not kind or not _means_another(kind, rest):
        return line
    near = _first(rest) in english().words("apart", "of_things")
    who = _told_of_last(earlier[-1:] if near else earlier, 1 if near else LOOKED_AT)
    if not who:
        return line
    low = f"{rest[:1].lower()}{rest[1:]}"
    between = " is" if kind == "state" else "," if kind == "aside" else ""
    return f"{who}{between} {low}"


def _first(text: str) -> str:
    return next(iter(_WORD.findall(text)), "").lower()


def _means_another(kind: str, rest: str) -> bool:
    if kind in ("third", "aside") or _HERSELF.search(rest):
        return True
    if kind == "past":
        return False
    if _then_third(rest):
        return True
    return kind == "state" and bool(_OF_ME.search(rest)) and not _SHE.search(rest)  # "single, he left me" is one's own


def _begins(rest: str) -> str:
    """What a line without a subject begins with: what a third person does ("third"), a helping verb, a state ("73",
    "left-handed", "a fisherman"), something said before what they do ("aside"), what was done ("past"); else empty."""
    words = [word.lower().replace("’", "'") for word in _WORD.findall(rest)]
    known = verbs()
    place = next((at for at, one in enumerate(words) if one not in _adverbs()), len(words))
    if len(words) < 2 or place >= len(words) or words[0] in english().words("apart", "impersonal"):
        return ""
    if _OF_ALL.match(rest):
        return ""
    first, following = words[place], words[place + 1] if place + 1 < len(words) else ""
    if _is_third(first, following):
        return "third" if first not in ("is", "isn't", "has") or following not in _after_is() else ""
    state = _state().match(rest) if place == 0 else None
    if state and not (first in ("a", "an") and does(state[0])):  # "a letter came"
        return "state"
    if first in known.modals | {"was", "wasn't", "had"}:
        return "helping"
    if first in known.past or (first.endswith("ed") and len(first) > 4):
        return "past"
    head, comma, tail = rest.partition(", ")
    own = {*words[: len(head.split())]} & (english().self_words | english().words("words", "third_person"))
    small = words[0] in english().words("apart", "no_aside")
    if comma and len(head.split()) <= FEW and not does(head) and not own and _begins(tail) == "third":
        return "" if small or (_first(tail) in english().words("apart", "of_things")) else "aside"
    return ""


_OF_ALL = re.compile(
    r"works (?:for me|well|fine|out)\b|makes sense\b|goes (?:well|fine|to show|without|on)\b|(?:has|is) been\b"
    r"|takes (?:ages|forever|time|me|us|an? (?:hour|while|day|week|age|bit)|\w+ (?:hours?|minutes|days|weeks|months))\b"
    r"|gets (?:dark|cold|hot|warm|late|light|me)\b|says (?:here|on|\d)|comes (?:with|to)\b"
)
"""What is nobody's doing."""
FEW = 3
"""Words that may stand before what somebody does: "brescia, makes tyres"."""


def _then_third(rest: str) -> bool:
    """Whether what a third person does stands behind a comma or "and"."""
    return any(_is_third(found[1].lower(), found[2].lower()) for found in _BEHIND.finditer(rest))


_BEHIND = re.compile(r"(?:, |\band )(?:(?:then|always|never|still|also|only|just) )*([A-Za-z]+) ([A-Za-z]+|\d+)")


def _is_third(word: str, following: str) -> bool:
    known = verbs()
    if word in (
        known.third | english().words("apart", "does") | {"does", "doesn't", "is", "isn't", "has", "hasn't"}
    ) - {"was", "had"}:
        return True
    if not re.fullmatch(r"[a-z]{2,}[a-rt-z]s", word) or word.endswith(("us", "is")) or word in _things():
        return False
    bases = {word[:-1], word[:-2], f"{word[:-3]}y"} & (known.base | known.either | known.finite)
    return following in english().words("apart", "after_third") or (bool(bases) and following not in _AND)


_AND = frozenset({"", "and", "or", "is", "are", "was", "were", "i", "it's", "we"})


@lru_cache(maxsize=1)
def _things() -> frozenset[str]:
    """Plurals, and what is nobody's doing."""
    known = english()
    days = {f"{day}s" for day in known.weekdays}
    return (
        known.words("apart", "impersonal") | days | {one for one in known.relations if one.endswith("s")} | known.stop
    )


@lru_cache(maxsize=1)
def _adverbs() -> frozenset[str]:
    return verbs().adverbs | english().words("apart", "before_verb")


@lru_cache(maxsize=1)
def _after_is() -> frozenset[str]:
    return english().words("apart", "after_is")


@lru_cache(maxsize=1)
def _state() -> re.Pattern[str]:
    numbers = alternatives(one for one in english().unit_numbers if len(one) > 1)
    states = english().alternatives("apart", "states")
    old = r"(?: (?:years?|months?|weeks?) old)?(?=,| and\b(?! a\b)|$)"
    return re.compile(
        rf"(?:(?:about|nearly|almost|only) )?(?:\d{{1,3}}|{numbers}){old}"
        rf"|(?:{states}|[a-z]+-(?:handed|eyed|haired))(?=,| and\b|$)|an? (?:[a-z-]+ ){{0,2}}[a-z]+(?=, | and )"
        rf"|(?:\d{{1,3}}|{numbers}) (?:years?|months?|weeks?) old\b",
        re.IGNORECASE,
    )


def _told_of_last(earlier: Sequence[str], most: int) -> str:
    """Whom the last sentence with somebody in it tells of: who begins it, else who is named last in it. `most`:
    sentences that are looked through."""
    sentences = [one for line in earlier for one in _SENTENCE.split(line)][-most:]
    for sentence in reversed(sentences):
        people = named(sentence)
        if not people:
            continue
        plain = sentence[_FILLER.match(sentence).end() :].lower()  # type: ignore[union-attr]
        begins = [one for one in people if plain.startswith(one.lower())]
        if begins and re.match(rf"{re.escape(begins[0].lower())},? and (?!i\b)", plain):
            return ""  # one of two, and nothing tells which
        by_name = [one for one in people if re.search(r"[A-Z]", one)]
        who = (begins or by_name[-1:] or people[-1:])[0]
        return f"{who[:1].upper()}{who[1:]}"
    return ""
