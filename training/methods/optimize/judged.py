"""`--metric judge`: the answer agent's replies scored by a model, which first has to pass the probe of `eval.judge`.

A judge that takes vague or wrong answers for right would lead the search to prompts that make them; so it is tried
before anything is searched, on made-up answers to questions of the run's own rows.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ....eval.judge import judge
from ....eval.judge.probe import (
    GOLD,
    INVENTED,
    KINDS,
    KNOWN,
    NONSENSE,
    UNKNOWN,
    USELESS,
    VAGUE,
    WRONG,
    probes,
    separation,
)
from ....eval.measures.locomo_score import says_unknown
from ....eval.runs.progress import make_progress
from ....eval.runs.records import Records
from ....memory.errors import InputError, ModelError, SettingsError
from ...answer.reward import memory_of
from .measure import Measure, Scored

if TYPE_CHECKING:
    from ....models.lm import LM
    from ....models.prompts.tuned import Prompt
    from ...policy.sampling import Task
    from .engine import Engine
    from .forms import Form

Row = Mapping[str, Any]
KIND = "strict"
"""Which of the judge's prompts: it tells vague answers from right ones, as the lenient one does not."""
QUESTIONS = 30
"""Questions whose made-up answers try a judge, three each, and two each of a third as many whose answer isn't known."""
LEAST = 8
"""Questions without which a probe says nothing."""


def item_of(row: Row, answer: str) -> judge.Item:
    """An answer to a row's question as a judge is shown it; where it isn't known, there is no gold."""
    right = str(row["completion"])
    of = hashlib.sha256(str(row["messages"][-1][1]).encode()).hexdigest()[:16]
    return judge.Item(of, memory_of(dict(row))[1], "" if says_unknown(right) else right, answer)


def probe_of(rows: Sequence[Row], seed: int) -> list[judge.Item]:
    """The made-up answers that try a judge. Raises InputError when the rows give too few."""
    asked = [item_of(row, "") for row in rows]
    told = [{"case": one.of, "question": one.question, "gold": one.gold, "category": None} for one in asked]
    made = probes(told, QUESTIONS, seed)
    found = len({item.of for item in made if item.probe in KNOWN})
    if found < LEAST:
        raise InputError(
            f"A judge is tried on made-up answers to questions of the rows, and {found} of them have such answers, "
            f"where it takes {LEAST}: give more data (--rows, --dmr, --talks, --choose, --report)."
        )
    return made


def tried(lm: LM, spec: str, items: Sequence[judge.Item], run: Path) -> dict[str, float]:
    """What the judge makes of the probe, kept in the run's folder and told: the shares of right, vague and wrong
    answers that it takes for right, and how well it tells them apart.

    Raises SettingsError for a judge that fails, ModelError for one that can't be asked.
    """
    name = re.sub(r"[^A-Za-z0-9.]+", "-", spec)
    with Records(run / f"probe-{name}.jsonl", {"eval": "judge", "judge": spec, "wording": judge.wording()}) as records:
        total = len(records.rows) + len(list(judge.missing(items, [KIND], records.done)))
        judge.run(lm, items, [KIND], records, tell=make_progress("probes of the judge", total))
        wanted = {item.key(KIND) for item in items}
        done = [row for row in records.rows if row["key"] in wanted]
    apart = separation(done, KIND)
    without = sum(row["verdict"] is None for row in done)
    told = _told(done)
    if apart is None or apart < USELESS or without > NONSENSE * len(done):
        raise SettingsError(
            f"{spec} doesn't pass the probe of a judge, so nothing was searched: {told}, and {without} of {len(done)} "
            f"replies hold no verdict (all of them: {records.path}). Name a stronger model with --judge, or tune by "
            "--metric reward."
        )
    print(f"{spec} passes the probe of a judge: {told}.", file=sys.stderr, flush=True)
    shares = {kind: sum(said) / len(said) for kind in KINDS if (said := _verdicts(done, kind))}
    return {**shares, "separation": apart, "answers": len(done)}


def _told(done: Sequence[Row]) -> str:
    """What share of each kind of made-up answer the judge accepts, for people."""
    names = {
        GOLD: "right ones", VAGUE: "vague ones", WRONG: "wrong ones", INVENTED: "invented ones to what isn't known",
        UNKNOWN: "that say that it isn't",
    }  # fmt: skip
    shares = [f"{sum(_verdicts(done, kind))} of {len(_verdicts(done, kind))} {name}" for kind, name in names.items()]
    return f"of made-up answers to {len({row['of'] for row in done})} questions it accepts {', '.join(shares)}"


def _verdicts(done: Sequence[Row], kind: str) -> list[bool]:
    return [bool(row["verdict"]) for row in done if row["probe"] == kind and row["verdict"] is not None]


class Judge:
    """Asks the judge about the replies of a run, out of the run's record and budget. `told`: its spec, prompt and
    probe, for the file. `stop` ends the search when the judge fails: an optimiser would take a reply that was never
    judged for a wrong one, and go on. Who asks again, to choose, is told of the failure."""

    def __init__(self, engine: Engine, told: Mapping[str, Any], stop: Callable[[], None]) -> None:
        self.told, self._engine, self._stop = told, engine, stop
        self._failed: ModelError | None = None

    def vote(self, item: judge.Item) -> judge.Vote:
        """Its verdict on a reply. Raises ModelError, also when the budget of calls is used up."""
        from .engine import Spent

        if self._failed is not None:
            raise self._failed
        try:
            text, _ = self._engine.say(judge.messages(KIND, item), judge.options_of())
        except Spent:
            raise
        except ModelError as error:
            self._failed = error
            self._stop()
            raise
        return judge.read_vote(text)


class JudgedMeasure(Measure):
    """A reply is worth 1 where the judge calls it right, else 0: no verdict is no praise, and is counted."""

    def __init__(self, form: Form, task: Task, rows: Sequence[Row], start: Prompt, judge: Judge) -> None:
        super().__init__(form, task, rows, start)
        self._judge, self._without = judge, 0

    def scored(self, row: dict[str, Any], text: str) -> Scored:
        """By the judge's verdict; an empty reply isn't shown to it. Raises ModelError."""
        if not text.strip():
            return Scored(0.0, {"judged": 0.0}, "it is empty")
        vote = self._judge.vote(item_of(row, text))
        self._without += vote.verdict is None
        right = float(vote.verdict is True)
        return Scored(right, {"judged": right}, "" if vote.verdict is None else vote.reason)

    def about(self) -> dict[str, Any]:
        """Who judged, what its probe showed, and how many replies it gave no verdict on."""
        return {"judge": {**self._judge.told, "no_verdict": self._without}}
