"""What of a plan is over."""

from __future__ import annotations

import pytest

from chatmem.memory.language.facts.over import over


@pytest.mark.parametrize(
    ("line", "ended"),
    [
        ("Girona is off for December", True),
        ("Girona is all off now", True),
        ("Girona isn't happening", True),
        ("we called Girona off", True),
        ("Girona has fallen through", True),
        ("Girona won't happen", True),
        ("I'm off to Girona", False),
        ("we are off to Girona", False),
    ],
)
def test_a_plan_that_is_off_is_over(line: str, ended: bool) -> None:
    assert over("Ana is going to Girona in December.", line, "Ana", line) is ended


@pytest.mark.parametrize(
    ("fact", "line", "ended"),
    [
        ("Tom owes Ana 50 euros.", "Tom paid me back", True),
        ("Ana owes Tom 50 euros.", "Tom paid me back", False),
        ("Ana owes Tom 50 euros.", "I've just paid Tom back", True),
        ("Ana owes Tom 50 euros.", "Tom and I are square now", True),
        ("Pat, beyond in Bandon, still owes Ana 1,150.", "Bandon paid up, the whole lot", True),
        ("Ana's sister owes Ana a tenner.", "my sister settled up at last", True),
        ("Tom owes Ana 50 euros.", "Tom hasn't paid me back", False),
        ("Tom owes Ana 50 euros.", "Tom paid me back half", False),
        ("Tom owes Ana 50 euros.", "Tom says he'll pay me back on Friday", False),
        ("Tom owes Ana 50 euros.", "Eva paid me back", False),
        ("Tom owes Ana 50 euros.", "Tom paid Sue back", False),
        ("Tom owes Ana 50 euros.", "Tom's kids are even taller than mine", False),
        ("Tom owes Ana 50 euros.", "never got my money back from Tom", False),
        ("Ana lent Tom her drill.", "Tom paid me back", False),
        ("Ana has tickets for Cats with Tom.", "Tom paid me back", False),
    ],
)
def test_a_debt_that_is_paid_is_over(fact: str, line: str, ended: bool) -> None:
    assert over(fact, line, "Ana", line) is ended


@pytest.mark.parametrize(
    ("fact", "line", "ended"),
    [
        ("Ana goes to physio on Fridays before her shift.", "my shift is over", False),
        ("Ana goes to physio on Fridays before her shift.", "my physio is over", True),
        ("Ana swims on Mondays during her lunch break.", "my lunch break is over", False),
        ("Ana looks after the cats.", "the cats have died", True),
        ("Ana takes a course in the evening after work.", "the course is over", True),
    ],
)
def test_by_what_else_one_does_the_time_is_told(fact: str, line: str, ended: bool) -> None:
    assert over(fact, line, "Ana", line) is ended
