"""One person's window: a controller, what it shows, and the thread in which it works.

A reply goes on when the window is closed or the network fails: the page only looks on.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from ....memory.errors import ChatmemError, InputError, NotFound
from ....memory.values import Session, User
from ...chat.panels import Why, last_why
from ...config.failures import explain
from ...controller import Controller, is_command, says_anew
from ...shown import choices
from ...shown import events as e
from ...shown.chips import TurnChips, chips_of_session
from ...shown.hints import lines
from ...shown.status import Standing, models_in_short
from ...shown.status import after as standing_after
from .listing import RowsShown, View
from .queue import Seated
from .since import Seen, dated_turns, seen, taken_in
from .transcript import ERASED, TalkItem, after, as_typed, lines_before, meanwhile, of_turns, up_to_last_line

DELETE = "delete-session"
PACE = 0.1
"""Seconds between two looks at a reply that is being written."""
ENDING = 0.5
"""Seconds that a job is given to end of which all is shown: who clicks on what it showed isn't told to wait."""
BEGINNING = 1.0
"""Seconds that a reply is given to begin which is stopped before."""
READING = 3_600.0
"""Seconds that the lines of a window that was closed are read for: a long paste takes minutes."""
STOPPING = 5.0
"""Seconds that a reply is given to end which was stopped for a new talk."""
BUSY = "A reply is being written; stop it first, or wait for its end."


