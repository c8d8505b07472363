"""The facts that may answer a question, with their scores, and what facts and lines are scored by.

The weights of the sum of signs were fitted by random search on half of LoCoMo's conversations at hand and checked on
the other half; near their values they matter little (docs/design/0002-search.md has the table).
"""

from __future__ import annotations

import heapq
import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from sqlalchemy import Connection

from ..database.derived import facts_of
from ..database.engine import raw
from ..language.question import Question
from ..language.words import stem, terms
from ..values import Memory
from . import fulltext
from .nearest.similarities import Near, NearTurns, Similarities, by_turn
from .nearest.wide import Wide, WideTurns
from .ranker import Ranker
from .vectors import VectorCache

NEAREST = 40
"""Best facts of either way that are looked at closely."""
UNRELATED = 0.2
"""Cosine below which a fact without a common word counts as unrelated: other topics mostly lie below."""


@dataclass(frozen=True, slots=True)
class Weights:
    """Of each sign, in standard deviations of the cosine."""

    words: float = 6.0
    speaker: float = 2.5
    pronoun: float = 0.5
    date: float = 4.0
    question: float = -1.0
    answers_question: float = 0.5
    length: float = 1.2
    neighbours: tuple[tuple[int, float], ...] = ((-1, 0.5), (1, 0.4), (-2, 0.25), (2, 0.3))
    pinned: float = 1.0
    evidence: float = 0.4
    assistant: float = -4.0
    assistant_asked: float = 2.0


WEIGHTS = Weights()
K1, B = 1.2, 0.75


def bm25(query: Mapping[str, float], documents: Sequence[Sequence[str]]) -> np.ndarray:
    """BM25 of each document (its terms) for weighted query terms, as a share of the best possible in this set.

    0..1, shape (documents,). A query of which only a common word is found anywhere stays well below 1.
    """
    lengths = np.array([len(held) for held in documents], dtype=np.float64)
    norm = K1 * (1 - B + B * lengths / max(float(lengths.mean()) if len(lengths) else 1.0, 1.0))
    scores = np.zeros(len(documents))
    for place, held in enumerate(documents):
        for term, weight in query.items():
            if count := held.count(term):
                scores[place] += weight * count * (K1 + 1) / (count + norm[place])
    best = float(scores.max(initial=0.0))
    shares: np.ndarray = scores / max(best, 0.4 * sum(query.values()), 1e-9)
    return shares


class _Memory(NamedTuple):
    id: int
    user_id: int
    subject: str
    topic: str
    fact: str
    happened_on: str | None
    said_at: str
    valid_from: str
    valid_to: str | None
    pinned: bool  # SQLite gives 0 or 1
    created_by: str
    replaces: int | None
    certainty: float | None
    rests_on: str | None

    def memory(self) -> Memory:
        return replace(Memory(*self[:-1]), pinned=bool(self.pinned), rests_on=facts_of(self.rests_on))


_MEMORIES = ", ".join(_Memory._fields)


NOTHING = Similarities(np.empty(0, np.int64), np.empty(0, np.float32))


@dataclass(frozen=True, slots=True)
class Search:
    """One query on its way: connection, whose memory, the question and its coming vectors (None: no embedder).

    `ranker` orders the lines (None: the sum of their signs does), `plain`: the vectors that facts are compared with
    (None: the same as lines).
    """

    connection: Connection
    user_id: int
    question: Question
    frequencies: fulltext.Frequencies
    cache: VectorCache
    model: str = ""
    vectors: Future[np.ndarray] | None = None
    ranker: Ranker | None = None
    plain: Future[np.ndarray] | None = None
    _found: dict[str, tuple[np.ndarray, np.ndarray, dict[str, float]]] = field(default_factory=dict)
    _near: list[Near] = field(default_factory=list)
    _near_lines: list[NearTurns] = field(default_factory=list)

    def matches(self, kind: str) -> tuple[np.ndarray, np.ndarray, dict[str, float]]:
        """The rows with words of the question (`fulltext.matches`), found once: best before vectors are due."""
        if kind not in self._found:
            total, counts = self.frequencies.of(self.driver, kind, self.user_id, self.question.words)
            self._found[kind] = fulltext.matches(self.driver, kind, self.user_id, counts, total)
        return self._found[kind]

    @property
    def driver(self) -> sqlite3.Connection:
        return raw(self.connection)

    def similarities(self) -> list[Near]:
        """Of facts: with the whole question and with what is asked (the same when it is one sentence)."""
        if not self._near:
            vectors = self.plain or self.vectors
            if vectors is None:
                return [NOTHING] * 2
            found = self.cache.compare(self.connection, self.user_id, "memory", self.model, vectors.result())
            self._near.extend([found[0], found[-1]])
        return self._near

    def line_similarities(self) -> list[NearTurns]:
        """Of lines: by the encoder of questions with the whole question and with what is asked (the same when it is one
        sentence), and by the encoder of lines with the latter."""
        if not self._near_lines:
            self._near_lines.extend(self._compared_lines())
        return self._near_lines

    def _compared_lines(self) -> list[NearTurns]:
        if self.vectors is None:
            return [*by_turn([NOTHING], [NOTHING]) * 3]
        asked = self.vectors.result()
        queries = asked if len(asked) == 1 else asked[[0, -1]]
        if self.plain:
            queries = np.concatenate([queries, self.plain.result()[-1:]])
        found, whole = (
            self.cache.compare(self.connection, self.user_id, kind, self.model, queries) for kind in ("passage", "turn")
        )
        made = _by_turn(found, whole)
        last = made[-1] if self.plain else made[min(len(asked), 2) - 1]
        return [made[0], made[min(len(asked), 2) - 1], last]


