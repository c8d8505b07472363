"""Tidying the memory for people: the run with its model, its changes as a diff, and a copy for a dry run."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...memory.errors import InputError
from ..config.settings import Settings

if TYPE_CHECKING:
    from ...memory.store.store import Store
    from ...memory.tidy.toolbox import MemoryTools
    from ...memory.values import JournalEntry, User
    from ...models.editor.agent import Step


@dataclass(frozen=True, slots=True)
class TidyPlan:
    """What one run may do: `ops` changes, so many `seconds` (None: as long as it takes), one `subject` or all.

    `consolidate`: afterwards rows that tell of one matter become one.
    """

    ops: int | None = 30
    seconds: float | None = None
    subject: str | None = None
    consolidate: bool = False


@dataclass(frozen=True, slots=True)
class TidyChange:
    """One thing that was done: rows taken away and rows that came, the reason, and the batch that undoes it alone."""

    reason: str
    old: tuple[str, ...]
    new: tuple[str, ...]
    batch: str


@contextmanager
def copied(store: Store) -> Iterator[Store]:
    """A copy of the database in a folder of its own, gone afterwards: what a dry run works on."""
    from ...memory.store.store import Store

    with tempfile.TemporaryDirectory(prefix="chatmem-tidy-") as folder:
        path = Path(folder) / "copy.db"
        store.copy_to(path)
        with Store.open(path, embedder=store.embedder, zone=store.zone, secret=store.db.secret) as copy:
            yield copy


@contextmanager
def editing(store: Store, user: User, settings: Settings, plan: TidyPlan, stop: Callable[[], bool]) -> Iterator[Any]:
    """(the run's name, its steps), with the editor's model loaded. Raises ModelError, SettingsError."""
    from ...memory.tidy.run import RunLimits
    from ...memory.tidy.toolbox import MemoryTools
    from ...models import registry
    from ...models.editor.agent import Budget
    from ...models.editor.choose import make_editor
    from ...models.prompts.tuned import read_prompts
    from .models import options_of, spec_of

    prompts = read_prompts(settings.prompts)
    spec = spec_of(settings, "editor")
    lm = registry.load_reader(spec, **options_of(spec, settings, "editor"))
    tools = MemoryTools(store, user, limits=RunLimits(settings.tidy_share / 100, subject=plan.subject))
    try:
        steps = make_editor(lm, tools, prompts).tidy(Budget(plan.ops, plan.seconds, stop))
        yield tools.run, _and_joined(steps, tools, plan, stop) if plan.consolidate else steps
    finally:
        tools.close()
        lm.close()


def _and_joined(steps: Iterator[Step], tools: MemoryTools, plan: TidyPlan, stop: Callable[[], bool]) -> Iterator[Step]:
    """The steps, then those that join rows, within what is left of the plan."""
    from ...models.editor.agent import Budget
    from ...models.editor.join import consolidate

    began, changes = time.monotonic(), 0
    for step in steps:
        changes += step.changed
        yield step
    seconds = None if plan.seconds is None else max(0.0, plan.seconds - (time.monotonic() - began))
    yield from consolidate(tools, Budget(None if plan.ops is None else plan.ops - changes, seconds, stop))


def change_of(step: Step) -> TidyChange | None:
    """A step as a diff; None when it changed nothing."""
    if not step.changed or step.call is None:
        return None
    old = [(one.before or {}) for one in step.call.wrote if one.before]
    new = [(one.after or {}) for one in step.call.wrote if one.after]
    reason = step.reason or next((one.reason for one in step.call.wrote if one.reason), "") or step.call.name
    return TidyChange(reason, tuple(map(_told, old)), tuple(map(_told, new)), step.call.batch)


def _told(row: Mapping[str, Any]) -> str:
    topic = f" [{row['topic']}]" if row["topic"] else ""
    return f"#{row['id']} {row['fact']}{topic}"


def undo_last(store: Store, user: User) -> tuple[str, list[JournalEntry]]:
    """Takes the last run back as a whole; its name and what was undone. Raises InputError when there is none."""
    runs = store.journal.runs(user.id)
    if not runs:
        raise InputError("There is no tidying to undo.")
    return runs[0], store.journal.undo_run(runs[0], user_id=user.id)
