"""GRPO (Shao et al. 2024) and DAPO (Yu et al. 2025) through TRL, with the task's executable reward.

`grpo`: advantages within a prompt's group, clipped at .2, held near the start by a KL term. `dapo`: clipped at .2 below
and .28 above, no KL, loss over tokens, groups that don't differ drawn anew, a price for replies that run on
(`dapo.py`; without one, truncated completions are masked). On a CPU with the embedded base the completions
are drawn by llama.cpp under the agent's grammar; elsewhere by TRL itself, or by vLLM with `--vllm`.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ...memory.errors import InputError, SettingsError
from ..loop import step_log
from ..loop.loop import Measure, Progress, RunConfig
from ..loop.processes import ranks
from ..loop.stopping import Watch, out_of_memory, unwritten
from ..policy.rows import read_rows
from ..policy.sampling import Draws, Task, askable, at_step, draw, masked, policy
from . import dapo
from .trl_options import short

Tell = Callable[[Progress], None]
SHOWN = {
    "reward": "reward", "reward_std": "reward std", "kl": "kl", "entropy": "entropy",
    "completions/mean_length": "tokens", "completions/clipped_ratio": "clipped",
    "frac_reward_zero_std": "zero variance", "clip_ratio/region_mean": "clip ratio",
}  # fmt: skip
"""TRL's names and ours; a task's own terms come beside them."""


@dataclass(frozen=True, slots=True)
class GrpoConfig:
    """`groups` prompts a step, `samples` completions each. `beta`: weight of the KL term (grpo only). dapo only:
    `resample`: how often groups without a difference are drawn anew; `overlong`: tokens before the limit over which a
    completion is charged. `keep`: checkpoints that stay (None: all). `dropout`: of a new LoRA; `prompt_tokens`: rows
    with a longer prompt are left out; `trl`: further fields of TRL's own configuration (`trl_options.chosen`)."""

    variant: str = "grpo"
    groups: int = 2
    samples: int = 4
    temperature: float = 1.0
    beta: float = 0.04
    max_tokens: int = 224
    vllm: str = ""
    threads: int | None = None
    resample: int = 0
    overlong: int = 0
    keep: int | None = 2
    dropout: float = 0.0
    prompt_tokens: int | None = None
    trl: Mapping[str, Any] = field(default_factory=dict)


