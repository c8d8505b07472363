"""Encoders of the person's own choice: their vectors, what stands before texts, and what is said when one is none."""

from __future__ import annotations

import importlib.util
import json
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from chatmem.memory.errors import ModelBroken, ModelError, ModelNotFound, ModelNotReady, SettingsError
from chatmem.models.embedder.choose import ChosenEmbedder, choose, parse
from chatmem.models.embedder.encoder import ASKED, SAMPLES, Encoder, file_stamp
from chatmem.models.embedder.gguf_file import GgufSource
from chatmem.models.embedder.minilm import DEFAULT_FILE, LlamaEmbedder
from chatmem.models.embedder.prefixes import NONE, Prefixes, prefixes_of
from chatmem.models.files.model_files import embedded_path

needs_torch = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("torch", "transformers")), reason="needs the extra hf"
)


class Source:
    """What a test says that a model gives."""

    label, stamp = "gguf:test", "1"

    def __init__(self, gives: Callable[[Sequence[str]], np.ndarray]) -> None:
        self.gives = gives
        self.seen: list[str] = []

    def raw(self, texts: Sequence[str], *, asked: bool = False) -> np.ndarray:
        self.seen += texts
        return self.gives(texts)

    def close(self) -> None:
        pass


def spread(texts: Sequence[str]) -> np.ndarray:
    """As many encoders do: all texts near one direction."""
    rows = [np.random.default_rng(sum(text.encode())).normal(size=16) for text in texts]
    return np.stack(rows).astype(np.float32) + 5


def mean_cosine(vectors: np.ndarray) -> float:
    return float((vectors @ vectors.T)[np.triu_indices(len(vectors), 1)].mean())


def test_strangers_are_near_zero_whatever_the_encoder() -> None:
    texts = [f"thing {number}" for number in range(40)]
    raw, made = Encoder(Source(spread), Prefixes(), centred=False), Encoder(Source(spread), Prefixes())
    assert mean_cosine(raw.embed(texts)) > 0.8
    assert abs(mean_cosine(made.embed(texts))) < 0.3
    assert np.allclose(np.linalg.norm(made.embed(texts), axis=1), 1, atol=1e-5)
    assert made.embed([]).shape == (0, 16)


def test_prefixes_stand_before_passages_and_questions_and_make_other_vectors_of_their_own() -> None:
    source = Source(spread)
    encoder = Encoder(source, Prefixes("query: ", "passage: "))
    encoder.embed(["a cat"])
    encoder.embed_questions(["a cat?"])
    assert source.seen[-2:] == ["passage: a cat", "query: a cat?"]
    assert {one.split(": ")[0] for one in source.seen} == {"query", "passage"}
    names = {
        Encoder(Source(spread), one).name for one in (Prefixes("a: ", "p: "), Prefixes("b: ", "p: "), Prefixes("b: "))
    }
    assert len(names) == 2  # what stands before questions alone changes nothing that is stored


def test_what_a_model_wants_is_known_by_its_name_unless_it_is_told(tmp_path: Path) -> None:
    for name, query, passage in (
        ("intfloat/multilingual-e5-small", "query: ", "passage: "), ("e5-base-v2.Q8_0", "query: ", "passage: "),
        ("nomic-ai/nomic-embed-text-v1.5", "search_query: ", "search_document: "),
        ("BAAI/bge-small-en-v1.5", "Represent this sentence for searching relevant passages: ", ""),
        ("BAAI/bge-m3", "", ""), ("all-MiniLM-L6-v2", "", ""), ("text-embedding-3-small", "", ""),
    ):  # fmt: skip
        assert prefixes_of(name, Prefixes()) == Prefixes(query, passage), name
    assert prefixes_of("e5-base", Prefixes(NONE, "p: ")) == Prefixes("", "p: ")
    (tmp_path / "config_sentence_transformers.json").write_text(
        json.dumps({"prompts": {"query": "q: ", "document": "d: "}})
    )
    assert prefixes_of("e5-base", Prefixes(), tmp_path) == Prefixes("q: ", "d: ")
    (tmp_path / "config_sentence_transformers.json").write_text("[")
    with pytest.raises(ModelBroken, match="mend or remove it"):
        prefixes_of("e5-base", Prefixes(), tmp_path)


