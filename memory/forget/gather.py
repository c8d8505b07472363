"""Finding all that holds a matter: a fact's other states, lines that told or repeat it, replies that echo it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice

from sqlalchemy import Connection, select

from ..database import tables as t
from ..database.derived import resting_on, told_alone
from ..database.engine import raw
from ..database.rows import loads, memory_of, turn_of
from ..database.ties import chain, entries_of, evidence_of
from ..language.language import english
from ..language.sentences import content
from ..language.words import stem, tokens
from ..search import fulltext
from ..values import ASSISTANT, FORGOTTEN, ForgetPlan, Memory, Mention, Turn
from .telling import Matter, Words, all_words, count_of, words_of

MENTIONED = 20
"""Lines that a plan names for a word that stays in them."""
CHATTER = 300
"""Turns from which a lesser word is one that everybody says, and no sign of an echo."""
PER_QUERY = 400
"""Words that one full text query names."""


@dataclass(frozen=True)
class Asked:
    """What is to be forgotten, by its ids, and what the person chose to keep."""

    user_id: int
    facts: tuple[int, ...] = ()
    lines: tuple[int, ...] = ()
    keep_lines: bool = False
    keep_others: bool = False


@dataclass
class Found:
    """All that goes: what is shown of it (`plan`), every row that belongs to it, and its words."""

    plan: ForgetPlan
    rows: set[int]
    turns: list[int]
    words: Words
    """What stands nowhere else by right."""


def gather(db: Connection, asked: Asked, own_names: Iterable[str]) -> Found:
    """Everything that holds what is asked for. `own_names`: what the user goes by, which tells no matter."""
    return _Gathering(db, asked, tuple(own_names)).found()


class _Gathering:
    """One look through a user's memory."""

    def __init__(self, db: Connection, asked: Asked, own_names: tuple[str, ...]) -> None:
        self.db, self.asked, self.user_id, self.own = db, asked, asked.user_id, own_names
        self.memories = {
            row.id: memory_of(row) for row in db.execute(select(t.memories).where(t.memories.c.user_id == self.user_id))
        }
        self.rows = chain(db, asked.facts) if asked.facts else set[int]()
        self.states = self._states(self.rows)
        self.matter = Matter.of(self.states, (turn.text for turn in self._turns(asked.lines)))

    def found(self) -> Found:
        told, repeated = self._lines()
        return self._keeping([*told, *repeated]) if self.asked.keep_lines else self._whole([*told, *repeated])

    def _whole(self, lines: Sequence[Turn]) -> Found:
        """Everything goes."""
        gone = {turn.id for turn in lines}
        others = [] if self.asked.keep_others else self._others(gone)
        for other in others:
            self.rows |= chain(self.db, [other.id])
        self.rows |= self._unwritten(gone)
        self._with_insights(gone)
        every = self._words(lines)
        words, stays = self._by_right(every, gone)
        self.rows |= self._only_in_the_journal(words)
        echoes = self._echoes(words, every, lines)
        lines = [*lines, *(one for one in echoes if one.speaker != ASSISTANT)]
        replies = [one for one in echoes if one.speaker == ASSISTANT]
        turns = [turn.id for turn in (*lines, *replies)]
        self._with_insights(turns)
        words = words.without(self._in_echoes(words, turns))
        plan = replace(
            self._plan(words, stays), lines=tuple(lines), replies=tuple(replies), others=tuple(others),
            titles=tuple(self._titles(words, lines)),
        )  # fmt: skip
        return Found(plan, self.rows, turns, words)

    def _keeping(self, lines: Sequence[Turn]) -> Found:
        """The facts go, what was said stays: the plan names the lines and replies that still hold it."""
        self._with_insights(())
        every = self._words(lines)
        telling, _ = self._by_right(every, {turn.id for turn in lines})
        words, stays = self._by_right(self._words(()), set())
        echoes = self._echoes(telling, every, lines)
        lines = [*lines, *(one for one in echoes if one.speaker != ASSISTANT)]
        replies = [one for one in echoes if one.speaker == ASSISTANT]
        words = words.without(self._in_echoes(words, ()))
        stays = [one for one in stays if one.where != "line"]
        plan = replace(self._plan(words, stays), lines=tuple(lines), replies=tuple(replies))
        return Found(plan, self.rows, [], words)

    def _with_insights(self, gone: Collection[int]) -> None:
        """What was concluded from rows and lines that go, goes with them."""
        for one in resting_on(self.db, self.user_id, self.rows, gone) - self.rows:
            self.rows |= chain(self.db, [one])

    def _plan(self, words: Words, stays: Iterable[Mention]) -> ForgetPlan:
        asked = self.asked
        return ForgetPlan(
            self.user_id, self._asked_for(), self._earlier(), stays=tuple(stays), words=tuple(sorted(words.all)),
            insights=self._insights(), asked_lines=asked.lines,
            keep_lines=asked.keep_lines, keep_others=asked.keep_others,
        )  # fmt: skip

    def _words(self, lines: Iterable[Turn]) -> Words:
        """The words of the rows and lines that go."""
        filed = [part for key in self.rows if (one := self.memories.get(key)) for part in (one.subject, one.topic)]
        facts = [fact for _, fact in self._states(self.rows)]
        return words_of([*facts, *filed, *(turn.text for turn in lines)], self.own)

    # The facts

    def _states(self, rows: Collection[int]) -> list[tuple[str, str]]:
        """Subject and text of every state that these rows ever had."""
        found = {(one.subject, one.fact) for key in rows if (one := self.memories.get(key))}
        for entry in entries_of(self.db, rows) if rows else ():
            for image in (entry.before, entry.after):
                if image and image.get("id") in rows:
                    found.add((image["subject"], image["fact"]))
        return sorted(found)

    def _asked_for(self) -> tuple[Memory, ...]:
        return tuple(self.memories[key] for key in dict.fromkeys(self.asked.facts) if key in self.memories)

    def _insights(self) -> tuple[Memory, ...]:
        found = (self.memories[key] for key in sorted(self.rows) if key in self.memories)
        return tuple(one for one in found if one.derived and one.valid_to is None and one.id not in self.asked.facts)

    def _earlier(self) -> tuple[str, ...]:
        shown = {one.fact for one in self._asked_for()}
        return tuple(dict.fromkeys(fact for _, fact in self.states if fact not in shown))

    def _others(self, gone: set[int]) -> list[Memory]:
        """Facts that stand on no line but those that go, and facts that say the same."""
        found: list[Memory] = []
        ties = select(t.memory_evidence.c.memory_id).where(t.memory_evidence.c.turn_id.in_(gone))
        tied = set(self.db.scalars(ties)) if gone else set[int]()
        for one in self.memories.values():
            if one.id in self.rows or one.derived:
                continue
            same = any(one.subject == subject for subject, _ in self.states) and (
                self.matter.in_fact(one.fact, one.subject)
            )
            if same or (one.id in tied and self._stands_on(one, gone)):
                found.append(one)
        return found

    def _stands_on(self, memory: Memory, gone: set[int]) -> bool:
        """Whether a fact, with all its states, came from lines that all go."""
        said = self._turns(evidence_of(self.db, self.user_id, chain(self.db, [memory.id])))
        lines = {turn.id for turn in said if turn.speaker != ASSISTANT}
        return bool(lines) and lines <= gone

    def _unwritten(self, gone: set[int]) -> set[int]:
        """Rows that were written from these lines and taken back since: they live on in the journal."""
        tied = select(t.journal_turns.c.journal_id).where(t.journal_turns.c.turn_id.in_(gone))
        ids = self.db.scalars(select(t.journal.c.memory_id).where(t.journal.c.id.in_(tied))).all() if gone else ()
        return {one for one in ids if one is not None and one not in self.memories}

    def _only_in_the_journal(self, words: Words) -> set[int]:
        """Rows that were taken back, and hold a telling word: a redo would bring them again."""
        return {key for key, text in self._images if key not in self.memories and words.strong.keys() & all_words(text)}

    @cached_property
    def _images(self) -> list[tuple[int, str]]:
        """Every state of a row that the journal holds: the row's id, and the words of the state."""
        mine = select(t.journal.c.before, t.journal.c.after).where(t.journal.c.user_id == self.user_id)
        images = [loads(text) for row in self.db.execute(mine) for text in row]
        told = [(int(one["id"]), f"{one['topic']} {one['fact']}") for one in images if one and one.get("id")]
        return list(dict.fromkeys(told))

    # The lines

    def _lines(self) -> tuple[list[Turn], list[Turn]]:
        """The user's lines that told it, and others that repeat it, in the order in which they were said."""
        evidence = evidence_of(self.db, self.user_id, told_alone(self.db, self.rows)) if self.rows else []
        told = [one for one in self._turns([*evidence, *self.asked.lines]) if one.speaker != ASSISTANT]
        known = {turn.id for turn in told}
        search = {word for fact in self.matter.facts for word in self._rarest(fact)} | self.matter.numbers
        near = [
            turn for turn in self._holding(search)
            if turn.speaker != ASSISTANT and turn.id not in known
            and (self.matter.has_number(turn.text) or (self.matter.in_line(turn.text) and not self._teaches(turn)))
        ]  # fmt: skip
        return told, near

    def _rarest(self, fact: frozenset[str]) -> list[str]:
        """The stems of a fact one of which is in every line that repeats it: all but as many as may be missing."""
        counts = counts_of(self.db, fact)
        return sorted(fact, key=lambda word: counts[word])[: len(fact) - Matter.least(fact) + 1]

    def _teaches(self, turn: Turn) -> bool:
        """Whether a fact that stays came from this line."""
        ties = select(t.memory_evidence.c.memory_id).where(t.memory_evidence.c.turn_id == turn.id)
        return any(key not in self.rows for key in self.db.scalars(ties))

    def _turns(self, ids: Iterable[int]) -> list[Turn]:
        wanted, found = sorted(set(ids)), list[Turn]()
        for start in range(0, len(wanted), PER_QUERY):
            some = (t.turns.c.user_id == self.user_id, t.turns.c.id.in_(wanted[start : start + PER_QUERY]))
            found += [turn_of(row) for row in self.db.execute(select(t.turns).where(*some).order_by(t.turns.c.id))]
        return [turn for turn in found if turn.text != FORGOTTEN]

    def _holding(self, words: Iterable[str]) -> list[Turn]:
        """The user's turns that hold one of these words, by their stems."""
        return self._turns(turns_with(self.db, self.user_id, words))

    def _saying(self, word: str, words: Words, but: str = "") -> Iterator[Turn]:
        """The user's turns that have a word, newest first, each read when it is asked for: a frequent word has many.
        `but`: a speaker who is left out."""
        some = " OR ".join(_quoted(words.all[word]))
        sql = f"SELECT {_TURN} FROM turns t WHERE t.id = ? AND t.speaker != ?"
        for one in fulltext.turns_with(self.db, self.user_id, some):
            row = raw(self.db).execute(sql, (one, but)).fetchone()
            turn = Turn(*row) if row else None
            if turn is not None and turn.text != FORGOTTEN and word in all_words(f"{turn.speaker} {turn.text}"):
                yield turn

    # What stays

    def _by_right(self, words: Words, gone: set[int]) -> tuple[Words, list[Mention]]:
        """The words that stand in nothing that stays, and where the names, numbers and rare ones of the others do."""
        where: dict[str, list[Mention]] = {}
        for mention in self._elsewhere(words, gone):
            where.setdefault(mention.word, []).append(mention)
        told = [one for word in where if word in words.strong for one in where[word]]
        return words.without(where), told

    def _elsewhere(self, words: Words, gone: set[int]) -> Iterator[Mention]:
        wanted = words.all.keys()
        for one in self.memories.values():
            if one.id not in self.rows:
                for word in wanted & all_words(f"{one.subject} {one.topic} {one.fact}"):
                    yield Mention(word, "fact" if one.valid_to is None else "history", one.id, one.fact)
        for word in wanted:
            told = (turn for turn in self._saying(word, words, ASSISTANT)
                    if turn.id not in gone and not self._is_echo(turn))  # fmt: skip
            for turn in islice(told, MENTIONED if word in words.strong else 1):
                yield Mention(word, "line", turn.id, turn.text)
        for key, text in self._images:
            if key in self.memories and key not in self.rows and not text.endswith(self.memories[key].fact):
                for word in wanted & all_words(text):
                    yield Mention(word, "history", key, text)

    # What echoes it

    def _is_echo(self, turn: Turn) -> bool:
        """Whether a turn tells nothing of its own: a reply, or a question of the user's that no fact came from."""
        return turn.speaker == ASSISTANT or (_asks(turn.text) and not self._teaches(turn))

    def _echoes(self, words: Words, every: Words, gone: Sequence[Turn]) -> list[Turn]:
        """Replies and questions that hold a telling word, or two lesser ones; replies to lines that go, if they share a
        word with those."""
        found: list[Turn] = []
        answers = self._answers(gone)
        stems = {stem(word) for word in every.all}
        strong, weak = ({stem(word) for word in each} for each in (words.strong, words.weak))
        counts = counts_of(self.db, weak)
        lesser = (said for word, said in words.weak.items() if counts[stem(word)] <= CHATTER)
        near = self._holding(form for said in (*words.strong.values(), *lesser) for form in said)
        for turn in {turn.id: turn for turn in (*near, *answers)}.values():
            if turn in gone or not self._is_echo(turn):
                continue
            held = {stem(word) for word in all_words(turn.text)}
            if held & strong or len(held & weak) > 1 or (turn in answers and held & stems):
                found.append(turn)
        return sorted(found, key=lambda turn: turn.id)

    def _answers(self, gone: Sequence[Turn]) -> list[Turn]:
        """What the assistant said right after these lines."""
        found = []
        for turn in gone:
            after = (t.turns.c.session_id == turn.session_id, t.turns.c.id > turn.id)
            row = self.db.execute(select(t.turns).where(*after).order_by(t.turns.c.id).limit(1)).one_or_none()
            if row is not None and row.speaker == ASSISTANT and row.text != FORGOTTEN:
                found.append(turn_of(row))
        return found

    def _in_echoes(self, words: Words, gone: Collection[int]) -> set[str]:
        """The lesser words that stand in replies and questions that stay; they are words that anybody says."""
        return {word for word in words.weak if any(turn.id not in gone for turn in self._saying(word, words))}

    def _titles(self, words: Words, gone: Sequence[Turn]) -> list[str]:
        """Names of sessions that hold a telling word, or are the beginning of a line that goes."""
        said = [(turn.session_id, " ".join(turn.text.split()).casefold()) for turn in gone]
        return [
            title
            for key, title in titles_of(self.db, self.user_id)
            if words.strong.keys() & all_words(title) or begins_one(title, [line for one, line in said if one == key])
        ]


