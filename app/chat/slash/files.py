"""Slash commands about files: export, and import, which shows first what it would do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ....memory.errors import InputError
from ....memory.values import OWN_NAME
from ...shown.events import Asked, Event, MemoryWritten, Notice
from ...shown.hints import counted, lines
from ..state import ChatState
from .command import Command, confirmed

if TYPE_CHECKING:
    from ....memory.store.store import Store
    from ....memory.transfer.exchange import Preview
    from ....memory.values import User


ONE = {"memories": "memory", "sessions": "session", "turns": "turn"}
"""The sections of an export, each as one of it is called."""


def plan_lines(plan: Preview) -> list[str]:
    """What an import would do, line by line."""
    told = []
    for name, words in (("new", "new"), ("duplicates", "known already"), ("left", "left in the file")):
        plans = ((section, count) for section, count in getattr(plan, name).items() if count)
        counts = ", ".join(counted(count, ONE.get(section, section), section) for section, count in plans)
        told.append(f"{words}: {counts or 'none'}")
    marks = [f"{plan.pinned} pinned"] if plan.pinned else []
    marks += [f"{plan.by_hand} that the file says a person wrote"] if plan.by_hand else []
    if marks:
        told.append(f"of the new memories: {', '.join(marks)}")
    told += [f"bad: {bad.place} {bad.problem}" for bad in plan.bad]
    if plan.bad_count > len(plan.bad):
        told.append(f"bad: {plan.bad_count - len(plan.bad)} more")
    if plan.ignored:
        told.append(f"columns that mean nothing here: {', '.join(plan.ignored)}")
    return told


def whose(store: Store, user: User) -> str:
    """That somebody in the facts, whose own name a table told as the user's, isn't taken for the user yet; mostly
    nothing."""
    if user.called is not None:
        return ""
    rows = store.facts.all(user.id, topic="name")
    name = next((one.subject for one in rows if one.fact == f"{OWN_NAME}{one.subject}."), "")
    return f"{name} isn't taken to be you yet: “my name is {name}” in a chat makes it so." if name else ""


def _export(c: ChatState, rest: str) -> Iterator[Event]:
    from ....memory.transfer.exchange import export_file, place_of

    told, yes = confirmed(rest)
    text, plain = _plain(told)
    path = Path(text or f"chatmem-{c.user.name.replace('/', '_')}.json").expanduser()
    place = place_of(c.store, path, plain=plain)
    if place.exists() and not yes:
        yield Asked(f"{place} exists; write over it?", f"/export {path}{' --plain' * plain} --yes")
        return
    count = export_file(c.store, c.user.id, path, plain=plain)
    in_the_open = " It is not encrypted." if plain and c.store.db.key is not None else ""
    yield Notice(f"Wrote {counted(count, 'record')} to {place}.{in_the_open}")


def _plain(text: str) -> tuple[str, bool]:
    """The arguments without `--plain`, and whether it was there."""
    words = text.split()
    return " ".join(word for word in words if word != "--plain"), "--plain" in words


def _save(c: ChatState, rest: str) -> Iterator[Event]:
    from ...shown.talk_markdown import talk_markdown, write_talk

    told, yes = confirmed(rest)
    text, plain = _plain(told)
    if c.session is None:
        raise InputError("There is no session yet; say something first, or /resume one.")
    path = Path(text or f"chatmem-session-{c.session.id}.md").expanduser()
    if path.suffix.lower() != ".md":
        raise InputError(f"{path.name} does not end in .md: a session is saved as Markdown.")
    if c.store.db.key is not None and not plain:
        raise InputError(f"The memory is encrypted, and {path} would not be: /save {path} --plain, or /export.")
    if path.exists() and not yes:
        yield Asked(f"{path} exists; write over it?", f"/save {path}{' --plain' * plain} --yes")
        return
    turns = c.store.turns.of(c.session.id)
    write_talk(path, talk_markdown(c.store.sessions.get(c.session.id, user_id=c.user.id), turns))
    c.store.forget.wrote(c.user.id, path)
    yield Notice(f"Wrote {lines(len(turns))} to {path}.")


def _import(c: ChatState, rest: str) -> Iterator[Event]:
    from ....memory.transfer.exchange import import_file, preview

    text, yes = confirmed(rest)
    if not text:
        raise InputError("Write the file: /import backup.json, or a .csv with the columns subject and fact.")
    path = Path(text).expanduser()
    if yes:
        done = import_file(c.store, c.user.id, path)
        entries = c.store.journal.entries(c.user.id, batch=done.batch) if done.batch else []
        c.set_user(c.store.users.get(c.name))  # the file may have told the name they go by
        if entries:
            yield MemoryWritten(None, tuple(entries))
        yield Notice("Imported; /undo takes it back." if done.batch else "There was nothing new in it.")
        if done.batch and (told := whose(c.store, c.user)):
            yield Notice(told)
        return
    plan = preview(c.store, c.user.id, path)
    yield Notice(f"Importing {path} would bring " + "; ".join(plan_lines(plan)) + ".")
    if any(plan.new.values()):
        yield Asked(f"Import {path}?", f"/import {path} --yes")


COMMANDS = (
    Command("export", "[FILE]", "write all that is remembered into FILE; .json, .csv, .md or .db says how", _export),
    Command("save", "[FILE.md]", "write this session into a file, as Markdown", _save),
    Command("import", "FILE", "read an export or a .csv of facts; shows first what it would bring", _import),
)
