"""The embedded embedder: all-MiniLM-L6-v2 as a BERT GGUF through llama.cpp. No torch, small files, thread-safe.

What is stored is embedded by MiniLM as it is, questions by a second one that was trained to point at the lines
that answer them (`training/recall/question_encoder.py`). Both have the same word vectors, in a file that both are read
with (`share.py`).
Texts are cut at 256 WordPiece tokens as the model was trained, mean-pooled and normalised (Reimers and Gurevych 2019,
"Sentence-BERT"; the model card of sentence-transformers/all-MiniLM-L6-v2).
"""

from __future__ import annotations

import ctypes
import logging
import os
import threading
import weakref
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from ...memory.errors import ModelBroken, ModelNotFound
from ..backends.llama.interrupts import held
from ..backends.llama.opening import model_parameters
from ..files.gguf_header import parts_of
from .many import MANY, WORKERS, ManyTexts

DEFAULT_FILE = Path(__file__).resolve().parents[2] / "assets" / "embedder" / "all-minilm-l6-v2.Q8_0.gguf"
QUESTIONS_FILE = DEFAULT_FILE.with_name("questions.Q8_0.gguf")
WORDS = "words.gguf"
"""Beside a model that was split by `share.py`."""
MAX_TOKENS = 256
MAX_CHARACTERS = 8_000  # more never fits into 256 tokens of any language; spares tokenising a megabyte line
WORD_TOKENS = 8
"""Of one word, where the words of a text are read each for itself; more has no word."""
BATCH_TOKENS = 512
BATCH_TEXTS = 64
UNTOLD, NONE, MEAN = -1, 0, 1
"""llama.cpp's numbers of how tokens become one vector: as the file says, not at all, by the mean."""


