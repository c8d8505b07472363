"""A line that is looked up in several steps: each is told as it is done, and ends with the pump."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from typing import TYPE_CHECKING

from ...memory.language.detect import language_of
from ...memory.language.words import tokens
from ...memory.values import Recall, Turn
from ..shown.events import Event, HopTaken, MemoryWritten, NotesCondensed
from .roles import Agents

if TYPE_CHECKING:
    from .state import ChatState


def looked(
    c: ChatState, agents: Agents, turn: Turn, recall: Recall
) -> Generator[Event, None, tuple[Recall, str]]:  # fmt: skip
    """What several steps bring for a question beside what one brought, and the answer where the model that took them
    gave one. Without the setting, or for what asks nothing of the memory, the recall as it is. Raises ModelError."""
    from ...models.chat.hops.loop import Looked, Stepped

    if agents.hops is None or not recall.items or not _asks(recall.query):
        return recall, ""
    for each in agents.hops.run(c.user, recall.query, now=c.now(), first=recall, begun=turn.id):
        if isinstance(each, Stepped):
            yield HopTaken(each.hop)
        elif isinstance(each, Looked):
            took = {**recall.seconds, **each.recall.seconds}
            recall = replace(recall, items=each.recall.items, hops=each.recall.hops, seconds=took)
            if each.insights:
                yield MemoryWritten(turn.id, tuple(map(c.store.journal.get, each.insights)))
            return recall, each.answer
        else:
            yield NotesCondensed(each.before, each.after, each.dropped)
    return recall, ""


def _asks(text: str) -> bool:
    """Whether a line is a question: small talk is looked up once."""
    first = tokens(text)[:1]
    return "?" in text or "？" in text or bool(set(first) & language_of(text, thorough=False).asking)
