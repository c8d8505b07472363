"""Of whom a line that begins with "he" or "she" tells: whoever the talk told of last who can be meant, animals too."""

from __future__ import annotations

import pytest

from chatmem.memory.language.leaning.talked_of import named_in_talk

TOM = "My brother Tom drives a bus."


@pytest.mark.parametrize(
    ("earlier", "line", "named"),
    [
        ([TOM], "He's a locksmith now.", "My brother Tom is a locksmith now."),
        ([TOM, "It rained all day."], "He's a locksmith now.", "My brother Tom is a locksmith now."),
        ([TOM, "We have a cat called Figaro."], "He died last week.", "My cat Figaro died last week."),
        ([TOM, "We have a cat called Figaro.", "He sleeps on my feet."], "He died last week.",
         "My cat Figaro died last week."),
        ([TOM, "Our cat is so old."], "He's in pain.", "My cat is in pain."),
        ([TOM, "We got a puppy, Lola."], "She's eaten my shoes.", "My puppy Lola's eaten my shoes."),
        (["Our cat Figaro is old."], "His fur is grey.", "Our cat Figaro's fur is grey."),
    ],
)  # fmt: skip
def test_whom_the_talk_told_of_last_is_named(earlier: list[str], line: str, named: str) -> None:
    assert named_in_talk(line, earlier, "Ana") == named


@pytest.mark.parametrize(
    "before",
    ["Figaro sleeps on my feet.", "We have two dogs, Rex and Bo.", "We have a dog and a cat.", "I saw Gus at noon.",
     "I'm fond of my dogs.", "We have a cat called Figaro and my uncle Ed visits."],
)  # fmt: skip
def test_a_line_stays_as_it_is_where_another_may_be_meant(before: str) -> None:
    """The death of a cat is not told of a brother who was spoken of before it."""
    assert named_in_talk("He died last week.", [TOM, before], "Ana") == "He died last week."
