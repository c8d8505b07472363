"""Which known facts a line ends, told by a small model: what words alone don't tell.

"They sawed the plaster off this morning" ends "has her wrist in a cast", and no list of words says so. A cross-encoder
reads the line with each fact that is near (`models/embedder/cross_encoder.py`). What it is sure of is closed, what it
is nearly sure of is asked about.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ....memory.errors import ModelBroken
from ....memory.language.facts.corrections import signals, swaps
from ....memory.language.facts.matters import VALUE, parts, undated
from ....memory.language.facts.over import idle
from ....memory.language.facts.partly import standing
from ....memory.language.facts.put_right import may_put_right, renewed, rights
from ....memory.language.facts.states import introduced
from ....memory.language.kinship import plainly_related, relations
from ....memory.language.language import english
from ....memory.language.later.begins import NOTHING_LATER, Later
from ....memory.language.leaning.lines import leans
from ....memory.language.points import letters as re
from ....memory.language.quoted.in_quotes import in_quotes
from ....memory.language.quoted.whose import own_words
from ....memory.language.third_person import verbs
from ....memory.language.told.numbered import of_another_number, one_of_counted
from ....memory.language.words import terms, tokens
from ....memory.values import Doubt, Memory, Turn
from ...embedder import cross_encoder
from ...prompts.draft import Add, Change, Close, Draft, Entry, date_words
from ...prompts.messages import Line, excerpt
from .bystanders import born_on, only_likely, stands_by, without_a_sign
from .confirmed import said_again
from .end_facts import days_told, denials, denied

ENDED = "ended"
"""The cross-encoder's, among those that ship."""
MOST = 2
"""Rows that one line may end in this way."""
NEAR = 2.0
"""How far below the surest one's logit another row's may lie: what is much less likely is of the same matter, and not
meant."""
ASKED = 2.0
"""How much more the number of rows counts where it is asked: of twelve rows most questions were about the wrong one
(docs/log/storage.md)."""
FAR = 1.0
"""How much less the logit counts of a row that search doesn't find near to the line: "handed in my helmet" ends "is a
volunteer fireman", of which it has neither a word nor much of the meaning."""
FITTED = 2
"""Rows that a line was read with where the bounds were fitted, the middle one of their numbers."""
LEANING, JUST_TOLD = "leaning, ", "just told, "
"""Before the names of the bounds: for lines that lean on others, and for facts that the line before told, where a line
sounds as if it put something right."""

_THEN_SAID = "; then "
FOLLOWED = 40
"""Words of a line that are kept beside what it makes untrue."""
WORTH_QUOTING = 3
"""Telling words that a line must have beside those of the rows that it ends, to be kept in its own words."""
AGE = frozenset({"age"})
LOOSE = frozenset({"does", "has", "plan", VALUE})
"""Kinds of matters under which anything may be told."""


class Ended(NamedTuple):
    """A known row that the line ends; `surely`, or likely enough to be asked about."""

    row: Memory
    surely: bool


class Bounds(NamedTuple):
    """Of the cross-encoder's logit, fitted by `chatmem train recall --ended`: from `sure` on a row is closed, from
    `likely` on it is asked about."""

    sure: float
    likely: float


def bounds_of(encoder: cross_encoder.CrossEncoder, of: str = "") -> Bounds:
    """Those that were fitted with it; `of`: `LEANING` or `JUST_TOLD`. Raises ModelBroken where none were."""
    at = encoder.head.bounds
    try:
        return Bounds(at[f"{of}sure"], at[f"{of}likely"])
    except KeyError as error:
        raise ModelBroken(f"{ENDED}.json lacks {error}: run chatmem train recall --ended to its end") from error


def read_as(line: Line, before: str = "") -> str:
    """The line as the cross-encoder reads it, with who says it and what it leans on."""
    return f"{line.speaker}: ({before}) {line.text}" if before else f"{line.speaker}: {line.text}"


class JustSaid(NamedTuple):
    """The speaker's last telling line, the ids of the rows that were made of it, and of those that a yes confirmed."""

    text: str = ""
    rows: frozenset[int] = frozenset()
    confirmed: frozenset[int] = frozenset()


NOTHING_SAID = JustSaid()


def just_said(earlier: Sequence[Turn], rows: Sequence[Memory], longest: int) -> JustSaid:
    """The last of the speaker's lines of which rows were made; `longest`: characters of its end that are kept."""
    for turn in reversed(earlier):
        if made := frozenset(row.id for row in rows if row.said_at == turn.said_at):
            return JustSaid(own_words(turn.text, turn.speaker)[-longest:], made)
    return NOTHING_SAID


