"""Charts of a record as PNG files: recall by depth, scores by category with intervals, tokens against score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...memory.errors import SettingsError
from ..measures import ranking
from ..measures.intervals import Estimate, bootstrap
from ..measures.locomo_score import CATEGORIES
from ..measures.scores import by_question, official
from ..measures.text import all_words

Row = Mapping[str, Any]
DEPTHS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50)
WIDTH, HEIGHT, DOTS = 7.0, 4.2, 130


def draw(rows: Sequence[Row], folder: Path, stem: str) -> list[Path]:
    """The charts that these rows have something for. Raises SettingsError without matplotlib, OSError."""
    plots = pyplot()
    made = []
    for name, make in (("recall", _recall), ("categories", _categories), ("tokens", _tokens)):
        figure, axes = plots.subplots(figsize=(WIDTH, HEIGHT), layout="constrained")
        if make(axes, rows):
            axes.grid(alpha=0.3)
            made.append(folder / f"{stem}-{name}.png")
            figure.savefig(made[-1], dpi=DOTS)
        plots.close(figure)
    return made


def pyplot() -> Any:
    """matplotlib, drawing into files. Raises SettingsError without it."""
    try:
        import matplotlib
    except ModuleNotFoundError as missing:
        raise SettingsError(
            "Charts need matplotlib; install it with `pip install 'chatmem[report]'`, or give --no-charts."
        ) from missing
    matplotlib.use("Agg")  # files alone, no window
    from matplotlib import pyplot

    return pyplot


def recall_curves(rows: Sequence[Row]) -> dict[str, list[float]]:
    """For each system that ranks, the mean recall of the evidence at each of `DEPTHS`."""
    found: dict[str, list[float]] = {}
    for system in dict.fromkeys(str(row["system"]) for row in rows if "ranked" in row):
        asked = [r for r in by_question([row for row in rows if row["system"] == system]) if r["evidence"]]
        held = [r for r in asked if r["category"] != 5 and system in r["ranked"]]
        if held:
            found[system] = [
                sum(ranking.recall_at(r["ranked"][system], r["evidence"], k) for r in held) / len(held) for k in DEPTHS
            ]
    return found


def _recall(axes: Any, rows: Sequence[Row]) -> bool:
    curves = recall_curves(rows)
    for system, values in curves.items():
        axes.plot(DEPTHS, values, marker="o", markersize=3, label=system)
    axes.set(xlabel="lines looked at (k)", ylabel="recall@k, mean", ylim=(0, 1), title="Evidence found")
    if curves:
        axes.legend(fontsize=8)
    return bool(curves)


def answer_score(row: Row) -> float:
    """LoCoMo's official score where the data set is LoCoMo, else whether all words of the gold are in the answer."""
    if row["eval"] == "locomo":
        return official(row)
    return float(all_words(str(row["gold"]), str(row["answer"])))


def _title(rows: Sequence[Row]) -> str:
    return "official score" if rows[0]["eval"] == "locomo" else "answers with all words of the gold"


def by_category(rows: Sequence[Row]) -> dict[str, dict[str, Estimate]]:
    """For each system, the answers' score by category; recall@10 where nothing was answered."""
    answered = [row for row in rows if "answer" in row]
    used = answered or [row for row in rows if "ranked" in row and row["evidence"] and row["category"] != 5]
    found: dict[str, dict[str, list[float]]] = {}
    for row in used:
        value = answer_score(row) if answered else ranking.recall_at(row["ranked"], row["evidence"], 10)
        number = row["category"]
        name = f"{number} {CATEGORIES[number]}" if number in CATEGORIES else str(number or "all")
        found.setdefault(str(row["system"]), {}).setdefault(name, []).append(value)
    return {
        system: {name: bootstrap(values) for name, values in sorted(parts.items())} for system, parts in found.items()
    }


def _categories(axes: Any, rows: Sequence[Row]) -> bool:
    table = by_category(rows)
    names = sorted({name for parts in table.values() for name in parts})
    width = 0.8 / max(len(table), 1)
    for place, (system, parts) in enumerate(table.items()):
        known = [(at, parts[name]) for at, name in enumerate(names) if name in parts]
        heights = [one.value for _, one in known]
        error = [[one.value - one.low for _, one in known], [one.high - one.value for _, one in known]]
        left = [at + (place - (len(table) - 1) / 2) * width for at, _ in known]
        axes.bar(left, heights, width, yerr=error, capsize=2, label=system, error_kw={"linewidth": 0.8})
    axes.set_xticks(range(len(names)), names, fontsize=8)
    title = _title(rows) if any("answer" in row for row in rows) else "recall@10"
    axes.set(ylabel=f"{title}, 95% intervals", ylim=(0, 1), title="By category")
    if table:
        axes.legend(fontsize=8)
    return bool(table)


def _tokens(axes: Any, rows: Sequence[Row]) -> bool:
    groups: dict[str, list[Row]] = {}
    for row in rows:
        if "answer" in row and "prompt_tokens" in row:
            groups.setdefault(str(row["system"]), []).append(row)
    for system, some in groups.items():
        score = bootstrap([answer_score(row) for row in some])
        tokens = sum(float(row["prompt_tokens"]) for row in some) / len(some)
        error = [[score.value - score.low], [score.high - score.value]]
        axes.errorbar([tokens], [score.value], yerr=error, marker="o", capsize=3, label=system)
        axes.annotate(system, (tokens, score.value), xytext=(5, 4), textcoords="offset points", fontsize=8)
    if groups:
        axes.set(xlabel="tokens of a prompt, mean", ylabel=_title(rows), title="Tokens against score")
    return bool(groups)
