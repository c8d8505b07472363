"""An agent's fields are read off a prompt and written as that prompt again."""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from chatmem.eval.runs.records import Records
from chatmem.memory.errors import InputError
from chatmem.models.chat.retrieval import GUIDE
from chatmem.models.editor.prompts import EDITOR_SYSTEM
from chatmem.models.editor.prompts import GUIDE as RULES
from chatmem.models.lm import Message
from chatmem.models.prompts.messages import retrieval_messages
from chatmem.models.storage import reading
from chatmem.training.answer.talks import template_rows as answer_rows
from chatmem.training.methods.optimize import cli, methods, rows
from chatmem.training.methods.optimize.forms import FORMS, agent_of, messages_of
from chatmem.training.policy.rows import write_rows
from chatmem.training.policy.sampling import Task
from chatmem.training.retrieval import recipe as retrieval
from chatmem.training.storage import personal
from chatmem.training.storage import recipe as storage
from chatmem.training.storage.template_rows import template_rows as storage_rows
from tests.memory.tidy.test_tools import WordsEmbedder


class Closing(WordsEmbedder):
    def close(self) -> None:
        """Nothing is held open."""


def again(agent: str, asked: Sequence[Message]) -> list[Message]:
    form = FORMS[agent]
    fields = form.read(asked)
    assert set(fields) == set(form.inputs)
    return form.write(fields)


def test_storage_and_answer_rows_come_out_as_they_went_in() -> None:
    for row in itertools.islice(storage_rows(3, 4), 40):
        asked = messages_of(row)
        assert again("storage", asked) == [Message("system", reading.GUIDE), *asked[1:]]
    for row in itertools.islice(answer_rows(3, 4), 40):
        asked = messages_of(row)
        if asked[-1].content.startswith("Memory:"):
            assert again("answer", asked) == asked


def test_retrieval_and_editor_prompts_do() -> None:
    asked = retrieval_messages("Ana", "Where?\nWhen?", ["Ana", "Bo"], ["home", "work"], "2026-05-01")
    assert again("retrieval", asked) == [Message("system", GUIDE), asked[1]]
    question = [Message("system", "Tidy."), Message("user", "Row [pets]: Ana has a dog.\nSaid: x\nKeep or drop?")]
    assert again("editor", question) == [Message("system", RULES), question[1]]


@pytest.mark.parametrize("method", methods.METHODS)
def test_more_rows_never_cost_less(method: str) -> None:
    costs = [methods.cost(methods.Search(method, rows)).task for rows in (8, 16, 32, 64, 200)]
    assert costs == sorted(costs) and costs[0] > 0


@pytest.mark.parametrize("agent", cli.AGENTS)
def test_the_rows_of_each_agent_are_built_and_scored_with_what_its_trainer_asks_for(
    agent: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As `chatmem optimize AGENT` does without any data, before DSPy comes in: a trainer's new option broke it once."""
    for name in ("told_rows", "manner_rows", "short_rows", "week_rows", "unnamed_rows"):
        monkeypatch.setattr(storage, name, lambda _seed, most: ())  # thousands
    listed = retrieval.listed_rows
    monkeypatch.setattr(retrieval, "listed_rows", lambda *given: itertools.islice(listed(*given), 2))
    monkeypatch.setattr(rows, "LEAST", 1)
    monkeypatch.setattr("chatmem.models.embedder.minilm.load_embedder", Closing)  # which facts are near isn't asked
    parser = argparse.ArgumentParser()
    cli.register(parser.add_subparsers(dest="agent"))
    args = parser.parse_args([agent, "--talks", "2", "--model", "m", "--run", str(tmp_path)])
    given = cli.defaults(args, args.run)
    assert (given.talks, given.hold_out, given.out) == (2, 0.3, tmp_path), "tuning's own, where it has them"
    train, held = rows.built(given)
    task = rows.task_of(given)
    try:
        parts = rows.parts(argparse.Namespace(seed=0, examples=4, choose=1, report=1), task, train, held)
        for row in parts.all:
            assert again(agent, messages_of(row))[1:] == messages_of(row)[1:]
            assert set(task.score(row, row["completion"]))
    finally:
        task.close()


@pytest.mark.parametrize("agent", ["storage", "answer"])
@pytest.mark.parametrize("kept", [rows.RECORD, "valid.jsonl"])
def test_a_run_of_another_agent_is_refused_by_its_name(agent: str, kept: str, tmp_path: Path) -> None:
    """Before anything is loaded: by its record, or by the rows that a run kept that never began."""
    from chatmem.training.methods.optimize.run import tune

    made = {"storage": storage_rows, "answer": answer_rows}[agent]
    if kept == rows.RECORD:
        with Records(tmp_path / kept, {"agent": agent, "seed": 0}) as records:
            records.add({"key": "a call"})
    else:
        write_rows(tmp_path / kept, list(itertools.islice(made(3, 2), 6)))
    rows.check_run(tmp_path, agent)
    other = "answer" if agent == "storage" else "storage"
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    parser = argparse.ArgumentParser()
    cli.register(parser.add_subparsers(dest="agent"))
    words = [other, "--model", "scripted", "--run", str(tmp_path), "--out", str(tmp_path / "p.json")]
    with pytest.raises(InputError, match=f"holds a run of the {agent} agent.*name another --run"):
        tune(parser.parse_args(words))
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_rows_of_ones_own_are_nobodys_and_each_agents_are_known(tmp_path: Path) -> None:
    asked = [["system", "You are a parrot."], ["user", "Hello"]]
    write_rows(tmp_path / "train.jsonl", [{"messages": asked, "completion": "Hello"}])
    for agent in cli.AGENTS:
        rows.check_run(tmp_path, agent)
    rows.check_run(tmp_path / "none", "storage")
    assert agent_of({"messages": [["system", EDITOR_SYSTEM]]}) == "editor"
    (told, *_) = retrieval_messages("Ana", "Where?", ["Ana"], ["home"], "2026-05-01")
    assert agent_of({"messages": [["system", told.content]]}) == "retrieval"


class Everything:
    """A task that any row fits."""

    def accepts(self, row: dict[str, Any]) -> bool:
        return True


def test_twenty_corrections_of_ones_own_are_enough_for_each_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thirty-two were refused: "16 rows to search with, 4 to choose by and 13 to report on, and each takes 8"."""
    found = argparse.Namespace(cases=[*range(rows.LEAST_OWN)], fine=[])
    monkeypatch.setattr(personal, "open_and_find", lambda *given: found)
    monkeypatch.setattr(personal, "tell", lambda found: None)
    monkeypatch.setattr(personal, "case_row", lambda case: {"messages": [["user", f"line {case}"]], "completion": "x"})
    args = argparse.Namespace(
        database="", person="", embedder="", secret="", seed=0, examples=32, choose=48, report=150
    )  # fmt: skip
    made = rows.parts(args, cast("Task", Everything()), *rows.corrected(args))
    sizes = [len(made.search), len(made.choose), len(made.report)]
    assert min(sizes) >= rows.LEAST and sum(sizes) == rows.LEAST_OWN
    found.cases.pop()
    with pytest.raises(InputError, match="19 corrections"):
        rows.corrected(args)


def test_what_is_tuned_is_what_has_fields() -> None:
    assert set(cli.AGENTS) == set(FORMS)
