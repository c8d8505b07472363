"""Before and after: the same held-back lines by the base, by the adapter a run started from, and by its result.

The lines are this project's own (the templates' held-back kinds), since a data set's text has no place in a model card.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..policy.sampling import Task
from .held_out import Held

LONGEST = 96
"""Tokens of an example: an untrained base runs on to every limit."""
Example = tuple[str, dict[str, str]]
"""What was said or asked, and by whom what was written for it; "right" is the target."""


def examples(
    rows: Sequence[dict[str, Any]], base: str, task: Task, adapters: Mapping[str, Path | None], count: int = 3,
    threads: int | None = None,
) -> list[Example]:  # fmt: skip
    """The first rows that the task accepts. `adapters`: a column's name and its PEFT folder (None: the bare base)."""
    rows = [row for row in rows if task.accepts(row)][:count]
    held = Held(base, task, rows, threads)
    written = {name: held.write(folder, LONGEST) for name, folder in adapters.items()} if rows else {}
    return [
        (_asked(row), {**{name: texts[place] for name, texts in written.items()}, "right": row["completion"]})
        for place, row in enumerate(rows)
    ]


def _asked(row: dict[str, Any]) -> str:
    return str(row["messages"][-1][1]).split("\n")[-1]


def as_markdown(found: Sequence[Example]) -> str:
    """The card's section; empty without examples."""
    if not found:
        return ""
    parts = ["## Before and after", "", "Held-back lines of our own templates, greedy.", ""]
    for asked, written in found:
        parts += [f"**{asked}**", "", *(f"- {name}: `{_short(text)}`" for name, text in written.items()), ""]
    return "\n".join(parts)


def _short(text: str, most: int = 300) -> str:
    line = " ".join(text.split()).replace("`", "'") or "(nothing)"
    return line if len(line) <= most else line[:most] + " ..."
