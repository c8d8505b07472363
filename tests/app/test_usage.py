"""Wrong usage is told with what to write, and hints are true."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from chatmem.app import cli
from chatmem.app.config.settings import describe
from chatmem.eval.arguments import PLACE
from tests.app.shell import Shell

SETTINGS = {setting.name for setting in describe()}
"""These are checked with their other sources, the environment and the config file."""


@pytest.mark.parametrize(
    "words",
    [
        ("memory", "list", "--as-of", "gibberish"), ("memory", "list", "--as-of", "2999-01-01"),
        ("memory", "list", "--limit", "-4"), ("memory", "search", "cats", "--limit", "0"),
        ("memory", "journal", "--limit", "x"), ("memory", "show", "0"), ("memory", "undo", "9" * 20),
        ("memory", "add", "a fact", "--date", "gibberish"), ("memory", "edit", "1", "--date", "32.13.2026"),
        ("sessions", "list", "--limit", "-1"), ("sessions", "show", "-1"), ("sql", "SELECT 1", "--limit", "0"),
        ("tidy", "--minutes", "0"), ("chat", "--resume", "last"), ("eval", "msc", "--num", "-1"),
        ("train", "storage", "--hold-out", "1.5"), ("web", "--port", "70000"),
    ],
)  # fmt: skip
def test_a_number_or_a_date_that_can_not_be_is_wrong_usage(shell: Shell, words: Sequence[str]) -> None:
    done = shell(*words)
    assert done.returncode == 2, done.stderr
    assert "write" in done.stderr.splitlines()[-1]
    assert not shell.db.exists(), "nothing was begun"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("memory", "forget"), "by their numbers"),
        (("memory", "forget", "1", "--words", "cats"), "more than one matter"),
        (("memory", "edit", "1"), "--fact"), (("memory", "add", ""), "at least one word"),
        (("memory", "edit", "1", "--fact", " "), "at least one word"), (("memory", "search", ""), "look for"),
        (("ask", ""), "no question"), (("ask", "hi", "--threads", "0"), "write 1 or more, or -1"),
        (("ask", "hi", "--reply-tokens", "0"), "write 1 or more, or -1"),
        (("sessions", "rename", "1", ""), "at least one word"), (("sessions", "search", " "), "at least one word"),
        (("sql", ""), "at least one word"), (("memory", "list", "--subject", ""), "at least one word"),
        (("memory", "edit", "1", "--subject", ""), "at least one word"), (("tidy", "--subject", ""), "one word"),
        (("tidy", "--undo", "--dry-run"), "no other option"),
        (("doctor", "--settings", "--repair"), "only tells"),
        (("train", "recall"), "Give --locomo"), (("train", "recall", "--known", "--reader"), "one at a time"),
        (("train", "recall", "--known", "--locomo", "pyproject.toml"), "needs no data"),
        (("train", "recall", "--asking", "--start", "tests"), "--start goes with"),
        (("train", "storage", "--base", "bogus"), "names no model"),
        (("train", "storage", "--valid-rows", "pyproject.toml"), "goes with --rows"),
        (("train", "storage", "--from-journal", "--name", "a/b"), "can't be an adapter's name"),
        (("checkpoints", "collect", "tests", "--steps", "x"), "--steps 'x'"),
        (("checkpoints", "merge", "tests", "--out", "x"), "two checkpoints"),
        (("memory", "reembed", "--status", "--anew"), "only tells"),
    ],
)  # fmt: skip
def test_too_little_and_too_much_to_go_by_is_wrong_usage(shell: Shell, words: Sequence[str], told: str) -> None:
    done = shell(*words)
    assert done.returncode == 2, done.stderr
    assert told in done.stderr.splitlines()[-1]
    assert not shell.db.exists(), "nothing was begun"


def test_what_is_not_there_is_told_before_anything_is_asked(shell: Shell, tmp_path: Path) -> None:
    assert "There is no database" in shell.fails("doctor", "--repair")
    (tmp_path / "notes.txt").write_text("mine")
    assert "holds no users" in shell.fails("web", "adduser", str(tmp_path / "notes.txt"), "ana", code=2)
    assert "There is no file nope.csv" in shell.fails("eval", "personamem", "--data", "nope.csv")
    told = shell.fails("eval", "msc", "--data", str(tmp_path))
    assert "is a folder" in told and "Errno" not in told
    assert "is a folder" in shell.fails("optimize", "show", str(tmp_path))


@pytest.mark.parametrize("words", [("train", "storage", "--from-journal"), ("optimize", "storage", "--from-journal")])
def test_what_reads_the_journal_makes_no_memory(shell: Shell, words: Sequence[str]) -> None:
    more = () if words[0] == "train" else ("--model", "embedded")
    assert "Nothing is remembered here yet" in shell.fails(*words, *more)
    assert not shell.db.exists()


def test_a_file_whose_name_says_no_form_is_wrong_usage_everywhere(shell: Shell) -> None:
    shell("memory", "add", "Ana sails.")
    for words in (
        ("memory", "export", "x.xlsx"),
        ("memory", "export", "--form", "db"),
        ("sessions", "export", "1", "x"),
    ):
        assert shell(*words).returncode == 2, words


def test_every_number_of_the_command_line_is_read_with_limits() -> None:
    """An option with Python's own int or float takes -4, and 20 digits that no database holds."""

    def below(parser: argparse.ArgumentParser) -> list[str]:
        found = []
        for action in parser._actions:
            if isinstance(action, argparse._SubParsersAction):
                found += [one for child in action.choices.values() for one in below(child)]
            elif action.type in (int, float) and action.dest not in SETTINGS:
                found.append(f"{parser.prog} {action.dest}")
        return found

    assert below(cli.build_parser(list(cli.COMMANDS))) == []


