"""The editor on an endpoint with tools: what is asked, what its calls do, and how it ends."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from chatmem.memory.store.store import Store
from chatmem.memory.tidy.toolbox import MemoryTools
from chatmem.models.backends.endpoint.lm import OpenAILM
from chatmem.models.editor.agent import Budget
from chatmem.models.editor.choose import make_editor
from chatmem.models.editor.native import NativeEditor
from tests.memory.tidy.test_tools import WordsEmbedder, ids, person
from tests.models.backends.endpoint.test_openai import Faulty, faulty

__all__ = ["faulty"]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "a.db", embedder=WordsEmbedder()) as opened:
        yield opened


def reply(*calls: tuple[str, dict[str, Any] | str], text: str = "") -> Any:
    """A handler that answers with these tool calls."""

    def handle(handler: Faulty) -> None:
        told = [
            {"id": f"c{place}", "type": "function",
             "function": {"name": name, "arguments": given if isinstance(given, str) else json.dumps(given)}}
            for place, (name, given) in enumerate(calls)
        ]  # fmt: skip
        message = {"role": "assistant", "content": text, **({"tool_calls": told} if told else {})}
        choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if told else "stop"}
        body = {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
        handler.send(200, json.dumps(body).encode())

    return handle


def test_the_model_calls_the_tools_until_it_is_done(store: Store, faulty: str) -> None:
    user = person(store)
    known = ids(store, user)
    Faulty.plan = [
        reply(("merge_memory", {"memory_ids": known[:2], "strategy": "summarize"}), ("delete_memory", "no JSON")),
        reply(text="Nothing else."),
    ]
    lm = OpenAILM("m", backoff=0.01, timeout=5.0)
    tools = MemoryTools(store, user)
    editor = make_editor(lm, tools)
    assert isinstance(editor, NativeEditor)
    steps = list(editor.tidy())
    assert [(step.call.name, step.call.failed) for step in steps if step.call] == [
        ("merge_memory", False), ("delete_memory", True),
    ]  # fmt: skip
    assert store.journal.entries(user.id)[-1].author.model == "m"
    first, second = Faulty.seen[:2]
    assert {tool["function"]["name"] for tool in first["tools"]} >= {"merge_memory", "split_memory"}
    assert f"#{known[0]} [Ana: pets]" in first["messages"][1]["content"]
    assert [message["role"] for message in second["messages"][2:]] == ["assistant", "tool", "tool"]
    assert "error" in json.loads(second["messages"][-1]["content"])
    lm.close()


def test_it_ends_at_its_budget_of_changes_and_of_turns(store: Store, faulty: str) -> None:
    user = person(store)
    known = ids(store, user)
    Faulty.plan = [reply(*((("delete_memory", {"memory_id": key})) for key in known[:4]))]
    lm = OpenAILM("m", backoff=0.01, timeout=5.0)
    list(make_editor(lm, MemoryTools(store, user)).tidy(Budget(ops=2)))
    assert len(store.facts.all(user.id)) == len(known) - 2
    Faulty.plan, Faulty.seen[:] = [reply(("sample_memory", {"k": 1}))], []
    list(make_editor(lm, MemoryTools(store, user)).tidy())
    assert 0 < len(Faulty.seen) <= 15 * 2
    lm.close()
