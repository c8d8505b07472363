"""What `grpo` and `dapo` hand on to TRL besides our own options, and presets of whole runs. Nothing heavy in here."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

from ...eval.arguments import ABOVE_ZERO, COUNT, NUMBER, SHARE
from ...memory.errors import SettingsError

PRESETS: Mapping[str, Mapping[str, Any]] = {
    "seed000": {
        "method": "grpo", "groups": 6, "samples": 8, "lr": 2e-5, "kl": 0.04, "rank": 64, "alpha": 16, "dropout": 0.1,
        "temperature": 0.7, "warmup_steps": 50, "grad_norm": 0.5, "prompt_tokens": 4096, "reply_tokens": 512,
        "eval_every": 10, "save_every": 50, "steps": 500, "max_rows": 600, "eval_rows": 100,
    },
}  # fmt: skip
"""`seed000`: the defaults of the conversational memory from which `answer` descends (seeds.md)."""
SCHEDULES = ("linear", "cosine", "constant", "constant_with_warmup")


class Preset(argparse.Action):
    """Sets the options of a preset where they aren't given, before it or after it."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option: str | None = None
    ) -> None:
        setattr(namespace, self.dest, values)
        for name, value in PRESETS[values].items():
            if getattr(namespace, name, None) == parser.get_default(name):
                setattr(namespace, name, value)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of TRL's own."""
    more = parser.add_argument_group("grpo and dapo, by TRL")
    more.add_argument(
        "--preset", choices=tuple(PRESETS), action=Preset,
        help="the settings of a known run; seed000: 6 prompts x 8 samples, 500 steps, rank 64, rate 2e-5",
    )  # fmt: skip
    more.add_argument("--warmup-steps", type=NUMBER, metavar="N", help="steps until the full rate (5%% of --steps)")
    more.add_argument("--schedule", choices=SCHEDULES, default="linear", help="of the rate after it (linear)")
    more.add_argument("--grad-norm", type=ABOVE_ZERO, default=1.0, metavar="X", help="gradients are cut to it (1)")
    more.add_argument("--dropout", type=SHARE, default=0.0, help="of the LoRA, for a new adapter (0)")
    more.add_argument("--prompt-tokens", type=COUNT, metavar="N", help="rows with a longer prompt are left out")
    more.add_argument(
        "--micro-batch", type=COUNT, metavar="N",
        help="completions of a backward pass (all of a step); a step adds up --groups x --samples of them",
    )  # fmt: skip


def chosen(args: argparse.Namespace) -> dict[str, Any]:
    """TRL's own settings. Raises SettingsError where a step can't be cut into such passes."""
    whole = args.groups * args.samples
    micro = args.micro_batch or whole
    if whole % micro:
        raise SettingsError(
            f"--micro-batch {micro} doesn't divide the {whole} completions of a step (--groups {args.groups} x "
            f"--samples {args.samples})."
        )
    found = {
        "per_device_train_batch_size": micro, "gradient_accumulation_steps": whole // micro,
        "max_grad_norm": args.grad_norm, "lr_scheduler_type": args.schedule,
    }  # fmt: skip
    return found if args.warmup_steps is None else found | {"warmup_steps": args.warmup_steps}


def short(rows: Sequence[dict[str, Any]], sizes: Sequence[int], most: int | None) -> list[dict[str, Any]]:
    """The rows whose prompt has at most so many tokens. Raises SettingsError when none has."""
    kept = [row for row, size in zip(rows, sizes, strict=True) if most is None or size <= most]
    if rows and not kept:
        raise SettingsError(f"Each prompt is longer than --prompt-tokens {most}; the shortest has {min(sizes)}.")
    return kept
