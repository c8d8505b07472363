"""Each method for a few steps: it learns, keeps its best, resumes, and ships an adapter.

What needs no sense in what is written runs over the model of two layers.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from chatmem.app.cli import main
from chatmem.models.lm import Options
from chatmem.models.prompts.messages import NOTHING, Line, answer_messages, insert_sql, storage_messages
from tests.extras import needed

torch = needed("torch", "training is an extra")


PETS = (
    "a cat named Tosca",
    "a dog named Bruno",
    "two hens",
    "a parrot named Kiwi",
    "three goldfish",
    "a pony named Pip",
)


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def said(messages: list[Any], completion: str) -> dict[str, Any]:
    return {"messages": [[m.role, m.content] for m in messages], "completion": completion}


@pytest.fixture
def storage_rows(tmp_path: Path) -> Path:
    rows = []
    for number in range(12):
        name, other = ("Ana", "Ben") if number % 2 else ("Mia", "Tom")
        pet, before = PETS[number % 6], [Line(other, "Do you have any pets?")]
        rows.append(
            said(
                storage_messages(before, Line(name, f"Yes, I have {pet}, and I fed it just now.")),
                insert_sql([(name, "pets", f"{name} has {pet}.", None)]),
            )
        )
        rows.append(said(storage_messages(before, Line(name, "Sorry, what did you say?")), NOTHING))
    return write(tmp_path / "rows.jsonl", rows)


@pytest.fixture
def answer_rows(tmp_path: Path) -> Path:
    rows = []
    for number in range(12):
        lines = [f"User has {PETS[(number + n) % 6]}." for n in range(4)] + [
            f"you: My sister Vera lives in Bonn {number}."
        ]
        system = "You are a friendly assistant, talking with User. Today is 12 June 2024."
        asked = f"What is the zip code of flat {number} in Lima?"
        rows.append(said(answer_messages(system, [], lines, asked), "I don't know that; it isn't in my memory."))
        rows.append(said(answer_messages(system, [], lines, f"Where does sister {number} live?"), f"Bonn {number}"))
    return write(tmp_path / "answers.jsonl", rows)


def train(agent: str, out: Path, *more: str) -> list[dict[str, Any]]:
    options = ["--out", str(out), "--batch-tokens", "400", "--threads", "1", "--eval-rows", "2", "--save-every", "1"]
    assert main(["train", agent, *options, *more]) == 0
    return [json.loads(line) for line in (out / "log.jsonl").read_text(encoding="utf-8").splitlines()]


RWR = ["--method", "rwr", "--prompts", "4", "--samples", "2", "--steps", "1", "--temperature", "1.5", "--rounds", "1"]


def test_reward_weighted_storage_keeps_its_best(
    storage_rows: Path, tiny_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from chatmem.training.storage.reward import StorageTask

    scored = StorageTask.score

    def apart(task: StorageTask, row: dict[str, Any], text: str) -> dict[str, Any]:
        """Each text earns its own: a random model earns the same for all that it writes."""
        return {**scored(task, row, text), "reward": sum(text.encode()) % 101 / 100}

    monkeypatch.setattr("chatmem.training.loop.examples.LONGEST", 8)
    monkeypatch.setattr(StorageTask, "options", lambda *_: Options(max_tokens=9, grammar="root ::= [a-z]{4}"))
    monkeypatch.setattr(StorageTask, "score", apart)
    log = train("storage", tmp_path, "--rows", str(storage_rows), *RWR, "--eval-every", "1", "--eval-rows", "1")
    assert [at["step"] for at in log] == [1]
    assert {"reward", "f1", "clipped", "zero variance", "kl", "tokens"} <= log[-1]["terms"].keys()
    assert log[0]["terms"]["kl"] == pytest.approx(0, abs=0.15)  # of letters that it finds unlikely, in bfloat16
    assert 0 <= log[-1]["measures"]["F1 and store-or-not"] <= 1
    for name in ("round-0.jsonl", "best/adapter_config.json", "adapter/adapter.gguf"):
        assert (tmp_path / name).is_file()
    assert "after rwr" in (tmp_path / "adapter" / "README.md").read_text(encoding="utf-8")


def test_a_round_that_was_broken_off_in_the_middle_goes_on_as_if_it_had_not_been(
    storage_rows: Path, tiny_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from chatmem.training.storage.reward import StorageTask

    # A random model ends no SQL and earns the same for all of it; so it writes four letters, and each earns its own.
    monkeypatch.setattr(StorageTask, "options", lambda *_: Options(max_tokens=9, grammar="root ::= [a-z]{4}"))
    monkeypatch.setattr(StorageTask, "score", lambda _task, _row, text: {"reward": sum(text.encode()) % 101 / 100})
    options = ["--rows", str(storage_rows), *RWR, "--eval-every", "0"]
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    train("storage", whole, *options)

    def stop(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("chatmem.training.methods.rwr._tell", stop)
        assert main(["train", "storage", "--out", str(broken), *options, "--threads", "1"]) == 130
    half = (broken / "samples-0.jsonl").read_text(encoding="utf-8")
    assert half.count("\n") == 1
    train("storage", broken, *options, "--resume")
    for name in ("samples-0.jsonl", "round-0.jsonl"):
        assert (broken / name).read_bytes() == (whole / name).read_bytes()


def test_preferences_of_the_answer_agent(
    answer_rows: Path, tiny_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from chatmem.training.answer.reward import AnswerTask

    # A random model writes on to any limit, and what is cut off is no mistake; so it writes four letters.
    monkeypatch.setattr(AnswerTask, "options", lambda *_: Options(max_tokens=9, grammar="root ::= [a-z]{4}"))
    options = ["--rows", str(answer_rows), "--method", "dpo", "--prompts", "4", "--lr", "1e-3", "--eval-every", "0"]
    options += ["--batch-tokens", "4000"]  # the same pairs in both steps
    log = train("answer", tmp_path / "run", *options, "--steps", "2")
    assert log[0]["terms"]["reward"] == pytest.approx(0, abs=0.05)  # the policy is still the reference
    assert log[-1]["terms"]["reward"] > 0.001
    pairs = [json.loads(line) for line in (tmp_path / "run" / "pairs.jsonl").read_text(encoding="utf-8").splitlines()]
    assert pairs and all(pair["chosen"] != pair["rejected"] for pair in pairs)


def test_preferences_of_the_storage_agent(
    storage_rows: Path, tiny_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from chatmem.training.storage.reward import StorageTask

    monkeypatch.setattr(StorageTask, "options", lambda *_: Options(max_tokens=9, grammar="root ::= [a-z]{4}"))
    options = ["--rows", str(storage_rows), "--method", "dpo", "--prompts", "8", "--eval-every", "0"]
    log = train("storage", tmp_path / "run", *options, "--steps", "2", "--lr", "1e-3")
    assert log[0]["terms"]["reward"] == pytest.approx(0, abs=0.05)
    wanted = {json.loads(line)["completion"] for line in storage_rows.read_text(encoding="utf-8").splitlines()}
    pairs = [json.loads(line) for line in (tmp_path / "run" / "pairs.jsonl").read_text(encoding="utf-8").splitlines()]
    assert pairs and all(pair["chosen"] in wanted and len(pair["rejected"]) == 4 for pair in pairs)


def test_a_resumed_run_over_preferences_is_measured_against_the_start(
    answer_rows: Path, tiny_home: Path, tmp_path: Path
) -> None:
    from chatmem.training.fit import starting_of
    from chatmem.training.loop.loop import RunConfig
    from chatmem.training.methods.dpo import Dpo

    pairs = [json.loads(line) for line in answer_rows.read_text(encoding="utf-8").splitlines()]
    made = [{"messages": row["messages"], "chosen": row["completion"], "rejected": "Maybe."} for row in pairs[:6]]
    config = RunConfig(
        "embedded", tmp_path / "run", write(tmp_path / "pairs.jsonl", made), steps=3, batch_tokens=10_000, lr=1e-3,
        start=starting_of("answer"), save_every=1,
    )  # fmt: skip
    first, *_, last = Dpo(config).train()
    assert first.terms["reward"] == pytest.approx(0, abs=0.05)
    assert last.terms["reward"] > 0.1
    resumed = list(Dpo(replace(config, steps=4, resume=True)).train())
    assert [at.step for at in resumed] == [4]
    assert resumed[-1].terms["reward"] > 0.1, "not against the checkpoint"


def test_dapo_through_trl(storage_rows: Path, tiny_home: Path, tmp_path: Path) -> None:
    options = ["--rows", str(storage_rows), "--method", "dapo", "--groups", "1", "--samples", "3", "--lr", "1e-4"]
    options += ["--temperature", "1.5", "--eval-every", "0"]
    log = train("storage", tmp_path / "run", *options, "--steps", "2")
    assert [at["step"] for at in log] == [1, 2]
    assert {"reward", "reward std", "tokens", "clipped", "zero variance", "store or not"} <= log[0]["terms"].keys()
    assert (tmp_path / "run" / "trl" / "checkpoint-2").is_dir()
    assert (tmp_path / "run" / "adapter" / "adapter.gguf").is_file()
    settings = json.loads((tmp_path / "run" / "adapter" / "peft" / "adapter_config.json").read_text(encoding="utf-8"))
    assert settings["base_model_name_or_path"] == "SmolLM2-135M-Instruct"  # no place on the trainer's disk


def test_the_answer_agent_learns_from_its_rewards_in_small_passes_and_goes_on(
    answer_rows: Path, tiny_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from chatmem.training.loop import tracking

    told: list[tuple[int, dict[str, float]]] = []

    class Recorded:
        """Stands for a tracker: TRL's own would get names that MLflow refuses, and a new run after a resume."""

        settings = keep = end = staticmethod(lambda *_: None)

        def log(self, numbers: dict[str, float], step: int) -> None:
            told.append((step, numbers))

    monkeypatch.setattr(tracking.trackers, "begin", lambda *_, **__: Recorded())
    monkeypatch.setattr(tracking, "check", lambda _name: None)
    options = ["--rows", str(answer_rows), "--method", "grpo", "--groups", "1", "--samples", "4", "--lr", "1e-4",
               "--temperature", "2", "--eval-every", "0", "--micro-batch", "2", "--save-every", "1",
               "--prompt-tokens", "400", "--report-to", "mlflow"]  # fmt: skip
    train("answer", tmp_path / "run", *options, "--steps", "1")
    log = train("answer", tmp_path / "run", *options, "--steps", "2", "--resume")
    assert [at["step"] for at in log] == [1, 2]
    assert {"reward", "right", "kl", "clip ratio"} & log[1]["terms"].keys() >= {"reward", "kl"}
    assert [step for step, _ in told] == [1, 2] and {"reward", "loss"} <= told[0][1].keys()
    assert (tmp_path / "run" / "trl" / "checkpoint-2").is_dir()


