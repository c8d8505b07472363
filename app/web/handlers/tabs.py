"""What the other tabs do."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from types import MethodType
from typing import Any

import gradio as gr

from ....memory.errors import InputError, Refused
from ....memory.transfer.exchange import export_text, import_file, preview
from ...chat.panels import last_prompt, no_prompt, parts
from ..html import fragments, reports
from ..windows.window import Desk
from ..windows.windows import House
from . import clicks
from .chosen import file_of
from .talk import SECONDS, spoken

ENDINGS = {"json": (".json", "application/json"), "csv": (".csv", "text/csv"), "markdown": (".md", "text/markdown")}
Find = Callable[[gr.Request], Desk]


@contextmanager
def own_name(file: str) -> Iterator[None]:
    """What is wrong with a file is told of its own name, not of where it lies here meanwhile."""
    try:
        yield
    except InputError as error:
        raise InputError(str(error).replace(file, Path(file).name)) from error


class TabHandlers:
    """The events of the tabs over a house; `desk` finds the desk of a request."""

    def __init__(self, house: House, desk: Find) -> None:
        self._house, self._desk = house, desk

    def _reader(self, request: gr.Request) -> Desk:
        """The desk, for what reads or writes the memory. Raises InputError in incognito."""
        desk = self._desk(request)
        if desk.chat.incognito:
            raise InputError(clicks.NOT_INCOGNITO)
        return desk

    @spoken
    def why(self, request: gr.Request) -> Iterator[str]:
        desk = self._desk(request)
        yield fragments.why(desk.why(), opened=desk.chat.last_exchange()[0] is not None)

    @spoken
    def context(self, request: gr.Request) -> Iterator[str]:
        desk = self._desk(request)
        prompt = last_prompt(desk.chat.state)
        if not prompt:
            yield fragments.note(no_prompt(desk.chat.state))
            return
        yield fragments.prompt(parts(prompt, desk.chat.agents.get().count_tokens))

    @spoken
    def journal(self, request: gr.Request) -> Iterator[str]:
        yield clicks.journal(self._desk(request))

    @spoken
    def sql(self, query: str, writes: bool, request: gr.Request) -> Iterator[Any]:
        """A SELECT, or with `writes` a change: the result, and the batch that one click takes back."""
        desk, batch = self._reader(request), ""
        try:
            with self._house.turns.heavy(desk.chat.name):
                if writes and not (query or "").lstrip().lower().startswith("select"):
                    shown, batch = clicks.write(desk, query or "")
                else:
                    shown = fragments.rows(desk.chat.store.facts.read(desk.user.id, query or ""))
        except Refused as refusal:
            shown = fragments.refused(refusal.reason, hint="" if writes else "The switch above allows writes.")
        yield shown, gr.update(visible=bool(batch)), batch

    @spoken
    def take_back(self, batch: str, request: gr.Request) -> Iterator[Any]:
        desk = self._reader(request)
        entries = desk.chat.store.journal.undo_batch(batch, user_id=desk.user.id)
        clicks.written(desk)
        yield fragments.written(entries), gr.update(visible=False), ""

    def exporter(self, form: str) -> Callable[..., Iterator[Any]]:
        """The event of one export button."""

        @spoken
        def export(self: TabHandlers, request: gr.Request) -> Iterator[dict[str, str]]:
            desk = self._reader(request)
            out = io.StringIO(newline="")
            with self._house.turns.heavy(desk.chat.name):
                export_text(desk.chat.store, desk.user.id, out, form)
            ending, kind = ENDINGS[form]
            yield file_of(f"chatmem-{desk.chat.name}{ending}", out.getvalue(), kind)

        return MethodType(export, self)

    @spoken
    def preview(self, file: str | None, request: gr.Request) -> Iterator[Any]:
        """What an import would do; nothing is changed yet."""
        if not file:
            return
        desk = self._reader(request)
        with own_name(file):
            plan = preview(desk.chat.store, desk.user.id, Path(file))
        yield fragments.preview(plan), gr.update(visible=any(plan.new.values()))

    @spoken
    def drop(self, file: str | None, request: gr.Request) -> Iterator[Any]:
        yield "", gr.update(visible=False)

    @spoken
    def take(self, file: str | None, request: gr.Request) -> Iterator[Any]:
        if not file:
            raise InputError("Choose a file first.")
        desk = self._reader(request)
        with self._house.turns.heavy(desk.chat.name), own_name(file):
            done = import_file(desk.chat.store, desk.user.id, Path(file))
        with suppress(OSError):
            Path(file).unlink()  # what a person brought is not left lying about
        clicks.written(desk)
        told = "Imported; Undo in the tab Journal takes it back." if done.batch else "There was nothing new in it."
        yield None, fragments.note(told), gr.update(visible=False)

    @spoken
    def reports(self, which: str | None, request: gr.Request) -> Iterator[Any]:
        self._desk(request)
        found = reports.names(self._house.reports)
        chosen = which if which in found else (found[0] if found else None)
        yield gr.update(choices=found, value=chosen)

    @spoken
    def report(self, which: str | None, request: gr.Request) -> Iterator[Any]:
        self._desk(request)
        if not which:
            yield "", f"No report yet. Keep one with `chatmem eval storage --json > {reports.HINT}`."
            return
        kind, content = reports.read(self._house.reports, which)
        yield (content, "") if kind == "html" else ("", content)

    @spoken
    def settings(self, ticked: bool, request: gr.Request) -> Iterator[Any]:
        """What holds; a box that shows it already is left alone, for somebody may tick it meanwhile."""
        desk = self._desk(request)
        settings, holds = desk.chat.settings, desk.chat.incognito
        box = gr.skip() if ticked == holds else holds
        yield box, settings.token_budget, desk.chat.agents.get().profile.memory_words, self._models(desk)

    def _models(self, desk: Desk) -> str:
        shared = f"Your memory is kept in {self._house.store.db.path}." if self._house.accounts is None else (
            "The models are shared by all who are signed in; whoever runs the server chooses them.")  # fmt: skip
        specs = [*desk.chat.agents.get().specs, ("embedder", desk.chat.settings.embedder)]
        return fragments.models(specs, shared)

    @spoken
    def incognito(self, on: bool, request: gr.Request) -> Iterator[bool]:
        desk = self._desk(request)
        try:
            desk.run(lambda: desk.chat.set_incognito(bool(on)))
            desk.finish(60.0)
            if desk.chat.incognito or desk.chat.session is None:
                desk.said = []
            desk.refresh()
        finally:
            yield desk.chat.incognito

    @spoken
    def budgets(self, tokens: float | None, words: float | None, request: gr.Request) -> Iterator[Any]:
        """New budgets, for this window: the agents are made anew with them, on the same models."""
        desk = self._desk(request)
        desk.be_free()
        if tokens is None or tokens < 256 or words is None or words < 0:
            raise InputError("A prompt needs 256 tokens or more, and memory 0 words or more.")
        chosen: dict[str, Any] = {f"{role}_model": spec for role, spec in desk.chat.agents.get().specs}
        settings = replace(desk.chat.settings, token_budget=int(tokens), recall_words=int(words), **chosen)
        with desk.chat.worker.still():
            desk.chat.settings = settings
            desk.seated.use(self._house.agents(settings))
        gr.Info("The next reply uses these budgets.", duration=SECONDS)
        yield int(tokens), int(words)

    @spoken
    def switch(self, role: str, spec: str, request: gr.Request) -> Iterator[str]:
        desk = self._desk(request)
        if not spec.strip():
            raise InputError("Write the model: embedded, gguf:PATH, hf:NAME or openai:NAME.")
        desk.submit(f"/model {role} {spec.strip()}")
        desk.finish(600.0)
        yield self._models(desk)
