"""Sixty things told in a chat and forgotten, a tenth by each way: is a word of any left in a file, is one still found?

    python tests/benchmarks/app/bench_forget.py

The agents are scripted, the embedder is the embedded one. Fails with the ways and words where something is left.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from tests.app.forgetting import WAYS, Home, Told, home, told


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=2, choices=(1, 2), help="thirty things a round (2)")
    args = parser.parse_args()
    with TemporaryDirectory(prefix="chatmem-forget-") as folder, home(Path(folder), search=True) as person:
        matters = told(args.rounds)
        for matter in matters:
            person.tell(matter)
        faults = [
            fault for place, one in enumerate(matters) for fault in forgotten(person, one, WAYS[place % len(WAYS)])
        ]
        print(f"{len(matters)} things told and forgotten by {len(WAYS)} ways; seconds each, median {_median():.2f}")
    print(f"faults: {len(faults)}", *faults, sep="\n  ")
    return 1 if faults else 0


_seconds: list[float] = []


def _median() -> float:
    return statistics.median(_seconds)


def forgotten(person: Home, matter: Told, way: Callable[[Home, Told], str]) -> list[str]:
    """Forgets one thing; what is wrong afterwards, each as a line."""
    assert all(person.grep(word) for word in matter.words), "it was not there to begin with"
    begin = time.perf_counter()
    said = way(person, matter)
    _seconds.append(time.perf_counter() - begin)
    faults = [f"left: {word} in {where}" for word in matter.words for where in person.grep(word)]
    faults += [f"found: {word}" for word in matter.words if word.lower() in _answer(person, matter).lower()]
    if faults and "None was found" in said and not any(f"“{word.lower()}”" in said for word in matter.words):
        faults.append("claimed: that none was found")
    return [f"{way.__name__}: {fault}" for fault in faults]


def _answer(person: Home, matter: Told) -> str:
    """What search brings for the question that was asked, and what every turn of the talk holds."""
    found = person.store.search(person.user.id, matter.question, limit=20)
    texts = [item.memory.fact for item in found.items if item.memory]
    texts += [turn.text for item in found.items for turn in item.turns]
    return "\n".join(texts)


if __name__ == "__main__":
    sys.exit(main())
