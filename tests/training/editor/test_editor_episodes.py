"""Whole episodes through TRL: a real step over the model of two layers, since a prompt has 2,000 tokens and more."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from chatmem.app.cli import main
from chatmem.training.editor.recipe import write_memories
from tests.extras import needed
from tests.training.editor.test_editor import MEMORY

needed("trl", "training is an extra")

pytestmark = pytest.mark.usefixtures("tiny_model")


def test_a_step_over_whole_episodes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Without a GPU, TRL takes the logits of every token of a prompt, 49,000 each, and throws them away.
    monkeypatch.setattr("trl.trainer.utils._use_triton", lambda _device: True, raising=False)
    out = tmp_path / "run"
    memory = replace(MEMORY, rows=tuple(replace(row, ask=f"What of {row.keys}?") for row in MEMORY.rows))
    write_memories(out / "memories.jsonl", [memory, memory])
    for name, number in (("train", 0), ("valid", 1)):
        case = {"memory": number, "rows": [1, 3], "offers": ["same", "changed"], "topics": []}
        row = {"messages": [["user", "Both, same or changed?"]], "completion": "changed", "case": case}
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(row) + "\n")
    run = ["train", "editor", "--method", "grpo", "--episodes", "--samples", "2", "--groups", "1", "--steps", "1",
           "--eval-every", "1", "--max-length", "24", "--rank", "2", "--out", str(out),
           "--rows", str(tmp_path / "train.jsonl"), "--valid-rows", str(tmp_path / "valid.jsonl")]  # fmt: skip
    assert main(run) == 0
    steps = [json.loads(line) for line in (out / "log.jsonl").read_text().splitlines()]
    assert [step["step"] for step in steps] == [1]
    assert {"reward", "qa change", "efficiency", "failed"} <= steps[0]["measures"].keys() & steps[0]["terms"].keys()
    told = [json.loads(line) for line in (out / "trajectories.jsonl").read_text().splitlines()]
    assert {one["memory"] for one in told} == {0, 1}
    assert len(told) == 4
    assert (out / "adapter" / "adapter.gguf").is_file()


def test_a_template_without_tools_gets_one_where_its_marks_are_the_same() -> None:
    from transformers import AutoTokenizer

    from chatmem.models.backends.hf.base import embedded_folder
    from chatmem.training.editor.episode_grpo import teach_tools

    tokenizer = AutoTokenizer.from_pretrained(embedded_folder())
    with_tools = {"tools": [{"type": "function", "function": {"name": "search_memory", "parameters": {}}}]}
    asked = [{"role": "user", "content": "hi"}]
    assert "search_memory" not in tokenizer.apply_chat_template(asked, tokenize=False, **with_tools)
    teach_tools(tokenizer, "embedded")
    assert "search_memory" in tokenizer.apply_chat_template(asked, tokenize=False, **with_tools)


def test_other_agents_have_no_episodes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "storage", "--episodes", "--method", "grpo"]) == 2
    assert "for the editor" in capsys.readouterr().err
