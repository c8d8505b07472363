"""What the storage agent learns from slips, and which known rows it sees beside a line."""

from __future__ import annotations

import random

import pytest

from chatmem.models.prompts.messages import NOTHING, Known
from chatmem.training.material.templates.ends.slips import read
from chatmem.training.material.templates.talk import Gold, GoldLine
from chatmem.training.storage import slip_rows as module
from chatmem.training.storage.slip_rows import slip_rows
from chatmem.training.storage.template_rows import _shown

FACTS = "1: Ana bought a blue Fiat Panda.\n2: Ana's sister drives a tram.\n3: Ana has a goat.\n"
SLIP = f"=== Ana\nS: We bought a blue Fiat Panda.\n{FACTS}"


def _completion(monkeypatch: pytest.MonkeyPatch, items: str) -> tuple[str, dict[str, int]]:
    """What the row of a slip asks for, and the number under which each fact is shown."""
    monkeypatch.setattr(module, "slips", lambda split: list(read(SLIP + items, "texting")))
    (row,) = slip_rows(3)
    shown = [line.split(" | ") for line in row["messages"][-1][1].splitlines() if " | " in line]
    assert row["messages"][-1][1].splitlines()[-3:-1] == ["Ana: We bought a blue Fiat Panda.", "Store:"]
    return row["completion"], {fact: int(number) for number, _, fact in shown}


def test_what_is_put_right_changes_the_row_that_shares_most_words_and_what_is_new_is_added(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    line = "L: green!! I'm colour blind -> 1\nN: Ana is colour blind.\nN: Ana bought a green Fiat Panda.\n"
    sql, number = _completion(monkeypatch, line)
    blue = number["Ana bought a blue Fiat Panda."]
    change = f"UPDATE memory SET fact = 'Ana bought a green Fiat Panda.' WHERE id = {blue};"
    assert sql.endswith(change) and sql.startswith("INSERT INTO memory") and "'Ana is colour blind.', NULL);" in sql


def test_what_is_untrue_and_nothing_takes_its_place_is_deleted(monkeypatch: pytest.MonkeyPatch) -> None:
    sql, number = _completion(monkeypatch, "L: nope, I dreamt that -> 1 3\n")
    blue, goat = number["Ana bought a blue Fiat Panda."], number["Ana has a goat."]
    assert sql == f"DELETE FROM memory WHERE id = {blue}; DELETE FROM memory WHERE id = {goat};"


def test_what_only_sounds_like_a_slip_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _completion(monkeypatch, "L: mine is blue too ->\n")[0] == NOTHING


def test_rows_beside_a_line_are_those_that_it_changes_and_half_of_the_time_the_nearest() -> None:
    facts = ("Ana has a goat.", "Ana sings.", "Ana's goat eats hay.", "Ana swims.", "Ana's goat is brown.", "Ana skis.")
    rows = {place: Known(place + 10, "t", fact) for place, fact in enumerate(facts)}
    line = GoldLine("Ana", "the goat got out again", "", (Gold("delete", "Ana", "", "", replaces=1),))
    seen = [_shown(line, rows, random.Random(seed)) for seed in range(200)]
    assert all(rows[1] in some and len(some) <= 4 for some in seen)
    assert all([row.id for row in some] == sorted(row.id for row in some) for some in seen)
    near = {10, 11, 12, 14}
    whole = [{row.id for row in some} for some in seen if len(some) == 4]
    assert len(whole) / 2 > sum(some != near for some in whole) > len(whole) / 5
