"""Why a thing was recalled, in words: what a number such as 0.03 can't tell."""

from __future__ import annotations

from ..memory.values import RecallItem
from ..memory.words import query_words, stem, terms

MOST_WORDS = 4
IN_WORDS = {
    "meaning": "near in meaning", "name": "about the one asked about", "date": "of the time asked about",
    "pinned": "pinned", "context": "said next to a line that fits", "sql": "the SELECT brought it",
}  # fmt: skip
"""By what search and the retrieval agent note in `RecallItem.why`."""
FAINT = "somewhat near in meaning"
"""Of a fact whose nearness alone, and that not much, brought it."""


def reasons(item: RecallItem, query: str) -> str:
    """`same words (sister, live), near in meaning, the SELECT brought it`."""
    return (
        ", ".join(_same_words(item, query) if sign == "words" else IN_WORDS.get(sign, sign) for sign in item.why)
        or FAINT
    )


def _same_words(item: RecallItem, query: str) -> str:
    """The words of the query that stand there, as they were asked."""
    memory = item.memory
    texts = [turn.text for turn in item.turns] + ([memory.fact, memory.subject, memory.topic] if memory else [])
    held = {word for text in texts for word in terms(text)}
    shared = [word for word in query_words(query) if stem(word) in held][:MOST_WORDS]
    return f"same words ({', '.join(shared)})" if shared else "same words"
