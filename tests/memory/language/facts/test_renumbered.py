"""A number that is told anew takes the place of the old one, and nothing else of the fact is lost."""

from __future__ import annotations

import pytest

from chatmem.memory.language.facts.renumbered import renumbered

RENT = "Ana pays 850 euros of rent a month."


@pytest.mark.parametrize(
    ("known", "line", "now"),
    [
        (RENT, "rent went up again. 910 now. for the same leaky tap", "Ana pays 910 euros of rent a month."),
        (RENT, "we now pay 920 for the rent", "Ana pays 920 euros of rent a month."),
        ("Ana's shoe size is 39.", "correction: size 38. 39 was with the thick socks", "Ana's shoe size is 38."),
        ("Ana works three days a week at a shop.", "my hours went up to five days",
         "Ana works five days a week at a shop."),
        ("Ana has three cats.", "we have two cats now", "Ana has two cats."),
        ("Ana's train leaves at 6.", "my train leaves at 7 now", "Ana's train leaves at 7."),
        ("Ana's son Leo is in form 3.", "Leo is in form 4 now", "Ana's son Leo is in form 4."),
        ("Ana weighs 80 kilos.", "I weigh 76 kilos now", "Ana weighs 76 kilos."),
        ("Ana runs 5 km every morning.", "I'm up to 8 km now", "Ana runs 8 km every morning."),
    ],
)  # fmt: skip
def test_the_number_is_changed_where_the_line_tells_of_the_same(known: str, line: str, now: str) -> None:
    assert renumbered(known, line, "Ana") == now


@pytest.mark.parametrize(
    ("known", "line"),
    [
        ("Ana has three cats.", "my sister has two cats now"),
        ("Ana has three cats.", "we have two new kittens now"),
        ("Ana has three hens.", "I'm 35 now"),
        ("Ana drinks 5 coffees a day.", "I drank 3 coffees today"),
        (RENT, "the rent is due on the 5th now"),
        (RENT, "rent is late, and I paid 300 for a new bike"),
        (RENT, "is rent 910 now?"),
        ("Ana runs 5 km every morning.", "I might be up to 8 km soon"),
        ("Ana has two sons.", "I now have a daughter, 3 weeks old"),
        ("Ana moved here in 2019.", "it is 2024 now"),
        ("Ana is 34 years old.", "I've worked here 6 years now"),
        ("Ana has two sons.", "my son is 4 now"),
        ("Ana has three cats.", "my cat is 14 now"),
        ("Ana works 40 hours a week.", "I've worked 12 hours today, now I'm off"),
        ("Ana works three days a week at a shop.", "I've been ill for five days now"),
        ("Ana lives at 12 Canal Row with 2 dogs.", "the number is 14 now"),
    ],
)
def test_a_number_of_something_else_changes_nothing(known: str, line: str) -> None:
    assert renumbered(known, line, "Ana") is None


def test_who_is_a_year_older_is_so_in_what_is_known_of_them() -> None:
    known = "Mina has a little brother, adam, he's 16 and football mad."
    older = "Mina has a little brother, adam, he's 17 and football mad."
    for line in ("oh and adam's 17 now, it was his birthday on tuesday", "Adam turned 17 on Tuesday", "adams 17 today"):
        assert renumbered(known, line, "Mina") == older
    for line in (
        "Leo is 17 now",
        "Adam has 17 fish, and 3 cats",
        "Adam is 17 km away",
        "adam's 16 now",
        "Adam's 17 on Sunday",
    ):
        assert renumbered(known, line, "Mina") is None
    cats = "Mina has two cats: Tom, 3, and Jo, {}."
    assert renumbered(cats.format(5), "Jo is 6 now", "Mina") == cats.format(6)
    assert renumbered("Adam lives at number 16.", "Adam is 17 now", "Mina") is None
