"""The command line as processes: data on stdout, diagnostics on stderr, exit codes, bad input."""

from __future__ import annotations

import io
import json
import os
import shlex
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from chatmem.app import cli
from tests.app.shell import PROGRAM, Shell


def test_a_chat_in_a_pipe_shows_replies_and_what_it_wrote(shell: Shell) -> None:
    done = shell("chat", stdin="fact: I have a dog.\n\nhello\n")
    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        "word0 word1 word2 word3 ", "  + I have a dog.  #1", "word0 word1 word2 word3 ",
    ]  # fmt: skip
    assert "Bye." in done.stderr


def test_a_chat_as_json_is_one_event_a_line(shell: Shell) -> None:
    done = shell("chat", "--json", stdin="fact: I have a dog.\nbye\n")
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert [event["event"] for event in events if event["event"] != "reply_chunk"] == [
        "session_started", "turn_saved", "recalled", "reply_started", "reply_finished", "memory_written", "left",
        "session_ended",
    ]  # fmt: skip
    assert events[1]["turn"]["text"] == "fact: I have a dog."


def test_memory_list_golden(told: Shell) -> None:
    rows = told.json("memory", "list")
    for row in rows:
        row.update(said_at="T", valid_from="T")
    common = {"user_id": 1, "subject": "Ana", "topic": "talk", "happened_on": None, "said_at": "T", "valid_from": "T",
              "valid_to": None, "pinned": False, "created_by": "agent:storage", "replaces": None,
              "certainty": None, "rests_on": []}  # fmt: skip
    name = {"topic": "name", "created_by": "tool:name"}
    assert rows == [
        {"id": 1, "fact": "The user's name is Ana.", **common, **name},
        {"id": 2, "fact": "Ana has two cats.", **common}, {"id": 3, "fact": "Ana lives in Graz.", **common},
    ]  # fmt: skip


def test_every_reading_command_has_json(told: Shell) -> None:
    kinds = [entry["kind"] for entry in told.json("memory", "journal")]
    assert kinds == ["call", "insert", "insert", "insert", "refused"]
    assert [entry["kind"] for entry in told.json("memory", "journal", "--refused")] == ["refused"]
    assert told.json("memory", "history", "1")[0]["sql"].startswith("INSERT INTO memory")
    assert told.json("memory", "show", "3")["evidence"][0]["text"] == "fact: Ana lives in Graz."
    assert told.json("sessions", "list")[0]["turns"] == 8
    assert told.json("sessions", "search", "graz")[0]["id"] == 1
    assert len(told.json("sessions", "show", "1")["turns"]) == 8
    assert told.json("sql", "SELECT fact FROM memory ORDER BY id LIMIT 1 OFFSET 1") == [{"fact": "Ana has two cats."}]
    assert told.json("paths")["database"] == str(told.db)
    assert {row["spec"] for row in told.json("models", "list")} >= {"embedded"}
    assert isinstance(told.json("adapters", "list"), list)
    assert {finding["what"] for finding in told.json("doctor")} >= {"database", "answer model"}


def test_a_table_in_a_pipe_is_tabs(told: Shell) -> None:
    lines = told("memory", "list").stdout.splitlines()
    assert lines[0].split("\t") == ["id", "subject", "topic", "fact", "when"]
    assert lines[2].split("\t")[:4] == ["2", "Ana", "pets: talk", "Ana has two cats."]


def test_memory_from_add_to_forget(shell: Shell) -> None:
    assert shell("memory", "add", "Ben sails.", "--subject", "Ben", "--topic", "hobby").stdout == "+ Ben sails.  #1\n"
    assert shell("memory", "edit", "1", "--fact", "Ben rows.").stdout == "~ Ben sails. -> Ben rows.  #2\n"
    assert shell("memory", "undo").stdout.startswith("~ undo Ben rows. -> Ben sails.")
    assert shell("memory", "redo").stdout.startswith("~ redo")
    assert shell("memory", "pin", "2").stdout == "~ Ben rows. [pinned]  #2\n"
    assert shell("memory", "delete", "2").stdout == "- Ben rows.  #2\n"
    assert shell.json("memory", "list") == []
    shown = shell("memory", "forget", "2")
    assert shown.returncode == 1 and "“Ben sails.”" in shown.stderr and "--yes" in shown.stderr.splitlines()[-1]
    assert "None was found" in shell("memory", "forget", "2", "--yes").stderr
    assert b"Ben rows" not in shell.db.read_bytes()


