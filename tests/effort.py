"""How often the kills and the random cases are tried: in full where CI is set, as it is in `.ci/run`, else fewer."""

from __future__ import annotations

import os

FULL = os.environ.get("CI", "").lower() in {"1", "true", "yes"}


def times(full: int, few: int) -> int:
    return full if FULL else few
