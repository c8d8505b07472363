"""What the guard and what it lets through cost.

    python tests/benchmarks/memory/bench_guard.py [--fuzzed 12000] [--than DIR]

Processor time of this thread, each text judged as a read and as a write, and run where it was allowed, as a user
whose 100 lines have 190,000 characters each: the hand-written statements of the tests, the bombs, and fuzzed ones
from a seed. A line for each kind: how many, median, 99th percentile and greatest of the verdict and of the run, in
milliseconds, and how many passed .3 s (`--over` names them). `--than DIR`, another checkout, compares the verdicts'
cost on the honest statements, in pairs: one process of each, in turn, the median of the ratios and its 95 % bootstrap
interval.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))
MOST = 0.3
"""Seconds that no statement may cost."""
CASES = ROOT / "tests/memory/guard"
ONE = """
import json, sys, time
from chatmem.memory.guard import guard
texts = json.load(sys.stdin)
for text in texts: guard.check_read(text), guard.check_write(text)
best = []
for _ in range(9):
    guard._read.cache_clear(), guard._write.cache_clear()
    began = time.thread_time()
    for text in texts: guard.check_read(text), guard.check_write(text)
    best.append(time.thread_time() - began)
print(min(best) / len(texts))
"""


def written(name: str) -> list[str]:
    """The statements of a data file of the tests."""
    found = []
    for line in (CASES / name).read_text(encoding="utf-8").splitlines():
        item = json.loads(line)
        text, count = item.get("fill", ("", 0))
        found.append(item["sql"].replace("§", text * count) if count else item["sql"])
    return list(dict.fromkeys(found))


def clocked(act: Callable[[], object]) -> float:
    began = time.thread_time()
    act()
    return time.thread_time() - began


def percentile(values: Sequence[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))] * 1e3 if values else 0.0


def measure(kind: str, texts: Iterable[str], run: Callable[[str], object], over: bool) -> int:
    """Prints one line; returns how many cost too much."""
    from chatmem.memory.guard import guard

    verdicts, runs, late = [], [], []
    for sql in texts:
        judged = max(clocked(lambda: guard.check_read(sql)), clocked(lambda: guard.check_write(sql)))  # noqa: B023
        verdicts.append(judged)
        ran = clocked(lambda: run(sql)) if guard.check_read(sql).allowed else 0.0  # noqa: B023
        if ran:
            runs.append(ran)
        if max(judged, ran) > MOST:
            late.append((judged, ran, sql[:200]))
    told = " ".join(f"{percentile(v, share):9.2f}" for v in (verdicts, runs) for share in (0.5, 0.99, 1.0))
    print(f"{kind:12} {len(verdicts):7,} {told} {len(late):6}")
    for judged, ran, sql in late if over else ():
        print(f"    {judged:.3f} s judged, {ran:.3f} s run: {sql}")
    return len(late)


def compare(other: Path, texts: list[str], pairs: int) -> None:
    ratios = []
    for _ in range(pairs):
        here, there = (_cost(folder, texts) for folder in (ROOT, other))
        ratios.append(here / there)
    draws = random.Random(1)
    medians = sorted(statistics.median(draws.choices(ratios, k=pairs)) for _ in range(2_000))
    low, high = medians[50], medians[1949]
    print(f"honest verdicts here / there: {statistics.median(ratios):.3f} [{low:.3f}, {high:.3f}], n = {pairs} pairs")


def _cost(folder: Path, texts: list[str]) -> float:
    command = [sys.executable, "-c", ONE]
    done = subprocess.run(command, input=json.dumps(texts), capture_output=True, text=True, cwd=folder, check=True)
    return float(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fuzzed", type=int, default=12_000)
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--over", action="store_true", help="name the statements that cost too much")
    parser.add_argument("--than", type=Path, help="another checkout, to compare with")
    parser.add_argument("--pairs", type=int, default=15)
    options = parser.parse_args()
    honest, hostile = written("honest.jsonl"), written("hostile.jsonl")
    if options.than:
        compare(options.than, honest, options.pairs)
        return
    from chatmem.memory.errors import Refused
    from chatmem.memory.store.store import Store
    from chatmem.memory.values import HUMAN
    from tests.memory.guard import bombs, mutate

    rng = random.Random(options.seed)
    all_bombs = [*bombs.READS.values(), *bombs.WRITES.values(), *bombs.RUNS.values()]
    bases = [sql[:300] for sql in (*honest, *hostile)] + all_bombs
    kinds = {
        "honest": honest, "hostile": hostile, "bombs": all_bombs,
        "fuzzed": (mutate.mutated(rng, bases) for _ in range(options.fuzzed)),
    }  # fmt: skip
    with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder) / "memory.db") as store:
        user = bombs.heavy(store)

        def run(sql: str) -> None:
            try:
                store.facts.read(user, sql)
            except Refused:
                return

        store.facts.read(user, "SELECT id FROM lines ORDER BY about('x') LIMIT 1")  # what is loaded once
        store.facts.write(user, f"{bombs.ROW[:-9]}, happened_on) VALUES ('A', 'x', 'the 3rd of may')", author=HUMAN)
        heads = "".join(f"{head:>10}" for head in ("judged p50", "p99", "most", "run p50", "p99", "most"))
        print(f"{'kind':12} {'n':>7} {heads} {'> .3 s':>6}")
        late = sum(measure(kind, texts, run, options.over) for kind, texts in kinds.items())
    sys.exit(late > 0)


if __name__ == "__main__":
    main()
