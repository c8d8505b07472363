"""The words by which a line tells of an end or a change, as the data file has them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from ..language import Language, english
from ..points import letters as re


def stands(name: str, text: str) -> bool:
    """Whether one of the words of that list stands in the text."""
    pattern = compiled(name)
    return bool(pattern and pattern.search(text.lower().replace("’", "'")))


def tells(name: str, text: str) -> bool:
    """Whether one of them stands there and isn't denied: "we are not splitting up" tells of no parting."""
    pattern, low = compiled(name), text.lower().replace("’", "'")
    return pattern is not None and any(not _DENIED.search(low[: found.start()]) for found in pattern.finditer(low))


_DENIED = re.compile(r"(?:\b(?:not|never|nor|without)|n't)(?: \w+)? $")


def was_before(line: str) -> list[tuple[str, str]]:
    """Where or with whom a line says that something was before, and where it is, each with its small word: ("in lagos",
    "in abuja") for "she's in abuja, lagos was before"."""
    pairs: list[tuple[str, str]] = []
    for found in _BEFORE.finditer(line):
        lead, now, was = found["lead"].lower(), found["now"], found["was"] or found["once"]
        if was.lower() != now.lower() and not {*was.lower().split()} & english().stop:
            pairs.append((f"{lead} {was}", f"{lead} {now}"))
    return pairs


def said_before(line: str) -> list[tuple[str, str]]:
    """The number or the day that somebody says to have told, and the one that it is, with the word behind it:
    ("eleven years", "twelve years") for "I said she's been there eleven years. It's twelve"."""
    pairs: list[tuple[str, str]] = []
    for found in _i_said().finditer(line if re.search(r"\bI\b", line) else ""):
        right, said, unit = found["right"], found["said"], (found["unit"] or "").lower()
        told = (_days() if _days().fullmatch(right) else _counts()).findall(said)
        if len(told) != 1 or told[0].lower() == right.lower() or not _of_it(found["it"], said, told[0]):
            continue
        behind = re.search(rf"\b{re.escape(told[0])}(?: (?P<unit>{_UNITS}))?\b", said, re.IGNORECASE)
        was = (behind["unit"] or "").lower() if behind else ""
        if not unit or unit.removesuffix("s") == was.removesuffix("s"):
            more = f" {behind['unit']}" if behind and was else ""
            pairs.append((f"{told[0]}{more}", f"{right}{more}"))
    return pairs


def _of_it(pronoun: str, said: str, value: str) -> bool:
    """Whether "she's 13" may be of what was said to be 12: of her age now. And "it's ten" of no hour at which one is
    somewhere, nor "it's Sunday" of what was to come: that may be the time of the day."""
    if pronoun.lower() not in ("it", "that"):
        aged = rf"(?:\bis|['’]s) {re.escape(value)}(?: years old)?\s*$"
        return re.search(aged, said, re.IGNORECASE) is not None
    hour = rf"\b(?:at|by|around|until|till|since|from|before|after) {re.escape(value)}\b"
    to_come = r"|\b(?:was|were|due|coming)\b" if _days().fullmatch(value) else ""
    return not re.search(rf"{hour}|['’]d\b|\bwould\b{to_come}", said, re.IGNORECASE)


_UNITS = (
    "years?|months?|weeks?|days?|hours?|minutes?|times|people|pounds|euros|dollars|quid|miles|km|kg|o['’]clock|am|pm"
)


@lru_cache(maxsize=1)
def _counts() -> re.Pattern[str]:
    words = "|".join(sorted(english().unit_numbers.keys() - {"a", "an", "one", "couple"}, key=len, reverse=True))
    return re.compile(rf"\b(?:\d+(?:[.,:]\d+)*|{words})\b", re.IGNORECASE)


@lru_cache(maxsize=1)
def _days() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(english().weekdays)})\b", re.IGNORECASE)


@lru_cache(maxsize=1)
def _i_said() -> re.Pattern[str]:
    return re.compile(
        r"\bI(?:['’]ve| have)? (?:said|wrote|told you|typed) (?!(?:I|we)['’](?:d|ll)\b|to\b)"
        r"(?P<said>[^.;!?]{3,90}?)(?:[.;!]|,(?: but)?| but) "
        r"(?P<it>it|he|she|that|they)(?:['’]s|['’]re| is| was| are| should be)(?: really| actually| in fact)? (?:on )?"
        rf"(?P<right>{_counts().pattern}|{_days().pattern})(?: (?P<unit>{_UNITS}))?(?=\s*(?:[,.;!]|$))", re.IGNORECASE,
    )  # fmt: skip