@dataclass(frozen=True)
class Ends:
    """A line as the cross-encoder reads it with each row: with what the line leans on (`before`), if anything; a row of
    the line right before with and without that line, and the mean of both counts."""

    encoder: cross_encoder.CrossEncoder
    line: Line
    before: str = ""
    just: JustSaid = NOTHING_SAID
    later: Later = NOTHING_LATER
    far: frozenset[int] = frozenset()
    """Ids of rows that search doesn't find near to the line, of a memory so small that all are read."""

    def logits(self, rows: Sequence[Memory]) -> np.ndarray:
        """Of each row that the line ends it, shape (len(rows),); of those that are far, `FAR` less. Raises
        ModelError."""
        found = self.encoder.logits(read_as(self.line, self.before), [row.fact for row in rows])
        told = [at for at, row in enumerate(rows) if row.id in self.just.rows and self.just.text]
        if told and not self.before:
            said = read_as(self.line, self.just.text)
            found[told] = (found[told] + self.encoder.logits(said, [rows[at].fact for at in told])) / 2
        away: np.ndarray = np.array([row.id in self.far for row in rows], bool)
        return found - FAR * away

    def puts_right(self, row: Memory) -> bool:
        """Whether it is of the line right before, and the line sounds as if it put something right."""
        return row.id in self.just.rows and may_put_right(self.line.text)

    def bounds(self, row: Memory) -> Bounds:
        """From where it is believed of the row. Raises ModelBroken."""
        return bounds_of(self.encoder, JUST_TOLD if self.puts_right(row) else LEANING if self.before else "")


def ended(ends: Ends, rows: Sequence[Memory], ended_already: bool = False) -> list[Ended]:
    """The rows that the line ends, the surest first; one that leans on others ends one, for a pronoun stands for one
    thing. Beside one that it ends (`ended_already`: that is plain without the cross-encoder) another is asked about:
    of such second ends 8 were right in eighteen lives, 6 wrong. A row without a sign of its end in the line is asked
    about only where it is sure: of 39 such questions 2 had sense. What the line's own yes has confirmed is asked about
    at most, and not where the line says it again. Raises ModelError."""
    agreed = ends.just.confirmed
    rows = [row for row in rows if not _is_said_again(row, ends.line) and not _is_there(row, ends.line)]
    rows = [row for row in rows if row.id not in agreed or not said_again(row, ends.line.text)]
    less = crowd([row for row in rows if row.id not in ends.just.rows | ends.far])
    rows = [row for row in rows if not stands_by(row, ends.line, ends.before)]
    if not rows:
        return []
    logits = ends.logits(rows)
    surest = np.argsort(-logits, kind="stable")[: 1 if ends.before else MOST]
    least = logits[surest[0]] - NEAR
    found = list[Ended]()
    for row, logit in ((rows[at], float(logits[at])) for at in surest if logits[at] >= least):
        off, bounds = 0.0 if ends.puts_right(row) else less, ends.bounds(row)
        surely = logit - off >= bounds.sure
        signed = not without_a_sign(row, ends.line, ends.before)
        doubtful = only_likely(row, ends.line) or (row.id not in ends.just.rows and born_on(row, ends.line))
        if surely or (signed and not doubtful and logit - ASKED * off >= bounds.likely):
            plain = signed and not doubtful and not ended_already and not found and row.id not in agreed
            found.append(Ended(row, surely and plain))
    return found


def crowd(rows: Sequence[Memory]) -> float:
    """What the logits of so many rows are less worth than of `FITTED`: a line ends one thing or none, so that of twelve
    rows each is as much less likely to be the one (Bayes' rule, with the same chance before the line for each)."""
    return math.log(max(len(rows) / FITTED, 1.0))


def _is_said_again(row: Memory, line: Line) -> bool:
    """Whether the line tells once more what the row tells, and of no change."""
    heard = {*terms(line.text)}
    turned = denials(line.text) - denials(row.fact)
    told = {*terms(row.fact)} - {*terms(line.speaker), *terms(row.subject), "user"}
    return bool(told) and told <= heard and not signals(line.text).any_change and not turned


def _is_there(row: Memory, line: Line) -> bool:
    """Whether a line tells that somebody is where a row has them: "Lars is in Oslo now" after "got a job in Oslo"."""
    names = [one for one in _NAMED.findall(row.fact) if one not in (line.speaker, "User")]
    if len(names) < 2:
        return False
    who, where = re.escape(names[0]), re.escape(names[-1])
    there = rf"\b{who}(?:['’]s| is| lives| works| sits)(?: now| still)? (?:in|at|on) {where}\b"
    return re.search(there, line.text, re.IGNORECASE) is not None


