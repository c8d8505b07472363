"""What `train recall` holds back and how it measures, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from chatmem.training import recall, recall_rows
from chatmem.training.ranker import Ranked
from chatmem.training.recall_rows import Asked


def asked(talk: str, *lines: int, category: int = 0) -> Asked:
    return Asked(talk, 1, "Where is the cat?", lines, category)


def material(talks: int, rows: int) -> recall.Material:
    speakers = {f"talk-{number}": ("Ana", "Ben") for number in range(talks)}
    dmr, chats = ([asked(f"{kind}-{number}", 1) for number in range(rows)] for kind in ("dmr", "msc"))
    return recall.Material([], dmr, chats + chats, {}, speakers, "model")


@pytest.mark.parametrize(("talks", "rows", "count"), [(7, 300, 3), (4, 1, 2), (3, 0, 3), (1, 5, 3)])
def test_each_conversation_is_held_back_once(talks: int, rows: int, count: int) -> None:
    groups = recall._groups(material(talks, rows), count)
    wanted = [f"talk-{n}" for n in range(talks)] + [f"{kind}-{n}" for kind in ("dmr", "msc") for n in range(rows)]
    assert sorted(one for group in groups for one in group) == sorted(wanted)
    assert all(any(name.startswith("talk") for name in group) for group in groups)


def test_answers_that_stand_everywhere_teach_nothing() -> None:
    rows = [asked("a"), asked("b", 1, 2, 3), asked("c", 1, 2, 3, 4), asked("d", 1, 2, 3, 4, category=2)]
    assert [one.talk for one in recall_rows.telling(rows)] == ["b", "d"]


def test_sessions_are_ranked_by_all_their_lines() -> None:
    row = Ranked(asked("a", 3, category=1), [1, 2, 3], np.array([[2.0], [1.0], [1.0]]))
    one_good_line_or_two_fair_ones = np.array([1.0, 0.9, 0.9])
    sessions = {1: 10, 2: 20, 3: 20}
    assert recall._sessions(row, one_good_line_or_two_fair_ones, sessions, 1) == 1
    assert recall._sessions(row, np.array([3.0, 0.0, 0.0]), sessions, 1) == 0
    other = Ranked(asked("msc-a", 2), [1, 2, 3], np.array([[2.0], [1.0], [1.0]]))
    table = recall._table([row, other], [one_good_line_or_two_fair_ones, np.array([2.0, 3.0, 1.0])], sessions)
    assert table["recall@10, ranker"].value == table["sessions, NDCG@1, ranker"].value == 1
    assert table["recall@10, ranker"].n == table["recall@10, ranker, MSC's chats"].n == 1
