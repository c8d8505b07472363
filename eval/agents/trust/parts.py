"""The parts of the report: each is run by the evaluator whose measure it is, and kept in a record of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ...measures.intervals import Estimate
from ...runs.progress import make_progress
from ...runs.provenance import code
from ...runs.records import Records
from . import calibration, trial
from .talks import TalkSet

PAIRS = ("right", "wrong overwrites", "wrong overwrites, no change", "missed, change", "asked, change",
         "asked, no change")  # fmt: skip
"""Of the measures of `eval changes`, those of the report."""
TOGETHER = "together"
Table = dict[str, dict[str, Estimate]]
"""A column by name: its measures."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """How sure the reader was of a set's questions. `rows`: as `trial.ask_all` gives them."""

    of: TalkSet
    rows: Sequence[Mapping[str, Any]]
    shipped: Mapping[str, float]

    def as_data(self) -> dict[str, Any]:
        """For programs."""
        return {
            "fitted": self.of.fitted, "held_out": self.of.held_out, "talks": len(self.of.talks),
            "said": {name: asdict(one) for name, one in calibration.said_table(self.rows).items()},
            "replied_by": self.by(),
            "calibration_error": asdict(calibration.calibration_error(self.rows)),
            "calibration_error_weighed_alike": asdict(calibration.calibration_error(self.rows, alike=True)),
            "bins": [asdict(one) for one in calibration.bins(self.rows)],
            "bounds": [asdict(one) for one in calibration.bounds(self.rows, self.shipped)],
            "shipped": dict(self.shipped),
        }  # fmt: skip

    def by(self) -> dict[str, int]:
        """How many questions each answered: rules, the floor of search, the reader, the model."""
        names = dict.fromkeys(str(row["by"]) for row in self.rows)
        return {name: sum(row["by"] == name for row in self.rows) for name in names}


@dataclass(slots=True)
class Found:
    """What the parts found; one that wasn't asked for is empty."""

    pairs: Table = field(default_factory=dict)
    scripts: Table = field(default_factory=dict)
    calibration: list[Calibration] = field(default_factory=list)


def pairs(which: Sequence[str], model: str, folder: Path, threads: int | None) -> Table:
    """What a new line does to what is known, by set and together (`eval changes`)."""
    from ..changes.cli import outcomes
    from ..changes.pairs import measures

    done = {}
    for name in which:
        stem = Path(name).stem
        path, _, found = outcomes(name, model, folder / f"pairs-{stem}.jsonl", threads=threads)
        done[path.stem] = found
    if len(done) > 1:
        done[TOGETHER] = [one for some in done.values() for one in some]
    tables = {name: measures(some) for name, some in done.items()}
    return {name: {measure: table[measure] for measure in PAIRS} for name, table in tables.items()}


def scripts(which: Sequence[str], model: str | None, folder: Path) -> Table:
    """Whole talks told, asked for after a new start (`eval chat`)."""
    from .. import chat
    from ..chat_cli import run_all, settings_of
    from ..talks.script import chosen_scripts, load_script

    chosen = [load_script(path) for path in chosen_scripts(which)]
    with Records(folder / "scripts.jsonl", settings_of(model)) as records:
        return {"value": chat.measures(run_all(chosen, model, records))}


def calibrated(sets: Sequence[TalkSet], model: str, folder: Path, threads: int | None) -> list[Calibration]:
    """How sure the reader is, after the talks of each set."""
    settings = {"eval": "calibration", "model": model, **code()}
    with Records(folder / "calibration.jsonl", settings) as records:
        tell = make_progress("questions", sum(len(talk.asks) for one in sets for talk in one.talks))
        rows = trial.ask_all(model, sets, records, threads=threads, tell=tell)
    shipped, names = calibration.shipped_bounds(), [one.name for one in sets]
    return [
        Calibration(one, [row for row in rows if row["set"] == name], shipped)
        for one, name in zip(sets, names, strict=True)
    ]
