"""A memory with questions whose needed rows are known, as JSON lines, and its way into a store."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ....memory.errors import InputError
from ....memory.values import HUMAN

if TYPE_CHECKING:
    from ....memory.store.store import Store
    from ....memory.values import User

BENCH = Path(__file__).parent / "bench.jsonl"
"""The bench: 300 questions over memories of our own, drawn once by a fixed seed."""


class Said(NamedTuple):
    """One line: `said_at` as a moment, `session` a number within the memory."""

    speaker: str
    text: str
    said_at: str
    session: int


class Noted(NamedTuple):
    """One fact and the line that told it (its place)."""

    subject: str
    topic: str
    fact: str
    happened_on: str | None
    line: int


@dataclass(frozen=True, slots=True)
class Asked:
    """A question. `needs`: the lines that hold the answer; `keys`: what each of them brings, in the same order."""

    kind: str
    text: str
    needs: tuple[int, ...]
    keys: tuple[str, ...]
    hints: dict[str, Any]
    """What a SELECT can go by: subject, topics, words, since, until, told, order, limit, besides."""


@dataclass(frozen=True, slots=True)
class AskedMemory:
    """Lines and facts of one user at a moment, and the questions asked then."""

    name: str
    asker: str
    now: str
    lines: tuple[Said, ...]
    facts: tuple[Noted, ...]
    asked: tuple[Asked, ...]


class Places(NamedTuple):
    """Where a memory lies in a store: its user, the turn of each line, the memory of each fact's line."""

    user: User
    turns: list[int]
    facts: dict[int, int]

    def units(self, asked: Asked) -> list[tuple[int, int | None]]:
        """(turn, memory or None) of each thing that the question needs."""
        return [(self.turns[line], self.facts.get(line)) for line in asked.needs]


def read(path: Path = BENCH) -> list[AskedMemory]:
    """The memories of a file. Raises InputError."""
    try:
        return [_memory(json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path.name} can't be read as memories with questions ({error}).") from error


def _memory(row: dict[str, Any]) -> AskedMemory:
    asked = [
        Asked(one["kind"], one["text"], tuple(one["needs"]), tuple(one["keys"]), one["hints"]) for one in row["asked"]
    ]
    lines, facts = (Said(*one) for one in row["lines"]), (Noted(*one) for one in row["facts"])
    return AskedMemory(row["name"], row["asker"], row["now"], tuple(lines), tuple(facts), tuple(asked))


def write(path: Path, memories: Sequence[AskedMemory]) -> None:
    """The memories as JSON lines."""
    path.write_text("".join(json.dumps(asdict(one), ensure_ascii=False) + "\n" for one in memories), encoding="utf-8")


def tell(store: Store, memory: AskedMemory) -> Places:
    """Puts a memory into the store, under a user of its name."""
    user = store.users.get(memory.name)
    if memory.asker != user.subject:
        user = store.users.call(user.id, memory.asker)
    turns = list(_told(store, user, memory.lines))
    facts: dict[int, int] = {}
    for one in memory.facts:
        entry = store.facts.remember(
            user.id, one.subject, one.topic, one.fact, happened_on=one.happened_on, turn_ids=[turns[one.line]],
            said_at=memory.lines[one.line].said_at, author=HUMAN,
        )  # fmt: skip
        facts.setdefault(one.line, entry.memory_id or 0)
    store.vectors.embed_pending(user.id, limit=1_000_000)
    return Places(user, turns, facts)


def _told(store: Store, user: User, lines: Sequence[Said]) -> Iterator[int]:
    open_now, number = None, -1
    for line in lines:
        if open_now is None or line.session != number:
            open_now, number = store.sessions.start(user.id, at=line.said_at), line.session
        yield store.turns.add(open_now.id, line.speaker, line.text, said_at=line.said_at).id
