"""The scripts that ship are whole and fair, and a chat can be run from one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from chatmem.app.cli import build_parser, main
from chatmem.eval.agents import chat
from chatmem.eval.agents.chat import ChatRun, ScriptReply, measures, run_script, steps
from chatmem.eval.agents.talks.program import ChatFailed
from chatmem.eval.agents.talks.script import (
    SCRIPTS,
    Script,
    ScriptQuestion,
    chosen_scripts,
    is_sealed,
    load_script,
    matches,
    shipped,
)
from chatmem.memory.errors import InputError, NotFound
from chatmem.training.material.templates.generate import generate
from chatmem.training.material.templates.told import manner_talks, told_talks
from tests.app import warm

PATHS = [*shipped("first"), *shipped("open")]
ASLANT = [*shipped("aslant"), *shipped("aslant-sealed")]


def test_there_are_enough_and_some_are_held_out() -> None:
    assert len(shipped("first")) >= 5
    assert len(shipped("held")) >= 3
    assert set(shipped("dev")) | set(shipped("held")) == set(shipped("first")) == set(SCRIPTS.glob("*.toml"))
    assert len(shipped("open")) >= 4
    trust = {
        *shipped("trust"),
        *shipped("trust-sealed"),
        *shipped("languages"),
        *shipped("kinds"),
        *shipped("kinds-sealed"),
        *shipped("daily"),
        *shipped("daily-sealed"),
        *shipped("aslant"),
        *shipped("aslant-sealed"),
        *shipped("fresh"),
        *shipped("fresh-sealed"),
        *shipped("sharp"),
        *shipped("sharp-sealed"),
        *shipped("plain"),
        *shipped("plain-sealed"),
        *shipped("unsaid-sealed"),
        *shipped("twelve"),
        *shipped("twelve-sealed"),
        *shipped("dictated-sealed"),
    }
    assert len(shipped("languages")) >= 3
    assert set(shipped("all")) == {*PATHS, *shipped("sealed")} == set(SCRIPTS.rglob("*.toml")) - trust


def test_without_a_choice_the_documented_sixty_questions_are_asked() -> None:
    assert build_parser(["eval"]).parse_args(["eval", "chat"]).scripts is None
    assert sum(len(load_script(path).asks) for path in shipped("first")) == 60


def test_scripts_are_chosen_by_set_file_and_folder(tmp_path: Path) -> None:
    assert chosen_scripts(["open", "first"]) == [*shipped("open"), *shipped("first")]
    assert chosen_scripts(["held", "first"]) == [*shipped("held"), *shipped("dev")]
    assert chosen_scripts([str(SCRIPTS / "open"), str(PATHS[0])]) == [*shipped("open"), PATHS[0]]
    with pytest.raises(NotFound, match="holds no script"):
        chosen_scripts([str(tmp_path)])
    with pytest.raises(NotFound, match="no script"):
        load_script(chosen_scripts(["nosuch"])[0])


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_script_has_twenty_lines_and_twelve_questions_that_they_answer(path: Path) -> None:
    script = load_script(path)
    assert len(script.lines) == 20
    assert len(script.asks) == 12
    for ask in script.asks:
        told = " ".join(script.lines)
        assert matches(ask.keys, told), ask
        assert not matches(ask.keys, ask.question), ask


def test_talks_that_are_asked_about_aslant_are_whole() -> None:
    assert len(shipped("aslant")) == len(shipped("aslant-sealed")) == 9
    for script in map(load_script, ASLANT):
        told = " ".join(script.lines)
        assert (len(script.lines), len(script.asks)) == (20, 12), script.name
        assert sum(matches(ask.keys, told) for ask in script.asks) >= 10, script.name  # some say it in other words
        assert all(ask.find for ask in script.asks), script.name


def test_short_talks_of_changes_tempt_a_memory_to_be_wrong() -> None:
    assert len(shipped("fresh")) == len(shipped("fresh-sealed")) == 12
    assert len(shipped("sharp")) == len(shipped("sharp-sealed")) == 10
    assert len(shipped("plain")) == len(shipped("plain-sealed")) == len(shipped("unsaid-sealed")) == 12
    sets = ("fresh", "fresh-sealed", "sharp", "sharp-sealed")
    for script in map(load_script, [path for name in sets for path in shipped(name)]):
        assert 4 <= len(script.lines) <= 9 and 2 <= len(script.asks) <= 5, script.name
        assert script.trust and all(ask.keys or ask.honest or ask.never for ask in script.asks), script.name


def test_two_writers_tempt_a_memory_in_twenty_manners() -> None:
    assert (len(shipped("twelve")), len(shipped("twelve-sealed"))) == (21, 19)
    for script in map(load_script, [*shipped("twelve"), *shipped("twelve-sealed")]):
        assert 3 <= len(script.lines) <= 9 and 1 <= len(script.asks) <= 3 and script.trust, script.name


def test_what_is_dictated_has_no_marks() -> None:
    assert len(shipped("dictated-sealed")) == 6
    for script in map(load_script, shipped("dictated-sealed")):
        assert len(script.asks) == 12 and not {*".,!?"} & {*" ".join(script.lines)}, script.name


def test_a_first_week_tells_much_and_changes_some_of_it() -> None:
    for script in map(
        load_script, [path for name in ("plain", "plain-sealed", "unsaid-sealed") for path in shipped(name)]
    ):
        assert 12 <= len(script.lines) <= 16 and len(script.asks) == 9, script.name
        assert script.trust and len(script.keeps) >= 5 and len(script.loses) >= 2, script.name
        assert sum(ask.honest for ask in script.asks) == 2, script.name
        assert all(ask.keys or ask.honest for ask in script.asks), script.name


def test_the_scripts_are_worded_unlike_the_training_material() -> None:
    talks = [*generate(0, 300), *told_talks(), *told_talks("valid")]
    trained = {line.text.lower().strip(" .!?") for talk in talks for line in talk.lines if line.facts}
    for path in PATHS:
        assert not trained & {line.lower().strip(" .!?") for line in load_script(path).lines}


def test_sealed_scripts_are_as_whole_and_fair() -> None:
    """A failure must not show what they say: it names files alone."""
    talks = [*generate(0, 300), *told_talks(), *told_talks("valid"), *manner_talks(), *manner_talks("valid")]
    trained = {line.text.lower().strip(" .!?") for talk in talks for line in talk.lines if line.facts}
    assert len(shipped("sealed")) >= 10
    unfair = []
    for path in shipped("sealed"):
        script, told = load_script(path), " ".join(load_script(path).lines)
        fair = all(matches(ask.keys, told) and not matches(ask.keys, ask.question) for ask in script.asks)
        fair = fair and not trained & {line.lower().strip(" .!?") for line in script.lines}
        if not fair or (len(script.lines), len(script.asks)) != (20, 12) or not is_sealed(path):
            unfair.append(path.name)
    assert not unfair
    assert not any(map(is_sealed, PATHS))


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


@pytest.fixture
def scripted() -> tuple[str, ...]:
    """The whole program with scripted agents (every reply is "word0 word1 word2 word3"), as processes of their own."""
    return warm.command()


def test_a_script_is_told_in_one_process_and_asked_in_the_next(scripted: tuple[str, ...]) -> None:
    asks = (ScriptQuestion("Which place?", ("word2",), "live"), ScriptQuestion("Which town?", ("Gdansk",), "live"))
    done: list[int] = []
    script = Script("mine", ("I live in Gdansk.",), asks)
    run = run_script(script, scripted, tell=done.append)
    assert done == list(range(1, steps(script) + 1)), "a step is a line told, a fact searched for, a question asked"
    assert [a.reply.split() for a in run.asked] == [["word0", "word1", "word2", "word3"]] * 2
    assert [a.answered for a in run.asked] == [True, False]
    assert [a.found for a in run.asked] == [False, True]
    assert measures([run, run])["findable: all"].value == 0.5


def test_a_chat_that_fails_is_told(scripted: tuple[str, ...]) -> None:
    with pytest.raises(ChatFailed, match="code 2"):
        run_script(Script("mine", ("Hi.",), (ScriptQuestion("Who?", ("x",), "x"),)), scripted, ["--no-such-option"])


def test_a_finished_script_is_not_run_again(
    scripted: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(chat, "DEFAULT", scripted)
    script = tmp_path / "mine.toml"
    text = 'lines = ["I live in Gdansk."]\n[[ask]]\nquestion = "Where do I live?"\nkeys = ["word2"]\nfind = "live"\n'
    script.write_text(text, encoding="utf-8")
    words = ["eval", "chat", "--scripts", str(script), "--out", str(tmp_path / "run.jsonl"), "--json"]
    assert main(words) == 0
    first = capsys.readouterr().out
    monkeypatch.setattr(chat, "DEFAULT", ("no such program",))
    assert main(words) == 0
    assert capsys.readouterr().out == first
    script.write_text(text.replace("Gdansk", "Gdynia"), encoding="utf-8")
    assert main(words) == 1, "a changed script is another one"


def test_a_run_is_told_question_by_question_and_a_sealed_one_in_numbers_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(script: Script, *_: object) -> ChatRun:
        return ChatRun(script.name, tuple(ScriptReply(ask, "Oh", False, True) for ask in script.asks), ("A fact",))

    monkeypatch.setattr(chat, "run_script", run)
    (tmp_path / "sealed").mkdir()
    text = 'lines = ["I live in Gdansk."]\n[[ask]]\nquestion = "Where?"\nkeys = ["Gdansk"]\nfind = "live"\n'
    for place in ("", "sealed"):
        (tmp_path / place / f"{place or 'open'}.toml").write_text(text, encoding="utf-8")
    words = ["eval", "chat", "--scripts", str(tmp_path), str(tmp_path / "sealed")]
    assert main([*words, "--json"]) == 0
    shown, hidden = json.loads(capsys.readouterr().out)["scripts"]
    outcome = {"number": 1, "answered": False, "findable": True}
    assert (shown["script"], shown["answered"], shown["findable"], shown["of"]) == ("open", 0, 1, 1)
    assert shown["questions"] == [outcome | {"question": "Where?", "keys": ["Gdansk"], "reply": "Oh"}]
    assert shown["memories"] == ["A fact"]
    assert hidden == {"script": "sealed", "answered": 0, "findable": 1, "of": 1, "questions": [outcome]}
    assert main(words) == 0
    assert capsys.readouterr().out.count("Where?") == 1


def test_a_run_that_breaks_off_says_what_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(script: Script, *_: object) -> ChatRun:
        if script.name != shipped_names[0]:
            raise ChatFailed("It broke.")
        return ChatRun(script.name, (), ())

    shipped_names = [load_script(path).name for path in shipped("dev")]
    monkeypatch.setattr(chat, "run_script", run)
    assert main(["eval", "chat", "--scripts", "dev", "--out", str(tmp_path / "run.jsonl")]) == 1
    assert "It broke. 1 of 2 scripts are kept" in " ".join(capsys.readouterr().err.split())


def test_two_runs_are_compared_question_by_question(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, answered in (("a", (True, False, False)), ("b", (True, True, False))):
        asked = [{"reply": "a line\u2028and another", "answered": one, "found": True} for one in answered]
        rows = [{"settings": {"eval": "chat"}}, {"key": "mine 1", "script": "mine", "asked": asked}]
        text = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert main(["eval", "compare", str(tmp_path / "a"), str(tmp_path / "b"), "--json"]) == 0
    table = json.loads(capsys.readouterr().out)["models"]["B - A"]
    assert table["answered: all"]["value"] == pytest.approx(1 / 3)
    assert table["answered: mine"]["n"] == 3
    assert table["findable: all"] == {"value": 0, "low": 0, "high": 0, "n": 3}
