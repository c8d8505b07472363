"""A tuning run: search, choose on rows that the search never saw, report on others, paired with the hand-written start.

Everything that a model said is in the run's record, so the same command goes on where a killed run stopped.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ....eval.measures.intervals import Estimate
from ....eval.runs.models import load
from ....eval.runs.records import Records
from ....memory.errors import ModelError, SettingsError
from ....models.lm import LM
from ....models.prompts.tuned import NONE, Prompt, Tuned, read_prompts, with_agent, write_prompts
from ...loop import tracking
from . import methods, rows
from .cli import NEEDS, check, defaults, search_of
from .forms import FORMS, messages_of
from .rows import RECORD

if TYPE_CHECKING:
    from ...policy.sampling import Task
    from .measure import Measure

CONTEXT = 8192
"""Tokens of a local model's window: what an optimiser asks is longer than what an agent asks."""
MOST_ERRORS = 1_000_000
"""A reply that can't be read earns nothing, and ends no run."""


@dataclass(frozen=True, slots=True)
class Result:
    """What a run found. `kept`: whether the start stayed, as nothing did better on the rows to choose by."""

    tuned: Tuned
    table: Mapping[str, Estimate]
    chosen: Mapping[str, float]
    kept: bool
    calls: int


def tune(args: argparse.Namespace) -> Result:
    """Runs, writes the prompts to `args.out`, and returns what came of it.

    `args` are those of `cli`, with `model`, `out` and `run` given. Raises SettingsError, InputError, ModelError.
    """
    check(args)
    rows.check_run(args.run, args.agent)
    _need()
    from .engine import quiet

    quiet()
    given = defaults(args, args.run)
    tracking.check(args.report_to)
    train, held = rows.corrected(given) if getattr(args, "from_journal", False) else rows.built(given)
    task = rows.task_of(given)
    with ExitStack() as stack:
        stack.callback(task.close)
        parts = rows.parts(args, task, train, held)
        result = _run(args, parts, task, stack)
    _keep(args, result)
    return result


def _run(args: argparse.Namespace, parts: rows.Parts, task: Task, stack: ExitStack) -> Result:
    from . import judged
    from .engine import Engine
    from .measure import Measure

    probe = judged.probe_of(parts.all, args.seed) if args.metric == "judge" else []
    budget = Budget(args, parts, len(probe))
    models = _models(args, stack)
    passed = _tried(args, parts, probe, models) if probe else {}
    record = stack.enter_context(Records(args.run / RECORD, _settings(args, parts)))
    engines = {spec: Engine(lm, record, budget.take) for spec, lm in models.items()}
    form = FORMS[args.agent]
    measure = Measure(form, task, parts.all, Prompt(form.start))
    if probe:
        told = {"spec": args.judge, "prompt": judged.KIND, "probe": passed}
        judge = judged.Judge(engines[args.judge], told, budget.stop)
        measure = judged.JudgedMeasure(form, task, parts.all, Prompt(form.start), judge)
    return _tuned(args, parts, measure, budget, engines[args.model], engines[args.prompt_model or args.model])


def _models(args: argparse.Namespace, stack: ExitStack) -> dict[str, LM]:
    """The models of a run by their specs, each loaded once: the one to tune to, the one that proposes, the judge."""
    models: dict[str, LM] = {}
    for spec in (args.model, args.prompt_model, args.judge):
        if spec and spec not in models:
            models[spec] = stack.enter_context(_loaded(spec, args.threads))
        if models[args.model].adapter is not None:
            raise SettingsError(f"{args.model} has an adapter, which keeps the prompt it was trained on: name another.")
    return models


def _tried(
    args: argparse.Namespace, parts: rows.Parts, probe: Sequence[Any], models: Mapping[str, LM]
) -> dict[str, float]:  # fmt: skip
    """The judge's probe. The record of the run is made after it: a judge that fails leaves the folder to another."""
    from . import judged

    if (args.run / RECORD).is_file():  # of a run with other settings, perhaps: told before anybody is asked
        Records(args.run / RECORD, _settings(args, parts)).close()
    return judged.tried(models[args.judge], args.judge, probe, args.run)


def _need() -> None:
    try:
        import dspy  # noqa: F401
        import optuna  # noqa: F401
    except ModuleNotFoundError as missing:
        if missing.name not in NEEDS:
            raise
        raise SettingsError(
            f"Tuning prompts needs {missing.name}; install it with `pip install 'chatmem[optimize]'`."
        ) from missing


@contextmanager
def _loaded(spec: str, threads: int | None) -> Iterator[LM]:
    lm = load(spec, threads, None if spec.startswith(("openai:", "embedded")) else CONTEXT)
    try:
        yield lm
    finally:
        lm.close()


def _settings(args: argparse.Namespace, parts: rows.Parts) -> dict[str, Any]:
    """What a run that goes on must share with the one that was killed; the rows by their digest."""
    names = ("agent", "model", "prompt_model", "method", "effort", "steps", "candidates", "batch", "demos", "metric",
             "seed", "budget", *(["judge"] if args.judge else []))  # fmt: skip
    return {name: getattr(args, name) for name in names} | {"rows": parts.digest()}


