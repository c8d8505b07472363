"""What was told of the asker as if it had been told of somebody else: words and meaning stay, and it answers nothing.

"When is my birthday?" has most in common with a neighbour's birthday; no talk holds enough of such neighbours.
"""

from __future__ import annotations

import random
import re

from ....memory.language.third_person import to_third_person
from ....models.chat.reader.owner import owner_of
from ...material.speaker_names import NAMES
from .reader_fit import Case

RELATIONS = (
    "cousin", "neighbour", "sister", "brother", "aunt", "uncle", "friend", "boss", "flatmate", "colleague",
    "mother-in-law", "nephew", "daughter", "son", "mother", "father",
)  # fmt: skip


def of_another(case: Case, place: int, rng: random.Random) -> str | None:
    """As a cross-encoder is shown it, a sentence of the case told of somebody else of the asker's; None: the question
    isn't about the asker's own by its form, or the sentence doesn't tell of the asker."""
    owner = owner_of(case.text)
    if owner is None or owner.kin:
        return None
    who = f"{rng.choice(RELATIONS)} {rng.choice(NAMES[:-1])}"
    said, shown = case.sentences[place], case.shown[place]
    if shown.startswith(f"{case.asker}: "):
        told = to_third_person(said, f"my {who}")
        return f"{case.asker}: {told}" if f"y {who}" in told and not _mine(told, who) else None
    named = re.sub(rf"\b{re.escape(case.asker)}\b", f"{case.asker}'s {who}", said, count=1)
    rest = named.partition(who)[2]
    return named if named != said and not re.search(rf"\b{re.escape(case.asker)}\b", rest) else None


def _mine(told: str, who: str) -> bool:
    """Whether the asker is still spoken of beside them."""
    return bool(re.search(r"\b(?:i|me|my|we|us|our)\b", re.sub(rf"my {re.escape(who)}", "", told, flags=re.I), re.I))
