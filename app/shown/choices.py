"""What a question before a forget offers beside yes and no, as buttons: what may stay."""

from __future__ import annotations

import sys

from rich.cells import cell_len

from ...memory.forget.asking import wish_of
from ...memory.forget.orders.half import half_answer
from ...memory.forget.orders.refused import refuses
from ...memory.forget.wanted.picked import picked
from ...memory.language.own_name import agrees, goes_on_then
from ...memory.language.words import content
from ...memory.values import ForgetPlan
from . import events as e
from .forgetting import head, how_much
from .forgetting import question as question_of

KEEP_LINES, KEEP_OTHERS = "--keep-lines", "--keep-others"
OFFERED = {KEEP_LINES: "Yes, but keep what was said", KEEP_OTHERS: "Yes, but keep the other facts"}
"""The options as buttons say them."""


def question(asked: e.Asked) -> str:
    """The question without the options to type, which are buttons here; with the word to type where no yes does."""
    if asked.word:
        return f"{asked.question}\n{prompt(asked).strip(' :')}."
    return asked.question if asked.plan is None else question_of(asked.plan)


AGAIN = "To be asked again: {}"
"""After a line that says neither."""


def passed_over(asked: e.Asked) -> str:
    """What is told after a line that says neither yes nor no, and how to be asked again where a line can do that."""
    kept = "Nothing was erased." if asked.line else declined(asked)
    return f"{kept} {AGAIN.format(asked.again)}" if asked.again.startswith("/") else kept


def dropped(asked: e.Asked) -> str:
    """The same where a button or a line asks again, and no command has to be typed."""
    return f"Nothing was erased; {ASK_AGAIN}" if _erases(asked) else declined(asked)


ASK_AGAIN = "ask again if you still want it gone."


def declined(asked: e.Asked) -> str:
    """What is told after a no."""
    if asked.line:
        return "Nothing was erased; your line is kept as you told it."
    return f"Nothing was {'erased' if _erases(asked) else 'done'}; all stays as it was."


def _erases(asked: e.Asked) -> bool:
    return asked.plan is not None or asked.command.startswith("/reset")


ALL = "all"
"""The answer that shows all of a question that is longer than the screen."""
_MORE = f"Some of it is only counted here; type “{ALL}” to see all of it."
_STEPS = (48, 24, 16, 12, 8, 6, 4, 3, 2, 1, 0)
_FEW = 2
"""How many of each kind are shown before the options to type are."""


def on_screen(asked: e.Asked, columns: int, rows: int) -> str:
    """The question as a screen of this size shows it: as it is where it fits, else with as many of each kind as there
    is room for, the others counted, and what is asked and how to see all of it at the end."""
    if asked.plan is None or _rows(asked.question, columns) <= rows:
        return asked.question
    end = f"{_MORE}\n{head(asked.plan)}"
    tried = [(most, command) for command in (f"{asked.again} ", "") for most in _STEPS if most >= _FEW or not command]
    for most, command in tried:
        text = f"{question_of(asked.plan, command, most).partition(chr(10))[2]}\n{end}"
        if _rows(text, columns) <= rows:
            break
    return text


def whole(asked: e.Asked) -> str:
    """All of the question, with what is asked at the end as well."""
    if asked.plan is None:
        return asked.question
    return f"{question_of(asked.plan, f'{asked.again} ', sys.maxsize)}\n{head(asked.plan)}"


ANSWERS = " [y/N] "


def prompt(asked: e.Asked) -> str:
    """What stands behind a question that is answered by a line."""
    return f" Type “{asked.word}” to do it; anything else keeps it all: " if asked.word else ANSWERS


def once_more(asked: e.Asked, line: str) -> str:
    """What to type, where a line says yes to a question that takes more than that; else empty."""
    if not asked.word or not agrees(line):
        return ""
    return f"Nothing is done yet: to have it all erased, type “{asked.word}”; anything else keeps it."


STANDS = "Nothing is {} yet, and the question stands: {}."
"""After half an answer, with what can be said."""
PICKS = " “Only” or “all but” with a number (#{}), a place (“the first”) or words of it picks some of it."
NO_MORE = " Of that line nothing else is kept: say the rest in a line of its own, once this is settled."


def waits(asked: e.Asked, line: str, question: str = "") -> str:
    """What to tell after a line that is no answer yet, so that the question stays open: it doesn't type the word that
    is asked for, answers by half, or asks what was asked, for which the `question` stands before; else empty."""
    if more := once_more(asked, line):
        return more
    plan = asked.plan
    shown = (*plan.facts, *plan.others) if plan is not None else ()
    if agreed(asked, line) is not None or picked(line, shown) is not None or wish_of(line) is not None:
        return ""
    half = half_answer(line, _stems(plan) if plan is not None else frozenset())
    if half is None:
        return ""
    answers = f"type “{asked.word}” to have it all erased, or “no”" if asked.word else (
        "“yes” erases it, “no” keeps it" if _erases(asked) else "“yes” does it, “no” leaves all as it is"
    )  # fmt: skip
    told = STANDS.format("erased" if _erases(asked) else "done", answers)
    told += PICKS.format(shown[0].id) if len(shown) > 1 else ""
    told += NO_MORE if half == "half and more" else ""
    return f"{question}\n{told}".strip() if half == "asks" else told


def _stems(plan: ForgetPlan) -> frozenset[str]:
    """What was shown to go, by the stems of its words and by its numbers."""
    facts = (*plan.facts, *plan.others, *plan.insights)
    texts = [*(f"{one.topic} {one.fact}" for one in facts), *plan.earlier, *(turn.text for turn in plan.lines)]
    return frozenset(str(one.id) for one in facts).union(*map(content, texts))


def agreed(asked: e.Asked, line: str) -> bool | None:
    """Whether a line agrees to what is asked, or says no; None: it says neither."""
    if refuses(line):
        return False
    if not asked.word:
        return True if goes_on_then(line) else agrees(line)
    if line.strip(" \t\r\n.!\"'“”‘’").casefold() == asked.word:
        return True
    return False if agrees(line) is False else None


def _rows(text: str, columns: int) -> int:
    return sum(-(-max(1, cell_len(line)) // max(1, columns)) for line in text.split("\n"))


def offers(asked: e.Asked | None) -> frozenset[str]:
    """Which of `OFFERED` would make a difference; none for what is no question of forgetting."""
    plan = asked.plan if asked is not None else None
    if plan is None:
        return frozenset()
    said = plan.facts and (plan.lines or plan.replies) and not plan.keep_lines
    others = plan.others and not plan.keep_others
    return frozenset(flag for flag, on in ((KEEP_LINES, said), (KEEP_OTHERS, others)) if on)


def agreeing(asked: e.Asked | None) -> str:
    """What the button says that does all that is asked about: how much that is, where some of it may stay."""
    plan = asked.plan if asked is not None and offers(asked) else None
    return "Yes" if plan is None else f"Yes, all of it ({how_much(plan)})"
