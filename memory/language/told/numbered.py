"""Things that a number or a letter tells apart ("hive two", "flat B"), and things that were counted ("four hives").

"We gave hive two away" says nothing of hive three, and of four hives three are left.
"""

from __future__ import annotations

from functools import lru_cache

from ..facts.change_words import stands
from ..facts.corrections import signals
from ..facts.over import idle
from ..kinship import plainly_related
from ..language import english
from ..points import letters as re
from ..third_person import verbs
from ..words import alternatives, stem


@lru_cache(maxsize=1)
def _labelled() -> re.Pattern[str]:
    numbers = alternatives(english().numbers)
    label = rf"(?i:{numbers})|\d{{1,3}}|[B-HJ-Z]"
    return re.compile(rf"\b(?P<thing>[a-z]{{3,}}) (?:(?:no\.?|number|#) ?)?(?P<label>{label})\b(?![.,:]\d|['’%])")


@lru_cache(maxsize=1)
def _counted() -> re.Pattern[str]:
    numbers = alternatives(set(english().numbers) - {"zero", "one"})
    return re.compile(rf"\b(?i:{numbers}|[2-9]|\d\d) (?:[a-z-]+ )??(?P<things>[a-z]{{2,}}s)\b")


@lru_cache(maxsize=1)
def _goes_there() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{english().alternatives('matters', 'goes_there')})\b[^,;.]*$", re.IGNORECASE)


def labels(text: str) -> dict[str, set[str]]:
    """The numbers and letters by which a text tells things of one kind apart: {"hive": {"2"}}."""
    language, found = english(), dict[str, set[str]]()
    for each in _labelled().finditer(text):
        thing, label = each["thing"], each["label"].lower()
        if thing in language.stop or thing in language.numbers or thing in verbs().past or thing.endswith(("s", "ed")):
            continue  # "pays 850" and "turned 7" tell nothing apart
        found.setdefault(thing, set()).add(str(language.numbers.get(label, label)))
    return found


def of_another_number(known: str, line: str) -> bool:
    """Whether a fact and a line tell of two things of one kind, each by its own number: hive three and hive two. Not
    where somebody goes from one to the other ("we moved to room 14"), and where the line puts one right."""
    said = labels(line)
    if not said or signals(line).corrects or stands("other_number", line):
        return False
    was = labels(known)
    apart = [thing for thing in said if thing in was and not said[thing] & was[thing]]
    return any(not _goes_there().search(line[: line.lower().index(thing)]) for thing in apart)


def one_of_counted(known: str, line: str) -> bool:
    """Whether the fact counts things ("has four hives") and the line tells of one of them ("hive two", "one of the
    hives"): the others are still there."""
    said, text = labels(line), line.lower()
    for each in _counted().finditer(known):
        things = each["things"]
        one = next((kind for kind in (things[:-1], things[:-2]) if kind in said), None)
        if one is not None or re.search(rf"\b(?:one|another) of (?:[a-z]+ ){{1,2}}?{things}\b", text):
            return True
    return False


_WORD = re.compile(r"[^\W\d_][\w'’-]*|\d+(?:[.,:]\d+)*\w*|[.;:!?–—]+")
_BREAKS = re.compile(r"[.;:!?–—]")
BEFORE, BEHIND = 4, 5
"""Words between a number and what it counts: "three very old, lazy cats", "my cats, there are now three"."""


def counts_another(fact: str, line: str) -> bool:
    """Whether a fact counts things of which the line speaks, with a number that the line says of something else: "has
    six kids" of "six left. then I see my kids"."""
    said = _spelled(line)
    return any(
        thing in said and number in said and not _counted_so(number, thing, said) for number, thing in _counts(fact)
    )


def counted_otherwise(known: str, line: str) -> bool:
    """Whether a line speaks of things that a fact counts, and the numbers in it all count something else."""
    said = _spelled(line)
    numbers = {one for one in said if one.isdigit()}
    things = [thing for _, thing in _counts(known) if thing in said]
    return bool(numbers) and bool(things) and not any(_counted_so(one, things[0], said) for one in numbers)


def _counts(fact: str) -> list[tuple[str, str]]:
    """Each number from two on with the stem of what it counts, the last of the words behind it."""
    said, found = _spelled(fact.replace(",", ";")), list[tuple[str, str]]()
    for at, word in enumerate(said):
        things = _behind(said, at) if word.isdigit() and int(word) > 1 else []
        found += [(word, things[-1])] if things and things[-1] not in _told_anew() else []
    return found


@lru_cache(maxsize=1)
def _told_anew() -> frozenset[str]:
    """Stems that may stand in a fact where none of its line did, and measures: "years old", "euros"."""
    return frozenset(stem(one) for one in english().words("doing", "retelling")) | idle()


def _counted_so(number: str, thing: str, said: list[str]) -> bool:
    """Whether the number stands before the thing with no other word than what tells more of it, or behind it in the
    same sentence."""
    if any(thing in _behind(said, at) for at, word in enumerate(said) if word == number):
        return True
    places = [at for at, word in enumerate(said) if word == thing]
    return any(number in _sentence(said[at + 1 : at + 2 + BEHIND]) for at in places)


def _behind(said: list[str], at: int) -> list[str]:
    """The words behind a number that may be what it counts: up to the next small word ("of the" aside) or number."""
    end, found = at + 1, list[str]()
    while end < len(said) and len(found) < BEFORE and said[end] not in _ends() and not said[end].isdigit():
        if said[end] == "of":
            end += 2
            continue
        found.append(said[end])
        end += 1
    return found


def _sentence(said: list[str]) -> list[str]:
    return said[: next((at for at, one in enumerate(said) if _BREAKS.match(one)), len(said))]


@lru_cache(maxsize=1)
def _ends() -> frozenset[str]:
    none = {"of", "other", "more", "own", "all", "very"}
    return (english().stop - none) | {*english().alternatives("matters", "more").split("|")} | {*".;:!?–—"}


def _spelled(text: str) -> list[str]:
    """The stems of the words, numbers in figures, relations in one word, and the points between sentences."""
    text = re.sub(r"(?<=\w)['’]s\b", " . ", plainly_related(text))
    words = [one.lower() for one in _WORD.findall(text)]
    return [str(english().numbers.get(one, one if one in english().stop else stem(one))) for one in words]
