"""The arguments of `chatmem eval trust`, and its run."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ....memory.errors import ChatmemError, WrongUsage
from ...arguments import COUNT, NUMBER, PLACE
from ...runs.provenance import code

if TYPE_CHECKING:
    from .parts import Found
    from .talks import Source

ALL = "pairs,calibration,scripts"


def add_arguments(parser: argparse.ArgumentParser, source: Callable[[], Source]) -> None:
    """Adds the options of `eval trust`. `source`: where the talks come from, fetched when they are needed."""
    parser.add_argument(
        "--out", type=PLACE, metavar="DIR", help="keep what is finished in DIR, and write the report there"
    )  # fmt: skip
    parser.add_argument("--parts", default=ALL, metavar="A,B", help=f"some of {ALL} (all)")
    parser.add_argument("--model", metavar="SPEC", help="the model of all roles (embedded)")
    parser.add_argument(
        "--pairs", nargs="+", default=["open", "sealed"], metavar="WHICH", help="as of `eval changes` (open sealed)"
    )  # fmt: skip
    parser.add_argument("--scripts", nargs="+", default=["first"], metavar="WHICH", help="as of `eval chat` (first)")
    parser.add_argument(
        "--talks", nargs="+", default=["unseen", "held-back"], metavar="WHICH",
        help="talks that ship: unseen, held-back (its bounds were fitted there), learned; in a checkout unseen-short, "
        "unseen-weeks (unseen held-back)",
    )  # fmt: skip
    parser.add_argument(
        "--questions", type=NUMBER, default=0, metavar="N", help="at most N of each kind after a set's talks (0: all)"
    )
    parser.add_argument("--threads", type=COUNT, metavar="N", help="threads of the model; 1 on a machine that is busy")
    parser.add_argument("--no-charts", action="store_true", help="no charts; needs no matplotlib")
    parser.add_argument("--json", action="store_true", help="the report as JSON")
    parser.set_defaults(source=source)


def run(args: argparse.Namespace) -> int:
    """Runs the parts and tells the report; with --out the same command goes on after an interruption. Raises
    InputError, NotFound, SettingsError, ModelError."""
    from . import report

    wanted = _parts(args.parts)
    drawn = bool(args.out) and "calibration" in wanted and not args.no_charts
    if drawn:
        from ...report.charts import pyplot

        pyplot()  # what is missing is told before anything is run
    with tempfile.TemporaryDirectory(prefix="chatmem-eval-") as folder:
        found = _kept(args, wanted, args.out or Path(folder))
    settings = _settings(args, wanted)
    made = report.write(found, settings, args.out, drawn=drawn) if args.out else []
    if args.json:
        print(json.dumps(report.as_data(found, settings), ensure_ascii=False, indent=2))
        return 0
    print(report.markdown(found, settings), end="")
    print("".join(f"{path}\n" for path in made), end="")
    return 0


def _parts(text: str) -> list[str]:
    wanted = list(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    if not wanted or not set(wanted) <= set(ALL.split(",")):
        raise WrongUsage(f"--parts {text!r}: give some of {ALL}.")
    return wanted


def _kept(args: argparse.Namespace, wanted: Sequence[str], folder: Path) -> Found:
    """What the parts found; who ends it is told where what is finished lies."""
    try:
        return _run(args, wanted, folder)
    except ChatmemError as error:
        if not args.out or not any(args.out.glob("*.jsonl")):
            raise
        raise type(error)(f"{error} {_where(args.out)}") from error
    except KeyboardInterrupt:
        print(f"\n{_where(args.out)}", file=sys.stderr)
        raise


def _where(out: Path | None) -> str:
    if out is None:
        return "Nothing is kept of it; give --out DIR, and the same command goes on where it was stopped."
    return f"What is finished is kept in {out}; run the same command again to go on."


def _run(args: argparse.Namespace, wanted: Sequence[str], folder: Path) -> Found:
    from . import parts

    found, model = parts.Found(), args.model or "embedded"
    sets = (
        [args.source()(name).some(args.questions) for name in dict.fromkeys(args.talks)]
        if "calibration" in wanted
        else []
    )
    if "pairs" in wanted:
        found.pairs = parts.pairs(args.pairs, model, folder, args.threads)
    if sets:
        found.calibration = parts.calibrated(sets, model, folder, args.threads)
    if "scripts" in wanted:
        found.scripts = parts.scripts(args.scripts, args.model, folder)
    return found


def _settings(args: argparse.Namespace, wanted: Sequence[str]) -> dict[str, Any]:
    given = {"pairs": args.pairs, "calibration": args.talks, "scripts": args.scripts}
    names = {"calibration": "talks"}
    told = {names.get(part, part): given[part] for part in wanted}
    limit = {"questions of each kind, at most": args.questions} if args.questions and "calibration" in wanted else {}
    return {"model": args.model or "embedded", **told, **limit, **code()}
