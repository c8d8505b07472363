"""Names with other letters than the 26 of English are names."""

from __future__ import annotations

import unicodedata

import pytest

from chatmem.memory.language.about_others import apart, people
from chatmem.memory.language.leaning.in_talk import understood
from chatmem.memory.language.points.letters import CAPITALS, SMALL, findall, sub, widened

PAIRS = (
    ("Tomás", "Tomas"), ("Inês", "Ines"), ("Graça", "Graca"), ("Élodie", "Elodie"), ("Łukasz", "Lukasz"),
    ("Zoë", "Zoe"), ("Søren", "Soren"), ("Çağla", "Cagla"), ("Nguyễn", "Nguyen"), ("Ștefan", "Stefan"),
)  # fmt: skip


@pytest.mark.parametrize(("name", "plain"), PAIRS)
def test_a_name_is_read_as_its_plain_form_is(name: str, plain: str) -> None:
    def read(one: str) -> tuple[object, ...]:
        return (
            sorted(people([("Ana", f"Ana's sister {one} lives in Lyon.")]) - {"Ana"}),
            apart(f"{one} plays football on Saturdays so I'm stood in the rain", "Ana", {one}),
            understood("she lives in Lyon", [f"my sister {one} called"], "Ana", {one}),
        )

    assert read(name)[0] == [name]
    assert str(read(name)).replace(name, "X") == str(read(plain)).replace(plain, "X")


def test_all_letters_are_of_the_case_that_they_stand_for() -> None:
    assert all(unicodedata.category(one) == "Lu" for one in CAPITALS)
    assert all(unicodedata.category(one) == "Ll" for one in SMALL)
    assert findall(r"[A-Z][a-z]+", "Ängel über Île, über ŽOFIE") == ["Ängel", "Île"]
    assert sub(r"\b[a-z]+\b", "-", "élan X") == "- X"
    assert widened(r"\d{2}") == r"\d{2}"
