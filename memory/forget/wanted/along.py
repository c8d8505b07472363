"""What a line tells of somebody without naming them: "my boyfriend Ruben thinks I work too much. we've been together
three years" is of Ruben in both its sentences, so the second one's fact goes with "everything about Ruben"."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from itertools import islice, takewhile

from ...language.facts.areas import area
from ...language.language import english
from ...language.leaning.talked_of import names_somebody
from ...language.words import content, sentences, stem, tokens
from ...values import ForgetPlan, Memory
from ..parting import holders, people

_BACK = "we|us|our|ours|he|she|him|her|his|hers"
"""By which somebody is meant who was named right before; "we" is the person with them."""
_POINTS = re.compile(rf"\b(?:{_BACK})\b", re.IGNORECASE)
_MINE = re.compile(r"\bmy \w", re.IGNORECASE)
"""With which something else comes in, that "they" or "it" may stand for from here on."""
_SOMEBODY = re.compile(r"\b(?:I|me|my|mine|you|your|who|whom|whose|(?:some|any|no|every)(?:one|body)|we|us|our|ours)\b")
"""With which somebody else comes in."""
_WHOSE = re.compile(r"['’]s?$")
_OF_SUBJECT = re.compile(r"the|my|our|his|her|their|and|but|so|old|good|dear|new", re.IGNORECASE)
"""What stands before a name with which a sentence begins."""
_ABOUT = re.compile(
    r"\W*(?:(?:and|so|well|oh|ok|okay|hi|hello|evening),? )*"
    r"(?:(?:it|this|that)(?:['’]s| is|s) (?:all )?about|speaking of|talking of|as for|about) (?P<whom>[^,.;:!?]{2,40})",
    re.IGNORECASE,
)
"""Of whom a sentence says that it is about them: all of it is, whoever does something in it."""
_JOINED = re.compile(r"\w\W*(?:\b(?:and|but|so)\b|[&+/])", re.IGNORECASE)
"""Inside of a subject this joins two: "Greg and my mother collect clocks"."""
_SAME_OF = re.compile(
    r"\b(?:too|as well|also|so (?:do|does|did|am|is|are|was|were|has|have|can)|same|both|neither|nor|either|likewise"
    r"|me|there|ones?)\b",
    re.IGNORECASE,
)
"""With which the same is said of somebody else without saying it again: "Greg lives in Leeds. So do I."."""
_OWN = frozenset({"health", "money"})
"""Matters of the person's own, whoever else has a part in them: they stay."""
_GOES_ON = re.compile(
    rf"\s*[,;:]\s+(?:and |but |so )?(?=(?:{_BACK})\b)|\s+(?:and|but) (?=(?:{_BACK})\b)", re.IGNORECASE
)


def going_along(plan: ForgetPlan, wanted: Collection[str], own_names: Collection[str]) -> list[int]:
    """Of the facts that would stay though every line that told them goes, those that are told of the one who is
    forgotten, by their ids. `wanted`: the stems of the names or the role of whom is meant.

    A fact that names somebody else is of them, and one of which it isn't plain what told it stays.
    """
    gone = (*plan.facts, *plan.others)
    if not plan.apart or holders([one.fact for one in gone]).isdisjoint(wanted):
        return []
    known, _ = people(frozenset(wanted), ((one.subject, one.fact) for one in gone), own_names)
    others = _roles() - known
    pieces = [(piece, of) for line in plan.lines for piece, of in _pieces(line.text, known, others)]
    said = [one for line in plan.lines for one in _told_of(line.text, wanted, known, others)]
    of_them, elsewhere = [one for one, of in said if of], [one for one, of in said if not of]
    return [
        one.id
        for one in plan.apart
        if area(one.topic, one.fact) not in _OWN
        and (
            (not _of_another(one, others, own_names) and _is_of_them(one, pieces))
            or _is_all_in(one, of_them, elsewhere, others, own_names)
        )
    ]


