"""What may answer: the facts of a recall and the sentences of its people's lines, and the signs by which they are told
apart.

Each is looked at as the floor of search looks at it (`memory/search/evidence.py`), and beside the best of its recall: a
sentence answers because it fits better than the others, not because it fits.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ....memory.language.facts.put_right import puts_right
from ....memory.language.language import english
from ....memory.language.question import Question, asks_still
from ....memory.language.quoted.in_quotes import quoted
from ....memory.language.told.about import goes_on, told_sentences
from ....memory.language.typed.texting import typed_out
from ....memory.language.words import sentences, terms, tokens
from ....memory.search.evidence import SIGNS as PIECE_SIGNS
from ....memory.search.evidence import Piece, asked_of, signs, telling
from ....memory.search.vectors import Embedder
from ....memory.values import ASSISTANT, Memory, Recall, Turn
from ...embedder.punctuation.restored import as_spoken

_YOU_ARE = re.compile(r"\W*(?:you're|you are|you were|you've been|you have been)\b", re.IGNORECASE)
MOST = 40
"""Sentences that are looked at."""
SHORT = 6
"""Words of a sentence that is read with what stands around it."""
BEFORE = 160
"""Characters of that."""
Earlier = Callable[[Turn], Sequence[Turn]]
"""What was said shortly before a turn, in order."""
_OWN = (*PIECE_SIGNS, "first")
SIGNS = (*_OWN, *(f"{name}, below the best" for name in _OWN))
"""Of a sentence, what `evidence.SIGNS` names ("line near": by the question encoder) and whether it stands in what
search put first; then how far each lies below the highest among the sentences."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A fact (`memory`) or a sentence of a line (`turn`); `item`: the place, in the recall, of where it stands;
    `around`: its topic and lines; `before`: with what it is read, where it is not understood by itself ("He is 7.",
    "Two, both boys.")."""

    text: str
    item: int
    around: str
    memory: Memory | None = None
    turn: Turn | None = None
    before: str = ""

    @property
    def read(self) -> str:
        """The text as it is read: what was typed in a hurry with its abbreviations as words."""
        return self.text if self.turn is None else typed_out(self.text)


def sentences_of(recall: Recall, earlier: Earlier = lambda turn: ()) -> list[Sentence]:
    """Those of a recall, best first, each once."""
    found: dict[str, Sentence] = {}
    for one in _all(recall, earlier):
        found.setdefault(one.text, one)
    return list(found.values())[:MOST]


def _all(recall: Recall, earlier: Earlier) -> Iterator[Sentence]:
    for place, item in enumerate(recall.items):
        told = [(turn, part) for turn in item.turns if (part := telling(as_spoken(turn)))]
        if item.memory and not (told and quoted(item.memory.fact)):
            around = " ".join([item.memory.topic, *(part for _, part in told)])
            yield Sentence(item.memory.fact, place, around, memory=item.memory)
        for turn, part in told:
            said = told_sentences(part)
            for number, sentence in enumerate(_put_right(said)):
                if not _of_the_assistant(sentence) and not _over(sentence, turn, recall):
                    before = _before(said, number, turn, earlier)
                    yield Sentence(sentence, place, part, turn=turn, before=before)


def lateness(question: str, found: Sequence[Sentence]) -> np.ndarray:
    """How late each was said beside the others, from 0 to 1, shape (sentences,): of two states of a matter the later
    holds. All 0 where the question is of what was."""
    said = [(source.said_at if (source := one.turn or one.memory) else "") or "" for one in found]
    days = sorted({*said})
    past = Question(question, None, "").asks_past and not asks_still(question)
    if len(days) < 2 or past:
        return np.zeros(len(found))
    return np.array([days.index(one) / (len(days) - 1) for one in said])


def _over(sentence: str, turn: Turn, recall: Recall) -> bool:
    """Whether a sentence tells a matter as it was before a later line changed it: "my exam is on the 14th", once the
    memory of it says the 24th by the word of that line."""
    words = {*terms(sentence)}
    return any(one.turn_id == turn.id and words & {*one.gone} and not words & {*one.new} for one in recall.overtaken)


def _put_right(said: Sequence[str]) -> list[str]:
    """The sentences, each with the next where that puts it right: "I take it at noon. No, at six."."""
    return [
        f"{one} {then}" if then and puts_right(then) else one for one, then in zip(said, [*said[1:], ""], strict=True)
    ]


def _before(said: Sequence[str], number: int, turn: Turn, earlier: Earlier) -> str:
    """What stands before a sentence that isn't understood by itself: in its line, else what it replies to; of a few
    words at the head of a line, what follows, too."""
    few = len(said[number].split()) <= SHORT
    if not few and not goes_on(said[number]):
        return ""
    told = " ".join(said[:number]) if number else _replied_to(turn, earlier)
    told += f" ... {said[1]}" if few and not number and len(said) > 1 else ""
    if len(told) <= BEFORE:
        return told.strip()
    return told[-BEFORE:].partition(" ")[2]


def _replied_to(turn: Turn, earlier: Earlier) -> str:
    """The assistant's question that a line follows, else the speaker's own line before it."""
    said = earlier(turn)
    if said and said[-1].speaker == ASSISTANT and said[-1].text.rstrip().endswith("?"):
        return sentences(said[-1].text)[-1]
    return next((one.text for one in reversed(said) if one.speaker == turn.speaker), "")


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
