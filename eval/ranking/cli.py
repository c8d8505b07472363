"""The arguments of `chatmem rank embed | sessions | answer | run`. Nothing heavy is imported before one runs."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...memory.errors import InputError
from ..arguments import ABOVE_ZERO, COUNT, NUMBER, PLACE
from ..runs.records import must_be_new

if TYPE_CHECKING:
    from .answer import Answering
    from .embed import Embedding
    from .rank import Ranking
    from .rows import Row

DATASETS = ("locomo", "longmemeval", "beam", "personamem", "rows")
ORDERS = ("best", "similarity", "lines", "generated", "fused")


def register(subparsers: Any) -> None:
    """Adds the steps below `chatmem rank`."""
    text = "how near each session is to its question, and which a model is to rank"
    embed = _add(subparsers, "embed", text, _embed)
    _data_options(embed)
    _embed_options(embed)
    sessions = _add(subparsers, "sessions", "a model ranks the sessions", _sessions)
    _rows_option(sessions)
    _rank_options(sessions, required=True)
    answer = _add(subparsers, "answer", "the best sessions fill a model's context, and it answers", _answer)
    _rows_option(answer)
    _answer_options(answer)
    run = _add(subparsers, "run", "all three steps, and how good they are", _run)
    _data_options(run)
    _embed_options(run)
    _rank_options(run, required=False)
    _answer_options(run)


def _add(subparsers: Any, name: str, text: str, run: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = subparsers.add_parser(
        name, help=text, description=f"{text[0].upper()}{text[1:]}.", allow_abbrev=False
    )
    what = "folder of the records and of rows.jsonl" if name == "run" else "where the rows go"
    parser.add_argument("--out", type=PLACE, required=True, metavar="DIR" if name == "run" else "FILE",
                        help=f"{what}" + ("" if name == "run" else " (.jsonl or .parquet)"))  # fmt: skip
    parser.add_argument("--json", action="store_true", help="the table as JSON")
    parser.add_argument("--workers", type=COUNT, default=1, metavar="N", help="rows at once, a model each (1)")
    parser.add_argument("--ray", action="store_true", help="workers of Ray: RAY_ADDRESS, else on this machine")
    parser.add_argument("--fresh", action="store_true", help="begin anew instead of going on")
    parser.add_argument("--threads", type=COUNT, metavar="N", help="of llama.cpp; 1 is fastest on a busy machine")
    parser.add_argument("--per-minute", type=ABOVE_ZERO, metavar="N", help="most requests to an endpoint a minute")
    parser.set_defaults(run=run)
    return parser


def _rows_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", type=PLACE, required=True, metavar="FILE", help="the rows of the step before")


def _data_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", type=PLACE, required=True, metavar="FILE", help="an official file, or rows")
    parser.add_argument("--dataset", choices=DATASETS, help="what it is (by its name)")
    parser.add_argument("--part", type=NUMBER, default=2_048, metavar="TOKENS",
                        help="a longer session is ranked in parts of so many tokens (2048); 0: whole")  # fmt: skip
    parser.add_argument("--talks", metavar="ID,ID", help="only rows whose key begins so, such as conv-26")
    parser.add_argument("--num", type=NUMBER, default=0, metavar="N", help="rows drawn (0: all)")
    parser.add_argument("--seed", type=NUMBER, default=0, metavar="N", help="draws them, and samples replies (0)")


def _embed_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--encoder", default="embedded", metavar="SPEC", help="makes the vectors (embedded)")
    parser.add_argument("--prefilter", type=COUNT, default=96_000, metavar="TOKENS",
                        help="the nearest sessions that fit into so many are ranked (96000)")  # fmt: skip
    parser.add_argument("--no-lines", action="store_true", help="similarity alone, without the learned lines")


def _rank_options(parser: argparse.ArgumentParser, required: bool) -> None:
    parser.add_argument("--model", required=required, metavar="SPEC",
                        help="ranks the sessions" + ("" if required else " (none: the learned lines do)"))  # fmt: skip
    parser.add_argument("--form", choices=("auto", "digest", "whole"), default="auto",
                        help="how sessions are told to it (auto: digests to a window below 16384 tokens)")  # fmt: skip
    parser.add_argument("--context", type=COUNT, metavar="N", help="the models' window in tokens (their own)")
    if required:
        parser.add_argument("--seed", type=NUMBER, default=0, metavar="N", help="samples replies (0)")


def _answer_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--answers", default="embedded+answer", metavar="SPEC",
                        help="who answers (embedded+answer); none: only what it would be given")  # fmt: skip
    parser.add_argument("--order", choices=ORDERS, default="best",
                        help="of the sessions (best: the model's ranking, else the learned lines)")  # fmt: skip
    parser.add_argument("--tokens", type=COUNT, default=8_192, metavar="N", help="of sessions that it reads (8192)")
    parser.add_argument("--answer-context", type=COUNT, metavar="N", help="its window in tokens (its own)")


def _embed(args: argparse.Namespace) -> int:
    from .steps import to_file

    _not_its_data(args, args.out)
    step = _embedding(args)
    _show(args, to_file("embed", step, _rows(args), args.out, _settings(step), **_how(args)), args.out)
    return 0


def _sessions(args: argparse.Namespace) -> int:
    from .rows import read_rows
    from .steps import to_file

    _not_its_data(args, args.out)
    step = _ranking(args)
    _show(args, to_file("sessions", step, read_rows(args.data), args.out, _settings(step), **_how(args)), args.out)
    return 0


def _answer(args: argparse.Namespace) -> int:
    from .rows import read_rows
    from .steps import to_file

    _not_its_data(args, args.out)
    step = _answering(args)
    _show(args, to_file("answer", step, read_rows(args.data), args.out, _settings(step), **_how(args)), args.out)
    return 0


def _run(args: argparse.Namespace) -> int:
    if not args.ray:
        return _steps(args)
    from ..runs.ray_workers import connected

    with connected(args.workers):
        return _steps(args)


def _steps(args: argparse.Namespace) -> int:
    from .rows import write_rows
    from .steps import run_step

    out = args.out / "rows.jsonl"
    _not_its_data(args, out)
    if not (args.out / "answer.jsonl").is_file():
        must_be_new(out)
    rows, how = _rows(args), _how(args)
    embed = _embedding(args)
    rows = run_step("embed", embed, rows, args.out / "embed.jsonl", _settings(embed), **how)
    if args.model:
        rank = _ranking(args)
        rows = run_step("sessions", rank, rows, args.out / "sessions.jsonl", _settings(rank), **how)
    answer = _answering(args)
    rows = run_step("answer", answer, rows, args.out / "answer.jsonl", _settings(answer), **how)
    write_rows(out, rows)
    _show(args, rows, args.out)
    return 0


def _not_its_data(args: argparse.Namespace, out: Path) -> None:
    """Raises InputError where the rows would be written over the file that they are made of."""
    if out.resolve() == args.data.resolve():
        raise InputError(f"{out} is what is to be read, and would be written over; name another --out.")


def _rows(args: argparse.Namespace) -> list[Row]:
    from ..datasets.selection import drawn
    from .sources import kind_of, load_rows

    kind = args.dataset or kind_of(args.data)
    rows = load_rows(kind, args.data, args.part)
    if args.talks:
        wanted = tuple(args.talks.split(","))
        rows = [row for row in rows if row.key.rpartition("/")[0] in wanted or row.key in wanted]
    rows = list(drawn(rows, args.num, args.seed))
    if not rows:
        raise InputError("No row is left; give other --talks.")
    print(f"{len(rows)} rows, {len({row.haystack.stamp for row in rows})} conversations", file=sys.stderr)
    return rows


def _how(args: argparse.Namespace) -> dict[str, Any]:
    return {"workers": args.workers, "ray": args.ray, "fresh": args.fresh}


def _embedding(args: argparse.Namespace) -> Embedding:
    from ...models.files.model_files import cache_folder
    from .embed import Embedding

    return Embedding(cache_folder() / "rank" / "vectors.db", args.encoder, args.prefilter, not args.no_lines)


def _ranking(args: argparse.Namespace) -> Ranking:
    from .rank import Ranking

    return Ranking(args.model, args.form, args.seed, args.threads, args.context, args.per_minute)


def _answering(args: argparse.Namespace) -> Answering:
    from .answer import Answering

    model = None if args.answers == "none" else args.answers
    return Answering(model, args.order, args.tokens, args.threads, args.answer_context, args.per_minute)


def _settings(step: Embedding | Ranking | Answering) -> dict[str, Any]:
    """What makes two runs the same run: not where vectors are kept, nor how fast it may go."""
    from dataclasses import asdict

    return {key: value for key, value in asdict(step).items() if key not in ("cache", "threads", "per_minute")}


def _show(args: argparse.Namespace, rows: Sequence[Row], out: Path) -> None:
    from ..report import tables
    from .table import columns

    found = columns(rows)
    if args.json:
        print(tables.as_json("rank", found, rows=len(rows), out=str(out)))
    else:
        tables.show(f"{len(rows)} rows of {args.data.name}", found)
        print(out, file=sys.stderr)