def test_export_then_import_brings_all_back(told: Shell, tmp_path: Path) -> None:
    file = tmp_path / "all.json"
    assert told("memory", "export", str(file)).returncode == 0
    assert "--yes" in told.fails("memory", "export", str(file))
    other = Shell(tmp_path / "other")
    plan = other("memory", "import", str(file), "--preview")
    assert "3 memories" in plan.stderr
    assert other.json("memory", "list") == []
    assert other("memory", "import", str(file), "--yes").returncode == 0
    facts = [row["fact"] for row in other.json("memory", "list")]
    assert facts == ["The user's name is Ana.", "Ana has two cats.", "Ana lives in Graz."]
    other("memory", "undo")
    assert other.json("memory", "list") == []


def test_sql_reads_and_writes_only_when_told(shell: Shell) -> None:
    insert = "INSERT INTO memory (subject, topic, fact) VALUES ('Ben', 'pets', 'Ben has a parrot.')"
    shell("memory", "add", "x")
    assert "refused" in shell.fails("sql", insert)
    assert shell("sql", "--write", insert).returncode == 0
    assert (
        shell("sql", "-", stdin="SELECT fact FROM memory WHERE subject = 'Ben'").stdout == "fact\nBen has a parrot.\n"
    )
    assert "refused" in shell.fails("sql", "--write", "DROP TABLE memory")


def test_sql_ranks_by_what_rows_are_about(told: Shell) -> None:
    sql = "SELECT fact FROM memory ORDER BY about('pets cats') DESC LIMIT 1"
    assert told.json("sql", sql) == [{"fact": "Ana has two cats."}]
    assert told.json("sql", "SELECT fact FROM memory WHERE about('Graz') > 0.0")[0] == {"fact": "Ana lives in Graz."}


def test_sessions_rename_delete_resume(shell: Shell) -> None:
    shell("chat", stdin="fact: I have a dog.\n")
    shell("sessions", "rename", "1", "Dogs")
    assert shell.json("sessions", "list")[0]["title"] == "Dogs"
    shell("sessions", "resume", stdin="and a cat\n")
    assert shell.json("sessions", "list")[0]["turns"] == 4
    assert "--yes" in shell.fails("sessions", "delete", "1")
    shell("sessions", "delete", "1", "--yes")
    assert shell.json("sessions", "list") == []
    assert len(shell.json("memory", "list")) == 1


def test_a_forgotten_session_says_truly_what_goes_and_what_went(shell: Shell, tmp_path: Path) -> None:
    shell("chat", stdin="fact: I have a dog.\nhello\nfact: I have a boat.\n")
    shell("chat", stdin="fact: I have a cat.\n")
    assert shell.json("sessions", "list")[1]["turns"] == 6
    for name in ("all.json", "other.csv"):
        shell("memory", "export", str(tmp_path / name), "--yes")
    (tmp_path / "other.csv").write_text("another table")
    asked = shell("sessions", "delete", "1", "--forget")
    assert asked.returncode == 1 and "its 6 lines" in asked.stderr
    assert "#1  I have a dog." in asked.stderr and "#2  I have a boat." in asked.stderr
    assert "a cat" not in asked.stderr
    assert "all.json" in asked.stderr and "other.csv" not in asked.stderr
    assert len(shell.json("memory", "list")) == 3, "it was only asked"
    assert shell.json("sessions", "list")[1]["turns"] == 6
    done = shell("sessions", "delete", "1", "--forget", "--yes")
    assert "Deleted 6 lines (replies included) and 2 memories." in done.stderr
    assert "all.json" in done.stderr
    assert [one["fact"] for one in shell.json("memory", "list")] == ["I have a cat."]
    assert "Deleted 2 lines (replies included).\n" in shell("sessions", "delete", "2", "--yes").stderr


def test_a_pipe_for_a_session_that_is_not_there_ends_at_once(shell: Shell) -> None:
    shell("chat", stdin="fact: I have a dog.\n")
    for words in ((), ("--json",)):
        done = shell("chat", "--resume", "99", *words, stdin="fact: I have a cat.\n")
        assert done.returncode == 1 and "no session 99" in done.stderr + done.stdout
        assert "Bye" not in done.stderr
    assert len(shell.json("sessions", "list")) == len(shell.json("memory", "list")) == 1
    done = shell("chat", "--resume", "1", stdin="fact: I have a cat.\n")
    assert done.returncode == 0 and shell.json("sessions", "list")[0]["turns"] == 4


def test_reset_in_a_pipe_needs_yes(shell: Shell) -> None:
    done = shell("chat", stdin="fact: I have a dog.\nreset\n")
    assert done.returncode == 1
    assert "--yes" in done.stderr
    assert len(shell.json("memory", "list")) == 1
    done = shell("chat", "--yes", stdin="reset\nhello\n")
    assert done.returncode == 0
    assert "Everything is forgotten" in done.stdout
    assert shell.json("memory", "list") == []


