"""Slash commands about the memory: see it, ask why, add, correct, undo, forget, query."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence

from ....eval.arguments import whole
from ....memory.errors import InputError
from ....memory.values import HUMAN, JournalEntry, Memory
from ...config.safe_text import one_line
from ...config.zone import minute
from ...shown.chips import current_of
from ...shown.dated import taken_apart
from ...shown.events import (
    Event,
    Explained,
    Listed,
    MemoriesListed,
    MemoryRefused,
    MemoryWritten,
    Notice,
)
from ...shown.hints import refused_read, written
from ...shown.journal_state import undone_before, undone_writes
from ...shown.render import chip
from .. import forgetting
from ..panels import became, since, thrown_away
from ..state import ChatState
from ..worker import Job
from ..yes_no import UNASKED, unask
from .command import Command, number

MOST_LISTED = 50
LAST = 20
MOST_UNDONE = 3
"""Undone writes that `/redo` names."""


def _memory(c: ChatState, rest: str) -> Iterator[Event]:
    if rest:
        found = c.store.search(c.user.id, rest, limit=10, use_turns=False)
        yield MemoriesListed(f"Memories about {rest!r}", tuple(found.memories), "Nothing found.")
        return
    memories = c.store.facts.all(c.user.id, limit=MOST_LISTED + 1)
    whole = len(memories) <= MOST_LISTED
    title = "Memory" if whole else f"Memory (the first {MOST_LISTED}; /memory WORDS finds more)"
    yield MemoriesListed(title, tuple(memories[:MOST_LISTED]), "Nothing is remembered yet.")


def _why(c: ChatState, rest: str) -> Iterator[Event]:
    if (recall := c.last_recall) is None:
        yield Notice("Nothing was looked up yet in this session; say something first.")
    else:
        yield Explained(recall, thrown_away(c), since(c))


def _remember(c: ChatState, rest: str) -> Iterator[Event]:
    if not rest:
        raise InputError("Write what to remember: /remember Ana's sister Eva lives in Graz.")
    subject = c.user.subject
    words = rest.split()
    if words[0] == "--about" and len(words) > 2:
        subject, rest = words[1], " ".join(words[2:])
    fact, day = taken_apart(rest)
    entry = c.memory.remember(fact, subject=subject, date=day)
    c.noted = entry.memory_id
    yield MemoryWritten(None, (entry,))


def _correct(c: ChatState, rest: str) -> Iterator[Event]:
    key, _, fact = rest.partition(" ")
    if not fact.strip():
        raise InputError("Write the number and the right words: /correct 12 Ana has three cats.")
    memory = yield from _followed(c, key)
    fact, day = taken_apart(fact.strip(), memory.fact, memory.happened_on)
    yield MemoryWritten(None, (c.store.facts.edit(memory.id, fact=fact, happened_on=day, user_id=c.user.id),))


def _followed(c: ChatState, key: str) -> Generator[Event, None, Memory]:
    """The memory with the number `key` as it is now; says so when it has another number by now. Raises InputError."""
    asked = number(key, "memory")
    found = current_of(c.store, c.user.id, [asked])
    if asked not in found:
        memory = own_memory(c, key)
        raise InputError(f"Memory {memory.id} is not remembered any more; /history {memory.id} says what became of it.")
    if found[asked].id != asked:
        yield Notice(f"Memory {asked} was changed since; it is #{found[asked].id} now.")
    return found[asked]


def _pin(c: ChatState, rest: str) -> Iterator[Event]:
    yield from _pinned(c, rest, True)


def _unpin(c: ChatState, rest: str) -> Iterator[Event]:
    yield from _pinned(c, rest, False)


def _pinned(c: ChatState, key: str, on: bool) -> Iterator[Event]:
    memory = yield from _followed(c, key)
    if memory.pinned == on:
        raise InputError(f"Memory {memory.id} is {'' if on else 'not '}pinned already.")
    yield MemoryWritten(None, (c.store.facts.pin(memory.id, on),))


def _history(c: ChatState, rest: str) -> Iterator[Event]:
    key = number(rest, "memory")
    entries = c.store.journal.history(key, user_id=c.user.id)
    rows, note = tuple(map(history_row, entries)), became(c.store, c.user, [key]).get(key, "")
    yield Listed(
        f"History of memory {key}",
        ("write", "when", "who", "what"),
        rows,
        note=f"It is {note.rstrip('.')}." if note else "",
    )


def history_row(entry: JournalEntry) -> tuple[str, ...]:
    """One journal entry for people."""
    fact = (entry.after or entry.before or {}).get("fact", entry.reason or "")
    done = f"{entry.kind}{' (undone)' if entry.undone else ''}: {one_line(str(fact))}"
    return str(entry.id), minute(entry.at), entry.author.actor, done


def _mine(c: ChatState, rest: str) -> Iterator[Event]:
    """Takes what a line seemed to quote for the user's own words: the storage worker reads it then."""
    from ....models.storage.parts import as_own

    turn = c.store.turns.get(_turn(c, rest), user_id=c.user.id)
    as_own(turn)
    c.take_back(turn.id)
    turn = c.store.turns.set(turn.id, storage="pending")
    c.worker.put(Job(c.user, (turn,), own=True))
    yield Notice("Taken for your own words; what is worth remembering of them is written down now.")


