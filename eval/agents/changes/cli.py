"""The arguments of `chatmem eval changes`, and its run."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...arguments import COUNT
from ...runs.progress import make_progress
from ...runs.provenance import code, fingerprint

if TYPE_CHECKING:
    from .pairs import PairOutcome


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `eval changes`."""
    parser.add_argument(
        "--pairs", default="open", metavar="WHICH",
        help="open, sealed, hard, indirect, corrections, or a TOML file (open)",
    )  # fmt: skip
    parser.add_argument("--model", default="embedded", metavar="SPEC", help="the model that stores (embedded)")
    parser.add_argument("--threads", type=COUNT, metavar="N", help="threads of the model; 1 on a machine that is busy")


def run(args: argparse.Namespace) -> int:
    """Measures; with --out each finished pair is kept, and the same command goes on after an interruption.

    What sealed pairs say is told by --out alone, for programs.
    """
    from ...report import tables
    from . import pairs

    with tempfile.TemporaryDirectory(prefix="chatmem-eval-") as folder:
        out = args.out or Path(folder) / "records.jsonl"
        path, spec, done = outcomes(args.pairs, args.model, out, threads=args.threads)
    hidden, columns = path.stem in pairs.SEALED, {spec: pairs.measures(done)}
    if args.json:
        print(tables.as_json("changes", columns, pairs=[_plain(n, one, hidden) for n, one in enumerate(done, 1)]))
        return 0
    tables.show(f"A new line beside what is known: {len(done)} pairs of {path.name}", columns)
    for line in _mistakes(done, hidden):
        print(line)
    return 0


def outcomes(
    which: str, model: str, out: Path, *, threads: int | None = None
) -> tuple[Path, str, list[PairOutcome]]:  # fmt: skip
    """The file of those pairs, the spec of the model that stored, and what became of each pair; each finished one is
    kept in `out`, and none that is there is run again. Raises NotFound, InputError, ModelError."""
    from ....models.registry import for_role
    from ...runs.records import Records
    from . import pairs, trial

    path = pairs.FOLDER / f"{which}.toml" if which in pairs.NAMES else Path(which)
    all_pairs, spec = pairs.load_pairs(path), for_role(model, "storage")
    settings = {"eval": "changes", "pairs": path.name, "print": fingerprint(path), **code()}
    with Records(out, settings) as records:
        tell = make_progress("pairs", len(all_pairs))
        return path, spec, trial.predict(spec, all_pairs, records, threads=threads, tell=tell)


def _plain(number: int, one: PairOutcome, hidden: bool) -> dict[str, Any]:
    """A pair's outcome; without any words where they are sealed."""
    pair = one.pair
    plain = {
        "number": number, "matter": pair.matter, "kind": pair.kind, "right": one.right, "lost": one.lost,
        "outdated": one.outdated, "unsaid": len(one.unsaid), "asked": one.asked,
    }  # fmt: skip
    return plain | ({} if hidden else {"known": pair.known, "line": pair.line, "missing": one.unsaid})


def _mistakes(done: Sequence[PairOutcome], hidden: bool) -> Iterator[str]:
    for number, one in enumerate(done, 1):
        if not one.right:
            faults = [f"lost: {one.pair.known[place]}" for place in one.lost]
            faults += [f"still current: {one.pair.known[place]}" for place in one.outdated]
            faults += [f"not there: {says}" for says in one.unsaid] + (["asked back"] if one.asked else [])
            told = [fault.partition(":")[0] for fault in faults] if hidden else [one.pair.line, *faults]
            yield f"-- {number} ({one.pair.matter}, {one.pair.kind}) {'; '.join(told)}"
