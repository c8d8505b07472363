"""`chatmem eval report RECORD...`: from records to Markdown, JSON and charts, and to an experiment tracker."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...memory.errors import InputError
from ..arguments import PLACE
from ..measures.intervals import Estimate
from ..runs.records import read_rows
from . import tables, trackers

Table = Mapping[str, Mapping[str, Estimate]]
TITLES = {"msc": "MSC-Self-Instruct (DMR)", "locomo": "LoCoMo", "longmemeval": "LongMemEval", "beam": "BEAM"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `eval report`."""
    parser.add_argument("records", nargs="+", type=PLACE, metavar="RECORD", help="written with --out by an evaluation")
    parser.add_argument("--to", type=PLACE, metavar="DIR", help="the folder of the files (beside each record)")
    parser.add_argument("--no-charts", action="store_true", help="Markdown and JSON alone; needs no matplotlib")
    parser.add_argument(
        "--report-to", choices=trackers.NAMES, metavar="NAME", help=f"also: {', '.join(trackers.NAMES)}"
    )
    parser.add_argument("--json", action="store_true", help="the reports on stdout too, one JSON object a line")


def run(args: argparse.Namespace) -> int:
    """Writes the files of each record and tells their names. A record that can't be read ends it, with those before
    it written. Raises InputError, SettingsError."""
    stems = [path.stem for path in args.records]
    if len(set(stems)) < len(stems):
        raise InputError("Two records have the same name; rename one, since the reports are named after them.")
    for path in args.records:
        made, content = make(path, args.to or path.parent, charts=not args.no_charts)
        if args.report_to:
            trackers.send(args.report_to, path.stem, content["models"], made, _settings(path))
        if args.json:
            print(json.dumps(content, ensure_ascii=False))
        else:
            print("\n".join(str(one) for one in made))
    return 0


def make(path: Path, folder: Path, *, charts: bool = True) -> tuple[list[Path], dict[str, Any]]:
    """The files of one record (Markdown, JSON, charts), and the JSON's content. Raises InputError, SettingsError."""
    from ..measures import scores

    rows = read_rows(path)
    settings = _settings(path)
    what = str(rows[0].get("eval", "evaluation"))
    table = scores.columns(rows)
    title = f"{TITLES.get(what, what)}: {path.stem}"
    content = json.loads(tables.as_json(what, table, title=title, rows=len(rows), settings=settings))
    told, data = folder / f"{path.stem}.md", folder / f"{path.stem}.json"
    _must_be_reports(told, title, data)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        pictures = []
        if charts:
            from .charts import draw

            pictures = draw(rows, folder, path.stem)
        told.write_text(markdown(title, len(rows), settings, table, pictures), encoding="utf-8")
        data.write_text(json.dumps(content, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(f"{folder} can't be written ({error.strerror}); name another --to.") from error
    return [told, data, *pictures], content


def _must_be_reports(told: Path, title: str, data: Path) -> None:
    """Raises InputError where what the report would be written over is no report of an earlier time."""
    try:
        if told.exists() and not told.read_text(encoding="utf-8").startswith(f"# {title}\n"):
            raise InputError(f"{told} is no report, and is left as it is; name another --to.")
        found = json.loads(data.read_text(encoding="utf-8")) if data.exists() else {"title": title}
    except (OSError, ValueError):
        found = None
    if not isinstance(found, dict) or found.get("title") != title:
        raise InputError(f"{data} is no report, and is left as it is; name another --to.")


def _settings(path: Path) -> dict[str, Any]:
    """Those in the record's first line."""
    with path.open(encoding="utf-8") as file:
        first = json.loads(file.readline())
    settings = first.get("settings", {}) if isinstance(first, dict) else {}
    return settings if isinstance(settings, dict) else {}


def markdown(title: str, rows: int, settings: Mapping[str, Any], table: Table, pictures: Sequence[Path]) -> str:
    """The report for people: settings, one row a measure with a column a system, and the charts."""
    lines = [f"# {title}", "", f"{rows} rows; [ ]: 95% interval, n: cases.", ""]
    lines += [f"- {name}: {plain(value)}" for name, value in settings.items() if value not in (None, "", [], {})]
    lines += ["", *table_lines(table), "", *(f"![{picture.stem}]({picture.name})\n" for picture in pictures)]
    return "\n".join(lines).rstrip() + "\n"


def table_lines(table: Table) -> list[str]:
    """A row a measure with a column a system."""
    lines = ["| measure | " + " | ".join(plain(name) for name in table) + " |", "|---|" + "---|" * len(table)]
    for measure in dict.fromkeys(measure for column in table.values() for measure in column):
        cells = [cell(column.get(measure)) for column in table.values()]
        lines.append(f"| {plain(measure)} | " + " | ".join(cells) + " |")
    return lines


def plain(value: object) -> str:
    """Text that can't break a table or end up as markup."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return re.sub(r"([|<>`*_\[\]])", r"\\\1", " ".join(text.split()))


def cell(estimate: Estimate | None) -> str:
    """An estimate with its interval and n."""
    if estimate is None or estimate.value != estimate.value:  # NaN: measured on no case
        return "-"
    digits = 1 if abs(estimate.value) > 10 else 3
    low, high = (f"{bound:.{digits}f}" for bound in (estimate.low, estimate.high))
    return f"{estimate.value:.{digits}f} [{low}, {high}] n={estimate.n}"
