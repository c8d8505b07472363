"""The ranker of lines: what it looks at, by hand; that it orders and never loses; and which session it points at."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from chatmem.memory.errors import ModelBroken
from chatmem.memory.search import line_features, ranker
from chatmem.memory.search.line_features import NAMES, RULE, Seen, neighbours, signs, tells_rule, tells_time
from chatmem.memory.search.lines import SPREAD, second, spread
from chatmem.memory.store.store import Store

TEXTS = ("Which cat did you get?", "A tabby called Nori, last week.", "It rained on the boats.", "I have 2 cats")
KEYS = ((1, 10), (1, 11), (1, 12), (2, 20))


def seen(assistant: Sequence[bool] = (False,) * 4, *, asks_back: bool = False) -> Seen:
    numbers = np.array([1.0, 4.0, 0.0, 3.0])
    query = {"cat": 2.0, "boat": 1.0}
    return Seen(
        "When did you get the cat?", TEXTS, KEYS, total=numbers, own=numbers / 2, words=numbers / 4,
        meaning=np.array([0.5, 2.0, -1.0, 1.0]), asked=numbers, plain=numbers, named=np.array([0.0, 1.0, 0.0, 1.0]),
        pointed=np.zeros(4), dated=np.zeros(4), length=np.ones(4),
        assistant=np.array(assistant), passages=np.zeros(4), asks_back=asks_back, people=1, query=query,
        terms=[{"cat"}, set(), {"boat"}, {"cat"}],
    )  # fmt: skip


def column(name: str, *assistant: bool, asks_back: bool = False) -> list[float]:
    some = seen(assistant or (False,) * 4, asks_back=asks_back)
    found: list[float] = signs(some)[:, NAMES.index(name)].tolist()
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


def test_who_said_it_and_the_places_among_all() -> None:
    replied = (False, True, False, False)
    assert column("assistant", *replied) == [0, 1, 0, 0] and column("talk", *replied) == [0.25] * 4
    assert column("assistant asked", *replied) == [0] * 4
    assert column("assistant asked", *replied, asks_back=True) == [0, 1, 0, 0]
    assert column("reply", *replied) == [2, 0, 0, 0]
    assert column("after", *replied) == [0, 0, 0, 0]  # the reply is no neighbour; the next of a person's is
    assert column("before", *replied)[2] == 0.5 and column("before", *replied)[1] == 0.5
    assert column("rank words") == pytest.approx(np.log1p([2, 0, 3, 1]).tolist())
    assert sum(column("fusion")) == pytest.approx(0, abs=1e-5)


@pytest.mark.parametrize(("text", "rule"), [
    ("Always give dates as month and day.", True), ("I prefer step-by-step explanations", True),
    ("Please never call me before noon", True), ("It always rains here", False), ("I like the red one", False),
])  # fmt: skip
def test_a_line_that_tells_how_things_are_to_be_done(text: str, rule: bool) -> None:
    assert bool(line_features.RULE.search(text)) == rule


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
        "far": 0.1, "blend": 2.0,
    }  # fmt: skip
    return plain | changes


def test_the_network_by_hand() -> None:
    rows = np.zeros((2, len(NAMES)), np.float32)
    rows[0, :2], rows[1, :2] = (2, 3), (9, -1)
    assert ranker.from_data(weights()).scores(rows).tolist() == [2 + 0.5 - 3, 4 + 0.5]  # 9 is clipped to 4


def test_of_an_unknown_kind_of_talk_the_plain_fusion_decides() -> None:
    made = ranker.from_data(weights())
    near = np.zeros((2, len(NAMES)), np.float32)
    assert made.knows(near) and made.safe(near).tolist() == made.scores(near).tolist()
    near[1, NAMES.index("assistant")] = 1  # in a talk with the assistant both count
    assert made.safe(near).tolist() == pytest.approx((made.scores(near) + 2 * ranker.fused(near)).tolist())
    near[1, NAMES.index("assistant")] = 0
    far = np.full((2, len(NAMES)), 9.0, np.float32)
    far[:, NAMES.index("asks back")] = 0
    far[0, NAMES.index("fusion")], far[:, NAMES.index("assistant")] = 2, (0, 1)
    assert not made.knows(far)
    assert made.safe(far).tolist() == pytest.approx([1.0, (9 - ranker.PREFERENCE) / 2])


def test_a_file_of_another_version_is_told(tmp_path: Path) -> None:
    assert ranker.load(tmp_path / "none.json") is None
    for number, broken in enumerate((weights(signs=["sum"]), weights(out=[1.0]), {"signs": list(NAMES)})):
        path = tmp_path / f"{number}.json"
        path.write_text(json.dumps(broken))
        with pytest.raises(ModelBroken, match="reinstall"):
            ranker.load(path)


def test_the_session_with_the_answer_comes_first(store: Store) -> None:
    user = store.users.get("ana").id
    sessions = []
    for lines in (
        ("The weather was dull all week.", "Yes, it rained a lot."),
        ("I adopted a greyhound called Juno.", "How lovely! How old is the dog?", "She is three."),
        ("Work is fine, many meetings.", "Mine too."),
    ):
        sessions.append(store.sessions.start(user).id)
        for place, line in enumerate(lines):
            store.turns.add(sessions[-1], ("Ana", "Ben")[place % 2], line)
    found = store.search(user, "Which dog did Ana adopt?").sessions
    assert found[0][0] == sessions[1] and found[0][1] > 0.5
    assert sum(chance for _, chance in found) <= 1 + 1e-6
    assert store.search(user, "Which dog did Ana adopt?", use_turns=False).sessions == ()


SOME = "this week This_week going to May may, 2023 20234 x2023 la\u017ft ju\u0131st \u212ank monday mondays now _ - . é"
WORDS = st.sampled_from([*SOME.split(), "", "\n"])


@given(st.lists(WORDS | st.text(max_size=4), max_size=6).map(" ".join))
def test_the_quick_look_for_time_words_says_what_the_pattern_says(text: str) -> None:
    assert tells_time(text) == bool(line_features._time().search(text))


@given(st.lists(st.tuples(st.integers(1, 3), st.integers(1, 40)), unique_by=lambda key: key[1], max_size=20))
def test_neighbours_are_the_next_turns_of_the_same_session(keys: list[tuple[int, int]]) -> None:
    keys.sort(key=lambda key: key[1])
    for step in (-2, -1, 1, 2):
        found = neighbours(np.array(keys, np.int64).reshape(len(keys), 2), step).tolist()
        assert found == [
            next((place for place, other in enumerate(keys) if other == (session, turn + step)), -1)
            for session, turn in keys
        ]


def test_the_best_of_the_assistants_lines_is_second_at_the_latest() -> None:
    logits = np.array([5.0, 4.0, 3.0, 2.0, 1.0])
    assert np.argsort(-second(logits, np.array([0, 0, 0, 1, 1], bool))).tolist() == [0, 3, 1, 2, 4]
    for which in ([0, 1, 0, 1, 0], [1, 0, 0, 1, 0], [0, 0, 0, 0, 0]):
        assert second(logits, np.array(which, bool)).tolist() == logits.tolist()


def test_where_an_order_is_asked_for_each_line_of_a_session_is_worth_less_than_the_one_before() -> None:
    logits = np.array([5.0, 4.9, 4.8, 4.7, 1.0])
    found = spread(logits, [1, 1, 1, 2, 3])
    assert np.allclose(found, logits - SPREAD * np.array([0, 1, 2, 0, 0]))
    assert np.argsort(-found).tolist() == [0, 3, 1, 2, 4]


RULED = (
    "please", "always", "Never", "from now on", "I", "we'd", "really", "prefer", "preferred", "when I ask", "whenever",
    "ask", "make sure", "\u212a", "\u017f", "\n", ".", " ",
)  # fmt: skip


@given(st.lists(st.sampled_from(RULED), max_size=6), st.sampled_from(("", " ")))
def test_a_rule_is_told_as_by_the_whole_pattern(parts: list[str], between: str) -> None:
    text = between.join(parts)
    assert tells_rule(text) == bool(RULE.search(text))
