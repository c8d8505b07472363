"""Ollama, LM Studio, llama-server, vLLM and OpenRouter by their documented manners, each a fake on loopback."""

from __future__ import annotations

from typing import Any

import pytest

from chatmem.memory.errors import EndpointError, ModelError, PromptTooLong, ReplyBroken, SettingsError
from chatmem.models import registry
from chatmem.models.backends.endpoint.address import read_headers, readings
from chatmem.models.backends.endpoint.lm import OpenAILM
from chatmem.models.chat.broken_off import gone_on
from chatmem.models.files.spec import Spec, parse
from chatmem.models.lm import LM, Message, Options, complete
from tests.models.backends.endpoint.servers import FakeServer, llama_server, lm_studio, ollama, openrouter, vllm

ASK = [Message("user", "hi")]
MAKERS = {
    "ollama": (ollama, "qwen3", 4096, "json_schema"),
    "lm studio": (lm_studio, "qwen2.5-7b-instruct", 8192, "json_schema"),
    "llama-server": (llama_server, "anything", 12288, "json_schema"),
    "vllm": (vllm, "Qwen/Qwen2.5-7B-Instruct", 16384, "json_schema"),
    "openrouter": (openrouter, "meta-llama/llama-3.1-8b-instruct", 131072, "none"),
}


@pytest.fixture(autouse=True)
def _no_common_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


def model(server: FakeServer, name: str = "m", path: str = "", **more: Any) -> LM:
    return registry.load(f"openai:{name}@{server.root}{path}", **{"backoff": 0.01, **more})


@pytest.mark.parametrize("kind", MAKERS)
def test_each_server_tells_what_its_model_reads(kind: str) -> None:
    make, name, window, structured = MAKERS[kind]
    with make() as server:
        lm = model(server, name, "/api" if kind == "openrouter" else "")
        assert complete(lm, ASK, Options()) == "Hello there."
        assert (lm.profile.window, lm.profile.structured, lm.profile.capable) == (window, structured, True)
        assert lm.context_tokens == window
        lm.close()


def test_ollama_that_has_loaded_the_model_tells_its_window() -> None:
    with ollama() as server:
        server.pages["/api/ps"] = {"models": [{"model": "qwen3:latest", "context_length": 8192}]}
        assert model(server, "qwen3").profile.window == 8192


def test_llama_server_s_only_model_tells_its_size_whatever_it_is_called() -> None:
    with llama_server() as server:
        assert model(server, "anything").profile.parameters == 1.544


def test_a_server_that_says_nothing_or_nonsense_is_known_by_the_model_s_name() -> None:
    for pages in (
        {},
        {"/v1/models": []},
        {"/v1/models": {"data": [{"id": 3}, {"id": "qwen2.5-7b", "context_length": "x"}]}},
    ):
        with FakeServer(pages) as server:
            assert model(server, "qwen2.5-7b").profile.window == 32768


@pytest.mark.parametrize("path", ["", "/", "/v1", "/v1/", "/v1/chat/completions", "/v1/models"])
def test_the_address_may_be_written_as_people_do(path: str) -> None:
    with vllm() as server:
        assert complete(model(server, "m", path), ASK, Options()) == "Hello there."


def test_a_server_without_a_version_in_its_address_is_found_too() -> None:
    with FakeServer({}, prefix="") as server:
        lm = model(server)
        assert complete(lm, ASK, Options()) == complete(lm, ASK, Options()) == "Hello there."
        assert server.paths.count("/v1/chat/completions") == 1, "what was learned is kept"


def test_readings_of_an_address() -> None:
    assert readings("https://openrouter.ai/api/v1/") == ("https://openrouter.ai/api/v1",)
    assert readings("https://generative.example/v1beta/openai") == ("https://generative.example/v1beta/openai",)
    assert readings("http://localhost:11434") == ("http://localhost:11434/v1", "http://localhost:11434")
    for wrong in ("localhost:80", "http://", "ftp://a/b"):
        with pytest.raises(SettingsError, match="web address"):
            readings(wrong)


def test_a_spec_holds_an_address_but_no_key() -> None:
    spec = parse("openai:qwen3@http://127.0.0.1:11434")
    assert (spec.name, spec.url, str(spec)) == (
        "qwen3",
        "http://127.0.0.1:11434",
        "openai:qwen3@http://127.0.0.1:11434",
    )
    assert parse("openai:team@work") == Spec("openai", "team@work")
    for wrong in ("openai:@http://a", "openai:m@http://me:secret@host/v1", "openai:m@https://host/v1?key=abc"):
        with pytest.raises(SettingsError) as told:
            parse(wrong)
        assert "secret" not in str(told.value)


def test_the_common_key_goes_to_the_common_address_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-common-12345678")
    monkeypatch.setenv("ROLE_KEY", "sk-role-12345678")
    with vllm() as server:
        complete(model(server), ASK, Options())
        complete(model(server, key_env="ROLE_KEY", headers={"X-Title": "chatmem"}), ASK, Options())
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.root}/v1")
        complete(model(server), ASK, Options())
    assert [told["authorization"] for told in server.headers] == [
        "Bearer none", "Bearer sk-role-12345678", "Bearer sk-common-12345678",
    ]  # fmt: skip
    assert server.headers[1]["x-title"] == "chatmem"


