"""The two tools that only look: search and sample."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..search.vectors import fetch, foreign
from ..values import Memory
from .run import ToolRun

Arguments = Mapping[str, Any]
SAMPLED = 2_000
"""Newest rows among which a diverse sample is drawn."""


def search(tools: ToolRun, given: Arguments) -> dict[str, Any]:
    """Memories by meaning and words. Similarity is the cosine with the query; without an embedder it is left out."""
    query, top_k = given["query"], given["top_k"]
    wide = top_k if "memory_type" not in given and "threshold" not in given else 50
    found = tools.store.search(tools.user.id, query, limit=wide, use_turns=False)
    memories = [memory for memory in found.memories if fits(tools, memory, given.get("memory_type"))]
    near = similarities(tools, query, memories)
    told = [
        shown(memory) | ({} if near is None else {"similarity": round(float(near[place]), 3)})
        for place, memory in enumerate(memories)
        if near is None or near[place] >= given.get("threshold", -1)
    ]
    return {"memories": told[:top_k]}


def sample(tools: ToolRun, given: Arguments) -> dict[str, Any]:
    """Some memories: at random, unlike each other, or the newest."""
    every = tools.store.facts.all(tools.user.id, newest=True, derived=False)
    rows = [memory for memory in every if fits(tools, memory, given.get("memory_type"))]
    count = min(given["k"], len(rows))
    if given["strategy"] == "recent":
        chosen = sorted(rows, key=lambda memory: (memory.said_at, memory.id), reverse=True)[:count]
    elif given["strategy"] == "diverse":
        chosen = diverse(tools, rows[:SAMPLED], count)
    else:
        chosen = tools.rng.sample(rows, count)
    return {"memories": [shown(memory) for memory in chosen], "of": len(rows)}


def diverse(tools: ToolRun, rows: Sequence[Memory], count: int) -> list[Memory]:
    """Farthest-point sampling (Gonzalez 1985): each next row is the one least like all before.

    Without vectors the rows are taken in turn from the topics.
    """
    if not count:
        return []
    if tools.store.embedder is None:
        seen: dict[tuple[str, str], int] = {}
        turn = {}
        for memory in rows:
            seen[memory.subject, memory.topic] = turn[memory.id] = seen.get((memory.subject, memory.topic), -1) + 1
        return sorted(rows, key=lambda memory: (turn[memory.id], -memory.id))[:count]
    vectors = vectors_of(tools, rows)
    places = [tools.rng.randrange(len(rows))]
    nearest = vectors @ vectors[places[0]]
    while len(places) < count:
        nearest[places] = np.inf
        places.append(int(nearest.argmin()))
        nearest = np.maximum(nearest, vectors @ vectors[places[-1]])
    return [rows[place] for place in places]


def vectors_of(tools: ToolRun, rows: Sequence[Memory]) -> np.ndarray:
    """The unit vectors of the rows' facts, shape (rows, dimensions); made now where they are not stored yet."""
    store = tools.store
    assert store.embedder is not None
    while store.vectors.embed_pending(tools.user.id):
        pass
    with store.db.read() as db:
        return fetch(db, store.embedder.name, [memory.id for memory in rows], store.embedder.dimensions)


def similarities(tools: ToolRun, query: str, rows: Sequence[Memory]) -> np.ndarray | None:
    """Cosines of the rows with a query; None without an embedder."""
    if tools.store.embedder is None:
        return None
    embedder = tools.store.embedder
    vector: np.ndarray = (embedder.embed_questions if foreign(embedder) else embedder.embed)([query])[0]
    near: np.ndarray = vectors_of(tools, rows) @ vector
    return near


def fits(tools: ToolRun, memory: Memory, kind: str | None) -> bool:
    """Whether a row is of the wanted type and about the run's subject."""
    typed = kind is None or (kind == "episodic") == (memory.happened_on is not None)
    return typed and tools.limits.subject in (None, memory.subject)


def shown(memory: Memory) -> dict[str, Any]:
    """A row as the tools show it."""
    return {
        "id": memory.id, "subject": memory.subject, "topic": memory.topic, "fact": memory.fact,
        "happened_on": memory.happened_on, "said_at": memory.said_at, "pinned": memory.pinned,
    }  # fmt: skip
