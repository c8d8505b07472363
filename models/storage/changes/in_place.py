"""In which known rows a line puts one value in the place of another: "it's Mr Okoro, not Okafor, the landlord"; and a
home that it tells by the way."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from typing import NamedTuple

from ....memory.language.facts.over import idle
from ....memory.language.facts.put_right import days, in_month
from ....memory.language.facts.settling import moved_by_the_way
from ....memory.language.kinship import pets, plainly_related, relations
from ....memory.language.language import english
from ....memory.language.points import letters as re
from ....memory.language.quoted.in_quotes import quoted
from ....memory.language.words import terms, tokens
from ....memory.values import Doubt, Memory
from ...prompts.draft import Add, Change, Close, Draft, Entry, date_words
from .end_facts import denied, of_the_same, sorry, swapped

ALIKE = 0.7
"""Share of their letters that two spellings of one name have in common: Okafor and Okoro, not Leeds and Leiden."""


class InPlace(NamedTuple):
    """A known row and what it says with the right value; `sure`: it is plain that this row is meant; `likely`: that it
    may be."""

    row: Memory
    now: str
    sure: bool
    likely: bool = True


def in_place(
    rows: Sequence[Memory], known: Sequence[Memory], line: str, wrong: str, right: str, recent: Collection[int]
) -> list[InPlace]:  # fmt: skip
    """The rows in which a line puts the right value in the place of the wrong one: of a name that was only misspelled
    all that hold it, else the one that does, or the likeliest of several, which isn't sure.

    `rows`: those that nothing has changed yet, `known`: all, `recent`: ids of those of the line before. Where the line
    tells of something of which the one row has no word, it isn't likely: "the midwife says the 9th, not the 14th" puts
    right nobody's birthday.
    """
    wrong, right = _untitled(rows, line, wrong, right)
    if found := list(_renamed(rows, known, line, wrong, right)):
        return [InPlace(row, now, True) for row, now in found]
    word = re.compile(rf"(?<![\w-]){re.escape(wrong)}(?![\w-])", re.IGNORECASE)
    own = [row for row in rows if word.search(row.fact)]
    said = [(row, swapped(row.fact, word, right)) for row in of_the_same(own, known, line, wrong, right)]
    said = said or list(_redated(rows, known, line, wrong, right))
    told = [(row, now) for row, now in said if quoted(row.fact) or not denied(row.fact)]
    if len(told) == 1 and not _may_be_of(told[0][0], line, f"{wrong} {right}", recent):
        return [InPlace(*told[0], sure=False, likely=bool(_TELLING.search(wrong)))]
    return [InPlace(row, now, len(told) == 1) for row, now in told[-1:]]


def _untitled(rows: Sequence[Memory], line: str, wrong: str, right: str) -> tuple[str, str]:
    """Both names without their titles; a name goes with its title where another one comes with another, or with none:
    Mr Pritchard, a Miss Rao."""
    bare, titled = ([_title().sub("", side) or side for side in (wrong, right)], [wrong, right])
    was, now = (_title_of(line, one) for one in bare)
    if not was or was == now or not any(wrong in row.fact for row in rows):
        return bare[0], bare[1]
    said = re.search(rf"\b{now}\.? {re.escape(bare[1])}\b", line, re.IGNORECASE) if now else None
    return titled[0], said[0] if said else titled[1]


def gone_on(draft: Draft, rows: Sequence[Memory], line: str) -> Draft:
    """The draft with what a line puts in the place of what is no more, where a row would only be closed: of "the course
    isn't on Mondays any more, it's on Thursdays now" nothing was left."""
    found = _ANY_MORE.search(line)
    if found is None or any(not isinstance(one, Close) for one in draft):
        return draft
    known = {row.id: row for row in rows}

    def now(entry: Entry) -> Entry:
        row = known.get(entry.id) if isinstance(entry, Close) else None
        fact = _as_it_is_now(row.fact, found) if row else None
        return Change(entry.id, fact, when=date_words(fact)) if isinstance(entry, Close) and fact else entry

    return draft.mapped(now)


def _as_it_is_now(fact: str, found: re.Match[str]) -> str | None:
    """The fact with the new day, time, number or place in the place of the old one; of a thing that goes on until
    another day, that. None: what is told is no such value, as of "it's too quiet"."""
    (led, wrong), (lead, right) = ((found[f"{side}_lead"] or "", found[side]) for side in ("wrong", "right"))
    kind = _kind(wrong)
    if not kind or kind != _kind(right) or (kind == "place" and lead != led):
        return None
    old = re.compile(rf"\b{re.escape(led + wrong)}(?![\w-])", re.IGNORECASE)
    if lead in ("", led):
        return old.sub(lambda _: led + right, fact, count=1) if old.search(fact) else None
    thing = re.match(rf"(?P<thing>[^,;.]*\b{re.escape(found['thing'])}) (?:is|runs?|ends?|lasts?)\b", fact, re.I)
    return f"{thing['thing']} is {lead}{right}." if thing and kind == "date" and old.search(fact) else None


