"""What is taken back in the same breath: "on Tuesday, no wait, Thursday at ten" tells of Thursday.

Spoken language repairs itself: what was said wrong, words of editing, what is right (W. Levelt, Monitoring and
self-repair in speech, 1983). Only a day, a date, an hour, a number or a name that takes the place of another of its
kind is put there; all else is left as it was said. English; the line that is kept stays as it was typed.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from ..language import english
from ..points import letters as re
from ..words import alternatives

BEFORE = 90
"""Letters before the words of editing in which stands what they take back."""
_GAP = r"[\s,.;:!–—-]+"
_HOUR = r"at (?=\d|half\b|quarter\b|(?:ten|nine|eight|seven|six|five|four|three|two|one|noon)\b)"
_BEHIND = rf"(?=\s*(?:$|[.,;!)]|{_HOUR}|(?:in the|not|since|actually)\b))"
"""What may follow: where the value does something ("sorry, Thursday is full"), or is one beside the other ("7 on
weekdays, actually 9 on Sundays"), it is no repair."""
_LEAD = r"(?:(?:it|that)(?:['’]s| is| was| will be) |make (?:it|that) )?(?:(?P<to>on|at|in|from|to|by|until) )?"
_DENIED = re.compile(r"n['’]t\b|\b(?:not|no|never|nor|shut|closed|full|without|neither)\b", re.IGNORECASE)
"""In the sentence before a value: then what follows is beside it ("I can't do Monday, sorry. Tuesday then")."""
_AFTERWARDS = re.compile(r"\s*,?\s*(?:actually|now)\b", re.IGNORECASE)
_STANDS = re.compile(r"[?]|\b(?:or|between|either)\b", re.IGNORECASE)
"""Between the two: then one answers or offers."""
_HOUR_OF = re.compile(r"\b(?:at|until|till|by|from|around|about)\s+$", re.IGNORECASE)


class _Kinds(NamedTuple):
    """The patterns of values, the surest first."""

    weekday: re.Pattern[str]
    date: re.Pattern[str]
    clock: re.Pattern[str]
    month: re.Pattern[str]
    number: re.Pattern[str]
    name: re.Pattern[str]


def repaired(text: str) -> str:
    """The line with each value that it takes back at once replaced; as it was where it takes none back."""
    for _ in range(3):
        found = next(_repairs(text), None)
        if found is None:
            return text
        text = found
    return text


def _repairs(text: str) -> Iterator[str]:
    for edit in _editing().finditer(text):
        lead = re.match(_LEAD, text[edit.end() :], re.IGNORECASE)
        at = edit.end() + (lead.end() if lead else 0)
        for kind, pattern in _kinds()._asdict().items():
            right = pattern.match(text, at)
            if right is None:
                continue
            wrong = _taken_back(text[: edit.start()], kind, right[0])
            if not re.match(_BEHIND, text[right.end() :], re.IGNORECASE):
                continue
            if wrong is None or not _is_meant(kind, edit[0], text[edit.end() :]):
                break
            rest = text[right.end() :]
            rest = rest[found.end() :] if (found := _AFTERWARDS.match(rest)) else rest
            instead = _whole(text[wrong[0] : wrong[1]], right[0]) if kind == "date" else right[0]
            yield text[: wrong[0]] + instead + text[wrong[1] : edit.start()] + rest
            break


def _taken_back(before: str, kind: str, right: str) -> tuple[int, int] | None:
    """Where the last value of that kind stands, another than the right one."""
    start = max(0, len(before) - BEFORE)
    kinds = _kinds()._asdict()
    some = [*kinds[kind].finditer(before, start)]
    if kind == "clock":
        some += [one for one in kinds["number"].finditer(before, start) if _HOUR_OF.search(before[: one.start()])]
    if kind == "name":
        some = [one for one in some if _is_name(one[0], first=not before[: one.start()].rstrip(" ,"))]
        if not _is_name(right, first=False):
            return None
    last = max(some, key=lambda one: one.end(), default=None)
    if last is None or last[0].lower() == right.lower() or _STANDS.search(before[last.end() :]):
        return None
    said = re.split(r"[.!?;]\s", before[: last.start()])[-1]
    if _DENIED.search(said) or re.search(r"[.!;]\s", before[last.end() :]):
        return None
    dated = kind == "month" and re.search(r"(?:\d|st|nd|rd|th|of) $", before[: last.start()])
    return None if dated else last.span()


def _whole(wrong: str, right: str) -> str:
    """A day of the month with the month that was said with the wrong one: "the 15th of June"."""
    months = re.compile(rf"\b(?:{alternatives(english().months)})\b", re.IGNORECASE)
    month = months.search(wrong)
    return f"{right} of {month[0]}" if month and not months.search(right) else right


def _is_name(word: str, *, first: bool) -> bool:
    low = word.lower()
    known = english()
    days = {*known.weekdays, *known.month_names}
    if low in known.stop or low in days or low.split()[0] in known.words("names", "not_names"):
        return False
    return not first or low.split()[0] in known.words("given", "names")


def _is_meant(kind: str, edit: str, after: str) -> bool:
    """Whether words of editing surely take back a value of that kind: "no" alone stands before much else ("no 5"), an
    apology may be to somebody, and behind the end of a sentence "actually" may begin another."""
    plain = _PLAINLY.search(edit) is not None
    if re.search(r"\w\W*[.!?]\s", edit):  # "no. Anna and Peter are"
        return False
    if re.match(r"\s*[.!;]", edit) and not plain and not re.match(r"make (?:it|that) ", after, re.IGNORECASE):
        return False
    if kind == "name" and not plain:
        return False
    return kind not in ("number", "name") or not re.fullmatch(rf"{_GAP}no(?!\s*[,;:–—-]){_GAP}", edit, re.IGNORECASE)


_PLAINLY = re.compile(
    r"\b(?:no|nope|nah|i mean|i meant|i tell a lie|i lie|correction|scratch that|strike that|my mistake|i misspoke)\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=1)
def _editing() -> re.Pattern[str]:
    strong, weak = (english().alternatives("openings", name) for name in ("repairs", "fillers"))
    one = rf"(?:{strong})\b"
    between = rf"(?:{_GAP}(?:{weak})\b)*"
    marked = rf"[\s]*[,.;:!–—-]+\s*(?:(?:{weak})\b{_GAP})*{one}(?:{between}{_GAP}{one})*{between}{_GAP}"
    spoken = rf"\s+(?:(?:{weak})\b{_GAP})*(?:{one}(?:{between}{_GAP}{one})+|sorry|i mean|i meant){between}{_GAP}"
    return re.compile(rf"{marked}|{spoken}", re.IGNORECASE)


@lru_cache(maxsize=1)
def _kinds() -> _Kinds:
    known = english()
    month, day = alternatives(known.months), alternatives([*known.weekdays, *known.short_weekdays])
    nth, count = (
        alternatives(known.ordinals),
        alternatives([one for one in known.numbers if one not in ("one", "zero")]),
    )
    number = rf"(?:\d[\d.,]*\d|\d|(?:{count})(?:[ -](?:{count}))?)"
    clock = (
        rf"(?:half(?: past)? {number}|quarter (?:past|to) {number}|{number} o['’]clock"
        r"|\d{1,2}(?:[:.]\d\d)? ?(?:am|pm)\b|\d{1,2}[:.]\d\d\b)"
    )
    date = (
        rf"(?:(?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?: of)? (?:{month})|(?:{month}) (?:the )?\d{{1,2}}(?:st|nd|rd|th)?"
        rf"|(?:the )?(?:{nth})(?: of (?:{month}))?|(?:the )?\d{{1,2}}(?:st|nd|rd|th))"
    )
    patterns = (rf"(?:{day}|tomorrow|today)", date, clock, rf"(?:{month})", number)
    values = [re.compile(rf"(?<![\w'’-]){one}(?![\w'’-])", re.IGNORECASE) for one in patterns]
    name = re.compile(r"(?<![\w'’-])(?!I\b)[A-Z][a-z]+(?: [A-Z][a-z]+)?(?![\w'’-])")
    return _Kinds._make([*values, name])
