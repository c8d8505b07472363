"""`chatmem tidy`: the editor merges, mends and drops, shows what it did, and all of it can be undone at once."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...eval.arguments import ABOVE_ZERO, NUMBER, TEXT
from ...memory.errors import InputError, WrongUsage
from ..context import Context, put, put_json, say

if TYPE_CHECKING:
    from ...memory.store.store import Store
    from ...models.editor.agent import Step
    from ..chat.tidying import TidyChange, TidyPlan


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dry-run", action="store_true", help="work on a copy: show what would change, change nothing")
    parser.add_argument(
        "--ops", type=NUMBER, default=30, metavar="N", help="most changes of this run (30); 0: no limit"
    )
    parser.add_argument("--minutes", type=ABOVE_ZERO, metavar="N", help="end after so many minutes")
    parser.add_argument("--subject", type=TEXT, metavar="NAME", help="only what is remembered about NAME")
    parser.add_argument(
        "--consolidate", action="store_true", help="also join rows that tell of one matter, said in neighbouring lines"
    )
    parser.add_argument("--undo", action="store_true", help="take the last run back, all of it")
    parser.add_argument("--json", action="store_true", help="as JSON")
    parser.set_defaults(act=_tidy)


def _tidy(args: argparse.Namespace, context: Context) -> int:
    if args.undo:
        if args.dry_run or args.consolidate or args.subject:
            raise WrongUsage("--undo takes the whole last run back: it goes with no other option of tidying.")
        return _undo(args, context)
    plan = _plan(args)
    from ..chat.tidying import copied, editing

    with context.open_store(search=True, there=True) as store:
        user = context.require_user(store)
        if plan.subject is not None and plan.subject not in store.facts.subjects(user.id):
            raise InputError(f"Nothing is remembered about {plan.subject}; `chatmem memory list` shows the subjects.")
        plan = _compared(store, plan)
        say("loading the editor ...")
        with copied(store) if args.dry_run else nullcontext(store) as target:
            before = target.stats(user.id)["memories"]
            with editing(target, target.users.by_id(user.id), context.settings, plan, lambda: False) as (run, steps):
                changes, stopped = _followed(steps, not args.json)
            changed = bool(changes) and not args.dry_run
            if stopped:
                say("Stopped; what is shown above was done." if changed else "Stopped; nothing was changed.")
            after = target.stats(user.id)["memories"]
    if args.json:
        told = {"run": run, "dry_run": args.dry_run, "before": before, "after": after, "stopped": stopped}
        put_json(told | {"changes": changes})
    elif changed or not stopped:
        _sum_up(len(changes), before, after, args.dry_run)
    return 130 if stopped else 0


def _plan(args: argparse.Namespace) -> TidyPlan:
    from ..chat.tidying import TidyPlan

    return TidyPlan(
        args.ops or None, None if args.minutes is None else args.minutes * 60, args.subject, args.consolidate
    )


def _compared(store: Store, plan: TidyPlan) -> TidyPlan:
    """The plan with the time that it has left once every row has its vector, by which near ones are found: after an
    import that takes minutes. Raises InputError where its time is over before, ModelError."""
    from ...eval.runs.progress import make_progress
    from ...models.embedder.choose import ready

    began = time.monotonic()
    over = began + (sys.maxsize if plan.seconds is None else plan.seconds)
    if total := ready(store.reembedding.waiting):
        say("making the vectors by which rows are compared ...")
        tell = make_progress("vectors", total)
        left = store.reembedding.run(lambda done, _: tell(done), lambda: time.monotonic() > over, alone=True)
        _clear()
        if left and time.monotonic() > over:
            raise InputError(
                f"The time was over before all vectors were made; {left:,} are left. What was made is kept: "
                "tidy again, with more --minutes."
            )
    left_seconds = None if plan.seconds is None else max(0.0, over - time.monotonic())
    return replace(plan, seconds=left_seconds)


def _followed(steps: Iterator[Step], shown: bool) -> tuple[list[TidyChange], bool]:
    """Shows the changes as they come; Ctrl+C ends the run, and what was done stays (each change is whole)."""
    from ..chat.tidying import change_of

    changes: list[TidyChange] = []
    try:
        for step in steps:
            change = change_of(step)
            if change is not None:
                changes.append(change)
                if shown:
                    _clear()
                    _show(change)
            _progress(step.done, step.of, len(changes))
    except KeyboardInterrupt:
        _clear()
        return changes, True
    _clear()
    return changes, False


def _show(change: TidyChange) -> None:
    put(f"~ {change.reason}")
    for sign, rows in (("-", change.old), ("+", change.new)):
        for row in rows:
            put(f"  {sign} {row}")


def _progress(done: int, of: int, changes: int) -> None:
    if sys.stderr is not None and sys.stderr.isatty():
        print(f"\r{done} of {of} looked at, {changes} changes ", end="", file=sys.stderr, flush=True)
    elif sys.stderr is not None and done % 100 == 0:
        say(f"{done} of {of} looked at, {changes} changes")


def _clear() -> None:
    if sys.stderr is not None and sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr, flush=True)


def _sum_up(changes: int, before: int, after: int, dry: bool) -> None:
    from ..shown.hints import counted

    told, kept = counted(changes, "change"), counted(after, "memory", "memories")
    if not changes:
        say("Nothing to tidy.")
    elif dry:
        say(f"{told} would make {kept} of {before}; nothing was changed.")
    else:
        were = f"{counted(before, 'memory', 'memories')} {'is' if before == 1 else 'are'}"
        say(f"{told}; {were} {after} now. `chatmem tidy --undo` takes all of it back.")


def _undo(args: argparse.Namespace, context: Context) -> int:
    from ..chat.tidying import undo_last
    from ..shown.hints import counted
    from ..shown.render import chips

    with context.open_store(search=True, there=True) as store:
        user = context.require_user(store)
        run, entries = undo_last(store, user)
    if args.json:
        told: dict[str, Any] = {"run": run, "undone": entries}
        put_json(told)
        return 0
    for line in chips(entries):
        put(line)
    say(f"Took back {counted(len(entries), 'write')}; the memory is as it was before that run.")
    return 0
