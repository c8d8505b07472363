"""What people type for numbers, days and moments: laws of the readers."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatmem.eval import arguments
from chatmem.memory.errors import InputError

EAST = timezone(timedelta(hours=2))


@given(st.text(max_size=30), st.integers(0, 3))
def test_a_whole_number_is_one_in_the_limits_or_an_error(text: str, least: int) -> None:
    try:
        assert least <= arguments.whole(text, least) <= arguments.LARGEST
    except InputError as error:
        assert "write a" in str(error)


@given(st.text(max_size=30))
def test_a_past_moment_is_never_ahead(text: str) -> None:
    try:
        found = datetime.fromisoformat(arguments.past(text))
    except InputError as error:
        assert "write" in str(error)
    else:
        assert found <= datetime.now(UTC)


def test_a_time_is_itself_and_a_day_month_or_year_is_its_end() -> None:
    assert arguments.past("2026-05-08T13:56:00Z") == "2026-05-08T13:56:00Z"
    assert arguments.past("2026-05-08 13:56", EAST) == "2026-05-08T11:56:00Z"
    assert arguments.past("2026-05-08") == "2026-05-08T23:59:59Z"
    assert arguments.past("2026-05-08", EAST) == "2026-05-08T21:59:59Z"
    assert arguments.past("2026-02") == "2026-02-28T23:59:59Z"
    assert arguments.past("2025") == "2025-12-31T23:59:59Z"
    yesterday = (datetime.now(UTC) - timedelta(days=1)).date()
    assert arguments.past("yesterday")[:10] in {str(yesterday), str(yesterday + timedelta(days=1))}
    assert arguments.past(datetime.now(UTC).strftime("%Y-%m-%d")) <= datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@pytest.mark.parametrize("text", ["gibberish", "", "2026-13-01", "2026-05-08T99:00", "9999-12", "2999-01-01"])
def test_what_is_no_past_moment_is_told(text: str) -> None:
    with pytest.raises(InputError, match="write"):
        arguments.past(text)


@pytest.mark.parametrize("text", ["0", "-1", "abc", "1.5", "99999999999999999999", ""])
def test_what_is_no_number_of_a_list_is_told_with_the_list(text: str) -> None:
    with pytest.raises(InputError, match="as /memory shows it"):
        arguments.number_of(text, "memory", "/memory")
    assert arguments.number_of("#12", "memory", "/memory") == 12


@pytest.mark.parametrize("text", ["nan", "inf", "x", "-0.1", "1.1"])
def test_a_share_is_from_0_to_1(text: str) -> None:
    with pytest.raises(InputError, match="write a number of 0 or more up to 1"):
        arguments.real(text, least=0.0, most=1.0)
    assert arguments.real("0.25", least=0.0, most=1.0) == 0.25
