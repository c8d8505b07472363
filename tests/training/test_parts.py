"""What each agent hands to a run: enough for every method that it says it can be trained by."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

from chatmem.training import cli
from chatmem.training.fit import AgentParts


def parts_of(agent: str) -> AgentParts[Any]:
    parts: AgentParts[Any] = importlib.import_module(f"chatmem.training.{cli.recipe_of(agent)}").PARTS
    return parts


@pytest.mark.parametrize("agent", cli.AGENTS)
def test_an_agent_has_what_its_methods_need(agent: str) -> None:
    parts = parts_of(agent)
    assert "sft" in parts.methods
    assert set(parts.methods) <= set(cli.METHODS)
    assert (parts.pairs is not None) == ("dpo" in parts.methods)
    assert parts.episodes is None or {"grpo", "dapo"} <= set(parts.methods)
    assert parts.sources


def test_every_method_trains_somebody() -> None:
    assert {method for agent in cli.AGENTS for method in parts_of(agent).methods} == set(cli.METHODS)


def test_a_card_shows_lines_of_our_own_templates_alone() -> None:
    said = {"messages": [["user", "Store:\nAna: I was born in Graz."]], "completion": "nothing"}
    asked = said | {"case": {"user": "select-t1", "gold": [1]}}
    for agent in ("storage", "answer"):
        shown = parts_of(agent).examples([said, asked])
        assert said not in shown and asked not in shown
