"""What a line tells of somebody by the way, as sentences of their own: "my son Leo, 4, and Ada, who lives in Bonn".

A small model loses what stands between commas, or tells it of somebody else. An age and a clause with "who" are taken
out and told behind the sentence: "my son Leo and Ada. My son Leo is 4. Ada lives in Bonn." English; the line that is
kept stays as it was typed.
"""

from __future__ import annotations

from functools import lru_cache

from ..kinship import pets, relations
from ..language import english
from ..points import letters as re
from ..points.abbreviated import hidden, shown
from ..third_person import verbs
from ..words import alternatives, tokens
from .dropped import with_subjects
from .figures import SENTENCE, with_figures
from .jotted import jotted
from .named import HELPING, NAME, does

_UNITS = r"(?! ?(?:years?|months?|weeks?|days?|hours?|min\w*|miles|km|kg|%|euros?|pounds?|dollars?|quid|am|pm)\b)"
PAGE = 2_000
"""Letters of a text that nobody says: its sentences without a subject are each held against those before."""
LONGEST = 40
"""Words of a sentence that is looked at."""
_BEFORE = ("in ", "at ", "from ", "near ", "to ", "i'm ", "i’m ", "am ", "name is ", "room ", "on ", "of ", "the ")


def as_sentences(line: str) -> str:
    """The line with each statement that can stand by itself as a sentence; a page of text stays as it is, and so does
    a jotting, of which each piece tells of the one before the colon."""
    return line if len(line) > PAGE or jotted(line) else apposed(with_figures(with_subjects(line)))


def apposed(line: str) -> str:
    """The line with such asides as sentences; unchanged where it has none."""
    text = hidden(line)
    if not re.search(r"[,(] ?(?:who\b|\d|(?:my|our|an?) )", text):
        return line
    told = SENTENCE.sub(lambda one: _told(one[0]), text)
    return line if told == text else shown(told).strip()


def _told(sentence: str) -> str:
    """A sentence with what it says of somebody by the way told behind it; in a very long one nobody knows where that
    ends."""
    if len(sentence.split()) > LONGEST or sentence.rstrip().endswith("?"):
        return sentence
    asides: list[str] = []
    rest = _age().sub(lambda found: _taken(found, f"is {found['age'] or found['aged']}", asides), sentence)
    rest = _beside().sub(lambda found: _named(found, asides), rest)
    while (found := _clause(rest)) is not None:
        span, who, says = found
        asides.append(f"{who[:1].upper()}{who[1:]} {says}")
        rest = f"{rest[: span[0]]}{rest[span[1] :]}"
    if not asides:
        return sentence
    body = rest.rstrip()
    mark = body[-1:] if body[-1:] in ".!" else "."
    return (
        f"{' ' * sentence.startswith(' ')}{body.strip(' .!,')}{mark} {'. '.join(asides)}." if mark != "?" else sentence
    )


def _taken(found: re.Match[str], says: str, asides: list[str]) -> str:
    who, before = found["who"], found.string[: found.start()]
    low = who.lower().split()[-1]
    rest, year = found.string[found.end() :], int(found["age"] or found["aged"]) > 109
    if year or low in _no_people() or before.lower().endswith(_BEFORE) or re.search(r"\d[,;] *$", before):
        return found[0]
    if who[0].isupper() and " " not in who and not does(before) and not _is_finite(rest):  # "hey, Mateus, 19, Recife"
        return found[0]
    asides.append(f"{who[:1].upper()}{who[1:]} {says}")
    goes_on = not found[0].endswith(",") or _is_finite(rest) or re.match(r" (?:and|but|or)\b", rest)
    return who if goes_on else f"{who},"


def _named(found: re.Match[str], asides: list[str]) -> str:
    """Whom a sentence names, with what they are told behind it: "Mrs Quinn, our vice principal, thinks so"."""
    word = " " not in found["who"] and found["who"].lower() in english().lexicon  # "Sorry, my mistake, ..."
    if word or not _is_finite(found.string[found.end() :]) or does(found["what"]) or relations(found["what"]):
        return found[0]
    asides.append(f"{found['who'][:1].upper()}{found['who'][1:]} is {found['what']}")
    return found["who"]


def _clause(sentence: str) -> tuple[tuple[int, int], str, str] | None:
    """Where a clause with "who" stands in the sentence, of whom it tells, and what."""
    for found in _who().finditer(sentence):
        rest, before = sentence[found.end("joint") :], sentence[: found.start()]
        if before.count("(") > before.count(")"):
            continue
        subject = not does(re.split(r"[,;] ", sentence[: found.start()])[-1])
        alone = not does(before)
        end = next((one.start() for one in re.finditer(",", rest) if _goes_on(rest[one.end() :], subject, alone)), None)
        if end is None:
            if alone:
                continue  # "Ana, who knows" is no sentence
            end = len(rest.rstrip(" .!?\n,"))
        says = rest[:end].strip()
        if says and _is_finite(says) and found["who"].lower().split()[-1] not in _no_people():
            comma = 1 if rest[end : end + 1] == "," else 0
            return (found.end("who"), found.end("joint") + end + comma), found["who"], says
    return None


def _is_finite(says: str) -> bool:
    """Whether words begin with what somebody does."""
    first, known = (tokens(says.replace("’", "'")) or [""])[0], verbs()
    said = first in known.third | known.past | known.modals | known.finite | known.adverbs | HELPING
    return said or (len(first) > 3 and first.endswith(("s", "ed")) and not first.endswith("ss"))


def _goes_on(rest: str, subject: bool, alone: bool) -> bool:
    """Whether the sentence goes on behind a comma: with its verb, where somebody is its subject, or with somebody else
    or a clause of its own, where a verb stands before (not `alone`)."""
    if subject and _is_finite(rest):
        return True
    which = english().alternatives("relations", "which_one")  # "and little Tom"
    next_one = rf" (?:(?:and|but|so) )?(?:(?:(?:{which}) )?{NAME}|I|we|my|our|she|he|they|it)\b"
    return not alone and re.match(next_one, rest) is not None


@lru_cache(maxsize=1)
def _no_people() -> frozenset[str]:
    days = english().weekdays
    return frozenset({*english().months, *days, *(f"{day}s" for day in days), *english().stop, "room", "line", "route"})


def _somebody() -> str:
    known = english()
    kin = alternatives({*known.relations, *known.words("others", "workers"), *pets()})
    return rf"(?:(?i:my|our) (?:[a-z-]+ ){{0,2}}?(?:{kin})(?: {NAME})?|{NAME})"


@lru_cache(maxsize=1)
def _who() -> re.Pattern[str]:
    return re.compile(rf"\b(?P<who>{_somebody()})(?P<joint>, who )(?=[\w'’]+)")


@lru_cache(maxsize=1)
def _beside() -> re.Pattern[str]:
    """Somebody, and what they are between two commas, at the beginning of a sentence."""
    return re.compile(
        rf"(?<![\w,;] )(?P<who>{_somebody()}), (?P<what>(?i:my|our|an?) (?:[a-z-]+ ){{0,3}}[a-z-]+),(?= [a-z])"
    )


@lru_cache(maxsize=1)
def _age() -> re.Pattern[str]:
    return re.compile(
        rf"\b(?P<who>{_somebody()})(?: \((?P<aged>\d{{1,3}})\)"
        rf"|, (?P<age>\d{{1,3}})\b{_UNITS}(?!['’.,:/-]?\d)(?=\s*(?:[,.;!)]|and\b(?! a half)|but\b|$)),?)"
    )
