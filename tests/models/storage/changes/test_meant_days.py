"""The day of a changed row, told without its year."""

from __future__ import annotations

import re

import pytest

from chatmem.memory.language.dates import resolve
from chatmem.memory.language.language import english
from chatmem.memory.values import Memory, Turn
from chatmem.models.prompts.draft import Add, Change, Close, Draft
from chatmem.models.prompts.messages import Line
from chatmem.models.storage.changes.end_facts import swapped
from chatmem.models.storage.changes.meant_days import after_it, in_its_month, in_its_week, in_its_year, in_meant_days
from chatmem.models.storage.told.scene import Scene
from tests.models.storage.changes.test_ended import WHEN

TODAY = "2026-11-27"


@pytest.mark.parametrize(
    ("day", "old", "meant"),
    [
        ("2026-07-04", "2027-07-03", "2027-07-04"),  # a journey that lies ahead was a day later
        ("2026-01-10", "2026-12-20", "2027-01-10"),
        ("2026-02-28", "2028-02-29", "2028-02-28"),
        ("2024-02-29", "2027-02-28", "2028-02-29"),  # the one 29 February that is near
        ("2026-07-04", "2026-07-03", "2026-07-04"),  # it was so
        ("2027-02-03", "2026-03-10", "2027-02-03"),  # another appointment
        ("2026-07", "2027-07-03", "2026-07"),
        ("last May", "2027-07-03", "last May"),
        ("2026-07-04", None, "2026-07-04"),
    ],
)
def test_a_day_in_the_place_of_one_ahead_lies_ahead(day: str, old: str | None, meant: str) -> None:
    assert in_its_year(day, old, TODAY) == meant


def test_a_day_without_its_month_is_of_the_month_of_what_was_moved() -> None:
    assert in_its_month("2026-12-21", "2027-05-14", TODAY) == "2027-05-21"
    assert in_its_month("2026-12-03", "2026-11-30", TODAY) is None, "the 3rd of November is past"
    assert in_its_month("2026-12-31", "2027-06-14", TODAY) is None
    assert in_its_month("2026-12-21", None, TODAY) is None


def test_a_day_that_was_wrong_stays_in_its_year() -> None:
    assert in_its_year("2027-03-04", "2026-03-03", TODAY, corrects=True) == "2026-03-04"
    assert in_its_year("2027-01-02", "2026-12-30", TODAY, corrects=True) == "2027-01-02"
    assert in_its_year("2027-03-04", "2026-03-03", TODAY) == "2027-03-04", "the next one"


def test_words_for_a_day_that_the_line_puts_otherwise_are_resolved_too() -> None:
    line = "I mean the 4th of July."
    turn = Turn(2, 1, 1, "Ana", line, "2026-11-27T10:01:00Z")
    row = Memory(1, 1, "Ana", "trip", "Ana is going to Graz on 3 July.", "2027-07-03", WHEN, WHEN)
    told = Draft((Change(1, "Ana is going to Graz on the 4th of July.", when="on the 4th of July"),))
    scene = Scene((), Line("Ana", line), language=english())
    [change] = in_meant_days(told, turn, scene, [row], None)
    assert isinstance(change, Change) and change.when == "2027-07-04"


def test_a_day_in_words_is_of_the_month_of_the_one_that_it_takes_the_place_of() -> None:
    said, line = "2026-11-29T10:01:00Z", "mums move is the twenty first now not the fourteenth"
    row = Memory(1, 1, "Ana", "trip", "Ana's mum moves on the fourteenth.", "2026-12-14", said, said)
    earlier = Turn(1, 1, 1, "Ana", "mum moves on the fourteenth", said)
    told = Draft((Change(1, "Ana's mum moves on the twenty first."),))
    scene = Scene((), Line("Ana", line), language=english())
    [change] = in_meant_days(told, Turn(2, 1, 1, "Ana", line, said), scene, [row], None, [earlier])
    assert isinstance(change, Change) and change.when == "2026-12-21"