class Desk:
    """A controller with its transcript. `version` grows with each change of what is shown."""

    def __init__(self, chat: Controller, seated: Seated) -> None:
        self.chat, self.seated = chat, seated
        self.others: Callable[[], Sequence[Desk]] = tuple
        """The other windows of the same person, those that were closed and are still at work too."""
        self.said: list[TalkItem] = []
        self.chips: dict[int, TurnChips] = {}
        self.asked: e.Asked | None = None
        self.standing = Standing(incognito=chat.incognito)
        self.unkept = False
        """The line at hand was not kept: whoever typed it should not have to type it again."""
        self.version = 0
        self.seen = RowsShown()
        self.view = View()
        self.went: int | None = None
        """How often its browser went back or forward (None: a window that is new here and was not put in place)."""
        self.used_at = time.monotonic()
        self.closing = self._kept = False
        self._open: int | None = None
        """The session that was open when it was not incognito last."""
        self._read: Seen | None = None
        self._began = 0
        """How much was shown when the job at hand began."""
        self._by_line = False
        """That job, or the question that it answers, came of a line that was typed, not of a button."""
        self._changed = threading.Condition()
        self._job: threading.Thread | None = None
        chat.subscribe(self._in_background)
        chat.state.others = lambda: [other.chat.state for other in self.others()]

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

    @property
    def at_work(self) -> Desk:
        """The window whose reply is being written in the session that is shown here: this one, or another."""
        session = self.chat.session
        if self.busy or session is None or self.chat.incognito:
            return self
        return next((one for one in self.others() if one.replies_in(session.id)), self)

    def replies_in(self, session_id: int) -> bool:
        """Whether a reply is being written here in that session."""
        session, pump = self.chat.session, self.chat.state.pump
        return self.busy and pump is not None and session is not None and session.id == session_id

    @property
    def waiting(self) -> int:
        """How many lines of this person are still being remembered, wherever they were said."""
        return sum(desk.chat.worker.waiting for desk in (self, *self.others()))

    def begin(self) -> None:
        """Takes up the lines that no window is at: what a crash or a failing model left, a window that was closed, or
        one that is incognito and remembers nothing meanwhile. Nothing in incognito."""
        for event in self.chat.start():
            self._show(event, meanwhile)

    def submit(self, line: str, *, typed: bool = False) -> None:
        """Does what a line asks for, in a thread. Raises InputError while another is being answered.

        `typed`: by the user, so it is shown as their own line before what comes of it, also where it is kept nowhere.
        A bare yes or no answers a question that waits, or the word that it takes; by any other line all stays.
        """
        if self.asked is not None and (more := choices.waits(self.asked, line)):
            self._show(e.Notice(more))
            return
        if self.asked is not None and (agreed := choices.agreed(self.asked, line)) is not None:
            self.answer(agreed)
            return
        if self.at_work is not self and (not is_command(line) or says_anew(line)):
            raise InputError(BUSY)
        self.run(lambda: self.chat.submit(line), line if typed else "")

    def retry(self, text: str | None = None) -> None:
        """Another reply to the last line, or to `text` in its place. What was written from the line is undone first."""
        if self.chat.last_exchange()[0] is None:
            raise InputError("There is no line to answer again yet; say something first.")
        if self.at_work is not self:
            raise InputError(BUSY)
        self.run(lambda: self._again(text))

    def _again(self, text: str | None) -> Iterator[e.Event]:
        shown = next((one for one in reversed(self.said) if one.role == "user"), None)
        first = True
        for event in self.chat.submit(f"/edit {text}" if text else "/regenerate"):
            if first and not isinstance(event, (e.Failed, e.Waiting)):
                first = False
                self.said = up_to_last_line(self.said)
                if shown and not isinstance(event, e.TurnSaved):
                    self.said.append(TalkItem("user", text or shown.text, shown.turn_id))
            yield event

    def run(self, source: Callable[[], Iterable[e.Event]], typed: str = "", *, answers: bool = False) -> None:
        """`typed`: the line that asks for it; `answers`: it is what a question was about that is answered by yes."""
        self.be_free()
        with self._changed:
            if self.busy:
                raise InputError(BUSY)
            self.said = [*self.said, *(as_typed(typed, self.asked) if typed else ())]
            self._began, self._by_line = len(self.said) - bool(typed), bool(typed) or (answers and self._by_line)
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
        if (job := self._job) is not None:
            job.join(timeout)

    def be_free(self) -> None:
        """Waits a moment for a job that is at its end. Raises InputError while a reply is being written."""
        self.finish(ENDING)
        if self.busy:
            raise InputError(BUSY)

    def stop(self) -> bool:
        """Stops the reply that is being written, or is about to be; whether there was one."""
        job, end, stopped = self._job, time.monotonic() + BEGINNING, self.chat.stop()
        while not stopped and job is not None and job.is_alive() and time.monotonic() < end:
            time.sleep(PACE)
            stopped = job.is_alive() and self.chat.stop()  # never the reply to a line that came since
        return stopped

    def refresh(self) -> None:
        """Reads the chips again, as after an undo."""
        session = self.chat.session
        self.chips = {}
        self._read = None if self.chat.incognito else self._taken_in()
        if session is not None and not self.chat.incognito:
            self.chips = dated_turns(self.chat.store, chips_of_session(self.chat.store, self.user.id, session.id))
        if not self.chat.incognito:
            self._open = session.id if session is not None else None
        self.touch()

    def reload(self) -> None:
        """Shows what the database holds of this session, as after a forget."""
        session = self.chat.session
        self.said = [] if session is None else of_turns(self.chat.store.turns.of(session.id))
        self.refresh()

    def notice(self) -> None:
        """Takes up what another window or program wrote or forgot: chips, name and transcript are read again."""
        chat = self.chat
        if chat.incognito:
            return
        before, version = self._read, chat.store.journal.version()
        if before is not None and before.version == version:
            return
        now = self._state()
        if before is not None and replace(before, version=now.version) == now:
            self._read = now
            return
        chat.set_user(chat.store.users.get(chat.name))
        if before is not None and (now.writes[1] < before.writes[1] or now.said != before.said):
            chat.read_recent()  # something was forgotten, perhaps with its lines; or said, in another window
            self.reload()
        else:
            self.refresh()

    def _state(self) -> Seen:
        return seen(self.chat.store, self.user.id, self.chat.session)

    def _taken_in(self) -> Seen:
        return taken_in(self._read, self._state(), self.chat.store, self.chat.session, self.said)

    def check_session(self) -> None:
        """A session that was deleted elsewhere is left: the next line begins a new one."""
        session = self.chat.session
        if session is None or self.chat.incognito:
            return
        with suppress(NotFound):
            self.chat.store.sessions.get(session.id, user_id=self.user.id)
            return
        self.chat.forget_everything()
        self.said, self.chips = [], {}

    def new_session(self) -> None:
        """A new talk. A reply that is being written is stopped, and what came of it kept."""
        if self.stop():
            self.finish(STOPPING)
        self.be_free()
        with suppress(NotFound):
            self.chat.end_session()
        self.chat.forget_everything()
        self.said, self.chips, self.asked = [], {}, None
        self.refresh()

    def resume(self, session_id: int) -> None:
        self.be_free()
        self.check_session()
        for event in self.chat.resume(session_id):
            self._show(event)
        self.reload()

    def ask_to_delete(self, session: Session) -> None:
        """Asks before a session is deleted; `answer` does it."""
        told = f"{lines(session.turns)} (its memories stay)"
        self._by_line = False
        self.asked = e.Asked(f"Delete session {session.title or session.id} with its {told}?", f"{DELETE} {session.id}")
        self.touch()

    def answer(self, yes: bool, keep: str = "") -> None:
        """The answer to what was asked; `keep`: what shall stay, one of `choices.OFFERED`."""
        asked, self.asked = self.asked, None
        if asked is not None and not yes and self._by_line:
            self.said = [*self.said, TalkItem("note", choices.declined(asked))]
        self.touch()
        if asked is None or not yes:
            self.chat.declined()
            return
        word, _, key = asked.command.partition(" ")
        if word != DELETE:
            self.run(lambda: self.chat.submit(f"{asked.command} {keep}".rstrip()), answers=True)
            return
        if (current := self.chat.session) is not None and current.id == int(key):
            self.new_session()
        self.chat.store.forget.session(int(key), user_id=self.user.id)
        self.refresh()

    def lines_before(self) -> list[str]:
        """The user's last lines, oldest first; none in incognito."""
        return [] if self.chat.incognito else lines_before(self.chat.store, self.user.id)

    def why(self) -> Why | None:
        """What the last reply was built on."""
        return last_why(self.chat.state)

    def note(self, turn_id: int, text: str) -> None:
        """A word of the program's own, after all else that belongs to a line."""
        with self._changed:
            places = [at for at, one in enumerate(self.said, 1) if one.turn_id == turn_id]
            self.said.insert(places[-1] if places else len(self.said), TalkItem("note", text, turn_id))

    def touch(self) -> None:
        with self._changed:
            self.version += 1
            self._changed.notify_all()

    def close(self, shared: Callable[[], bool] = bool) -> None:
        """Remembers what is to be remembered, ends the session and lets go of the models.

        `shared`: whether another window goes on in the session, as after a reload; then it is not ended.
        """
        self.closing = True
        self.finish(300.0)
        with suppress(ChatmemError):
            list(self.chat.set_incognito(False))  # what was said before it waits no longer
        self.chat.wait(READING)
        with suppress(ChatmemError):
            if not shared():
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
        self._settle()
        self._job = None
        self.touch()

    def _settle(self) -> None:
        """What this window said itself is no news to it. A line that is kept nowhere, and of which nothing came that
        is told, was an answer."""
        if self.asked is None and self.said and self.said[-1].role == "wish":
            self.said = self.said[:-1]
        if self._kept and self._read is not None and not self.chat.incognito:
            with suppress(ChatmemError):  # the memory is locked: then it is read again, and shown the same
                self._read = replace(self._read, said=self._taken_in().said)

    def _come_back(self) -> None:
        """Out of incognito, to the session that was open before; what was said in between is gone."""
        if self._open is None or self.chat.session is not None:
            return
        notes = self.said[-1:]
        with suppress(NotFound):  # it was deleted meanwhile
            for event in self.chat.resume(self._open):
                self._show(event)
            self.said += notes

    def _in_background(self, event: e.Event) -> None:
        """From the storage worker, which must go on whatever happens here."""
        try:
            self._show(event, meanwhile)
        except ChatmemError as error:
            self.said = meanwhile(self.said, e.Failed(str(error)))
            self.touch()

    def _show(self, event: e.Event, shown: Callable[[list[TalkItem], e.Event], list[TalkItem]] = after) -> None:
        with self._changed:
            self.standing = standing_after(self.standing, event)
            if isinstance(event, e.Asked):
                self.asked = event
            if isinstance(event, e.SessionStarted) and any(one.turn_id for one in self.said):
                self.said = self.said[self._began :]  # what is shown of another session ends here
            self.said = shown(self.said, event)
            self._kept = self._kept or isinstance(event, e.TurnSaved)
            self.unkept = self.unkept or (isinstance(event, e.Failed) and not self._kept)
        if isinstance(event, e.Forgotten):
            self.chat.set_user(self.chat.store.users.get(self.chat.name))
            notes = [TalkItem("wish", ERASED)] * self._by_line + self.said[-1:]
            self.reload()
            self.said += notes
        if isinstance(event, e.IncognitoChanged) and not event.on:
            self._come_back()
            self.begin()
        if isinstance(event, e.SessionStarted) and event.resumed:
            self.reload()
        elif isinstance(
            event, (e.MemoryWritten, e.Quoted, e.SessionStarted, e.IncognitoChanged, e.UserChanged, e.TurnSaved)
        ):
            self.refresh()
        self.touch()
