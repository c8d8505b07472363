"""The mixture for rewards: halves that stay alike, parts by source, orders among the rows with nothing to store."""

from __future__ import annotations

import argparse
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from chatmem.models.prompts.messages import NOTHING
from chatmem.training.cli import register
from chatmem.training.material.templates import told
from chatmem.training.material.templates.orders import manners
from chatmem.training.storage import template_rows
from chatmem.training.storage.mixture import NOTHING_TOLD, TOLD, mixture
from chatmem.training.storage.recipe import build
from chatmem.training.storage.template_rows import order_rows


def _rows(source: str, told: int, nothing: int) -> list[dict[str, Any]]:
    completions = [f"INSERT {number}" for number in range(told)] + [NOTHING] * nothing
    return [{"messages": [["user", f"{source} {n}"]], "completion": text} for n, text in enumerate(completions)]


def _made(rows: list[dict[str, Any]]) -> Counter[tuple[str, bool]]:
    return Counter((row["messages"][0][1].split()[0], row["completion"] == NOTHING) for row in rows)


def test_halves_are_alike_and_made_of_their_parts() -> None:
    sources = {"msc": _rows("msc", 500, 500), "locomo": _rows("locomo", 90, 0), "talks": _rows("talks", 300, 300)}
    found = _made(mixture(sources, 200, random.Random(1)))
    assert found == {
        ("msc", False): 50, ("locomo", False): 10, ("talks", False): 40, ("msc", True): 40, ("talks", True): 60,
    }  # fmt: skip


def test_a_source_that_is_scarce_makes_both_halves_smaller() -> None:
    sources = {"msc": _rows("msc", 500, 20), "talks": _rows("talks", 300, 300)}
    found = _made(mixture(sources, 400, random.Random(1)))
    half = 20 * sum(NOTHING_TOLD.values()) // NOTHING_TOLD["msc"]
    told = sum(count for (_, nothing), count in found.items() if not nothing)
    assert (told, sum(found.values())) == (half, 2 * half)


def test_without_a_source_its_part_goes_to_the_others() -> None:
    found = _made(mixture({"talks": _rows("talks", 40, 70)}, 60, random.Random(1)))
    assert found == {("talks", False): 30, ("talks", True): 30}
    assert mixture({"talks": _rows("talks", 40, 0)}, 60, random.Random(1)) == []


def test_orders_tell_nothing_and_hide_no_fact() -> None:
    rows = list(order_rows(2, 20))
    lines = [(row["messages"][-1][1].rpartition("Store:\n")[2].partition(": ")[2], row["completion"]) for row in rows]
    ordered = [(line, target) for line, target in lines if line.startswith(("Write me ", "Explain ", "Suggest "))]
    alone = [target for line, target in ordered if len(line.split()) < 9]
    assert len(alone) > 9 and set(alone) == {NOTHING}
    beside = [target for line, target in ordered if len(line.split()) > 20]
    assert len(beside) > 1 and NOTHING not in beside
    held = {text for manner in manners() if manner.held_out for text in manner.wordings if "{" not in text}
    assert held and not held & {line for line, _ in lines}
    assert sum(TOLD.values()) == sum(NOTHING_TOLD.values())


KINDS = ("told_talks", "manner_talks", "short_talks", "further_talks", "week_talks")


def test_the_trainer_builds_the_mixture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in KINDS:  # all of them would take a minute
        some = getattr(told, kind)("train")[:3]
        monkeypatch.setattr(template_rows, kind, lambda _split="train", some=some: some)
    parser = argparse.ArgumentParser()
    register(parser.add_subparsers())
    halves = parser.parse_args(["storage", "--talks", "4", "--mixture", "40"])
    rows, valid = build(halves, tmp_path)
    assert (len(rows), sum(row["completion"] == NOTHING for row in rows)) == (40, 20) and valid
    plain, same = build(parser.parse_args(["storage", "--talks", "4"]), tmp_path)
    assert len(plain) > 120 and same == valid
    said = " ".join(row["messages"][-1][1] for row in plain)
    assert all(getattr(told, kind)("train")[1].user in said for kind in KINDS)


def test_no_more_talks_are_read_than_rows_are_wanted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    talk_rows = template_rows.talk_rows

    def counted(talk: Any, *given: Any, **more: Any) -> Any:
        read.append(talk.user)
        return talk_rows(talk, *given, **more)

    monkeypatch.setattr(template_rows, "talk_rows", counted)
    parser = argparse.ArgumentParser()
    register(parser.add_subparsers())
    rows, _ = build(parser.parse_args(["storage", "--talks", "1", "--max-rows", "3"]), tmp_path)
    assert len(rows) > 3 * 3, "of which the trainer draws as many as are wanted"
    assert len(read) < 3 * 5 + 3 + 1 + 6 + 60, "a kind's, a first week's without its name, the generated ones"