@pytest.mark.parametrize(
    ("line", "fact", "when", "day"),
    [
        ("moved my physio to monday", "Ana's physio moved to Monday.", None, "2026-11-30"),
        ("moved my physio to monday", "Ana has physio on Monday at 2.", "on Monday", "2026-11-30"),
        ("they rescheduled the dentist to friday", "Ana's dentist is on Friday.", "on Friday", "2026-12-04"),
        ("the vet is put back to monday week", "The vet is put back to Monday week.", None, "2026-12-07"),
        ("I moved to Leeds on Monday", "Ana moved to Leeds.", None, None),
        ("I moved to Leeds on Monday", "Ana moved to Leeds on Monday.", "on Monday", "2026-11-23"),
        ("I see Leo on Monday", "Ana sees Leo on Monday.", None, None),
    ],
)
def test_what_is_moved_to_a_day_is_to_come(line: str, fact: str, when: str | None, day: str | None) -> None:
    said = "2026-11-29T10:01:00Z"  # a Sunday
    scene = Scene((), Line("Ana", line), language=english())
    [add] = in_meant_days(Draft((Add("Ana", "plans", fact, when),)), Turn(2, 1, 1, "Ana", line, said), scene, [], None)
    assert isinstance(add, Add) and add.when == day


@pytest.mark.parametrize(
    ("fact", "wrong", "right", "now"),
    [
        (
            "Ana runs every Tuesday and Thursday.",
            "Thursday",
            "Tuesday and Friday",
            "Ana runs every Tuesday and Friday.",
        ),
        ("Ana's exam is on the 14 of May.", "14", "24 of May", "Ana's exam is on the 24 of May."),
        ("Ana has a red bike.", "red", "blue", "Ana has a blue bike."),
    ],
)
def test_the_right_words_stand_once(fact: str, wrong: str, right: str, now: str) -> None:
    assert swapped(fact, re.compile(rf"\b{wrong}\b"), right) == now


@pytest.mark.parametrize(
    ("line", "when", "before", "day"),
    [
        ("I see Dr Pryce on Tuesday 8 December at 10.15.", "on Tuesday", "", "2026-12-08"),
        ("I see Dr Pryce on Tuesday 8 December at 10.15.", "8 December", "", "2026-12-08"),
        ("I see Dr Pryce on Tuesday 8 December at 10.15.", "on Tuesday 8 December at 10.15", "", "2026-12-08"),
        ("n geotech on the 15th at 2", "on the 15th", "structures exam is 12 jan 9.30", "2027-01-15"),
        ("n geotech on the 15th at 2", "on the 15th", "structures is hard", "2026-12-15"),
    ],
)
def test_what_was_drafted_has_the_day_of_the_line(line: str, when: str, before: str, day: str) -> None:
    said = "2026-11-27T10:01:00Z"
    turn, earlier = Turn(2, 1, 1, "Ana", line, said), Turn(1, 1, 1, "Ana", before, said)
    scene = Scene((), Line("Ana", line), language=english())
    draft = Draft((Add("Ana", "plans", "Ana has an appointment.", when),))
    [add] = in_meant_days(draft, turn, scene, [], None, [earlier])
    assert isinstance(add, Add) and add.when == day


@pytest.mark.parametrize(
    ("line", "fact", "when", "day"),
    [
        ("training is on tuesday, no sorry, wednesday.", "Ana's training is on Wednesday.", "on tuesday", "2026-12-02"),
        ("It's on Wednesday, not on Tuesday.", "Ana's training is on Wednesday.", "on Tuesday", "2026-12-02"),
        (
            "On Tuesday I heard that mum comes on Wednesday.",
            "Ana heard that mum comes on Wednesday.",
            "On Tuesday",
            "2026-11-24",
        ),
        ("Last week I decided to quit in June.", "Ana decided to quit in June.", "Last week", "2026-11-20"),
        ("Yesterday I booked the trip for 10 May.", "Ana booked the trip for 10 May.", "Yesterday", "2026-11-26"),
        ("The fair moved from 3 May to 10 May.", "The fair moved from 3 May to 10 May.", "10 May", "2027-05-10"),
    ],
)
def test_the_day_that_the_fact_says_holds_where_the_line_said_another_first(
    line: str, fact: str, when: str, day: str
) -> None:
    turn, scene = Turn(2, 1, 1, "Ana", line, "2026-11-27T10:01:00Z"), Scene((), Line("Ana", line), language=english())
    [add] = in_meant_days(Draft((Add("Ana", "plans", fact, when),)), turn, scene, [], None)
    assert isinstance(add, Add) and add.when == day


@pytest.mark.parametrize(
    ("fact", "when", "day"),
    [
        ("Ana's lease runs till 2029.", "in March", "2029"),
        ("Ana bought a 2019 Skoda.", "yesterday", "2026-11-26"),
        ("Ana's lease runs out in March.", "in March", "2027-03"),
    ],
)
def test_the_year_that_a_fact_tells_is_its_own(fact: str, when: str, day: str) -> None:
    line = "the lease doesn't run out in March any more, it's till 2029; bought a Skoda yesterday"
    turn = Turn(1, 1, 1, "Ana", line, f"{TODAY}T10:00:00Z")
    scene = Scene((), Line("Ana", line), language=english())
    (told,) = in_meant_days(Draft((Add("Ana", "t", fact, when),)), turn, scene, [], None).added
    assert told.when in (day, when) and (told.when == day or resolve(when, turn.said_at) == day)


