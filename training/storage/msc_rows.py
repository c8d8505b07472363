"""Training rows of the storage agent: MSC's human facts, LoCoMo's observations and our own templates, as SQL."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...memory.language.dates import find_dates
from ...memory.language.third_person import split_facts, to_third_person
from ...memory.search.vectors import Embedder
from ...models.prompts.messages import NOTHING, Known, Line, insert_sql, storage_messages
from ..material.speaker_names import two_names
from ..policy.rows import training_row

SAME = 0.9
"""Cosine (MiniLM) from which a fact counts as already known."""
RELATED = 0.45
"""Cosine from which a known fact is worth showing beside a line."""
DAY = "2024-06-12T12:00:00Z"


class Topics:
    """The topic of a fact: the nearest of the templates' topics (MiniLM, prototype = mean of name and examples)."""

    def __init__(self, embedder: Embedder, examples: dict[str, list[str]]) -> None:
        self.embedder, self.names = embedder, list(examples)
        means = [embedder.embed([name, *texts]).mean(axis=0) for name, texts in examples.items()]
        matrix = np.stack(means)
        self.matrix = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)

    def of(self, facts: Sequence[str]) -> tuple[list[str], np.ndarray]:
        """Topics and vectors of first-person facts."""
        vectors = self.embedder.embed(facts)
        return [self.names[i] for i in (vectors @ self.matrix.T).argmax(axis=1)], vectors


def when(text: str) -> list[str]:
    """The words for dates in a line."""
    return [phrase for phrase, _ in find_dates(text, DAY)]


def msc_rows(
    chats: Sequence[dict[str, Any]], topics: Topics, seed: int, known_share: float = 0.5
) -> Iterator[dict[str, Any]]:
    """A row per turn; in half of the chats the speakers' earlier facts are known and said facts aren't stored twice."""
    rng = random.Random(seed)
    for chat in chats:
        names = dict(zip(("Speaker 1", "Speaker 2"), two_names(rng), strict=True))
        with_known = rng.random() < known_share
        memory: dict[str, list[tuple[str, str, np.ndarray]]] = {name: [] for name in names.values()}
        for session in chat["sessions"]:
            before: list[Line] = []
            for turn in session["turns"]:
                line = Line(names[turn["speaker"]], " ".join(turn["text"].split()))
                other = next(n for n in names.values() if n != line.speaker)
                mine = memory[line.speaker]
                known, target = _target(turn, line, other, topics, mine if with_known else [])
                if len(line.text.split()) <= 90:
                    yield training_row(storage_messages(before, line, known), target)
                before.append(line)
                for topic, fact, vector in _facts(turn, line.speaker, other, topics):
                    mine.append((topic, fact, vector))


def _facts(turn: dict[str, Any], name: str, other: str, topics: Topics) -> list[tuple[str, str, np.ndarray]]:
    said = split_facts(turn["facts"]) if turn["facts"].strip() else []
    if not said:
        return []
    labels, vectors = topics.of(said)
    return [(t, to_third_person(f, name, other), v) for t, f, v in zip(labels, said, vectors, strict=True)]


def _target(
    turn: dict[str, Any],
    line: Line,
    other: str,
    topics: Topics,
    memory: list[tuple[str, str, np.ndarray]],
) -> tuple[list[Known], str]:
    facts = _facts(turn, line.speaker, other, topics)
    known: list[Known] = []
    if memory:
        probe = facts[0][2] if facts else topics.embedder.embed([line.text])[0]
        scores = np.array([v @ probe for _, _, v in memory])
        best = [i for i in scores.argsort()[::-1][:3] if scores[i] > RELATED]
        shown = {int(i) for i in best}
        known = [Known(100 + i, memory[i][0], memory[i][1]) for i in sorted(shown)]
        facts = [f for f in facts if not any(memory[i][2] @ f[2] >= SAME for i in shown)]
    if not facts:
        return known, NOTHING
    words = when(line.text)
    stamp = words[0] if len(words) == 1 else None
    return known, insert_sql([(line.speaker, t, f, stamp if stamp and _dated(stamp, f) else None) for t, f, _ in facts])


def _dated(words: str, fact: str) -> bool:
    """Whether the fact is what the words for a date belong to: it holds them, or tells of an event."""
    low = fact.lower()
    return words.lower() in low or any(f" {verb} " in f" {low} " for verb in EVENTS)


EVENTS = [
    "went",
    "bought",
    "got",
    "met",
    "visited",
    "saw",
    "took",
    "made",
    "had",
    "was",
    "started",
    "finished",
    "moved",
    "got",
    "is",
    "going",
    "will",
    "plans",
    "booked",
]
