"""What a note says in figures, as sentences."""

from __future__ import annotations

import pytest

from chatmem.memory.language.leaning.figures import with_figures


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("savings 6,200, want 10,000 by December", "My savings are 6,200. I want 10,000 by December."),
        ("rent 940, due on the 1st", "My rent is 940, due on the 1st."),
        ("The van is 4,500 and insurance 780 a year", "The van is 4,500. My insurance is 780 a year."),
        ("shoe size 43, weight 84 kilos", "My shoe size is 43. My weight is 84 kilos."),
        ("The course fee 350, paid 100 already", "The course fee is 350. I paid 100 already."),
        ("Savings: 6,200. Target 10,000 by May.", "My savings are 6,200. My target is 10,000 by May."),
        ("two kids, Leo 4 and Ada 7", "two kids, Leo and Ada. Leo is 4. Ada is 7."),
    ],
)
def test_each_figure_gets_its_sentence(typed: str, said: str) -> None:
    assert with_figures(typed) == said


@pytest.mark.parametrize(
    "line",
    [
        "I pay rent 940 a month",
        "size 12 dress for the wedding",
        "rent went up to 980",
        "room 12, floor 3",
        "the lease ends on 30 June, rent is 1,150",
        "is the rent 940?",
        "I'm saving, 1,900 saved so far",
        "Leo 4 and Ada 7",
    ],
)
def test_other_lines_stay(line: str) -> None:
    assert with_figures(line) == line
