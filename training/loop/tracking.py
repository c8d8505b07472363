"""Handing a run's numbers to an experiment tracker (`eval/report/trackers.py`), step by step."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...eval.report import trackers

if TYPE_CHECKING:
    from .loop import Progress

Tell = Callable[["Progress"], None]
KEPT = ("README.md", "log.jsonl")
"""Files of a run that a tracker keeps: its card and its log. Its rows may be a person's lines, and stay here."""
LEFT_OUT = {"run", "act", "secret", "embedder", "passphrase_file", "db", "database", "person", "user", "config"}
"""Of the command line: what is no setting of the run, or nobody's business elsewhere."""

check = trackers.check


@contextmanager
def tracked(name: str, run: str, out: Path, settings: Mapping[str, Any], *, resume: bool = False) -> Iterator[Tell]:
    """A function that tells the tracker of a step; it does nothing for "none". What was begun in `out` goes on with
    `resume`, under the same run. A run that ends early is told as such, and its numbers stay.

    Raises SettingsError, InputError.
    """
    if name == "none":
        yield lambda at: None
        return
    tracker = trackers.begin(name, run, out, resume=resume)
    tracker.settings(told(settings))
    whole = False
    try:
        yield lambda at: tracker.log(numbers(at), at.step)
        whole = True
    finally:
        tracker.keep([path for place in KEPT for path in sorted(out.rglob(place))])
        tracker.end(whole)


def told(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that a tracker is told."""
    plain = (str, int, float, bool, Path)
    return {name: value for name, value in settings.items() if name not in LEFT_OUT and isinstance(value, plain)}


def numbers(at: Progress) -> dict[str, float]:
    """A step's numbers by name."""
    found = {"loss": at.loss, "learning rate": at.lr, "gradient norm": at.grad_norm, "tokens": float(at.tokens)}
    found |= {**at.terms, **{f"held back/{name}": value for name, value in at.measures.items()}}
    return found | ({"held back/loss": at.valid_loss} if at.valid_loss is not None else {})


def once(
    name: str, run: str, out: Path, settings: Mapping[str, Any], values: Mapping[str, float], files: Sequence[Path]
) -> None:
    """A finished run, all at once. Raises SettingsError, InputError."""
    if name != "none":
        tracker = trackers.begin(name, run, out, resume=True)
        tracker.settings(told(settings))
        tracker.log(values, 0)
        tracker.keep(files)
        tracker.end()
