"""The chat without a face: lines in, events out. Every front end is a view over one `Controller`.

A front end calls `submit` for each line and shows the events, `stop` when the user wants the reply to end, `subscribe`
to learn what the storage worker wrote meanwhile, and `bye` (or `leave`) and `close` at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from ..memory.errors import ChatmemError
from .chat import forgetting, talk
from .chat.roles import AgentsSource
from .chat.slash import registry
from .chat.state import ChatState
from .chat.yes_no import asked_next, told_after_all
from .config.safe_text import typed
from .config.settings import Settings
from .shown.choices import agreed
from .shown.events import Event, Failed, Notice, SessionEnded, Waiting

if TYPE_CHECKING:
    from ..memory.store.store import Store
    from ..memory.values import Recall, Session, Turn, User
    from .chat.worker import StorageWorker

BARE_COMMANDS = ("bye", "reset")
"""Commands without a slash, only as the whole line."""


def is_command(line: str) -> bool:
    """Whether a line is a command (`/help`, bare `bye` or `reset`) and no talk."""
    line = line.strip()
    return line.casefold() in BARE_COMMANDS or (line.startswith("/") and not line.startswith("//"))


def says_anew(line: str) -> bool:
    """Whether a line asks for another reply to the line before, or gives other words for it."""
    word = line.strip().partition(" ")[0].removeprefix("/").lower()
    return is_command(line) and registry.ALIASES.get(word, word) in ("regenerate", "edit")


class Controller:
    """One user's chat. Not for several threads at once, save for `stop`, `subscribe`, `wait` and `hurry`.

    `open_store` is called at the first need, so that a chat begun in incognito does not even open the database.
    `shares_store`: the store outlives this chat. `closed`: slash commands that are not offered here, each with the
    sentence that says why.
    """

    def __init__(
        self, open_store: Callable[[], Store], agents: AgentsSource, settings: Settings, *,
        incognito: bool = False, shares_store: bool = False, closed: Mapping[str, str] | None = None,
    ) -> None:  # fmt: skip
        self.state = ChatState(open_store, agents, settings, self._emit, incognito=incognito, closed=closed)
        self._shares_store = shares_store
        self._listeners: list[Callable[[Event], None]] = []

    # What happens

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
        line = typed(text).strip()
        if not line:
            return
        state = self.state
        offered, state.offered = state.offered, None
        said = "" if is_command(line) else line.removeprefix("/")
        try:
            answer = forgetting.answers(state, said, offered) if said else None
            goes_on = answer is not None or forgetting.goes_on(line, offered)
            half = answer is not None and state.offered is offered  # it may be talk, and stays where it was typed
            state.wished = (*(state.wished if goes_on else ()), *(() if half else (line,)))
            if said:
                yield from answer or talk.talk(state, said, offered)
                refused = offered is not None and state.offered is None and agreed(offered, said) is False
                yield from told_after_all(state, offered if refused else None)
                yield from asked_next(state)
            else:
                yield from told_after_all(state, None if goes_on else offered)
                yield from registry.run(state, line if line.startswith("/") else "/" + line.casefold())
        except ChatmemError as error:
            yield Failed(str(error))
        finally:
            state.at_hand = 0
            if state.offered is None:
                state.wished = ()

    def declined(self) -> None:
        """What was asked was answered by no: the next line answers nothing, but for what waited to be asked."""
        offered, self.state.offered, self.state.wished = self.state.offered, None, ()
        with suppress(ChatmemError):
            for event in (*told_after_all(self.state, offered), *asked_next(self.state)):
                self._emit(event)

    def stop(self) -> bool:
        """Stops the reply that is being written, if there is one. Safe in a signal handler and from any thread."""
        pump = self.state.pump
        if pump is None:
            return False
        pump.stop()
        return True

    def subscribe(self, listener: Callable[[Event], None]) -> None:
        """`listener` gets what the storage worker did, in its thread."""
        self._listeners.append(listener)

    def wait(self, timeout: float | None = None) -> bool:
        """True when every line so far has been turned into memories; False after `timeout` seconds."""
        return self.state.wait(timeout)

    def _emit(self, event: Event) -> None:
        for listener in self._listeners:
            listener(event)

    # The end

    def bye(self) -> Iterator[Event]:
        """Waits until every line is turned into memories, telling how many are left, tidies, and ends the session."""
        with suppress(ChatmemError):
            yield from told_after_all(self.state, self.state.offered)
        hurried, self.state.offered = self.state.hurried, None
        while not hurried.is_set() and not self.wait(0.5):
            yield Waiting(self.worker.waiting)
        if not hurried.is_set():
            yield from self._tidy()
        yield from self.leave()

    def hurry(self) -> None:
        """Cuts `bye` short, from any thread: it waits for no line any more, and tidying ends with the step it is at."""
        self.state.hurried.set()

    def _tidy(self) -> Iterator[Event]:
        """At the end of a chat, where the settings ask for it: a small run of the editor."""
        if not self.settings.tidy_at_bye or self.incognito or self.session is None:
            return
        from .chat.slash import tidy

        try:
            yield from tidy.tidied_at_bye(self.state)
        except ChatmemError as error:  # a model that can't be had must not keep anybody from leaving
            yield Failed(str(error))

    def leave(self) -> Iterator[Event]:
        """Ends the session at once; lines that wait are kept for the next start."""
        try:
            waiting = self._unread()
            session_id = self.end_session()
        except ChatmemError as error:
            yield Failed(str(error))
            return
        yield SessionEnded(session_id, waiting)

    def _unread(self) -> int:
        """Lines of this chat that are not turned into memories: what a worker that is at its last one has, and what
        was interrupted before it came to the worker. The database knows, for the worker may just have ended one."""
        here, session = self.worker.turn_ids, self.session
        if self.incognito or (not here and session is None):
            return len(here)
        pending = self.store.queue.pending(self.user.id)
        return sum(turn.id in here or (session is not None and turn.session_id == session.id) for turn in pending)

    def settle(self, timeout: float) -> bool:
        """Begins no further line, and lets the one that is being remembered come to its end; False when it is still
        at work after `timeout` seconds."""
        return self.worker.settle(timeout)

    def close(self, timeout: float = 5.0) -> bool:
        """Lets go of threads, models and database; False when a model is still at work after `timeout` seconds."""
        self.stop()
        ended = self.worker.close(timeout)
        if ended:
            self.agents.close()
            if not self._shares_store:
                self.state.close_store()
        return ended

    # How the chat stands (see `ChatState`)

    @property
    def settings(self) -> Settings:
        return self.state.settings

    @settings.setter
    def settings(self, settings: Settings) -> None:
        self.state.settings = settings

    @property
    def agents(self) -> AgentsSource:
        return self.state.agents

    @property
    def worker(self) -> StorageWorker:
        return self.state.worker

    @property
    def incognito(self) -> bool:
        return self.state.incognito

    @property
    def session(self) -> Session | None:
        return self.state.session

    @property
    def last_recall(self) -> Recall | None:
        return self.state.last_recall

    @property
    def store(self) -> Store:
        """The memory, opened at the first need. Raises StoreError."""
        return self.state.store

    @property
    def name(self) -> str:
        """The user's name, without asking the database."""
        return self.state.name

    @property
    def user(self) -> User:
        """Whose memory it is. Raises StoreError."""
        return self.state.user

    def set_user(self, user: User) -> None:
        """Takes over what the database holds of a user, as after a change by hand."""
        self.state.set_user(user)

    def set_incognito(self, on: bool) -> Iterator[Event]:
        """Into or out of incognito."""
        return self.state.set_incognito(on)

    def resume(self, session_id: int) -> Iterator[Event]:
        """Goes on in an earlier session. Raises NotFound."""
        return self.state.resume(session_id)

    def end_session(self) -> int | None:
        """Ends the session, if one is open; its id."""
        return self.state.end_session()

    def read_recent(self) -> None:
        """Takes over what was said in this session elsewhere."""
        self.state.read_recent()

    def last_exchange(self) -> tuple[Turn | None, Turn | None]:
        """The user's last line of this session and the reply to it (None: there was none)."""
        return self.state.last_exchange()

    def retry_pending(self) -> int:
        """Hands the worker the lines that are not turned into memories yet; how many there are."""
        return self.state.retry_pending()

    def forget_everything(self) -> None:
        """After the user's memory is gone: nothing of it stays in this process either."""
        self.state.forget_everything()
