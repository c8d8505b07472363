"""The one day of a fact that a line puts right."""

from __future__ import annotations

import pytest

from chatmem.memory.language.facts.redated import redated


@pytest.mark.parametrize(
    ("known", "line", "now"),
    [
        ("Ana's mum lives in Haarlem and turns 70 on May 3rd.", "actually my mum's birthday is the 5th",
         "Ana's mum lives in Haarlem and turns 70 on May 5th."),
        ("Ana has a dentist appointment on 9 March.", "no wait, the dentist is on the 12th",
         "Ana has a dentist appointment on 12th March."),
        ("Ana's wedding is on 6 June in Bath.", "sorry, I told you wrong, the wedding is on 13 June",
         "Ana's wedding is on 13 June in Bath."),
        ("Ana has a dentist appointment on 9 March.", "That's wrong, the dentist appointment is on 16 March.",
         "Ana has a dentist appointment on 16 March."),
        ("Ana has a dentist appointment on 9 March.", "you've got that wrong: the dentist is on the 12th",
         "Ana has a dentist appointment on 12th March."),
        ("Ana's wedding is on 6 June in Bath.", "They put it on 13 June without asking us, and that's wrong.", None),
        ("Ana has a dentist appointment on 9 March.", "Bob's dentist appointment is on 16 March, actually", None),
        ("Ana has a dentist appointment on 9 March.", "actually the vet is on the 12th", None),
        ("Ana's sister Mia turns 40 on 9 March.", "actually my brother's birthday is on 12 March", None),
        ("Ana's wedding is on 6 June in Bath.", "the wedding is on 13 June", None),
        ("Ana's wedding is on 6 June in Bath.", "actually maybe the wedding could be on 13 June", None),
        ("Ana lives in Bath.", "actually the wedding is on 13 June", None),
    ],
)  # fmt: skip
def test_a_day_that_was_wrong_is_put_right(known: str, line: str, now: str | None) -> None:
    assert redated(known, line, "Ana") == now
