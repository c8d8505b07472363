"""Slash commands about the memory: see it, ask why, add, correct, undo, forget, query."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..memory.errors import InputError
from ..memory.values import HUMAN, JournalEntry, Memory
from .events import (
    Asked,
    Event,
    Explained,
    Forgotten,
    Listed,
    MemoriesListed,
    MemoryRefused,
    MemoryWritten,
    Notice,
)
from .history import live_writes, undone_writes
from .slash import Command, confirmed, number
from .texts import one_line
from .zone import minute

if TYPE_CHECKING:
    from .controller import Controller

MOST_LISTED = 50
LAST = 20


def _memory(c: Controller, rest: str) -> Iterator[Event]:
    if rest:
        found = c.store.search(c.user.id, rest, limit=10, use_turns=False)
        yield MemoriesListed(f"Memories about {rest!r}", tuple(found.memories), "Nothing found.")
        return
    memories = c.store.memories(c.user.id, limit=MOST_LISTED + 1)
    whole = len(memories) <= MOST_LISTED
    title = "Memory" if whole else f"Memory (the first {MOST_LISTED}; /memory WORDS finds more)"
    yield MemoriesListed(title, tuple(memories[:MOST_LISTED]), "Nothing is remembered yet.")


def _why(c: Controller, rest: str) -> Iterator[Event]:
    if c.last_recall is None:
        yield Notice("Nothing was looked up yet in this session; say something first.")
    else:
        yield Explained(c.last_recall)


def _remember(c: Controller, rest: str) -> Iterator[Event]:
    if not rest:
        raise InputError("Write what to remember: /remember Ana's sister Eva lives in Graz.")
    subject = c.user.subject
    words = rest.split()
    if words[0] == "--about" and len(words) > 2:
        subject, rest = words[1], " ".join(words[2:])
    yield MemoryWritten(None, (c.store.remember(c.user.id, subject, "", rest),))


def _correct(c: Controller, rest: str) -> Iterator[Event]:
    key, _, fact = rest.partition(" ")
    if not fact.strip():
        raise InputError("Write the number and the right words: /correct 12 Ana has three cats.")
    memory = own_memory(c, key)
    yield MemoryWritten(None, (c.store.edit(memory.id, fact=fact.strip()),))


def _pin(c: Controller, rest: str) -> Iterator[Event]:
    yield _pinned(c, rest, True)


def _unpin(c: Controller, rest: str) -> Iterator[Event]:
    yield _pinned(c, rest, False)


def _pinned(c: Controller, key: str, on: bool) -> MemoryWritten:
    memory = own_memory(c, key)
    if memory.pinned == on:
        raise InputError(f"Memory {memory.id} is {'' if on else 'not '}pinned already.")
    return MemoryWritten(None, (c.store.pin(memory.id, on),))


def _history(c: Controller, rest: str) -> Iterator[Event]:
    entries = c.store.history(own_memory(c, rest).id, user_id=c.user.id)
    yield Listed(f"History of memory {rest}", ("write", "when", "who", "what"), tuple(map(history_row, entries)))


def history_row(entry: JournalEntry) -> tuple[str, ...]:
    """One journal entry for people."""
    fact = (entry.after or entry.before or {}).get("fact", entry.reason or "")
    done = f"{entry.kind}{' (undone)' if entry.undone else ''}: {one_line(str(fact))}"
    return str(entry.id), minute(entry.at), entry.author.actor, done


def _undo(c: Controller, rest: str) -> Iterator[Event]:
    if rest.split()[:1] == ["--turn"]:
        yield MemoryWritten(None, tuple(c.store.undo_turn(_turn(c, rest), user_id=c.user.id)))
        c.read_name()
        return
    if rest:
        yield MemoryWritten(None, (c.store.undo(number(rest, "write"), user_id=c.user.id),))
        return
    writes = live_writes(c.store.journal(c.user.id))
    if not writes:
        raise InputError("There is nothing to undo.")
    yield MemoryWritten(None, tuple(c.store.undo_batch(writes[-1].batch, user_id=c.user.id)))
    c.read_name()


def _turn(c: Controller, rest: str) -> int:
    """The line whose writes are to be taken back: the one with that number, else the last one of this session."""
    key = rest.removeprefix("--turn").strip()
    if key:
        return number(key, "line")
    turn, _ = c.last_exchange()
    if turn is None:
        raise InputError("Nothing was said yet in this session; /undo takes back the last write.")
    return turn.id


def _redo(c: Controller, rest: str) -> Iterator[Event]:
    if rest:
        yield MemoryWritten(None, (c.store.redo(number(rest, "write"), user_id=c.user.id),))
        return
    undone = undone_writes(c.store.journal(c.user.id))
    if not undone:
        raise InputError("There is nothing to do again.")
    yield MemoryWritten(None, tuple(c.store.redo_batch(undone[-1].batch, user_id=c.user.id)))
    c.read_name()


def _forget(c: Controller, rest: str) -> Iterator[Event]:
    text, yes = confirmed(rest)
    if not text:
        raise InputError("Write what to forget: /forget 12, or words to find it by: /forget old job.")
    words = text.replace(",", " ").split()
    if not all(word.lstrip("#").isdigit() for word in words):
        found = c.store.search(c.user.id, text, limit=10, use_turns=False).memories
        yield MemoriesListed(f"Memories about {text!r}", tuple(found), "Nothing found, so there is nothing to forget.")
        if found:
            yield Notice("Write /forget and the numbers of those to erase.")
        return
    memories = [own_memory(c, word) for word in words]
    if not yes:
        facts = ", ".join(f"“{one_line(memory.fact, 80)}”" for memory in memories)
        numbers = " ".join(str(memory.id) for memory in memories)
        yield Asked(f"Erase for good, history and all: {facts}?", f"/forget {numbers} --yes")
        return
    report = c.store.forget(c.user.id, [memory.id for memory in memories])
    yield Forgotten(report.rows, report.journal, report.turns, report.bytes_checked)


def own_memory(c: Controller, key: str) -> Memory:
    """The memory with the number `key`, if it is this user's. Raises InputError, NotFound."""
    return c.store.memory(number(key, "memory"), user_id=c.user.id)