@pytest.mark.parametrize("gives, says", [
    (lambda texts: np.ones((len(texts) + 1, 4)), "vectors for 16 texts"),
    (lambda texts: np.ones((len(texts), 0)), "empty vectors"),
    (lambda texts: np.full((len(texts), 4), np.nan), "without numbers"),
    (lambda texts: np.zeros((len(texts), 4)), "without numbers"),
])  # fmt: skip
def test_vectors_that_are_none_are_one_sentence(gives: Callable[[Sequence[str]], np.ndarray], says: str) -> None:
    with pytest.raises(ModelBroken, match=f"^gguf:test gave .*{says}.*; choose "):
        Encoder(Source(gives), Prefixes())


def test_another_size_in_the_middle_is_one_sentence_and_a_text_without_a_direction_has_none() -> None:
    source = Source(spread)
    encoder = Encoder(source, Prefixes())
    source.gives = lambda texts: np.stack([np.full(16, np.nan), np.ones(16)])
    assert not encoder.embed(["?", "word"])[0].any()
    source.gives = lambda texts: np.ones((len(texts), 8))
    with pytest.raises(ModelBroken, match="vectors of 8 numbers, and of 16 before; start chatmem again"):
        encoder.embed(["word"])


def test_a_gguf_gives_what_the_embedded_encoder_gives(embedder: LlamaEmbedder) -> None:
    source = GgufSource(str(DEFAULT_FILE))
    texts = [*SAMPLES, *ASKED, "", "?!", "日本語", "word " * 3_000]
    assert (source.raw(texts) * embedder.embed(texts)).sum(axis=1).min() > 0.998
    source.close()


def test_any_language_model_is_an_encoder_if_a_poor_one(capfd: pytest.CaptureFixture[str]) -> None:
    encoder = choose(f"gguf:{embedded_path()}")
    assert isinstance(encoder, ChosenEmbedder)
    encoder._wait = 90.0  # a busy machine loads it in more than the chat would wait
    vectors = encoder.embed(["Ana has two cats.", "Ana has two cats.", "The train left at noon.", "", "?!"])
    assert vectors.shape == (5, encoder.dimensions) and vectors[0] @ vectors[1] > 0.99 > vectors[0] @ vectors[2]
    assert encoder.name.startswith(f"gguf:{embedded_path().stem}/{encoder.dimensions}/")
    assert capfd.readouterr().err == ""  # a chat's screen may be there


def test_a_missing_file_and_a_wrong_one_are_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "junk.gguf").write_bytes(b"GGUF" + b"no" * 100)
    (tmp_path / "text.gguf").write_text("hello")
    for name, says in (("none.gguf", "no encoder at"), ("junk.gguf", "GGUF"), ("text.gguf", "is no GGUF file")):
        with pytest.raises(ModelError, match=rf"^[^\n]*{says}[^\n]*$"):
            choose(f"gguf:{tmp_path / name}").embed(["word"])
    for spec in ("", "minilm", "gguf:", "embedded:x", "http://host"):
        with pytest.raises(SettingsError, match="write embedded, gguf:PATH, openai:NAME or hf:NAME"):
            parse(spec)


def test_files_are_told_apart_by_their_bytes(tmp_path: Path) -> None:
    first, second = tmp_path / "a" / "m.gguf", tmp_path / "b" / "m.gguf"
    for path, last in ((first, b"1"), (second, b"2")):
        path.parent.mkdir()
        path.write_bytes(b"x" * 3_000_000 + last)
    assert file_stamp([first]) != file_stamp([second])
    second.write_bytes(first.read_bytes())
    assert file_stamp([first]) == file_stamp([second])