def test_no_path_of_the_command_line_may_be_empty() -> None:
    """An empty one, of a shell's variable that isn't set, is the current folder."""

    def below(parser: argparse.ArgumentParser) -> list[str]:
        found = []
        for action in parser._actions:
            if isinstance(action, argparse._SubParsersAction):
                found += [one for child in action.choices.values() for one in below(child)]
            elif action.type is Path or (action.type is None and action.metavar in ("FILE", "DIR", "FOLDER")):
                found.append(f"{parser.prog} {action.dest}")
        return found

    assert below(cli.build_parser(list(cli.COMMANDS))) == []
    with pytest.raises(argparse.ArgumentTypeError, match="write a path"):
        PLACE(" ")


@pytest.mark.parametrize(
    "words",
    [
        ("memory", "list", "--db", ""), ("--config", "", "memory", "list"), ("optimize", "show", ""),
        ("memory", "list", "--passphrase-file", " "), ("encrypt", "--new-passphrase-file", ""),
        ("train", "storage", "--from-journal", "--db", ""), ("eval", "storage", "--data", "x", "--prompts", ""),
    ],
)  # fmt: skip
def test_an_empty_path_is_wrong_usage(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(list(words)) == 2
    assert "it is empty; write a path" in capsys.readouterr().err


def test_the_memory_as_of_a_past_moment(shell: Shell) -> None:
    shell("memory", "add", "Ben sails.")
    assert shell.json("memory", "list", "--as-of", "yesterday") == []
    assert [row["fact"] for row in shell.json("memory", "list", "--as-of", "today")] == ["Ben sails."]


def test_hints_after_sql_are_true(shell: Shell) -> None:
    shell("memory", "add", "Ben sails.")
    delete = "DELETE FROM memory WHERE id = 1"
    told = shell.fails("sql", delete)
    assert "--write" in told
    assert "chatmem memory undo" in told
    assert len(shell.json("memory", "list")) == 1
    assert "--write" not in shell.fails("sql", "DROP TABLE memory"), "nothing lets that be run"
    assert shell("sql", "--write", "DELETE FROM memory WHERE id = 7").stderr == "No row fits, so nothing was changed.\n"
    assert shell("sql", "--write", delete).stderr == "1 row written; `chatmem memory undo` takes it back.\n"
    shell("memory", "undo")
    assert len(shell.json("memory", "list")) == 1


def test_a_write_that_is_not_there_is_told_with_what_lists_them(shell: Shell) -> None:
    shell("memory", "add", "Ben sails.")
    told = shell.fails("memory", "undo", "999")
    listing = told.split("`")[1].removeprefix("chatmem ").split()
    assert [entry["id"] for entry in shell.json(*listing)] == [1]


def test_a_long_import_and_its_undo_are_told_by_the_number_of_rows(shell: Shell, tmp_path: Path) -> None:
    table = tmp_path / "facts.csv"
    table.write_text("subject,fact\n" + "".join(f"Ben,Ben owns boat number {n}.\n" for n in range(300)))
    shell("memory", "import", str(table), "--yes")
    assert shell("memory", "undo").stdout == "- undo 300 rows\n"
    assert shell.json("memory", "list") == []
    assert shell("memory", "redo").stdout == "+ redo 300 rows\n"
    assert len(shell.json("memory", "list")) == 300
    done = shell("chat", stdin="/undo\n")
    assert "  - undo 300 rows\n" in done.stdout
    assert done.stdout.count("\n") < 5


def test_the_undo_of_a_whole_import_says_what_went(told: Shell, tmp_path: Path) -> None:
    file = tmp_path / "all.json"
    told("memory", "export", str(file))
    other = Shell(tmp_path / "other")
    other("memory", "import", str(file), "--yes")
    assert other("memory", "undo").stdout == "- undo the import of 3 memories, 8 lines, 1 session\n"


def test_sql_in_a_chat_says_what_it_did(shell: Shell) -> None:
    delete = "DELETE FROM memory WHERE id = "
    done = shell(
        "chat", stdin=f"/remember Ben sails.\n/sql {delete}1\n/sql --write {delete}7\n/sql --write {delete}1\n"
    )
    assert "/sql --write lets a statement change the memory" in done.stderr
    assert "No row fits, so nothing was changed." in done.stderr
    assert "1 row written; /undo takes it back." in done.stderr


def test_small_mistakes_are_told(shell: Shell) -> None:
    shell("memory", "add", "Ben sails.", "--subject", "Ben")
    assert "--fact" in shell.fails("memory", "edit", "1", code=2)
    shell("memory", "pin", "1")
    assert "pinned already" in shell.fails("memory", "pin", "1")
    shell("memory", "pin", "1", "--off")
    assert "not pinned already" in shell.fails("memory", "pin", "1", "--off")
    assert len(shell.json("memory", "journal")) == 3, "nothing was written for the mistakes"
    assert "look for" in shell.fails("memory", "search", " ", code=2)
    assert shell("memory", "list", "--subject", "Nobody").stderr == "No memory fits that.\n"


def test_a_past_moment_can_be_narrowed_too(shell: Shell) -> None:
    for who in ("Ben", "Eva", "Ben"):
        shell("memory", "add", f"{who} sails with Ana {len(who)} {who}.", "--subject", who)
    shell("memory", "add", "Ben rows.", "--subject", "Ben")
    found = shell.json("memory", "list", "--as-of", "today", "--subject", "Ben")
    assert {row["subject"] for row in found} == {"Ben"}
    assert len(shell.json("memory", "list", "--as-of", "today", "--subject", "Ben", "--limit", "1")) == 1


def test_a_dash_for_a_file_is_stdout_and_no_file(shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shell("memory", "add", "Ana has a dog.")
    whole = shell("memory", "export", "-")
    assert [one["fact"] for one in json.loads(whole.stdout)["memories"]] == ["Ana has a dog."] and not whole.stderr
    assert shell("memory", "export", "-", "--form", "csv").stdout.startswith("subject,topic,fact")
    assert "as text" in shell.fails("memory", "export", "-", "--form", "db", code=2)
    assert "a file of .json or .csv" in shell.fails("memory", "import", "-", stdin=whole.stdout, code=2)
    shell("chat", stdin="hello\n")
    assert "hello" in shell("sessions", "export", "1", "-").stdout
    assert not Path("-").exists()


def test_a_passphrase_for_a_plain_memory_is_told_to_change_nothing(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "pf").write_text("a passphrase of five words\n")
    told = "is not encrypted, and --passphrase-file doesn't change that"
    for words in (("memory", "add", "Ana has a dog."), ("memory", "list")):
        done = shell(*words, "--passphrase-file", str(tmp_path / "pf"))
        assert done.returncode == 0 and done.stderr.count(told) == 1
        assert "Ana has a dog." in done.stdout
    assert shell.db.read_bytes().startswith(b"SQLite format 3")
    assert told not in shell("memory", "list").stderr
