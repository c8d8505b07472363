"""What a draft does to rows that are known: which it may change or close, and which of its new rows end an old one.

A small model often inserts where it should update, and updates a row of another matter. Both are put right by whose
matter each fact tells of (`memory/language/facts/states.py`): a row is replaced by what surely ends it and by nothing
else, what may end it is asked, all else stands beside it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from ....memory.language.facts.change_words import stands
from ....memory.language.facts.corrections import clause_facts, clauses, signals, swaps
from ....memory.language.facts.former import former, had
from ....memory.language.facts.matters import parts, undated
from ....memory.language.facts.over import is_over_anyway, over
from ....memory.language.facts.partly import Standing, company, ending, named_in, standing
from ....memory.language.facts.put_right import rights
from ....memory.language.facts.redated import redated
from ....memory.language.facts.renumbered import renumbered
from ....memory.language.facts.settling import at_home, homes_in
from ....memory.language.facts.states import Acquaintance, Judged, contradicts, dead, introduced, judged
from ....memory.language.words import terms, tokens
from ....memory.values import Doubt, Memory
from ...prompts.draft import Add, Change, Close, Draft, Entry, date_words
from .end_facts import elsewhere, is_all_said, of_whom, only_ends, righted, same_day
from .in_place import in_place, new_day, says_so

MOST_ENDED = 2
"""Facts of the speaker's own that one line may end; more of them are asked about, for it was surely misread."""


class Settled(NamedTuple):
    """The draft as it may be written, and what is to be asked."""

    draft: Draft
    doubts: tuple[Doubt, ...] = ()


def with_changes(
    draft: Draft, rows: Sequence[Memory], line: str, speaker: str, recent: Collection[int] = ()
) -> Settled:  # fmt: skip
    """The draft for that line with the changes that its words mean for the known rows, whatever the model made of them.
    `recent`: the rows of the line before.

    A fact that surely ends a row takes its place; a row's other matters stay, as a row of their own. What would change
    a row of another matter is added beside it. A pinned row is never changed, but asked about.
    """
    work = _Settling(rows, line, speaker)
    for entry in draft:
        work.take(entry)
    work.correct()
    work.put_right(recent)
    work.swap(recent)
    work.renumber()
    work.match()
    work.retell()
    work.tell_ends()
    work.tell_new()
    work.part_ways()
    work.spare()
    return Settled(replace(draft, entries=tuple(work.entries())), tuple(work.doubts))


