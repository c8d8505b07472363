"""What a line puts in the place of what, and what its clauses tell."""

from __future__ import annotations

import pytest

from chatmem.memory.language.facts.corrections import clause_facts, clauses, signals, swaps


@pytest.mark.parametrize(
    ("line", "pairs"),
    [
        ("Sorry, Mia's birthday is not on 9 May but on 19 May.", [("9 May", "19 May")]),
        ("her birthday is on 19 May and not on 9 May", [("9 May", "19 May")]),
        ("I was wrong about the coach, he is not called Dave but Dan.", [("Dave", "Dan")]),
        ("his name isn't Dave, it's Dan", [("Dave", "Dan")]),
        ("the appointment isn't at 3 but at 4", [("3", "4")]),
        ("he does not live in Corby but in Kettering", [("Corby", "Kettering")]),
        ("it's Callum who went to Leeds, not Priya or Tom", [("Priya", "Callum"), ("Tom", "Callum")]),
        ("I said she was born on the 12th of May, but it was the 14th", [("12th", "14th"), ("12", "14")]),
        ("the operation has been moved from the 9th to the 23rd of May", [("9th", "23rd"), ("9", "23")]),
        ("the dentist moved me from Thursday to Monday at 2:15pm", [("Thursday", "Monday")]),
        ("oh no she's in abuja, lagos was before", [("in lagos", "in abuja")]),
        ("he works in Leeds now, it used to be Hull", [("in Hull", "in Leeds")]),
        ("it's on Friday, Thursday was before", [("on Thursday", "on Friday")]),
        ("he's in Leeds now, used to be a baker", []),
        ("she's in bed, it was before lunch", []),
        ("Lena isn't a baker but her sister is", []),
        ("I moved from Leeds to Bath", []),
        ("it isn't far but the bus is slow", []),
    ],
)
def test_what_takes_whose_place(line: str, pairs: list[tuple[str, str]]) -> None:
    assert swaps(line) == pairs


def test_who_was_wrong_about_something_owns_up() -> None:
    assert signals("I was wrong about Ben's coach").owns_up and signals("Ana was wrong about Ben's coach.").of_the_slip
    assert not signals("they were wrong about the weather").owns_up


def test_he_is_not_the_first_one_once_another_was_named() -> None:
    line = "Callum has moved out, he's gone to Leeds. Tom has got his room now, he's a teacher"
    assert list(clause_facts(line, "Ana", frozenset({"Callum"}))) == [
        "Callum has moved out.",
        "Callum has gone to Leeds.",
    ]


@pytest.mark.parametrize(
    ("line", "pairs"),
    [
        ("And it was little Isla who turned 3 in August, not Stephen.", [("Stephen", "Isla")]),
        ("We weren't in the Lakes in May after all, it was June.", [("May", "June")]),
        ("the exam's 21 may not december", [("december", "may")]),
        ("sundays 2 til 10 now instead of saturdays", []),  # no number is put in a day's place
        ("We weren't home in May, it was lovely", []),
        ("I said I have 2 dogs. They are 3 years old.", []),
        ("I told you I have 2 dogs, but they are 3 years old", []),
        ("I can't eat at 3, it was 4 degrees in the kitchen", []),
    ],
)
def test_what_is_of_another_kind_takes_no_place(line: str, pairs: list[tuple[str, str]]) -> None:
    assert swaps(line) == pairs


@pytest.mark.parametrize(
    ("line", "pair"),
    [
        ("mums move is the twenty first now not the fourteenth", ("fourteenth", "twenty first")),
        ("it's the twenty-first not the fourteenth", ("fourteenth", "twenty-first")),
        ("it's seventy four, not forty seven", ("forty seven", "seventy four")),
    ],
)
def test_a_number_in_two_words_is_put_right_as_one(line: str, pair: tuple[str, str]) -> None:
    assert swaps(line) == [pair]


def test_who_begins_the_next_clause_with_the_speaker_is_not_the_end_of_the_last() -> None:
    assert clauses("I've given up bridge, Sheila and I just meet now.") == [
        "I've given up bridge",
        "Sheila and I just meet now.",
    ]
    whole = "I've given up coffee, it's only green tea for me these days"
    assert clauses(whole) == [whole]


@pytest.mark.parametrize(
    ("line", "swap"),
    [
        ("It is the right knee, not the left", ("left", "right")),
        ("It is the right knee by the way, not the left, I always mix them", ("left", "right")),
        ("I take the blue car, not the red", ("red", "blue")),
        ("it's on Tuesday, not Thursday by the way", ("Thursday", "Tuesday")),
        ("My surname is White, not Black", ("Black", "White")),
        ("he's in fourth grade since last year, not third", ("third", "fourth")),
    ],
)
def test_a_side_is_put_right_by_its_other_side(line: str, swap: tuple[str, str]) -> None:
    """A knee became a "way knee"."""
    assert swaps(line) == [swap]


PRITCHARD = [("Mr Pritchard", "Miss Rao")]


@pytest.mark.parametrize(
    ("line", "pairs"),
    [
        ("And it won't be Mr Pritchard, it's a Miss Rao now", PRITCHARD),
        ("it will not be Mr Pritchard, it'll be Miss Rao", PRITCHARD),
        ("it's not going to be Mr Pritchard after all, it's Miss Rao", PRITCHARD),
        ("It isn't going to be Mr Pritchard. It's going to be a Miss Rao.", PRITCHARD),
        ("It isn't Mr Pritchard any more, it's a Miss Rao", PRITCHARD),
        ("It's no longer Mr Pritchard but it's Miss Rao", []),
        ("It's no longer Mrs Bell, it's Mr Owen now", [("Mrs Bell", "Mr Owen")]),
        ("It's not Sandra any more, it's Kim", [("Sandra", "Kim")]),
        ("It won't be Leeds, it'll be York", [("Leeds", "York")]),
        ("It won't be Tom, he's on holiday", []),
        ("It won't be Tuesday, it'll be Thursday", []),
        ("It won't be easy, it's a long way", []),
        ("It won't be Mr Pritchard", []),
        ("It won't be Tom, I think, and it's raining", []),
        ("It won't be Tom's, it's my sister's", []),
    ],
)
def test_who_it_wont_be_and_who_it_is(line: str, pairs: list[tuple[str, str]]) -> None:
    assert swaps(line) == pairs


@pytest.mark.parametrize(("line", "pairs"), [
    ("soz not tomorrow, saturday morning", []),
    ("sry not Leeds, Bradford", []),
    ("my dad is not in Rhyl, that's my nan", []),
    ("it's not my dad, it's my nan who lives in Rhyl", [("dad", "nan")]),
    ("Dad isn't in Leeds, he's in York", [("Leeds", "York")]),
])  # fmt: skip
def test_no_excuse_and_nobodys_kin_stands_in_the_place_of_a_day_or_place(
    line: str, pairs: list[tuple[str, str]]
) -> None:
    assert swaps(line) == pairs


@pytest.mark.parametrize(
    ("line", "pairs"),
    [
        ("I tell a lie, I said it was eleven years. It's twelve, I think.", [("eleven years", "twelve years")]),
        ("I said the dentist is on Tuesday, it's Wednesday", [("Tuesday", "Wednesday")]),
        ("I told you Kim is 12. She's 13.", [("12", "13")]),
        ("I said I'd be there at nine. It's ten.", []),
        ("I said we have two cats, he's four", []),
        ("I told you she's 12. It's raining.", []),
    ],
)
def test_what_one_says_to_have_told_gives_way_to_what_it_is(line: str, pairs: list[tuple[str, str]]) -> None:
    assert swaps(line) == pairs
