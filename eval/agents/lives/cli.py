"""The arguments of `chatmem eval lives`, and its run."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from ...arguments import COUNT
from ...runs.progress import make_progress
from ...runs.provenance import code


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `eval lives`."""
    parser.add_argument("--lives", default="open", metavar="WHICH", help="open, sealed, or a file of lives (open)")
    parser.add_argument("--model", default="embedded", metavar="SPEC", help="the model that stores (embedded)")
    parser.add_argument("--threads", type=COUNT, metavar="N", help="threads of the model; 1 on a machine that is busy")


def run(args: argparse.Namespace) -> int:
    """Measures; with --out each life that was told is kept, and the same command goes on after an interruption.

    What sealed lives say is told by --out alone, for programs.
    """
    from ....models.registry import for_role
    from ...report import tables
    from ...runs.records import Records
    from . import life, measure, trial

    lives, spec = life.load_lives(args.lives), for_role(args.model, "storage")
    with tempfile.TemporaryDirectory(prefix="chatmem-eval-") as folder:
        out = args.out or Path(folder) / "records.jsonl"
        settings = {"eval": "lives", "lives": args.lives, "print": [one.key for one in lives], **code()}
        with Records(out, settings) as records:
            tell = make_progress("lines", sum(len(one.lines) for one in lives))
            done = trial.predict(spec, lives, records, threads=args.threads, tell=tell)
    hidden = args.lives == "sealed"
    manners = dict.fromkeys(one.life.manner for one in done)
    columns = {name: measure.measures([one for one in done if one.life.manner == name]) for name in manners}
    if len(columns) > 1:
        columns = {spec: measure.measures(done), **columns}
    if args.json:
        print(tables.as_json("lives", columns, lives=[measure.plain(one, hidden) for one in done]))
        return 0
    tables.show(f"What is kept of {len(done)} lives", columns)
    for one in done if not hidden else ():
        print(f"-- {one.life.name} ({one.life.manner})", *measure.faults(one), sep="\n")
    return 0
