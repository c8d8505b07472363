"""A date in brackets at the end of a fact is the fact's date; all else in brackets is the fact's own."""

from __future__ import annotations

import pytest

from chatmem.app.shown.dated import changed, taken_apart, with_date
from chatmem.memory.errors import InputError


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("Ana moved. (2004-05-12)", "2004-05-12"), ("Ana moved. (2004-05)", "2004-05"),
        ("Ana moved. (13/05/2004)", "2004-05-13"), ("Ana moved. (12.05.2004)", "2004-05-12"),
        ("Ana moved. (12 May 2004)", "2004-05-12"), ("Ana moved. (May 2004)", "2004-05"), ("Ana moved. ()", ""),
        ("Ana moved. (May 12, 2004)", "2004-05-12"), ("Ana moved. (12th May 2004)", "2004-05-12"),
        ("Ana moved. (the 12th of May, 2004)", "2004-05-12"),
    ],
)  # fmt: skip
def test_a_date_is_taken_from_the_end(text: str, date: str) -> None:
    assert taken_apart(text) == ("Ana moved.", date)


@pytest.mark.parametrize(
    "text",
    ["Ana's team won (3-2)", "Ana likes Alien (1979)", "Ana rowed (2019/20)", "Ana swims (Mondays)", "Ana calls f()",
     "Ana plays a (4-4-2)", "Ana likes it (Apollo 13, 1995)", "Ana won (3rd place 2019)",
     "Ana lives there (since May 2004)", "Ana met Tom (Rome 2004)", "Ana (2004-05-12) moved", "Ana moved."],
)  # fmt: skip
def test_other_brackets_belong_to_the_fact(text: str) -> None:
    assert taken_apart(text) == (text, None)


@pytest.mark.parametrize("words", ["2004-13-45", "2019-02-31", "31.02.2019", "204-02-28"])
def test_figures_that_are_no_date_are_told(words: str) -> None:
    with pytest.raises(InputError, match="is no date: write it like"):
        taken_apart(f"Ana moved. ({words})")


def test_what_can_be_read_in_two_ways_is_asked_about() -> None:
    with pytest.raises(InputError, match="12 May 2004 or 5 December 2004"):
        taken_apart("Ana moved. (12/05/2004)")


def test_a_date_alone_is_no_fact() -> None:
    with pytest.raises(InputError, match="Write the fact before its date"):
        taken_apart("(2004-05-12)")


def test_a_mere_year_is_a_date_only_where_one_stood() -> None:
    assert taken_apart("Ana moved. (2004)", "Ana moved.", "2003") == ("Ana moved.", "2004")
    assert taken_apart("Ana likes Alien (1979)", "Ana likes Alien (1979)", "2003") == ("Ana likes Alien (1979)", None)


@pytest.mark.parametrize("date", ["2004-05-12", "2004-05", "2004"])
def test_what_is_shown_is_read_back(date: str) -> None:
    fact = "Ana moved."
    assert taken_apart(changed(with_date(fact, date), fact, date), fact, date) == (fact, date)
    assert taken_apart(changed(fact, fact, date), fact, date) == (fact, "")
