"""Our trainers beside those of TRL, on this processor: `python tests/benchmarks/training/bench_train.py`.

The same model, the same rows in batches of as many, the same LoRA, one thread each. Each round trains with all of them
in turn, each in a process of its own, so that a busy machine slows all alike and a peak of memory is one trainer's.
Counted are tokens of the rows without padding, for GRPO completions (two groups of four a step, at most 64 tokens, from
the storage adapter, with its executable reward; TRL's own are drawn by transformers and without the grammar). The first
step, which warms up, is not counted. Time is the processor's.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))

TRAINERS = {
    "chatmem": "",
    "trl": "chatmem",
    "trl, no checkpointing": "chatmem",
    "chatmem grpo": "",
    "trl grpo": "chatmem grpo",
}
"""Each with the one of ours that it is held against."""
ROWS, RANK, ALPHA = 8, 16, 32


def make_rows(path: Path, count: int) -> None:
    """Storage rows of our templates, drawn once for all."""
    from itertools import islice

    from chatmem.training.policy.rows import write_rows
    from chatmem.training.storage.template_rows import template_rows

    write_rows(path, list(islice(template_rows(7, 200), count)))


def budget(path: Path) -> int:
    """Tokens of so many rows of mean length."""
    from chatmem.training.policy.base import load_base
    from chatmem.training.policy.rows import encode, read_rows

    _, tokenizer, render = load_base("embedded")
    rows = encode(read_rows(path), render, tokenizer, 640)
    return ROWS * sum(len(row.ids) for row in rows) // len(rows)


def ours(path: Path, folder: Path, steps: int) -> dict[str, float]:
    """The trainer of `chatmem train`, with the token budget that holds as many rows a step on average."""
    from chatmem.training.loop.loop import RunConfig
    from chatmem.training.methods.sft import Sft

    config = RunConfig(
        base="embedded", out=folder, data=path, steps=steps + 1, rank=RANK, alpha=ALPHA, save_every=10**6,
        batch_tokens=budget(path),
    )  # fmt: skip
    run = Sft(config)
    log = run.train()
    first = next(log)
    began, done = time.process_time(), first
    for _ in range(steps):
        done = next(log)
    return {"seconds": time.process_time() - began, "tokens": done.tokens - first.tokens}


def trl(path: Path, folder: Path, steps: int, checkpointing: bool) -> dict[str, float]:
    """TRL as its documentation shows it: prompt and completion, loss on the completion."""
    from datasets import Dataset
    from peft import LoraConfig
    from transformers import TrainerCallback
    from trl import SFTConfig, SFTTrainer

    from chatmem.training.policy.base import load_base
    from chatmem.training.policy.rows import read_rows

    model, tokenizer, render = load_base("embedded")
    rows = read_rows(path)
    data = Dataset.from_list(
        [{"prompt": render(row["messages"]), "completion": row["completion"] + "<|im_end|>"} for row in rows]
    )
    times: list[tuple[float, int]] = []
    seen = [0]

    class Clock(TrainerCallback):
        def on_step_end(self, *_args: Any, **_more: Any) -> None:
            times.append((time.process_time(), seen[0]))

    config = SFTConfig(
        output_dir=str(folder), use_cpu=True, per_device_train_batch_size=ROWS, max_steps=steps + 1, learning_rate=1e-3,
        gradient_checkpointing=checkpointing, save_strategy="no", report_to="none", disable_tqdm=True, max_length=640,
        completion_only_loss=True, logging_strategy="no",
    )  # fmt: skip
    lora = LoraConfig(r=RANK, lora_alpha=ALPHA, target_modules="all-linear", task_type="CAUSAL_LM")
    trainer = SFTTrainer(model, args=config, train_dataset=data, processing_class=tokenizer, peft_config=lora,
                         callbacks=[Clock()])  # fmt: skip
    collate = trainer.data_collator

    def counting(features: Any) -> Any:
        batch = collate(features)
        seen[0] += int(batch["attention_mask"].sum())
        return batch

    trainer.data_collator = counting
    trainer.train()
    return {"seconds": times[-1][0] - times[0][0], "tokens": times[-1][1] - times[0][1]}


def grpo(path: Path, folder: Path, steps: int, plain: bool) -> dict[str, float]:
    """GRPO as `chatmem train storage --method grpo` runs it; `plain`: TRL writes the completions itself."""
    from chatmem.models.adapters.to_peft import peft_folder
    from chatmem.models.files.model_files import find_adapter
    from chatmem.training.loop.loop import Progress, RunConfig
    from chatmem.training.methods.grpo import Grpo, GrpoConfig
    from chatmem.training.storage.reward import StorageTask

    class Plain(Grpo):
        def asked(self, on_cpu: bool) -> dict[str, Any]:
            return {**super().asked(on_cpu), "rollout_func": None}

    times: list[float] = []

    def clock(_: Progress) -> None:
        times.append(time.process_time())

    config = RunConfig(
        base="embedded", out=folder, data=path, steps=steps + 1, rank=RANK, alpha=ALPHA, save_every=10**6,
        start=peft_folder(find_adapter("storage")), eval_every=0,
    )  # fmt: skip
    how = GrpoConfig(groups=2, samples=4, max_tokens=64, threads=1)
    (Plain if plain else Grpo)(config, StorageTask(), how).run(clock)
    return {"seconds": times[-1] - times[0], "tokens": 8.0 * steps}


def child(name: str, path: Path, steps: int) -> None:
    """One trainer, its figures as JSON on the last line."""
    import torch

    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        if name == "chatmem":
            found = ours(path, Path(folder), steps)
        elif "grpo" in name:
            found = grpo(path, Path(folder), steps, name.startswith("trl"))
        else:
            found = trl(path, Path(folder), steps, "no" not in name)
    found["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps(found))


def measure(name: str, path: Path, steps: int) -> dict[str, float]:
    """The figures of a trainer in a process of its own."""
    words = [sys.executable, __file__, "--child", name, "--file", str(path), "--steps", str(steps)]
    env = {**os.environ, "OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}
    done = subprocess.run(words, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr[-2000:])
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("--only", nargs="+", choices=TRAINERS, default=list(TRAINERS), help="of the trainers")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        child(args.child, args.file, args.steps)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.jsonl"
        make_rows(path, ROWS * (args.steps + 1))
        rounds = []
        for number in range(args.rounds):
            rounds.append({name: measure(name, path, args.steps) for name in TRAINERS if name in args.only})
            print(f"round {number + 1} of {args.rounds}", file=sys.stderr)
    rates = [{name: one["tokens"] / one["seconds"] for name, one in each.items()} for each in rounds]
    print(f"{'':24}{'a second':>10}{'peak MB':>10}{'speed':>8}{'memory':>8}   (of ours to theirs)")
    for name, mine in ((name, TRAINERS[name]) for name in rounds[0]):
        rate, peak = median(r[name] for r in rates), median(each[name]["peak"] for each in rounds)
        print(f"{name:24}{rate:10.2f}{peak:10.0f}", end="")
        if mine in rounds[0]:
            speed = median(r[mine] / r[name] for r in rates)
            memory = median(each[mine]["peak"] / each[name]["peak"] for each in rounds)
            print(f"{speed:8.2f}{memory:8.2f}", end="")
        print()


if __name__ == "__main__":
    main()
