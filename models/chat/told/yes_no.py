"""Questions of yes and no that the memory itself answers: a small model says yes to whatever it is asked.

Whether something still is so ("do I still have the Vespa?") is read off what a later line ended, and whether the user
likes a thing off the fact that says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from ....memory.language.asked.telling import told_part
from ....memory.language.facts.change_words import stands
from ....memory.language.facts.corrections import signals
from ....memory.language.facts.matters import parts
from ....memory.language.facts.states import DISLIKED
from ....memory.language.kinship import pattern, relations
from ....memory.language.language import english
from ....memory.language.quoted.whose import others_words
from ....memory.language.third_person import to_third_person
from ....memory.language.words import query_words, sentences, stem, terms, tokens
from ....memory.values import Memory, Recall, Turn, User

if TYPE_CHECKING:
    from ....memory.store.store import Store

_DIED = re.compile(r"(?:died|dead|passed away|passed on|put (?:down|to sleep))\b(?! (?:laughing|of laughter|tired))")
_DEATH = re.compile(
    r"\b(?:die[sd]?|dying|dead|death|passed|lost|late|funeral|buried|bury|graves?|killed|put (?:down|to sleep)|gone"
    r"|widow\w*|miss(?:ed|ing|es)?|was|were|memory of|in heaven)\b", re.IGNORECASE
)  # fmt: skip
"""What has to do with an end, or may have."""
LEAST = 0.5
"""Share of the question's telling words that a fact must hold to be what is asked about."""
_IDLE = frozenset(stem(word) for word in ("still", "anymore", "longer", "now", "currently"))


_NAMES = re.compile(r"(?<=[\w,] )[A-Z][a-z]+")
"""Of whom or what a question asks by name: a fact without these is about somebody else."""
_PARTLY = re.compile(r"\b(?:but|except|though|although|unless|only|if|when)\b")
"""A taste with exceptions is no plain yes or no."""
_WAS = re.compile(r"\S+(?:['’]s [\w -]+?)? (?:had|was|were|used to)\b")


class Over(NamedTuple):
    """What was so, and the line that ended it. `fact` None: the line alone tells it."""

    fact: Memory | None
    line: Turn


def over(store: Store, user: User, recall: Recall) -> Over | None:
    """What the question of the recall asks about, where that has ended; None: it may still be so.

    The recall holds earlier states beside those of today (`memory/search/earlier.py`).
    """
    words = {stem(word) for word in query_words(recall.query)} - _IDLE - {*terms(user.subject)}

    def share(fact: Memory) -> float:
        return len(words & {*terms(fact.fact)}) / max(len(words), 1)

    kin, names = relations(recall.query), {one.lower() for one in _NAMES.findall(recall.query)}
    before = [
        fact
        for fact in recall.memories
        if fact.valid_to is not None and kin <= relations(fact.fact) and names <= {*tokens(fact.fact)}
    ]
    asked = max(before, key=share, default=None)
    if asked is None or share(asked) < LEAST:
        told = [fact for fact in recall.memories if fact.valid_to is None and kin <= relations(fact.fact)]
        named = [fact for fact in told if names <= {*tokens(fact.fact)} and share(fact)]
        return _told_end(store, recall.query, named) or _told_dead(user, recall, names)
    today = [fact for fact in recall.memories if fact.valid_to is None and not _past(fact)]
    if any(share(fact) >= share(asked) for fact in today):
        return None
    line = _ending(store, user, asked)
    return Over(asked, line) if line and not _of_another(line, names, asked) else None


def _told_end(store: Store, question: str, facts: Iterable[Memory]) -> Over | None:
    """What a fact that holds says outright: that the one asked of died, that the thing was sold."""
    low = {*tokens(question)}
    words = "dead" if "alive" in low else "gone" if low & {"have", "own", "got"} else ""
    for fact in facts if words else ():
        line = next(iter(store.facts.evidence([fact.id]).get(fact.id, ())), None)
        if line is not None and stands(words, fact.fact) and not signals(fact.fact).maybe:
            return Over(fact, line)
    return None


def _told_dead(user: User, recall: Recall, names: set[str]) -> Over | None:
    """A line of the user's own that says of the one asked of that they died, where no fact was made of it."""
    if "alive" not in tokens(recall.query) or len(names) != 1:
        return None
    turns = [turn for item in recall.items for turn in item.turns if turn.speaker == user.subject]
    for turn in turns:
        told = "" if others_words(turn) else told_part(turn.text, english())
        if any(_says_dead(one, next(iter(names))) for one in sentences(told)):
            return Over(None, turn)
    return None