def _pieces(line: str, known: Collection[str], others: Collection[str]) -> Iterator[tuple[str, bool]]:
    """The statements of a line, each with whether it points back to whom is meant, who was named last before it."""
    of = False
    for sentence in sentences(line):
        for piece in _GOES_ON.split(sentence):
            said = {stem(word) for word in tokens(piece)}
            if not said.isdisjoint(known):
                of = True
                yield piece, False
            elif not said.isdisjoint(others) or names_somebody(piece) or _MINE.search(piece):
                of = False
                yield piece, False
            else:
                yield piece, of and bool(_POINTS.search(piece))


def _told_of(
    line: str, wanted: Collection[str], known: Collection[str], others: Collection[str]
) -> Iterator[tuple[str, bool]]:
    """The sentences of a line, each with whether it tells of whom is meant alone: they are its subject, nobody else
    comes in behind, and nothing points to somebody of whom the same is told. Of these only what stands behind them."""
    for sentence in sentences(line):
        said = re.findall(r"[\w'’-]+", sentence)
        subject = list(takewhile(lambda one: bool(_OF_SUBJECT.fullmatch(one)) or _holds(one, {*known, *others}), said))
        rest = " ".join(said[len(subject) :])
        of = bool(subject) and _holds(" ".join(subject), wanted) and not _WHOSE.search(subject[-1])
        of = of and not _JOINED.search(_head(sentence, len(subject))) and not _SAME_OF.search(rest)
        about = _ABOUT.match(sentence)
        if about and _holds(about["whom"], wanted):
            yield sentence, True
        elif of and not _SOMEBODY.search(rest) and not names_somebody(f"it {rest}") and not _holds(rest, others):
            yield rest, True
        else:
            yield sentence, False


def _head(sentence: str, count: int) -> str:
    """A sentence up to the end of its first words, so many of them, with the signs between."""
    *_, last = islice(re.finditer(r"[\w'’-]+", sentence), count)
    return sentence[: last.end()]


def _is_all_in(
    fact: Memory, told: Collection[str], elsewhere: Collection[str], others: Collection[str], own_names: Collection[str]
) -> bool:
    """Whether a fact tells nothing but what is said of whom is meant, though it was read to be somebody else's: "User's
    mother collects clocks" of "her neighbour Anton collects clocks". What it tells of others by name is theirs; and so
    is it where any other sentence has a word of it or points to it: "I live in Leeds. Greg lives in Leeds."."""
    if names_somebody(_as_one(fact.fact, own_names)):
        return False
    says = content(fact.fact, fact.subject) - {*others, *(stem(word) for name in own_names for word in tokens(name))}
    if any(_SAME_OF.search(one) or not says.isdisjoint(content(one)) for one in elsewhere):
        return False
    return bool(says) and any(says <= content(rest) for rest in told)


def _is_of_them(fact: Memory, pieces: Collection[tuple[str, bool]]) -> bool:
    """Whether the statement that holds most of a fact, and half of it, points back to whom is meant."""
    told = content(fact.fact, fact.subject)
    count, other = max(((len(told & content(piece)), not of) for piece, of in pieces), default=(0, True))
    return not other and count > 0 and 2 * count >= len(told)


def _of_another(fact: Memory, others: Collection[str], own_names: Collection[str]) -> bool:
    """Whether a fact is about somebody else than the person, or names one."""
    bare = _as_one(fact.fact, own_names)
    return _holds(bare, others) or names_somebody(bare)


def _as_one(fact: str, own_names: Collection[str]) -> str:
    """A fact with "I" for the person."""
    mine = "|".join(map(re.escape, own_names))
    return re.sub(rf"\b(?:{mine})\b", "I", fact)


def _holds(text: str, stems: Collection[str]) -> bool:
    return any(stem(word) in stems for word in tokens(text))


def _roles() -> frozenset[str]:
    """The stems of all words for somebody's relation to somebody."""
    return frozenset(stem(word) for word in english().relations)
