"""Expected policy gradients (Ciosek and Whiteson 2018): where the actions are few, all of them, and no sample.

J = mean over states of sum_a pi(a | s) R(s, a) - beta * KL(pi(. | s) || pi0(. | s))

The actions are the completions that a question's grammar allows, R(s, a) was found by carrying each of them out
(`editor/search.py`). pi(a | s) is the likelihood of the completion's tokens under that grammar, so the sum over the
actions is 1: at each place where completions part, a softmax (of the logits / T, T the temperature) over the tokens
that may follow. So the gradient is exact. A policy that is sure draws one action, and samples then teach nothing; here
every action counts with its likelihood, however small, and a T above 1 makes the sure less sure while they learn.
pi0 is the policy that the run starts from. Where the policy is sure and right there is next to no gradient, so a step
looks at many states (a pass forward) and learns from those that pull most.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...memory.errors import InputError
from ..loop.loop import Loop, Measure, RunConfig
from ..policy.likelihood import make_choices
from ..policy.rows import read_rows
from ..policy.start_weights import Started

if TYPE_CHECKING:
    from torch import Tensor

Tokens = tuple[int, ...]
LOOKED_AT = 4
"""Budgets of states that a step looks at, without gradients, to learn from one."""


@dataclass(frozen=True, slots=True)
class Fork:
    """A place where completions part: the tokens up to there, and those of which one follows."""

    before: Tokens
    follow: Tokens


@dataclass(frozen=True, slots=True)
class QuestionState:
    """A question: its forks, and for each action its way (which fork, which token of it) and its reward."""

    forks: tuple[Fork, ...]
    ways: tuple[tuple[tuple[int, int], ...], ...]
    rewards: tuple[float, ...]

    @property
    def ids(self) -> Tokens:
        """The tokens of all forks, for counting."""
        return tuple(token for fork in self.forks for token in fork.before)


@dataclass(frozen=True, slots=True)
class EpgConfig:
    """`beta` weighs the KL term, in units of the reward; `temperature` flattens the policy while it learns."""

    beta: float = 0.002
    temperature: float = 1.0


class Epg(Loop):
    """Rows whose case holds {"rewards": {completion: reward}}; others are passed over."""

    objective = "expected policy gradient over all decisions, with a KL term to the start"

    def __init__(self, config: RunConfig, how: EpgConfig | None = None, measure: Measure | None = None) -> None:
        self.how = how or EpgConfig()
        super().__init__(config, measure)
        self.choices = make_choices(self.model)
        self._started = Started(self.model, self.parameters, config.start, config.resume)
        self._known: dict[QuestionState, list[float]] = {}

    def read(self, path: Path) -> list[Any]:
        """The states of a file. Raises InputError when there are none."""
        found = []
        for row in read_rows(path):
            rewards: dict[str, float] = row.get("case", {}).get("rewards", {})
            if len(rewards) > 1:
                prompt = self._tokens(self.render(row["messages"]))
                ends = [self._tokens(text + self.render.ending) for text in rewards]
                found.append(state_of(prompt, ends, list(rewards.values())))
        found = [state for state in found if max(len(fork.before) for fork in state.forks) <= self.config.max_length]
        if not found:
            raise InputError(f"{path.name} holds no rewards of all decisions; build the rows with --rows-by search.")
        return found

    def _tokens(self, text: str) -> Tokens:
        return tuple(self.tokenizer(text, add_special_tokens=False)["input_ids"])

    def batches(self) -> Iterator[list[Any]]:
        """States in random order, `LOOKED_AT` times as many as the token budget holds."""
        epoch = 0
        while True:
            order = random.Random(f"{self.config.seed}/{epoch}").sample(self.rows, len(self.rows))
            yield from parts(order, self.config.batch_tokens * LOOKED_AT)
            epoch += 1

    def loss(self, batch: Sequence[QuestionState]) -> tuple[Tensor, dict[str, float]]:
        """-J; its gradient is that of the states which pull most, as many as the token budget holds."""
        import torch

        seen = self._seen(batch)
        order = sorted(batch, key=lambda state: -pull(state, seen[state]))
        chosen = next(parts(order, self.config.batch_tokens))
        earned, apart = [], []
        for state, now, old in zip(chosen, self._policies(chosen), self._reference(chosen), strict=True):
            earned.append(now.exp() @ torch.tensor(state.rewards, device=now.device))
            apart.append(now.exp() @ (now - torch.tensor(old, device=now.device)))
        kl = torch.stack(apart)
        objective = (torch.stack(earned) - self.how.beta * kl).sum() / len(batch)
        mean = lambda values: sum(values) / len(batch)  # noqa: E731
        terms = {
            "reward": mean([expected(state, seen[state]) for state in batch]),
            "regret": mean([regret(state, seen[state]) for state in batch]),
            "kl": float(kl.detach().mean()), "sure": mean([max(seen[state]) for state in batch]),
        }  # fmt: skip
        return -objective, terms

    def validate(self) -> float | None:
        """The mean regret over at most 160 held-back states."""
        states = self.valid[:160]
        seen = self._seen(states)
        return sum(regret(state, seen[state]) for state in states) / len(states) if states else None

    def _seen(self, states: Sequence[QuestionState]) -> dict[QuestionState, list[float]]:
        """pi of each state's actions, without gradients."""
        import torch

        with torch.no_grad():
            return {
                state: now.exp().tolist()
                for part in parts(states, self.config.batch_tokens)
                for state, now in zip(part, self._policies(part), strict=True)
            }

    def _policies(self, batch: Sequence[QuestionState]) -> list[Tensor]:
        """log pi of each state's actions."""
        import torch

        forks = [fork for state in batch for fork in state.forks]
        logits = self.choices([fork.before for fork in forks], [fork.follow for fork in forks])
        rows = iter([torch.log_softmax(each / self.how.temperature, dim=0) for each in logits])
        policies = []
        for state in batch:
            own = [next(rows) for _ in state.forks]
            policies.append(
                torch.stack([sum((own[fork][at] for fork, at in way), own[0].new_zeros(())) for way in state.ways])
            )
        return policies

    def _reference(self, batch: Sequence[QuestionState]) -> list[list[float]]:
        """log pi0 of each state's actions; computed once for each state."""
        import torch

        if new := [state for state in dict.fromkeys(batch) if state not in self._known]:
            with torch.no_grad(), self._started.policy():
                for state, found in zip(new, self._policies(new), strict=True):
                    self._known[state] = found.tolist()
        return [self._known[state] for state in batch]


