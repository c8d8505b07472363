"""Do rewards teach the storage agent what supervision didn't? Two adapters read the same held-back turns.

    python tests/benchmarks/training/study_rewards.py HELD_OUT.jsonl [--num N] [--first SPEC] [--second SPEC] [--out F]

Only turns with a human fact are read (MSC, one chat a line), with both speakers in the prompt and the chat's checks.
Told are the means of each and the second minus the first, turns drawn again in pairs: token F1 (nothing stored counts
as 0), recall and precision of the fact's words, names and numbers kept, and downstream recall: the share of the fact's
telling words in the best three rows for a question about it, among 24 rows about the same person (`Sandbox.recalled`).
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from chatmem.eval.agents.storage import StorageCase, StoragePrediction, predict, storage_cases
from chatmem.eval.datasets.msc import load_msc
from chatmem.eval.datasets.official_files import good_rows
from chatmem.eval.measures.intervals import bootstrap
from chatmem.eval.measures.text import kept, token_overlap
from chatmem.eval.runs.progress import make_progress
from chatmem.eval.runs.records import Records
from chatmem.training.storage.reward import Outcome, Sandbox

Measures = dict[str, float]


def measured(one: StoragePrediction, sandbox: Sandbox) -> Measures:
    """The measures of one turn; names and numbers only where the fact has some."""
    case = one.case
    precision, recall, f1 = token_overlap(one.fact, case.fact)
    gold = Outcome(True, ((case.speaker, case.fact, None),))
    got = Outcome(one.stored, tuple((subject, fact, None) for subject, _, fact in one.rows))
    found = {"token F1": f1, "recall of the words": recall, "precision of the words": precision}
    found |= {"downstream recall": sandbox.recalled(case.speaker, got, gold), "stored": float(bool(one.rows))}
    found["words written"] = float(len(one.fact.split()))
    hits, total = kept(case.fact.replace(case.speaker, "They").replace(case.other, "They"), one.fact)
    return found | ({"names and numbers": hits / total} if total else {})


def drawn(path: Path, num: int, seed: int) -> list[StorageCase]:
    """Turns with a fact, in an order of their own, so that a larger number adds turns to a smaller one."""
    cases = [case for case in storage_cases(list(good_rows(load_msc(path))), None, seed) if case.fact]
    random.Random(seed).shuffle(cases)
    return cases[:num]


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--num", type=int, default=700)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", default="embedded+storage")
    parser.add_argument("--second", required=True)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    cases, tables = drawn(args.data, args.num, args.seed), []
    with tempfile.TemporaryDirectory() as folder:
        settings = {"study": "rewards", "data": args.data.name, "num": args.num, "seed": args.seed}
        with Records(args.out or Path(folder) / "records.jsonl", settings) as records:
            sandbox = Sandbox()
            for spec in (args.first, args.second):
                tell = make_progress(spec, len(cases))
                done = predict(spec, cases, records, threads=args.threads, tell=tell)
                tables.append([measured(one, sandbox) for one in done])
            sandbox.close()
    show(args.first, args.second, *tables)


def show(first: str, second: str, one: Sequence[Measures], other: Sequence[Measures]) -> None:
    """A row a measure."""
    print(f"{'measure':24} {first:>24} {second:>24}  second minus first")
    for name in dict.fromkeys(name for row in one for name in row):
        pairs = [(a[name], b[name]) for a, b in zip(one, other, strict=True) if name in a]
        means = [bootstrap(side) for side in zip(*pairs, strict=True)]
        print(f"{name:24} {means[0]!s:>24} {means[1]!s:>24}  {bootstrap([b - a for a, b in pairs])} (n {len(pairs)})")


if __name__ == "__main__":
    main()