def of_another_matter(row: Memory, told: Sequence[str]) -> bool:
    """Whether what is told is of a plain matter (a job, a home, health), and the row of another one: whoever has a new
    job is as allergic as before. What both name is of one matter, whatever its kind; what somebody did on another day
    is another, for it was so; and so is what is told apart by its number. `told`: the line, and the facts that were
    made of it."""
    if of_another_number(row.fact, told[0]):
        return True
    if any(_did_again(row.fact, fact) for fact in told[1:]) and not signals(told[0]).corrects:
        return True
    now = {kind for text in told for kind in _kinds(text)} | ({"job"} if _left_work().search(told[0]) else set())
    known = _kinds(row.fact)
    return bool(now and known) and not now & known and not _things(row.fact) & _things(" ".join(told))


@lru_cache(maxsize=1)
def _left_work() -> re.Pattern[str]:
    """That somebody left their work, without a word of which: "I quit yesterday", no "quit smoking"."""
    return re.compile(rf"\b(?:{english().alternatives('matters', 'left_work')})\b(?! \w+ing\b)", re.IGNORECASE)


def _did_again(known: str, fact: str) -> bool:
    """Whether two facts tell what was done by the same verb of the past on two days: "saw Arrival on 3 October"."""
    days = [date_words(one) for one in (known, fact)]
    does = [next((word for word in tokens(one)[1:4] if word in _past()), "") for one in (known, fact)]
    return all(days) and days[0] != days[1] and bool(does[0]) and does[0] == does[1]


@lru_cache(maxsize=1)
def _past() -> frozenset[str]:
    return verbs().past - {"was", "were", "had", "did"}


def _things(text: str) -> set[str]:
    """The telling words of a text but for names and for who is whose."""
    named = {word for name in _NAMED.findall(text) for word in terms(name)} | relations(text)
    return {*terms(plainly_related(text))} - named - idle()


def _kinds(text: str) -> set[str]:
    return {matter.kind.split(".")[0] for part in parts(text) for matter in part.matters} - LOOSE


def settled(
    draft: Draft, found: Sequence[Ended], line: Line, said: Callable[[str], str | None] = lambda fact: None,
    just_told: Collection[int] = (),
) -> tuple[Draft, tuple[Doubt, ...]]:  # fmt: skip
    """The draft with the rows that a line surely ends closed, or changed to what now holds of their matter, and what is
    asked: of those that it only likely ends, and pinned ones. `said`: the line's clause of a fact; `just_told`: ids."""
    doubts: list[Doubt] = []
    anew = {
        row.id: None if denied(row.fact) else renewed(row.fact, line.text, line.speaker, just=row.id in just_told)
        for row, _ in found
    }
    renewing = [one for one in found if anew[one.row.id]]
    for row, surely in (one for one in found if one not in renewing[1:]):  # one value is that of one row, the surest
        now = anew[row.id]
        told = (new := _in_its_place(draft, row, line.speaker)) or _end_as_said(draft, row, line, said(row.fact))
        if now is None and (_only_an_age(told.fact, row.fact) if told else _followed(row, just_told)):
            continue
        if not surely or row.pinned:
            doubts.append(Doubt(row, now or (new.fact if new and _is_of_it(new, row) else "")))
            continue
        several = _of_one_of_several(row, line) or one_of_counted(row.fact, line.text)
        if now is None and several and not signals(line.text).corrects:
            both = (Change(row.id, f"{row.fact.rstrip(' .')}; {told.fact}"),) if told else ()
            draft = replace(draft, entries=(*(one for one in draft if one != told), *both))
            continue
        if now is not None:
            day = date_words(now)
            kept = tuple(one for one in draft if not _tells_less(one, row, now) and not _tells_the_swap(one, line))
            change = Change(row.id, now, when=day if day != date_words(row.fact) else None)
            draft = replace(draft, entries=(*kept, change))
            continue
        if told and (left := standing(row.fact, told.fact, surely=True)) and left.text != row.fact:
            draft = replace(draft, entries=(*draft.entries, Change(row.id, left.text)))
            continue
        fact = introduced(told.fact, row.fact) if told else ""
        beside: Entry = Change(row.id, _with_what_followed(row, line)) if row.id in just_told else Close(row.id)
        end: Entry = Change(row.id, fact, when=told.when or undated(row.fact)) if told else beside
        kept = tuple(one for one in draft if one != told and not _says_it_again(one, row))
        draft = replace(draft, entries=(*kept, end))
    return draft, tuple(doubts)


def _only_an_age(fact: str, known: str) -> bool:
    """Whether a fact tells how old somebody is, which ends nothing else that is told of them."""
    return _kinds(fact) == AGE and not _kinds(known) & AGE


def _followed(row: Memory, just_told: Collection[int]) -> bool:
    """Whether a row has the words of a later line already: once is enough, for what comes next is of something else."""
    return row.id in just_told and _THEN_SAID in row.fact


