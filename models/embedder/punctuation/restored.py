"""The marks of a line that was dictated, or typed without any: "my mum moved in in may she has a cat called bo".

Of such a line rules find no sentence and small models one fact of six. A token classifier puts the marks back
(punctuation restoration; Tilk and Alumae 2016, "Bidirectional Recurrent Neural Network with Attention Mechanism for
Punctuation Restoration", here over MiniLM with a LoRA of its own): after each word nothing, a comma, a full stop or a
question mark. Words stay as they were said. What is kept of the line, and quoted of it, is what was typed.
(The weights: `chatmem train recall --punctuation`.)
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ....memory.errors import ModelBroken, ModelError
from ....memory.language.detect import language_of
from ....memory.language.language import english
from ....memory.values import ASSISTANT, Turn
from ..cross_encoder import FOLDER, files

if TYPE_CHECKING:
    from ..minilm import LlamaEmbedder

NAME = "punctuation"
MARKS = ("", ",", ".", "?")
"""What may stand behind a word, by the number of its class."""
COMMA, STOP = MARKS.index(","), MARKS.index(".")
NEARLY = 2.0
"""How far below a comma's logit that of a full stop may lie."""
FEWEST, MOST = 12, 400
"""Words of a line that is looked at: a shorter one is one sentence; a longer one was pasted, and would take long."""
DIMENSIONS = 384
"""Of MiniLM's vectors."""
SPARSE = 30
"""Words for one mark, from which on a line has too few."""
WINDOW, OVERLAP = 80, 20
"""Words that are read together, and of them those that are read with the window before, too."""

FEW = 6
"""Words of a time or a place, at most."""

_FOR_STOP = np.array([0.0, -1.0, 1.0, 0.0])
_MARK = re.compile(r"[.,;:!?…](?=\s|$)")
_SPOKEN = re.compile(r"(?:[^\W_]|[ '’,:;!?%&+£$€…]|\.(?![^\W\d])|(?<=\w)[-/@](?=\w))+")
"""What nobody dictates (lines, code, links, quotations) is not of it."""
_FILLER = re.compile(r"u+m+|u+h+|e+rm+|h+m+")


class Classifier(NamedTuple):
    """The layer above the word vectors: `weights` of shape (classes, dimensions), `bias` (classes,)."""

    weights: np.ndarray
    bias: np.ndarray


class Restorer:
    """Thread-safe; the model is loaded when it is first asked."""

    def __init__(self, head: Classifier, adapter: Path) -> None:
        self._head, self._adapter = head, adapter
        self._lock = threading.Lock()
        self._model: LlamaEmbedder | None = None

    def logits(self, words: Sequence[str]) -> np.ndarray:
        """Of each word the logits of `MARKS` behind it, shape (words, classes). Raises ModelNotFound, ModelBroken."""
        from ..minilm import DEFAULT_FILE, NONE, LlamaEmbedder

        with self._lock:
            if self._model is None:
                self._model = LlamaEmbedder(DEFAULT_FILE, 1, pooling=NONE, adapter=self._adapter)
        parts = []
        for begin, end, own, last in _windows(len(words)):
            vectors = self._model.word_vectors(words[begin:end])[own - begin : last - begin].astype(np.float64)
            parts.append(vectors @ self._head.weights.T + self._head.bias)
        return np.concatenate(parts)

    def marked(self, text: str) -> str:
        """The text with its marks; one sentence that asks nothing stays as it is. "Um" and its like are not read.
        Raises ModelNotFound, ModelBroken."""
        words = [one for one in text.split() if not _FILLER.fullmatch(one)]
        if not words:
            return text
        classes = _parted(words, self.logits(words))
        classes[-1] = 0 if classes[-1] == COMMA else classes[-1]
        joins = [word.lower() in english().words("texting", "joining") for word in words[1:]]
        parted = any(kind and not (kind == COMMA and one) for kind, one in zip(classes, joins, strict=False))
        if not parted and classes[-1] in (0, STOP):
            return text
        marks = iter([MARKS[kind] for kind in classes])
        return " ".join(word if _FILLER.fullmatch(word) else _with(word, next(marks)) for word in text.split())


def _with(word: str, mark: str) -> str:
    return word if word[-1] in ".,;:!?…" else word + mark


