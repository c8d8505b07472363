"""`chatmem optimize show | diff | use`: what was tuned, put to work, and back by one command."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest

from chatmem.app.chat.models import AgentLoader
from chatmem.app.cli import main
from chatmem.app.commands.optimize import _of_own
from chatmem.app.config.settings import Settings
from chatmem.app.context import Context
from chatmem.app.shown.forgetting import question, sentence
from chatmem.memory.errors import NotFound
from chatmem.models.prompts.tuned import Demo, Prompt, Prompts, Tuned, write_prompts
from chatmem.training.methods.optimize.rows import RECORD


@pytest.fixture
def prompts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CHATMEM_HOME", str(tmp_path / "home"))
    reported = {"difference": {"value": 0.1, "low": 0.05, "high": 0.15, "n": 60}}
    made = {"method": "gepa", "spec": "gguf:qwen.gguf", "reported": reported}
    prompt = Prompt("Keep what lasts.", (Demo("Store:\nBo: I ski.", "-- nothing"),))
    place = tmp_path / "p.json"
    write_prompts(place, Prompts({"storage": Tuned(prompt, "qwen", made)}))
    return place


def test_show_and_diff_tell_what_changed(prompts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["optimize", "show", str(prompts)]) == 0
    told = capsys.readouterr().out
    assert "storage, tuned to qwen by gepa" in told and "difference: 0.100 [0.050, 0.150] n=60" in told
    assert main(["optimize", "show", str(prompts), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["instruction"] == "Keep what lasts."
    assert main(["optimize", "diff", str(prompts)]) == 0
    told = capsys.readouterr().out
    assert "+Keep what lasts." in told and "-You keep the memory table" in told
    assert main(["optimize", "diff", str(prompts), str(prompts)]) == 0 and capsys.readouterr().out == ""


def test_show_names_the_judge_that_it_was_tuned_by(prompts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["optimize", "show", str(prompts)]) == 0
    assert "metric: reward\n" in capsys.readouterr().out
    judge = {"spec": "openai:j", "prompt": "strict", "probe": {"separation": 0.9}, "no_verdict": 2}
    made = {"method": "gepa", "metric": "judge", "judge": judge}
    write_prompts(prompts, Prompts({"answer": Tuned(Prompt("Be kind."), "qwen", made)}))
    assert main(["optimize", "show", str(prompts)]) == 0
    told = "metric: judge (openai:j, strict; separation of its probe 0.90; 2 replies without its verdict, counted as"
    assert told in capsys.readouterr().out
    assert main(["optimize", "show", str(prompts), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["made"] == made


def test_use_puts_them_to_work_warns_of_another_model_and_goes_back(
    prompts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = next(iter((tmp_path / "home").glob("**/config.toml")), None)
    assert config is None
    assert main(["optimize", "use", str(prompts)]) == 0
    assert "tuned to gguf:qwen.gguf" in capsys.readouterr().err
    (config,) = (tmp_path / "home").glob("**/config.toml")
    assert json.dumps(str(prompts), ensure_ascii=False) in config.read_text()
    assert main(["optimize", "show"]) == 0 and "(in use)" in capsys.readouterr().out
    assert main(["optimize", "use", "--default"]) == 0
    assert "prompts" not in config.read_text()


@pytest.mark.parametrize("words", [["use", "none.json"], ["show", "none.json"], ["use", "--default", "x"]])
def test_what_is_not_there_is_told(prompts: Path, words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["optimize", *words]) in (1, 2) and capsys.readouterr().err.startswith("chatmem: ")


def test_who_forgets_is_told_of_tuned_prompts_that_hold_it(prompts: Path, tmp_path: Path) -> None:
    """They are recorded before the search begins: a run that is killed leaves its calls behind."""
    context = Context.of({})
    run = tmp_path / "run"
    run.mkdir()
    with context.open_store() as store:
        user = store.users.get(context.settings.user)
        fact = store.facts.remember(user.id, user.subject, "locker", "User's locker number is 4471.")
    args = argparse.Namespace(rows=None, msc=None, locomo=None, out=tmp_path / "own.json", run=run)
    _of_own(args, context)
    demo = Demo("Store:\nUser: my locker number is 4471", "-- nothing")
    write_prompts(args.out, Prompts({"storage": Tuned(Prompt("Keep.", (demo,)), "qwen", {})}))
    (run / RECORD).write_text('{"said": "4471"}\n', encoding="utf-8")
    with context.open_store() as store:
        plan = store.forget.plan(user.id, [fact.memory_id or 0])
        assert plan.exports == (str(args.out), str(run / RECORD)) and "tuned prompts" in question(plan)
        report = store.forget.carry_out(plan)
        assert str(args.out) in sentence(report)


def test_an_agent_with_an_adapter_is_not_tuned(prompts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["optimize", "storage"]) == 2
    assert "name a model without one" in capsys.readouterr().err


def test_a_chat_with_prompts_that_are_not_there_does_not_start(tmp_path: Path) -> None:
    def never() -> None:
        raise AssertionError

    with pytest.raises(NotFound, match=r"none\.json"):
        AgentLoader(Settings(prompts=str(tmp_path / "none.json")), never).check()  # type: ignore[arg-type]
