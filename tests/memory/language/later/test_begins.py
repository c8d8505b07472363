"""What begins on a day to come, and which rows hold until then."""

from __future__ import annotations

import pytest

from chatmem.memory.language.later.begins import (
    Later,
    begins,
    holds_now,
    of_the_same,
    since,
)
from chatmem.memory.values import Memory, Turn

NOW = "2026-11-30T10:00:00Z"
RENT = "Ana's rent is 640 a month."


def days(line: str) -> set[str]:
    return {*begins(Turn(1, 1, 1, "Ana", line, NOW)).days}


@pytest.mark.parametrize(
    ("line", "day"),
    [
        ("rent's going up to 690 from January", "2027-01"),
        ("From next month I work Tuesdays to Fridays.", "2026-12"),
        ("She's moving to York in March.", "2027-03"),
        ("from January we're open Mondays", "2027-01"),
        ("as of 1 January the gym is 45 a month", "2027-01-01"),
        ("starting next week choir is on Thursdays", "2026-12-07"),
        ("My new job starts on 4 January.", "2027-01-04"),
        ("the bus pass goes up to 70 on 1 February", "2027-02-01"),
        ("The fee will be 30 from May, and my boss was pleased.", "2027-05"),
        ("From Friday I work Tuesdays to Thursdays", "2026-12-04"),
        ("from Monday on I'm in the Leeds office", "2026-12-07"),
        ("my boss is Carol as of Wednesday", "2026-12-02"),
        ("My pension will be 800 from 2028.", "2028"),
    ],
)
def test_a_line_tells_what_begins_later(line: str, day: str) -> None:
    assert days(line) == {day}


@pytest.mark.parametrize(
    "line",
    [
        "the dentist moved to the 23rd",
        "the dentist is moving to the 23rd",
        "I work from 9 to 5",
        "I work from Monday to Friday",
        "I work from Monday through Friday",
        "I've been off from Monday",
        "I had a cold from Monday",
        "I'm back from Monday's trip",
        "From 2019 I lived in Leeds.",
        "She might be on nights from Monday",
        "we're closed from 24 December to 3 January",
        "I'm from Leeds",
        "From March we were closed on Mondays.",
        "I might move to York in March.",
        "If I get it, I'm moving to York in March.",
        "I want to move to York in March.",
        "no, it's from January",
        "From January I also swim on Fridays.",
        "Is the rent going up from January?",
        "I'm leaving by March",
        "Rent's going up to 690 from May 2031",
        "My sister is getting married in June.",
        "I moved to York in March.",
        "The wedding is on 12 June.",
        "rent's going up to 690 from January for two months",
    ],
)
def test_and_of_other_lines_nothing_does(line: str) -> None:
    assert days(line) == set()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("Choir moves to Thursdays after Easter", "after Easter"),
        ("choir is moving to Thursdays after Easter", "after Easter"),
        ("After Easter choir is on Thursdays", "After Easter"),
        ("bingo switches to Fridays after the holidays", "after the holidays"),
        ("aquafit changes to 11 after the new year", "after the new year"),
        ("choir will be Thursdays from the new year", "from the new year"),
        ("From next term she's in Year 4", "From next term"),
        ("After the summer I'm moving to Leeds", "After the summer"),
        ("the bins are on Wednesdays after the bank holiday", "after the bank holiday"),
        ("my rent is 690 after Christmas", "after Christmas"),
        ("when term starts my teacher is Mr Owen", "when term starts"),
        ("we'll move to Leeds once the baby is here", "once the baby is here"),
        ("Once the baby is here, we're moving to Leeds", "Once the baby is here"),
        ("we're moving to York when I retire", "when I retire"),
        ("Tom's taking over the shop after the wedding", "after the wedding"),
    ],
)
def test_a_time_that_no_calendar_tells_is_to_come_too(line: str, words: str) -> None:
    assert begins(Turn(1, 1, 1, "Ana", line, NOW)) == Later(alone=True, words=words)


@pytest.mark.parametrize(
    "line",
    [
        "Choir moved to Thursdays after Easter",
        "we went to Leeds after Easter",
        "I left the bank after the merger",
        "I've been tired since after Easter",
        "I'm always in the garden after Easter",
        "After the holidays I'm always tired",
        "I get the blues after the holidays",
        "I like a walk after the holidays",
        "I'm off sick after my operation",
        "when Tom's back we play chess",
        "When I'm home I'm on the phone",
        "we might move after Christmas",
        "I'd like to move after the summer",
        "Are we moving after Christmas?",
        "no, choir moves to Thursdays after Easter",
        "We also have choir on Fridays after Easter",
        "After the war my mum lived in Leeds",
    ],
)
def test_what_is_so_each_time_or_was_begins_not_later(line: str) -> None:
    assert not begins(Turn(1, 1, 1, "Ana", line, NOW))


@pytest.mark.parametrize(
    ("fact", "when", "now"),
    [
        (RENT, None, True),
        ("Ana works Mondays to Thursdays at the library.", None, True),
        ("Ana's mum lives in Leeds.", None, True),
        ("Ana has worked at the library since 2019.", "2019", True),
        ("Ana has a dentist appointment.", None, False),
        ("Ana's wedding is on 12 June.", "2027-06-12", False),
        ("Ana is getting married.", None, False),
        ("Ana wants to move.", None, False),
        ("Ana is looking for a flat.", None, False),
        ("Ana used to live in Leeds.", None, False),
        ("Ana moved to Leeds.", None, False),
        ("Ana is 39.", None, False),
        ("Ana works at the library and has a dog.", None, False),
    ],
)
def test_only_a_state_holds_now(fact: str, when: str | None, now: bool) -> None:
    assert holds_now(Memory(1, 1, "Ana", "", fact, when, NOW, NOW)) is now


def test_two_facts_are_of_the_same_one() -> None:
    assert of_the_same("Ana's mum lives in Leeds.", "Ana's mum is moving to York in March.")
    assert of_the_same("Ana works Mondays.", "From Friday Ana works Tuesdays.")
    assert of_the_same("Ana's boss is Tom.", "After Easter Ana's boss is Carol.")
    assert not of_the_same("Ana lives in Leeds.", "Ana's mum is moving to York in March.")
    assert not of_the_same("Ana's brother lives in Leeds.", "Ana's mum is moving to York in March.")


def test_a_fact_says_from_when_it_holds() -> None:
    assert since("Ana's boss is Tom.", "2026-12-07") == "Ana's boss is Tom, from 7 December 2026."
    assert since("Ana's rent is now 690 a month.", "2027-01") == "Ana's rent is 690 a month, from January 2027."
    assert since("Ana's boss is now Tom.", "After Easter") == "Ana's boss is Tom after Easter."
    for told in ("Ana's boss is Tom from January.", "Ana is a trustee from the new year."):
        assert since(told, "2027-01") == told


def test_what_has_no_day_begins_with_a_line_that_tells_of_nothing_else() -> None:
    alone = Later(frozenset({"2027-01"}), alone=True)
    assert alone.day(None) == alone.day("2027-01") == "2027-01" and alone.day("2027-02") == ""
    assert Later(frozenset({"2027-01"})).day(None) == ""
