"""What every data set is made of, whichever file it comes from: sessions, and the turns in them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Utterance:
    """One turn of a data set. `facts` are the human-written ones, first person; `id` where the data has one."""

    speaker: str
    text: str
    facts: str = ""
    id: str = ""


@dataclass(frozen=True, slots=True)
class Sitting:
    """One session: its turns and, where the data tells it, when it was (ISO 8601)."""

    turns: tuple[Utterance, ...]
    at: str | None = None
