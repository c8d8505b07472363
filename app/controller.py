"""The chat without a face: lines in, events out. Every front end is a view over one `Controller`.

A front end calls `submit` for each line and shows the events, `stop` when the user wants the reply to end, `subscribe`
to learn what the storage worker wrote meanwhile, and `bye` and `close` at the end.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from ..memory.errors import ChatmemError, InputError
from ..memory.question import stands_alone
from ..memory.values import ASSISTANT, Moment, Recall, Session, Turn, TurnStatus, User
from . import slash, talk
from .events import Event, Failed, IncognitoChanged, Notice, SessionEnded, SessionStarted, UserChanged, Waiting
from .ports import AgentsSource
from .settings import Settings
from .streaming import Pump
from .texts import one_line, storable
from .tidying import Plan
from .worker import Job, StorageWorker

if TYPE_CHECKING:
    from ..memory.store import Store
    from ..memory.values import StorageState
    from ..models.lm import Chunk

BARE_COMMANDS = ("bye", "reset")
"""Commands without a slash, only as the whole line."""
LONGEST_NAME = 64


class Controller:
    """One user's chat. Not for several threads at once, save for `stop`, `subscribe` and `wait`.

    `open_store` is called at the first need, so that a chat begun in incognito does not even open the database.
    `shares_store`: the store outlives this chat. `closed`: slash commands that are not offered here, each with the
    sentence that says why.
    """

    def __init__(
        self, open_store: Callable[[], Store], agents: AgentsSource, settings: Settings, *,
        incognito: bool = False, shares_store: bool = False, closed: Mapping[str, str] | None = None,
    ) -> None:  # fmt: skip
        self.settings, self.agents, self.incognito = settings, agents, incognito
        self.session: Session | None = None
        self.recent: list[Turn] = []
        self.last_recall: Recall | None = None
        self.last_user: User | None = None
        """Under which name the last reply was asked for."""
        self.pump: Pump[Event | Chunk] | None = None
        self.attempts = 0
        self.closed = closed or {}
        self._shares_store = shares_store
        self._open_store = open_store
        self._opened: Store | None = None
        self._opening = threading.Lock()
        self._name = valid_name(settings.user)
        self._user: User | None = None
        self._listeners: list[Callable[[Event], None]] = []
        self.worker = StorageWorker(lambda: self.store, agents, self._emit, settings.line_chars)

    # What front ends call

    def start(self, resume: int | None = None) -> Iterator[Event]:
        """Takes up session `resume`, and tries again the lines that a crash or a failing model left waiting."""
        try:
            if resume is not None:
                yield from self.resume(resume)
            if not self.incognito:
                count = self.retry_pending()
                if count:
                    yield Notice(f"Lines from before that are being remembered only now: {count}.")
        except ChatmemError as error:
            yield Failed(str(error))

    def submit(self, text: str) -> Iterator[Event]:
        """Does what a line asks for: a command (`/help`, bare `bye` or `reset`) or talk. Never raises ChatmemError."""
        line = storable(text).strip()
        if not line:
            return
        try:
            if line.casefold() in BARE_COMMANDS:
                yield from slash.run(self, "/" + line.casefold())
            elif line.startswith("/") and not line.startswith("//"):
                yield from slash.run(self, line)
            else:
                yield from talk.talk(self, line.removeprefix("/"))
        except ChatmemError as error:
            yield Failed(str(error))

    def stop(self) -> bool:
        """Stops the reply that is being written, if there is one. Safe in a signal handler and from any thread."""
        pump = self.pump
        if pump is None:
            return False
        pump.stop()
        return True

    def subscribe(self, listener: Callable[[Event], None]) -> None:
        """`listener` gets what the storage worker did, in its thread."""
        self._listeners.append(listener)

    def wait(self, timeout: float | None = None) -> bool:
        """True when every line so far has been turned into memories; False after `timeout` seconds."""
        return self.worker.wait(timeout)

    def bye(self) -> Iterator[Event]:
        """Waits until every line is turned into memories, telling how many are left, and ends the session."""
        while not self.wait(0.5):
            yield Waiting(self.worker.waiting)
        yield from self._tidy()
        yield from self.leave()

    def _tidy(self) -> Iterator[Event]:
        """At the end of a chat, where the settings ask for it: a small run of the editor."""
        if not self.settings.tidy_at_bye or self.incognito or self.session is None:
            return
        from . import slash_tidy

        try:
            yield from slash_tidy.tidied(self, Plan(self.settings.tidy_at_bye, slash_tidy.SECONDS / 2))
        except ChatmemError as error:  # a model that can't be had must not keep anybody from leaving
            yield Failed(str(error))

    def leave(self) -> Iterator[Event]:
        """Ends the session at once; lines that wait are kept for the next start."""
        waiting = self.worker.waiting
        try:
            session_id = self.end_session()
        except ChatmemError as error:
            yield Failed(str(error))
            return
        yield SessionEnded(session_id, waiting)

    def close(self, timeout: float = 5.0) -> bool:
        """Lets go of threads, models and database; False when a model is still at work after `timeout` seconds."""
        self.stop()
        ended = self.worker.close(timeout)
        if ended:
            self.agents.close()
            if self._opened is not None and not self._shares_store:
                self._opened.close()
        return ended

    # What the commands and the talk are made of

    @property
    def store(self) -> Store:
        """The memory, opened at the first need. Raises StoreError."""
        with self._opening:
            if self._opened is None:
                self._opened = self._open_store()
            return self._opened

    @property
    def name(self) -> str:
        """The user's name, without asking the database."""
        return self._name

    @property
    def user(self) -> User:
        """Whose memory it is; in incognito a mere name that the database is not asked about."""
        if self.incognito:
            return User(0, self._name)
        if self._user is None:
            self._user = self.store.user(self._name)
        return self._user

    def set_user(self, user: User) -> None:
        self._name, self._user = user.name, user

    def now(self) -> Moment:
        if self.incognito:
            return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        return self.store.now()

    def ensure_session(self, first_line: str) -> Iterator[Event]:
        """A session is made by its first line, so that an empty chat leaves none behind."""
        if self.session is None and not self.incognito:
            self.session = self.store.start_session(self.user.id, title=one_line(first_line, 60))
            yield SessionStarted(self.session, self.user)

    def keep(
        self, speaker: str, text: str, *, status: TurnStatus = "complete", storage: StorageState = "skipped"
    ) -> Turn:
        """The turn, committed; in incognito a turn that only this process knows."""
        if self.incognito or self.session is None:
            return Turn(0, 0, 0, speaker, text, self.now(), status)
        return self.store.add_turn(self.session.id, speaker, text, status=status, storage=storage)

    def remember_recent(self, *turns: Turn | None) -> None:
        self.recent += [turn for turn in turns if turn is not None]
        del self.recent[: -max(2, self.settings.recent_turns)]

    def recent_for(self, turn: Turn) -> Sequence[Turn]:
        """The latest turns that belong before this line in the prompt: none before a question that needs none."""
        if not self.settings.recent_turns or (stands_alone(turn.text) and not self.incognito):
            return ()
        before = self.recent[: self.recent.index(turn)] if turn in self.recent else self.recent
        return before[-self.settings.recent_turns :]

    def last_exchange(self) -> tuple[Turn | None, Turn | None]:
        """The user's last line of this session and the reply to it (None: there was none)."""
        reply = self.recent[-1] if self.recent and self.recent[-1].speaker == ASSISTANT else None
        before = self.recent[:-1] if reply else self.recent
        return (before[-1] if before and before[-1].speaker != ASSISTANT else None), reply

    def drop_last_exchange(self) -> None:
        turn, reply = self.last_exchange()
        del self.recent[len(self.recent) - sum(part is not None for part in (turn, reply)) :]

    def undo_writes_of(self, turn: Turn) -> None:
        """Takes back what was written from a turn. Raises InputError when a later change stands on it."""
        if self.store.turn_writes(turn.id, user_id=self.user.id):
            self.store.undo_turn(turn.id, user_id=self.user.id)
            self.read_name()

    def read_name(self) -> None:
        """After an undo or a redo, which may have given the user another name."""
        self.set_user(self.store.user(self.name))

    def resume(self, session_id: int) -> Iterator[Event]:
        """Goes on in an earlier session; its latest turns are in the prompt again."""
        session = self.store.session(session_id, user_id=self.user.id)
        self.end_session()
        self.session = self.store.resume_session(session.id)
        self.recent = self.store.turns(session.id, limit=max(2, self.settings.recent_turns))
        yield SessionStarted(session, self.user, resumed=True)

    def end_session(self) -> int | None:
        """Ends the session, if one is open; its id."""
        ended = self.session
        self.session, self.recent, self.last_recall, self.attempts = None, [], None, 0
        if ended is not None:
            self.store.end_session(ended.id)
        return ended.id if ended else None

    def switch_user(self, name: str) -> Iterator[Event]:
        name = valid_name(name)
        self.end_session()
        self._name, self._user = name, None
        yield UserChanged(self.user)
        if not self.incognito:
            self.retry_pending()

    def set_incognito(self, on: bool) -> Iterator[Event]:
        """Into or out of incognito; what is said there is gone from the prompt on the way out."""
        if on != self.incognito:
            while not self.wait(0.5):  # what was said before is still to be remembered
                yield Waiting(self.worker.waiting)
            self.end_session()
            self.incognito = on
        yield IncognitoChanged(on)

    def retry_pending(self) -> int:
        """Hands the worker the lines that are not turned into memories yet; how many there are."""
        pending = self.store.pending_turns(self.user.id)
        for turn in pending:
            following = [t for t in self.store.turns(turn.session_id) if t.id > turn.id][:1]
            replies = [t for t in following if t.speaker == ASSISTANT]
            self.worker.put(Job(self.user, (turn, *replies)))
        return len(pending)

    def forget_everything(self) -> None:
        """After the user's memory is gone: nothing of it stays in this process either."""
        self.session, self.recent, self.last_recall, self._user = None, [], None, None

    def _emit(self, event: Event) -> None:
        for listener in self._listeners:
            listener(event)


def valid_name(name: str) -> str:
    """A user's name as given, trimmed. Raises InputError for one that is empty, too long or not printable."""
    trimmed = name.strip()
    if not trimmed or len(trimmed) > LONGEST_NAME or not trimmed.isprintable():
        raise InputError(f"{one_line(name, 40)!r} can't be a user's name; take 1 to {LONGEST_NAME} letters.")
    return trimmed
