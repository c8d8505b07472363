"""DSPy's optimisers as a run asks for them, each with what it costs at most, told before it starts."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ....memory.errors import SettingsError

if TYPE_CHECKING:
    from .measure import Measure

EFFORTS = {"light": (6, 100), "medium": (12, 300), "heavy": (18, 1000)}
"""DSPy's own presets of MIPROv2 and GEPA: candidates, and most rows that they are compared on."""
SETS = 6
"""Sets of rows with their right replies that are tried before SIMBA and GEPA start."""
GOOD = 0.6
"""The reward from which a reply may be a demonstration of MIPROv2's."""


@dataclass(frozen=True, slots=True)
class Search:
    """How a run searches. `steps`, `candidates` and `batch` are SIMBA's; `demos`: demonstrations that a prompt
    holds at most; `effort` is DSPy's preset for MIPROv2 and GEPA; `rows` is how many examples there are."""

    method: str
    rows: int
    steps: int = 6
    candidates: int = 4
    batch: int = 8
    demos: int = 5
    effort: str = "light"
    seed: int = 0

    @property
    def minibatch(self) -> int:
        """Rows of a step: never more than there are."""
        return min(self.batch, self.rows)


@dataclass(frozen=True, slots=True)
class Cost:
    """Most calls: of the model that is tuned to, and of the one that proposes."""

    task: int
    proposals: int


def cost(search: Search) -> Cost:
    """What a search costs at most, by the optimisers' own loops (DSPy 3.4)."""
    first = search.rows + SETS * (search.rows - min(search.demos, search.rows // 2)) if starts_shown(search) else 0
    if search.method == "simba":
        each = search.minibatch * (search.candidates + search.candidates + 1) * search.steps
        return Cost(first + each + (search.candidates + 1) * search.rows, search.steps * (search.candidates + 1))
    candidates, most = EFFORTS[search.effort]
    if search.method == "mipro":
        learn, compared = parts(search.rows)
        compared = min(compared, most)
        trials = int(max(4 * math.log2(candidates), 1.5 * candidates))
        whole = compared * (trials + 1) if compared <= 50 else 35 * trials + compared * (trials // 5 + 2)
        return Cost(whole + candidates * learn, candidates + 14)
    return Cost(first + gepa_calls(search), gepa_calls(search) // 6 + 1)


def starts_shown(search: Search) -> bool:
    """Whether the search starts from rows shown with their right replies; MIPROv2 has such sets among its own."""
    return search.demos > 0 and search.method != "mipro"


def parts(rows: int) -> tuple[int, int]:
    """(rows to learn from, rows on which MIPROv2 and GEPA compare candidates)."""
    return rows - rows // 2, rows // 2


def gepa_calls(search: Search) -> int:
    """GEPA's own budget of rewards for a preset (`GEPA.auto_budget`), minibatches of at most 8 rows."""
    candidates, _ = EFFORTS[search.effort]
    _, compared = parts(search.rows)
    trials = int(max(4 * math.log2(candidates), 1.5 * candidates))
    return compared + candidates * 5 + trials * search.minibatch + ((trials + 1) // 5 + 1) * compared


def search(program: Any, examples: Sequence[Any], wanted: Search, measure: Measure, proposer: Any) -> Any:
    """The program as the optimiser leaves it. Raises what DSPy raises, among it the end of the budget."""
    return _METHODS[wanted.method](program, list(examples), wanted, measure, proposer)


def _simba(program: Any, examples: list[Any], wanted: Search, measure: Measure, proposer: Any) -> Any:
    import dspy

    optimizer = dspy.SIMBA(
        metric=told_metric(measure), bsize=wanted.minibatch, num_candidates=wanted.candidates, max_steps=wanted.steps,
        max_demos=wanted.demos, prompt_model=proposer, num_threads=1,
    )  # fmt: skip
    return optimizer.compile(program, trainset=examples, seed=wanted.seed)


def _mipro(program: Any, examples: list[Any], wanted: Search, measure: Measure, proposer: Any) -> Any:
    import dspy

    learn, compared = parts(len(examples))
    optimizer = dspy.MIPROv2(
        metric=number_metric(measure), prompt_model=proposer, auto=wanted.effort, num_threads=1, seed=wanted.seed,
        max_bootstrapped_demos=min(4, wanted.demos), max_labeled_demos=wanted.demos, metric_threshold=GOOD,
        max_errors=10_000, track_stats=False,
    )  # fmt: skip
    minibatch = min(35, compared)
    return optimizer.compile(
        program, trainset=examples[:learn], valset=examples[learn:], seed=wanted.seed or 1, minibatch_size=minibatch
    )


def _gepa(program: Any, examples: list[Any], wanted: Search, measure: Measure, proposer: Any) -> Any:
    import dspy
    from dspy.teleprompt.gepa import InstructionProposer

    learn, _ = parts(len(examples))
    optimizer = dspy.GEPA(
        metric=told_metric(measure), max_metric_calls=gepa_calls(wanted), reflection_lm=proposer, num_threads=1,
        reflection_minibatch_size=min(3, wanted.minibatch), seed=wanted.seed, use_merge=False,
        instruction_proposer=InstructionProposer(adapter=dspy.settings.adapter), warn_on_score_mismatch=False,
    )  # fmt: skip
    return optimizer.compile(program, trainset=examples[:learn], valset=examples[learn:])


def told_metric(measure: Measure) -> Callable[..., Any]:
    """The reward with what was wrong, in words, as SIMBA and GEPA take it."""
    import dspy

    def metric(
        example: Any, prediction: Any, trace: Any = None, pred_name: Any = None, pred_trace: Any = None
    ) -> Any:  # fmt: skip
        fields, text = _reply(example, prediction, measure)
        return dspy.Prediction(score=measure.score(fields, text).reward, feedback=measure.feedback(fields, text))

    return metric


def number_metric(measure: Measure) -> Callable[..., float]:
    """The reward alone, as MIPROv2 takes it."""
    return lambda example, prediction, trace=None: measure.score(*_reply(example, prediction, measure)).reward


def _reply(example: Any, prediction: Any, measure: Measure) -> tuple[dict[str, Any], str]:
    fields = {name: example[name] for name in measure.form.inputs}
    return fields, str(prediction[measure.form.output[0]] if prediction is not None else "")


_METHODS: dict[str, Callable[..., Any]] = {"simba": _simba, "mipro": _mipro, "gepa": _gepa}
METHODS = tuple(_METHODS)


def check(wanted: Search) -> None:
    """Raises SettingsError for a method or preset that there isn't."""
    if wanted.method not in _METHODS:
        raise SettingsError(f"--method knows {', '.join(_METHODS)}, not {wanted.method}.")
    if wanted.effort not in EFFORTS:
        raise SettingsError(f"--effort knows {', '.join(EFFORTS)}, not {wanted.effort}.")
