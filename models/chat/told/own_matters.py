"""What a plain question for the asker's own work or home asks of: the facts that tell it by their matter.

"What do I do for a living?" has no word in common with "Ana is a weather presenter", and no meaning that is near; that
the fact tells of a job, its form says (`memory/language/facts/matters.py`). English.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....memory.language.asked.forms import forms_of
from ....memory.language.asked.personal import unwrapped
from ....memory.language.facts.areas import area
from ....memory.language.facts.matters import About, parts
from ....memory.language.language import english
from ....memory.language.points import letters as re
from ....memory.values import Memory

MOST = 3
"""Facts of one matter that are read out: more of them are no plain matter."""
_ASKED = {kind: re.compile("|".join(forms)) for kind, forms in english().table("questions", "own_matters").items()}
_WAS = re.compile(english().alternatives("questions", "former_job"))
_NOW = re.compile(r"(?: now| these days| nowadays| at the moment| again| currently)+$")
_OVER = re.compile(rf"\b(?:{english().alternatives('matters', 'given_up')})\b", re.IGNORECASE)


def own_matter(question: str, subject: str, rows: Sequence[Memory]) -> list[Memory]:
    """The current facts that tell it, newest first; none where something else is asked, nothing tells it or too much
    does. `subject`: under what the facts tell of the asker."""
    core = unwrapped(question, forms_of("en")).lower().replace("’", "'").strip(" ?!.")
    past = bool(_WAS.fullmatch(core))
    kind = "job" if past else next((kind for kind, form in _ASKED.items() if form.fullmatch(_NOW.sub("", core))), None)
    if kind is None:
        return []
    names = {*subject.lower().split(), subject.lower(), "user"}
    found = [row for row in rows if (past or not _OVER.search(row.fact)) and _tells(parts(row.fact), kind, names)]
    if not found and kind == "job":
        found = [row for row in rows if row.subject == subject and _does(row, names)]
    return found if len(found) <= MOST else []


def _tells(told: Sequence[About], kind: str, names: set[str]) -> bool:
    return any(
        matter.kind.split(".")[0] == kind
        for part in told
        if part.owner is None and not part.holder.roles and part.holder.names and part.holder.names <= names
        for matter in part.matters
    )


def _does(row: Memory, names: set[str]) -> bool:
    """Whether it tells what the asker does at work, by its topic: "Ana tunes pianos."."""
    begun = re.match(r"([\w' -]+?) [a-z]+s\b", row.fact)
    return area(row.topic, row.fact) == "work" and begun is not None and begun[1].lower() in names
