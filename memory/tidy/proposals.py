"""What might be tidied, found cheaply with vectors and words, for somebody else to decide.

Two rows of one subject that are near in meaning may say the same, or the newer may have overtaken the older. One row
may be junk, hold several facts, be vague though its line is not, or stand under a topic of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..language.language import english
from ..language.quoted.in_quotes import quoted
from ..language.words import content, details
from ..values import Memory
from .merging import clauses

Offer = Literal["same", "changed", "drop", "split", "say", "topic", "join"]
NEAR = 0.5
"""Cosine (MiniLM) from which two facts are worth a look: of the templates' duplicates and changes 97% are above it."""
NEIGHBOURS = 2
"""Nearest rows looked at for each row: in 98% of those cases the row meant is the nearest."""
NEAR_APART, ALIKE = 0.6, 0.75
"""Under different topics two rows must be nearer, and share a word unless they are alike: the templates' pairs are all
still there, and of all pairs a third is left to be decided."""
REFILE = 0.65
"""Cosine from which a row that stands alone under its topic may belong under its neighbour's."""
PLAIN_WORDS = 4
"""A row without names and numbers and of at most so many words of content may be junk."""
VAGUE_WORDS = 2
"""A row of at most so many words of content beside its topic is vague when its line says more."""
LONG_WORDS = 40
"""Words from which a row of several statements may be split. Cutting shorter ones made more rows, nothing easier to
find, and most of what the editor damaged."""
_ECHO = english().words("words", "of_talk")


@dataclass(frozen=True, slots=True)
class Proposal:
    """One or two rows (the older first; of one matter up to three) and what could be done beside keeping them; higher
    scores first.

    `topics`: those that the row could stand under instead.
    """

    rows: tuple[Memory, ...]
    offers: tuple[Offer, ...]
    score: float
    topics: tuple[str, ...] = ()


def pairs(memories: Sequence[Memory], vectors: np.ndarray) -> list[Proposal]:
    """Pairs of near rows with one subject; `vectors` are the facts' unit vectors, shape (len(memories), dimensions)."""
    by_subject: dict[str, list[int]] = {}
    for place, memory in enumerate(memories):
        by_subject.setdefault(memory.subject, []).append(place)
    found: dict[tuple[int, int], float] = {}
    for places in by_subject.values():
        for start in range(0, len(places), 512):  # a slice at a time: 20,000 rows squared would be 1.6 GB
            some = places[start : start + 512]
            near = vectors[some] @ vectors[places].T
            for row, place in zip(near, some, strict=True):
                for other in _nearest(row, places, place):
                    found[min(place, other), max(place, other)] = float(vectors[place] @ vectors[other])
    return [
        pair(memories[one], memories[two], cosine)
        for (one, two), cosine in found.items() if _worth_it(memories[one], memories[two], cosine)
    ]  # fmt: skip


def _worth_it(one: Memory, two: Memory, cosine: float) -> bool:
    if cosine >= ALIKE or (one.topic and one.topic == two.topic):
        return True
    return cosine >= NEAR_APART and bool(content(one.fact, one.subject) & content(two.fact, two.subject))


def _nearest(row: np.ndarray, places: Sequence[int], place: int) -> list[int]:
    best = np.argsort(-row, kind="stable")[: NEIGHBOURS + 1]
    return [places[i] for i in best if places[i] != place and row[i] >= NEAR][:NEIGHBOURS]


def pair(one: Memory, two: Memory, cosine: float) -> Proposal:
    """Two rows to be compared. Facts with names or numbers that differ on both sides can't say the same."""
    older, newer = sorted((one, two), key=lambda memory: (memory.said_at, memory.id))
    first, second = details(older.fact, older.subject), details(newer.fact, newer.subject)
    apart = first - _loose(newer) and second - _loose(older)
    return Proposal((older, newer), ("changed",) if apart else ("same", "changed"), cosine)


def _loose(memory: Memory) -> frozenset[str]:
    """Every word of a row: a name that begins the one sentence stands within the other."""
    return details(memory.fact) | content(memory.fact) | frozenset(memory.fact.lower().replace("'s", "").split())


def singles(
    memories: Sequence[Memory], vectors: np.ndarray, lines: Mapping[int, Sequence[str]]
) -> list[Proposal]:  # fmt: skip
    """Rows that may want something done to them alone. `lines`: the texts that each row came from, by its id."""
    used: dict[str, Counter[str]] = {}
    for memory in memories:
        used.setdefault(memory.subject, Counter())[memory.topic] += 1
    found = []
    for place, memory in enumerate(memories):
        topics = _topics(memory, place, memories, vectors, used[memory.subject])
        offers = single_offers(memory, lines.get(memory.id, ()), topics)
        if offers:
            found.append(Proposal((memory,), offers, 0.5 if "drop" in offers else 0.4, topics))
    return found


def single_offers(memory: Memory, lines: Sequence[str], topics: Sequence[str]) -> tuple[Offer, ...]:
    """What could be done to a row."""
    words = content(quoted(memory.fact) or memory.fact, memory.subject)  # "said" is a word of talk, before a quotation
    named = details(memory.fact, memory.subject)
    offers: list[Offer] = []
    if words & _ECHO or (not named and len(words) <= PLAIN_WORDS):
        offers.append("drop")
    if len(memory.fact.split()) > LONG_WORDS and len(clauses(memory.fact, memory.subject)) > 1:
        offers.append("split")
    beside, more = words - content(memory.topic), (content(line, memory.subject) - words for line in lines)
    if quoted(memory.fact) is None and len(beside) <= VAGUE_WORDS and any(len(said) >= 2 for said in more):
        offers.append("say")
    if topics:
        offers.append("topic")
    return tuple(offers)


def _topics(
    memory: Memory, place: int, memories: Sequence[Memory], vectors: np.ndarray, used: Counter[str]
) -> tuple[str, ...]:
    """For a row that stands alone under its topic (or under none): the topics of its nearest rows, used by several."""
    if memory.topic and used[memory.topic] > 1:
        return ()
    near = vectors @ vectors[place]
    found: list[str] = []
    for other in np.argsort(-near, kind="stable")[1:6]:
        topic = memories[other].topic
        shared = memories[other].subject == memory.subject and used[topic] > 1
        if near[other] >= (REFILE if memory.topic else NEAR) and shared and topic and topic != memory.topic:
            found.append(topic)
    return tuple(dict.fromkeys(found))[:3]