def _says_dead(sentence: str, name: str) -> bool:
    """Whether a sentence says of the one of that name that they died: "Poor Koos died", not "Koos's aunt died"."""
    opening = english().alternatives("openings", "death")
    before = rf"\W*(?:(?:{opening}|{pattern(english())})\W+)*"
    after = "|".join(f"{one} " for one in english().listed("verbs", "before_died"))
    subject = re.match(rf"{before}{re.escape(name)},? (?:{after})*(?=\w)", sentence, re.IGNORECASE)
    rest = sentence[subject.end() :] if subject else ""
    begins = _DIED.match(rest)
    return bool(begins) and not signals(sentence).maybe


def not_ended(store: Store, user: User, recall: Recall) -> Memory | None:
    """The newest fact that holds about the one whom a question names ("is Dolly still alive?"), where nothing that was
    recalled of that name has to do with an end."""
    names = {one.lower() for one in _NAMES.findall(recall.query)}
    if "alive" not in tokens(recall.query) or len(names) != 1:
        return None
    turns = [turn for item in recall.items for turn in item.turns if turn.speaker == user.subject]
    told = [(row.fact, row) for row in recall.memories] + [
        (one, None) for turn in turns for one in sentences(turn.text)
    ]
    named = [(text, row) for text, row in told if names <= {*tokens(text)}]
    closed = [row for _, row in named if row and row.valid_to]
    ends = [(row, _ending(store, user, row)) for row in closed]
    if any(line is None or not _of_another(line, names, row) for row, line in ends):
        return None
    rows = [row for _, row in named if row and not row.valid_to]
    if any(_DEATH.search(text) for text, row in named if row not in closed) or any(map(_past, rows)):
        return None
    return max(rows, key=lambda row: row.said_at, default=None)


def _of_another(line: Turn, names: set[str], fact: Memory) -> bool:
    """Whether the line tells of another one than the question, whom the fact names beside: of Lola, not of Pepe."""
    said, beside = {*tokens(line.text)}, {one.lower() for one in _NAMES.findall(fact.fact)}
    return bool(names) and not names & said and bool((beside - names) & said)


def _past(fact: Memory) -> bool:
    """Whether a fact that holds says of something that it is no more: "User sold the Vespa", "User had a Vespa"."""
    return signals(fact.fact).ends or bool(_WAS.match(fact.fact))


def _ending(store: Store, user: User, fact: Memory) -> Turn | None:
    """The line that changed or closed the fact."""
    for entry in store.journal.history(fact.id, user_id=user.id):
        if entry.before and entry.before["id"] == fact.id and entry.turn_id and not entry.undone:
            return next(iter(store.turns.by_id(user.id, [entry.turn_id])), None)
    return None


class Taste(NamedTuple):
    """A fact that says whether the user likes what is asked about, and whether that is a yes."""

    fact: Memory
    yes: bool


def taste(question: str, user: User, facts: Iterable[Memory]) -> Taste | None:
    """What the first of the facts on it says; None: none is about that. `question`: "I like mushrooms"."""
    for fact in facts:
        yes = _says(question, fact.fact) if fact.subject == user.subject else None
        if yes is not None:
            return Taste(fact, yes)
    return None


class ToldTaste(NamedTuple):
    """A line that says so, where no fact does."""

    line: Turn
    yes: bool


def told_taste(question: str, user: User, lines: Iterable[Turn]) -> ToldTaste | None:
    """What the newest of the user's own lines on it says: a small model that stores nothing of "I can't stand olives"
    says yes to "do I like olives?"."""
    for line in sorted(lines, key=lambda one: -one.id):
        told = "" if line.speaker != user.subject or others_words(line) else told_part(line.text, english())
        yes = _says(question, to_third_person(told, user.subject)) if told else None
        if yes is not None:
            return ToldTaste(line, yes)
    return None


def _says(question: str, fact: str) -> bool | None:
    """Whether a fact of the user says yes to it; None: it isn't about that, or has exceptions."""
    what = {one for part in parts(f"User {question.split(' ', 1)[-1]}.") for one in part.matters if one.kind == TASTE}
    wanted = {stem for one in what for stem in one.what}
    told = [part for part in parts(fact) if part.owner is None]
    found = [part for part in told if any(one.same(other) for one in part.matters for other in what)]
    if not found or _PARTLY.search(fact) or not wanted <= {*terms(found[0].text)}:
        return None
    return bool(DISLIKED.search(found[0].text.lower())) == bool(DISLIKED.search(question.lower()))


TASTE = "taste"
"""The matter of what one likes, as in the data file."""
