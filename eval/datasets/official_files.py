"""How an official data file is read: every good row, and a sentence for each bad one, never dropped in silence.

The data sets are not part of chatmem: the paths are the user's.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from ...memory.errors import InputError, NotFound

Row = TypeVar("Row")
BAD = (ValueError, KeyError, TypeError, IndexError, AttributeError)
"""What reading a row of the wrong form raises."""


@dataclass(frozen=True, slots=True)
class Loaded(Generic[Row]):
    """The good rows of a file, and a sentence for each bad one."""

    rows: tuple[Row, ...]
    problems: tuple[str, ...] = ()


def good_rows(loaded: Loaded[Row]) -> Sequence[Row]:
    """The good rows; the bad ones are told on stderr."""
    for problem in loaded.problems:
        print(f"left out: {problem}", file=sys.stderr)
    return loaded.rows


def json_lines(path: Path, make: Callable[[Any, int], Row]) -> Loaded[Row]:
    """A row from each line of JSON; `make` is given it and its number. Raises NotFound, InputError."""
    lines = ((number, line) for number, line in enumerate(_text(path).split("\n"), 1) if line.strip())
    return sorted_out(path, lines, lambda line, number: make(json.loads(line), number), "line")


def json_list(path: Path, what: str, file: str) -> list[Any]:
    """The list of `what` that a JSON file holds; `file` names the right one. Raises NotFound, InputError."""
    try:
        data = json.loads(_text(path))
    except ValueError as error:
        raise InputError(f"{path} is not JSON ({error}); give {file}.") from error
    if not isinstance(data, list):
        raise InputError(f"{path} holds no list of {what}; give {file}.")
    return data


def sorted_out(
    path: Path, items: Iterable[tuple[int, Any]], make: Callable[[Any, int], Row], what: str
) -> Loaded[Row]:  # fmt: skip
    """The rows that `make` can read, and where (`what`, its number) the others stand. Raises InputError if none is."""
    rows, problems = [], []
    for number, item in items:
        try:
            rows.append(make(item, number))
        except BAD as error:
            problems.append(f"{path.name}, {what} {number}: {reason(error)}")
    if not rows:
        first = f" ({problems[0]})" if problems else ""
        raise InputError(f"{path} holds no row that can be used{first}; is it the right file?")
    return Loaded(tuple(rows), tuple(problems))


def head(path: Path) -> str:
    """The first characters of a text file, by which its form is told. Raises NotFound, InputError."""
    try:
        with path.open(encoding="utf-8") as file:
            return file.read(64)
    except FileNotFoundError:
        raise NotFound(f"There is no file {path}; give the path of the data set.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise _unread(path, error) from error


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise NotFound(f"There is no file {path}; give the path of the data set.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise _unread(path, error) from error


def _unread(path: Path, error: OSError | UnicodeDecodeError) -> InputError:
    if isinstance(error, IsADirectoryError):
        return InputError(f"{path} is a folder; give the file of the data set.")
    why = error.strerror if isinstance(error, OSError) else f"{error.reason} at byte {error.start}"
    return InputError(f"{path} can't be read as UTF-8 text ({why}); is it the right file?")


def reason(error: Exception) -> str:
    """Why a row can't be read, for people."""
    return f"there is no {error}" if isinstance(error, KeyError) else f"not in the data set's form ({error})"


def string(value: Any, name: str) -> str:
    """The value, which must be text. Raises ValueError."""
    if not isinstance(value, str):
        raise ValueError(f"{name} is not text")
    return value
