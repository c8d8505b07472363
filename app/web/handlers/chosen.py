"""What is done with memories that were chosen in the list, and with whole sessions: forget, or take a file along."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ....memory.errors import InputError
from ....memory.transfer.exchange import export_text
from ....memory.values import Memory
from ...shown.chips import current_of
from ...shown.talk_markdown import talk_markdown
from ..windows.window import Desk

File = dict[str, str]
"""What the browser saves: name, type, and data in base64."""
MOST = 1_000
NONE_CHOSEN = "Nothing that you chose is remembered any more; choose again."


def file_of(name: str, text: str, kind: str) -> File:
    return {"name": name, "data": base64.b64encode(text.encode()).decode("ascii"), "type": kind}


def chosen(desk: Desk, ids: str) -> list[Memory]:
    """The memories with these ids as they are now, whatever they were changed into. Raises InputError."""
    words = ids.split()
    if (
        not words
        or len(words) > MOST
        or not all(word.isascii() and word.isdigit() and len(word) < 19 for word in words)
    ):
        raise InputError(f"Choose 1 to {MOST:,} memories first.")
    found = current_of(desk.chat.store, desk.user.id, [int(word) for word in words])
    memories = {one.id: one for one in found.values()}
    if not memories:
        raise InputError(NONE_CHOSEN)
    return list(memories.values())


def forget(desk: Desk, memories: Sequence[Memory]) -> None:
    """Asks before it is done; what is asked, and what is done, is what `/forget` says."""
    desk.submit(f"/forget {' '.join(str(one.id) for one in memories)}")
    desk.finish(30.0)


def as_csv(desk: Desk, memories: Sequence[Memory]) -> File:
    return _exported(desk, memories, "csv", ".csv", "text/csv")


def as_markdown(desk: Desk, memories: Sequence[Memory]) -> File:
    return _exported(desk, memories, "markdown", ".md", "text/markdown")


def _exported(desk: Desk, memories: Sequence[Memory], form: str, ending: str, kind: str) -> File:
    out = io.StringIO(newline="")
    export_text(desk.chat.store, desk.user.id, out, form, only={one.id for one in memories})
    return file_of(f"chatmem-{desk.chat.name}-chosen{ending}", out.getvalue(), kind)


def session_file(desk: Desk, key: int) -> File:
    """A session as Markdown. Raises NotFound."""
    store = desk.chat.store
    session = store.sessions.get(key, user_id=desk.user.id)
    return file_of(f"chatmem-session-{key}.md", talk_markdown(session, store.turns.of(key)), "text/markdown")


CHOSEN: Mapping[str, Callable[[Desk, Sequence[Memory]], Any]] = {
    "forget-chosen": forget, "export-csv": as_csv, "export-md": as_markdown,
}  # fmt: skip
