"""Tuned prompts: a file and back, what is wrong with one, and where each agent puts them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from chatmem.memory.errors import InputError, NotFound
from chatmem.memory.store.store import Store
from chatmem.memory.tidy.proposals import Proposal
from chatmem.memory.values import Memory, Recall, User
from chatmem.models.chat.answer import AnswerAgent
from chatmem.models.chat.retrieval import RetrievalAgent
from chatmem.models.decoding.scripted import ScriptedLM
from chatmem.models.editor.agent import LMDecider
from chatmem.models.lm import Message
from chatmem.models.prompts.messages import ANSWER, Line, answer_messages, answer_system
from chatmem.models.prompts.tuned import Demo, Prompt, Prompts, Tuned, read_prompts, with_agent, write_prompts
from chatmem.models.storage.reading import Reader
from chatmem.models.storage.told.scene import Scene

PROMPT = Prompt("Keep what lasts.", (Demo("Store:\nBo: I ski.", "-- nothing"),))
TUNED = Tuned(PROMPT, "scripted", {"method": "gepa", "spec": "gguf:a"})
SHOWN = [Message("user", "Store:\nBo: I ski."), Message("assistant", "-- nothing")]


def test_a_file_holds_what_was_written_and_nobody_else_may_read_it(tmp_path: Path) -> None:
    place = tmp_path / "p.json"
    prompts = with_agent(Prompts({"answer": TUNED}), "storage", TUNED)
    write_prompts(place, prompts)
    assert read_prompts(place) == prompts and read_prompts("") == Prompts()
    assert place.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"chatmem_prompts": 2}', '{"chatmem_prompts": 1}', '{"chatmem_prompts": 1, "agents": []}',
             json.dumps({"chatmem_prompts": 1, "agents": {"storage": {"instruction": "", "model": "m"}}}),
             json.dumps({"chatmem_prompts": 1, "agents": {"poet": {"instruction": "a", "model": "m"}}}),
             json.dumps({"chatmem_prompts": 1, "agents": {"storage": {"instruction": "a", "model": "m",
                                                                      "demonstrations": ["x"]}}})],
)  # fmt: skip
def test_what_is_no_such_file_is_one_sentence(tmp_path: Path, text: str) -> None:
    (tmp_path / "p.json").write_text(text)
    with pytest.raises(InputError, match=r"p\.json"):
        read_prompts(tmp_path / "p.json")
    with pytest.raises(NotFound):
        read_prompts(tmp_path / "none.json")


def test_an_adapter_keeps_its_prompt_and_another_model_is_warned_of() -> None:
    prompts = Prompts({"storage": TUNED})
    bare, other = ScriptedLM(["x"]), ScriptedLM(["x"], name="qwen")
    adapted = ScriptedLM(["x"], adapter="storage")
    assert prompts.of("storage", bare) == PROMPT and prompts.of("answer", bare) is None
    assert prompts.of("storage", adapted) is None and prompts.of("storage", None) is None
    assert not list(prompts.misfits("storage", bare)) and not list(prompts.misfits("answer", other))
    assert "tuned to scripted" in next(prompts.misfits("storage", other))
    assert "adapter" in next(prompts.misfits("storage", adapted))


def test_the_storage_agent_is_told_it_instead_of_the_guide() -> None:
    scene = Scene((), Line("Ana", "I have a dog."), ["Ana"])
    asked = Reader(ScriptedLM(["-- nothing"]), prompt=PROMPT).request(scene).messages
    assert list(asked) == [Message("system", "Keep what lasts."), *SHOWN, Message("user", "Store:\nAna: I have a dog.")]
    adapted = Reader(ScriptedLM(["-- nothing"], adapter="storage"), prompt=PROMPT).request(scene).messages
    assert len(adapted) == 2 and adapted[0].content != "Keep what lasts."


def test_the_retrieval_agent_and_the_editor_are_told_it(tmp_path: Path) -> None:
    with Store.open(tmp_path / "m.db") as store:
        agent = RetrievalAgent(ScriptedLM(["x"]), store, prompt=PROMPT)
        found = agent.found(store.users.get("ana"), "Who?", now="2026-01-01T00:00:00Z", asker="Ana")
        messages, _ = agent.request(store.users.get("ana"), found, now="2026-01-01T00:00:00Z", asker="Ana")
        assert messages[0].content == "Keep what lasts." and messages[1:3] == SHOWN and len(messages) == 4
    lm = ScriptedLM(["keep"])
    row = Memory(1, 1, "Ana", "pets", "Ana has a dog.", None, "2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z", None)
    LMDecider(lm, PROMPT).decide(Proposal((row,), ("drop",), 1.0), {})
    assert lm.calls[0][0][0].content == "Keep what lasts." and list(lm.calls[0][0][1:3]) == SHOWN


def test_an_answer_prompt_keeps_who_talks_and_marks_examples_as_such() -> None:
    system = answer_system("Joi", "Ana", "1 May 2026")
    asked = answer_messages(system, [("user", "hi")], ["Ana has a dog."], "Which pet?")
    told = PROMPT.put("answer", asked)
    assert told[1:] == asked[1:] and told[0].content.startswith(
        "You are Joi, talking with Ana. Today is 1 May 2026. Keep"
    )
    assert ANSWER not in told[0].content and "other talks" in told[0].content and "=> " not in told[0].content
    small_talk = answer_messages(answer_system("Joi", "Ana", "1 May 2026", memory=False), [], None, "hi")
    assert PROMPT.put("answer", small_talk) == small_talk


def test_the_answer_agent_counts_it_into_its_budget() -> None:
    user, recall = User(1, "ana", "Ana"), Recall("Which pet?", ())
    agent = AnswerAgent(ScriptedLM(["x"]), prompt=PROMPT)
    assert "Keep what lasts." in agent.prompt(user, recall, [], "Which pet?", "2026-05-01T00:00:00Z")[0].content
    adapted = AnswerAgent(ScriptedLM(["x"], adapter="answer"), prompt=PROMPT)
    assert "Keep what lasts." not in adapted.prompt(user, recall, [], "Which pet?", "2026-05-01T00:00:00Z")[0].content
