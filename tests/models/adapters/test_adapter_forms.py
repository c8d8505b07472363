"""The two forms of an adapter: what ships is llama.cpp's file in 8 bits, and PEFT's form is made of it when asked."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("gguf", reason="writing adapters is an extra")
pytest.importorskip("safetensors", reason="writing adapters is an extra")

from safetensors.numpy import load_file, save_file

from chatmem.memory.errors import ModelBroken, ModelError
from chatmem.models.adapters import to_gguf, to_peft
from chatmem.models.adapters.facts import facts_of, forms
from chatmem.models.files.gguf_header import parts_of, read_header
from chatmem.models.files.model_files import AdapterInfo, find_adapter

LAYER = "base_model.model.model.layers.0.self_attn.{}_proj.lora_{}.weight"
WIDE = 576


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CHATMEM_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def make(folder: Path, rank: int = 16, seed: int = 0, wide: int = WIDE) -> Path:
    """A PEFT LoRA on q and v of one layer of SmolLM2-135M's shape."""
    rng = np.random.default_rng(seed)
    folder.mkdir(parents=True)
    tensors = {}
    for module, out in (("q", 576), ("v", 192)):
        tensors[LAYER.format(module, "A")] = rng.normal(size=(rank, wide)).astype(np.float32)
        tensors[LAYER.format(module, "B")] = rng.normal(size=(out, rank)).astype(np.float32)
    save_file(tensors, str(folder / "adapter_model.safetensors"))
    config = {"peft_type": "LORA", "r": rank, "lora_alpha": 2 * rank, "target_modules": ["q_proj", "v_proj"]}
    (folder / "adapter_config.json").write_text(json.dumps(config))
    return folder


def info(path: Path) -> AdapterInfo:
    return AdapterInfo(path.stem, path, None, path.parent, False)


def matrices(folder: Path) -> dict[str, np.ndarray]:
    return dict(load_file(str(folder / "adapter_model.safetensors")))


@pytest.mark.parametrize(("rank", "share"), [(16, 0.80), (32, 0.54)])
def test_eight_bits_are_smaller_and_near(tmp_path: Path, rank: int, share: float) -> None:
    lora = make(tmp_path / "lora", rank)
    plain, packed = tmp_path / "plain.gguf", tmp_path / "packed.gguf"
    assert to_gguf.write(lora, packed, q8_0=True) < to_gguf.write(lora, plain) * share
    to_peft.read(packed, tmp_path / "back")
    before, after = matrices(lora), matrices(tmp_path / "back")
    assert before.keys() == after.keys()
    for name, matrix in before.items():
        assert after[name].dtype == np.float32
        assert np.linalg.norm(after[name] - matrix) < 0.006 * np.linalg.norm(matrix)


def test_what_is_turned_back_twice_stays_the_same(tmp_path: Path) -> None:
    to_gguf.write(make(tmp_path / "lora"), tmp_path / "a.gguf", q8_0=True)
    to_peft.read(tmp_path / "a.gguf", tmp_path / "once")
    to_gguf.write(tmp_path / "once", tmp_path / "b.gguf", q8_0=True)
    to_peft.read(tmp_path / "b.gguf", tmp_path / "twice")
    once, twice = matrices(tmp_path / "once"), matrices(tmp_path / "twice")
    for name, matrix in once.items():
        np.testing.assert_allclose(twice[name], matrix, atol=2e-3)


def test_the_made_form_is_kept_by_the_hash_of_the_file(home: Path, tmp_path: Path) -> None:
    path = tmp_path / "mine.gguf"
    to_gguf.write(make(tmp_path / "one"), path, q8_0=True)
    folder = to_peft.peft_folder(info(path))
    assert folder.is_relative_to(home / "cache")
    assert folder.parent.name == "mine"
    written = (folder / "adapter_model.safetensors").stat().st_mtime_ns
    assert to_peft.peft_folder(info(path)) == folder
    assert (folder / "adapter_model.safetensors").stat().st_mtime_ns == written
    to_gguf.write(make(tmp_path / "two", seed=1), path, q8_0=True)
    other = to_peft.peft_folder(info(path))
    assert other != folder
    assert not np.array_equal(*(matrices(each)[LAYER.format("v", "B")] for each in (folder, other)))


def test_an_own_peft_form_is_taken_as_it_is(home: Path, tmp_path: Path) -> None:
    lora = make(tmp_path / "lora")
    assert to_peft.peft_folder(find_adapter(str(lora))) == lora
    assert not (home / "cache").exists()


