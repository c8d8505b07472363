"""Supervised fine-tuning of a LoRA adapter: loss on the completion only, logits only where the loss is.

Rows are JSON lines {"messages": [[role, text], ...], "completion": text}. Batches hold rows of like length up to a
token budget; the order is drawn from the seed and the epoch, so that a resumed run sees the same batches. Checkpoints
hold the PEFT adapter, the optimiser and the place in the data; the newest whole one is where a run resumes.
"""

from __future__ import annotations

import json
import math
import random
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..memory.errors import InputError


@dataclass(frozen=True, slots=True)
class SftConfig:
    """Lengths are in tokens. `minutes` ends a run by the clock (the schedule follows whichever end comes first)."""

    base: str
    out: Path
    data: Path
    valid: Path | None = None
    steps: int = 400
    minutes: float | None = None
    batch_tokens: int = 2048
    max_length: int = 640
    rank: int = 16
    alpha: int = 32
    lr: float = 1e-3
    warmup: float = 0.05
    seed: int = 0
    save_every: int = 50
    resume: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """Token ids of prompt and completion; the loss counts from `start`."""

    ids: tuple[int, ...]
    start: int


@dataclass(frozen=True, slots=True)
class Progress:
    """One line of the training log."""

    step: int
    of: int
    loss: float
    lr: float
    grad_norm: float
    tokens: int
    seconds: float
    valid_loss: float | None = None


def read_rows(path: Path) -> list[dict[str, Any]]:
    """The rows of a JSON-lines file. Raises InputError that names the first bad line."""
    rows = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            row = json.loads(line)
            rows.append(
                {"messages": [(str(a), str(b)) for a, b in row["messages"]], "completion": str(row["completion"])}
            )
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(
                f"{path.name}, line {number}: not a training row ({error}); mend or drop that line."
            ) from error
    if not rows:
        raise InputError(f"{path.name} holds no training rows.")
    return rows


def encode(rows: Sequence[dict[str, Any]], render: Callable[..., str], tokenizer: Any, max_length: int) -> list[Row]:
    """Rows as token ids, ended by the chat template's end token; rows over the length are left out."""
    out = []
    for row in rows:
        prompt = tokenizer(render(row["messages"]), add_special_tokens=False)["input_ids"]
        target = tokenizer(row["completion"] + "<|im_end|>", add_special_tokens=False)["input_ids"]
        if len(prompt) + len(target) <= max_length:
            out.append(Row((*prompt, *target), len(prompt)))
    if not out:
        raise InputError(f"No training row fits into {max_length} tokens; raise --max-length.")
    return out


def batches(rows: Sequence[Row], budget: int, seed: int, epoch: int) -> list[list[Row]]:
    """One epoch of batches: like lengths together (with a little noise), the batches in random order."""
    rng = random.Random(f"{seed}/{epoch}")
    order = sorted(rows, key=lambda row: len(row.ids) * (1 + 0.1 * rng.random()))
    out: list[list[Row]] = []
    for row in order:
        longest = max(len(row.ids), *(len(other.ids) for other in out[-1])) if out and out[-1] else len(row.ids)
        if out and longest * (len(out[-1]) + 1) <= budget:
            out[-1].append(row)
        else:
            out.append([row])
    rng.shuffle(out)
    return out


def stream(rows: Sequence[Row], config: SftConfig) -> Iterator[list[Row]]:
    """Batches without end, epoch after epoch."""
    epoch = 0
    while True:
        yield from batches(rows, config.batch_tokens, config.seed, epoch)
        epoch += 1


def learning_rate(config: SftConfig, done: float) -> float:
    """Linear warm-up, then cosine to a tenth; `done` is the share of the run that is over."""
    if done < config.warmup:
        return config.lr * (done + 1e-3) / config.warmup
    share = min(1.0, (done - config.warmup) / (1 - config.warmup))
    return config.lr * (0.1 + 0.9 * (1 + math.cos(math.pi * share)) / 2)


