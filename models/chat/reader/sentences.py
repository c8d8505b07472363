"""What may answer: the facts of a recall and the sentences of its people's lines, and the signs by which they are told
apart.

Each is looked at as the floor of search looks at it (`memory/search/evidence.py`), and beside the best of its recall: a
sentence answers because it fits better than the others, not because it fits.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ....memory.language.language import english
from ....memory.language.told.about import told_sentences
from ....memory.language.told.texting import typed_out
from ....memory.language.words import tokens
from ....memory.search.evidence import SIGNS as PIECE_SIGNS
from ....memory.search.evidence import Piece, asked_of, signs, telling
from ....memory.search.vectors import Embedder
from ....memory.values import Memory, Recall, Turn

_YOU_ARE = re.compile(r"\W*(?:you're|you are|you were|you've been|you have been)\b", re.IGNORECASE)
MOST = 40
"""Sentences that are looked at."""
_OWN = (*PIECE_SIGNS, "first")
SIGNS = (*_OWN, *(f"{name}, below the best" for name in _OWN))
"""Of a sentence, what `evidence.SIGNS` names ("line near": by the question encoder) and whether it stands in what
search put first; then how far each lies below the highest among the sentences."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A fact (`memory`) or a sentence of a line (`turn`); `item`: the place, in the recall, of where it stands;
    `around`: its topic and lines."""

    text: str
    item: int
    around: str
    memory: Memory | None = None
    turn: Turn | None = None

    @property
    def read(self) -> str:
        """The text as it is read: what was typed in a hurry with its abbreviations as words."""
        return self.text if self.turn is None else typed_out(self.text)


def sentences_of(recall: Recall) -> list[Sentence]:
    """Those of a recall, best first, each once."""
    found: dict[str, Sentence] = {}
    for one in _all(recall):
        found.setdefault(one.text, one)
    return list(found.values())[:MOST]


def _all(recall: Recall) -> Iterator[Sentence]:
    for place, item in enumerate(recall.items):
        told = [(turn, part) for turn in item.turns if (part := telling(turn))]
        if item.memory:
            around = " ".join([item.memory.topic, *(part for _, part in told)])
            yield Sentence(item.memory.fact, place, around, memory=item.memory)
        for turn, part in told:
            for sentence in told_sentences(part):
                if not _of_the_assistant(sentence):
                    yield Sentence(sentence, place, part, turn=turn)


def _of_the_assistant(sentence: str) -> bool:
    """Whether it tells what the one spoken to is ("You're a patient listener."), and nothing of who speaks."""
    return bool(_YOU_ARE.match(sentence)) and not {*tokens(sentence)} & english().self_words


def table(question: str, asker: str, found: Sequence[Sentence], embedder: Embedder) -> np.ndarray:
    """What `SIGNS` names, float64, shape (sentences, signs). Raises ModelBroken."""
    texts = embedder.embed([question, *(one.read for one in found)])
    plain, asked = texts[1:] @ texts[0], texts[1:] @ embedder.embed_questions([question])[0]
    pieces = [
        Piece(one.read, one.around, bool(one.memory and one.memory.happened_on), float(plain[place]),
              float(asked[place]), one.memory is not None, one.item)
        for place, one in enumerate(found)
    ]  # fmt: skip
    own = signs(asked_of(question, asker, pieces), pieces)
    own = np.c_[own, [float(one.item == 0) for one in found]]
    beside: np.ndarray = np.c_[own, own - own.max(axis=0)]
    return beside
