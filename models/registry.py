"""From a spec to a running model, and what there is to choose from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from ..memory import plugins
from ..memory.errors import ModelError, ModelNotFound, SettingsError
from .files.model_files import (
    EMBEDDED_NAME,
    AdapterInfo,
    adapters,
    cache_folder,
    embedded_path,
    find_adapter,
    models_folder,
)
from .files.profiles.expected import sentences
from .files.profiles.make import make
from .files.profiles.profile import Profile, profile_of
from .files.profiles.told import of_gguf
from .files.spec import Spec, parse
from .lm import LM, Message, Options

__all__ = [
    "AdapterInfo",
    "CheckReport",
    "ModelInfo",
    "adapters",
    "check",
    "embedded_path",
    "find_adapter",
    "for_role",
    "list_models",
    "load",
    "load_reader",
    "models_folder",
    "pull",
]


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """A model that can be named now. `size` in bytes, None where it isn't on this disk."""

    spec: str
    what: str
    size: int | None = None


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What `check` measured: seconds to load and to the first token, tokens a second after it, tokens a second that a
    prompt is read at (0: not measured), bytes of memory (0: not known), and in plain words what to expect."""

    spec: str
    name: str
    adapter: str | None
    context_tokens: int
    load_seconds: float
    first_token_seconds: float
    tokens_per_second: float
    text: str
    reading_tokens_per_second: float
    memory_bytes: int
    profile: Profile
    expect: tuple[str, ...]


def load(spec: str | Spec, **kw: Any) -> LM:
    """The LM of a spec. Keywords go to the back end (`context_tokens` and `threads` for llama.cpp, `timeout` and
    `client` for endpoints, `turns` for scripted); `changes`, fields of a model's profile, to all but the embedded one.

    Raises SettingsError (no such form), ModelNotFound, ModelBroken, EndpointError.
    """
    wanted = parse(spec) if isinstance(spec, str) else spec
    return _LOADERS[wanted.kind](wanted, **kw)


def for_role(spec: str, role: str) -> str:
    """The spec with the adapter of a role ("storage"), where it names the bare embedded model and there is one."""
    return f"embedded+{role}" if spec == "embedded" and role in {info.name for info in adapters()} else spec


def load_reader(spec: str | Spec, **kw: Any) -> LM:
    """As `load`, for many prompts in a row: the embedded model is read from a copy that is quicker at it."""
    wanted = parse(spec) if isinstance(spec, str) else spec
    if wanted.kind != "embedded":
        return load(wanted, **kw)
    from .backends.llama.bf16_copy import CONTEXT, reading_copy

    kw.pop("changes", None)
    return _llama(reading_copy(embedded_path()), wanted, **{"name": EMBEDDED_NAME, "context_tokens": CONTEXT, **kw})


def _load_embedded(spec: Spec, *, changes: Mapping[str, Any] | None = None, **kw: Any) -> LM:
    """The embedded model keeps its own profile, whatever is set for others."""
    return _llama(embedded_path(), spec, name=EMBEDDED_NAME, **kw)


def _load_gguf(spec: Spec, *, changes: Mapping[str, Any] | None = None, **kw: Any) -> LM:
    path = Path(spec.name).expanduser()
    pulled = models_folder() / spec.name
    path = pulled if not path.exists() and pulled.is_file() else path
    profile = make(of_gguf(path, spec.adapter is not None), changes)
    return _llama(path, spec, **{"context_tokens": profile.window, "profile": profile, **kw})


def _llama(path: Path, spec: Spec, **kw: Any) -> LM:
    adapter = None
    if spec.adapter:
        info = find_adapter(spec.adapter)
        adapter = info.path or _converted(info)
    from .backends.llama.lm import LlamaLM

    return LlamaLM(path, adapter, **kw)


def _converted(info: AdapterInfo) -> Path:
    """A PEFT adapter without its llama.cpp file gets one, kept in the cache."""
    from .adapters.to_gguf import write

    weights = info.folder / "adapter_model.safetensors"
    if info.peft is None:
        raise ModelNotFound(f"The adapter {info.name} holds no adapter.gguf; convert it again.")
    weights = info.peft / "adapter_model.safetensors"
    stamp = int(weights.stat().st_mtime) if weights.is_file() else 0
    out = cache_folder() / "adapters" / f"{info.name}-{stamp}.gguf"
    if not out.is_file():
        write(info.peft, out)
    return out


def _load_hf(spec: Spec, **kw: Any) -> LM:
    from .backends.hf.lm import TransformersLM

    return TransformersLM.load(spec, **kw)


def _load_openai(spec: Spec, **kw: Any) -> LM:
    from .backends.endpoint.lm import OpenAILM

    return OpenAILM(spec.name, **{"base_url": spec.url, **kw})


def _load_scripted(spec: Spec, *, changes: Mapping[str, Any] | None = None, **kw: Any) -> LM:
    from .decoding.scripted import ScriptedLM

    if "turns" not in kw:
        raise SettingsError("The scripted model is for tests and needs its `turns`; choose another model.")
    return ScriptedLM(adapter=spec.adapter, **kw)


def _load_plugin(spec: Spec, *, changes: Mapping[str, Any] | None = None, **kw: Any) -> LM:
    """A package's loader gets what stands behind the colon, and the keywords."""
    head, _, rest = spec.name.partition(":")
    lm: LM = plugins.load("chatmem.models", head)(rest, **kw)
    return lm


