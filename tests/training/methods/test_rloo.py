"""RLOO: what is better than its siblings grows likelier, in pieces as at once, and a run that is resumed goes on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from chatmem.app.cli import main
from chatmem.models.prompts.messages import NOTHING, Line, insert_sql, storage_messages
from tests.extras import needed

torch = needed("torch", "training is an extra")


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    made = []
    for number, pet in enumerate(("a cat", "a dog", "two hens", "a pony", "three fish", "a parrot")):
        line = Line("Ana", f"Yes, I have {pet}." if number % 2 else "Sorry?")
        target = insert_sql([("Ana", "pets", f"Ana has {pet}.", None)]) if number % 2 else NOTHING
        messages = [[m.role, m.content] for m in storage_messages([], line)]
        made.append(json.dumps({"messages": messages, "completion": target}))
    place = tmp_path / "rows.jsonl"
    place.write_text("\n".join(made) + "\n", encoding="utf-8")
    return place


class EarlyLetters:
    """Stands for an agent's task: the earlier the letters in the alphabet, the better. A random model can learn it."""

    measure = "early"

    def accepts(self, row: dict[str, Any]) -> bool:
        return True

    def options(self, row: dict[str, Any]) -> Any:
        raise AssertionError("the sampler has no grammar")

    def score(self, row: dict[str, Any], text: str) -> dict[str, float]:
        early = sum(letter in "abcdefgh" for letter in text.lower())
        return {"reward": early / max(1, len(text)), "letters": float(len(text))}

    def summary(self, scores: Any) -> dict[str, float]:
        return {"early": sum(one["reward"] for one in scores) / len(scores)}

    def close(self) -> None:
        pass


def run(rows: Path, out: Path, **more: Any) -> Any:
    from chatmem.training.fit import starting_of
    from chatmem.training.loop.loop import RunConfig
    from chatmem.training.methods.rloo import Rloo, RlooConfig
    from chatmem.training.policy.rows import read_rows

    how = RlooConfig(groups=3, samples=8, max_tokens=5, anchor=more.pop("anchor", 0.0), workers=more.pop("workers", 0))
    held = read_rows(rows)[:2] if more.get("eval_every") else []
    config = RunConfig(
        "embedded", out, rows, batch_tokens=more.pop("batch_tokens", 2_000), lr=3e-3, max_length=200, seed=4,
        start=starting_of("storage"), **{"steps": 30, "eval_every": 0, "save_every": 100, **more},
    )  # fmt: skip
    return Rloo(config, EarlyLetters, how, held)


def test_advantages_leave_the_sample_itself_out() -> None:
    from chatmem.training.methods.rloo import advantages

    assert advantages([1.0, 0.0, 0.5]) == pytest.approx([0.75, -0.75, 0.0])
    assert sum(advantages([0.3, 0.9, 0.1, 0.7])) == pytest.approx(0)
    assert advantages([0.4]) == [0.0]


def test_the_reward_rises(rows: Path, tiny_home: Path, tmp_path: Path) -> None:
    made = run(rows, tmp_path / "run", steps=18, eval_every=9)
    seen = [at.terms["reward"] for at in made.train()]
    assert sum(seen[-6:]) / 6 > sum(seen[:4]) / 4 + 0.05, seen
    assert [at["step"] for at in made.history] == [0, 9, 18]
    assert (tmp_path / "run" / "final" / "adapter_config.json").is_file()


def test_pieces_have_the_gradient_of_the_whole(rows: Path, tiny_home: Path, tmp_path: Path) -> None:
    def gradient(budget: int) -> Any:
        made = run(rows, tmp_path / str(budget), anchor=0.3, batch_tokens=budget)
        loss, _ = made.loss(next(iter(made.batches())))
        loss.backward()
        return torch.cat([p.grad.flatten() for p in made.parameters if p.grad is not None]), float(loss.detach())

    (whole, loss), (pieces, same) = gradient(10**6), gradient(150)
    assert same == pytest.approx(loss, abs=1e-5)
    assert float((whole - pieces).norm()) < 0.02 * float(whole.norm())  # bfloat16 inside, where that is quicker


def test_a_resumed_run_draws_what_it_would_have_drawn(rows: Path, tiny_home: Path, tmp_path: Path) -> None:
    whole = list(run(rows, tmp_path / "whole", steps=4, save_every=1).train())
    first = run(rows, tmp_path / "broken", steps=4, save_every=1)
    steps = first.train()
    begun = [next(steps) for _ in range(2)]
    steps.close()
    rest = list(run(rows, tmp_path / "broken", steps=4, save_every=1, resume=True).train())
    assert [at.step for at in begun + rest] == [1, 2, 3, 4]
    assert [at.terms["reward"] for at in begun + rest] == pytest.approx([at.terms["reward"] for at in whole], abs=0.03)


def test_processes_score_as_one_does() -> None:
    from chatmem.training.policy.scoring import Scorers

    jobs = [({"messages": [("user", "x")]}, text) for text in ("abc", "xyz", "abc", "", "a-z")]
    alone, several = Scorers(EarlyLetters, 0), Scorers(EarlyLetters, 2)
    try:
        assert several.score(jobs) == alone.score(jobs) == [EarlyLetters().score({}, text) for _, text in jobs]
    finally:
        alone.close()
        several.close()


class Later(EarlyLetters):
    """What is written earns the step, and where the agent is measured as much as it ever will."""

    def at(self, step: int | None) -> None:
        self.worth = 99.0 if step is None else float(step)

    def score(self, row: dict[str, Any], text: str) -> dict[str, float]:
        return {"reward": self.worth}


@pytest.mark.parametrize("processes", [0, 2])
def test_a_reward_that_changes_knows_the_step_wherever_it_is_scored(processes: int) -> None:
    from chatmem.training.policy.scoring import Scorers

    jobs = [({"messages": [("user", "x")]}, text) for text in "abcabc"]
    scorers = Scorers(Later, processes)
    try:
        assert [one["reward"] for step in (3, 4) for one in scorers.score(jobs, step)] == [3.0] * 6 + [4.0] * 6
        assert scorers.score(jobs) == [{"reward": 99.0}] * 6
    finally:
        scorers.close()


def test_the_command_trains_the_storage_agent(rows: Path, tiny_home: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    options = ["--rows", str(rows), "--out", str(out), "--groups", "2", "--samples", "3", "--reply-tokens", "6"]
    options += ["--max-length", "200", "--steps", "2", "--eval-every", "0", "--faithful", "0.3", "--workers", "1"]
    assert main(["train", "storage", "--method", "rloo", *options]) == 0
    log = [json.loads(line) for line in (out / "log.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [at["step"] for at in log] == [1, 2]
    assert {"reward", "clipped", "zero variance", "seconds drawing", "store or not"} <= log[0]["terms"].keys()
    card = (out / "adapter" / "README.md").read_text(encoding="utf-8")
    assert "RLOO" in card and (out / "adapter" / "adapter.gguf").is_file()


def test_another_models_shape_is_named(rows: Path, tiny_home: Path, tmp_path: Path) -> None:
    from chatmem.memory.errors import SettingsError

    made = run(rows, tmp_path / "run")
    made.model.config.model_type = "gemma2"
    with pytest.raises(SettingsError, match="gemma2"):
        next(iter(made.batches()))
