"""What happens when somebody wants something forgotten: all that holds it is shown once, and one yes erases it.

`/forget` and plain words ("please forget my locker number") come here; the planning is the memory's.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...memory.errors import InputError, NotFound
from ...memory.forget.asking import Wish, wish_of
from ...memory.language.detect import language_of
from ...memory.values import ForgetPlan
from ..shown.events import Asked, Event, Forgotten, Notice
from ..shown.forgetting import NOTHING, question
from .state import ChatState

KEEP_LINES, KEEP_OTHERS, YES = "--keep-lines", "--keep-others", "--yes"
LINE = "line:"
"""Before the number of a line: `/forget 12 line:30`."""


def wish_in(c: ChatState, text: str) -> Wish | None:
    """The wish to forget something that a line of talk holds."""
    return wish_of(text, language_of(text, c.settings.language, thorough=False))


def wished(c: ChatState, wish: Wish) -> Iterator[Event]:
    """Shows what a wish would erase, and asks. Raises InputError where nothing may be forgotten."""
    if "forget" in c.closed:
        raise InputError(c.closed["forget"])
    if c.incognito:
        raise InputError("Incognito is on, and forgetting needs the memory; /incognito off turns it off.")
    if wish.kind == "whole":
        yield ask_for_all(c)
        return
    turn, _ = c.last_exchange()
    plan = c.store.forget.wished(c.user.id, wish, last_line=turn.id if turn else None)
    if not wish.alone:
        yield Notice("Only the wish to forget was taken from that line; say the rest in a line of its own.")
    yield _ask(c, plan)


def asked_for(c: ChatState, rest: str) -> Iterator[Event]:
    """`/forget`: numbers of memories (and `line:30`), or words; `--yes` erases, else it is shown and asked."""
    words = rest.replace(",", " ").split()
    flags = {word for word in words if word in (KEEP_LINES, KEEP_OTHERS, YES)}
    keys = [word for word in words if word not in flags]
    if not keys:
        raise InputError("Write what to forget: /forget 12, or words to find it by: /forget my old job.")
    if not all(_number(key) for key in keys):
        text = " ".join(word for word in rest.split() if word not in flags)
        yield from wished(c, wish_of(f"forget {text}") or Wish("matter", text))
        return
    facts = tuple(dict.fromkeys(int(key.lstrip("#")) for key in keys if not key.startswith(LINE)))
    lines = tuple(dict.fromkeys(int(key.removeprefix(LINE)) for key in keys if key.startswith(LINE)))
    try:
        plan = c.store.forget.plan(
            c.user.id, facts, line_ids=lines, keep_lines=KEEP_LINES in flags, keep_others=KEEP_OTHERS in flags
        )
    except NotFound:  # "/forget 4471" may mean the number itself
        if flags or lines or len(keys) > 1:
            raise
        plan = c.store.forget.wished(c.user.id, Wish("matter", keys[0]))
        if plan.empty:
            raise
    if YES not in flags:
        yield _ask(c, plan)
        return
    yield Forgotten(c.forget(plan))


def _number(key: str) -> bool:
    return key.removeprefix(LINE).lstrip("#").isdigit()


def _ask(c: ChatState, plan: ForgetPlan) -> Event:
    if plan.empty:
        return Notice(NOTHING)
    command = _command(plan)
    return Asked(question(plan, f"{command} "), f"{command} {YES}", plan)


def _command(plan: ForgetPlan) -> str:
    """The line that asks for just this."""
    keys = [*map(str, plan.asked_facts)] + [f"{LINE}{key}" for key in plan.asked_lines]
    flags = [flag for flag, on in ((KEEP_LINES, plan.keep_lines), (KEEP_OTHERS, plan.keep_others)) if on]
    return " ".join(["/forget", *keys, *flags])


def ask_for_all(c: ChatState) -> Asked:
    """The question before everything of a user is forgotten."""
    user = c.user
    count, sessions = len(c.store.facts.all(user.id)), len(c.store.sessions.all(user.id))
    return Asked(
        f"Forget everything of {user.called or user.name} for good: {count} memories, {sessions} sessions?",
        "/reset --yes",
    )
