"""Which rows tell of one matter and could be one row: one subject, neighbouring lines of one session, near in meaning.

No model is asked: what was said in one breath about one thing belongs together whoever reads it. The rows become one by
`merge_memory` with `concatenate`, which keeps every word and every line.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ..language.words import sentences
from ..values import Memory, Turn
from .merging import joinable
from .proposals import LONG_WORDS

REACH = 2
"""Lines between two rows' lines, in a talk of two: what the same person said next is two lines on."""
NEAR = 0.4
"""Least cosine (MiniLM) of two facts of one matter."""
WORDS, ROWS = LONG_WORDS, 3
"""Most words of the row that comes of it (so that it isn't split again), and most rows that go into it."""
DAY = 10  # characters of an ISO time


def matters(
    memories: Sequence[Memory], vectors: np.ndarray, turns: Mapping[int, Sequence[Turn]]
) -> list[tuple[Memory, ...]]:  # fmt: skip
    """Groups of rows; `vectors` are the facts' unit vectors, `turns` each row's lines by its id.

    A row of several sentences, such as one that was joined before, takes no more: else rows would grow run by run.
    """
    groups: dict[int, tuple[int, ...]] = {place: (place,) for place in range(len(memories))}
    lengths = [len(memory.fact.split()) for memory in memories]
    for one, other in _candidates(memories, vectors, turns):
        joined = (*groups[one], *groups[other])
        whole = len(set(joined)) == len(joined) <= ROWS and sum(lengths[place] for place in joined) <= WORDS
        rows = [memories[place] for place in joined]
        if whole and joinable([row.fact for row in rows]) and _one_time(rows):
            groups |= dict.fromkeys(joined, joined)
    found = dict.fromkeys(group for group in groups.values() if len(group) > 1)
    return [tuple(memories[place] for place in sorted(group)) for group in found]


def _candidates(
    memories: Sequence[Memory], vectors: np.ndarray, turns: Mapping[int, Sequence[Turn]]
) -> list[tuple[int, int]]:  # fmt: skip
    """Pairs of places whose rows may belong together, the nearest in meaning first."""
    by_line: dict[tuple[str, int, int, str], list[int]] = {}
    for place, memory in enumerate(memories):
        for turn in turns.get(memory.id, ()) if len(sentences(memory.fact)) == 1 else ():
            by_line.setdefault((memory.subject, turn.session_id, turn.id, turn.said_at[:DAY]), []).append(place)
    found: dict[tuple[int, int], float] = {}
    for (subject, session, line, day), places in by_line.items():
        near = [other for step in range(REACH + 1) for other in by_line.get((subject, session, line + step, day), ())]
        for one in places:
            for other in near:
                cosine = float(vectors[one] @ vectors[other])
                if one != other and cosine >= NEAR:
                    found[min(one, other), max(one, other)] = cosine
    return sorted(found, key=lambda pair: -found[pair])


def _one_time(memories: Sequence[Memory]) -> bool:
    """Whether the rows' dates agree: what happened on different days is not one matter."""
    dates = sorted({memory.happened_on for memory in memories if memory.happened_on}, key=len)
    return all(dates[-1].startswith(date) for date in dates)
