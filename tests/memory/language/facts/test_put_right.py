"""Lines that put right what was said just before, and lines that only begin like them."""

from __future__ import annotations

import pytest

from chatmem.memory.language.facts.put_right import put_right

RIGHT = """Ana bought a stove for 640 euros.|No. 460.|Ana bought a stove for 460 euros.
Ana bought a stove for 640 euros.|460, sorry|Ana bought a stove for 460 euros.
Elif has dropped the harp for the cello.|No, sorry, the viola! I mix them up.|Elif has dropped the harp for the viola.
Ana's exam is the 14 of May.|Ay no, I say it bad, is the 24 of May, not the 14.|Ana's exam is the 24 of May.
Ana takes a tablet after breakfast.|Sorry, after dinner.|Ana takes a tablet after dinner.
Ana lives in Bristol.|Wait, Bath.|Ana lives in Bath.
Ana's sister Mia lives in Oslo.|No, Bergen.|Ana's sister Mia lives in Bergen.
Ana's dentist is on Friday at 3pm.|oops, 4pm|Ana's dentist is on Friday at 4pm.
Ana's dentist is on Friday.|no, Saturday|Ana's dentist is on Saturday.
Ana's flight is on 3 March.|make that the 5th of March|Ana's flight is on the 5th of March.
Ana's brother is 34.|I mean 35.|Ana's brother is 35.
Ana has two cats.|Sorry, three.|Ana has three cats.
Ana's rent is 1,850 euros.|correction: 1,750|Ana's rent is 1,750 euros."""

NOT = """Ana plays the cello.|No thanks.
Ana plays the cello.|Oh no, the doorbell!
Ana plays the cello.|Sorry, the doorbell.
Ana plays the cello.|No idea.
Ana plays the cello.|Sorry, tired today.
Ana has 2 cats.|no worries
Ana has 3 cats.|Wait, 5 minutes.
Ana's dentist is on Friday.|Wait, is it Friday?
Ana lives in Bristol.|No, I live in Bath.
Ana lives in Bristol.|Bath is nice.
Ana lives in Bristol.|No, Bristol.
Ana met Tom.|Oops, Mum's calling."""


@pytest.mark.parametrize("case", RIGHT.splitlines())
def test_the_value_is_put_right(case: str) -> None:
    fact, line, after = case.split("|")
    assert put_right(fact, line, "Ana") == after


@pytest.mark.parametrize("case", NOT.splitlines())
def test_nothing_is_put_right(case: str) -> None:
    fact, line = case.split("|")
    assert put_right(fact, line, "Ana") is None
