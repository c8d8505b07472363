"""Orders to an assistant ("Draft a cover letter for a job as a baker."): they tell nothing of who gives them.

An order has the verb first, perhaps after "please" or "could you". One in which the speaker stands beside the verb's
own "me" ("a poem for my wife Anna") may tell something and is taken for no mere order.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from ..own_name import told_name
from ..third_person import verbs
from .forms import Word, words_of

_TOLD_OBJECT = re.compile(r"^\s*[\d\"“«„:‘']")
_LONGEST = 6
"""Words of the longest lead."""


class _Orders(NamedTuple):
    leads: frozenset[str]
    sure: frozenset[str]
    verbs: frozenset[str]
    objects: frozenset[str]
    mine: frozenset[str]
    own: frozenset[str]


def is_order(part: str, code: str) -> bool:
    """Whether a part of a line, in the language of that code, only orders something; a language without words: no."""
    known, words = _orders().get(code), words_of(part)
    if known is None or any(word.low in known.own for word in words[_lead(words, known) :]):
        return False
    words = words[_lead(words, known) :]
    if not words:
        return False
    verb = words[0]
    if verb.low in known.sure:
        return len(words) > 1
    after = words[1].low if len(words) > 1 else ""
    if verb.low in known.mine:
        return after in ("me", "us") and len(words) > 2
    return verb.low in known.verbs and (after in known.objects or bool(_TOLD_OBJECT.match(part[verb.end :])))


def of_oneself(part: str, before: Sequence[str]) -> bool:
    """Whether a part tells what somebody does who says right before who they are: "im ana, 27, writing a thesis"."""
    words = [one.low for one in words_of(part)]
    doing = bool(words) and words[0].endswith("ing") and words[0] not in verbs().base  # "bring", "sing"
    asks = {"me", "us", "please", "help", "pls", "plz"} & {*words}
    return doing and not asks and told_name(", ".join(before)) is not None


def _lead(words: Sequence[Word], known: _Orders) -> int:
    """How many words stand before the verb."""
    at = 0
    while size := _one_lead(words[at:], known):
        at += size
    return at


def _one_lead(words: Sequence[Word], known: _Orders) -> int:
    for size in range(min(_LONGEST, len(words) - 1), 0, -1):
        if " ".join(word.low for word in words[:size]) in known.leads:
            return size
    return 0


@lru_cache(maxsize=1)
def _orders() -> dict[str, _Orders]:
    data = tomllib.loads((Path(__file__).parent / "orders.toml").read_text(encoding="utf-8"))
    return {
        code: _Orders(
            frozenset(" ".join(one.split()) for one in lists["leads"].split("|")),
            *(frozenset(lists.get(name, "").split()) for name in _Orders._fields[1:]),
        )
        for code, lists in data.items()
    }
