"""Finding all that holds a matter: a fact's other states, lines that told or repeat it, replies that echo it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice

from sqlalchemy import Connection, select

from ..database import tables as t
from ..database.derived import resting_on, told_alone
from ..database.rows import memory_of, turn_of
from ..database.ties import Ties, chain, entries_of, evidence_of
from ..language.words import content, stem, tokens
from ..values import ASSISTANT, FORGOTTEN, ForgetPlan, Memory, Mention, Turn
from .finding import (
    PER_QUERY,
    Lines,
    answers_to,
    asked,
    asked_before,
    begins_one,
    counts_of,
    images_of,
    titles_of,
    turns_with,
    turns_with_digits,
)
from .found import Asked, Found
from .parting import as_now, parted, people
from .telling import Echo, Matter, Sentences, Signs, Words, all_words, apart, in_groups, words_of

MENTIONED = 20
"""Lines that a plan names for a word that stays in them."""
CHATTER = 300
"""Turns from which a lesser word is one that everybody says, and no sign of an echo."""


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
        self.lines = Lines(db, self.user_id)
        self.kept = set[str]()
        self.spoken = set[str]()
        self.apart, self.former = list[Memory](), list[Memory]()
        places, self.changed = as_now(asked.parts, asked.facts, self.memories, self._newest)
        rests, told = parted(self.states, self.memories, places)
        self.rests = {key: text for key, text in rests.items() if key not in self.changed}
        self.matter = Matter.of(told, (turn.text for turn in self._turns(asked.lines)), own_names)

    def found(self) -> Found:
        told, repeated = self._lines()
        return self._keeping([*told, *repeated]) if self.asked.keep_lines else self._whole([*told, *repeated])

    def _whole(self, lines: Sequence[Turn]) -> Found:
        """Everything goes."""
        gone = {turn.id for turn in lines}
        tied = self._made_of(gone)
        ties = Ties(self.db, tied - self.rows)
        others = self._others(gone, tied, ties)
        apart = {one.id for one in self.apart}  # a later state of another one may be
        for other in others:
            self.rows |= (ties.chain(other.id) if other.id in tied else chain(self.db, [other.id])) - apart
        self.former = self._former(gone)
        self.rows |= self._unwritten(gone) | {one.id for one in self.former}
        self._with_insights(gone)
        every = self._words(lines)
        words, stays = self._by_right(every, gone)
        if self.asked.keep_apart:  # who it is about is no part of it
            words = words.without(word for word in words.all if stem(word) in self.matter.who)
        self.rows |= self._only_in_the_journal(words)
        echoes = self._echoes(words, every, lines)
        lines = [*lines, *(one for one in echoes if one.speaker != ASSISTANT)]
        replies = [one for one in echoes if one.speaker == ASSISTANT]
        turns = [turn.id for turn in (*lines, *replies)]
        self._with_insights(turns)
        words = words.without(self._in_echoes(words, turns))
        signs = Signs.of(words, self.kept)
        plan = replace(
            self._plan(words, stays), lines=tuple(lines), replies=tuple(replies), others=tuple(others),
            titles=tuple(self._titles(signs, lines)),
        )  # fmt: skip
        return Found(plan, self.rows, turns, words, signs)

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
            insights=self._insights(), asked_facts=asked.facts, asked_lines=asked.lines,
            keep_lines=asked.keep_lines, keep_others=asked.keep_others, keep_apart=asked.keep_apart,
            asked_parts=asked.parts, rests=tuple(self.rests.items()), apart=tuple(self.apart),
        )  # fmt: skip

    def _words(self, lines: Iterable[Turn]) -> Words:
        """The words of the rows and lines that go."""
        filed = [part for key in self.rows if (one := self.memories.get(key)) for part in (one.subject, one.topic)]
        facts, lines = [fact for _, fact in self._states(self.rows)], list(lines)
        self.spoken = {word for text in (*facts, *(turn.text for turn in lines)) for word in apart(text)}
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
        """The rows that were asked for, and of one that is over what took its place and holds now."""
        asked = [self.memories[key] for key in dict.fromkeys(self.asked.facts) if key in self.memories]
        over = [one.id for one in asked if one.valid_to is not None]
        over += [key for key in self.asked.facts if key not in self.memories]
        newer = [one for one in self._newest(*over) if one.valid_to is None]
        return tuple(dict.fromkeys((*asked, *newer, *(self.memories[key] for key in self.rests))))

    def _newest(self, *over: int) -> list[Memory]:
        """What took the place of rows that hold no more, and holds now; the last of their states where none does."""
        rows = [self.memories[key] for key in sorted(chain(self.db, over)) if key in self.memories] if over else []
        return [one for one in rows if one.valid_to is None and not one.derived] or rows[-1:]

    def _insights(self) -> tuple[Memory, ...]:
        found = (self.memories[key] for key in sorted(self.rows) if key in self.memories)
        return tuple(one for one in found if one.derived and one.valid_to is None and one.id not in self.asked.facts)

    def _earlier(self) -> tuple[str, ...]:
        shown = {one.fact for one in self._asked_for()}
        told = [*(fact for _, fact in self.states), *(one.fact for one in self.former)]
        return tuple(dict.fromkeys(fact for fact in told if fact not in shown))

    def _others(self, gone: set[int], tied: set[int], ties: Ties) -> list[Memory]:
        """Facts that stand on no line but those that go, and facts that say the same. `tied`: made of lines that go.
        Where others are to stay, none; those that no line will tell any more are shown as that."""
        found = list[Memory]()
        if self.asked.keep_others:
            rows = (self.memories[key] for key in sorted((tied & self.memories.keys()) - self.rows))
            told = (one for one in rows if one.valid_to is None and not one.derived)
            self.apart = [one for one in told if self._stands_on(one, gone, ties)]
            return found
        for _, one in sorted(self.memories.items()):
            if one.id in self.rows or one.derived:
                continue
            same = any(one.subject == subject for subject, _ in self.states) and (
                self.matter.in_fact(one.fact, one.subject)
            )
            if self.asked.keep_apart and same and self.matter.differs(one.fact):
                same = False
            if same or (one.id in tied and self._stands_on(one, gone, ties)):
                apart = self.asked.keep_apart and not same and not self.matter.ties(one.fact, one.subject)
                (self.apart if apart else found).append(one)
        return found

    def _former(self, gone: set[int]) -> list[Memory]:
        """States of other facts that hold no more, and tell all of it in the words of lines that go."""
        rows = (self.memories[key] for key in sorted((self._made_of(gone) & self.memories.keys()) - self.rows))
        return [one for one in rows if one.valid_to is not None and self.matter.in_reply(one.fact)]

    def _made_of(self, lines: set[int]) -> set[int]:
        """The rows that these lines are evidence of."""
        ties = select(t.memory_evidence.c.memory_id).where(t.memory_evidence.c.turn_id.in_(lines))
        return set(self.db.scalars(ties)) if lines else set()

    def _stands_on(self, memory: Memory, gone: set[int], ties: Ties) -> bool:
        """Whether a fact, with all its states, came from lines that all go."""
        lines = ties.lines(ties.chain(memory.id))
        stay = [turn for turn in self._turns(lines - gone) if turn.speaker != ASSISTANT]
        return not stay and not lines.isdisjoint(gone)

    def _unwritten(self, gone: set[int]) -> set[int]:
        """Rows that were written from these lines and taken back since: they live on in the journal."""
        tied = select(t.journal_turns.c.journal_id).where(t.journal_turns.c.turn_id.in_(gone))
        ids = self.db.scalars(select(t.journal.c.memory_id).where(t.journal.c.id.in_(tied))).all() if gone else ()
        return {one for one in ids if one is not None and one not in self.memories}

    def _only_in_the_journal(self, words: Words) -> set[int]:
        """Rows that were taken back, and hold a telling word: a redo would bring them again."""
        return {
            key for key, _, text in self._images if key not in self.memories and words.strong.keys() & all_words(text)
        }

    @cached_property
    def _images(self) -> list[tuple[int, str, str]]:
        return images_of(self.db, self.user_id)

    # The lines

    def _lines(self) -> tuple[list[Turn], list[Turn]]:
        """The user's lines that told it, and others that repeat it, in the order in which they were said."""
        evidence = evidence_of(self.db, self.user_id, told_alone(self.db, self.rows)) if self.rows else []
        told = [
            one for one in self._turns([*evidence, *self.asked.lines])
            if one.speaker != ASSISTANT and not (one.id in evidence and (self._said_anew(one) or self._of_rest(one)))
        ]  # fmt: skip
        known = {turn.id for turn in told}
        search = {word for fact in self.matter.facts for word in self._rarest(fact)}
        search |= self.matter.numbers | self.matter.alone
        alike = turns_with_digits(self.db, self.user_id, self.matter.numbers)
        near = [
            turn for turn in self._holding(search, alike)
            if turn.speaker != ASSISTANT and turn.id not in known
            and (self.matter.has_number(turn.text, written_so=True) or (self._near(turn) and not self._teaches(turn)))
            and not self._of_rest(turn)
        ]  # fmt: skip
        return told, near

    def _said_anew(self, turn: Turn) -> bool:
        """Whether a line was edited since it told a row that was taken back for it: it holds no word of that now."""
        ties = select(t.memory_evidence.c.memory_id).where(t.memory_evidence.c.turn_id == turn.id)
        if turn.id in self.asked.lines or not self.rows.isdisjoint(self.db.scalars(ties)):
            return False
        said = content(turn.text)
        return not self.matter.has_number(turn.text) and all(said.isdisjoint(fact) for fact in self.matter.facts)

    def _near(self, turn: Turn) -> bool:
        """Whether a line may repeat it: by its words, or by a number that is written in another way."""
        repeats = self.matter.in_line(turn.text) and not self._of_others(turn.text)
        return repeats or self.matter.has_number(turn.text)

    def _of_rest(self, turn: Turn) -> bool:
        """Whether a line told only what stays of a fact."""
        if not self.rests:
            return False
        stays = frozenset[str]().union(*map(content, self.rests.values()))
        told = frozenset[str]().union(*map(self.matter.told_in, self.matter.facts)) - stays
        return bool(told) and turn.id not in self.asked.lines and told.isdisjoint(content(turn.text))

    def _of_others(self, text: str) -> bool:
        """Whether a text names somebody else than those whom the matter is about: "Was Dorothy a teacher?"."""
        said = {stem(word) for word in tokens(text)}
        who, others = self._people
        return bool(who) and said.isdisjoint(who) and not said.isdisjoint(others)

    @cached_property
    def _people(self) -> tuple[frozenset[str], frozenset[str]]:
        facts = [(one.subject, one.fact) for one in self.memories.values()]
        who, others = people(self.matter.who, facts, self.own)
        return who, others.difference(*self.matter.facts)

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

    def _holding(self, words: Iterable[str], alike: Collection[int] = ()) -> list[Turn]:
        """The user's turns that hold one of these words, by their stems; and those of `alike`."""
        return self._turns({*turns_with(self.db, self.user_id, words), *alike})

    # What stays

    def _by_right(self, words: Words, gone: set[int]) -> tuple[Words, list[Mention]]:
        """The words that stand in nothing that stays, and where the names, numbers and rare ones of the others do."""
        where: dict[str, list[Mention]] = {}
        for mention in self._elsewhere(words, gone):
            where.setdefault(mention.word, []).append(mention)
        told = [one for word in where if word in words.strong for one in where[word] if self._says(one)]
        return words.without(
            word for word, some in where.items() if not in_groups(word, [one.text for one in some])
        ), told

    def _says(self, one: Mention) -> bool:
        """Whether the word of a place that stays means what it means here: in both it is no topic's alone, under which
        a fact is filed, and no piece of a longer number."""
        filed = self.memories[one.id] if one.where == "fact" else None
        return one.word in self.spoken and one.word in apart(f"{filed.subject if filed else ''} {one.text}")

    def _elsewhere(self, words: Words, gone: set[int]) -> Iterator[Mention]:
        wanted = words.all.keys()
        for one in self.memories.values():
            if one.id not in self.rows:
                held = all_words(f"{one.subject} {one.topic} {one.fact}")
                self.kept |= {stem(word) for word in held}
                for word in wanted & held:
                    yield Mention(word, "fact" if one.valid_to is None else "history", one.id, one.fact)
        for key, text in self.rests.items():
            held = all_words(f"{self.memories[key].subject} {self.memories[key].topic} {text}")
            self.kept |= {stem(word) for word in held}
            yield from (Mention(word, "fact", key, text) for word in wanted & held)
        for word in wanted:
            told = (
                turn for turn in self.lines.stemming(words.all[word], gone, ASSISTANT) if not self._is_echo(turn)
            )  # fmt: skip
            for turn in islice(self._exactly(word, told), MENTIONED if word in words.strong else 1):
                yield Mention(word, "line", turn.id, turn.text)
        for key, _, text in self._images:
            if key in self.memories and key not in self.rows and not text.endswith(self.memories[key].fact):
                for word in wanted & all_words(text):
                    yield Mention(word, "history", key, text)

    def _exactly(self, word: str, turns: Iterable[Turn]) -> Iterator[Turn]:
        """Those of the turns that have the word just so. That its stem stands there is kept in mind."""
        for turn in turns:
            self.kept.add(stem(word))
            if self.lines.has(turn, word):
                yield turn

    # What echoes it

    def _is_echo(self, turn: Turn) -> bool:
        """Whether a turn tells nothing of its own: a reply, or a question of the user's that no fact came from."""
        asks = asked(turn.text) and not self._of_others(turn.text)
        return turn.speaker == ASSISTANT or (asks and not self._teaches(turn))

    def _echoes(self, words: Words, every: Words, gone: Sequence[Turn]) -> list[Turn]:
        """Replies and questions that hold a telling word, or two lesser ones, or most of a sentence that goes; replies
        to lines that go, if they share a word with those; and questions whose reply goes, if they share one."""
        answers = answers_to(self.db, gone)
        echo = Echo.of(words, every, self.matter.alone)
        told = (fact for _, fact in self._states(self.rows))
        said = Sentences((turn.text for turn in gone), told, echo.strong | echo.weak, self.matter.who)
        counts = counts_of(self.db, echo.weak)
        lesser = (said for word, said in words.weak.items() if counts[stem(word)] <= CHATTER)
        alike = turns_with_digits(self.db, self.user_id, words.strong)
        near = self._holding((form for said in (*words.strong.values(), *lesser) for form in said), alike)
        search = {word for fact in self.matter.facts for word in self._rarest(fact)}
        near += self._holding(search | self.matter.alone | said.quoted.keys())
        going, answering = {turn.id for turn in gone}, {turn.id for turn in answers}
        found = dict[int, Turn]()
        for turn in {turn.id: turn for turn in (*near, *answers)}.values():
            if turn.id not in going and self._is_echo(turn) and (
                echo.in_turn(turn.text, answers=turn.id in answering) or self._repeats(turn, said)
            ):  # fmt: skip
                found[turn.id] = turn
        tells = echo.strong.union(echo.weak, *map(self.matter.told_in, self.matter.facts))
        for turn in asked_before(self.db, [one for one in found.values() if one.speaker == ASSISTANT]):
            if turn.id not in going and self._is_echo(turn) and not tells.isdisjoint(content(turn.text)):
                found[turn.id] = turn
        return [turn for _, turn in sorted(found.items())]

    def _repeats(self, turn: Turn, said: Sentences) -> bool:
        """Whether a reply or question says it again, whatever words of it stay by right."""
        alike = said.in_reply if turn.speaker == ASSISTANT else said.in_question
        return (self.matter.in_reply(turn.text) or alike(turn.text)) and not self._of_others(turn.text)

    def _in_echoes(self, words: Words, gone: Collection[int]) -> set[str]:
        """The lesser words that stand in replies and questions that stay; they are words that anybody says."""
        left_out = {*gone}
        return {
            word for word in words.weak
            if any(self.lines.has(turn, word) for turn in self.lines.stemming(words.all[word], left_out))
        }  # fmt: skip

    def _titles(self, signs: Signs, gone: Sequence[Turn]) -> list[str]:
        """Names of sessions that echo it, or are the beginning of a line that goes."""
        said = [(turn.session_id, " ".join(turn.text.split()).casefold()) for turn in gone]
        return [
            title
            for key, title in titles_of(self.db, self.user_id)
            if signs.in_title(title) or begins_one(title, [line for one, line in said if one == key])
        ]
