"""The arguments of `chatmem eval storage`, and its run."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..memory.errors import InputError
from .progress import chosen_rows, data_arguments, good_rows, make_progress, spec_of

if TYPE_CHECKING:
    from .metrics import Estimate
    from .storage import StoragePrediction


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `eval storage`."""
    data_arguments(parser, "Multi-Session Chat with human facts, one chat a line")
    parser.add_argument("--num", type=int, default=500, metavar="N", help="turns drawn from the file (500); 0: all")
    parser.add_argument("--model", default="embedded", metavar="SPEC", help="the model (embedded)")
    parser.add_argument("--adapter", default="storage", metavar="NAME", help="its adapter (storage); none: without one")
    parser.add_argument(
        "--compare", nargs="*", metavar="SPEC", help="more columns, and each minus the first; alone: the untrained base"
    )
    parser.add_argument("--max-tokens", type=int, metavar="N", help="most tokens a line (224; without an adapter 96)")


def run(args: argparse.Namespace) -> int:
    """Measures; with --out each finished turn is kept, and the same command goes on after an interruption.

    More models can be added to a record later: each turn is kept for each model.
    """
    import tempfile

    from . import loaders, report, storage
    from .records import Records

    chats = chosen_rows(good_rows(loaders.load_msc(args.data)), args.rows)
    cases = storage.storage_cases(chats, args.num or None, args.seed)
    if not cases:
        raise InputError(f"{args.data} holds no turns in these rows; give other --rows.")
    done: dict[str, Sequence[StoragePrediction]] = {}
    with (
        tempfile.TemporaryDirectory(prefix="chatmem-eval-") as folder,
        Records(args.out or Path(folder) / "records.jsonl", _settings(args)) as records,
    ):
        for spec in _specs(args):
            tell, most = make_progress(spec, len(cases)), args.max_tokens
            done[spec] = storage.predict(spec, cases, records, threads=args.threads, max_tokens=most, tell=tell)
    columns = dict(_columns(done))
    if args.json:
        print(report.as_json("storage", columns))
    else:
        report.show(f"Storage agent on {len(cases)} turns of {args.data.name}", columns)
    return 0


def _specs(args: argparse.Namespace) -> list[str]:
    more = ["embedded"] if args.compare == [] else args.compare or []
    return list(dict.fromkeys((spec_of(args.model, args.adapter), *more)))


def _columns(done: dict[str, Sequence[StoragePrediction]]) -> Iterator[tuple[str, dict[str, Estimate]]]:
    from . import storage

    first = next(iter(done))
    for spec, made in done.items():
        yield spec, storage.measures(made)
    for spec in list(done)[1:]:
        yield f"{spec} minus {first}", storage.differences(done[first], done[spec])


def _settings(args: argparse.Namespace) -> dict[str, object]:
    """What makes two runs the same run, whatever models read it."""
    names = ("rows", "num", "seed", "max_tokens")
    return {"eval": "storage", "data": args.data.name, **{name: getattr(args, name) for name in names}}
