"""Why a thing was recalled, in words: what a number such as 0.03 can't tell."""

from __future__ import annotations

from dataclasses import replace

from ...memory.language.asked import telling
from ...memory.language.detect import language_of
from ...memory.language.words import query_words, stem, terms
from ...memory.values import ASSISTANT, Hop, Memory, Recall, RecallItem
from ..config.safe_text import one_line

MOST_WORDS = 4
LOOKED_THROUGH = 30
"""So many are found, however few are wanted, so that some that tell are among them."""
IN_WORDS = {
    "meaning": "near in meaning", "name": "about the one asked about", "date": "of the time asked about",
    "pinned": "pinned", "context": "said next to a line that fits", "sql": "the SELECT brought it",
    "hop": "by names and dates of what the first search found",
    "earlier": "so it was before a later line changed it", "direct": "the reply was read off this row, without a model",
}  # fmt: skip
"""By what search and the retrieval agent note in `RecallItem.why`."""
LEFT_OUT = {
    "assistant": "the assistant said it, and wasn't asked what it said",
    "asked": "it only asks",
    "quoted": "somebody else's words, which tell nothing of you",
    "unrelated": "too far from the question to answer it",
}
"""By the reason of what was found and is no evidence."""
MOST_LEFT = 6
"""Things left out that are shown; the others are counted."""
FAINT = "somewhat near in meaning"
"""Of a fact whose nearness alone, and that not much, brought it."""


def told_part(item: RecallItem) -> str:
    """Of the line that was found the passage that speaks of what was asked, with dots where more stands around it."""
    text = item.turns[0].text
    at = text.find(item.passage) if item.passage else -1
    if at < 0:
        return text
    before, after = text[:at].strip(), text[at + len(item.passage) :].strip()
    return f"{'… ' if before else ''}{item.passage}{' …' if after else ''}"


def telling_first(recall: Recall, limit: int) -> Recall:
    """At most `limit` of what was found; lines that only ask stand behind all that tells."""
    return replace(recall, items=tuple(sorted(recall.items, key=_only_asks)[:limit]))


def _only_asks(item: RecallItem) -> bool:
    """Whether a line is a question alone, such as an earlier one in the same words."""
    if item.memory or item.turns[0].speaker == ASSISTANT:
        return False
    text = item.turns[0].text
    return not telling.told_part(text, language_of(text, thorough=False))


def reasons(item: RecallItem, query: str) -> str:
    """`same words (sister, live), near in meaning, the SELECT brought it`."""
    return (
        ", ".join(_same_words(item, query) if sign == "words" else IN_WORDS.get(sign, sign) for sign in item.why)
        or FAINT
    )


def step(hop: Hop) -> str:
    """One step of looking something up: `step 2, search “Ana's sister”: 3 facts and 5 lines`."""
    asked = f" “{one_line(hop.asked, 160)}”" if hop.asked else ""
    return f"step {hop.number}, {hop.tool}{asked}: {one_line(hop.told, 160)}"


def path(recall: Recall) -> list[str]:
    """The steps by which it was found; empty for a single one."""
    return [step(hop) for hop in recall.hops]


def concluded(memory: Memory) -> str:
    """A mark for what was concluded, not told; empty for all else."""
    return f" [concluded, {memory.certainty:.0%} sure]" if memory.certainty is not None else ""


def left_out(recall: Recall) -> list[str]:
    """What was found and not shown as memory: how much, and then each with the reason; empty for nothing."""
    left = recall.left_out
    if not left:
        return []
    shown = [f"{'a fact' if one.memory_id else 'a line'}: {one_line(one.text, 200)} ({LEFT_OUT[one.reason]})"
             for one in left[:MOST_LEFT]]  # fmt: skip
    more = [f"and {len(left) - MOST_LEFT} more"] if len(left) > MOST_LEFT else []
    return [f"Left out as no evidence: {len(left)}", *shown, *more]


def _same_words(item: RecallItem, query: str) -> str:
    """The words of the query that stand there, as they were asked."""
    memory = item.memory
    texts = [turn.text for turn in item.turns] + ([memory.fact, memory.subject, memory.topic] if memory else [])
    held = {word for text in texts for word in terms(text)}
    shared = [word for word in query_words(query) if stem(word) in held][:MOST_WORDS]
    return f"same words ({', '.join(shared)})" if shared else "same words"
