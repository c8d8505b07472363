"""The words for dates that people use, as patterns, each with the rule that turns it into a date.

A rule is a pattern and a function of the match, the day on which it was said, and whether the sentence looks ahead.
What a rule returns is as exact as the words are: a day, a month (`2023-05`) or a year (`2023`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from . import date_meanings as means
from .date_meanings import Ahead, Match
from .language import Language, english
from .points import letters as re

Resolve = Callable[[Match, date, Ahead], str | None]

_DAY = r"(?P<day>3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?"
_NUMBER = r"\d{1,2}(?:st|nd|rd|th)?"
_TH = "(?<=[a-z])"
"""Behind `_DAY`: only with its ending, "4th"."""
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_OF_YEAR = (
    rf"(?:,? {_YEAR}|,? ['’]?(?P<yy>(?<=['’])\d\d|(?<=\s)(?:2[5-9]|[3-9]\d)(?=\s*(?:$|[,;!?)]|\.(?!\d))))"
    r"|,? (?:of )?(?P<which_year>last|this|next) year)?"
)
"""Behind a day of a month: its year, of two figures only where they can't be an hour; or "last year"."""
_SHORT_YEAR = r"\d\d?\.\d\d?\.\d\d(?!\.?\d)"
_LED = "(?:on|by|since|until|till|due|born|starts?|starting|ends?|ending) "
"""What stands before a day in figures with a year of two: else it may be a version of something."""
_SLASHED = r"(?P<one>3[01]|[12]\d|0?[1-9])/(?P<two>3[01]|[12]\d|0?[1-9])"
_VAGUE = r"(?:an?\s+)?(?:few|several|some)"
_UNIT = "(?P<unit>day|week|weekend|fortnight|month|year)"
_WHICH = "(?P<which>last|past|this past|this|this coming|next|coming)"
_ALONE = r"(?=\s*(?:$|[,.;:!?)–-](?!\d)|(?:{stop}|\d)\b))"
"""Behind "on the 14": nothing of which that is the number, as a bus."""
_NOBODY = r"(?<!\bI\s)(?<!\bhe\s)(?<!\bshe\s)(?<!\bwe\s)(?<!\bthey\s)"
"""Before "sat 4th": nobody who sits."""
_WORDS_TOO = ("may", "mar", "jan", "march")
"""Short names of months that are words or names as well."""
_JOINED = r"(?:\s*[-–]\s*| (?:to|until|till|and|or|&|through) )"


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern and what it means. The flags say where it means it, and what kind of words it reads."""

    pattern: re.Pattern[str]
    resolve: Resolve
    ahead_only: bool = False
    """Only in a sentence that looks ahead: "in two days" is else a duration."""
    moved_only: bool = False
    """Only where something is put there: "postponed to Friday"."""
    bare: bool = False
    """Only where it stands alone: "we leave Friday", not "Friday prayers"."""
    near: bool = False
    """A day told by its place near today, for which a date right behind it counts: "on Friday (4 December)"."""
    monthless: bool = False
    """A day of the month that the talk is about: "on the 15th"."""
    of_events: bool = False
    """Only of what has a day: "physio is on the fourteenth", not "the flat is on the fourth"."""


def _rule(
    pattern: str, resolve: Resolve, *, ahead_only: bool = False, moved_only: bool = False, bare: bool = False,
    near: bool = False, monthless: bool = False, of_events: bool = False,
) -> Rule:  # fmt: skip
    read = re.compile(pattern.replace(" ", r"\s+"), re.IGNORECASE)
    return Rule(read, resolve, ahead_only, moved_only, bare, near, monthless, of_events)


def _one_of(words: Iterable[str]) -> str:
    return "|".join(words)


@lru_cache(maxsize=8)
def rules(language: Language) -> tuple[Rule, ...]:
    """The rules of a language, to be tried in this order: the first that fits the longest stretch of words decides.

    Dates in figures are dates in any language.
    """
    beside = _Names.of(language).beside if language.claims else ""
    figures = (
        _rule(rf"{beside}(?:\d{{4}}-\d\d-\d\d|\d{{4}}/\d\d?/\d\d?|\d\d?\.\d\d?\.\d{{4}})", means.numbers),
        _rule(_LED + _SHORT_YEAR, means.short_year),
        _rule(rf"(?:on )?{beside}{_SLASHED}/(?P<figures>(?:19|20)\d\d|\d\d)(?!/)", means.slashed),
    )
    if not language.claims:
        return figures
    names = _Names.of(language)
    groups = (_days_of_months, _counted, _near_days, _periods, _bare)
    return (*figures, *(rule for group in groups for rule in group(names, language)))


@lru_cache(maxsize=8)
def bare_rules(language: Language) -> tuple[Rule, ...]:
    """For words that are dates when someone says that they are one, but not when met in a sentence."""
    if not language.claims:
        return (_rule(_YEAR, means.year), _rule(_SHORT_YEAR, means.short_year))
    names = _Names.of(language)
    return (
        _rule(names.any_weekday, means.weekday), _rule(names.any_month, means.month), _rule(_YEAR, means.year),
        _rule(f"{names.number} {_UNIT}s?", means.from_now), _rule(names.feast, means.feast),
        _rule("(?:the )?" + _DAY + _TH, means.day_of_month), _rule(_SHORT_YEAR, means.short_year),
        _rule(f"(?:in |on )?{_SLASHED}", means.slashed),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Names:
    """Patterns of the words of a language that name a time."""

    month: str
    any_month: str
    weekday: str
    any_weekday: str
    ordinal: str
    number: str
    feast: str
    season: str

    @classmethod
    @lru_cache(maxsize=8)
    def of(cls, language: Language) -> _Names:
        long = [name for name in language.months if len(name) > 4 or name in ("june", "july")]
        days = _longest_first([*language.weekdays, *language.short_weekdays])
        feasts = _longest_first([*language.feasts, *language.from_easter])
        may = r"may(?! (?:be|have|not|also|well|only|still|even|need|want|come|go|get)\b)"
        return cls(
            "(?P<month>" + _one_of(long) + "|(?-i:May))",
            "(?P<month>" + _one_of(sorted({*language.months} - {"may"}, key=len, reverse=True)) + rf"|{may})\.?",
            "(?P<weekday>" + _one_of(language.weekdays) + ")",
            "(?P<weekday>" + _one_of(days) + r")\.?",
            "(?P<dayword>" + _one_of(_longest_first(language.ordinals)).replace(" ", "[ -]") + ")",
            r"(?:an?\s+)?(?P<number>\d{1,3}|" + _one_of(_longest_first(language.unit_numbers)) + r")(?:\s+of)?",
            "(?P<feast>" + _one_of(feasts).replace("'", "['’]?") + ")",
            "(?P<season>" + _one_of(language.seasons) + ")",
        )

    @property
    def beside(self) -> str:
        """The day of the week before a date."""
        return f"(?:(?:(?:last|this|this coming|next|coming) )?{self.any_weekday},? )?"

    @property
    def behind(self) -> str:
        """The day of the week behind a date, where it isn't that of another one."""
        return f"(?:,? (?:an? )?{self.weekday.replace('weekday', 'behind')}(?!,? (?:the )?\\d))?"

    @property
    def no_date(self) -> str:
        """Behind a day of the week: no day of a month."""
        month = self.any_month.replace("?P<month>", "?:")
        word = self.ordinal.replace("?P<dayword>", "?:")
        return (
            rf"(?!,? (?:the )?(?:\d\d?(?:st|nd|rd|th)\b|\d\d? (?:of )?{month}(?!\w)"
            rf"|{month} (?:the )?(?:\d\d?\b(?![.:]\d)|{word})|\d\d?[./]\d\d?[./]\d\d|\d\d?/\d\d?\b|\d{{4}}-\d\d)"
            rf"|,? the {word}\b)"
        )


