"""How people write dates, told on Friday, 27 November 2026: each line with what a reader takes it to say."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatmem.memory.language.dates import find_dates, last_told, resolve
from chatmem.memory.language.language import english

SAID = "2026-11-27T10:00:00Z"
BESIDE = {
    "an appointment with Dr Pryce on Tuesday 8 December at 10.15": "on Tuesday 8 December = 2026-12-08",
    "We're meeting on Thursday 10 December": "on Thursday 10 December = 2026-12-10",
    "the rehearsal is on Friday 11 December": "on Friday 11 December = 2026-12-11",
    "My exam is on Monday 14 December": "on Monday 14 December = 2026-12-14",
    "My exam is Mon 14 Dec": "Mon 14 Dec = 2026-12-14",
    "My exam is on Monday, 14th December": "on Monday, 14th December = 2026-12-14",
    "My exam is on Monday the 14th of December": "on Monday the 14th of December = 2026-12-14",
    "My exam is on Monday, December 14, 2026": "on Monday, December 14, 2026 = 2026-12-14",
    "My exam is on 14 December, Monday": "on 14 December, Monday = 2026-12-14",
    "My exam is on 14 December (a Monday)": "on 14 December = 2026-12-14",
    "Dec 8 (Tuesday) is the viva": "Dec 8 = 2026-12-08",
    "the viva is on Tuesday (8 December)": "8 December = 2026-12-08",
    "the viva is tomorrow, 28 November": "28 November = 2026-11-28",
    "next Friday, 4 December, we fly": "next Friday, 4 December = 2026-12-04",
    "lunch with Jo, Weds 2nd Dec, 1pm": "Weds 2nd Dec = 2026-12-02",
    "The exam was moved to Tuesday 8 December": "Tuesday 8 December = 2026-12-08",
    "The exam was moved to Tuesday the 8th": "Tuesday the 8th = 2026-12-08",
    "It's to be done by Tuesday 8 December": "Tuesday 8 December = 2026-12-08",
    "they booked me on Tuesday 8 December": "on Tuesday 8 December = 2026-12-08",
    "We met on Tuesday 24 November": "on Tuesday 24 November = 2026-11-24",
    "the wedding is on Saturday 12 June": "on Saturday 12 June = 2027-06-12",
    "the wedding is on Monday 12 June": "on Monday 12 June = 2028-06-12",
    "the wedding is on Sunday 12 June": "on Sunday 12 June = 2027-06-12",  # fits neither
    "the show is Friday, the 11th": "Friday, the 11th = 2026-12-11",
    "the show is on Fri 4th": "on Fri 4th = 2026-12-04",
    "it's on Sat 5th and Sun 6th": "on Sat 5th = 2026-12-05; Sun 6th = 2026-12-06",
    "the viva is on Tuesday 8/12": "on Tuesday 8/12 = 2026-12-08",
    "the viva is on Tuesday 8.12.2026": "Tuesday 8.12.2026 = 2026-12-08",
    "the viva is on Tuesday at 8.30": "on Tuesday = 2026-12-01",
    "the viva is on Tuesday 10 am": "on Tuesday = 2026-12-01",
    "he sat 4th": "",
}
OF_THE_TALK = {
    "structures exam is 12 jan 9.30\nn geotech on the 15th at 2": "12 jan = 2027-01-12; on the 15th = 2027-01-15",
    "I move on 12 February! The van is booked for the 15th": "on 12 February = 2027-02-12; for the 15th = 2027-02-15",
    "We flew on 3 March and came back on the 15th": "on 3 March = 2026-03-03; on the 15th = 2026-03-15",
    "I saw him on 3 March, the exam is on the 15th": "on 3 March = 2026-03-03; on the 15th = 2026-12-15",
    "I was born on 3 May 1987. It's due on the 15th": "on 3 May 1987 = 1987-05-03; on the 15th = 2026-12-15",
    "I'm away next month, on the 5th I fly": "next month = 2026-12; on the 5th = 2026-12-05",
    "the exam is in January, on Friday the 15th": "in January = 2027-01; on Friday the 15th = 2027-01-15",
    "the exam is on the 5th of next month": "on the 5th of next month = 2026-12-05",
    "it's on the 31st": "on the 31st = 2026-12-31",
    "I live on the 3rd floor, she won on the 2nd try": "",
    "I came on the 18 bus": "",
    "the rent is due on the 1st of every month": "",
}
WRITTEN = {
    "we're going tue": "tue = 2026-12-01",
    "I'm back Monday": "Monday = 2026-11-30",
    "We leave Friday.": "Friday = 2026-12-04",
    "We saw Mia Wednesday": "Wednesday = 2026-11-25",
    "physio thurs 2.30": "thurs = 2026-12-03",
    "Thursday 2.30pm physio": "Thursday = 2026-12-03",
    "Friday prayers are at one": "",
    "I work Monday to Friday": "",
    "every Friday I swim": "",
    "I'm free Monday or Tuesday": "",
    "Black Friday was mad": "",
    "my day off is Friday": "",
    "it's Friday": "",
    "gig on tues": "on tues = 2026-12-01",
    "call me on sat": "on sat = 2026-11-28",
    "I read it in the Sun": "",
    "we went out on Friday": "on Friday = 2026-11-20",
    "Mia moved out on Sunday": "on Sunday = 2026-11-22",
    "six stitches, they come out on the 14th": "on the 14th = 2026-12-14",
    "mum moves on the fourteenth": "on the fourteenth = 2026-12-14",
    "physio moved to the twenty first": "to the twenty first = 2026-12-21",
    "we are on the fifth floor and on the second": "",
    "My office moved to the ninth.": "",
    "We live on the fourth": "",
    "I'm on the eighth": "",
    "The flat is on the seventh": "",
    "I moved my physio, and the desk is on the fourth": "",
    "The wedding is on the fourth": "on the fourth = 2026-12-04",
    "flying out on the eighth": "on the eighth = 2026-12-08",
    "moving on the fourth": "on the fourth = 2026-12-04",
    "flying out on the eighth was fun": "on the eighth = 2026-11-08",
    "great party on the fourth": "",
    "The concert hall is on the eleventh": "",
    "the meeting room is on the eleventh": "",
    "holiday flat is on the fourth": "",
    "our party came in on the fifth": "",
    "we like the move to the fourth": "",
    "my interview got pushed to the ninth": "to the ninth = 2026-12-09",
    "dentist pushed back to monday week": "to monday week = 2026-12-07",
    'I read: "They will never leave." They left Tuesday': "Tuesday = 2026-11-24",
    "the tickets he bought are for the end of February": "for the end of February = 2027-02",
    "it takes place on Friday": "on Friday = 2026-12-04",
    "the lease ran out in March": "in March = 2026-03",
    "Pepper died on Friday": "on Friday = 2026-11-20",
    "She has been there since Monday": "since Monday = 2026-11-23",
    "no class tuesday": "tuesday = 2026-12-01",
    "it won't be ready before friday": "",
    "we cancelled Thursday": "",
    "it was a quiet Thursday": "",
    "she comes on the second Saturday": "",
    "I take the 7:40 on the 7": "on the 7 = 2026-12-07",
    "I'm booked on the 7:40 train": "",
    "away till the 3rd": "till the 3rd = 2026-12-03",
    "I gave away my ticket for this Saturday": "this Saturday = 2026-11-28",
    "I left at Easter, they want me on the 14th": "at Easter = 2026-04-05; on the 14th = 2026-12-14",
    "We flew out from the 10th to the 24th of August": "the 10th to the 24th of August = 2026-08-10",
    "it was pushed from the 12th back to the end of May": "the end of May = 2027-05",
    "I'm leaving this Tuesday": "this Tuesday = 2026-12-01",
    "I left this Saturday": "this Saturday = 2026-11-21",
    "we leave the week after next": "the week after next = 2026-12-11",
    "we fly the Friday after next": "the Friday after next = 2026-12-11",
    "the night before last we went out": "the night before last = 2026-11-25",
    "we leave in a week's time": "in a week's time = 2026-12-04",
    "I'm seeing her in a fortnight": "in a fortnight = 2026-12-11",
    "I saw her a fortnight ago": "a fortnight ago = 2026-11-13",
    "tomorrow fortnight I have my MOT": "tomorrow fortnight = 2026-12-12",
    "a week on Tuesday we fly": "a week on Tuesday = 2026-12-08",
    "Tuesday week we fly": "Tuesday week = 2026-12-08",
    "I'm seeing her a week today": "a week today = 2026-12-04",
    "he died a year ago today": "a year ago today = 2025-11-27",
    "I had it two weeks ago on Saturday": "two weeks ago on Saturday = 2026-11-14",
    "the party is on the 3rd at half nine": "on the 3rd = 2026-12-03",
    "it's due by the 15th": "by the 15th = 2026-12-15",
    "we're moving mid-March": "mid-March = 2027-03",
    "we're moving in early March": "in early March = 2027-03",
    "we're moving at the end of May": "at the end of May = 2027-05",
    "we moved in Feb": "in Feb = 2026-02",
    "Mum arrives Xmas eve": "Xmas eve = 2026-12-24",
    "we're off on Boxing Day": "on Boxing Day = 2026-12-26",
    "we marry at Easter": "at Easter = 2027-03-28",
    "easter monday we go to Wales": "easter monday = 2027-03-29",
    "I love Christmas Eve": "",
    "we met at Christmas 2019": "at Christmas 2019 = 2019-12-25",
    "the course starts on 2/12/26": "on 2/12/26 = 2026-12-02",
    "the course started on 2/12/26": "on 2/12/26 = 2026-02-12",
    "the results came on 3/4/26": "",  # 3 April or 4 March
    "born on 25/12/1990": "on 25/12/1990 = 1990-12-25",
    "half of it, 3/4 done, 24/7": "",
    "the course starts on 2 Dec 26": "on 2 Dec 26 = 2026-12-02",
    "the course starts on 2 Dec '27": "on 2 Dec '27 = 2027-12-02",
    "we married on 8 March last year": "on 8 March last year = 2025-03-08",
    "half term is 14-18 December": "14-18 December = 2026-12-14",
    "we're away from 14 to 18 December": "14 to 18 December = 2026-12-14",
    "we meet on the first Monday of January": "on the first Monday of January = 2027-01-04",
    "we meet on the last Friday of the month": "",
    "we lived there back in '98": "back in '98 = 1998",
    "only 2 may come": "",
    "tmrw at 9": "tmrw = 2026-11-28",
}


@pytest.mark.parametrize("line", [*BESIDE, *OF_THE_TALK, *WRITTEN])
def test_a_line_says_when(line: str) -> None:
    told = {**BESIDE, **OF_THE_TALK, **WRITTEN}[line]
    assert "; ".join(f"{words} = {day}" for words, day in find_dates(line, SAID)) == told


@given(
    st.dates(date(1990, 1, 1), date(2090, 1, 1)), st.dates(date(2000, 1, 1), date(2030, 1, 1)),
    st.sampled_from(["on {w} {d} {m}", "{s} {d} {m}", "on {w}, the {d} of {m}", "on {m} {d}, {w}", "{w} {d} {m} {y}"]),
)  # fmt: skip
def test_a_day_of_a_month_is_that_day_whatever_day_of_the_week_stands_there(said: date, day: date, form: str) -> None:
    names = english()
    weekday = [*names.weekdays][day.weekday()].capitalize()
    words = form.format(
        w=weekday, s=weekday[:3], d=day.day, m=names.month_names[day.month - 1].capitalize(), y=day.year
    )
    [(found, meant)] = find_dates(f"The exam is {words}", f"{said.isoformat()}T10:00:00Z")
    assert found == words and meant[5:] == day.isoformat()[5:]
    assert meant == day.isoformat() if "{y}" in form else meant >= said.isoformat()
    assert resolve(words, SAID) is not None


def test_the_month_goes_on_from_the_line_before() -> None:
    last = last_told("structures exam is 12 jan 9.30", SAID)
    assert last == "2027-01-12"
    assert find_dates("n geotech on the 15th at 2", SAID, last=last) == [("on the 15th", "2027-01-15")]
    assert find_dates("n geotech on the 15th at 2", SAID, last="2026-11") == [("on the 15th", "2026-12-15")]
    assert find_dates("n geotech on the 15th at 2", SAID) == [("on the 15th", "2026-12-15")]
    assert find_dates("I flew on the 15th", SAID, last=last) == [("on the 15th", "2026-11-15")]
    assert last_told("I was born in 1987", SAID) is None


@pytest.mark.parametrize(
    ("words", "day"),
    [
        ("Dienstag, 8. Dezember", "2026-12-08"),
        ("am Dienstag, den 8. Dezember", "2026-12-08"),
        ("mardi 8 décembre", "2026-12-08"),
        ("martes 8 de diciembre", "2026-12-08"),
        ("am Montag, 8. Dezember", "2025-12-08"),
        ("Montag, 14. Dezember 2026", "2026-12-14"),
        ("vor 3 Tagen", "2026-11-24"),
    ],
)
def test_the_day_of_the_week_tells_the_year_in_other_languages_too(words: str, day: str) -> None:
    assert resolve(words, SAID) == day


@pytest.mark.parametrize(
    ("line", "days"),
    [
        ("we've got Lisbon in may, fly on the 14th", ["2027-05", "2027-05-14"]),
        ("not until may", ["2027-05"]),
        ("Lena, who turns 30 in May and has just taken up pottery", ["2027-05"]),
        ("she turned 30 in may", ["2026-05"]),
        ("Margaret died six years ago, in the October", ["2020", "2020-10"]),
        ("we moved last year, in May", ["2025", "2025-05"]),
    ],
)
def test_months_in_small_letters_and_of_a_year_told_before(line: str, days: list[str]) -> None:
    assert [day for _, day in find_dates(line, SAID)] == days


@pytest.mark.parametrize(
    ("line", "days"),
    [
        ("I go swimming at the baths on Wednesday evenings.", []),
        ("I sing on Monday and Wednesday evenings.", []),
        ("She works on Tue, Thu and Fri nights.", []),
        ("I go swimming on Wednesday evening.", ["2026-12-02"]),
        ("The exam is on Wednesday, evenings are free.", ["2026-12-02"]),
        ("We leave in December, evenings are dark then.", ["2026-12"]),
    ],
)
def test_a_day_that_comes_again_and_again_is_no_date(line: str, days: list[str]) -> None:
    assert [day for _, day in find_dates(line, "2026-11-29T10:00:00Z")] == days
