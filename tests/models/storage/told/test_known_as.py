"""Who is known to be somebody is no animal, and no animal is somebody."""

from __future__ import annotations

import pytest

from chatmem.models.prompts.draft import Add, Draft
from chatmem.models.prompts.messages import Line
from chatmem.models.storage.told.known_as import as_known

ROWS = ["Dee's lad Jordan is 17.", "Dee has a cat called Nori.", "Dee's sister Kim lives in Hull.", "Tom is a vet."]


@pytest.mark.parametrize(
    ("fact", "said", "told"),
    [
        ("Dee has a dog called Jordan.", "oh and its Jordan's 18th", None),
        ("Dee's dog Jordan is 18.", "oh and its Jordan's 18th", "Dee's lad Jordan is 18."),
        ("Dee's daughter Nori is asleep.", "Nori is asleep", "Dee's cat Nori is asleep."),
        ("Dee has a dog called Kim.", "we got a dog, we called her Kim", "Dee has a dog called Kim."),
        ("Dee has a dog called Jordan.", "got a puppy, named him Jordan after the lad", "Dee has a dog called Jordan."),
        ("Dee has a dog called Rex.", "Rex is muddy", "Dee has a dog called Rex."),
        ("Dee has a dog called Tom.", "Tom is muddy", "Dee has a dog called Tom."),
        ("Dee's son Jordan is 18.", "Jordan is 18", "Dee's son Jordan is 18."),
    ],
)
def test_a_known_one_stays_what_they_are(fact: str, said: str, told: str | None) -> None:
    draft = as_known(Draft((Add("Dee", "people", fact),)), ROWS, Line("Dee", said))
    assert draft.facts == ([told] if told else [])
