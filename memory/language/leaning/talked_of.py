"""Of whom a talk goes on to tell: a line that begins with "he" or "her" names them, though some lines lie between.

Of "His right hand hardly works" after a line about an appointment a small model makes the hand of whoever is named
nearest. Lines are looked through backwards, past those that name nobody who can be meant; where somebody may be meant
and it isn't plain, the line stays as it is. English.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache

from ..about_others import men, named_again, women
from ..kinship import pets, relations
from ..language import english
from ..points import letters as re
from ..third_person import verbs
from ..words import alternatives, tokens

_BEGINS = re.compile(
    rf"^(?:(?:{english().alternatives('others', 'before_pronoun')})\b,?\s+)*(?P<who>he|she|his|her)\b", re.I
)
_HIS = re.compile(
    rf"^(?P<opening>(?:(?:{english().alternatives('others', 'before_pronoun')})\b,?\s+)*)(?P<who>his|her) (?=[a-z])",
    re.I,
)
_PLACING = frozenset({"in", "to", "at", "from", "near", "of", "for", "around", "via"})
_SHE, _HE = frozenset({"she", "her", "hers", "she's"}), frozenset({"he", "his", "him", "he's"})


def named_in_talk(line: str, earlier: Sequence[str], speaker: str, known: Collection[str] = ()) -> str:
    """The line with who is meant in the place of the pronoun that it begins with; unchanged where that isn't plain.

    `earlier`: the speaker's lines before it, oldest first; `known`: names of people.
    """
    begun = _BEGINS.match(line)
    if begun is None:
        return named_again(line, earlier[-1], speaker, known) if earlier else line
    female = begun["who"].lower() in _SHE
    asked = _HIS.sub(
        lambda own: f"{own['opening']}{'she' if female else 'he'} owns ", line
    )  # as "he" would stand there
    for before in reversed(earlier):
        named = named_again(asked, before, speaker, known)
        if named != asked:
            return named.replace(" owns ", "'s ", 1) if asked != line else named
        if who := _one_who_goes_on(before, female, known):
            return _put(line, begun, who, owned=asked != line)
        if (pet := _pet(before)) and not _somebody(_pets().sub("", before), female, known):
            return _put(line, begun, pet, owned=asked != line)
        if pet or _somebody(before, female, known):
            return line
    return line


def _one_who_goes_on(line: str, female: bool, known: Collection[str]) -> str:
    """The one known person whom a line names, where that goes on with "he" or "she" itself: "Keith rang while I was
    out. He can't come."; empty for none, for several, and where it speaks of kin, of anybody else or of an animal."""
    named = [one for one in dict.fromkeys(_NAMES.findall(line)) if one in known]
    words = {*tokens(line.replace("’", "'"))}
    if len(named) != 1 or relations(line) or words & (_HE if female else _SHE):
        return ""
    lists = english().words("others", "workers") | english().words("others", "anybody") | pets()
    if {*words, *(one.removesuffix("s") for one in words)} & lists or _SOMEBODY.search(line):
        return ""
    begins = re.search(rf"(?:^|[.!?] ){named[0]}\b(?!['’])", line)
    pronoun = re.search(r"\b(?:she|her|hers)\b" if female else r"\b(?:he|his|him)\b", line, re.IGNORECASE)
    return named[0] if begins and pronoun and begins.end() < pronoun.start() else ""


_NAMES = re.compile(r"\b[A-Z][\w-]*\w")
_SOMEBODY = re.compile(
    r"\b(?:(?:an?|the|his|her|their|this|new) (?:[a-z-]+ ){0,2}?"
    r"(?:[a-z]+(?:er|or|ist|man|woman|mate|ant|ee|ian)|boss|coach|puppy|kitten|baby|friend|ex|pal|horse|pony)"
    r"|had (?:an?|her|the) baby)\b", re.IGNORECASE,
)  # fmt: skip
"""Somebody by what they do or are, or an animal."""


def _pet(line: str) -> str:
    """The one animal that a line tells of, as its owner would name it: "My cat Figaro"; empty for none or several."""
    found = list(_pets().finditer(line))
    if len(found) != 1 or found[0]["several"]:
        return "several" if found else ""
    return " ".join(filter(None, ("My", found[0]["kind"].lower(), found[0]["name"])))


def _put(line: str, begun: re.Match[str], who: str, *, owned: bool) -> str:
    """The line with who is meant in the place of its pronoun; unchanged where nobody is."""
    if who == "several":
        return line
    rest = line[begun.end("who") :]
    if owned:
        rest = f"'s{rest}"
    elif rest[:2] in ("'s", "’s") and _BEING.match(rest[2:]):
        rest = f" is{rest[2:]}"
    return f"{line[: begun.start('who')]}{who}{rest}"


@lru_cache(maxsize=1)
def _pets() -> re.Pattern[str]:
    kinds = alternatives(pets())
    return re.compile(
        rf"\b(?i:my|our|an?|the|this)(?: (?!and\b)[a-z-]+){{0,3}}? (?P<kind>(?i:{kinds}))\b(?P<several>s\b)?"
        rf"(?!'s|’s)(?:{_PET_NAME.pattern})?"
    )


_BEING = re.compile(r" (?:an?|the|not|so|very|in|at|on|now|\w+ing)\b")
_PET_NAME = re.compile(r",? (?:(?:called|named|by the name of) )?(?P<name>[A-Z][\w-]*[a-z])\b")


def names_somebody(line: str) -> bool:
    """Whether a line names somebody or something that is no place by the word before it."""
    for found in re.finditer(r"(?:(?P<before>[\w'’]+),? )?\b(?P<name>[A-Z][\w-]*[a-z])\b", line):
        low = found["name"].lower()
        idle = english().stop | english().months.keys() | english().weekdays.keys()
        if low in idle or (found["before"] or "").lower() in _PLACING:
            continue
        begins = (
            not line[: found.start("name")].rstrip(" \"'“‘(") or line[: found.start("name")].rstrip()[-1:] in ".!?:"
        )
        if not begins or _is_done_by(line[found.end() :]):
            return True
    return False


def _is_done_by(rest: str) -> bool:
    """Whether what somebody does follows: "Figaro sleeps", and not "Yesterday we"."""
    word = next(iter(tokens(rest)), "")
    does = word in verbs().third or (word.endswith("s") and word[:-1] in verbs().base | verbs().either)
    return does or word in ("is", "was", "has") or rest[:2] in ("'s", "’s")


def _somebody(line: str, female: bool, known: Collection[str]) -> bool:
    """Whether a line speaks of somebody who may be meant, though it isn't plain who."""
    words = {*tokens(line.replace("’", "'"))}
    kin = relations(line) - (men() if female else women())
    if words & (_HE if female else _SHE) and not words & (_SHE if female else _HE):
        return False  # of the other sex
    if _BEGINS.match(line) and not kin:
        return False  # it goes on itself
    if {word.removesuffix("s") for word in words} & pets() or names_somebody(line):
        return True
    workers = words & (english().words("others", "workers") | english().words("others", "anybody"))
    return bool(kin or workers or {one.lower() for one in known} & words)
