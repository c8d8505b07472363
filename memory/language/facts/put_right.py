"""What a line puts right of what was said just before it: "No. 460." of "Ana bought a stove for 640 euros".

Such a line names neither whom nor what it is about, and a model that reads it alone makes a second price of it. It is
told by what it opens with, and says nothing but the right value: a number, a day, a name, a thing with its article.
"""

from __future__ import annotations

from functools import lru_cache

from ..dates import find_dates
from ..language import english
from ..points import letters as re
from ..words import tokens
from .corrections import signals

MOST = 6
"""Words of the right value."""
_DAY = "2024-06-12T12:00:00Z"
_CLOCK = re.compile(r"\b(?:\d{1,2}[:.]\d\d|\d{1,2}(?= ?(?:am|pm|o['’]clock)))(?:\s?(?:am|pm))?", re.IGNORECASE)
_NAME = re.compile(r"\b[A-Z][\w'-]*\w(?: [A-Z][\w'-]*\w)*")
_NONE_OF_IT = re.compile(
    r"[Nn]o (?!(?:its?|the|an?|my|our|his|her|on|in|at|to|from|for|by|that|thats|i|not|he|she|we|they|make|half|one)\b"
    r"|(?:two|sorry|wait|actually|really|hang|hold|scratch|correction|rather)\b|it's)[a-z]{3,}\b (?!(?:not|sorry)\b)\w"
)
"""What there is none of: "no drink since 2009", "no room for the dog on that one"."""
_YEAR = re.compile(r"(?:19|20)\d\d")
_NOUN = re.compile(r"\b(?P<article>the|an?|my|our|his|her|their) (?P<noun>[a-z][\w-]+)(?=\W*$|[,;.])")
_LED = re.compile(r"^(?P<lead>after|before|at|in|on|with|for|from|to|by|near) (?P<what>\S.*)$", re.IGNORECASE)


def put_right(fact: str, line: str, speaker: str) -> str | None:
    """The fact with the value that the line puts right, or None where the line puts nothing of it right.

    `fact`: what was made of the line before; `speaker`: under what name they are told of.
    """
    value, plainly = _value(line)
    if not value:
        return None
    for change in (_date, _hour, _number, _of_a_kind, _name, _led):
        if (now := change(fact, value, speaker)) is not None:
            return now if now != fact else None
    return _noun(fact, value) if plainly else None


def puts_right(line: str) -> bool:
    """Whether a line says no more than a value that was wrong before."""
    return bool(_value(line)[0])


def counts_right(line: str) -> bool:
    """Whether a line says no more than a number, an hour or a day that was wrong before: "make that ten weeks" sounds
    like a request, and asks for nothing."""
    value, _ = _value(line)
    return bool(value) and bool(days(value) or days(f"on {value}") or _CLOCK.search(value) or _numbers().search(value))


def rights(line: str) -> bool:
    """Whether a line says that something was wrong before."""
    return puts_right(line) or signals(line).corrects


def may_put_right(line: str) -> bool:
    """Whether a line holds a word with which people put right what they just said ("no", "sorry", "I meant", "*oboe"):
    most of them, as most lines with such a word put nothing right."""
    return rights(line) or signals(line).owns_up or bool(_slip().search(line))


