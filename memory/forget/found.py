"""What is asked to be forgotten, and all that was found of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..values import ForgetPlan
from .telling import Signs, Words


@dataclass(frozen=True)
class Asked:
    """What is to be forgotten, by its ids, and what the person chose to keep."""

    user_id: int
    facts: tuple[int, ...] = ()
    lines: tuple[int, ...] = ()
    keep_lines: bool = False
    keep_others: bool = False
    parts: tuple[tuple[int, int], ...] = ()
    keep_apart: bool = False

    @classmethod
    def by(cls, plan: ForgetPlan) -> Asked:
        """What a plan was made for."""
        return cls(
            plan.user_id, plan.asked_facts, plan.asked_lines, plan.keep_lines, plan.keep_others, plan.asked_parts,
            plan.keep_apart,
        )  # fmt: skip


@dataclass
class Found:
    """All that goes: what is shown of it (`plan`), every row that belongs to it, and its words."""

    plan: ForgetPlan
    rows: set[int]
    turns: list[int]
    words: Words
    """What stands nowhere else by right."""
    signs: Signs = field(default_factory=Signs)
    """By what names of sessions and typed lines are known to hold it."""
