"""Entries of a diary as sentences; what isn't surely a plan, or is said by somebody, stays as it was."""

from __future__ import annotations

import pytest

from chatmem.memory.language.leaning.diary import entry
from chatmem.memory.language.told.plainer import plainer


@pytest.mark.parametrize(
    ("line", "read"),
    [
        ("lunch with Ines Thursday 1pm", "I have lunch with Ines on Thursday at 1pm"),
        ("Dentist Tuesday 10.30 with Jonas", "I have dentist on Tuesday at 10.30 with Jonas"),
        ("Dr Lund Tuesday 9:30", "I have Dr Lund on Tuesday at 9:30"),
        ("Ines birthday party saturday 7pm", "I have Ines birthday party on saturday at 7pm"),
        ("drinks with Sol on Friday at 8pm", "I have drinks with Sol on Friday at 8pm"),
        ("parents evening on the 14th", "I have parents evening on the 14th"),
        ("gym every Monday 6pm", "I have gym every Monday at 6pm"),
        ("vet 3pm", "I have vet at 3pm"),
        ("call mum tuesday 5pm", "call mum on tuesday at 5pm"),
        ("dinner with Sol saturday", "dinner with Sol on saturday"),
        ("shift 9am-5pm friday", "shift 9am-5pm on friday"),
    ],
)
def test_an_entry_is_read_out(line: str, read: str) -> None:
    assert entry(line) == read


@pytest.mark.parametrize(
    "line",
    [
        "I have lunch Thursday 1pm",
        "mum arrives friday 3pm",
        "the meeting moved to Friday 3pm",
        "from Monday to Friday",
        "not on Friday at 3pm",
        "Black Friday sale",
        "Happy Friday!",
        "gym Friday 6pm?",
        "Freya: swimming 3pm",
        "chicken at 180 for 40 minutes",
        "closed Mondays",
        "Friday",
        "version 2.5 on Friday",
        "half an hour, then lunch, then a walk with the dogs, then home by Friday 3pm",
    ],
)
def test_another_line_stays_as_it_was(line: str) -> None:
    assert entry(line) == line


def test_it_is_how_a_small_model_reads_the_line() -> None:
    assert plainer("lunch w/ Ines thu 1pm") == "I have lunch with Ines on Thursday at 1pm"
