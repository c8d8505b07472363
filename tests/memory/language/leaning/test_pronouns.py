"""A line that begins with "he" or "she" is told of whom the line before told, where that is plain."""

from __future__ import annotations

import pytest

from chatmem.memory.language.about_others import named_again, with_capitals
from chatmem.memory.language.leaning.talked_of import named_in_talk


@pytest.mark.parametrize(
    ("before", "line", "told"),
    [
        ("My husband Joost does the tiles himself.", "He's a lawyer.", "My husband Joost is a lawyer."),
        ("My sister is called Ilke.", "She works in Deventer.", "My sister Ilke works in Deventer."),
        ("My aunt keeps bees.", "And she's got two goats.", "And my aunt has got two goats."),
        ("Our neighbour, Bert, came by.", "She'll move in May.", "Our neighbour Bert will move in May."),
        ("Bruno turned 9 last week.", "He's mad about planets.", "Bruno is mad about planets."),
        ("Marek is one of them, he fixes lifts.", "He's afraid of heights.", "Marek is afraid of heights."),
        ("my apprentice Sunniva bakes for a ship", "she can dive", "my apprentice Sunniva can dive"),
        (
            "I'm Ros, I run a shop in Hebden Bridge with my brother Colin",
            "he does the wheels",
            "my brother Colin does the wheels",
        ),
        ("my daughter Aoife just started uni in Dundee", "she's coeliac", "my daughter Aoife is coeliac"),
        ("my ferry leaves at 06:10 from pier 4", "it docks at 09:45", "My ferry docks at 09:45"),
    ],
)
def test_who_is_plain_is_named(before: str, line: str, told: str) -> None:
    assert named_again(line, before, "User").lower() == told.lower()


@pytest.mark.parametrize(
    ("before", "line"),
    [
        ("My brother called our father.", "He's a lawyer."),
        ("My brother Leo called Tom.", "He's a lawyer."),
        ("My sister lives in Berlin.", "He's a lawyer."),
        ("Where does my brother live?", "He's a lawyer."),
        ("It rains.", "He's a lawyer."),
        ("My brother's boat sank.", "He's a lawyer."),
        ("My husband Joost does the tiles.", "I'm a lawyer."),
        ("My husband Joost does the tiles.", "The lawyer said he's late."),
        ("my ferry leaves at 06:10", "it rains all day"),
        ("my brother leaves at 06:10", "it ends well"),
        ("Does my ferry leave at 06:10?", "it docks at 09:45"),
    ],
)
def test_nobody_is_named_where_it_isn_t_plain(before: str, line: str) -> None:
    assert named_again(line, before, "User") == line


@pytest.mark.parametrize(
    ("line", "known", "told"),
    [
        ("my flatmate tadeo waits tables", (), "my flatmate Tadeo waits tables"),
        ("our cat nori is black", (), "our cat Nori is black"),
        ("i have a dog called rex", (), "i have a dog called Rex"),
        ("tadeo is allergic to cats", ("Tadeo",), "tadeo is allergic to cats".capitalize()),
        ("hey, i live with ana and ben", ("Ana", "Ben"), "hey, i live with Ana and Ben"),
        ("ravi runs a place now, its called Lime Leaf", ("Ravi",), "Ravi runs a place now, its called Lime Leaf"),
        ("Ravi's mum met ravi in Leeds", ("Ravi",), None),
        ("my sister loves olives", (), None),
        ("my friend often comes", (), None),
        ("my son started school", (), None),
        ("my mother and i sing", (), None),
        ("will you come?", ("Will",), None),
        ("My niece ottilie plays chess", (), None),  # who writes capitals writes them for names
        ("a tadeous task", ("Tadeo",), None),
    ],
)
def test_names_in_small_letters(line: str, known: tuple[str, ...], told: str | None) -> None:
    assert with_capitals(line, known) == (told or line)


FATHER = "My father Osman is 81 and he had a stroke in February."
DOCTOR = "The neurologist is Dr. Lindqvist. She's kind."


@pytest.mark.parametrize(
    ("earlier", "line", "told"),
    [
        ([FATHER, DOCTOR], "He gets clopidogrel.", "My father Osman gets clopidogrel."),
        (
            [FATHER, "It rains.", "At night it's ramipril."],
            "His hand hardly works.",
            "My father Osman's hand hardly works.",
        ),
        ([FATHER, DOCTOR, "He gets clopidogrel."], "He'll be 82 in May.", "My father Osman will be 82 in May."),
        ([FATHER], "He's 81.", "My father Osman is 81."),
    ],
)
def test_lines_that_name_nobody_who_is_meant_may_lie_between(earlier: list[str], line: str, told: str) -> None:
    assert named_in_talk(line, earlier, "User") == told


@pytest.mark.parametrize(
    ("earlier", "line"),
    [
        ([FATHER, "My brother called our uncle."], "He is late."),
        ([FATHER, "The plumber came."], "He is late."),
        ([FATHER, DOCTOR], "I am late."),
        ([], "He is late."),
        ([FATHER, "Tom is here."], "His car is red."),
    ],
)
def test_it_stays_open_where_another_may_be_meant(earlier: list[str], line: str) -> None:
    assert named_in_talk(line, earlier, "User", ("Tom",)) in (line, line.replace("His", "Tom's"))
