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
        ("Dear all,\nI have a new house in York.\nBest wishes, Helen", ""),
        (
            "From: Leeds, where my mum is\nHello, I live in Derby.",
            "From: Leeds, where my mum is\nHello, I live in Derby.",
        ),
        ("my mum is ill, help me plan: I have two kids", "my mum is ill, help me plan: I have two kids"),
    ],
)
def test_what_is_pasted_is_not_the_speakers(text: str, own: str) -> None:
    assert whose(text, "Grace").own == own
