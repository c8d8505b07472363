"""Looking up what holds words: turns by the stems of theirs, numbers however they are written, and what was meant by
a matter that is told in words."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from sqlalchemy import Connection, select

from ..database import tables as t
from ..database.engine import raw
from ..database.rows import loads
from ..search import fulltext
from ..values import ASSISTANT, FORGOTTEN
from .telling import SHORTEST_PARTED, count_of

PER_QUERY = 400
"""Words that one full text query names."""


def quoted(words: Iterable[str]) -> list[str]:
    """Words as full text search takes them."""
    return sorted({f'"{word.replace(chr(34), " ")}"' for word in words if word.strip()})


def counts_of(db: Connection, stems: Iterable[str]) -> dict[str, int]:
    """In how many turns of the database each stem stands."""
    sql = "SELECT doc FROM turns_terms WHERE term = ?"
    rows = {one: raw(db).execute(sql, (one,)).fetchone() for one in stems}
    return {one: row[0] if row else 0 for one, row in rows.items()}


def turns_with(db: Connection, user_id: int, words: Iterable[str]) -> set[int]:
    """The user's turns that hold one of these words, as full text search finds them: by their stems."""
    wanted = quoted(words)
    found: set[int] = set()
    for start in range(0, len(wanted), PER_QUERY):
        some = " OR ".join(wanted[start : start + PER_QUERY])
        found |= {*fulltext.turns_with(db, user_id, some)}
    return found


def turns_with_digits(db: Connection, user_id: int, words: Iterable[str]) -> set[int]:
    """The user's turns that hold one of these numbers, however its groups are parted: full text search knows "44 71"
    as two words."""
    numbers = [word for word in words if word.isdecimal() and len(word) >= SHORTEST_PARTED]
    if not numbers:
        return set()
    bare = "text"
    for sign in "-., /":
        bare = f"replace({bare}, '{sign}', '')"
    sql = f"SELECT id, {bare} FROM turns WHERE user_id = ?"
    return {key for key, text in raw(db).execute(sql, (user_id,)) if any(one in text for one in numbers)}


def images_of(db: Connection, user_id: int) -> list[tuple[int, str, str]]:
    """Every state of a row that the user's journal holds: the row's id, its subject, and the words of the state."""
    mine = select(t.journal.c.before, t.journal.c.after).where(t.journal.c.user_id == user_id)
    images = (loads(text) for row in db.execute(mine) for text in row)
    told = (
        (int(one["id"]), one["subject"], f"{one['topic']} {one['fact']}") for one in images if one and one.get("id")
    )
    return list(dict.fromkeys(told))


def best_holding(
    db: Connection, user_id: int, wanted: Collection[str], least: int
) -> tuple[list[int], list[int]]:  # fmt: skip
    """Ids of the user's current facts, and of their lines, that hold most of these stems, and at least so many.

    Where no fact does, of those that are no longer current or were taken back: an undo or a redo brings them again.
    """
    rows = db.execute(select(t.memories).where(t.memories.c.user_id == user_id)).all()
    held = {row.id: count_of(f"{row.subject} {row.topic} {row.fact}", wanted) for row in rows}
    facts = {row.id: held[row.id] for row in rows if row.valid_to is None}
    query = select(t.turns).where(t.turns.c.id.in_(turns_with(db, user_id, wanted)), t.turns.c.speaker != ASSISTANT)
    lines = {row.id: count_of(row.text, wanted) for row in db.execute(query) if row.text != FORGOTTEN}
    enough = max(least, 1)
    if max([0, *facts.values()]) < enough:
        facts = {row.id: held[row.id] for row in rows if row.valid_to is not None}
        for key, subject, text in images_of(db, user_id):
            facts[key] = max(facts.get(key, 0), count_of(f"{subject} {text}", wanted))
    best = max([enough, *facts.values(), *lines.values()])
    return ([key for key, count in sorted(facts.items()) if count == best],
            [key for key, count in sorted(lines.items()) if count == best])  # fmt: skip
