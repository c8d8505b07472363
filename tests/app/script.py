"""Scripted agents in place of the models. They say and store what the line tells them to."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from chatmem.app.chat.roles import Agents
from chatmem.memory.errors import EndpointError, ModelError
from chatmem.memory.store.store import Store
from chatmem.memory.values import Author, Recall, RecallItem, Thrown, Turn, User, WriteResult
from chatmem.models.lm import Chunk, Message

AGENT = Author("agent:storage", "scripted")


@dataclass
class Script:
    """Storage writes a fact for `fact: ...`, SQL for `sql: ...`; answer says `words`; each can be made to fail."""

    open_store: Callable[[], Store]
    words: Sequence[str] = ("Nice ", "to ", "meet ", "you.")
    fail_answer_after: int | None = None
    storage_fails: str | None = None
    loading_fails: str | None = None
    recall_fails: str | None = None
    delay: float = 0.0
    hold: threading.Event = field(default_factory=threading.Event)
    asked: list[tuple[str, Recall, tuple[Turn, ...]]] = field(default_factory=list)
    stored: list[tuple[Turn, ...]] = field(default_factory=list)
    cancelled: int = 0
    closed: bool = False

    def get(self) -> Agents:
        if self.loading_fails:
            raise ModelError(self.loading_fails)
        return Agents(self, self, self, (("answer", "scripted"), ("storage", "scripted"), ("retrieval", "scripted")))

    def switch(self, role: str, spec: str) -> None:
        if spec == "broken":
            raise ModelError("broken is not a model.")
        self.loading_fails = None

    def cancel(self) -> None:
        self.cancelled += 1

    def close(self) -> None:
        self.closed = True

    def run(self, turns: Sequence[Turn], user: User) -> WriteResult:
        self.stored.append(tuple(turns))
        if self.storage_fails:
            raise EndpointError(self.storage_fails)
        line, ids = turns[0], [turn.id for turn in turns]
        text = (
            self.open_store().turns.get(line.id).text if line.quoted else line.text
        )  # SQL in a line is somebody else's
        if text.startswith("sql: "):
            return self.open_store().facts.write(user.id, text[5:], author=AGENT, turn_ids=ids)
        if text.startswith("thrown: "):
            thrown = [Thrown("check:invented_names", text[8:], "It names somebody of whom nobody spoke.")]
            return self.open_store().facts.write(user.id, "-- nothing", author=AGENT, turn_ids=ids, thrown=thrown)
        if not text.startswith("fact: "):
            return WriteResult(())
        fact = text[6:].replace("'", "''")
        sql = (
            f"INSERT INTO memory (subject, topic, fact, happened_on) VALUES ('{user.subject}', 'talk', '{fact}', NULL);"
        )
        return self.open_store().facts.write(user.id, sql, author=AGENT, turn_ids=ids)

    def recall(self, user: User, query: str, *, now: str, asker: str, before: Sequence[Turn] = ()) -> Recall:
        if self.recall_fails:
            raise ModelError(self.recall_fails)
        memories = self.open_store().facts.all(user.id)
        evidence = self.open_store().facts.evidence([memory.id for memory in memories])
        items = tuple(RecallItem(1.0, memory, evidence.get(memory.id, ())) for memory in memories)
        return Recall(query, items, sql="SELECT * FROM memory;")

    def reply(
        self, user: User, recall: Recall, recent: Sequence[Turn], text: str, now: str, *, attempt: int = 0
    ) -> Iterator[Chunk]:
        self.asked.append((text, recall, tuple(recent)))
        for count, word in enumerate(self.words):
            if count == self.fail_answer_after:
                raise EndpointError("The endpoint is gone; try again.")
            time.sleep(self.delay)
            yield Chunk(word)
        if self.fail_answer_after == len(self.words):
            raise EndpointError("The endpoint is gone; try again.")
        yield Chunk("", "stop", 10, 0, len(self.words))

    def prompt(self, user: User, recall: Recall, recent: Sequence[Turn], text: str, now: str) -> list[Message]:
        return [Message("system", "You are scripted."), Message("user", text)]