def _sql(c: Controller, rest: str) -> Iterator[Event]:
    writing = rest.startswith("--write ")
    sql = rest.removeprefix("--write ").strip()
    if not sql:
        raise InputError("Write a query: /sql SELECT * FROM memory WHERE topic = 'pets'.")
    if not writing:
        rows = c.store.read(c.user.id, sql)
        note = "There is more; add a LIMIT to choose." if rows.truncated else ""
        yield Listed("Result", rows.columns, rows.rows, "No rows.", note)
        return
    result = c.store.write(c.user.id, sql, author=HUMAN)
    if result.refused:
        yield MemoryRefused(None, result.refused, sql)
    else:
        yield MemoryWritten(None, result.entries)


def _journal(c: Controller, rest: str) -> Iterator[Event]:
    entries = c.store.journal(c.user.id, limit=min(number(rest, "writes"), 1_000) if rest else LAST)
    rows = tuple(map(history_row, entries))
    note = "/undo WRITE takes one back, /history ID shows all that happened to one memory."
    yield Listed("The last writes", ("write", "when", "who", "what"), rows, "Nothing was written yet.", note)


COMMANDS = (
    Command("memory", "[WORDS]", "what is remembered, or what is remembered about WORDS", _memory),
    Command("why", "", "what the last reply was built on: the SELECT, the rows, the lines they came from", _why),
    Command("remember", "[--about NAME] FACT", "remember a fact in just these words", _remember),
    Command("correct", "ID FACT", "put a memory right; its history stays", _correct),
    Command("history", "ID", "all that happened to a memory", _history),
    Command("journal", "[N]", "the last writes, refused ones too", _journal),
    Command("undo", "[WRITE | --turn]", "take back the last write, that write, or all of your last line", _undo),
    Command("redo", "[WRITE]", "do an undone write again", _redo),
    Command("forget", "ID... | WORDS", "erase memories for good, history and all (asks first)", _forget),
    Command("pin", "ID", "always bring this memory into the prompt", _pin),
    Command("unpin", "ID", "no longer", _unpin),
    Command("sql", "[--write] SQL", "query the memory; --write changes it, through guard and journal", _sql),
)
