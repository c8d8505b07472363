"""Laws of the small parts: streams of text, budgets, slots, sampling."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatmem.models.backends.llama.cache_slots import Slots, common_prefix
from chatmem.models.decoding.budget import fit
from chatmem.models.decoding.chat_template import ChatTemplate
from chatmem.models.decoding.sampling import Sampler
from chatmem.models.decoding.text_stream import TextStream
from chatmem.models.lm import Message, Options


@given(
    st.text(alphabet="ab\n🍎é;", max_size=30), st.lists(st.text(alphabet="ab;\n", min_size=1, max_size=3)), st.data()
)
def test_a_stream_gives_the_text_up_to_the_first_stop_however_the_bytes_come(
    text: str, stops: list[str], data: st.DataObject
) -> None:
    stream, shown, raw = TextStream(stops), "", text.encode()
    while raw and not stream.stopped:
        count = data.draw(st.integers(1, len(raw)))
        shown += stream.feed(raw[:count])
        assert "�" not in shown
        raw = raw[count:]
    shown += stream.flush()
    # A stop is noticed when its last letter comes, so of two that overlap the one that is whole first counts.
    ends = [text.find(stop) for stop in stops if stop in text]
    assert stream.stopped == bool(ends)
    assert text.startswith(shown)
    assert not any(stop in shown for stop in stops)
    if not ends:
        assert shown == text


@given(st.text(alphabet="ab \n", max_size=40), st.integers(-2, 40), st.sampled_from(["head", "tail"]))
def test_a_text_is_cut_from_one_end_into_the_budget_and_left_alone_where_it_fits(
    text: str, budget: int, keep: Literal["head", "tail"]
) -> None:
    def count(text: str) -> int:
        return len(text.split())

    kept = fit(text, budget, count, keep)
    assert text.startswith(kept) if keep == "head" else text.endswith(kept)
    assert count(kept) <= max(budget, 0)
    assert kept == text or count(text) > budget


@given(st.lists(st.tuples(st.integers(0, 2), st.lists(st.integers(0, 1), min_size=1, max_size=9), st.integers(1, 4))))
def test_slots_mirror_the_cache_and_never_promise_more_cells_than_there_are(
    calls: list[tuple[int, list[int], int]],
) -> None:
    cache: dict[int, int] = {}
    slots = Slots(3, 16, lambda sequence, start: cache.update({sequence: min(cache.get(sequence, 0), start)}))
    busy = []
    for adapter, prompt, reply in calls:
        if len(busy) == 2:
            slots.release(busy.pop(0))
        slot = slots.take(Path(str(adapter)), prompt, len(prompt) + reply, 0)
        if slot is None:
            assert busy
            continue
        assert slot.tokens == prompt[: len(slot.tokens)]
        assert len(slot.tokens) < len(prompt)
        assert slot not in busy
        slot.tokens += prompt[len(slot.tokens) :] + [2] * (reply - 1)
        cache[slot.sequence] = len(slot.tokens)
        busy.append(slot)
        assert sum(each.cells for each in slots.all) <= 16
        assert all(cache.get(each.sequence, 0) == len(each.tokens) for each in slots.all)


def test_the_longest_known_prefix_of_the_same_adapter_is_taken() -> None:
    slots = Slots(4, 100, lambda sequence, start: None)
    a, b = Path("a"), Path("b")
    for adapter, prompt in ((a, [1, 2, 3, 4]), (a, [9, 8, 7]), (b, [1, 2, 3, 4, 5])):
        slot = slots.take(adapter, prompt, 10, 0)
        assert slot is not None
        slot.tokens[:] = prompt
        slots.release(slot)
    again = slots.take(a, [1, 2, 3, 4, 5, 6], 10, 0)
    assert again is not None
    assert again.tokens == [1, 2, 3, 4]


@given(st.lists(st.integers(0, 3)), st.lists(st.integers(0, 3)))
def test_common_prefix(left: list[int], right: list[int]) -> None:
    count = common_prefix(left, right)
    assert left[:count] == right[:count]
    assert count in (len(left), len(right)) or left[count] != right[count]


def test_sampling_follows_the_distribution_the_nucleus_and_the_grammar() -> None:
    logits = np.log(np.array([0.5, 0.3, 0.15, 0.05], dtype=np.float32))
    sampler = Sampler(Options(temperature=1.0, seed=7))
    drawn = np.bincount([sampler.pick(logits) for _ in range(4000)], minlength=4) / 4000
    assert np.abs(drawn - [0.5, 0.3, 0.15, 0.05]).max() < 0.03
    nucleus = Sampler(Options(temperature=1.0, top_p=0.75))
    assert {nucleus.pick(logits) for _ in range(300)} == {0, 1}
    bound = Sampler(Options(temperature=1.0))
    drawn = np.bincount([bound.pick(logits, lambda tokens: tokens >= 2) for _ in range(2000)], minlength=4) / 2000
    assert np.abs(drawn - [0, 0, 0.75, 0.25]).max() < 0.04
    assert Sampler(Options()).pick(logits) == 0
    assert Sampler(Options()).pick(np.tile(logits, 50), lambda tokens: tokens % 4 == 3) % 4 == 3


def test_the_repeat_penalty_turns_to_another_word() -> None:
    sampler = Sampler(Options(repeat_penalty=2.0))
    logits = np.array([1.0, 0.9, -1.0], dtype=np.float32)
    assert [sampler.pick(logits) for _ in range(2)] == [0, 1]


def test_a_template_without_a_system_role_gets_it_before_the_first_line() -> None:
    source = (
        "{% for m in messages %}{% if m.role == 'system' %}{{ raise_exception('no system role') }}{% endif %}"
        "<{{ m.role }}>{{ m.content }}</s>{% endfor %}{% if add_generation_prompt %}<assistant>{% endif %}"
    )
    said = [Message("system", "Be short."), Message("user", "Hello")]
    assert ChatTemplate(source).render(said) == "<user>Be short.\n\nHello</s><assistant>"
    assert "Be short." in ChatTemplate(None).render(said).partition("<|im_start|>user")[0]


@pytest.mark.parametrize("sure", [False, True])
def test_what_is_drawn_under_a_grammar_comes_as_often_as_among_what_fits(sure: bool) -> None:
    """Where a draw doesn't fit a further one does; only where the model is sure of what may not come, all are asked."""
    fits, asked = np.arange(12) % 3 == 1, list[int]()
    logits = np.linspace(-1, 1, 12).astype(np.float32)
    logits[0] = 40.0 if sure else 0.0

    def allowed(tokens: np.ndarray) -> np.ndarray:
        asked.append(len(tokens))
        return np.asarray(fits[tokens])

    draws = Sampler(Options(temperature=0.7, seed=3))
    counts = np.bincount([draws.pick(logits, allowed) for _ in range(2000)], minlength=12)
    weights = np.where(fits, np.exp(logits.astype(float) / 0.7), 0)
    assert not counts[~fits].any()
    assert np.abs(counts / 2000 - weights / weights.sum()).max() < 0.04
    assert (12 in asked) is sure
