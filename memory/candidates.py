"""The rows that may answer a question, with their scores: facts, and lines with their neighbours."""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from sqlalchemy import Connection

from . import lexical
from .database import raw
from .fusion import WEIGHTS, bm25, smooth
from .question import Question
from .values import Memory, Turn
from .vectors import Similarities, VectorCache
from .words import stem, terms

NEAREST = 60
"""Best rows of either way that are looked at closely."""
WINDOWS = 40
"""Best lines whose neighbours are looked at too."""
REACH = 2
UNRELATED = 0.2
"""Cosine below which a thing without a common word counts as unrelated (MiniLM: other topics mostly lie below)."""

_TURNS = "id, session_id, user_id, speaker, text, said_at, status, storage"
_MEMORIES = (
    "id, user_id, subject, topic, fact, happened_on, said_at, valid_from, valid_to, pinned, created_by, replaces"
)


@dataclass(frozen=True, slots=True)
class Search:
    """One query on its way: connection, whose memory, the question and its vectors (None: no embedder)."""

    connection: Connection
    user_id: int
    question: Question
    frequencies: lexical.Frequencies
    cache: VectorCache
    model: str = ""
    vectors: np.ndarray | None = None

    @property
    def driver(self) -> sqlite3.Connection:
        return raw(self.connection)

    def similarities(self, kind: str) -> list[Similarities]:
        """With the whole question and with what is asked (the same when it is one sentence)."""
        if self.vectors is None:
            return [Similarities(np.empty(0, np.int64), np.empty(0, np.float32))] * 2
        found = self.cache.compare(self.connection, self.user_id, kind, self.model, self.vectors)
        return [found[0], found[-1]]


@dataclass(frozen=True, slots=True)
class Fact:
    """A memory; `own` is its score without bonuses, `asked` as for lines."""

    memory: Memory
    score: float
    own: float
    asked: float
    why: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """A turn; `asked` is how near it is to the last sentence of the question, alone and with its neighbours; `before`
    how well the line before fits the question's words."""

    turn: Turn
    score: float
    asked: float
    asked_around: float
    before: float
    why: tuple[str, ...]

    @property
    def signs(self) -> tuple[float, float, float, float]:
        """What packing weighs of the line."""
        return self.score, self.asked, self.asked_around, self.before


@dataclass(frozen=True, slots=True)
class _Signs:
    """Of candidates: share of the best BM25, standardised cosine with the question and with its last sentence."""

    words: np.ndarray
    meaning: np.ndarray
    asked: np.ndarray
    related: np.ndarray

    @property
    def own(self) -> np.ndarray:
        total: np.ndarray = WEIGHTS.words * self.words + (self.meaning + self.asked) / 2
        return total

    def why(self, place: int, others: tuple[str, ...]) -> tuple[str, ...]:
        """What speaks for a candidate, in words."""
        words = ("words",) if self.words[place] > 0 else ()
        return (*words, *(("meaning",) if self.meaning[place] > 1 else ()), *others)


def facts(search: Search) -> list[Fact]:
    """The current memories that may bear on the question, best first."""
    ids, query, near = _hits(search, "memory")
    memories = _memories(search, ids)
    signs = _signs(query, near, [m.id for m in memories], [(m.subject, m.topic, m.fact) for m in memories])
    own, found = signs.own, []
    for place, memory in enumerate(memories):
        score, why = _bonus(search.question, memory.subject, memory.happened_on or memory.said_at)
        if memory.pinned:
            score, why = score + WEIGHTS.pinned, (*why, "pinned")
        if signs.related[place] or why:
            alone, asked = float(own[place]), float(signs.asked[place])
            found.append(Fact(memory, alone + score, alone, asked, signs.why(place, why)))
    return sorted(found, key=lambda fact: (-fact.score, -fact.memory.id))


def lines(search: Search, extra: Iterable[int] = ()) -> list[Line]:
    """The turns that may bear on the question, best first; `extra`: turns to score too (evidence of facts)."""
    ids, query, near = _hits(search, "turn")
    window = {i + step for i in ids[:WINDOWS] for step in range(-REACH, REACH + 1)}
    turns = turns_by_id(search, window | {*ids, *extra})
    signs = _signs(query, near, [turn.id for turn in turns], [(turn.speaker, turn.text) for turn in turns])
    keys = [(turn.session_id, turn.id) for turn in turns]
    places = {key: place for place, key in enumerate(keys)}
    around, asked = smooth(signs.own, places, keys), smooth(signs.asked, places, keys)
    echo, found = _bare(search.question.text), []
    for place, turn in enumerate(turns):
        before, after = (places.get((turn.session_id, turn.id + step), place) for step in (-1, 1))
        score, why = _bonus(search.question, turn.speaker, turn.said_at)
        if _bare(turn.text) == echo:
            continue  # the question itself, asked before or just now, answers nothing
        if signs.related[[before, place, after]].any() or "date" in why:
            score += float(around[place]) + _form(turn, turns[before] if before != place else None)
            why = signs.why(place, why) or ("context",)
            own = float(signs.asked[place]), float(asked[place]), float(signs.words[before])
            found.append(Line(turn, score, *own, why))
    return sorted(found, key=lambda line: (-line.score, -line.turn.id))


