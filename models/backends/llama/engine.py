"""llama.cpp through its C interface: one model and one context per GGUF file, whoever uses it.

The context holds one unified key/value cache; each running or remembered prompt owns a sequence in it (a `Slot`).
Everything that touches the context happens in steps of one decode under `lock`, so several generations (the answer
streaming, the storage agent in its worker) take turns token by token and none waits for another's end.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import llama_cpp.llama_cpp as ll
import numpy as np
import numpy.typing as npt

from ....memory.errors import ModelBroken, ModelError, ModelNotFound
from ...decoding.chat_template import ChatTemplate
from .interrupts import held
from .opening import model_parameters
from .threads import Crew

SEQUENCES = 16
BATCH = 512
MICRO_BATCH = 60
"""Tokens computed at once. Below 64 llama.cpp computes each row of attention by itself, so that a prompt read from the
cache and one read anew give the same bits (above, logits differ by up to 0.7). It costs a tenth of the speed with a
chat's prompts, half of it at two thousand tokens: readers of long prompts, who use no cache, take `BATCH` instead."""

_log: deque[str] = deque(maxlen=20)
_ready = threading.Lock()


@ll.llama_log_callback  # type: ignore[untyped-decorator, unused-ignore]
def _keep_log(level: int, text: bytes, _data: Any) -> None:
    if level in (3, 4):  # warnings and errors: the reason for a failed load
        _log.append(text.decode("utf-8", "replace").strip())


def quiet() -> None:
    """Start llama.cpp's back end with its log kept in memory instead of on stderr. Harmless when called again."""
    with _ready, held():
        ll.llama_log_set(_keep_log, ctypes.c_void_p(0))
        ll.llama_backend_init()


def reason() -> str:
    """The last error line that llama.cpp logged, for a sentence."""
    lines = [line for line in _log if line]
    return lines[-1].removeprefix("llama_model_load: ")[:200] if lines else "no reason given"


def clear_log() -> None:
    """Forget what was logged, so that `reason` speaks of what comes next; others may have taken the log meanwhile."""
    ll.llama_log_set(_keep_log, ctypes.c_void_p(0))
    _log.clear()