def test_an_interrupted_making_leaves_nothing_that_is_taken_for_whole(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "mine.gguf"
    to_gguf.write(make(tmp_path / "lora"), path)
    with monkeypatch.context() as patch:
        patch.setattr(to_peft.json, "dumps", _full)  # after the weights, before the config
        with pytest.raises(ModelError, match=r"can't be written \(No space left on device\); make room"):
            to_peft.peft_folder(info(path))
    assert [file for file in home.rglob("*") if file.is_file()] == []
    folder = to_peft.peft_folder(info(path))
    (folder / "adapter_model.safetensors").unlink()  # a cleaner of caches took a half
    assert (to_peft.peft_folder(info(path)) / "adapter_model.safetensors").is_file()


def _full(*args: object, **kw: object) -> str:
    raise OSError(28, "No space left on device")


def test_many_may_make_it_at_once(home: Path, tmp_path: Path) -> None:
    path = tmp_path / "mine.gguf"
    lora = make(tmp_path / "lora")
    to_gguf.write(lora, path)
    found: list[int] = []

    def work() -> None:
        found.append(len(matrices(to_peft.peft_folder(info(path)))))

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [4] * 6
    assert [each.name for each in to_peft.peft_folder(info(path)).parent.iterdir()] == ["peft"]


def test_the_head_of_a_file_tells_its_facts(tmp_path: Path) -> None:
    path = tmp_path / "mine.gguf"
    to_gguf.write(make(tmp_path / "lora", rank=8), path)
    head = read_header(path)
    assert head.values["general.architecture"] == "llama"
    assert head.shapes["blk.0.attn_q.weight.lora_a"] == (8, WIDE)
    facts = facts_of(info(path))
    assert (facts.rank, facts.alpha, facts.layers) == (8, 16, ("q_proj", "v_proj"))
    assert facts.base == "SmolLM2-135M-Instruct"
    assert forms(info(path)) == ("llama.cpp", "transformers")
    to_gguf.write(make(tmp_path / "other", wide=2048), path)
    assert facts_of(info(path)).base is None


@pytest.mark.parametrize("keep", [0, 3, 11, 30, 100, 200])
def test_a_head_cut_short_is_one_clear_error(tmp_path: Path, keep: int) -> None:
    path = tmp_path / "mine.gguf"
    to_gguf.write(make(tmp_path / "lora"), path)
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(ModelBroken, match="not a model"):
        read_header(path)
    assert facts_of(info(path)).rank is None
    assert forms(info(path)) == ("llama.cpp",)


def test_a_length_that_asks_for_all_memory_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "mine.gguf"
    path.write_bytes(b"GGUF" + (3).to_bytes(4, "little") + (2**62).to_bytes(8, "little") * 3)
    for read in (read_header, parts_of):
        with pytest.raises(ModelBroken, match="not a model"):
            read(path)


def test_shipped_adapters_are_in_eight_bits_with_all_their_facts() -> None:
    import gguf

    for name in ("answer", "editor", "retrieval", "storage"):
        shipped = find_adapter(name)
        assert shipped.path is not None and shipped.peft is None
        assert forms(shipped) == ("llama.cpp", "transformers")
        facts = facts_of(shipped)
        rank, alpha = (8, 8) if name == "retrieval" else (16, 32)
        assert (facts.rank, facts.alpha, len(facts.layers)) == (rank, alpha, 7)
        kinds = {t.name[-1]: t.tensor_type for t in gguf.GGUFReader(shipped.path).tensors}
        assert kinds == {"a": gguf.GGMLQuantizationType.Q8_0, "b": gguf.GGMLQuantizationType.F16}


def test_every_name_is_what_llama_cpp_calls_the_layer() -> None:
    """Against the maps that its converters use."""
    import gguf

    from chatmem.models.adapters.facts import NAMES

    archs = {name: arch for arch, name in gguf.MODEL_ARCH_NAMES.items()}
    for architecture in to_gguf.ARCHITECTURES.values():
        known = gguf.get_tensor_name_map(archs[architecture], 4)
        for module, name in NAMES.items():
            part = "mlp" if module in ("gate_proj", "up_proj", "down_proj") else "self_attn"
            assert known.get_name(f"model.layers.3.{part}.{module}") == f"blk.3.{name}", (architecture, module)


SMALL = {
    "vocab_size": 32, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4,
    "num_key_value_heads": 2, "head_dim": 8, "max_position_embeddings": 32,
}  # fmt: skip


@pytest.mark.parametrize("kind", ["qwen2", "gemma2"])
def test_an_adapter_of_another_family_is_written_as_its_layers_stand(kind: str, tmp_path: Path) -> None:
    import gguf

    torch, peft = pytest.importorskip("torch"), pytest.importorskip("peft")
    transformers = pytest.importorskip("transformers")
    torch.manual_seed(0)
    base = transformers.AutoModelForCausalLM.from_config(transformers.AutoConfig.for_model(kind, **SMALL))
    lora = peft.LoraConfig(r=4, lora_alpha=8, target_modules="all-linear", init_lora_weights=False)
    model = peft.get_peft_model(base, lora)
    model.save_pretrained(str(tmp_path / "peft"))
    to_gguf.write(tmp_path / "peft", tmp_path / "a.gguf", model.config.to_dict())
    reader = gguf.GGUFReader(tmp_path / "a.gguf")
    assert reader.get_field("general.architecture").contents() == kind
    found = {tensor.name: tensor.data for tensor in reader.tensors}
    assert len(found) == 2 * 7 * 2, "A and B of seven layers in two blocks"
    learned = matrices(tmp_path / "peft")
    for module, name in (("self_attn.q_proj", "attn_q"), ("mlp.down_proj", "ffn_down")):
        for side in "AB":
            key = f"base_model.model.model.layers.1.{module}.lora_{side}.weight"
            written = found[f"blk.1.{name}.weight.lora_{side.lower()}"]
            np.testing.assert_allclose(written, learned[key], atol=1e-2)  # rows in their order, unlike a llama's
