"""Bytes flipped in a database at random places, from a seed, and what a person then does with it."""

from __future__ import annotations

import random
from pathlib import Path

from chatmem.memory.store.store import Store

COMMANDS: tuple[tuple[str, ...], ...] = (
    ("memory", "list"), ("memory", "search", "cats and the lake"), ("memory", "show", "3"), ("memory", "history", "3"),
    ("memory", "journal"), ("memory", "export"), ("sessions", "list"), ("sessions", "show", "1"),
    ("sessions", "search", "cats"), ("sql", "SELECT * FROM lines WHERE text LIKE '%cat%'"),
    ("memory", "add", "Ana has a new boat."), ("memory", "undo"), ("doctor",),
)  # fmt: skip
UNFORESEEN = ("Something went wrong", "Traceback", "unexpected")


def fill(path: Path, lines: int = 60) -> None:
    """One user's talk over three conversations, with facts, changes and an undo."""
    with Store.open(path) as store:
        user = store.users.get("me")
        for part in range(3):
            session = store.sessions.start(user.id, "talk")
            for number in range(lines // 3):
                turn = store.turns.add(
                    session.id, "Ana", f"I have {number} cats and {part} boats by the lake, said Ana."
                )
                store.turns.add(session.id, "assistant", "How lovely, tell me more about them.")
                if number % 3 == 0:
                    store.facts.remember(
                        user.id, "Ana", "pets", f"Ana has {number} cats and {part} boats.", turn_ids=[turn.id]
                    )
        store.facts.edit(3, fact="Ana has three cats.")
        store.facts.retire(4)
        store.journal.undo(user.id)


def flip(source: Path, target: Path, seed: int, bytes_: int = 1) -> list[int]:
    """A copy with some bytes changed (with an odd seed: none of those that were empty); where."""
    rng = random.Random(seed)
    content = bytearray(source.read_bytes())
    full = [place for place, byte in enumerate(content) if byte] if seed % 2 else range(len(content))
    places = [rng.choice(full) for _ in range(bytes_)]
    for place in places:
        content[place] ^= rng.randrange(1, 256)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content)
    return places
