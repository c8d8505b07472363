"""The lines that may answer a question, ranked: each by the best of its passages, and by what stands around it.

Passages compete by words and by vectors, best first; of the turns that they stand in the best are looked at closely,
people's and the assistant's apart, since a talk with long replies has ten times as many passages of these.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np

from ..language.words import stem, terms
from ..values import ASSISTANT, FORGOTTEN, StorageState, Turn, TurnStatus
from . import ranker
from .candidates import WEIGHTS, Bonus, Fact, Search, Signs, bm25
from .line_features import Seen, neighbours
from .line_features import signs as line_signs
from .nearest.numbers import SHIFT, first_of
from .nearest.similarities import NearTurns
from .passages import passages

NEAREST = 60
"""Best turns of either way that are looked at closely: of people, and half as many of the assistant."""
DEPTH = 3
"""Times as many turns are looked through for them."""
WINDOWS = 40
"""Best lines whose neighbours are looked at too."""
REACH = 2
SPREAD = 1.0
"""What a line is worth less for each better one of its session, where an order is asked for (log of its chance)."""
HITS = 3
"""Passages of a turn that hold most words of the question, of which the best is looked for."""
UNRELATED = 0.12
"""Cosine below which a line without a common word counts as unrelated. Lower than that of facts: for lines the question
has an encoder of its own, whose cosines are lower."""


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


_TURNS = ", ".join(_Turn._fields)
_turn = partial(tuple.__new__, _Turn)
"""A `_Turn` of a row, without the steps of Python that `_make` takes."""


@dataclass(frozen=True, slots=True)
class FoundLine:
    """A turn; `asked` is how near it is to the last sentence of the question; `chance` to hold the answer, among all
    lines; `passage` the best of it, as where that begins and ends; `near` the places of those looked at, best first."""

    turn: Turn
    score: float
    asked: float
    why: tuple[str, ...]
    chance: float = 0.0
    passage: tuple[int, int] = (0, 0)
    near: tuple[int, ...] = ()


class _Scored(NamedTuple):
    """A line's score without facts, its id, its place among the rows, and its reasons."""

    score: float
    id: int
    place: int
    why: tuple[str, ...]
    chance: float = 0.0


class _Piece(NamedTuple):
    """A passage that speaks for its turn: the place of the turn among the rows, its own place in the turn, its text."""

    row: int
    order: int
    text: str


@dataclass(frozen=True, slots=True)
class _Around:
    """The rows with their signs, and those of their neighbours; of each row the passages looked at, the best first."""

    rows: Sequence[_Turn]
    best: Sequence[Sequence[_Piece]]
    signs: Signs
    plain: np.ndarray
    query: dict[str, float]
    own: np.ndarray
    places: Mapping[int, np.ndarray]
    assistant: np.ndarray

    @property
    def before(self) -> np.ndarray:
        """The place of the line before, or of the line itself."""
        at: np.ndarray = np.where(self.places[-1] < 0, np.arange(len(self.rows)), self.places[-1])
        return at


def lines(search: Search, keep: int, extra: Iterable[int] = ()) -> list[FoundLine]:
    """The turns that may bear on the question, about `keep`, best first; `extra`: turns to score too (evidence)."""
    extra = set(extra)
    found = _around(search, extra)
    scored = sorted(_ranked(search, found, _scored(search, found)), reverse=True)
    return [_line(found, one) for rank, one in enumerate(scored) if rank < keep or one.id in extra]


def _line(found: _Around, one: _Scored) -> FoundLine:
    row, pieces = found.rows[one.place], found.best[one.place]
    spans = passages(row.text)
    return FoundLine(
        Turn(*row), one.score, float(found.signs.asked[one.place]), found.signs.why(one.place, one.why) or ("context",),
        one.chance, spans[pieces[0].order], tuple(piece.order for piece in pieces),
    )  # fmt: skip


def ranked_signs(search: Search) -> tuple[list[int], np.ndarray]:
    """Ids of the lines that compete and what the ranker looks at, shape (lines, signs): what it is trained on."""
    found = _around(search, set())
    scored = _scored(search, found)
    return [one.id for one in scored], line_signs(_seen(search, found, scored))