def test_the_speakers_own_lines_make_the_target(storage_rows: Path, tmp_path: Path) -> None:
    options = ["--rows", str(storage_rows), "--target", "speaker", "--targets", "2", "--start", "storage"]
    train("storage", tmp_path / "run", *options, "--steps", "1", "--eval-every", "0")
    for line in (tmp_path / "run" / "speaker.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        assert "Do you have any pets?" in row["messages"][-1][1]  # the policy reads both
        assert row["completion"] == NOTHING or row["completion"].startswith("INSERT INTO memory")


def test_a_tracker_gets_every_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from chatmem.training.loop import tracking
    from chatmem.training.loop.loop import Progress

    told: list[object] = []

    class Recorded:
        """Stands for a tracker, whose packages are an extra: `test_tracking.py` reads the real ones back."""

        def settings(self, settings: dict[str, object]) -> None:
            told.append(settings)

        def log(self, numbers: dict[str, float], step: int) -> None:
            told.append((step, numbers))

        def keep(self, files: list[Path]) -> None:
            told.append([file.name for file in files])

        def end(self, whole: bool = True) -> None:
            told.append(whole)

    monkeypatch.setattr(tracking.trackers, "begin", lambda *_, **__: Recorded())
    (tmp_path / "log.jsonl").write_text("{}")
    (tmp_path / "train.jsonl").write_text("a person's line")
    with tracking.tracked("wandb", "storage", tmp_path, {"lr": 1e-3, "secret": "hunter2"}) as tell:
        tell(Progress(2, 2, 0.5, 1e-3, 1.0, 9, 3.0, 0.4, {"reward": 0.7}, {"F1": 0.6}))
    settings, (step, numbers), *ended = told
    assert settings == {"lr": 1e-3} and step == 2 and ended == [["log.jsonl"], True]
    assert numbers.items() >= {"loss": 0.5, "reward": 0.7, "held back/F1": 0.6, "held back/loss": 0.4}.items()


def test_a_method_that_does_not_fit_the_agent_is_refused(
    storage_rows: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["train", "storage", "--rows", str(storage_rows), "--out", str(tmp_path / "x"), "--method", "epg"]) == 2
    assert "can't be trained by epg" in capsys.readouterr().err
