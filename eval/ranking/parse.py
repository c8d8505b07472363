"""Reads the ranking out of a model's reply."""

from __future__ import annotations

import re

_RANKING = re.compile(r"<ranking>([^<]*)</ranking>")
_NUMBER = re.compile(r"(?:<?session\s*)?(-?\d+)>?", re.IGNORECASE)


def parse_ranking(reply: str, count: int) -> tuple[int, ...] | None:
    """The numbers of the sessions that a reply ranks, best first; None for a reply in another form.

    What stands before the last `</think>` is a thought and never a ranking. Numbers that come again, below 0 or of no
    session (`count` of them, from 0) are dropped; when none is left, or what stands there are no numbers, it is None.
    """
    before, _, after = reply.rpartition("</think>")
    if not before and "<think>" in after:
        return None  # it never came to an end
    found = _RANKING.search(after)
    if found is None:
        return None
    parts = [part.strip() for part in found[1].strip().strip("[]").split(",")]
    numbers = [one for part in parts if part and (one := _NUMBER.fullmatch(part))]
    if len(numbers) < len([part for part in parts if part]):
        return None
    kept = [int(one[1]) for one in numbers if 0 <= int(one[1]) < count]
    return tuple(dict.fromkeys(kept)) or None
