"""Laws of the measures, and the cases that decide what they mean."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatmem.eval.measures import intervals
from chatmem.eval.measures.intervals import bootstrap, bootstrap_ratio, wilson
from chatmem.eval.measures.text import (
    all_words,
    contained,
    content_words,
    half_words,
    kept,
    names_and_numbers,
    token_f1,
)

WORDS = "Ana has two dogs and a red Volvo, 3 cats live in Rome; she's happy"
TEXTS = st.lists(st.sampled_from(WORDS.split(" "))).map(" ".join)


@settings(deadline=None)
@given(TEXTS, TEXTS)
def test_f1_is_symmetric_and_one_for_itself(one: str, two: str) -> None:
    assert token_f1(one, two) == pytest.approx(token_f1(two, one))
    assert 0 <= token_f1(one, two) <= 1
    assert token_f1(one, one) == 1


@settings(deadline=None)
@given(TEXTS, TEXTS)
def test_more_text_never_contains_less(gold: str, text: str) -> None:
    assert contained(gold, gold) == 1
    assert contained(gold, text) <= contained(gold, f"{text} {gold[:10]}")
    assert not all_words(gold, text) or half_words(gold, text)


def test_containment_stems_and_skips_stop_words_and_reads_number_words() -> None:
    assert content_words("I was walking with my two dogs.") == ["walk", "2", "dog"]
    assert all_words("She walks 2 dogs", "two dogs are walked")
    assert not all_words("red Volvo", "a Volvo")
    assert half_words("red Volvo", "a Volvo")
    assert all_words("It's me", "it is me") and not all_words("It's me", "nobody")


def test_token_f1_by_hand() -> None:
    assert token_f1("Ana has a dog", "Ana has two dogs") == pytest.approx(2 * (3 / 3) * (3 / 4) / (3 / 3 + 3 / 4))
    assert token_f1("", "dog") == 0


def test_names_and_numbers_of_a_fact() -> None:
    assert names_and_numbers("Jeeps are fun. I own a Jeep and three Fords, bought in 2019.") == {
        "jeep",
        "fords",
        "3",
        "2019",
    }
    assert names_and_numbers("I am one of them. I think I'm fine.") == set()
    assert kept("I own a Jeep and 3 cats.", "Ana owns three cats.") == (1, 2)
    assert kept("He met Anna's aunt in New York.", "Ana met Anna in New York") == (3, 3)
    assert kept("I nap.", "") == (0, 0)


@settings(deadline=None)
@given(st.integers(0, 60), st.integers(0, 60))
def test_wilson_holds_the_share_and_stays_in_bounds(hits: int, more: int) -> None:
    estimate = wilson(hits, hits + more)
    assert 0 <= estimate.low <= estimate.high <= 1
    if hits + more:
        assert estimate.low <= estimate.value <= estimate.high
    else:
        assert math.isnan(estimate.value)


def test_wilson_by_the_book() -> None:
    """Seed 003's own numbers: 28 and 38 of 50."""
    before, after = wilson(28, 50), wilson(38, 50)
    assert (round(before.low, 2), round(before.high, 2)) == (0.42, 0.69)
    assert (round(after.low, 2), round(after.high, 2)) == (0.63, 0.86)


def test_bootstrap_covers_the_truth_about_as_often_as_it_says() -> None:
    rng = random.Random(5)
    hits = 0
    for round_ in range(60):
        estimate = bootstrap([rng.gauss(3, 1) for _ in range(40)], seed=round_, rounds=300)
        hits += estimate.low <= 3 <= estimate.high
    assert 50 <= hits <= 60


@pytest.mark.parametrize("n", [1, 7, 700])
def test_a_bootstrap_draws_what_choices_draws(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever numpy makes faster, and in however many blocks."""
    monkeypatch.setattr(intervals, "BLOCK", 3000)
    source = random.Random(11)
    drawn = np.concatenate(list(intervals._draws(n, 40, 11)))
    assert drawn.tolist() == [source.choices(range(n), k=n) for _ in range(40)]


def test_bootstrap_ratio_weighs_cases_by_their_size() -> None:
    estimate = bootstrap_ratio([1, 0, 3], [1, 0, 9])
    assert estimate.value == pytest.approx(0.4)
    assert estimate.n == 10
    assert math.isnan(bootstrap_ratio([], []).value)
