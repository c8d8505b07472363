"""The trust scripts that ship are whole and fair; their checks, days told from today, and a run of the program."""

from __future__ import annotations

import json
import sys
from datetime import date, timedelta
from pathlib import Path

import pytest

from chatmem.app.cli import main
from chatmem.eval.agents import chat
from chatmem.eval.agents.chat import run_script, steps
from chatmem.eval.agents.talks.moments import filled, moments
from chatmem.eval.agents.talks.program import ChatFailed, aligned
from chatmem.eval.agents.talks.script import Script, ScriptQuestion, holds, load_script, shipped, with_ids
from chatmem.eval.measures.text import content_words
from chatmem.memory.errors import InputError
from chatmem.memory.language.dates import require
from tests.app import warm

TODAY = date(2026, 1, 29)


@pytest.fixture
def scripted() -> tuple[str, ...]:
    """The whole program with scripted agents (every reply is "word0 word1 word2 word3"), as processes of their own."""
    return warm.command()


def whole(script: Script) -> bool:
    """Short, about something, and all that a right reply and memory hold was told or is plain yes and no."""
    told = script.changed(lambda text: filled(text, moments(TODAY)))
    lines = " ".join(told.lines)
    answers = [key for ask in told.asks for key in ask.keys]
    fair = all(holds(key, f"{lines} no eggplant wheat") for key in answers)
    fair = fair and all(set(content_words(one.replace("|", " "))) & set(content_words(lines)) for one in told.keeps)
    fair = fair and "{" not in lines.replace("{ids:", "") and script.trust and bool(script.about)
    return fair and 4 <= len(script.lines) <= 10 and 1 <= len(script.asks) <= 4


@pytest.mark.parametrize("path", shipped("trust"), ids=lambda path: path.stem)
def test_an_open_script_is_whole(path: Path) -> None:
    assert whole(load_script(path))


def test_there_are_thirty_six_after_a_dozen_failures_and_the_sealed_ones_are_as_whole() -> None:
    """A failure must not show what they say: it names files alone."""
    first, second = ([load_script(path) for path in shipped(name)] for name in ("trust", "trust-sealed"))
    assert (len(first), len(second)) == (27, 9)
    assert len({script.about for script in first}) >= 12
    assert [path.name for path in shipped("trust-sealed") if not whole(load_script(path))] == []
    assert not {line for one in first for line in one.lines} & {line for one in second for line in one.lines} - {"yes"}


def test_seven_of_each_of_twelve_kinds_are_whole() -> None:
    first, second = ([load_script(path) for path in shipped(name)] for name in ("kinds", "kinds-sealed"))
    assert (len(first), len(second)) == (60, 24)
    for script in (*first, *second):
        fair = 4 <= len(script.lines) <= 7 and 2 <= len(script.asks) <= 4 and script.trust and bool(script.about)
        assert fair and (script.keeps or script.loses or any(ask.honest for ask in script.asks)), script.name
    assert not {line for one in first for line in one.lines} & {line for one in second for line in one.lines} - {"yes"}


def test_two_of_each_of_ten_everyday_manners_are_whole() -> None:
    first, second = ([load_script(path) for path in shipped(name)] for name in ("daily", "daily-sealed"))
    assert (len(first), len(second)) == (20, 20)
    for script in (*first, *second):
        assert 5 <= len(script.lines) <= 9 and 3 <= len(script.asks) <= 4 and script.trust and script.about, script.name
    assert not {line for one in first for line in one.lines} & {line for one in second for line in one.lines}


def test_a_word_may_be_looked_for_by_its_beginning() -> None:
    assert holds("surve*", "You work as a surveyor.") and holds("nine*", "She is 9.")
    assert holds("23*", "23rd it is") and holds("10*", "on the 10th floor") and not holds("10*", "for 105 euros")
    assert not holds("surve*", "You work as a nurse.") and not holds("nine*", "She is 95.")
    assert not holds("Bozena* Gdynia* unless moved*", "Bozena moved from Gdynia.")


def test_what_a_reply_and_a_memory_are_checked_for() -> None:
    ask = ScriptQuestion("Where do I live?", ("Breda",), "", ("Tilburg unless moved|left",))
    assert ask.faults("You live in Breda.") == ()
    assert ask.faults("In Breda; you moved from Tilburg.") == ()
    assert ask.faults("In Tilburg.") == ("keys: Breda", "never: Tilburg unless moved|left")
    honest = ScriptQuestion("What's my shoe size?", (), "", (), True)
    assert honest.faults("I don't know your shoe size.") == ()
    assert [fault.partition(":")[0] for fault in honest.faults("It is 39.")] == ["honest"]
    script = Script("mine", ("a",), (ask,), keeps=("Koos died|Koos dead",), loses=("live Tilburg unless used",))
    assert script.faults(["Ana's parrot Koos died.", "Ana used to live in Tilburg."]) == ()
    assert script.faults(["Koos lives in Tilburg.", "A bird died."]) == (
        "keeps: Koos died|Koos dead",
        "loses: live Tilburg unless used",
    )


