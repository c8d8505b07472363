"""What a ranking model should have written for a row: a thought made by rule, and the sessions in the best order.

The sessions that hold the answer come first, the nearest before the others; then the rest as the learned lines order
them (as similarity does, where a row knows no lines). The thought names the words that question and session share.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ....eval.measures.text import content_words, words
from ....eval.ranking.order import order
from ....eval.ranking.prompt import MOST, NAMED, NOWHERE, TOLD, Shown
from ....eval.ranking.rows import Row

SHARED = 3
"""Shared words that a thought names at most of a session."""
_SESSION = re.compile(r"^<session(\d+)> .*?\n(.*?)\n</session>$", re.MULTILINE | re.DOTALL)


def ranking(row: Row, places: Sequence[int]) -> list[int]:
    """The prompt's numbers, best first, as many as a ranking names."""
    gold = set(row.gold_places)
    told = order(row, "lines") or order(row, "similarity") or list(places)
    near = order(row, "similarity") or told
    best = [place for place in near if place in gold] + [place for place in told if place not in gold]
    number_of = {place: number for number, place in enumerate(places)}
    return [number_of[place] for place in best if place in number_of][: min(MOST, len(places))]


def reply(row: Row, asked: Shown) -> str:
    """The whole reply. Of a row whose gold sessions the prompt doesn't show the thought says nothing of them."""
    numbers = ranking(row, asked.places)
    return f"<think>{thought(row, asked)}</think><ranking>{','.join(map(str, numbers))}</ranking>"


def thought(row: Row, asked: Shown) -> str:
    """A sentence for each session that holds the answer, in one line that the grammar allows."""
    texts = {int(number): text for number, text in _SESSION.findall(asked.messages[-1].content)}
    gold = set(row.gold_places)
    wanted = [(word, content_words(word)) for word in dict.fromkeys(words(row.question))]
    parts = []
    for number in [n for n in ranking(row, asked.places) if asked.places[n] in gold][:NAMED]:
        had = set(content_words(texts.get(number, "")))
        shared = [word for word, stems in wanted if had & set(stems)][:SHARED]
        told = ", ".join(shared)[:TOLD].rstrip().replace(".", "") or "it"
        parts.append(f"Session {number} tells of {told}.")
    return " ".join(parts) or NOWHERE


def teaches(row: Row, asked: Shown) -> bool:
    """Whether the prompt shows a session that holds the answer."""
    return bool(set(row.gold_places) & set(asked.places))
