"""Events and rows as text, on a terminal or in a pipe. Never by colour alone: + came, ~ changed, - went."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import singledispatch
from typing import Any, TextIO

from ...memory.values import JournalEntry, Memory, Recall
from ..config.safe_text import one_line, shown
from ..config.zone import day
from . import events as e
from .choices import prompt
from .forgetting import outcome
from .hints import lines as of_lines
from .hints import summed_up, whole_import
from .reasons import concluded, left_out, path, reasons, step

Styled = tuple[str, str]
"""A line and the name of its style: "", "dim", "warn", "bad", "+", "~" or "-"."""
STYLES = {"": "", "dim": "dim", "warn": "yellow", "bad": "red", "+": "green", "~": "cyan", "-": "magenta"}


def chip(entry: JournalEntry) -> str:
    """One write as a line: `+ Ana has two cats.`, `~ old -> new`, `- gone`."""
    before, after = _said(entry.before), _said(entry.after)
    if told := whole_import(entry):
        return f"- undo {told}" if entry.kind == "undo" else f"+ {told}"
    undone = f"{entry.kind} " if entry.kind in ("undo", "redo") else ""
    if before and after:
        changed = before if before == after else f"{before} -> {after}"
        return f"~ {undone}{changed}{_details(entry)}{_number(entry)}"
    return f"{'+' if after else '-'} {undone}{after or before or entry.kind}{_number(entry)}"


def chips(entries: Sequence[JournalEntry]) -> list[str]:
    """Each write as a line; of very many how many they are."""
    return summed_up(entries) or [chip(entry) for entry in entries]


def _said(image: Mapping[str, Any] | None) -> str:
    if image is None:
        return ""
    if "fact" in image:
        date = f" ({image['happened_on']})" if image.get("happened_on") else ""
        sure = f" [concluded, {image['certainty']:.0%} sure]" if image.get("certainty") is not None else ""
        return f"{one_line(str(image['fact']), 300)}{date}{sure}"
    return f"called {image['called']}" if image.get("called") else ""


def _details(entry: JournalEntry) -> str:
    """What changed besides the fact itself."""
    before, after = entry.before or {}, entry.after or {}
    if before.get("pinned") != after.get("pinned"):
        return " [pinned]" if after.get("pinned") else " [no longer pinned]"
    changed = [f"{name}: {before.get(name) or '-'} -> {after.get(name) or '-'}" for name in ("subject", "topic")
               if before.get(name) != after.get(name)]  # fmt: skip
    return f" [{', '.join(changed)}]" if changed else ""


def _number(entry: JournalEntry) -> str:
    return f"  #{entry.memory_id}" if entry.memory_id is not None else ""


@singledispatch
def lines(event: e.Event) -> Iterator[Styled]:
    """The lines that an event is shown as; most events are not shown at all."""
    return iter(())


@lines.register
def _(event: e.SessionStarted) -> Iterator[Styled]:
    if event.resumed:
        yield f"Going on in session {event.session.id}: {event.session.title} ({of_lines(event.session.turns)})", "dim"


@lines.register
def _(event: e.UserChanged) -> Iterator[Styled]:
    if not event.told:
        who = f", who goes by {event.user.called}" if event.user.called else ""
        yield f"You are {event.user.name} now{who}; a new session begins with your next line.", "dim"
    elif event.before:
        yield f"~ you go by {event.user.called} now, no longer {event.before}", "~"
        yield "  (somebody else? /undo, then /user NAME for a memory of their own)", "dim"
    else:
        yield f"+ you go by {event.user.called}", "+"


@lines.register
def _(event: e.IncognitoChanged) -> Iterator[Styled]:
    yield ("Incognito: nothing is read from the memory and nothing is written. /incognito off ends it."
           if event.on else "Incognito is off; what was said in it is gone."), "warn"  # fmt: skip


@lines.register
def _(event: e.ReplyStopped) -> Iterator[Styled]:
    yield "(stopped; what you see is kept)" if event.turn else "(stopped)", "dim"


@lines.register
def _(event: e.HopTaken) -> Iterator[Styled]:
    yield f"  {step(event.hop)}", "warn" if event.hop.failed else "dim"


@lines.register
def _(event: e.NotesCondensed) -> Iterator[Styled]:
    lost = f"; {event.dropped} parts could not be made shorter, and were left out" if event.dropped else ""
    yield f"  notes condensed from {event.before:,} to {event.after:,} tokens{lost}", "warn" if lost else "dim"


@lines.register
def _(event: e.MemoryWritten) -> Iterator[Styled]:
    for text in chips(event.entries):
        yield f"  {text}", text[0]


@lines.register
def _(event: e.Tidied) -> Iterator[Styled]:
    if event.reason:
        yield f"  tidied: {event.reason}", "dim"
    for entry in event.entries:
        text = chip(entry)
        yield f"  {text}", text[0]


@lines.register
def _(event: e.MemoryRefused) -> Iterator[Styled]:
    if event.checked:
        yield "  nothing was noted: what the model made of it isn't what you said (/why shows it)", "dim"
    else:
        yield f"  ! not written, refused: {event.reason}", "warn"


@lines.register
def _(event: e.MemoryDelayed) -> Iterator[Styled]:
    yield f"  ! not remembered yet ({event.reason.rstrip('.')}); it will be tried again at the next start", "warn"


@lines.register
def _(event: e.Quoted) -> Iterator[Styled]:
    yield f"  {quoted_line(event.words)} ({event.command} if they are your own)", "dim"


@lines.register
def _(event: e.ClaimUnkept) -> Iterator[Styled]:
    made = "nothing was written" if event.turn_id is None else "no fact was made of your line"
    yield f"  ! the reply says “{event.claim}”, but {made}; /remember FACT writes it", "warn"


@lines.register
def _(event: e.Waiting) -> Iterator[Styled]:
    yield f"Remembering {event.lines} more line{'s' if event.lines != 1 else ''} ...", "dim"


@lines.register
def _(event: e.SessionEnded) -> Iterator[Styled]:
    yield "Bye.", "dim"
    if event.waiting:
        kept = "1 line is" if event.waiting == 1 else f"{event.waiting} lines are"
        yield f"{kept} kept and will be remembered at the next start.", "dim"


@lines.register
def _(event: e.Forgotten) -> Iterator[Styled]:
    yield from outcome(event.report, everything=event.everything)


@lines.register
def _(event: e.Explained) -> Iterator[Styled]:
    yield from explained(event.recall, event.since)
    for entry in event.thrown:
        yield f"  ! thrown away while storing your line: {thrown_line(entry)}", "dim"


@lines.register
def _(event: e.MemoriesListed) -> Iterator[Styled]:
    yield event.title if event.memories else event.empty, "dim"
    for memory in event.memories:
        yield f"  #{memory.id}  {memory_line(memory)}", ""


@lines.register
def _(event: e.Asked) -> Iterator[Styled]:
    yield event.question + (prompt(event).rstrip(" :") + "." if event.word else ""), "warn"


@lines.register
def _(event: e.Notice) -> Iterator[Styled]:
    yield event.text, "warn" if event.level == "warning" else "dim"


@lines.register
def _(event: e.Failed) -> Iterator[Styled]:
    yield event.text, "bad"


def quoted_line(words: Sequence[str]) -> str:
    """That words in a line are taken for somebody else's, and which."""
    return f"” quoted, so no fact is made of it: {one_line(' … '.join(words), 120)}"


