"""Ends that a rule of words sees and the reader of ends doesn't believe: the row stands, what is new is told beside it.

Of "I'm not working with urchins anymore, Keller put me on octopus" the rules end "Ana's supervisor is Keller", for his
name stands in it. The cross-encoder of `ended.py` has read thousands of lines that end something, and of others that
only look so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ....memory.language.facts.change_words import stands
from ....memory.language.facts.corrections import signals
from ....memory.language.facts.matters import parts
from ....memory.language.points import letters as re
from ....memory.language.words import terms
from ....memory.values import Doubt, Memory
from ...prompts.draft import Add, Change, Close, Draft, Entry
from .ended import Ends

UNBELIEVED = -4.0
"""A logit of the cross-encoder's below which it sees no end: docs/log/storage.md has what lies there."""

PLAIN = -6.5
"""The same where the new fact and the row tell one home of the same one, or of two by name that they parted: whoever
reads both knows that they can't both be so."""
UNSHARED = -1.0
"""The same of a change that shares no word with its row but names."""
HEAD = 6
"""Words of a fact in which it says what it tells of; the cat that stays with somebody comes behind them."""
_NAME = re.compile(r"\b[A-Z][\w’'-]*")


def spared(draft: Draft, told: Sequence[Entry], known: Sequence[Memory], ends: Ends) -> Draft:
    """The draft without changes and ends of rows that the cross-encoder surely sees no end of; a new fact that would
    have taken such a row's place becomes a row of its own. `told`: the draft before rules looked at it, for the topics
    of its facts. What only puts a row's words right is left alone. Raises ModelError."""
    rows = {row.id: row for row in known}
    touching = ending(draft, known)
    if not touching:
        return draft
    logits = ends.logits([rows[one.id] for one in touching])
    line, doubted = ends.line.text, dict[Change | Close, Memory]()
    for one, logit in zip(touching, logits, strict=True):
        if logit < _least(one, rows[one.id], line):
            doubted[one] = rows[one.id]
    topics = {one.fact: one.topic for one in told if isinstance(one, Add)}

    def beside(entry: Entry) -> Entry | None:
        row = doubted.get(entry) if not isinstance(entry, Add) else None
        if row is None:
            return entry
        if not isinstance(entry, Change) or not entry.fact:
            return None
        return Add(row.subject, topics.get(entry.fact, row.topic), entry.fact, entry.when or None)

    return draft.mapped(beside)


def unlike(draft: Draft, known: Sequence[Memory], line: str) -> Draft:
    """The draft with each change that tells of another matter than its row and shares no word with it, nor the row with
    the line, as a row of its own. Of "I don't live in Derby, I live in Oadby" a larger model put the home in the place
    of a holiday; where somebody puts something right, the cross-encoder isn't asked."""
    rows = {row.id: row for row in known}

    def beside(entry: Entry) -> Entry:
        row = rows.get(entry.id) if isinstance(entry, Change) and entry.fact else None
        if row is None or not isinstance(entry, Change) or not entry.fact:
            return entry
        names = {word for name in _NAME.findall(f"{row.fact} {entry.fact}") for word in terms(name)}
        about = {*terms(row.fact)} - names - {*terms(row.subject)}
        alike = entry.fact.split()[:2] == row.fact.split()[:2]  # "Bella is a poodle" of "Bella is a labrador"
        if alike or about & {*terms(f"{entry.fact} {line}")} or _of_one_matter(entry.fact, row.fact):
            return entry
        return Add(row.subject, row.topic, entry.fact, entry.when or None)

    return draft.mapped(beside)


def _of_one_matter(fact: str, known: str) -> bool:
    """Whether both begin by telling the same of somebody: two homes, two ages."""
    first, second = (parts(" ".join(one.split()[:HEAD])) for one in (fact, known))
    kinds = [(one.holder, {matter.kind for matter in one.matters}) for one in second]
    return any(
        one.holder == holder and some & {matter.kind for matter in one.matters}
        for one in first
        for holder, some in kinds
    )


def ending(draft: Draft, known: Sequence[Memory]) -> list[Change | Close]:
    """What of a draft ends a known row, and doesn't only put its words right."""
    rows = {row.id: row for row in known}
    return [one for one in draft if not isinstance(one, Add) and one.id in rows and _ends(one, rows[one.id])]


def _least(entry: Entry, row: Memory, line: str) -> float:
    """The logit from which a rule's end is believed: of a change that tells nothing of what the row tells but names,
    the cross-encoder has to see the end, too."""
    fact = entry.fact if isinstance(entry, Change) else None
    if not fact:
        return UNBELIEVED
    if _excludes(fact, row, line):
        return PLAIN
    names = {word for name in _NAME.findall(f"{row.fact} {fact}") for word in terms(name)} | {*terms(row.subject)}
    return UNBELIEVED if {*terms(fact)} & {*terms(row.fact)} - names else UNSHARED


def _excludes(fact: str, row: Memory, line: str) -> bool:
    """Whether both tell one home of one who lives somewhere, or the fact that two parted of whom the row tells as two:
    whoever reads both knows that they can't both be so."""
    (now, *_), (was, *_) = parts(fact), parts(row.fact)
    if all("home" in {one.kind for one in part.matters} for part in (now, was)) and now.holder == was.holder:
        return bool(_IN.search(fact) and _IN.search(row.fact))
    both = {one.removesuffix("'s") for one in _NAME.findall(fact)} & {*_NAME.findall(row.fact)}
    return (stands("parting", fact) or stands("parting", line)) and len(both - {row.subject, "User"}) > 1


_IN = re.compile(r"\b(?:in|at|near) [A-Z]")


def _ends(entry: Entry, row: Memory) -> bool:
    """Whether it takes the row's place with something else, or closes it; that the cat nearly died is something else
    than that there is a cat."""
    if not isinstance(entry, Change):
        return True
    if entry.fact is None:
        return False
    if signals(entry.fact).ends and not signals(row.fact).ends:
        return True
    was = {*terms(row.fact)} - {*terms(row.subject)}
    return 2 * len(was & {*terms(entry.fact)}) <= len(was)


def asked_back(
    draft: Draft, known: Sequence[Memory], asked: Sequence[Doubt]
) -> tuple[Draft, tuple[Doubt, ...]]:  # fmt: skip
    """The draft without changes and ends of known rows, and these to be asked about: who says "you know I live in Bonn,
    right?" where it is otherwise known, may be asking. `asked`: what is asked about anyway; that is no new row, too."""
    rows = {row.id: row for row in known}
    back = [(one, rows[one.id]) for one in draft if not isinstance(one, Add) and one.id in rows]
    doubted = [entry for entry, _ in back]
    told = {one.fact for one in asked}
    kept = tuple(one for one in draft if one not in doubted and not (isinstance(one, Add) and one.fact in told))
    doubts = (Doubt(row, (one.fact or "") if isinstance(one, Change) else "") for one, row in back)
    return replace(draft, entries=kept), tuple(doubts)
