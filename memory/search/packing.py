"""Packs what was recalled into few words: the sentences that tell most about the question, none said twice.

A greedy cover as in extractive summarising with a budget (Lin and Bilmes 2010): the next sentence is the one with the
most chance to hold the answer for its words, where words that are already in count little. The chances are two logistic
regressions (docs/design/0002-search.md); that over lines is fitted by `chatmem train recall`.
"""

from __future__ import annotations

import heapq
import math
import operator
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from ..language.language import english
from ..language.words import terms, word_count
from .line_features import NAME, NUMBER

LINE_WEIGHTS = (0.1, 0.77, 0.12, 0.67, -0.64, 0.39, 0.16)
"""Of a sentence of a line: how near the line is to what is asked, the log of its chance among all lines; question mark,
names or numbers, small talk, log of meaning words, log of words."""
LINE_BIAS = -1.98
FACT_WEIGHTS = (0.19, 0.37, 2.18, -0.87)
"""Of a fact: its score, how near it is to what is asked, log of meaning words, log of words."""
FACT_BIAS = -9.77
LEAST_CHANCE = 1e-4
"""Added to a line's chance before its log is taken."""
REPEATED = 0.3
"""What a word is worth that the pack already holds."""
LENGTH = 0.6
"""A sentence's chance counts by this power of its words: by each word alone, "Yes!" would go before any answer."""


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
    found, words = terms(text), word_count(text)
    telling = 1.0 if NUMBER.search(text) or NAME.search(text) else 0.0
    small = 1.0 if _small_talk().match(text) else 0.0
    return Form((telling, small, math.log1p(len(found)), math.log(max(words, 1))), frozenset(found), words)


@lru_cache(maxsize=1)
def _small_talk() -> re.Pattern[str]:
    talk, praise = (english().alternatives("search", name) for name in ("small_talk", "praise"))
    return re.compile(rf"(?:{talk}|that'?s (?:so |really |very )?(?:{praise}))\b", re.IGNORECASE)


def sentence_chance(text: str, asked: float, chance: float) -> float:
    """Of a sentence to hold the answer, 0..1. `asked`, `chance`: how near its line is to what is asked (standard
    deviations of the cosine), and the line's chance among all lines."""
    return logistic(sentence_signs(text, asked, chance), LINE_WEIGHTS, LINE_BIAS)


def sentence_signs(text: str, asked: float, chance: float) -> tuple[float, ...]:
    """What the regression over sentences of lines sees, in the order of `LINE_WEIGHTS`."""
    return (asked, math.log(chance + LEAST_CHANCE), float(text.endswith("?")), *form(text).signs)


def fact_chance(fact: str, score: float, asked: float) -> float:
    """Of a fact to hold the answer, 0..1. `score`: on the scale of lines."""
    return logistic((score, asked, *form(fact).signs[2:]), FACT_WEIGHTS, FACT_BIAS)


def logistic(signs: Sequence[float], weights: Sequence[float], bias: float) -> float:
    """A chance of a logistic regression, 0..1."""
    return 1 / (1 + math.exp(-sum(map(operator.mul, signs, weights)) - bias))


def piece(owner: int, order: int, text: str, chance: float) -> Piece:
    _, found, words = form(text)
    return Piece(owner, order, text, chance, found, words)


def pack(pieces: Sequence[Piece], budget: int, label: int = 1) -> list[Piece]:
    """The chosen pieces, no text twice; their words, with `label` words for each owner (who spoke), stay within the
    budget."""
    seen: set[str] = set()
    texts: set[str] = set()
    owners: set[int] = set()
    chosen: list[Piece] = []
    heap = [(-_gain(one, seen), place) for place, one in enumerate(pieces)]
    heapq.heapify(heap)
    while heap:
        _, place = heapq.heappop(heap)
        one = pieces[place]
        if one.text in texts:
            continue
        cost = one.words + (label if one.owner not in owners else 0)
        gain = _gain(one, seen)
        if gain <= 0 or cost > budget:
            continue
        if heap and gain < -heap[0][0] - 1e-12:  # gains only fall, so the top of the heap is a bound
            heapq.heappush(heap, (-gain, place))
            continue
        chosen.append(one)
        seen |= one.terms
        texts.add(one.text)
        owners.add(one.owner)
        budget -= cost
    return chosen


def _gain(one: Piece, seen: set[str]) -> float:
    if not one.terms:
        return 0.0
    count, known = len(one.terms), 0 if one.terms.isdisjoint(seen) else len(one.terms & seen)
    return one.chance * (count - known + REPEATED * known) / count / math.pow(one.words + 1, LENGTH)