def _with_what_followed(row: Memory, line: Line) -> str:
    """What was just told with the words that make it untrue, where nobody could make a fact of these: so neither what
    holds now is lost, nor, if the line was misread, what held."""
    return f"{row.fact.rstrip(' .')}{_THEN_SAID}{in_quotes(line.speaker, excerpt(line.text, FOLLOWED))}"


def in_own_words(draft: Draft, rows: Sequence[Memory], line: Line) -> Draft:
    """The draft of a line that ends known rows, of which nothing else was made, with the line as it was said: "forty
    days without a cigarette" is worth knowing beside what it ends, "sold it" isn't."""
    over = [row for row in rows if row.id in draft.touched]
    new = {*terms(line.text)} - {word for row in over for word in terms(row.fact)}
    closes = over and all(isinstance(one, Close) for one in draft)
    if not closes or len(new) < WORTH_QUOTING or leans(line.text) or rights(line.text) or line.text.endswith("?"):
        return draft
    said = in_quotes(line.speaker, excerpt(line.text, FOLLOWED))
    return replace(draft, entries=(Add(over[0].subject, over[0].topic, said), *draft))


def _in_its_place(draft: Draft, row: Memory, speaker: str) -> Add | None:
    """The new row that tells most of the same matter, if any does."""
    about = {*terms(row.fact)} - {*terms(speaker), *terms(row.subject)} - days_told(row.fact)
    same = [one for one in draft.added if not _says_it_again(one, row)]
    told = [one for one in same if row.subject in (one.subject, speaker) and _begins_alike(one.fact, row.fact)]
    told += [one for one in same if one.subject == row.subject and one not in told]
    shared = {one: len(about & {*terms(one.fact)}) + (one.topic == row.topic) for one in told}
    best = max(shared, key=shared.__getitem__, default=None)
    return best if best is not None and shared[best] else None


def _is_of_it(new: Add, row: Memory) -> bool:
    """Whether one can say yes to a new row in the place of the known one: it has a telling word of it, or is of a kind
    of matter that this is of. To "is giving a talk" a yes to "has got 9 slides" says nothing."""
    about = {*terms(row.fact)} - {*terms(row.subject), "user"} - days_told(row.fact)
    return bool(about & {*terms(new.fact)}) or bool(_kinds(new.fact) & _kinds(row.fact))


def _begins_alike(one: str, other: str) -> bool:
    """Whether two facts begin with the same name, whoever they are kept under."""
    return one.split(" ", 1)[0] == other.split(" ", 1)[0]


def _tells_less(entry: Entry, row: Memory, now: str) -> bool:
    """Whether a new row says nothing that the known one won't say now."""
    return isinstance(entry, Add) and {*terms(entry.fact)} <= {*terms(now)} | {*terms(row.fact)}


def _tells_the_swap(entry: Entry, line: Line) -> bool:
    """Whether a new row only repeats what a line puts in the place of what: "says the 9th now, not the 14th"."""
    return isinstance(entry, Add) and any(
        all(re.search(rf"(?<![\w-]){re.escape(side)}(?![\w-])", entry.fact, re.IGNORECASE) for side in pair)
        for pair in swaps(line.text)
    )


def _of_one_of_several(row: Memory, line: Line) -> bool:
    """Whether the row tells of several by their names, and the line of one of them: the others live on."""
    none = english().stop | {*english().weekdays} | {*english().month_names}
    known = {one for one in _NAMED.findall(row.fact) if one.lower() not in none} - {line.speaker, "User"}
    there = {one for one in known if re.search(rf"\b{re.escape(one)}\b", line.text, re.IGNORECASE)}
    return bool(there) and there != known and bool(_SEVERAL.search(row.fact))


_NAMED = re.compile(r"\b[A-Z][\w-]*[a-z]\b")
_SEVERAL = re.compile(r"\b(?:two|three|four|five|six|both)\b|\b[A-Z][\w'-]+,? and [A-Z][\w'-]+")


def _end_as_said(draft: Draft, row: Memory, line: Line, said: str | None) -> Add | None:
    """The clause that tells the end, as it was said, where no new row tells it: what became of it is worth knowing."""
    new = {*terms(said or "")} - {*terms(line.speaker), "user"}
    if said is None or said.endswith("?") or not new - {*terms(row.fact)}:
        return None
    told = [one.fact for one in draft if not isinstance(one, Close) and one.fact]
    if any(2 * len(new & {*terms(fact)}) >= len(new) for fact in told):
        return None
    return Add(row.subject, row.topic, said, date_words(said))


def _says_it_again(entry: Entry, row: Memory) -> bool:
    """Whether a new row only says what is over."""
    return isinstance(entry, Add) and {*terms(entry.fact)} <= {*terms(row.fact)}
