"""Packs what was recalled into few words: the sentences that tell most about the question, none said twice.

A greedy cover as in extractive summarising with a budget (Lin and Bilmes 2010): the next sentence is the one with the
most chance to hold the answer per word, where words that are already in count little. Weights: a logistic
regression on half of the DMR validation rows (docs/design/0002-search.md).
"""

from __future__ import annotations

import heapq
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from .linesigns import NAME, NUMBER
from .words import terms

_SMALL_TALK = re.compile(
    r"(?:hi|hello|hey|bye|goodbye|thanks|thank you|wow|cool|nice|great|awesome|good for you|lol|haha|congrat\w*|"
    r"that'?s (?:so |really |very )?(?:great|awesome|cool|nice|good|wonderful|amazing|interesting))\b",
    re.IGNORECASE,
)
REPEATED = 0.3
"""What a word is worth that the pack already holds."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A sentence (or a whole fact) that may be packed; `owner` is the place of its item, `order` its place in it."""

    owner: int
    order: int
    text: str
    chance: float
    terms: frozenset[str]
    words: int


class Form(NamedTuple):
    """Of a sentence, whatever is asked: what tells of its weight (`signs`), its different meaning words, its words."""

    signs: tuple[float, float, float, float]
    terms: frozenset[str]
    words: int


@lru_cache(maxsize=16_384)
def form(text: str) -> Form:
    """Signs: tells names or numbers, is small talk, log of its meaning words, log of its words. Kept: a long reply has
    dozens of sentences, and competes for many questions."""
    found, words = terms(text), len(text.split())
    telling = 1.0 if NUMBER.search(text) or NAME.search(text) else 0.0
    small = 1.0 if _SMALL_TALK.match(text) else 0.0
    return Form((telling, small, math.log1p(len(found)), math.log(max(words, 1))), frozenset(found), words)


def chances(rows: np.ndarray, weights: Sequence[float], bias: float) -> np.ndarray:
    """The logistic of the weighted signs; rows of shape (pieces, signs)."""
    result: np.ndarray = 1 / (1 + np.exp(-(rows @ np.asarray(weights) + bias)))
    return result


def piece(owner: int, order: int, text: str, chance: float) -> Piece:
    _, found, words = form(text)
    return Piece(owner, order, text, chance, found, words)


def pack(pieces: Sequence[Piece], budget: int, label: int = 1) -> list[Piece]:
    """The chosen pieces; their words, with `label` words for each owner (who spoke), stay within the budget."""
    seen: set[str] = set()
    owners: set[int] = set()
    chosen: list[Piece] = []
    heap = [(-_gain(one, seen), place) for place, one in enumerate(pieces)]
    heapq.heapify(heap)
    while heap:
        _, place = heapq.heappop(heap)
        one = pieces[place]
        cost = one.words + (label if one.owner not in owners else 0)
        gain = _gain(one, seen)
        if gain <= 0 or cost > budget:
            continue
        if heap and gain < -heap[0][0] - 1e-12:  # gains only fall, so the top of the heap is a bound
            heapq.heappush(heap, (-gain, place))
            continue
        chosen.append(one)
        seen |= one.terms
        owners.add(one.owner)
        budget -= cost
    return chosen


def _gain(one: Piece, seen: set[str]) -> float:
    if not one.terms:
        return 0.0
    count, known = len(one.terms), 0 if one.terms.isdisjoint(seen) else len(one.terms & seen)
    return one.chance * (count - known + REPEATED * known) / count / max(one.words, 1)
