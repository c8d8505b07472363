"""The arguments of `chatmem eval storage`, and its run."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ...memory.errors import InputError
from ..arguments import COUNT, NUMBER
from ..datasets.official_files import good_rows
from ..datasets.selection import chosen_rows, data_arguments
from ..runs.models import compared, prompts_argument, spec_of, told_prompts
from ..runs.progress import make_progress

if TYPE_CHECKING:
    from ..datasets.locomo import LocomoTalk
    from ..measures.intervals import Estimate
    from .storage import StorageCase, StoragePrediction


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `eval storage`."""
    data_arguments(parser, "Multi-Session Chat with human facts, one chat a line, or LoCoMo with its observations")
    parser.add_argument(
        "--num",
        type=NUMBER,
        default=500,
        metavar="N",
        help="turns drawn from the file (500); 0: all; LoCoMo: whole sessions",
    )
    parser.add_argument("--model", default="embedded", metavar="SPEC", help="the model (embedded)")
    parser.add_argument("--adapter", default="storage", metavar="NAME", help="its adapter (storage); none: without one")
    parser.add_argument(
        "--compare", nargs="*", metavar="SPEC", help="more columns, and each minus the first; alone: the untrained base"
    )
    prompts_argument(parser)
    parser.add_argument("--max-tokens", type=COUNT, metavar="N", help="most tokens a line (224; without an adapter 96)")


def run(args: argparse.Namespace) -> int:
    """Measures; with --out each finished turn is kept, and the same command goes on after an interruption.

    More models can be added to a record later: each turn is kept for each model.
    """
    import tempfile

    from ..report import tables
    from ..runs.records import Records
    from . import storage

    cases, talks = _cases(args)
    if not cases:
        raise InputError(f"{args.data} holds no turns in these rows; give other --rows.")
    done: dict[str, Sequence[StoragePrediction]] = {}
    prompts, mark = told_prompts(args)
    with (
        tempfile.TemporaryDirectory(prefix="chatmem-eval-") as folder,
        Records(args.out or Path(folder) / "records.jsonl", _settings(args) | mark) as records,
    ):
        for spec in _specs(args):
            tell, most = make_progress(spec, len(cases)), args.max_tokens
            done[spec] = storage.predict(
                spec, cases, records, threads=args.threads, max_tokens=most, prompts=prompts, tell=tell
            )
    columns = dict(_columns(done, talks))
    tables.put("storage", f"Storage agent on {len(cases)} turns of {args.data.name}", columns, args.json)
    return 0


def _cases(args: argparse.Namespace) -> tuple[list[StorageCase], Sequence[LocomoTalk]]:
    """The cases, and the conversations of LoCoMo when the file holds these."""
    from ..datasets.locomo import load_locomo
    from ..datasets.msc import load_msc
    from ..datasets.official_files import head
    from . import storage, storage_locomo

    if storage_locomo.is_locomo(head(args.data)):
        talks = chosen_rows(good_rows(load_locomo(args.data)), args.rows)
        return storage_locomo.session_cases(talks, args.num or None, args.seed), talks
    chats = chosen_rows(good_rows(load_msc(args.data)), args.rows)
    return storage.storage_cases(chats, args.num or None, args.seed), ()


def _specs(args: argparse.Namespace) -> list[str]:
    return list(dict.fromkeys((spec_of(args.model, args.adapter), *compared(args.compare))))


def _columns(
    done: dict[str, Sequence[StoragePrediction]], talks: Sequence[LocomoTalk]
) -> Iterator[tuple[str, dict[str, Estimate]]]:
    from . import storage, storage_locomo

    first = next(iter(done))
    for spec, made in done.items():
        yield spec, storage.measures(made) | (storage_locomo.measures(made, talks) if talks else {})
    for spec in list(done)[1:]:
        yield f"{spec} minus {first}", storage.differences(done[first], done[spec])


def _settings(args: argparse.Namespace) -> dict[str, object]:
    """What makes two runs the same run, whatever models read it."""
    names = ("rows", "num", "seed", "max_tokens")
    return {"eval": "storage", "data": args.data.name, **{name: getattr(args, name) for name in names}}
