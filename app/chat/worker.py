"""The thread that turns finished lines into memories while the user goes on talking."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import tzinfo
from typing import TYPE_CHECKING

from ...memory.errors import ChatmemError
from ...memory.language.dates import day_of
from ...memory.language.language import english
from ...memory.language.words import stem, terms
from ...memory.values import ASSISTANT, Doubt, Held, JournalEntry, Turn, User, WriteResult
from ...models.storage.parts import PartByPart, Parts, as_own, parts_of, together, told_apart
from ..config.safe_text import clipped
from ..shown.events import (
    ChangeAsked,
    ClaimUnkept,
    Event,
    FactAsked,
    MemoryDelayed,
    MemoryRefused,
    MemoryWritten,
    Notice,
    Quoted,
)
from ..shown.journal_state import live_writes
from .parts import UNDONE, Reading, summary
from .roles import Agents, AgentsSource

if TYPE_CHECKING:
    from ...memory.store.store import Store

SECRET = (
    "A password, PIN, key or card number is not written down as a fact; your line is kept. /remember FACT writes it "
    "all the same, /forget WORDS erases it."
)
TOLD_OTHERWISE = ("check:quoted", "check:secret", "check:asked_first", "check:no_note")
"""Checks that have an event of their own, or that tell nothing to act on."""
log = logging.getLogger(__name__)
EMBEDDED = 64
"""Passages that are embedded after a line was remembered."""


@dataclass(frozen=True, slots=True)
class Job:
    """A user's line and what was replied; `claim` is the reply's promise to remember, if it made one. `own`: the user
    said that what the line seems to quote is their own, and that is read now. `reading`: how far a long one is read."""

    user: User
    turns: tuple[Turn, ...]
    claim: str | None = None
    own: bool = False
    reading: Reading | None = None

    @property
    def turn_id(self) -> int:
        return self.turns[0].id


class StorageWorker:
    """One job after the other, in order. A job that fails leaves its turn pending, to be tried at the next start. Of a
    long message one part is read at a time, and lines that wait come before the next."""

    def __init__(
        self, store: Callable[[], Store], agents: AgentsSource, emit: Callable[[Event], None], line_chars: int
    ) -> None:
        self._store, self._agents, self._emit, self._line_chars = store, agents, emit, line_chars
        self._jobs: deque[Job] = deque()
        self._aside: list[Job] | None = None
        """What is put while nothing more is to be remembered (None: all is)."""
        self._changed = threading.Condition()
        self._running: Job | None = None
        self._asked: dict[int, int] = {}
        """The memories of which it was asked whether they are over, each with the line by which."""
        self._replies = self._stilled = 0
        self._closed = False
        self._thread: threading.Thread | None = None

    @property
    def waiting(self) -> int:
        """Jobs that are not done yet, the running one included."""
        with self._changed:
            return len({job.turn_id for job in (*self._jobs, self._running) if job})

    @property
    def reading(self) -> Reading | None:
        """How far the first long message that waits is read; None: there is none."""
        with self._changed:
            return next((job.reading for job in (self._running, *self._jobs) if job and job.reading), None)

    def put(self, job: Job) -> None:
        with self._changed:
            if self._aside is not None:
                self._aside.append(job)
                return
            self._jobs.append(job)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="chatmem-storage", daemon=True)
                self._thread.start()
            self._changed.notify_all()

    def pause(self) -> None:
        """No new job starts until `resume`: a reply that someone waits for goes first."""
        with self._changed:
            self._replies += 1

    def resume(self) -> None:
        with self._changed:
            self._replies -= 1
            self._changed.notify_all()

    def wait(self, timeout: float | None = None) -> bool:
        """True when nothing waits any more, False after `timeout` seconds."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._jobs and not self._running, timeout)

    def settle(self, timeout: float) -> bool:
        """Begins no further job, for the chat is being left; True when none runs within `timeout` seconds."""
        with self._changed:
            self._stilled += 1
            return self._changed.wait_for(lambda: not self._running, timeout)

    @contextmanager
    def still(self) -> Iterator[None]:
        """While inside, no job runs: the running one is waited for, so that it never sees half of a change."""
        with self._changed:
            self._stilled += 1
            self._changed.wait_for(lambda: not self._running)
        try:
            yield
        finally:
            with self._changed:
                self._stilled -= 1
                self._changed.notify_all()

    def drop(self) -> None:
        """Forgets the jobs that have not begun; their turns stay pending."""
        with self._changed:
            self._jobs.clear()
            self._changed.notify_all()

    def put_aside(self) -> int:
        """Begins no job until `take_up`, nor the next part of a long message; how many lines wait for that."""
        with self._changed:
            self._aside = [*self._jobs]
            self._jobs.clear()
            self._changed.notify_all()
            goes_on = [self._running] if self._running and self._goes_on(self._running) else []
            return len({job.turn_id for job in (*self._aside, *goes_on)})

    def _goes_on(self, job: Job) -> bool:
        """Whether a part comes after the one that is read."""
        if job.reading:
            return job.reading.at + 1 < job.reading.parts
        return parts_of(told_apart(job.turns[0]).text, self._line_chars).several

    def take_up(self) -> None:
        """What was put aside is remembered."""
        with self._changed:  # all at once: nobody may look when a line is neither aside nor put
            jobs, self._aside = self._aside or [], None
            for job in jobs:
                self.put(job)

    def give_up_aside(self) -> list[Job]:
        """What was put aside, which is another's from here on."""
        with self._changed:
            jobs = self._aside or []
            self._aside = None if self._aside is None else []
            return jobs

    @property
    def turn_ids(self) -> set[int]:
        """The lines that are read here, or will be."""
        with self._changed:
            return {job.turn_id for job in (*self._jobs, *(self._aside or ()), self._running) if job}

    def take_back(self, turn_id: int) -> None:
        """The line is not read any further; whatever of it is being read now is waited for."""
        self.forget({turn_id})
        with self._changed:
            self._changed.wait_for(lambda: self._running is None or self._running.turn_id != turn_id)
        self.forget({turn_id})  # the next part of it

    def forget(self, turn_ids: Collection[int]) -> None:
        """The jobs of these turns are gone, and those that have one of them as a reply go without it."""
        with self._changed:
            self._jobs = deque(_without(self._jobs, turn_ids))
            self._aside = None if self._aside is None else _without(self._aside, turn_ids)
            self._changed.notify_all()

    @property
    def jobs(self) -> tuple[Job, ...]:
        """Those that have not begun."""
        with self._changed:
            return tuple(self._jobs)

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
                self._running = None
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
            self._changed.wait_for(lambda: self._closed or (self._jobs and not self._replies and not self._stilled))
            if self._closed:
                return None
            self._running = self._jobs.popleft()
            return self._running

    def _work(self, job: Job, agents: Agents) -> list[Event]:
        from ...models.api import Memory

        store = self._store()
        user = store.users.get(job.user.name)  # the name they go by may have been told since
        line = as_own(job.turns[0]) if job.own else told_apart(job.turns[0])
        parts = parts_of(line.text, self._line_chars)
        job = self._in_its_place(job, parts, store)
        with self._changed:
            self._running = job
        if job.reading and self._taken_back(job, user, store):
            return [Notice(UNDONE)]
        reader = PartByPart(agents.storage, parts, job.reading.at if job.reading else None)
        memory = Memory.over(store, user, reader)
        turns = [replace(turn, text=clipped(turn.text, self._line_chars)) for turn in (line, *job.turns[1:])]
        more = job.reading is not None and job.reading.at + 1 < job.reading.parts
        result = memory.take_in(job.turns[0], turns, again=parts.several or job.own, own=job.own, more=more)
        if not more:  # a long reply's passages are embedded now, not when the next question waits
            with suppress(ChatmemError):
                store.vectors.embed_pending(user.id, limit=EMBEDDED)
        if result is None:
            return []
        if result.again:  # behind what waits already, with another draw of the model
            self.put(job)
        result = replace(result, quoted=line.quoted or ())
        return self._told_of_part(job, user, result, reader) if job.reading else self._told(job, user, result)

    def _in_its_place(self, job: Job, parts: Parts, store: Store) -> Job:
        """With how far a long message was read before, here or by a chat that was left."""
        if job.reading or not parts.several:
            return job
        at = min(store.queue.place(job.turn_id), len(parts.read) - 1)
        return replace(job, reading=Reading(at, len(parts.read)))

    def _taken_back(self, job: Job, user: User, store: Store) -> bool:
        """Whether all that came of a long message so far was undone: then the rest isn't wanted either."""
        reading = job.reading
        if reading is None or not sum(count for _, count in reading.brought):
            return False
        entries = store.journal.entries(user.id, turn_id=job.turn_id)
        if live_writes(entries) or not any(entry.undone for entry in entries):
            return False
        if store.queue.claim(job.turn_id):
            store.queue.finish(job.turn_id)
        return True

    def _told_of_part(self, job: Job, user: User, result: WriteResult, reader: PartByPart) -> list[Event]:
        """What a part brought; what is asked and said of the whole comes with the last one."""
        reading = job.reading
        assert reading is not None
        told = self._told(replace(job, claim=None), user, replace(result, held=(), doubts=()))
        written = [one for one in told if isinstance(one, MemoryWritten) or _refused(one)]
        if result.again:
            return written
        brought, whole = (*reading.brought, *reader.brought), together(reading.result, result)
        after = replace(reading, at=reading.at + 1, brought=brought, result=whole)
        if after.at < after.parts:
            self._store().queue.keep_place(job.turn_id, after.at)
            self.put(replace(job, reading=after))
            return written
        told = self._told(job, user, replace(whole, entries=(), quoted=result.quoted))
        return [*written, *told, Notice(summary(brought))]

    def _told(self, job: Job, user: User, result: WriteResult) -> list[Event]:
        """What was committed, read back from the journal rather than believed."""
        batches: Sequence[str] = list(dict.fromkeys(entry.batch for entry in result.entries))
        entries = [entry for batch in batches for entry in self._store().journal.entries(user.id, batch=batch)]
        written = tuple(sorted((e for e in entries if e.kind != "refused"), key=lambda entry: entry.id))
        events: list[Event] = [MemoryWritten(job.turn_id, written)] if written else []
        events += _refusals(job.turn_id, entries, written=bool(written))
        events += [Quoted(job.turn_id, result.quoted)] if result.quoted else []
        events += [Notice(SECRET)] if result.secret else []
        said = " ".join(turn.text for turn in job.turns if turn.speaker != ASSISTANT)
        before = {memory_id for memory_id, turn_id in self._asked.items() if turn_id != job.turn_id}
        doubts = asked_anew(result.doubts, before, said)
        self._asked |= {one.row.id: job.turn_id for one in doubts[:1]}
        events += questions(result.held, doubts, job.turn_id, self._store().zone)
        if job.claim and not live_writes(self._store().journal.entries(user.id, turn_id=job.turn_id)):
            events.append(ClaimUnkept(job.turn_id, job.claim))
        return events