@pytest.mark.parametrize("today", [TODAY, date(2026, 2, 28), date(2026, 11, 22), date(2024, 12, 30)])
def test_days_are_told_from_today(today: date) -> None:
    days = moments(today)
    coming = today + timedelta(days=3)
    said = f"{today.isoformat()}T12:00:00Z"
    assert require(f"next {days['weekday']}", said) is not None
    assert days["weekday_date"] == f"{coming.day} {coming:%B %Y}"
    assert days["weekday_wrong"] == f"{today - timedelta(days=4):%-d %B %Y}"
    month = (today.replace(day=1) - timedelta(days=1)).replace(day=1) - timedelta(days=1)
    assert (days["past_month"], days["past_month_year"]) == (f"{month:%B}", f"{month:%Y}")
    assert int(days["past_month_wrong"]) == month.year + 1
    assert filled("{weekday} {unknown}", days) == f"{coming:%A} {{unknown}}"


def test_numbers_of_memories_take_the_place_of_words() -> None:
    line, memories = "/forget {ids:ferry|surprise party} --yes", {3: "A ferry.", 4: "A cat.", 9: "A party, a surprise."}
    assert with_ids(line, memories) == "/forget 3 9 --yes"
    assert with_ids(line, {4: "A cat."}) == "/forget ferry surprise party --yes"
    asks = (ScriptQuestion("?", ("x",), ""),)
    script = Script("mine", ("I like tea.", "So.", "/forget {ids:tea} --yes", "Bye for now."), asks)
    assert list(script.chats()) == [script.lines[:2], script.lines[2:]]


def test_replies_find_their_lines_past_commands() -> None:
    replies = [("Hello  there.", "a"), ("Forget it.", "b"), ("Well.", "c")]
    assert aligned(["Hello there.", "/forget 1", "yes", "Well."], replies) == ["a", "", "", "c"]


def test_a_script_tells_forgets_and_asks_in_processes_of_their_own(scripted: tuple[str, ...]) -> None:
    """`/forget` needs a yes that nobody gives in a pipe without `--yes`: that is no end of the run."""
    lines = (
        "fact: Ana likes tea.", "fact: Ana hides a ring.", "/forget {ids:tea}", "/forget {ids:ring} --yes", "Good.",
    )  # fmt: skip
    asks = (
        ScriptQuestion("Why do I hide it?", (), "", ("ring",)), ScriptQuestion("And?", ("word1",), ""),
        ScriptQuestion("Well?", (), "", (), True),
    )  # fmt: skip
    script = Script("mine", lines, asks, "secret", ("tea",), ("ring", "tea"))
    done: list[int] = []
    run = run_script(script, scripted, tell=done.append)
    assert run.memories == ("Ana likes tea.",)
    assert run.faults == ("loses: tea",)
    assert [asked.answered for asked in run.asked] == [True, True, False]
    assert [asked.reply.split()[:1] for asked in run.asked] == [["word0"]] * 3
    assert list(run.all_faults())[1].startswith("question 3, honest")
    assert not run.right
    assert done == sorted(done)
    assert done[-1] == steps(script) == 8


def test_a_program_that_gives_no_reply_at_all_is_no_wrong_script() -> None:
    program = (
        """import json; print(json.dumps({"event": "failed", "text": "There is no model."})); raise SystemExit(1)"""
    )
    script = Script("mine", ("Hello.",), (ScriptQuestion("Who?", ("x",), ""),))
    with pytest.raises(ChatFailed, match="no reply at all: There is no model"):
        run_script(script, (sys.executable, "-c", program))


def test_the_report_counts_scripts_and_tells_which_check_failed(
    scripted: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (
        'about = "a secret"\nlines = ["fact: Ana likes figs."]\nkeeps = ["figs"]\n{more}\n'
        '[[ask]]\nquestion = "Why do I like figs?"\nkeys = ["{key}"]\n'
    )
    (tmp_path / "sealed").mkdir()
    right, wrong = text.format(key="word1", more=""), text.format(key="dates", more='loses = ["figs"]')
    for place, said in (("one.toml", right), ("two.toml", wrong), ("sealed/three.toml", wrong)):
        (tmp_path / place).write_text(said, encoding="utf-8")
    monkeypatch.setattr(chat, "DEFAULT", scripted)
    command = ["eval", "chat", "--scripts", str(tmp_path), str(tmp_path / "sealed"), "--out", str(tmp_path / "r.jsonl")]
    assert main(command) == 0
    said = capsys.readouterr().out
    assert "1 of 3 trust scripts are right" in said
    assert "ok one (a secret)" in said
    assert said.count("loses: figs") == 1
    assert said.count("question 1, keys: dates") == 1
    hidden = said.partition("-- three (a secret)\n")[2]
    assert hidden.split("\n") == ["     loses", "     question 1, keys", ""]

    monkeypatch.setattr(chat, "DEFAULT", ("no such program",))
    assert main([*command, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["models"]["value"]["scripts right"]["value"] == pytest.approx(1 / 3)
    assert told["models"]["value"]["memories right"]["n"] == 3
    assert [one["right"] for one in told["scripts"]] == [True, False, False]
    assert told["scripts"][2]["faults"] == ["loses", "question 1, keys"]
    assert main(["eval", "compare", str(tmp_path / "r.jsonl"), str(tmp_path / "r.jsonl")]) == 0
    assert "findable" not in capsys.readouterr().out


def test_a_question_that_measures_nothing_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('lines = ["Hi."]\n[[ask]]\nquestion = "Who?"\n', encoding="utf-8")
    with pytest.raises(InputError, match="nothing is measured"):
        load_script(path)
