"""Data sets as files that a user gives: read whole, and a bad one is named in a sentence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ...memory.errors import InputError


def read_json_lines(path: Path) -> list[dict[str, Any]]:
    """Rows of a JSON-lines file. Raises InputError that names the bad line."""
    rows = []
    for number, line in enumerate(_text(path).splitlines(), 1):
        if line.strip():
            try:
                rows.append(json.loads(line))
            except ValueError as error:
                raise InputError(
                    f"{path.name}, line {number} is not JSON ({error}); mend or drop that line."
                ) from error
    return rows


def read_json(path: Path) -> Any:
    """A JSON file. Raises InputError."""
    try:
        return json.loads(_text(path))
    except ValueError as error:
        raise InputError(f"{path.name} is not JSON ({error}).") from error


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} can't be read ({error}); give the path of a data file.") from error