def _without(jobs: Iterable[Job], turn_ids: Collection[int]) -> list[Job]:
    return [
        replace(one, turns=tuple(turn for turn in one.turns if turn.id not in turn_ids))
        for one in jobs if one.turn_id not in turn_ids
    ]  # fmt: skip


def _refusals(turn_id: int, entries: Sequence[JournalEntry], written: bool) -> list[Event]:
    """What the guard refused; what a check threw away is told where nothing else came of the line, else by /why."""
    refused = [one for one in entries if one.kind == "refused"]
    shown = [one for one in refused if one.author.actor not in TOLD_OTHERWISE]
    told = [one for one in shown if not _checked(one)] or ([] if written else shown[:1])
    return [MemoryRefused(turn_id, one.reason or "", one.sql, checked=_checked(one)) for one in told]


def _refused(event: Event) -> bool:
    return isinstance(event, MemoryRefused) and not event.checked


def _checked(entry: JournalEntry) -> bool:
    return entry.author.actor.startswith("check:")


# What only the person can tell: whether a memory is over by what was said, and whether a fact is theirs.


def asked_anew(doubts: Sequence[Doubt], before: Collection[int], line: str) -> list[Doubt]:
    """Those of the doubts that are worth a question: whoever was asked about a memory, and went on, is asked again only
    by a line that has a telling word of it."""
    none = english().stop | english().calendar
    said = {*terms(line)} - {stem(one) for one in none}
    return [one for one in doubts if one.row.id not in before or not said.isdisjoint(terms(one.row.fact))]


