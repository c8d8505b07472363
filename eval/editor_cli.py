"""The arguments of `chatmem eval editor`, and its run."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path

from ..memory.errors import InputError
from .progress import make_progress


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `eval editor`."""
    parser.add_argument(
        "--data", type=Path, metavar="FILE", help="spoiled memories (those that ship, never trained on)"
    )
    parser.add_argument("--num", type=int, default=0, metavar="N", help="memories (0: all)")
    parser.add_argument("--model", default="embedded+editor", metavar="SPEC", help="the editor (embedded+editor)")
    parser.add_argument(
        "--compare", default="rule", metavar="A,B", help="further columns: rule, embedded or any model (rule); none"
    )
    parser.add_argument("--threads", type=int, metavar="N", help="of llama.cpp; 1 is fastest on a busy machine")


def run(args: argparse.Namespace) -> int:
    """A column for each decider; --out keeps every step, for reading."""
    from ..models.embedder import load_embedder
    from . import editor, report
    from .spoiled import load_spoiled

    memories = load_spoiled(args.data)
    memories = memories[: args.num] if args.num else memories
    if args.num < 0:
        raise InputError("--num must be 0 or more.")
    others = [] if args.compare == "none" else args.compare.split(",")
    embedder, columns, records = load_embedder(), {}, []
    for spec in dict.fromkeys([args.model, *others]):
        decider = editor.decider_of(spec, args.threads)
        done = editor.measure(memories, decider, embedder, make_progress(spec, len(memories)))
        columns[spec] = editor.measures(done)
        records += [{"model": spec, "memory": place, **asdict(one)} for place, one in enumerate(done)]
    if args.out:
        report.write_records(args.out, records)
    if args.json:
        print(report.as_json("editor", columns))
    else:
        report.show(f"The editor on {len(memories)} spoiled memories", columns)
    return 0
