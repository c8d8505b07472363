"""Dates in words, told on Monday, 8 May 2023, and laws that hold on any day."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatmem.memory.errors import InputError
from chatmem.memory.language.dates import day_of, find_dates, require, resolve
from tests.clock import least_seconds

SAID = "2023-05-08T13:56:00Z"
WORDS = {
    "today": "2023-05-08", "yesterday": "2023-05-07", "Yesterday.": "2023-05-07", "tomorrow": "2023-05-09",
    "last night": "2023-05-07", "this morning": "2023-05-08", "the day before yesterday": "2023-05-06",
    "day after tomorrow": "2023-05-10", "last Friday": "2023-05-05", "on Friday": "2023-05-05", "Friday": "2023-05-05",
    "this Friday": "2023-05-12", "next Friday": "2023-05-12", "last Monday": "2023-05-01", "next Monday": "2023-05-15",
    "Tuesday last week": "2023-05-02", "next week on Sunday": "2023-05-21", "next week Sunday": "2023-05-21",
    "3 days ago": "2023-05-05", "two weeks ago": "2023-04-24", "a week ago": "2023-05-01", "last week": "2023-05-01",
    "next week": "2023-05-15", "in two weeks": "2023-05-22", "two weeks from now": "2023-05-22",
    "last weekend": "2023-05-06", "this weekend": "2023-05-13", "next weekend": "2023-05-20",
    "two weekends ago": "2023-04-29", "last month": "2023-04", "next month": "2023-06", "this month": "2023-05",
    "three months ago": "2023-02", "a few days ago": "2023-05", "a few months ago": "2023", "a few years ago": None,
    "last year": "2022", "next year": "2024", "5 years ago": "2018", "a couple of years ago": "2021",
    "in March": "2023-03", "March": "2023-03", "last March": "2023-03", "next March": "2024-03", "June": "2023-06",
    "in December": "2022-12", "last May": "2022-05", "next May": "2024-05", "March 2021": "2021-03",
    "in March of 2021": "2021-03", "March last year": "2022-03", "summer 2021": "2021", "last summer": "2022",
    "this summer": "2023", "last winter": "2022", "2019": "2019", "in 2019": "2019", "early 2020": "2020",
    "on 8 May 2023": "2023-05-08", "8 May 2023": "2023-05-08", "May 8, 2023": "2023-05-08", "May 8th": "2023-05-08",
    "the 8th of May": "2023-05-08", "Dec. 24": "2022-12-24", "on the 3rd": "2023-05-03", "the 15th": "2023-04-15",
    "the ninth of May": "2023-05-09", "on the twenty-third of June": "2023-06-23", "May the fourth": "2023-05-04",
    "Friday the 12th": "2023-05-12", "on Saturday the 13th": "2023-05-13", "Wednesday the third": "2023-05-03",
    "29 February": "2024-02-29", "last Christmas": "2022-12-25", "next Halloween": "2023-10-31",
    "2023-05-07": "2023-05-07", "2023-05": "2023-05", "7.5.2023": "2023-05-07", "2023/5/7": "2023-05-07",
    "on 7.5.27": "2027-05-07", "7.5.27": "2027-05-07", "3.4.85": "1985-04-03", "31.2.24": None,
    "gestern": "2023-05-07", "il y a 3 jours": "2023-05-05", "vor zwei Wochen": "2023-04-24",
    "2023-02-30": None, "2023-13": None, "31 February 2023": None, "never": None, "unknown": None, "": None, "-": None,
    "NULL": None, "every day": None, "Ana": None, "x" * 100_000: None, "99 years ago": "1924", "999 years ago": "1024",
}  # fmt: skip
LINES = {
    "We went to Rome last summer, and in March 2021 I moved.": [("last summer", "2022"), ("in March 2021", "2021-03")],
    "The check-up is on Thursday the 15th.": [("on Thursday the 15th", "2023-06-15")],
    "It's moved to the thirty-first of May, at nine.": [("the thirty-first of May", "2023-05-31")],
    "He came third in March, for the second May running.": [("in March", "2023-03")],
    "I'm seeing Bob on Friday! I saw him on Tuesday.": [("on Friday", "2023-05-12"), ("on Tuesday", "2023-05-02")],
    "dentist on Friday at 3pm": [("on Friday", "2023-05-12")],
    "Leo had his hip replaced in September.": [("in September", "2022-09")],
    "We saw the dentist on Friday at 3pm.": [("on Friday", "2023-05-05")],
    "My birthday is on May 12th": [("on May 12th", "2023-05-12")],
    "We met on May 12th": [("on May 12th", "2022-05-12")],
    "I will be back in two days": [("in two days", "2023-05-10")],
    "I read it in two days": [],
    "Mia is getting married on 12 June in Voss.": [("on 12 June", "2023-06-12")],
    "Mia got married on 12 June in Voss.": [("on 12 June", "2022-06-12")],
    "I'm having trouble with it since June.": [("since June", "2022-06")],
    "My exam is in June": [("in June", "2023-06")],
    "We met in June": [("in June", "2022-06")],
    "I have a conference in Oslo in March, need to book flights": [("in March", "2024-03")],
    "I'm a bit worried about the exam in March": [("in March", "2024-03")],
    "I was worried about the exam in March": [("in March", "2023-03")],
    "I've signed up for a race in March": [("in March", "2024-03")],
    "I needed new tyres in March": [("in March", "2023-03")],
    "They've moved house in March": [("in March", "2023-03")],
    "we want to walk the Camino in March": [("in March", "2024-03")],
    "I was born in 1987.": [("in 1987", "1987")],
    "It cost 2019 dollars, and I may march this may": [],
    "She called three days ago\nand again yesterday": [("three days ago", "2023-05-05"), ("yesterday", "2023-05-07")],
    "I run a marathon every year and swim on Mondays.": [],
    "See you on the 20th, I will bring cake": [("on the 20th", "2023-05-20")],
    "My exam was postponed to 12 February": [("12 February", "2024-02-12")],
    "The exam has been moved to 3 March": [("3 March", "2024-03-03")],
    "It was brought forward to Friday": [("to Friday", "2023-05-12")],
    "The meeting got rescheduled for Monday": [("for Monday", "2023-05-15")],
    "They pushed the wedding back to April": [("to April", "2024-04")],
    "I booked a table for 14 February": [("14 February", "2024-02-14")],
    "I have yoga on Thursday": [("on Thursday", "2023-05-11")],
    "I've got yoga on Thursday": [("on Thursday", "2023-05-11")],
    "we play chess on Sunday": [("on Sunday", "2023-05-14")],
    "My brother visits us in March": [("in March", "2024-03")],
    "I got a job starting in April": [("starting in April", "2024-04")],
    "I work at the bakery from April": [("from April", "2024-04")],
    "The thesis is due in March": [("in March", "2024-03")],
    "I need to finish it by March": [("by March", "2024-03")],
    "She told me the party is on Friday": [("on Friday", "2023-05-12")],
    "I moved to Oslo, and I have a flight on Friday": [("on Friday", "2023-05-12")],
    "My lease was extended until March": [("until March", "2024-03")],
    "I had yoga on Thursday": [("on Thursday", "2023-05-04")],
    "I moved to Oslo on 3 March": [("on 3 March", "2023-03-03")],
    "I got a card from April": [],
    "I have bruises from the match on Saturday": [("on Saturday", "2023-05-06")],
    "I worked there from April to June": [],
    "I work from Monday to Friday": [],
    "I've been to Rome in June": [("in June", "2022-06")],
    "I changed jobs in June": [("in June", "2022-06")],
    "The baby was due in June": [("in June", "2022-06")],
    "I know the guy who won on Saturday": [("on Saturday", "2023-05-06")],
    "I bought it for Friday": [],
    "I put on weight in June": [("in June", "2022-06")],
    "The wedding was postponed to September 4": [("September 4", "2023-09-04")],
    "Dr. Lunde put me on pills in June": [("in June", "2022-06")],
    "My foot hurts, I fell on Thursday": [("on Thursday", "2023-05-04")],
    "Last  weekend was fun": [("Last  weekend", "2023-05-06")],
    "": [],
}


@pytest.mark.parametrize("words", WORDS, ids=lambda words: words[:30])
def test_words_mean_a_date(words: str) -> None:
    assert resolve(words, SAID) == WORDS[words]


@pytest.mark.parametrize("line", LINES)
def test_a_line_tells_its_dates(line: str) -> None:
    assert find_dates(line, SAID) == LINES[line]


@given(st.dates(date(1900, 1, 1), date(2100, 1, 1)), st.sampled_from(["Monday", "Tuesday", "Sunday"]))
def test_last_this_and_next_weekday_lie_where_they_should(said: date, name: str) -> None:
    moment = f"{said.isoformat()}T12:00:00Z"
    found = [resolve(f"{which} {name}", moment) or "" for which in ("last", "this", "next")]
    last, this, coming = map(date.fromisoformat, found)
    assert {day.strftime("%A") for day in (last, this, coming)} == {name}
    assert 1 <= (said - last).days <= 7 and 1 <= (coming - said).days <= 7
    assert this.isocalendar()[:2] == said.isocalendar()[:2]


@given(st.dates(date(1950, 1, 1), date(2090, 1, 1)), st.integers(1, 200))
def test_so_long_ago_and_ahead_are_mirrors(said: date, number: int) -> None:
    moment = f"{said.isoformat()}T12:00:00Z"
    assert resolve(f"{number} days ago", moment) == (said - timedelta(number)).isoformat()
    assert resolve(f"{number} weeks ago", moment) == (said - timedelta(weeks=number)).isoformat()
    assert resolve(f"in {number} days", moment) == (said + timedelta(number)).isoformat()
    months = said.year * 12 + said.month - 1 - number
    assert resolve(f"{number} months ago", moment) == f"{months // 12:04}-{months % 12 + 1:02}"


@given(st.text(max_size=80), st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31)))
def test_any_text_on_any_day_gives_dates_or_none(text: str, said: datetime) -> None:
    moment = said.replace(microsecond=0).isoformat() + "Z"
    for found in [resolve(text, moment), *(meant for _, meant in find_dates(text, moment))]:
        assert found is None or day_of((found + "-01-01")[:10] if len(found) < 10 else found)


@pytest.mark.parametrize("moment", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "2024-02-29T00:00:00Z"])
def test_known_words_at_the_calendar_s_edges_are_no_crash(moment: str) -> None:
    for words in WORDS:
        resolve(words, moment)
        find_dates(f"It was {words[:50]} and it will be {words[:50]}", moment)


def test_the_day_is_the_one_on_the_speaker_s_wall() -> None:
    late = "2023-05-09T03:00:00Z"  # 8 pm on the 8th in California
    assert resolve("yesterday", late) == "2023-05-08"
    assert resolve("yesterday", late, timezone(timedelta(hours=-7))) == "2023-05-07"
    assert resolve("yesterday", late, UTC) == "2023-05-08"


def test_what_a_person_types_must_mean_a_date() -> None:
    assert require(" ", SAID) is None and require(None, SAID) is None
    assert require("last Friday", SAID) == "2023-05-05"
    with pytest.raises(InputError, match=r"'soonish' is not a date: write it like 2026-05-08"):
        require("soonish", SAID)


def test_a_line_without_dates_costs_little() -> None:
    line = "My sister Ana visited us for her graduation and we had a lovely time together in the garden with friends. "
    few = [line] * 200
    assert least_seconds(lambda: [find_dates(each, SAID) for each in few], enough=0.4) < 0.4  # measured: 0.05
    assert least_seconds(lambda: find_dates(line * 5_000, SAID), enough=5) < 5  # half a megabyte


def test_how_something_is_called_tells_of_nothing_past() -> None:
    said = "2026-11-26T10:00:00Z"
    assert find_dates("I start at a place called Medivane in January", said) == [("in January", "2027-01")]
    assert find_dates("Mum called on Sunday", said) == [("on Sunday", "2026-11-22")]
    assert find_dates("my dentist is on 12.5.27", said) == [("on 12.5.27", "2027-05-12")]
    assert find_dates("my grandmother was born on 12.5.27", said) == [("on 12.5.27", "1927-05-12")]
    assert find_dates("we upgraded Python 3.11.9 to 3.11.12 by 10.0.0.12", said) == []


TUESDAY = "2026-12-01T10:00:00Z"


@pytest.mark.parametrize(
    ("line", "day"),
    [
        ("The screws come on Friday.", "2026-12-04"),
        ("No, the repairman comes on Wednesday between two and four", "2026-12-02"),
        ("Shanice pays the hotel part on Friday.", "2026-12-04"),
        ("Removal men on the 17th, 300 quid", "2026-12-17"),
        ("Ignacy defends his thesis on 17 October.", "2027-10-17"),
        ("she said they come on Sunday", "2026-12-06"),
        ("He's got his concert Thursday at 6:30 in the gym. If you've never heard them, don't.", "2026-12-03"),
        ("I wrote my essay on Sunday", "2026-11-29"),
        ("I texted my mum on Sunday", "2026-11-29"),
        ("She told me the news on Sunday", "2026-11-29"),
        ("I wrote my exam on Friday", "2026-11-27"),
        ("I heard my neighbours arguing on Saturday", "2026-11-28"),
        # What has been says so, or has a form that may be past.
        ("tomi let in seven on saturday", "2026-11-28"),
        ("I used it again on Saturday to get a shelf", "2026-11-28"),
        ("bruises from the match on Saturday", "2026-11-28"),
        ("he said he was there on Sunday", "2026-11-29"),
        ("We said farewell to Gladys on Monday.", "2026-11-30"),
        ("We met in town on Saturday", "2026-11-28"),
    ],
)
def test_a_day_is_to_come_where_nothing_tells_that_it_has_been(line: str, day: str) -> None:
    assert [found for _, found in find_dates(line, TUESDAY)] == [day]