def test_headers_are_read_and_may_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN", "abc")
    assert read_headers("X-A: b; X-B: $TOKEN;") == {"X-A": "b", "X-B": "abc"}
    for wrong in ("X-A", "X A: b", "X-A: $NOT_SET", "X-A: "):
        with pytest.raises(SettingsError):
            read_headers(wrong)


def refusal(lm: LM) -> ModelError:
    with pytest.raises(ModelError) as told:
        complete(lm, ASK, Options())
    sentence = str(told.value)
    assert sentence.endswith(".")
    assert "\n" not in sentence
    return told.value


def test_a_wrong_key_names_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROLE_KEY", "sk-wrong-12345678")
    with vllm(key="sk-right") as server:
        error = refusal(model(server, key_env="ROLE_KEY"))
    assert "refuses the key; check ROLE_KEY" in str(error)
    assert "sk-wrong" not in str(error)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-another-server")
    with vllm(key="sk-right") as server:
        assert "was sent none; set the key's variable" in str(refusal(model(server)))
    with pytest.raises(SettingsError, match="NOT_SET, which isn't set"):
        OpenAILM("m", base_url="http://127.0.0.1:1", key_env="NOT_SET")


def test_a_model_that_is_not_there_is_told_with_those_that_are() -> None:
    gone: Any = lambda fake, body: (404, {"error": {"message": 'model "x" not found, try pulling it first'}})  # noqa: E731
    with ollama(act=gone) as server:
        assert "knows no model 'x'; it has qwen3:latest." in str(refusal(model(server, "x")))


TOO_LONG = {
    "llama-server": {"code": 400, "message": "the request exceeds the available context size, try increasing it"},
    "vllm": {"message": "This model's maximum context length is 4096 tokens. However, you requested 9000 tokens."},
    "openai": {"message": "Your input exceeds the context window of this model.", "code": "context_length_exceeded"},
    "lm studio": "Trying to keep the first 5000 tokens when context the overflows.",
    "openrouter": {"message": "This endpoint's maximum context length is 131072 tokens.", "code": 400},
}


@pytest.mark.parametrize("kind", TOO_LONG)
def test_a_prompt_that_is_too_long_is_known_as_such(kind: str) -> None:
    with FakeServer({}, act=lambda fake, body: (400, {"error": TOO_LONG[kind]})) as server:
        error = refusal(model(server))
    assert isinstance(error, PromptTooLong)
    assert "window" in str(error)


def test_a_rate_limit_is_waited_for_as_the_server_asks_or_told() -> None:
    def twice(fake: FakeServer, body: dict[str, Any]) -> Any:
        return (429, {"error": {"message": "slow down"}}, {"retry-after": "0.01"}) if len(fake.asked) < 3 else None

    with openrouter(act=twice) as server:
        assert complete(model(server, "m", "/api/v1", backoff=60.0), ASK, Options()) == "Hello there."
        assert len(server.asked) == 3
    late: Any = lambda fake, body: (429, {"error": {"message": "slow down"}}, {"retry-after": "3600"})  # noqa: E731
    with openrouter(act=late) as server:
        assert "wait 3600 seconds" in str(refusal(model(server, "m", "/api/v1")))
        assert len(server.asked) == 1


def test_a_server_that_is_still_loading_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chatmem.models.backends.endpoint.lm.LOADING_SECONDS", 0.01)

    def loading(fake: FakeServer, body: dict[str, Any]) -> Any:
        return (503, {"error": {"code": 503, "message": "Loading model"}}) if len(fake.asked) < 9 else None

    with llama_server(act=loading) as server:
        assert complete(model(server), ASK, Options()) == "Hello there."


def test_no_money_is_told_as_that() -> None:
    with openrouter(act=lambda fake, body: (402, {"error": {"message": "Insufficient credits"}})) as server:
        assert "paid" in str(refusal(model(server, "m", "/api/v1")))


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_thoughts_in_a_field_of_their_own_are_no_part_of_the_reply(field: str) -> None:
    with vllm() as server:
        server.words = [{field: "hm, "}, {field: "so"}, "Hello"]
        chunks = list(model(server).generate(ASK, Options()))
    assert "".join(chunk.text for chunk in chunks) == "Hello"
    assert "".join(chunk.thought for chunk in chunks) == "hm, so"


def test_a_stream_that_breaks_off_is_gone_on_with() -> None:
    def again(fake: FakeServer, body: dict[str, Any]) -> Any:
        fake.words = ["One two ", "three", None] if len(fake.asked) == 1 else ["three four", " five."]

    with vllm(act=again) as server:
        lm = model(server)
        assert "".join(chunk.text for chunk in gone_on(lm, ASK, Options())) == "One two three four five."
        assert server.asked[1]["messages"][1] == {"role": "assistant", "content": "One two three"}
        server.asked.clear()
        with pytest.raises(ReplyBroken, match="broke off"):
            complete(lm, ASK, Options())


def test_a_server_that_is_not_there_is_told_by_its_address() -> None:
    with vllm() as server:
        lm = model(server, retries=0)
    with pytest.raises(EndpointError, match=r"127\.0\.0\.1:\d+/v1 can't be reached; check the address"):
        complete(lm, ASK, Options())


@pytest.mark.parametrize("key", ["sk-good-1234567890", "gsk_abcdefgh12345678"])
def test_a_key_in_place_of_its_variables_name_is_not_shown(key: str) -> None:
    with pytest.raises(SettingsError, match="no key") as told:
        OpenAILM("m", base_url="http://127.0.0.1:1", key_env=key)
    assert key not in str(told.value)
