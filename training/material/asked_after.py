"""The talks that ship, as `chatmem eval trust` asks after them: what was told, taken out, and never told."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from ...eval.agents.trust.talks import AskedTalk, TalkQuestion, TalkSet
from ...memory.errors import NotFound
from .stored import stored_talk
from .taken_out import without
from .templates.talk import GoldTalk
from .templates.told import (
    manner_talks,
    told_talks,
    unseen_further_talks,
    unseen_talks,
    unseen_week_talks,
)  # fmt: skip

if TYPE_CHECKING:
    from ...memory.store.store import Store
    from ...memory.values import User

NOTHING = "nothing: neither weights nor bounds"
BOUNDS = "its bounds and how its two models are weighed, not the models"
LEARNED = "all of it: weights and bounds"


def _held_back() -> list[GoldTalk]:
    return [*told_talks("valid"), *manner_talks("valid")]


def _learned() -> list[GoldTalk]:
    return [*told_talks("train"), *manner_talks("train")]


SETS: dict[str, tuple[Callable[[], list[GoldTalk]], str]] = {
    "unseen": (unseen_talks, NOTHING), "unseen-short": (unseen_further_talks, NOTHING),
    "unseen-weeks": (unseen_week_talks, NOTHING), "held-back": (_held_back, BOUNDS), "learned": (_learned, LEARNED),
}  # fmt: skip
"""Each set with what the reader learned from it (`training/recall/choice/`)."""


def asked_after(name: str) -> TalkSet:
    """The talks of a set with their questions. Raises NotFound."""
    if name not in SETS:
        raise NotFound(f"There is no set of talks {name!r}; there are {', '.join(SETS)}.")
    read, fitted = SETS[name]
    talks = read()
    if not talks:
        raise NotFound(f"The talks of the set {name} lie in a checkout of chatmem alone: run it there.")
    found = tuple(one for number, talk in enumerate(talks, 1) for one in _asked(f"{name}-{number}", talk))
    return TalkSet(name, fitted, fitted == NOTHING, found)


def _asked(name: str, talk: GoldTalk) -> Iterator[AskedTalk]:
    """The talk with its own questions, and for each told one the talk without what answers it."""
    own = [
        TalkQuestion("never told" if one.needs is None else "told", one.text, one.key_words) for one in talk.questions
    ]
    yield _talk(name, talk, own)
    for place, one in enumerate(talk.questions):
        if one.needs is not None:
            yield _talk(f"{name}-{place}", without(talk, one), [TalkQuestion("taken out", one.text, one.key_words)])


def _talk(name: str, talk: GoldTalk, asks: Sequence[TalkQuestion]) -> AskedTalk:
    says = repr([(line.speaker, line.text, line.facts) for line in talk.lines])
    return AskedTalk(name, says, partial(_tell, talk), talk.lines[-1].said_at, tuple(asks))


def _tell(talk: GoldTalk, store: Store, name: str) -> User:
    """As a chat would have kept it: three quarters of the facts, and all lines."""
    return stored_talk(store, name, talk, random.Random(name))
