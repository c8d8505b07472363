"""What a model says of itself, the table of families and the person's settings make its profile."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from chatmem.memory.errors import SettingsError
from chatmem.models import registry
from chatmem.models.decoding.scripted import ScriptedLM
from chatmem.models.files.profiles.make import LOCAL_WINDOW, Told, family_of, make
from chatmem.models.files.profiles.profile import SHIPPED, Profile, profile_of, read_changes
from chatmem.models.files.profiles.told import bytes_per_token, of_config, of_gguf, parameters_in

FAMILIES = {
    "Qwen2.5-7B-Instruct": "Qwen 2.5", "qwen2.5:1.5b": "Qwen 2.5", "Qwen/Qwen3-4B": "Qwen 3", "qwen3:8b": "Qwen 3",
    "Meta-Llama-3-8B-Instruct": "Llama 3", "llama3.2:3b": "Llama 3", "llama-3.1-70b": "Llama 3",
    "google/gemma-2-2b-it": "Gemma 2", "gemma-3-4b-it": "Gemma 3", "gemma3:1b": "Gemma 3",
    "Mistral-7B-Instruct-v0.3": "Mistral", "mixtral-8x7b": "Mistral", "Phi-4-mini-instruct": "Phi", "phi3:3.8b": "Phi",
    "SmolLM2-1.7B-Instruct": "SmolLM 2", "SmolLM3-3B": "SmolLM 3", "gpt-4o-mini": "gpt", "gpt-5-mini": "gpt",
    "openai/gpt-oss-20b": "gpt-oss", "deepseek-r1:7b": "DeepSeek R1", "somebodys-model": "",
}  # fmt: skip


@pytest.mark.parametrize(("name", "family"), FAMILIES.items())
def test_a_name_tells_its_family(name: str, family: str) -> None:
    assert family_of(Told(name)).get("name", "") == family


def test_llama_three_and_its_successors_differ_in_what_they_read() -> None:
    windows = {name: make(Told(name, local=False)).window for name in ("llama-3-8b", "llama-3.1-8b", "llama3:70b")}
    assert windows == {"llama-3-8b": 8192, "llama-3.1-8b": 131072, "llama3:70b": 8192}


def test_parameters_are_read_off_names() -> None:
    assert [parameters_in(name) for name in ("qwen2.5:1.5b", "SmolLM2-135M", "8x7b", "gpt-4o", "Q4_K_M", "1.1.B")] == [
        1.5, 0.135, 0.0, 0.0, 0.0, 0.0,
    ]  # fmt: skip


def test_the_embedded_model_keeps_its_profile_whatever_is_set(tiny_model: Path) -> None:
    lm = registry.load("embedded", changes={"window": 9000, "reply_tokens": 2000, "capable": True})
    try:
        assert lm.profile == SHIPPED
        assert lm.context_tokens == SHIPPED.window
    finally:
        lm.close()


def test_the_same_file_by_its_path_is_too_small_to_follow_and_can_be_said_to(tiny_model: Path) -> None:
    lm = registry.load(f"gguf:{tiny_model}")
    other = registry.load(f"gguf:{tiny_model}", changes={"capable": True, "window": 2048})
    try:
        assert not lm.profile.capable
        assert lm.profile.prompts == "trained"
        assert other.profile.capable
        assert other.profile.prompts == "plain"
        assert other.profile.window == other.context_tokens == 2048
        assert other.profile.reply_tokens <= 512
    finally:
        lm.close()
        other.close()


def test_a_gguf_file_tells_its_window_family_and_size(tiny_model: Path) -> None:
    told = of_gguf(tiny_model)
    assert (told.architecture, told.trained_window, told.parameters) == ("llama", 8192, 0.135)
    assert family_of(told)["name"] == "SmolLM 2"


def test_what_is_no_model_says_nothing(tmp_path: Path) -> None:
    (tmp_path / "broken.gguf").write_bytes(b"GGUF and no more")
    assert of_gguf(tmp_path / "broken.gguf").trained_window == 0
    assert of_gguf(tmp_path / "none.gguf").name == "none"


def test_the_cache_of_a_token() -> None:
    facts = {"q.block_count": 28, "q.embedding_length": 1536, "q.attention.head_count": 12,
             "q.attention.head_count_kv": 2}  # fmt: skip
    assert bytes_per_token(facts, "q") == 2 * 28 * 2 * 256
    assert bytes_per_token({}, "q") == 0


def test_a_capable_model_reads_the_whole_talk_and_cuts_no_line() -> None:
    profile = make(Told("qwen2.5-1.5b", parameters=1.5, trained_window=32768, room=100_000))
    assert profile == make(Told("qwen2.5-1.5b", parameters=1.5, trained_window=32768))
    assert profile.capable
    assert (profile.window, profile.reply_tokens, profile.talk_turns) == (LOCAL_WINDOW, 1024, 0)
    assert profile.talk_tokens + profile.reply_tokens + 2 * profile.memory_words < profile.window


def test_little_memory_means_a_small_window() -> None:
    assert make(Told("qwen2.5-7b", parameters=7, trained_window=32768, room=4000)).window == 4000


def test_an_adapter_of_ours_keeps_what_it_was_trained_on() -> None:
    profile = make(Told("qwen2.5-1.5b", parameters=1.5, trained_window=32768, adapter=True))
    assert (profile.capable, profile.prompts, profile.reply_tokens) == (False, "trained", SHIPPED.reply_tokens)


def test_a_thinking_model_has_room_to_think_and_its_makers_temperature() -> None:
    profile = make(Told("qwen3:8b", local=False))
    assert (profile.thinking, profile.temperature, profile.reply_tokens) == ("tags", 0.6, 4096)
    quiet = make(Told("qwen3:8b", local=False), {"thinking": "none", "temperature": 0.0})
    assert (quiet.thinking, quiet.temperature, quiet.reply_tokens) == ("none", 0.0, 1024)


def test_a_transformers_config_tells_too() -> None:
    config = SimpleNamespace(max_position_embeddings=32768, model_type="qwen3")
    told = of_config("folder/of/mine", config, 1_720_000_000, "{{ '<think>' }}")
    assert (told.trained_window, told.parameters, told.thinking) == (32768, 1.72, "tags")
    assert make(told).family == "Qwen 3"


def test_each_field_can_be_set() -> None:
    text = "window=9000, capable=false, prompts=plain, temperature=0.5, thinking=tags, structured=none, memory_words=50"
    profile = make(Told("x", local=False), read_changes(text))
    assert (profile.window, profile.capable, profile.prompts, profile.temperature) == (9000, False, "plain", 0.5)
    assert (profile.thinking, profile.structured, profile.memory_words) == ("tags", "none", 50)


@pytest.mark.parametrize("text", ["wimdow=3", "window", "window=many", "window=-3", "capable=maybe", "thinking=loud"])
def test_a_wrong_change_is_told_in_a_sentence(text: str) -> None:
    with pytest.raises(SettingsError, match="profile"):
        read_changes(text)


def test_a_model_without_a_profile_is_used_as_the_embedded_one() -> None:
    assert profile_of(SimpleNamespace(context_tokens=512)).window == 512
    assert profile_of(ScriptedLM(["hi"])) == SHIPPED
    assert profile_of(ScriptedLM(["hi"], profile=Profile(capable=True))).capable