def asked(doubts: Sequence[Doubt], turn_id: int, zone: tzinfo | None) -> list[ChangeAsked]:
    """The question for the first of the doubts, which holds those for the others; none for none."""
    questions = [ChangeAsked(_question(one, zone), memory_id=one.row.id, fact=one.fact, turn_id=turn_id)
                 for one in doubts]  # fmt: skip
    return [replace(questions[0], others=tuple(questions[1:]))] if questions else []


def _question(doubt: Doubt, zone: tzinfo | None) -> str:
    day = day_of(doubt.row.said_at, zone)
    known, now = (one.rstrip(" .") for one in (doubt.row.fact, doubt.fact))
    told = f'On {day.day} {day:%B %Y} I noted: "{known}"{" (pinned)" if doubt.row.pinned else ""}.'
    end = f'Is it "{now}" now?' if now else "Is that over?"
    return f"{told} {end} Say yes or no, or just go on: then both stay."


def questions(
    held: Sequence[Held], doubts: Sequence[Doubt], turn_id: int, zone: tzinfo | None
) -> list[FactAsked | ChangeAsked]:  # fmt: skip
    """The first question, which holds those that come after it; none for none. What is held back is asked first."""
    facts = [
        FactAsked(_of_fact(one), facts=one.facts, sql=one.sql, subjects=one.subjects, turn_id=turn_id) for one in held
    ]
    after: list[FactAsked | ChangeAsked] = [*facts, *asked(doubts, turn_id, zone)]
    first = after[:1]
    return [replace(one, others=tuple(after[1:])) if isinstance(one, FactAsked) else one for one in first]


def _of_fact(held: Held) -> str:
    fact = f'"{" ".join(held.facts)}"' if held.facts else "that it is over"
    return f"That line holds words of somebody else. Shall I remember {fact}? Say yes, or just go on: then it isn't."
