"""What is said of a model before it is used, and which three are recommended."""

from __future__ import annotations

from chatmem.models.files.profiles.expected import sentences
from chatmem.models.files.profiles.good_models import GOOD, recommended
from chatmem.models.files.profiles.make import Told, make
from chatmem.models.files.profiles.profile import SHIPPED

QWEN = make(Told("qwen2.5-1.5b", parameters=1.5, trained_window=32768))


def test_figures_become_plain_sentences() -> None:
    told = " ".join(sentences(QWEN, reading=150.0, writing=12.0, memory=1_600_000_000))
    assert "Qwen 2.5, 1.5 billion parameters" in told
    assert "16,384 tokens at once: the whole talk as far as it fits, 200 words of memory" in told
    assert "the first word takes about 3 seconds." in told
    assert "an answer of 40 words takes about 4 seconds, one of 600 words 67 seconds." in told
    assert "about 1.6 GB of memory" in told


def test_a_slow_one_is_told_to_be_slow_and_what_is_not_measured_is_left_out() -> None:
    assert "a smaller one is better in a chat" in " ".join(sentences(QWEN, reading=20.0, writing=1.0))
    served = " ".join(sentences(QWEN, reading=0.0, writing=50.0, here=False))
    assert "reads 0" not in served
    assert "memory." not in served.replace("words of memory", "")
    assert "the last 6 turns" in " ".join(sentences(SHIPPED, reading=0.0, writing=0.0))


def test_three_models_are_recommended_by_memory() -> None:
    assert [recommended(gigabytes * 10**9).name for gigabytes in (2, 4, 8, 32)] == [
        GOOD[0].name, GOOD[0].name, GOOD[1].name, GOOD[2].name,
    ]  # fmt: skip
    assert all(model.file.endswith(".gguf") and model.size < model.needs for model in GOOD)
