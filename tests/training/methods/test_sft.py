"""The supervised trainer on the real small model: it learns, resumes where it was, its adapter loads in llama.cpp."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from chatmem.memory.errors import InputError
from chatmem.models.lm import Options
from chatmem.models.prompts.messages import Line, insert_sql, storage_messages
from chatmem.training.loop.loop import RunConfig, learning_rate
from chatmem.training.policy.rows import TokenRow, batches, read_rows
from tests.extras import needed

torch = needed("torch", "training is an extra")


PETS = [
    "a cat named Tosca",
    "a dog named Bruno",
    "two hens",
    "a parrot named Kiwi",
    "a hamster called Pip",
    "three goldfish",
]


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    path = tmp_path / "rows.jsonl"
    made = []
    for number, pet in enumerate(PETS * 4):
        name = ("Ana", "Ben", "Mia")[number % 3]
        messages = storage_messages([], Line(name, f"I have {pet}."))
        target = insert_sql([(name, "pets", f"{name} has {pet}.", None)])
        made.append(json.dumps({"messages": [[m.role, m.content] for m in messages], "completion": target}))
    path.write_text("\n".join(made), encoding="utf-8")
    return path


def config(rows: Path, out: Path, steps: int, **more: object) -> RunConfig:
    settings = {
        "base": "embedded",
        "out": out,
        "data": rows,
        "steps": steps,
        "batch_tokens": 256,
        "rank": 4,
        "lr": 3e-3,
    }
    return RunConfig(**{**settings, "save_every": 2, **more})  # type: ignore[arg-type]


def test_a_run_learns_and_ships(rows: Path, tmp_path: Path) -> None:
    from chatmem.models.adapters import to_gguf
    from chatmem.models.backends.llama.lm import LlamaLM
    from chatmem.models.files.model_files import embedded_path
    from chatmem.training.methods.sft import Sft

    whole = list(Sft(config(rows, tmp_path / "whole", 4, lr=5e-3, save_every=4)).train())
    assert whole[-1].step == 4
    assert whole[-1].loss < 0.75 * whole[0].loss

    out = tmp_path / "adapter.gguf"
    to_gguf.write(tmp_path / "whole" / "final", out)
    lm = LlamaLM(embedded_path(), out, threads=1)
    try:
        text = "".join(
            c.text for c in lm.generate(storage_messages([], Line("Zoe", "I have a pony.")), Options(max_tokens=24))
        )
    finally:
        lm.close()
    assert text.startswith("INSERT INTO memory")


def test_a_resumed_run_is_the_run_that_was_not_stopped(tiny_home: Path, rows: Path, tmp_path: Path) -> None:
    from chatmem.training.methods.sft import Sft

    whole = list(Sft(config(rows, tmp_path / "whole", 6)).train())
    broken = Sft(config(rows, tmp_path / "broken", 6))
    run = broken.train()
    first = [next(run) for _ in range(4)]
    run.close()
    resumed = list(Sft(config(rows, tmp_path / "broken", 6, resume=True)).train())
    assert [p.step for p in first + resumed] == [1, 2, 3, 4, 5, 6]
    assert [p.loss for p in first + resumed] == pytest.approx([p.loss for p in whole], rel=0.02)


def test_a_resumed_run_whose_end_came_says_so_and_loses_nothing(
    tiny_home: Path, rows: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from chatmem.training.methods.sft import Sft

    broken = Sft(config(rows, tmp_path / "run", 6, save_every=4))
    steps = broken.train()
    for _ in range(5):
        next(steps)
    steps.close()  # killed: the checkpoint is of step 4, the log tells of 5
    assert list(Sft(config(rows, tmp_path / "run", 6, save_every=4, resume=True, minutes=1e-6)).train()) == []
    told = " ".join(capsys.readouterr().err.split())
    assert re.search(
        r"The 1e-06 minutes of this run were over at step 4, .* give --minutes above .* with --resume", told
    )
    assert "(steps 5 to 5 came after its checkpoint and are done anew then)" in told
    assert state_of(tmp_path / "run" / "final")["step"] == 4
    more = list(Sft(config(rows, tmp_path / "run", 6, save_every=4, resume=True)).train())
    assert [at.step for at in more] == [5, 6]
    assert capsys.readouterr().err == ""
    done = config(rows, tmp_path / "run", 6, save_every=4, resume=True)
    assert list(Sft(done).train()) == [], "it goes on from its end, not from the checkpoint before that"
    assert "All 6 steps of this run were done before" in capsys.readouterr().err
    assert [at.step for at in Sft(config(rows, tmp_path / "run", 7, resume=True)).train()] == [7]


def test_a_run_whose_minutes_are_over_before_its_first_step_says_so(
    tiny_home: Path, rows: Path, tmp_path: Path
) -> None:
    from chatmem.training.methods.sft import Sft

    with pytest.raises(InputError, match=r"minutes of this run were over before its first step; give more --minutes"):
        list(Sft(config(rows, tmp_path / "run", 2, minutes=1e-12)).train())
    assert [at.step for at in Sft(config(rows, tmp_path / "run", 2, resume=True)).train()] == [1, 2]


def test_an_end_that_is_newer_than_the_checkpoint_stays(
    tiny_home: Path, rows: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As a run of before left it: its checkpoint of step 2, its end of step 3."""
    from chatmem.training.methods.sft import Sft

    first = Sft(config(rows, tmp_path / "run", 3, save_every=2))
    for at in first.train():
        if at.step == 2:
            shutil.copytree(tmp_path / "run" / "checkpoint", tmp_path / "old")
    shutil.rmtree(tmp_path / "run" / "checkpoint")
    shutil.copytree(tmp_path / "old", tmp_path / "run" / "checkpoint")
    before = (tmp_path / "run" / "final" / "adapter_model.safetensors").read_bytes()
    assert list(Sft(config(rows, tmp_path / "run", 3, resume=True, minutes=1e-6)).train()) == []
    assert "were over at step 2" in capsys.readouterr().err
    assert (tmp_path / "run" / "final" / "adapter_model.safetensors").read_bytes() == before


