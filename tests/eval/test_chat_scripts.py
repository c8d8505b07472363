"""The scripts that ship are whole and fair, and a chat can be run from one."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from chatmem.app.cli import main
from chatmem.eval import chat
from chatmem.eval.chat import SCRIPTS, Ask, ChatFailed, Script, load_script, matches, measures, run_script, shipped
from chatmem.memory.errors import InputError
from chatmem.training.templates.generate import generate
from chatmem.training.templates.told import told_talks

PATHS = shipped("all")


def test_there_are_enough_and_some_are_held_out() -> None:
    assert len(PATHS) >= 5
    assert len(shipped("held")) >= 3
    assert set(shipped("dev")) | set(shipped("held")) == set(PATHS) == set(SCRIPTS.glob("*.toml"))


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_script_has_twenty_lines_and_twelve_questions_that_they_answer(path: Path) -> None:
    script = load_script(path)
    assert len(script.lines) == 20
    assert len(script.asks) == 12
    for ask in script.asks:
        told = " ".join(script.lines)
        assert matches(ask.keys, told), ask
        assert not matches(ask.keys, ask.question), ask


def test_the_scripts_are_worded_unlike_the_training_material() -> None:
    talks = [*generate(0, 300), *told_talks(), *told_talks("valid")]
    trained = {line.text.lower().strip(" .!?") for talk in talks for line in talk.lines if line.facts}
    for path in PATHS:
        assert not trained & {line.lower().strip(" .!?") for line in load_script(path).lines}


def test_keys() -> None:
    assert matches(["boat|ship", "two"], "He owns 2 ships.")
    assert not matches(["boat", "two"], "He owns 2 ships.")
    assert matches(["blood pressure"], "Your blood pressure is high.")


@pytest.mark.parametrize("text", ["name = 1", "lines = [", 'lines = ["a\\nb"]\nask = []', "\x00"])
def test_a_broken_script_is_one_clear_sentence(tmp_path: Path, text: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(InputError, match=r"mine\.toml"):
        load_script(path)


SCRIPTED = (sys.executable, str(Path(__file__).parents[1] / "app" / "scripted_main.py"))
"""The whole program with scripted agents (every reply is "word0 word1 word2 word3"), as processes of their own."""


def test_a_script_is_told_in_one_process_and_asked_in_the_next() -> None:
    asks = (Ask("Where do I live?", ("word2",), "live"), Ask("Which town?", ("Gdansk",), "live"))
    run = run_script(Script("mine", ("I live in Gdansk.",), asks), SCRIPTED)
    assert [a.reply.split() for a in run.asked] == [["word0", "word1", "word2", "word3"]] * 2
    assert [a.answered for a in run.asked] == [True, False]
    assert [a.found for a in run.asked] == [False, True]
    assert measures([run, run])["findable: all"].value == 0.5


def test_a_chat_that_fails_is_told() -> None:
    with pytest.raises(ChatFailed, match="code 2"):
        run_script(Script("mine", ("Hi.",), (Ask("Who?", ("x",), "x"),)), SCRIPTED, ["--no-such-option"])


def test_a_finished_script_is_not_run_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(chat, "DEFAULT", SCRIPTED)
    script = tmp_path / "mine.toml"
    text = 'lines = ["I live in Gdansk."]\n[[ask]]\nquestion = "Where do I live?"\nkeys = ["word2"]\nfind = "live"\n'
    script.write_text(text, encoding="utf-8")
    words = ["eval", "chat", "--script", str(script), "--out", str(tmp_path / "run.jsonl"), "--json"]
    assert main(words) == 0
    first = capsys.readouterr().out
    monkeypatch.setattr(chat, "DEFAULT", ("no such program",))
    assert main(words) == 0
    assert capsys.readouterr().out == first
    script.write_text(text.replace("Gdansk", "Gdynia"), encoding="utf-8")
    assert main(words) == 1, "a changed script is another one"
