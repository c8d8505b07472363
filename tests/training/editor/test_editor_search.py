"""Trajectories found by search, and the policy gradient over all decisions that learns from their rewards."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from chatmem.app.cli import main
from chatmem.memory.tidy.proposals import Proposal
from chatmem.models.editor.prompts import editor_messages
from chatmem.training.editor.recipe import write_memories
from chatmem.training.editor.reward import NO_DECISION, EditorTask, FactQuestion, reward, snapshot
from chatmem.training.editor.rows import memories_of
from chatmem.training.editor.search import actions, agreement, searched_rows, trajectory
from tests.training.editor.test_editor import MEMORY

ASKS = ("Which cats does Ana have?", "What is Ana's job?", "Which cats does Ana have?", "What is Ana's job?", "")
ASKED = replace(
    MEMORY, rows=tuple(replace(row, ask=ask) for row, ask in zip(MEMORY.rows, ASKS, strict=True))
)  # fmt: skip


@pytest.fixture
def task(tmp_path: Path) -> Any:
    write_memories(tmp_path / "memories.jsonl", [ASKED])
    made = EditorTask(tmp_path)
    yield made
    made.close()


def test_search_finds_the_answers_that_are_right_by_construction(task: EditorTask, tmp_path: Path) -> None:
    rows = searched_rows(tmp_path, "train", task, [0])
    found = [(row["case"]["rows"], row["completion"]) for row in rows]
    assert ([0, 2], "same") in found
    assert ([1, 3], "changed") in found
    assert ([4], "drop") in found
    for row in rows:
        keep, *others = row["case"]["rewards"].values()
        assert keep == 0
        assert others
        assert task.score(row, row["completion"])["reward"] == row["case"]["rewards"][row["completion"]]
        assert task.score(row, "say Ana said hello.")["reward"] == NO_DECISION
    assert agreement(rows)[0] == f"search found the label by construction in {len(rows)} of {len(rows)} decisions"
    (path,) = tmp_path.glob("searched-train-*.jsonl")
    before = path.read_bytes()
    task.evaluate = _never
    assert searched_rows(tmp_path, "train", task, [0]) == rows
    assert path.read_bytes() == before, "what was searched once is not searched again"


def _never(*_: Any) -> float:
    raise AssertionError("asked again")


def test_a_whole_search_earns_and_leaves_the_memory_of_others_alone(task: EditorTask) -> None:
    done = trajectory(task, 0)
    assert done["terms"]["reward"] > 0
    assert done["terms"]["rows"] == 2
    store, user, _ = task.base(0)
    assert len(store.facts.all(user.id)) == len(MEMORY.rows)


def test_the_reward_sees_what_questions_alone_do_not(task: EditorTask) -> None:
    """Old words beside the new ones, and a row whose lines tell of different facts."""
    store, user, ids = task.base(0)
    (asked,) = [ask for ask in task.all_asks(0) if ask.keys == ("baker",)]
    assert asked.stale == ("nurse",)
    assert task.evaluate(store, user, asked) == 0.5 * task.evaluate(store, user, asked._replace(stale=()))
    assert task.evaluate(store, user, FactQuestion("Where is the key?", ("cellar",))) == 0
    before = snapshot(store, user, [asked], task.evaluate, task.tells(0))
    assert before.mixed == 0
    from chatmem.memory.tidy.run import RunLimits
    from chatmem.memory.tidy.toolbox import MemoryTools

    tools = MemoryTools(store, user, limits=RunLimits(share=1.0))
    tools.call("merge_memory", {"memory_ids": [ids[0], ids[3]], "strategy": "concatenate"})
    tools.close()
    after = snapshot(store, user, [asked], task.evaluate, task.tells(0))
    assert after.mixed == 1
    assert reward(before, after)["reward"] < 0 < reward(before, replace(after, mixed=0))["reward"]


def test_what_can_be_tried_is_what_the_grammar_allows_but_for_free_words() -> None:
    memories, _ = memories_of(MEMORY)
    assert actions(Proposal((memories[4],), ("drop", "say", "topic"), 1, ("pets", "job"))) == [
        "keep", "drop", "topic pets", "topic job",
    ]  # fmt: skip


def _rows(path: Path, best: Sequence[str], count: int = 4) -> Path:
    """A question about each row, of which that decision earns most."""
    memories, lines = memories_of(MEMORY)
    rows = []
    for number, memory in enumerate(memories[:count]):
        rewards = {word: 0.2 * (word == best[number % len(best)]) for word in ("keep", "drop")}
        asked = [[m.role, m.content] for m in editor_messages(Proposal((memory,), ("drop",), 1), lines)]
        rows.append({"messages": asked, "completion": "keep", "case": {"memory": number, "rewards": rewards}})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_forks_among_completions() -> None:
    pytest.importorskip("torch", reason="training is an extra")
    from chatmem.training.methods.epg import state_of

    state = state_of((7, 8), [(1, 9), (2, 3, 9), (2, 4, 9)], (0.0, 0.1, 0.2))
    assert [(fork.before, fork.follow) for fork in state.forks] == [((7, 8), (1, 2)), ((7, 8, 2), (3, 4))]
    assert state.ways == (((0, 0),), ((0, 1), (1, 0)), ((0, 1), (1, 1)))


def test_a_policy_that_is_sure_learns_what_it_never_draws(tmp_path: Path) -> None:
    """The shipped editor keeps sound rows; here dropping them earns, which samples of it would not show."""
    pytest.importorskip("torch", reason="training is an extra")
    from chatmem.training.fit import starting_of
    from chatmem.training.loop.loop import RunConfig
    from chatmem.training.methods.epg import Epg, EpgConfig

    data = _rows(tmp_path / "rows.jsonl", ["drop"], 2)
    config = RunConfig("embedded", tmp_path / "run", data, data, 3, lr=1e-3, start=starting_of("editor"), save_every=1)
    run = Epg(config, EpgConfig(temperature=2.0))
    assert all(sum(policy) == pytest.approx(1, abs=1e-3) for policy in run._seen(run.rows).values())
    steps = list(run.train())
    assert steps[-1].terms["reward"] > steps[0].terms["reward"] + 0.02
    assert steps[-1].terms["kl"] > 0
    assert steps[0].terms["reward"] + steps[0].terms["regret"] == pytest.approx(0.2, abs=1e-4)
    before, after = steps[0].valid_loss, steps[2].valid_loss
    assert before is not None
    assert after is not None
    assert after < before


def test_a_resumed_run_is_still_measured_against_the_adapter_that_it_began_with(
    tiny_home: Path, tmp_path: Path
) -> None:
    pytest.importorskip("torch", reason="training is an extra")
    from chatmem.training.fit import starting_of
    from chatmem.training.loop.loop import RunConfig
    from chatmem.training.methods.epg import Epg, EpgConfig

    data = _rows(tmp_path / "rows.jsonl", ["drop"])
    config = RunConfig("embedded", tmp_path / "run", data, data, 3, lr=1e-2, start=starting_of("editor"), save_every=1)
    first, *_, last = Epg(config, EpgConfig(temperature=2.0)).train()
    assert last.terms["kl"] > 0.001 > abs(first.terms["kl"])
    again = Epg(replace(config, resume=True, steps=4), EpgConfig(temperature=2.0))
    assert again.step == 3
    assert next(iter(again.train())).terms["kl"] > 0.001, "the start is still the adapter's, not the checkpoint's"


def test_the_command_ships_an_adapter_with_what_it_earns(tiny_home: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="training is an extra")
    write_memories(tmp_path / "memories.jsonl", [MEMORY])
    rows = _rows(tmp_path / "rows.jsonl", ["keep", "drop"])
    run = ["train", "editor", "--method", "epg", "--rows", str(rows), "--valid-rows", str(rows), "--steps", "1",
           "--eval-every", "1", "--eval-rows", "2", "--threads", "1", "--out", str(tmp_path / "run")]  # fmt: skip
    assert main(run) == 0
    card = (tmp_path / "run" / "adapter" / "README.md").read_text(encoding="utf-8")
    assert "| base |" in card
    assert "after epg earns more by" in card
    assert (tmp_path / "run" / "memories.jsonl").is_file()


def test_rows_without_rewards_and_methods_that_do_not_fit_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("torch", reason="training is an extra")
    row = {"messages": [["system", "x"], ["user", "Keep or drop?"]], "completion": "keep"}
    (tmp_path / "rows.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    write_memories(tmp_path / "memories.jsonl", [MEMORY])
    asked = ["train", "editor", "--rows", str(tmp_path / "rows.jsonl"), "--out", str(tmp_path / "x"), "--method", "epg"]
    assert main(asked) == 1
    assert "--rows-by search" in capsys.readouterr().err
    assert main([*asked, "--rows-by", "construction"]) == 2
    assert "needs the rewards of all decisions" in capsys.readouterr().err
    assert main(["train", "storage", "--rows-by", "search"]) == 2
    assert "for the editor" in capsys.readouterr().err