def test_a_no_in_a_pipe_keeps_all_and_is_no_error(shell: Shell) -> None:
    done = shell("chat", stdin="fact: I have a dog.\nforget that I have a dog\nno\n/reset\nNope.\n")
    assert done.returncode == 0 and done.stderr.count("Nothing was erased; all stays as it was.") == 2
    assert len(shell.json("memory", "list")) == 1
    done = shell("chat", stdin="forget that I have a dog\nfact: I have a cat.\n")
    assert "To be asked again: /forget 1" in done.stderr and len(shell.json("memory", "list")) == 2
    done = shell("chat", stdin="forget that I have a dog\nyes\n")
    assert done.returncode == 0 and "Forgotten" in done.stdout and len(shell.json("memory", "list")) == 1


def test_incognito_makes_no_file(shell: Shell) -> None:
    done = shell("chat", "--incognito", stdin="fact: I hide.\nbye\n")
    assert done.returncode == 0
    assert not shell.db.exists()


def test_usage_and_settings_errors_are_2(shell: Shell, tmp_path: Path) -> None:
    assert shell("nonsense").returncode == 2
    assert shell("memory").returncode == 2
    assert shell("chat", "--token-budget", "x").returncode == 2
    config = tmp_path / "c.toml"
    config.write_text('modle = "embedded"\n')
    assert "did you mean 'model'" in shell.fails("memory", "list", "--config", str(config), code=2)
    config.write_text("model = [\n")
    assert "not valid TOML" in shell.fails("chat", code=2, CHATMEM_CONFIG=str(config))
    assert "whole number" in shell.fails("chat", code=2, CHATMEM_TOKEN_BUDGET="many")
    assert "no config file" in shell.fails("chat", "--config", "/nowhere.toml", code=2)


def test_not_found_is_1(told: Shell) -> None:
    assert "memory 99" in told.fails("memory", "show", "99")
    assert "session 99" in told.fails("sessions", "show", "99")
    assert "known: me" in told.fails("memory", "list", "--user", "nobody")
    assert "no file" in told.fails("memory", "import", "/nowhere.json")


def test_a_corrupt_database(shell: Shell) -> None:
    shell.db.parent.mkdir(parents=True)
    shell.db.write_bytes(b"this is not a database, whatever its name says" * 200)
    before = shell.db.read_bytes()
    for words in (("chat",), ("memory", "list"), ("memory", "add", "x")):
        assert str(shell.db) in shell.fails(*words)
    assert shell.db.read_bytes() == before
    assert shell("doctor").returncode == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_database_can_be_read(told: Shell, tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    shell.db.parent.mkdir(parents=True)
    shell.db.write_bytes(told.db.read_bytes())
    shell.db.chmod(stat.S_IRUSR)
    assert shell.json("memory", "list") == told.json("memory", "list") != []
    assert "can't be written" in shell.fails("memory", "add", "x")


def test_a_locked_database(shell: Shell) -> None:
    shell("memory", "add", "x")
    holder = sqlite3.connect(shell.db, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    try:
        assert "again" in shell.fails("memory", "add", "y", CHATMEM_BUSY_SECONDS="1")
    finally:
        holder.close()
    assert len(shell.json("memory", "list")) == 1


@pytest.mark.skipif(not os.access("/dev/full", os.W_OK), reason="there is no /dev/full here")
def test_a_full_disk_on_the_way_out(told: Shell) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, str(PROGRAM), "memory", "list"], stdout=full, stderr=subprocess.PIPE, timeout=60,
            env={**os.environ, "CHATMEM_HOME": str(told.home)},
        )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.decode().count("\n") == 1
    assert b"full" in done.stderr


@pytest.mark.parametrize("told", ["cp1252", "ascii"])
def test_an_output_of_few_letters_takes_any(shell: Shell, told: str) -> None:
    assert shell("memory", "add", "Ana likes 🐱 and café.").returncode == 0
    env = {**os.environ, "CHATMEM_HOME": str(shell.home), "PYTHONIOENCODING": told}
    command = [sys.executable, str(PROGRAM), "memory", "list", "--json"]
    done = subprocess.run(command, capture_output=True, env=env, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout.decode())[0]["fact"] == "Ana likes 🐱 and café."


def test_a_terminal_of_few_letters_shows_the_others_as_escapes() -> None:
    class Terminal(io.TextIOWrapper):
        def isatty(self) -> bool:
            return True

    bytes_of = {}
    for kind in (Terminal, io.TextIOWrapper):
        out = kind(io.BytesIO(), encoding="ascii")
        cli._take_any_text(out)
        out.write("a 🐱")
        out.flush()
        bytes_of[kind] = out.detach().getvalue()  # type: ignore[attr-defined]
    assert list(bytes_of.values()) == [b"a \\U0001f431", "a 🐱".encode()]


