"""Where a file may land that is written beside its place and then renamed: on no device, in place of no link."""

from __future__ import annotations

from pathlib import Path

from ..errors import InputError


def landing(path: Path, instead: str = "name another file") -> Path:
    """The file that a path means, through all links: a rename onto the path itself would replace the link.

    `instead`: what to do when that is a device, a pipe or a folder. Raises InputError before anything is written, also
    for a name that is no UTF-8: neither the memory nor a message could hold it.
    """
    try:
        str(path).encode()
        target = path.resolve()
        ordinary = target.is_file() or not target.exists()
    except UnicodeEncodeError as error:
        shown = str(path).encode(errors="backslashreplace").decode()
        raise InputError(f"{shown} is no name in UTF-8: {instead}.") from error
    except (OSError, RuntimeError, ValueError) as error:  # a circle of links, a name that is too long
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{path} can't be written ({reason}): {instead}.") from error
    if not ordinary:
        raise InputError(f"{path} is no ordinary file: {instead}.")
    return target
