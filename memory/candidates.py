"""The rows that may answer a question, with their scores: facts, and lines with their neighbours."""

from __future__ import annotations

import heapq
import json
import math
import sqlite3
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from sqlalchemy import Connection

from . import lexical, ranker
from .database import raw
from .fusion import WEIGHTS, bm25, smooth
from .linesigns import Seen, neighbours
from .linesigns import signs as line_signs
from .question import Question
from .ranker import Ranker
from .values import Memory, StorageState, Turn, TurnStatus
from .vectors import Similarities, VectorCache
from .words import stem, terms

NEAREST = {"memory": 40, "turn": 60}
"""Best rows of either way that are looked at closely."""
WINDOWS = 40
"""Best lines whose neighbours are looked at too."""
REACH = 2
UNRELATED = {"memory": 0.2, "turn": 0.12}
"""Cosine below which a thing without a common word counts as unrelated: other topics mostly lie below. Facts are
compared by MiniLM; for lines the question has an encoder of its own, whose cosines are lower."""


class _Turn(NamedTuple):
    """A row; hundreds are looked at for each question, and only the best become values."""

    id: int
    session_id: int
    user_id: int
    speaker: str
    text: str
    said_at: str
    status: TurnStatus
    storage: StorageState


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

    def memory(self) -> Memory:
        return replace(Memory(*self), pinned=bool(self.pinned))


_TURNS, _MEMORIES = ", ".join(_Turn._fields), ", ".join(_Memory._fields)


@dataclass(frozen=True, slots=True)
class Search:
    """One query on its way: connection, whose memory, the question and its coming vectors (None: no embedder).

    `ranker` orders the lines (None: the sum of their signs does), `plain`: the vectors that facts are compared with
    (None: the same as lines).
    """

    connection: Connection
    user_id: int
    question: Question
    frequencies: lexical.Frequencies
    cache: VectorCache
    model: str = ""
    vectors: Future[np.ndarray] | None = None
    ranker: Ranker | None = None
    plain: Future[np.ndarray] | None = None
    _found: dict[str, tuple[np.ndarray, np.ndarray, dict[str, float]]] = field(default_factory=dict)

    def matches(self, kind: str) -> tuple[np.ndarray, np.ndarray, dict[str, float]]:
        """The rows with words of the question (`lexical.matches`), looked up once: best done before vectors are due."""
        if kind not in self._found:
            total, counts = self.frequencies.of(self.driver, kind, self.question.words)
            self._found[kind] = lexical.matches(self.driver, kind, self.user_id, counts, total)
        return self._found[kind]

    @property
    def driver(self) -> sqlite3.Connection:
        return raw(self.connection)

    def similarities(self, kind: str) -> list[Similarities]:
        """With the whole question and with what is asked (the same when it is one sentence)."""
        vectors = (self.plain if kind == "memory" else None) or self.vectors
        if vectors is None:
            return [Similarities(np.empty(0, np.int64), np.empty(0, np.float32))] * 2
        found = self.cache.compare(self.connection, self.user_id, kind, self.model, vectors.result())
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
    """A turn; `asked` is how near it is to the last sentence of the question; `chance` to hold the answer, among all
    lines."""

    turn: Turn
    score: float
    asked: float
    why: tuple[str, ...]
    chance: float = 0.0


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


def facts(search: Search, keep: int) -> list[Fact]:
    """The current memories that may bear on the question, at most `keep`, best first."""
    ids, query, near = _hits(search, "memory")
    rows = _memories(search, ids)
    signs = _signs(
        query, near, [row.id for row in rows], [(row.subject, row.topic, row.fact) for row in rows], "memory"
    )
    own, scored = signs.own.tolist(), []
    for place, row in enumerate(rows):
        score, why = _bonus(search.question, row.subject, row.happened_on or row.said_at)
        if row.pinned:
            score, why = score + WEIGHTS.pinned, (*why, "pinned")
        if signs.related[place] or why:
            scored.append((own[place] + score, row.id, place, why))
    best = heapq.nlargest(keep, scored)
    return [
        Fact(rows[place].memory(), score, own[place], float(signs.asked[place]), signs.why(place, why))
        for score, _, place, why in best
    ]


