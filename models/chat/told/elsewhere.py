"""A reply about somebody that is taken from what was told of others: "Ilka plays the bass" of the asker's own bass.

Looked at is a question whose subject is somebody by name, or the asker's kin. Whatever the reply adds to the question
must stand, in one word at least, in a line that speaks of them. English.
"""

from __future__ import annotations

from collections.abc import Collection

from ....memory.language.asked import expects
from ....memory.language.language import english
from ....memory.language.points import letters as re
from ....memory.language.words import plain, stem, terms
from .known import Known

_SUBJECT = re.compile(
    r"(?:^|\s)(?:is|was|does|did|has|had|will|can|are|were|do|have|'s) (?P<words>(?:[\w'-]+ ?){1,4})", re.IGNORECASE
)
_YES_OR_NO = re.compile(r"(?:does|did) ", re.IGNORECASE)
_OPEN = re.compile(r"(?:is|was|has|had|will|can|are|were|do|have|would|could|should|may) ", re.IGNORECASE)
_FOR = re.compile(r"\b(?:am|do|did|have|was|will) I\b.* (?:for|with|to|from) ([A-Z][\w'-]+)$")
_LED = r"(?:(?:an?|the|my|his|her|their|in|on|at|to|by|with|for) )*"
_EITHER = re.compile(rf"\b(?P<one>[\w'-]+),? or {_LED}(?P<other>[\w'-]+)", re.IGNORECASE)
_ADVICE = re.compile(r"(?:should|shall|would|could|what if|which is better)\b", re.IGNORECASE)
_FIRST = frozenset({"i", "we", "you", "me"})
BEGINNING = 4
"""Letters in which two words of one root agree."""
NAMED = 2
"""Telling words of a question in one thing that was told, by which it asks of that."""
MOST = 3
"""Words that a name has at most."""


def elsewhere(known: Known, reply: str) -> bool:
    """Whether a reply holds nothing of what was told of the one whom the question is about."""
    core = known.core.replace("’", "'")
    if not known.of_their_life or known.of_the_world or expects.kind_of(core) == "time":
        return False
    if _OPEN.match(core) or "how many " in core.lower():  # opinions, and what may be counted by names
        return False
    who = subject_of(core, known.people) or _beside(core, known.people)
    lines = known.lines_about(who) if who else []
    if not lines:
        return False
    held = {one for line in lines for one in terms(line)}
    asked = {*terms(core), *known.names_of(who)}
    if _YES_OR_NO.match(core):
        doing = {*terms(core)} - {*terms(who), *map(stem, known.names_of(who))}
        return bool(doing) and not doing & held
    new = {*terms(reply)} - asked - {stem(one) for one in asked}
    numbers = expects.numbers(reply, ordinals=True) - expects.numbers(core, ordinals=True)
    told = {one for line in lines for one in expects.numbers(line, ordinals=True)}
    return bool(new) and not _shared(new, held) and not numbers & told


def offered(known: Known) -> tuple[str, str] | None:
    """The two between which a question about the asker's life asks to choose, "left or right", neither of which stands
    in anything that was told; None: it offers none. What follows from what was told ("older or younger", "a boy or a
    girl", "rent or own") is none of them."""
    found = _EITHER.search(known.recall.query.replace("’", "'"))
    if found is None or known.recall.general or known.of_the_world or _ADVICE.match(known.core):
        return None
    two = (found["one"].lower(), found["other"].lower())
    follows = english().words("questions", "following") | english().stop | english().relations.keys()
    if not follows.isdisjoint(two) or all(word.endswith("er") for word in two):
        return None
    texts = [{*terms(text)} for text in known.texts]
    if any(stem(word) in text for word in two for text in texts):
        return None
    asked = {*terms(known.core)} - {stem(word) for word in (*english().stop, *two)}
    theirs = known.of_their_life or any(len(asked & text) >= NAMED for text in texts)
    return two if theirs else None


def chosen_blindly(known: Known, reply: str) -> bool:
    """Whether a reply takes one of two of which nothing was told: a small model always takes one."""
    two = offered(known)
    return two is not None and any(stem(word) in terms(reply) for word in two)


def _shared(some: Collection[str], others: Collection[str]) -> bool:
    """Whether two share a word, or one its beginning: who is a drummer plays the drums."""
    begun = {word[:BEGINNING] for word in others if len(word) >= BEGINNING}
    return any(word in others or word[:BEGINNING] in begun for word in some)


def _beside(core: str, people: Collection[str]) -> str:
    """Somebody for, with or to whom the asker does what a question is about: "what am I planning for Bram?"."""
    found = _FOR.search(core)
    return found[1] if found and plain(found[1]) in {plain(one) for one in people} else ""


def subject_of(core: str, people: Collection[str]) -> str:
    """Whom a question is about: a name of `people` (in small letters), or "my sister"; empty: nobody surely."""
    common = english().words("forget", "common") | english().stop
    for found in _SUBJECT.finditer(core):
        words = found["words"].split()
        if not words or {word.lower() for word in words[:2]} & _FIRST:
            continue
        mine = words[0].lower() in ("my", "our")
        for size in range(min(MOST + mine, len(words)), int(mine), -1):
            last = words[size - 1]
            known = plain(last) in {plain(one) for one in people} and plain(last) not in common
            if (mine and last.lower() in english().relations) or (
                not mine and known and (last[0].isupper() or size == 1)
            ):
                return " ".join(words[:size])
    return ""