_TURN = "t.id, t.session_id, t.user_id, t.speaker, t.text, t.said_at, t.status, t.storage"


def _quoted(words: Iterable[str]) -> list[str]:
    """Words as full text search takes them."""
    return sorted({f'"{word.replace(chr(34), " ")}"' for word in words if word.strip()})


def counts_of(db: Connection, stems: Iterable[str]) -> dict[str, int]:
    """In how many turns of the database each stem stands."""
    sql = "SELECT doc FROM turns_terms WHERE term = ?"
    rows = {one: raw(db).execute(sql, (one,)).fetchone() for one in stems}
    return {one: row[0] if row else 0 for one, row in rows.items()}


def _asks(text: str) -> bool:
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


def turns_with(db: Connection, user_id: int, words: Iterable[str]) -> set[int]:
    """The user's turns that hold one of these words, as full text search finds them: by their stems."""
    wanted = _quoted(words)
    found: set[int] = set()
    for start in range(0, len(wanted), PER_QUERY):
        some = " OR ".join(wanted[start : start + PER_QUERY])
        found |= {*fulltext.turns_with(db, user_id, some)}
    return found


def best_holding(
    db: Connection, user_id: int, wanted: Collection[str], least: int
) -> tuple[list[int], list[int]]:  # fmt: skip
    """Ids of the user's current facts, and of their lines, that hold most of these stems, and at least so many."""
    own = (t.memories.c.user_id == user_id, t.memories.c.valid_to.is_(None))
    rows = db.execute(select(t.memories).where(*own)).all()
    facts = {row.id: count_of(f"{row.subject} {row.topic} {row.fact}", wanted) for row in rows}
    query = select(t.turns).where(t.turns.c.id.in_(turns_with(db, user_id, wanted)), t.turns.c.speaker != ASSISTANT)
    lines = {row.id: count_of(row.text, wanted) for row in db.execute(query) if row.text != FORGOTTEN}
    best = max([least, 1, *facts.values(), *lines.values()])
    return ([key for key, count in sorted(facts.items()) if count == best],
            [key for key, count in sorted(lines.items()) if count == best])  # fmt: skip


def stems_of(words: str) -> frozenset[str]:
    """What to look for of a matter that was named in words."""
    return content(words)