def _parted(words: Sequence[str], logits: np.ndarray) -> np.ndarray:
    """The likeliest class of each word; a comma before what begins a sentence is a full stop where that is nearly as
    likely, for people who write put either there: "im a nurse, i do nights". Behind a few words of a time or a place
    ("and on friday at three") there is none."""
    classes: np.ndarray = logits.argmax(axis=1)
    low = [word.lower().replace("’", "'") for word in words]
    begins, leads, joins, when = (english().words("texting", name) for name in ("clause", "leading", "joining", "when"))
    begun = -1
    for at, kind in enumerate(classes[:-1]):
        if kind and _asks(low, at):
            classes[at] = kind = 0
        begun = at if begun < 0 and low[at] not in joins else begun
        first = low[begun] if begun >= 0 else ""
        if kind in (COMMA, STOP) and low[at + 1] in begins:
            if first in when and at - begun < FEW:
                classes[at] = 0  # of "on Wednesday at 11, I have to show it" small models lose the day
            elif kind == COMMA and first not in leads and logits[at] @ _FOR_STOP > -NEARLY:
                classes[at] = STOP
        begun = -1 if classes[at] else begun
    return classes


def _asks(low: Sequence[str], at: int) -> bool:
    """Whether a question begins here, which no mark parts: "do i have a sister"; not "i was, i think"."""
    before = low[at - 1] if at else ""
    subjects = english().words("texting", "subjects")
    return low[at] in english().words("texting", "asks") and low[at + 1] in subjects and before not in subjects


@lru_cache(maxsize=1)
def _framed() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{english().alternatives('texting', 'framed')})\b", re.IGNORECASE)


def _windows(count: int) -> Iterator[tuple[int, int, int, int]]:
    """Begin and end of what is read together, and of those words that are this window's own: half of what two windows
    share is either's, so that each word is read with some before and behind it."""
    begin, own = 0, 0
    while True:
        end = min(begin + WINDOW, count)
        last = count if end == count else end - OVERLAP // 2
        yield begin, end, own, last
        if end == count:
            return
        begin, own = end - OVERLAP, last


def lacks_marks(text: str) -> bool:
    """Whether a line may have been dictated and has no marks, or next to none."""
    text = text.strip()
    if not FEWEST <= len(text.split()) <= MOST or _SPOKEN.fullmatch(text) is None or _framed().search(text):
        return False
    return len(text.split()) >= SPARSE * len(_MARK.findall(text))


def with_marks(text: str) -> str:
    """The text with marks where it is English and lacks them; any other comes back as it is, and all does where the
    model is broken."""
    if not lacks_marks(text):
        return text
    try:
        return _marked(text)
    except ModelError:
        return text  # `chatmem doctor` tells


def as_spoken(turn: Turn) -> Turn:
    """A person's line as it is read: with marks, where it lacks them."""
    text = turn.text if turn.speaker == ASSISTANT else with_marks(turn.text)
    return turn if text == turn.text else replace(turn, text=text)


def as_told(turn: Turn) -> Turn:
    """The same, without "um" where marks came, as a model reads it that writes down what is told."""
    spoken = as_spoken(turn)
    if spoken is turn:
        return turn
    return replace(spoken, text=" ".join(word for word in spoken.text.split() if not _FILLER.fullmatch(word)))


def as_typed(spoken: str, typed: str) -> str:
    """A piece of a text with marks as it stands in what was typed; as it is, where it doesn't stand there."""
    words, there = ([word.rstrip(".,?") for word in text.split()] for text in (spoken, typed))
    if spoken in typed or not words:
        return spoken
    places = (at for at in range(len(there) - len(words) + 1) if there[at : at + len(words)] == words)
    at = next(places, None)
    return spoken if at is None else " ".join(typed.split()[at : at + len(words)])


@lru_cache(maxsize=64)
def _marked(text: str) -> str:
    restorer = load()
    if restorer is None or language_of(text.lower(), None).code != "en":
        return text
    return restorer.marked(text)


@lru_cache(maxsize=1)
def load() -> Restorer | None:
    """What ships, once for all; None where it isn't there. Raises ModelBroken."""
    return read(FOLDER)


def read(folder: Path) -> Restorer | None:
    """One from a folder; None where it isn't there. Raises ModelBroken for a file that holds another."""
    adapter, head = (folder / one for one in files(NAME))
    if not (adapter.is_file() and head.is_file()):
        return None
    try:
        data = json.loads(head.read_text(encoding="utf-8"))
        made = Classifier(np.array(data["weights"], np.float64), np.array(data["bias"], np.float64))
        if made.weights.shape != (len(MARKS), DIMENSIONS) or made.bias.shape != (len(MARKS),):
            raise ValueError("not a layer of four classes")
        if not (np.isfinite(made.weights).all() and np.isfinite(made.bias).all()):
            raise ValueError("not a number")
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ModelBroken(f"the file {head} can't be used ({error}): reinstall chatmem") from error
    return Restorer(made, adapter)
