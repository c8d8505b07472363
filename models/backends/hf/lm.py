"""The transformers back end: any causal LM, PEFT adapters switched on one base, 4-bit through bitsandbytes."""

from __future__ import annotations

import inspect
import threading
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ....memory.errors import ModelBroken, ModelError, PromptTooLong
from ...adapters.to_peft import peft_folder
from ...decoding.chat_template import OPENED, ChatTemplate, opens_thought
from ...decoding.sampling import Sampler
from ...decoding.text_stream import TextStream
from ...files.model_files import AdapterInfo, find_adapter
from ...files.profiles.make import Told, make
from ...files.profiles.told import of_config
from ...files.spec import Spec
from ...lm import Chunk, FinishReason, Message, Options
from ..llama.cache_slots import common_prefix
from .base import load_base, needs
from .grammar import Constraint, constraint

_CONTEXT_CAP = 8192
_bases: dict[tuple[str, bool], HFBase] = {}
_bases_lock = threading.Lock()


class HFBase:
    """One loaded model with its adapters, shared by the handles on it. Steps happen one at a time under `lock`."""

    def __init__(self, name: str, four_bit: bool) -> None:
        self.model, self.tokenizer = load_base(name, four_bit)
        self.lock = threading.Lock()
        self.users = 0
        self._loaded: set[str] = set()
        self._active: str | None = None
        self.ends = _end_tokens(self.model, self.tokenizer)
        self._cache_word = cache_word(self.model)
        self.context_tokens = min(getattr(self.model.config, "max_position_embeddings", _CONTEXT_CAP), _CONTEXT_CAP)
        self.template = ChatTemplate(
            self.tokenizer.chat_template,
            self.tokenizer.bos_token or "",
            self.tokenizer.eos_token or "",
            self.tokenizer.all_special_tokens,
        )

    def told(self, name: str, adapter: bool) -> Told:
        """What the model says of itself, for its profile."""
        parameters = sum(each.numel() for each in self.model.parameters())
        return of_config(name, self.model.config, parameters, self.tokenizer.chat_template or "", adapter)

    def add_adapter(self, name: str, folder: Path) -> None:
        """Load a PEFT adapter beside the others. Raises ModelBroken."""
        needs("peft")
        with self.lock, warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # PEFT calls what transformers has renamed
            if name in self._loaded:
                return
            try:
                self._attach(name, folder)
            except (ValueError, RuntimeError, KeyError, OSError) as error:
                first = " ".join(str(error).split())[:160]
                raise ModelBroken(f"{folder} is not an adapter for this model ({first}); train one for it.") from error
            self._loaded.add(name)
            self._active = None if len(self._loaded) > 1 else name

    def _attach(self, name: str, folder: Path) -> None:
        from peft import PeftModel

        if self._loaded:
            self.model.load_adapter(str(folder), adapter_name=name)
        else:
            self.model = PeftModel.from_pretrained(self.model, str(folder), adapter_name=name).eval()

    def step(self, tokens: Sequence[int], cache: Any, adapter: str | None) -> Any:
        """Logits after the last token, float32 (vocabulary,), with `cache` extended by the tokens."""
        import torch

        with self.lock, torch.inference_mode(), self._using(adapter):
            ids = torch.tensor([list(tokens)], device=self.model.device)
            out = self.model(input_ids=ids, use_cache=True, logits_to_keep=1, **{self._cache_word: cache})
            return out.logits[0, -1].float().cpu().numpy()

    def _using(self, adapter: str | None) -> Any:
        from contextlib import nullcontext

        if not self._loaded:
            return nullcontext()
        if adapter is None:
            return self.model.disable_adapter()
        if adapter != self._active:
            self.model.set_adapter(adapter)
            self._active = adapter
        return nullcontext()


def cache_word(model: Any) -> str:
    """What this model's `forward` calls its cache: transformers renamed `past_key_values` model by model (5.24)."""
    return "cache" if "cache" in inspect.signature(model.forward).parameters else "past_key_values"


def _end_tokens(model: Any, tokenizer: Any) -> set[int]:
    ends = model.generation_config.eos_token_id
    found = set(ends) if isinstance(ends, list) else {ends}
    return {token for token in found | {tokenizer.eos_token_id} if token is not None}