def default_threads() -> int:
    """Cores this process may use, half of them above four (hyper-threads slow llama.cpp down)."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return cores if cores <= 4 else cores // 2


class Cancelled(Exception):
    """A decode was stopped from another thread; never leaves this floor."""


class Engine:
    """A loaded GGUF file. Raises ModelNotFound, or ModelBroken when the file isn't a model llama.cpp can run."""

    def __init__(
        self, path: Path, context_tokens: int = 4096, threads: int | None = None, micro_batch: int = MICRO_BATCH
    ) -> None:
        self.path = path
        self.lock = threading.RLock()
        self.freed = threading.Condition(self.lock)
        self._adapters: dict[Path, Any] = {}
        self._active: Path | None = None
        self._flag = ctypes.create_string_buffer(2)
        self._flag_lock = threading.Lock()
        self._running: object | None = None
        quiet()
        self.model = self._load(path)
        self.vocab = ll.llama_model_get_vocab(self.model)
        self.vocabulary = int(ll.llama_vocab_n_tokens(self.vocab))
        self.context_tokens = min(context_tokens, int(ll.llama_model_n_ctx_train(self.model)))
        self.micro_batch = micro_batch
        most = threads or default_threads()
        self.context = self._open(most, micro_batch)
        self.crew = Crew(most, self._use_threads, fixed=threads is not None)
        self.memory = ll.llama_get_memory(self.context)
        self._batch = ll.llama_batch_init(BATCH, 0, 1)
        self._pieces: dict[int, bytes] = {}
        self.template = self._template()

    @staticmethod
    def _load(path: Path) -> Any:
        if not path.is_file():
            raise ModelNotFound(f"There is no model file {path}; check the path, or `chatmem models list`.")
        with path.open("rb") as file:
            if file.read(4) != b"GGUF":
                raise ModelBroken(f"{path} is not a GGUF model file; give one that ends in .gguf.")
        with held():
            clear_log()
            model = ll.llama_model_load_from_file(os.fsencode(path), model_parameters())
        if not model:
            raise ModelBroken(f"llama.cpp can't load {path} ({reason()}); fetch the file again or use another one.")
        return model

    def _open(self, threads: int, micro_batch: int) -> Any:
        params = ll.llama_context_default_params()
        params.n_ctx, params.n_batch, params.n_ubatch = self.context_tokens, BATCH, micro_batch
        params.n_seq_max = params.n_outputs_max = SEQUENCES
        params.kv_unified = True
        params.flash_attn_type = ll.LLAMA_FLASH_ATTN_TYPE_ENABLED
        params.n_threads = params.n_threads_batch = threads
        params.no_perf = True
        # The abort callback runs between the graph's nodes, a thousand times a token: C's own strlen on a buffer
        # ("" -> 0 -> go on, "\1" -> 1 -> stop) costs nothing there, where Python would have to take its lock.
        params.abort_callback = ctypes.cast(_libc().strlen, ll.ggml_abort_callback)
        params.abort_callback_data = ctypes.addressof(self._flag)
        with held():
            context = ll.llama_init_from_model(self.model, params)
        if not context:
            ll.llama_model_free(self.model)
            raise ModelBroken(f"There is not enough memory for {self.path.name} ({reason()}); use a smaller model.")
        return context

    def _use_threads(self, count: int) -> None:
        ll.llama_set_n_threads(self.context, count, count)

    def _template(self) -> ChatTemplate:
        source = ll.llama_model_chat_template(self.model, None)
        controls = [t for t in range(self.vocabulary) if ll.llama_vocab_is_control(self.vocab, t)]
        names = {token: self.piece(token, special=True).decode("utf-8", "replace") for token in controls}
        bos, eos = ll.llama_vocab_bos(self.vocab), ll.llama_vocab_eos(self.vocab)
        return ChatTemplate(
            source.decode("utf-8") if source else None, names.get(bos, ""), names.get(eos, ""), names.values()
        )

    @property
    def memory_bytes(self) -> int:
        """Bytes of the weights, and of keys and values (16 bits each) of all cells of the cache."""
        heads = int(ll.llama_model_n_head(self.model)) or 1
        shared = int(ll.llama_model_n_head_kv(self.model)) or heads
        wide = int(ll.llama_model_n_embd(self.model)) // heads * shared
        cells = self.context_tokens * int(ll.llama_model_n_layer(self.model))
        return int(ll.llama_model_size(self.model)) + 2 * 2 * cells * wide

    def tokenize(self, text: str, special: bool = True) -> list[int]:
        """Token ids; `special` reads control tokens written in the text, as a rendered template needs."""
        data = text.encode("utf-8", "replace")
        room = len(data) + 2
        tokens = (ll.llama_token * room)()
        count = int(ll.llama_tokenize(self.vocab, data, len(data), tokens, room, False, special))
        if count < 0:
            raise ModelError(f"{self.path.name} can't tokenize this text; use another model file.")
        return list(tokens[:count])

    def piece(self, token: int, special: bool = False) -> bytes:
        """The bytes of one token; control tokens are empty unless `special`."""
        if not special and token in self._pieces:
            return self._pieces[token]
        buffer = ctypes.create_string_buffer(256)
        count = int(ll.llama_token_to_piece(self.vocab, token, buffer, 256, 0, special))
        data = buffer.raw[: max(count, 0)]
        if not special:
            self._pieces[token] = data
        return data

    def ends(self, token: int) -> bool:
        """Whether the token ends a reply."""
        return bool(ll.llama_vocab_is_eog(self.vocab, token))

    def use_adapter(self, path: Path | None) -> None:
        """Make later decodes run with this LoRA file (None: the bare model). Call under `lock`; 0.1 ms once loaded."""
        if path == self._active:
            return
        if path is None:
            failed = ll.llama_set_adapters_lora(self.context, None, 0, None)
        else:
            adapters = (ll.llama_adapter_lora_p_ctypes * 1)(self.load_adapter(path))
            failed = ll.llama_set_adapters_lora(self.context, adapters, 1, (ctypes.c_float * 1)(1.0))
        if failed:
            raise ModelBroken(f"llama.cpp refuses the adapter {path} ({reason()}); convert it again.")
        self._active = path

    def load_adapter(self, path: Path) -> Any:
        """The loaded LoRA file. Raises ModelNotFound or ModelBroken."""
        with self.lock:
            if path not in self._adapters:
                if not path.is_file():
                    raise ModelNotFound(
                        f"There is no adapter file {path}; `chatmem adapters list` shows what there is."
                    )
                with held():
                    clear_log()
                    adapter = ll.llama_adapter_lora_init(self.model, os.fsencode(path))
                if not adapter:
                    raise ModelBroken(
                        f"{path} is not a LoRA adapter for {self.path.name} ({reason()}); convert it for this model."
                    )
                self._adapters[path] = adapter
            return self._adapters[path]

    def decode(self, tokens: Sequence[int], places: Sequence[tuple[int, int]], wanted: Sequence[int]) -> None:
        """Compute up to BATCH tokens; `places`: (sequence, position) of each, `wanted`: which ones' logits to keep.

        Call under `lock`. Raises Cancelled when `stop` was called meanwhile, ModelError when the cache is full.
        """
        batch = self._batch
        batch.n_tokens = len(tokens)
        for index, (token, (sequence, position)) in enumerate(zip(tokens, places, strict=True)):
            batch.token[index] = token
            batch.pos[index] = position
            batch.n_seq_id[index] = 1
            batch.seq_id[index][0] = sequence
            batch.logits[index] = 0
        for index in wanted:
            batch.logits[index] = 1
        with self.crew.at_work():
            status = ll.llama_decode(self.context, batch)
        if status == 2:
            raise Cancelled
        if status:
            raise ModelError(f"llama.cpp could not go on ({status}: {reason()}); try a shorter prompt.")

    def logits(self, index: int) -> npt.NDArray[np.float32]:
        """Logits after the token at this index of the last batch, shape (vocabulary,): a view, valid until the next."""
        pointer = ll.llama_get_logits_ith(self.context, index)
        address = ctypes.addressof(pointer.contents)
        values: npt.NDArray[np.float32] = np.ctypeslib.as_array(
            (ctypes.c_float * self.vocabulary).from_address(address)
        )
        return values

    def forget(self, sequence: int, start: int = 0) -> None:
        """Drop a sequence's cells from a position on. Call under `lock`."""
        ll.llama_memory_seq_rm(self.memory, sequence, start, -1)

    def clear(self) -> None:
        """Empty the cache as if nothing had ever been read. Call under `lock`."""
        ll.llama_memory_clear(self.memory, False)

    def copy(self, source: int, target: int, count: int) -> None:
        """Let another sequence share the first `count` cells of one. Call under `lock`."""
        ll.llama_memory_seq_cp(self.memory, source, target, 0, count)

    @contextmanager
    def running(self, who: object) -> Iterator[None]:
        """While inside, `stop(who)` breaks off the decode in progress."""
        with self._flag_lock:
            self._flag[0] = b"\0"
            self._running = who
        try:
            yield
        finally:
            with self._flag_lock:
                self._running = None

    def stop(self, who: object) -> None:
        """Break off the decode that runs for `who`, if one does. From any thread, without waiting."""
        with self._flag_lock:
            if self._running is who:
                self._flag[0] = b"\1"

    def close(self) -> None:
        """Free everything. The engine can't be used afterwards."""
        with self.lock:
            if not self.model:
                return
            ll.llama_batch_free(self._batch)
            ll.llama_free(self.context)
            # llama.cpp frees a model's adapters together with the model.
            self._adapters.clear()
            ll.llama_model_free(self.model)
            self.model = self.context = None


def _libc() -> Any:
    return ctypes.CDLL("msvcrt") if os.name == "nt" else ctypes.CDLL(None)