@pytest.mark.parametrize(
    ("day", "old", "corrects", "meant"),
    [
        ("2026-12-05", "2026-11-20", True, "2026-11-21"),  # "no, on Saturday" of what was on a Friday
        ("2026-12-05", "2026-11-26", True, "2026-11-21"),  # not the 28th, which has yet to come
        ("2026-12-05", "2026-11-27", True, "2026-12-05"),
        ("2026-11-28", "2026-12-04", True, "2026-12-05"),
        ("2026-11-21", "2026-12-04", False, "2026-12-05"),
        ("2026-11-28", "2026-11-20", False, "2026-11-28"),
        ("2026-12-05", None, True, "2026-12-05"),
        ("2026-12", "2026-12-04", True, "2026-12"),
        ("2026-11-28", "9999-12-31", True, "2026-11-28"),  # no calendar has the day after
    ],
)
def test_a_day_of_the_week_is_near_the_one_that_it_puts_right(
    day: str, old: str | None, corrects: bool, meant: str
) -> None:
    assert in_its_week(day, old, TODAY, corrects=corrects) == meant


@pytest.mark.parametrize(
    ("day", "old", "weekly", "meant"),
    [
        ("2026-12-03", "2026-12-08", True, "2026-12-10"),  # "pushed to Thursday" from a Tuesday
        ("2026-12-08", "2026-12-08", True, "2026-12-15"),
        ("2026-12-05", "2026-12-28", False, "2027-01-05"),
        ("2026-12-31", "2027-01-31", False, "2027-03-31"),  # no 31 February
        ("2026-12-20", "2026-12-14", False, "2026-12-20"),
        ("2026-12-20", None, False, "2026-12-20"),
    ],
)
def test_what_is_put_off_comes_after_what_it_was(day: str, old: str | None, weekly: bool, meant: str) -> None:
    assert after_it(day, old, weekly=weekly) == meant


def test_a_week_goes_by_where_a_day_is_put_off() -> None:
    row = Memory(3, 1, "Ana", "exam", "Ana's exam is on Tuesday.", "2026-12-08", WHEN, WHEN)
    for line, day in (
        ("the exam got pushed to Thursday", "2026-12-10"),
        ("they moved the exam to Thursday", "2026-12-03"),
    ):
        turn = Turn(1, 1, 1, "Ana", line, "2026-12-01T10:00:00Z")
        scene = Scene([], Line("Ana", line), ["Ana"], [], english())
        change = Change(3, "Ana's exam is on Thursday.", when="Thursday")
        (dated,) = in_meant_days(Draft((change,)), turn, scene, [row], None)
        assert not isinstance(dated, Close) and dated.when == day


def test_a_bare_day_that_no_rule_reads_is_to_come_unless_it_has_been() -> None:
    row = Memory(3, 1, "Ana", "home", "Ana's joiner comes on Thursday.", None, WHEN, WHEN)
    lines = {"Ah, and that is now Friday instead, same time.": "2026-12-04", "It was Friday instead": "2026-11-27"}
    for line, day in lines.items():
        turn = Turn(1, 1, 1, "Ana", line, "2026-12-01T10:00:00Z")
        change = Change(3, "Ana's joiner comes on Friday.", when="on Friday")
        scene = Scene([], Line("Ana", line), ["Ana"], [], english())
        (dated,) = in_meant_days(Draft((change,)), turn, scene, [row], None)
        assert not isinstance(dated, Close) and dated.when == day


def test_a_bare_day_of_the_month_that_is_put_off_to_comes_after_it() -> None:
    row = Memory(3, 1, "Ana", "exam", "Ana's exam is on the 28th.", "2026-12-28", WHEN, WHEN)
    for line, when, day in (
        ("the exam got put off until the 5th", "the 5th", "2027-01-05"),
        ("the exam got put off to 12 December", "12 December", "2026-12-12"),  # its month is told
    ):
        turn = Turn(1, 1, 1, "Ana", line, "2026-12-01T10:00:00Z")
        scene = Scene([], Line("Ana", line), ["Ana"], [], english())
        (dated,) = in_meant_days(Draft((Change(3, f"Ana's exam is on {when}.", when=when),)), turn, scene, [row], None)
        assert not isinstance(dated, Close) and dated.when == day
