"""Which ages, names, trades, colours and days texts tell of the one whom a question asks of.

A text counts sentence by sentence: the age of one stands in a sentence that speaks of them, or in the next one where
that begins with "she". English.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from .about import Whom, spoken
from .ages import ages
from .asked import DOTTED, Kind, Want
from .naming import names
from .trades import births, colours, homes, jobs, places

_FINDERS: Mapping[Kind, Callable[[str, Whom], Iterator[str]]] = {
    "age": ages, "name": names, "job": jobs, "colour": colours, "birthday": births, "home": homes, "workplace": places,
}  # fmt: skip


def told(want: Want, whom: Whom, texts: Iterable[str]) -> dict[str, str]:
    """What of the wanted kind the texts tell of them, in small letters, a number as digits; with the sentence that
    tells it. A text may be several lines, one after another."""
    find, found = _FINDERS[want.kind], dict[str, str]()
    for text in texts:
        for sentence in spoken(whom, text):
            for one in find(DOTTED.sub(r"\1", sentence), whom):
                found.setdefault(one, sentence)
    return found
