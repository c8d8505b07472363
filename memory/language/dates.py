"""Dates in words to dates in ISO: "yesterday", said on 8 May 2023, is 2023-05-07; "last year" is 2022.

Most words are found by one pattern made of the rules in `date_rules`, so a line without a date costs microseconds. What
those don't know (other languages, odd orders) goes to the library dateparser, when someone says that it is a date.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, tzinfo
from functools import lru_cache
from importlib import import_module
from typing import NamedTuple

from ..errors import InputError
from ..values import Moment
from .date_meanings import Ahead, Match, day_of_month, in_month_of, iso, of_the_year, weekday, weekday_and_day, yearly
from .date_rules import Rule, bare_rules, comes_again, has_a_day, is_exact, is_planned, rules, stands_alone
from .language import Language, english
from .points import letters as re
from .points.abbreviated import parted
from .tense import CLOCK, ahead_at, may_have_been

LANGUAGES = ["en", "de", "fr", "es", "it", "pt", "nl"]
"""What dateparser is asked for: each more language makes an unknown word slower."""

_DAYS = (weekday, day_of_month, weekday_and_day)
"""Meanings of a day that comes again each week, month or year."""
_LONGEST = 60
_ISO = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?$")
_BEFORE = re.compile(r"^(?:on|at|since|around|about|early|late|mid|circa|ca\.?|~)\s+(?!the\s)", re.IGNORECASE)
_BEFORE_GERMAN = re.compile(r"\b(?:am|den|dem|der)\s+", re.IGNORECASE)
"""Words before a day that the library stumbles over."""
_ENDS = re.compile(r"(?<=[!?;\n])|(?<=\w{4}\.)(?=\s)|(?<=\w{4}\.[\"”])(?=\s)|(?<=[a-z]{2}\.)(?=\s+[A-Z])")
"""Where a sentence ends; a point after a short word only before a capital, since "Jan. 5" goes on."""
_SINCE = re.compile(r"since\b", re.IGNORECASE)
"""What has begun is behind, whatever the rest of the sentence says."""
_UNTIL = re.compile(r"(?:until|till|by)\b", re.IGNORECASE)
_BESIDE = re.compile(r"[\s,(\[–-]*(?:(?:that|which)(?:['’]s| is) |i\.e\.,? )?(?:the )?", re.IGNORECASE)
"""Between a day of the week and the same day as a date."""
_FIGURE, _WORD, _BEGIN = re.compile(r"\d"), re.compile(r"[^\W\d_]+"), re.compile(r"(?<![\w-])\w+")
_TO = re.compile(r"(?:to|for|until|till|by|from|in|on|starting|beginning|as of)\s+(?:the\s+)?", re.IGNORECASE)


def day_of(said_at: Moment, zone: tzinfo | None = None) -> date:
    """The calendar day of a moment, in UTC or in the zone where it was said."""
    return datetime.fromisoformat(wall_clock(said_at, zone)).date()


def wall_clock(said_at: Moment, zone: tzinfo | None) -> Moment:
    """The moment as a clock on the wall of that zone shows it, without a zone: its day is the day that was meant."""
    try:
        when = datetime.fromisoformat(said_at)
    except ValueError:  # out of a damaged row, which is shown as it is
        return said_at
    return when.astimezone(zone).replace(tzinfo=None).isoformat() if zone and when.tzinfo else said_at


def resolve(words: str | None, said_at: Moment, zone: tzinfo | None = None, ahead: Ahead = None) -> str | None:
    """The ISO day, month or year that the words mean when said then (`ahead`: of what is to come), or None."""
    words = " ".join((words or "").split()).strip(" .,!?\"'")
    if not words or len(words) > _LONGEST:
        return None
    return _resolve(words, day_of(said_at, zone), ahead)


def require(words: str | None, said_at: Moment, zone: tzinfo | None = None, ahead: Ahead = None) -> str | None:
    """Like `resolve`, for dates that a person typed: empty words are no date, others must mean one, else InputError."""
    if words is None or not words.strip():
        return None
    found = resolve(words, said_at, zone, ahead)
    if found is None:
        raise InputError(f"{words[:60]!r} is not a date: write it like 2026-05-08, 2026-05, 2026 or `last Friday`.")
    return found


def find_dates(
    text: str, said_at: Moment, zone: tzinfo | None = None, language: Language | None = None, *, last: str | None = None
) -> list[tuple[str, str]]:
    """The phrases in a line that tell a date, in order, each with the ISO day, month or year that it means.

    `language`: of the line (English where it isn't told). Of others only dates in figures are found. `last`: the ISO
    date that was told last before the line; "the 15th" is one of its month where the tense allows that.
    """
    return [(one.words, one.day) for one in _found(text, day_of(said_at, zone), language or english(), last)]


def last_told(text: str, said_at: Moment, zone: tzinfo | None = None, language: Language | None = None) -> str | None:
    """The date of the talk after a line: the last one in it that tells a month."""
    found = _found(text, day_of(said_at, zone), language or english(), None)
    return next((one.day for one in reversed(found) if one.tells_month), None)


def hours(text: str) -> list[str]:
    """The hours of the day that a text tells, as they were said: "at 3pm"."""
    return [found[0] for found in CLOCK.finditer(text)]


class _Found(NamedTuple):
    """A phrase, what it means, and where it ends."""

    words: str
    day: str
    rule: Rule
    begin: int
    end: int

    @property
    def tells_month(self) -> bool:
        """Whether the talk is about its month then: "12 Jan", "next month"; not "on Friday", "at Easter"."""
        return len(self.day) == 7 or is_exact(self.rule)


def _found(text: str, said: date, language: Language, last: str | None) -> list[_Found]:
    if not _may_tell(text, language):
        return []
    found: list[_Found] = []
    for sentence in parted(_ENDS, text):
        here: list[_Found] = []
        for match in _phrases(sentence, language):
            one = _read(sentence, match, said, language, last)
            if one is None:
                continue
            one = one._replace(day=of_the_year(here[-1].day, one.day, one.begin - here[-1].end)) if here else one
            if here and _BESIDE.fullmatch(sentence[here[-1].end : one.begin]):
                if one.rule.bare and is_exact(here[-1].rule):
                    continue  # "Dec 8 (Tuesday)"
                if here[-1].rule.near and is_exact(one.rule):
                    here.pop()  # "on Tuesday (8 December)"
            here.append(one)
            last = one.day if one.tells_month else last
        found += here
    return found


def _phrases(sentence: str, language: Language) -> Iterator[Match]:
    """What may be a date, looked for only where a word stands with which one begins: that is three times as fast."""
    any_date, begins, end = _any_date(language), _beginnings(language), 0
    for word in _BEGIN.finditer(sentence):
        known = word.start() >= end and (word[0][0].isdigit() or word[0].lower() in begins)
        if known and (match := any_date.match(sentence, word.start())):
            end = match.end()
            yield match


@lru_cache(maxsize=8)
def _beginnings(language: Language) -> frozenset[str]:
    numbers = {*language.unit_numbers, *language.ordinals}
    first = {word.split()[0] for word in numbers} | english().words("dates", "begins")
    return _time_words(language) | first


def _read(sentence: str, match: Match, said: date, language: Language, last: str | None) -> _Found | None:
    known = _rule_for(rules(language), sentence, *match.span())
    if known is None or comes_again(sentence, match):
        return None
    rule, parts = known
    moved = _is_moved(sentence, match)
    ahead = False if _SINCE.match(match.group()) else moved or ahead_at(sentence, match.start())
    if ahead is None and (rule.bare or _UNTIL.match(match.group()) or is_planned(rule, sentence, match)):
        ahead = True  # "dentist tue"; what has been isn't told so short
    fires = (moved if rule.moved_only else ahead or not rule.ahead_only) and has_a_day(rule, sentence, match, ahead)
    if not fires or (rule.bare and not stands_alone(sentence, match)):
        return None
    if ahead is None and rule.resolve in _DAYS and not may_have_been(sentence, match.start()):
        ahead = True  # "the repairman comes on Wednesday": without a past form it is to come
    meant = in_month_of(last, parts, said, ahead) if last and rule.monthless else None
    meant = meant or _meaning(rule, parts, said, ahead)
    return _Found(match.group(), meant, rule, *match.span()) if meant else None


def _is_moved(sentence: str, match: re.Match[str]) -> bool:
    """Whether the day is where something was put, or when it begins: "postponed to 12 June", "starting in April"."""
    lead = _TO.match(match.group())
    before = sentence[: match.start() + (lead.end() if lead else 0)]
    return bool(_moved().search(before))


@lru_cache(maxsize=1)
def _moved() -> re.Pattern[str]:
    moved, coming = ("|".join(english().listed("dates", name)) for name in ("moved", "coming"))
    coming = f"{coming}|{english().alternatives('dates', 'coming_in_two')}"
    return re.compile(
        rf"\b(?:{moved})(?:\s+(?!and\b|but\b)[\w'’]+){{0,7}}?\s+(?:to|for|until|till)\s+(?:the\s+)?$"
        rf"|\b(?<!was )(?<!were )(?:{coming})\s+(?:(?:on|in|by|from|for)\s+)?(?:the\s+)?$", re.IGNORECASE,
    )  # fmt: skip


def _may_tell(text: str, language: Language) -> bool:
    """Whether a figure or a word that names a time is in it at all: else no rule need look."""
    return bool(_FIGURE.search(text)) or not _time_words(language).isdisjoint(_WORD.findall(text.lower()))


@lru_cache(maxsize=8)
def _time_words(language: Language) -> frozenset[str]:
    lists = [language.alternatives("dates", name) for name in ("near_days", "yesterdays", "tomorrows")]
    lists += [*language.feasts, *language.from_easter, *language.seasons]
    lists += [*language.weekdays, *language.short_weekdays, *language.months, *language.ordinals]
    units = ("day", "week", "weekend", "fortnight", "month", "year")
    return frozenset({word for one in lists for word in _WORD.findall(one)} - {"the", "this", "of"}).union(
        units, (f"{unit}s" for unit in units)
    )


@lru_cache(maxsize=8)
def _any_date(language: Language) -> re.Pattern[str]:
    """One pattern of all rules, so that a line without a date costs microseconds."""
    parts = (re.sub(r"\?P<\w+>", "?:", rule.pattern.pattern) for rule in rules(language))
    return re.compile(r"(?<![\w-])(?:" + "|".join(parts) + r")(?![\w-])", re.IGNORECASE)


def _rule_for(ordered: tuple[Rule, ...], text: str, begin: int, end: int) -> tuple[Rule, Match] | None:
    found = ((rule, rule.pattern.fullmatch(text, begin, end)) for rule in ordered)
    return next(((rule, match) for rule, match in found if match), None)


def _meaning(rule: Rule, match: re.Match[str], said: date, ahead: Ahead) -> str | None:
    try:
        return rule.resolve(match, said, ahead)
    except OverflowError:  # before year 1 or after year 9999
        return None


@lru_cache(maxsize=2048)
def _resolve(words: str, said: date, ahead: Ahead) -> str | None:
    if exact := _ISO.match(words):
        return iso(*(int(part) for part in exact.groups() if part))
    for ordered in (rules(english()), bare_rules(english())):
        for candidate in (words, _BEFORE.sub("", words)):
            if known := _rule_for(ordered, candidate, 0, len(candidate)):
                return _meaning(*known, said, ahead)
    return _by_library(words, said, ahead)


def _by_library(words: str, said: date, ahead: Ahead) -> str | None:
    if not re.search(r"[^\W\d_]{3}|\d[./-]\d", words):
        return None
    from dateparser.date import DateDataParser

    settings = {
        "RELATIVE_BASE": datetime(said.year, said.month, said.day, 12), "PREFER_DAY_OF_MONTH": "first",
        "PREFER_DATES_FROM": "future" if ahead else "past", "RETURN_AS_TIMEZONE_AWARE": False,
    }  # fmt: skip
    found = DateDataParser(languages=LANGUAGES, settings=settings).get_date_data(_BEFORE_GERMAN.sub("", words))
    if found.date_obj is None:
        return None
    weekday = next((day for word in _WORD.findall(words.lower()) if (day := _weekdays().get(word)) is not None), None)
    if weekday is not None and re.search(r"\d", words) and not re.search(r"\d{4}", words):
        return yearly(said, found.date_obj.month, found.date_obj.day, ahead, weekday)
    return str(found.date_obj.date().isoformat())[: {"month": 7, "year": 4}.get(found.period, 10)]


@lru_cache(maxsize=1)
def _weekdays() -> dict[str, int]:
    """The days of the week in the library's languages."""
    known = [import_module(f"dateparser.data.date_translation_data.{code}").info for code in LANGUAGES]
    days = [(word.lower(), number) for names in known for name, number in english().weekdays.items()
            for word in names[name]]  # fmt: skip
    return {word.split("-")[0]: number for word, number in days if len(word) > 3}
