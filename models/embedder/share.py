"""Stores once what two embedders have in common: the question encoder was trained with its word vectors frozen.

llama.cpp reads a model from several files, and one of them may belong to two models. Run by whoever changes the shipped
embedder or its question encoder, on whole files as `convert` and `chatmem train recall` write them:

    python -m chatmem.models.embedder.share assets/embedder whole/all-minilm-l6-v2.Q8_0.gguf whole/questions.Q8_0.gguf

writes files of these names without the word vectors, and `words.gguf` with them.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...memory.errors import InputError
from .minilm import WORDS


def share(whole: Sequence[Path], folder: Path) -> int:
    """Writes one file for each of `whole` and one with what is equal in all of them; returns the bytes of all.

    No number changes. Raises InputError when the files have nothing in common, or are parts already.
    """
    import gguf

    readers = [gguf.GGUFReader(path) for path in whole]
    if any(reader.get_field("split.count") is not None for reader in readers):
        raise InputError("One of these files is a part already; give whole models.")
    common = _common([{tensor.name: tensor for tensor in reader.tensors} for reader in readers])
    if not common:
        raise InputError("These models have no weights in common; ship them as they are.")
    folder.mkdir(parents=True, exist_ok=True)
    written = [folder / path.name for path in whole]
    for out, reader in zip(written, readers, strict=True):
        _write(out, reader, [tensor for tensor in reader.tensors if tensor.name not in common], 0, _told(reader))
    shared = [tensor for tensor in readers[0].tensors if tensor.name in common]
    _write(folder / WORDS, readers[0], shared, 1, ())
    return sum(path.stat().st_size for path in (*written, folder / WORDS))


def _common(models: Sequence[dict[str, Any]]) -> set[str]:
    first, *rest = models
    return {
        name
        for name, tensor in first.items()
        if all(
            name in other
            and other[name].tensor_type == tensor.tensor_type
            and np.array_equal(other[name].data, tensor.data)
            for other in rest
        )
    }


def _told(reader: Any) -> list[Any]:
    """What the model says of itself, less what the writer says by itself."""
    own = ("GGUF.", "general.architecture")
    return [field for name, field in reader.fields.items() if not name.startswith(own)]


def _write(out: Path, reader: Any, tensors: Sequence[Any], number: int, fields: Sequence[Any]) -> None:
    import gguf

    writer = gguf.GGUFWriter(out, reader.get_field("general.architecture").contents())
    # These stand first, so that they are found without reading the vocabulary.
    writer.add_uint16("split.no", number)
    writer.add_uint16("split.count", 2)
    writer.add_int32("split.tensors.count", len(reader.tensors))
    for field in fields:
        inner = field.types[1] if len(field.types) > 1 else None
        writer.add_key_value(field.name, field.contents(), field.types[0], inner)
    for tensor in tensors:
        writer.add_tensor(tensor.name, tensor.data, raw_dtype=tensor.tensor_type)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m chatmem.models.embedder.share", description=__doc__)
    parser.add_argument("folder", type=Path, help="where the parts are written")
    parser.add_argument("whole", type=Path, nargs="+", help="the models, as whole GGUF files; two or more")
    options = parser.parse_args(arguments)
    if len(options.whole) < 2 or any(path.parent.resolve() == options.folder.resolve() for path in options.whole):
        parser.error("give two whole models or more, in another folder than the parts")
    print(f"{options.folder}: {share(options.whole, options.folder) / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
