"""Who is known to be somebody is no animal, and no animal is somebody."""

from __future__ import annotations

import pytest

from chatmem.models.prompts.draft import Add, Draft
from chatmem.models.prompts.messages import Line
from chatmem.models.storage.told.known_as import as_known, is_of_a_namesake

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


@pytest.mark.parametrize(
    ("line", "is_other"),
    [
        ("Lena from the office is moving to Cork", True), ("my boss Lena is leaving", True),
        ("Lena from next door has a dog", True), ("the other Lena, from choir, called", True),
        ("Lena at work is off sick", True), ("another Lena joined", True),
        ("Lena is moving to Cork", False), ("my sister Lena is moving to Cork", False),
        ("Lena from Porto called", False),
        ("I picked up Lena from school", False), ("lunch with Lena from work", True),
        ("Lena from Monday works in Cork", False), ("Lena's boss is leaving", False),
        ("Lena from the office is moving. Lena is my sister", False), ("Tom from the office is moving", False),
    ],
)  # fmt: skip
def test_who_has_the_name_of_ones_own_is_another_by_what_they_are_called(line: str, is_other: bool) -> None:
    assert is_of_a_namesake("Dee's sister Lena lives in Porto.", line) == is_other
    rows = ["Dee's sister Lena lives in Porto."]
    told = as_known(Draft((Add("Dee", "people", "Dee's sister Lena is here."),)), rows, Line("Dee", line)).facts
    assert told == ["Lena is here." if is_other else "Dee's sister Lena is here."]
    assert not is_of_a_namesake("Dee's mate Lena lives in Porto.", line)


@pytest.mark.parametrize(
    ("fact", "said", "told"),
    [
        ("Dee's sister Kim is back.", "Had enough. She's back on Monday", "Dee's sister Kim is back."),
        ("Dee's cousin Kim is back on Monday.", "She's back on Monday", "Dee's sister Kim is back on Monday."),
        ("Dee's cousin Kim is a vet.", "my cousin Kim is a vet", "Dee's cousin Kim is a vet."),
        ("Dee's husband Ivo is a vet.", "Ivo passed his exam, he's a vet", "Dee's husband Ivo is a vet."),
        ("Dee's cousin Ada is a vet.", "Ada is a vet", "Dee's cousin Ada is a vet."),
    ],
)  # fmt: skip
def test_who_is_known_to_be_a_sister_is_no_cousin(fact: str, said: str, told: str) -> None:
    rows = [*ROWS, "Dee's boyfriend Ivo lives in Hull."]
    assert as_known(Draft((Add("Dee", "people", fact),)), rows, Line("Dee", said)).facts == [told]
