"""The running talk in a prompt: as much of its end as fits, every line whole.

What doesn't fit is not lost: it is found by search as all else that was said. Of a single line that is longer than half
of the room, the whole lines of text at its beginning and end stay, and a sign of what is between them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from .acknowledged import ACKNOWLEDGED

STEP = 8
"""So many turns go at once when the room is full, so that what a back end has read stays the beginning of the prompt
for some turns."""
FRAME = 6
LATEST = 4
"""Turns at the end of the talk that are shown whatever was replied."""


class Said(NamedTuple):
    """A turn of the talk: who spoke, what, and the turn's number."""

    role: str
    text: str
    turn_id: int = 0


def running_talk(said: Sequence[Said], room: int, count: Callable[[str], int]) -> list[Said]:
    """The end of the talk that has at most `room` tokens; it begins with the user's words."""
    whole = [one._replace(text=shortened(one.text, room // 2, count)) for one in said if one.text.strip()]
    sizes = [count(one.text) + FRAME for one in whole]
    left, start = room, len(whole)
    while start and sizes[start - 1] <= left:
        start -= 1
        left -= sizes[start]
    if start:
        start = min(-(-start // STEP) * STEP, _last_exchange(whole, start))
    while start < len(whole) and whole[start].role == "assistant":
        start += 1
    return whole[start:]


def without_thanks(said: Sequence[Said]) -> list[Said]:
    """The talk without the older lines that were only thanked for: what they told is in the memory, and a small model
    would read all of them before the first word of its next reply. Of lines that are kept nowhere (incognito) the talk
    is all that holds them: those stay."""
    kept = list(said[max(len(said) - LATEST, 0) :])
    older = [*said[: len(said) - len(kept)]]
    while older:
        last = older.pop()
        thanks = last.role == "assistant" and last.text in ACKNOWLEDGED
        if thanks and older and older[-1].role == "user" and older[-1].turn_id:
            older.pop()
        else:
            kept.insert(0, last)
    return kept


def _last_exchange(whole: Sequence[Said], start: int) -> int:
    """Where the last exchange begins: it stays where it fits, whatever the step."""
    return max(len(whole) - 2, start)


def shortened(text: str, room: int, count: Callable[[str], int]) -> str:
    """The text, or whole lines from its beginning and end with at most about `room` tokens."""
    if count(text) <= room:
        return text
    lines = text.splitlines()
    low, high = 0, len(lines) // 2
    while low < high:
        middle = (low + high + 1) // 2
        if count(_ends(lines, middle)) <= room:
            low = middle
        else:
            high = middle - 1
    return _ends(lines, low)


def _ends(lines: Sequence[str], number: int) -> str:
    """That many lines of each end."""
    out = len(lines) - 2 * number
    sign = f"[… {out} {'line is' if out == 1 else 'lines are'} left out here]"
    return "\n".join([*lines[:number], sign, *lines[len(lines) - number :]])
