"""Memories spoiled on purpose: which rows are sound, said twice, overtaken or junk is known because it was made so.

A file holds one memory a line, as JSON: `user`, `lines` ([time, text], what the person said) and `rows` (subject,
topic, fact, the place of its line, its role, the place of the row it repeats or replaces, and the words that tell it
from others). `chatmem data spoiled` makes such files; `spoiled_held.jsonl` ships, from templates never trained on.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ...memory.errors import InputError
from ...memory.values import Author

if TYPE_CHECKING:
    from ...memory.store.store import Store
    from ...memory.values import User

Role = Literal["sound", "duplicate", "newer", "junk"]
SHIPPED = Path(__file__).parent / "spoiled_held.jsonl"
AUTHOR = Author("agent:storage")


@dataclass(frozen=True, slots=True)
class SpoiledRow:
    """`of`: for a duplicate the row it repeats, for a newer one the row it replaces. `keys`: words it must keep.

    `ask`: a question that the fact answers (for the reward of the trainer; empty: none).
    """

    subject: str
    topic: str
    fact: str
    line: int
    role: Role = "sound"
    of: int | None = None
    keys: tuple[str, ...] = ()
    ask: str = ""


@dataclass(frozen=True, slots=True)
class Spoiled:
    """One memory: `lines` are (ISO time, text) in order, `rows` in the order in which they were written."""

    user: str
    lines: tuple[tuple[str, str], ...]
    rows: tuple[SpoiledRow, ...]


def dump(memory: Spoiled) -> str:
    """One line of a file."""
    return json.dumps(asdict(memory), ensure_ascii=False)


def load_spoiled(path: Path | None = None) -> list[Spoiled]:
    """The memories of a file (None: those that ship). Raises InputError that names the bad line."""
    path = path or SHIPPED
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} can't be read ({error}); make one with `chatmem data spoiled`.") from error
    found = []
    for number, line in enumerate(lines, 1):
        try:
            found.append(_memory(json.loads(line)))
        except (ValueError, KeyError, TypeError, IndexError) as error:
            raise InputError(f"{path.name}, line {number}: not a spoiled memory ({error!r}); make it anew.") from error
    if not found:
        raise InputError(f"{path.name} holds no memory; make one with `chatmem data spoiled`.")
    return found


def _memory(data: Mapping[str, Any]) -> Spoiled:
    lines = tuple((str(at), str(text)) for at, text in data["lines"])
    rows = tuple(SpoiledRow(**{**row, "keys": tuple(row["keys"])}) for row in data["rows"])
    for place, row in enumerate(rows):
        lines[row.line]
        if row.of is not None and not 0 <= row.of < place:
            raise ValueError(f"row {place} points to row {row.of}")
    return Spoiled(str(data["user"]), lines, rows)


def fill(store: Store, name: str, memory: Spoiled) -> tuple[User, list[int]]:
    """Writes a memory into a store under a user's name: its lines as turns, its rows with them as evidence.

    The ids of the rows come back in the rows' order.
    """
    user = store.users.get(name)
    session = store.sessions.start(user.id, title="told")
    turns = [store.turns.add(session.id, memory.user, text, said_at=at, storage="skipped") for at, text in memory.lines]
    ids = []
    for row in memory.rows:
        entry = store.facts.remember(
            user.id, row.subject, row.topic, row.fact, turn_ids=[turns[row.line].id], author=AUTHOR,
            said_at=memory.lines[row.line][0],
        )  # fmt: skip
        ids.append(entry.memory_id or 0)
    return user, ids