def _ranked(search: Search, around: _Around, scored: Sequence[_Scored]) -> list[_Scored]:
    """The lines in the ranker's order where there is one, on the scale of the sums; and each one's chance."""
    total = np.array([one.score for one in scored])
    logits, score = total / 2, total
    if search.ranker is not None and search.vectors is not None and scored:
        logits = search.ranker.safe(line_signs(_seen(search, around, scored)))
        if search.question.asks_back:
            logits = second(logits, around.assistant[[one.place for one in scored]])
        if search.question.asks_order:
            logits = spread(logits, [around.rows[one.place].session_id for one in scored])
        score = ranker.dealt(logits, total)
    found = zip(scored, score.tolist(), ranker.chances(logits).tolist(), strict=True)
    return [_Scored(new, one.id, one.place, one.why, chance) for one, new, chance in found]


def second(logits: np.ndarray, which: np.ndarray) -> np.ndarray:
    """The logits with the best of those lines (the assistant's, where it is asked what it said) in the second place at
    the latest: lines that repeat the question could take all places."""
    order = np.argsort(-logits, kind="stable")
    best = next((place for place, one in enumerate(order) if which[one]), 0)
    if best < 2:
        return logits
    moved = logits.copy()
    moved[order[best]] = (logits[order[0]] + logits[order[1]]) / 2
    return moved


def spread(logits: np.ndarray, sessions: Sequence[int]) -> np.ndarray:
    """The logits less `SPREAD` for each better line of the same session: what is asked came up at several times."""
    found, before = logits.copy(), dict[int, int]()
    for place in np.argsort(-logits, kind="stable").tolist():
        one = sessions[place]
        found[place] -= SPREAD * before.get(one, 0)
        before[one] = before.get(one, 0) + 1
    return found


def _around(search: Search, extra: set[int]) -> _Around:
    near = search.line_similarities()
    numbers, gains, weights = search.matches("turn")
    query = {stem(word): value for word, value in weights.items()}
    ids, replied = _hits(search, near, numbers, gains)
    reach = 2 * REACH if replied else REACH  # between people's lines stand the assistant's
    window = {i + step for i in ids[:WINDOWS] for step in range(-reach, reach + 1)}
    rows = _turns(search, {*ids, *extra}, window)
    assistant = np.array([is_assistant(row.speaker) for row in rows], bool)
    silent = set() if search.question.asks_back else {row.id for row in rows} - {*ids, *extra}
    best = _pieces(rows, silent, near, numbers, gains)
    signs, best = _signs(query, near, rows, best)
    keys = np.array([(row.session_id, row.id) for row in rows], np.int64).reshape(len(rows), 2)
    places = {step: neighbours(keys, step, assistant) for step, _ in WEIGHTS.neighbours}
    plain = near[2].standard([row.id for row in rows])
    return _Around(rows, best, signs, plain, query, smooth(signs.own, places), places, assistant)


@lru_cache(maxsize=1_024)
def is_assistant(speaker: str) -> bool:
    """Whether a speaker is the one who replies, not a person."""
    return speaker.casefold() == ASSISTANT


