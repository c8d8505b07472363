"""The thread that turns finished lines into memories while the user goes on talking."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..memory.errors import ChatmemError, StoreError
from ..memory.pending import STORAGE
from ..memory.values import ASSISTANT, Turn, User, WriteResult
from .events import ClaimUnkept, Event, MemoryDelayed, MemoryRefused, MemoryWritten
from .history import live_writes
from .names import told_name
from .ports import Agents, AgentsSource
from .texts import clipped

if TYPE_CHECKING:
    from ..memory.store import Store

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Job:
    """A user's line and what was replied; `claim` is the reply's promise to remember, if it made one."""

    user: User
    turns: tuple[Turn, ...]
    claim: str | None = None

    @property
    def turn_id(self) -> int:
        return self.turns[0].id


class StorageWorker:
    """One job after the other, in order. A job that fails leaves its turn pending, to be tried at the next start."""

    def __init__(
        self, store: Callable[[], Store], agents: AgentsSource, emit: Callable[[Event], None], line_chars: int
    ) -> None:
        self._store, self._agents, self._emit, self._line_chars = store, agents, emit, line_chars
        self._jobs: deque[Job] = deque()
        self._changed = threading.Condition()
        self._running = False
        self._paused = 0
        self._closed = False
        self._thread: threading.Thread | None = None

    @property
    def waiting(self) -> int:
        """Jobs that are not done yet, the running one included."""
        with self._changed:
            return len(self._jobs) + self._running

    def put(self, job: Job) -> None:
        with self._changed:
            self._jobs.append(job)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="chatmem-storage", daemon=True)
                self._thread.start()
            self._changed.notify_all()

    def pause(self) -> None:
        """No new job starts until `resume`: a reply that someone waits for goes first."""
        with self._changed:
            self._paused += 1

    def resume(self) -> None:
        with self._changed:
            self._paused -= 1
            self._changed.notify_all()

    def wait(self, timeout: float | None = None) -> bool:
        """True when nothing waits any more, False after `timeout` seconds."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._jobs and not self._running, timeout)

    @contextmanager
    def still(self) -> Iterator[None]:
        """While inside, no job runs: the running one is waited for, so that it never sees half of a change."""
        self.pause()
        try:
            with self._changed:
                self._changed.wait_for(lambda: not self._running)
            yield
        finally:
            self.resume()

    def drop(self) -> None:
        """Forgets the jobs that have not begun; their turns stay pending."""
        with self._changed:
            self._jobs.clear()
            self._changed.notify_all()

    def close(self, timeout: float) -> bool:
        """Begins no further job; True when the thread has ended within `timeout` seconds."""
        with self._changed:
            self._closed = True
            self._jobs.clear()
            self._changed.notify_all()
        if self._thread is None:
            return True
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while job := self._next():
            for event in self._events(job):
                self._emit(event)
            with self._changed:
                self._running = False
                self._changed.notify_all()

    def _events(self, job: Job) -> list[Event]:
        """What came of a job; whatever goes wrong is an event too, for the chat must live on."""
        try:
            agents = self._agents.get()
        except ChatmemError as error:
            self.drop()  # the other lines would fare no better
            return [MemoryDelayed(job.turn_id, str(error))]
        try:
            return self._work(job, agents)
        except ChatmemError as error:
            return [MemoryDelayed(job.turn_id, str(error))]
        except Exception as error:
            log.exception("storing turn %s failed", job.turn_id)
            return [MemoryDelayed(job.turn_id, f"an unexpected {type(error).__name__}, see the log")]

    def _next(self) -> Job | None:
        with self._changed:
            self._changed.wait_for(lambda: self._closed or (self._jobs and not self._paused))
            if self._closed:
                return None
            self._running = True
            return self._jobs.popleft()

    def _work(self, job: Job, agents: Agents) -> list[Event]:
        store = self._store()
        if not store.claim_turn(job.turn_id):  # another process was quicker
            return []
        user = store.user(job.user.name)  # the name they go by may have been told since
        turns = [replace(turn, text=clipped(turn.text, self._line_chars)) for turn in job.turns]
        try:
            result = WriteResult(()) if _stored(store, job) else agents.storage.run(_without_names(turns), user)
        except BaseException:
            with suppress(StoreError):
                store.release_turns(job.turn_id)
            raise
        store.finish_turn(job.turn_id)
        return self._told(job, user, result)

    def _told(self, job: Job, user: User, result: WriteResult) -> list[Event]:
        """What was committed, read back from the journal rather than believed."""
        batches: Sequence[str] = list(dict.fromkeys(entry.batch for entry in result.entries))
        entries = [entry for batch in batches for entry in self._store().journal(user.id, batch=batch)]
        written = tuple(sorted((e for e in entries if e.kind != "refused"), key=lambda entry: entry.id))
        events: list[Event] = [MemoryWritten(job.turn_id, written)] if written else []
        events += [MemoryRefused(job.turn_id, e.reason or "", e.sql) for e in entries if e.kind == "refused"]
        if job.claim and not live_writes(self._store().journal(user.id, turn_id=job.turn_id)):
            events.append(ClaimUnkept(job.turn_id, job.claim))
        return events


def _without_names(turns: Sequence[Turn]) -> list[Turn]:
    """The lines without the clause in which the user tells their name, which is a fact already."""
    rests = [(turn, told_name(turn.text) if turn.speaker != ASSISTANT else None) for turn in turns]
    return [replace(turn, text=told.rest) if told else turn for turn, told in rests if not told or told.rest]


def _stored(store: Store, job: Job) -> bool:
    """Whether a process wrote this line's memories and ended before it could say that it was done."""
    entries = store.journal(job.user.id, turn_id=job.turn_id)
    return any(entry.author.actor == STORAGE for entry in live_writes(entries))