def _longest_first(words: Iterable[str]) -> list[str]:
    return sorted(words, key=len, reverse=True)


def _days_of_months(names: _Names, language: Language) -> Iterable[Rule]:
    """A day of a month, with or without the month, the year and the day of the week."""
    which_day = rf"{_NOBODY}(?:on )?(?:(?:last|this|this coming|next|coming) )?{names.any_weekday},?"
    of, month = f"{_OF_YEAR}{names.behind}", names.any_month
    alone = _ALONE.format(stop=_one_of(sorted(language.stop - {"of", "same", "other", "few", "most", "more"})))
    no_thing = rf"(?! (?:{language.alternatives('dates', 'counted')})\b)"
    no_more = rf"(?!{_JOINED}(?:the )?\d)"
    told = rf"(?!(?:first|second|third)\b){names.ordinal}{no_thing}"  # "on the second" may be of a list
    more = rf"(?:{_JOINED}(?:the )?{_NUMBER}(?![\w:]))"
    return (
        _rule(f"(?:on )?{names.beside}{month} (?:the )?{_DAY}{more}?{of}", means.day_of_month),
        _rule(f"(?:on )?{names.beside}(?:the )?{_DAY}{more}? (?:of )?{month}{of}", means.day_of_month),
        _rule(f"(?:on )?{names.beside}the {names.ordinal} (?:day )?of {month}{of}", means.day_of_month),
        _rule(f"(?:on )?{names.beside}{month} (?:the )?{names.ordinal}{of}", means.day_of_month),
        _rule(f"(?:on )?the {_DAY} (?:of )?(?P<of_which>last|this|next) month", means.day_of_month),
        _rule(f"{which_day} (?:the )?{_DAY}{_TH}", means.weekday_and_day, monthless=True),
        _rule(f"{which_day} the {names.ordinal}", means.weekday_and_day, monthless=True),
        _rule(f"(?:on|by|until|till|since) the {_DAY}{_TH}{no_thing}", means.day_of_month, monthless=True),
        _rule(f"(?:on|by|until|till|since) the {told}{alone}", means.day_of_month, monthless=True, of_events=True),
        _rule(f"(?:to|for) the {told}{alone}", means.day_of_month, monthless=True, moved_only=True, of_events=True),
        _rule(f"on the {_DAY}{alone}", means.day_of_month, monthless=True),
        _rule(f"from the {_DAY}{_TH}{no_more}{no_thing}", means.day_of_month, monthless=True, ahead_only=True),
        _rule(f"(?:to|for) the {_DAY}{_TH}{no_thing}", means.day_of_month, monthless=True, moved_only=True),
        _rule(f"(?:on|due) {_SLASHED}(?!/)(?<!24/7)", means.slashed),
        _rule(f"{which_day} {_SLASHED}(?!/)", means.slashed),
    )  # fmt: skip


