"""Names that a small model spells as nobody did."""

from __future__ import annotations

import pytest

from chatmem.models.chat.told.spelled import spelled
from chatmem.models.lm import Chunk


@pytest.mark.parametrize(
    ("line", "reply", "shown"),
    [
        ("My sister Mia lives in Graz", "Gravz is a lovely place.", "Graz is a lovely place."),
        ("My sister Nomsa lives in Nairobi.", "Nomosa, a lovely name.", "Nomsa, a lovely name."),
        ("We met Priscilla", "I like Priscila", "I like Priscilla"),
        ("I'm from Croatia", "Croatians are kind.", "Croatians are kind."),
        ("I'm off to Graz", "Great, have fun in Graz!", "Great, have fun in Graz!"),
        ("Nori is my cat", "Nora is a lovely name.", "Nora is a lovely name."),
        ("Maria and Marta came", "Maria and Marta, how nice.", "Maria and Marta, how nice."),
        ("my sister lives in graz", "Gravz is lovely.", "Gravz is lovely."),
    ],
)
@pytest.mark.parametrize("size", [1, 3, 100])
def test_a_slip_is_spelled_as_it_was_told(line: str, reply: str, shown: str, size: int) -> None:
    pieces = [Chunk(reply[at : at + size]) for at in range(0, len(reply), size)]
    assert "".join(chunk.text for chunk in spelled(iter([*pieces, Chunk("", "stop")]), line)) == shown
    told = list(spelled(iter([*pieces[:-1], Chunk(pieces[-1].text, "stop")]), line))
    assert "".join(chunk.text for chunk in told) == shown and told[-1].finish == "stop"
    assert "".join(chunk.text for chunk in spelled(iter(pieces), line)) == shown
