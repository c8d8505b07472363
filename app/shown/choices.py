"""What a question before a forget offers beside yes and no, as buttons: what may stay."""

from __future__ import annotations

from . import events as e
from .forgetting import question as question_of

KEEP_LINES, KEEP_OTHERS = "--keep-lines", "--keep-others"
OFFERED = {KEEP_LINES: "Yes, but keep what was said", KEEP_OTHERS: "Yes, but keep the other facts"}
"""The options as buttons say them."""


def question(asked: e.Asked) -> str:
    """The question without the options to type, which are buttons here."""
    return asked.question if asked.plan is None else question_of(asked.plan)


def offers(asked: e.Asked | None) -> frozenset[str]:
    """Which of `OFFERED` would make a difference; none for what is no question of forgetting."""
    plan = asked.plan if asked is not None else None
    if plan is None:
        return frozenset()
    said = plan.facts and (plan.lines or plan.replies) and not plan.keep_lines
    others = plan.others and not plan.keep_others
    return frozenset(flag for flag, on in ((KEEP_LINES, said), (KEEP_OTHERS, others)) if on)
