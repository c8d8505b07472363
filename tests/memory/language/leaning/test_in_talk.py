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
        (
            ("at work it's mostly me and Rui",),
            "divorced, two boys, forever selling me eggs",
            "Rui is divorced, two boys, forever selling me eggs",
        ),
        (
            ("the boss is Dona Fernanda",),
            "was a driver herself, twenty years",
            "Fernanda was a driver herself, twenty years",
        ),
        (
            ("my big brother Yaw, in italy six years already",),
            "brescia, makes tyres in a factory",
            "My brother Yaw, brescia, makes tyres in a factory",
        ),
        (
            ("the kids, Tama's our big one, twelve",),
            "left-handed, bowls better than I ever did",
            "Tama is left-handed, bowls better than I ever did",
        ),
        (
            ("my mother lives with me, Lurdes",),
            "only sees half of them, and still wins",
            "My mother only sees half of them, and still wins",
        ),
        # What may be the speaker's, or nobody's.
        (CALLUM[:1], "a letter came, says the rent goes up", "a letter came, says the rent goes up"),
        (CALLUM[:1], "ok, needs a new battery", "ok, needs a new battery"),
        (CALLUM[:1], "two and a half hours, takes ages", "two and a half hours, takes ages"),
        (CALLUM[:1], "can't sleep, so I called her", "can't sleep, so I called her"),
        (CALLUM[:1], "can't stand him, so I left", "can't stand him, so I left"),
        (CALLUM[:1], "cried when he left", "cried when he left"),
        (CALLUM[:1], "single, so I go out a lot", "single, so I go out a lot"),
        (CALLUM[:1], "takes ages to get there", "takes ages to get there"),
        (CALLUM[:1], "gets dark early", "gets dark early"),
        ((CALLUM[0], "the show is on friday"), "starts at eight", "starts at eight"),
        (CALLUM[:1], "got back late, can't complain", "got back late, can't complain"),
        (CALLUM[:1], "can't sleep, he snores", "can't sleep, he snores"),
        (CALLUM[:1], "single, he left me in May", "single, he left me in May"),
        (CALLUM[:1], "bought a new bike yesterday", "bought a new bike yesterday"),
        (CALLUM[:1], "sundays I go to church", "sundays I go to church"),
        (CALLUM[:1], "kids are asleep", "kids are asleep"),
        (CALLUM[:1], "works for me", "works for me"),
        (CALLUM[:1], "58 and out on the road every morning", "58 and out on the road every morning"),
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
