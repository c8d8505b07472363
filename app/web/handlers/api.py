"""The page's API for programs (`gradio_client`): talk, see, correct, undo, forget, in the memory of who signed in."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from typing import Any

import gradio as gr

from ....memory.errors import ChatmemError, InputError
from ....memory.transfer.exchange import export_text
from ...shown import choices
from ...shown.events import plain
from ...shown.forgetting import question
from ..windows.transcript import OWN
from ..windows.window import Desk
from ..windows.windows import House
from . import clicks
from .talk import taken

Row = dict[str, Any]


def add_api(house: House) -> None:
    """Adds the named endpoints to the page that is being built."""
    api = Api(house)
    for endpoint in (api.chat, api.stop, api.memories, api.remember, api.edit, api.pin, api.forget, api.undo, api.redo,
                     api.history, api.why, api.sessions, api.journal, api.sql, api.export):  # fmt: skip
        gr.api(_told(house, endpoint, free=endpoint == api.stop), api_name=endpoint.__name__, concurrency_limit=None)


def _told(house: House, endpoint: Callable[..., Any], *, free: bool = False) -> Callable[..., Any]:
    """What can't be done reaches the program as one sentence. `free`: it takes nobody's turn, as what stops things."""
    import functools
    import inspect

    if inspect.isgeneratorfunction(endpoint):

        @functools.wraps(endpoint)
        def stream(*args: Any, **kw: Any) -> Iterator[Any]:
            try:
                with taken(house, (*args, *kw.values())):
                    yield from endpoint(*args, **kw)
            except ChatmemError as error:
                raise gr.Error(str(error)) from None

        return stream

    @functools.wraps(endpoint)
    def call(*args: Any, **kw: Any) -> Any:
        try:
            if free:
                return endpoint(*args, **kw)
            with taken(house, (*args, *kw.values())):
                return endpoint(*args, **kw)
        except ChatmemError as error:
            raise gr.Error(str(error)) from None

    return call


class Api:
    """The endpoints. `request` says who asks; a client is a window of its own."""

    def __init__(self, house: House) -> None:
        self._house = house

    def _desk(self, request: gr.Request, *, reads: bool = True) -> Desk:
        desk = self._house.desk(request.username, request.session_hash or "api")
        if reads and desk.chat.incognito:
            raise InputError(clicks.NOT_INCOGNITO)
        return desk

    def chat(self, message: str, request: gr.Request) -> Iterator[str]:
        """Says a line, or does a slash command; the reply as it grows, then whole."""
        desk = self._desk(request, reads=False)
        if not message.strip():
            raise InputError("Say something.")
        desk.submit(message, typed=True)
        for _ in desk.follow():
            yield _reply(desk)

    def stop(self, request: gr.Request) -> bool:
        """Stops the reply that is being written; what was shown is kept. False: there was none."""
        return self._desk(request, reads=False).stop()

    def memories(self, request: gr.Request, search: str = "", limit: int = 100) -> list[Row]:
        """What is remembered, newest first, or what is remembered about `search`, best first."""
        desk = self._desk(request)
        store, user = desk.chat.store, desk.user
        if search.strip():
            with self._house.turns.heavy(desk.chat.name):
                return _rows(store.search(user.id, search, limit=max(1, min(limit, 100)), use_turns=False).memories)
        return _rows(store.facts.all(user.id, limit=max(1, min(limit, 10_000)), newest=True))

    def remember(self, request: gr.Request, fact: str, subject: str = "", topic: str = "") -> Row:
        """Remembers a fact in just these words; the write."""
        desk = self._desk(request)
        entry = desk.chat.store.facts.remember(desk.user.id, subject or desk.user.subject, topic, fact)
        clicks.written(desk)
        return _row(entry)

    def edit(self, memory: int, fact: str, request: gr.Request) -> Row:
        """Puts the memory with that number right; its history stays."""
        desk = self._desk(request)
        entry = desk.chat.store.facts.edit(memory, fact=fact, user_id=desk.user.id)
        clicks.written(desk)
        return _row(entry)

    def pin(self, memory: int, request: gr.Request, on: bool = True) -> Row:
        """Brings a memory into every prompt, or (`on` false) no longer."""
        desk = self._desk(request)
        entry = desk.chat.store.facts.pin(memory, on, user_id=desk.user.id)
        clicks.written(desk)
        return _row(entry)

    def forget(self, memory: int, request: gr.Request, yes: bool = False) -> Row:
        """Erases a memory for good, with all that was said of it; only with `yes`, else it says what would go."""
        desk = self._desk(request)
        plan = desk.chat.state.memory.to_forget(memory)
        if not yes:
            raise InputError(f"{question(plan)}\nThis erases for good; call it with yes=True.")
        report = desk.chat.state.forget(plan)
        desk.reload()
        return _row(report)

    def undo(self, write: int, request: gr.Request) -> Row:
        """Takes back the write with that number."""
        desk = self._desk(request)
        entry = desk.chat.store.journal.undo(write, user_id=desk.user.id)
        clicks.written(desk)
        return _row(entry)

    def redo(self, write: int, request: gr.Request) -> Row:
        """Does an undone write again."""
        desk = self._desk(request)
        entry = desk.chat.store.journal.redo(write, user_id=desk.user.id)
        clicks.written(desk)
        return _row(entry)

    def history(self, memory: int, request: gr.Request) -> list[Row]:
        """All that happened to a memory."""
        desk = self._desk(request)
        return _rows(desk.chat.store.journal.history(memory, user_id=desk.user.id))

    def why(self, request: gr.Request) -> Row:
        """What the last reply was built on: the SELECT, the rows, the lines they came from; empty when nothing was."""
        found = self._desk(request, reads=False).why()
        return _row(found) if found else {}

    def sessions(self, request: gr.Request, search: str = "", limit: int = 50) -> list[Row]:
        """Sessions, newest first, or those in which something was said."""
        desk = self._desk(request)
        return _rows(desk.chat.store.sessions.all(desk.user.id, search=search or None, limit=max(1, min(limit, 1_000))))

    def journal(self, request: gr.Request, limit: int = 50) -> list[Row]:
        """The last writes with their SQL, refused ones too, oldest first."""
        desk = self._desk(request)
        return _rows(desk.chat.store.journal.entries(desk.user.id, limit=max(1, min(limit, 10_000))))

    def sql(self, query: str, request: gr.Request) -> Row:
        """Runs a SELECT on memory(id, subject, topic, fact, happened_on, said_at) or lines(id, speaker, text, said_at,
        session), this user's rows alone."""
        desk = self._desk(request)
        with self._house.turns.heavy(desk.chat.name):
            return _row(desk.chat.store.facts.read(desk.user.id, query))

    def export(self, request: gr.Request, form: str = "json") -> str:
        """All that is remembered, as json (complete), csv or markdown."""
        desk = self._desk(request)
        out = io.StringIO(newline="")
        with self._house.turns.heavy(desk.chat.name):
            export_text(desk.chat.store, desk.user.id, out, form)
        return out.getvalue()


def _reply(desk: Desk) -> str:
    """What came after the last line: the reply, notes where there are any, and the question that the next "yes" or
    "no" answers."""
    lines = [at for at, one in enumerate(desk.said) if one.role in OWN]
    after = [one.text for one in (desk.said[lines[-1] + 1 :] if lines else desk.said)]
    return "\n".join([*after, *([choices.question(desk.asked)] if desk.asked else [])])


def _row(value: Any) -> Row:
    return dict(plain(value))


def _rows(values: Any) -> list[Row]:
    return [_row(value) for value in values]
