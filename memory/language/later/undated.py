"""Times to come that no calendar tells: "after Easter", "when term starts", "once the baby is here"; and the weekdays
and years that only "from" makes a beginning: "from Friday", "from 2028". English."""

from __future__ import annotations

from datetime import tzinfo
from functools import lru_cache

from ...values import Moment
from ..dates import day_of, find_dates, resolve
from ..language import english
from ..points import letters as re
from ..third_person import verbs
from ..words import alternatives, sentences, tokens


def coming_time(line: str) -> str:
    """With which words the one sentence of a line that tells of such a time says when something begins; empty: it tells
    of none, or of what is so each time or was."""
    found = [(one, when) for one in sentences(line) if (when := _when(one))]
    if len(found) != 1:
        return ""
    sentence, when = found[0]
    rest = sentence.replace(when, "", 1)
    if _words("each_year").search(rest) or is_past(rest):
        return ""
    changes = _words("still_to_come").search(rest) or _words("moves_then").search(rest)
    season = re.search(rf"\b(?:{_of('coming_times')})\b", when, re.IGNORECASE)
    return when if changes or (season and _words("is_then").search(rest)) else ""


def _when(sentence: str) -> str:
    found = _coming().search(sentence)
    return found[0] if found else ""


@lru_cache(maxsize=1)
def _coming() -> re.Pattern[str]:
    whose = r"(?:(?:the|my|our|his|her|their|this|next|all) )"
    time = rf"{whose}?(?:[\w'’-]+ )?(?:{_of('coming_times')})"
    event = rf"{whose}(?:[\w'’-]+ )?(?:{_of('coming_events')})"
    who = rf"(?:{whose}(?:[\w'’-]+ )?[\w'’-]+?|he|she|we|I|they|it|[A-Z][\w-]+|{_of('coming_times')})"
    be, end = r"(?:['’](?:s|re|m)| is| are| am)?", r"(?![\w'’])"
    over = r"(?: (?:is|are) (?:over|done|out of the way))?"
    return re.compile(
        rf"\b(?<!since )(?:(?:straight|right|soon) )?(?:after|following) (?:{time}|{event}){over}{end}"
        rf"|\b(?:from|as of|starting) (?!(?:this|all) )(?:{time})(?! (?:to|till|until)\b){end}"
        rf"|\b(?:(?:from )?when|once|as soon as|after) {who}{be} (?:{_of('comes')}){end}",
        re.IGNORECASE,
    )


def untimed(fact: str) -> str:
    """A fact without when it begins: "From Friday Ana works nights" tells of Ana."""
    rest = _from().sub(" ", _coming().sub(" ", fact))
    for words, _ in find_dates(rest, _ANY_DAY):
        rest = re.sub(
            rf"(?:\b(?:{_of('begins_then')}) (?:on |the )*)?{re.escape(words)}", " ", rest, flags=re.IGNORECASE
        )
    return re.sub(r"[ ,]*([.!]*)$", r"\1", " ".join(rest.split()).lstrip(" ,")) if rest.strip(" .") else fact


_ANY_DAY = "2024-06-12T12:00:00Z"


def from_then(clause: str, said_at: Moment, zone: tzinfo | None = None) -> frozenset[str]:
    """The days and years to come, in ISO, of which a clause says that something is otherwise from then on, where only
    that makes a date of them."""
    if is_past(clause):
        return frozenset()
    today = day_of(said_at, zone).isoformat()
    told = (
        resolve(found["day"], said_at, zone, ahead=True)
        for found in _from().finditer(clause)
        if not re.match(rf"\s*(?:{_of('ends_again')})(?!\w)", clause[found.end() :], re.IGNORECASE)
    )
    return frozenset(day for day in told if day and day > today[: len(day)])


@lru_cache(maxsize=1)
def _from() -> re.Pattern[str]:
    weekday = alternatives(english().weekdays)
    return re.compile(
        rf"\b(?:{_of('begins_then')}) (?:(?:this|the) )?(?:coming )?(?P<day>(?:next )?(?:{weekday})|20\d\d)"
        r"(?: (?:morning|afternoon|evening|night))?(?: on(?:wards)?\b)?(?![\w'’-])",
        re.IGNORECASE,
    )


def is_past(text: str) -> bool:
    """Whether a verb of the past stands in a text that is no state ("I'm employed there")."""
    words = tokens(text)
    return any(
        word in _PERFECT or ((word in verbs().past or (word.endswith("ed") and len(word) > 4)) and before not in _BE)
        for before, word in zip(["", *words], words, strict=False)
    )  # fmt: skip


_BE = frozenset({"am", "is", "are", "be", "i'm", "we're", "they're", "he's", "she's", "it's", "get", "gets"})
_PERFECT = frozenset({"been", "was", "were", "had", "did", "used"})


def _of(name: str) -> str:
    return english().alternatives("dates", name)


@lru_cache(maxsize=8)
def _words(name: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{_of(name)})\b", re.IGNORECASE)
