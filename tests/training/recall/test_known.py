"""The fit of what counts as an answer: told is told from untold by the signs, and few told are refused."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import pytest

from chatmem.memory.errors import InputError
from chatmem.memory.search.evidence import SIGNS, from_data
from chatmem.training.recall import options, recipe
from chatmem.training.recall.known_fit import Case, as_data, fitted, measured


def cases(count: int, seed: int) -> list[Case]:
    """Of a told question one piece covers it, of an untold one none does; every other sign is noise."""
    rng, made = np.random.default_rng(seed), []
    for number in range(count):
        told = number % 2 == 0
        signs = rng.normal(size=(5, len(SIGNS)))
        signs[:, 0] = rng.normal(0.0, 0.3, 5)
        right = np.zeros(5)
        if told:
            signs[2, 0], right[2] = 3.0, 1.0
        made.append(Case(f"question {number}", told, True, signs, right))
    return made


def test_told_and_untold_are_parted_on_others_than_those_learned_from() -> None:
    known = fitted(cases(400, 1), refused=0.02)
    table = measured(known, cases(200, 2))
    assert table["never told"].value > 0.9
    assert table["told"].value < 0.2


def test_the_floor_refuses_the_wanted_share_of_the_told() -> None:
    learned = cases(200, 1)
    table = measured(fitted(learned, refused=0.1), learned)
    assert table["told"].value == pytest.approx(0.1, abs=0.01)


def test_what_is_written_is_read_again() -> None:
    known = fitted(cases(60, 3))
    again = from_data(as_data(known))
    one = cases(2, 4)[0].signs
    assert again.logit(one) == pytest.approx(known.logit(one), abs=0.05)
    assert again.logit(np.empty((0, len(SIGNS)))) < again.floor


def test_without_data_it_says_what_to_give(tmp_path: Path) -> None:
    parser = argparse.ArgumentParser()
    options.add_arguments(parser)
    with pytest.raises(InputError, match=r"--locomo FILE.*--known"):
        recipe.train(parser.parse_args(["--out", str(tmp_path)]))