def test_nobody_waits_for_an_encoder_that_is_being_loaded_or_that_failed() -> None:
    gate, made = threading.Event(), []

    def slow() -> Encoder:
        gate.wait(60)
        made.append(1)
        return Encoder(Source(spread), Prefixes())

    encoder = ChosenEmbedder("gguf:slow", slow, wait=0.01)
    with pytest.raises(ModelNotReady, match="still being loaded"):
        encoder.embed_questions(["a cat?"])
    with pytest.raises(ModelNotReady):
        _ = encoder.name
    gate.set()
    while True:
        try:
            assert encoder.embed(["a cat"]).shape == (1, 16)
            break
        except ModelNotReady:
            pass
    assert made == [1]
    tried = []

    def broken() -> Encoder:
        tried.append(1)
        raise ModelNotFound("There is none; put one there.")

    failing = ChosenEmbedder("gguf:none", broken, rest=3600)
    for _ in range(3):
        with pytest.raises(ModelError, match="put one there"):
            failing.embed(["a cat"])
    assert tried == [1]
    again = ChosenEmbedder("gguf:none", broken, rest=0)
    for _ in range(2):
        with pytest.raises(ModelError, match="put one there"):
            again.embed(["a cat"])
    assert tried == [1, 1, 1]


@needs_torch
@pytest.mark.parametrize("pooling", ["mean", "cls", "lasttoken"])
def test_a_sentence_transformers_folder_is_pooled_as_it_says(tmp_path: Path, pooling: str) -> None:
    import torch

    folder = tiny_bert(tmp_path, pooling)
    from chatmem.models.embedder.hf_model import HfSource

    source = HfSource(str(folder))
    texts = ["ana has two cats", "the train", "?"]
    found = source.raw(texts)
    for text, row in zip(texts, found, strict=True):
        batch = source._tokenizer(text, return_tensors="pt")
        with torch.inference_mode():
            states = source._model(**batch).last_hidden_state[0]
        wanted = {"mean": states.mean(dim=0), "cls": states[0], "lasttoken": states[-1]}[pooling]
        assert np.allclose(row, wanted.numpy(), atol=1e-4)
    encoder = choose(f"hf:{folder}")
    assert encoder.name.startswith("hf:bert/32/") and encoder.embed(texts).shape == (3, 32)


@needs_torch
def test_a_folder_that_is_none_and_a_pooling_that_is_not_known_are_one_sentence(tmp_path: Path) -> None:
    folder = tiny_bert(tmp_path, "max")
    with pytest.raises(ModelError, match="in a way that chatmem doesn't know"):
        choose(f"hf:{folder}").embed(["word"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(ModelError, match=r"^[^\n]*is not an encoder[^\n]*choose another\.$"):
        choose(f"hf:{tmp_path / 'empty'}").embed(["word"])


def tiny_bert(tmp_path: Path, pooling: str) -> Path:
    """A model of two random layers in sentence-transformers' form."""
    import torch
    from transformers import BertConfig, BertModel, BertTokenizerFast

    torch.manual_seed(0)
    folder = tmp_path / "bert"
    (folder / "1_Pooling").mkdir(parents=True)
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "ana", "has", "two", "cats", "the", "train", "?"]
    (folder / "vocab.txt").write_text("\n".join(words))
    BertTokenizerFast(vocab=str(folder / "vocab.txt"), vocab_file=str(folder / "vocab.txt")).save_pretrained(folder)
    config = BertConfig(
        vocab_size=len(words), hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64
    )  # fmt: skip
    BertModel(config).save_pretrained(folder)
    kind = {"mean": "mean_tokens", "cls": "cls_token", "lasttoken": "lasttoken", "max": "max_tokens"}[pooling]
    (folder / "1_Pooling" / "config.json").write_text(json.dumps({f"pooling_mode_{kind}": True}))
    kinds = ("Transformer", "Pooling", "Normalize")
    modules = [{"type": f"sentence_transformers.models.{one}", "path": "1_Pooling"} for one in kinds]
    (folder / "modules.json").write_text(json.dumps(modules))
    return folder
