"""What people order from an assistant or ask it in general: it tells nothing about them, however much it holds.

`orders.txt` holds manners of ordering, each with its wordings; their slots are those of the kinds and of
`slots_asks.txt`. Orders stand alone in a talk, or beside a fact of the speaker's ("I'm vegan. Suggest a menu."), which
is then still told. Validation has the manners that are held out whole, of the others wordings and values never trained.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from ....memory.values import ASSISTANT
from .phrases import slip
from .slots import HERE, Fill, held_out
from .talk import GoldLine, GoldTalk, Split

HELD_SHARE = 0.5
"""Of the orders for validation, those in a manner that is held out whole."""
AFTER = 0.5
"""How often an order follows a person's line and its reply."""
BESIDE = 0.3
"""How often an order stands in one line with a fact."""

ENDS = '.!?"'


@dataclass(frozen=True, slots=True)
class Manner:
    """A way to order, with its wordings. `held_out`: for validation alone."""

    name: str
    held_out: bool
    wordings: tuple[str, ...]

    def of(self, split: Split) -> tuple[str, ...]:
        """The wordings that a split may use."""
        if self.held_out:
            return self.wordings if split == "valid" else ()
        return tuple(text for text in self.wordings if held_out(text) == (split == "valid"))


@dataclass(frozen=True, slots=True)
class Order:
    """An order and its manner's name."""

    manner: str
    text: str


@cache
def manners() -> tuple[Manner, ...]:
    """All of the file's, in its order."""
    body = _file().partition("[replies]\n")[0]
    found = []
    for part in re.split(r"^== ", body, flags=re.MULTILINE)[1:]:
        head, *lines = part.splitlines()
        name, _, rest = head.partition(" ")
        found.append(Manner(name, rest == "held out", tuple(line for line in lines if line.strip())))
    return tuple(found)


@cache
def replies() -> tuple[str, ...]:
    """What the assistant may say to an order."""
    body = _file().partition("[replies]\n")[2].replace("|\n", "| ")
    return tuple(reply.strip() for reply in body.strip().split("|"))


def _file() -> str:
    return (HERE / "orders.txt").read_text(encoding="utf-8")


def order(name: str, rng: random.Random, split: Split) -> Order:
    """An order by somebody of that name; validation draws half of its orders in a manner that is held out."""
    able = [manner for manner in manners() if manner.of(split)]
    if split == "valid":
        whole = rng.random() < HELD_SHARE
        able = [manner for manner in able if manner.held_out == whole]
    manner = rng.choice(able)
    text = Fill(name, rng, split, rng.random() < 0.5).render(rng.choice(manner.of(split)))
    return Order(manner.name, slip(text, rng))


def with_orders(talk: GoldTalk, rng: random.Random, split: Split) -> GoldTalk:
    """The talk with orders and their replies between its lines, and beside some of its facts; its golds stay as they
    are."""
    return replace(talk, lines=tuple(_lines(talk.lines, rng, split)))


def _lines(lines: Sequence[GoldLine], rng: random.Random, split: Split) -> Iterator[GoldLine]:
    for place, line in enumerate(lines):
        if line.speaker != ASSISTANT:
            yield _beside(line, rng, split)
            continue
        yield line
        before = lines[place - 1].speaker if place else ASSISTANT
        if before != ASSISTANT and rng.random() < AFTER:
            yield replace(line, speaker=before, text=order(before, rng, split).text)
            yield replace(line, text=rng.choice(replies()))


def _beside(line: GoldLine, rng: random.Random, split: Split) -> GoldLine:
    if not line.facts or rng.random() >= BESIDE:
        return line
    return replace(line, text=beside(line.text, order(line.speaker, rng, split).text, rng))


def beside(said: str, asked: str, rng: random.Random) -> str:
    """A line that tells something and orders something, mostly in this order."""
    first, second = (said, asked) if rng.random() < 0.7 else (asked, said)
    return f"{first}{'' if first[-1] in ENDS else '.'} {second}"
