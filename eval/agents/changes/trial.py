"""The storage agent is told the line of each pair, as the chat's worker would tell it."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...runs.records import Records
from .pairs import Pair, PairOutcome, outcome

if TYPE_CHECKING:
    from ....memory.search.vectors import Embedder
    from ....memory.store.store import Store
    from ....memory.values import WriteResult
    from ....models.lm import LM

KNOWN_AT, BEFORE_AT, SAID_AT = "2024-05-02T09:00:00Z", "2024-06-12T11:58:00Z", "2024-06-12T12:00:00Z"
"""When the known facts, the line before (which then told them) and the new line were said."""
ASKED = "doubts"
"""The attribute of a write's result that tells that the agent asked back instead of changing something."""


def asked_back(result: WriteResult | None) -> bool:
    """Whether the agent asked the user before it changes anything."""
    return bool(getattr(result, ASKED, None))


def predict(
    spec: str, pairs: Sequence[Pair], records: Records, *,
    threads: int | None = None, lm: LM | None = None, embedder: Embedder | None = None,
    tell: Callable[[int], None] = lambda done: None,
) -> list[PairOutcome]:  # fmt: skip
    """Lets the model of `spec` store the line of every pair that has no record yet; all outcomes, in the pairs' order.

    `lm`, `embedder`: in place of those that the chat would load. Raises ModelError; what is done is kept.
    """
    from ....models.embedder.minilm import load_embedder
    from ...runs.models import load

    waiting = [pair for pair in pairs if _key(spec, pair) not in records.done]
    if waiting:
        model, vectors = lm or load(spec, threads), embedder or load_embedder()
        try:
            for number, pair in enumerate(waiting, len(pairs) - len(waiting) + 1):
                records.add({"key": _key(spec, pair), "model": spec} | _tried(model, vectors, pair))
                tell(number)
        finally:
            model.close()
    rows = {str(row["key"]): row for row in records.rows}
    return [_read(pair, rows[_key(spec, pair)]) for pair in pairs]


def _key(spec: str, pair: Pair) -> str:
    return f"{spec} {pair.key}"


def _tried(lm: LM, embedder: Embedder, pair: Pair) -> dict[str, Any]:
    """The pair in a store of its own: the facts before and after its line, and what became of it."""
    from ....memory.store.store import Store
    from ...runs.models import forgetting

    forgetting(lm)()
    with (
        tempfile.TemporaryDirectory(prefix="chatmem-eval-") as folder,
        Store.open(Path(folder) / "eval.db", embedder=embedder) as store,
    ):
        result, current = told(lm, store, pair)
    refused = result.refused if result else None
    return {
        "pair": pair.key, "matter": pair.matter, "kind": pair.kind, "known": pair.known, "line": pair.line,
        "current": current, "asked": asked_back(result), "refused": refused,
    }  # fmt: skip


def told(lm: LM, store: Store, pair: Pair) -> tuple[WriteResult | None, list[str]]:
    """Writes the known facts, has the line taken in as `chatmem.Memory` and the chat do, and returns what came of it
    with the facts that are current then."""
    from ....models.api import Memory
    from ....models.storage.agent import StorageAgent

    user = store.users.call(store.users.get(pair.key).id, pair.user)
    for place, (topic, fact) in enumerate(zip(pair.topics, pair.known, strict=True)):
        said_at = BEFORE_AT if pair.said_before(place) else KNOWN_AT
        store.facts.remember(user.id, user.subject, topic, fact, said_at=said_at)
    session = store.sessions.start(user.id, at=BEFORE_AT if pair.before else SAID_AT)
    if pair.before:
        store.turns.add(session.id, user.subject, pair.before, said_at=BEFORE_AT)
    turn = store.turns.add(session.id, user.subject, pair.line, said_at=SAID_AT, storage="pending")
    result = Memory.over(store, user, StorageAgent(lm, store)).take_in(turn)
    return result, [memory.fact for memory in store.facts.all(user.id)]


def _read(pair: Pair, row: Mapping[str, Any]) -> PairOutcome:
    return outcome(pair, row["current"], bool(row["asked"]))
