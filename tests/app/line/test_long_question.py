"""What is asked before much is forgotten stays on the screen: what there is no room for is counted, and can be seen."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import takewhile
from pathlib import Path

import pytest

from chatmem.app.shown import choices
from chatmem.app.shown import events as e
from chatmem.app.shown.forgetting import question
from chatmem.memory.store.store import Store
from chatmem.memory.values import ForgetPlan, Memory, Turn
from tests.app.line.test_terminal import ESCAPES, READY, Terminal

WISH, ASKED = "forget everything about Zeb", "Erase this for good? In all 40 facts and 1 typed line. [y/N]"
AT = "2026-05-08T09:00:00Z"
FACTS = tuple(Memory(n, 1, "Zeb", "goats", f"Zeb keeps goat {n}.", None, AT, AT) for n in range(1, 41))
LINES = tuple(Turn(n, 1, 1, "User", f"Zeb has goat {n}, " + "a good one, " * (n % 20), AT) for n in range(1, 41))


def asked_for(plan: ForgetPlan) -> e.Asked:
    return e.Asked(question(plan, "/forget 1 "), "/forget 1 --yes", plan)


@pytest.mark.parametrize("rows", [8, 12, 23, 60])
def test_it_fits_the_screen_and_all_that_goes_is_shown_or_counted(rows: int) -> None:
    told = ForgetPlan(1, FACTS, lines=LINES, replies=LINES, typed=tuple(f"typed {n}" for n in range(20)))
    text = choices.on_screen(asked_for(told), 73, rows)
    assert sum(-(-max(1, len(line)) // 73) for line in text.splitlines()) <= rows
    *_, more, last = text.splitlines()
    assert "type “all”" in more
    assert last == "Erase this for good? In all 40 facts, 40 lines, 40 replies and 20 typed lines."
    kinds = "remembered", "said by you", "replies that repeat it", "lines in the input history"
    assert [counted(text, kind) for kind in kinds] == [40, 40, 40, 20]
    whole = choices.whole(asked_for(told))
    assert whole.endswith(last) and "more" not in whole
    assert all(row in whole for row in (FACTS[39].fact, "goat 40,", "typed 19", "--keep-lines"))


def counted(text: str, kind: str) -> int:
    """How many of a kind are shown or counted."""
    lines = text.splitlines()
    (at,) = (place for place, line in enumerate(lines) if line.startswith(f"  {kind}:"))
    told = lines[at].partition(":")[2].strip()
    if told:
        return int(told)
    rows = list(takewhile(lambda line: line.startswith("    "), lines[at + 1 :]))
    more = re.fullmatch(r"    \.\.\. and (\d+) more", rows[-1])
    return len(rows) - 1 + int(more[1]) if more else len(rows)


def test_a_short_question_is_as_it_was() -> None:
    one = asked_for(ForgetPlan(1, FACTS[:2], lines=LINES[:2]))
    assert choices.on_screen(one, 73, 23) == one.question and "In all" not in one.question
    assert choices.on_screen(replace(one, plan=None), 10, 2) == one.question


def test_a_long_question_stays_on_the_screen_counts_what_it_leaves_out_and_all_shows_it(tmp_path: Path) -> None:
    with Store.open(tmp_path / "data" / "chatmem.db") as store:
        user = store.users.get("me")
        for number in range(40):
            store.facts.remember(user.id, "Zeb", "goats", f"Zeb keeps goat {number} in shed {number}.")
    terminal = Terminal(tmp_path)
    try:
        terminal.until(READY)
        terminal.type(f"{WISH}\r")
        terminal.until("... and ")
        terminal.until("type “all” to see all of it")
        terminal.until(ASKED)
        screen = ESCAPES.sub("", terminal.seen).partition(WISH)[2].splitlines()
        assert len(screen) < 24 and "goat 39" not in terminal.seen
        terminal.type("all\r")
        terminal.until("goat 39")
        terminal.until(ASKED)
        terminal.type("y\r")
        terminal.until("Forgotten: 40 rows")
        terminal.until(READY)
        terminal.type("bye\r")
        assert terminal.ended() == 0
    finally:
        terminal.close()
