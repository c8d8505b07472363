"""`chatmem eval compare A B`: two records of the same questions, question by question.

A difference between two runs says more than two intervals that overlap: the cases are drawn again in pairs.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..memory.errors import InputError, NotFound
from . import ranking, report
from .locomo_score import score
from .metrics import Estimate, bootstrap

Row = Mapping[str, Any]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `eval compare`."""
    parser.add_argument("first", type=Path, metavar="A", help="a record written with --out")
    parser.add_argument("second", type=Path, metavar="B", help="another; shown is B minus A")
    parser.add_argument("--system", default="chatmem", metavar="NAME", help="whose ranking is compared (chatmem)")


def run(args: argparse.Namespace) -> int:
    """Shows both and the paired difference, over the questions that both hold."""
    first, second = read(args.first), read(args.second)
    keys = [key for key in first if key in second]
    if not keys:
        raise InputError(f"{args.first.name} and {args.second.name} share no question; compare runs of the same data.")
    table = differences([first[key] for key in keys], [second[key] for key in keys], args.system)
    if not table["B - A"]:
        raise InputError(f"Neither record holds answers or a ranking of {args.system!r}; name another --system.")
    if args.json:
        print(report.as_json("compare", table))
    else:
        report.show(f"{len(keys)} questions in both", table)
    return 0


def read(path: Path) -> dict[str, Row]:
    """The rows of a record by their keys. Raises NotFound or InputError."""
    try:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    except FileNotFoundError:
        raise NotFound(f"There is no file {path}.") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{path} is no record of an evaluation ({error}).") from error
    found: dict[str, Row] = {str(row["key"]): row for row in rows if isinstance(row, dict) and "key" in row}
    if not found:
        raise InputError(f"{path} holds no finished question; write one with `chatmem eval locomo --out`.")
    return found


def differences(first: Sequence[Row], second: Sequence[Row], system: str) -> dict[str, dict[str, Estimate]]:
    """Columns A, B and their paired difference, for each measure that both rows have."""
    table: dict[str, dict[str, Estimate]] = {"A": {}, "B": {}, "B - A": {}}
    for name, measure in _MEASURES.items():
        pairs = [(measure(a, system), measure(b, system)) for a, b in zip(first, second, strict=True)]
        held = [(a, b) for a, b in pairs if a is not None and b is not None]
        if held:
            table["A"][name] = bootstrap([a for a, _ in held])
            table["B"][name] = bootstrap([b for _, b in held])
            table["B - A"][name] = bootstrap([b - a for a, b in held])
    return table


def _ranked(measure: Callable[[Sequence[str], Sequence[str]], float]) -> Callable[[Row, str], float | None]:
    def of(row: Row, system: str) -> float | None:
        ranked = row.get("ranked", {}).get(system)
        return measure(ranked, row["evidence"]) if ranked is not None and row.get("evidence") else None

    return of


def _official(row: Row, _system: str) -> float | None:
    return score(str(row["answer"]), str(row["gold"]), int(row["category"])) if "answer" in row else None


_MEASURES: dict[str, Callable[[Row, str], float | None]] = {
    "recall@10, mean": _ranked(lambda ranked, wanted: ranking.recall_at(ranked, wanted, 10)),
    "all hits@10": _ranked(lambda ranked, wanted: ranking.all_hit_at(ranked, wanted, 10)),
    "MRR": _ranked(ranking.reciprocal_rank),
    "official score": _official,
}
