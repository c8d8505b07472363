"""How long a write takes, beside the least that any durable write costs here.

    python tests/benchmarks/memory/bench_store.py

Each line: what, rows in the database before, median and 95th percentile in milliseconds, median CPU time, and the ratio
of the medians to a bare INSERT with the same promise to the disk in the same run. A write has its journal entry,
evidence, full text and vector rows in it; the vector itself is given (`--rows N` fills the database first).
"""

from __future__ import annotations

import argparse
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from chatmem.memory.store.store import Store
from chatmem.memory.values import Author

AGENT = Author("agent:storage", "bench")
WORDS = (
    "goose", "lake", "river", "garden", "nurse", "teacher", "cat", "dog",
    "boat", "music", "letter", "summer", "coffee", "train", "window", "bread",
)  # fmt: skip


class Given:
    """Vectors at no cost, so that only the store's own work is measured."""

    name = "given"
    dimensions = 384

    def __init__(self) -> None:
        self.vectors = np.random.default_rng(8).normal(size=(64, 384)).astype(np.float32)
        self.vectors /= np.linalg.norm(self.vectors, axis=1, keepdims=True)

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        return self.vectors[[hash(text) % 64 for text in texts]]

    embed_questions = embed


def fact(number: int) -> str:
    told = (WORDS[number // 16**place % 16] for place in range(4))
    return f"Ana told of {' and '.join(told)} number {number}."


def fill(store: Store, user_id: int, rows: int) -> None:
    """Rows in one transaction each thousand, as an import makes them."""
    for start in range(0, rows, 1000):
        with store.db.write(durable=False):
            for number in range(start, min(start + 1000, rows)):
                store.facts.remember(user_id, "Ana", WORDS[number % 16], fact(number))


def measure(times: int, act: Callable[[int], object]) -> tuple[float, float, float]:
    """Median and 95th percentile of the wall clock, median of the CPU, in milliseconds."""
    walls, works = [], []
    for number in range(times):
        wall, work = time.perf_counter(), time.process_time()
        act(number)
        walls.append((time.perf_counter() - wall) * 1e3)
        works.append((time.process_time() - work) * 1e3)
    return statistics.median(walls), statistics.quantiles(walls, n=20)[18], statistics.median(works)


def bare(folder: Path, times: int) -> tuple[float, float, float]:
    db = sqlite3.connect(folder / "bare.db", isolation_level=None)
    db.execute("PRAGMA journal_mode=WAL")
    db.execute("PRAGMA synchronous=FULL")
    db.execute("CREATE TABLE facts (id INTEGER PRIMARY KEY, fact TEXT)")
    measured = measure(times, lambda number: db.execute("INSERT INTO facts (fact) VALUES (?)", (fact(number),)))
    db.close()
    return measured


def run(folder: Path, rows: int, times: int) -> None:
    with Store.open(folder / "bench.db", embedder=Given()) as store:
        user = store.users.get("ana")
        session = store.sessions.start(user.id)
        turn = store.turns.add(session.id, "Ana", "hello")
        fill(store, user.id, rows)
        new = rows + 1_000_000

        def write(number: int) -> None:
            sql = f"INSERT INTO memory (subject, topic, fact) VALUES ('Ana', 'talk', '{fact(new + 10**6 + number)}')"
            assert store.facts.write(user.id, sql, author=AGENT, turn_ids=[turn.id]).entries

        kinds: dict[str, Callable[[int], object]] = {
            "turn": lambda number: store.turns.add(session.id, "Ana", fact(number)),
            "memory by hand": lambda number: store.facts.remember(
                user.id, "Ana", "", fact(new + number), turn_ids=[turn.id]
            ),
            "memory in SQL": write,
        }
        base = bare(folder, times)
        print(f"{'what':16} {'rows':>8} {'p50 ms':>8} {'p95 ms':>8} {'CPU ms':>8} {'ratio':>7}")
        for name, (p50, p95, work) in [("bare INSERT", base), *((n, measure(times, act)) for n, act in kinds.items())]:
            print(f"{name:16} {rows:8,} {p50:8.2f} {p95:8.2f} {work:8.2f} {p50 / base[0]:7.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000, help="memories in the database before the measurement")
    parser.add_argument("--times", type=int, default=200, help="writes of each kind")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        run(Path(folder), options.rows, options.times)


if __name__ == "__main__":
    main()