def _kind(value: str) -> str:
    """Of which kind a value plainly is; empty: of none."""
    words = value.split()
    low = [word.lower().removesuffix("s") for word in words]
    if all(word in english().weekdays for word in low):
        return "weekday"
    dated = {*english().months, *english().month_names}
    if any(word in dated for word in low) or re.fullmatch(r"(?:19|20)\d\d", value):
        return "date"
    if re.fullmatch(r"[£$€]?\d[\d.,:]*(?: ?(?:[ap]m|euros?|pounds|quid|%))?", value):
        return "number"
    return "place" if len(words) > 1 and all(word[0].isupper() for word in words) else ""


_LEAD = "(?:in|on|at|till|until|from) "
_VALUE = r"[\w:£$€'’%-]+(?: [\w'’-]+)?"
_ANY_MORE = re.compile(
    r"\b(?:[Tt]he|[Mm]y|[Oo]ur) (?:[a-z-]+ )?(?P<thing>[a-z-]+) "
    r"(?:(?P<is>(?:is|are)(?:n['’]t| not)|does(?:n['’]t| not) (?:run|run out|end|meet|start|begin|open|close))"
    r"|(?:is|are) no longer) "
    rf"(?P<wrong_lead>{_LEAD})?(?P<wrong>{_VALUE}?)(?(is) (?:any ?more|any longer))"
    r"[,;.] (?:[Ii]t|[Tt]hey)(?:['’]s|['’]re| is| are) (?:now )?"
    rf"(?P<right_lead>{_LEAD})?(?P<right>{_VALUE}?)(?: now)?(?=[,;.!]|$)"
)


def new_day(now: str, fact: str) -> str | None:
    """The words for the day of a fact that another takes the place of, where that is another day."""
    return date_words(now) if date_words(now) != date_words(fact) else None


def says_so(now: str, told: Sequence[Add]) -> bool:
    """Whether a model made just that of the line."""
    return any({*terms(one.fact)} == {*terms(now)} for one in told)


def _may_be_of(row: Memory, line: str, sides: str, recent: Collection[int]) -> bool:
    """Whether a line has a word of the row beside the two values, or tells of nothing but these."""
    about = _told_beside(line, sides) - {*terms(f"{row.subject} user")}
    return row.id in recent or not about or bool(about & {*terms(plainly_related(row.fact))})


def _told_beside(line: str, sides: str) -> set[str]:
    """The telling words of a line without the two values, days and what only says that something was wrong."""
    named = {one for word in (*english().weekdays, *english().month_names) for one in terms(word)}
    none = {*terms(sides)} | idle() | sorry() | named
    return {one for one in terms(plainly_related(line)) if one.isalpha()} - none


def _redated(
    rows: Sequence[Memory], known: Sequence[Memory], line: str, wrong: str, right: str
) -> Iterator[tuple[Memory, str]]:  # fmt: skip
    """Rows that tell the wrong day in other words: "due on 14 March" of "the 9th of March, not the 14th"."""
    was, now = (_dated(side, line) for side in (wrong, right))
    if not (was and now and _ORDINAL.search(wrong)):
        return
    month = _month(was) or _month(now)
    held = [row for row in rows if len(told := days(row.fact)) == 1 and _same_day(told[0], was, month)]
    for row in of_the_same(held, known, line, wrong, right):
        old = days(row.fact)[0]
        the = "the " if " of " in now and f"the {now}" in line and f"the {old}" not in row.fact else ""
        yield row, row.fact.replace(old, f"{the}{in_month(old, now)}", 1)


_ORDINAL = re.compile(r"\b\d{1,2}(?:st|nd|rd|th)\b", re.IGNORECASE)


def _dated(side: str, line: str) -> str:
    """The day of a side as the line has it, with its month where it tells one."""
    found = _ORDINAL.search(side)
    full = [one for one in days(line) if found and re.search(rf"\b{found[0]}\b", one, re.IGNORECASE)]
    return full[0] if full else found[0] if found else ""


def _month(day: str) -> str:
    return next((word for word in tokens(day) if word in english().months), "")


def _same_day(told: str, was: str, month: str) -> bool:
    """Whether a row's day is the one that was said: of the same number and month, if the line tells any."""
    numbers = [re.search(r"\b\d{1,2}(?!\d)", one) for one in (told, was)]
    same = all(numbers) and len({found[0] for found in numbers if found}) == 1
    months = english().months
    return same and (not month or months.get(_month(told)) == months.get(month))


