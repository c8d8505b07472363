"""Slash commands about the chat itself: sessions, users, models, incognito, the way out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ....memory.errors import InputError
from ...config.safe_text import one_line
from ...config.zone import minute
from ...shown.events import Event, Forgotten, Left, Listed, Notice
from .. import forgetting
from ..panels import last_prompt, no_prompt
from ..state import ChatState
from ..talk import regenerate
from .command import Command, confirmed, number

ROLES = ("answer", "storage", "retrieval", "all")


def _new(c: ChatState, rest: str) -> Iterator[Event]:
    c.end_session()
    yield Notice("A new session begins with your next line.")


def _sessions(c: ChatState, rest: str) -> Iterator[Event]:
    sessions = c.store.sessions.all(c.user.id, search=rest or None, limit=20)
    rows = tuple((s.id, minute(s.started_at), s.turns, one_line(s.title, 60)) for s in sessions)
    columns = ("id", "started", "lines", "title")
    yield Listed("Sessions", columns, rows, "No sessions found.", "/resume ID goes on in one.")


def _resume(c: ChatState, rest: str) -> Iterator[Event]:
    latest = c.store.sessions.all(c.user.id, limit=1)
    if not rest and not latest:
        raise InputError("There is no session to go on in yet.")
    yield from c.resume(number(rest, "session") if rest else latest[0].id)


def _model(c: ChatState, rest: str) -> Iterator[Event]:
    words = rest.split()
    if not words:
        yield Listed("Models", ("role", "model"), c.agents.get().specs, note="/model [ROLE] SPEC switches.")
        return
    role = words[0] if len(words) > 1 else "all"
    if role not in ROLES:
        raise InputError(f"{role[:40]!r} is no role; take one of {', '.join(ROLES)}.")
    c.agents.switch(role, words[-1])
    yield Listed("Models", ("role", "model"), c.agents.get().specs)
    if not c.incognito and c.worker.waiting == 0:
        c.retry_pending()


def _user(c: ChatState, rest: str) -> Iterator[Event]:
    if rest:
        yield from c.switch_user(rest)
        return
    if c.incognito:
        yield Notice(f"You are {c.user.name}, in incognito.")
        return
    rows = tuple(("*" if user.id == c.user.id else "", user.name, user.called or "") for user in c.store.users.all())
    yield Listed("Users", ("", "name", "called"), rows, note="/user NAME switches, and makes a new one.")


def _incognito(c: ChatState, rest: str) -> Iterator[Event]:
    if rest.lower() not in ("", "on", "off"):
        raise InputError("Write /incognito, /incognito on or /incognito off.")
    yield from c.set_incognito(rest.lower() == "on" if rest else not c.incognito)


def _regenerate(c: ChatState, rest: str) -> Iterator[Event]:
    yield from regenerate(c)


def _edit(c: ChatState, rest: str) -> Iterator[Event]:
    if not rest:
        raise InputError("Write the line as it should have been: /edit I have three cats.")
    yield from regenerate(c, rest)


def _stats(c: ChatState, rest: str) -> Iterator[Event]:
    rows = tuple((str(name), value) for name, value in c.store.stats(c.user.id).items())
    yield Listed("Numbers", ("what", "value"), (*rows, ("waiting to be stored", c.worker.waiting)))


def _context(c: ChatState, rest: str) -> Iterator[Event]:
    messages = last_prompt(c)
    if not messages:
        raise InputError(no_prompt(c))
    whole = sum(len(message.content) for message in messages) or 1
    rows = tuple((message.role, f"{100 * len(message.content) // whole}%", message.content) for message in messages)
    yield Listed("The prompt of the last reply", ("role", "share", "text"), rows)


def _thinking(c: ChatState, rest: str) -> Iterator[Event]:
    if rest.lower() in ("on", "off"):
        c.settings = replace(c.settings, show_thinking=rest.lower() == "on")
        yield Notice(f"What a model thinks before it replies is {'shown' if c.settings.show_thinking else 'hidden'}.")
    elif rest:
        raise InputError("Write /thinking, /thinking on or /thinking off.")
    else:
        yield Notice(c.last_thought.strip() or "Nothing was thought before the last reply, or the model doesn't tell.")


def _bye(c: ChatState, rest: str) -> Iterator[Event]:
    yield Left()


def _reset(c: ChatState, rest: str) -> Iterator[Event]:
    _, yes = confirmed(rest)
    user = c.user
    if not yes:
        yield forgetting.ask_for_all(c)
        return
    with c.worker.still():
        c.worker.drop()
        report = c.store.forget.user(user.id)
        c.forget_everything()
        c.erased_of, c.erased_after = c.name, 0
    yield Forgotten(report, everything=True)


COMMANDS = (
    Command("new", "", "begin a new session", _new, memory=False),
    Command("sessions", "[WORDS]", "your sessions, or those in which WORDS were said", _sessions),
    Command("resume", "[ID]", "go on in an earlier session (the last one)", _resume),
    Command("regenerate", "", "another reply; what was written is undone first", _regenerate, memory=False),
    Command("edit", "TEXT", "say the last line anew; what was written from it is undone first", _edit, memory=False),
    Command("user", "[NAME]", "talk as another user, with a memory of their own", _user, memory=False),
    Command("model", "[ROLE] [SPEC]", "which models are at work, or switch one", _model, memory=False),
    Command("incognito", "[on|off]", "read and write nothing from here on, or end that", _incognito, memory=False),
    Command("context", "", "the exact prompt of the last reply", _context, memory=False),
    Command(
        "thinking",
        "[on|off]",
        "what the model thought before its last reply; on: show it always",
        _thinking,
        memory=False,
    ),
    Command("stats", "", "how much is remembered", _stats),
    Command("reset", "[--yes]", "forget everything of this user for good (asks first)", _reset),
    Command("bye", "", "leave; waits until all is remembered", _bye, memory=False),
)
