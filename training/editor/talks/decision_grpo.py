"""GRPO or DAPO over the editor's decisions in whole episodes, for a policy that answers in the text protocol.

J = sum over decisions of A log pi(a | s), minus beta KL(pi || pi0) (grpo only)

A step plays `groups` episodes, `samples` rollouts of each from copies of one identical memory; A is what `rollout.py`
credits a decision with, less the group's mean, over the root mean square of the step's. A decision is a choice among
the few replies that its grammar allows, so pi(a | s) is exact. It is computed once for each question of a step, since
rollouts of a group are mostly asked the same ones. Each sample is learned from once, by the policy that drew it, so
ratios are 1 and there is nothing to clip. Questions to which all rollouts gave one reply have no gradient.
dapo: no KL, and episodes whose rollouts don't differ are drawn anew, at most `resample` times a step.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ....models.lm import Message
from ...loop.loop import RunConfig
from ...loop.stopping import PATIENCE
from ...methods.epg import Epg, EpgConfig, QuestionState, parts, state_of
from ...methods.grpo import GrpoConfig
from ...policy.rows import read_rows
from .rollout import Rollout, Sampler, credits, looks, plain, play
from .task import LocomoTask

if TYPE_CHECKING:
    from torch import Tensor

Credit = Literal["decisions", "episode"]
TRAJECTORIES = "trajectories.jsonl"


class DecisionGrpo(Epg):
    """One run. `most`: proposals that an episode looks at."""

    def __init__(self, config: RunConfig, task: LocomoTask, how: GrpoConfig, most: int, credit: Credit) -> None:
        self.task, self.grpo, self.most, self.credit = task, how, most, credit
        self.sampled = 0  # tokens that the newest step learned from
        self._likely: dict[QuestionState, list[float]] = {}
        super().__init__(
            config, EpgConfig(how.beta if how.variant == "grpo" else 0.0, how.temperature), self._measured_on_valid
        )
        self.watch.patience = PATIENCE  # a few groups without a difference in a row are no wonder
        if not self.valid:
            self.measure = None
        if config.resume:
            _cut(config.out / TRAJECTORIES, self.step)
        self.objective = f"{how.variant.upper()} over LoCoMo episodes, each decision a choice ({credit} credited)"

    def read(self, path: Path) -> list[Any]:
        """The episodes that a file's rows name."""
        return [int(row["case"]["memory"]) for row in read_rows(path)]

    def size(self, batch: Sequence[Any]) -> int:
        """Tokens of the questions that were learned from."""
        return self.sampled

    def batches(self) -> Iterator[list[Any]]:
        """`groups` episodes a step, in random order, epoch after epoch."""
        epoch = 0
        while True:
            order = random.Random(f"{self.config.seed}/{epoch}").sample(self.rows, len(self.rows))
            for start in range(0, len(order) - len(order) % self.grpo.groups, self.grpo.groups):
                yield order[start : start + self.grpo.groups]
            epoch += 1

    def loss(self, batch: Sequence[Any]) -> tuple[Tensor, dict[str, float]]:
        """Plays the step's groups and learns from them. The gradient is gathered part by part, so the value that comes
        back has none of its own."""
        import torch

        self._likely.clear()
        weights: dict[QuestionState, list[float]] = {}
        played: list[Rollout] = []
        for number in self._drawn(batch, weights, played):
            self._note(number, played)
        scale = (sum(a * a for some in weights.values() for a in some) / max(1, _count(weights))) ** 0.5
        apart = {state: some for state, some in weights.items() if any(some)}
        self.sampled = sum(len(state.ids) for state in apart)
        value = 0.0
        for part in parts(list(apart), self.config.batch_tokens):
            lost = self._part(part, apart, scale or 1.0) / max(1, len(apart))
            lost.backward()
            value += float(lost.detach())
        terms = self._summed(played) | {"questions": float(len(weights)), "learned from": float(len(apart))}
        return torch.tensor(value) + 0 * self.parameters[0].sum(), terms

    def _part(
        self, part: Sequence[QuestionState], apart: dict[QuestionState, list[float]], scale: float
    ) -> Tensor:  # fmt: skip
        import torch

        lost = []
        reference = self._reference(part) if self.how.beta else []
        for place, (state, now) in enumerate(zip(part, self._policies(part), strict=True)):
            lost.append(-(now @ torch.tensor(apart[state], device=now.device)) / scale)
            if self.how.beta:
                old = torch.tensor(reference[place], device=now.device)
                lost.append(self.how.beta * (now.exp() @ (now - old)))
        return torch.stack(lost).sum()

    def _drawn(
        self, batch: Sequence[Any], weights: dict[QuestionState, list[float]], played: list[Rollout]
    ) -> Iterator[int]:  # fmt: skip
        """Plays the episodes; with dapo more of them while none differs. Each is told once its rollouts are at hand."""
        left = [number for number in self.rows if number not in batch]
        rng = random.Random(f"{self.config.seed}/{self.step}/anew")
        others = rng.sample(left, min(len(left), self.grpo.resample))
        for turn, number in enumerate([*batch, *others]):
            if turn >= len(batch) and any(any(some) for some in weights.values()):
                return
            group = self.group(number, f"{self.config.seed}/{self.step}/{turn}")
            played += group
            found = credits(self.task.before(number), group, self.credit == "episode")
            for one, values in zip(group, found, strict=True):
                for made, value in zip(one.made, values, strict=True):
                    state = self._state(made.asked, made.texts)
                    weights.setdefault(state, [0.0] * len(made.texts))[made.chosen] += value
            yield number

    def group(self, number: int, seed: str) -> list[Rollout]:
        """`samples` rollouts of an episode, all over the same proposals."""
        found = looks(self.task, number, self.most, seed)
        self._ask_ahead(found, self.task.shown(number))
        return [
            play(
                self.task, number, found, Sampler(self.likely, random.Random(f"{seed}/{one}"), self.task.shown(number))
            )
            for one in range(self.grpo.samples)
        ]

    def greedy(self, number: int) -> Rollout:
        """One rollout of the likeliest decisions."""
        found = looks(self.task, number, self.most, f"greedy {number}")
        self._ask_ahead(found, self.task.shown(number))
        return play(self.task, number, found, Sampler(self.likely, None, self.task.shown(number)))

    def likely(self, messages: Sequence[Message], texts: Sequence[str]) -> list[float]:
        """pi of each reply to a question, at the run's temperature."""
        state = self._state(messages[-1].content, tuple(texts))
        if state not in self._likely:
            self._likely |= self._seen([state])
        return self._likely[state]

    def _ask_ahead(self, found: Any, asked: str) -> None:
        """Reads the questions about the memory as it is side by side: most rollouts are asked no others."""
        from ....models.editor.prompts import editor_messages
        from ..search import actions

        proposals, lines = found
        wanted = [
            self._state(editor_messages(plain(one), lines, asked=asked)[-1].content, tuple(actions(plain(one))))
            for one in proposals
        ]
        self._likely |= self._seen([state for state in dict.fromkeys(wanted) if state not in self._likely])

    def _state(self, asked: str, texts: tuple[str, ...]) -> QuestionState:
        from ....models.editor.prompts import EDITOR_SYSTEM

        prompt = self._tokens(self.render([("system", EDITOR_SYSTEM), ("user", asked)]))
        return state_of(prompt, [self._tokens(text + self.render.ending) for text in texts], [0.0] * len(texts))

    def _note(self, number: int, played: Sequence[Rollout]) -> None:
        """The newest group's rollouts as lines of `trajectories.jsonl`."""
        row = self.task.played_rows[number]
        with (self.config.out / TRAJECTORIES).open("a", encoding="utf-8") as file:
            for one in played[-self.grpo.samples :]:
                acts = [[made.asked, made.texts[made.chosen]] for made in one.made if made.chosen]
                told = {"step": self.step + 1, "episode": row["episode"], "terms": one.terms, "decided": acts}
                file.write(json.dumps(told, ensure_ascii=False) + "\n")

    def _summed(self, played: Sequence[Rollout]) -> dict[str, float]:
        """Means over rollouts; how many questions the frozen model had to be asked."""
        names = dict.fromkeys(["reward", *(name for one in played for name in one.terms)])
        found = {name: sum(one.terms.get(name, 0.0) for one in played) / max(1, len(played)) for name in names}
        rag = self.task.rag
        found["answers given anew"] = rag.fresh / max(1, rag.asked)
        same = all(one.terms["reward"] == played[0].terms["reward"] for one in played)
        return found | {"zero variance": float(same)}

    def validate(self) -> float | None:
        """None: what is held back is played (`--eval-every`), there is no loss over it."""
        return None

    def _measured_on_valid(self, _place: Path) -> dict[str, float]:
        """Means over greedy episodes of a conversation that is held back, by the policy as it is now."""
        self._likely.clear()
        return self._summed([self.greedy(number) for number in self.valid])


def _cut(path: Path, step: int) -> None:
    """Leaves out what a run that was killed played after its last checkpoint: it is played again."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True) if path.is_file() else []
    whole = [line for line in lines if line.endswith("\n") and json.loads(line)["step"] <= step]
    path.write_text("".join(whole), encoding="utf-8")


def _count(weights: dict[QuestionState, list[float]]) -> int:
    return sum(len(some) for some in weights.values())
