"""Talks with few questions, for what only asks whether a command does all its steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from chatmem.training.material.templates.talk import GoldTalk


def few(talks: Sequence[GoldTalk], told: int = 1) -> list[GoldTalk]:
    """The talks with so many questions each that were told, one that wasn't, and one aside."""
    some = [[one for one in talk.questions if one.needs is not None][:told] for talk in talks]
    never = [[one for one in talk.questions if one.needs is None][:1] for talk in talks]
    return [
        replace(talk, questions=(*mine, *others), asides=talk.asides[:1])
        for talk, mine, others in zip(talks, some, never, strict=True)
    ]
