"""The rows that prompts are tuned on: to search with, to choose by, and to report on, no conversation in two of them.

They are the training rows of the agent, from ready files, data sets, our templates, or a person's own corrections.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ....eval.runs.records import read_record
from ....memory.errors import InputError
from ...material.split import at_most
from ...policy.rows import Rows, read_rows, write_rows
from ...policy.sampling import Task
from .forms import FORMS, agent_of

RECORD = "calls.jsonl"
"""Of a run: all that models said in it."""
LEAST = 6
"""Rows of each kind without which nothing can be said."""
LEAST_OWN = 20
"""Corrections that tuning to a person's own takes: enough for each kind."""
WORDS = 400
"""Rows with a longer prompt are left out: they cost most and teach no more."""


@dataclass(frozen=True, slots=True)
class Parts:
    """Rows to search with, to choose by, and to report on."""

    search: Rows
    choose: Rows
    report: Rows

    @property
    def all(self) -> Rows:
        return [*self.search, *self.choose, *self.report]

    def digest(self) -> str:
        """What tells these rows from others."""
        told = json.dumps([[row["messages"], row["completion"]] for row in self.all], ensure_ascii=False)
        return hashlib.sha256(told.encode()).hexdigest()[:16]


def parts(
    args: argparse.Namespace, task: Task, train: Sequence[dict[str, Any]], held: Sequence[dict[str, Any]]
) -> Parts:  # fmt: skip
    """`--examples` rows of `train` to search with; of the held-back ones `--choose` and `--report`.

    Raises InputError when there are too few.
    """
    rng = random.Random(f"optimize {args.seed}")
    left = _drawn([row for row in held if _fits(task, row)], args.choose + args.report, rng)
    asked = {row["messages"][-1][1] for row in left}
    fit = [row for row in train if _fits(task, row) and row["messages"][-1][1] not in asked]
    search = _drawn(fit, args.examples, rng)
    cut = round(len(left) * args.choose / (args.choose + args.report))
    cut = max(min(LEAST, len(left) // 2), min(cut, len(left) - LEAST))  # of few rows neither kind takes all
    choose, report = left[:cut], left[cut:]
    if min(len(search), len(choose), len(report)) < LEAST:
        raise InputError(
            f"There are {len(search)} rows to search with, {len(choose)} to choose by and {len(report)} to report on, "
            f"and each takes {LEAST}: give more data (--rows, --msc, --dmr, --talks)."
        )
    return Parts(search, choose, report)


def _fits(task: Task, row: Mapping[str, Any]) -> bool:
    return task.accepts(dict(row)) and sum(len(said.split()) for _, said in row["messages"]) <= WORDS


def _drawn(rows: Sequence[dict[str, Any]], count: int, rng: random.Random) -> Rows:
    """So many rows of different prompts."""
    apart = list({row["messages"][-1][1]: row for row in rows}.values())
    rng.shuffle(apart)
    return apart[:count]


def check_run(run: Path, agent: str) -> None:
    """Raises InputError for a folder that keeps the run, or the rows, of another agent."""
    other = _agent_of(run)
    if other not in (None, agent):
        raise InputError(
            f"{run} holds a run of the {other} agent, whose rows aren't the {agent} agent's: name another --run, or "
            f"leave it out (runs/prompts-{agent})."
        )


def _agent_of(run: Path) -> str | None:
    """Whose run a folder keeps: by the settings of its record, else by its rows; None: nobody's that is known."""
    if (record := run / RECORD).is_file():
        settings = [row["settings"] for row in read_record(record)[:1] if isinstance(row.get("settings"), dict)]
        if settings and settings[0].get("agent") in FORMS:
            return str(settings[0]["agent"])
    kept = [run / name for name in ("train.jsonl", "valid.jsonl")]
    rows = [row for path in kept if path.is_file() for row in read_rows(path)[:1]]
    return next(iter(map(agent_of, rows)), None)


def built(args: argparse.Namespace) -> tuple[Rows, Rows]:
    """(train, held back) of the arguments: made once, and kept beside the run for when it goes on."""
    train, held = args.out / "train.jsonl", args.out / "valid.jsonl"
    if not held.is_file():
        args.out.mkdir(parents=True, exist_ok=True)
        rows = _given(args) if args.rows else _made(args)
        write_rows(train, rows[0])
        write_rows(held, rows[1])
    return read_rows(train), read_rows(held)


def _made(args: argparse.Namespace) -> tuple[Rows, Rows]:
    if args.agent == "answer" and not (args.dmr or args.msc or args.locomo):
        return _asked(args)
    if args.agent == "storage" and not (args.msc or args.locomo):
        return _told(args)
    recipe = importlib.import_module(f"...{args.agent}.recipe", __package__)
    with TemporaryDirectory() as scratch:
        found: tuple[Rows, Rows] = recipe.build(args, Path(scratch))
    return found


def _asked(args: argparse.Namespace) -> tuple[Rows, Rows]:
    """Questions over our own talks' facts: what `train answer` adds (thousands recalled by search) would cost minutes
    and all but a few rows of it be left out."""
    from ...answer.talks import template_rows

    return list(template_rows(args.seed, args.talks)), list(template_rows(args.seed + 1, args.talks, "valid"))


def _told(args: argparse.Namespace) -> tuple[Rows, Rows]:
    """Lines of our talks and first weeks; what is held back is by other writers, as much of each source. Not what
    `train storage` has: thousands of rows, and few held back."""
    from ...storage.template_rows import short_rows, template_rows, week_rows

    train = [list(template_rows(args.seed, args.talks))]
    held = [list(template_rows(args.seed + 1, args.talks, "valid"))]
    train.append(week_rows(args.seed, most=len(train[0])))
    held += [rows(args.seed, "valid", most=len(held[0])) for rows in (short_rows, week_rows)]
    return _evenly(train, args.seed), _evenly(held, args.seed)


def _evenly(sources: Sequence[Rows], seed: int) -> Rows:
    """As many rows of each source as the smallest has."""
    least = min(map(len, sources))
    return [row for rows in sources for row in at_most(rows, least, seed)]


def _given(args: argparse.Namespace) -> tuple[Rows, Rows]:
    """`--rows`, with `--valid-rows` or the last third of them, for they may lie in the order of their talks."""
    rows = read_rows(args.rows)
    if args.valid_rows:
        return rows, read_rows(args.valid_rows)
    cut = len(rows) - len(rows) // 3
    return rows[:cut], rows[cut:]


def corrected(args: argparse.Namespace) -> tuple[Rows, Rows]:
    """(train, held back) of a person's own corrections, with lines that needed none: what is right stays right."""
    from ...storage.personal import case_row, open_and_find, tell

    found = open_and_find(args.database, args.person, args.embedder, args.secret)
    tell(found)
    if len(found.cases) < LEAST_OWN:
        raise InputError(
            f"The journal holds {len(found.cases)} corrections, and tuning a prompt to them takes {LEAST_OWN}: edit, "
            "undo or /remember where the memory is wrong, and come again."
        )
    cases = [*found.cases, *found.fine[: len(found.cases)]]
    random.Random(f"own {args.seed}").shuffle(cases)
    made = [case_row(case) for case in cases]
    cut = len(made) // 3
    return made[:cut], made[cut:]


def task_of(args: argparse.Namespace) -> Task:
    """What the agent's replies are scored by. Raises InputError when the rows lack what that takes."""
    recipe = importlib.import_module(f"...{args.agent}.recipe", __package__)
    task: Task | None = recipe.PARTS.task(args, args.out)
    if task is None:
        raise InputError(f"The {args.agent} agent's rows need the memories beside them; leave --rows out.")
    return task
