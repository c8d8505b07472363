"""What words for dates mean: functions of the match, the day on which it was said, and whether the line looks ahead.

What they return is as exact as the words are: a day, a month (`2023-05`) or a year (`2023`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, timedelta

from .language import english

Match = re.Match[str]
Ahead = bool | None
"""Whether the sentence looks ahead; None: it does not tell, then the nearest date is meant."""

PLANNED = 25
"""Years ahead that a year in two figures may mean."""
_SOON = 60
"""Days ahead that a day of the week may tell against the tense."""
_AWAY = timedelta(days=366)
"""As far from today the talk is in a month for which "the 15th" may count."""


def iso(year: int, month: int | None = None, day: int | None = None) -> str | None:
    """The date as text, as exact as it is given; None for one that does not exist."""
    try:
        checked = date(year, month or 1, day or 1)
    except ValueError:
        return None
    return checked.isoformat()[: 10 if day else 7 if month else 4]


def of_the_year(before: str, day: str, apart: int) -> str:
    """The ISO month of "in the October" behind "six years ago,": of the year before it. `apart`: letters between."""
    return f"{before}{day[4:]}" if len(before) == 4 and len(day) == 7 and apart <= len(", ") else day


def shift(said: date, number: int, unit: str) -> str | None:
    """So many units before (negative) or after a day; as exact as the unit. Calendar arithmetic: dateutil."""
    from dateutil.relativedelta import relativedelta  # type: ignore[import-untyped]

    if unit == "weekend":
        return _weekend(said, number)
    if unit == "fortnight":
        unit, number = "week", 2 * number
    try:
        moved = said + relativedelta(**{unit + "s": number})
    except (OverflowError, ValueError):
        return None
    return {"month": iso(moved.year, moved.month), "year": iso(moved.year)}.get(unit, moved.isoformat())


def _part(match: Match, name: str) -> str:
    """What a group of the pattern found, in small letters with single spaces; "" where there is none."""
    return " ".join((match.groupdict().get(name) or "").lower().split())


def _side(which: str) -> int:
    return -1 if "last" in which or "past" in which else 0 if which == "this" else 1


def _wanted(match: Match) -> int | None:
    """The day of the week that stands beside a date."""
    name = _part(match, "weekday") or _part(match, "behind")
    days = {**english().weekdays, **english().short_weekdays}
    return days.get(name)


def _is(day: str, weekday: int) -> bool:
    return date.fromisoformat(day).weekday() == weekday


def _chosen(days: Sequence[str], said: date, ahead: Ahead) -> list[str]:
    """Those in the tense's direction, nearest first (today counts); all where it doesn't tell."""
    today = said.isoformat()
    ways = [day for day in days if ahead is None or day == today or (day > today) == ahead]
    return sorted(ways, key=lambda day: abs(date.fromisoformat(day) - said))


def named_day(match: Match, said: date, ahead: Ahead) -> str | None:
    return (said + timedelta(days=_days_off(match.group()))).isoformat()


def _days_off(words: str) -> int:
    words = " ".join(words.lower().split())
    if "before" in words:
        return -2
    if "day after" in words:
        return 2
    for number, name in ((-1, "yesterdays"), (1, "tomorrows")):
        if re.fullmatch(english().alternatives("dates", name), words):
            return number
    return 0


def ago(match: Match, said: date, ahead: Ahead) -> str | None:
    return shift(said, -_number(match), _part(match, "unit"))


def from_now(match: Match, said: date, ahead: Ahead) -> str | None:
    return shift(said, _number(match), _part(match, "unit"))


def from_day(match: Match, said: date, ahead: Ahead) -> str | None:
    """ "A week tomorrow", "Tuesday week", "a fortnight on Friday", "a year ago today": counted from that day, which of
    the days of the week is the next one, or that of the week so long ago."""
    from dateutil.relativedelta import relativedelta

    number = _number(match) if _part(match, "number") else 1
    unit = _part(match, "unit")
    number, unit = (2 * number, "week") if unit == "fortnight" else (number, unit)
    back = _part(match, "back")
    weekday = _wanted(match)
    if weekday is None:
        start = said + timedelta(days=_days_off(_part(match, "base")))
    else:
        start = said + timedelta(days=weekday - said.weekday() if back else (weekday - said.weekday() - 1) % 7 + 1)
    try:
        return str((start + relativedelta(**{f"{unit}s": -number if back else number})).isoformat())
    except ValueError:
        return None


def _number(match: Match) -> int:
    words = match["number"].lower()
    known = english().unit_numbers.get(words)
    return int(words) if known is None else known


def vague_ago(match: Match, said: date, ahead: Ahead) -> str | None:
    # "A few days ago" names no day: one step less exact than the unit.
    unit = _part(match, "unit")
    coarser = {"day": "month", "week": "month", "fortnight": "month", "month": "year"}.get(unit)
    before = shift(said, -3, unit)
    return before and {"month": before[:7], "year": before[:4]}.get(coarser or "")


def unit(match: Match, said: date, ahead: Ahead) -> str | None:
    of, side = _part(match, "unit"), _side(_part(match, "which"))
    if of in ("week", "fortnight") and side == 0:
        return None
    if of == "weekend":
        return _weekend(said, side)
    return shift(said, side, of)


def beyond(match: Match, said: date, ahead: Ahead) -> str | None:
    """ "The week after next", "the weekend before last"."""
    side = -1 if _part(match, "beyond") == "before last" else 1
    if _wanted(match) is None:
        return shift(said, 2 * side, _part(match, "unit"))
    near = weekday(match, said, side > 0)
    return near and (date.fromisoformat(near) + timedelta(weeks=side)).isoformat()


def _weekend(said: date, side: int) -> str:
    """The weekend of this week (Monday to Sunday) or so many weeks before or after, as its Saturday."""
    return (said - timedelta(days=said.weekday()) + timedelta(days=5 + 7 * side)).isoformat()


def weekday(match: Match, said: date, ahead: Ahead) -> str | None:
    which, today = _part(match, "which"), said.weekday()
    wanted = _wanted(match) or 0
    side = _side(which) if which else (1 if ahead else -1)
    if which == "this":
        days = wanted - today  # of this week, Monday to Sunday, unless the tense says that it isn't
        days += 7 if ahead and days < 0 else -7 if ahead is False and days > 0 else 0
    elif side > 0:
        days = (wanted - today - 1) % 7 + 1
    else:
        days = -((today - wanted - 1) % 7 + 1)
    return (said + timedelta(days=days)).isoformat()


def weekday_to_come(match: Match, said: date, ahead: Ahead) -> str | None:
    """ "A ticket for this Saturday": whatever was done with it, that is to come; today counts."""
    return (said + timedelta(days=((_wanted(match) or 0) - said.weekday()) % 7)).isoformat()


def weekday_of_week(match: Match, said: date, ahead: Ahead) -> str | None:
    monday = said - timedelta(days=said.weekday())
    days = (_wanted(match) or 0) + 7 * _side(_part(match, "which"))
    return (monday + timedelta(days=days)).isoformat()


def nth_weekday(match: Match, said: date, ahead: Ahead) -> str | None:
    """ "The first Monday in May"; "the last Friday of the month" is a habit and means no day."""
    wanted, which, nth = _wanted(match) or 0, _part(match, "which"), _part(match, "nth")
    if which:
        moved = shift(said.replace(day=1), _side(which), "month")
        return moved and _nth(int(moved[:4]), int(moved[5:7]), wanted, nth)
    if not _part(match, "month"):
        return None
    year, month = _part(match, "year"), english().months[_part(match, "month")]
    years = [int(year)] if year else [said.year + number for number in (-1, 0, 1)]
    days = [found for one in years if (found := _nth(one, month, wanted, nth))]
    return next(iter(days if year else _chosen(days, said, ahead)), None)


def _nth(year: int, month: int, weekday: int, nth: str) -> str | None:
    days = [day for number in range(1, 32) if (day := iso(year, month, number)) and _is(day, weekday)]
    place = 0 if nth == "last" else english().ordinals.get(nth) or int(nth[:-2])
    return days[place - 1] if place <= len(days) else None


def month(match: Match, said: date, ahead: Ahead) -> str | None:
    named = english().months[_part(match, "month")]
    which = _part(match, "which")
    if year := _part(match, "year"):
        return iso(int(year), named)
    if which == "this" or (not which and named == said.month):
        return iso(said.year, named)
    if which:
        ahead = _side(which) > 0
    elif ahead is None:
        ahead = 0 < (named - said.month) % 12 < 6
    # "Next May", said in May, is a year away, and "last May" a year ago.
    return iso(said.year + (named <= said.month) if ahead else said.year - (named >= said.month), named)


def month_of_year(match: Match, said: date, ahead: Ahead) -> str | None:
    return iso(said.year + _side(_part(match, "which")), english().months[_part(match, "month")])


def day_of_month(match: Match, said: date, ahead: Ahead) -> str | None:
    """The year of "May 8", or the month of "the 8th", is what puts it before, after or nearest to the day of talk."""
    named = _part(match, "month")
    day, number = day_told(match), english().months[named] if named else None
    if year := _year_told(match, said):
        return iso(year, number, day)
    if number:
        return yearly(said, number, day, ahead, _wanted(match))
    if which := _part(match, "of_which"):
        moved = shift(said.replace(day=1), _side(which), "month")
        return moved and iso(int(moved[:4]), int(moved[5:7]), day)
    later, side = day < said.day if ahead else day > said.day, 1 if ahead else -1
    near = (shift(said.replace(day=1), side * (later + number), "month") for number in (0, 1))
    days = [iso(int(one[:4]), int(one[5:7]), day) for one in near if one]
    return next(filter(None, days), None)  # "the 31st", told in November, is not in it


def _year_told(match: Match, said: date) -> int | None:
    if year := _part(match, "year"):
        return int(year)
    if short := _part(match, "yy"):
        return century(int(short), said)
    which = _part(match, "which_year")
    return said.year + _side(which) if which else None


def century(short: int, said: date) -> int:
    """The year that two figures mean: of this century, unless that lies further ahead than one plans."""
    return 1900 + short if 2000 + short > said.year + PLANNED else 2000 + short


def day_told(match: Match) -> int:
    """The day of the month that a match tells."""
    if figures := _part(match, "day"):
        return int(figures)
    return english().ordinals[_part(match, "dayword").replace("-", " ")]


def weekday_and_day(match: Match, said: date, ahead: Ahead) -> str | None:
    """ "Thursday the 17th": the month in which it is one; where that is none within half a year, by the day alone."""
    months = filter(None, (shift(said.replace(day=1), number, "month") for number in range(-6, 7)))
    days = [found for one in months if (found := iso(int(one[:4]), int(one[5:7]), day_told(match)))]
    fits = [day for day in days if _is(day, _wanted(match) or 0)]
    return next(iter(_chosen(fits, said, ahead)), None) or day_of_month(match, said, ahead)


def in_month_of(last: str, match: Match, said: date, ahead: Ahead) -> str | None:
    """ "The 15th" in the month of the date told last, where it is on the side of today to which the tense looks, or,
    where that doesn't tell, on which that date is. None: it isn't, or that month is a year away."""
    today, wanted = said.isoformat(), _wanted(match)
    found = iso(int(last[:4]), int(last[5:7]), day_told(match)) if len(last) > 4 else None
    if found is None or abs(date.fromisoformat(found) - said) > _AWAY or (wanted and not _is(found, wanted)):
        return None
    if ahead is None:
        if last[:7] == today[:7]:
            return None
        ahead = last > today
    return found if found == today or (found > today) == ahead else None


def yearly(said: date, month: int, day: int, ahead: Ahead, weekday: int | None = None) -> str | None:
    """A day that comes each year: the last one (today counts), the next one, or the nearest. Of two years the one in
    which the day of the week fits; one of what seems past also fits soon: a tense may be that of the arrangement."""
    days = [found for year in range(-2, 5) if (found := iso(said.year + year, month, day))]
    ways = _chosen(days, said, ahead)
    soon = [day for day in days if ahead is False and 0 < (date.fromisoformat(day) - said).days <= _SOON]
    fits = [found for found in (*ways[:2], *soon) if weekday is not None and _is(found, weekday)]
    return next(iter(fits or ways), None)


def year(match: Match, said: date, ahead: Ahead) -> str | None:
    if short := _part(match, "yy"):
        return iso(century(int(short), said))
    return match["year"]


def numbers(match: Match, said: date, ahead: Ahead) -> str | None:
    told = [int(part) for part in re.findall(r"\d+", match.group())]
    return iso(*(told if told[0] > 31 else reversed(told)))


def short_year(match: Match, said: date, ahead: Ahead) -> str | None:
    """ "On 12.5.27": of this century, unless that lies ahead of something past, or further ahead than one plans."""
    day, month, year = (int(part) for part in re.findall(r"\d+", match.group()))
    found = iso(2000 + year, month, day)
    far = ahead is not True and 2000 + year > said.year + PLANNED
    return iso(1900 + year, month, day) if found and (far or (ahead is False and found > said.isoformat())) else found


def slashed(match: Match, said: date, ahead: Ahead) -> str | None:
    """ "2/12/26": the day first or the month first, whichever makes a day, fits the day of the week beside it, or lies
    where the tense looks; None where both do."""
    one, two, told = int(match["one"]), int(match["two"]), _part(match, "figures")
    wanted, short = _wanted(match), len(told) == 2
    if not told and wanted is None and (one <= 12) == (two <= 12):
        return None

    def made(month: int, day: int) -> str | None:
        if not told:
            return yearly(said, month, day, ahead, wanted)
        return iso(century(int(told), said) if short else int(told), month, day)

    days = [day for day in dict.fromkeys((made(two, one), made(one, two))) if day]
    for fits in ([day for day in days if wanted is not None and _is(day, wanted)], _chosen(days, said, ahead), days):
        if len(fits) == 1:
            return fits[0]
    return None


def season(match: Match, said: date, ahead: Ahead) -> str | None:
    start, side = english().seasons[_part(match, "season")], _side(_part(match, "which"))
    if side == 0:
        return iso(said.year)
    over = said.month >= start + 3 if side < 0 else said.month < start
    return iso(said.year + (0 if over else side))


def feast(match: Match, said: date, ahead: Ahead) -> str | None:
    words, which = _part(match, "feast").replace("’", "'").replace("'", ""), _part(match, "which")
    if which:
        ahead = _side(which) >= 0
    past = bool(which) and "last" in which
    years = [told] if (told := _year_told(match, said)) else range(said.year - 1, said.year + 2)
    days = [found for one in years if (found := _feast_day(words, one))]
    ways = days if told else _chosen(days, said, ahead)
    return next((day for day in ways if not (past and day == said.isoformat())), None)


def _feast_day(name: str, year: int) -> str | None:
    """The day of a feast in a year: the same each year, or so many days from Easter."""
    for known, (month, day) in english().feasts.items():
        if known.replace("'", "") == name:
            return iso(year, month, day)
    from dateutil.easter import easter  # type: ignore[import-untyped]

    try:
        return str((easter(year) + timedelta(days=english().from_easter[name])).isoformat())
    except (ValueError, OverflowError):
        return None
