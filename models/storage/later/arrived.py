"""What was told to begin later, once it has: its row tells what holds now, and the one of before holds no longer.

"My rent is 690 now" ends the rent of 650 and is what the row of "690 from January" says from then on, for two rows of
one rent would both be told. Where nobody says so, the day itself does: a question after it isn't answered by the row of
before.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import tzinfo
from functools import partial

from ....memory.language.dates import day_of
from ....memory.language.facts.corrections import signals
from ....memory.language.facts.matters import details, parts
from ....memory.language.language import english
from ....memory.language.later.begins import holds_now, told_ahead, will_begin
from ....memory.language.later.undated import untimed
from ....memory.language.points import letters as re
from ....memory.language.question import Question
from ....memory.language.third_person import verbs
from ....memory.language.words import terms, tokens
from ....memory.values import Doubt, Memory, Moment, Recall, RecallItem
from ...prompts.draft import Add, Change, Close, Draft, Entry


def arrived(
    draft: Draft, doubts: Sequence[Doubt], rows: Sequence[Memory], line: str
) -> tuple[Draft, tuple[Doubt, ...]]:  # fmt: skip
    """The draft for a line and what is left to ask, where the line says that what a row told ahead is so now: that row
    tells it from now on, and the one of before is closed. What the line only repeats ends no such row."""
    for row in rows if not _denies(line) else ():
        if row.pinned or not told_ahead(row) or not _repeats(line, row):
            continue
        old = {one.id for one in rows if _overtaken(one, row) and not one.pinned}
        told = [
            one.fact for one in (*draft, *doubts) if not isinstance(one, Close) and one.fact and _came(one.fact, row)
        ]
        if not (old & {*draft.touched} or (_NOW.search(line) and (told or row.id in draft.touched))):
            doubts = [one for one in doubts if one.row.id != row.id]
            draft = draft.mapped(partial(_beside, row=row))
            continue
        doubts = [one for one in doubts if one.row.id != row.id and one.row.id not in old]
        fact = _ENDS_NOW.sub("", told[0]) if told else _as_it_is(row.fact)
        kept = [
            one for one in draft if not (_touches(one, {row.id, *old}) or (isinstance(one, Add) and one.fact in told))
        ]
        closed = [Close(one) for one in sorted(old)]
        now = [Change(row.id, fact, when="")] if fact else []
        draft = replace(draft, entries=(*kept, *closed, *now))
    return draft, tuple(doubts)


def _as_it_is(fact: str) -> str | None:
    """A fact told ahead as it is once it has come; None: it says that it is to come."""
    fact = _MOVES.sub("is on ", untimed(fact))
    return None if will_begin(fact) else fact


_MOVES = re.compile(
    rf"\b(?:moves|is moving|switches|changes|shifts) (?:over |back )?to (?=(?:{'|'.join(english().weekdays)})s?\b)",
    re.IGNORECASE,
)


def _beside(one: Entry, row: Memory) -> Entry | None:
    """What stands for an entry that would end the row: nothing, or a row of its own."""
    if isinstance(one, Add) or one.id != row.id:
        return one
    return Add(row.subject, row.topic, one.fact, one.when) if isinstance(one, Change) and one.fact else None


def _denies(line: str) -> bool:
    denied = english().negations & {*tokens(line.replace("'", "").replace("’", ""))}
    return bool(denied) or signals(line).ends or _HEARD.search(line) is not None


_NOW = re.compile(r"\b(?:now|nowadays|these days|at last|finally)\b", re.IGNORECASE)
_HEARD = re.compile(
    r"\b(?:going|goes|go|went) (?:up|down)\b|['’]ll\b"
    r"|\b(?:told|tell|tells|knows?|knew|heard|hearing|worr\w+|says?|said|will)\b", re.IGNORECASE,
)  # fmt: skip
"""In a line that tells of what is to come once more: "finally told mum the rent is going up to 690"."""
_ENDS_NOW = re.compile(r",? now(?=\.?$)")


def _touches(one: Entry, rows: set[int]) -> bool:
    return not isinstance(one, Add) and one.id in rows


def _repeats(line: str, row: Memory) -> bool:
    """Whether a line holds the thing and the values of a row told ahead, but for when it begins."""
    fact = untimed(row.fact)
    values, thing = _values(fact, row.subject), {*_thing(fact)} - {*terms(row.subject)}
    return bool(values and thing) and values <= _values(f". {line}", "") and thing <= {*terms(line)}


def _came(fact: str, row: Memory) -> bool:
    """Whether a fact tells of the same thing no other value than a row told ahead."""
    now, ahead = _values(fact, row.subject), _values(row.fact, row.subject)
    return bool(now) and now <= ahead and _of_one_thing(fact, row.fact)


def _values(fact: str, subject: str) -> frozenset[str]:
    """Names, numbers and days, but for whose they are."""
    days = {one.removesuffix("s") for one in tokens(fact)} & {*english().weekdays}
    told = {one for one in details(fact) if one.removesuffix("s") not in days}
    return frozenset(told | days) - {*tokens(subject)}


def _of_one_thing(fact: str, other: str) -> bool:
    """Whether two facts tell of one thing of the same one, "the rent", or by the same verb on which days they do
    something."""
    things = [_thing(untimed(one)) for one in (fact, other)]
    if things[0] != things[1] or not things[0]:
        return False
    if _is_somebodys(fact) and _is_somebodys(other):  # of a daughter or a dog many things are told
        had, has = ([one for part in parts(text) for one in part.matters] for text in (fact, other))
        return any(one.same(told) for one in had for told in has if one.kind not in ("does", "has", "plan"))
    old, new = _kinds(fact), _kinds(other)
    if old & new == {"name"} and not (_WHAT.search(fact) and _WHAT.search(other)):
        return False
    return bool(old & new) and ("day" not in old & new or _besides(fact) == _besides(other))


_WHAT = re.compile(r"\b(?:is|are|will be)(?: now| called| named)* (?:(?:Dr|Mr|Mrs|Ms|Miss|Prof)\.? )?[A-Z]")
"""Where a thing is told by a name."""


def _is_somebodys(fact: str) -> bool:
    """Whether a fact is told of somebody of somebody's ("Ana's daughter ...") or of their animal, not of a thing."""
    part = parts(fact)[0]
    return part.owner is not None and not _WHO.match(part.text[part.begin :])


