"""Loading transformers models: from the hub, a folder, or the embedded GGUF turned into a clean folder once."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from ....memory.errors import ModelBroken, ModelError, ModelNotFound
from ...files.model_files import cache_folder, embedded_path

EMBEDDED = "embedded"
_making = threading.Lock()


def needs(*modules: str) -> None:
    """Raises ModelNotFound with the command to install when an optional package is missing."""
    from importlib.util import find_spec

    missing = [module for module in modules if find_spec(module) is None]
    if missing:
        raise ModelNotFound(
            f"hf: models need {', '.join(missing)}, which {'is' if len(missing) == 1 else 'are'} not installed; "
            "run `pip install 'chatmem[hf]'`."
        )


def embedded_folder() -> Path:
    """The embedded model as a transformers folder in float32, made on first use (538 MB, half a minute) and kept."""
    needs("torch", "transformers", "gguf")
    source = embedded_path()
    folder = cache_folder() / f"{source.stem}-{source.stat().st_size}"
    with _making:
        if not (folder / "config.json").is_file():
            _convert(source, folder)
    return folder


def quiet() -> None:
    """No progress bars or advice on stderr: a chat may be running there."""
    from transformers.utils import logging

    logging.set_verbosity_error()
    logging.disable_progress_bar()


def _convert(source: Path, folder: Path) -> None:
    """`save_pretrained` refuses a model that came from GGUF, so its weights are put into a fresh one."""
    import tempfile

    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    quiet()
    folder.parent.mkdir(parents=True, exist_ok=True)
    with _read_once():
        loaded = AutoModelForCausalLM.from_pretrained(str(source.parent), gguf_file=source.name, dtype=torch.float32)
        tokenizer = AutoTokenizer.from_pretrained(str(source.parent), gguf_file=source.name)
    config = loaded.config
    if hasattr(config, "quantization_config"):
        del config.quantization_config
    clean = AutoModelForCausalLM.from_config(config)
    clean.load_state_dict(loaded.state_dict())
    with tempfile.TemporaryDirectory(dir=folder.parent) as place:
        made = Path(place) / "model"
        clean.save_pretrained(made)
        tokenizer.save_pretrained(made)
        # Another process may have finished first; its folder is as good.
        if not folder.exists():
            made.rename(folder)


@contextmanager
def _read_once() -> Iterator[None]:
    """transformers reads a GGUF file anew for the configuration, the weights and the tokenizer, each time 49,152 words
    one by one, and makes the map of all names for each module; meanwhile both are made once, and words are cut out of a
    plain array: of numpy's arrays over files each slice costs as much as ten."""
    import gguf

    class Reader(gguf.GGUFReader):  # type: ignore[misc, unused-ignore]
        def __setattr__(self, name: str, value: Any) -> None:
            super().__setattr__(name, value.view(np.ndarray) if isinstance(value, np.memmap) else value)

    kept = {name: getattr(gguf, name) for name in ("GGUFReader", "get_tensor_name_map")}
    try:
        for name, made in (kept | {"GGUFReader": Reader}).items():
            setattr(gguf, name, lru_cache(made))
        yield
    finally:
        for name, made in kept.items():
            setattr(gguf, name, made)


def load_base(name: str, four_bit: bool) -> tuple[Any, Any]:
    """Model and tokenizer. bfloat16 on a GPU, float32 on a CPU and for the embedded model (rounded weights would be
    another base than the one it chats with), NF4 (bitsandbytes) with `four_bit`.

    Raises ModelNotFound, ModelBroken.
    """
    needs("torch", "transformers", *(["bitsandbytes"] if four_bit else []))
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    quiet()
    place = str(embedded_folder()) if name == EMBEDDED else str(Path(name).expanduser())
    gpu = torch.cuda.is_available()
    options: dict[str, Any] = {"dtype": torch.bfloat16 if gpu and name != EMBEDDED else torch.float32}
    if four_bit:
        options["quantization_config"] = _four_bit(options["dtype"])
    try:
        tokenizer = AutoTokenizer.from_pretrained(place)
        model = AutoModelForCausalLM.from_pretrained(place, **options)
    except (OSError, ValueError, KeyError) as error:
        raise _unloadable(name, error) from error
    if gpu and not four_bit:
        model = model.to("cuda")
    return model.eval(), tokenizer


def _four_bit(dtype: Any) -> Any:
    from transformers import BitsAndBytesConfig

    return BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=dtype)


def _unloadable(name: str, error: Exception) -> ModelError:
    first = " ".join(str(error).split())[:160]
    if Path(name).expanduser().exists():
        return ModelBroken(f"{name} is not a transformers model ({first}); give the folder that save_pretrained made.")
    return ModelNotFound(
        f"There is no transformers model {name} here and it can't be fetched ({first}); check the name."
    )
