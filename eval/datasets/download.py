"""Fetches a data set's official file, once: kept in the cache folder, with progress, going on where it broke off."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

from ...memory.errors import InputError

TIMEOUT = 30.0
"""Seconds of silence after which a server counts as gone."""
_RESUMED, _NOTHING_LEFT = 206, 416


def fetch(address: str, folder: Path | None = None) -> Path:
    """The file of this address, from the cache or the network. Raises InputError with what to do."""
    import httpx2

    if folder is None:
        from ...models.files.model_files import cache_folder

        folder = cache_folder() / "datasets"
    path = folder / address.rsplit("/", 1)[-1]
    if path.is_file():
        print(f"{path} is there already", file=sys.stderr)
        return path
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _into(address, path.with_name(path.name + ".part"))
        path.with_name(path.name + ".part").replace(path)
    except httpx2.HTTPStatusError as error:
        status = error.response.status_code
        raise InputError(f"{address} answered {status}; fetch the file by hand and give it with --data.") from None
    except httpx2.HTTPError as error:
        why = type(error).__name__
        raise InputError(
            f"{_host(address)} can't be reached ({why}); check the network and try again (what came is kept), "
            "or give the file with --data."
        ) from None
    except OSError as error:
        raise InputError(f"{path} can't be saved ({error.strerror}); make room or set CHATMEM_HOME.") from error
    return path


def _into(address: str, part: Path) -> None:
    import httpx2

    there = part.stat().st_size if part.exists() else 0
    headers = {"range": f"bytes={there}-"} if there else {}
    with httpx2.stream("GET", address, headers=headers, timeout=TIMEOUT, follow_redirects=True) as reply:
        if reply.status_code == _NOTHING_LEFT:
            part.unlink()  # longer than what the server has: begin anew
            _into(address, part)
            return
        reply.raise_for_status()
        resumed = reply.status_code == _RESUMED
        length = int(reply.headers.get("content-length") or 0)
        _write(reply, part, there if resumed else 0, length)


def _write(reply: Any, part: Path, begin: int, length: int) -> None:
    import httpx2

    done, told = begin, time.monotonic()
    with part.open("ab" if begin else "wb") as file:
        for piece in reply.iter_bytes():
            file.write(piece)
            done += len(piece)
            if sys.stderr is not None and sys.stderr.isatty() and time.monotonic() - told > 0.2:
                told = time.monotonic()
                whole = f" of {(begin + length) / 1e6:.1f}" if length else ""
                print(f"\r{part.stem}: {done / 1e6:.1f}{whole} MB ", end="", file=sys.stderr, flush=True)
        file.flush()
        os.fsync(file.fileno())
    if length and not reply.headers.get("content-encoding") and done < begin + length:
        raise httpx2.ReadError("the connection closed before the end")
    print(f"\r{part.stem}: {done / 1e6:.1f} MB          ", file=sys.stderr)


def _host(address: str) -> str:
    return address.split("/")[2]