_WHO = re.compile(r"\W*(?:is|was|will be)(?: now)? (?:(?:Dr|Mr|Mrs|Ms|Miss|Prof)\.? )?[A-Z]")
"""Where it is told who somebody is: "Ana's boss is Carol now"."""


def _kinds(fact: str) -> set[str]:
    """Whether a fact tells numbers, days of the week, or names."""
    days = {one.removesuffix("s") for one in tokens(fact)} & {*english().weekdays}
    told = _values(fact, fact.split("'", 1)[0])
    kinds = {"number" if one[0].isdigit() else "name" for one in told if one not in days}
    return kinds | ({"day"} if days else set())


def _besides(fact: str) -> frozenset[str]:
    """What a fact tells but for days and numbers: "has yoga" of "has yoga on Mondays"."""
    days = {stem for one in english().weekdays for word in (one, f"{one}s") for stem in terms(word)}
    return frozenset(one for one in terms(untimed(fact)) if one not in days and not one.isdigit()) - _MOVED


_MOVED = frozenset(terms("is are has have goes moves changes switches shifts meets runs now from to"))


_CHANGES = frozenset({
    "is", "are", "am", "has", "have", "go", "goes", "moves", "changes", "switches", "shifts", "rises", "drops",
    "starts", "begins", "costs", "meets", "runs",
})  # fmt: skip


def _thing(fact: str) -> tuple[str, ...]:
    """The words of a fact before its verb; where that is somebody, with the verb, if it tells of days."""
    words, known = tokens(fact), verbs()
    acts = known.third | known.modals | _CHANGES
    at = next((at for at, word in enumerate(words) if at and (word in acts or (word.endswith("'s") and at > 1))), 0)
    if at > 1:
        return tuple(terms(" ".join(words[:at])))
    days = {one.removesuffix("s") for one in words} & {*english().weekdays}
    return tuple(terms(" ".join(words[: at + 1]))) if at and days else ()


def come_true(recall: Recall, now: Moment, zone: tzinfo | None = None) -> Recall:
    """What was recalled without the rows in whose place another one was told to come, and whose day is past; a question
    of what was sees them all."""
    today, rows = day_of(now, zone).isoformat(), [item.memory for item in recall.items if item.memory]
    come = [row for row in rows if _is_past(row, today)]
    over = {old.id for old in rows for row in come if _overtaken(old, row)}
    if not over or Question(recall.query, None, now).asks_past:
        return recall
    said = {turn.id for item in recall.items if item.memory and item.memory.id in over for turn in item.turns}
    kept = tuple(item for item in recall.items if not _gone(item, over, said))
    return replace(recall, items=kept)


def _gone(item: RecallItem, over: set[int], said: Iterable[int]) -> bool:
    if item.memory:
        return item.memory.id in over
    return all(turn.id in {*said} for turn in item.turns)


def _is_past(row: Memory, today: str) -> bool:
    """Whether it was told ahead of its day, and that has come."""
    day = row.happened_on or ""
    return bool(day) and row.said_at[: len(day)] < day <= today[: len(day)] and told_ahead(row)


def _overtaken(old: Memory, row: Memory) -> bool:
    """Whether a row of a state that held is of the thing of which one that was told later told otherwise."""
    if old.id == row.id or old.said_at >= row.said_at or old.subject != row.subject or not holds_now(old):
        return False
    return _of_one_thing(old.fact, row.fact)
