"""From a desk to what the page shows: the values of its parts, in the order of `PANES`."""

from __future__ import annotations

import time
from collections.abc import Sequence
from html import escape
from typing import Any

import gradio as gr

from ...memory.values import Memory
from . import views
from .desk import Desk, Seen
from .transcript import Said

PANES = ("chat", "sessions", "memory", "status", "ask", "question", "send", "stop", "stamp")
LISTED = 100
SAID = 100
"""Lines, replies and notes that are shown: what is sent with each piece of a reply must stay small."""
FLASH_SECONDS = 3.0
HELD = "/held"
"""Ends the stamp of a page whose talk is still to be painted."""


def whole(desk: Desk, words: str = "", find: str = "") -> list[Any]:
    """Every part of the page."""
    return [chat(desk), session_list(desk, find), memory(desk, words), *bar(desk), stamp(desk, words, find)]


def while_replying(desk: Desk) -> list[Any]:
    """The parts that change with each piece of a reply."""
    return [chat(desk), gr.skip(), gr.skip(), *bar(desk), gr.skip()]


def chat(desk: Desk) -> list[dict[str, Any]]:
    """The transcript as messages, the chips of each line after its reply."""
    said = list(desk.said)[-SAID:]
    shown: list[dict[str, Any]] = []
    if len(desk.said) > SAID:
        shown.append(_html(views.note(f"{len(desk.said) - SAID} earlier lines are kept, but not shown here.")))
    for at, one in enumerate(said):
        shown.append(_message(one))
        follows = said[at + 1].turn_id if at + 1 < len(said) else None
        if one.turn_id in desk.chips and follows != one.turn_id and (code := views.chips(desk.chips[one.turn_id])):
            shown.append(_html(code))
    return shown


def _message(one: Said) -> dict[str, Any]:
    if one.role == "note":
        kind = "cm-note cm-warns" if one.warns else "cm-note"
        return _html(f'<div class="{kind}">{escape(one.text)}</div>')
    return {"role": one.role, "content": one.text or "…"}


def _html(code: str) -> dict[str, Any]:
    return {
        "role": "assistant",
        "content": gr.HTML(code, elem_classes="cm-html", js_on_load=None, apply_default_css=False),
    }


def session_list(desk: Desk, find: str = "") -> str:
    if desk.chat.incognito:
        return views.note("Incognito: no session is kept.")
    current = desk.chat.session
    found = desk.chat.store.sessions(desk.user.id, search=find or None, limit=30)
    if find and not found:
        return views.note("Nothing was said in these words.")
    return views.sessions(found, current.id if current else None)


def memory(desk: Desk, words: str = "") -> str:
    """The memory table: the newest rows, or those that `words` find; what changed since it was last shown flashes."""
    if desk.chat.incognito:
        desk.seen = Seen()
        return views.note("Incognito: nothing is read from the memory and nothing is written.")
    store, user = desk.chat.store, desk.user
    total = int(store.stats(user.id)["memories"])
    if words.strip():
        found = list(store.search(user.id, words, limit=30, use_turns=False).memories)
    else:
        found = store.memories(user.id, limit=LISTED, newest=True)
        found.sort(key=lambda one: not one.pinned)
    _mark(desk.seen, found, words)
    return views.memory_table(found, total, {row: mark for row, (mark, _) in desk.seen.fresh.items()}, words)


def _mark(seen: Seen, found: Sequence[Memory], words: str) -> None:
    now = time.monotonic()
    seen.fresh = {row: one for row, one in seen.fresh.items() if now - one[1] < FLASH_SECONDS}
    rows = {one.id: one for one in found}
    if seen.rows is not None and seen.words == words:
        # an undo brings back the row before
        known = {*seen.rows, *(one.replaces for one in seen.rows.values() if one.replaces is not None)}
        for row, one in rows.items():
            if seen.rows.get(row) != one:
                seen.fresh[row] = ("~" if row in known or one.replaces in known else "+", now)
    seen.rows, seen.words = rows, words


def bar(desk: Desk) -> list[Any]:
    """The status line, the question that waits for an answer, and the buttons."""
    asked, busy = desk.asked, desk.busy
    return [
        status(desk), gr.update(visible=asked is not None), asked.question if asked else "",
        gr.update(visible=not busy), gr.update(visible=busy),
    ]  # fmt: skip


def blocked(sentence: str) -> list[Any]:
    """All as it is, and in the status line why the memory can't be shown; the stamp says that it is still to come."""
    told = f'<span class="warn">memory waits: {escape(sentence)}</span>'
    return [gr.skip(), gr.skip(), gr.skip(), told, *[gr.skip()] * 4, "blocked"]


def status(desk: Desk) -> str:
    """Who, whether memory is on, how fast, how many wait, and the one thing that keeps memory from working."""
    standing, waiting = desk.standing, desk.chat.worker.waiting
    told = [f"<b>{escape(desk.name)}</b>"]
    told.append({"on": "memory on", "off": '<span class="warn">incognito</span>'}.get(
        standing.memory, f'<span class="warn">memory waits: {escape(standing.blocked)}</span>'))  # fmt: skip
    if waiting:
        told.append(f"remembering {waiting} line{'s' if waiting > 1 else ''} …")
    if desk.busy and desk.seated.before:
        told.append(f"{desk.seated.before} before you")
    if standing.speed:
        told.append(f"{standing.rate} tokens/s")
    if desk.models:
        told.append(escape(desk.models))
    return " · ".join(told)


def stamp(desk: Desk, words: str, find: str) -> str:
    """Changes whenever the page has something new to show, in this window, another, or another program."""
    return f"{desk.version}/{desk.chat.worker.waiting}/{desk.busy}/{words}/{find}"


def but_chat(desk: Desk, words: str, find: str) -> list[Any]:
    """Every part but the talk, which stays as it is while one of its lines is being edited."""
    return [gr.skip(), *whole(desk, words, find)[1:-1], stamp(desk, words, find) + HELD]
