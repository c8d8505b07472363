"""`chatmem train storage|retrieval|answer|editor`: the arguments of the trainers. torch comes in only when one runs."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Sequence
from typing import Any

from ..eval.arguments import ABOVE_ZERO, COUNT, NUMBER, PLACE, SHARE, WEIGHT, option, whole
from .loop.together import options as together
from .material.files import look_first
from .methods import trl_options
from .recall import options
from .recall.sessions import options as sessions

STEPS = 600
AGENTS = {
    "storage": "the agent that writes facts as SQL, from MSC's human facts, LoCoMo's observations and our templates",
    "retrieval": "the agent that writes the SELECT, from SELECTs that brought the evidence",
    "answer": "the agent that replies from what was recalled, or says that it doesn't know",
    "editor": "the agent that tidies, from memories spoiled on purpose, where every right answer is known",
    "ranker": "the model that orders sessions (`chatmem rank`), from questions with the sessions that answer them",
}
RECIPES = {"ranker": "recall.sessions.recipe"}
"""Where the recipe lies of an agent that has no room of its own."""
TALKS = "editor.talks.recipe"
"""The editor's recipe over LoCoMo's conversations."""

RECALL = "what search ranks lines with: the encoder of questions and the ranker, from questions with their evidence"
EVERY = "every agent within so many minutes, supervised and then by reward; what is better is kept"
METHODS = ("sft", "rwr", "rloo", "dpo", "grpo", "dapo", "epg")


@option
def keep(text: str) -> int | None:
    """How many numbered checkpoints stay; None: all of them."""
    return None if text == "all" else whole(text, 1)


def register(subparsers: Any) -> None:
    """Adds a sub-command for each agent."""
    for agent, text in AGENTS.items():
        parser = subparsers.add_parser(agent, help=text, description=f"Trains {text}.", allow_abbrev=False)
        _add_data(parser)
        _add_run(parser)
        _add_reward(parser)
        trl_options.add_arguments(parser)
        if agent == "ranker":
            sessions.add_arguments(parser)
        if agent == "editor":
            _add_talks(parser)
        else:
            parser.set_defaults(locomo_episodes=None, acts=None)
        parser.set_defaults(run=_run, agent=agent)
    parser = subparsers.add_parser("recall", help=RECALL, description=f"Trains {RECALL}.", allow_abbrev=False)
    options.add_arguments(parser)
    parser.set_defaults(run=_run, agent="recall", steps=None)
    parser = subparsers.add_parser("all", help=EVERY, description=f"Trains {EVERY}.", allow_abbrev=False)
    together.add_arguments(parser)
    parser.set_defaults(run=_all, agent="all")


def _add_data(parser: argparse.ArgumentParser) -> None:
    data = parser.add_argument_group("data (what is not given is left out; the templates are always there)")
    data.add_argument("--msc", type=PLACE, metavar="FILE", help="Multi-Session Chat with persona facts, JSON lines")
    data.add_argument("--locomo", type=PLACE, metavar="FILE", help="LoCoMo's conversations, JSON")
    data.add_argument("--dmr", type=PLACE, metavar="FILE", help="MSC-Self-Instruct (DMR), JSON lines")
    data.add_argument("--questions", type=PLACE, metavar="FILE", help="answer: questions written about --msc's chats")
    data.add_argument(
        "--recall-run", type=PLACE, metavar="DIR",
        help="answer: `train recall`'s --out; LoCoMo's questions are then asked by encoders that never saw them",
    )  # fmt: skip
    data.add_argument("--rows", type=PLACE, metavar="FILE", help="ready training rows instead of all these")
    data.add_argument("--valid-rows", type=PLACE, metavar="FILE", help="with --rows: held-back rows (a tenth of them)")
    data.add_argument("--talks", type=NUMBER, default=400, help="talks made from the templates (default: %(default)s)")
    data.add_argument(
        "--rows-by", choices=["construction", "search"],
        help="editor: answers right by construction, or those that earn most of all that can be tried (by the method)",
    )  # fmt: skip
    data.add_argument(
        "--mixture", type=NUMBER, default=0, metavar="N",
        help="storage: at most N rows, half of them with nothing to store, as orders to an assistant (0: all rows)",
    )  # fmt: skip
    data.add_argument("--hold-out", type=SHARE, default=0.12, help="share of conversations kept for validation")
    data.add_argument("--max-rows", type=NUMBER, default=20_000, help="most training rows, drawn by the seed")


def _add_run(parser: argparse.ArgumentParser) -> None:
    run = parser.add_argument_group("run")
    run.add_argument("--method", choices=METHODS, default="sft", help="the objective (default: sft)")
    run.add_argument("--start", metavar="ADAPTER", help="an adapter to go on from, by name or folder (none: a new one)")
    run.add_argument("--base", default="embedded", metavar="SPEC", help="embedded, or hf:NAME_OR_FOLDER[:4bit]")
    run.add_argument("--out", type=PLACE, metavar="DIR", help="where checkpoints, log and adapter go")
    run.add_argument("--steps", type=NUMBER, help="optimiser steps (600; --from-journal: 40)")
    run.add_argument("--minutes", type=ABOVE_ZERO, help="end after so many minutes, if that comes first")
    run.add_argument("--batch-tokens", type=COUNT, default=1536, help="tokens of a batch (default: %(default)s)")
    run.add_argument("--max-length", type=COUNT, default=640, help="longer rows are left out (tokens)")
    run.add_argument("--rank", type=COUNT, default=16, help="LoRA rank (default: %(default)s)")
    run.add_argument("--alpha", type=COUNT, default=32, help="LoRA alpha (default: %(default)s)")
    run.add_argument("--lr", type=ABOVE_ZERO, help="peak learning rate (by the method)")
    run.add_argument("--save-every", type=COUNT, default=50, help="steps between checkpoints (default: %(default)s)")
    run.add_argument(
        "--keep", type=keep, default=2, metavar="N|all",
        help="numbered checkpoints that stay, newest first (2); `chatmem checkpoints` averages them",
    )  # fmt: skip
    run.add_argument(
        "--eval-every",
        type=NUMBER,
        help="steps between measurements of the agent (100; the editor's rewards: 25); 0: none",
    )
    run.add_argument(
        "--eval-rows", type=NUMBER, default=80, help="held-back rows of a measurement (default: %(default)s)"
    )
    run.add_argument("--threads", type=COUNT, help="of llama.cpp, which samples and measures")
    run.add_argument("--report-to", default="none", metavar="NAME", help="wandb, mlflow or tensorboard (none)")
    run.add_argument("--seed", type=NUMBER, default=0, help="of data, order and weights (default: %(default)s)")
    run.add_argument("--resume", action="store_true", help="go on from the newest checkpoint in --out")


def _add_reward(parser: argparse.ArgumentParser) -> None:
    reward = parser.add_argument_group("learning from rewards (rwr, rloo, dpo, grpo, dapo, epg)")
    _add_groups(reward)
    reward.add_argument("--rounds", type=NUMBER, default=2, help="of sampling and learning (default: %(default)s)")
    reward.add_argument(
        "--prompts", dest="sampled", type=NUMBER, default=400, help="sampled in a round (default: %(default)s)"
    )
    reward.add_argument("--samples", type=COUNT, default=4, help="completions of a prompt (default: %(default)s)")
    heat = "of sampling; epg: of the policy (default: %(default)s)"
    reward.add_argument("--temperature", type=WEIGHT, default=1.0, help=heat)
    reward.add_argument("--tau", type=ABOVE_ZERO, default=0.1, help="rwr: how much better counts (%(default)s)")
    reward.add_argument(
        "--anchor",
        type=SHARE,
        default=0.3,
        help="rwr: share of human targets; rloo: their weight beside the reward (%(default)s)",
    )
    reward.add_argument(
        "--target", choices=["human", "speaker"], default="human",
        help="storage: the human facts, or what the starting adapter writes from the speaker's own lines alone",
    )  # fmt: skip
    reward.add_argument("--targets", type=NUMBER, default=2000, help="rows for --target speaker (default: %(default)s)")
    _add_shares(reward)
    _add_gate(reward)
    reward.add_argument(
        "--evaluator", choices=["words", "f1", "evidence", "judge", "rag"],
        help="editor: how its memory is asked: words of the answer in the best facts (words), their F1, lines found, a "
        "judge; with --locomo-episodes rag: a frozen model's answers from the best five",
    )  # fmt: skip
    reward.add_argument("--judge", metavar="SPEC", help="with --evaluator judge or rag: the model that judges")
    reward.add_argument(
        "--episodes", action="store_true",
        help="editor, grpo and dapo: the model itself calls the six tools in turns, --max-length tokens an episode",
    )  # fmt: skip
    reward.add_argument("--beta", type=ABOVE_ZERO, default=0.1, help="dpo: how near to the start (%(default)s)")


def _add_groups(reward: argparse._ArgumentGroup) -> None:
    reward.add_argument(
        "--groups", type=COUNT, default=2, help="rloo, grpo, dapo: prompts of a step (default: %(default)s)"
    )
    reward.add_argument(
        "--workers",
        type=NUMBER,
        default=0,
        metavar="N",
        help="rloo: processes that score what was written (0: this one)",
    )
    reward.add_argument(
        "--reply-tokens",
        type=COUNT,
        default=224,
        metavar="N",
        help="rloo, grpo, dapo: most tokens of a reply (224; ranker: 160)",
    )
    reward.add_argument(
        "--resample", type=NUMBER, default=3, metavar="N",
        help="dapo: how often groups that all earn the same are drawn anew, from other prompts (3)",
    )  # fmt: skip
    reward.add_argument(
        "--overlong", type=NUMBER, metavar="TOKENS",
        help="dapo: the last tokens of a reply, over which it loses up to 1 (a fifth of --reply-tokens)",
    )  # fmt: skip
    reward.add_argument("--kl", type=WEIGHT, help="weight of the KL term (grpo: 0.04, epg: 0.002)")
    reward.add_argument(
        "--vllm",
        nargs="?",
        const="colocate",
        choices=["colocate", "server"],
        help="grpo, dapo: vLLM writes the samples",
    )


def _add_shares(reward: Any) -> None:
    reward.add_argument(
        "--downstream", type=SHARE, default=0.0, metavar="SHARE",
        help="storage: share of the reward for facts that a question finds again (default: 0)",
    )  # fmt: skip
    reward.add_argument(
        "--faithful", type=SHARE, default=0.0, metavar="SHARE",
        help="storage: share of the reward that is lost with words that nobody said (default: 0)",
    )  # fmt: skip


def _add_gate(reward: Any) -> None:
    reward.add_argument(
        "--gate", choices=["answer", "evidence"], default="evidence",
        help="retrieval: a SELECT earns where all that is needed is shown (or answered from), or by the share shown",
    )  # fmt: skip
    reward.add_argument(
        "--answerer", metavar="SPEC",
        help="with --gate answer, --locomo-episodes (embedded+answer): a frozen model whose replies are looked at",
    )  # fmt: skip


def _add_talks(parser: argparse.ArgumentParser) -> None:
    reward = parser.add_argument_group("episodes over LoCoMo's conversations (--episodes)")
    reward.add_argument(
        "--locomo-episodes", type=PLACE, metavar="DIR",
        help="LoCoMo's conversations, as `chatmem data locomo` wrote them; train.parquet is played",
    )  # fmt: skip
    reward.add_argument(
        "--ask", choices=["hidden", "target"], default="hidden",
        help="rewarded by questions that the editor isn't shown, or by the one that it is shown (hidden)",
    )  # fmt: skip
    reward.add_argument(
        "--asks", type=COUNT, default=24, metavar="N", help="with --ask hidden: questions of an episode (24)"
    )
    reward.add_argument("--looks", type=COUNT, default=40, metavar="N", help="decisions of an episode (40)")
    reward.add_argument(
        "--credit", choices=["decisions", "episode"], default="decisions",
        help="a decision earns by the questions that hang on its rows, or by the whole episode (decisions)",
    )  # fmt: skip
    reward.add_argument(
        "--acts", choices=["decisions", "tools"],
        help="the editor decides in words (by default the embedded base), or calls the six tools itself",
    )  # fmt: skip


def _run(args: argparse.Namespace) -> int:
    talks = args.agent == "editor" and args.locomo_episodes
    return run_trainer(args, TALKS if talks else recipe_of(args.agent))


def recipe_of(agent: str) -> str:
    """The module that trains it, below `training`."""
    return RECIPES.get(agent, f"{agent}.recipe")


def _all(args: argparse.Namespace) -> int:
    from .loop.together.run import Trainers, run

    look_first(args)

    def parse(words: Sequence[str]) -> argparse.Namespace:
        parser = argparse.ArgumentParser(prog="chatmem train")
        register(parser.add_subparsers())
        return parser.parse_args(list(words))

    def parts(agent: str) -> Any:
        return importlib.import_module(f".{recipe_of(agent)}", __package__).PARTS

    return run(args, Trainers(parse, _run, parts))


def run_trainer(args: argparse.Namespace, module: str) -> int:
    """Runs `train` of a recipe ("storage.recipe"). Raises SettingsError when a library for training is missing."""
    look_first(args)
    try:
        trainer = importlib.import_module(f".{module}", __package__)
        args.steps = args.steps or getattr(trainer, "STEPS", STEPS)
        if getattr(args, "eval_every", 0) is None:
            args.eval_every = 25 if args.agent == "editor" and args.method != "sft" else 100
        return int(trainer.train(args))
    except ModuleNotFoundError as missing:
        if missing.name not in {"torch", "peft", "transformers", "trl", "datasets"}:
            raise
        from ..memory.errors import SettingsError

        raise SettingsError(
            f"Training needs {missing.name}; install it with `pip install 'chatmem[train]'`."
        ) from missing
