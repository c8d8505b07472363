"""What a prompt is worth: our rewards, told to an optimiser as a number and in words, and kept by prompt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from ....eval.agents.storage import BRIEF
from ....eval.measures.intervals import Estimate, bootstrap
from ....models.lm import Options
from ....models.prompts.tuned import Prompt
from ...policy.sampling import Task
from .forms import Fields, Form, messages_of

if TYPE_CHECKING:
    from .engine import Engine

FINALISTS = 3
"""Prompts that are asked the validation rows, beside the one to start from."""
PRIOR = 4
"""Rows' worth of the start's mean that a prompt's mean is drawn to: one seen on few rows is judged with care."""
WORDS = {
    "valid": "the guard refused it", "store or not": "stored where nothing was to be noted, or noted nothing",
    "f1": "told in other words than a person would", "recall": "left out words that tell",
    "kept": "lost names or numbers", "dated": "wrong date", "subject": "booked on the wrong person",
    "change": "changed the wrong known row", "right": "not right", "grounded": "not what the memory says",
    "honest": "should have said that it doesn't know", "answers": "said that it doesn't know though it is there",
    "evidence": "brought none of the rows that hold the answer", "recall@10": "brought few of the rows in question",
    "judged": "the judge doesn't call it right",
}  # fmt: skip
"""What it means when a term of a reward is below 1."""


class Scored(NamedTuple):
    """A reply's reward and its terms; `why`: what a judge says of it."""

    reward: float
    terms: Mapping[str, float]
    why: str = ""


@dataclass
class Trials:
    """Every prompt that was tried on rows at temperature 0, with what it earned on each."""

    start: Prompt
    earned: dict[Prompt, dict[str, float]] = field(default_factory=dict)

    def note(self, prompt: Prompt, key: str, reward: float) -> None:
        self.earned.setdefault(prompt, {})[key] = reward

    def best(self, count: int) -> list[Prompt]:
        """The prompts to look at more closely, best first; the start isn't one of them."""
        begun = [*self.earned.get(self.start, {}).values()]
        usual = sum(begun) / len(begun) if begun else 0.0

        def mean(prompt: Prompt) -> float:
            values = self.earned[prompt].values()
            return (sum(values) + PRIOR * usual) / (len(values) + PRIOR)

        return sorted((one for one in self.earned if one != self.start), key=mean, reverse=True)[:count]


class Measure:
    """The reward of an agent's replies. `rows` by their prompt's last message, as all rows differ in it."""

    def __init__(self, form: Form, task: Task, rows: Sequence[Mapping[str, Any]], start: Prompt) -> None:
        self.form, self.task, self.trials = form, task, Trials(start)
        self._rows = {row["messages"][-1][1]: dict(row) for row in rows}
        self._known: dict[tuple[str, str], Scored] = {}

    def key(self, fields: Fields) -> str:
        """What names a row."""
        return self.form.write(fields)[-1].content

    def row(self, fields: Fields) -> dict[str, Any]:
        return self._rows[self.key(fields)]

    def options(self, row: Mapping[str, Any]) -> Options:
        """As the agent asks, with fewer tokens: what a model without an adapter has not said by then it doesn't say."""
        options = self.task.options(dict(row))
        return replace(options, max_tokens=min(options.max_tokens, BRIEF))

    def score(self, fields: Fields, text: str) -> Scored:
        """A reply's reward, in a memory of its own; each is scored once."""
        at = (self.key(fields), text)
        if at not in self._known:
            self._known[at] = self.scored(self.row(fields), text)
        return self._known[at]

    def scored(self, row: dict[str, Any], text: str) -> Scored:
        """By the reward with which `train` trains."""
        terms = dict(self.task.score(row, text))
        return Scored(max(0.0, terms.pop("reward")), terms)

    def about(self) -> dict[str, Any]:
        """What the file of prompts tells of the measure, beside its name."""
        return {}

    def told(self, prompt: Prompt, fields: Fields, text: str, temperature: float) -> None:
        """Keeps what a prompt earned on a row that it doesn't show itself, when the reply wasn't drawn by chance."""
        if temperature == 0 and all(demo.shown != self.form.shown(fields) for demo in prompt.demos):
            self.trials.note(prompt, self.key(fields), self.score(fields, text).reward)

    def feedback(self, fields: Fields, text: str) -> str:
        """In words: what was wrong, and what a person wrote. A prompt's optimiser learns from that."""
        found = self.score(fields, text)
        wrong = [WORDS.get(name, name) for name, value in found.terms.items() if value < 1]
        why = f" ({found.why})" if found.why else ""
        told = f"Reward {found.reward:.2f} of 1. " + (f"Wrong: {'; '.join(wrong)}{why}. " if wrong else "")
        return f"{told}A good reply here: {self.row(fields)['completion']}"


def rewards(
    engine: Engine, measure: Measure, prompt: Prompt, rows: Sequence[Mapping[str, Any]],
    note: bool = False,
) -> list[float]:  # fmt: skip
    """What a prompt earns on each row, asked as the agent asks; `note`: among the prompts that were tried. Raises
    ModelError."""
    form, earned = measure.form, []
    for row in rows:
        fields = form.read(messages_of(row))
        options = measure.options(row)
        text, _ = engine.say(prompt.put(form.agent, form.write(fields)), options)
        earned.append(measure.score(fields, text.strip()).reward)
        if note:
            measure.told(prompt, fields, text.strip(), options.temperature)
    return earned


def paired(before: Sequence[float], after: Sequence[float]) -> dict[str, Estimate]:
    """The start, the tuned prompt, and the difference row by row, each with a 95% interval."""
    more = [b - a for a, b in zip(before, after, strict=True)]
    return {"start": bootstrap(before), "tuned": bootstrap(after), "difference": bootstrap(more)}
