"""A model named in one string: `embedded`, `embedded+storage`, `gguf:PATH[+ADAPTER]`,
`hf:REPO_OR_DIR[+ADAPTER][:4bit]`, `openai:NAME[@URL]`, `NAME:...` of an installed package (and `scripted` in tests)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ...memory import plugins
from ...memory.errors import SettingsError

Kind = Literal["embedded", "gguf", "hf", "openai", "scripted", "plugin"]
Quantization = Literal["4bit"]

_BARE_ADDRESS = re.compile(
    r"@(?:[a-z][a-z0-9+.-]*://|localhost\b|[\w.-]+:\d+(?:/|$)|\d+(?:\.\d+){3}(?:/|$)|[\w-]+(?:\.[\w-]+)+/(?:.*/)?v\d+/?$)",
    re.IGNORECASE,
)
"""An address whose http:// was left out or is another scheme; "@20240620" and "@cf/meta/llama" belong to names."""
_FORMS = "embedded, embedded+ADAPTER, gguf:PATH, hf:REPO_OR_FOLDER, openai:NAME or openai:NAME@URL"


@dataclass(frozen=True, slots=True)
class Spec:
    """`name` is the path, repository or endpoint's model (empty for `embedded`); of a model that an installed package
    brings, the whole text."""

    kind: Kind
    name: str = ""
    adapter: str | None = None
    quantization: Quantization | None = None
    url: str | None = None
    """Where an endpoint's model is; None: where OPENAI_BASE_URL says."""

    def __str__(self) -> str:
        if self.kind == "plugin":
            return self.name
        text = f"{self.kind}:{self.name}" if self.name else self.kind
        text += f"@{self.url}" if self.url else ""
        text += f"+{self.adapter}" if self.adapter else ""
        return text + (f":{self.quantization}" if self.quantization else "")


def parse(text: str) -> Spec:
    """Read a spec. Raises SettingsError with the forms there are."""
    text = text.strip()
    head, colon, rest = text.partition(":")
    if not colon:
        kind, plus, adapter = text.partition("+")
        if kind in ("embedded", "scripted") and not (plus and not adapter.strip()):
            return Spec("embedded" if kind == "embedded" else "scripted", "", adapter.strip() or None)
    elif head in ("gguf", "hf", "openai") and rest.strip():
        return _named(head, rest.strip())
    elif head in plugins.names("chatmem.models"):
        return Spec("plugin", text)
    raise SettingsError(f"{text!r} names no model; write {_forms()}.")


def _forms() -> str:
    brought = "".join(f", {name}:..." for name in plugins.names("chatmem.models"))
    return _FORMS + brought


def _named(kind: str, rest: str) -> Spec:
    if kind == "openai":
        return _endpoint(rest)
    if kind == "gguf":
        name, adapter = _split_adapter(rest, ends=".gguf")
        return Spec("gguf", name, adapter)
    quantization: Quantization | None = None
    if rest.endswith(":4bit"):
        rest, quantization = rest.removesuffix(":4bit"), "4bit"
    name, adapter = _split_adapter(rest)
    return Spec("hf", name, adapter, quantization)


def _endpoint(rest: str) -> Spec:
    """`NAME` or `NAME@URL`; a name may hold an @ of its own. A key has no place in a spec, which is shown and kept."""
    at = re.search(r"@(?=https?://)", rest)
    if at is None:
        if _BARE_ADDRESS.search(rest):  # as a name it would go to another server, with that one's key
            raise SettingsError("The address behind @ begins with http:// or https://; write openai:NAME@URL.")
        return Spec("openai", rest)
    name, url = rest[: at.start()], rest[at.end() :]
    if not name.strip():
        raise SettingsError("The model's name is missing; write openai:NAME@URL.")
    if "@" in url or "?" in url:
        raise SettingsError("An address in a model's name holds no key and no password; put it into a variable.")
    return Spec("openai", name.strip(), url=url.rstrip("/"))


def _split_adapter(rest: str, ends: str = "") -> tuple[str, str | None]:
    """Name and adapter. A `+` belongs to the name when the whole is a path that exists."""
    if "+" not in rest or Path(rest).expanduser().exists():
        return rest, None
    cuts = [at for at, letter in enumerate(rest) if letter == "+" and rest[:at].lower().endswith(ends)]
    if ends and not cuts and rest.lower().endswith(ends):
        return rest, None
    at = cuts[0] if ends and cuts else rest.rfind("+")
    name, adapter = rest[:at].strip(), rest[at + 1 :].strip()
    if not name or not adapter:
        raise SettingsError(f"{rest!r} names no model; write {_FORMS}.")
    return name, adapter
