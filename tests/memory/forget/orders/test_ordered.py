"""Orders to forget tell nothing; what a line tells beside them stays."""

from __future__ import annotations

import pytest

from chatmem.memory.forget.orders.ordered import without_orders
from chatmem.memory.values import Turn
from chatmem.models.storage.own_evidence import telling_turn


@pytest.mark.parametrize(
    "line",
    [
        "Throw away the dahlias", "Forget it, let's talk about cake", "Let's forget about dinner tonight",
        "Forget the debt, the affair and the abortion", "forget everything but my choir and my job",
        "Felix's diagnosis is his business, not mine. Erase it", "From now on forget Tetra Pak",
        "Could you please unremember Helsingborg?", "Tom drinks. Please delete that.",
        "Forget the debt, my plans and the abortion",
        "Forget that I was ill, that I lost my job and that Tom left", "Forget my debt, and what Ingvar said of it",
        "Forget I was ill, I lost my job and Tom left", "Forget what I told you: I was drunk",
        "The dentist is on Tuesday. Scratch that.",
    ],
)  # fmt: skip
def test_no_order_to_forget_is_read_for_facts(line: str) -> None:
    turn = Turn(1, 1, 1, "User", line, "2026-05-01T12:00:00Z")
    assert not without_orders(line) and telling_turn(turn) is None


@pytest.mark.parametrize(
    "row",
    [
        "Forget what Ingvar says, I'm good at my job|I'm good at my job",
        "Forget Berlin. We moved to Lisbon.|We moved to Lisbon.",
        "Forget Berlin, Tom moved to Lisbon|Tom moved to Lisbon",
        "Forget the gym, because the knee is broken|the knee is broken",
        "Delete the old flat from the list: we live in Ghent now|we live in Ghent now",
        "Forget about the wedding, the cake and the dress, Anna and Max broke up|Anna and Max broke up",
    ],
)  # fmt: skip
def test_what_is_told_behind_an_order_is_read(row: str) -> None:
    line, told = row.split("|")
    assert without_orders(line) == told


@pytest.mark.parametrize(
    "line",
    [
        "I keep forgetting my keys", "Forget Paris is my favourite film", "Forget-me-nots grow in my garden",
        "Drop the kids at school, then work", "Scrap metal is my trade",
        "Delete the old ones every week, that's my job",
        "Clear skies make me happy", "I threw away the dahlias", "Kill Bill is a film that I love",
        "Forget to eat at work",
        "My sister forgot the cake. It was hers.", "Get the bus at nine", "We erase the board", "Tom forgets the milk",
        "Take the red pills at eight",
        "Scratch that, the dentist is on Thursday", "The dentist is on Tuesday. Scratch that, Thursday.",
        "Strike that. Tom lives in Oslo.", "Oh sorry, scratch that, Tom lives in Oslo",
    ],
)  # fmt: skip
def test_ordinary_lines_are_read_as_they_are(line: str) -> None:
    assert without_orders(line) == line
