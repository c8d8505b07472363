"""The real editor: its adapter on the embedded model, with the real embedder, on a small memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from chatmem.eval.datasets.spoiled import fill
from chatmem.memory.store.store import Store
from chatmem.memory.tidy.toolbox import MemoryTools
from chatmem.models import registry
from chatmem.models.backends.llama.bf16_copy import computes_bf16, reading_copy
from chatmem.models.editor.agent import Budget, EditorAgent, LMDecider, find_proposals
from chatmem.models.embedder.minilm import load_embedder
from chatmem.models.files import model_files
from tests.memory.tidy.test_tools import dump
from tests.training.editor.test_editor import MEMORY


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    embedder = load_embedder()
    with Store.open(tmp_path / "a.db", embedder=embedder) as opened:
        yield opened
    embedder.close()


def test_it_merges_what_was_said_twice_and_all_of_it_can_be_undone(store: Store) -> None:
    user, ids = fill(store, "ana", MEMORY)
    before = dump(store, user)
    lm = registry.load("embedded+editor", threads=1)
    tools = MemoryTools(store, user)
    steps = list(EditorAgent(LMDecider(lm), tools).tidy(Budget(ops=10)))
    lm.close()
    assert any(step.decision.act == "same" and step.changed for step in steps)
    facts = [memory.fact for memory in store.facts.all(user.id)]
    assert sum("Nori" in fact for fact in facts) == 1
    assert any("baker" in fact for fact in facts)
    assert {entry.author.adapter for entry in tools.calls[0].wrote} == {"editor"}
    store.journal.undo_run(tools.run)
    assert dump(store, user) == before
    assert [memory.id for memory in store.facts.all(user.id)] == ids


def test_it_stops_when_told_and_at_its_time(store: Store) -> None:
    user, _ = fill(store, "ana", MEMORY)
    lm = registry.load("embedded+editor", threads=1)
    for budget in (Budget(stop=lambda: True), Budget(seconds=-1), Budget(ops=0)):
        assert list(EditorAgent(LMDecider(lm), MemoryTools(store, user)).tidy(budget)) == []
    lm.close()


def test_the_name_that_somebody_told_is_nobody_s_junk(store: Store) -> None:
    user = store.users.get("ana")
    for topic, fact in (("name", "The user's name is Ana."), ("weather", "It is warm.")):
        store.facts.remember(user.id, "Ana", topic, fact)
    store.vectors.embed_pending(user.id)
    proposals, _ = find_proposals(MemoryTools(store, user))
    assert [row.fact for proposal in proposals for row in proposal.rows] == ["It is warm."]


def test_the_copy_for_reading_decides_as_the_model_itself(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHATMEM_HOME", str(tmp_path))
    user, _ = fill(store, "ana", MEMORY)
    proposals, lines = find_proposals(MemoryTools(store, user))
    told = []
    for load in (registry.load, registry.load_reader):
        lm = load("embedded+editor", threads=1)
        told.append([LMDecider(lm).decide(one, lines) for one in proposals])
        lm.close()
    assert told[0] == told[1]
    assert {one.act for one in told[0]} > {"same"}
    copies = list(tmp_path.rglob("*.gguf"))
    assert len(copies) == computes_bf16()
    assert reading_copy(model_files.embedded_path()) == (copies[0] if copies else model_files.embedded_path())
    for copy in copies:
        copy.unlink()  # 271 MB


def test_without_room_for_a_copy_the_model_itself_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cache").write_text("in the way")
    monkeypatch.setenv("CHATMEM_HOME", str(tmp_path))
    assert reading_copy(model_files.embedded_path()) == model_files.embedded_path()