def _counted(names: _Names, language: Language) -> Iterable[Rule]:
    """So many days, weeks, months or years from a day; and the days of this week, the last and the next."""
    near = "|".join(language.alternatives("dates", name) for name in ("near_days", "yesterdays", "tomorrows"))
    base = "(?P<base>today|" + language.alternatives("dates", "tomorrows") + ")"
    week, weekday = "(?P<unit>week|fortnight)", names.any_weekday
    few = "(?P<number>an?|one|two|three|four|five|six)"
    nth = "(?P<nth>last|" + r"\d(?:st|nd|rd|th)|" + names.ordinal.removeprefix("(?P<dayword>")
    of_month = f"(?:{names.any_month}(?:,? {_YEAR})?|(?:the|each|every|a|(?P<which>last|this|next)) month)"
    return (
        _rule(f"(?:on )?(?:the )?{nth} {weekday} (?:in|of) {of_month}", means.nth_weekday),
        _rule(f"{names.number} {_UNIT}s? (?P<back>ago) (?P<base>today|yesterday)", means.from_day),
        _rule(f"{names.number} {week}s? (?P<back>ago) (?:on )?{weekday}", means.from_day),
        _rule(f"{names.number} {_UNIT}s? from {base}", means.from_day),
        _rule(f"{few} {week}s? {base}(?! (?:since|that))", means.from_day, ahead_only=True),
        _rule(f"(?:in )?{names.number} {week}s? (?:on|from) {weekday}", means.from_day, ahead_only=True),
        _rule(f"(?:(?:on|to|for|until|till) )?(?:{base}|{weekday}) {week}", means.from_day),
        _rule(near, means.named_day, near=True),
        _rule(f"(?:the )?(?:{_UNIT}|{weekday}) (?P<beyond>after next|before last)", means.beyond),
        _rule(f"{names.number} {_UNIT}s? (?:ago|earlier|back)", means.ago),
        _rule(f"{_VAGUE} {_UNIT}s? (?:ago|back)", means.vague_ago),
        _rule(f"in {names.number} {_UNIT}s?(?:['’]?s?['’]? time)?", means.from_now, ahead_only=True),
        _rule(f"{names.number} {_UNIT}s? from now", means.from_now),
        _rule(f"(?:on )?{weekday} (?:of )?(?P<which>last|this|next) week", means.weekday_of_week),
        _rule(f"(?P<which>last|this|next) week(?: on)? {weekday}{names.no_date}", means.weekday_of_week),
    )  # fmt: skip


