"""What a server says of its models, as each kind of it does: OpenAI, Ollama, LM Studio, llama-server, vLLM, OpenRouter.

All list their models at /models; how much one reads stands there (`max_model_len` of vLLM, `meta.n_ctx_train` of
llama-server, `context_length` of OpenRouter) or at an address of the server's own: /props (llama-server), /api/ps and
/api/show (Ollama), /api/v0/models (LM Studio). What a server doesn't say, or says in another form, is not known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

from ...files.profiles.make import Told
from ...files.profiles.told import parameters_in

Kind = Literal["", "ollama", "lmstudio", "llama-server", "vllm", "openrouter"]
Get = Callable[[str], Any]
"""The JSON at an address ("models": beside the chat's; "/props": from the server's root), None where there is none."""
OLLAMA_WINDOW = 4_096
"""What Ollama reads of a prompt unless it is told otherwise; the rest is cut off without a word."""
MOST_NAMES = 2_000


def listed(get: Get) -> tuple[str, ...]:
    """The names of the server's models, in its order."""
    return tuple(entry["id"] for entry in _entries(get("models")))


def told(name: str, get: Get) -> Told:
    """What is known of a model; `get` is asked two or three times at most."""
    entries = _entries(get("models"))
    entry = next((one for one in entries if _same(one["id"], name)), {})
    if not entry and len(entries) == 1:  # llama-server answers to any name
        entry = entries[0]
    kind = kind_of(entry or (entries[0] if entries else {}))
    window = {"ollama": _ollama, "lmstudio": _lm_studio, "llama-server": _llama_server}.get(kind, _nothing)(name, get)
    trained = _number(entry, "max_model_len") or _number(entry, "context_length")
    trained = trained or _number(_mapping(entry, "meta"), "n_ctx_train")
    size = _number(_mapping(entry, "meta"), "n_params") / 1e9 or parameters_in(name)
    able = entry.get("supported_parameters")
    formed = not isinstance(able, list) or bool({"structured_outputs", "response_format"} & {*map(str, able)})
    return Told(
        f"{name} {entry.get('id', '')}".strip(), parameters=round(size, 3), window=window, trained_window=trained,
        structured="json_schema" if formed else "none", local=False,
    )  # fmt: skip


def kind_of(entry: Mapping[str, Any]) -> Kind:
    """The kind of server, by how it speaks of a model."""
    owner = str(entry.get("owned_by", "")).lower()
    kinds: dict[str, Kind] = {"library": "ollama", "organization_owner": "lmstudio", "llamacpp": "llama-server"}
    if owner == "vllm" or "max_model_len" in entry:
        return "vllm"
    return kinds.get(owner, "openrouter" if "supported_parameters" in entry else "")


def _same(listed: str, name: str) -> bool:
    """Ollama lists `qwen3:latest` for `qwen3`."""
    return listed in (name, f"{name}:latest")


def _nothing(name: str, get: Get) -> int:
    return 0


def _llama_server(name: str, get: Get) -> int:
    props = get("/props")
    settings = _mapping(props if isinstance(props, dict) else {}, "default_generation_settings")
    return _number(settings, "n_ctx")


def _ollama(name: str, get: Get) -> int:
    """The window of the model as it is loaded, else Ollama's default: what it was trained for is not what is read."""
    running = get("/api/ps")
    rows = running.get("models") if isinstance(running, dict) else None
    for row in rows if isinstance(rows, list) else []:
        if isinstance(row, dict) and (_same(str(row.get("model", "")), name) or row.get("name") == name):
            return _number(row, "context_length") or OLLAMA_WINDOW
    return OLLAMA_WINDOW


def _lm_studio(name: str, get: Get) -> int:
    row = next((one for one in _entries(get("/api/v0/models")) if one["id"] == name), {})
    return _number(row, "loaded_context_length") or _number(row, "max_context_length")


def _entries(body: Any) -> list[dict[str, Any]]:
    data = body.get("data") if isinstance(body, dict) else None
    rows = data[:MOST_NAMES] if isinstance(data, list) else []
    return [row for row in rows if isinstance(row, dict) and isinstance(row.get("id"), str)]


def _mapping(values: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = values.get(key)
    return found if isinstance(found, dict) else {}


def _number(values: Mapping[str, Any], key: str) -> int:
    found = values.get(key)
    return found if type(found) is int and 0 < found < 10**12 else 0
