"""The report of what the parts found: Markdown for people, JSON for programs, charts of the calibration."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ....memory.errors import InputError
from ...report.cli import cell, plain, table_lines
from . import calibration
from .trial import SAID

if TYPE_CHECKING:
    from .parts import Calibration, Found, Table

NAME = "trust"
TITLE = "How far the memory can be trusted"
PAIRS = (
    "What a new line does to what is known (`chatmem eval changes`). A wrong overwrite: a known fact that should have "
    "stayed, and that no current fact tells any more. Missed: one that ended and still stands, or new words that no "
    "fact holds, where the agent didn't ask back. Of `sealed` pairs nobody who works on chatmem reads what they say."
)
SCRIPTS = (
    "Whole talks by the program itself: twelve facts told in twenty lines, `bye`, a new start, twelve questions "
    "(`chatmem eval chat`). Findable: a search finds it among the best five."
)
SURE = (
    "Questions after talks, asked as the chat asks them: told ones; told ones after the talk without the lines that "
    "tell them (taken out); never told ones. The reader's chance is that a told sentence answers: what its two bounds "
    "are held against. Questions of one talk aren't independent, so intervals are rather too narrow."
)


def as_data(found: Found, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The report for programs."""
    return {
        "eval": NAME, "settings": dict(settings), "pairs": _plain(found.pairs), "scripts": _plain(found.scripts),
        "calibration": {one.of.name: one.as_data() for one in found.calibration},
    }  # fmt: skip


def _plain(table: Table) -> dict[str, Any]:
    return {name: {measure: asdict(one) for measure, one in column.items()} for name, column in table.items()}


def markdown(found: Found, settings: Mapping[str, Any], pictures: Sequence[Path] = ()) -> str:
    """The report for people. `pictures` lie beside it."""
    lines = [f"# {TITLE}", "", "[ ]: 95% interval (shares: Wilson's), n: cases.", ""]
    lines += [f"- {name}: {plain(value)}" for name, value in settings.items() if value not in (None, "", [], {})]
    if found.pairs:
        lines += ["", "## A new line beside what is known", "", PAIRS, "", *table_lines(found.pairs)]
    if found.calibration:
        lines += ["", "## How sure it is, and how right", "", SURE]
        lines += [line for one in found.calibration for line in _of_set(one)]
        lines += ["", *(f"![{picture.stem}]({picture.name})" for picture in pictures)]
    if found.scripts:
        lines += ["", "## Twelve facts, twelve questions", "", SCRIPTS, "", *table_lines(found.scripts)]
    return "\n".join(lines).rstrip() + "\n"


def _of_set(one: Calibration) -> Iterator[str]:
    mark = "held out" if one.of.held_out else "NOT held out"
    yield from ("", f"### {plain(one.of.name)} ({mark})", "")
    yield f"What the reader learned from these talks: {one.of.fitted}."
    by = ", ".join(f"{name} {number}" for name, number in one.by().items())
    yield f"Replies by: {by} (rules read a row off without a reader, the floor finds nothing that answers)."
    yield from ("", *table_lines({one.of.name: calibration.said_table(one.rows)}))
    yield ""
    error, alike = calibration.calibration_error(one.rows), calibration.calibration_error(one.rows, alike=True)
    yield f"Expected calibration error: {cell(error)}; told questions weighed as much as all others: {cell(alike)}."
    yield from ("", "| chance | mean | told | " + " | ".join(f"said as {said}" for said in SAID) + " |")
    yield "|---|---|---|" + "---|" * len(SAID)
    for each in calibration.bins(one.rows):
        shares = " | ".join(f"{each.said[said].value:.3f}" for said in SAID)
        yield f"| {each.low:.1f} to {each.high:.1f} | {each.chance:.3f} | {cell(each.told)} | {shares} |"
    yield from ("", "What a bound would do to the questions that the reader judged, if all below it was doubted:", "")
    yield "| bound | | told: doubted | taken out: told back as known | never told: told back as known |"
    yield "|---|---|---|---|---|"
    for bound in calibration.bounds(one.rows, one.shipped):
        shares = f"{cell(bound.doubted)} | {cell(bound.taken_out)} | {cell(bound.never_told)}"
        yield f"| {bound.chance:.3f} | {bound.name} | {shares} |"


def charts(found: Found, folder: Path) -> list[Path]:
    """The calibration as curves, one a set, and what moving the bound would do. Raises SettingsError, OSError."""
    from ...report.curves import Curve, draw_curves

    if not any(calibration.read(one.rows) for one in found.calibration):
        return []
    sure, moved = dict[str, Curve](), dict[str, Curve]()
    for one in found.calibration:
        some = calibration.bins(one.rows)
        sure[one.of.name] = Curve([each.chance for each in some], [each.told for each in some])
        some_bounds = calibration.bounds(one.rows, {})
        places = [bound.chance for bound in some_bounds]
        for name in ("doubted", "taken_out", "never_told"):
            heights = [getattr(bound, name) for bound in some_bounds]
            if heights[0].n:
                title = "told: doubted" if name == "doubted" else f"{name.replace('_', ' ')}: told back as known"
                moved[f"{one.of.name}, {title}"] = Curve(places, heights)
    marks = found.calibration[0].shipped
    return [
        draw_curves(folder / f"{NAME}-reliability.png", sure, title="How sure, and how right", diagonal=True,
                    across="the reader's chance that it was told", up="share that was told", marks=marks),
        draw_curves(folder / f"{NAME}-bounds.png", moved, title="What a bound would do", across="bound",
                    up="share of the questions", marks=marks),
    ]  # fmt: skip


def write(found: Found, settings: Mapping[str, Any], folder: Path, *, drawn: bool) -> list[Path]:
    """The files of the report. Raises InputError, SettingsError."""
    told, data = folder / f"{NAME}.md", folder / f"{NAME}.json"
    try:
        pictures = charts(found, folder) if drawn else []
        told.write_text(markdown(found, settings, pictures), encoding="utf-8")
        content = json.dumps(as_data(found, settings), ensure_ascii=False, indent=2)
        data.write_text(content + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(f"{folder} can't be written ({error.strerror}); name another --out.") from error
    return [told, data, *pictures]
