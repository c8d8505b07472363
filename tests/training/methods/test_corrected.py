"""Learning what was put right and nothing else: which tokens teach, and that all others stay as the start has them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from chatmem.models.adapters.to_peft import peft_folder
from chatmem.models.files.model_files import find_adapter
from chatmem.models.prompts.messages import NOTHING, Line, insert_sql, storage_messages
from chatmem.training.loop.loop import RunConfig
from tests.extras import needed

torch = needed("torch", "training is an extra")


def words_taught(was: str, right: str) -> list[str]:
    from chatmem.training.methods.corrected import taught

    numbers = {word: at for at, word in enumerate(dict.fromkeys(f"{was} {right}".split()))}
    marks = taught([numbers[word] for word in was.split()], [numbers[word] for word in right.split()])
    return [word for word, mark in zip(right.split(), marks, strict=True) if mark]


def test_what_differs_teaches_and_what_follows_it() -> None:
    assert words_taught("insert Ana pets cats end", "insert Ana animals cats end") == ["animals", "cats"]
    assert words_taught("Ana has cats and dogs end", "Ana has cats end") == ["end"]
    assert words_taught("Ana has cats end", "Ana has cats and dogs end") == ["and", "dogs", "end"]
    assert words_taught("insert Ana pets", "nothing") == ["nothing"]
    assert words_taught("insert Ana pets", "insert Ana pets") == []


def config(rows: Path, out: Path, **more: object) -> RunConfig:
    settings = {"base": "embedded", "out": out, "data": rows, "steps": 3, "batch_tokens": 512, "lr": 0.2}
    start = peft_folder(find_adapter("storage"))
    return RunConfig(**{**settings, "start": start, "save_every": 2, **more})  # type: ignore[arg-type]


def write(path: Path, *, right: bool, pets: Sequence[str] = ("a cat named Tosca", "two hens")) -> Path:
    """Rows of one pet each under "animals", or kept as they are."""
    made = []
    for pet in pets:
        messages = [[m.role, m.content] for m in storage_messages([], Line("Ana", f"I have {pet}."))]
        was = insert_sql([("Ana", "pets", f"Ana has {pet}.", None)])
        sql = was.replace("pets", "animals") if right else was
        made.append({"messages": messages, "completion": sql, "was": was})
        made.append({"messages": [["user", "Store:\nAna: Good morning!"]], "completion": NOTHING})
    path.write_text("".join(json.dumps(one) + "\n" for one in made), encoding="utf-8")
    return path


def test_what_nobody_put_right_has_no_loss(tiny_home: Path, tmp_path: Path) -> None:
    from chatmem.training.methods.corrected import Correct

    run = Correct(config(write(tmp_path / "rows.jsonl", right=False), tmp_path / "run"))
    assert not any(mark for row in run.rows for mark in row.taught)
    loss, terms = run.loss(run.rows)
    loss.backward()
    assert terms == {"moved": pytest.approx(0.0, abs=1e-5)}
    assert max(float(p.grad.abs().max()) for p in run.parameters) < 1e-4


def test_a_topic_is_learned(tmp_path: Path) -> None:
    from chatmem.training.methods.corrected import KEEP, Correct

    rows = write(tmp_path / "rows.jsonl", right=True, pets=["two hens"])
    run = Correct(config(rows, tmp_path / "whole"))
    _, before = run.loss(run.rows)
    list(run.train())
    loss, after = run.loss(run.rows)
    marks = [mark for row in run.rows for mark in row.taught]
    kept = KEEP * (len(marks) - sum(marks)) * after["moved"]
    assert loss.item() == pytest.approx((sum(marks) * after["taught"] + kept) / len(marks), rel=1e-3)
    assert after["taught"] < 0.5 * before["taught"]
    assert after["moved"] < 0.5


def test_a_resumed_run_is_held_by_the_same_start(tiny_home: Path, tmp_path: Path) -> None:
    from chatmem.training.methods.corrected import Correct

    rows = write(tmp_path / "rows.jsonl", right=True)
    whole = list(Correct(config(rows, tmp_path / "whole")).train())
    broken = Correct(config(rows, tmp_path / "broken"))
    steps = broken.train()
    first = [next(steps) for _ in range(2)]
    steps.close()
    resumed = list(Correct(config(rows, tmp_path / "broken", resume=True)).train())
    assert [at.loss for at in first + resumed] == pytest.approx([at.loss for at in whole], rel=0.05)
