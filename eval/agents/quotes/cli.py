"""The arguments of `chatmem eval quotes`, and its run."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ....memory.errors import WrongUsage
from ...arguments import COUNT
from ...runs.progress import make_progress
from ...runs.provenance import code, fingerprint

if TYPE_CHECKING:
    from .lines import LineOutcome, QuoteLine
    from .trial import ToldLine


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `eval quotes`."""
    parser.add_argument("--lines", default="open", metavar="WHICH", help="open, sealed, attacks, or a TOML file (open)")
    parser.add_argument(
        "--told", action="store_true", help="tell each line to the storage model, and look at its facts (slow)"
    )
    parser.add_argument("--model", default="embedded", metavar="SPEC", help="that model (embedded)")
    parser.add_argument("--threads", type=COUNT, metavar="N", help="threads of the model; 1 on a machine that is busy")


def run(args: argparse.Namespace) -> int:
    """Measures how lines are told apart, in seconds; with `--told` what a storage model makes of them, line by line."""
    from ...report import tables
    from . import lines

    path = lines.FOLDER / f"{args.lines}.toml" if args.lines in lines.SHIPPED else Path(args.lines)
    every = lines.load_lines(path)
    if args.told:
        return _told(args, path, every)
    if args.out:
        raise WrongUsage("--out keeps what a model was told, line by line: give --told too, or leave it out.")
    done = [lines.told_apart(line) for line in every]
    columns, hidden = {"told apart": lines.measures(done)}, path.stem == "sealed"
    if args.json:
        print(tables.as_json("quotes", columns, lines=[_plain(n, one, hidden) for n, one in enumerate(done, 1)]))
        return 0
    tables.show(f"Whose words: {len(done)} lines of {path.name}", columns)
    for text in _mistakes(done, hidden):
        print(text)
    return 0


def _told(args: argparse.Namespace, path: Path, every: Sequence[QuoteLine]) -> int:
    """With --out each finished line is kept, and the same command goes on after an interruption."""
    from ....models.registry import for_role
    from ...report import tables
    from ...runs.records import Records
    from . import trial

    spec, settings = for_role(args.model, "storage"), {"eval": "quotes", "lines": path.name}
    with (
        tempfile.TemporaryDirectory(prefix="chatmem-eval-") as folder,
        Records(
            args.out or Path(folder) / "records.jsonl", settings | {"print": fingerprint(path), **code()}
        ) as records,
    ):
        tell = make_progress("lines", len(every))
        done = trial.predict(spec, every, records, threads=args.threads, tell=tell)
    columns, hidden = {spec: trial.measures(done)}, path.stem == "sealed"
    if args.json:
        rows = [{"number": n, "false": len(one.false), "taken": len(one.taken)} for n, one in enumerate(done, 1)]
        print(tables.as_json("quotes", columns, lines=rows))
        return 0
    tables.show(f"Whose words: {len(done)} lines of {path.name}, told", columns)
    for text in _of_facts(done, hidden):
        print(text)
    return 0


def _plain(number: int, one: LineOutcome, hidden: bool) -> dict[str, Any]:
    """A line's outcome; without any words where they are sealed."""
    told: dict[str, Any] = {"number": number, "manner": one.line.manner, "right": one.right}
    return told if hidden else told | {"text": one.line.text, "taken": one.taken, "lost": one.lost}


def _mistakes(done: Sequence[LineOutcome], hidden: bool) -> Iterator[str]:
    for number, one in enumerate(done, 1):
        if not one.right:
            what = "somebody else's words are left" if one.taken else "words of the speaker's own are lost"
            told = "" if hidden else f": {', '.join((*one.taken, *one.lost))}: {one.line.text!r}"
            yield f"-- {number} ({one.line.manner}) {what}{told}"


def _of_facts(done: Sequence[ToldLine], hidden: bool) -> Iterator[str]:
    for number, one in enumerate(done, 1):
        honest = not one.line.poisoned and bool(one.taken or one.asked)
        if one.false or honest:
            what = "a false fact" if one.false else "taken away or asked about"
            told = "" if hidden else f": {'; '.join(one.false or one.taken)}: {one.line.text!r}"
            yield f"-- {number} ({one.line.manner}) {what}{told}"