class _Scored(NamedTuple):
    """A line's score without facts, its id, its place among the rows, and its reasons."""

    score: float
    id: int
    place: int
    why: tuple[str, ...]
    chance: float = 0.0


@dataclass(frozen=True, slots=True)
class _Around:
    """The rows with their signs, and those of their neighbours."""

    rows: Sequence[_Turn]
    signs: _Signs
    query: dict[str, float]
    own: np.ndarray
    before: np.ndarray
    """The place of the line before, or of the line itself."""


def lines(search: Search, keep: int, extra: Iterable[int] = ()) -> list[Line]:
    """The turns that may bear on the question, about `keep`, best first; `extra`: turns to score too (evidence)."""
    extra = set(extra)
    found = _around(search, extra)
    rows, signs = found.rows, found.signs
    scored = sorted(_ranked(search, found, _scored(search, found)), reverse=True)
    return [
        Line(
            Turn(*rows[place]), score, float(signs.asked[place]), signs.why(place, why) or ("context",), chance,
        )
        for rank, (score, turn_id, place, why, chance) in enumerate(scored)
        if rank < keep or turn_id in extra
    ]  # fmt: skip


def _ranked(search: Search, around: _Around, scored: Sequence[_Scored]) -> list[_Scored]:
    """The lines in the ranker's order where there is one, on the scale of the sums; and each one's chance."""
    total = np.array([one.score for one in scored])
    logits, score = total / 2, total
    if search.ranker is not None and search.vectors is not None and scored:
        logits = search.ranker.scores(line_signs(_seen(search, around, scored)))
        score = ranker.dealt(logits, total)
    pairs = zip(scored, score.tolist(), ranker.chances(logits).tolist(), strict=True)
    return [one._replace(score=new, chance=chance) for one, new, chance in pairs]


def ranked_signs(search: Search) -> tuple[list[int], np.ndarray]:
    """Ids of the lines that compete and what the ranker looks at, shape (lines, signs): what it is trained on."""
    found = _around(search, set())
    scored = _scored(search, found)
    return [one.id for one in scored], line_signs(_seen(search, found, scored))


def _around(search: Search, extra: set[int]) -> _Around:
    ids, query, near = _hits(search, "turn")
    window = {i + step for i in ids[:WINDOWS] for step in range(-REACH, REACH + 1)}
    rows = _turns(search, window | {*ids, *extra})
    signs = _signs(query, near, [row.id for row in rows], [(row.speaker, row.text) for row in rows], "turn")
    keys = np.array([(row.session_id, row.id) for row in rows], np.int64).reshape(len(rows), 2)
    places = {step: neighbours(keys, step) for step, _ in WEIGHTS.neighbours}
    before = np.where(places[-1] < 0, np.arange(len(rows)), places[-1])
    return _Around(rows, signs, query, smooth(signs.own, places), before)


def _scored(search: Search, around: _Around) -> list[_Scored]:
    """Each line that has, or whose neighbour has, something to do with the question."""
    rows, before, related = around.rows, around.before, around.signs.related
    near = related.copy()
    np.logical_or.at(near, before, related)  # the line after speaks for the one before it,
    near |= related[before]  # and the one before for the line after
    speaks, asks = near.tolist(), [row.text.rstrip().endswith("?") for row in rows]
    own, previous, found = around.own.tolist(), before.tolist(), []
    for place, row in enumerate(rows):
        score, why = _bonus(search.question, row.speaker, row.said_at)
        if (speaks[place] or "date" in why) and not search.question.is_said_in(row.text):
            # Long lines tell more than questions, and answers to questions more than others.
            score += own[place] + WEIGHTS.length * math.log1p(len(terms(row.text)))
            score += WEIGHTS.question * asks[place]
            score += WEIGHTS.answers_question * (asks[previous[place]] and previous[place] != place)
            found.append(_Scored(score, row.id, place, why))
    return found


