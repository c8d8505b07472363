"""Ranking measures against values worked by hand, and the laws that tie them together."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatmem.eval.measures import ranking

RANKED = ["a", "b", "c", "d", "e"]


def test_by_hand() -> None:
    wanted = {"b", "e", "x"}
    assert ranking.recall_at(RANKED, wanted, 2) == pytest.approx(1 / 3)
    assert ranking.recall_at(RANKED, wanted, 5) == pytest.approx(2 / 3)
    assert (ranking.any_hit_at(RANKED, wanted, 1), ranking.any_hit_at(RANKED, wanted, 2)) == (0.0, 1.0)
    assert (ranking.all_hit_at(RANKED, wanted, 5), ranking.all_hit_at(RANKED, {"b", "e"}, 5)) == (0.0, 1.0)
    assert ranking.reciprocal_rank(RANKED, wanted) == 0.5
    assert ranking.reciprocal_rank(RANKED, {"x"}) == 0.0
    assert ranking.average_precision(RANKED, wanted) == pytest.approx((1 / 2 + 2 / 5) / 3)
    best = 1 + 1 / math.log2(3) + 1 / math.log2(4)
    assert ranking.ndcg_at(RANKED, wanted, 5) == pytest.approx((1 / math.log2(3) + 1 / math.log2(6)) / best)
    assert ranking.ndcg_at(RANKED, wanted, 1) == 0.0
    assert ranking.ndcg_at(["b"], wanted, 1) == 1.0


RANKINGS = st.lists(st.sampled_from("abcdefgh"), unique=True, min_size=1)
WANTED = st.sets(st.sampled_from("abcdefgh"), min_size=1)


@given(RANKINGS, WANTED, st.integers(1, 10))
def test_laws(ranked: list[str], wanted: set[str], k: int) -> None:
    recall = ranking.recall_at(ranked, wanted, k)
    assert ranking.all_hit_at(ranked, wanted, k) <= recall <= ranking.any_hit_at(ranked, wanted, k)
    assert recall <= ranking.recall_at(ranked, wanted, k + 1)
    assert 0 <= ranking.ndcg_at(ranked, wanted, k) <= 1 + 1e-12
    assert 0 <= ranking.average_precision(ranked, wanted) <= ranking.recall_at(ranked, wanted, len(ranked)) + 1e-12
    first = [*wanted, *(one for one in ranked if one not in wanted)]
    assert ranking.ndcg_at(first, wanted, k) == pytest.approx(1)
    assert ranking.average_precision(first, wanted) == pytest.approx(1)
