"""The second step: a model orders the sessions. Without a model it is left out: the learned lines order them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from ...models.lm import complete
from ..runs.models import WHOLE, alone, is_local, load
from ..runs.requests import Pace
from .embed import embedded
from .parse import parse_ranking
from .prompt import form_of, shown
from .rows import Row


@dataclass(frozen=True, slots=True)
class Ranking:
    """What makes the workers of this step. `form`: of the prompt, `auto` by the model's window; `per_minute`: requests
    of each worker to an endpoint."""

    model: str
    form: Literal["auto", "digest", "whole"] = "auto"
    seed: int = 0
    threads: int | None = None
    context: int | None = None
    per_minute: float | None = None

    def __call__(self) -> Ranked:
        return Ranked(self)


class Ranked:
    """A worker: gives a row's response and haystack_session_gen_rankings, empty for a reply in another form."""

    def __init__(self, step: Ranking) -> None:
        self.step = step
        self.lm = load(step.model, step.threads, step.context, WHOLE)
        self._pace = Pace(None if is_local(step.model) else step.per_minute)

    def __call__(self, row: Row) -> dict[str, Any]:
        """Raises ModelError; InputError for a row that wasn't embedded."""
        embedded(row)
        form = form_of(self.lm) if self.step.form == "auto" else self.step.form
        asked = shown(row, self.lm, form, self.step.seed)
        self._pace.wait()
        with alone(self.lm):
            reply = complete(self.lm, asked.messages, asked.options)
        numbers = parse_ranking(reply, len(asked.places))
        return {
            "response": reply, "ranked_from": list(asked.places), "ranking_model": self.step.model,
            "haystack_session_gen_rankings": [asked.places[number] for number in numbers or ()],
        }  # fmt: skip

    def close(self) -> None:
        """Lets go of the model."""
        self.lm.close()
