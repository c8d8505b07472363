"""log.jsonl: a line for each step, once, whatever was killed in between."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from chatmem.training.loop.step_log import NAME, tell


def at(step: int, loss: float = 1.0) -> tuple[int, dict[str, float]]:
    return step, {"step": step, "loss": loss}


def told(folder: Path) -> list[tuple[int, float]]:
    return [(row["step"], row["loss"]) for row in map(json.loads, (folder / NAME).read_text().splitlines())]


@pytest.mark.parametrize("torn", ["", '{"step": 5, "of', "{}\n"])
def test_steps_past_the_checkpoint_are_told_anew_and_once(tmp_path: Path, torn: str) -> None:
    for step in range(1, 5):
        tell(tmp_path, *at(step))
    with (tmp_path / NAME).open("a") as file:
        file.write(torn)  # a kill in the middle of a line
    for step in (3, 4, 5):  # gone on from step 2
        tell(tmp_path, *at(step, 2.0))
    assert told(tmp_path) == [(1, 1.0), (2, 1.0), (3, 2.0), (4, 2.0), (5, 2.0)]


def test_a_torn_line_of_the_very_step_is_told_anew(tmp_path: Path) -> None:
    tell(tmp_path, *at(1))
    with (tmp_path / NAME).open("a") as file:
        file.write('{"step": 2')
    tell(tmp_path, *at(2))
    assert told(tmp_path) == [(1, 1.0), (2, 1.0)]
