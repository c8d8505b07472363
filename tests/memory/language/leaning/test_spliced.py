"""Statements that one sentence strings together become sentences that name whom they tell of, where that is plain."""

from __future__ import annotations

import pytest

from chatmem.memory.language.leaning.spliced import spliced


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (
            "My husband is called Doru, he drives a bus, mostly line 35.",
            "My husband is called Doru. My husband Doru drives a bus, mostly line 35.",
        ),
        (
            "We have two children, Ioana is 22 and studies law, and Matei is 16.",
            "We have two children. Ioana is 22 and studies law. Matei is 16.",
        ),
        (
            "We have a cat called Pufi, she's nine years old, and she eats only fish.",
            "We have a cat called Pufi. Pufi is nine years old. Pufi eats only fish.",
        ),
        (
            "Ioana has a boyfriend, Radu, he is a programmer.",
            "Ioana has a boyfriend, Radu. Radu is a programmer.",
        ),
        (
            "My neighbour Mrs. Kovács is 81, I bring her bread, and she has a dog.",
            "My neighbour Mrs. Kovács is 81, I bring her bread. My neighbour Mrs. Kovács has a dog.",
        ),
        ("I've got a car, it's a Skoda, it's old.", "I've got a car. My car is a Skoda. My car is old."),
        (
            "My friend Lena and her husband Karl moved in, he is an architect.",
            "My friend Lena and her husband Karl moved in. Karl is an architect.",
        ),
        ("My aunt died last year. She was 80.", "My aunt died last year. My aunt was 80."),
        ("My brother is a cook. He lives in Leeds.", "My brother is a cook. My brother lives in Leeds."),
        ("and my brother, he lives in Perth", "and my brother lives in Perth"),
        ("Adaobi, she designs billboards.", "Adaobi designs billboards."),
        ("my brother Tom he works at Asda", "my brother Tom works at Asda"),
        ("Travis got laid off he's moving home", "Travis got laid off. Travis is moving home"),
        ("mum lives in Truro she's got diabetes", "mum lives in Truro. Mum has got diabetes"),
        ("I live with my wife, and she's fed me for years.", "I live with my wife. My wife has fed me for years."),
        ("My husband and I have a shop, he bakes.", "My husband and I have a shop. My husband bakes."),
        ("My ex Karl has the kids on Sundays, he drives.", "My ex Karl has the kids on Sundays. Karl drives."),
    ],
)  # fmt: skip
def test_a_statement_of_its_own_becomes_a_sentence(line: str, told: str) -> None:
    assert spliced(line) == told


@pytest.mark.parametrize(
    "line",
    [
        "Simona bought a puppy, and she called it Max.",
        "My birthday is on 14 February, and Doru always forgets it.",
        "When my brother came home, he was tired.",
        "My mother says she is fine.",
        "My sister told me, she wants to move.",
        "I met Ana and Tom on Friday, he is a plumber.",
        "Irina's boss gives her no free days, she takes the train in June.",
        "If Tom calls, he wants money.",
        "In March, Leo moved out.",
        "Not enough children wanted French, so it's Spanish, he didn't mind.",
        "I paid a kennel for Pip's ten days, Anton's new landlord put up a sign",
        "the poodles are Ulla and Knut. he bites, she faints",
        "Inga is engaged to a beekeeper, and he has asked her to stay.",
        "My wife Ines works at the bank, and my son Teo is at school.",
        "I work at Tesco, it's boring.",
        "We went to Dr. Holm. It rained.",
        "I know he's ill",
        "that's the house he's buying",
        "my sister met a guy she's seeing now",
        "Do you know if Tom he's ok",
        "",
    ],
)
def test_what_leans_on_the_rest_stays(line: str) -> None:
    assert spliced(line) == line


def test_whom_a_line_is_about_is_no_adjective_and_no_predicate() -> None:
    assert spliced("We hired a nanny, Ewa, she's Polish, she comes at 8.") == (
        "We hired a nanny, Ewa. Ewa is Polish. Ewa comes at 8."
    )
    assert spliced("My son went to Turin, he's a chemist, he invented a red.") == (
        "My son went to Turin. My son is a chemist. My son invented a red."
    )
