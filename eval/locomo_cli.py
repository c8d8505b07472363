"""The arguments of `chatmem eval locomo`, and its run."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..memory.errors import InputError
from .progress import drawn, good_rows, make_progress, spec_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `eval locomo`."""
    parser.add_argument("--data", type=Path, required=True, metavar="FILE", help="LoCoMo's locomo10.json")
    parser.add_argument("--talks", metavar="ID,ID", help="only these conversations, such as conv-26,conv-30")
    parser.add_argument("--categories", default="1,2,3,4", metavar="N,N", help="of questions (1,2,3,4); 5: adversarial")
    parser.add_argument("--num", type=int, default=0, metavar="N", help="questions drawn (0: all)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="draws the questions (0)")
    parser.add_argument("--systems", default="bm25,vectors,rrf,chatmem", metavar="A,B", help="rankers (all of them)")
    parser.add_argument("--answers", action="store_true", help="let the model answer too; without it, retrieval alone")
    parser.add_argument("--model", default="embedded", metavar="SPEC", help="the model that answers (embedded)")
    parser.add_argument("--adapter", default="answer", metavar="NAME", help="its adapter (answer); none: without one")
    parser.add_argument(
        "--facts", choices=("none", "agent"), default="none", help="memories beside the turns (none); agent: slow"
    )
    parser.add_argument("--storage", default="embedded+storage", metavar="SPEC", help="who writes them")
    parser.add_argument("--words", type=int, default=200, metavar="N", help="most words of recall for answers (200)")
    parser.add_argument("--threads", type=int, metavar="N", help="of llama.cpp; 1 is fastest on a busy machine")


def run(args: argparse.Namespace) -> int:
    """Measures; with --out each finished question is kept, and the same command goes on after an interruption."""
    import tempfile

    from . import loaders, locomo, report
    from .records import Records

    talks = good_rows(loaders.load_locomo(args.data))
    wanted = set(args.talks.split(",")) if args.talks else {talk.id for talk in talks}
    if unknown := wanted - {talk.id for talk in talks}:
        raise InputError(f"{args.data.name} holds no conversation {', '.join(sorted(unknown))}.")
    every = locomo.cases([talk for talk in talks if talk.id in wanted], _categories(args.categories))
    chosen = drawn(every, args.num, args.seed)
    if not chosen:
        raise InputError("No question is left; give other --categories or --talks.")
    options = locomo.LocomoOptions(
        systems=_systems(args.systems), answer=spec_of(args.model, args.adapter) if args.answers else None,
        facts=args.facts, storage=args.storage, words=args.words, threads=args.threads,
    )  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="chatmem-eval-") as folder:
        with Records(args.out or Path(folder) / "records.jsonl", _settings(args)) as records:
            locomo.predict(chosen, options, records, tell=make_progress("questions", len(chosen)))
        columns = dict(locomo.columns(records.rows, options))
    if args.json:
        print(report.as_json("locomo", columns))
    else:
        report.show(f"LoCoMo: {len(chosen)} questions of {args.data.name}", columns)
    return 0


def _settings(args: argparse.Namespace) -> dict[str, object]:
    """What makes two runs the same run."""
    names = [
        "talks",
        "categories",
        "num",
        "seed",
        "systems",
        "answers",
        "model",
        "adapter",
        "facts",
        "storage",
        "words",
    ]
    return {"eval": "locomo", "data": args.data.name, **{name: getattr(args, name) for name in names}}


def _categories(text: str) -> list[int]:
    from .locomo_score import CATEGORIES

    chosen = [int(part) for part in text.split(",") if part.strip().isdigit()]
    if not chosen or not set(chosen) <= set(CATEGORIES) or len(chosen) != len(text.split(",")):
        raise InputError(f"--categories {text!r}: give numbers from 1 to 5, such as 1,2,4.")
    return chosen


def _systems(text: str) -> tuple[str, ...]:
    from .locomo import SYSTEMS

    chosen = tuple(part.strip() for part in text.split(","))
    if unknown := set(chosen) - set(SYSTEMS):
        raise InputError(f"There is no system {', '.join(sorted(unknown))}; there are {', '.join(SYSTEMS)}.")
    return chosen
