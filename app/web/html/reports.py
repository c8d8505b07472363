"""Reports of past evaluations: files that `chatmem eval storage --json` printed, or Markdown, in one folder."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

from ....memory.errors import InputError
from .rendering import render

HINT = "reports/storage.json"
ENDINGS = (".json", ".md")
LARGEST = 2_000_000
SHOWN = 200
_PICTURE = re.compile(r"!\[([^\]]*)\]\(([\w.-]+\.png)\)")


def names(folder: Path) -> list[str]:
    """The reports of the folder, newest first."""
    if not folder.is_dir():
        return []
    found = [path for path in folder.iterdir() if path.suffix in ENDINGS and path.is_file()]
    return [path.name for path in sorted(found, key=lambda path: -path.stat().st_mtime)][:SHOWN]


def read(folder: Path, name: str) -> tuple[Literal["html", "markdown"], str]:
    """A report as HTML (a chart) or Markdown. Raises InputError for one that is none of the folder's."""
    if name not in names(folder):
        raise InputError("That report is not there any more; open the tab anew.")
    path = folder / name
    if path.stat().st_size > LARGEST:
        raise InputError(f"{name} is too large for this page; read it with another program.")
    content = path.read_text(encoding="utf-8", errors="replace")
    if path.suffix == ".md":
        return "markdown", _PICTURE.sub(lambda found: _inlined(folder, found), content)
    try:
        return "html", chart(json.loads(content))
    except (ValueError, TypeError, KeyError, AttributeError):
        return "markdown", f"```json\n{content.replace('```', '')}\n```"


def _inlined(folder: Path, found: re.Match[str]) -> str:
    """A chart of the report's own folder, put into the page itself: the page can't ask for files of the server."""
    picture = folder / found[2]
    if not picture.is_file() or picture.stat().st_size > LARGEST:
        return f"({found[1]}: {found[2]} is not there, or too large)"
    return f"![{found[1]}](data:image/png;base64,{base64.b64encode(picture.read_bytes()).decode('ascii')})"


def chart(report: Mapping[str, Any]) -> str:
    """One block a measure, one bar a model, with its 95% interval and n."""
    models: Mapping[str, Mapping[str, Mapping[str, Any]]] = report["models"]
    told = [(key, value) for key, value in report.items() if key != "models" and not isinstance(value, (dict, list))]
    measures = dict.fromkeys(name for table in models.values() for name in table)
    blocks = [(name, _bars({model: table.get(name) for model, table in models.items()})) for name in measures]
    return render("tabs", "chart", told=told, measures=[(name, bars) for name, bars in blocks if bars])


class Bar(NamedTuple):
    """A model's value: where its bar ends, where its interval begins and how wide that is, in percent of the most."""

    model: str
    at: float
    left: float
    width: float
    told: str


def _bars(columns: Mapping[str, Mapping[str, Any] | None]) -> list[Bar]:
    known = {model: one for model, one in columns.items() if one and one.get("value") is not None}
    most = max([1.0, *(float(one.get("high") or one["value"]) for one in known.values())])
    return [_bar(model, one, most) for model, one in known.items()]


def _bar(model: str, one: Mapping[str, Any], most: float) -> Bar:
    value = float(one["value"])
    low, high = (value if one.get(key) is None else float(one[key]) for key in ("low", "high"))
    at, left, right = (max(0.0, min(100.0, 100 * number / most)) for number in (value, low, high))
    digits = 1 if most > 10 else 3
    told = f"{value:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}] n={int(one.get('n') or 0)}"
    return Bar(model, at, left, max(0.5, right - left), told)
