"""What DAPO adds: the price of length, and which groups teach nothing."""

from __future__ import annotations

import math

import pytest

from chatmem.training.methods.dapo import filled, flat, overlong


@pytest.mark.parametrize(
    ("tokens", "most", "buffer", "price"),
    [(0, 100, 20, 0), (80, 100, 20, 0), (85, 100, 20, -0.25), (100, 100, 20, -1), (140, 100, 20, -1), (100, 100, 0, 0)],
)
def test_length_costs_over_the_last_buffer_alone(tokens: int, most: int, buffer: int, price: float) -> None:
    assert overlong(tokens, most, buffer) == price


def test_a_group_needs_two_known_rewards_that_differ() -> None:
    lost = math.nan
    rewards = [1, 1, 1, 0, 0.5, 1, lost, 1, lost, lost, 1, 0]
    assert flat(rewards, 3) == [0, 2]
    assert filled(rewards, 3) == [1, 1, 1, 0, 0.5, 1, 1, 1, 1, 0.5, 1, 0]
    assert filled([lost, lost], 2) == [0, 0]
