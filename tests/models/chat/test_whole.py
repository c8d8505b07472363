"""A question is made whole from the talk by a call, for models that read instructions, and by rule for others."""

from __future__ import annotations

from dataclasses import replace

import pytest

from chatmem.memory.errors import ModelError
from chatmem.memory.store.store import Store
from chatmem.memory.values import Turn
from chatmem.models.chat.retrieval import RetrievalAgent
from chatmem.models.chat.whole import whole
from chatmem.models.decoding.scripted import ScriptedLM
from chatmem.models.files.profiles.profile import SHIPPED

CAPABLE = replace(SHIPPED, capable=True, prompts="plain")
NOW = "2026-03-01T12:00:00Z"
TALK = [
    Turn(1, 1, 1, "me", "Ana's sister lives in Oslo.", NOW, "complete"),
    Turn(2, 1, 1, "assistant", "How nice!", NOW, "complete"),
    Turn(3, 1, 1, "me", "What is the name of my dog?", NOW, "complete"),
    Turn(4, 1, 1, "assistant", "Rex.", NOW, "complete"),
]
HERS = "What is the name of Ana's sister's dog?"


def test_the_embedded_model_is_not_asked() -> None:
    lm = ScriptedLM(["never"], adapter="retrieval")
    assert whole(lm, "and hers?", TALK) == HERS
    assert lm.calls == []


def test_a_capable_model_is_asked_once_and_only_where_the_question_leans() -> None:
    lm = ScriptedLM([HERS], profile=CAPABLE)
    assert whole(lm, "Where do I live?", TALK) == "Where do I live?"
    assert lm.calls == []
    assert whole(lm, "and hers?", TALK) == HERS
    assert "Ana's sister lives in Oslo." in lm.calls[0][0][-1].content


@pytest.mark.parametrize("reply", ["", "Her dog is called Bo.", "I can't tell? " * 60])
def test_what_is_no_question_leaves_it_as_it_was(reply: str) -> None:
    assert whole(ScriptedLM([reply], profile=CAPABLE), "and hers?", TALK) == "and hers?"


def test_a_model_that_fails_leaves_it_as_it_was() -> None:
    def failing(messages: object, options: object) -> str:
        raise ModelError("gone")

    assert whole(ScriptedLM([failing], profile=CAPABLE), "and hers?", TALK) == "and hers?"


def test_a_capable_model_writes_a_select_only_where_it_helps(store: Store) -> None:
    user = store.users.get("me")
    store.facts.remember(user.id, "User", "pets", "User has two cats, Nori and Kit.")
    lm = ScriptedLM(["SELECT * FROM memory ORDER BY about('cats') DESC LIMIT 8;"], profile=CAPABLE)
    agent = RetrievalAgent(lm, store)
    assert agent.recall(user, "what are my cats called?", now=NOW, asker="User").sql is None
    assert lm.calls == []
    assert agent.recall(user, "how many cats do I have?", now=NOW, asker="User").sql
    assert len(lm.calls) == 1


def test_the_adapter_writes_one_where_rows_are_listed(store: Store) -> None:
    user = store.users.get("me")
    store.facts.remember(user.id, "User", "pets", "User has two cats, Nori and Kit.")
    lm = ScriptedLM(["SELECT * FROM memory ORDER BY about('cats') DESC LIMIT 8;"], adapter="retrieval")
    agent = RetrievalAgent(lm, store)
    assert agent.recall(user, "what's my cat called?", now=NOW, asker="User").sql is None and not lm.calls
    assert agent.recall(user, "list all my cats", now=NOW, asker="User").sql
