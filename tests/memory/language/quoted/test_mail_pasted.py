"""A mail that is pasted below a request is somebody else's, also where its form is only half kept."""

from __future__ import annotations

import pytest

from chatmem.memory.language.quoted.whose import whose

MAIL = "From: Helen Marsh, Admissions\nDear colleagues,\nI live in Derby and come in on Mondays.\nBest wishes, Helen"


@pytest.mark.parametrize(
    ("text", "own"),
    [
        (MAIL, ""),
        (f"Here it is, please summarise it in two sentences:\n{MAIL}", ""),
        (f"Sorry, the paste broke off. Here it is, please summarise it:\n{MAIL}", "Sorry, the paste broke off."),
        ("my boss sent this, can you shorten it please:\nI live in Derby.\nSee you Monday", ""),
        ("Got this mail.\nFrom: Karen Smith\n\nHi Marta,\nI have moved to Leeds.", "Got this mail."),
        (
            "From: Leeds, where my mum is\nHello, I live in Derby.",
            "From: Leeds, where my mum is\nHello, I live in Derby.",
        ),
    ],
)
def test_what_is_pasted_is_not_the_speakers(text: str, own: str) -> None:
    assert whose(text, "Grace").own == own


@pytest.mark.parametrize(
    "text",
    [
        "my mum is ill, help me plan: I have two kids",
        "I'm a bit nervous, my review is on Friday.\nMy boss Karen wants to talk about my salary.",
        "We bought an old house in Leeds, need to fix the roof.\nMy brother Tom is a roofer and will help.",
        "I live in Oadby, not Derby, please fix that.\nAnd my son is called Tom.",
        "I take two tablets, check my blood sugar daily\nI have type 2 diabetes",
        "Hey Siri,\nI live in Leeds and have a son called Tom.\nThanks, Marta",
        "Date: Saturday 4 May\nDear Anna is coming, I need a cake",
        "From: now on I'm vegan\nHi by the way",
        "Date: Friday\nHi Mem,\nI moved to Rome.",
        "Plan for the week, check it with me later:\nI see Anna on Monday. I fly to Rome on Tuesday.",
    ],
)
def test_what_somebody_says_in_lines_stays_their_own(text: str) -> None:
    assert whose(text, "Grace").quoted == ()
