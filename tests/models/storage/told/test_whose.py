"""Somebody who is named by somebody else, and two at once: which facts are told anew in the words of the line."""

from __future__ import annotations

import pytest

from chatmem.memory.language.language import english
from chatmem.models.prompts.draft import Add, Draft
from chatmem.models.prompts.messages import Known, Line
from chatmem.models.storage.doing import of_another
from chatmem.models.storage.told.own_clause import as_helped
from chatmem.models.storage.told.scene import Scene
from chatmem.models.storage.told.whose import of_mine, of_theirs, of_two, with_two, without_unsaid


def scene(line: str, *known: str) -> Scene:
    rows = [Known(place, "people", fact) for place, fact in enumerate(known, 1)]
    return Scene((), Line("Ana", line), ["Ana"], rows, english())


@pytest.mark.parametrize(
    ("line", "fact", "told"),
    [
        (
            "my brother's wife Ilse is a nurse",
            "Ana's brother Ilse is a nurse.",
            "Ana's brother's wife Ilse is a nurse.",
        ),
        ("my friend's dog Rex bit me", "Ana has a friend's dog Rex.", "Ana's friend's dog Rex bit Ana."),
        ("my wife's boss Karin is nice", "Ana's wife Karin is nice.", "Ana's wife's boss Karin is nice."),
        (
            "My sister's kids Tom and Ann are at school",
            "Ana's sister Tom and sister Ann are at school.",
            "Ana's sister's kids Tom and Ann are at school.",
        ),
        ("my mother's sister lives in Rome", "Ana's mother lives in Rome.", "Ana's mother's sister lives in Rome."),
        ("my parents' house burnt down", "Ana's house burnt down.", "Ana's parents' house burnt down."),
        ("my son's school is in Ghent", "Ana's son is in Ghent.", "Ana's son's school is in Ghent."),
        ("I bake, and my boss's son Leo is ill", "Ana's boss Leo is ill.", "Ana's boss's son Leo is ill."),
    ],
)
def test_what_is_said_of_somebody_of_somebodys_is_told_of_them(line: str, fact: str, told: str) -> None:
    assert of_theirs(fact, scene(line)) == told


@pytest.mark.parametrize(
    ("line", "fact"),
    [
        ("my brother's wife Ilse is a nurse", "Ana's brother has a wife Ilse who is a nurse."),
        ("my brother's wife Ilse is a nurse", "Ana's brother's wife is a nurse."),
        ("My sister Vera's husband Paul is a pilot", "Ana has a sister Vera."),
        ("my mum's sister Ada paints", "Ana's mother's sister Ada paints."),
        ("my husband's name is Tom", "Ana's husband is called Tom."),
        ("my dad's a nurse in Ghent", "Ana's father is a nurse in Ghent."),
        ("my brother's getting married in May", "Ana's brother is marrying in May."),
        ("my wife's lost her keys", "Ana's wife lost keys."),
        ("my sister Vera lives in Rome", "Ana's sister lives in Rome."),
        ("my car's engine is broken", "Ana's car is broken."),
        ("my brother's wife has two cats", "Ana has a horse."),
    ],
)
def test_other_facts_stay_as_they_are(line: str, fact: str) -> None:
    assert of_theirs(fact, scene(line)) is None


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("Jan and Els are getting divorced", "Jan and Els are getting divorced."),
        ("Tom and Ann moved to Oslo", "Tom and Ann moved to Oslo."),
        ("So Mia and Ben have a baby now", "Mia and Ben have a baby now."),
        ("Jan, Mia and Els are my neighbours", "Jan, Mia and Els are Ana's neighbours."),
        ("Jan and Els bought a house, and I helped them", "Jan and Els bought a house."),
        ("Ida and Rosa repair accordions", "Ida and Rosa repair accordions."),
    ],
)
def test_what_two_do_is_told_of_both(line: str, told: str) -> None:
    seen = scene(line, "Ida is Ana's friend.")
    assert of_two(seen.line, seen).facts == [told]