def thrown_line(entry: JournalEntry) -> str:
    """What was refused, by whom and why, on one line."""
    who = entry.author.actor.removeprefix("check:")
    return f"{one_line(entry.sql, 300)} ({who}: {entry.reason or 'no reason given'})"


def memory_line(memory: Memory) -> str:
    """A memory on one line: the fact, when it happened, what it is filed under."""
    date = f" ({memory.happened_on})" if memory.happened_on else ""
    marks = f"{' [pinned]' if memory.pinned else ''}{concluded(memory)}"
    return f"{one_line(memory.fact, 400)}{date}  [{memory.subject}: {memory.topic or '-'}]{marks}"


def explained(recall: Recall, since: Mapping[int, str]) -> Iterator[Styled]:
    """The SELECT, the rows it and search brought, what became of them `since`, and the dated lines they came from."""
    yield f"Looked up for: {one_line(recall.query)}", "dim"
    if recall.sql:
        yield recall.sql, "~"
    if recall.refused:
        yield f"(not run: {recall.refused})", "warn"
    yield from ((f"  {text}", "dim") for text in path(recall))
    if not recall.items:
        yield "Nothing was found, so the reply had no memory to build on.", ""
    for rank, item in enumerate(recall.items, 1):
        yield f"  {rank}. {f'#{item.memory.id}  {memory_line(item.memory)}' if item.memory else 'a line:'}", ""
        if item.memory and item.memory.id in since:
            yield f"      {since[item.memory.id]}", "~"
        yield f"      found by: {reasons(item, recall.query)}", "dim"
        for turn in item.turns:
            yield f"      {day(turn.said_at)} {turn.speaker}: {one_line(turn.text, 300)}", "dim"
    yield from ((f"  {text}", "dim") for text in left_out(recall))


