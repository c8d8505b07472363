"""Measures of a short answer against the gold one: exact match, BLEU-1, ROUGE-L. Pure functions, 0..1.

Words are those of `text.words`: lower-case, no punctuation, number words as digits; articles are dropped.
"""

from __future__ import annotations

import math
import re
from collections import Counter

from .text import ARTICLES, words

_OPTION = re.compile(r"\(([a-z])\)")


def _kept(text: str) -> list[str]:
    return [word for word in words(text) if word not in ARTICLES]


def exact_match(predicted: str, gold: str) -> float:
    """1 when both have the same words in the same order."""
    return float(_kept(predicted) == _kept(gold))


def bleu1(predicted: str, gold: str) -> float:
    """BLEU of single words: clipped precision and the brevity penalty (Papineni et al. 2002)."""
    said, wanted = _kept(predicted), _kept(gold)
    if not said or not wanted:
        return float(said == wanted)
    clipped = sum((Counter(said) & Counter(wanted)).values()) / len(said)
    return clipped * min(1.0, math.exp(1 - len(wanted) / len(said)))


def rouge_l(predicted: str, gold: str) -> float:
    """F1 of the longest common subsequence of words (Lin 2004)."""
    said, wanted = _kept(predicted), _kept(gold)
    if not said or not wanted:
        return float(said == wanted)
    common = _longest_common(said, wanted)
    return 2 * common / (len(said) + len(wanted))


def _longest_common(first: list[str], second: list[str]) -> int:
    row = [0] * (len(second) + 1)
    for one in first:
        before = 0
        for place, other in enumerate(second, 1):
            before, row[place] = row[place], before + 1 if one == other else max(row[place], row[place - 1])
    return row[-1]


def chosen(reply: str, count: int) -> str | None:
    """The option that a reply names: the first letter in brackets, or the letter that it begins with or is. None where
    it names none of the `count` options."""
    there = [f"({chr(97 + place)})" for place in range(count)]
    named = next((one for one in (f"({low})" for low in _OPTION.findall(reply.lower())) if one in there), None)
    if named is None and (begun := re.match(r"\W*([a-z])\b(?!['’])", reply.strip().lower())):
        named = f"({begun[1]})" if len(reply.split()) == 1 or reply.strip()[1:2] in ").:" else None
    return named if named in there else None
