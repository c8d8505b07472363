"""The stages of `chatmem train all`, and the command line of each."""

from __future__ import annotations

import argparse
import os
from dataclasses import dataclass
from pathlib import Path

from ....memory.errors import InputError, WrongUsage

SAVE_EVERY = 25
REWARDED = {"storage": "rwr", "retrieval": "rwr", "answer": "dpo", "editor": "rwr", "ranker": "rwr"}
"""The method by which each agent learns from rewards; reward-weighted rounds end with the clock."""
ON_A_CARD = {
    "--groups": 64, "--samples": 8, "--reply-tokens": 110, "--max-length": 410, "--batch-tokens": 12_000,
    "--faithful": 0.3, "--save-every": SAVE_EVERY,
}  # fmt: skip
"""How the storage agent learns from rewards on a card, where hundreds of samples are drawn side by side (`rloo`)."""
CARD_TOKENS = 12_000
"""Tokens of a supervised batch on a card."""
SUPERVISED, BY_REWARD, MEASURED = "sft", "reward", "measure"
SHARES = {SUPERVISED: 3.0, BY_REWARD: 3.0, MEASURED: 1.5}
"""How a stage's minutes compare with those of the others."""
STEPPING = {SUPERVISED: 0.6, BY_REWARD: 0.8}
"""Of a stage's minutes, what is for steps; the rest is for building rows, loading and writing."""
HEAT = 1.6
"""Temperature of a rehearsal's few samples: of alike ones nothing is learned, and then no step would be rehearsed."""
TWO_ROUNDS = 3.0
"""Minutes from which on samples are drawn in two rounds."""


@dataclass(frozen=True, slots=True)
class Stage:
    """What is done for an agent at a time."""

    agent: str
    kind: str

    @property
    def name(self) -> str:
        return f"{self.agent} {self.kind}"


def stages_of(args: argparse.Namespace) -> list[Stage]:
    """All stages in their order, an agent after another. Raises InputError for an agent that there isn't."""
    there = [name for name in REWARDED if name != "ranker" or args.ranked or args.locomo or args.rehearse]
    agents = args.agents.split(",") if args.agents else there
    for name in agents:
        if name not in REWARDED:
            raise WrongUsage(f"There is no agent {name!r}; choose among {', '.join(REWARDED)}.")
        if name not in there:
            raise InputError("The ranker needs rows: --ranked DIR (of `chatmem data rank`), or --locomo FILE.")
    return [Stage(agent, kind) for agent in agents for kind in SHARES]


def minutes_of(stage: Stage, left: list[Stage], minutes: float) -> float:
    """A stage's part of the minutes that are left for it and those after it."""
    return minutes * SHARES[stage.kind] / sum(SHARES[one.kind] for one in left)


def supervised(args: argparse.Namespace, agent: str, minutes: float, start: str) -> list[str]:
    """The words of `chatmem train` for supervised training on all data."""
    given = {
        "--msc": args.msc, "--locomo": args.locomo, "--dmr": args.dmr, "--questions": args.questions,
        "--talks": args.talks, "--start": start,
    }  # fmt: skip
    if agent == "answer" and args.questions and not args.msc:
        del given["--questions"]
    return [*_common(args, agent, SUPERVISED, "sft", minutes * STEPPING[SUPERVISED]), *_options(given)]


def by_reward(args: argparse.Namespace, agent: str, minutes: float) -> list[str]:
    """The words for learning from rewards, on the same rows and from the supervised adapter."""
    rows = folder(args, agent, SUPERVISED)
    valid = rows / "valid.jsonl"
    given: dict[str, object] = {
        "--rows": rows / "train.jsonl", "--valid-rows": valid if valid.is_file() and valid.stat().st_size else None,
        "--start": rows / "adapter",
    }  # fmt: skip
    method = REWARDED[agent]
    if agent == "storage" and args.base == "embedded" and not args.rehearse and card():
        method, given = "rloo", {**given, **ON_A_CARD, "--workers": max(1, (os.cpu_count() or 2) - 2)}
    else:
        given |= {"--prompts": args.prompts, "--samples": args.samples, "--rounds": 2 if minutes >= TWO_ROUNDS else 1}
        given |= {"--temperature": HEAT} if args.rehearse else {}
    return [*_common(args, agent, BY_REWARD, method, minutes * STEPPING[BY_REWARD]), *_options(given)]


def card() -> bool:
    """Whether there is a card to train on."""
    import torch

    return bool(torch.cuda.is_available())


def _common(args: argparse.Namespace, agent: str, kind: str, method: str, minutes: float) -> list[str]:
    out = folder(args, agent, kind)
    given = {
        "--method": method, "--out": out, "--base": args.base, "--steps": args.steps,
        "--minutes": None if args.rehearse else f"{minutes:.4f}",  # its two steps are to be done, however slowly
        "--max-rows": args.max_rows, "--save-every": SAVE_EVERY, "--keep": 1, "--eval-every": 0, "--seed": args.seed,
        "--threads": args.threads,
    }  # fmt: skip
    if agent == "ranker":
        given |= {"--ranked": args.ranked, "--answers": args.answers}
    else:
        given |= {"--batch-tokens": args.batch_tokens or (CARD_TOKENS if card() else None)}
    go_on = ["--resume"] if (out / "checkpoint" / "state.pt").is_file() else []
    return [agent, *_options(given), *go_on]


def _options(given: dict[str, object]) -> list[str]:
    return [word for name, value in given.items() if value is not None for word in (name, str(value))]


def folder(args: argparse.Namespace, agent: str, kind: str) -> Path:
    """Where a stage's run lies."""
    return Path(args.out) / agent / kind