def _undo(c: ChatState, rest: str) -> Iterator[Event]:
    """A question that came of what is taken back goes with it: it stands where it was told, so that is said."""
    for done in _undone(c, rest):
        yield done
        if unask(c, done.entries) is not None:
            yield Notice(UNASKED)


def _undone(c: ChatState, rest: str) -> Iterator[MemoryWritten]:
    if rest.split()[:1] == ["--turn"]:
        yield MemoryWritten(None, tuple(c.store.journal.undo_turn(_turn(c, rest), user_id=c.user.id)))
        c.read_name()
        return
    if rest:
        yield MemoryWritten(None, tuple(c.memory.undo(number(rest, "write"))))
        return
    yield MemoryWritten(None, tuple(c.memory.undo()))
    c.read_name()


def _turn(c: ChatState, rest: str) -> int:
    """The line whose writes are to be taken back: the one with that number, else the last one of this session."""
    key = rest.removeprefix("--turn").strip()
    if key:
        return number(key, "line")
    turn, _ = c.last_exchange()
    if turn is None:
        raise InputError("Nothing was said yet in this session; /undo takes back the last write.")
    return turn.id


def _redo(c: ChatState, rest: str) -> Iterator[Event]:
    if rest:
        yield MemoryWritten(None, (c.store.journal.redo(number(rest, "write"), user_id=c.user.id),))
        return
    entries = c.store.journal.entries(c.user.id)
    undone = undone_writes(entries)
    if not undone:
        raise InputError(_by_number(undone_before(entries)))
    yield MemoryWritten(None, tuple(c.store.journal.redo_batch(undone[-1].batch, user_id=c.user.id)))
    c.read_name()


def _by_number(undone: Sequence[JournalEntry]) -> str:
    """Where something was written since the last undo: what can be done again by its number, newest first."""
    if not undone:
        return "There is nothing to do again."
    told = "; ".join(f"/redo {one.id} does “{one_line(chip(one), 60)}”" for one in undone[::-1][:MOST_UNDONE])
    more = f" ({len(undone) - MOST_UNDONE} older ones: /journal)" if len(undone) > MOST_UNDONE else ""
    return f"Something was written since the last undo, so say which to do again: {told}{more}."


def _forget(c: ChatState, rest: str) -> Iterator[Event]:
    if not rest:
        raise InputError("Write what to forget: /forget 12, or words to find it by: /forget my old job.")
    yield from forgetting.asked_for(c, rest)


def own_memory(c: ChatState, key: str) -> Memory:
    """The memory with the number `key`, if it is this user's. Raises InputError, NotFound."""
    return c.memory.get(number(key, "memory"))


def _sql(c: ChatState, rest: str) -> Iterator[Event]:
    writing = rest.startswith("--write ")
    sql = rest.removeprefix("--write ").strip()
    if not sql:
        raise InputError("Write a query: /sql SELECT * FROM memory WHERE topic = 'pets'.")
    if not writing:
        with refused_read(sql, "/sql --write lets a statement change the memory, and /undo takes it back"):
            rows = c.store.facts.read(c.user.id, sql)
        note = "There is more; add a LIMIT to choose." if rows.truncated else ""
        yield Listed("Result", rows.columns, rows.rows, "No rows.", note)
        return
    result = c.store.facts.write(c.user.id, sql, author=HUMAN)
    if result.refused:
        yield MemoryRefused(None, result.refused, sql)
        return
    if result.entries:
        yield MemoryWritten(None, result.entries)
    yield Notice(written(len(result.entries), "/undo"))


def _journal(c: ChatState, rest: str) -> Iterator[Event]:
    refused = rest.split()[:1] == ["--refused"]
    rest = rest.removeprefix("--refused").strip() if refused else rest
    most = min(whole(rest, 1), 1_000) if rest else LAST
    entries = c.store.journal.entries(c.user.id, kind="refused" if refused else None, limit=most)
    rows = tuple(map(history_row, entries))
    note = "/undo WRITE takes one back, /history ID shows all that happened to one memory."
    empty = "Nothing was refused." if refused else "Nothing was written yet."
    yield Listed("The last writes", ("write", "when", "who", "what"), rows, empty, note)


COMMANDS = (
    Command("memory", "[WORDS]", "what is remembered, or what is remembered about WORDS", _memory),
    Command("why", "", "what the last reply was built on: the SELECT, the rows, the lines they came from", _why),
    Command("remember", "[--about NAME] FACT", "remember a fact in just these words", _remember),
    Command("correct", "ID FACT", "put a memory right, its date in brackets behind it; its history stays", _correct),
    Command("history", "ID", "all that happened to a memory", _history),
    Command("journal", "[--refused] [N]", "the last writes, refused ones too; --refused: those alone", _journal),
    Command("mine", "[LINE]", "what your last line (or that one) quotes are your own words: remember them", _mine),
    Command("undo", "[WRITE | --turn]", "take back the last write, that write, or all of your last line", _undo),
    Command("redo", "[WRITE]", "do an undone write again", _redo),
    Command("forget", "ID... | WORDS", "erase for good, with all that was said of it (asks first)", _forget),
    Command("pin", "ID", "always bring this memory into the prompt", _pin),
    Command("unpin", "ID", "no longer", _unpin),
    Command("sql", "[--write] SQL", "query the memory; --write changes it, through guard and journal", _sql),
)
