"""Packing keeps its budget, whatever it is given, and prefers what tells something new."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from chatmem.memory.packing import Piece, pack, piece

PIECES = st.lists(
    st.tuples(
        st.integers(0, 5),
        st.lists(st.sampled_from(["cat", "dog", "nurse", "Boston", "the", "of", "seven"]), max_size=12),
        st.floats(0.01, 1),
    ),
    max_size=25,
).map(lambda rows: [piece(owner, n, " ".join(words), chance) for n, (owner, words, chance) in enumerate(rows)])


@given(PIECES, st.integers(0, 60), st.integers(0, 3))
def test_the_budget_holds_with_a_label_for_each_owner(pieces: list[Piece], budget: int, label: int) -> None:
    chosen = pack(pieces, budget, label)
    assert sum(one.words for one in chosen) + label * len({one.owner for one in chosen}) <= budget
    assert len({one.order for one in chosen}) == len(chosen)


@given(PIECES, st.integers(0, 60))
def test_nothing_that_would_still_fit_and_tell_is_left_out(pieces: list[Piece], budget: int) -> None:
    chosen = pack(pieces, budget, 0)
    left = budget - sum(one.words for one in chosen)
    assert not [one for one in pieces if one not in chosen and one.terms and one.chance > 0 and one.words <= left]


def test_a_new_word_beats_a_repeated_one() -> None:
    pieces = [piece(0, 0, "the cats Nori", 0.9), piece(1, 0, "the cats Nori", 0.8), piece(2, 0, "a nurse here", 0.5)]
    assert [one.owner for one in pack(pieces, 6, 0)] == [0, 2]
