"""Looking up what holds words: turns by the stems of theirs, numbers however they are written, and what was meant by
a matter that is told in words."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, select

from ..database import tables as t
from ..database.engine import raw
from ..database.rows import loads
from ..language.language import english
from ..language.words import stem, tokens
from ..search import fulltext
from ..values import ASSISTANT, FORGOTTEN, Moment, Turn
from .anchors import Anchors
from .telling import SHORTEST_PARTED, all_words, count_of

PER_QUERY = 400
"""Words that one full text query names."""
TURN = "t.id, t.session_id, t.user_id, t.speaker, t.text, t.said_at, t.status, t.storage"
"""The columns of a `Turn`; built by SQLAlchemy, a query that reads one of thousands takes ten times as long."""
_DIGITS = re.compile(r"\d+")


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
    numbers = {word for word in words if word.isdecimal() and len(word) >= SHORTEST_PARTED}
    if not numbers:
        return set()
    sizes = {len(one) for one in numbers}
    bare = "text"
    for sign in "-., /":
        bare = f"replace({bare}, '{sign}', '')"
    sql = f"SELECT id, {bare} FROM turns WHERE user_id = ?"
    return {
        key for key, text in raw(db).execute(sql, (user_id,))
        if any(not numbers.isdisjoint(_within(run, sizes)) for run in _DIGITS.findall(text))
    }  # fmt: skip


def _within(digits: str, sizes: Collection[int]) -> Iterator[str]:
    """The pieces of a number that are so long."""
    return (digits[at : at + size] for size in sizes for at in range(len(digits) - size + 1))


class Lines:
    """A user's turns as they are looked at for many words, each read once."""

    def __init__(self, db: Connection, user_id: int) -> None:
        self._db, self._user_id = db, user_id
        self._read: dict[int, Turn | None] = {}
        self._words: dict[int, frozenset[str]] = {}
        self._found: dict[frozenset[str], list[int]] = {}

    def stemming(self, forms: frozenset[str], gone: Collection[int], but: str = "") -> Iterator[Turn]:
        """The turns that have one of these words in some form, newest first, each read when it is asked for: a frequent
        word has many. `gone`: turns that are left out, and `but` a speaker."""
        if forms not in self._found:
            self._found[forms] = fulltext.turns_with(self._db, self._user_id, " OR ".join(quoted(forms)))
        for key in self._found[forms]:
            turn = self._turn(key) if key not in gone else None
            if turn is not None and turn.speaker != but and turn.text != FORGOTTEN:
                yield turn

    def has(self, turn: Turn, word: str) -> bool:
        """Whether a turn has a word just so."""
        if turn.id not in self._words:
            self._words[turn.id] = frozenset(all_words(f"{turn.speaker} {turn.text}"))
        return word in self._words[turn.id]

    def _turn(self, key: int) -> Turn | None:
        if key not in self._read:
            row = raw(self._db).execute(f"SELECT {TURN} FROM turns t WHERE t.id = ?", (key,)).fetchone()
            self._read[key] = Turn(*row) if row else None
        return self._read[key]


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
    kin = _kin_in(wanted)

    def count(text: str) -> int:
        return count_of(" ".join([text, *(name for name, some in kin.items() if some.search(text))]), wanted)

    mine = db.execute(select(t.memories).where(t.memories.c.user_id == user_id))
    rows = [row for row in mine if anchors.in_text(f"{row.topic} {row.fact}", row.said_at, row.happened_on)]
    held = {row.id: count(f"{row.subject} {row.topic} {row.fact}") for row in rows}
    facts = {row.id: held[row.id] for row in rows if row.valid_to is None}
    query = select(t.turns).where(t.turns.c.id.in_(turns_with(db, user_id, wanted)), t.turns.c.speaker != ASSISTANT)
    said = [row for row in db.execute(query) if row.text != FORGOTTEN and anchors.in_text(row.text, row.said_at)]
    if max([0, *facts.values()]) < least:
        facts = facts | {row.id: held[row.id] for row in rows if row.valid_to is not None and held[row.id] >= least}
        for key, subject, text in images_of(db, user_id):
            found = count(f"{subject} {text}")
            if found >= least and anchors.in_text(text, now):
                facts[key] = max(facts.get(key, 0), found)
    asking = frozenset(row.id for row in said if asked(row.text))
    return Held(facts, {row.id: count(row.text) for row in said}, asking)


def _kin_in(wanted: Collection[str]) -> dict[str, re.Pattern[str]]:
    """Words for several of somebody's kin among these stems, each with what tells of one of them, as theirs: who wants
    "Callum's parents" forgotten may have said "Callum's mum and dad"."""
    known, kin = english().relations, english().table("relations", "told_by")
    found = {name: {*str(kin[name]).split()} for name in _SEVERAL if stem(name) in wanted}
    found |= {"kids": {*str(kin["children"]).split()}} if stem("kids") in wanted else {}
    words = {name: "|".join(word for word, one in known.items() if one in some) for name, some in found.items()}
    whose = "|".join(re.escape(one) for one in wanted if one not in {stem(name) for name in found})
    return {
        name: re.compile(rf"\b(?:{whose})['’]s (?:[a-z]+ )?(?:{some})\b(?!['’])", re.IGNORECASE)
        for name, some in words.items() if whose
    }  # fmt: skip


_SEVERAL = ("parents", "siblings", "children", "grandparents", "grandchildren")


def answers_to(db: Connection, turns: Sequence[Turn]) -> list[Turn]:
    """What the assistant said right after these lines."""
    return [turn for turn in _beside(db, turns, "t.id > ? ORDER BY t.id") if turn.speaker == ASSISTANT]


def asked_before(db: Connection, replies: Sequence[Turn]) -> list[Turn]:
    """The lines right before these replies."""
    return [turn for turn in _beside(db, replies, "t.id < ? ORDER BY t.id DESC") if turn.speaker != ASSISTANT]


def _beside(db: Connection, turns: Sequence[Turn], where: str) -> list[Turn]:
    sql = f"SELECT {TURN} FROM turns t WHERE t.session_id = ? AND {where} LIMIT 1"
    rows = (raw(db).execute(sql, (turn.session_id, turn.id)).fetchone() for turn in turns)
    return [turn for row in rows if row and (turn := Turn(*row)).text != FORGOTTEN]


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
