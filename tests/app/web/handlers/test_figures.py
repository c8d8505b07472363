"""Dates in figures: what has two readings is asked about, all else is taken."""

from __future__ import annotations

import pytest

from chatmem.app.shown.dated import require_clear
from chatmem.app.web.handlers.clicks import act
from chatmem.memory.errors import InputError
from tests.app.web.places import Place


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("12/05/2027", "can be 12 May 2027 or 5 December 2027: write it as 2027-05-12 or “12 May 2027”"),
        ("on 3-4-27", "can be 3 April 2027 or 4 March 2027: write it as 2027-04-03 or “3 April 2027”"),
        ("12/05", "can be 12 May or 5 December: write it as “5 December” or “12 May”"),
    ],
)
def test_what_has_two_readings_is_asked_about(words: str, told: str) -> None:
    with pytest.raises(InputError) as raised:
        require_clear(words)
    assert told in str(raised.value) and words in str(raised.value)


@pytest.mark.parametrize(
    "words",
    ["", "2027-05-12", "2027-05", "2027/05/12", "13/05/2027", "05/13/2027", "05/05/2027", "12.05.2027", "12 May 2027",
     "last Friday", "0/5/2027"],
)  # fmt: skip
def test_what_has_one_reading_or_none_passes(words: str) -> None:
    require_clear(words)


def test_a_date_that_is_asked_about_changes_nothing(place: Place) -> None:
    desk = place.house.desk(None, "w")
    key = place.store.facts.remember(desk.user.id, "Ana", "", "Ana moves.", happened_on="2027-05-12").memory_id
    data = {"act": "edit", "id": key, "fact": "Ana moves house.", "happened_on": "12/05/2027"}
    with pytest.raises(InputError, match="2027-05-12"):
        act(desk, data)
    assert [one.fact for one in place.store.facts.all(desk.user.id)] == ["Ana moves."]
    act(desk, data | {"happened_on": "2027-05-12"})
    assert [(one.fact, one.happened_on) for one in place.store.facts.all(desk.user.id)] == [
        ("Ana moves house.", "2027-05-12")
    ]


def test_a_date_in_brackets_behind_a_fact_is_its_date_here_too(place: Place) -> None:
    desk = place.house.desk(None, "w")
    key = place.store.facts.remember(desk.user.id, "Ana", "", "Ana moves.").memory_id
    with pytest.raises(InputError, match="is no date"):
        act(desk, {"act": "edit", "id": key, "fact": "Ana moves. (2027-13-45)"})
    act(desk, {"act": "edit", "id": key, "fact": "Ana moves house. (2027-05-12)", "happened_on": ""})
    (row,) = place.store.facts.all(desk.user.id)
    assert (row.fact, row.happened_on) == ("Ana moves house.", "2027-05-12")
    act(desk, {"act": "edit", "id": row.id, "fact": "Ana moves.", "happened_on": "2027-06"})
    (row,) = place.store.facts.all(desk.user.id)
    assert (row.fact, row.happened_on) == ("Ana moves.", "2027-06")
