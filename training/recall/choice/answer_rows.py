"""Rows for the agent that chooses by number: which of the sentences that the reader finds likeliest answers a question,
if any does. The questions are those of whole talks, told ones and never-told ones."""

from __future__ import annotations

import random
from collections.abc import Sequence

from ....models.chat.reader.chooser import Chooser, likeliest
from ....models.prompts.messages import NONE, which_messages
from ...policy.rows import Rows, training_row
from .reader_fit import Case

WITHOUT = 0.35
"""Share of the told questions that are also asked without what answers them."""


def answer_rows(cases: Sequence[Case], chooser: Chooser, rng: random.Random) -> Rows:
    """A row for each question of whose sentences the chooser puts a right one among the shown, for each that was never
    told, and for some told ones without their answer."""
    rows: Rows = []
    for case in cases:
        if not case.told or case.right.any():
            rows += _row(case, chooser, rng, without=False)
        if case.told and case.right.any() and rng.random() < WITHOUT:
            rows += _row(case, chooser, rng, without=True)
    return rows


def _row(case: Case, chooser: Chooser, rng: random.Random, *, without: bool) -> Rows:
    signs, kept = case.seen(without=without)
    if not len(signs):
        return []
    shown = [int(kept[place]) for place in likeliest(chooser.best(signs))]
    right = [place for place in shown if case.right[place]]
    if not right and case.right[kept].any():
        return []
    rng.shuffle(shown)
    reply = str(shown.index(right[0]) + 1) if right else NONE
    return [training_row(which_messages([case.sentences[place] for place in shown], case.asker, case.text), reply)]
