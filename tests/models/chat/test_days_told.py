"""A date is told once: beside a fact that doesn't say it, and not beside one that does, in whatever form."""

from __future__ import annotations

import pytest

from chatmem.memory.values import ASSISTANT, Memory, Recall, RecallItem, Turn
from chatmem.models.chat.notes import notes
from chatmem.models.chat.telling import Talkers, date_beside, days_meant, memory_lines, told_before

SAID, NOW, LATER = "2026-11-27T10:00:00Z", "2026-11-28T10:00:00Z", "2029-01-01T10:00:00Z"


def row(fact: str, day: str | None) -> Memory:
    return Memory(1, 1, "Ana", "plans", fact, day, SAID, SAID)


@pytest.mark.parametrize(
    ("fact", "day", "now", "beside"),
    [
        ("Ana came to Graz on 5 February 2024.", "2024-02-05", NOW, ""),
        ("Ana came to Graz on 5 February 2024.", "2024-02-05", None, ""),
        ("Ana was born on 12.6.1954.", "1954-06-12", NOW, ""),
        ("Ana's exam is on 12 Jan.", "2027-01-12", NOW, ""),
        ("Ana's exam is on 12 Jan.", "2027-01-12", LATER, " (12 January 2027)"),
        ("Ana's exam is on 12 Jan.", "2027-01-12", None, " (12 January 2027)"),
        ("Ana sees Dr Pryce on Tuesday 8 December.", "2026-12-08", NOW, ""),
        ("Ana's exam is on the twelfth of January.", "2027-01-12", NOW, ""),
        ("Ana sees Dr Pryce on Tuesday.", "2026-12-01", NOW, " (1 December 2026)"),
        ("Ana flies on the 15th.", "2027-01-15", NOW, " (15 January 2027)"),
        ("Ana moved last May.", "2026-05", NOW, " (May 2026)"),
        ("Ana starts in January 2027.", "2027-01", NOW, ""),
        ("Ana moved in 2019.", "2019-05-03", NOW, " (3 May 2019)"),
        ("Ana sees Pip on 8 December.", "2026-12-01", NOW, ""),  # at odds: which is right isn't known
        ("Ana was born on 3 May 1987, her exam is on Friday.", "2026-12-04", NOW, " (4 December 2026)"),
        ("Ana runs.", "2026-12-01", NOW, " (1 December 2026)"),
        ("Ana runs.", None, NOW, ""),
    ],
)
def test_a_date_stands_beside_a_fact_that_does_not_say_it(fact: str, day: str | None, now: str, beside: str) -> None:
    assert date_beside(row(fact, day), now) == beside


@pytest.mark.parametrize(
    ("line", "near", "always"),
    [
        ("I was born on 12 June 1954", [], []),
        ("the exam is on 12 jan 9.30", [], ["on 12 jan = 12 January 2027"]),
        ("dentist on Friday", ["on Friday = 4 December 2026"], ["on Friday = 4 December 2026"]),
        ("we moved on 8 May last year", *[["on 8 May last year = 8 May 2025"]] * 2),
    ],
)  # fmt: skip
def test_words_that_say_their_day_are_not_told_again(line: str, near: list[str], always: list[str]) -> None:
    assert (days_meant(line, SAID, now=NOW), days_meant(line, SAID)) == (near, always)


def test_the_day_of_a_line_goes_on_from_the_speaker_s_line_before() -> None:
    talk = [
        Turn(1, 1, 1, "Ana", "structures exam is 12 jan 9.30", SAID),
        Turn(2, 1, 1, ASSISTANT, "Good luck. It's on 3 May.", SAID),
    ]
    line = Turn(3, 1, 1, "Ana", "n geotech on the 15th at 2", SAID)
    last = told_before(line, talk)
    assert days_meant(line.text, SAID, last=last, now=NOW) == ["on the 15th = 15 January 2027"]
    assert told_before(line, []) is None


def test_what_a_model_is_shown_holds_each_date_once() -> None:
    line = Turn(3, 1, 1, "Ana", "n geotech on the 15th at 2", SAID)
    items = (
        RecallItem(1.0, row("Ana's geotech exam is on the 15th.", "2027-01-15"), (line,)),
        RecallItem(0.5, row("Ana came to Graz on 5 February 2024.", "2024-02-05")),
    )
    recall = Recall("when is my geotech exam?", items)
    for shown in (memory_lines(recall, Talkers(other="Ana")), notes(recall, Talkers(other="Ana"), 200)):
        text = "\n".join(shown)
        assert "on the 15th = 15 January 2027" in text and "December" not in text
        assert text.count("5 February 2024") == 1
