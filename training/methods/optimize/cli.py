"""`chatmem optimize storage|retrieval|answer|editor`: the arguments. DSPy comes in only when a run starts."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ....eval.arguments import COUNT, NUMBER, PLACE, SHARE
from ....memory.errors import SettingsError
from ... import cli as trainers
from .methods import EFFORTS, METHODS, Search

NEEDS = {"dspy", "optuna", "gepa"}
AGENTS = ("storage", "retrieval", "answer", "editor")
"""Those with fields that an optimiser can be shown (`forms.FORMS`)."""
METRICS = ("reward", "downstream", "judge")


def register(subparsers: Any) -> None:
    """Adds a sub-command for each agent."""
    for agent in AGENTS:
        text = trainers.AGENTS[agent]
        about = f"Tunes the prompt of {text}, for a model without an adapter."
        parser = subparsers.add_parser(agent, help=f"tune the prompt of {text}", description=about, allow_abbrev=False)
        _add_search(parser)
        _add_data(parser)
        parser.set_defaults(agent=agent)


def _add_search(parser: argparse.ArgumentParser) -> None:
    run = parser.add_argument_group("search")
    run.add_argument("--model", default=argparse.SUPPRESS, metavar="SPEC", help="the model to tune to (the agent's)")
    run.add_argument("--prompt-model", metavar="SPEC", help="the model that proposes prompts (the same)")
    run.add_argument(
        "--method", choices=METHODS, default="simba",
        help="DSPy's optimiser: demonstrations and advice (simba), instructions and demonstrations (mipro), or "
        "reflection on what was wrong (gepa); default: %(default)s",
    )  # fmt: skip
    run.add_argument("--effort", choices=list(EFFORTS), default="light", help="mipro, gepa: DSPy's preset (light)")
    run.add_argument("--steps", type=COUNT, default=6, help="simba: steps (default: %(default)s)")
    run.add_argument("--candidates", type=COUNT, default=4, help="simba: prompts of a step (default: %(default)s)")
    run.add_argument("--batch", type=COUNT, default=8, help="simba, gepa: rows of a step (default: %(default)s)")
    run.add_argument("--demos", type=NUMBER, default=5, help="most demonstrations of a prompt (default: %(default)s)")
    run.add_argument(
        "--metric", choices=METRICS, default="reward",
        help="what is maximised: the agent's reward; storage: half of it for what a question finds again (downstream); "
        "answer: the verdicts of --judge (judge); default: %(default)s",
    )  # fmt: skip
    run.add_argument("--judge", metavar="SPEC", help="answer, --metric judge: the model that says what is right")
    run.add_argument(
        "--budget",
        type=COUNT,
        metavar="CALLS",
        help="end the search after so many calls of models, the judge among them",
    )
    run.add_argument("--seed", type=NUMBER, default=0, help="of rows and search (default: %(default)s)")
    run.add_argument("--threads", type=COUNT, help="of llama.cpp")
    run.add_argument("--report-to", default="none", metavar="NAME", help="wandb, mlflow or tensorboard (none)")
    run.add_argument(
        "--run", type=PLACE, metavar="DIR", help="where the run is kept and gone on with (runs/prompts-AGENT)"
    )
    run.add_argument("--out", type=PLACE, metavar="FILE", help="the file of prompts (prompts.json in the data folder)")
    run.add_argument("--json", action="store_true", help="the result as JSON")


def _add_data(parser: argparse.ArgumentParser) -> None:
    data = parser.add_argument_group("data (without any: our templates)")
    data.add_argument("--examples", type=COUNT, default=32, help="rows to search with (default: %(default)s)")
    data.add_argument("--choose", type=COUNT, default=48, help="held-back rows to choose by (default: %(default)s)")
    data.add_argument("--report", type=COUNT, default=150, help="held-back rows to report on (default: %(default)s)")
    data.add_argument("--msc", type=PLACE, metavar="FILE", help="Multi-Session Chat with persona facts, JSON lines")
    data.add_argument("--locomo", type=PLACE, metavar="FILE", help="LoCoMo's conversations, JSON")
    data.add_argument("--dmr", type=PLACE, metavar="FILE", help="MSC-Self-Instruct (DMR), JSON lines")
    data.add_argument("--rows", type=PLACE, metavar="FILE", help="ready training rows instead of all these")
    data.add_argument("--valid-rows", type=PLACE, metavar="FILE", help="with --rows: held-back rows (the last third)")
    data.add_argument("--talks", type=NUMBER, default=100, help="talks made from the templates (default: %(default)s)")
    data.add_argument("--hold-out", type=SHARE, default=0.3, help="share of conversations held back (%(default)s)")


def defaults(args: argparse.Namespace, run: Path) -> argparse.Namespace:
    """The arguments as the recipes of `train` read them, with a trainer's own where tuning has none: they build the
    rows in the run's folder."""
    parser = argparse.ArgumentParser()
    trainers.register(parser.add_subparsers(dest="agent"))
    told = {
        "rows_by": "construction", "evaluator": "words",
        "downstream": 0.5 if args.metric == "downstream" else 0.0, "out": run,
    }  # fmt: skip
    return argparse.Namespace(**{**vars(parser.parse_args([args.agent])), **vars(args), **told})


def check(args: argparse.Namespace) -> None:
    """Raises SettingsError for a metric that the agent hasn't, or one without what it takes."""
    if args.metric == "judge" and args.agent != "answer":
        raise SettingsError(
            "--metric judge is for the answer agent alone: a judge reads answers, and what the "
            f"{args.agent} agent writes is carried out and counted. Leave it out, or tune `answer`."
        )
    if args.metric == "judge" and not args.judge:
        raise SettingsError("--metric judge takes a model that judges: name it, as in --judge openai:NAME.")
    if args.judge and args.metric != "judge":
        raise SettingsError("--judge is asked by --metric judge alone: write `answer --metric judge`, or leave it out.")


def search_of(args: argparse.Namespace, rows: int) -> Search:
    """The search that the arguments ask for."""
    return Search(args.method, rows, args.steps, args.candidates, args.batch, args.demos, args.effort, args.seed)
