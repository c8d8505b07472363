"""What happens on the page, as functions of a request: each finds its desk, does one thing and paints."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from types import MethodType
from typing import Any, TypeVar

import gradio as gr

from ....memory.errors import ChatmemError, InputError, StoreError
from ..html import fragments, paint
from ..html.literal import notice, unticked
from ..html.paint import PANES
from ..windows import address
from ..windows.turns import TooMany
from ..windows.window import Desk
from ..windows.windows import House
from .clicks import Changed, act, journal

Handler = TypeVar("Handler", bound=Callable[..., Iterator[Any]])
SECONDS = 6.0
"""How long a message stays that comes up over the page."""
NOTHING = [gr.skip()] * len(PANES)
ONLY_LAST = "Only the last line can be said anew, and only the last reply be given again."


def spoken(handler: Handler, *, told_when_busy: bool = True, gives_back: bool = False) -> Handler:
    """An event of the page: it takes its person's turn, and what can't be done is `told`.

    `told_when_busy`: whether it is said as well that they have too many at work.
    `gives_back`: its first argument is the line, which comes back into the box when it wasn't taken.
    """

    @functools.wraps(handler)
    def run(self: Any, *args: Any, **kw: Any) -> Iterator[Any]:
        try:
            with taken(self._house, (*args, *kw.values())):
                yield from handler(self, *args, **kw)
        except TooMany:
            if told_when_busy:
                raise

    return told(run, gives_back=gives_back)  # type: ignore[return-value]


def told(handler: Handler, *, gives_back: bool = False) -> Handler:
    """What can't be done is told on the page in one sentence, and the page stays as it is.

    It must be told to: where a handler gives nothing at all, Gradio empties every part that it could have filled.
    """

    @functools.wraps(handler)
    def run(*args: Any, **kw: Any) -> Iterator[Any]:
        given = False
        try:
            for panes in handler(*args, **kw):
                given = True
                yield panes
        except ChatmemError as error:
            warn(error)
        if not given:
            yield [args[1], *NOTHING] if gives_back and args[1].strip() else gr.skip()

    return run  # type: ignore[return-value]


def warn(error: ChatmemError) -> None:
    """Tells in a corner of the page, for a while, why something was not done."""
    gr.Warning(notice(unticked(str(error))), duration=SECONDS)


def taken(house: House, args: Iterable[Any]) -> AbstractContextManager[None]:
    """A turn for whoever sends the request among these arguments. Raises InputError for one who is signed out."""
    request = next(each for each in args if isinstance(each, gr.Request))
    return house.turns.one(house.person(request.username))


class Handlers:
    """The page's events over a house."""

    def __init__(self, house: House) -> None:
        self._house = house

    def desk(self, request: gr.Request) -> Desk:
        """The desk of the one who asks. Raises InputError for one who is signed in no more."""
        return self._house.desk(request.username, request.session_hash or "")

    @spoken
    def look(self, words: str, find: str, where: str, request: gr.Request) -> Iterator[Any]:
        try:
            yield paint.whole(self._placed(request, where), words, find)
        except StoreError as error:
            yield paint.blocked(str(error))

    def _placed(self, request: gr.Request, where: str) -> Desk:
        """The desk, at the session that the page's address names: `where` is that and how often the browser moved."""
        desk = self.desk(request)
        session, _, went = (where or "").rpartition("/")
        if desk.went is None:
            try:
                address.place(desk, session, int(went) if went.isdigit() else 0)
            except InputError as error:
                warn(error)
        return desk

    def leave(self, request: gr.Request) -> None:
        self._house.leave(request.username, request.session_hash or "")

    @functools.partial(spoken, gives_back=True)
    def send(self, line: str, words: str, find: str, where: str, request: gr.Request) -> Iterator[Any]:
        desk = self._placed(request, where)
        if not line.strip():
            return
        desk.submit(line, typed=True)
        for _ in desk.follow():
            yield [gr.skip(), *paint.while_replying(desk)]
        if desk.unkept and not line.startswith("/"):
            yield [line, *paint.while_replying(desk)]
        yield [gr.skip(), *paint.whole(desk, words, find)]

    def stop(self, request: gr.Request) -> None:
        self.desk(request).at_work.stop()

    @spoken
    def retry(self, words: str, find: str, request: gr.Request, event: gr.RetryData) -> Iterator[Any]:
        desk = self.desk(request)
        desk.retry()
        yield from self._follow(desk, words, find)

    @spoken
    def edit(self, words: str, find: str, request: gr.Request, event: gr.EditData) -> Iterator[Any]:
        desk = self.desk(request)
        at = event.index if isinstance(event.index, int) else event.index[0]
        lines = [place for place, one in enumerate(paint.chat(desk)) if paint.is_line(one)]
        if not lines or at != lines[-1]:
            yield paint.whole(desk, words, find)
            raise InputError(ONLY_LAST)
        desk.retry(str(event.value))
        yield from self._follow(desk, words, find)

    @spoken
    def new(self, words: str, find: str, request: gr.Request) -> Iterator[Any]:
        desk = self.desk(request)
        desk.new_session()
        yield paint.whole(desk, words, find)

    @spoken
    def yes(self, words: str, find: str, request: gr.Request) -> Iterator[Any]:
        desk = self.desk(request)
        desk.answer(desk.asked is None or not desk.asked.word)  # where a word is to be typed, no click agrees
        yield from self._follow(desk, words, find)

    def keeper(self, flag: str) -> Callable[..., Iterator[Any]]:
        """The event of a button that says yes, but lets something stay."""

        @spoken
        def keep(self: Handlers, words: str, find: str, request: gr.Request) -> Iterator[Any]:
            desk = self.desk(request)
            desk.answer(True, flag)
            yield from self._follow(desk, words, find)

        return MethodType(keep, self)

    @spoken
    def no(self, words: str, find: str, request: gr.Request) -> Iterator[Any]:
        desk = self.desk(request)
        desk.answer(False)
        yield paint.whole(desk, words, find)

    @spoken
    def act(self, words: str, find: str, request: gr.Request, event: gr.EventData) -> Iterator[Any]:
        """Does what was clicked. A form stays open with what was typed until `answer` says that it was done."""
        desk, data = self.desk(request), dict(event._data or {})
        try:
            done = act(desk, data)
        except ChatmemError as error:
            row = error.row.id if isinstance(error, Changed) else data.get("id")
            yield [gr.skip(), gr.skip(), _answer(data, str(error), row), *paint.whole(desk, words, find)]
            if "form" not in data:
                raise
            return
        if done.told:
            gr.Info(notice(done.told), duration=SECONDS)
        yield [done.detail or gr.skip(), done.file or gr.skip(), _answer(data), *paint.whole(desk, words, find)]

    @spoken
    def journal(self, request: gr.Request) -> Iterator[Any]:
        """After an act: the journal's buttons offer what still works."""
        desk = self.desk(request)
        yield gr.skip() if desk.chat.incognito else journal(desk)

    @spoken
    def memory(self, words: str, request: gr.Request) -> Iterator[Any]:
        yield paint.memory(self.desk(request), words)

    @spoken
    def typed(self, request: gr.Request) -> Iterator[str]:
        """The lines said before, for the arrow keys; page.js adds those that are typed in this window."""
        yield fragments.typed(self.desk(request).lines_before())

    @spoken
    def sessions(self, find: str, request: gr.Request) -> Iterator[Any]:
        yield paint.session_list(self.desk(request), find)

    @functools.partial(spoken, told_when_busy=False)  # it comes again in a second
    def tick(self, seen: str, words: str, find: str, editing: bool, where: str, request: gr.Request) -> Iterator[Any]:
        """Once a second: what happened elsewhere (the storage worker, another window, another program) is shown.

        Drawn anew, the talk would close a line that is being edited; it waits until that is done.
        """
        try:
            yield self._news(self._placed(request, where), seen, words, find, editing)
        except StoreError as error:  # told in the status line as long as it lasts, not by one message a second
            yield paint.blocked(str(error))

    def _news(self, desk: Desk, seen: str, words: str, find: str, editing: bool) -> list[Any]:
        if desk.busy:
            return NOTHING
        desk.notice()
        now = paint.stamp(desk, words, find)
        if seen == now or (editing and seen == now + paint.HELD):
            return NOTHING
        return paint.but_chat(desk, words, find) if editing else paint.whole(desk, words, find)

    def _follow(self, desk: Desk, words: str, find: str) -> Iterator[list[Any]]:
        for _ in desk.follow():
            yield paint.while_replying(desk)
        yield paint.whole(desk, words, find)


def _answer(data: dict[str, Any], told: str = "", row: object = None) -> Any:
    """What a form that was sent is told: `told` is why it was not done ("": it was), `row` what it is about now."""
    return {"form": data["form"], "told": unticked(told), "row": row} if "form" in data else gr.skip()
