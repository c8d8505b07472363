"""When a run stops, it says why in one sentence, and the last checkpoint is intact."""

from __future__ import annotations

import errno
import json
import math
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from chatmem.app.cli import main
from chatmem.memory.errors import InputError, SettingsError
from chatmem.models.decoding.chat_template import ChatTemplate
from chatmem.models.prompts.messages import Line, insert_sql, storage_messages
from chatmem.training.loop.stopping import Watch, out_of_memory
from tests.extras import needed

torch = needed("torch", "training is an extra")


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("rows") / "rows.jsonl"
    made = []
    for number in range(8):
        messages = storage_messages([], Line("Ana", f"I have {number + 2} cats."))
        target = insert_sql([("Ana", "pets", f"Ana has {number + 2} cats.", None)])
        made.append(json.dumps({"messages": [[m.role, m.content] for m in messages], "completion": target}))
    path.write_text("\n".join(made), encoding="utf-8")
    return path


@pytest.fixture
def run(tiny_home: Path, rows: Path, tmp_path: Path) -> Iterator[Any]:
    from chatmem.training.loop.loop import RunConfig
    from chatmem.training.methods.sft import Sft

    yield Sft(RunConfig("embedded", tmp_path, rows, steps=3, batch_tokens=256, rank=2, save_every=1))


def test_a_full_disk_and_no_memory_leave_the_last_checkpoint_intact(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = run.train()
    next(steps)
    before = {path.name: path.read_bytes() for path in (run.config.out / "checkpoint").iterdir()}

    def full(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(run.model, "save_pretrained", full)
        with pytest.raises(InputError, match=r"No space left on device.*the one before it is intact"):
            next(steps)
    assert {path.name: path.read_bytes() for path in (run.config.out / "checkpoint").iterdir()} == before

    def greedy(_: Any) -> None:
        raise RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 1 TB")

    monkeypatch.setattr(run, "loss", greedy)
    with pytest.raises(InputError, match=r"Out of memory at step .* lower --batch-tokens"):
        next(run.train())

    monkeypatch.setattr(run, "loss", lambda _: (0.0 * sum(p.sum() for p in run.parameters), {}))
    with pytest.raises(InputError, match="All gradients are zero"):
        next(run.train())
    monkeypatch.setattr(run, "loss", lambda _: (math.nan * sum(p.sum() for p in run.parameters), {}))
    with pytest.raises(InputError, match="not a number"):
        next(run.train())


def test_a_run_that_is_over_and_resumed_says_so_and_its_adapter_stays(
    tiny_home: Path, rows: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["train", "storage", "--rows", str(rows), "--out", str(tmp_path / "run"), "--rank", "2",
             "--batch-tokens", "256", "--eval-every", "0", "--steps", "3", "--save-every", "2"]  # fmt: skip
    assert main(words) == 0
    adapter = tmp_path / "run" / "adapter" / "peft" / "adapter_model.safetensors"
    before = adapter.read_bytes()
    capsys.readouterr()
    assert main([*words, "--resume", "--minutes", "0.00001"]) == 0
    assert "All 3 steps of this run were done before" in capsys.readouterr().err
    assert main([*words[:-4], "--steps", "9", "--resume", "--minutes", "0.00001"]) == 0
    told = " ".join(capsys.readouterr().err.split())
    assert "minutes of this run were over at step 3, after" in told and "give --minutes above" in told
    assert adapter.read_bytes() == before


def test_a_reward_that_rises_while_the_measure_falls_stops_the_run(tmp_path: Path) -> None:
    def measured(measures: tuple[float, ...], rewards: tuple[float, ...]) -> Watch:
        watch = Watch(tmp_path)
        for step, (measure, reward) in enumerate(zip(measures, rewards, strict=True), 1):
            place = tmp_path / "measured"
            place.mkdir()
            (place / "step").write_text(str(step))
            watch.gradients(1.0, 1.0, {"reward": reward})
            watch.keep(place, step, {"F1": measure})
            watch.check(step)
        return watch

    with pytest.raises(InputError, match="the reward is being gamed"):
        measured((0.6, 0.55, 0.5), (0.1, 0.2, 0.3))
    assert (tmp_path / "best" / "step").read_text() == "1"
    measured((0.5, 0.6, 0.55, 0.7), (0.1, 0.2, 0.3, 0.4))
    assert (tmp_path / "best" / "step").read_text() == "4"
    again = Watch(tmp_path)
    again.recall()
    assert [at["measure"] for at in again.history] == [0.5, 0.6, 0.55, 0.7]
    measured((0.6, 0.55, 0.5), (0.3, 0.2, 0.1))  # both fall: bad, but nobody games anything


def test_dead_gradients_say_what_killed_them(tmp_path: Path) -> None:
    for terms, why in (({"clipped": 1.0}, "token limit"), ({"zero variance": 1.0}, "raise --temperature")):
        watch = Watch(tmp_path, patience=2)
        watch.gradients(0.0, 0.0, terms)
        with pytest.raises(InputError, match=why):
            watch.gradients(0.0, 0.0, terms)


def test_other_errors_pass_through() -> None:
    error = RuntimeError("shapes differ")
    assert out_of_memory(error, "step 1", "--batch-tokens") is error


def test_a_base_without_a_chat_template_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from chatmem.models.backends.hf import base as hf_base
    from chatmem.training.policy.base import load_base

    bare = SimpleNamespace(chat_template=None, bos_token=None, eos_token="</s>")
    monkeypatch.setattr(hf_base, "load_base", lambda *_: (object(), bare))
    with pytest.raises(SettingsError, match="no chat template"):
        load_base("hf:some/base-model")


def test_rows_that_all_are_too_long_are_refused() -> None:
    from chatmem.training.policy.base import Render
    from chatmem.training.policy.rows import encode

    def tokenizer(text: str, **_: Any) -> dict[str, list[int]]:
        return {"input_ids": [ord(letter) for letter in text]}

    row = {"messages": [("user", "hello")], "completion": "hi"}
    assert encode([row], Render(ChatTemplate(None)), tokenizer, 100)[0].written == len("hi<|im_end|>")
    with pytest.raises(InputError, match="raise --max-length"):
        encode([row], Render(ChatTemplate(None)), tokenizer, 20)


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (["--method", "epg"], 2, "can't be trained by epg"),
        (["--start", "nobody"], 1, "There is no adapter 'nobody'"),
        (["--method", "rwr", "--base", "hf:no/such"], 2, "name it with --start"),
        (["--base", "openai:gpt"], 2, "can't be trained"),
        (["--method", "grpo", "--vllm"], 2, "vLLM, which isn't installed"),
        (["--report-to", "stdout"], 2, "--report-to knows none, mlflow"),
        (["--resume"], 1, "There is no checkpoint"),
    ],
)
def test_what_cannot_be_is_said_at_once(
    rows: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], code: int, said: str
) -> None:
    if options[-1] == "--vllm" and __import__("importlib.util").util.find_spec("vllm"):
        pytest.skip("vLLM is installed here")
    assert main(["train", "storage", "--rows", str(rows), "--out", str(tmp_path / "run"), *options]) == code
    assert said in capsys.readouterr().err