@lru_cache(maxsize=1)
def _slip() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{english().alternatives('openings', 'slip')})\b|n['’]t\b|^\*|\*$", re.IGNORECASE)


def may_answer(line: str) -> bool:
    """Whether such a line says no more than "no" before its value: after a question it is an answer to that."""
    opened = _opening().match(line.strip().replace("’", "'"))
    return opened is not None and {*tokens(opened["opening"])} <= english().words("openings", "only_no")


def _value(line: str) -> tuple[str, bool]:
    """The right value as the line has it, and whether the line can only mean to put something right; ("", False)."""
    line = line.strip().replace("’", "'")
    if _NONE_OF_IT.match(line) and not days(line.split()[1]):
        return "", False
    first, _, _ = line.partition(". ")
    if behind := _behind().match(line) or _behind().match(
        first
    ):  # "460, sorry", "Right knee, sorry. The left is fine."
        line = f"{behind['opening']}, {behind['rest']}"
    tail = _tail().search(line)  # "it's the trombone, I always mix those up"
    if tail:
        line = f"my mistake, {_opened(line[: tail.start()])}"
    opened = _opening().match(line)
    if opened is None or not _firmly().search(opened["opening"]):
        return "", False
    whole = re.split(r"(?:[!?;]|\.(?!\d)|,? not\b)", opened["rest"], maxsplit=1)[0].strip(" ,-–—")
    first = whole.partition(", ")[0]  # "on the 15th, because of the frost"
    led_on = whole[len(first) :].startswith((", with ", ", without "))  # "Farris, with an a"
    short = first if led_on or days(f"on {first}") or _numbers().search(first) else ""
    for said in (short, whole) if led_on else (whole, short):
        if _is_value(said):
            return said, bool(_meant().search(opened["opening"]))
    return "", False


def _opened(line: str) -> str:
    """The line without the word that it opens with."""
    found = _opening().match(line)
    return found["rest"] if found else re.sub(r"^(?:it's|it is|that's|that is) ", "", line, flags=re.IGNORECASE)


def _is_value(said: str) -> bool:
    words = tokens(said)
    return 0 < len(words) <= MOST and not {*words} & (
        english().words("openings", "not_put_right") | english().second_person
    )


def _date(fact: str, value: str, speaker: str) -> str | None:
    new = days(value) or days(f"on {value}")
    old = days(fact)
    if len(new) != 1 or not old:
        return None
    was = _with_weekday(fact, old[-1])
    now = in_month(was, new[0])
    the = "the " if f"the {now}" in value and f"the {was}" not in fact else ""
    return fact.replace(was, f"{the}{now}", 1)


_BARE_DAY = re.compile(r"\b\d{1,2}(?:st|nd|rd|th)?\b(?! ?(?:am|pm|:))", re.IGNORECASE)
_NEXT_MONTH = 20
"""How many days earlier in its month another day must lie that is more likely one of the next: the 3rd for the 28th."""


def in_month(old: str, new: str) -> str:
    """A day told without its month, in the month of the old one, with its own day of the week or none: "the 26th" for
    "Thursday 12 March" is the 26th of March, "Thursday the 8th" for "Tuesday, October 6th" is Thursday, October 8th."""
    told = _weekday_and_day().fullmatch(new)
    was = _BARE_DAY.search(old)
    month = any(re.search(rf"\b{name}\b", old, re.IGNORECASE) for name in english().months)
    if told is None or was is None or not month or _number_of(told["day"]) + _NEXT_MONTH < _number_of(was[0]):
        return new
    now = _BARE_DAY.sub(told["day"], old, count=1)
    led = _weekday_before().match(now)
    if led is None:
        return f"{told['weekday']}, {now}" if told["weekday"] else now
    return f"{told['weekday']}{led['between']}{now[led.end() :]}" if told["weekday"] else now[led.end() :]


def _number_of(day: str) -> int:
    return int(re.sub(r"\D", "", day))


@lru_cache(maxsize=1)
def _weekday_and_day() -> re.Pattern[str]:
    names = "|".join(english().weekdays)
    return re.compile(rf"(?:(?P<weekday>{names}),? )?(?:the )?(?P<day>\d{{1,2}}(?:st|nd|rd|th)?)", re.IGNORECASE)


@lru_cache(maxsize=1)
def _weekday_before() -> re.Pattern[str]:
    return re.compile(rf"(?P<weekday>{'|'.join(english().weekdays)})(?P<between>,? (?:the )?)", re.IGNORECASE)


def _with_weekday(fact: str, day: str) -> str:
    """A day of a fact with the day of the week right before it."""
    found = re.search(rf"\b{_weekday_before().pattern}$", fact[: fact.find(day)], re.IGNORECASE)
    return f"{found[0]}{day}" if found else day


def days(text: str) -> list[str]:
    """The dates of a text without the small words before them."""
    return [
        re.sub(r"^(?:on|in|at|to|for)\s+(?:the\s+)?|^the\s+", "", words.rstrip("."))
        for words, _ in find_dates(text, _DAY)
    ]


def _hour(fact: str, value: str, speaker: str) -> str | None:
    return _last(_CLOCK, fact, value)


def _number(fact: str, value: str, speaker: str) -> str | None:
    return _last(_numbers(), fact, value)


@lru_cache(maxsize=1)
def _numbers() -> re.Pattern[str]:
    spelled = "|".join(word for word, value in english().numbers.items() if value > 1)
    return re.compile(rf"(?<![\w.,:/-])(?:\d{{1,3}}(?:[,.]\d{{3}})+|\d+(?:[.,]\d{{1,2}})?k?|(?i:{spelled}))(?![\w])")


def _last(pattern: re.Pattern[str], fact: str, value: str) -> str | None:
    """The fact with the one match of the value in the place of its last one."""
    new, old = list(pattern.finditer(value)), list(pattern.finditer(fact))
    if len(new) != 1 or not old:
        return None
    if _YEAR.fullmatch(new[0][0]) and not _YEAR.fullmatch(old[-1][0]):
        return None  # no dose is of 2009 mg
    units = [tokens(text[one.end() :])[:1] for text, one in ((value, new[0]), (fact, old[-1]))]
    if units[0] and units[0] != units[1]:
        return None  # "wait, 5 minutes" is no number of cats
    return f"{fact[: old[-1].start()]}{new[0][0]}{fact[old[-1].end() :]}"


def _name(fact: str, value: str, speaker: str) -> str | None:
    new = _NAME.fullmatch(re.sub(r"^(?:in|at|from|with|to|it's|is)\s+", "", value))
    no_names = {speaker.lower(), "user", *english().months, *english().weekdays}
    old = [one for one in _NAME.finditer(fact) if one.start() and one[0].lower().split("'")[0] not in no_names]
    if new is None or not old or value.split()[0].lower() in english().stop - {"in", "at", "from", "with", "to"}:
        return None
    return f"{fact[: old[-1].start()]}{new[0]}{fact[old[-1].end() :]}"


def _led(fact: str, value: str, speaker: str) -> str | None:
    """ "after dinner" in the place of "after breakfast"."""
    new = _LED.match(value)
    old = list(re.finditer(rf"\b{new['lead']} [\w'-]+(?=\W*$|,| (?:and|but|with|for|in|on|at)\b)", fact)) if new else []
    return f"{fact[: old[-1].start()]}{value}{fact[old[-1].end() :]}" if new and old else None


def _noun(fact: str, value: str) -> str | None:
    """The thing with an article that was named last."""
    new = re.fullmatch(r"(?:the|an?|my|our|his|her|their) ([a-z][\w-]+(?: [a-z][\w-]+)?)", value)
    old = list(_NOUN.finditer(fact))
    if new is None or not old:
        return None
    now = re.sub(r" ones?$", f" {old[-1]['noun']}", new[1])  # "the blue one" is a blue bike
    return f"{fact[: old[-1].start('noun')]}{now}{fact[old[-1].end('noun') :]}"


def _of_a_kind(fact: str, value: str, speaker: str) -> str | None:
    """ "the right one" in the place of "left": words of one kind, of which the fact holds one."""
    new = re.fullmatch(r"(?:(?:on|in|at|to) )?(?:the |an? |my )?(?P<kind>[a-z]+)(?: (?P<of>[a-z]+))?", value.lower())
    for kind in _kinds() if new else ():
        old = [one for one in re.finditer(r"\b[a-z]+\b", fact) if one[0] in kind]
        if new and new["kind"] in kind and len(old) == 1 and _is_of(new["of"], fact[old[0].end() :]):
            return f"{fact[: old[0].start()]}{new['kind']}{fact[old[0].end() :]}"
    return None


def _is_of(noun: str | None, following: str) -> bool:
    return noun in (None, "one", "ones") or tokens(following)[:1] == [noun]


@lru_cache(maxsize=1)
def _kinds() -> tuple[frozenset[str], ...]:
    return tuple(frozenset(one.split()) for one in english().alternatives("matters", "alike_words").split("|"))


@lru_cache(maxsize=1)
def _opening() -> re.Pattern[str]:
    begins, leads = (english().alternatives("openings", name) for name in ("put_right", "put_right_lead"))
    return re.compile(
        rf"^(?P<opening>(?:(?:{begins})\b[\s,.!:;–—-]*)+)(?:(?:{leads})\b\s*)?(?P<rest>.+)$", re.IGNORECASE
    )


@lru_cache(maxsize=1)
def _behind() -> re.Pattern[str]:
    return re.compile(
        rf"^(?P<rest>[^.;!?]+?),? (?P<opening>{english().alternatives('openings', 'put_right_behind')})\W*$",
        re.IGNORECASE,
    )


@lru_cache(maxsize=1)
def _tail() -> re.Pattern[str]:
    return re.compile(rf"(?:,| -+|\.) (?:{english().alternatives('openings', 'put_right_tail')})\W*$", re.IGNORECASE)


@lru_cache(maxsize=1)
def _firmly() -> re.Pattern[str]:
    return re.compile(rf"(?<!oh )\b(?:{english().alternatives('openings', 'put_right_firmly')})\b", re.IGNORECASE)


@lru_cache(maxsize=1)
def _meant() -> re.Pattern[str]:
    return re.compile(rf"(?<!oh )\b(?:{english().alternatives('openings', 'put_right_plainly')})\b", re.IGNORECASE)


def renewed(fact: str, line: str, speaker: str, *, just: bool = False) -> str | None:
    """The fact with the one value that the line tells in the place of its own: "We marry in Bath now" of "Ana marries
    Ben on 6 June in Whitby", where a line is known to end what it told. None where the line tells of an end alone, or
    it isn't plain which value is meant. `just`: the line before told the fact, so that it is put right without a word
    for it ("Box says 10mg"); by a number, a day of the week or a name, for "last week" may be of something else."""
    said = signals(line)
    if said.maybe or not (just or said.changes or said.corrects or _renews().search(line)):
        return None
    plainly = said.changes or said.corrects or _renews().search(line)
    for change in (_other_date, _other_weekday, _other_number, _other_name) if plainly else _BARE:
        if (found := change(fact, line, speaker)) is not None:
            (begin, end), value = found
            ended = said.ends and not re.search(rf"\b{re.escape(fact[begin:end])}\b", line, re.IGNORECASE)
            return None if ended else f"{fact[:begin]}{value}{fact[end:]}"
    return None


_PAST = re.compile(
    r"\b(?:(?:quarter|half|five|ten|twenty|twenty-five|\d\d?|minutes?) (?:past|to)|quarter|half) $", re.IGNORECASE
)
"""Before an hour of which only half is named; "up to 900" is whole."""
_AGO = re.compile(r"\bago\b|^(?:last|yesterday)\b", re.IGNORECASE)
_Other = tuple[tuple[int, int], str] | None
"""Where in the fact a value stands, and what takes its place."""


def _other_date(fact: str, line: str, speaker: str) -> _Other:
    told = days(fact)
    old = [_with_weekday(fact, one) for one in told]
    known = {one.lower() for one in (*told, *old)}
    new = [one for one in days(line) if one.lower() not in known]
    begin = fact.find(old[0]) if old else -1
    if begin < 0 or not len(old) == len(new) == 1:
        return None
    if bool(_AGO.search(new[0])) != bool(_AGO.search(old[0])) and not rights(line):
        return None  # who started three weeks ago isn't on tonight any less
    new = [one.capitalize() if one in english().weekdays else one for one in new]
    the = "the " if f"the {new[0]}" in line and not fact[:begin].endswith("the ") else ""
    return (begin, begin + len(old[0])), f"{the}{in_month(old[0], new[0])}"


def _other_weekday(fact: str, line: str, speaker: str) -> _Other:
    days = re.compile(rf"\b(?:{'|'.join(english().weekdays)})s?\b", re.IGNORECASE)
    old = list(days.finditer(fact))
    known = old[0][0].lower().rstrip("s") if old else ""
    new = {one.lower(): one for one in days.findall(line) if one.lower().rstrip("s") != known}
    return (old[0].span(), next(iter(new.values())).capitalize()) if len(old) == len(new) == 1 else None


def _other_number(fact: str, line: str, speaker: str) -> _Other:
    """Numbers of the same unit; a line that tells of the old one, too, tells the new one all the same."""
    if days(fact) or days(line):
        return None
    old = list(_numbers().finditer(fact))
    new = [one for one in _numbers().finditer(line) if not old or one[0].lower() != old[0][0].lower()]
    if len(old) != 1 or len(new) != 1:
        return None
    if _YEAR.fullmatch(new[0][0]) and not _YEAR.fullmatch(old[-1][0]):
        return None  # no dose is of 2009 mg
    if any(_PAST.search(text[: one.start()]) for text, one in ((line, new[0]), (fact, old[0]))):
        return None  # of "quarter past five" no "quarter past two" is made by "at two"
    units = [tokens(text[one.end() :])[:1] for text, one in ((line, new[0]), (fact, old[0]))]
    if units[0] != units[1] and not {*units[0]} & (english().stop | {"now"}) and units[0]:
        return None
    return old[0].span(), new[0][0]


def _other_name(fact: str, line: str, speaker: str) -> _Other:
    """A name behind the same small word, where the line speaks of the old one."""
    old = [one for one in _LED_NAME.finditer(fact) if re.search(rf"\b{re.escape(one['name'])}\b", line)]
    new = [one for one in _LED_NAME.finditer(line) if old and one["lead"].lower() == old[0]["lead"].lower()]
    new = [one for one in new if one["name"] != old[0]["name"] and one["name"].lower() != speaker.lower()]
    if len(old) != 1 or len(new) != 1:
        return None
    return old[0].span("name"), new[0]["name"]


_LED_NAME = re.compile(
    r"\b(?P<lead>[Ii]n|[Aa]t|[Tt]o|[Ff]rom|[Ww]ith|[Ff]or) (?P<name>[A-Z][\w'-]*\w(?: [A-Z][\w'-]*\w)*)"
)


_BARE = (_other_weekday, _other_number, _other_name)
"""Kinds of values that are put right without a word for it."""


@lru_cache(maxsize=1)
def _renews() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{english().alternatives('openings', 'renews')})\b", re.IGNORECASE)
