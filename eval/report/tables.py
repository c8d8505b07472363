"""Tables of estimates: for people with rich, for programs as JSON, and the single predictions as JSON lines."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Any

from ..measures.intervals import Estimate

WIDE = 240
Table = Mapping[str, Estimate]


def show(title: str, columns: Mapping[str, Table]) -> None:
    """One row a measure, one column a model, with interval and n."""
    from rich.console import Console
    from rich.table import Table as RichTable

    table = RichTable(title=title, title_justify="left", caption="[ ]: 95% interval", caption_justify="left")
    table.add_column("measure")
    for name in columns:
        table.add_column(name, justify="right")
        table.add_column("n", justify="right", style="dim")
    for measure in dict.fromkeys(measure for column in columns.values() for measure in column):
        cells = [cell for column in columns.values() for cell in _cells(column.get(measure))]
        table.add_row(measure, *cells)
    console = Console(soft_wrap=True)
    if not console.is_terminal:
        console = Console(width=WIDE)  # in a pipe nothing is cut or wrapped
    console.print(table)


def put(what: str, title: str, columns: Mapping[str, Table], as_data: bool) -> None:
    """The table on stdout: as JSON for programs, else drawn for people."""
    if as_data:
        print(as_json(what, columns))
    else:
        show(title, columns)


def _cells(estimate: Estimate | None) -> tuple[str, str]:
    if estimate is None:
        return "", ""
    if math.isnan(estimate.value):
        return "-", "0"
    digits = 1 if estimate.value > 10 else 3
    low, high = (f"{bound:.{digits}f}" for bound in (estimate.low, estimate.high))
    return f"{estimate.value:.{digits}f} [{low}, {high}]", str(estimate.n)


def as_json(what: str, columns: Mapping[str, Table], **more: Any) -> str:
    """The same as JSON: {"eval": what, "models": {model: {measure: {"value", "low", "high", "n"}}}, ...}."""
    models = {name: {measure: _plain(e) for measure, e in table.items()} for name, table in columns.items()}
    return json.dumps({"eval": what, **more, "models": models}, ensure_ascii=False, indent=2)


def _plain(estimate: Estimate) -> dict[str, Any]:
    values = asdict(estimate)
    return {key: None if isinstance(value, float) and math.isnan(value) else value for key, value in values.items()}


def write_records(path: Path, records: Sequence[Any]) -> None:
    """Predictions as JSON lines, so that they can be read, judged or compared later."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [
        json.dumps(asdict(r) if is_dataclass(r) and not isinstance(r, type) else r, ensure_ascii=False) for r in records
    ]
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
