"""An s behind a known name that was typed without its apostrophe: "dans moved out", "kayleighs car"."""

from __future__ import annotations

from collections.abc import Collection, Set
from typing import NamedTuple

from . import letters as re

_SINGLE = "".join(rf"(?<!\b{word} )" for word in ("the", "two", "all", "both", "mr", "mrs", "dr", "st"))
_WITH_S = re.compile(rf"{_SINGLE}(?<![\w'’-])(?P<name>[a-z]{{2,}})s(?= (?P<next>[\w'’]+))")


class Behind(NamedTuple):
    """Words in small letters: `verbs`, before which the s is "is" or "has"; `never`, before which nothing is owned;
    `words` of which no s makes an owner; and what an s makes `another` word or name of."""

    verbs: Set[str]
    never: Set[str]
    words: Set[str]
    another: Set[str]


def with_apostrophes(line: str, people: Collection[str], known: Behind) -> str:
    """With "dan's moved out" for "dans moved out" and "dan's car" for "dans car", where dan is one of `people`, and not
    "Mark's" of "mark marks essays"."""

    def short(found: re.Match[str]) -> str:
        then, name = found["next"], found["name"]
        verb = then in known.verbs or then.isdigit() or (then.endswith(("ed", "ing")) and len(then) > 4)
        owns = verb or (then not in known.never and name not in known.words)
        other = f"{name}s" in known.another or f"{name}s" in people
        return f"{name}'s" if owns and name in people and not other else found[0]

    return _WITH_S.sub(short, line) if people else line