class TransformersLM:
    """An LM over a shared base. Thread-safe; two handles take turns token by token."""

    def __init__(
        self, base: HFBase, name: str, adapter: AdapterInfo | None = None, changes: Mapping[str, Any] | None = None
    ) -> None:
        self.name, self.adapter = name, adapter.name if adapter else None
        self.context_tokens = base.context_tokens
        self._base: HFBase | None = base
        self.profile = replace(make(base.told(name, adapter is not None), changes), window=base.context_tokens)
        self._known: list[int] = []
        self._cache: Any = None
        self._turn = threading.Lock()
        self._cancelled = threading.Event()
        base.users += 1
        if adapter is not None:
            base.add_adapter(adapter.name, peft_folder(adapter))

    @classmethod
    def load(cls, spec: Spec, changes: Mapping[str, Any] | None = None) -> TransformersLM:
        """The LM of an `hf:` spec. Raises ModelNotFound (also when an extra isn't installed), ModelBroken."""
        adapter = find_adapter(spec.adapter) if spec.adapter else None
        key = (spec.name, spec.quantization == "4bit")
        with _bases_lock:
            if key not in _bases:
                _bases[key] = HFBase(*key)
        return cls(_bases[key], spec.name, adapter, changes)

    @property
    def base(self) -> HFBase:
        if self._base is None:
            raise ModelError(f"The model {self.name} has been closed; load it again.")
        return self._base

    def generate(self, messages: Sequence[Message], options: Options) -> Iterator[Chunk]:
        """Stream the reply. Raises PromptTooLong; InputError and ModelNotFound for grammars (see `grammar`)."""
        self._cancelled.clear()
        text = self.prompt_text(messages)
        prompt = self._tokenize(text)
        if len(prompt) >= self.context_tokens:
            raise PromptTooLong(
                f"The prompt has {len(prompt)} tokens and the model reads {self.context_tokens}; shorten it."
            )
        limit = min(max(options.max_tokens, 1), self.context_tokens - len(prompt))
        if opens_thought(text) and not options.grammar:
            yield Chunk(OPENED)
        bound = constraint(self.base.tokenizer, self.base.model.config, options)
        with self._turn:
            yield from self._stream(prompt, limit, options, bound)

    def _stream(self, prompt: list[int], limit: int, options: Options, bound: Constraint | None) -> Iterator[Chunk]:
        sampler, text = Sampler(options), TextStream(options.stop)
        reply: list[int] = []
        shown = ""
        cached = self._rewind(prompt)
        fresh = prompt[cached:]

        def end(finish: FinishReason, rest: str = "") -> Chunk:
            return Chunk(rest + text.flush(), finish, len(prompt), cached, len(reply))

        while not self._cancelled.is_set():
            token = sampler.pick(self._read(fresh), bound.allowed if bound else None)
            if token in self.base.ends:
                yield end("stop")
                return
            if bound:
                bound.accept(token)
            reply.append(token)
            whole = self.base.tokenizer.decode(reply, skip_special_tokens=True)
            # A character whose bytes are spread over tokens shows as U+FFFD until it is whole.
            piece = "" if whole.endswith("\ufffd") else whole[len(shown) :]
            shown += piece
            ready = text.feed_text(piece)
            if text.stopped or len(reply) >= limit:
                yield end("stop" if text.stopped else "length", ready)
                return
            if ready:
                yield Chunk(ready)
            fresh = [token]
        yield end("cancelled")

    def _rewind(self, prompt: list[int]) -> int:
        """Cut the cache of the last call to what this prompt shares with it; the number of tokens kept."""
        from transformers import DynamicCache

        kept = min(common_prefix(self._known, prompt), len(prompt) - 1)
        if self._cache is None or kept == 0:
            self._cache, kept = DynamicCache(config=self.base.model.config), 0
        else:
            self._cache.crop(kept - len(self._known))
        del self._known[kept:]
        return kept

    def _read(self, tokens: Sequence[int]) -> Any:
        cache, self._cache = self._cache, None  # a broken-off step leaves no cache rather than a wrong one
        logits = self.base.step(tokens, cache, self.adapter)
        self._cache = cache
        self._known += tokens
        return logits

    def prompt_text(self, messages: Sequence[Message]) -> str:
        """The messages in the model's own chat template."""
        return self.base.template.render(messages)

    def _tokenize(self, text: str) -> list[int]:
        ids: list[int] = self.base.tokenizer(text, add_special_tokens=False)["input_ids"]
        return ids

    def count_tokens(self, text: str) -> int:
        """Tokens of a plain text."""
        return len(self._tokenize(self.base.template.defuse(text)))

    def cancel(self) -> None:
        """Stop after the step in progress; the reply ends with a `cancelled` chunk."""
        self._cancelled.set()

    def close(self) -> None:
        """Let go of the base; the last handle frees it."""
        if self._base is None:
            return
        self.cancel()
        base, self._base, self._cache = self._base, None, None
        with _bases_lock:
            base.users -= 1
            for key in [key for key, value in _bases.items() if value is base and not base.users]:
                del _bases[key]