class Wrap:
    """Breaks a text that comes in pieces into lines of whole words."""

    def __init__(self, width: Callable[[], int]) -> None:
        self._width, self._column, self._held = width, 0, ""

    def feed(self, text: str) -> str:
        """All of it but the last word, which may go on."""
        words = re.split(r"(\s)", self._held + text)
        self._held = words.pop()
        return "".join(map(self._place, words))

    def flush(self) -> str:
        """The last word; the next text begins a line."""
        word, self._held = self._place(self._held), ""
        self._column = 0
        return word

    def _place(self, word: str) -> str:
        if word == "\n":
            self._column = 0
            return word
        size, width = cell_len(word), self._width()
        if word.isspace() and self._column + size >= width:
            self._column = 0
            return "\n"
        before = "\n" if self._column and self._column + size > width else ""
        self._column = size if before else self._column + size
        return before + word


def cell_len(text: str) -> int:
    """Columns that a text takes on a terminal."""
    from rich.cells import cell_len as measure

    return measure(text)


class Printer:
    """Writes styled lines: with colours on a terminal that wants them, plainly elsewhere."""

    def __init__(self, *, aside: bool = False, color: str = "auto") -> None:
        from rich.console import Console

        force = {"always": True, "never": None}.get(color)
        plain = True if color == "never" else None
        self._aside = aside
        self.console = Console(
            stderr=aside,
            no_color=plain,
            force_terminal=force,
            highlight=False,
            markup=False,
            emoji=False,
        )
        self._wrap = Wrap(lambda: self.console.width)

    @property
    def file(self) -> TextIO:
        """Looked up each time: while a line is being typed, stdout is the one that prints above it."""
        return sys.stderr if self._aside else sys.stdout

    def event(self, event: e.Event) -> None:
        if isinstance(event, e.Listed):
            self.listed(event)
        for text, style in lines(event):
            self.line(text, style)

    def line(self, text: str, style: str = "") -> None:
        if self.console.is_terminal:
            self.console.print(shown(text), style=STYLES[style] or None)
        else:
            print(shown(text), file=self.file, flush=True)

    def stream(self, text: str) -> None:
        """A piece of a reply, at once; on a terminal but for a word that may go on, which must know its line first."""
        self._write(self._wrap.feed(shown(text)) if self.console.is_terminal else shown(text))

    def end_stream(self) -> None:
        """The reply is over: what was held back, and a new line."""
        self._write(self._wrap.flush() + "\n")

    def _write(self, text: str) -> None:
        self.file.write(text)
        self.file.flush()

    def listed(self, event: e.Listed) -> None:
        if not event.rows:
            self.line(event.empty or f"{event.title}: nothing.", "dim")
            return
        self.line(event.title, "dim")
        rows = [["" if value is None else str(value) for value in row] for row in event.rows]
        if self.console.is_terminal:
            self.console.print(_table(event.columns, rows))
        else:
            for row in rows:
                self.line("\t".join(one_line(cell, 2_000) for cell in row))
        if event.note:
            self.line(event.note, "dim")


def print_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    from rich.console import Console

    Console(file=sys.stdout, highlight=False, markup=False, emoji=False).print(_table(columns, rows))


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Any:
    from rich.table import Table
    from rich.text import Text

    table = Table(*columns, box=None, pad_edge=False, header_style="bold")
    for row in rows:
        table.add_row(*(Text(shown(cell)) for cell in row))
    return table