class Grpo:
    """One run; what `fit` asks of every run (`run`, `history`, `model`) is there."""

    def __init__(self, config: RunConfig, task: Task, how: GrpoConfig, measure: Measure | None = None) -> None:
        from ..policy.base import load_base
        from ..policy.lora import attach

        needs_vllm(how)
        self.config, self.task, self.how, self.measure = config, task, how, measure
        self.objective = f"{how.variant.upper()} with an executable reward"
        if config.resume and not self.checkpoint():
            raise InputError(f"There is no checkpoint in {config.out}; start without --resume.")
        base, self.tokenizer, self.render = load_base(config.base)
        self.model = attach(base, config.rank, config.alpha, config.start, how.dropout)
        self.rows = self._short(askable(read_rows(config.data), task, config.data))
        self.valid = read_rows(config.valid) if config.valid else []
        self.step, self.tokens, self.seconds, self.began = 0, 0, 0.0, time.monotonic()
        self.watch = Watch(config.out)  # a few groups without a difference in a row are no wonder
        config.out.mkdir(parents=True, exist_ok=True)
        self.trainer: Any = None
        self._known: dict[tuple[str, str, int], dict[str, float]] = {}
        self._drawn = 0  # in this step, so that what is drawn anew is drawn otherwise
        if config.resume:
            self.watch.recall()

    def _short(self, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        if self.how.prompt_tokens is None:
            return rows
        sizes = [len(self._ids(self.render([(role, said) for role, said in row["messages"]]))) for row in rows]
        return short(rows, sizes, self.how.prompt_tokens)

    @property
    def history(self) -> list[dict[str, float]]:
        """What was measured so far."""
        return self.watch.history

    def checkpoint(self) -> Path | None:
        """The newest whole checkpoint of TRL's."""
        found = [
            place
            for place in (self.config.out / "trl").glob("checkpoint-*")
            if (place / "trainer_state.json").is_file()
        ]
        return max(found, key=lambda place: int(place.name.partition("-")[2]), default=None)

    def run(self, tell: Tell) -> None:
        """Trains to the end. Raises InputError: dead gradients, NaN, no memory, a full disk, a gamed reward."""
        self.trainer = self._trainer(tell)
        if self.config.start is not None:
            self._measure_at_an_end()  # what the run has to beat
        last = self.checkpoint() if self.config.resume else None
        try:
            self.trainer.train(resume_from_checkpoint=str(last) if last else None)
        except (MemoryError, RuntimeError) as error:
            raise out_of_memory(error, f"step {self.step + 1}", "--groups, --samples or --max-length") from error
        except OSError as error:
            raise unwritten(error) from error
        self._measure_at_an_end()
        self.trainer.save_model(str(self.config.out / "final"))  # by all processes: it gathers what FSDP split

    def save(self) -> None:
        """Called when the run is interrupted: TRL's checkpoints are every `save_every` steps."""

    def write(self, place: Path) -> None:
        """The adapter as a PEFT folder."""
        shutil.rmtree(place, ignore_errors=True)
        self.model.save_pretrained(str(place), selected_adapters=["default"], save_embedding_layers=False)

    def reward(
        self, prompts: Any, completions: Any, row: Sequence[str], completion_ids: Any, log_metric: Any, **_: Any
    ) -> list[float]:
        """TRL's reward function: each completion is run, its terms are logged one by one.

        One that can't be scored earns the mean of its group, so it has no advantage. (TRL takes None for that, and
        then writes the whole prompt into its log.)
        """
        held: dict[str, list[float]] = {}
        found = self.scored([json.loads(text) for text in row], completions, completion_ids)
        self._known.clear()  # the next step's completions are others
        for terms in found:
            for name, value in terms.items():
                if name != "reward":
                    held.setdefault(name, []).append(value)
        if lost := sum(map(masked, found)):
            held["masked"] = [lost / len(found)]
        for name, values in held.items():
            log_metric(f"term/{name}", sum(values) / len(values))
        return dapo.filled([terms["reward"] for terms in found], self.how.samples)

    def scored(
        self, rows: Sequence[dict[str, Any]], completions: Sequence[Any], ids: Sequence[Sequence[int]]
    ) -> list[dict[str, float]]:
        """The terms of each completion at this step; one that was scored while groups were drawn isn't run again."""
        at_step(self.task, self.trainer.state.global_step)
        found = []
        for asked, written, tokens in zip(rows, completions, ids, strict=True):
            key = (json.dumps(asked["messages"]), written[0]["content"], len(tokens))
            if key not in self._known:
                terms = dict(self.task.score(asked, written[0]["content"]))
                if self.how.overlong:
                    terms["overlong"] = dapo.overlong(len(tokens), self.how.max_tokens, self.how.overlong)
                    terms["reward"] += terms["overlong"]
                self._known[key] = terms
            found.append(self._known[key])
        return found

    def _differ(self, inputs: Sequence[Any], completions: Sequence[Any], ids: Sequence[Sequence[int]]) -> list[float]:
        """What dynamic sampling asks: the reward of each completion."""
        return [terms["reward"] for terms in self.scored(dapo.rows_of(inputs), completions, ids)]

    def rollout(self, prompts: Sequence[Any], _trainer: Any) -> dict[str, Any]:
        """Completions by llama.cpp with the policy as it is now; repeated prompts are one group."""
        ids, written = [], []
        said = [[(one["role"], one["content"]) for one in prompt] for prompt in prompts]
        seed, heat = f"{self.config.seed}/{self.trainer.state.global_step}", self.how.temperature
        wanted = [
            Draws(messages, self.task.options({"messages": messages}), 1, heat, f"{seed}/{number}")
            for number, messages in enumerate(said, self._drawn)
        ]
        with TemporaryDirectory() as scratch:
            place = Path(scratch) / "now"
            self.write(place)
            with policy(self.config.base, place, self.how.threads) as lm:
                for messages, (sample,) in zip(said, draw(lm, *wanted), strict=True):
                    ending = "" if sample.clipped else self.render.ending
                    ids.append(self._ids(self.render(messages)))
                    written.append(self._ids(sample.text + ending))
        self._drawn += len(prompts)
        return {"prompt_ids": ids, "completion_ids": written, "logprobs": None}

    def _ids(self, text: str) -> list[int]:
        found: list[int] = self.tokenizer(text, add_special_tokens=False)["input_ids"]
        return found

    def _trainer(self, tell: Tell) -> Any:
        from transformers import PrinterCallback, TrainerCallback
        from trl import GRPOTrainer

        run = self

        class Logged(TrainerCallback):
            """Hands TRL's numbers on as ours."""

            def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
                run.logged(dict(logs or {}), state, tell)

        os.environ.setdefault("TRL_EXPERIMENTAL_SILENCE", "1")
        if self.tokenizer.pad_token is None:
            self.tokenizer.pad_token = self.tokenizer.eos_token
        on_cpu = next(self.model.parameters()).device.type == "cpu"
        kind = GRPOTrainer
        asked = self.asked(on_cpu)
        if self.how.resample and "row" in asked["train_dataset"].column_names:
            kind = dapo.dynamic(GRPOTrainer, self.how.resample, self._differ, self.config.seed)
        trainer = kind(model=self.model, processing_class=self.tokenizer, callbacks=[Logged()], **asked)
        trainer.remove_callback(PrinterCallback)  # it writes to stdout; ours show the same numbers
        return trainer

    def asked(self, on_cpu: bool) -> dict[str, Any]:
        """What TRL is to do: the settings, the prompts, who writes to them and what that is worth."""
        from datasets import Dataset

        made = [
            {
                "prompt": self.render.roles(row["messages"]),
                "row": json.dumps({name: row[name] for name in ("messages", "completion", "case") if name in row}),
            }
            for row in self.rows
        ]
        here = on_cpu and self.config.base == "embedded" and not self.how.vllm
        return {
            "args": settings(self.config, self.how, on_cpu), "train_dataset": Dataset.from_list(made),
            "reward_funcs": self.reward, "rollout_func": self.rollout if here else None,
        }  # fmt: skip

    def logged(self, logs: Mapping[str, Any], state: Any, tell: Tell) -> None:
        """One step's numbers, checked and passed on."""
        if "reward" not in logs:
            return
        self.step, self.seconds, self._drawn = state.global_step, time.monotonic() - self.began, 0
        self.tokens = int(state.num_input_tokens_seen or logs.get("num_tokens", 0))
        terms = {ours: float(logs[theirs]) for theirs, ours in SHOWN.items() if theirs in logs}
        if self.how.resample:
            terms["resampled"] = float(getattr(self.trainer, "resampled", 0))
        terms |= {name.partition("/")[2]: float(value) for name, value in logs.items() if name.startswith("term/")}
        loss, norm = float(logs.get("loss", 0.0)), float(logs.get("grad_norm", 0.0))
        self.watch.gradients(loss, norm, terms)
        if not ranks().main:
            return
        measures = self._measured() if self.watch.due(self.step, self.config.eval_every, self.measure) else {}
        at = Progress(
            self.step, self.config.steps, loss, float(logs.get("learning_rate", 0.0)), norm, self.tokens, self.seconds,
            None, terms, measures,
        )  # fmt: skip
        step_log.tell(self.config.out, at.step, asdict(at))
        tell(at)
        self.watch.check(self.step)

    def _measure_at_an_end(self) -> None:
        wanted = self.measure is not None and self.config.eval_every > 0 and not self.watch.knows(self.step)
        with ranks().first() as mine:
            if mine and wanted:
                self._measured()

    def _measured(self) -> dict[str, float]:
        assert self.measure is not None
        place = self.config.out / "measured"
        self.write(place)
        found = dict(self.measure(place))
        self.watch.keep(place, self.step, found)
        return found


def settings(config: RunConfig, how: GrpoConfig, on_cpu: bool, **more: Any) -> Any:
    """TRL's own configuration of a run; `more` of its fields as they are."""
    from trl import GRPOConfig

    variant: dict[str, Any] = {"loss_type": "grpo", "beta": how.beta}
    if how.variant == "dapo":
        cut = not how.overlong  # what is charged for its length is learned from, to its last token
        variant = {"loss_type": "dapo", "beta": 0.0, "epsilon_high": 0.28, "mask_truncated_completions": cut}
    served: dict[str, Any] = {"use_vllm": True, "vllm_mode": how.vllm} if how.vllm else {}
    return GRPOConfig(
        output_dir=str(config.out / "trl"), max_steps=config.steps, learning_rate=config.lr, seed=config.seed,
        num_generations=how.samples,
        max_completion_length=how.max_tokens, temperature=how.temperature, logging_steps=1,
        save_steps=config.save_every, save_total_limit=how.keep, report_to="none", use_cpu=on_cpu,
        bf16=not on_cpu,
        disable_tqdm=True, **_recomputing(GRPOConfig, not on_cpu), **variant, **served,
        **{"per_device_train_batch_size": how.groups * how.samples,
           "warmup_steps": max(1, round(config.warmup * config.steps)), **how.trl, **more},
    )  # fmt: skip


def _recomputing(config: Any, wanted: bool) -> dict[str, Any]:
    """Whether activations are computed anew instead of kept, by the name that this version of transformers knows."""
    if "activation_checkpointing" in config.__dataclass_fields__:
        return {"activation_checkpointing": wanted, "gradient_checkpointing": None}
    return {"gradient_checkpointing": wanted}


def needs_vllm(how: GrpoConfig) -> None:
    """Raises SettingsError where `--vllm` was asked for and isn't there."""
    from importlib.util import find_spec

    if how.vllm and find_spec("vllm") is None:
        raise SettingsError(
            "--vllm needs vLLM, which isn't installed; run `pip install vllm` on a machine with a GPU, or leave it out."
        )