def _near_days(names: _Names, language: Language) -> Iterable[Rule]:
    """The days of the week, and those that have a name."""
    only, feast = names.no_date, names.feast
    short = r"(?P<weekday>" + _one_of(name for name in language.short_weekdays if name != "sun") + "|(?-i:Sun))"
    short += r"\.?(?! (?:nav|tv)\b)"
    return (
        _rule(rf"(?<=\bfor\s)this {names.weekday}{only}", means.weekday_to_come, near=True),
        _rule(f"{_WHICH} {names.weekday}{only}", means.weekday, near=True),
        _rule(f"(?P<which>last|this coming|next|coming) {short}{only}", means.weekday, near=True),
        _rule(f"on {names.weekday}s?(?<!s){only}", means.weekday, near=True),
        _rule(f"on {short}{only}", means.weekday, near=True),
        _rule(f"since {names.weekday}{only}", means.weekday, near=True),
        _rule(f"(?:by|as of|starting(?: on)?|beginning(?: on)?) {names.weekday}{only}", means.weekday, ahead_only=True),
        _rule(f"(?:to|for|until|till) {names.weekday}{only}", means.weekday, moved_only=True, near=True),
        _rule(f"{_WHICH} {feast}", means.feast),
        _rule(f"(?:on |over |at |by |until |till |since )?{feast},? (?:in |of )?{_YEAR}", means.feast),
        _rule(f"(?:on |over |at |by |until |till |since ){feast}", means.feast),
    )  # fmt: skip


def _periods(names: _Names, language: Language) -> Iterable[Rule]:
    """Months, seasons and years, and other units of this, the last and the next kind."""
    no_day = r"(?! (?:the )?\d{1,2}(?:st|nd|rd|th)?\b(?![.:]\d))"  # "until May 3" is a day
    in_month, in_year, in_both = (
        language.alternatives("dates", name) for name in ("in_month", "in_year", "in_month_of_year")
    )
    part = r"(?:(?:early|late|mid)(?:\s+|-)(?:in )?|(?:middle|end|start|beginning) of )"
    lead = "(?:(?:in|at|by|until|till|from|since|for|around|about) )?(?:the )?"
    short = "(?P<month>" + _one_of(name for name in language.months if len(name) < 5 and name not in _WORDS_TOO) + ")"
    return (
        _rule(f"(?:(?:{in_both}) )?{names.any_month},? (?:of )?{_YEAR}", means.month),
        _rule(f"{lead}{part}{names.any_month}(?:,? (?:of )?{_YEAR})?{no_day}", means.month),
        _rule(f"(?:in )?{names.month},? (?:of )?(?P<which>last|this|next) year", means.month_of_year),
        _rule("(?:(?:at|by|until|till) )?the end of (?P<which>last|this|next) (?P<unit>month|year)", means.unit),
        _rule(f"{_WHICH} {names.month}", means.month),
        _rule(f"{_WHICH} {names.season}", means.season),
        _rule(f"{_WHICH} {_UNIT}", means.unit),
        _rule(f"{names.season} (?:of )?(?:{_YEAR}|['’](?P<yy>\\d\\d))", means.year),
        _rule(f"(?:{in_month}) (?:the )?{names.month}{no_day}", means.month),
        _rule(rf"(?:in|since|until|till|by) {short}\b\.?(?!['’]){no_day}", means.month),
        _rule(rf"(?:in|since) (?P<month>jan)\b\.?(?!['’]){no_day}", means.month),
        _rule(rf"(?:in|since|until|till) (?P<month>may)\b(?!['’]){no_day}", means.month),
        _rule(f"(?:{in_year})(?: |(?<=mid)-){_YEAR}", means.year),
        _rule(rf"(?:{in_year}) ['’](?P<yy>\d\d)", means.year),
        _rule(f"(?:from|starting(?: in| from)?|beginning(?: in)?|as of) {names.month}", means.month, ahead_only=True),
        _rule(f"to {names.month}{no_day}", means.month, moved_only=True),
    )  # fmt: skip


def _bare(names: _Names, language: Language) -> Iterable[Rule]:
    """A day of the week or a feast without anything before it."""
    short = _one_of(name for name in language.short_weekdays if name not in ("mon", "wed", "sat", "sun"))
    day = f"(?P<weekday>{_one_of(language.weekdays)}|{short})"
    feast = r"(?=[\w'’]+ [\w'’ ]*(?:eve|day)\b)" + names.feast + "(?:(?<=day)|(?<=eve))"
    return (
        _rule(f"{day}{names.no_date}", means.weekday, bare=True, near=True),
        _rule(feast, means.feast, bare=True),
    )  # fmt: skip


_FIRST = re.compile(r"\s*[:–-]\s|,? (?:i|we|he|she|they|my|our)\b", re.IGNORECASE)
"""Behind a day with which a line begins."""
_PART = re.compile(r"^\s+(?:morning|afternoon|evening|night|lunchtime|teatime)\b", re.IGNORECASE)
"""Of a day, behind it."""