def _hits(search: Search, near: Sequence[NearTurns], numbers: np.ndarray, gains: np.ndarray) -> tuple[list[int], bool]:
    """Ids of turns worth a close look, the best first; and whether the assistant's are among those looked through."""
    owners, most = _of_turns(numbers, gains)
    best = owners[np.argsort(most, kind="stable")[: -NEAREST * DEPTH - 1 : -1]].tolist()  # of equals, the newest
    lists = [best, *(one.best(NEAREST * DEPTH, ordered=True) for one in _different(near))]
    said = _assistants(search, {i for some in lists for i in some})
    kept = dict.fromkeys(i for some in lists for i in (
        *[i for i in some if i not in said][:NEAREST], *[i for i in some if i in said][: NEAREST // 2]))  # fmt: skip
    ids = np.array(list(kept), np.int64)
    words = _looked_up(owners, most, ids) / max(float(gains.max(initial=0)), 1e-9)
    rank = WEIGHTS.words * words + near[0].standard(ids)
    rank += WEIGHTS.assistant * np.array([i in said for i in kept], float).reshape(len(ids))
    order: list[int] = ids[np.argsort(-rank, kind="stable")].tolist()
    return order, bool(said)


def _different(near: Sequence[NearTurns]) -> list[NearTurns]:
    """Without what was compared twice: a question of one sentence is what it asks."""
    return [one for place, one in enumerate(near) if all(one is not other for other in near[:place])]


def _of_turns(numbers: np.ndarray, gains: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Turns of passages, ascending, and what the best passage of each gains."""
    owners = numbers >> SHIFT
    starts = np.flatnonzero(np.diff(owners, prepend=-1))
    return owners[starts], (np.maximum.reduceat(gains, starts) if len(starts) else gains)


def _looked_up(known: np.ndarray, values: np.ndarray, ids: np.ndarray) -> np.ndarray:
    if not len(known):
        return np.zeros(len(ids))
    at = np.minimum(np.searchsorted(known, ids), len(known) - 1)
    found: np.ndarray = np.where(known[at] == ids, values[at], 0.0)
    return found


def _pieces(
    rows: Sequence[_Turn], silent: set[int], near: Sequence[NearTurns], numbers: np.ndarray, gains: np.ndarray
) -> list[list[_Piece]]:
    """Of each row the passages that may speak for it: those with most words of the question, and the nearest.

    None of what the assistant said beside a line that was found (`silent`), unless it is asked for.
    """
    spoken = [() if row.id in silent and is_assistant(row.speaker) else passages(row.text) for row in rows]
    several = [row.id for row, spans in zip(rows, spoken, strict=True) if len(spans) > 1]
    nearest = dict(zip(several, zip(*(one.nearest(several) for one in _different(near)), strict=True), strict=True))
    found: list[list[_Piece]] = []
    for place, (row, spans) in enumerate(zip(rows, spoken, strict=True)):
        if row.id in nearest:
            orders = _orders(row.id, len(spans), nearest[row.id], numbers, gains)
            found.append([_Piece(place, n, row.text[slice(*spans[n])]) for n in orders])
        else:
            found.append([_Piece(place, 0, row.text[begin:end]) for begin, end in spans])
    return found


def _orders(
    turn_id: int, count: int, nearest: Sequence[int], numbers: np.ndarray, gains: np.ndarray
) -> list[int]:  # fmt: skip
    """The passages of a turn that may speak for it; `nearest`: by each cosine, -1 for none."""
    first, last = first_of(turn_id), first_of(turn_id + 1)
    low, high = np.searchsorted(numbers, (first, last))
    best = numbers[low:high][np.argsort(-gains[low:high], kind="stable")[:HITS]] - first
    return [order for order in dict.fromkeys([*best.tolist(), *nearest, 0]) if 0 <= order < count]


def _signs(
    query: dict[str, float], near: Sequence[NearTurns], rows: Sequence[_Turn], some: Sequence[Sequence[_Piece]]
) -> tuple[Signs, list[list[_Piece]]]:
    """The rows' signs, each by its best passages; and these, the best first."""
    pieces = [piece for one in some for piece in one]
    owners = np.array([piece.row for piece in pieces], np.int64)
    words = bm25(query, [(*terms(rows[piece.row].speaker), *terms(piece.text)) for piece in pieces])
    numbers = np.array([first_of(rows[piece.row].id) + piece.order for piece in pieces], np.int64)
    value = WEIGHTS.words * words + (near[0].standard_passages(numbers) + near[1].standard_passages(numbers)) / 2
    most = np.zeros(len(rows))
    np.maximum.at(most, owners, words)
    ids = [row.id for row in rows]
    related = (most > 0) | (np.maximum(near[0].of(ids), near[1].of(ids)) >= UNRELATED)
    worth = dict(zip(((piece.row, piece.order) for piece in pieces), value.tolist(), strict=True))
    best = [sorted(one, key=lambda piece: -worth[piece.row, piece.order]) if one[1:] else [*one] for one in some]
    return Signs(most, near[0].standard(ids), near[1].standard(ids), related), best


def smooth(own: np.ndarray, neighbours: Mapping[int, np.ndarray]) -> np.ndarray:
    """Own scores plus shares of the neighbours' in the same session; `neighbours`: their places (-1: none) by step."""
    total = own.copy()
    for step, share in WEIGHTS.neighbours:
        # At the edge of a session the line stands in for the neighbour it lacks, so that edges don't lose.
        at = neighbours[step]
        total += share * np.where(at < 0, own, own[at])
    return total


def _scored(search: Search, around: _Around) -> list[_Scored]:
    """Each line that has, or whose neighbour has, something to do with the question."""
    rows, before, related = around.rows, around.before, around.signs.related
    near = related.copy()
    np.logical_or.at(near, before, related)  # the line after speaks for the one before it,
    near |= related[before]  # and the one before for the line after
    speaks, asks = near.tolist(), [row.text.rstrip().endswith("?") for row in rows]
    own, previous, found, bonus = around.own.tolist(), before.tolist(), [], Bonus(search.question)
    for place, row in enumerate(rows):
        if not around.best[place]:
            continue
        score, why = bonus.of(row.speaker, row.said_at)
        if (speaks[place] or "date" in why) and not search.question.is_said_in(row.text):
            # Long lines tell more than questions, and answers to questions more than others.
            score += own[place] + WEIGHTS.length * math.log1p(len(terms(around.best[place][0].text)))
            score += WEIGHTS.question * asks[place]
            score += WEIGHTS.answers_question * (asks[previous[place]] and previous[place] != place)
            if around.assistant[place]:
                score += WEIGHTS.assistant_asked if search.question.asks_back else WEIGHTS.assistant
            found.append(_Scored(score, row.id, place, why))
    return found


def _seen(search: Search, around: _Around, scored: Sequence[_Scored]) -> Seen:
    """The scored lines as the ranker's signs need them."""
    question, places = search.question, [one.place for one in scored]
    rows, signs = [around.rows[place] for place in places], around.signs
    texts = [around.best[place][0].text for place in places]
    held = [terms(text) for text in texts]
    speakers = [row.speaker for row in rows]
    named = {name: float(question.names(name)) for name in speakers}
    pointed = {name: float(question.points_at(name)) for name in named}
    return Seen(
        question.text, texts, [(row.session_id, row.id) for row in rows],
        np.array([one.score for one in scored]), signs.own[places], signs.words[places], signs.meaning[places],
        signs.asked[places], around.plain[places],
        np.array([named[name] for name in speakers]), np.array([pointed[name] for name in speakers]),
        np.array([float(question.dates(row.said_at)) for row in rows]),
        np.log1p([len(one) for one in held]),
        around.assistant[places], np.log1p([len(passages(row.text)) for row in rows]), question.asks_back,
        int(sum(named.values())),
        around.query, [around.query.keys() & {*one, *terms(row.speaker)} for one, row in zip(held, rows, strict=True)],
    )  # fmt: skip


def lift(found: Sequence[FoundLine], facts_found: Sequence[Fact], evidence: dict[int, list[int]]) -> list[FoundLine]:
    """Lines that are evidence of a fact that fits gain a share of its score."""
    gain: dict[int, float] = {}
    for fact in facts_found:
        for turn_id in evidence.get(fact.memory.id, ()):
            gain[turn_id] = max(gain.get(turn_id, 0.0), WEIGHTS.evidence * fact.own)
    lifted = [replace(line, score=line.score + gain[line.turn.id]) if line.turn.id in gain else line for line in found]
    return sorted(lifted, key=lambda line: (-line.score, -line.turn.id))


# In these queries the plus keeps SQLite on the primary key: by the other indexes it reads all rows of the user.


def _turns(search: Search, ids: Iterable[int], window: Iterable[int] = ()) -> list[_Turn]:
    """Those turns of the user, and those of the window."""
    wanted, around = json.dumps(list(ids)), json.dumps(list(window))
    query = (
        f"SELECT {_TURNS} FROM turns WHERE +user_id = ?1 AND text != '{FORGOTTEN}' "
        "AND id IN (SELECT value FROM json_each(?2) UNION SELECT value FROM json_each(?3)) ORDER BY id"
    )
    return [*map(_turn, search.driver.execute(query, (search.user_id, wanted, around)))]


def _assistants(search: Search, ids: Iterable[int]) -> set[int]:
    """Which of these turns the assistant said."""
    query = "SELECT id FROM turns WHERE +user_id = ? AND id IN (SELECT value FROM json_each(?)) AND +speaker LIKE ?"
    rows = search.driver.execute(query, (search.user_id, json.dumps(list(ids)), ASSISTANT))
    return {one for (one,) in rows}


def turns_by_id(search: Search, ids: Iterable[int]) -> list[Turn]:
    """Those turns of the user, in the order in which they were said."""
    return [Turn(*row) for row in _turns(search, ids)]
