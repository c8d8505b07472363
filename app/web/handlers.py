"""What happens on the page, as functions of a request: each finds its desk, does one thing and paints."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import gradio as gr

from ...memory.errors import ChatmemError, InputError, StoreError
from . import paint, views
from .acts import act, journal
from .desk import Desk
from .house import House
from .paint import PANES

Handler = TypeVar("Handler", bound=Callable[..., Iterator[Any]])
NOTHING = [gr.skip()] * len(PANES)
ONLY_LAST = "Only the last line can be said anew, and only the last reply be given again."


def spoken(handler: Handler) -> Handler:
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
            gr.Warning(str(error))
        if not given:
            yield gr.skip()

    return run  # type: ignore[return-value]


class Handlers:
    """The page's events over a house."""

    def __init__(self, house: House) -> None:
        self._house = house

    def desk(self, request: gr.Request) -> Desk:
        """The desk of the one who asks. Raises InputError for one who is signed in no more."""
        return self._house.desk(request.username, request.session_hash or "")

    @spoken
    def look(self, words: str, find: str, request: gr.Request) -> Iterator[Any]:
        try:
            yield paint.whole(self.desk(request), words, find)
        except StoreError as error:
            yield paint.blocked(str(error))

    def leave(self, request: gr.Request) -> None:
        self._house.leave(request.username, request.session_hash or "")

    @spoken
    def send(self, line: str, words: str, find: str, request: gr.Request) -> Iterator[Any]:
        desk = self.desk(request)
        if not line.strip():
            return
        desk.submit(line)
        yield ["", *NOTHING]
        for _ in desk.follow():
            yield [gr.skip(), *paint.while_replying(desk)]
        if desk.unkept and not line.startswith("/"):
            yield [line, *paint.while_replying(desk)]
        yield [gr.skip(), *paint.whole(desk, words, find)]

    def stop(self, request: gr.Request) -> None:
        self.desk(request).stop()

    @spoken
    def retry(self, words: str, find: str, request: gr.Request, event: gr.RetryData) -> Iterator[Any]:
        desk = self.desk(request)
        desk.retry()
        yield from self._follow(desk, words, find)

    @spoken
    def edit(self, words: str, find: str, request: gr.Request, event: gr.EditData) -> Iterator[Any]:
        desk = self.desk(request)
        at = event.index if isinstance(event.index, int) else event.index[0]
        lines = [place for place, one in enumerate(paint.chat(desk)) if one["role"] == "user"]
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
        desk.answer(True)
        yield from self._follow(desk, words, find)

    @spoken
    def no(self, words: str, find: str, request: gr.Request) -> Iterator[Any]:
        desk = self.desk(request)
        desk.answer(False)
        yield paint.whole(desk, words, find)

    @spoken
    def act(self, words: str, find: str, request: gr.Request, event: gr.EventData) -> Iterator[Any]:
        desk = self.desk(request)
        detail = act(desk, dict(event._data or {}))
        yield [detail or gr.skip(), *paint.whole(desk, words, find)]

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
        yield views.typed(self.desk(request).lines_before())

    @spoken
    def sessions(self, find: str, request: gr.Request) -> Iterator[Any]:
        yield paint.session_list(self.desk(request), find)

    @spoken
    def tick(self, seen: str, words: str, find: str, editing: bool, request: gr.Request) -> Iterator[Any]:
        """Once a second: what happened elsewhere (the storage worker, another window, another program) is shown.

        Drawn anew, the talk would close a line that is being edited; it waits until that is done.
        """
        try:
            yield self._news(self.desk(request), seen, words, find, editing)
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
