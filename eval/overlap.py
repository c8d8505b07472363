"""Overlap of an answer with the gold in words: exact match, BLEU and ROUGE-L, as papers on memory print them.

Tokens are lower-case runs of letters and digits, as in the package rouge-score; nothing is stemmed, and articles stay
except for the exact match, which follows SQuAD.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

_TOKEN = re.compile(r"[a-z0-9]+")
_ARTICLES = frozenset({"a", "an", "the"})


def tokens(text: str) -> list[str]:
    """Lower-case runs of ASCII letters and digits."""
    return _TOKEN.findall(text.lower())


def exact_match(predicted: str, gold: str) -> bool:
    """Whether both are the same words but for case, punctuation and articles (Rajpurkar et al. 2016)."""
    one, two = ([word for word in tokens(text) if word not in _ARTICLES] for text in (predicted, gold))
    return one == two


def bleu(predicted: str, gold: str, order: int = 4) -> float:
    """BLEU of one sentence with n-grams up to `order` in equal parts and brevity penalty (Papineni et al. 2002).

    Without smoothing: one order without a common n-gram makes it 0, so short answers are told by BLEU-1.
    """
    said, wanted = tokens(predicted), tokens(gold)
    total = 0.0
    for length in range(1, order + 1):
        ours, theirs = _grams(said, length), _grams(wanted, length)
        common = sum((ours & theirs).values())
        if not common:
            return 0.0
        total += math.log(common / sum(ours.values())) / order
    return min(1.0, math.exp(1 - len(wanted) / len(said))) * math.exp(total)


def _grams(words: Sequence[str], length: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(words[at : at + length]) for at in range(len(words) - length + 1))


def rouge_l(predicted: str, gold: str) -> float:
    """F1 of the longest common subsequence of words (Lin 2004, with precision and recall in equal parts)."""
    said, wanted = tokens(predicted), tokens(gold)
    common = _longest(said, wanted)
    if not common:
        return 0.0
    precision, recall = common / len(said), common / len(wanted)
    return 2 * precision * recall / (precision + recall)


def _longest(one: Sequence[str], two: Sequence[str]) -> int:
    """The length of the longest common subsequence, row by row of the usual table."""
    row = [0] * (len(two) + 1)
    for word in one:
        left = 0
        for place, other in enumerate(two, 1):
            above = row[place]
            row[place] = left + 1 if word == other else max(above, row[place - 1])
            left = above
    return row[-1]
