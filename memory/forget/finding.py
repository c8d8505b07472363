"""Looking up what holds words: turns by the stems of theirs, numbers however they are written, and what was meant by
a matter that is told in words."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, select

from ..database import tables as t
from ..database.engine import raw
from ..database.rows import loads, turn_of
from ..language.language import english
from ..language.words import tokens
from ..search import fulltext
from ..values import ASSISTANT, FORGOTTEN, Moment, Turn
from .anchors import Anchors
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


@dataclass
class Held:
    """How many of some stems each of a user's facts, and each of their lines, holds."""

    facts: dict[int, int]
    lines: dict[int, int]
    questions: frozenset[int] = frozenset()
    """The lines that only ask."""

    def best(self, least: int) -> tuple[list[int], list[int]]:
        """The facts and lines that hold most, and at least so many. A question is no better than a fact."""
        told = [count for key, count in self.lines.items() if key not in self.questions]
        best = max([least, *self.facts.values(), *told])
        if best not in [*self.facts.values(), *told]:
            best = max([least, *self.lines.values()])
        return (_with(self.facts, best), _with(self.lines, best))


def _with(counts: Mapping[int, int], count: int) -> list[int]:
    return [key for key, one in sorted(counts.items()) if one == count]


def holding(
    db: Connection, user_id: int, wanted: Collection[str], least: int, anchors: Anchors, now: Moment
) -> Held:  # fmt: skip
    """How many of these stems the user's current facts and their lines hold, of those that hold the dates and numbers.

    Where no fact has `least`, of those that are no longer current or were taken back: an undo or a redo brings them
    again.
    """
    mine = db.execute(select(t.memories).where(t.memories.c.user_id == user_id))
    rows = [row for row in mine if anchors.in_text(f"{row.topic} {row.fact}", row.said_at, row.happened_on)]
    held = {row.id: count_of(f"{row.subject} {row.topic} {row.fact}", wanted) for row in rows}
    facts = {row.id: held[row.id] for row in rows if row.valid_to is None}
    query = select(t.turns).where(t.turns.c.id.in_(turns_with(db, user_id, wanted)), t.turns.c.speaker != ASSISTANT)
    said = [row for row in db.execute(query) if row.text != FORGOTTEN and anchors.in_text(row.text, row.said_at)]
    if max([0, *facts.values()]) < least:
        facts = facts | {row.id: held[row.id] for row in rows if row.valid_to is not None and held[row.id] >= least}
        for key, subject, text in images_of(db, user_id):
            count = count_of(f"{subject} {text}", wanted)
            if count >= least and anchors.in_text(text, now):
                facts[key] = max(facts.get(key, 0), count)
    asking = frozenset(row.id for row in said if asked(row.text))
    return Held(facts, {row.id: count_of(row.text, wanted) for row in said}, asking)


def answers_to(db: Connection, turns: Sequence[Turn]) -> list[Turn]:
    """What the assistant said right after these lines."""
    found = []
    for turn in turns:
        after = (t.turns.c.session_id == turn.session_id, t.turns.c.id > turn.id)
        row = db.execute(select(t.turns).where(*after).order_by(t.turns.c.id).limit(1)).one_or_none()
        if row is not None and row.speaker == ASSISTANT and row.text != FORGOTTEN:
            found.append(turn_of(row))
    return found


def asked(text: str) -> bool:
    """Whether a line is a question."""
    first = (tokens(text) or [""])[0]
    return text.rstrip().endswith(("?", "？")) or first in english().asking


def titles_of(db: Connection, user_id: int) -> list[tuple[int, str]]:
    """The user's sessions that have a name."""
    query = select(t.sessions.c.id, t.sessions.c.title).where(t.sessions.c.user_id == user_id, t.sessions.c.title != "")
    return [(row.id, row.title) for row in db.execute(query)]


def begins_one(title: str, lines: Sequence[str]) -> bool:
    """Whether a session's name is the beginning of one of these lines, as the first line gives it."""
    plain = title.rstrip("….").casefold()
    return bool(plain) and any(plain in line for line in lines)