def _seen(search: Search, around: _Around, scored: Sequence[_Scored]) -> Seen:
    """The scored lines as the ranker's signs need them."""
    question, places = search.question, [one.place for one in scored]
    rows, signs = [around.rows[place] for place in places], around.signs
    held = [terms(row.text) for row in rows]
    return Seen(
        question.text, [row.text for row in rows], [(row.session_id, row.id) for row in rows],
        np.array([one.score for one in scored]), signs.own[places], signs.words[places], signs.meaning[places],
        signs.asked[places],
        np.array([float(question.names(row.speaker)) for row in rows]),
        np.array([float(question.points_at(row.speaker)) for row in rows]),
        np.array([float(question.dates(row.said_at)) for row in rows]),
        np.log1p([len(one) for one in held]),
        sum(question.names(name) for name in {row.speaker for row in rows}),
        around.query, [around.query.keys() & {*one, *terms(row.speaker)} for one, row in zip(held, rows, strict=True)],
    )  # fmt: skip


def lift(found: Sequence[Line], facts_found: Sequence[Fact], evidence: dict[int, list[int]]) -> list[Line]:
    """Lines that are evidence of a fact that fits gain a share of its score."""
    gain: dict[int, float] = {}
    for fact in facts_found:
        for turn_id in evidence.get(fact.memory.id, ()):
            gain[turn_id] = max(gain.get(turn_id, 0.0), WEIGHTS.evidence * fact.own)
    lifted = [replace(line, score=line.score + gain[line.turn.id]) if line.turn.id in gain else line for line in found]
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
    found, gains, weights = search.matches(kind)
    query = {stem(word): value for word, value in weights.items()}
    near = search.similarities(kind)
    best = found[np.argsort(gains, kind="stable")[: -NEAREST[kind] - 1 : -1]].tolist()  # of equals, the newest
    different = near if near[1] is not near[0] else near[:1]
    ids = np.array(list(dict.fromkeys([*best, *(i for one in different for i in one.best(NEAREST[kind]))])), np.int64)
    words = Similarities(found, gains).of(ids) / gains.max(initial=0.0) if len(found) else np.zeros(len(ids))
    rank = WEIGHTS.words * words + near[0].standard(ids)
    order: list[int] = ids[np.argsort(-rank, kind="stable")].tolist()
    return order, query, near


def _signs(
    query: dict[str, float], near: Sequence[Similarities], ids: Sequence[int], texts: Sequence[tuple[str, ...]],
    kind: str,
) -> _Signs:  # fmt: skip
    words = bm25(query, [[term for part in parts for term in terms(part)] for parts in texts])
    related = (words > 0) | (np.maximum(near[0].of(ids), near[1].of(ids)) >= UNRELATED[kind])
    meaning = near[0].standard(ids)
    return _Signs(words, meaning, meaning if near[1] is near[0] else near[1].standard(ids), related)


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


# In both queries the plus keeps SQLite on the primary key: by the other indexes it reads all rows of the user.


def _turns(search: Search, ids: Iterable[int]) -> list[_Turn]:
    query = f"SELECT {_TURNS} FROM turns WHERE +user_id = ? AND id IN (SELECT value FROM json_each(?)) ORDER BY id"
    return [_Turn._make(row) for row in search.driver.execute(query, (search.user_id, json.dumps(list(ids))))]


def turns_by_id(search: Search, ids: Iterable[int]) -> list[Turn]:
    """Those turns of the user, in the order in which they were said."""
    return [Turn(*row) for row in _turns(search, ids)]


def _memories(search: Search, ids: Iterable[int]) -> list[_Memory]:
    query = (
        f"SELECT {_MEMORIES} FROM memories WHERE +user_id = ? AND +valid_to IS NULL "
        "AND id IN (SELECT value FROM json_each(?)) ORDER BY id"
    )
    return [_Memory._make(row) for row in search.driver.execute(query, (search.user_id, json.dumps(list(ids))))]
