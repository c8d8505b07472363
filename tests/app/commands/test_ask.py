"""`chatmem ask`: one answer over the memory, with nothing kept unless that is asked for."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from chatmem.app import cli
from tests.app.scripted_main import Loader

Ask = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Ask:
    """Runs a command with scripted agents in a home of its own: exit code, stdout, stderr."""
    monkeypatch.setenv("CHATMEM_HOME", str(tmp_path))
    monkeypatch.setattr("chatmem.app.chat.models.AgentLoader", Loader)

    def running(*words: str, stdin: str = "") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        code = cli.main(words)
        told = capsys.readouterr()
        return code, told.out, told.err

    assert running("memory", "add", "Ben sails.", "--user", "ben")[0] == 0
    assert running("memory", "add", "Ana rows.")[0] == 0
    return running


REPLY = "word0 word1 word2 word3\n"


def test_an_answer_is_printed_and_nothing_is_kept(run: Ask, tmp_path: Path) -> None:
    file = tmp_path / "data" / "chatmem.db"
    before = json.loads(run("memory", "export")[1])
    assert run("ask", "fact: who", "rows?") == (0, REPLY, "")
    after = json.loads(run("memory", "export")[1])
    assert {name: after[name] for name in after if name != "exported_at"} == {
        name: before[name] for name in before if name != "exported_at"
    }
    assert b"who rows" not in file.read_bytes()


@pytest.mark.parametrize("words", [(), ("-",)])
def test_the_question_can_come_from_stdin(run: Ask, words: tuple[str, ...]) -> None:
    code, out, _ = run("ask", *words, "--json", stdin="who\nrows?\n")
    told = json.loads(out)
    assert (code, told["question"], told["answer"]) == (0, "who\nrows?", REPLY.strip())


def test_sources_are_those_of_the_user(run: Ask) -> None:
    told = json.loads(run("ask", "--json", "--user", "ben", "who sails?")[1])
    assert [item["memory"]["fact"] for item in told["sources"]] == ["Ben sails."]
    assert told["model"] == "scripted"
    _, out, err = run("ask", "--why", "who rows?")
    assert out == REPLY
    assert "#2  Ana rows." in err


def test_keep_keeps_it_as_a_chat_would(run: Ask) -> None:
    code, out, _ = run("ask", "--keep", "--json", "fact: I swim.")
    told = json.loads(out)
    assert code == 0
    assert [entry["after"]["fact"] for entry in told["written"]] == ["I swim."]
    shown = json.loads(run("sessions", "show", str(told["session"]), "--json")[1])
    assert [turn["text"] for turn in shown["turns"]] == ["fact: I swim.", REPLY.replace("\n", " ")]
    assert shown["session"]["ended_at"]
    run("ask", "--keep", "/forget 2 --yes")
    assert len(json.loads(run("memory", "list", "--json")[1])) == 2, "a question is no command"


def test_no_question_no_user_and_no_memory_are_told(run: Ask, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    code, _, err = run("ask", stdin=" \n")
    assert (code, "There is no question" in err) == (2, True)
    assert "known: ben, me" in run("ask", "--user", "nobody", "hello?")[2]
    monkeypatch.setenv("CHATMEM_HOME", str(tmp_path / "empty"))
    code, _, err = run("ask", "hello?")
    assert (code, "start with `chatmem chat`" in err) == (1, True)


def test_of_a_long_question_it_says_what_a_model_reads(run: Ask) -> None:
    told = run("ask", "--json", "who rows? " * 1_000)[2]
    assert "a model reads only its first 4,000 and its last 4,000, and nothing between them." in told
