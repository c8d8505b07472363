"""Text from outside made safe: lines for models, and strings for a terminal."""

from __future__ import annotations

import os
import re
from pathlib import Path

# Everything that could move the cursor, change the terminal's state or hide text; tab and newline stay.
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_SURROGATES = re.compile("[\ud800-\udfff]")
# Colours and cursor moves, titles and links, keys such as an arrow, another set of letters.
_SEQUENCES = re.compile("\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)|O[A-HMP-S]|[(][AB0])")
_ENDS_OF_LINES = re.compile("\r\n?|[\x0b\x0c\x85]")
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f]")
_GAP = " … "
_NARROW = 30
"""Characters of a path that a status line has room for."""


def storable(text: str) -> str:
    """`text` without what no database takes: NUL and lone surrogates."""
    return _SURROGATES.sub("\ufffd", text.replace("\x00", ""))


def typed(text: str) -> str:
    """`text` as somebody means it who typed or pasted it: without a terminal's sequences and control characters."""
    return _CONTROL.sub("", _ENDS_OF_LINES.sub("\n", _SEQUENCES.sub("", storable(text))))


def clipped(text: str, most: int) -> str:
    """`text`, or its beginning and end when it is longer than `most` characters."""
    if len(text) <= most:
        return text
    half = (most - len(_GAP)) // 2
    return text[:half] + _GAP + text[-half:]


def short_path(path: str) -> str:
    """A file's path for a narrow place: the home folder as ~, and of what is too long the last two parts."""
    home = str(Path.home())
    told = "~" + path[len(home) :] if path.startswith(home + os.sep) else path
    parts = told.replace("\\", "/").split("/")
    return told if len(told) <= _NARROW or len(parts) < 3 else "/".join(("…", *parts[-2:]))


def one_line(text: str, most: int = 200) -> str:
    """`text` as one line of at most `most` characters, for tables and titles."""
    flat = " ".join(text.split())
    return flat if len(flat) <= most else flat[: most - 1].rstrip() + "…"


def shown(text: str) -> str:
    """`text` without control characters, so that a reply or a memory can't drive the terminal."""
    return _UNSAFE.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
