"""Taking it away: rows with their journal, what other entries quote of them, the words of lines, sessions' names."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, Row, delete, or_, select, update

from ..database import tables as t
from ..database.derived import resting_on, told_alone
from ..database.rows import delete_memories, loads, quote
from ..database.ties import chain, entries_of, evidence_of, pieces
from ..errors import InputError
from ..search import fulltext, vectors
from ..values import ASSISTANT, FORGOTTEN, OWN_NAME, JournalEntry, Turn, User
from .finding import begins_one, titles_of
from .telling import Signs, all_words, telling_stems, told_in

_WORD = re.compile(r"\w+")


@dataclass
class Erased:
    """What one forget took away: counts for the report, and the texts that must not be found afterwards."""

    rows: int = 0
    journal: int = 0
    turns: int = 0
    replies: int = 0
    texts: set[str] = field(default_factory=set)
    ids: set[int] = field(default_factory=set)
    ends: bool = False
    """Whether whoever erases looks at the end for what rests on these rows and quotes them: once for all of many turns,
    since each look reads the journal."""


def purge_rows(db: Connection, user_id: int, ids: Collection[int], erased: Erased) -> None:
    """Deletes rows, their journal entries and what other entries quote of them; marks the turns they came from, so that
    nothing is learned from those again."""
    if not ids:
        return
    entries = entries_of(db, ids)
    rows = db.execute(select(t.memories.c.id, t.memories.c.fact).where(t.memories.c.id.in_(ids))).all()
    facts = {row.fact for row in rows} | {
        image["fact"] for one in entries for image in (one.before, one.after) if image and image.get("id") in ids
    }
    told = evidence_of(db, user_id, told_alone(db, ids))
    db.execute(update(t.turns).where(t.turns.c.id.in_(told)).values(storage="forgotten"))
    fulltext.drop(db, "memory", [row.id for row in rows])
    delete_memories(db, [row.id for row in rows])
    redact_sql(db, _beside(db, entries))
    if not erased.ends:
        redact_quotes(db, user_id, facts)
    db.execute(delete(t.journal).where(t.journal.c.id.in_([one.id for one in entries])))
    erased.rows += len(rows)
    erased.ids |= set(ids)
    erased.journal += len(entries)
    erased.texts |= facts


def _beside(db: Connection, entries: Sequence[JournalEntry]) -> list[int]:
    """Entries whose SQL may tell the same: of the same batch, or refused for the same turns."""
    journal = t.journal.c
    turns = select(t.journal_turns.c.turn_id).where(t.journal_turns.c.journal_id.in_([one.id for one in entries]))
    refused = select(t.journal_turns.c.journal_id).where(t.journal_turns.c.turn_id.in_(turns))
    found = set(db.scalars(select(journal.id).where(journal.batch.in_({one.batch for one in entries}))))
    return [*found, *db.scalars(select(journal.id).where(journal.id.in_(refused), journal.kind == "refused"))]


def redact_sql(db: Connection, entry_ids: Sequence[int]) -> None:
    """The words of these writes are forgotten; that they were made stays."""
    if entry_ids:
        db.execute(update(t.journal).where(t.journal.c.id.in_(entry_ids)).values(sql=f"-- {FORGOTTEN}"))


def redact_quotes(db: Connection, user_id: int, facts: Collection[str]) -> None:
    """The SQL of a user's entries that holds one of these facts is forgotten, and a reason that does: a check says what
    was told instead of what it threw away."""
    if not facts:
        return
    journal = t.journal.c
    in_sql = _any_of({form for fact in facts for form in (fact, quote(fact)[1:-1])})
    in_reason = _any_of(facts)
    rows = db.execute(select(journal.id, journal.sql, journal.reason).where(journal.user_id == user_id)).all()
    redact_sql(db, [key for key, sql, _ in rows if in_sql(sql)])
    if quoting := [key for key, _, reason in rows if reason and in_reason(reason)]:
        db.execute(update(t.journal).where(journal.id.in_(quoting)).values(reason=FORGOTTEN))


def _any_of(texts: Iterable[str]) -> Callable[[str], bool]:
    """Whether another text holds one of these. A text is looked for where the longest of its inner words stands, which
    stands as a word wherever all of it does."""
    by_word: dict[str, list[str]] = {}
    bare = list[str]()
    for text in filter(None, texts):
        inner = _WORD.findall(text)[1:-1]
        (by_word.setdefault(max(inner, key=len), []) if inner else bare).append(text)

    def held(text: str) -> bool:
        words = by_word.keys() & _WORD.findall(text) if by_word else ()
        return any(one in text for one in bare) or any(one in text for word in words for one in by_word[word])

    return held


def redact_words(db: Connection, user_id: int, words: Set[str], telling: Set[str]) -> None:
    """The SQL of a user's other entries that tells one of these words is forgotten, and a reason with one of the
    `telling` ones."""
    if not words:
        return
    journal = t.journal.c
    sql, reasons = [], []
    for row in db.execute(select(journal.id, journal.sql, journal.reason).where(journal.user_id == user_id)):
        if words & told_in(row.sql):
            sql.append(row.id)
        if row.reason and telling & all_words(row.reason):
            reasons.append(row.id)
    redact_sql(db, sql)
    if reasons:
        db.execute(update(t.journal).where(journal.id.in_(reasons)).values(reason=FORGOTTEN))


def unwrite(
    db: Connection, user_id: int, turn_id: int, entries: Sequence[JournalEntry],
    back: Callable[[JournalEntry], object], erased: Erased,
) -> None:  # fmt: skip
    """Takes back and erases what was written because of a turn; where later writes built on it, those too.

    `entries`: what was. `back` takes a write back; the row that it brought counts as erased as well.
    """
    drop_refused(db, [turn_id], erased)
    written = [one for one in entries if one.kind in ("insert", "update", "call")]
    ids = {one.memory_id for one in written if one.memory_id is not None}
    before = _living(db, ids)
    for one in reversed(written):
        if not one.undone:
            try:
                with db.begin_nested():
                    back(one)
            except InputError:
                continue  # A later write changed the row: the whole chain goes below.
    living = _living(db, ids)
    erased.rows += len(before - living)
    ids |= chain(db, living) if living else set()
    resting = set[int]() if erased.ends else resting_on(db, user_id, ids, [turn_id])
    purge_rows(db, user_id, ids | resting, erased)
    redact_sql(db, [one.id for one in entries])
    if named := [one.id for one in entries if one.kind == "call"]:
        gone = db.execute(delete(t.journal).where(or_(t.journal.c.id.in_(named), t.journal.c.undoes.in_(named))))
        erased.journal += gone.rowcount


def _living(db: Connection, ids: Collection[int]) -> set[int]:
    return set(db.scalars(select(t.memories.c.id).where(t.memories.c.id.in_(ids))))


def drop_refused(db: Connection, turn_ids: Collection[int], erased: Erased) -> None:
    """What was thrown away of what a model wrote for these lines goes with them."""
    tied = select(t.journal_turns.c.journal_id).where(t.journal_turns.c.turn_id.in_(turn_ids))
    refused = (t.journal.c.id.in_(tied), t.journal.c.kind == "refused")
    erased.journal += db.execute(delete(t.journal).where(*refused)).rowcount


def blank_turns(db: Connection, turn_ids: Iterable[int], erased: Erased) -> None:
    """Takes away what was said in these turns; they keep their place, and nothing is ever learned from them."""
    said = select(t.turns.c.id, t.turns.c.speaker, t.turns.c.text).where(t.turns.c.text != FORGOTTEN)
    turns = [turn for some in pieces({*turn_ids}) for turn in db.execute(said.where(t.turns.c.id.in_(some)))]
    ids = [turn.id for turn in turns]
    if not ids:
        return
    fulltext.drop(db, "turn", ids)
    vectors.drop_turns(db, ids)
    gone = {"text": FORGOTTEN, "storage": "forgotten", "claimed_by": None, "claimed_until": None}
    for some in pieces(ids):
        db.execute(update(t.turns).where(t.turns.c.id.in_(some)).values(gone))
    erased.replies += sum(turn.speaker == ASSISTANT for turn in turns)
    erased.turns += sum(turn.speaker != ASSISTANT for turn in turns)
    erased.texts |= tells(turns, erased.texts)


def delete_turns(db: Connection, turn_ids: Sequence[int], erased: Erased) -> None:
    """Takes turns out as if they had never been; what came from them stays."""
    if not turn_ids:
        return
    turns = db.execute(select(t.turns).where(t.turns.c.id.in_(turn_ids))).all()
    forget_titles(db, turns[0].user_id if turns else 0, turns, Signs())
    fulltext.drop(db, "turn", turn_ids)
    vectors.drop_turns(db, turn_ids)
    db.execute(update(t.journal).where(t.journal.c.turn_id.in_(turn_ids)).values(turn_id=None))
    db.execute(delete(t.turns).where(t.turns.c.id.in_(turn_ids)))
    erased.turns += sum(turn.speaker != ASSISTANT for turn in turns)
    erased.replies += sum(turn.speaker == ASSISTANT for turn in turns)
    erased.texts |= tells(turns, erased.texts)


def tells(turns: Iterable[Any], facts: Iterable[str]) -> set[str]:
    """The texts of turns that go, of replies only those that tell something of the lines, or of what went before:
    "Got it, thanks." stands beside much else."""
    turns = list(turns)
    lines = {turn.text for turn in turns if turn.speaker != ASSISTANT}
    told = frozenset[str]().union(*map(telling_stems, (*facts, *lines)))
    replies = {turn.text for turn in turns if turn.speaker == ASSISTANT}
    return lines | {text for text in replies if not told.isdisjoint(telling_stems(text))}


def forget_titles(db: Connection, user_id: int, turns: Iterable[Row[Any] | Turn], signs: Signs) -> None:
    """Sessions lose a name that is the beginning of one of their turns that go, or that echoes the matter."""
    said = {(turn.session_id, " ".join(turn.text.split()).casefold()) for turn in turns}
    for session_id, title in titles_of(db, user_id):
        own = [line for session, line in said if session == session_id]
        if begins_one(title, own) or signs.in_title(title):
            db.execute(update(t.sessions).where(t.sessions.c.id == session_id).values(title=""))


def forget_name(db: Connection, user: User, facts: Iterable[str]) -> None:
    """Where the fact that tells the name goes, the user goes by it no more. No undo brings a former one, and lines of
    which nothing is left aren't said under it."""
    names = [fact.removeprefix(OWN_NAME).removesuffix(".") for fact in facts if fact.startswith(OWN_NAME)]
    calls = (t.journal.c.user_id == user.id, t.journal.c.kind == "call")
    if not names:
        return
    if user.called in names:
        db.execute(update(t.users).where(t.users.c.id == user.id).values(called=None))
        db.execute(delete(t.journal).where(*calls))
        user = User(user.id, user.name)
    rows = db.execute(select(t.journal.c.id, t.journal.c.before, t.journal.c.after).where(*calls))
    held = [row.id for row in rows if {(loads(one) or {}).get("called") for one in row[1:]}.intersection(names)]
    db.execute(delete(t.journal).where(or_(t.journal.c.id.in_(held), t.journal.c.undoes.in_(held))))
    blank = (t.turns.c.user_id == user.id, t.turns.c.text == FORGOTTEN, t.turns.c.speaker.in_(names))
    db.execute(update(t.turns).where(*blank).values(speaker=user.subject))


def purge_user(db: Connection, user_id: int, erased: Erased) -> None:
    """Deletes all that a user has, but not the user."""
    memory_ids = list(db.scalars(select(t.memories.c.id).where(t.memories.c.user_id == user_id)))
    turns = db.execute(select(t.turns.c.id, t.turns.c.speaker).where(t.turns.c.user_id == user_id)).all()
    for column in (t.memories.c.fact, t.turns.c.text, t.sessions.c.title):
        erased.texts |= set(db.scalars(select(column).where(column.table.c.user_id == user_id)))
    fulltext.drop(db, "memory", memory_ids)
    fulltext.drop(db, "turn", [turn.id for turn in turns])
    for table in (t.vectors, t.journal, t.memories, t.turns, t.sessions, t.exports):
        gone = db.execute(delete(table).where(table.c.user_id == user_id)).rowcount
        erased.journal += gone if table is t.journal else 0
    erased.rows += len(memory_ids)
    erased.turns += sum(turn.speaker != ASSISTANT for turn in turns)
    erased.replies += sum(turn.speaker == ASSISTANT for turn in turns)
