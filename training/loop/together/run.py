"""Every agent within so many minutes: supervised on all data, then by reward, then measured; what is better is kept.

What is done stands in OUT/state.json, so the same command goes on where another one was broken off. A stage that fails
is told and passed over: the minutes that are left belong to the others.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ....memory.errors import ChatmemError, InputError
from . import stages, told
from .options import settle
from .rehearsal import cut
from .stages import BY_REWARD, MEASURED, SUPERVISED, Stage

STATE = "state.json"
OFFLINE = "HF_HUB_OFFLINE"
OWN = (*stages.REWARDED, "data", "best", "report.md", f"{STATE}.new", STATE)
"""What a run writes into its folder."""
FAILURES = (ChatmemError, RuntimeError, OSError, ValueError)
"""What ends a stage and no other: torch says RuntimeError when a card's memory is full."""


@dataclass(frozen=True, slots=True)
class Trainers:
    """The single agents' trainers: arguments from words, a run from arguments, an agent's `AgentParts`."""

    parse: Callable[[Sequence[str]], argparse.Namespace]
    train: Callable[[argparse.Namespace], int]
    parts: Callable[[str], Any]


def run(args: argparse.Namespace, trainers: Trainers) -> int:
    """Trains, measures and keeps. Raises InputError; a person's interruption saves and goes on its way."""
    settle(args)
    plan = stages.stages_of(args)
    if args.plan:
        print(told.plan(args, plan))
        return 0
    _must_be_ours(Path(args.out))
    if args.fresh:
        _begin_anew(Path(args.out))
    whole = _All(args, trainers)
    if args.rehearse:
        cut(args)
    with _nobody_asked() if args.base == "embedded" else nullcontext():
        return whole.through(plan)


def _must_be_ours(out: Path) -> None:
    """Raises InputError for a folder where somebody else's things lie under the names of the run's own."""
    if out.exists() and not out.is_dir():
        raise InputError(f"{out} is a file; name a folder with --out.")
    there = [name for name in OWN if (out / name).exists() and name != f"{STATE}.new"]
    if there and not ((out / STATE).is_file() and _is_state(out / STATE)):
        told = f"{out} holds {there[0]}, but no run of `chatmem train all`, and is left as it is"
        raise InputError(f"{told}; name another --out.")


def _is_state(path: Path) -> bool:
    try:
        found = json.loads(path.read_bytes())
    except ValueError:
        return True  # a power cut may have broken it
    names = {f"{agent} {kind}" for agent in stages.REWARDED for kind in stages.SHARES}
    return isinstance(found, dict) and found.keys() <= names


def _begin_anew(out: Path) -> None:
    """Removes the run's own from the folder; what else lies there stays. Its state goes last: by it the folder is known
    for a run's, whenever this is broken off."""
    for name in OWN:
        place = out / name
        if place.is_dir() and not place.is_symlink():
            shutil.rmtree(place, ignore_errors=True)
        else:
            place.unlink(missing_ok=True)


@contextmanager
def _nobody_asked() -> Iterator[None]:
    """With the embedded base nothing is missing, so no hub is asked; afterwards the process may ask again."""
    before = os.environ.get(OFFLINE)
    os.environ.setdefault(OFFLINE, "1")
    try:
        yield
    finally:
        if before is None:
            del os.environ[OFFLINE]


