"""What encryption costs: `python tests/benchmarks/memory/bench_encrypted.py`.

The same facts and lines in a plain and in an encrypted database, and of each question and each write both, one right
after the other, in turns which comes first. Told: the ratio of the sums of all times with its 95% interval (bootstrap
over the pairs), and the medians. The bar is 1.3. "cold": on a connection just opened, so that pages are decrypted.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from chatmem.eval.measures.intervals import bootstrap_ratio
from chatmem.memory.database.key import Secret, new_secret
from chatmem.memory.store.store import Store

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from tests.benchmarks.memory.bench_search import Embedder, Speech, fill

KINDS = ("plain", "encrypted")


def seconds(act: Callable[[], object]) -> float:
    begin = time.perf_counter()
    act()
    return time.perf_counter() - begin


def pairs(count: int, acts: dict[str, Callable[[int], object]]) -> dict[str, list[float]]:
    """Each act as often, side by side; which is first changes. Each is done once before, unmeasured."""
    found: dict[str, list[float]] = {kind: [] for kind in KINDS}
    for kind in KINDS:
        acts[kind](0)
    for n in range(count):
        for kind in KINDS if n % 2 else KINDS[::-1]:
            found[kind].append(seconds(lambda kind=kind, n=n: acts[kind](n)))  # type: ignore[misc]
    return found


def told(what: str, found: dict[str, list[float]]) -> str:
    ratio = bootstrap_ratio(found["encrypted"], found["plain"])
    medians = " ".join(f"{kind} {statistics.median(found[kind]) * 1e3:7.2f} ms" for kind in KINDS)
    return (
        f"{what:28} n {len(found['plain']):4}  {medians}  ratio {ratio.value:.2f} [{ratio.low:.2f}, {ratio.high:.2f}]"
    )


def filled(store: Store, rows: int, encoder: str) -> int:
    """Facts, as many lines, their vectors, and a first search; the session of the lines."""
    fill(store, store.users.get("ana").id, Speech(), rows, encoder)
    session, lines = store.sessions.start(1).id, Speech(seed=4)
    for _ in range(rows):
        store.turns.add(session, "Ana", lines.fact(), storage="done")
    store.vectors.embed_pending()
    store.search(1, "Where is the dog?")
    return session


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=2_000, help="facts; a tenth as many lines, and as many written")
    parser.add_argument("--times", type=int, default=200)
    args = parser.parse_args()
    embedder, speech = Embedder(), Speech(seed=9)
    secrets: dict[str, Secret | None] = {"plain": None, "encrypted": new_secret()}
    with tempfile.TemporaryDirectory() as folder:
        stores: dict[str, Store] = {}
        for kind in KINDS:
            stores[kind] = Store.open(Path(folder) / f"{kind}.db", embedder=embedder, secret=secrets[kind])
            session = filled(stores[kind], args.rows, embedder.name)
        asked = [speech.question() for _ in range(args.times)]
        facts = [speech.fact() for _ in range(5 * args.times)]
        kinds = {
            "search": {kind: lambda n, kind=kind: stores[kind].search(1, asked[n], speaker="Ana") for kind in KINDS},
            "write: a fact": {
                kind: lambda n, kind=kind: stores[kind].facts.remember(1, "Ana", "talk", facts[n]) for kind in KINDS
            },
            "write: a line": {
                kind: lambda n, kind=kind: stores[kind].turns.add(session, "Ana", facts[n]) for kind in KINDS
            },
            "read: model-written SQL": {
                kind: lambda n, kind=kind: stores[kind].facts.read(1, "SELECT fact FROM memory WHERE fact LIKE '%dog%'")
                for kind in KINDS
            },
        }
        for what, acts in kinds.items():
            print(told(what, pairs(args.times * (5 if "write" in what else 1), acts)), flush=True)
        for store in stores.values():
            store.close()

        def cold(kind: str, n: int) -> None:
            with Store.open(Path(folder) / f"{kind}.db", embedder=embedder, secret=secrets[kind]) as store:
                store.search(1, asked[n], speaker="Ana")

        found = pairs(args.times // 5, {kind: lambda n, kind=kind: cold(kind, n) for kind in KINDS})
        print(told("open, search, close (cold)", found))


if __name__ == "__main__":
    main()
