"""Talks that are asked after, with what of each question was told. Who has such talks hands them to the evaluator."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from ....memory.values import Moment

if TYPE_CHECKING:
    from ....memory.store.store import Store
    from ....memory.values import User

Kind = Literal["told", "taken out", "never told"]
KINDS: tuple[Kind, ...] = ("told", "taken out", "never told")
"""What answers the question was told; it was, in a talk from which the lines that tell it are taken out; it wasn't."""


@dataclass(frozen=True, slots=True)
class TalkQuestion:
    """A question; `keys`: words that all stand in a right answer."""

    kind: Kind
    text: str
    keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AskedTalk:
    """A talk and what is asked after it, at `now`. `tell` puts it into a store, under a user of the name that it is
    given; `says`: all that it says, by which a record knows it."""

    name: str
    says: str
    tell: Callable[[Store, str], User]
    now: Moment
    asks: tuple[TalkQuestion, ...]

    def key(self, ask: TalkQuestion) -> str:
        """Of a question after this very talk: one that was changed is another."""
        told = hashlib.sha256(f"{self.says}{ask!r}{self.now}".encode()).hexdigest()[:12]
        return f"{self.name} {ask.kind} {told}"


@dataclass(frozen=True, slots=True)
class TalkSet:
    """Talks of a kind. `fitted`: what of the weights and bounds learned from them, for people; `held_out`: nothing."""

    name: str
    fitted: str
    held_out: bool
    talks: tuple[AskedTalk, ...]

    def some(self, number: int) -> TalkSet:
        """With at most so many questions of each kind, drawn over all talks, the same at each call; 0: all."""
        if not number:
            return self
        rng, kept = random.Random(f"{self.name} {number}"), set[tuple[int, int]]()
        for kind in KINDS:
            places = [place for place in self._places() if self._at(place).kind == kind]
            kept |= {*rng.sample(places, min(number, len(places)))}
        left = [
            replace(talk, asks=tuple(ask for at, ask in enumerate(talk.asks) if (number, at) in kept))
            for number, talk in enumerate(self.talks)
        ]
        return replace(self, talks=tuple(talk for talk in left if talk.asks))

    def _places(self) -> Sequence[tuple[int, int]]:
        return [(number, at) for number, talk in enumerate(self.talks) for at in range(len(talk.asks))]

    def _at(self, place: tuple[int, int]) -> TalkQuestion:
        return self.talks[place[0]].asks[place[1]]


Source = Callable[[str], TalkSet]
"""The set of a name. Raises NotFound."""
