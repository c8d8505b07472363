"""What lies in the cache folder: things that are made or fetched again when needed, and may go at any time."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ...memory.errors import InputError
from ...models.files.model_files import EMBEDDED_NAME, cache_folder

KINDS = {
    "models": "the embedded model in a form that many lines are read faster from",
    "adapters": "adapters in another form, made from those that ship",
    "rank": "vectors of the sessions that `chatmem rank` looked at",
    "datasets": "data sets fetched with --download",
    f"{EMBEDDED_NAME}*": "the embedded model for transformers",
}
"""The folders that chatmem makes there, by name, and what each holds; anything else there is somebody else's."""


@dataclass(frozen=True, slots=True)
class Cache:
    """One folder of the cache; `size` in bytes."""

    path: Path
    what: str
    size: int


def caches() -> list[Cache]:
    """The folders that chatmem made in its cache, by name."""
    return sorted(_found(cache_folder()), key=lambda cache: cache.path)


def _found(root: Path) -> Iterator[Cache]:
    for name, what in KINDS.items():
        for path in root.glob(name):
            if path.is_dir() and not path.is_symlink():
                yield Cache(path, what, size_of(path))


def size_of(path: Path) -> int:
    """Bytes of a file, or of all files below a folder; what can't be looked at counts nothing."""
    try:
        if path.is_dir():
            return sum(each.lstat().st_size for each in path.rglob("*") if each.is_file() and not each.is_symlink())
        return path.stat().st_size
    except OSError:
        return 0


def empty(found: list[Cache]) -> int:
    """Removes these; how many bytes they had. Raises InputError with what could not be removed."""
    for cache in found:
        try:
            shutil.rmtree(cache.path)
        except OSError as error:
            told = f"{error.filename or cache.path} can't be removed ({error.strerror}); check its permissions."
            raise InputError(told) from error
    return sum(cache.size for cache in found)


def megabytes(size: int) -> str:
    """A size as people read it."""
    return f"{size / 1e6:.0f} MB" if size >= 1e6 else f"{size / 1e3:.0f} kB"
