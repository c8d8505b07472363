"""The database files that this process has open, and how their bytes are read without ending its locks.

Closing any handle of a file ends all locks that the process holds on it (POSIX). Another program would then take itself
for the last one, fold the WAL into the file and remove it, and what is written here afterwards is lost. Source:
sqlite.org/howtocorrupt.html, 2.2.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from .key import salt_of

Place = tuple[int, int]
"""A file by its disk and number."""
_open: dict[Place, list[bytes | None]] = {}
"""The files that this process has open, each with its salt as often as it is open."""
_kept: dict[Place, list[BinaryIO]] = {}
"""Handles that wait to be closed with the last database of their file."""
_changing = threading.Lock()
opening = threading.Lock()
"""Held from the first look at a file until it counts as open: that look closes a handle of it."""


def place_of(path: Path) -> Place:
    """Which file it is on its disk. Raises OSError."""
    return _place(os.stat(path))


def is_open(path: Path) -> bool:
    """Whether this process has a database open: locks keep out other processes alone."""
    return path.exists() and place_of(path) in _open


def salt_of_database(path: Path) -> bytes | None:
    """As `salt_of`, also for one that is open here: its file isn't touched, since closing it would end its locks."""
    known = _open.get(place_of(path)) if path.exists() else None
    return known[0] if known else salt_of(path)


def opened(place: Place, salt: bytes | None) -> None:
    """A database of this file is open now."""
    with _changing:
        _open.setdefault(place, []).append(salt)


def closed(place: Place) -> None:
    """One of the databases of this file is closed, with all of its connections."""
    with _changing:
        _open[place].pop()
        if not _open[place]:
            del _open[place]
            for file in _kept.pop(place, []):
                file.close()


@contextmanager
def reading(path: Path) -> Iterator[BinaryIO]:
    """A file's bytes from their beginning. The handle of a database that is open here stays open until that is closed,
    and serves the next reader. Raises OSError."""
    with _changing:
        kept = _kept.get(place_of(path))
        file = kept.pop() if kept else path.open("rb")
    try:
        file.seek(0)
        yield file
    finally:
        with _changing:
            place = _place(os.fstat(file.fileno()))
            if place in _open:
                _kept.setdefault(place, []).append(file)
            else:
                file.close()


def _place(told: os.stat_result) -> Place:
    return told.st_dev, told.st_ino
