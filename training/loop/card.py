"""The model card of an adapter: data, command, seed, steps, curve, licences."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from statistics import mean
from typing import Any

POINTS = 12
"""Rows of a curve, at most."""


def write_card(path: Path, agent: str, run: Any, sources: str, compared: str = "") -> None:
    """Writes the card. `sources`: where the rows come from; `compared`: a section on the adapter beside its base."""
    config = run.config
    command = " ".join(["chatmem", *(word if " " not in word else repr(word) for word in sys.argv[1:])])
    lora = run.model.peft_config["default"]
    base = "SmolLM2-135M-Instruct (Q4_1, Apache-2.0)" if config.base == "embedded" else config.base
    started = f" It started from {config.start.parent.name}." if config.start else ""
    text = f"""# {agent} adapter

LoRA (rank {lora.r}, alpha {lora.lora_alpha:g}, all linear layers) on {base}.

- Data: {sources}; {len(run.rows)} rows, {len(run.valid)} held back by conversation.
- Command: `{command}`
- Seed {config.seed}, {run.step} steps of {config.batch_tokens} tokens, peak learning rate {config.lr:g}, \
{run.tokens} tokens in {run.seconds / 60:.0f} minutes.
- Objective: {run.objective}.{started}

## Curve

{curve(config.out / "log.jsonl")}

{measured(run.history)}{compared}
## Licence note

The weights are released under Apache-2.0 as far as they are ours. LoCoMo is CC BY-NC 4.0 and MSC is published for
research (ParlAI); no text of theirs is in this folder. Check these terms before commercial use.
"""
    path.write_text(text, encoding="utf-8")


def measured(history: list[dict[str, float]]) -> str:
    """The validation measure at each measurement, the best one marked."""
    if not history:
        return ""
    best = max(at["measure"] for at in history)
    lines = ["Measured on held-back rows while training (the best checkpoint is the one that is kept):", ""]
    lines += ["| step | validation measure | mean reward |", "|---|---|---|"]
    for at in history:
        mark = " (kept)" if at["measure"] == best else ""
        reward = f"{at['reward']:.3f}" if at["reward"] == at["reward"] else "-"
        lines.append(f"| {at['step']:.0f} | {at['measure']:.3f}{mark} | {reward} |")
    return "\n".join(lines) + "\n\n"


def curve(log: Path) -> str:
    """Means since the last point of training loss and, where there is one, reward; the newest validation loss."""
    rows = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    size = max(1, -(-len(rows) // POINTS))
    lines = ["| step | training loss | reward | validation loss |", "|---|---|---|---|"]
    for begin in range(0, len(rows), size):
        part = rows[begin : begin + size]
        rewards = [row["terms"]["reward"] for row in part if "reward" in row.get("terms", {})]
        losses = [row["valid_loss"] for row in part if row["valid_loss"] is not None]
        cells = [f"{mean([row['loss'] for row in part]):.3f}", f"{mean(rewards):.3f}" if rewards else "-"]
        lines.append(f"| {part[-1]['step']} | {' | '.join(cells)} | {f'{losses[-1]:.3f}' if losses else '-'} |")
    return "\n".join(lines)
