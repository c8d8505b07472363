"""What stands in the place of a fact that gathers its words from all over a line: the clause that says most of them.

Of pairs of a true and a false fact the true one stands more together in its line in .71 to .76, by set (AUC over 2,325
judged facts; docs/log/storage.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...memory.language.kinship import pattern, relations
from ...memory.language.language import english
from ...memory.language.leaning.named import does
from ...memory.language.points import letters as re
from ...memory.language.words import terms, tokens
from .doing import MOST_SAID, said_alone
from .invented_people import names
from .told.fidelity import alike, clauses, details
from .told.scattered import pieces, together
from .told.scene import Scene, leans

NEAR, FAR = 0.85, 0.5
"""Share of a fact's words in one stretch of the line from which it is believed, and below which it goes where no clause
can be told in its place."""
IN_THE_MAIN = 0.7
"""From which a fact isn't given up for a clause that lacks a name or a number of its."""
LEAST = 0.33
"""Share of a fact's words that a clause must have to stand in its place."""
SHORT = 7
"""Words below which a line may answer another."""
_WHO = re.compile(r"\b(?:he|she|him|her|his|hers|they|them|their)\b", re.IGNORECASE)
_ORDER = re.compile(r"(?:do not|don['’]?t|never|please|let) ", re.IGNORECASE)


def nearness(fact: str, scene: Scene) -> float:
    """How much of a fact stands together in what was said: in the line, and where that leans, or may answer another,
    words of the two before it wherever they stand there."""
    speaker, line = scene.line
    leaning = len(line.split()) < SHORT or leans(line)
    older = [said for _, said in scene.before[-2:]] if leaning else []
    kin = (one for row in scene.told() if names(row) & names(fact) for one in relations(row))  # "Ana's partner Themba"
    return together(fact, line, speaker, " ".join([*older, *kin]))


def nearest(fact: str, scene: Scene, near: float) -> str | None:
    """The clause of the line, told alone, that says most of a fact's words; None: none can be told alone, or what says
    most of them lacks a name or number of a fact that stands together in the main."""
    wanted = {*terms(alike(fact))} - {*terms(scene.line.speaker), "user"}
    whom = {*terms(" ".join(names(fact)))}  # whose it is, is what gets mixed up

    def most(told: Iterator[str]) -> str:
        same = ((wanted & {*terms(alike(one))}, one) for one in told)
        found = [(len(some) - 0.5 * len(some & whom), -len(one), one) for some, one in same]
        share, _, said = max(found, default=(0, 0, ""))
        return said if share and share >= LEAST * (len(wanted) - 0.5 * len(wanted & whom)) else ""

    leaning, parts = bool(_WHO.search(fact)), clauses(scene.line.text)
    said = most(_told((part for one in parts for part in pieces(one)), scene, leaning)) or most(
        _told(parts, scene, leaning)
    )
    if not said:
        return None
    lost = (details(fact) & details(scene.line.text)) - {*tokens(said)}
    return None if lost and near >= IN_THE_MAIN else _as_known(said, fact, scene)


def _as_known(said: str, fact: str, scene: Scene) -> str:
    """The clause with what somebody is to the speaker, as the fact and a known row call them: "Ana's ex Beto"."""
    whom = re.match(rf"{re.escape(scene.line.speaker)}'s (?:{pattern(english())}) (?P<name>[A-Z][\w-]*\w)\b", fact)
    if whom is None or not re.match(rf"{whom['name']}\b", said) or not any(whom[0] in row for row in scene.told()):
        return said
    return f"{whom[0]}{said[len(whom['name']) :]}"


def _told(parts: Iterable[str], scene: Scene, leaning: bool) -> Iterator[str]:
    """Those of the parts of a line that can stand alone, as facts."""
    for part in parts:
        said = said_alone(part, scene.line.speaker) if does(part) and not _ORDER.match(part) else None
        if said and len(said.split()) <= MOST_SAID and (leaning or not _somebody_else(said)):
            yield said


def _somebody_else(said: str) -> bool:
    """Whether a clause has "her" before anybody whom that can be."""
    found = _WHO.search(said)
    return found is not None and not re.search(
        r"\b[A-Z][\w-]*\w(?!['’]s name)", said[: found.start()].partition(" ")[2]
    )