_LOADERS: dict[str, Callable[..., LM]] = {
    "embedded": _load_embedded,
    "gguf": _load_gguf,
    "hf": _load_hf,
    "openai": _load_openai,
    "scripted": _load_scripted,
    "plugin": _load_plugin,
}


def list_models() -> list[ModelInfo]:
    """The models on this machine that a spec can name, and the adapters for the embedded one."""
    found: list[ModelInfo] = []
    try:
        found.append(ModelInfo("embedded", f"{EMBEDDED_NAME}, comes with chatmem", embedded_path().stat().st_size))
    except ModelNotFound as error:
        found.append(ModelInfo("embedded", str(error)))
    for info in adapters():
        origin = "comes with chatmem" if info.shipped else "your own"
        size = info.path.stat().st_size if info.path else None
        found.append(ModelInfo(f"embedded+{info.name}", f"adapter, {origin}", size))
    folder = models_folder()
    for path in sorted(folder.rglob("*.gguf")) if folder.is_dir() else []:
        found.append(ModelInfo(f"gguf:{path.relative_to(folder).as_posix()}", "fetched with pull", path.stat().st_size))
    return found


_QUESTION = (Message("user", "Say in one sentence what a memory is."),)
_LONG = "This line is here to be read and for nothing else; how long that takes is what is measured. " * 12
"""Some 250 tokens."""


def check(spec: str | Spec, messages: Sequence[Message] = _QUESTION, **kw: Any) -> CheckReport:
    """Load a model, let it say a few words, measure it. Raises what `load` and `generate` raise."""
    wanted = parse(spec) if isinstance(spec, str) else spec
    began = perf_counter()
    lm = load(wanted, **kw)
    loaded = perf_counter()
    try:
        text, first, rate = _spoken(lm, messages)
        here = wanted.kind != "openai"
        reading = _reading(lm) if here else 0.0
        memory, profile = int(getattr(lm, "memory_bytes", 0)), profile_of(lm)
        expect = tuple(sentences(profile, reading=reading, writing=rate, memory=memory, here=here))
        return CheckReport(
            str(wanted), lm.name, lm.adapter, lm.context_tokens, loaded - began, first, rate, text, reading, memory,
            profile, expect,
        )  # fmt: skip
    finally:
        lm.close()


def _spoken(lm: LM, messages: Sequence[Message]) -> tuple[str, float, float]:
    """What the model says, the seconds to its first word, and tokens a second from there on."""
    began, first, tokens = perf_counter(), 0.0, 0
    texts: list[str] = []
    for chunk in lm.generate(messages, Options(max_tokens=32)):
        first = first or perf_counter()
        texts.append(chunk.text)
        tokens = chunk.completion_tokens or tokens
    ended = perf_counter()
    rate = max(tokens - 1, 0) / (ended - first) if first and ended > first else 0.0
    return "".join(texts).strip(), first - began, rate


def _reading(lm: LM) -> float:
    """Tokens a second at which the model reads a prompt that it has not seen."""
    began, read = perf_counter(), 0
    for chunk in lm.generate([Message("user", _LONG)], Options(max_tokens=1)):
        read = chunk.prompt_tokens - chunk.cached_tokens or read
    return read / (perf_counter() - began)


def pull(repo: str, file: str, progress: Callable[[int, int], None] | None = None, **kw: Any) -> Path:
    """Fetch a file of a Hugging Face repository into the person's models folder; its path.

    `progress(done, total)` is called with bytes. Raises ModelNotFound (no such repository or file), ModelError (no
    network, no right, disk).
    """
    from .files.download import fetch

    if file.startswith("/") or ".." in Path(file).parts:
        raise ModelError(f"{file!r} is not a file of a repository; give its name as the repository lists it.")
    return fetch(repo, file, models_folder(), progress, **kw)
