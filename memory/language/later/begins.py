"""Which changes that a line tells begin on a day to come: "rent's going up to 690 from January". What holds until then
is not over yet."""

from __future__ import annotations

from datetime import tzinfo
from functools import lru_cache
from typing import NamedTuple

from ...values import Memory, Turn
from ..dates import day_of, find_dates
from ..facts.corrections import clauses, signals
from ..facts.matters import parts
from ..facts.over import is_over_anyway
from ..facts.put_right import rights
from ..language import english
from ..points import letters as re
from ..third_person import verbs
from ..words import tokens
from .undated import coming_time, from_then, untimed

ANY_DAY = "2024-06-12T12:00:00Z"
"""Whether a text tells a day is the same on any day."""


class Later(NamedTuple):
    """The days to come on which a line says that something begins, in ISO; `alone`: it tells nothing else; `words`:
    those of a time that no calendar tells ("after Easter"), where it tells no day."""

    days: frozenset[str] = frozenset()
    alone: bool = False
    words: str = ""

    def day(self, when: str | None) -> str:
        """The one of these on which that begins which is dated so; of what has no date, where the line tells of nothing
        else, its only one. Empty: none."""
        only = next(iter(self.days)) if self.alone and len(self.days) == 1 else ""
        return when if when in self.days else only if not when else ""

    def time(self, when: str | None) -> str:
        """The same, or in the words of the line where no calendar tells it and the line tells of nothing else."""
        return self.day(when) or (self.words if self.alone else "")

    def __bool__(self) -> bool:
        return bool(self.days or self.words)


NOTHING_LATER = Later()


def begins(turn: Turn, zone: tzinfo | None = None) -> Later:
    """What a line says to begin later; nothing where it puts something right, comes to what there is, asks,
    isn't sure, or tells of a few days only."""
    line, said = turn.text, signals(turn.text)
    if said.corrects or said.owns_up or said.adds or rights(line) or _word("on_condition").search(line):
        return NOTHING_LATER
    today, told = day_of(turn.said_at, zone).isoformat(), clauses(line)
    sure = [one for one in told if _is_sure(one)]
    found = {
        day
        for clause in sure
        for words, day in find_dates(clause, turn.said_at, zone)
        if day > today[: len(day)] and _begins_on(words, clause)
    }.union(*(from_then(clause, turn.said_at, zone) for clause in sure))
    if found or not (words := coming_time(line)):
        return Later(frozenset(found), len(told) == 1)
    rest = clauses(line.replace(words, " ", 1).strip(" ,"))
    return Later(frozenset(), len(rest) == 1, words) if all(map(_is_sure, rest)) else NOTHING_LATER


def _is_sure(clause: str) -> bool:
    said = signals(clause)
    return not (said.maybe or said.passing or clause.endswith("?") or _word("not_surely").search(clause))


def _begins_on(words: str, clause: str) -> bool:
    """Whether a clause says that something begins on the day that it tells in these words."""
    at = clause.find(words)
    before, behind = clause[:at], clause[at + len(words) :]
    if at < 0 or re.match(rf"\s*(?:{english().alternatives('dates', 'ends_again')})(?!\w)", behind, re.IGNORECASE):
        return False
    if _YEAR.match(behind):
        return False  # of another year than was read
    when = re.escape(_LEAD.sub("", words))
    led = rf"\b(?:{english().alternatives('dates', 'begins_then')}) (?:on |in |the )*{when}"
    if re.search(led, clause, re.IGNORECASE):
        return True
    aimed = rf"\b(?:{english().alternatives('dates', 'no_beginning')}) (?:the )?$"
    told = f"{before}{words[: len(words) - len(_LEAD.sub('', words))]}"
    return not re.search(aimed, told, re.IGNORECASE) and bool(_word("still_to_come").search(clause))


_YEAR = re.compile(r",? (?:19|20)\d\d\b")
_LEAD = re.compile(r"^(?:(?:on|in|at|to|for|from|by|of|till|until) )?(?:the )?", re.IGNORECASE)


@lru_cache(maxsize=4)
def _word(name: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{english().alternatives('dates', name)})\b", re.IGNORECASE)


def holds_now(row: Memory) -> bool:
    """Whether a row tells of a state that holds now: of one thing, without a day but that since which it is so, and
    neither a plan, nor an age, nor something that was done or is over."""
    told = parts(row.fact)
    if len(told) != 1:
        return False
    days = [words for words, _ in find_dates(row.fact, ANY_DAY)]
    if (days or row.happened_on) and not (days and all(_SINCE.match(words) for words in days)):
        return False
    kinds = {matter.kind.split(".")[0] for matter in told[0].matters}
    said, does = signals(row.fact), "".join(tokens(row.fact[told[0].begin :])[:1])
    was = does in verbs().past or does.endswith("ed")
    return not (
        kinds & {"plan", "age"} or was or said.before or said.maybe or said.passing
        or is_over_anyway(row.fact) or _word("no_state").search(row.fact)
    )  # fmt: skip


def will_begin(fact: str) -> bool:
    """Whether a fact speaks of what is still to come, whatever day it tells: "is going up to 690"."""
    return bool(_word("still_to_come").search(fact))


def told_ahead(row: Memory) -> bool:
    """Whether a row tells what was to begin later when it was told."""
    day = row.happened_on or ""
    ahead = _word("begins_then").search(row.fact) or will_begin(row.fact)
    return bool((ahead and row.said_at[: len(day)] < day) or coming_time(row.fact))


_SINCE = re.compile(r"since\b", re.IGNORECASE)


def of_the_same(fact: str, other: str) -> bool:
    """Whether two facts tell of the same one."""
    told = [part for text in (fact, other) for part in parts(untimed(text))[:1]]
    owners = [part.owner for part in told if part.owner is not None]
    same = len(told) == 2 and told[0].holder.same(told[1].holder)
    return same and (len(owners) < 2 or owners[0].same(owners[1]))


def since(fact: str, time: str) -> str:
    """The fact with the day or in what words it begins, where it doesn't tell that itself."""
    if find_dates(fact, ANY_DAY) or _word("begins_then").search(fact) or time.lower() in fact.lower():
        return fact
    then = f", from {in_words(time)}" if time[:1].isdigit() else f" {time[:1].lower()}{time[1:]}"
    return f"{_NOW.sub('', fact).rstrip(' .!')}{then}."


_NOW = re.compile(r" now\b")


def in_words(day: str) -> str:
    """An ISO day, month or year as people write it: "4 January 2027"."""
    year, month, of_month = (*day.split("-"), "", "")[:3]
    named = english().month_names[int(month) - 1].title() if month else ""
    return " ".join(filter(None, (of_month.lstrip("0"), named, year)))
