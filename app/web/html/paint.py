"""From a desk to what the page shows: the values of its parts, in the order of `PANES`."""

from __future__ import annotations

import time
from typing import Any

import gradio as gr

from ...shown import choices
from ..windows import address
from ..windows.listing import Listed, RowsShown, around, listed, people_told_of, topics_told
from ..windows.transcript import OWN, TalkItem
from ..windows.window import Desk
from . import fragments
from .literal import literal

PANES = (
    "chat", "sessions", "tools", "memory", "status", "ask", "question", "yes", "keep_lines", "keep_others", "send",
    "stop", "address", "stamp",
)  # fmt: skip
SAID = 100
"""Lines, replies and notes that are shown: what is sent with each piece of a reply must stay small."""
FLASH_SECONDS = 3.0
NO_RETRY = "cm-no-retry"
"""Marks what is told of a command, or of no line at all: it is no reply that could be given again."""
HELD = "/held"
"""Ends the stamp of a page whose talk is still to be painted."""


def whole(desk: Desk, words: str = "", find: str = "") -> list[Any]:
    """Every part of the page. The stamp is that of before: what comes while it is painted is painted once more."""
    now = stamp(desk, words, find)
    return [chat(desk), session_list(desk, find), tools(desk), memory(desk, words), *bar(desk), now]


def while_replying(desk: Desk) -> list[Any]:
    """The parts that change with each piece of a reply."""
    return [chat(desk), gr.skip(), gr.skip(), gr.skip(), *bar(desk), gr.skip()]


def chat(desk: Desk) -> list[dict[str, Any]]:
    """The transcript as messages, the chips of each line after its reply.

    A reply that another window has begun, as one that was loaded anew meanwhile, is shown as it is written there.
    """
    desk = desk.at_work
    said = list(desk.said)[-SAID:]
    shown: list[dict[str, Any]] = []
    if len(desk.said) > SAID:
        shown.append(_html(fragments.note(f"{len(desk.said) - SAID} earlier lines are kept, but not shown here.")))
    lines = [one.role for one in said if one.role in OWN]
    mark = "" if lines[-1:] == ["user"] else NO_RETRY
    for at, one in enumerate(said):
        shown.append(_message(one, mark))
        follows = said[at + 1].turn_id if at + 1 < len(said) else None
        if one.turn_id in desk.chips and follows != one.turn_id and (code := fragments.chips(desk.chips[one.turn_id])):
            shown.append(_html(code))
    return shown


def _message(one: TalkItem, mark: str = "") -> dict[str, Any]:
    if one.role == "note":
        return _html(fragments.aside(one.text, warns=one.warns), mark=mark)
    if one.role == "command":
        return _html(fragments.command(one.text), role="user")
    if one.role == "wish":
        return _html(fragments.wish(one.text), role="user")
    return {"role": one.role, "content": literal(one.text) or "…"}


def is_line(message: dict[str, Any]) -> bool:
    """Whether a message is a line of talk, which can be said anew."""
    return message["role"] == "user" and isinstance(message["content"], str)


def _html(code: str, role: str = "assistant", mark: str = "") -> dict[str, Any]:
    classes = ["cm-html", mark] if mark else ["cm-html"]
    return {"role": role, "content": gr.HTML(code, elem_classes=classes, js_on_load=None, apply_default_css=False)}


def session_list(desk: Desk, find: str = "") -> str:
    if desk.chat.incognito:
        return fragments.note("Incognito: no session is kept.")
    current = desk.chat.session
    found = desk.chat.store.sessions.all(desk.user.id, search=find or None, limit=30)
    if find and not found:
        return fragments.note("Nothing was said in these words.")
    holding = desk.chat.store.turns.holding([one.id for one in found], find) if find else {}
    lines = {key: around(turn.text, find.split()) for key, turn in holding.items()}
    return fragments.sessions(found, current.id if current else None, lines)


def tools(desk: Desk) -> str:
    """Order, filters, and what can be done with the memories that are chosen."""
    if desk.chat.incognito:
        return ""
    store, user = desk.chat.store, desk.user
    subjects = people_told_of(store, user, desk.seen)
    if desk.view.subject is not None and desk.view.subject not in subjects:  # nothing is left about them
        desk.view = desk.view.turned("subject", "")
    topics = topics_told(store, user, desk.view.subject)
    if desk.view.topic is not None and desk.view.topic not in topics:
        desk.view = desk.view.turned("topic", "")
    return fragments.tools(desk.view, subjects, topics)


def memory(desk: Desk, words: str = "") -> str:
    """A page of the memory, by the order and the filters that were chosen; what changed since then flashes."""
    if desk.chat.incognito:
        desk.seen = RowsShown()
        return fragments.note("Incognito: nothing is read from the memory and nothing is written.")
    page = listed(desk.chat.store, desk.user, desk.view.searched(words))
    desk.view = page.view
    _mark(desk.seen, page)
    fresh = {row: mark for row, (mark, _) in desk.seen.fresh.items()}
    return fragments.memory_table(page.rows, page.total, fresh, page.view, page.near)


def _mark(seen: RowsShown, page: Listed) -> None:
    now = time.monotonic()
    seen.fresh = {row: one for row, one in seen.fresh.items() if now - one[1] < FLASH_SECONDS}
    rows = {one.id: one for one in page.rows}
    if seen.rows is not None and seen.view == page.view:
        # an undo brings back the row before
        known = {*seen.rows, *(one.replaces for one in seen.rows.values() if one.replaces is not None)}
        for row, one in rows.items():
            changed = row in known or one.replaces in known
            if seen.rows.get(row) != one and (changed or row > seen.newest or page.total > seen.total):
                seen.fresh[row] = ("~" if changed else "+", now)
    seen.rows, seen.view, seen.total = rows, page.view, page.total
    seen.newest = max((seen.newest, *rows))


def bar(desk: Desk) -> list[Any]:
    """The status line, the question that waits for an answer, the buttons, and what the address names."""
    asked, busy, may_stay = desk.asked, desk.busy or desk.at_work is not desk, choices.offers(desk.asked)
    return [
        status(desk), gr.update(visible=asked is not None), literal(choices.question(asked)) if asked else "",
        gr.update(visible=asked is None or not asked.word, value=choices.agreeing(asked)),
        *(gr.update(visible=flag in may_stay) for flag in choices.OFFERED),
        gr.update(visible=not busy), gr.update(visible=busy), {"session": address.of(desk), "went": desk.went or 0},
    ]  # fmt: skip


def blocked(sentence: str) -> list[Any]:
    """All as it is, and in the status line why the memory can't be shown; the stamp says that it is still to come."""
    at = PANES.index("status")
    return [*[gr.skip()] * at, fragments.blocked(sentence), *[gr.skip()] * (len(PANES) - at - 2), "blocked"]


def status(desk: Desk) -> str:
    """Who, whether memory is on, how fast, how many wait, and the one thing that keeps memory from working."""
    before = desk.seated.before if desk.busy else 0
    return fragments.status(desk.name, desk.standing, waiting=desk.waiting, before=before, models=desk.models)


def stamp(desk: Desk, words: str, find: str) -> str:
    """Changes whenever the page has something new to show, in this window, another, or another program."""
    beside = desk.at_work.version if desk.at_work is not desk else ""
    return f"{desk.version}/{beside}/{desk.waiting}/{desk.busy}/{words}/{find}"


def but_chat(desk: Desk, words: str, find: str) -> list[Any]:
    """Every part but the talk, which stays as it is while one of its lines is being edited."""
    [_, *parts, now] = whole(desk, words, find)
    return [gr.skip(), *parts, now + HELD]
