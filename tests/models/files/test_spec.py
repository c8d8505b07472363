from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatmem.memory.errors import SettingsError
from chatmem.models.files.spec import Spec, parse

WORD = st.from_regex(r"[a-zA-Z0-9_.-]{1,12}", fullmatch=True)
REPO = st.from_regex(r"[a-z]{1,8}/[A-Za-z0-9.-]{1,10}", fullmatch=True)
ADAPTER = st.none() | WORD
SPECS = st.one_of(
    st.builds(Spec, st.just("embedded"), st.just(""), ADAPTER),
    st.builds(Spec, st.just("gguf"), WORD.map(lambda word: f"/m+s/{word}.gguf"), ADAPTER),
    st.builds(Spec, st.just("hf"), REPO, ADAPTER, st.sampled_from([None, "4bit"])),
    st.builds(Spec, st.just("openai"), st.from_regex(r"[a-z][a-z+:/-]{0,20}", fullmatch=True)),
)


@given(SPECS)
def test_a_spec_reads_back_as_written(spec: Spec) -> None:
    assert parse(str(spec)) == spec


@pytest.mark.parametrize(
    "text", ["", "embeded", "embedded+", "gguf:", "hf: ", "openai", "gguf", "ftp:x", "hf:+a", "hf:a+"]
)
def test_what_names_no_model_is_refused_with_the_forms(text: str) -> None:
    with pytest.raises(SettingsError, match="openai:NAME"):
        parse(text)


def test_a_plus_in_a_path_that_exists_is_no_adapter(tmp_path) -> None:  # type: ignore[no-untyped-def]
    folder = tmp_path / "a+b"
    folder.mkdir()
    assert parse(f"hf:{folder}") == Spec("hf", str(folder))
    assert parse(f"hf:{folder}+storage:4bit") == Spec("hf", str(folder), "storage", "4bit")


@pytest.mark.parametrize(
    "text",
    ["good@127.0.0.1:8911/v1", "good@ftp://x", "m@localhost", "m@host:8000", "m@api.example.org/v1", "m@10.0.0.7/v1"],
)
def test_an_address_without_http_is_no_name(text: str) -> None:
    with pytest.raises(SettingsError, match="http://"):
        parse(f"openai:{text}")


@pytest.mark.parametrize("text", ["claude-3@20240620", "@cf/meta/llama-3.1-8b", "qwen2.5:7b", "a@b", "org/m@v1.2"])
def test_an_at_may_belong_to_a_name(text: str) -> None:
    assert parse(f"openai:{text}") == Spec("openai", text)
