"""A file of finished cases, one JSON object a line, that a killed run goes on from without repeating or losing a row.

The first line holds the settings of the run. A line that a kill tore is cut off at the next start. Nothing but a record
is ever cut, gone on with or begun anew: what else lies at its path may be somebody's data.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from ...memory.errors import InputError, NotFound

HEAD = b'{"settings": '
"""How each record begins."""


class Records:
    """Opened for a run with these `settings`; one that ends before its first row leaves no file.

    Raises InputError for a file of another run or one that can't be used.
    """

    def __init__(self, path: Path, settings: Mapping[str, Any]) -> None:
        self.path = path
        self._settings = json.loads(json.dumps(settings))
        self.rows = self._read()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("a", encoding="utf-8")
        except OSError as error:
            raise InputError(f"{path} can't be written ({error.strerror}); name another --out.") from error
        if not path.stat().st_size:
            self._put({"settings": self._settings})

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
        """What is in it stays; a record without a row is none."""
        self._file.close()
        if not self.rows:
            self.path.unlink(missing_ok=True)

    def _put(self, row: Mapping[str, Any]) -> None:
        try:
            self._file.write(json.dumps(row, ensure_ascii=False) + "\n")
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise InputError(
                f"{self.path} can't be written ({error.strerror}); what is in it is kept, run it again to go on."
            ) from error

    def _read(self) -> list[dict[str, Any]]:
        if not self.path.exists():
            return []
        must_be_record(self.path)
        rows = list(self._whole_lines())
        if len(rows) == 1 and rows[0].get("settings") != self._settings:  # killed before its first row
            os.truncate(self.path, 0)
        elif rows and rows[0].get("settings") != self._settings:
            other = _difference(rows[0].get("settings"), self._settings)
            raise InputError(f"{self.path} holds a run with other settings{other}; name another --out or remove it.")
        return rows[1:]

    def _whole_lines(self) -> Iterator[dict[str, Any]]:
        data, whole = self.path.read_bytes(), 0
        for number, line in enumerate(data.splitlines(keepends=True), 1):
            if not line.endswith(b"\n"):
                break
            try:
                row = json.loads(line)
            except ValueError as error:
                raise InputError(f"{self.path}, line {number} is no record; name another --out.") from error
            whole += len(line)
            yield row
        if whole < len(data):
            os.truncate(self.path, whole)


def must_be_record(path: Path) -> None:
    """Raises InputError for a file or folder that is no record: it isn't ours to write to."""
    try:
        with path.open("rb") as file:
            begun = file.read(len(HEAD))
    except IsADirectoryError:
        raise InputError(f"{path} is a folder; name a file.") from None
    if not HEAD.startswith(begun):  # a kill may have cut it short
        raise InputError(f"{path} is no record of a run, and is left as it is; name another --out.")


def begin_anew(path: Path) -> None:
    """Takes a record away, where there is one. Raises InputError for what is none."""
    if path.exists():
        must_be_record(path)
        path.unlink()


def must_be_new(path: Path | None) -> None:
    """Raises InputError where a result would be written over a file that is there."""
    if path is not None and path.exists():
        what = "is a folder; name a file" if path.is_dir() else "exists already; name another --out, or remove it"
        raise InputError(f"{path} {what}.")


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
