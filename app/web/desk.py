"""One person's window: a controller, what it shows, and the thread in which it works.

A reply goes on when the window is closed or the network fails: the page only looks on.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field

from ...memory.errors import ChatmemError, InputError, NotFound
from ...memory.values import ASSISTANT, Memory, Session, User
from .. import events as e
from ..chips import TurnChips, chips_of_session
from ..controller import Controller
from ..failures import explain
from ..panels import Why, last_why
from ..standing import Standing, models_in_short
from ..standing import after as standing_after
from .seats import Seated
from .transcript import Said, after, of_turns, up_to_last_line

DELETE = "delete-session"
PACE = 0.1
"""Seconds between two looks at a reply that is being written."""
SESSIONS_BEFORE, LINES_BEFORE = 10, 50
"""How far the lines reach back that a new window offers to say again."""
BUSY = "A reply is being written; stop it first, or wait for its end."


@dataclass
class Seen:
    """The rows of memory that a window was shown last, and those that flash now: id to mark and when."""

    rows: dict[int, Memory] | None = None
    fresh: dict[int, tuple[str, float]] = field(default_factory=dict)
    words: str = ""


class Desk:
    """A controller with its transcript. `version` grows with each change of what is shown."""

    def __init__(self, chat: Controller, seated: Seated) -> None:
        self.chat, self.seated = chat, seated
        self.said: list[Said] = []
        self.chips: dict[int, TurnChips] = {}
        self.asked: e.Asked | None = None
        self.standing = Standing(incognito=chat.incognito)
        self.unkept = False
        """The line at hand was not kept: whoever typed it should not have to type it again."""
        self.version = 0
        self.seen = Seen()
        self.used_at = time.monotonic()
        self.closing = self._kept = False
        self._read: tuple[int, tuple[int, int]] | None = None
        """The state of the file and of this user's journal when the chips were read."""
        self._changed = threading.Condition()
        self._job: threading.Thread | None = None
        chat.subscribe(self._in_background)

    @property
    def user(self) -> User:
        return self.chat.user

    @property
    def name(self) -> str:
        """The name to sign in with, and the one that they go by."""
        chat, called = self.chat, ""
        with suppress(ChatmemError):  # the memory is locked: the name to sign in with will do
            called = "" if chat.incognito else chat.user.called or ""
        return f"{chat.name} ({called})" if called and called.casefold() != chat.name.casefold() else chat.name

    @property
    def models(self) -> str:
        """Which models are at work ("": none yet; they load while the first line is typed)."""
        return models_in_short(self.seated.specs)

    @property
    def busy(self) -> bool:
        return self._job is not None and self._job.is_alive()

    def begin(self) -> None:
        """Takes up the lines that a crash or a failing model left waiting."""
        for event in self.chat.start():
            self._show(event)

    def submit(self, line: str) -> None:
        """Does what a line asks for, in a thread. Raises InputError while another is being answered."""
        self.run(lambda: self.chat.submit(line))

    def retry(self, text: str | None = None) -> None:
        """Another reply to the last line, or to `text` in its place. What was written from the line is undone first."""
        if self.chat.last_exchange()[0] is None:
            raise InputError("There is no line to answer again yet; say something first.")
        self.run(lambda: self._again(text))

    def _again(self, text: str | None) -> Iterator[e.Event]:
        shown = next((one for one in reversed(self.said) if one.role == "user"), None)
        first = True
        for event in self.chat.submit(f"/edit {text}" if text else "/regenerate"):
            if first and not isinstance(event, (e.Failed, e.Waiting)):
                first = False
                self.said = up_to_last_line(self.said)
                if shown and not isinstance(event, e.TurnSaved):
                    self.said.append(Said("user", text or shown.text, shown.turn_id))
            yield event

    def run(self, source: Callable[[], Iterable[e.Event]]) -> None:
        with self._changed:
            if self.busy:
                raise InputError(BUSY)
            self.asked, self.used_at, self.unkept = None, time.monotonic(), False
            self._kept = False
            self._job = threading.Thread(target=self._work, args=(source,), name="chatmem-web", daemon=True)
            self._job.start()

    def follow(self) -> Iterator[None]:
        """Goes on whenever there is something new to show, until the job is over."""
        seen = -1
        while True:
            busy = self.busy
            if self.version != seen:
                seen = self.version
                yield
                time.sleep(PACE)
            if not busy:
                return
            with self._changed:
                self._changed.wait_for(lambda at=seen: self.version != at or not self.busy, 0.5)  # type: ignore[misc]

    def finish(self, timeout: float | None = None) -> None:
        """Waits until the job is over."""
        if self._job is not None:
            self._job.join(timeout)

    def stop(self) -> bool:
        return self.chat.stop()

    def refresh(self) -> None:
        """Reads the chips again, as after an undo."""
        session = self.chat.session
        self.chips = {}
        self._read = None if self.chat.incognito else self._state()
        if session is not None and not self.chat.incognito:
            self.chips = chips_of_session(self.chat.store, self.user.id, session.id)
        self.touch()

    def reload(self) -> None:
        """Shows what the database holds of this session, as after a forget."""
        session = self.chat.session
        self.said = [] if session is None else of_turns(self.chat.store.turns(session.id))
        self.refresh()

    def notice(self) -> None:
        """Takes up what another window or program wrote or forgot: chips, name and transcript are read again."""
        chat = self.chat
        if chat.incognito:
            return
        before, version = self._read, chat.store.version()
        if before is not None and before[0] == version:
            return
        now = self._state()
        if before is not None and before[1] == now[1]:
            self._read = now
            return
        chat.set_user(chat.store.user(chat.name))
        if before is not None and now[1][1] < before[1][1]:  # something was forgotten, perhaps with its lines
            self.reload()
        else:
            self.refresh()

    def _state(self) -> tuple[int, tuple[int, int]]:
        return self.chat.store.version(), self.chat.store.writes(self.user.id)

    def check_session(self) -> None:
        """A session that was deleted elsewhere is left: the next line begins a new one."""
        session = self.chat.session
        if session is None or self.chat.incognito:
            return
        with suppress(NotFound):
            self.chat.store.session(session.id, user_id=self.user.id)
            return
        self.chat.forget_everything()
        self.said, self.chips = [], {}

    def new_session(self) -> None:
        if self.busy:
            raise InputError(BUSY)
        with suppress(NotFound):
            self.chat.end_session()
        self.chat.forget_everything()
        self.said, self.chips, self.asked = [], {}, None
        self.touch()

    def resume(self, session_id: int) -> None:
        if self.busy:
            raise InputError(BUSY)
        self.check_session()
        for event in self.chat.resume(session_id):
            self._show(event)
        self.reload()

    def ask_to_delete(self, session: Session) -> None:
        """Asks before a session is deleted; `answer` does it."""
        lines = f"{session.turns} lines (its memories stay)"
        self.asked = e.Asked(
            f"Delete session {session.title or session.id} with its {lines}?", f"{DELETE} {session.id}"
        )
        self.touch()

    def answer(self, yes: bool) -> None:
        """The answer to what was asked."""
        asked, self.asked = self.asked, None
        self.touch()
        if asked is None or not yes:
            return
        word, _, key = asked.command.partition(" ")
        if word != DELETE:
            self.submit(asked.command)
            return
        current = self.chat.session
        if current is not None and current.id == int(key):
            self.new_session()
        self.chat.store.delete_session(int(key), user_id=self.user.id)
        self.refresh()

    def lines_before(self) -> list[str]:
        """The user's last lines, oldest first; none in incognito."""
        if self.chat.incognito:
            return []
        store, said = self.chat.store, list[str]()
        for session in store.sessions(self.user.id, limit=SESSIONS_BEFORE):
            turns = store.turns(session.id, limit=2 * LINES_BEFORE)
            said = [turn.text for turn in turns if turn.speaker != ASSISTANT] + said
            if len(said) >= LINES_BEFORE:
                break
        return said[-LINES_BEFORE:]

    def why(self) -> Why | None:
        """What the last reply was built on."""
        return last_why(self.chat)

    def note(self, turn_id: int, text: str) -> None:
        """A word of the program's own, after all else that belongs to a line."""
        with self._changed:
            places = [at for at, one in enumerate(self.said, 1) if one.turn_id == turn_id]
            self.said.insert(places[-1] if places else len(self.said), Said("note", text, turn_id))

    def touch(self) -> None:
        with self._changed:
            self.version += 1
            self._changed.notify_all()

    def close(self) -> None:
        """Remembers what is to be remembered, ends the session and lets go of the models."""
        self.closing = True
        self.finish(300.0)
        self.chat.wait(300.0)
        with suppress(ChatmemError):
            self.chat.end_session()
        self.chat.close(60.0)

    def _work(self, source: Callable[[], Iterable[e.Event]]) -> None:
        try:
            self.check_session()
            for event in source():
                self._show(event)
                if isinstance(event, e.Left):
                    for last in self.chat.bye():
                        self._show(last)
        except ChatmemError as error:
            self._show(e.Failed(str(error)))
        except Exception as error:  # noqa: BLE001 - the edge of this thread: the page must live on, and say it
            self._show(e.Failed(explain(error, ["web"], os.environ)[0]))
        self._job = None
        self.touch()

    def _in_background(self, event: e.Event) -> None:
        """From the storage worker, which must go on whatever happens here."""
        try:
            self._show(event)
        except ChatmemError as error:
            self.said = after(self.said, e.Failed(str(error)))
            self.touch()

    def _show(self, event: e.Event) -> None:
        with self._changed:
            self.standing = standing_after(self.standing, event)
            if isinstance(event, e.Asked):
                self.asked = event
            self.said = after(self.said, event)
            self._kept = self._kept or isinstance(event, e.TurnSaved)
            self.unkept = self.unkept or (isinstance(event, e.Failed) and not self._kept)
        if isinstance(event, e.Forgotten):
            self.chat.set_user(self.chat.store.user(self.chat.name))
            notes = [self.said[-1]]
            self.reload()
            self.said += notes
        if isinstance(event, e.SessionStarted) and event.resumed:
            self.reload()
        elif isinstance(event, (e.MemoryWritten, e.SessionStarted, e.IncognitoChanged, e.UserChanged, e.TurnSaved)):
            self.refresh()
        self.touch()
