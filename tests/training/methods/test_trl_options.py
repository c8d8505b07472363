"""Presets and TRL's own settings, and that they arrive there."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from chatmem.memory.errors import SettingsError
from chatmem.training import cli
from chatmem.training.loop.loop import RunConfig
from chatmem.training.methods.trl_options import PRESETS, chosen, short


def parsed(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    cli.register(parser.add_subparsers(dest="agent"))
    return parser.parse_args(["answer", *words])


def test_a_preset_sets_what_is_not_given_before_or_after_it() -> None:
    args = parsed("--preset", "seed000")
    assert {name: getattr(args, name) for name in PRESETS["seed000"]} == PRESETS["seed000"]
    args = parsed("--groups", "3", "--preset", "seed000", "--steps", "20", "--lr", "1e-4")
    assert (args.groups, args.steps, args.lr, args.samples, args.rank) == (3, 20, 1e-4, 8, 64)
    assert parsed().preset is None and parsed().groups == 2


def test_a_step_is_cut_into_equal_passes() -> None:
    args = parsed("--preset", "seed000", "--micro-batch", "4", "--schedule", "cosine")
    found = chosen(args)
    assert (found["per_device_train_batch_size"], found["gradient_accumulation_steps"]) == (4, 12)
    assert (found["max_grad_norm"], found["lr_scheduler_type"], found["warmup_steps"]) == (0.5, "cosine", 50)
    with pytest.raises(SettingsError, match="doesn't divide the 48 completions"):
        chosen(parsed("--preset", "seed000", "--micro-batch", "5"))


def test_longer_prompts_are_left_out_unless_all_are() -> None:
    rows = [{"row": 1}, {"row": 2}]
    assert short(rows, [9, 20], 10) == rows[:1] and short(rows, [9, 20], None) == rows
    with pytest.raises(SettingsError, match="the shortest has 9"):
        short(rows, [9, 20], 5)


def test_they_arrive_at_trl(tmp_path: Path) -> None:
    pytest.importorskip("trl", reason="training is an extra")
    from chatmem.training.fit import _grpo
    from chatmem.training.methods.grpo import settings

    how = _grpo(parsed("--preset", "seed000", "--micro-batch", "16"))
    assert (how.groups, how.samples, how.beta, how.max_tokens, how.dropout) == (6, 8, 0.04, 512, 0.1)
    made = settings(RunConfig("embedded", tmp_path, tmp_path / "rows.jsonl", steps=500, lr=2e-5), how, True)
    assert (made.per_device_train_batch_size, made.gradient_accumulation_steps, made.num_generations) == (16, 3, 8)
    assert made.generation_batch_size == 48, "all of a step's completions are drawn at once"
    assert (made.warmup_steps, made.max_grad_norm, made.temperature, made.max_steps) == (50, 0.5, 0.7, 500)
