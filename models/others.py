"""Lines about somebody else by name: "Mia moved to Porto" is told to the storage model as Mia would say it.

Its training knows people who tell of themselves; of "Mia lives in Berlin" it makes a home of the speaker's own.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple

from ..memory.words import STOP, tokens

_OPENING = r"(?:(?:actually|well|oh|yes|no|and|so|also|but|now|by the way|guess what|you know)\b[,:!]?\s+)*"
_NAME = r"[A-Z][a-z]+(?:-[A-Z][a-z]+)?"
_PERSONAL = (
    "lives lived moved works worked likes loves hates loved studies studied quit started married plays played speaks "
    "teaches taught drives owns adopted became bought turned prefers collects enjoys sings cooks retired graduated "
    "has had got went wants needs left came won lost broke"
)
"""What people do rather than things; after these even the first word of a line is taken for a name."""
_ANY = f"{_PERSONAL} is was will just can now".replace(" ", "|")
_LINE = re.compile(rf"^(?P<opening>(?i:{_OPENING}))(?P<name>{_NAME})\s+(?P<verb>{_ANY})\b")
_CLAUSE = re.compile(r"(?<=[.!?;])\s+|,?\s+(?:and|but)\s+(?=(?:I|i|my|we|our)\b)")
_SELF = frozenset({"i", "im", "ive", "me", "my", "we", "our", "us", "mine", "you", "your"})
_OTHER_WORDS = (
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june july august "
    "september october november december today yesterday tomorrow everyone everybody someone somebody nobody nothing "
    "something everything dinner lunch breakfast work school weather life traffic mom mum dad people one hes shes "
    "nature home college university church class court town bed prison supper tea coffee water milk beer wine food "
    "bread meat fish chicken pizza cake chocolate music art math maths history geography biology chemistry physics "
    "science literature psychology philosophy engineering english french spanish german sport sports football soccer "
    "baseball basketball tennis golf hockey cricket rugby yoga dance money time love health sleep death age family "
    "rain snow summer winter spring autumn fall christmas easter halloween thanksgiving business retirement marriage "
    "childhood technology politics religion news space luck fun hair homework housework rent internet television tv "
    "kids parents friends right well never probably mostly definitely even maybe mine yours hey yeah great"
)
_NO_NAMES = frozenset(_OTHER_WORDS.split())


class Told(NamedTuple):
    """Of whom a line tells, and the line as they would say it."""

    name: str
    line: str


def about_another(line: str, speaker: str, known: Collection[str] = (), *, surely: bool = True) -> Told | None:
    """Whom a line is about, when it is about one other person by name alone. `known`: names that the memory knows.

    A name at the very beginning may be any word with a capital, so there it must be known or do what people do, unless
    a guess will do (`surely=False`).
    """
    found = _LINE.match(line.strip())
    if found is None or line.rstrip().endswith("?") or {*tokens(line)} & _SELF:
        return None
    name, low = found["name"], found["name"].lower()
    if low in STOP or low in _NO_NAMES or low == speaker.lower() or low.endswith("ing"):
        return None
    if surely and not found["opening"] and name not in known and found["verb"] not in _PERSONAL.split():
        return None
    return Told(name, f"{found['opening']}I {line.strip()[found.start('verb') :]}")


def apart(line: str, speaker: str, known: Collection[str] = ()) -> tuple[str, list[str]]:
    """What a line tells besides, and its clauses about others by name; a line of one kind alone stays whole."""
    clauses = [clause.strip() for clause in _CLAUSE.split(line) if clause and clause.strip()]
    others = [clause for clause in clauses if about_another(clause, speaker, known)]
    rest = [clause for clause in clauses if clause not in others]
    return (". ".join(rest), others) if others and rest else (line, [])