def expected(state: QuestionState, policy: Sequence[float]) -> float:
    """J of one state."""
    return sum(likely * reward for likely, reward in zip(policy, state.rewards, strict=True))


def regret(state: QuestionState, policy: Sequence[float]) -> float:
    """What the best action earns more than J."""
    return max(state.rewards) - expected(state, policy)


def pull(state: QuestionState, policy: Sequence[float]) -> float:
    """The size of J's gradient in the actions' logits: sum_a pi(a) |R(a) - J|."""
    value = expected(state, policy)
    return sum(likely * abs(reward - value) for likely, reward in zip(policy, state.rewards, strict=True))


def parts(states: Sequence[QuestionState], budget: int) -> Iterator[list[QuestionState]]:
    """The states in their order, as many at a time as so many tokens hold."""
    part: list[QuestionState] = []
    for state in states:
        if part and sum(len(one.ids) for one in part) + len(state.ids) > budget:
            yield part
            part = []
        part.append(state)
    if part:
        yield part


def state_of(prompt: Tokens, ends: Sequence[Tokens], rewards: Sequence[float]) -> QuestionState:
    """The forks among completions, none of which begins another. `ends`: the tokens of each, its ending included."""
    follow: dict[Tokens, list[int]] = {}
    for end in ends:
        for place, token in enumerate(end):
            tokens = follow.setdefault(end[:place], [])
            if token not in tokens:
                tokens.append(token)
    forks = [(prefix, tokens) for prefix, tokens in follow.items() if len(tokens) > 1]
    place_of = {prefix: place for place, (prefix, _) in enumerate(forks)}
    ways = tuple(
        tuple(
            (place_of[end[:at]], follow[end[:at]].index(token)) for at, token in enumerate(end) if end[:at] in place_of
        )
        for end in ends
    )
    return QuestionState(
        tuple(Fork((*prompt, *prefix), tuple(tokens)) for prefix, tokens in forks), ways, tuple(rewards)
    )
