"""Before and after: the same held-back lines by the base, by the adapter a run started from, and by its result.

The lines are this project's own (the templates' held-back kinds), since a data set's text has no place in a model card.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .measure import Held
from .sampling import Task

LONGEST = 96
"""Tokens of an example: an untrained base runs on to every limit."""
Example = tuple[str, dict[str, str]]
"""What was said or asked, and by whom what was written for it; "right" is the target."""


def examples(
    agent: str, base: str, task: Task, adapters: dict[str, Path | None], valid: Sequence[dict[str, Any]],
    count: int = 3, threads: int | None = None,
) -> list[Example]:  # fmt: skip
    """`adapters`: a name for each column and its PEFT folder (None: the bare base)."""
    rows = [row for row in _rows(agent, valid) if task.accepts(row)][:count]
    held = Held(base, task, rows, threads)
    written = {name: held.write(folder, LONGEST) for name, folder in adapters.items()} if rows else {}
    return [
        (_asked(row), {**{name: texts[place] for name, texts in written.items()}, "right": row["completion"]})
        for place, row in enumerate(rows)
    ]


def _rows(agent: str, valid: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    if agent == "storage":
        from .storage_talks import template_rows

        return list(itertools.islice(template_rows(5, 4, "valid"), 3, None, 4))
    if agent == "answer":
        from .answer_talks import template_rows as answers

        return list(itertools.islice(answers(5, 4, "valid"), 0, None, 3))
    return [row for row in valid if str(row.get("case", {}).get("user", "")).startswith("talk")]


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
