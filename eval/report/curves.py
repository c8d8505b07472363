"""Curves of a calibration as PNG files: how sure beside how right, and what moving a bound would do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ..measures.intervals import Estimate
from .charts import DOTS, HEIGHT, WIDTH, pyplot


class Curve(NamedTuple):
    """A line of points: where each lies, and how high with its interval."""

    places: Sequence[float]
    heights: Sequence[Estimate]


def draw_curves(
    target: Path, curves: Mapping[str, Curve], *,
    title: str, across: str, up: str, diagonal: bool = False, marks: Mapping[str, float] | None = None,
) -> Path:  # fmt: skip
    """One chart of the curves by name, 0 to 1 both ways, their intervals as bands. `marks`: upright lines by name.
    Raises SettingsError without matplotlib, OSError."""
    figure, axes = pyplot().subplots(figsize=(WIDTH, HEIGHT), layout="constrained")
    if diagonal:
        axes.plot([0, 1], [0, 1], color="grey", linewidth=0.8, linestyle="--")
    for name, (places, heights) in curves.items():
        axes.plot(places, [one.value for one in heights], marker="o", markersize=3, label=name)
        axes.fill_between(places, [one.low for one in heights], [one.high for one in heights], alpha=0.15)
    for name, place in (marks or {}).items():
        axes.axvline(place, color="grey", linewidth=0.8, linestyle=":")
        axes.annotate(name, (place, 1.0), xytext=(3, -9), textcoords="offset points", fontsize=7)
    axes.set(xlabel=across, ylabel=up, xlim=(0, 1), ylim=(0, 1), title=title)
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    figure.savefig(target, dpi=DOTS)
    pyplot().close(figure)
    return target
