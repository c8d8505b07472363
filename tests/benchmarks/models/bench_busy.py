"""Five lines with the embedded model beside busy programs: threads by what is free, and a fixed number, in turn.

Each round runs both, each chat in a process of its own on a fresh home, first as the machine is and then beside busy
loops, so that whatever else runs slows both alike. Processor time says what a chat costs, wall time what it feels like.

    python tests/benchmarks/models/bench_busy.py --rounds 3 --loops 2
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median

LINES = (
    "hi, I'm Marta", "I have two cats, Nori and Wasabi, and I work as a nurse in Boston.", "What are my cats called?",
    "My sister Ana moved to Lisbon in May with her husband.", "Where does my sister live?", "bye",
)  # fmt: skip


def five_lines(options: list[str]) -> tuple[float, float]:
    """Seconds by the wall and of the processor for one chat."""
    with tempfile.TemporaryDirectory() as home:
        before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "chatmem", "chat", "--json", *options], input="\n".join(LINES) + "\n", text=True,
            stdout=subprocess.DEVNULL, env={**os.environ, "CHATMEM_HOME": home}, check=True,
        )  # fmt: skip
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.perf_counter() - begin, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@contextmanager
def busy(loops: int) -> Iterator[None]:
    """While inside, so many programs want a core each."""
    running = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(loops)]
    try:
        yield
    finally:
        for one in running:
            one.kill()
            one.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--loops", type=int, default=2)
    args = parser.parse_args()
    ways = {"by what is free": [], "fixed": ["--threads", str(min(os.cpu_count() or 1, 4))]}
    took: dict[tuple[str, int], list[tuple[float, float]]] = {}
    for loops in (0, args.loops):
        with busy(loops):
            for number in range(args.rounds):
                for name, options in ways.items():
                    took.setdefault((name, loops), []).append(five_lines(options))
                    wall, cpu = took[name, loops][-1]
                    print(f"round {number + 1}, {loops} loops, {name}: {wall:.1f} s, {cpu:.1f} s of the processor "
                          f"(load {os.getloadavg()[0]:.1f})", flush=True)  # fmt: skip
    for (name, loops), values in took.items():
        walls, cpus = [wall for wall, _ in values], [cpu for _, cpu in values]
        idle = median(wall for wall, _ in took[name, 0])
        print(f"{name}, {loops} loops: {median(walls):.1f} s ({median(walls) / idle:.1f} x without), "
              f"{median(cpus):.1f} s of the processor, n {len(values)}")  # fmt: skip


if __name__ == "__main__":
    main()
