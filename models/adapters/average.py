"""The average of whole models in 32 bits, tensor by tensor: of models of any size never more than one tensor is held.

Keys, shapes and tokenizers must be the same. Adapters are averaged elsewhere (`merge`): their factors can't be averaged
by themselves.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

from ...memory.errors import InputError, ModelBroken, ModelNotFound

WEIGHTS, INDEX = "model.safetensors", "model.safetensors.index.json"
TOKENIZER = ("tokenizer.json", "tokenizer.model", "vocab.json", "merges.txt")
"""What decides into which tokens a text falls."""
_OTHERS = ("model", "pytorch_model", "optimizer", "scheduler", "rng")
"""How the files begin that aren't taken along."""
_ALIGNED = 8


def average(
    folders: Sequence[Path], out: Path, tell: Callable[[int, int], None] = lambda done, total: None
) -> Path:  # fmt: skip
    """Writes the mean of the models in these Hugging Face folders to `out`; `tell` gets tensors done and in all.

    Raises InputError for models that don't belong together and where something is at `out`, ModelNotFound, ModelBroken.
    """
    if len(folders) < 2:
        raise InputError("Give two checkpoints or more; the average of one is itself.")
    must_be_free(out)
    _same_tokenizer(folders)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix=f".{out.name}.", dir=out.parent) as place:
            beside = Path(place) / out.name
            beside.mkdir()
            with ExitStack() as stack:
                models = [_opened(folder, stack) for folder in folders]
                shapes = _same_shapes(folders, models)
                with (beside / WEIGHTS).open("wb") as file:
                    _write(file, models, shapes, tell)
            for path in sorted(folders[0].iterdir()):
                if path.is_file() and not path.name.startswith(_OTHERS):
                    shutil.copy2(path, beside / path.name)
            if out.is_dir():
                out.rmdir()  # empty, as was seen above; what came since is no less somebody's
            beside.rename(out)
    except OSError as error:
        raise InputError(f"{out} can't be written ({error.strerror}); give another place.") from error
    return out


def must_be_free(out: Path) -> None:
    """Raises InputError where a file or a folder with something in it is at `out`."""
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise InputError(f"{out} is there already; name a folder that is new or empty.")


def _same_tokenizer(folders: Sequence[Path]) -> None:
    for name in TOKENIZER:
        found = [folder / name for folder in folders if (folder / name).is_file()]
        if len(found) not in (0, len(folders)) or len({path.read_bytes() for path in found}) > 1:
            raise InputError(f"These checkpoints have different tokenizers ({name}); merge those of one run.")


def _opened(folder: Path, stack: ExitStack) -> dict[str, Any]:
    """The open file of each tensor. Raises ModelNotFound, ModelBroken."""
    from safetensors import SafetensorError, safe_open

    try:
        if (folder / INDEX).is_file():
            where = json.loads((folder / INDEX).read_text(encoding="utf-8"))["weight_map"]
        elif (folder / WEIGHTS).is_file():
            where = {}
        else:
            raise ModelNotFound(f"{folder} holds no {WEIGHTS}; run `chatmem checkpoints collect` on its run first.")
        files = {
            name: stack.enter_context(safe_open(folder / name, framework="pt"))
            for name in dict.fromkeys(where.values() or [WEIGHTS])
        }
    except (OSError, ValueError, KeyError, SafetensorError) as error:
        raise ModelBroken(f"{folder} holds weights that can't be read ({error}); collect it again.") from error
    return {key: files[where.get(key, WEIGHTS)] for key in where or next(iter(files.values())).keys()}


def _same_shapes(folders: Sequence[Path], models: Sequence[Mapping[str, Any]]) -> dict[str, list[int]]:
    """The shape of each tensor, the same in all. Raises InputError."""
    first, *others = models
    for folder, model in zip(folders[1:], others, strict=True):
        if odd := sorted(first.keys() ^ model.keys()):
            raise InputError(
                f"{folder} and {folders[0]} don't hold the same tensors ({odd[0]}); merge those of one run."
            )
    shapes = {name: list(file.get_slice(name).get_shape()) for name, file in sorted(first.items())}
    for folder, model in zip(folders[1:], others, strict=True):
        for name, shape in shapes.items():
            if list(model[name].get_slice(name).get_shape()) != shape:
                raise InputError(f"{name} has another shape in {folder}; merge the checkpoints of one run.")
    return shapes


def _write(
    file: IO[bytes], models: Sequence[Mapping[str, Any]], shapes: Mapping[str, list[int]],
    tell: Callable[[int, int], None],
) -> None:  # fmt: skip
    """A safetensors file: its header's length, the header, then the tensors one after another."""
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    at = 0
    for name, shape in shapes.items():
        size = 4
        for wide in shape:
            size *= wide
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % _ALIGNED)
    file.write(len(text).to_bytes(8, "little") + text)
    for done, name in enumerate(shapes, 1):
        total: Any = None
        for model in models:
            part = model[name].get_tensor(name).float()
            total = part if total is None else total.add_(part)
        file.write((total / len(models)).contiguous().numpy().tobytes())
        tell(done, len(shapes))
