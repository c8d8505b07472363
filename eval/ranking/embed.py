"""The first step: how near each session is to the question, and which of them the ranking model is given.

A session is as near as its nearest passage; MemSifter embeds the first 512 tokens of a session and nothing else. Beside
it stand the chances of the learned lines (`Recall.sessions`), as the chat's own search finds them.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...memory.errors import InputError
from ...memory.search.passages import passages
from ..datasets.cases import NOW, Conversation
from ..datasets.sessions import Sitting, Utterance
from .rows import Haystack, Row
from .sources import tokens
from .vectors import KeptEmbedder

if TYPE_CHECKING:
    from ...memory.search.vectors import Embedder
    from ...memory.store.store import Store

CONTEXT = 96_000
"""Tokens of sessions that a ranking model is given at most, by the count of `sources.tokens`."""
BEST = 8
"""Best passages of a session that are noted: what a digest of it is made of."""
DEPTH = 50
"""Lines that search ranks for the sessions' chances."""


@dataclass(frozen=True, slots=True)
class Embedding:
    """What makes the workers of this step. `encoder`: as the setting `embedder`; `cache`: the file of kept vectors;
    `lines`: whether the learned lines' chances are found too, which takes an ingestion for each conversation."""

    cache: Path
    encoder: str = "embedded"
    context: int = CONTEXT
    lines: bool = True

    def __call__(self) -> Embedded:
        return Embedded(self)


class Embedded:
    """A worker: gives a row's similarities, session_passages, prefiltered_session_idx and session_chances."""

    def __init__(self, step: Embedding) -> None:
        from ...models.embedder.minilm import load_embedder

        self.step = step
        self._inner: Embedder = load_embedder() if step.encoder == "embedded" else _chosen(step.encoder)
        self.embedder = KeptEmbedder(self._inner, step.cache)
        self._folder = tempfile.TemporaryDirectory(prefix="chatmem-rank-")
        self._pieces: tuple[str, _Pieces] | None = None
        self._store: tuple[str, Store] | None = None

    def __call__(self, row: Row) -> dict[str, Any]:
        """Raises ModelError, StoreError."""
        if self._pieces is None or self._pieces[0] != row.haystack.stamp:
            self._pieces = (row.haystack.stamp, _Pieces.of(row.haystack, self.embedder))
        similarities, best = self._pieces[1].near(self.embedder.embed_questions([row.question])[0])
        found: dict[str, Any] = {
            "similarities": similarities, "session_passages": best,
            "prefiltered_session_idx": prefiltered(row.haystack, similarities, self.step.context),
        }  # fmt: skip
        if self.step.lines:
            found["session_chances"] = self._chances(row)
        return found

    def close(self) -> None:
        """Lets go of the store, the vectors and the encoder."""
        if self._store is not None:
            self._store[1].close()
        self.embedder.close()
        if (close := getattr(self._inner, "close", None)) is not None:
            close()
        self._folder.cleanup()

    def _chances(self, row: Row) -> list[float]:
        """The chance of each session that the answer was said in it."""
        store = self._opened(row)
        user = store.users.get("haystack").id
        recall = store.search(
            user, row.question, limit=DEPTH, now=row.asked_at or NOW, speaker=row.asker
        )  # fmt: skip
        places = {one.id: place for place, one in enumerate(sorted(store.sessions.all(user), key=lambda one: one.id))}
        chances = [0.0] * len(row.haystack.sessions)
        for session, chance in recall.sessions:
            chances[places[session]] = round(chance, 6)
        return chances

    def _opened(self, row: Row) -> Store:
        from ...memory.store.store import Store
        from ..ingestion.ingest import ingest

        stamp = row.haystack.stamp
        if self._store is None or self._store[0] != stamp:
            if self._store is not None:
                self._store[1].close()
            store = Store.open(Path(self._folder.name) / f"{stamp}.db", embedder=self.embedder)
            ingest(store, store.users.get("haystack"), talk_of(row))
            self._store = (stamp, store)
        return self._store[1]


def _chosen(spec: str) -> Embedder:
    from ...models.embedder.choose import choose, ready

    made = choose(spec)
    ready(lambda: made.name)
    return made


def talk_of(row: Row) -> Conversation:
    """The row's sessions as a conversation of any data set."""
    stack = row.haystack
    sessions = tuple(
        Sitting(
            tuple(Utterance(who, text, "", f"{name}:{place}") for place, (who, text) in enumerate(turns)), at or None
        )
        for turns, at, name in zip(stack.sessions, stack.dates, stack.ids, strict=True)
    )
    return Conversation(stack.stamp, sessions, row.asker, row.me, row.asked_at or NOW)


@dataclass(frozen=True, slots=True)
class _Pieces:
    """The passages of all sessions: of which session, turn and span each is, and its vector."""

    where: Sequence[tuple[int, int, int, int]]
    vectors: np.ndarray
    sessions: int

    @classmethod
    def of(cls, stack: Haystack, embedder: KeptEmbedder) -> _Pieces:
        named = ":" in embedder.name  # another encoder than the embedded reads who said it too
        where, texts = [], []
        for place, turns in enumerate(stack.sessions):
            for turn, (who, text) in enumerate(turns):
                for begin, end in passages(text):
                    where.append((place, turn, begin, end))
                    texts.append(f"{who}: {text[begin:end]}" if named else text[begin:end])
        return cls(where, embedder.embed(texts), len(stack.sessions))

    def near(self, question: np.ndarray) -> tuple[list[float], list[list[tuple[int, int, int]]]]:
        """How near each session is, -1 for an empty one, and its best passages as (turn, begin, end), best first."""
        similarities, best = [-1.0] * self.sessions, [list[tuple[int, int, int]]() for _ in range(self.sessions)]
        scores = self.vectors @ question if len(self.where) else np.empty(0)
        for number in np.argsort(-scores, kind="stable"):
            place, *span = self.where[number]
            if not best[place]:
                similarities[place] = round(float(scores[number]), 6)
            if len(best[place]) < BEST:
                best[place].append((span[0], span[1], span[2]))
        return similarities, best


def prefiltered(stack: Haystack, similarities: Sequence[float], room: int) -> list[int]:
    """The places of the sessions that fit into `room` tokens, nearest first, but one that doesn't fit is passed over
    and not the end (as in MemSifter); in the order of time. What holds the answer is never put in on purpose."""
    kept, left = [], room
    for place in sorted(range(len(similarities)), key=lambda one: (-similarities[one], one)):
        size = sum(tokens(text) for _, text in stack.sessions[place])
        if size <= left and stack.sessions[place]:
            kept.append(place)
            left -= size
    return sorted(kept)


def embedded(row: Row) -> Row:
    """The row, which must have been embedded. Raises InputError with what to do."""
    found: Mapping[str, Any] = row.found
    count = len(row.haystack.sessions)
    if len(found.get("similarities") or ()) != count or "prefiltered_session_idx" not in found:
        raise InputError(f"row {row.key} has no similarities of its sessions: run `chatmem rank embed` on it first.")
    return row
