"""Models for an evaluation, by their specs."""

from __future__ import annotations

import argparse
import hashlib
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from ..arguments import PLACE

if TYPE_CHECKING:
    from ...models.lm import LM
    from ...models.prompts.tuned import Prompts


class ReaderSettings(NamedTuple):
    """How the embedded model is opened for bulk work: its window, and how many tokens are computed at once."""

    context_tokens: int
    micro_batch: int


WHOLE = ReaderSettings(4096, 512)
"""For one prompt after another, each read whole: a conversation in half of the time."""
MANY = ReaderSettings(8192, 60)
"""For many short ones side by side, which gain nothing by larger batches."""


_ALONE = threading.Lock()
PATIENCE = 600.0
"""Seconds for one reply of an endpoint: nobody waits for it, and a run of many requests is asked to slow down."""


def load(
    spec: str, threads: int | None, context_tokens: int | None = None, reading: ReaderSettings | None = None
) -> LM:
    """The model of a spec. `threads` is for llama.cpp alone: on a busy machine, one is faster than many that wait for
    each other. `context_tokens`: its window, where it isn't the back end's own. `reading`: the embedded model from its
    copy for reading, where the processor is quicker with it (the same weights, other last digits).

    Raises ModelError.
    """
    from ...models import registry
    from ...models.files.spec import parse

    kind = parse(spec).kind
    more: dict[str, Any] = {"context_tokens": context_tokens} if context_tokens and kind != "hf" else {}
    if threads and kind in ("embedded", "gguf"):
        more["threads"] = threads
    if kind == "openai":
        more["deadline"] = PATIENCE
    if reading is not None and kind == "embedded":
        return registry.load_reader(spec, **{**reading._asdict(), **more})
    return registry.load(spec, **more)


def is_local(spec: str) -> bool:
    """Whether the model runs in this process, so that requests at once gain nothing."""
    from ...models.files.spec import parse

    return parse(spec).kind != "openai"


def forgetting(lm: LM) -> Callable[[], None]:
    """What clears a local model's cache of prompts. A run that was killed and goes on has another cache than one that
    wasn't, and a cached prompt's numbers differ in their last digits: enough to turn a greedy choice."""
    from ...models.lm import ClearsCache

    return lm.clear_cache if isinstance(lm, ClearsCache) else lambda: None


@contextmanager
def alone(lm: LM) -> Iterator[None]:
    """One reply of a local model at a time in this process, from an empty cache: handles on one file share its cache,
    and what another thread has it read beside would change the last digits. Endpoints aren't waited for."""
    from ...models.lm import ClearsCache

    if not isinstance(lm, ClearsCache):
        yield
        return
    with _ALONE:
        lm.clear_cache()
        yield


def spec_of(model: str, adapter: str) -> str:
    """`embedded` and `storage` to `embedded+storage`; `none` or a spec that names its adapter stays as it is."""
    return model if adapter == "none" or "+" in model or model.startswith("openai:") else f"{model}+{adapter}"


def compared(specs: list[str] | None) -> list[str]:
    """The specs of `--compare SPEC ...`: given alone it means the untrained base."""
    return ["embedded"] if specs == [] else specs or []


def prompts_argument(parser: argparse.ArgumentParser) -> None:
    """Adds `--prompts FILE`."""
    told = "prompts tuned by `chatmem optimize`, for models without an adapter (the hand-written ones)"
    parser.add_argument("--prompts", type=PLACE, metavar="FILE", help=told)


def told_prompts(args: argparse.Namespace) -> tuple[Prompts, dict[str, str]]:
    """The prompts of `--prompts`, and what tells a run with them from one without. Raises NotFound, InputError."""
    from ...models.prompts.tuned import as_table, read_prompts

    prompts = read_prompts(args.prompts or "")
    if not prompts.by_agent:
        return prompts, {}
    text = json.dumps(as_table(prompts), sort_keys=True)
    return prompts, {"prompts": hashlib.sha256(text.encode()).hexdigest()[:10]}
