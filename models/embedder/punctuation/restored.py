"""The marks of a line that was dictated, or typed without any: "my mum moved in in may she has a cat called bo".

Of such a line rules find no sentence and small models one fact of six. A token classifier puts the marks back
(punctuation restoration; Tilk and Alumae 2016, "Bidirectional Recurrent Neural Network with Attention Mechanism for
Punctuation Restoration", here over MiniLM with a LoRA of its own): after each word nothing, a comma, a full stop or a
question mark. Words stay as they were said, but for "um" and its like. What is kept of the line is what was typed.
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

from ....memory.errors import ModelBroken
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
FEWEST = 12
"""Words of a line from which on it is looked at: a shorter one is one sentence."""
SPARSE = 30
"""Words for one mark, from which on a line has too few."""
WINDOW, OVERLAP = 80, 20
"""Words that are read together, and of them those that are read with the window before, too."""

_FOR_STOP = np.array([0.0, -1.0, 1.0, 0.0])
_MARK = re.compile(r"[.,;:!?…](?=\s|$)|\n|\s[-–—]\s")
_FILLER = re.compile(r"(?:u+m+|u+h+|e+rm+|h+m+)", re.IGNORECASE)


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
        """The text with its marks, and without "um". Raises ModelNotFound, ModelBroken."""
        words = [one for one in text.split() if not _FILLER.fullmatch(one)]
        if not words:
            return text
        classes = _parted(words, self.logits(words))
        classes[-1] = 0 if classes[-1] == COMMA else classes[-1]
        return " ".join(
            word if word[-1] in ".,;:!?…" else word + MARKS[kind] for word, kind in zip(words, classes, strict=True)
        )


def _parted(words: Sequence[str], logits: np.ndarray) -> np.ndarray:
    """The likeliest class of each word; a comma before what begins a sentence is a full stop where that is nearly as
    likely, for people who write put either there: "im a nurse, i do nights"."""
    classes, begun = logits.argmax(axis=1), ""
    low = [word.lower().replace("’", "'") for word in words]
    begins, leads = (english().words("texting", name) for name in ("clause", "leading"))
    for at, kind in enumerate(classes[:-1]):
        begun = begun or low[at]
        if kind == COMMA and low[at + 1] in begins and begun not in leads and logits[at] @ _FOR_STOP > -NEARLY:
            classes[at] = STOP
        begun = "" if classes[at] else begun
    return classes


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
    """Whether a line is long and has no marks, or next to none."""
    count = len(text.split())
    return count >= FEWEST and count >= SPARSE * len(_MARK.findall(text.strip()[:-1]))


def with_marks(text: str) -> str:
    """The text with marks where it is English and lacks them; any other comes back as it is. Raises ModelError."""
    return _marked(text) if lacks_marks(text) else text


def as_spoken(turn: Turn) -> Turn:
    """A person's line as it is read: with marks, where it lacks them. Raises ModelError."""
    text = turn.text if turn.speaker == ASSISTANT else with_marks(turn.text)
    return turn if text == turn.text else replace(turn, text=text)


@lru_cache(maxsize=1024)
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
        if made.weights.ndim != 2 or made.weights.shape[0] != len(MARKS) or made.bias.shape != (len(MARKS),):
            raise ValueError("not a layer of four classes")
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelBroken(f"the file {head} can't be used ({error}): reinstall chatmem") from error
    return Restorer(made, adapter)