class Sft:
    """One run. `train` reads top to bottom; everything that has to survive an interruption is in `save`/`load`."""

    def __init__(self, config: SftConfig) -> None:
        import torch
        from peft import LoraConfig, get_peft_model

        from .base import load_base

        torch.manual_seed(config.seed)
        self.config, self.step, self.seconds, self.tokens = config, 0, 0.0, 0
        base, self.tokenizer, self.render = load_base(config.base)
        lora = LoraConfig(r=config.rank, lora_alpha=config.alpha, target_modules="all-linear", task_type="CAUSAL_LM")
        self.model = get_peft_model(base, lora)
        self.parameters = [p for p in self.model.parameters() if p.requires_grad]
        self.optimizer = torch.optim.AdamW(self.parameters, lr=config.lr, weight_decay=0.0, betas=(0.9, 0.98))
        from .forward import make_forward

        self.forward = make_forward(self.model)
        self.rows = encode(read_rows(config.data), self.render, self.tokenizer, config.max_length)
        valid = read_rows(config.valid) if config.valid else []
        self.valid = encode(valid, self.render, self.tokenizer, config.max_length) if valid else []
        config.out.mkdir(parents=True, exist_ok=True)
        if config.resume:
            self.load()

    def train(self) -> Iterator[Progress]:
        """Runs to the end (or the clock's), a log line per step. Raises InputError on NaN or dead gradients."""
        import torch

        began, before = time.monotonic(), self.seconds
        for number, batch in enumerate(stream(self.rows, self.config)):
            if number < self.step:
                continue
            done = self._done()
            if done >= 1:
                break
            lr = learning_rate(self.config, done)
            for group in self.optimizer.param_groups:
                group["lr"] = lr
            loss = self.forward(batch)
            loss.backward()
            norm = float(torch.nn.utils.clip_grad_norm_(self.parameters, 1.0))
            value = float(loss.detach())
            self._check(value, norm)
            self.optimizer.step()
            self.optimizer.zero_grad(set_to_none=True)
            self.step += 1
            self.tokens += sum(len(row.ids) for row in batch)
            self.seconds = before + time.monotonic() - began
            valid = None
            if self.step % self.config.save_every == 0:
                valid = self.validate()
                self.save()
            yield self._log(Progress(self.step, self._total(), value, lr, norm, self.tokens, self.seconds, valid))
        self.save(final=True)

    def validate(self) -> float | None:
        """Mean loss a token over the validation rows (at most 160 of them); None without any."""
        import torch

        if not self.valid:
            return None
        total = count = 0.0
        with torch.no_grad():
            for batch in batches(self.valid[:160], self.config.batch_tokens, 0, 0):
                weight = sum(len(row.ids) - row.start for row in batch)
                total, count = total + float(self.forward(batch)) * weight, count + weight
        return total / count

    def save(self, final: bool = False) -> None:
        """A checkpoint, whole or not at all (written beside, then renamed)."""
        import torch

        target = self.config.out / ("final" if final else "checkpoint")
        beside = target.with_suffix(".new")
        shutil.rmtree(beside, ignore_errors=True)
        try:
            self.model.save_pretrained(str(beside), save_embedding_layers=False)
            state = {"step": self.step, "seconds": self.seconds, "tokens": self.tokens}
            torch.save({**state, "optimizer": self.optimizer.state_dict()}, beside / "state.pt")
            shutil.rmtree(target, ignore_errors=True)
            beside.rename(target)
        except OSError as error:
            shutil.rmtree(beside, ignore_errors=True)
            raise InputError(
                f"The checkpoint could not be written ({error.strerror}); the one before it is intact."
            ) from error

    def load(self) -> None:
        """Go on from the newest checkpoint. Raises InputError when there is none."""
        import torch
        from peft import load_peft_weights, set_peft_model_state_dict

        source = self.config.out / "checkpoint"
        if not (source / "state.pt").is_file():
            raise InputError(f"There is no checkpoint in {self.config.out}; start without --resume.")
        set_peft_model_state_dict(self.model, load_peft_weights(str(source), device="cpu"))
        state = torch.load(source / "state.pt", weights_only=True)
        self.optimizer.load_state_dict(state["optimizer"])
        self.step, self.seconds, self.tokens = state["step"], state["seconds"], state["tokens"]

    def _done(self) -> float:
        by_clock = self.seconds / 60 / self.config.minutes if self.config.minutes else 0.0
        return max(self.step / self.config.steps, by_clock)

    def _total(self) -> int:
        done = self._done()
        return self.config.steps if done <= 0 else min(self.config.steps, max(self.step, round(self.step / done)))

    @staticmethod
    def _check(loss: float, norm: float) -> None:
        if not math.isfinite(loss) or not math.isfinite(norm):
            raise InputError("The loss is not a number; lower --lr and resume from the last checkpoint.")
        if norm == 0.0:
            raise InputError("All gradients are zero, so nothing is learned; check the data and the adapter's layers.")

    def _log(self, progress: Progress) -> Progress:
        with (self.config.out / "log.jsonl").open("a", encoding="utf-8") as log:
            log.write(json.dumps(asdict(progress)) + "\n")
        return progress
