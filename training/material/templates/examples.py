"""The templates' topics with example facts in the first person: prototypes for labelling other people's facts."""

from __future__ import annotations

import re
from pathlib import Path

_FACT = re.compile(r"F ([^|@{]+?) \| (.*)")
_SLOT = re.compile(r"\{[^}]*\}")


def topic_examples() -> dict[str, list[str]]:
    """Topic -> facts with their slots left out."""
    found: dict[str, list[str]] = {}
    for path in sorted(Path(__file__).parent.glob("kinds_*.txt")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if match := _FACT.match(line):
                told = match[2].replace("{N}'s", "My").replace("{N}", "I")
                found.setdefault(match[1], []).append(_SLOT.sub("", told))
    return found
