"""The days that a draft's words for dates mean, by the tenses of the line and by what a changed row was dated."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache

from ....memory.language.dates import day_of, find_dates, last_told, resolve
from ....memory.language.facts.corrections import signals
from ....memory.language.language import english
from ....memory.language.tense import ahead_at
from ....memory.language.words import sentences
from ....memory.values import Memory, Turn
from ...prompts.draft import Add, Change, Close, Draft, Entry, date_words
from ..told.scene import Scene

_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")


def in_meant_days(
    draft: Draft, turn: Turn, scene: Scene, rows: Sequence[Memory], zone: datetime.tzinfo | None,
    before: Sequence[Turn] = (),
) -> Draft:  # fmt: skip
    """With the days that the line's own tenses mean: "in March" of what was is the last one; and "the 15th" that of the
    month of which the speaker's line just before told, the last of `before`."""
    last = next((last_told(one.text, one.said_at, zone, scene.language) for one in before[-1:]), None)
    found = find_dates(turn.text, turn.said_at, zone, scene.language, last=last)
    meant = {_plain(words): day for words, day in found}
    known = {row.id: row for row in rows}
    today = day_of(turn.said_at, zone).isoformat()

    def dated(entry: Entry) -> Entry:
        row = known.get(entry.id) if isinstance(entry, Change) else None
        if isinstance(entry, Change) and entry.fact and entry.when is None:
            day = date_words(entry.fact)  # the old day isn't that of the new fact
            entry = replace(entry, when=day if day != date_words(row.fact if row else "") else None)
        if isinstance(entry, Add) and not entry.when:
            entry = replace(entry, when=_moved_to(entry.fact, turn.text, found, today))
        if isinstance(entry, Close) or not entry.when:
            return entry
        day = _read(entry.when, meant, turn, zone)
        told = entry.fact or ""
        says = date_words(told) if _plain(entry.when) not in _plain(told) else None
        own = _meant(says, meant) if says else day
        if (day, own) in _taken_back(turn.text, found):
            day = own  # "on Tuesday, no sorry, Wednesday": what the fact says holds
        if (year := _until(told, entry.when, turn.text)) and not day.startswith(year):
            return replace(entry, when=year)
        if row is None or _YEAR.search(entry.when):
            return replace(entry, when=day)
        plain = resolve(day, turn.said_at, zone) or day
        alone = _BARE_DAY.fullmatch(entry.when) and (last is None or day == entry.when)
        if alone and (of := in_its_month(plain, row.happened_on, today)):
            return replace(entry, when=_put_off(of, row.happened_on, turn.text, weekly=False))
        near = _beside_the_old(plain, entry.when, row.happened_on, today, turn.text)
        return replace(entry, when=near if near != plain else day)

    return draft.mapped(dated)


def _beside_the_old(day: str, when: str, old: str | None, today: str, line: str) -> str:
    """The day that a changed row has now, told as `when`, by the one that it had."""
    corrects = signals(line).corrects
    put = in_its_week if _WEEKDAY.fullmatch(when) else in_its_year
    near = put(day, old, today, corrects=corrects)
    return _put_off(near, old, line, weekly=True) if _WEEKDAY.fullmatch(_LEAD.sub("", when)) else near


def _put_off(day: str, old: str | None, line: str, *, weekly: bool) -> str:
    """The day, after the old one where the line puts something off."""
    return after_it(day, old, weekly=weekly) if _postponed().search(line) else day


def _until(fact: str, when: str, line: str) -> str:
    """The one year in, by or until which something is told, where it was drafted with what is no more: of "the lease
    doesn't run out in March any more, it's till 2029" the month. Empty: none."""
    years = re.findall(r"\b(?:in|by|to|till|until) ((?:19|20)\d\d)\b", fact)
    denied = rf"(?:n['’]t|\bnot|\bno longer)\b[^,.;]*\b{re.escape(when)} any ?(?:more|longer)\b"
    told = _plain(when) not in _plain(fact) and re.search(denied, line, re.IGNORECASE)
    return years[0] if len(years) == 1 and told else ""


def _taken_back(line: str, found: Sequence[tuple[str, str]]) -> set[tuple[str, str]]:
    """Each day that a line takes back for another one, with that: right before it ("on Tuesday, no sorry, Wednesday")
    or, with a "not", behind it."""
    pairs, end = set(), 0
    before: str | None = None
    for words, day in found:
        at = line.find(words, end)
        if at < 0:
            continue
        between = line[end:at].strip(" ,.;:!–—-")
        if before and _CORRECTS.fullmatch(between):
            pairs.add((before, day))
        elif before and _NOT.fullmatch(between):
            pairs.add((day, before))
        before, end = day, at + len(words)
    return pairs


_CORRECTS = re.compile(
    rf"(?:{english().alternatives('dates', 'taken_back')})[ ,.;:!–—-]*(?:(?:it['’]?s|it is|that['’]?s) )?(?:on|the)?",
    re.IGNORECASE,
)
_NOT = re.compile(r"(?:and )?not(?: on)?(?: the)?|(?:it['’]?s|it is) not(?: on)?(?: the)?", re.IGNORECASE)


def _moved_to(fact: str, line: str, found: Sequence[tuple[str, str]], today: str) -> str | None:
    """The line's one day, where that is to come and something is put off or brought forward to it in the fact."""
    if len(found) != 1 or not _DAY.fullmatch(found[0][1]) or found[0][1] < today:
        return None
    words = found[0][0]
    to = re.search(rf"\b(?:to|until|till|for)\s+(?:the\s+)?{re.escape(_LEAD.sub('', words.lower()))}\b", line.lower())
    inside = date_words(fact)
    return inside if to and inside and _meant(inside, {words.lower(): found[0][1]}) == found[0][1] else None