class Budget:
    """The calls of a run: told before it starts, counted and told while it goes on. `probe`: calls that try a judge,
    who is then asked about each reply; they count as made. Raises SettingsError when --budget allows no others."""

    def __init__(self, args: argparse.Namespace, parts: rows.Parts, probe: int = 0) -> None:
        wanted = search_of(args, len(parts.search))
        methods.check(wanted)
        most = methods.cost(wanted)
        asked = 2 if probe else 1
        self.search = min(args.budget or sys.maxsize, probe + most.task * asked + most.proposals)
        self.after = (len(parts.choose) * 4 + len(parts.report) * 2) * asked
        self.done, self.spent, self._over, self._begun, self._said = probe, False, False, time.monotonic(), 0.0
        self._screen = sys.stderr
        judging = f", {most.task} of the judge (after {probe} that try it)" if probe else ""
        told = f"{args.method}: at most {most.task} calls of the model{judging} and {most.proposals} proposals"
        cut = f", ended by --budget after {args.budget}" if args.budget and args.budget == self.search else ""
        print(f"{told}{cut}; then at most {self.after} calls to choose and to report.", file=sys.stderr, flush=True)
        if self.search <= probe:
            raise SettingsError(
                f"The {probe} calls that try the judge use up --budget {args.budget}: give more, or leave it out."
            )

    def take(self) -> int:
        """How many calls are left, this one among them."""
        left = sys.maxsize if self._over else self.search - self.done
        if left > 0:
            self.done += 1
            self._tell()
        else:
            self.spent = True
        return left

    def stop(self) -> None:
        """Ends the search as if the budget was used up."""
        self.search, self.spent = self.done, True

    def end_search(self) -> None:
        """From now on calls are those that choose and report; they are not limited."""
        self.search, self._over = self.done, True

    def _tell(self) -> None:
        now, of, screen = time.monotonic(), self.search + self.after, self._screen
        if screen is None or now - self._said < (1 if screen.isatty() else 30):
            return
        self._said = now
        left = (now - self._begun) / self.done * (of - self.done) / 60
        text = f"{'choosing and reporting' if self._over else 'searching'}: {self.done} of at most {of} calls, "
        text += f"about {left:.0f} min left"
        print(f"\r{text}  " if screen.isatty() else text, end="" if screen.isatty() else "\n", file=screen, flush=True)


def _tuned(
    args: argparse.Namespace, parts: rows.Parts, measure: Measure, budget: Budget, engine: Any, proposer: Any
) -> Result:
    from .measure import FINALISTS, paired, rewards

    start = measure.trials.start
    found = _searched(args, parts, measure, budget, engine, proposer)
    budget.end_search()
    finalists = list(dict.fromkeys([*([found] if found and found != start else []), *measure.trials.best(FINALISTS)]))
    earned = {prompt: rewards(engine, measure, prompt, parts.choose) for prompt in [start, *finalists[:FINALISTS]]}
    best = max(earned, key=lambda prompt: sum(earned[prompt]))
    before = rewards(engine, measure, start, parts.report)
    after = before if best == start else rewards(engine, measure, best, parts.report)
    table = paired(before, after)
    chosen = {"start": _mean(earned[start]), "tuned": _mean(earned[best])}
    made = {
        "method": args.method, "spec": args.model, "prompt_model": args.prompt_model, "seed": args.seed,
        "metric": args.metric, **measure.about(), "rows": parts.digest(), "calls": budget.done,
        "tried": len(measure.trials.earned), "searched_on": len(parts.search), "chosen_on": len(parts.choose),
        "chosen": chosen,
        "reported": {name: asdict(one) for name, one in table.items()},
    }  # fmt: skip
    return Result(Tuned(best, engine.name, made), table, chosen, best == start, budget.done)


def _searched(
    args: argparse.Namespace, parts: rows.Parts, measure: Measure, budget: Budget, engine: Any, proposer: Any
) -> Prompt | None:
    """The prompt that the optimiser returns; None when the budget ended before it returned one."""
    import dspy
    from dspy.utils.exceptions import AdapterParseError, LMError

    from .engine import Spent
    from .program import AgentAdapter, AgentProgram, example_of, prompt_of
    from .shown import best_shown

    form = measure.form
    wanted = search_of(args, len(parts.search))

    def options_of(fields: Mapping[str, Any]) -> Any:
        return measure.options(measure.row(dict(fields)))

    def example(row: Mapping[str, Any]) -> Any:
        return example_of(form, row, form.read(messages_of(row)))

    program, examples = AgentProgram(form), [example(row) for row in parts.search]
    with (
        _unheard(),
        dspy.context(lm=engine.as_lm(), adapter=AgentAdapter(form, options_of, measure.told), max_errors=MOST_ERRORS),
    ):
        try:
            if methods.starts_shown(wanted):
                some = best_shown(engine, measure, Prompt(form.start), parts.search, wanted.demos, wanted.seed)
                program.write.demos = [example(row) for row in some]
            program = methods.search(program, examples, wanted, measure, proposer.as_lm())
        except (Spent, LMError, AdapterParseError, ValueError, RuntimeError, AssertionError) as error:
            if budget.spent:
                return None
            raise ModelError(f"{args.method} failed: {error}") from error
    return prompt_of(form, program)


@contextmanager
def _unheard() -> Iterator[None]:
    """What optimisers print, with bars of their own, goes nowhere: the run tells how far it is."""
    with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
        yield


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _keep(args: argparse.Namespace, result: Result) -> None:
    """The prompt into the file, beside those of other agents; a start that stayed leaves the file as it is."""
    if not result.kept:
        there = read_prompts(args.out) if Path(args.out).is_file() else NONE
        write_prompts(Path(args.out), with_agent(there, args.agent, result.tuned))
    numbers = {name: one.value for name, one in result.table.items()} | {"calls": float(result.calls)}
    tracking.once(args.report_to, f"optimize {args.agent}", args.run, vars(args), numbers, [])
