"""Things that a number or a letter tells apart ("hive two", "flat B"), and things that were counted ("four hives").

"We gave hive two away" says nothing of hive three, and of four hives three are left.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ..facts.change_words import stands
from ..facts.corrections import signals
from ..language import english
from ..third_person import verbs
from ..words import alternatives


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
