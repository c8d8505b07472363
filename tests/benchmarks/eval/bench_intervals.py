"""What a bootstrap costs beside a plain loop over the same draws: `python tests/benchmarks/eval/bench_intervals.py`.

Each line: values, resamples, CPU milliseconds of the loop and of `eval/measures/intervals.py` (least of some runs), and
their ratio. Both ends of the two intervals are checked to be the same.
"""

from __future__ import annotations

import argparse
import math
import random
import time
from collections.abc import Callable

from chatmem.eval.measures.intervals import bootstrap

ROUNDS = 1000


def loop(values: list[float]) -> tuple[float, float]:
    """The interval as it is defined, a draw and a mean at a time."""
    rng, places = random.Random(0), range(len(values))
    means = sorted(sum(values[i] for i in rng.choices(places, k=len(values))) / len(values) for _ in range(ROUNDS))
    return means[int(0.025 * ROUNDS)], means[int(0.975 * ROUNDS)]


def least(times: int, act: Callable[[], object]) -> float:
    """CPU milliseconds of the quickest of some runs: what other programs do doesn't count."""
    found = []
    for _ in range(times):
        begin = time.process_time()
        act()
        found.append((time.process_time() - begin) * 1e3)
    return min(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=5, help="runs of each")
    times = parser.parse_args().times
    print(f"{'values':>7} {'rounds':>7} {'loop ms':>9} {'ms':>9} {'ratio':>7}")
    for n in (50, 1000):
        values = [random.Random(place).random() for place in range(n)]
        made, (low, high) = bootstrap(values, rounds=ROUNDS), loop(values)
        assert math.isclose(made.low, low) and math.isclose(made.high, high)
        plain, quick = least(times, lambda: loop(values)), least(times, lambda: bootstrap(values, rounds=ROUNDS))  # noqa: B023
        print(f"{n:7} {ROUNDS:7} {plain:9.2f} {quick:9.2f} {plain / quick:7.1f}")


if __name__ == "__main__":
    main()
