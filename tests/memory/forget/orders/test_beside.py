"""What is news behind a wish to forget, and what only says why or of what more it is wished."""

from __future__ import annotations

import pytest

from chatmem.memory.forget.orders.beside import brings_news
from tests.memory.forget.orders.test_half import rows

NEWS = """Forget Berlin, we're going to Lisbon in May=Forget work, I'm on holiday until Monday=forget mum, dad is ill
could you forget where I work, I was sacked=forget Berlin; we're off to Lisbon=forget Berlin - we're off to Lisbon
forget dinner, Tom cancelled=forget lunch, my boss called=Forget tea, she drinks coffee=forget Rome, we moved to Linz"""
NONE = """forget my pin, please=forget my salary, it's private=Please forget my two cats, thanks
forget my old job, my old boss and my pension=that's dumb, forget the door code please=forget Leo, my wife reads this
forget my address, I mean it=forget the dog, the cat, the fish=forget Rosa, my aunt=Hi, could you forget my number
forget my number, I'm serious=forget my debts, I beg you=forget everything about Tom, the one from work
forget my pin=forget Tom, Anna and Ben"""


@pytest.mark.parametrize("line", rows(NEWS))
def test_news(line: str) -> None:
    assert brings_news(line)


@pytest.mark.parametrize("line", rows(NONE))
def test_no_news(line: str) -> None:
    assert not brings_news(line)
