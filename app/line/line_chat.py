"""`chatmem chat`: the controller in line mode, on a terminal or in a pipe."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Protocol

from ... import __version__
from ..chat.models import AgentLoader
from ..config.logs import log_to
from ..config.safe_text import one_line
from ..context import Context, say
from ..controller import Controller
from ..shown import events as e
from ..shown.choices import AGAIN, declined, passed_over
from ..shown.render import Printer
from . import ctrl_c
from .input import Lines, PipeLines, TerminalLines, at_terminal
from .thinking import Thinking

UNANSWERED = "Nothing was done: no terminal to ask at, no line that says yes or no after it, and no --yes."
UNTYPED = "Nothing was done: no terminal to ask at, no line that is “{}” after it, and no --yes."
BEGINNING, LATE = 50, 8
"""Letters of a line by which what came of it late is told, and lines of which something may still come."""
LEAVE_SECONDS = 3.0
"""How long a model that is at work may hold up an interrupted leave; its line is kept for the next start."""


@dataclass(frozen=True, slots=True)
class ChatOptions:
    """What the command line asked of this chat."""

    resume: int | None = None
    incognito: bool = False
    json: bool = False
    yes: bool = False
    quiet: bool = False


class View(Protocol):
    """Where events are shown."""

    def show(self, event: e.Event) -> None: ...

    def working(self, on: bool) -> None:
        """Something is being done of which nothing is shown yet; or (not `on`) it is over."""
        ...


class JsonView:
    """Each event as one JSON line on stdout."""

    def working(self, on: bool) -> None:
        return

    def show(self, event: e.Event) -> None:
        print(json.dumps(e.as_dict(event), ensure_ascii=False), flush=True)


class TextView:
    """Replies and chips on stdout; what went wrong, and in a pipe every notice too, on stderr."""

    def __init__(self, color: str, *, quiet: bool, terminal: bool) -> None:
        self._page = Printer(color=color)
        self._aside = self._page if terminal else Printer(aside=True, color=color)
        self._quiet = quiet
        self._open_line = False
        self._waiting: e.Event | None = None
        self._thinking = Thinking() if terminal else None
        self._said: dict[int, str] = {}
        self._shown_for: int | None = None

    def working(self, on: bool) -> None:
        if self._thinking is not None:
            (self._thinking.begin if on else self._thinking.end)()

    def show(self, event: e.Event) -> None:
        if isinstance(event, e.TurnSaved):
            self._said = {**dict(list(self._said.items())[-LATE:]), event.turn.id: event.turn.text}
            self._shown_for = event.turn.id
        elif isinstance(event, e.Forgotten):
            self._said.clear()
        if self._thinking is not None:
            if isinstance(event, ON_THE_WAY):
                self._thinking.begin()
                return
            self._thinking.end()
        if isinstance(event, e.ReplyThought):
            return
        if isinstance(event, e.ReplyChunk):
            self._page.stream(event.text)
            self._open_line = True
            return
        self.end_line()
        if isinstance(event, e.Waiting) and event == self._waiting:
            return
        self._waiting = event
        if isinstance(event, ASIDE):
            if not self._quiet or isinstance(event, (e.Failed, e.Asked)) or _warns(event):
                self._aside.event(event)
        elif not self._quiet or isinstance(event, ANSWERS):
            self._of_which_line(getattr(event, "turn_id", None))
            self._page.event(event)

    def _of_which_line(self, turn_id: int | None) -> None:
        """What came of a line after the next one was typed is shown under its beginning, once."""
        if turn_id in self._said and turn_id != self._shown_for:
            self._shown_for = turn_id
            self._page.line(f"  of “{one_line(self._said[turn_id], BEGINNING)}”:", "dim")

    def end_line(self) -> None:
        if self._open_line:
            self._page.end_stream()
            self._open_line = False


ON_THE_WAY = (e.TurnSaved, e.Recalled, e.ReplyStarted, e.ReplyThought)
"""Events before the first word of a reply; none of them is shown as a line."""
ASIDE = (e.Failed, e.Notice, e.Asked, e.Waiting, e.SessionEnded, e.SessionStarted, e.IncognitoChanged)
ANSWERS = (e.Listed, e.MemoriesListed, e.Explained, e.Forgotten)


def _warns(event: e.Event) -> bool:
    return isinstance(event, e.Notice) and event.level == "warning"


class Chat:
    """One chat: reads lines and shows events."""

    def __init__(self, controller: Controller, view: View, source: Lines, *, yes: bool, wait: bool) -> None:
        self._c, self._view, self._source, self._yes, self._wait = controller, view, source, yes, wait
        self._showing = threading.RLock()
        self._busy = False
        self._leaving = False
        self._asking = False
        self._late: list[e.Event] = []
        self._questions: list[e.Event] = []
        self.failed = self.at_work = False
        controller.subscribe(self._in_background)

    def run(self, resume: int | None) -> int:
        """Until the user leaves: 0, 130 when Ctrl+C ended it, or 1 where a pipe's session isn't there."""
        with ctrl_c.interrupts(self._c.stop, lambda: self._leaving or self._source.leaves()):
            try:
                with self._source.quiet():
                    self._all(self._c.start(resume))
                    if resume is not None and self._c.session is None and not self._source.asks:
                        return 1  # its lines are meant for that session, and for no other
                    while (line := self._source.read()) is not None and not self._do(line):
                        pass
                    self._leaving = True
                    self._all(self._c.bye())
            except KeyboardInterrupt:
                ctrl_c.ignore()
                rest = self._source.untaken()
                self.at_work = not self._c.settle(LEAVE_SECONDS)  # what is kept is told when it is known
                self._all(self._c.leave())
                if rest:
                    say(rest)
                return 130
        return 0

    def _do(self, line: str) -> bool:
        """One line; True when the user wants to leave."""
        with self._one_question():
            asked, left = self._all(self._c.submit(line), asked_for=True)
            if asked is not None:
                self._ask(asked)
        if self._wait and not left:
            self._c.wait()
        return left

    def _ask(self, asked: e.Asked) -> None:
        with self._undisturbed():
            agreed = self._yes or self._source.confirm(asked)
        again = AGAIN.format(asked.again)
        if agreed:
            self._all(self._c.submit(asked.command), asked_for=True)
        elif agreed is None and not self._source.asks:
            self._show(e.Failed(f"{UNTYPED.format(asked.word) if asked.word else UNANSWERED} {again}"))
        else:
            if agreed is not None:
                self._c.declined()
            self._show(e.Notice(declined(asked) if agreed is not None else passed_over(asked)))

    def _all(self, happening: Iterable[e.Event], *, asked_for: bool = False) -> tuple[e.Asked | None, bool]:
        """`asked_for`: by a line, so that whoever typed it sees that something is being done."""
        asked, left = None, False
        with self._undisturbed():
            self._view.working(asked_for)
            try:
                for event in happening:
                    asked = event if isinstance(event, e.Asked) else asked
                    left = left or isinstance(event, e.Left)
                    if isinstance(event, e.Asked) and self._yes:
                        self._show(replace(event, word=""))  # nothing is to be typed
                    elif not (isinstance(event, e.Asked) and self._source.asks):
                        self._show(event)
            finally:
                self._view.working(False)
        return asked, left

    def _show(self, event: e.Event) -> None:
        with self._showing:
            self.failed = self.failed or isinstance(event, e.Failed)
            self._view.show(event)
            self._source.seen(event)

    @contextmanager
    def _undisturbed(self) -> Iterator[None]:
        """While inside, what the storage worker tells waits."""
        with self._showing:
            self._busy = True
        try:
            yield
        finally:
            with self._showing:
                self._busy = False
                late, self._late = self._late, []
                for event in late:
                    self._tell(event)

    @contextmanager
    def _one_question(self) -> Iterator[None]:
        """While inside, what the memory asks waits: which of two questions would a "yes" answer? What was answered or
        forgotten in between is not asked any more."""
        with self._showing:
            self._asking = True
        try:
            yield
        finally:
            with self._showing:
                self._asking = False
                held, self._questions = self._questions, []
                for event in held:
                    if self._c.state.questions.open is event:
                        self._source.above(lambda event=event: self._show(event))  # type: ignore[misc]

    def _tell(self, event: e.Event) -> None:
        """Shows what the worker tells, or keeps its question for later."""
        if self._asking and isinstance(event, (e.ChangeAsked, e.FactAsked)):
            self._questions.append(event)
        else:
            self._show(event)

    def _in_background(self, event: e.Event) -> None:
        """From the storage worker: shown between two replies, never inside one."""
        with self._showing:
            if self._busy and not isinstance(self._view, JsonView):
                self._late.append(event)
            else:
                self._source.above(lambda: self._tell(event))


def run_chat(context: Context, options: ChatOptions) -> int:
    """Runs the chat; the exit code: 0, 130 after Ctrl+C, 1 when in a pipe something that was asked for failed."""
    log_to(context.paths)
    settings, terminal = context.settings, at_terminal() and not options.json
    loader = AgentLoader(settings, lambda: controller.store)
    loader.check()
    controller = Controller(lambda: context.open_store(search=True), loader, settings, incognito=options.incognito)
    source = _source(context, controller, terminal)
    view: View = JsonView() if options.json else TextView(settings.color, quiet=options.quiet, terminal=terminal)
    if not options.incognito:
        controller.user  # noqa: B018 - an unusable database is told now, not after the first line
    loader.begin()
    if terminal:
        _greet(view, controller)
    chat = Chat(controller, view, source, yes=options.yes, wait=not terminal)
    try:
        code = chat.run(options.resume)
    finally:
        if not controller.close(0.0 if chat.at_work else LEAVE_SECONDS):
            say("A model is still at work; its line is kept and will be remembered at the next start.")
    return code or int(chat.failed and not terminal)


def _source(context: Context, controller: Controller, terminal: bool) -> Lines:
    if not terminal:
        return PipeLines(sys.stdin.buffer if sys.stdin is not None else None)
    return TerminalLines(lambda: None if controller.incognito else context.typed_file(controller.name))


def _greet(view: View, controller: Controller) -> None:
    view.show(e.Notice(f"chatmem {__version__}. You are {controller.name}. /help lists commands, bye leaves."))
    if controller.incognito:
        view.show(e.IncognitoChanged(True))
