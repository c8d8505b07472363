"""What comes of a line on its way: it is looked up in several steps, each of which is told as it is done and ends with
the pump; and the reply, kept as it grows."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from typing import TYPE_CHECKING

from ...memory.forget.basis import Basis
from ...memory.language.detect import language_of
from ...memory.language.words import tokens
from ...memory.values import ASSISTANT, FORGOTTEN, Recall, Turn, TurnStatus
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


class Keeper:
    """The reply to a line. It counts as stopped until it is whole, so that a crash leaves the truth; `gone`: something
    that it was made from was forgotten while it was written, here or by another program, and nothing of it is kept."""

    def __init__(self, c: ChatState, asked: Turn, reply_id: int | None) -> None:
        self._c, self._id, self.text = c, reply_id, ""
        self._basis = Basis().with_turns(asked.id, *(turn.id for turn in c.recent if turn.text != FORGOTTEN))
        self.turn: Turn | None = None
        self.gone = False

    def saw(self, recall: Recall) -> None:
        """What was recalled for the reply."""
        self._basis = self._basis.with_recall(recall)

    def add(self, piece: str) -> None:
        self.text += piece
        self._commit("stopped")

    def finish(self, status: TurnStatus) -> Turn | None:
        if self.text:
            self._commit(status)
        return self.turn

    def _commit(self, status: TurnStatus) -> None:
        c = self._c
        if self._id is None or c.incognito:
            self.turn = c.keep(ASSISTANT, self.text, status=status, basis=self._basis)
            self._id = self.turn.id
        else:
            self.turn = c.store.turns.set(self._id, text=self.text, status=status, basis=self._basis)
        self._basis = self._basis.with_turns(self._id)
        self.gone = self.turn.text == FORGOTTEN