class LlamaEmbedder:
    """An `Embedder` over one llama.cpp context. Calls from several threads queue up behind one lock.

    `questions` is the file of the model for questions; without one they are embedded as everything else. `many`: embeds
    many texts at once instead. `pooling`: None for what the file says, or the mean where it says nothing; NONE is for
    `word_vectors`. `adapter`: a LoRA that the model reads with. Raises ModelNotFound, ModelBroken.
    """

    def __init__(
        self, path: Path, threads: int, questions: Path | None = None, *,
        many: ManyTexts | None = None, pooling: int | None = MEAN, adapter: Path | None = None,
    ) -> None:  # fmt: skip
        self.name = path.stem
        self._many = many
        self._questions = LlamaEmbedder(questions, threads) if questions else None
        self._lock = threading.Lock()
        self._model, self._context = _open(path, threads, pooling)
        import llama_cpp

        self._api = llama_cpp
        self._vocabulary = llama_cpp.llama_model_get_vocab(self._model)
        self.dimensions: int = llama_cpp.llama_model_n_embd(self._model)
        self._memory = llama_cpp.llama_get_memory(self._context)
        self._batch = llama_cpp.llama_batch_init(BATCH_TOKENS, 0, 1)
        self._free = weakref.finalize(self, _free, self._model, self._context, self._batch)
        self._free.atexit = False  # llama.cpp's own end frees what is left
        self._tokens = (llama_cpp.llama_token * (MAX_CHARACTERS + 8))()
        if adapter is not None:
            self._read_with(adapter)

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """Unit vectors, float32, shape (len(texts), dimensions); an empty text gives the vector of an empty sentence.

        Raises ModelBroken when llama.cpp fails or the embedder is closed.
        """
        if self._many is not None and len(texts) >= MANY and self._context is not None:
            return self._many.embed(texts)
        return self._vectors(len(texts), (self._tokenize(text) for text in texts))

    def embed_pairs(self, first: str, others: Sequence[str]) -> np.ndarray:
        """Unit vectors of one text read together with each of the others ([CLS] first [SEP] other [SEP], as BERT reads
        two), float32, shape (len(others), dimensions). Raises ModelBroken."""

        def pairs() -> Iterator[list[int]]:
            begin = _shortened(self._tokenize(first), MAX_TOKENS // 2)
            for other in others:
                end = self._tokenize(other)[1:]
                yield [*begin, *_shortened(end, MAX_TOKENS - len(begin))]

        return self._vectors(len(others), pairs())

    def word_vectors(self, words: Sequence[str]) -> np.ndarray:
        """Of each word the vector of its last token, all read together, float32, shape (len(words), dimensions); of an
        embedder with `pooling` NONE alone, and of no more words than fit (`MAX_TOKENS`). Raises ModelBroken."""
        tokens = [self._tokenize(word) for word in words]
        sequence = [token for one in tokens for token in one[1:-1][:WORD_TOKENS]]
        ends = np.cumsum([len(one[1:-1][:WORD_TOKENS]) for one in tokens])
        sequence = _shortened([*self._tokenize("")[:1], *sequence, *self._tokenize("")[-1:]], MAX_TOKENS)
        vectors = np.empty((len(sequence), self.dimensions), dtype=np.float32)
        with self._lock:
            if self._context is None:
                raise ModelBroken("the embedder is closed: load it again")
            self._run([sequence])
            for place in range(len(sequence)):
                pointer = self._api.llama_get_embeddings_ith(self._context, place)
                ctypes.memmove(vectors[place].ctypes.data, pointer, 4 * self.dimensions)
        last: np.ndarray = vectors[np.minimum(ends, len(sequence) - 1)]
        return last

    def _vectors(self, count: int, sequences: Iterable[list[int]]) -> np.ndarray:
        vectors = np.empty((count, self.dimensions), dtype=np.float32)
        with self._lock:
            if self._context is None:
                raise ModelBroken("the embedder is closed: load it again")
            done = 0
            for batch in self._batches(sequences):
                self._encode(batch, vectors[done : done + len(batch)])
                done += len(batch)
        vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        return vectors

    def embed_questions(self, texts: Sequence[str]) -> np.ndarray:
        """As `embed`, of questions about what was embedded: the vectors are to be compared with those of `embed`."""
        return (self._questions or self).embed(texts)

    def close(self) -> None:
        """Frees the model; safe to call twice."""
        for other in (self._questions, self._many):
            if other is not None:
                other.close()
        with self._lock:
            self._free()
            self._context = None

    def _read_with(self, adapter: Path) -> None:
        if not adapter.is_file():
            raise ModelNotFound(f"the adapter {adapter} is missing: reinstall chatmem")
        lora = self._api.llama_adapter_lora_init(self._model, os.fsencode(adapter))
        adapters = (self._api.llama_adapter_lora_p_ctypes * 1)(lora)
        if not lora or self._api.llama_set_adapters_lora(self._context, adapters, 1, (ctypes.c_float * 1)(1.0)):
            raise ModelBroken(f"{adapter} is no adapter for {self.name}: reinstall chatmem")

    def _batches(self, sequences: Iterable[list[int]]) -> Iterator[list[list[int]]]:
        batch: list[list[int]] = []
        size = 0
        for tokens in sequences:
            if batch and (size + len(tokens) > BATCH_TOKENS or len(batch) == BATCH_TEXTS):
                yield batch
                batch, size = [], 0
            batch.append(tokens)
            size += len(tokens)
        if batch:
            yield batch

    def _tokenize(self, text: str) -> list[int]:
        raw = text[:MAX_CHARACTERS].encode("utf-8", "replace")
        count = self._api.llama_tokenize(
            self._vocabulary, raw, len(raw), self._tokens, len(self._tokens), True, False
        )  # fmt: skip
        if count < 0:
            raise ModelBroken("the embedder could not split a text into tokens")
        return _shortened(list(self._tokens[:count]), MAX_TOKENS)

    def _encode(self, sequences: Sequence[Sequence[int]], out: np.ndarray) -> None:
        self._run(sequences)
        for sequence in range(len(sequences)):
            pointer = self._api.llama_get_embeddings_seq(self._context, sequence)
            if not pointer:
                raise ModelBroken(f"{self.name} gives no vectors of texts; choose another encoder")
            ctypes.memmove(out[sequence].ctypes.data, pointer, 4 * self.dimensions)

    def _run(self, sequences: Sequence[Sequence[int]]) -> None:
        batch, at = self._batch, 0
        for sequence, tokens in enumerate(sequences):
            for position, token in enumerate(tokens):
                batch.token[at] = token
                batch.pos[at] = position
                batch.n_seq_id[at] = 1
                batch.seq_id[at][0] = sequence
                batch.logits[at] = 1
                at += 1
        batch.n_tokens = at
        if self._memory:  # a language model, which reads from the left and keeps what it read
            self._api.llama_memory_clear(self._memory, True)
        run = self._api.llama_decode if self._memory else self._api.llama_encode
        if run(self._context, batch) != 0:
            raise ModelBroken("the embedder failed on a text; run `chatmem doctor`")


def _shortened(tokens: list[int], most: int) -> list[int]:
    """The last token is [SEP] and stays last."""
    return tokens if len(tokens) <= most else [*tokens[: most - 1], tokens[-1]]


def files_of(path: Path) -> list[Path]:
    """What the model at `path` is read from: itself, and the word vectors beside it where it shares them.

    Raises ModelNotFound when one of them is missing, ModelBroken.
    """
    _there(path)
    files = [path, path.with_name(WORDS)] if parts_of(path) > 1 else [path]
    for file in files:
        _there(file)
    return files


def _there(path: Path) -> None:
    if not path.is_file():
        raise ModelNotFound(f"the embedder's file {path} is missing: reinstall chatmem")


def _open(path: Path, threads: int, pooling: int | None) -> tuple[Any, Any]:
    """The llama.cpp model and context of a file. Raises ModelNotFound, ModelBroken."""
    files = files_of(path)
    advice = "choose another encoder" if pooling is None else "reinstall chatmem"
    import llama_cpp
    from llama_cpp._logger import set_verbose

    set_verbose(False)
    settings = model_parameters()
    settings.n_gpu_layers = 0  # at this size the transfer costs more than the arithmetic
    paths = (ctypes.c_char_p * len(files))(*map(os.fsencode, files))
    with held():
        model = llama_cpp.llama_model_load_from_splits(paths, len(files), settings)
    if not model:
        raise ModelBroken(f"the embedder's file {path} is not a model that llama.cpp can read: {advice}")
    for wanted in (UNTOLD, MEAN) if pooling is None else (pooling,):
        context = _context(model, threads, wanted)
        if not context:
            llama_cpp.llama_model_free(model)
            raise ModelBroken(f"the embedder {path} can't be opened: is there enough free memory?")
        if pooling == NONE or llama_cpp.llama_pooling_type(context) != llama_cpp.LLAMA_POOLING_TYPE_NONE:
            break
        llama_cpp.llama_free(context)
    return model, context


def _context(model: Any, threads: int, pooling: int) -> Any:
    import llama_cpp

    options = llama_cpp.llama_context_default_params()
    options.n_ctx = options.n_batch = options.n_ubatch = BATCH_TOKENS
    options.n_seq_max = BATCH_TEXTS
    options.n_threads = options.n_threads_batch = threads
    options.embeddings = True
    options.pooling_type = pooling
    options.kv_unified = True
    with held(), _silent():
        return llama_cpp.llama_init_from_model(model, options)


def _free(model: Any, context: Any, batch: Any) -> None:
    """Some 20 MB: when the embedder is closed, or nobody holds it any more."""
    import llama_cpp

    llama_cpp.llama_batch_free(batch)
    llama_cpp.llama_free(context)
    llama_cpp.llama_model_free(model)


@contextmanager
def _silent() -> Iterator[None]:
    """llama.cpp warns on stderr of a pooling that isn't the file's, in the middle of a chat's screen."""
    from llama_cpp._logger import logger

    before = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        logger.setLevel(before)


def load_embedder(path: Path | None = None) -> LlamaEmbedder:
    """The embedder shipped with chatmem (or another BERT GGUF at `path`, for lines and questions).

    Raises ModelNotFound, ModelBroken.

    One thread: a question takes ~4 ms on it, and llama.cpp's threads wait for each other in a spin loop, so
    that two of them beside a busy core (a reply being written) were measured at 800 ms. Many texts are embedded by two
    embedders side by side (`many.py`).
    """
    file = path or DEFAULT_FILE
    many = ManyTexts(lambda: _side_by_side(file))
    return LlamaEmbedder(file, 1, None if path else QUESTIONS_FILE, many=many)


def _side_by_side(path: Path) -> list[LlamaEmbedder]:
    """As many embedders as work at once, over a copy of the model that is read faster, where there is one."""
    from ..backends.llama.bf16_copy import reading_copy

    copy = reading_copy(path, files_of(path))
    return [LlamaEmbedder(copy, 1) for _ in range(min(WORKERS, os.cpu_count() or 1))]


_shared: weakref.WeakValueDictionary[str, LlamaEmbedder] = weakref.WeakValueDictionary()
_sharing = threading.Lock()


def shared_embedder() -> LlamaEmbedder:
    """The shipped embedder, one for all who hold it in this process: not to be closed, for it may be somebody else's
    too; it is freed when the last lets it go. Raises ModelNotFound, ModelBroken."""
    with _sharing:
        found = _shared.get("")
        if found is None:
            found = _shared[""] = load_embedder()
        return found
