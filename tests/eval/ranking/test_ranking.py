"""What the ranking model reads and writes: prompts within the window, replies of every kind, orders, contexts."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest

from chatmem.eval.measures import ranking, sessions
from chatmem.eval.measures.answers import bleu1, exact_match, rouge_l
from chatmem.eval.ranking.answer import filled
from chatmem.eval.ranking.embed import prefiltered
from chatmem.eval.ranking.order import best_order, fused, order
from chatmem.eval.ranking.parse import parse_ranking
from chatmem.eval.ranking.prompt import DIGESTS, MOST, digest, grammar, shown
from chatmem.eval.ranking.rows import Haystack, Row
from chatmem.memory.errors import InputError
from chatmem.memory.search.passages import passages
from chatmem.models.decoding.scripted import ScriptedLM


def long_row(count: int, words: int = 300) -> Row:
    more = "More is said of it here. " * (words // 6)
    said = tuple((("Ana", f"Session {n} tells of <b>matter</b> {n}. {more}"),) for n in range(count))
    days = tuple(f"2023-05-{n % 28 + 1:02}" for n in range(count))
    stack = Haystack(said, days, tuple(f"D{n}" for n in range(count)))
    spans = [[[0, *span] for span in passages(turns[0][1])][:8] for turns in stack.sessions]
    near = [1 - n / count for n in range(count)]
    found = {"similarities": near, "session_passages": spans, "prefiltered_session_idx": list(range(count))}
    return Row("q", "Which matter?", stack, "matter 3", ("D3",), found=found)


class Window(ScriptedLM):
    """Counts a token for three letters, as no model would undercount."""

    def __init__(self, context: int) -> None:
        super().__init__(["-"])
        self.context_tokens = context

    def count_tokens(self, text: str) -> int:
        return -(-len(text) // 3)


@pytest.mark.parametrize(
    ("reply", "numbers"),
    [
        ("<think>why</think><ranking>3,1,0</ranking>", (3, 1, 0)),
        ("<ranking>2</ranking>", (2,)),
        ("<think>first <ranking>0,1</ranking>?</think><ranking> 2 , 1 </ranking> more", (2, 1)),
        ("<think>a</think>then</think><ranking>[1, 2]</ranking>", (1, 2)),
        ("<think>a</think><ranking>1,1,-2,9,2,1</ranking>", (1, 2)),
        ("<think>a</think><ranking>session2, Session 0</ranking>", (2, 0)),
        ("<think>a</think><ranking>7,-1,99</ranking>", None),
        ("<think>a</think><ranking></ranking>", None),
        ("<think>a</think><ranking>the third</ranking>", None),
        ("<think>a</think><ranking>1,2", None),
        ("<think>never ends <ranking>1,2</ranking>", None),
        ("<think>a <ranking>1,2</ranking></think> so 1", None),
        ("1,2,3", None),
        ("", None),
    ],
)
def test_a_ranking_is_read_after_the_thought_and_nothing_else_is_one(
    reply: str, numbers: tuple[int, ...] | None
) -> None:
    assert parse_ranking(reply, 4) == numbers


@pytest.mark.parametrize("context", [700, 1_024, 4_096, 8_192])
@pytest.mark.parametrize("count", [1, 5, 30])
def test_digests_fit_a_small_window(context: int, count: int) -> None:
    lm, row = Window(context), long_row(count)
    asked = shown(row, lm, "digest")
    used = sum(lm.count_tokens(message.content) + 8 for message in asked.messages)
    assert used + asked.options.max_tokens <= context
    assert list(asked.places) == list(range(len(asked.places))), "the nearest, in the order of time"
    assert 1 <= len(asked.places) <= min(DIGESTS, count)
    if context >= 4_096:
        assert len(asked.places) == min(DIGESTS, count)
        assert all(f"<session{n}> <date>2023" in asked.messages[1].content for n in range(len(asked.places)))
        assert "<b>" not in asked.messages[1].content, "no mark but the prompt's own"


def test_a_large_window_gets_whole_sessions_and_passes_over_what_does_not_fit() -> None:
    asked = shown(long_row(30), Window(16_384), "whole", seed=3)
    size = sum(-(-len(message.content) // 3) for message in asked.messages)
    assert size + asked.options.max_tokens <= 16_384
    assert 10 < len(asked.places) < 30
    assert asked.options.temperature == 0.6 and asked.options.seed == 3 and asked.options.grammar is None


def test_the_grammar_names_the_sessions_there_are() -> None:
    assert '("," number){0,9}' in grammar(12) and '"11"' in grammar(12) and '"12"' not in grammar(12)
    assert '("," number){0,0}' in grammar(1)
    assert MOST == 10


def test_what_does_not_fit_is_passed_over_in_the_prefilter_and_time_is_restored() -> None:
    said = [10, 500, 10, 0]
    stack = Haystack(
        tuple((("Ana", "x" * 4 * n),) if n else () for n in said), ("",) * 4, ("a", "b", "c", "d")
    )  # fmt: skip
    assert prefiltered(stack, [0.2, 0.9, 0.8, 0.7], 100) == [0, 2]
    assert prefiltered(stack, [0.2, 0.9, 0.8, 0.7], 10_000) == [0, 1, 2]
    assert prefiltered(stack, [0.2, 0.9, 0.8, 0.7], 0) == []


def test_orders_of_sessions() -> None:
    row = long_row(4).told({"session_chances": [0.1, 0.0, 0.6, 0.3]})
    assert order(row, "similarity") == [0, 1, 2, 3]
    assert order(row, "lines") == [2, 3, 0, 1]
    assert order(row, "generated") is None and order(row, "fused") is None
    assert best_order(row)[0] == "lines"
    ranked = row.told({"haystack_session_gen_rankings": [1, 3]})
    assert order(ranked, "generated") == [1, 3, 0, 2], "those that it left out follow by similarity"
    assert best_order(ranked) == ("generated", [1, 3, 0, 2])
    failed = row.told({"haystack_session_gen_rankings": []})
    assert order(failed, "generated") == [0, 1, 2, 3], "a reply in another form: the order of similarity"
    assert best_order(failed)[0] == "lines"
    with pytest.raises(InputError, match="rank embed"):
        best_order(Row("q", "?", row.haystack))


def test_fusing_moves_a_session_by_at_most_the_weight() -> None:
    near = [0, 1, 2]
    assert fused([0.5, 0.3, 0.2], [2, 1, 0], near, weight=0.0) == [0, 1, 2]
    assert fused([0.5, 0.3, 0.2], [2, 1, 0], near, weight=0.1) == [0, 1, 2]
    assert fused([0.5, 0.3, 0.2], [2, 1, 0], near, weight=1.0) == [2, 0, 1]


@pytest.mark.parametrize("room", [0, 40, 300, 1_000, 100_000])
def test_the_context_is_filled_best_first_within_its_tokens(room: int) -> None:
    row = long_row(6)

    def count(text: str) -> int:
        return -(-len(text) // 3)

    found = filled(row, [4, 2, 0, 1, 3, 5], room, count)
    assert sum(count(line) for lines in found.values() for line in lines) <= room
    assert set(found) == (set(range(6)) if room == 100_000 else set([4, 2, 0, 1, 3, 5][: len(found)]))
    if room >= 300:
        assert 4 in found, "the best is there, whole or its nearest passages"


def test_a_digest_holds_the_nearest_passages_in_order() -> None:
    row = long_row(1)
    spans = row.found["session_passages"][0]
    row = row.told({"session_passages": [[spans[2], spans[0]]]})
    text = digest(row, 0, 10_000, len)
    assert text.startswith("Ana: Session 0") and " ... " in text
    assert "Session 0" not in digest(row, 0, 420, len), "of two that don't fit, the nearest stays"


def test_measures_of_sessions_by_hand() -> None:
    ranked, wanted = ["c", "a", "b"], ["a", "x"]
    assert ranking.precision_at(ranked, wanted, 1) == 0 and ranking.precision_at(ranked, wanted, 2) == 0.5
    assert ranking.precision_at(ranked, wanted, 10) == pytest.approx(1 / 3)
    assert ranking.f1_at(ranked, wanted, 2) == pytest.approx(0.5)
    assert ranking.f1_at([], wanted, 5) == 0
    table = sessions.ranked([(ranked, wanted), (["a"], ["a"])])
    assert table["sessions: MRR"].value == pytest.approx((0.5 + 1) / 2)
    assert table["sessions: NDCG@5"].value == pytest.approx((1 / math.log2(3) / (1 + 1 / math.log2(3)) + 1) / 2)


@pytest.mark.parametrize(
    ("said", "gold", "values"),
    [
        ("The cat", "a cat", (1, 1, 1)),
        ("two cats", "2 cats", (1, 1, 1)),
        ("red cat blue", "blue cat", (0, 2 / 3, 2 * 1 / 5)),
        ("cat", "red blue cat dog", (0, math.exp(-3), 2 / 5)),
        ("cat cat cat", "cat", (0, 1 / 3, 1 / 2)),
        ("", "cat", (0, 0, 0)),
        ("", "", (1, 1, 1)),
    ],
)
def test_measures_of_answers_by_hand(said: str, gold: str, values: Sequence[float]) -> None:
    assert [exact_match(said, gold), bleu1(said, gold), rouge_l(said, gold)] == pytest.approx(list(values))