def is_exact(rule: Rule) -> bool:
    """Whether a rule reads a day of a month."""
    exact = (means.day_of_month, means.weekday_and_day, means.numbers, means.short_year, means.slashed)
    return rule.resolve in exact


def stands_alone(sentence: str, match: re.Match[str]) -> bool:
    """Whether a day without a word before it tells when: "we leave Friday", "dentist tue 9.30"; not "Friday prayers",
    "every Friday", "Monday to Friday"."""
    before, behind = sentence[: match.start()].rstrip(), _PART.sub("", sentence[match.end() :])
    if _no_one_day().search(before) or _habit().search(sentence):
        return False
    return bool((not before and _FIRST.match(behind)) or _behind_day().match(behind))


def has_a_day(rule: Rule, sentence: str, match: re.Match[str], ahead: means.Ahead) -> bool:
    """Whether what a rule wants before its day stands right there, and the line tells whether it has been."""
    if not rule.of_events:
        return True
    found = _happening().search(_clause_before(sentence, match))
    if found is None or ahead is None:
        return False
    return not re.match(r"(?:to|for)\b", match.group(), re.IGNORECASE) or found["what"] not in (None, "move")


def is_planned(rule: Rule, sentence: str, match: re.Match[str]) -> bool:
    """Whether the clause of such a day begins with what is under way: "flying out on the eighth"."""
    before = _clause_before(sentence, match)
    found = _happening().match(before, len(before) - len(before.lstrip())) if rule.of_events else None
    return found is not None and str(found["going"]).endswith("ing")


def _clause_before(sentence: str, match: re.Match[str]) -> str:
    begin = max((cut.end() for cut in _PARTS.finditer(sentence, 0, match.start())), default=0)
    return sentence[begin : match.start()].lower()


_PARTS = re.compile(r"[,;:.!?]\s|\b(?:and|but)\s", re.IGNORECASE)


@lru_cache(maxsize=1)
def _happening() -> re.Pattern[str]:
    """What has a day, with nothing behind it that is something else: no "concert hall", no "party came in"."""
    what, still, going = (english().alternatives("dates", name) for name in ("happening", "happening_is", "going"))
    return re.compile(
        rf"\b(?:(?P<what>{what})(?:['’]s)?(?: (?:{still}))*|(?P<going>{going})(?: (?:home|back|out|in|house))?)\s*$"
    )


def comes_again(sentence: str, match: re.Match[str]) -> bool:
    """Whether a day of the week is no one day: "on Wednesday evenings", "on Monday and Wednesday evenings"."""
    found = _each_time().search(sentence, match.start())
    return found is not None and found.start() < match.end()


@lru_cache(maxsize=1)
def _each_time() -> re.Pattern[str]:
    names = english()
    days = "|".join([*names.weekdays, *(f"{one}\\.?" for one in names.short_weekdays)])
    each = names.alternatives("dates", "each_time")
    return re.compile(
        rf"\b(?:{days})(?:\s*(?:,|/|&|and|or|,\s*and)\s*(?:on )?(?:{days}))*\s+(?:{each})\b", re.IGNORECASE
    )


@lru_cache(maxsize=1)
def _no_one_day() -> re.Pattern[str]:
    days, nth = "|".join(english().weekdays), "|".join(english().ordinals)
    words = f"{english().alternatives('dates', 'no_one_day')}|{'|'.join(english().relations)}"
    return re.compile(
        rf"(?:^|[^\w-])(?:{words}|{nth}|(?:{days})[,/]?|(?:an?|one|another) \w+)$|[-/&+]$",
        re.IGNORECASE,
    )


@lru_cache(maxsize=1)
def _habit() -> re.Pattern[str]:
    days = "|".join(english().weekdays)
    return re.compile(rf"\b(?:{english().alternatives('dates', 'habit')}|(?:{days})s)\b", re.IGNORECASE)


@lru_cache(maxsize=1)
def _behind_day() -> re.Pattern[str]:
    days, known = "|".join(english().weekdays), english().alternatives("dates", "behind_day")
    return re.compile(
        rf"(?!\s*(?:,|/|&|and|or)\s*(?:{days})\b)\s*"
        rf"(?:$|[,.;!?)](?:\s|$)|(?:{known})\b|\d\d?(?:[.:]\d\d(?:\s?[ap]m)?|\s?[ap]m)\b)",
        re.IGNORECASE,
    )