def test_a_name_that_is_no_text_is_refused_before_anything_is_written(shell: Shell, tmp_path: Path) -> None:
    assert shell("memory", "add", "Ana sails.").returncode == 0
    (tmp_path / "out").mkdir()
    odd = str(tmp_path / "out" / "\udcff.json")
    for words in (("memory", "export", odd), ("backup", odd)):
        assert "is no name in UTF-8" in shell.fails(*words)
    assert list((tmp_path / "out").iterdir()) == []


def test_a_reader_that_leaves(told: Shell) -> None:
    command = f"{shlex.join([sys.executable, str(PROGRAM)])} memory export | head -c 1"
    env = {**os.environ, "CHATMEM_HOME": str(told.home)}
    done = subprocess.run(["bash", "-c", command], capture_output=True, env=env, timeout=60)
    assert done.stderr == b""


def test_broken_utf8_on_stdin(shell: Shell) -> None:
    done = shell("chat", stdin=b"fact: caf\xff\xfe is nice.\nbye\n")
    assert done.returncode == 0
    assert "not valid UTF-8" in done.stderr
    assert "caf\ufffd\ufffd is nice." in shell.json("memory", "list")[0]["fact"]


def test_a_megabyte_line(shell: Shell) -> None:
    done = shell("chat", stdin="word " * 200_000 + "\nbye\n")
    assert done.returncode == 0
    assert "kept whole" in done.stderr
    assert len(shell.json("sessions", "show", "1")["turns"][0]["text"]) == 999_999


def test_no_stdin_at_all(shell: Shell) -> None:
    command = f"{shlex.join([sys.executable, str(PROGRAM)])} chat <&-"
    env = {**os.environ, "CHATMEM_HOME": str(shell.home)}
    done = subprocess.run(["bash", "-c", command], capture_output=True, env=env, timeout=60)
    assert (done.returncode, done.stdout) == (0, b"")


def test_no_colour_and_no_control_characters_in_a_pipe(shell: Shell) -> None:
    done = shell("chat", stdin="fact: red \x1b[31malert\x1b[0m\n/memory\n", TERM="xterm-256color", NO_COLOR="1")
    assert "\x1b" not in done.stdout


def test_bare_chatmem_and_version(shell: Shell) -> None:
    assert "chat" in shell().stdout
    assert shell("--version").stdout.startswith("chatmem ")
    for command in cli.COMMANDS:
        if command not in ("train", "eval"):
            assert shell(command, "--help").returncode == 0


@pytest.mark.parametrize(
    "error",
    [
        KeyError("x"),
        RuntimeError("boom"),
        ModuleNotFoundError("No module named 'chatmem.training.store'", name="chatmem.training.store"),
    ],
)
def test_the_unforeseen_goes_to_the_log(
    error: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CHATMEM_HOME", str(tmp_path))

    def fail(words: list[str]) -> int:
        raise error

    monkeypatch.setattr(cli, "_run", fail)
    assert cli.main(["memory", "secret"]) == 1
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert "went wrong inside chatmem" in told
    log = (tmp_path / "state" / "chatmem.log").read_text()
    assert type(error).__name__ in log and "test_cli.py" in log, "where it failed"
    assert "boom" not in log and "secret" not in log, "an error's words may be a person's"


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def fail(words: list[str]) -> int:
        raise ModuleNotFoundError("No module named 'gguf.quants'", name="gguf.quants")

    monkeypatch.setattr(cli, "_run", fail)
    assert cli.main(["models", "list"]) == 1
    assert "needs the package 'gguf', which is not installed" in capsys.readouterr().err


def test_a_database_that_is_only_read_is_not_made(shell: Shell, tmp_path: Path) -> None:
    typo = tmp_path / "folder" / "typo.db"
    for words in (("memory", "list"), ("memory", "export"), ("sql", "SELECT 1 FROM memory"), ("sessions", "list")):
        assert "There is no database" in shell.fails("--db", str(typo), *words)
    assert not typo.parent.exists()


def test_only_the_program_itself_ends_its_process(monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[int] = []
    monkeypatch.setattr("chatmem.app.cli._threads_alive", lambda: True)
    monkeypatch.setattr("chatmem.app.cli._silence", lambda: None)
    monkeypatch.setattr("os._exit", ended.append)
    assert cli.main(["paths"]) == 0
    assert ended == []
    monkeypatch.setattr("sys.argv", ["chatmem", "paths"])
    assert cli.main() == 0
    assert ended == [0]
