"""The lines that a person typed, as the prompt keeps them for the arrow keys: which of them hold a matter, and without.

The file is prompt_toolkit's: an empty line and `# time` before each entry, each of whose lines begins with `+`.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from .found import Found

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
Holds = Callable[[str], bool]


def typed_lines(path: Path | None) -> list[str]:
    """The lines in the order in which they were typed; none where there is no such file."""
    return [text for text, _ in _entries(path)] if path is not None else []


def holding(found: Found, also: Iterable[str] = ()) -> Holds:
    """Whether a typed line holds what goes: one of its words, or a line that goes, or one of `also`, as it stands."""
    if found.plan.keep_lines:
        return just(also)
    same = just((*also, *(turn.text for turn in found.plan.lines)))
    return lambda line: same(line) or found.signs.in_typed(line)


def just(lines: Iterable[str]) -> Holds:
    """Whether a typed line is one of these, as it stands."""
    same = {" ".join(line.split()) for line in lines}
    return lambda line: " ".join(line.split()) in same


def prune(path: Path | None, holds: Holds) -> int:
    """Writes the file anew without the lines that hold it; how many that were. Raises OSError."""
    if path is None:
        return 0
    entries = _entries(path)
    kept = [raw for text, raw in entries if not holds(text)]
    if len(kept) < len(entries):
        _replace(path, "".join(kept))
    return len(entries) - len(kept)


def _entries(path: Path) -> list[tuple[str, str]]:
    """Each entry's text, and how it stands in the file."""
    try:
        content = path.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return []
    found: list[tuple[str, str]] = []
    said: list[str] = []
    raw: list[str] = []
    for line in [*_LINE.findall(content), ""]:
        if line.startswith("+"):
            said.append(line[1:])
        elif said:
            found.append(("".join(said).removesuffix("\n"), "".join(raw)))
            said, raw = [], []
        raw.append(line)
    return found


def _replace(path: Path, content: str) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", errors="surrogateescape", newline="") as out:
            out.write(content)
            out.flush()
            os.fsync(out.fileno())
        os.replace(name, path)
    finally:
        Path(name).unlink(missing_ok=True)