def not_them(line: str) -> list[tuple[str, str]]:
    """Who it won't be, or isn't any more, and who it is: ("Mr Pritchard", "Miss Rao") for "it won't be Mr Pritchard,
    it's a Miss Rao now". No days: "it won't be Tuesday, it'll be Thursday" is of one week, mostly."""
    found = _not_them().search(line)
    sides = (found["wrong"], found["right"]) if found else ("", "")
    dated = english().calendar
    return [sides] if sides[0] != sides[1] and not any(one.lower().removesuffix("s") in dated for one in sides) else []


@lru_cache(maxsize=1)
def _not_them() -> re.Pattern[str]:
    title = rf"(?:(?i:{english().alternatives('names', 'titles')})\.? )"
    name = rf"{title}?(?!(?:I|It|He|She|They|We|You|The|My|But|No|Not)\b)[A-Z][\w-]*\w(?: [A-Z][\w-]*\w)?"
    wont = (
        r"(?: won['’]t be| will not be|(?: is|['’]s) not going to be| isn['’]t going to be|(?: is|['’]s) no longer"
        r"| isn['’]t|(?: is|['’]s) not)"
    )
    be = r"(?:['’]s(?: going to be)?| is(?: going to be)?|['’]ll be| will be)"
    end = r"(?=[,;.!]| now\b| instead\b| from\b|$)"
    return re.compile(
        rf"\b(?i:it|that){wont} (?:an? )?(?P<wrong>{name})(?: any ?more| any longer| after all| now)?"
        rf"(?:[,;.]| -+| –) (?:but )?(?i:it|that){be} (?:now )?(?:an? )?(?P<right>{name}){end}"
    )


_ONE = r"[^\W\d_][\w'’-]+"
_BEFORE = re.compile(
    r"(?:['’](?:s|re|m)|\b(?:is|are|am|lives?|works?|stays?|studies|study))(?: actually| really)? "
    rf"(?P<lead>in|at|on|with|near) (?P<now>{_ONE}(?: (?!now\b|actually\b){_ONE})?)(?: now| actually)?"
    r"[,.;]+ (?:and |but |so )?"
    rf"(?:(?P<was>{_ONE}(?: {_ONE})?) was (?:before|earlier|previously|until then)"
    rf"|(?:(?:it|that|he|she|they|which) )?(?:(?P<used>used to be)|was)(?: (?P=lead))? (?P<once>{_ONE}(?: {_ONE})??)"
    r"(?(used)(?: before)?| (?:before|earlier|previously|until then)))"
    r"(?=\s*(?:[.,;!]|$))",
    re.IGNORECASE,
)


@lru_cache(maxsize=16)
def compiled(name: str) -> re.Pattern[str] | None:
    """The pattern of that list; None where the language has none."""
    language = english()
    rules: Sequence[str] = language.table("matters", "change").get(name, ())
    lists = {"{day}": "|".join(language.weekdays), "{month}": "|".join(language.months)}
    made = "|".join(rules)
    for slot, words in lists.items():
        made = made.replace(slot, f"(?:{words})")
    return re.compile(made) if rules else None


def other_side(wrong: str, right: str, said: str, language: Language) -> str:
    """Of what stands for the wrong one of a few its other one, where it is said: of "the right knee, not the left" it
    is the side that was wrong, and no knee. No names ("South London"), no times ("last May")."""
    groups = (one.split() for one in language.alternatives("matters", "alike_words").split("|"))
    group = {word for one in groups if wrong in one and not {right, "last"} & {*one} for word in one}
    others = group & {*re.findall(r"\b[a-z]+\b", said)} - {wrong}
    return next(iter(others)) if len(others) == 1 else ""


_TENS = "(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)"
_ONES = "(?:one|two|three|four|five|six|seven|eight|nine|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth)"
WHOLE = re.compile(rf"^{_TENS}-(?={_ONES}$)", re.IGNORECASE)
"""The tens of a number in one word, which the word behind tells the kind of."""
_SPOKEN = re.compile(rf"\b({_TENS}) ({_ONES})\b", re.IGNORECASE)
_JOINED = re.compile(rf"\b({_TENS})-({_ONES})\b", re.IGNORECASE)


def as_one(line: str) -> str:
    """The line with numbers that are spoken in two words as one: "the twenty-first"."""
    return _SPOKEN.sub(r"\1-\2", line)


def apart_again(words: str, line: str) -> str:
    """The words as the line has them."""
    said = _JOINED.sub(r"\1 \2", words)
    return said if said in line else words