_ORDINALS = "|".join(english().ordinals).replace(" ", "[ -]")
_BARE_DAY = re.compile(rf"(?:(?:on|to|till|until) )?(?:the )?(?:\d{{1,2}}(?:st|nd|rd|th)|{_ORDINALS})", re.IGNORECASE)
"""A day without its month: that of what was moved."""


_LEAD = re.compile(r"^(?:on|to|for|until|till|by|from)\s+(?:the\s+)?|^the\s+")
"""Before a day: what is moved to it is on it."""


def in_its_month(day: str, old: str | None, today: str) -> str | None:
    """The day in the month of that in whose place it comes: "moved to the 21st" of the 14th of May; None where either
    isn't a whole day, that month hasn't so many, or what lay ahead would be past."""
    if not old or not _DAY.fullmatch(old) or not _DAY.fullmatch(day):
        return None
    with suppress(ValueError):
        now = datetime.date.fromisoformat(old).replace(day=int(day[-2:])).isoformat()
        return now if old < today or now >= today else None
    return None


def _plain(words: str) -> str:
    return " ".join(words.lower().split())


def _meant(when: str, meant: Mapping[str, str]) -> str:
    """The day of the phrase of the line that the words are, are part of, or hold: "on Tuesday" of "on Tuesday 8
    December" is that day."""
    words = _plain(when)
    if words in meant:
        return meant[words]
    bare = _LEAD.sub("", words)
    same = {day for phrase, day in meant.items() if _LEAD.sub("", phrase) == bare}
    if len(same) == 1:  # "moved to Monday", written as "on Monday"
        return min(same)
    held = {day for phrase, day in meant.items() if re.search(rf"\b{re.escape(words)}\b", phrase)}
    holds = {day for phrase, day in meant.items() if re.search(rf"\b{re.escape(phrase)}\b", words)}
    return next((min(days) for days in (held, holds) if len(days) == 1), when)


def _read(when: str, meant: Mapping[str, str], turn: Turn, zone: datetime.tzinfo | None) -> str:
    """The same, or of a bare day that no rule reads where it stands ("is now Friday instead") the next one, unless the
    line tells of what has been."""
    day, bare = _meant(when, meant), _LEAD.sub("", when.lower())
    if day != when or not _WEEKDAY.fullmatch(bare):
        return day
    told = ((one, re.search(rf"\b{bare}\b", one, re.IGNORECASE)) for one in sentences(turn.text))
    ahead = next((ahead_at(one, found.start()) for one, found in told if found), None) is not False
    return resolve(bare, turn.said_at, zone, ahead) or day


@lru_cache(maxsize=1)
def _postponed() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{english().alternatives('dates', 'postponed')})\b", re.IGNORECASE)


def after_it(day: str, old: str | None, *, weekly: bool) -> str:
    """The day to which something is put off, after the one in whose place it comes: the next of its name (`weekly`), or
    of its number."""
    if old is None or not _DAY.fullmatch(day) or not _DAY.fullmatch(old) or day > old:
        return day
    told, was = datetime.date.fromisoformat(day), datetime.date.fromisoformat(old)
    if weekly:
        return _shifted(was, (told - was).days % 7 or 7) or day
    for month in range(was.month - (told.day > was.day), 24):
        with suppress(ValueError):  # there may be no 31st
            return datetime.date(was.year + month // 12, month % 12 + 1, told.day).isoformat()
    return day


_WEEKDAY = re.compile(rf"(?:on )?(?:{'|'.join([*english().weekdays, *english().short_weekdays])})", re.IGNORECASE)


def in_its_week(day: str, old: str | None, today: str, *, corrects: bool = False) -> str:
    """A day of the week of a correction ("no, on Saturday") that is nearest to the day in whose place it comes, past
    where that is; and one to come where it came out as a past one and the old one lies ahead."""
    whole = old is not None and _DAY.fullmatch(day) and _DAY.fullmatch(old)
    if not whole or old is None or old == today or not (corrects or day < today < old):
        return day
    was = datetime.date.fromisoformat(old)
    apart = ((datetime.date.fromisoformat(day) - was).days + 3) % 7 - 3
    near = _shifted(was, apart)
    if near is not None and (near < today) != (old < today):
        near = _shifted(was, apart + (-7 if old < today else 7))
    return near or day


def _shifted(day: datetime.date, days: int) -> str | None:
    """So many days later; None: no calendar has that day."""
    with suppress(OverflowError):
        return (day + datetime.timedelta(days=days)).isoformat()
    return None


def in_its_year(day: str, old: str | None, today: str, *, corrects: bool = False) -> str:
    """A day that was told without its year, in the year that brings it nearest to that in whose place it comes, as
    "I mean the 4th of July" of a journey on 2027-07-03: where the line corrects, or where it came out as a past one and
    the old one lies ahead. Others as they are: the next appointment is a year after the last one."""
    if not old or not _DAY.fullmatch(day) or not _DAY.fullmatch(old) or not (corrects or day < today <= old):
        return day
    was, ways = datetime.date.fromisoformat(old), list[datetime.date]()
    for year in (was.year - 1, was.year, was.year + 1):
        with suppress(ValueError):  # there may be no 29 February
            ways.append(datetime.date.fromisoformat(day).replace(year=year))
    return min(ways, key=lambda one: abs(one - was)).isoformat() if ways else day
