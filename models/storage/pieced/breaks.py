"""From how many places of its line a fact is put together.

What copies one stretch of its line is hardly ever false; what a small model joins from several places often is: of "got
a meeting thursday w priya, new since sept. asking to go on days" a meeting that asks to go. Of a true and a false row,
both after all other checks, the false one has the more breaks in .80 (AUC; 492 rows of eleven evenings,
docs/log/storage.md).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import lru_cache
from itertools import groupby

from ....memory.language.kinship import pattern
from ....memory.language.language import english
from ....memory.language.words import stem
from ..told.fidelity import alike

UNHEARD = 0.5
"""What a word that the line hasn't counts beside a break."""
PLAIN = 3
"""Telling words of a fact that may stand anywhere in one sentence: "fishes in summer" of "over the summer I fish"."""
MEANT = 4
"""Words of a fact that a pronoun of the line may stand for."""
FEW = 2
"""Telling words of a fact of which it doesn't matter where the speaker stands in the line."""
_WORD = re.compile(r"\w+(?:[’'.:,/-]\w+)*|[.!?;]")
_MARKS = frozenset(".!?;")
END, SELF = "|", "@"
_TURNED = {"doesn't": "don't", "does": "do", "hasn't": "haven't", "isn't": "aren't", "wasn't": "weren't", "goes": "go"}
"""Forms of the third person, as the first has them."""
_SHORT = re.compile(r"['’](?:s|re|ve|m|ll|d)?$")


def breaks(fact: str, line: str, speaker: str, free: Collection[str] = ()) -> float:
    """How many breaks there are between the stretches of the line by which a fact can be laid out, longest first from
    its beginning, for each of its telling words; one that nobody said counts `UNHEARD`, if it is none in which facts
    are told anew ("lives", "works"). 0.0: it is one stretch.

    No break is where one telling word was left out, or a pronoun is who the fact is about. `free`: words that the fact
    may have from elsewhere, as stems.
    """
    told = [word for word in laid(fact, speaker) if word != END and word not in free]
    said = laid(line, speaker)
    if len({*told} - {SELF}) <= FEW or told[:2] == [SELF, SELF]:  # "Ana is 16"; "Ana and Ana's mum" of "mum and I"
        told = [word for word in told if word != SELF]
    elif _mine_left_out(fact, line, speaker):
        told = told[1:]
    at, broken, unheard, behind = 0, 0, 0, None
    while at < len(told):
        if behind is not None and (meant := _meant(told[at:], said[behind : behind + 2])):
            at, behind = at + meant, behind + 1
            continue
        size, place = _longest(told[at:], said, behind)
        if not size:
            unheard += told[at] != SELF and told[at] not in _anew()
            at += 1
            continue
        broken += behind is not None and not _goes_on(said, behind, place)
        at, behind = at + size, place + size
    owned = re.match(rf"(?:{re.escape(speaker)}|User)['’]s\b", fact) is not None  # of somebody's it matters whose
    if not owned and _of_one_sentence(told, said):
        return 0.0
    return (broken + UNHEARD * unheard) / max(1, len(told))


def _mine_left_out(fact: str, line: str, speaker: str) -> bool:
    """Whether a fact begins with somebody of the speaker's whom the line names without a "my": of "two kids, wife Jen's
    a GP" that Ana's wife Jen is one."""
    kin = re.match(rf"(?:{re.escape(speaker)}|User)'s (?P<who>(?:{pattern(english())}) [A-Z][\w-]*\w)\b", fact)
    bare = (
        rf"(?<!\w['’]s )(?<!\bhis )(?<!\bher )(?<!\btheir )(?<!\byour )\b(?i:{re.escape(kin['who'])})\b"
        if kin
        else "(?!)"
    )
    return re.search(bare, line) is not None


def _meant(told: Sequence[str], said: Sequence[str]) -> int:
    """How many words of a fact stand for a pronoun that comes next in the line, and after which both go on alike."""
    if not said or said[0] not in _pronouns():
        return 0
    return next((size for size in range(1, MEANT + 1) if said[1:] and told[size : size + 1] == said[1:]), 0)


def _of_one_sentence(told: Sequence[str], said: Sequence[str]) -> bool:
    words = {*told} - {SELF} - _anew() - _stop()
    pieces = groupby(said, lambda word: word == END)
    return len(words) <= PLAIN and any(not end and words <= {*one} for end, one in pieces)


def _longest(told: Sequence[str], said: Sequence[str], behind: int | None) -> tuple[int, int]:
    """The size and the place of the longest stretch of what was said with which `told` begins, the nearest to where the
    one before ended."""
    found = [(_alike(told, said[place:]), -abs(place - (behind or 0)), place) for place in range(len(said))]
    size, _, place = max(found, default=(0, 0, 0))
    return size, place


def _alike(one: Sequence[str], other: Sequence[str]) -> int:
    size = 0
    for mine, theirs in zip(one, other, strict=False):
        if mine != theirs or theirs == END:
            break
        size += 1
    return size


def _goes_on(said: Sequence[str], behind: int, place: int) -> bool:
    left_out = [word for word in said[behind:place] if word not in _stop()]
    pronoun = place >= behind and place > 0 and said[place - 1] in _pronouns()
    return place >= behind and (pronoun or (len(left_out) < 2 and END not in left_out))


def laid(text: str, speaker: str) -> list[str]:
    """The telling words of a text in order, as stems, with marks for who speaks and for the end of a sentence."""
    text = re.sub(rf"\b{re.escape(speaker)}\b", "user", alike(text), flags=re.IGNORECASE).lower()
    words = [_SHORT.sub("", word) for word in _WORD.findall(text.replace("’", "'"))]
    words = [END if word in _MARKS else SELF if word in _ours() else _TURNED.get(word, word) for word in words]
    return [stem(word) if word.isalpha() else word for word in words if word not in _joining()]


@lru_cache(maxsize=1)
def _ours() -> frozenset[str]:
    return english().self_words | english().first_person_plural | {"user", "im", "ive"}


@lru_cache(maxsize=1)
def _joining() -> frozenset[str]:
    """Words that a retelling may put in or leave out."""
    return english().words("doing", "laid_out")


@lru_cache(maxsize=1)
def _stop() -> frozenset[str]:
    return frozenset(stem(one) for one in english().stop)


@lru_cache(maxsize=1)
def _anew() -> frozenset[str]:
    return frozenset(stem(one) for one in english().words("doing", "retelling"))


@lru_cache(maxsize=1)
def _pronouns() -> frozenset[str]:
    own = ("he", "she", "they", "it", "his", "her", "their", "its", "him", "them", "that", "this", "these", "those")
    return frozenset(stem(one) for one in own)
