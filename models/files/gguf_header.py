"""The head of a GGUF file: what it says of itself and which tensors it holds, read without llama.cpp or its package.

The layout is the one in ggml's own docs: magic, version, two counts, the pairs, then name, dimensions, type and
place of each tensor. Files of big-endian machines and of version 1 (nobody writes them any more) are told to be broken.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from ...memory.errors import ModelBroken

_NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9


@dataclass(frozen=True, slots=True)
class Header:
    """`values`: the pairs by their keys. `shapes`: each tensor's dimensions as numpy has them, by its name."""

    values: dict[str, Any]
    shapes: dict[str, tuple[int, ...]]


def read_header(path: Path) -> Header:
    """All of the head. Raises ModelBroken when the file isn't GGUF or ends too early, OSError when it can't be read."""
    with path.open("rb") as file:
        try:
            tensors, pairs = _counts(file)
            values = dict(_pair(file) for _ in range(pairs))
            return Header(values, dict(_shape(file) for _ in range(tensors)))
        except (ValueError, KeyError, struct.error) as error:
            raise ModelBroken(
                f"{path} is not a model or adapter in the form of GGUF; write or fetch it again."
            ) from error


def parts_of(path: Path) -> int:
    """In how many files the model lies: `split.count`, which stands before the vocabulary; 1 where it isn't told.

    Raises ModelBroken, OSError.
    """
    with path.open("rb") as file:
        try:
            _, pairs = _counts(file)
            return next((count for key, count in _before_vocabulary(file, pairs) if key == "split.count"), 1)
        except (ValueError, KeyError, struct.error) as error:
            raise ModelBroken(
                f"{path} is not a model or adapter in the form of GGUF; write or fetch it again."
            ) from error


def read_facts(path: Path) -> dict[str, Any]:
    """The pairs that stand before the vocabulary: what a model says of itself, in a millisecond.

    Raises ModelBroken, OSError.
    """
    with path.open("rb") as file:
        try:
            _, pairs = _counts(file)
            return dict(_before_vocabulary(file, pairs))
        except (ValueError, KeyError, struct.error) as error:
            raise ModelBroken(
                f"{path} is not a model or adapter in the form of GGUF; write or fetch it again."
            ) from error


def _before_vocabulary(file: BinaryIO, pairs: int) -> Iterator[tuple[str, Any]]:
    """The vocabulary is long to read, and nothing else is slow."""
    for _ in range(pairs):
        key = _text(file)
        if key.startswith("tokenizer."):
            return
        yield key, _value(file, *_unpack(file, "I"))


def _counts(file: BinaryIO) -> tuple[int, int]:
    if file.read(4) != b"GGUF" or _unpack(file, "I")[0] not in (2, 3):
        raise ValueError("no GGUF")
    tensors, pairs = _unpack(file, "QQ")
    return tensors, pairs


def _pair(file: BinaryIO) -> tuple[str, Any]:
    return _text(file), _value(file, *_unpack(file, "I"))


def _shape(file: BinaryIO) -> tuple[str, tuple[int, ...]]:
    name = _text(file)
    dimensions = _unpack(file, "Q" * _unpack(file, "I")[0])
    _unpack(file, "IQ")  # type and place
    return name, tuple(reversed(dimensions))


def _value(file: BinaryIO, kind: int) -> Any:
    if kind == _STRING:
        return _text(file)
    if kind == _ARRAY:
        inner, count = _unpack(file, "IQ")
        return [_value(file, inner) for _ in range(count)]
    return _unpack(file, _NUMBERS[kind])[0]


def _text(file: BinaryIO) -> str:
    (size,) = _unpack(file, "Q")
    data = file.read(min(size, 1 << 24))  # a broken length must not ask for all memory
    if len(data) != size:
        raise ValueError("cut short")
    return data.decode("utf-8")


def _unpack(file: BinaryIO, form: str) -> tuple[Any, ...]:
    form = "<" + form
    return struct.unpack(form, file.read(struct.calcsize(form)))
