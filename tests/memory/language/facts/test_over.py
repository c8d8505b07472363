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