def _bare(text: str) -> str:
    return text.strip(" .!?\n").casefold()


def _form(turn: Turn, before: Turn | None) -> float:
    """Long lines tell more than questions, and answers to questions more than others."""
    score = WEIGHTS.length * math.log1p(len(terms(turn.text)))
    if turn.text.rstrip().endswith("?"):
        score += WEIGHTS.question
    if before and before.text.rstrip().endswith("?"):
        score += WEIGHTS.answers_question
    return score


def lift(found: Sequence[Line], facts_found: Sequence[Fact], evidence: dict[int, list[int]]) -> list[Line]:
    """Lines that are evidence of a fact that fits gain a share of its score."""
    gain: dict[int, float] = {}
    for fact in facts_found:
        for turn_id in evidence.get(fact.memory.id, ()):
            gain[turn_id] = max(gain.get(turn_id, 0.0), WEIGHTS.evidence * fact.own)
    lifted = [replace(line, score=line.score + gain.get(line.turn.id, 0.0)) for line in found]
    return sorted(lifted, key=lambda line: (-line.score, -line.turn.id))


def evidence_of(search: Search, memory_ids: Sequence[int]) -> dict[int, list[int]]:
    """The turn ids behind each memory."""
    query = "SELECT memory_id, turn_id FROM memory_evidence WHERE memory_id IN (SELECT value FROM json_each(?))"
    found: dict[int, list[int]] = {}
    for memory_id, turn_id in search.driver.execute(query, (json.dumps(list(memory_ids)),)):
        found.setdefault(memory_id, []).append(turn_id)
    return found


def _hits(search: Search, kind: str) -> tuple[list[int], dict[str, float], list[Similarities]]:
    """Ids worth a close look, the best first, the weighted stems of the question, and the cosines."""
    total, counts = search.frequencies.of(search.driver, kind, search.question.words)
    found, weights = lexical.matches(search.driver, kind, search.user_id, counts, total)
    query = {stem(word): value for word, value in weights.items()}
    near = search.similarities(kind)
    best = sorted(found, key=lambda i: (-found[i], -i))[:NEAREST]
    ids = list(dict.fromkeys([*best, *near[0].best(NEAREST), *near[1].best(NEAREST)]))
    top = max(found.values(), default=1.0)
    rank = WEIGHTS.words * np.array([found.get(i, 0.0) / top for i in ids]) + near[0].standard(ids)
    return [ids[place] for place in np.argsort(-rank, kind="stable")], query, near


def _signs(
    query: dict[str, float], near: Sequence[Similarities], ids: Sequence[int], texts: Sequence[tuple[str, ...]]
) -> _Signs:  # fmt: skip
    words = bm25(query, [[term for part in parts for term in terms(part)] for parts in texts])
    related = (words > 0) | (np.maximum(near[0].of(ids), near[1].of(ids)) >= UNRELATED)
    return _Signs(words, near[0].standard(ids), near[1].standard(ids), related)


def _bonus(question: Question, who: str, when: str | None) -> tuple[float, tuple[str, ...]]:
    score, why = 0.0, []
    if question.names(who):
        score += WEIGHTS.speaker
        why.append("name")
    elif question.points_at(who):
        score += WEIGHTS.pronoun
    if question.dates(when):
        score += WEIGHTS.date
        why.append("date")
    return score, tuple(why)


def turns_by_id(search: Search, ids: Iterable[int]) -> list[Turn]:
    """Those turns of the user, in the order in which they were said."""
    query = f"SELECT {_TURNS} FROM turns WHERE user_id = ? AND id IN (SELECT value FROM json_each(?)) ORDER BY id"
    return [Turn(*row) for row in search.driver.execute(query, (search.user_id, json.dumps(list(ids))))]


def _memories(search: Search, ids: Iterable[int]) -> list[Memory]:
    query = (
        f"SELECT {_MEMORIES} FROM memories WHERE user_id = ? AND valid_to IS NULL "
        "AND id IN (SELECT value FROM json_each(?)) ORDER BY id"
    )
    rows = search.driver.execute(query, (search.user_id, json.dumps(list(ids))))
    return [replace(memory, pinned=bool(memory.pinned)) for memory in (Memory(*row) for row in rows)]
