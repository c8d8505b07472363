"""Whether a disk is full: SQLite and libraries say so in many ways, and not always as such."""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""What the system says when a disk, a person's share of it, or a file may not grow."""
ROOM = 64 * 1024
"""Bytes that a small write needs: the index of a WAL takes 32 KiB at once."""


def is_full(path: Path) -> bool:
    """Whether there is no room for a small write beside `path` (found out by trying), or `path` itself may not grow."""
    if may_not_grow(path):
        return True
    try:
        with tempfile.TemporaryFile(dir=path.parent) as probe:
            probe.write(bytes(ROOM))
            probe.flush()
            os.fsync(probe.fileno())
    except OSError as error:
        return error.errno in NO_ROOM
    return False


def may_not_grow(path: Path) -> bool:
    """Whether `path` or its WAL has come to the largest size that this process may give a file."""
    try:
        import resource  # not on every system
    except ImportError:
        return False
    most, _ = resource.getrlimit(resource.RLIMIT_FSIZE)
    if most == resource.RLIM_INFINITY:
        return False
    files = [path.with_name(path.name + ending) for ending in ("", "-wal", "-shm")]
    return most < ROOM or any(file.exists() and file.stat().st_size + ROOM > most for file in files)


def says_full(error: BaseException | None) -> bool:
    """Whether an error, or one that it came from, means a full disk: some libraries hide the number in their words."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in NO_ROOM:
            return True
        if os.strerror(errno.ENOSPC) in str(error) or f"os error {errno.ENOSPC}" in str(error):
            return True
        error = error.__cause__ or error.__context__
    return False