class _All:
    def __init__(self, args: argparse.Namespace, trainers: Trainers) -> None:
        self.args, self.trainers, self.out = args, trainers, Path(args.out)
        self.began = time.monotonic()
        self.out.mkdir(parents=True, exist_ok=True)
        self.state: dict[str, dict[str, Any]] = _read(self.out / STATE)
        self._write()  # by it the folder is known for a run's, whenever it is killed

    def through(self, plan: Sequence[Stage]) -> int:
        """All stages that aren't done yet."""
        left = [stage for stage in plan if not self.state.get(stage.name, {}).get("done")]
        try:
            while left:
                if self._used() < self.args.minutes or (left[0].kind == MEASURED and self._trained(left[0].agent)):
                    self.one(left[0], left)
                else:
                    print(f"no minutes are left for {left[0].name}; the same command goes on there.", file=sys.stderr)
                left = left[1:]
        except KeyboardInterrupt:
            print(f"stopped in {left[0].name}; the same command goes on from there.", file=sys.stderr)
            raise
        (self.out / "report.md").write_text(told.report(self.state), encoding="utf-8")
        print(told.report(self.state))
        return 0 if any(self.state.get(stage.name, {}).get("done") for stage in plan) else 1

    def one(self, stage: Stage, left: list[Stage]) -> None:
        """A stage: told with its minutes, done, and kept in the state with what it took."""
        minutes = stages.minutes_of(stage, left, max(0.05 * len(left), self.args.minutes - self._used()))
        print(f"\n{stage.name}: {minutes:.1f} of {self.args.minutes:g} minutes", file=sys.stderr, flush=True)
        began, found = time.monotonic(), dict[str, Any]()
        try:
            found = self._measure(stage.agent, minutes) if stage.kind == MEASURED else self._train(stage, minutes)
            found["done"] = True
        except FAILURES as error:
            found = {"failed": " ".join(str(error).split()) or type(error).__name__}
            print(f"{stage.name} is passed over: {error}", file=sys.stderr)
        taken = time.monotonic() - began
        self._keep(stage, found | {"minutes": round(taken / 60, 2), "planned": round(minutes, 2)})
        print(f"{stage.name}: took {taken / 60:.1f} minutes", file=sys.stderr, flush=True)
        _let_go()

    def _used(self) -> float:
        return (time.monotonic() - self.began) / 60

    def _keep(self, stage: Stage, found: dict[str, Any]) -> None:
        self.state[stage.name] = found
        self._write()

    def _write(self) -> None:
        beside = self.out / f"{STATE}.new"
        try:
            beside.write_text(json.dumps(self.state, indent=1), encoding="utf-8")
            beside.replace(self.out / STATE)
        except OSError as error:
            raise InputError(
                f"{self.out / STATE} can't be written ({error.strerror}); make room, then go on."
            ) from error

    def _train(self, stage: Stage, minutes: float) -> dict[str, Any]:
        words = self._words(stage, minutes)
        self.trainers.train(self.trainers.parse(words))
        return {"words": words}

    def _words(self, stage: Stage, minutes: float) -> list[str]:
        if stage.kind == SUPERVISED:
            return stages.supervised(self.args, stage.agent, minutes, self._start(stage.agent) or "none")
        if self._adapter(stage.agent, SUPERVISED) is None:
            raise InputError("there is no supervised adapter to go on from.")
        return stages.by_reward(self.args, stage.agent, minutes)

    def _start(self, agent: str) -> str | None:
        """The adapter that is there already, on whose shoulders the new ones stand."""
        from ...fit import bundled

        return bundled(agent) if self.args.base == "embedded" else None

    def _adapter(self, agent: str, kind: str) -> Path | None:
        place = stages.folder(self.args, agent, kind) / "final"
        return place if place.is_dir() and self.state.get(f"{agent} {kind}", {}).get("done") else None

    def _trained(self, agent: str) -> dict[str, Path]:
        return {kind: place for kind in (SUPERVISED, BY_REWARD) if (place := self._adapter(agent, kind))}

    def _measure(self, agent: str, minutes: float) -> dict[str, Any]:
        """Measures all adapters on held-back rows that chose no checkpoint, and copies the best one to OUT/best."""
        from ...fit import check, starting_of
        from ...policy.rows import read_rows
        from .verdict import judged

        start = self._start(agent)
        first = "what ships" if start else "the base"
        columns: dict[str, Path | None] = {first: starting_of(start) if start else None}
        columns |= self._trained(agent)
        if len(columns) < 2:
            raise InputError("nothing was trained, so there is nothing to measure.")
        rows_of = stages.folder(self.args, agent, SUPERVISED)
        how = self.trainers.parse(stages.supervised(self.args, agent, minutes, "none"))
        parts = self.trainers.parts(agent)
        check(how, parts)  # it settles what the agent is asked by, as its trainer does
        task = parts.task(how, rows_of)
        try:
            valid = rows_of / "valid.jsonl"
            rows = read_rows(valid) if valid.is_file() and valid.stat().st_size else []
            rows = [row for row in rows if task is not None and task.accepts(row)][: self.args.eval_rows]
            if not rows:
                raise InputError("no row is held back that it could be measured on.")
            how = self.args
            found = judged(how.base, task, rows, columns, minutes * 60, seed=how.seed, threads=how.threads)
        finally:
            if task is not None:
                task.close()
        if columns[found.best] is not None and found.best in (SUPERVISED, BY_REWARD):
            _copy(stages.folder(self.args, agent, found.best) / "adapter", self.out / "best" / agent)
        return {"verdict": asdict(found)}


def _copy(source: Path, target: Path) -> None:
    beside = target.with_name(f"{target.name}.new")
    for old in (beside, target):
        shutil.rmtree(old, ignore_errors=True)
    try:
        shutil.copytree(source, beside)
        beside.rename(target)
    except OSError as error:
        raise InputError(f"{target} can't be written ({error.strerror}); make room, then go on.") from error


def _read(path: Path) -> dict[str, dict[str, Any]]:
    if not path.is_file():
        return {}
    try:
        found: dict[str, dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise InputError(f"{path} is broken ({error}); remove it, or begin anew with --fresh.") from error
    return found


def _let_go() -> None:
    """What a stage held in memory, before the next one loads its own."""
    gc.collect()
    if "torch" in sys.modules:
        import torch

        if torch.cuda.is_available():
            torch.cuda.empty_cache()
