"""The storage agent is told a life line by line, as the chat's worker would tell it."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ....memory.database.moments import moment_of
from ...runs.records import Records
from ..changes.trial import ASKED
from .life import Life
from .measure import Lived

if TYPE_CHECKING:
    from ....memory.search.vectors import Embedder
    from ....memory.values import Memory
    from ....models.lm import LM

FIRST = datetime(2024, 6, 12, 9, 0, tzinfo=UTC)
"""When the first line is said, on a Wednesday; each further one two minutes later."""
APART = timedelta(minutes=2)


def predict(
    spec: str, lives: Sequence[Life], records: Records, *,
    threads: int | None = None, lm: LM | None = None, embedder: Embedder | None = None,
    tell: Callable[[int], None] = lambda done: None,
) -> list[Lived]:  # fmt: skip
    """Tells the model of `spec` every life that has no record yet; all outcomes, in the lives' order. `tell` is given
    the number of lines that were told.

    `lm`, `embedder`: in place of those that the chat would load. Raises ModelError; what is done is kept.
    """
    from ....models.embedder.minilm import load_embedder
    from ...runs.models import load

    waiting = [life for life in lives if _key(spec, life) not in records.done]
    done = sum(len(life.lines) for life in lives) - sum(len(life.lines) for life in waiting)
    if waiting:
        model, vectors = lm or load(spec, threads), embedder or load_embedder()
        try:
            for life in waiting:
                records.add({"key": _key(spec, life), "model": spec} | _told(model, vectors, life, done, tell))
                done += len(life.lines)
        finally:
            model.close()
    rows = {str(row["key"]): row for row in records.rows}
    return [_read(life, rows[_key(spec, life)]) for life in lives]


def _key(spec: str, life: Life) -> str:
    return f"{spec} {life.key}"


def _told(lm: LM, embedder: Embedder, life: Life, done: int, tell: Callable[[int], None]) -> dict[str, Any]:
    """The life in a store of its own: the memories after each line, and what was asked back: whether a known fact is
    over, and what would take its place."""
    from ....memory.store.store import Store
    from ....models.api import Memory as Chat
    from ....models.storage.agent import StorageAgent
    from ...runs.models import forgetting

    forgetting(lm)()
    after, asked, session, day = list[list[str]](), list[list[tuple[str, str]]](), None, 0
    with (
        tempfile.TemporaryDirectory(prefix="chatmem-eval-") as folder,
        Store.open(Path(folder) / "eval.db", embedder=embedder) as store,
    ):
        user = store.users.call(store.users.get(life.key).id, life.name)
        for number, said in enumerate(life.lines):
            at = moment_of(FIRST + timedelta(days=said.day - 1) + number * APART)
            if session is None or said.day != day:
                session, day = store.sessions.start(user.id, at=at), said.day
            turn = store.turns.add(session.id, user.subject, said.text, said_at=at, storage="pending")
            result = Chat.over(store, user, StorageAgent(lm, store)).take_in(turn)
            asked.append([(one.row.fact, one.fact) for one in getattr(result, ASKED, ())])
            after.append([_shown(memory) for memory in store.facts.all(user.id)])
            tell(done + number + 1)
    return {"life": life.key, "manner": life.manner, "after": after, "asked": asked}


def _shown(memory: Memory) -> str:
    """A memory as one reads it: with its day, where it has one."""
    return f"{memory.fact} ({memory.happened_on})" if memory.happened_on else memory.fact


def _read(life: Life, row: dict[str, Any]) -> Lived:
    asked = tuple(tuple((known, new) for known, new in some) for some in row["asked"])
    return Lived(life, tuple(map(tuple, row["after"])), asked)
