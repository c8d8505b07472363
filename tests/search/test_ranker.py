"""The ranker of lines: what it looks at, by hand; that it orders and never loses; and which session it points at."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from chatmem.memory import linesigns, ranker
from chatmem.memory.errors import ModelBroken
from chatmem.memory.linesigns import NAMES, Seen, neighbours, signs, tells_time
from chatmem.memory.store import Store

TEXTS = ("Which cat did you get?", "A tabby called Nori, last week.", "It rained on the boats.", "I have 2 cats")
KEYS = ((1, 10), (1, 11), (1, 12), (2, 20))


def seen() -> Seen:
    numbers = np.array([1.0, 4.0, 0.0, 3.0])
    query = {"cat": 2.0, "boat": 1.0}
    return Seen(
        "When did you get the cat?", TEXTS, KEYS, total=numbers, own=numbers / 2, words=numbers / 4,
        meaning=np.array([0.5, 2.0, -1.0, 1.0]), asked=numbers, named=np.array([0.0, 1.0, 0.0, 1.0]),
        pointed=np.zeros(4), dated=np.zeros(4), length=np.ones(4), people=1, query=query,
        terms=[{"cat"}, set(), {"boat"}, {"cat"}],
    )  # fmt: skip


def column(name: str) -> list[float]:
    found: list[float] = signs(seen())[:, NAMES.index(name)].tolist()
    return found


def test_the_signs_by_hand() -> None:
    assert column("sum") == [-3, 0, -4, -1]
    assert (
        column("before") == [0, 0.5, 2, 0] and column("after") == [2, 0, 0, 0] and column("before2") == [0, 0, 0.5, 0]
    )
    assert column("cover") == pytest.approx([2 / 3, 0, 1 / 3, 2 / 3]) and column("rare") == [1, 0, 0.5, 1]
    assert column("asks") == [1, 0, 0, 0] and column("answers") == [0, 1, 0, 0]
    assert column("time when asked") == [0, 1, 0, 0] and column("number") == [0, 0, 0, 1]
    assert column("name") == [0, 1, 0, 0] and column("both named") == column("none named") == [0] * 4
    assert column("session best") == [0, 0, 0, -1] and column("session meaning") == [2, 2, 2, 1]
    assert column("session cover") == pytest.approx([1, 1, 1, 2 / 3])
    assert column("session other") == [-4] * 4  # nothing is more than two lines away
    assert column("session all")[3] == pytest.approx(-0.5) and column("session mean")[0] == pytest.approx(-7 / 3)


NUMBERS = arrays.arrays(np.float64, st.integers(1, 12), elements=st.floats(-9, 9))


@given(NUMBERS, st.randoms())
def test_dealing_changes_the_order_alone(total: np.ndarray, rng: object) -> None:
    scores = np.random.default_rng(len(total)).normal(size=len(total))
    dealt = ranker.dealt(scores, total)
    assert sorted(dealt) == sorted(total)
    assert all(dealt[a] >= dealt[b] for a in range(len(total)) for b in range(len(total)) if scores[a] > scores[b])
    assert ranker.chances(scores).sum() == pytest.approx(1)


def weights(**changes: object) -> dict[str, object]:
    count = len(NAMES)
    plain: dict[str, object] = {
        "signs": list(NAMES), "mean": [0.0] * count, "spread": [1.0] * count, "linear": [1.0, *[0.0] * (count - 1)],
        "hidden": [[0.0] * count, [0.0, 1.0, *[0.0] * (count - 2)]], "bias": [1.0, 0.0], "out": [0.5, -1.0],
    }  # fmt: skip
    return plain | changes


def test_the_network_by_hand() -> None:
    rows = np.zeros((2, len(NAMES)), np.float32)
    rows[0, :2], rows[1, :2] = (2, 3), (9, -1)
    assert ranker.from_data(weights()).scores(rows).tolist() == [2 + 0.5 - 3, 4 + 0.5]  # 9 is clipped to 4


def test_a_file_of_another_version_is_told(tmp_path: Path) -> None:
    assert ranker.load(tmp_path / "none.json") is None
    for number, broken in enumerate((weights(signs=["sum"]), weights(out=[1.0]), {"signs": list(NAMES)})):
        path = tmp_path / f"{number}.json"
        path.write_text(json.dumps(broken))
        with pytest.raises(ModelBroken, match="reinstall"):
            ranker.load(path)


def test_the_session_with_the_answer_comes_first(store: Store) -> None:
    user = store.user("ana").id
    sessions = []
    for lines in (
        ("The weather was dull all week.", "Yes, it rained a lot."),
        ("I adopted a greyhound called Juno.", "How lovely! How old is the dog?", "She is three."),
        ("Work is fine, many meetings.", "Mine too."),
    ):
        sessions.append(store.start_session(user).id)
        for place, line in enumerate(lines):
            store.add_turn(sessions[-1], ("Ana", "Ben")[place % 2], line)
    found = store.search(user, "Which dog did Ana adopt?").sessions
    assert found[0][0] == sessions[1] and found[0][1] > 0.5
    assert sum(chance for _, chance in found) <= 1 + 1e-6
    assert store.search(user, "Which dog did Ana adopt?", use_turns=False).sessions == ()


SOME = "this week This_week going to May may, 2023 20234 x2023 la\u017ft ju\u0131st \u212ank monday mondays now _ - . é"
WORDS = st.sampled_from([*SOME.split(), "", "\n"])


@given(st.lists(WORDS | st.text(max_size=4), max_size=6).map(" ".join))
def test_the_quick_look_for_time_words_says_what_the_pattern_says(text: str) -> None:
    assert tells_time(text) == bool(linesigns._TIME.search(text))


@given(st.lists(st.tuples(st.integers(1, 3), st.integers(1, 40)), unique_by=lambda key: key[1], max_size=20))
def test_neighbours_are_the_next_turns_of_the_same_session(keys: list[tuple[int, int]]) -> None:
    keys.sort(key=lambda key: key[1])
    for step in (-2, -1, 1, 2):
        found = neighbours(np.array(keys, np.int64).reshape(len(keys), 2), step).tolist()
        assert found == [
            next((place for place, other in enumerate(keys) if other == (session, turn + step)), -1)
            for session, turn in keys
        ]
