"""What the speaker does with somebody, told of the speaker alone: "Tess and I broke up" is "I broke up with Tess".

A small model keeps the one who says "I" and loses the other. English; only what two do with each other is told so, and
only where no third thing follows ("Tess and I broke up a fight").
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from ..kinship import pattern as any_relation
from ..language import english
from ..points import letters as re

_NAME = r"[A-Z][\w-]*[a-z]"
_LISTED = re.compile(rf"(?P<name>{_NAME}), $|\b(?:and|or|with) $|& $")
"""What stands before the one named where there are more than two: "Tom, Tess and I"."""


def told_of_one(line: str) -> str:
    """The line with "I ... with X" in the place of "X and I ...", where it tells what the two do with each other."""
    for found in _two().finditer(line):
        before, who = line[: found.start()], found["who"] or found["after"]
        first, _, rest = who.partition(" ")
        if rest and first[0].isupper() and first.lower() != "my" and first.lower() in _begins():
            before, who = f"{before}{first} ", rest
        listed = _LISTED.search(before)
        if _is_kin(who) and not re.fullmatch(english().table("together", "words")["kin"], found["does"]):
            continue
        if not listed or (listed["name"] or "").lower() in _begins():
            return f"{before}I {_does(found)} {re.sub(r'^M(?=y )', 'm', who)}{line[found.end() :]}"
    return line


def parted_ways(line: str) -> str:
    """The line with "broke up" in the place of "we're over": of a small model's "is over" nobody would know what is."""
    return _over().sub(_as_parted, line)


def _as_parted(found: re.Match[str]) -> str:
    who = found["who"] or "we"
    sure = found["how"].lower() == "over" or re.search(_words()["of_a_couple"], found.string, re.IGNORECASE)
    other = re.sub(r"\b(?:and|me|i)\b", "", who, flags=re.IGNORECASE).strip()
    if not sure or _is_kin(other) or re.search(_words()["not_yet"], found.string[: found.start()], re.IGNORECASE):
        return found[0]
    return f"{'We' if who == 'We' else who} broke up"


@lru_cache(maxsize=1)
def _over() -> re.Pattern[str]:
    somebody = rf"(?:my (?:{any_relation(english())})(?: [\w-]+)?|[\w-]+)"
    return re.compile(
        rf"(?<![\w'’-])(?P<who>we|me and {somebody}|{somebody} and (?:i|me))(?: are|['’]re)(?: {_words()['wholly']})? "
        r"(?P<how>over|done|through|finished)(?=(?: now)?\s*(?:[.,;!…)–—]|$))",
        re.IGNORECASE,
    )


def _words() -> Mapping[str, str]:
    return english().table("together", "words")


def _is_kin(who: str) -> bool:
    """Whether they are somebody to the speaker with whom one is no couple: a sister and "I" are each divorced."""
    language = english()
    roles = {language.relations.get(word, "") for word in who.lower().split()} - {""}
    return bool(roles) and not roles & language.words("matters", "partners")


def _does(found: re.Match[str]) -> str:
    """What one of them does, with the word that joins the other to it: "am no longer together with"."""
    one = english().table("together", "one")
    words = f"{found['helps']} {found['does']}".replace("’", "'").split()
    joined = next(join for join in english().table("together", "joins") if found[join])
    if words[-1] == "together" and not {"not", "longer", "aren't", "weren't", "back"} & {*words}:
        words.pop()
    return " ".join([*(str(one.get(word, word)) for word in words), joined])


@lru_cache(maxsize=1)
def _begins() -> frozenset[str]:
    """Words with a capital at the beginning of a line that are nobody's name."""
    language = english()
    return language.stop | language.words("others", "no_names") | language.calendar


@lru_cache(maxsize=1)
def _two() -> re.Pattern[str]:
    words = english().table("together", "words")
    somebody = rf"(?:[Mm]y (?:[a-z-]+ )?(?:{any_relation(english())})(?: {_NAME})?|{_NAME}(?: {_NAME})?)"
    does = "|".join(f"(?P<{join}>{'|'.join(verbs)})" for join, verbs in english().table("together", "joins").items())
    return re.compile(
        rf"(?<![\w'’-])(?:(?P<who>{somebody}) and (?:I|me)|[Mm]e and (?P<after>{somebody}))"
        rf"(?P<helps>(?: ?\b(?:{words['helps']})\b|['’]ve\b)*?) (?P<does>{does})"
        rf"(?=\s*(?:[.,;:!?)–—]|$)|\s+-|\s+(?:{words['follows']})\b)"
    )