def _renamed(
    rows: Sequence[Memory], known: Sequence[Memory], line: str, wrong: str, right: str
) -> Iterator[tuple[Memory, str]]:  # fmt: skip
    """The rows that hold a name which a line spells otherwise; none where somebody is known by the right one."""
    there = [re.compile(rf"(?<![\w-]){re.escape(one)}(?![\w-])") for one in (wrong, right)]
    if not _spells(line, wrong, right) or any(there[1].search(row.fact) for row in known):
        return
    held = [row for row in rows if there[0].search(row.fact) and not denied(row.fact)]
    for row in _of_one([row for row in held if not _of_others(row.fact, there[0], line)], line, wrong):
        yield row, there[0].sub(right, row.fact)


def _of_one(rows: Sequence[Memory], line: str, wrong: str) -> list[Memory]:
    """Those of the rows that may be of the one whom a line names: of the kin, the animal or the title that it says;
    where it says none, all, unless they are of several. A place is nobody's name."""
    if any(re.search(rf"\b(?:in|from|to|at|near) {re.escape(wrong)}\b", row.fact) for row in rows):
        return []
    who, title = _who(line), _title_of(line)
    kinds = {row.id: _who(row.fact) for row in rows}
    if any(title and (other := _title_of(row.fact, wrong)) and other != title for row in rows):
        rows = [row for row in rows if _title_of(row.fact, wrong) == title]
    if who:
        others = any(kinds[row.id] and not kinds[row.id] & who for row in rows)
        return [row for row in rows if kinds[row.id] & who or not (kinds[row.id] or others)]
    several = len({frozenset(kinds[row.id]) for row in rows if kinds[row.id]}) > 1
    return [] if several else list(rows)


def _who(text: str) -> set[str]:
    """The relations and the animals of which a text speaks."""
    return relations(text) | ({*tokens(text)} & pets())


def _title_of(text: str, name: str = "") -> str:
    """The title before that name, or before any, in small letters; empty: none."""
    before = rf"(?={re.escape(name) if name else '[A-Z]'})"
    found = re.search(rf"\b(?P<title>(?i:{english().alternatives('names', 'titles')}))\.? {before}", text)
    return found["title"].lower() if found else ""


_TELLING = re.compile(r"\d{3}")
"""A number that seldom stands for two things."""


def _spells(line: str, wrong: str, right: str) -> bool:
    """Whether a line says that a name is spelled otherwise: two that are alike, of one with a title or that somebody
    "is called", or in a line about nothing else. Who came instead of somebody is another one."""
    names = [bool(re.fullmatch(r"[A-Z][a-z'’-]{2,}", side)) for side in (wrong, right)]
    none = {*english().weekdays, *english().month_names}
    if not all(names) or {wrong.lower(), right.lower()} & none:
        return False
    if not alike(wrong, right):
        return False
    lead = rf"\b(?:it['’]?s|it is|is|was|should be|i meant) (?P<led>(?:called|named|spelled|spelt) )?{_titled()}"
    said = re.search(rf"{lead}{re.escape(right)}\b(?! (?:who|that)\b)", line, re.IGNORECASE)
    if said is None:
        return not _told_beside(line, f"{wrong} {right}")
    whose = bool({*tokens(line)} & _NAMING) or bool(said["title"])
    return whose or not _told_beside(line, f"{wrong} {right}")


def alike(one: str, other: str) -> bool:
    """Whether two names may be one that is spelled in two ways."""
    return one != other and SequenceMatcher(None, one.lower(), other.lower()).ratio() >= ALIKE


_NAMING = {"name", "surname", "called", "named", "spelled", "spelt"}


def _of_others(fact: str, name: re.Pattern[str], line: str) -> bool:
    """Whether a fact has the name behind another one that the line doesn't say: "Lucy Okafor" is nobody's landlord."""
    before = [re.search(r"([A-Z][\w-]+) $", fact[: found.start()]) for found in name.finditer(fact)]
    return any(one and not _title().fullmatch(one[0]) and one[1] not in line for one in before)


def _titled() -> str:
    return rf"(?P<title>(?:{english().alternatives('names', 'titles')})\.? )?"


@lru_cache(maxsize=1)
def _title() -> re.Pattern[str]:
    return re.compile(rf"^(?:{english().alternatives('names', 'titles')})\.? ", re.IGNORECASE)


def homes_asked(draft: Draft, rows: Sequence[Memory], line: str) -> tuple[Doubt, ...]:
    """What is to ask where a line tells by the way that the speaker lives elsewhere than a row says: "the bread here in
    Porto is worse than back in Braga". Of a row that nothing has changed yet."""
    found = [(row, moved_by_the_way(row.fact, line, row.subject)) for row in rows if row.id not in draft.touched]
    asked = [Doubt(row, now) for row, now in found if now]
    known = any(now and {*terms(now)} <= {*terms(row.fact)} for row in rows for _, now in found)
    return tuple(asked[-1:]) if not known else ()
