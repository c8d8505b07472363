"""What says no at "Erase this for good?", and what only looks like it."""

from __future__ import annotations

import pytest

from chatmem.app.shown.choices import agreed, waits
from chatmem.app.shown.events import Asked
from chatmem.memory.forget.orders.refused import refuses
from chatmem.memory.values import ForgetPlan
from tests.memory.forget.orders.test_half import rows

NO = """keep it=I changed my mind=nothing=cancel=don't=stop=leave it=keep everything=Keep it.=no, keep all of it
hm, keep it=actually keep them please=none of it=I've changed my mind, sorry=don't erase it=do nothing=I want to keep it
keep it all=please don't erase anything=wait, stop=yes keep it=No. Keep everything as it is.=i’d rather keep it
cancel that=nvm"""
OTHER = """keep it short=yes=ok=everything=all of it=no wait=not yet=hm, maybe=forget it=nothing happened today
stop the bus=don't tell Tom=keep the dog=keep it in mind=leave it open tonight=I changed my job=cancel my gym=don't know
don't keep it=don't leave it=don't stop=go on=ok then=none of us came=nothing but the dog=not that one
I want to keep fit=yes, don't worry"""


@pytest.mark.parametrize("word", ["", "everything"])
@pytest.mark.parametrize("line", rows(NO))
def test_it_closes_the_question(line: str, word: str) -> None:
    asked = Asked("Erase it?", "/forget 1 --yes", None if word else ForgetPlan(1), word=word)
    assert refuses(line) and agreed(asked, line) is False and not waits(asked, line)


@pytest.mark.parametrize("line", rows(OTHER))
def test_what_keeps_nothing_or_something_else_is_none(line: str) -> None:
    assert not refuses(line)
