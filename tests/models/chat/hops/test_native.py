"""Steps on an endpoint: by the model's own tool calls, or as JSON where its server takes no tools."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from chatmem.memory.store.store import Store
from chatmem.models.backends.endpoint.lm import OpenAILM
from chatmem.models.chat.hops.loop import Hopper, Looked
from chatmem.models.chat.hops.tools import TOOLS
from tests.models.backends.endpoint.test_openai import Faulty, faulty
from tests.models.editor.test_editor_native import reply

__all__ = ["faulty"]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "a.db") as opened:
        session = opened.sessions.start(opened.users.get("me").id)
        opened.turns.add(session.id, "User", "Ana keeps bees in Graz")
        yield opened


def looked(store: Store, lm: OpenAILM) -> Looked:
    steps = Hopper(lm, store).run(store.users.get("me"), "Who keeps bees?", now="2026-05-08T12:00:00Z")
    end = [*steps][-1]
    assert isinstance(end, Looked)
    return end


def test_the_models_own_calls_are_carried_out(store: Store, faulty: str) -> None:
    Faulty.plan = [
        reply(("search", {"query": "bees"}), ("sql", {"select": "SELECT count(*) FROM lines"})),
        reply(("finish", {"answer": "Ana."})),
    ]
    lm = OpenAILM("m", backoff=0.01, timeout=5.0, changes={"capable": True})
    end = looked(store, lm)
    assert [hop.tool for hop in end.recall.hops] == ["search", "search", "sql", "finish"]
    assert end.answer == "Ana." and end.recall.hops[2].told == "1 row"
    asked = [one for one in Faulty.seen if one.get("tools")]
    assert [tool["function"]["name"] for tool in asked[0]["tools"]] == [*TOOLS]
    assert "l1 " in asked[1]["messages"][-1]["content"]
    lm.close()


def test_plain_text_is_the_answer(store: Store, faulty: str) -> None:
    Faulty.plan = [reply(text="Ana does.")]
    lm = OpenAILM("m", backoff=0.01, timeout=5.0, changes={"capable": True})
    assert looked(store, lm).answer == "Ana does."
    lm.close()


def test_a_server_without_tools_is_asked_for_json_and_not_for_tools_again(store: Store, faulty: str) -> None:
    def refuse(handler: Faulty) -> None:
        handler.fail(400, "tools are not supported here")

    def said(text: str) -> Callable[[Faulty], None]:
        return lambda handler: handler.stream([text])

    call = {"tool": "search", "query": "bees"}
    Faulty.plan = [refuse, said(json.dumps(call)), said('{"tool": "finish", "answer": "Ana."}')]
    lm = OpenAILM("m", backoff=0.01, timeout=5.0, changes={"capable": True})
    end = looked(store, lm)
    assert [hop.tool for hop in end.recall.hops] == ["search", "search", "finish"] and end.answer == "Ana."
    assert [bool(one.get("tools")) for one in Faulty.seen if "messages" in one] == [True, False, False]
    lm.close()