def _by_turn(found: list[Similarities] | list[Wide], whole: list[Similarities] | list[Wide]) -> list[NearTurns]:
    """Cosines of passages as those of turns; where an older chatmem's whole turns stand beside many, of all exactly."""
    if not any(isinstance(one, Wide) or len(one.ids) for one in whole):
        many = [WideTurns(one) for one in found if isinstance(one, Wide)]
        if many:
            return [*many]
    return [*by_turn([_all(one) for one in found], [_all(one) for one in whole])]


def _all(one: Similarities | Wide) -> Similarities:
    return one.all() if isinstance(one, Wide) else one


@dataclass(frozen=True, slots=True)
class Fact:
    """A memory; `own` is its score without bonuses, `asked` as for lines."""

    memory: Memory
    score: float
    own: float
    asked: float
    why: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Signs:
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


def facts(search: Search, keep: int) -> list[Fact]:
    """The current memories that may bear on the question, at most `keep`, best first."""
    ids, query, near = _hits(search)
    rows = _memories(search, ids)
    signs = _signs(query, near, rows)
    own, scored, bonus = signs.own.tolist(), [], Bonus(search.question)
    for place, row in enumerate(rows):
        score, why = bonus.of(row.subject, row.happened_on or row.said_at)
        if row.pinned:
            score, why = score + WEIGHTS.pinned, (*why, "pinned")
        if signs.related[place] or why:
            scored.append((own[place] + score, row.id, place, why))
    best = heapq.nlargest(keep, scored)
    return [
        Fact(rows[place].memory(), score, own[place], float(signs.asked[place]), signs.why(place, why))
        for score, _, place, why in best
    ]


def evidence_of(search: Search, memory_ids: Sequence[int]) -> dict[int, list[int]]:
    """The turn ids behind each memory."""
    query = "SELECT memory_id, turn_id FROM memory_evidence WHERE memory_id IN (SELECT value FROM json_each(?))"
    found: dict[int, list[int]] = {}
    for memory_id, turn_id in search.driver.execute(query, (json.dumps(list(memory_ids)),)):
        found.setdefault(memory_id, []).append(turn_id)
    return found


def _hits(search: Search) -> tuple[list[int], dict[str, float], list[Near]]:
    """Ids of facts worth a close look, the best first, the weighted stems of the question, and the cosines."""
    found, gains, weights = search.matches("memory")
    query = {stem(word): value for word, value in weights.items()}
    near = search.similarities()
    best = found[np.argsort(gains, kind="stable")[: -NEAREST - 1 : -1]].tolist()  # of equals, the newest
    different = near if near[1] is not near[0] else near[:1]
    ids = np.array(list(dict.fromkeys([*best, *(i for one in different for i in one.best(NEAREST))])), np.int64)
    words = Similarities(found, gains).of(ids) / gains.max(initial=0.0) if len(found) else np.zeros(len(ids))
    rank = WEIGHTS.words * words + near[0].standard(ids)
    order: list[int] = ids[np.argsort(-rank, kind="stable")].tolist()
    return order, query, near


def _signs(query: dict[str, float], near: Sequence[Near], rows: Sequence[_Memory]) -> Signs:
    ids = [row.id for row in rows]
    words = bm25(query, [[term for part in (row.subject, row.topic, row.fact) for term in terms(part)] for row in rows])
    related = (words > 0) | (np.maximum(near[0].of(ids), near[1].of(ids)) >= UNRELATED)
    meaning = near[0].standard(ids)
    return Signs(words, meaning, meaning if near[1] is near[0] else near[1].standard(ids), related)


class Bonus:
    """What things gain by whom and which day the question names. Each person is looked at once: hundreds of lines are
    of two or three."""

    def __init__(self, question: Question) -> None:
        self._question = question
        self._of: dict[str, tuple[float, tuple[str, ...]]] = {}

    def of(self, who: str, when: str | None) -> tuple[float, tuple[str, ...]]:
        """The gain of a thing of this person and day, and the reasons in words."""
        if who not in self._of:
            self._of[who] = self._by_person(who)
        score, why = self._of[who]
        return (score + WEIGHTS.date, (*why, "date")) if self._question.dates(when) else (score, why)

    def _by_person(self, who: str) -> tuple[float, tuple[str, ...]]:
        if self._question.names(who):
            return WEIGHTS.speaker, ("name",)
        return (WEIGHTS.pronoun if self._question.points_at(who) else 0.0), ()


def _memories(search: Search, ids: Iterable[int]) -> list[_Memory]:
    return [row for row in _rows(search.driver, search.user_id, ids) if row.valid_to is None]


def read_memories(driver: sqlite3.Connection, user_id: int, ids: Iterable[int]) -> list[Memory]:
    """The user's memories of those ids, also those that hold no more; by id."""
    return [row.memory() for row in _rows(driver, user_id, ids)]


def _rows(driver: sqlite3.Connection, user_id: int, ids: Iterable[int]) -> list[_Memory]:
    query = (  # the plus keeps SQLite on the primary key: by the other indexes it reads all rows of the user
        f"SELECT {_MEMORIES} FROM memories WHERE +user_id = ? AND id IN (SELECT value FROM json_each(?)) ORDER BY id"
    )
    return [_Memory._make(row) for row in driver.execute(query, (user_id, json.dumps(list(ids))))]
