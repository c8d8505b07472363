"""The run that all trainers share: base and adapter, the steps, checkpoints, resuming, validation, and when to stop.

An objective is a subclass with a `loss`; what a run's batches are comes from the seed alone, so that a resumed run sees
the same ones in the same order. Checkpoints hold the PEFT adapter, the optimiser and the place in the data; each is
whole or not there. The best one by the validation measure is kept beside the newest.
"""

from __future__ import annotations

import math
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from ...memory.errors import InputError
from ..policy.checkpoints import numbered
from ..policy.rows import batches, encode, read_rows, stream
from . import step_log
from .processes import ranks
from .stopping import Watch, before_the_first_step, out_of_memory, over_already, unwritten

if TYPE_CHECKING:
    from torch import Tensor

Measure = Callable[[Path], Mapping[str, float]]
"""From a PEFT folder to the agent's own measures on held-back rows; the first is the one that chooses the best."""


@dataclass(frozen=True, slots=True)
class RunConfig:
    """Lengths are in tokens. `minutes` ends a run by the clock (the schedule follows whichever end comes first).

    `start` is a PEFT folder to go on from; `rank` and `alpha` are then its own. `eval_every`: steps between two
    measurements of the agent (0: only the loss on the validation rows). `keep`: numbered checkpoints that stay beside
    the newest (None: all).
    """

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
    eval_every: int = 0
    resume: bool = False
    start: Path | None = None
    keep: int | None = 2


@dataclass(frozen=True, slots=True)
class Progress:
    """One line of the log. `terms` are the objective's own numbers, `measures` the agent's on held-back rows."""

    step: int
    of: int
    loss: float
    lr: float
    grad_norm: float
    tokens: int
    seconds: float
    valid_loss: float | None = None
    terms: Mapping[str, float] = field(default_factory=dict)
    measures: Mapping[str, float] = field(default_factory=dict)


class TrainingRun(Protocol):
    """What every trainer is to the one who runs it."""

    objective: str
    model: Any
    config: RunConfig
    step: int
    tokens: int
    seconds: float
    rows: list[Any]
    valid: list[Any]

    @property
    def history(self) -> list[dict[str, float]]: ...

    def run(self, tell: Callable[[Progress], None]) -> None: ...

    def save(self) -> None: ...


def learning_rate(config: RunConfig, done: float) -> float:
    """Linear warm-up, then cosine to a tenth; `done` is the share of the run that is over."""
    if done < config.warmup:
        return config.lr * (done + 1e-3) / config.warmup
    share = min(1.0, (done - config.warmup) / (1 - config.warmup))
    return config.lr * (0.1 + 0.9 * (1 + math.cos(math.pi * share)) / 2)


