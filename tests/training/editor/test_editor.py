"""The editor's data: labels that are true by construction, rows that parse, episodes, and the measure of a run."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chatmem.eval.agents.editor import RuleDecider, lineage, measures, score, tidied
from chatmem.eval.datasets.spoiled import Spoiled, SpoiledRow, dump, fill, load_spoiled
from chatmem.eval.measures.text import contained
from chatmem.memory.errors import InputError
from chatmem.memory.store.store import Store
from chatmem.memory.tidy.proposals import Proposal, pairs
from chatmem.memory.tidy.toolbox import MemoryTools
from chatmem.memory.values import Memory
from chatmem.models.editor.prompts import Decision, editor_messages, editor_options, options_of, read_decision
from chatmem.training.editor.recipe import balanced, write_memories
from chatmem.training.editor.reward import NO_DECISION, REFUSED, EditorTask, FactQuestion, Snapshot, reward
from chatmem.training.editor.rows import memories_of, template_rows
from chatmem.training.material.spoil import spoil
from tests.memory.tidy.test_tools import WordsEmbedder

MEMORY = Spoiled(
    "Ana",
    (("2026-01-01T10:00:00Z", "I have two cats, Nori and Kit"), ("2026-01-02T10:00:00Z", "I work as a nurse"),
     ("2026-01-03T10:00:00Z", "Nori and Kit, my two cats, woke me up"), ("2026-01-04T10:00:00Z", "I'm a baker now"),
     ("2026-01-05T10:00:00Z", "hello")),
    (SpoiledRow("Ana", "pets", "Ana has two cats, Nori and Kit.", 0, keys=("Nori", "Kit")),
     SpoiledRow("Ana", "job", "Ana works as a nurse.", 1, keys=("nurse",)),
     SpoiledRow("Ana", "pets", "Nori and Kit are Ana's two cats.", 2, "duplicate", 0, ("Nori", "Kit")),
     SpoiledRow("Ana", "job", "Ana is a baker.", 3, "newer", 1, ("baker",)),
     SpoiledRow("Ana", "", "Ana said hello.", 4, "junk")),
)  # fmt: skip


def test_the_labels_of_a_spoiled_memory_are_true() -> None:
    train, again = list(spoil(3, 2, 30)), list(spoil(3, 2, 30))
    assert train == again
    for memory in train:
        assert {row.role for row in memory.rows} == {"sound", "duplicate", "newer", "junk"}
        for row in memory.rows:
            if row.of is not None:
                old = memory.rows[row.of]
                assert memory.lines[row.line][0] > memory.lines[old.line][0]
                assert row.fact != old.fact
                assert all(contained(key, row.fact) == 1 for key in row.keys)
            if row.role == "newer":
                assert all(contained(key, memory.rows[row.of or 0].fact) < 1 for key in row.keys)


def test_a_file_of_them_is_read_back_and_a_bad_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "made.jsonl"
    path.write_text(dump(MEMORY) + "\n")
    assert load_spoiled(path) == [MEMORY]
    path.write_text(dump(MEMORY) + "\n" + '{"user": 1}\n')
    with pytest.raises(InputError, match="line 2"):
        load_spoiled(path)
    assert len(load_spoiled()) >= 8


def test_training_rows_are_questions_with_an_answer_that_they_offer() -> None:
    rows = list(template_rows(0, 2, WordsEmbedder()))
    answers = {row["completion"].split()[0] for row in rows}
    assert {"both", "keep", "drop"} <= answers
    for row in rows:
        choice = row["messages"][1][1].rsplit("\n", 1)[1].lower()
        assert row["completion"].split()[0] in choice
    kept = balanced(rows, 40, 0)
    assert len(kept) < 40


def test_a_decision_that_was_not_offered_keeps() -> None:
    memories, lines = memories_of(MEMORY)
    proposal = Proposal((memories[4],), ("drop",), 1.0)
    for one in (proposal, Proposal((memories[0],), ("drop", "topic"), 1.0, ("job", "Talk")), Proposal(
        (memories[0], memories[2]), ("same", "changed"), 1.0)):  # fmt: skip
        assert options_of(editor_messages(one, lines)[1].content) == editor_options(one)
    assert f"Said: {memories[4].fact}" in editor_messages(proposal, {})[1].content
    assert "keep or drop?" in editor_messages(proposal, lines)[1].content.lower()
    assert read_decision("drop", proposal) == Decision("drop")
    assert read_decision('{"answer": "Drop."}', proposal) == Decision("drop")
    assert read_decision("split", proposal) == read_decision("", proposal) == Decision("keep")
    assert read_decision("topic pets", Proposal((memories[0],), ("topic",), 1, ("job",))) == Decision("keep")


def test_the_pairs_that_matter_are_proposed() -> None:
    memories, _ = memories_of(MEMORY)
    vectors = np.eye(5, dtype=np.float32)
    vectors[2], vectors[3] = 0.9 * vectors[0], 0.8 * vectors[1]
    found = {tuple(memory.id for memory in proposal.rows): proposal.offers for proposal in pairs(memories, vectors)}
    assert found == {(1, 3): ("same", "changed"), (2, 4): ("same", "changed")}


def test_the_measure_tells_right_from_wrong(tmp_path: Path) -> None:
    """Nothing done: nothing removed, nothing damaged. All done right: all of it. The wrong thing done: damage."""
    with Store.open(tmp_path / "a.db", embedder=WordsEmbedder()) as store:
        user, ids = fill(store, "one", MEMORY)
        nothing = score(MEMORY, ids, store.facts.all(user.id), ())
        assert nothing["duplicates and junk removed"] == (0, 2)
        assert nothing["contradictions resolved"] == (0, 1)
        assert nothing["sound rows damaged"] == (0, 1)
        tools = MemoryTools(store, user)
        tools.call("merge_memory", {"memory_ids": [ids[0], ids[2]], "strategy": "summarize"})
        tools.call("merge_memory", {"memory_ids": [ids[1], ids[3]], "strategy": "newest"})
        tools.call("delete_memory", {"memory_id": ids[4]})
        right = score(MEMORY, ids, store.facts.all(user.id), tools.calls)
        assert right["duplicates and junk removed"] == (2, 2)
        assert right["contradictions resolved"] == (1, 1)
        assert right["sound rows damaged"] == (0, 1)
        merged = lineage(ids, store.facts.all(user.id), tools.calls)
        assert merged[ids[0]] == merged[ids[2]] is not None
        tools.call("delete_memory", {"memory_id": merged[ids[0]]})
        wrong = score(MEMORY, ids, store.facts.all(user.id), tools.calls)
        assert wrong["sound rows damaged"] == (1, 1)
        assert wrong["duplicates removed"] == (0, 1)


def test_the_rule_runs_through_the_same_agent(tmp_path: Path) -> None:
    with Store.open(tmp_path / "a.db", embedder=WordsEmbedder()) as store:
        done = tidied(store, MEMORY, RuleDecider())
    assert done.failed == 0
    assert set(measures([done])) >= {"duplicates removed", "rows left"}
    assert RuleDecider().decide(Proposal((_memory(1), _memory(2)), ("same",), 0.95), {}) == Decision("changed")


def _memory(number: int) -> Memory:
    return Memory(number, 0, "Ana", "", "x", None, "2026", "2026")


def test_locomo_becomes_episodes_with_statistics(tmp_path: Path) -> None:
    pytest.importorskip("datasets")
    from chatmem.eval.ingestion import locomo_memory
    from chatmem.training.editor import locomo_episodes

    talks = []
    for number in range(3):
        session = [
            {"speaker": "Ana", "dia_id": "D1:1", "text": "I have a cat"},
            {"speaker": "Ben", "dia_id": "D1:2", "text": "ok"},
        ]
        talks.append({
            "sample_id": f"t{number}",
            "conversation": {"speaker_a": "Ana", "speaker_b": "Ben", "session_1": session,
                             "session_1_date_time": "1:56 pm on 8 May, 2023"},
            "qa": [{"question": "Which pet?", "answer": "a cat", "evidence": ["D1:1"], "category": 4}],
            "observation": {"session_1_observation": {"Ana": [["Ana has a cat.", "D1:1"], ["Ana is kind.", ["D9:9"]]]}},
        })  # fmt: skip
    path = tmp_path / "locomo.json"
    path.write_text(json.dumps(talks))
    told = locomo_episodes.write(path, tmp_path / "out", 0.7, 0)
    assert told["conversations"] == {"train": 2, "test": 1}
    assert told["memories without a line"] == 3
    assert told["episodes"] == {"train": 2, "test": 1}
    shown = locomo_episodes.show(tmp_path / "out", 1)
    assert shown["first episodes"][0]["question"] == "Which pet?"
    lines, memories = (
        [row for row in locomo_episodes.read(tmp_path / "out", name) if row["talk"] == "t0"]
        for name in ("lines", "memories")
    )
    with Store.open(tmp_path / "a.db") as store:
        user, turns = locomo_memory.fill(store, "t0", lines, memories)
        facts = store.facts.all(user.id)
        assert [memory.fact for memory in facts] == ["Ana has a cat.", "Ana is kind."]
        assert [turn.id for turn in store.facts.evidence([facts[0].id])[facts[0].id]] == [turns["D1:1"]]
    with pytest.raises(InputError):
        locomo_episodes.write(path, tmp_path / "out", 0.7, 0, ["t9"])


def test_the_reward_mends_what_was_wrong_with_its_model() -> None:
    """Two snapshots; a loss never made smaller by a low efficiency; length pays nothing; no reward for a mess."""
    old = Snapshot(100, 10.0, 0.5)
    assert reward(old, old)["reward"] == 0
    better, worse = (reward(old, Snapshot(100, 10.0, score))["reward"] for score in (0.6, 0.4))
    assert (round(better, 6), round(worse, 6)) == (0.1, -0.1)
    assert reward(old, Snapshot(100, 30.0, 0.6))["reward"] == pytest.approx(better)
    bloated = reward(old, Snapshot(190, 10.0, 0.4))
    assert bloated["efficiency"] < 0.2
    assert bloated["reward"] < worse
    assert reward(old, Snapshot(99, 10.0, 0.5))["reward"] > 0
    assert reward(old, Snapshot(99, 10.0, 0.4))["saved"] == 0
    assert NO_DECISION < REFUSED < reward(old, Snapshot(0, 0.0, 0.0))["reward"]


def test_a_rollout_acts_on_a_copy_and_its_terms_are_kept(tmp_path: Path) -> None:
    memory = replace(MEMORY, rows=tuple(replace(row, ask=f"What of {row.keys}?") for row in MEMORY.rows))
    write_memories(tmp_path / "memories.jsonl", [memory])
    task = EditorTask(tmp_path)
    case = {"memory": 0, "rows": [1, 3], "offers": ["same", "changed"], "topics": []}
    row = {"messages": [["user", "Both, same or changed?"]], "completion": "changed", "case": case}
    assert task.accepts(row)
    assert {ask[1] for ask in task.asks(case)} == {("baker",), ("Nori", "Kit")}
    rewards = {text: task.score(row, text)["reward"] for text in ("changed", "both", "nonsense", "changed")}
    assert rewards["changed"] > rewards["both"] == 0
    assert rewards["nonsense"] == NO_DECISION
    drop = row | {"case": {"memory": 0, "rows": [0], "offers": ["drop"], "topics": []}}
    assert task.score(drop, "drop")["calls of delete_memory"] == 1
    assert "changed" in (task.options(row).grammar or "")
    told = [json.loads(line) for line in (tmp_path / "trajectories.jsonl").read_text().splitlines()]
    assert len(told) == 5
    assert told[0]["calls"][0]["name"] == "merge_memory"
    task.close()


def test_locomo_before_and_after_is_paired(tmp_path: Path) -> None:
    from chatmem.eval.agents.editor_locomo import measure
    from chatmem.eval.agents.editor_locomo import measures as locomo_measures
    from chatmem.eval.datasets.locomo import LocomoQuestion, LocomoTalk
    from chatmem.eval.datasets.sessions import Sitting, Utterance

    said = (Utterance("Ana", "I have two cats", "", "D1:1"), Utterance("Ana", "my two cats are nice", "", "D1:2"))
    asked = (LocomoQuestion("Which pets has Ana?", "cats", 4, ("D1:1",)),)
    talk = LocomoTalk("t", ("Ana", "Ben"), (Sitting(said, "2023-05-08T13:56:00Z"),), asked)
    told = [["Ana has two cats.", "D1:1"], ["Ana has two nice cats.", "D1:2"]]
    item = {"sample_id": "t", "observation": {"session_1_observation": {"Ana": told}}}
    (done,) = measure([talk], {"t": item}, RuleDecider(), WordsEmbedder())
    assert done.rows[0] == 2
    assert done.recall == ((1.0, 1.0),)
    (joined,) = measure([talk], {"t": item}, RuleDecider(), WordsEmbedder(), join=True)
    assert joined.rows == (2, 1)
    assert (joined.recall, joined.words) == (done.recall, ((1.0, 1.0),))
    assert locomo_measures([done])["evidence recall@10, difference"].value == 0


def test_an_environment_is_a_copy_with_the_six_tools(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    from transformers.utils import get_json_schema

    from chatmem.memory.tidy.schemas import tool_specs
    from chatmem.training.editor.env import OPERATIONS, environment, episodes

    memory = replace(MEMORY, rows=tuple(replace(row, ask=f"What of {row.keys}?") for row in MEMORY.rows))
    write_memories(tmp_path / "memories.jsonl", [memory])
    task = EditorTask(tmp_path)
    factory: Any = environment(task)
    one, other = factory(), factory()
    for name, spec in tool_specs().items():
        schema = get_json_schema(getattr(one, name))["function"]
        assert set(schema["parameters"]["properties"]) == set(spec.parameters)
        assert set(schema["parameters"]["required"]) == set(spec.required)
    (row,) = episodes(task)
    assert "#1 [Ana: pets]" in row["prompt"][1]["content"]
    one.reset(**row)
    other.reset(**row)
    result = json.loads(one.merge_memory(memory_ids=[2, 4], strategy="newest"))
    assert result["memories"][0]["fact"] == "Ana is a baker."
    assert one.get_reward() > other.get_reward() == 0
    assert "error" in json.loads(other.delete_memory(memory_id=99))
    assert other.get_reward() < 0
    for _ in range(OPERATIONS):
        last = one.sample_memory(k=1)
    assert "stop" in last
    told = [json.loads(line) for line in (tmp_path / "trajectories.jsonl").read_text().splitlines()]
    assert told[0]["calls"][0]["name"] == "merge_memory"
    task.close()


def test_a_judge_may_ask_the_memory(tmp_path: Path) -> None:
    from chatmem.models.decoding.scripted import ScriptedLine, ScriptedLM

    write_memories(tmp_path / "memories.jsonl", [MEMORY])
    verdicts = ['{"reason": "it says so", "verdict": "right"}', '{"reason": "no", "verdict": "wrong"}', "hm"]
    judge = ScriptedLM([ScriptedLine(text) for text in verdicts])
    task = EditorTask(tmp_path, "judge", judge)
    store, user, _ = task.base(0)
    asked = FactQuestion("What is Ana's job?", ("baker",), ("I'm a baker now",))
    assert [task.evaluate(store, user, asked) for _ in verdicts] == [1.0, 0.0, 0.0]
    task.close()


def test_the_starting_memory_may_be_the_storage_agent_s(tmp_path: Path) -> None:
    pytest.importorskip("datasets")
    from chatmem.models.decoding.scripted import ScriptedLM
    from chatmem.models.prompts.messages import NOTHING, insert_sql
    from chatmem.training.editor import locomo_episodes

    path = tmp_path / "locomo.json"
    session = [
        {"speaker": "Ana", "dia_id": "D1:1", "text": "I have a cat"},
        {"speaker": "Ben", "dia_id": "D1:2", "text": "ok"},
    ]
    talk = {
        "conversation": {"speaker_a": "Ana", "speaker_b": "Ben", "session_1": session,
                         "session_1_date_time": "1:56 pm on 8 May, 2023"},
        "qa": [{"question": "Which pet?", "answer": "a cat", "evidence": ["D1:1"], "category": 4}], "observation": {},
    }  # fmt: skip
    path.write_text(json.dumps([{"sample_id": f"t{number}", **talk} for number in range(2)]))

    def agent(messages: Any, _options: Any) -> str:
        return insert_sql([("Ana", "pets", "Ana has a cat.", None)]) if "cat" in messages[-1].content[-40:] else NOTHING

    lm = ScriptedLM([agent])
    told = locomo_episodes.write(path, tmp_path / "out", 0.5, 0, storage=lm)
    assert told["memories"]["all"] == 2
    rows = locomo_episodes.read(tmp_path / "out", "memories")
    assert {(row["talk"], row["fact"], *row["evidence"]) for row in rows} == {
        ("t0", "Ana has a cat.", "D1:1"), ("t1", "Ana has a cat.", "D1:1")
    }  # fmt: skip
    asked = len(lm.calls)
    assert locomo_episodes.write(path, tmp_path / "out", 0.5, 0, storage=lm) == told
    assert len(lm.calls) == asked, "what was read once is not read again"