@pytest.mark.parametrize(
    "line",
    [
        "Google and Apple moved to Texas",  # firms
        "Pepsi and Cola taste the same",
        "Salt and Pepper are on the table",
        "Jan and Els?",
        "Are Jan and Els married?",
        "Ana and Els moved to Oslo",  # the speaker's own
        "Monday and Tuesday are busy",
        "I met Jan and Els",
        "Oslo and Bergen are expensive",
    ],
)
def test_what_may_be_no_two_people_is_told_of_nobody(line: str) -> None:
    assert of_two(Line("Ana", line), scene(line)).facts == []


def test_two_are_told_once() -> None:
    seen = scene("Jan and Els are getting divorced")
    whole = Draft((Add("Ana", "people", "Jan and Els are getting divorced.", None),))
    assert with_two(whole, seen) == whole
    assert len(with_two(Draft(), seen).facts) == 1


def test_the_speaker_has_no_part_in_what_two_do() -> None:
    seen = scene("Ada and Rui broke up")
    wrong = Draft((Add("Ana", "relationship", "Ana broke up with Ada and Rui.", None),))
    assert with_two(wrong, seen).facts == ["Ada and Rui broke up."]
    other = Draft((Add("Ana", "people", "Ana has two friends, Ada and Rui.", None),))
    assert with_two(other, seen).facts == [*other.facts, "Ada and Rui broke up."]


@pytest.mark.parametrize(
    ("line", "fact", "told"),
    [
        ("I pay Darren 90 a day", "Darren pays 90 a day.", "Ana pays Darren 90 a day."),
        (
            "I pay him 90 a day",
            "Ana's apprentice Darren pays Ana 90 a day.",
            "Ana pays Ana's apprentice Darren 90 a day.",
        ),
        ("he pays me 90 a day and I pay him back", "Darren pays Ana 90 a day.", "Darren pays Ana 90 a day."),
        ("My wife loves cats and I love them too", "Ana's wife loves cats.", "Ana's wife loves cats."),
        ("Miso loves tuna. I love him.", "Ana's cat Miso loves tuna.", "Ana's cat Miso loves tuna."),
        ("I love Rose. Rose loves me.", "Rose loves Ana.", "Rose loves Ana."),
        ("I saw Tom's sister pay him", "Tom pays rent.", "Tom pays rent."),
    ],
)
def test_who_pays_whom_is_as_the_line_says(line: str, fact: str, told: str) -> None:
    assert of_mine(fact, scene(line)) == told


def test_the_speakers_second_name_is_none_of_two() -> None:
    seen = Scene((), Line("Ruth Hallam", "Leonard and I have booked a cruise"), ["Ruth Hallam"], (), english())
    assert without_unsaid("Ruth Hallam and Leonard have booked a cruise.", seen) == (
        "Ruth Hallam and Leonard have booked a cruise."
    )


@pytest.mark.parametrize(
    ("line", "fact", "told"),
    [
        ("Leo and I have booked a trip", "Ana and Leo are booked a trip.", "Ana and Leo have booked a trip."),
        ("I've just planted a hedge", "Ana is planted a hedge.", "Ana has planted a hedge."),
        ("He has beaten me three times", "Ana is beaten three times.", "Ana is beaten three times."),
        ("Leo and I are booked in", "Ana and Leo are booked in.", "Ana and Leo are booked in."),
        ("the trip is booked a year ahead", "The trip is booked a year ahead.", "The trip is booked a year ahead."),
    ],
)
def test_what_is_done_has_the_help_of_its_line(line: str, fact: str, told: str) -> None:
    assert as_helped(fact, scene(line)) == told


@pytest.mark.parametrize(
    ("line", "fact", "wrong"),
    [
        ("My companion is Leo. Leo is a vet and has a spaniel.", "Ana has a spaniel.", True),
        (
            "Leo is my companion. Leo is a vet and has a spaniel called Bo.",
            "Ana's companion is a spaniel called Bo.",
            True,
        ),
        ("My companion is Leo. Leo is a vet and has a spaniel.", "Ana has a companion Leo, a vet.", False),
        ("I got a spaniel called Rex", "Ana's dog is a spaniel called Rex.", False),
        ("We keep a goat, and now we got a spaniel.", "Ana's dog is a spaniel.", False),
        ("My companion is a spaniel and has a brown coat.", "Ana's companion is a spaniel.", False),
    ],
)
def test_what_somebody_named_in_the_line_has_is_theirs(line: str, fact: str, wrong: bool) -> None:
    assert of_another(fact, scene(line)) is wrong
