"""A line is understood with those before it: who is meant, and who does what it leaves unsaid."""

from __future__ import annotations

import pytest

from chatmem.memory.language.leaning.in_talk import understood

CALLUM = ("my brother Callum came round today", "he's got a new job, at the council")
BISCUIT = ("we've got a dog too, Biscuit, she's a whippet", "six years old and thinks she's a person")


@pytest.mark.parametrize(
    ("talk", "line", "told"),
    [
        (CALLUM, "starts in march", "My brother Callum starts in march"),
        (CALLUM[:1], "works nights, poor thing", "My brother Callum works nights, poor thing"),
        (CALLUM[:1], "doesn't drink any more", "My brother Callum doesn't drink any more"),
        (("my boss is called Gary",), "has two kids", "My boss Gary has two kids"),
        (BISCUIT[:1], BISCUIT[1], "My dog Biscuit is six years old and thinks she's a person"),
        (BISCUIT, "can't have chicken, comes out in a rash", "My dog Biscuit can't have chicken, comes out in a rash"),
        # What may be the speaker's, or nobody's.
        (CALLUM[:1], "looks like rain", "looks like rain"),
        (CALLUM[:1], "is it cold", "is it cold"),
        (CALLUM[:1], "is fine by me", "is fine by me"),
        (CALLUM[:1], "starts in march?", "starts in march?"),
        (CALLUM[:1], "can't sleep", "can't sleep"),
        (CALLUM[:1], "start in march", "start in march"),
        (("I love music",), "plays in the background", "plays in the background"),
        (("Priya and Dan share a flat with me",), "plays the drums", "plays the drums"),
        ((), "starts in march", "starts in march"),
    ],
)
def test_a_line_without_its_subject_tells_of_whom_the_line_before_told(
    talk: tuple[str, ...], line: str, told: str
) -> None:
    assert understood(line, talk, "Tess") == told
