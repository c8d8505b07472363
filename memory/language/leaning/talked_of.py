"""Of whom a talk goes on to tell: a line that begins with "he" or "her" names them, though some lines lie between.

Of "His right hand hardly works" after a line about an appointment a small model makes the hand of whoever is named
nearest. Lines are looked through backwards, past those that name nobody who can be meant; where somebody may be meant
and it isn't plain, the line stays as it is. English.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from ..about_others import men, named_again, women
from ..kinship import relations
from ..language import english
from ..words import tokens

_BEGINS = re.compile(
    rf"^(?:(?:{english().alternatives('others', 'before_pronoun')})\b,?\s+)*(?P<who>he|she|his|her)\b", re.I
)
_HIS = re.compile(
    rf"^(?P<opening>(?:(?:{english().alternatives('others', 'before_pronoun')})\b,?\s+)*)(?P<who>his|her) (?=[a-z])",
    re.I,
)
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
        if _somebody(before, female, known):
            return line
    return line


def _somebody(line: str, female: bool, known: Collection[str]) -> bool:
    """Whether a line speaks of somebody who may be meant, though it isn't plain who."""
    words = {*tokens(line.replace("’", "'"))}
    kin = relations(line) - (men() if female else women())
    if words & (_HE if female else _SHE) and not words & (_SHE if female else _HE):
        return False  # of the other sex
    if _BEGINS.match(line) and not kin:
        return False  # it goes on itself
    workers = words & (english().words("others", "workers") | english().words("others", "anybody"))
    return bool(kin or workers or {one.lower() for one in known} & words)
