"""The reward of rankings of sessions, against a table worked by hand, and what it asks of the frozen model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from chatmem.eval.ranking.rows import Haystack, Row
from chatmem.memory.errors import EndpointError
from chatmem.training.recall.sessions.reward import MALFORMED, SessionReward, outcome, share_of, tiers, weights

NO, YES = "-", "green kite"


def row(count: int, gold: Sequence[int] = ()) -> Row:
    stack = Haystack(
        tuple((("Ana", f"{n}"),) for n in range(count)), ("",) * count, tuple(f"D{n}" for n in range(count))
    )  # fmt: skip
    return Row("q", "What flew?", stack, YES, tuple(f"D{n}" for n in gold))


def knows(wanted: Callable[[set[int]], bool]) -> Callable[[Row, Sequence[int]], str]:
    """A frozen model that answers rightly from the sets of sessions of which `wanted` says so."""
    return lambda _, places: YES if wanted(set(places)) else NO


def ranking(*numbers: int) -> str:
    return f"<think>so</think><ranking>{','.join(map(str, numbers))}</ranking>"


TEN = tuple(range(10))
TABLE = [
    # (sessions, reply, from which sets the model knows it, reward)
    ("all gold, found at once", 12, ranking(*TEN), lambda had: 0 in had, 1.0),
    ("in no session", 12, ranking(*TEN), lambda had: False, 0.0),
    ("known without any", 12, ranking(*TEN), lambda had: True, 0.0),
    ("known without any, sessions only confuse", 12, ranking(*TEN), lambda had: not had, -1.0),
    ("second", 12, ranking(*TEN), lambda had: 1 in had, 0.6309),  # C(2)
    ("third", 12, ranking(*TEN), lambda had: 2 in had, 0.5),  # C(3)
    ("fourth: from the tier of five on", 12, ranking(*TEN), lambda had: 3 in had, 0.3869),  # C(5)
    ("sixth: only the tier of eight has it", 12, ranking(*TEN), lambda had: 5 in had, 0.3155),  # C(8)
    ("tenth: no tier has it", 12, ranking(*TEN), lambda had: 9 in had, 0.0),
    ("the first alone, more confuse", 12, ranking(*TEN), lambda had: had == {0}, 0.3691),  # 1 - C(2)
    ("two are needed: from three on", 12, ranking(4, 7, 5), lambda had: {4, 5} <= had, 0.5),
    ("one session there is", 1, ranking(0), lambda had: 0 in had, 1.0),
    ("three sessions: tiers of 1, 2, 3", 3, ranking(2, 1, 0), lambda had: 0 in had, 0.5),  # C(3)
    ("no ranking", 12, "<think>so</think> 0, 1", lambda had: 0 in had, MALFORMED),
    ("of no session", 12, ranking(12, 40), lambda had: 0 in had, MALFORMED),
]


@pytest.mark.parametrize(
    ("count", "reply", "wanted", "value"), [one[1:] for one in TABLE], ids=[one[0] for one in TABLE]
)
def test_the_table_worked_by_hand(count: int, reply: str, wanted: Callable[[set[int]], bool], value: float) -> None:
    found = SessionReward(knows(wanted), "m")(row(count), reply, range(count))
    assert found is not None
    assert found["reward"] == pytest.approx(value, abs=5e-5)


def test_tiers_and_weights() -> None:
    assert [tiers(n) for n in (1, 2, 4, 7, 8, 30)] == [(1,), (1, 2), (1, 2, 3), (1, 2, 3, 5), TIERS5, TIERS5]
    assert weights(TIERS5) == pytest.approx((0.3691, 0.1309, 0.1131, 0.0714, 0.3155), abs=5e-5)
    assert all(sum(weights(tiers(n))) == pytest.approx(1) for n in range(1, 20))
    assert outcome(0.5, [0.75, 0.25], (1, 2)) == pytest.approx(0.3691 * 0.25 - 0.6309 * 0.25, abs=1e-4)


TIERS5 = (1, 2, 3, 5, 8)


def test_no_ranking_is_worse_than_any_ranking() -> None:
    worst = SessionReward(knows(lambda had: not had), "m")(row(12), ranking(*TEN), range(12))
    assert worst is not None and MALFORMED < worst["reward"] == pytest.approx(-1)


def test_the_warm_up_goes_from_the_order_to_the_outcome() -> None:
    """Gold stands second: NDCG@10 is C(2); the answer comes from the first tier on."""
    reward, order = SessionReward(knows(lambda had: 0 in had), "m"), 0.6309
    told = [reward(row(12, [1]), ranking(*TEN), range(12), share) for share in (0.0, 0.25, 1.0)]
    values = [one["reward"] for one in told if one is not None]
    assert values == pytest.approx([order, 0.75 * order + 0.25, 1.0], abs=1e-4)
    assert [share_of(step, 40) for step in (-1, 0, 10, 40, 90)] == [0, 0, 0.25, 1, 1]
    assert share_of(0, 0) == 1


def test_the_places_of_the_prompt_are_those_of_the_row() -> None:
    """The prompt shows sessions 3, 5 and 9 as 0, 1 and 2."""
    reward = SessionReward(knows(lambda had: 9 in had), "m")
    found = reward(row(12, [9]), ranking(2, 0), (3, 5, 9))
    assert found is not None and found["reward"] == pytest.approx(1) and found["NDCG@10"] == 1


def test_each_set_of_sessions_is_asked_once_whatever_its_order_and_also_by_the_next_run(tmp_path: Path) -> None:
    asked: list[tuple[int, ...]] = []

    def answer(_: Row, places: Sequence[int]) -> str:
        asked.append(tuple(places))
        return NO

    kept = tmp_path / "runs" / "kept.jsonl"
    reward = SessionReward(answer, "m", kept)
    reward(row(12), ranking(0, 1, 2), range(12))
    reward(row(12), ranking(1, 0, 2), range(12))
    assert sorted(asked) == [(), (0,), (0, 1), (0, 1, 2), (1,)]
    kept.write_text(kept.read_text() + '{"key": "torn')
    assert SessionReward(answer, "m", kept)(row(12), ranking(0, 1, 2), range(12)) is not None
    assert len(asked) == 5
    SessionReward(answer, "another", kept)(row(12), ranking(0, 1, 2), range(12))
    assert len(asked) == 9, "another model's answers are its own"


def test_where_an_endpoint_fails_the_sample_is_left_out_and_nothing_is_kept() -> None:
    broken = [True]

    def answer(_: Row, places: Sequence[int]) -> str:
        if broken[0] and len(places) == 2:
            raise EndpointError("gone")
        return YES if 0 in places else NO

    reward = SessionReward(answer, "m")
    assert reward(row(12), ranking(*TEN), range(12)) is None
    broken[0] = False
    found = reward(row(12), ranking(*TEN), range(12))
    assert found is not None and found["reward"] == pytest.approx(1)


def test_the_frozen_model_is_the_one_that_answers_in_use(tiny_model: Path, tmp_path: Path) -> None:
    from chatmem.eval.ranking.answer import Answering

    near = row(3, [1]).told({"similarities": [0.1, 0.9, 0.3], "session_passages": [[[0, 0, 1]]] * 3})
    frozen = Answering("embedded", threads=1)()
    try:
        assert frozen.from_sessions(near, (2, 0)) == frozen.from_sessions(near, (0, 2)), "a set, not an order"
        found = SessionReward(frozen.from_sessions, "embedded", tmp_path / "kept")(near, ranking(1, 0, 2), range(3))
    finally:
        frozen.close()
    assert found is not None and -1 <= found["reward"] <= 1 and found["NDCG@10"] == 1
