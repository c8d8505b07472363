"""Talks with few questions, for what only asks whether a command does all its steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from chatmem.training.material.templates.talk import GoldTalk


def few(talks: Sequence[GoldTalk]) -> list[GoldTalk]:
    """The talks with three questions each that were told, and one that wasn't."""
    told = [[one for one in talk.questions if one.needs is not None][:3] for talk in talks]
    never = [[one for one in talk.questions if one.needs is None][:1] for talk in talks]
    return [
        replace(talk, questions=(*some, *others), asides=talk.asides[:1])
        for talk, some, others in zip(talks, told, never, strict=True)
    ]
