"""A finished file put in the place of another, so that a power cut leaves the one or the other whole."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def put_in_place(made: Path, path: Path) -> None:
    """Renames a file that was filled, once its bytes are on the disk; the new name is, too, when this returns."""
    sync(made)
    os.replace(made, path)
    sync_folder(path.parent)


def sync(path: Path) -> None:
    """The file's bytes are on the disk when this returns."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """The names in a folder are on the disk when this returns, where there is such a thing."""
    with suppress(OSError):  # Windows has none
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
