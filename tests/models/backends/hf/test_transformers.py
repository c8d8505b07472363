"""The transformers back end and the LoRA writer between the two back ends, over the model of two layers."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from chatmem.memory.errors import InputError, ModelBroken, ModelError, ModelNotFound, PromptTooLong
from chatmem.models import registry
from chatmem.models.adapters import to_gguf, to_peft
from chatmem.models.backends.hf import base as hf_base
from chatmem.models.backends.hf import grammar as hf_grammar
from chatmem.models.backends.hf.lm import TransformersLM, cache_word
from chatmem.models.backends.llama.lm import LlamaLM
from chatmem.models.lm import Message, Options, complete

# PEFT calls what transformers has renamed.
pytestmark = [
    pytest.mark.usefixtures("tiny_model"),
    pytest.mark.filterwarnings("ignore:.*is_gradient_checkpointing:FutureWarning"),
]
ASK = [Message("system", "You are kind."), Message("user", "I have two cats, Nori and Wasabi. What are their names?")]
SHORT = Options(max_tokens=12)


def test_a_gguf_lora_turned_back_is_the_adapter_it_came_from(lora: Path, tmp_path: Path) -> None:
    from safetensors.numpy import load_file

    to_gguf.write(lora, tmp_path / "a.gguf")
    to_peft.read(tmp_path / "a.gguf", tmp_path / "peft")
    before, after = (load_file(str(place / "adapter_model.safetensors")) for place in (lora, tmp_path / "peft"))
    assert before.keys() == after.keys()
    assert all(np.allclose(before[name], after[name], atol=1e-3) for name in before)
    config = json.loads((tmp_path / "peft" / "adapter_config.json").read_text())
    assert (config["r"], config["lora_alpha"]) == (4, 8.0)


def test_adapters_switch_on_one_base_and_leave_it_unchanged(hf: TransformersLM, lora: Path, lm: LlamaLM) -> None:
    plain = complete(hf, ASK, SHORT)
    turned = registry.load("hf:embedded+turned")
    assert turned.adapter == "turned"
    assert complete(turned, ASK, SHORT) != plain
    assert complete(hf, ASK, SHORT) == plain
    local = registry.load("embedded+turned", threads=1)  # made from the PEFT folder on the way
    base = complete(lm, ASK, SHORT)
    assert complete(local, ASK, SHORT) != base
    assert complete(lm, ASK, SHORT) == base
    *_, last = local.generate(ASK, SHORT)
    assert last.cached_tokens == last.prompt_tokens - 1, "each adapter keeps its own prefix"
    local.close()


def test_the_reply_streams_counts_caches_stops_and_cancels(hf: TransformersLM) -> None:
    complete(hf, ASK, SHORT)
    *_, last = chunks = list(hf.generate(ASK, SHORT))
    text = "".join(chunk.text for chunk in chunks)
    assert (last.finish, last.completion_tokens) == ("length", 12)
    assert last.cached_tokens == last.prompt_tokens - 1  # read a moment ago
    assert complete(hf, ASK, Options(max_tokens=12, stop=(text[5:9],))) == text[: text.index(text[5:9])]
    stream = hf.generate(ASK, Options(max_tokens=500))
    next(stream)
    hf.cancel()
    assert [chunk.finish for chunk in stream][-1] == "cancelled"
    with pytest.raises(PromptTooLong):
        complete(hf, [Message("user", "word " * 9000)], SHORT)
    follow = [*ASK, Message("assistant", "Nori."), Message("user", "And?")]
    cached = complete(hf, follow, SHORT)
    hf._cache, hf._known = None, []
    assert complete(hf, follow, SHORT) == cached


def test_a_grammar_holds(hf: TransformersLM) -> None:
    grammar = 'root ::= "-- nothing" | "SELECT * FROM memory" ";"'
    assert complete(hf, ASK, Options(grammar=grammar)) in ("-- nothing", "SELECT * FROM memory;")
    with pytest.raises(InputError, match="grammar"):
        complete(hf, ASK, Options(grammar="root ::= ("))


def test_four_bits_run_on_a_cpu(home: Path) -> None:
    pytest.importorskip("bitsandbytes")
    report = registry.check(f"hf:{hf_base.embedded_folder()}:4bit")
    assert report.text
    assert report.tokens_per_second > 0


def test_what_is_missing_or_broken_is_told_in_a_sentence(
    hf: TransformersLM, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tiny_model: Path
) -> None:
    with pytest.raises(ModelBroken, match="not a transformers model"):
        registry.load(f"hf:{tmp_path}")
    with pytest.raises(ModelBroken, match="not a LoRA"):
        to_peft.read(tiny_model, tmp_path / "x")
    with pytest.raises(ModelNotFound, match=r"adapter_config\.json"):
        to_gguf.write(tmp_path, tmp_path / "x.gguf")
    (tmp_path / "adapter_config.json").write_text('{"peft_type": "IA3", "r": 1, "lora_alpha": 1}')
    with pytest.raises(ModelBroken, match="not a plain LoRA"):
        to_gguf.write(tmp_path, tmp_path / "x.gguf")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ModelNotFound, match=r"chatmem\[hf\]"):
        hf_base.needs("torch", "transformers")
    with pytest.raises(ModelNotFound, match="xgrammar"):
        hf_grammar.constraint(None, None, Options(grammar="root ::= [a]"))


def test_the_writer_is_a_command(lora: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert to_gguf.main([str(lora), str(tmp_path / "deep" / "a.gguf")]) == 0
    assert "MB" in capsys.readouterr().out
    assert to_gguf.main([str(tmp_path), "x"]) == 1
    assert to_gguf.main([]) == 2
    assert "usage" in capsys.readouterr().err


def test_a_closed_model_says_so(home: Path, hf: TransformersLM) -> None:
    other = registry.load("hf:embedded")
    other.close()
    with pytest.raises(ModelError, match="closed"):
        complete(other, ASK, SHORT)
    assert complete(hf, ASK, Options(max_tokens=1))


def test_the_cache_is_handed_over_under_the_name_that_the_model_gives_it() -> None:
    class Before:
        def forward(self, input_ids: object, past_key_values: object = None) -> None: ...

    class Since:
        def forward(self, input_ids: object, cache: object = None, **kwargs: object) -> None: ...

    assert (cache_word(Before()), cache_word(Since())) == ("past_key_values", "cache")
