"""The arguments of `chatmem eval editor`, and its run."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path

from ...memory.errors import WrongUsage
from ..arguments import COUNT, NUMBER, PLACE
from ..runs.progress import make_progress


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `eval editor`."""
    parser.add_argument(
        "--data", type=PLACE, metavar="FILE", help="spoiled memories (those that ship, never trained on)"
    )
    parser.add_argument(
        "--locomo", type=PLACE, metavar="FILE",
        help="LoCoMo's locomo10.json: its observations instead, before and after",
    )  # fmt: skip
    parser.add_argument("--talks", metavar="ID,ID", help="with --locomo: only these conversations")
    parser.add_argument(
        "--consolidate", action="store_true", help="with --locomo: join rows that tell of one matter, too"
    )
    parser.add_argument(
        "--episodes", type=PLACE, metavar="DIR",
        help="answers before and after, over the conversations that `chatmem data locomo` held back (test.parquet)",
    )  # fmt: skip
    parser.add_argument(
        "--asks", type=NUMBER, default=0, metavar="N", help="with --episodes: questions of a conversation (0: all)"
    )
    parser.add_argument(
        "--answerer", default="embedded+answer", metavar="SPEC",
        help="with --episodes: the model that answers from the best five rows (embedded+answer)",
    )  # fmt: skip
    parser.add_argument("--judge", metavar="SPEC", help="with --episodes: a model that judges (none: by words)")
    parser.add_argument(
        "--kept", type=PLACE, metavar="DIR",
        help="with --episodes: where answers and starting memories are kept; a run that was killed goes on from them",
    )  # fmt: skip
    parser.add_argument("--num", type=NUMBER, default=0, metavar="N", help="memories (0: all)")
    parser.add_argument("--model", default="embedded+editor", metavar="SPEC", help="the editor (embedded+editor)")
    parser.add_argument(
        "--compare", default="rule", metavar="A,B",
        help="further columns: rule, embedded or any model (rule); with --episodes also joins; none",
    )  # fmt: skip
    parser.add_argument("--threads", type=COUNT, metavar="N", help="of llama.cpp; 1 is fastest on a busy machine")


def run(args: argparse.Namespace) -> int:
    """A column for each decider; --out keeps every step, for reading."""
    from ...models.embedder.minilm import load_embedder
    from ..datasets.spoiled import load_spoiled
    from ..report import tables
    from ..runs.records import must_be_new
    from . import editor

    _go_together(args)
    must_be_new(args.out)
    if args.locomo:
        return _locomo(args)
    if args.episodes:
        return _episodes(args)
    memories = load_spoiled(args.data)
    memories = memories[: args.num] if args.num else memories
    others = [] if args.compare == "none" else args.compare.split(",")
    embedder, columns, records = load_embedder(), {}, []
    for spec in dict.fromkeys([args.model, *others]):
        decider = editor.decider_of(spec, args.threads)
        done = editor.measure(memories, decider, embedder, make_progress(spec, len(memories)))
        columns[spec] = editor.measures(done)
        records += [{"model": spec, "memory": place, **asdict(one)} for place, one in enumerate(done)]
    if args.out:
        tables.write_records(args.out, records)
    tables.put("editor", f"The editor on {len(memories)} spoiled memories", columns, args.json)
    return 0


def _go_together(args: argparse.Namespace) -> None:
    """Raises WrongUsage for options of another material, which would be passed over."""
    given = [f"--{name}" for name in ("data", "locomo", "episodes") if getattr(args, name)]
    if len(given) > 1:
        raise WrongUsage(f"{' and '.join(given)} are different materials; give one of them.")
    for name, wanted in (("talks", "locomo"), ("consolidate", "locomo"), ("asks", "episodes"), ("judge", "episodes"),
                         ("kept", "episodes")):  # fmt: skip
        if getattr(args, name) and not getattr(args, wanted):
            raise WrongUsage(f"--{name} goes with --{wanted}; give that too, or leave it out.")


def _locomo(args: argparse.Namespace) -> int:
    import json

    from ...models.embedder.minilm import load_embedder
    from ..datasets.locomo import load_locomo
    from ..datasets.official_files import good_rows
    from ..datasets.selection import chosen_talks
    from ..report import tables
    from . import editor, editor_locomo

    talks = good_rows(load_locomo(args.locomo))
    chosen = chosen_talks(talks, args.talks, args.locomo.name)[: args.num or None]
    items = {str(item["sample_id"]): item for item in json.loads(args.locomo.read_text(encoding="utf-8"))}
    done = editor_locomo.measure(
        chosen, items, editor.decider_of(args.model, args.threads), load_embedder(),
        join=args.consolidate, tell=make_progress("conversations", len(chosen)),
    )  # fmt: skip
    columns = {args.model: editor_locomo.measures(done)}
    if args.out:
        tables.write_records(args.out, done)
    tables.put("editor locomo", f"The editor on {len(chosen)} conversations of LoCoMo", columns, args.json)
    return 0


def _episodes(args: argparse.Namespace) -> int:
    """A column for each editor; where there are several, by how much the first one's answers are better."""
    from tempfile import TemporaryDirectory

    from ...models import registry
    from ..report import tables
    from ..runs.models import WHOLE, load
    from . import editor
    from .tidied import measure
    from .tidied.episodes import talks
    from .tidied.rag import Rag

    others = [] if args.compare == "none" else args.compare.split(",")
    told = list(talks(args.episodes, "test").values())[: args.num or None]
    columns, lines, first = {}, [], None
    with TemporaryDirectory(prefix="chatmem-eval-") as scratch:
        kept = args.kept or Path(scratch)
        judge = registry.load(args.judge) if args.judge else None
        rag = Rag(load(args.answerer, args.threads, reading=WHOLE), judge, kept / "answers.jsonl")
        for spec in dict.fromkeys([args.model, *others]):
            decider = measure.JoinsDecider() if spec == measure.JOINS else editor.decider_of(spec, args.threads)
            done = measure.over(told, decider, rag, kept, args.asks, make_progress(spec, len(told)))
            columns[spec] = measure.measures(done)
            first = done if first is None else first
            if done is not first:
                columns[args.model][f"answers better than after {spec}"] = measure.between(first, done)
            lines += measure.records(spec, done)
        rag.close()
    if args.out:
        tables.write_records(args.out, lines)
    tables.put("editor episodes", f"Answers after a tidy of {len(told)} conversations", columns, args.json)
    return 0
