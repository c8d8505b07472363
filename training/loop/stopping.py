"""When to stop a run, and which checkpoint was its best: the same for every trainer."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...memory.errors import InputError

PATIENCE = 20
"""Steps without any gradient after which a run is stopped."""
MEASURES = "measures.json"
FALL = 0.02
"""How far the validation measure must fall over three measurements, while the reward rises, to be no noise."""


class Watch:
    """Remembers measurements and rewards of a run whose folder is `out`."""

    def __init__(self, out: Path, patience: int = PATIENCE) -> None:
        self.out, self.patience = out, patience
        self.history: list[dict[str, float]] = []
        self.dead = 0
        self._rewards: list[float] = []

    def gradients(self, loss: float, norm: float, terms: Mapping[str, float]) -> None:
        """Looks at a step. Raises InputError on NaN, and when `patience` steps in a row had no gradient."""
        if not math.isfinite(loss) or not math.isfinite(norm):
            raise InputError("The loss is not a number; lower --lr and resume from the last checkpoint.")
        if "reward" in terms:
            self._rewards.append(terms["reward"])
        self.dead = self.dead + 1 if norm == 0.0 else 0
        if self.dead >= self.patience:
            raise InputError(f"All gradients are zero, so nothing is learned: {_why(terms)}.")

    @staticmethod
    def due(step: int, every: int, measure: object) -> bool:
        """Whether the agent is to be measured after this step."""
        return measure is not None and every > 0 and step % every == 0

    def knows(self, step: int) -> bool:
        """Whether the adapter of this step (or, for step 0, the start of a run that was resumed) was measured."""
        return any(at["step"] >= step for at in self.history)

    def keep(self, place: Path, step: int, found: Mapping[str, float]) -> None:
        """Notes a measurement of the adapter in `place`; as the best so far it is kept as `best`, else it goes."""
        first = next(iter(found.values()))
        if all(first > at["measure"] for at in self.history):
            shutil.rmtree(self.out / "best", ignore_errors=True)
            place.rename(self.out / "best")
        shutil.rmtree(place, ignore_errors=True)
        reward = sum(self._rewards) / len(self._rewards) if self._rewards else math.nan
        self._rewards.clear()
        self.history.append({"step": step, "measure": first, "reward": reward})
        (self.out / MEASURES).write_text(json.dumps(self.history), encoding="utf-8")

    def recall(self) -> None:
        """The measurements of a run that is resumed, so that its best checkpoint stays the one to beat."""
        path = self.out / MEASURES
        self.history = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else []

    def check(self, step: int) -> None:
        """Raises InputError when the reward rose while the measure fell, three measurements in a row."""
        last = self.history[-3:]
        if len(last) < 3 or last[-1]["step"] != step:
            return
        (a, b, c), (x, y, z) = ([at[name] for at in last] for name in ("measure", "reward"))
        if a > b > c and a - c > FALL and x < y < z:
            raise InputError(
                f"The reward rises ({x:.3f} to {z:.3f}) while the validation measure falls ({a:.3f} to {c:.3f}): the "
                f"reward is being gamed. The best checkpoint is in {self.out / 'best'}; change the reward."
            )


def _why(terms: Mapping[str, float]) -> str:
    if terms.get("clipped", 0.0) == 1.0:
        return "every completion was cut by the token limit; raise it, or start from an adapter that ends its replies"
    if terms.get("zero variance", 0.0) == 1.0:
        return "all samples of each prompt earn the same reward; raise --temperature or --samples"
    return "check the data and the adapter's layers"


def out_of_memory(error: Exception, where: str, lower: str) -> Exception:
    """The sentence for a run that ran out of memory; any other error comes back as it is."""
    if not isinstance(error, MemoryError) and "memory" not in str(error).lower():
        return error
    return InputError(
        f"Out of memory at {where}; lower {lower} and go on with --resume: the last checkpoint is intact."
    )


def over_already(step: int, steps: int, seconds: float, minutes: float | None, later: int) -> str:
    """The sentence for a resumed run without a step to go. `later`: the last step that its log tells of."""
    if step >= steps:
        told = (
            f"All {steps} steps of this run were done before, so nothing is trained now; for more, give --steps above"
        )
        return f"{told} {step} with --resume."
    lost = f" (steps {step + 1} to {later} came after its checkpoint and are done anew then)" if later > step else ""
    return (
        f"The {minutes:g} minutes of this run were over at step {step}, after {seconds / 60:.1f} minutes, so nothing "
        f"is trained now; for more, give --minutes above {max(minutes or 0.0, seconds / 60):.1f} with --resume{lost}."
    )


def before_the_first_step(minutes: float | None) -> InputError:
    """The sentence for a run that came to no step: its rows or samples took all of its time."""
    return InputError(
        f"The {minutes or 0:g} minutes of this run were over before its first step; give more --minutes with --resume: "
        "what was sampled is kept."
    )


def unwritten(error: Any) -> InputError:
    """The sentence for a checkpoint that could not be written."""
    why = getattr(error, "strerror", None) or str(error).splitlines()[0]
    return InputError(
        f"The checkpoint could not be written ({why}); the one before it is intact. Free some space, then --resume."
    )
