"""What a question before a forget offers beside yes and no, as buttons: what may stay."""

from __future__ import annotations

from ...chat.forgetting import KEEP_LINES, KEEP_OTHERS
from ...shown import events as e
from ...shown.forgetting import question as question_of

OFFERED = (KEEP_LINES, KEEP_OTHERS)


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
