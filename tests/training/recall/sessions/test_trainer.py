"""`chatmem train ranker`: its rows, and each method for a step or two over the model of two layers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from chatmem.app.cli import main
from chatmem.eval.ranking.parse import parse_ranking
from chatmem.eval.ranking.rows import Haystack, Row, write_rows
from chatmem.memory.errors import EndpointError, InputError
from chatmem.training.recall.sessions.reward import MALFORMED
from chatmem.training.recall.sessions.task import Frozen, RankerTask
from tests.extras import needed

needed("torch", "training is an extra")

PETS = ("Tosca the cat", "Bruno the dog", "Kiwi the parrot", "Pip the pony")


def row(talk: int, gold: int) -> Row:
    """A question about one of four sessions; the nearest is always the first."""
    sessions = tuple((("Ana", f"In year {talk} I got {pet}."),) for pet in PETS)
    stack = Haystack(sessions, ("2023-05-08",) * 4, tuple(f"D{n}" for n in range(4)))
    spans = [[(0, 0, len(turns[0][1]))] for turns in sessions]
    found = {
        "similarities": [0.5, 0.4, 0.3, 0.2], "prefiltered_session_idx": [0, 1, 2, 3], "session_passages": spans,
    }  # fmt: skip
    asked = f"When did Ana get {PETS[gold]}?"
    return Row(f"t{talk}/{gold}", asked, stack, f"year {talk}", (f"D{gold}",), found=found)


@pytest.fixture
def ranked(tmp_path: Path) -> Path:
    write_rows(tmp_path / "ranked" / "train-0000.jsonl", [row(talk, gold) for talk in range(2) for gold in range(4)])
    write_rows(tmp_path / "ranked" / "test.jsonl", [row(9, gold) for gold in range(2)])
    return tmp_path / "ranked"


def knows(_task: RankerTask, asked: Row, places: Sequence[int]) -> str:
    """A frozen model that answers from the gold session and nothing else."""
    return asked.answer if set(asked.gold_places) & set(places) else "no idea"


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """A frozen model that knows, and thoughts of a letter: a random model never ends one by itself."""
    import_module("chatmem.training.recall.sessions.targets")  # takes the true bound before it is lowered
    monkeypatch.setattr(RankerTask, "_answer", knows)
    monkeypatch.setattr("chatmem.eval.ranking.prompt.TOLD", 3)


def train(out: Path, ranked: Path, *more: str) -> list[dict[str, Any]]:
    options = ["--ranked", str(ranked), "--out", str(out), "--threads", "1", "--save-every", "1", "--rank", "2"]
    assert main(["train", "ranker", *options, *more]) == 0
    return [json.loads(line) for line in (out / "log.jsonl").read_text(encoding="utf-8").splitlines()]


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_supervised_rows_hold_the_prompt_of_use_and_put_the_answer_first(
    ranked: Path, tiny_home: Path, tmp_path: Path
) -> None:
    log = train(tmp_path / "run", ranked, "--steps", "3", "--eval-every", "0", "--keep", "2")
    assert [at["step"] for at in log] == [1, 2, 3]
    rows = lines(tmp_path / "run" / "train.jsonl")
    assert len(rows) == 8
    for made in rows:
        gold = int(made["case"]["key"].rpartition("/")[2])
        rest = [place for place in range(4) if place != gold]
        assert parse_ranking(made["completion"], 4) == (gold, *rest)
        name = PETS[gold].partition(" ")[0].lower()
        assert name in made["completion"].partition("</think>")[0]
        assert made["messages"][-1][1].startswith("<session0> <date>2023-05-08</date>\nAna: In year")
    there = sorted(place.name for place in (tmp_path / "run").glob("checkpoint-*"))
    assert there == ["checkpoint-2", "checkpoint-3"]
    assert (tmp_path / "run" / "adapter" / "adapter.gguf").is_file()


@pytest.mark.usefixtures("answers")
def test_reward_weighted_rounds_go_from_the_order_to_the_answers(ranked: Path, tiny_home: Path, tmp_path: Path) -> None:
    options = ["--method", "rwr", "--start", "none", "--prompts", "4", "--samples", "3", "--temperature", "2"]
    log = train(tmp_path / "run", ranked, *options, "--steps", "2", "--rounds", "2", "--eval-every", "2")
    first, second = log[0]["terms"], log[1]["terms"]
    assert "NDCG@10" in first and "outcome" not in first, "the warm-up begins with the order alone"
    assert {"outcome", "F1@0", "F1@1", "F1@3", "malformed"} <= second.keys(), "and ends with the answers"
    held = log[1]["measures"]
    assert held["reward"] == pytest.approx(held["outcome"]), "what is measured is the answers' part alone"
    kept = lines(tmp_path / "run" / "answers.jsonl")
    assert kept and len({one["key"] for one in kept}) == len(kept), "each question and set is asked once"


@pytest.mark.usefixtures("answers")
def test_rloo_learns_from_the_order_alone_where_no_model_answers(ranked: Path, tiny_home: Path, tmp_path: Path) -> None:
    options = ["--method", "rloo", "--start", "none", "--answers", "none", "--groups", "1", "--samples", "2"]
    options += ["--reply-tokens", "8", "--max-length", "2048", "--steps", "2", "--eval-every", "0", "--workers", "0"]
    log = train(tmp_path / "run", ranked, *options)
    assert [at["terms"]["reward"] for at in log] == [MALFORMED] * 2  # a random model writes no ranking
    assert all(at["terms"]["malformed"] == 1 for at in log)


def test_dapo_draws_flat_groups_anew_and_passes_over_what_an_endpoint_lost(
    ranked: Path, tiny_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(task: RankerTask, asked: Row, places: Sequence[int]) -> str:
        if set(places) in ({0}, {1}):  # whatever ranks one of these first
            raise EndpointError("no answer")
        return knows(task, asked, places)

    monkeypatch.setattr(RankerTask, "_answer", fails)
    options = ["--method", "dapo", "--start", "none", "--groups", "1", "--samples", "3", "--temperature", "2"]
    options += ["--warm-up", "0", "--overlong", "150", "--lr", "1e-4", "--eval-every", "0", "--resample", "1"]
    log = train(tmp_path / "run", ranked, *options, "--steps", "2")
    assert [at["step"] for at in log] == [1, 2]
    assert {"reward", "overlong", "resampled", "zero variance"} <= log[-1]["terms"].keys()
    assert any("masked" in at["terms"] for at in log)
    assert -1 < log[0]["terms"]["overlong"] < 0
    assert (tmp_path / "run" / "trl" / "checkpoint-2").is_dir()


def test_what_an_endpoint_lost_is_no_reward(ranked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any) -> str:
        raise EndpointError("no answer")

    write_rows(tmp_path / "sessions.jsonl", [row(1, 2)])
    frozen = Frozen("openai:m", warm_up=4)
    case = {"case": {"key": "t1/2", "places": [0, 1, 2, 3]}}
    reply = "<think>so</think><ranking>2,0,1</ranking>"
    with monkeypatch.context() as patch:
        patch.setattr(RankerTask, "_answer", fails)
        task = RankerTask(tmp_path, frozen)
    lost = task.score(case, reply)
    assert lost["reward"] != lost["reward"]
    with pytest.raises(InputError, match="answered nothing"):
        task.summary([lost])
    task.at(0)
    assert task.score(case, reply)["reward"] == 1, "the order alone needs no answer"
    monkeypatch.setattr(RankerTask, "_answer", knows)
    task = RankerTask(tmp_path, frozen)
    task.at(2)
    assert task.score(case, reply) == pytest.approx(
        {"reward": 1, "outcome": 1, "NDCG@10": 1, "F1@0": 0, "F1@1": 1, "F1@2": 1, "F1@3": 1, "malformed": 0}
    )
    assert task.summary([lost, task.score(case, reply)])["reward"] == 1
    assert task.score(case, "I rank 2")["reward"] == -1.2
    assert not task.accepts({"messages": []}) and task.accepts(case)


def test_rows_that_cannot_be_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["train", "ranker", "--out", str(tmp_path / "run")]
    assert main(asked) == 1
    assert "--ranked DIR" in capsys.readouterr().err
    assert main([*asked, "--ranked", str(tmp_path / "nowhere")]) == 1
    assert "is not there: check the path after --ranked" in capsys.readouterr().err
    write_rows(tmp_path / "one" / "train-0000.jsonl", [row(1, 0)])
    assert main([*asked, "--ranked", str(tmp_path / "one")]) == 1
    assert "one conversation" in capsys.readouterr().err
    assert main([*asked, "--method", "rwr"]) == 2
    assert "name it with --start" in capsys.readouterr().err
