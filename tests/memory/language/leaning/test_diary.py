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
        ("Birthday party saturday 7pm", "I have birthday party on saturday at 7pm"),
        ("drinks with Sol on Friday", "I have drinks with Sol on Friday"),
        ("parents evening on the 14th", "I have parents evening on the 14th"),
        ("gym every Monday 6pm", "I have gym every Monday at 6pm"),
        ("vet 3pm", "I have vet at 3pm"),
        ("exam tomorrow", "I have exam tomorrow"),
    ],
)
def test_an_entry_is_read_out(line: str, read: str) -> None:
    assert entry(line) == read


@pytest.mark.parametrize(
    "line",
    [
        "I have lunch Thursday 1pm",
        "sorry, dentist Wednesday 10.30",
        "yes 3pm",
        "yep, Friday 3pm",
        "move dentist to Wednesday 10.30",
        "delete dentist Tuesday 10.30",
        "cancel dentist Tuesday 10.30",
        "possibly dentist Wednesday 10.30",
        "tips for interview on Friday",
        "interview tips for Friday 3pm",
        "weather in Leeds Friday 3pm",
        "lunch with Ben yesterday 1pm",
        "dentist last Tuesday at 10.30",
        "great gig at the O2 on Friday",
        "lunch with Ben on Sunday",
        "dentist Tuesday 10.30 cancelled",
        "Leeds vs York 3:10",
        "match vs Leeds 3:10",
        "marathon 3:45",
        "Tom surgery Monday 9am",
        "mum hip op Thursday 8am",
        "pharmacy 9am to 6pm",
        "shift 9am-5pm Friday",
        "Sheffield Wednesday fan",
        "mum arrives friday 3pm",
        "the meeting moved to Friday 3pm",
        "from Monday to Friday",
        "Black Friday sale",
        "gym Friday 6pm?",
        "Freya: swimming 3pm",
        "chicken at 180 for 40 minutes",
        "call mum tuesday 5pm",
        "dinner ideas friday 7pm",
        "gym, then lunch, then a walk with the dogs, then home by Friday 3pm",
    ],
)
def test_another_line_stays_as_it_was(line: str) -> None:
    assert entry(line) == line


def test_it_is_how_a_small_model_reads_the_line() -> None:
    assert plainer("lunch w/ Ines thu 1pm") == "I have lunch with Ines on Thursday at 1pm"