def state_of(place: Path) -> Any:
    return torch.load(place / "state.pt", weights_only=True)


def test_the_fused_pass_equals_transformers(tiny_home: Path, rows: Path) -> None:
    from peft import LoraConfig, get_peft_model

    from chatmem.training.policy.base import load_base
    from chatmem.training.policy.fused_llama import FusedLlama

    base, tokenizer, _ = load_base("embedded")
    model = get_peft_model(base, LoraConfig(r=4, target_modules="all-linear", init_lora_weights=False))
    ids = torch.tensor([tokenizer("Ana has two cats, and Ben has none.")["input_ids"]])
    with torch.no_grad():
        ours = FusedLlama(model, dtype=torch.float32, compiled=False)(ids)
        theirs = model.base_model.model.model(input_ids=ids).last_hidden_state
    assert (ours - theirs).abs().max() < 1e-2 * theirs.abs().max()


def test_likelihoods_of_other_architectures_are_those_of_transformers() -> None:
    from peft import LoraConfig, get_peft_model
    from transformers import Qwen2Config, Qwen2ForCausalLM

    from chatmem.training.policy.likelihood import make_likelihood, make_logits, sums

    torch.manual_seed(0)
    sizes = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
    base = Qwen2ForCausalLM(Qwen2Config(vocab_size=50, num_key_value_heads=2, **sizes))
    model = get_peft_model(base, LoraConfig(r=2, target_modules="all-linear", init_lora_weights=False))
    batch = [TokenRow((1, 2, 3, 4, 5, 6), 3), TokenRow((7, 8, 9, 10), 2)]
    found = sums(make_likelihood(make_logits(model))(batch), batch)
    for row, ours in zip(batch, found.tolist(), strict=True):
        logits = model(input_ids=torch.tensor([row.ids])).logits[0].detach().log_softmax(-1)
        theirs = sum(float(logits[at - 1, row.ids[at]]) for at in range(row.start, len(row.ids)))
        assert ours == pytest.approx(theirs, abs=0.1)  # bfloat16 inside


def test_batches_hold_every_row_once_and_stay_within_the_budget() -> None:
    rows = [TokenRow(tuple(range(n)), n // 2) for n in (5, 80, 17, 33, 64, 9, 100, 41)]
    made = batches(rows, 120, seed=3, epoch=1)
    assert sorted(len(r.ids) for batch in made for r in batch) == sorted(len(r.ids) for r in rows)
    assert all(max(len(r.ids) for r in batch) * len(batch) <= 120 for batch in made)
    assert made == batches(rows, 120, seed=3, epoch=1)
    assert made != batches(rows, 120, seed=3, epoch=2)


def test_the_learning_rate_warms_up_and_falls(tmp_path: Path) -> None:
    c = config(tmp_path, tmp_path, 100, lr=1.0)
    rates = [learning_rate(c, done / 100) for done in range(101)]
    peak = rates.index(max(rates))
    assert rates[0] < 0.1
    assert rates[:peak] == sorted(rates[:peak])
    assert rates[peak:] == sorted(rates[peak:], reverse=True)
    assert rates[-1] == pytest.approx(0.1)


def test_a_bad_row_is_named_by_its_line(rows: Path) -> None:
    rows.write_text(rows.read_text(encoding="utf-8") + '\n{"messages": 3}\n', encoding="utf-8")
    with pytest.raises(InputError, match="line 25"):
        read_rows(rows)
