"""A file of finished cases, one JSON object a line, that a killed run goes on from without repeating or losing a row.

The first line holds the settings of the run. A line that a kill tore is cut off at the next start. Nothing but a record
is ever cut, gone on with or begun anew: what else lies at its path may be somebody's data.
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from ...memory.errors import InputError, NotFound

HEAD = b'{"settings": '
"""How each record begins."""


class Records:
    """Opened for a run with these `settings`. The file is made with its first row, so a run that ends before it leaves
    none, and nothing that the same command writes beside it is lost.

    Raises InputError for a file of another run or one that can't be used.
    """

    def __init__(self, path: Path, settings: Mapping[str, Any]) -> None:
        self.path = path
        self._settings = json.loads(json.dumps(settings))
        self._file: IO[bytes] | None = None
        self.rows, _ = self._read()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.exists():
                path.open("ab").close()
            elif not os.access(path.parent, os.W_OK | os.X_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        except OSError as error:
            raise InputError(f"{path} can't be written ({error.strerror}); name another --out.") from error

    @property
    def done(self) -> set[str]:
        """The keys of the finished cases."""
        return {str(row["key"]) for row in self.rows}

    def add(self, row: Mapping[str, Any]) -> None:
        """Keeps a finished case; on the disk when this returns. Every row needs a `key` of its own."""
        plain = json.loads(json.dumps(row, ensure_ascii=False))
        self._put(plain)
        self.rows.append(plain)

    def __enter__(self) -> Records:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """What is in it stays."""
        if self._file is not None:
            self._file.close()

    def _put(self, row: Mapping[str, Any]) -> None:
        try:
            if self._file is None:
                self._file = self._begun(row)
            else:
                self._file.write(_line(row))
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise InputError(
                f"{self.path} can't be written ({error.strerror}); what is in it is kept, run it again to go on."
            ) from error

    def _begun(self, row: Mapping[str, Any]) -> IO[bytes]:
        """The file with its first row of this run; looked at again, since another run may have begun it meanwhile."""
        _, whole = self._read()
        file = self.path.open("ab")
        if self.path.stat().st_size > whole:
            os.truncate(self.path, whole)  # what a kill tore
        file.write((b"" if whole else _line({"settings": self._settings})) + _line(row))
        return file

    def _read(self) -> tuple[list[dict[str, Any]], int]:
        """(its rows, how many bytes of it count). Raises InputError."""
        if not self.path.exists():
            return [], 0
        must_be_record(self.path)
        whole, rows = 0, []
        for size, row in self._whole_lines():
            whole += size
            rows.append(row)
        if rows and rows[0].get("settings") != self._settings:
            if len(rows) == 1:  # killed before its first row
                return [], 0
            other = _difference(rows[0].get("settings"), self._settings)
            raise InputError(f"{self.path} holds a run with other settings{other}; name another --out or remove it.")
        return rows[1:], whole

    def _whole_lines(self) -> Iterator[tuple[int, dict[str, Any]]]:
        for number, line in enumerate(self.path.read_bytes().splitlines(keepends=True), 1):
            if not line.endswith(b"\n"):
                break
            try:
                yield len(line), json.loads(line)
            except ValueError as error:
                raise InputError(f"{self.path}, line {number} is no record; name another --out.") from error


def _line(row: Mapping[str, Any]) -> bytes:
    return (json.dumps(row, ensure_ascii=False) + "\n").encode("utf-8")


def must_be_record(path: Path) -> None:
    """Raises InputError for a file or folder that is no record: it isn't ours to write to."""
    try:
        with path.open("rb") as file:
            begun = file.read(len(HEAD))
    except IsADirectoryError:
        raise InputError(f"{path} is a folder; name a file.") from None
    if not HEAD.startswith(begun):  # a kill may have cut it short
        raise InputError(f"{path} is no record of a run, and is left as it is; name another --out.")


def begin_anew(path: Path, **kind: str) -> None:
    """Takes a record away, where there is one. Raises InputError for what is none, or not of this kind (`step="embed"`
    among its settings)."""
    if path.exists():
        must_be_record(path)
        with path.open("rb") as file:
            head = file.readline()
        if head.endswith(b"\n") and not kind.items() <= _settings_in(head).items():
            told = f"{path} is the record of something else, and is left as it is"
            raise InputError(f"{told}; name another --out.")
        path.unlink()


def _settings_in(head: bytes) -> dict[str, Any]:
    try:
        found = json.loads(head)["settings"]
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def must_be_new(path: Path | None) -> None:
    """Raises InputError where a result would be written over a file that is there, or is to be where a folder is.

    What is no file, or stands for one that is open (/dev/stdout), takes what is written to it.
    """
    if path is None or path.is_relative_to("/dev"):
        return
    if path.is_dir():
        raise InputError(f"{path} is a folder; name a file.")
    if path.is_file():
        raise InputError(f"{path} exists already; name another --out, or remove it.")


def kept(done: int, total: int, what: str, path: Path, more: str = "") -> str:
    """Where a run that failed goes on from, to follow its error; empty where nothing of it is finished."""
    if not done:
        return ""
    return f" {done} of {total} {what} are kept in {path}{more}; run the same command again to go on."


def _difference(there: Any, here: Mapping[str, Any]) -> str:
    """The first setting in which two runs differ, for people."""
    if not isinstance(there, dict):
        return ""
    names = [name for name in {**there, **here} if there.get(name) != here.get(name)]
    return f" ({names[0]}: {there.get(names[0])} there, {here.get(names[0])} now)" if names else ""


def read_record(path: Path) -> list[dict[str, Any]]:
    """All whole rows of a record, finished or not, its settings among them. Raises NotFound or InputError."""
    try:
        lines = path.read_bytes().splitlines(keepends=True)
        rows = [json.loads(line) for line in lines if line.endswith(b"\n")]  # the last may be half written
    except FileNotFoundError:
        raise NotFound(f"There is no file {path}; give the record of an evaluation.") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{path} is no record of an evaluation ({error}).") from error
    return [row for row in rows if isinstance(row, dict)]


def read_rows(path: Path) -> list[dict[str, Any]]:
    """The rows of a record of answers, to judge or compare. Raises NotFound or InputError."""
    found = [row for row in read_record(path) if {"key", "case", "system"} <= set(row)]
    if not found:
        raise InputError(f"{path} holds no finished question; write one with `chatmem eval locomo --out`.")
    return found


def finished(path: Path) -> set[str]:
    """The keys of the rows that the file holds by now; a half-written last line is none."""
    lines = path.read_bytes().splitlines(keepends=True) if path.exists() else []
    rows = [json.loads(line) for line in lines if line.endswith(b"\n")]
    return {str(row["key"]) for row in rows if "key" in row}
