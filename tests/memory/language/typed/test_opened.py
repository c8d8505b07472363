"""Short forms are spelled out where a small model takes them for whose something is, and nowhere else."""

from __future__ import annotations

import pytest

from chatmem.memory.language.told.plainer import plainer
from chatmem.memory.language.typed.opened import opened


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("Dale's my partner.", "Dale is my partner."),
        ("Callum's got the only car", "Callum has got the only car"),
        ("the wifi's in Priyanka's name", "the wifi is in Priyanka's name"),
        ("the gecko’s Priyanka’s.", "the gecko is Priyanka’s."),
        ("Ana's sister's a nurse", "Ana's sister is a nurse"),
        ("Benny, who's 4 and runs the place", "Benny, who is 4 and runs the place"),
        ("My dad's allergic to bees", "My dad is allergic to bees"),
        ("my knee's been junk", "my knee has been junk"),
        ("Chinua's moved out", "Chinua has moved out"),
        ("Rudo's teaching at the school", "Rudo is teaching at the school"),
        ("we've a cat, and I've Fridays off", "we have a cat, and I have Fridays off"),
        ("Tom's 50 and Ana's 12", "Tom is 50 and Ana is 12"),
        ("I wanna go, we're gonna", "I want to go, we're going to"),
        ("I've gotta work, gotta run", "I have to work, have to run"),
    ],
)
def test_is_and_has_where_no_owner_can_stand(line: str, told: str) -> None:
    assert opened(line) == told


@pytest.mark.parametrize(
    "line",
    [
        "my sister's husband Karl is ill",
        "Mum's cooking is great",
        "it's Priyanka's 30th on Friday",
        "Ana's own car",
        "I've seen it, and we've always lived here",
        "the dog's ill",  # or whose ill dog
        "let's go, that's a plan, he's a cook",
        "Monday's a bad day",
        "no short form",
    ],
)
def test_all_else_stays(line: str) -> None:
    assert opened(line) == line


def test_who_is_the_speakers_keeps_the_name() -> None:
    assert plainer("Dale's my partner. He drives a truck.") == "Dale is my partner. My partner Dale drives a truck."
