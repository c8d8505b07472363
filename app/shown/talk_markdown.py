"""A session as Markdown, to be kept or sent: who said what and when, each letter as it was said."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from ...memory.database.disk_full import NO_ROOM
from ...memory.errors import InputError, StoreFull
from ...memory.values import Session, Turn
from ..config.safe_text import one_line, shown
from ..config.zone import day, minute
from .hints import lines

_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~$&!])|^(\s*)([-+=]|\d+(?=[.)]))", re.MULTILINE)
"""What Markdown (and the HTML in it) would read as more than a letter."""


def talk_markdown(session: Session, turns: Sequence[Turn]) -> str:
    """The whole session. What people and models wrote is shown as it is: none of it is markup in the file."""
    title = plain(one_line(shown(session.title), 200)) or f"Session {session.id}"
    told = [f"# {title}", f"Session {session.id} of {day(session.started_at)}, {lines(len(turns))}, kept by chatmem."]
    for turn in turns:
        cut = "" if turn.status == "complete" else f" ({turn.status})"
        told += [f"**{plain(one_line(turn.speaker, 100))}**, {minute(turn.said_at)}{cut}", plain(shown(turn.text))]
    return "\n\n".join(told) + "\n"


def write_talk(path: Path, text: str) -> None:
    """Writes a session that only its owner can read. Raises InputError, StoreFull."""
    try:
        with open(path, "w", encoding="utf-8", newline="\n", opener=lambda name, how: os.open(name, how, 0o600)) as out:
            out.write(text)
    except OSError as error:
        if error.errno in NO_ROOM:
            raise StoreFull(f"the disk is full: {path} was not written whole; free some space.") from error
        raise InputError(f"{path} can't be written ({error.strerror}): choose another place.") from error


def plain(text: str) -> str:
    """Markdown that shows `text` letter for letter, with its line ends; without the empty lines around it."""
    told = "\n".join(line.strip() for line in _MARKUP.sub(_escaped, text).splitlines()).strip()
    return "\\\n".join(line or "\u00a0" for line in told.splitlines())


def _escaped(found: re.Match[str]) -> str:
    if found[1]:
        return f"\\{found[1]}"
    return f"{found[2]}{found[3]}\\" if found[3].isdigit() else f"{found[2]}\\{found[3]}"
