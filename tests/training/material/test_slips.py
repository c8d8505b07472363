"""Slips: how a file is read, what ships, and what the trainers make of it."""

from __future__ import annotations

import pytest

from chatmem.training.material.templates.ends.slips import FOLDER, HELD_BACK, Slip, read, slips

TEXT = """
=== Ana
S: We bought a blue Fiat Panda.
1: Ana bought a blue Fiat Panda.
2: Ana's sister drives a tram.
L: green!! I'm colour blind -> 1
N: Ana bought a green Fiat Panda.
N: Ana is colour blind.
"""


def test_a_slip_is_read() -> None:
    (slip,) = read(TEXT, "texting")
    facts = ("Ana bought a blue Fiat Panda.", "Ana's sister drives a tram.")
    now = ("Ana bought a green Fiat Panda.", "Ana is colour blind.")
    assert slip == Slip("Ana", "texting", "We bought a blue Fiat Panda.", facts, "green!! I'm colour blind", (0,), now)
    assert slip.just_told == (0,)


@pytest.mark.parametrize(
    ("was", "wrong"), [("L: green!!", "green!!"), ("-> 1", "-> 3"), (" -> 1", ""), ("S: We bought", "X: We bought")]
)
def test_a_slip_of_another_form_is_none(was: str, wrong: str) -> None:
    with pytest.raises(ValueError, match=r"slip|untrue"):
        list(read(TEXT.replace(was, wrong), "texting"))


@pytest.mark.skipif(not FOLDER.is_dir(), reason="they lie in the checkout alone")
def test_what_is_learned_from_and_what_is_held_back_share_no_manner() -> None:
    train, valid = slips("train"), slips("valid")
    assert {one.manner for one in valid} == {HELD_BACK} and HELD_BACK not in {one.manner for one in train}
    for some in (train, valid):
        assert 0.6 < sum(bool(one.ends) for one in some) / len(some) < 0.8, "the others only sound like corrections"
        ended = [place in one.just_told for one in some for place in one.ends]
        assert sum(ended) > 0.8 * len(ended), "what is put right was just told"
    assert not {one.line for one in train} & {one.line for one in valid}
