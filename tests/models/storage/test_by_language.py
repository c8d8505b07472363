"""Which model stores which line where the chat's own model is small."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from chatmem.memory.store.store import Store
from chatmem.models.decoding.scripted import ScriptedLM
from chatmem.models.files.profiles.profile import SHIPPED, Profile
from chatmem.models.prompts.messages import insert_sql
from chatmem.models.storage.agent import StorageAgent
from chatmem.models.storage.by_language import ByLanguage, left_to_trained, storage_agent

NOTE = "+ home: Ana wohnt seit zwei Jahren mit Anas Schwester in Leipzig."
SMALL = replace(SHIPPED, capable=True, parameters=1.5, prompts="plain", structured="none")


def instructed(profile: Profile) -> ScriptedLM:
    """A model that reads instructions, of so many parameters."""
    return ScriptedLM([NOTE], profile=profile)


def never() -> ScriptedLM:
    raise AssertionError("the embedded model isn't loaded where nothing is left to it")


@pytest.mark.parametrize(("parameters", "small"), [(0.5, True), (1.5, True), (3.0, False), (7.0, False), (0.0, False)])
def test_below_three_billion_parameters_english_is_left_to_the_trained_one(
    tmp_path: Path, parameters: float, *, small: bool
) -> None:
    lm = instructed(replace(SMALL, parameters=parameters))
    assert left_to_trained(lm) is small
    with Store.open(tmp_path / "a.db") as store:
        made = storage_agent(lm, store, trained=(lambda: ScriptedLM(["-"])) if small else never)
        assert isinstance(made, ByLanguage) is small
        assert isinstance(storage_agent(lm, store), StorageAgent), "who names a model for storage has it for all lines"
    assert not left_to_trained(ScriptedLM(["-"]))


def test_each_line_is_read_by_the_one_that_speaks_its_language(tmp_path: Path) -> None:
    with Store.open(tmp_path / "a.db") as store:
        user = store.users.call(store.users.get("ana").id, "Ana")
        session = store.sessions.start(user.id)
        english = ScriptedLM([insert_sql([("Ana", "pets", "Ana has a dog called Bess.", None)])])
        other = instructed(SMALL)
        reader = ByLanguage(StorageAgent(english, store), StorageAgent(other, store))
        lines = ["I have a dog called Bess.", "Ich wohne seit zwei Jahren mit meiner Schwester in Leipzig."]
        turns = [store.turns.add(session.id, "Ana", line) for line in lines]
        result = reader.run(turns, user)
        assert english.calls and other.calls
        assert all("Leipzig" not in str(prompt) for prompt, _ in english.calls)
        assert all("Leipzig" in str(prompt[-1]) for prompt, _ in other.calls)
        facts = [memory.fact for memory in store.facts.all(user.id)]
        assert "Ana has a dog called Bess." in facts and any("Leipzig" in fact for fact in facts)
        assert len(result.entries) >= 2
