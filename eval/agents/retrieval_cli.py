"""The arguments of `chatmem eval retrieval`, and its run."""

from __future__ import annotations

import argparse
from pathlib import Path

from ...memory.errors import InputError
from ..arguments import COUNT, NUMBER, PLACE
from ..datasets.official_files import good_rows
from ..datasets.selection import chosen_talks, drawn
from ..runs.models import compared, prompts_argument, spec_of, told_prompts
from ..runs.progress import make_progress


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `eval retrieval`."""
    parser.add_argument("--data", type=PLACE, required=True, metavar="FILE", help="conversations in LoCoMo's form")
    parser.add_argument("--talks", metavar="ID,ID", help="only these conversations, such as conv-26,conv-30")
    parser.add_argument("--num", type=NUMBER, default=0, metavar="N", help="questions drawn (0: all)")
    parser.add_argument("--seed", type=NUMBER, default=0, metavar="N", help="draws the questions (0)")
    parser.add_argument("--model", default="embedded", metavar="SPEC", help="the model (embedded)")
    parser.add_argument(
        "--adapter", default="retrieval", metavar="NAME", help="its adapter (retrieval); none: without one"
    )
    parser.add_argument(
        "--compare", nargs="*", metavar="SPEC", help="more columns, and each minus the first; alone: the untrained base"
    )
    prompts_argument(parser)
    parser.add_argument("--threads", type=COUNT, metavar="N", help="of llama.cpp; 1 is fastest on a busy machine")


def run(args: argparse.Namespace) -> int:
    """Measures; with --out each finished question is kept, and the same command goes on after an interruption."""
    import tempfile

    from ..datasets.locomo import load_locomo
    from ..report import tables
    from ..runs.records import Records
    from . import retrieval

    talks = chosen_talks(good_rows(load_locomo(args.data)), args.talks, args.data.name)
    chosen = drawn(retrieval.cases(talks), args.num, args.seed)
    if not chosen:
        raise InputError("No question with evidence is left; give other --talks.")
    settings = {"eval": "retrieval", "data": args.data.name, "talks": args.talks, "num": args.num, "seed": args.seed}
    prompts, mark = told_prompts(args)
    specs = list(dict.fromkeys((spec_of(args.model, args.adapter), *compared(args.compare))))
    with (
        tempfile.TemporaryDirectory(prefix="chatmem-eval-") as folder,
        Records(args.out or Path(folder) / "records.jsonl", settings | mark) as records,
    ):
        done = {}
        for spec in specs:
            tell = make_progress(spec, len(chosen))
            done[spec] = retrieval.predict(spec, chosen, records, threads=args.threads, prompts=prompts, tell=tell)
    columns = {spec: retrieval.measures(rows) for spec, rows in done.items()}
    for spec in specs[1:]:
        columns[f"{spec} minus {specs[0]}"] = retrieval.differences(done[specs[0]], done[spec])
    tables.put("retrieval", f"Retrieval agent on {len(chosen)} questions of {args.data.name}", columns, args.json)
    return 0