@dataclass
class _Settling:
    rows: Sequence[Memory]
    line: str
    speaker: str
    adds: list[Add] = field(default_factory=list)
    changes: list[Entry] = field(default_factory=list)
    doubts: list[Doubt] = field(default_factory=list)
    parted: list[tuple[Memory, Standing]] = field(default_factory=list)
    """Rows of which only a part is over, and what of them stands."""
    parting: list[Add] = field(default_factory=list)
    """What rows that go told besides, as rows of their own."""

    def __post_init__(self) -> None:
        self.by_id: Mapping[int, Memory] = {row.id: row for row in self.rows}
        self.people = Acquaintance.of(row.fact for row in self.rows)

    @property
    def touched(self) -> set[int]:
        asked = {one.row.id for one in self.doubts} | {row.id for row, _ in self.parted}
        return {one.id for one in self.changes if not isinstance(one, Add)} | asked

    def entries(self) -> list[Entry]:
        changes = [self._fuller(one) for one in self.changes]
        now = [one.fact for one in changes if isinstance(one, Change) and one.fact is not None]
        return [*changes, *(one for one in self.adds if not any(is_all_said(one.fact, fact) for fact in now))]

    def _fuller(self, change: Entry) -> Entry:
        """A change in the words of a new row that says all of it, and more; that row is then none."""
        if not isinstance(change, Change) or change.fact is None:
            return change
        words = {*terms(change.fact)}
        more = next(
            (one for one in self.adds if words < {*terms(one.fact)} and one.fact.startswith(change.fact[:-1])), None
        )
        self.adds = [one for one in self.adds if one != more]
        return replace(change, fact=more.fact, when=more.when or change.when) if more else change

    def judge(self, fact: str, known: str) -> Judged:
        return judged(fact, known, self.line, self.people)

    def take(self, entry: Entry) -> None:
        """What the model wrote: its changes are looked at as new rows, its ends hold where the line ends the row."""
        row = self.by_id.get(entry.id) if not isinstance(entry, Add) else None
        if isinstance(entry, Add):
            self.adds.append(entry)
        elif row is None or (isinstance(entry, Change) and entry.fact is None):
            self.changes.append(entry)
        elif isinstance(entry, Change) and entry.fact is not None:
            if row.fact != entry.fact:
                self.adds.append(Add(row.subject, row.topic, entry.fact, entry.when))
        elif self.closes(row):
            self._end(row, None)

    def closes(self, row: Memory) -> bool:
        """Whether the line says that what the row tells is over."""
        mine = {*terms(row.fact)} - {*terms(row.subject)} - {*terms(self.speaker)}
        said = signals(self.line)
        return (said.ends or said.corrects) and bool(mine & {*terms(self.line)})

    def correct(self) -> None:
        """A new row that says otherwise than the line's own words (that something still is, surely is, or is the
        speaker's own) is told as the line has it."""
        own = self._own()
        told = (replace(add, fact=self._settled(add.fact)) for add in self.adds)
        self.adds = list(dict.fromkeys(self._true(add, own) for add in told))

    def _true(self, add: Add, own: Sequence[str]) -> Add:
        said = {*terms(add.fact)} - {*terms(self.speaker)}
        near = [fact for fact in own if 2 * len(said & {*terms(fact)}) >= len(said)]
        ended = [
            fact for fact in own if signals(fact).ends and not signals(add.fact).ends and not elsewhere(add.fact, fact)
        ]
        found = next((fact for fact in ended if self.judge(fact, add.fact).verdict == "ends"), None)
        found = found or next((fact for fact in near if contradicts(fact, add.fact)), None)
        return replace(add, fact=found, when=date_words(found) or add.when) if found else add

    def _own(self) -> list[str]:
        """What the clauses of the line say in their own words."""
        known = {name.title() for name in self.people.roles}.union(*(named_in(row.fact) for row in self.rows))
        named = {name for name in known if re.search(rf"\b{re.escape(name)}\b", self.line)}
        return [self._settled(fact) for fact in clause_facts(self.line, self.speaker, frozenset(named))]

    def _settled(self, fact: str) -> str:
        return at_home(fact, self.line, homes_in([row.fact for row in self.rows]))

    def match(self) -> None:
        """New rows that end a known one take its place; each row is ended once, by what says most of it."""
        kept = []
        for add in sorted(self.adds, key=self._tells, reverse=True):
            kept += [add] if not self._matched(add) else []
        self.adds = [
            add for add in self.adds if add in kept and not self._over(add) and not self._is_said(add.fact)
            and not self._is_known(add)
        ]  # fmt: skip

    def _over(self, add: Add) -> bool:
        """Whether what was just written ends the new row too ("has a cat" beside "the cat died"), or says it all."""
        now = [one.fact for one in self.changes if isinstance(one, Change) and one.fact is not None]
        if any({*terms(add.fact)} < {*terms(fact)} and not signals(fact).ends for fact in now):
            return True  # the same in fewer words
        return any(self.judge(fact, add.fact).verdict == "ends" for fact in now if fact != add.fact)

    def _is_known(self, add: Add) -> bool:
        """Whether a row of the same matter names all that it names, and more: of "Bess lays the best eggs" a small
        model makes "has three hens named Bess"."""
        words, names = {*terms(add.fact)}, named_in(add.fact)
        return bool(names) and any(
            words < {*terms(row.fact)} and names < named_in(row.fact) and not signals(row.fact).any_change
            and not signals(row.fact).before and row.subject == add.subject
            for row in self.rows
        )  # fmt: skip

    def _is_said(self, fact: str) -> bool:
        """Whether it only ends the home or the job in whose place a new one was just written."""
        if not only_ends(fact):
            return False
        now = [(self.by_id[one.id], one.fact) for one in self.changes if isinstance(one, Change) and one.fact]
        return any(one != fact and not only_ends(one) and self.judge(fact, row.fact).verdict == "ends"
                   for row, one in now if row.fact != one)  # fmt: skip

    def _tells(self, add: Add) -> tuple[bool, bool, int]:
        matters = [matter for part in parts(add.fact) for matter in part.matters]
        return not only_ends(add.fact), any("." in matter.kind for matter in matters), len(add.fact)

    def _matched(self, add: Add) -> bool:
        """Whether the fact is written in the place of a known one."""
        found = [(row, self.judge(add.fact, row.fact)) for row in self.rows if row.id not in self.touched]
        was = {row.id for row, _ in found if is_over_anyway(row.fact) and not rights(self.line)}
        ended = [
            (row, one) for row, one in found if one.verdict == "ends" and row.fact != add.fact and row.id not in was
        ]
        if not ended:
            asked = [row for row, one in found if one.verdict == "ask"]
            self.doubts += [Doubt(asked[-1], add.fact)] if asked else []
            return False
        if several := self._several(add.fact, [row for row, _ in ended]):
            self.doubts += [Doubt(row, add.fact) for row in several]
            return False
        done = [self._end(row, add, one.rest) for row, one in reversed(ended)]
        return any(done)

    def _several(self, fact: str, ended: Sequence[Memory]) -> list[Memory]:
        """The rows that could be meant where one alone is; empty where it is plain which. Newest first."""
        told = [part for row in ended for part in parts(row.fact)]
        named = {part.holder.names for part in told if part.holder.names}
        nameless = not any(part.holder.names for part in parts(fact))
        alike = all(matter.what for part in told for matter in part.matters)
        if len(ended) < 2 or not (alike or (nameless and len(named) > 1)):
            return []
        gone = next((part.holder.names for part in parts(fact) if dead(part, self.line)), frozenset[str]())
        if gone and all(gone & {*tokens(row.fact)} for row in ended):
            return []  # all that was told of one who died is over
        said = {*terms(self.line)}
        fits = [len(said & {*terms(row.fact)}) for row in ended]
        best = [row for row, fit in zip(ended, fits, strict=True) if fit == max(fits)]
        return [] if len(best) == 1 and not nameless else best[::-1]

    def _end(self, row: Memory, add: Add | None, rest: str = "") -> bool:
        """Ends the row; `add` takes its place if nothing has yet. True: it did."""
        if row.pinned:
            self.doubts.append(Doubt(row, add.fact if add else ""))
            return False
        if left := standing(row.fact, self._told(row, add)):
            self._part(row, left)
            return False
        taken = any(isinstance(one, Change) and add is not None and one.fact == add.fact for one in self.changes)
        if rest:
            self.changes.append(Change(row.id, rest))
            return False
        if add is None or taken:
            self.changes.append(Close(row.id))
        else:
            when = add.when or (
                None if signals(self.line).corrects or same_day(add.fact, row.fact) else undated(row.fact)
            )
            self.changes.append(Change(row.id, introduced(add.fact, row.fact), when=when))
            beside = company(row.fact, add.fact)
            if beside and not any({*terms(beside)} <= {*terms(one.fact)} for one in self.rows if one.id != row.id):
                self.parting.append(Add(row.subject, row.topic, beside))
        return add is not None

    def _told(self, row: Memory, add: Add | None) -> str:
        """The words that tell the end of a row: those of the new fact, where it tells one, else the line's."""
        return add.fact if add is not None and ending(add.fact) else self._end_of(row) or self.line

    def _part(self, row: Memory, left: Standing) -> None:
        """Ends the part of a row that is over; the others stay in it."""
        self.parted.append((row, left))
        if left.text != row.fact:
            self.changes.append(Change(row.id, left.text))

    def tell_ends(self) -> None:
        """What became of a part of a row is a fact of its own, and says whose it was: "Ana's rabbit Pepe died"."""
        known = {row.fact for row, _ in self.parted}
        self.adds = [one for one in self.adds if one.fact not in known] + self.parting
        for row, left in self.parted:
            self.adds = [replace(one, fact=of_whom(one.fact, row, left)) for one in self.adds]
            over = {word for each in left.over for word in terms(each)}
            if over and not any(over & {*terms(one.fact)} and ending(one.fact) for one in self.adds):
                told = next((fact for fact in self._own() if over & {*terms(fact)} and ending(fact)), None)
                self.adds += [Add(row.subject, row.topic, of_whom(told, row, left), date_words(told))] if told else []

    def tell_new(self) -> None:
        """What came in the place of what ended is a fact of its own: "sold the van and got a bike instead"."""
        told = [{*terms(one.fact)} for one in (*self.adds, *self.changes) if not isinstance(one, Close) and one.fact]
        ended = [row for one in self.changes if not isinstance(one, Add) and (row := self.by_id.get(one.id))]
        for fact in self._own() if ended else ():
            new = {*terms(fact)} - {*terms(f"{self.speaker} instead")}
            if stands("instead", fact) and not any(2 * len(new & words) > len(new) for words in told):
                self.adds.append(Add(ended[-1].subject, ended[-1].topic, fact, date_words(fact)))

    def put_right(self, recent: Collection[int]) -> None:
        """ "No. 460." of what was said just before: the newest row that has such a value, and others with the same."""
        wrong: set[str] | None = None
        for row, now in reversed(righted(self.rows, recent, self.line, self.speaker)):
            if wrong not in (None, {*terms(row.fact)} - {*terms(now)}):
                continue
            new, wrong = {*terms(now)} - {*terms(row.fact)}, {*terms(row.fact)} - {*terms(now)}
            self.adds = [one for one in self.adds if not new <= {*terms(one.fact)}]  # the value alone
            if row.pinned:
                self.doubts.append(Doubt(row, now))
            else:
                self.changes.append(Change(row.id, now))

    def swap(self, recent: Collection[int]) -> None:
        """ "It's 74, not 47": in the one row that says 47; of several, or a pinned one, it is asked."""
        for wrong, right in swaps(self.line):
            own = [row for row in self.rows if row.id not in self.touched]
            told = in_place(own, self.rows, self.line, wrong, right, recent)
            found = [one for one in told if one.likely or says_so(one.now, self.adds)]
            sure, pair = any(one.sure for one in found), [side.lower() for side in (wrong, right)]
            self.adds = [one for one in self.adds if not sure or not any(side in one.fact.lower() for side in pair)]
            for row, now, _, likely in found:
                self.adds = [one for one in self.adds if likely or {*terms(one.fact)} != {*terms(now)}]
                if row.pinned or not sure:
                    self.doubts.append(Doubt(row, now))
                    self.adds += [Add(row.subject, row.topic, now)] if sure else []
                else:
                    self.changes.append(Change(row.id, now, when=new_day(now, row.fact)))

    def renumber(self) -> None:
        """ "Rent went up, 910 now", "actually it's the 5th": the number or the day of the one row that tells of it; of
        several, or a pinned one, it is asked."""
        own = [row for row in self.rows if row.id not in self.touched]
        told = [(row, [one(row.fact, self.line, self.speaker) for one in (renumbered, redated)]) for row in own]
        found = [(row, now) for row, some in told if (now := next(filter(None, some), None))]
        for row, now in found:
            if len(found) > 1 or row.pinned:
                self.doubts.append(Doubt(row, now))
                continue
            self.changes.append(Change(row.id, now, when=date_words(now)))
            new = {*tokens(now)} - {*tokens(row.fact)}
            self.adds = [one for one in self.adds if not new & {*tokens(one.fact)}]

    def retell(self) -> None:
        """Of rows that still stand: what the clauses of the line end, told in their own words."""
        own = sorted(self._own(), key=only_ends)
        for fact in own:
            ended = [
                row for row in self.rows if row.id not in self.touched and self.judge(fact, row.fact).verdict == "ends"
            ]
            if ended and self._matched(Add(ended[-1].subject, ended[-1].topic, fact, date_words(fact))):
                self.adds = [one for one in self.adds if not {*terms(one.fact)} <= {*terms(fact)}]
        for row in self.rows:
            if row.id not in self.touched and (clause := self._end_of(row)):
                if not row.pinned and (left := standing(row.fact, clause)):
                    self._part(row, left)
                else:
                    self._end(row, self._said_of(row, clause, own))

    def part_ways(self) -> None:
        """Who was the speaker's partner is their former one in each row that stands."""
        told = [
            *self._own(),
            *(one.fact for one in (*self.adds, *self.changes) if not isinstance(one, Close) and one.fact),
        ]
        for row in self.rows:
            now = next((text for one in told if (text := former(row.fact, one, self.speaker))), None)
            if row.id in self.touched or row.pinned:
                continue
            if now:
                self.changes.append(Change(row.id, now))
            elif any(had(row.fact, one, self.speaker) for one in told):
                self.changes.append(Close(row.id))

    def spare(self) -> None:
        """Ends of too many facts about the speaker at once are asked about instead."""
        ends = [
            (one, row)
            for one in self.changes
            if (isinstance(one, Close) or (isinstance(one, Change) and one.fact is not None))
            and (row := self.by_id.get(one.id)) is not None and row.subject == self.speaker
            and all(part.owner is None for part in parts(row.fact))
        ]  # fmt: skip
        if len(ends) <= MOST_ENDED:
            return
        self.changes = [one for one in self.changes if one not in [end for end, _ in ends]]
        for one, row in ends:
            fact = one.fact or "" if isinstance(one, Change) else ""
            self.doubts.append(Doubt(row, fact))
            self.adds += [Add(row.subject, row.topic, fact)] if fact else []

    def _end_of(self, row: Memory) -> str:
        """The clause of the line that tells the end of what the row is about."""
        if is_over_anyway(row.fact) and not rights(self.line):
            return ""
        return next((one for one in clauses(self.line) if over(row.fact, one, self.speaker, self.line)), "")

    def _said_of(self, row: Memory, clause: str, own: Sequence[str]) -> Add | None:
        """What takes the place of the row: the clause in its own words, or the model's fact that tells of the same."""
        heard = {*terms(clause)}
        for fact in own:
            if len(heard & {*terms(fact)}) > len(heard) / 2:
                self.adds = [one for one in self.adds if not {*terms(one.fact)} <= {*terms(fact)} | {*terms(row.fact)}]
                return Add(row.subject, row.topic, fact, date_words(fact))
        known = {*terms(row.fact)}
        self.adds = [one for one in self.adds if not {*terms(one.fact)} <= known]  # they state what is over
        about = known - {*terms(self.speaker)}
        told = [one for one in self.adds if {*terms(one.fact)} & about & heard]
        self.adds = [one for one in self.adds if one not in told[:1]]
        return told[0] if told else None


def is_mistaken(draft: Draft, rows: Sequence[Memory], line: str, speaker: str) -> bool:
    """Whether the draft changes or closes a row of another matter: then it is better read as if nothing were known."""
    work = _Settling(rows, line, speaker)
    known = [(entry, work.by_id[entry.id]) for entry in draft if not isinstance(entry, Add) and entry.id in work.by_id]
    return any(
        not work.closes(row) if isinstance(entry, Close)
        else entry.fact is not None and work.judge(entry.fact, row.fact).verdict == "beside"
        for entry, row in known
    )  # fmt: skip