class Loop:
    """One run. `train` reads top to bottom; everything that has to survive an interruption is in `save`/`load`."""

    objective = ""
    """What the model card says about the loss."""

    def __init__(self, config: RunConfig, measure: Measure | None = None) -> None:
        import torch

        from ..policy.base import load_base
        from ..policy.likelihood import make_likelihood, make_logits
        from ..policy.lora import attach

        torch.manual_seed(config.seed)
        self.ranks = ranks()
        self.config, self.measure = config, measure
        self.step, self.seconds, self.tokens = 0, 0.0, 0
        self.watch = Watch(config.out, patience=1)
        if config.resume and not (config.out / "checkpoint" / "state.pt").is_file():
            raise InputError(f"There is no checkpoint in {config.out}; start without --resume.")
        base, self.tokenizer, self.render = load_base(config.base)
        self.model = attach(base, config.rank, config.alpha, config.start)
        self.parameters = [p for p in self.model.parameters() if p.requires_grad]
        self.optimizer = self.make_optimizer()
        self.logits = make_logits(self.model)
        self.likelihood = make_likelihood(self.logits)
        self.rows, self.valid = self.read(config.data), self.read(config.valid) if config.valid else []
        config.out.mkdir(parents=True, exist_ok=True)
        if config.resume:
            self.load()

    def make_optimizer(self) -> Any:
        """What moves the adapter's weights."""
        import torch

        return torch.optim.AdamW(self.parameters, lr=self.config.lr, weight_decay=0.0, betas=(0.9, 0.98))

    @property
    def history(self) -> list[dict[str, float]]:
        """What was measured so far."""
        return self.watch.history

    def run(self, tell: Callable[[Progress], None]) -> None:
        """Trains to the end and tells every step."""
        for at in self.train():
            tell(at)

    def read(self, path: Path) -> list[Any]:
        """The rows of a file as tokens."""
        return encode(read_rows(path), self.render, self.tokenizer, self.config.max_length)

    def batches(self) -> Iterator[list[Any]]:
        """Every batch of the run from its first step on; those before a resumed step are passed over."""
        return stream(self.rows, self.config.batch_tokens, self.config.seed)

    def loss(self, batch: Sequence[Any]) -> tuple[Tensor, dict[str, float]]:
        """The batch's loss, and numbers worth logging."""
        raise TypeError("A run needs an objective, such as Sft.")

    def train(self) -> Iterator[Progress]:
        """Runs to the end (or the clock's), a log line per step. Raises InputError: NaN, dead gradients, no memory."""
        began, before = time.monotonic(), self.seconds
        if self.config.resume and self._done() >= 1:
            self._over_already()
            return
        if self.config.start is not None and self.step == 0:
            self._measure_at_an_end()  # what the run has to beat
        for number, batch in enumerate(self.ranks.share(self.batches())):
            if number < self.step:
                continue
            self.seconds = before + time.monotonic() - began
            done = self._done()
            if done >= 1:
                break
            lr = learning_rate(self.config, done)
            loss, norm, terms = self._update(batch, lr)
            self.step += 1
            self.tokens += self.size(batch)
            valid = self.validate() if self.step % self.config.save_every == 0 else None
            due = self.watch.due(self.step, self.config.eval_every, self.measure)
            measures: dict[str, float] = {}
            if due:
                with self.ranks.first() as mine:
                    measures = self._measured() if mine else {}
            if self.step % self.config.save_every == 0:
                self.save()
            self.seconds = before + time.monotonic() - began
            yield self._log(
                Progress(self.step, self._total(), loss, lr, norm, self.tokens, self.seconds, valid, terms, measures)
            )
            self.watch.check(self.step)
        if not self.step and self._done() >= 1:
            self.save()
            raise before_the_first_step(self.config.minutes)
        self._measure_at_an_end()
        self.save(final=True)

    def _over_already(self) -> None:
        """A resumed run without a step to go says so, and ends as it would have ended then; what an earlier end kept of
        later steps stays."""
        if self.ranks.main:
            later = step_log.last(self.config.out)
            print(over_already(self.step, self.config.steps, self.seconds, self.config.minutes, later), file=sys.stderr)
        self._measure_at_an_end()
        if _step_of(self.config.out / "final") <= self.step:
            self.save(final=True)

    def size(self, batch: Sequence[Any]) -> int:
        """Tokens of a batch."""
        return sum(len(row.ids) for row in batch)

    def _update(self, batch: Sequence[Any], lr: float) -> tuple[float, float, dict[str, float]]:
        import torch

        for group in self.optimizer.param_groups:
            group["lr"] = lr
        try:
            loss, terms = self.loss(batch)
            loss.backward()
        except (MemoryError, RuntimeError) as error:
            where = f"step {self.step + 1} ({len(batch)} rows, {self.size(batch)} tokens)"
            raise out_of_memory(error, where, "--batch-tokens or --max-length") from error
        self.ranks.average(self.parameters)
        norm = float(torch.nn.utils.clip_grad_norm_(self.parameters, 1.0))
        value = float(loss.detach())
        self.watch.gradients(value, norm, terms)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        return value, norm, terms

    def validate(self) -> float | None:
        """Mean loss a token over the validation rows (at most 160 of them); None without any."""
        import torch

        if not self.valid:
            return None
        total = count = 0.0
        with torch.no_grad():
            for batch in batches(self.valid[:160], self.config.batch_tokens, 0, 0):
                tokens = self.likelihood(batch)
                total, count = total - float(tokens.sum()), count + len(tokens)
        return total / count

    def _measure_at_an_end(self) -> None:
        """Measures what stands before the first step or after the last one, unless it has been measured."""
        if self.measure is None or self.config.eval_every <= 0 or self.watch.knows(self.step):
            return
        with self.ranks.first() as mine:
            if mine:
                self._measured()

    def _measured(self) -> dict[str, float]:
        """The agent's measures now."""
        assert self.measure is not None
        place = self.config.out / "measured"
        self._write(place)
        found = dict(self.measure(place))
        self.watch.keep(place, self.step, found)
        return found

    def save(self, final: bool = False) -> None:
        """A checkpoint, whole or not at all (written beside, then renamed). `final`: the run's end, from which one with
        more steps or minutes goes on, too. Raises InputError on a full disk."""
        with self.ranks.first() as mine:
            if mine:
                place = self.config.out / "checkpoint"
                self._write(place, state=True)
                if final:
                    self._write(self.config.out / "final", state=True)
                elif self.step:
                    numbered(place, self.step, self.config.keep)

    def _write(self, target: Path, state: bool = False) -> None:
        import torch

        beside = target.with_suffix(".new")
        shutil.rmtree(beside, ignore_errors=True)
        try:
            self.model.save_pretrained(str(beside), save_embedding_layers=False)
            if state:
                torch.save({**self.state(), "optimizer": self.optimizer.state_dict()}, beside / "state.pt")
            shutil.rmtree(target, ignore_errors=True)
            beside.rename(target)
        except (OSError, RuntimeError) as error:  # torch's writer says RuntimeError when the disk is full
            shutil.rmtree(beside, ignore_errors=True)
            raise unwritten(error) from error

    def state(self) -> dict[str, Any]:
        """What a resumed run needs beside the weights."""
        return {"step": self.step, "seconds": self.seconds, "tokens": self.tokens, "history": self.watch.history}

    def load(self) -> None:
        """Go on from the newest checkpoint."""
        import torch
        from peft import load_peft_weights, set_peft_model_state_dict

        source = self.config.out / "checkpoint"
        set_peft_model_state_dict(self.model, load_peft_weights(str(source), device="cpu"))
        state = torch.load(source / "state.pt", weights_only=True)
        self.optimizer.load_state_dict(state["optimizer"])
        self.step, self.seconds, self.tokens = state["step"], state["seconds"], state["tokens"]
        self.watch.history = state.get("history", [])

    def _done(self) -> float:
        by_clock = self.seconds / 60 / self.config.minutes if self.config.minutes else 0.0
        return max(self.step / self.config.steps, by_clock)

    def _total(self) -> int:
        done = self._done()
        return self.config.steps if done <= 0 else min(self.config.steps, max(self.step, round(self.step / done)))

    def _log(self, progress: Progress) -> Progress:
        if self.ranks.main:
            step_log.tell(self.config.out, progress.step, asdict(progress))
        return progress


def _step_of(place: Path) -> int:
    """The step of a checkpoint; 0 where there is none."""
    import torch

    state = place / "state.pt"
    return int(torch.load(state, weights_only=True)["step"]) if state.is_file() else 0
