"""What is mistyped is said to be, on the command line and in the environment; what tells is found first."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

from chatmem import __main__ as program
from chatmem.app.assistants.tools import call, tools
from chatmem.memory.store.store import Store
from chatmem.models.api import Memory
from tests.app.shell import PROGRAM, Shell

ROOT = Path(__file__).resolve().parents[2]


def test_a_mistyped_user_of_a_setting_is_told_as_one_of_a_flag(shell: Shell, tmp_path: Path) -> None:
    shell("memory", "add", "Bob sails.", "--user", "bob")
    config = tmp_path / "c.toml"
    config.write_text('user = "carla"\n')
    for words in (("memory", "list"), ("memory", "search", "sails"), ("sessions", "list")):
        assert "no user 'carl'; known: bob" in shell.fails(*words, CHATMEM_USER="carl")
        assert "no user 'carla'; known: bob" in shell.fails(*words, "--config", str(config))
    nobody = shell("memory", "list")
    assert nobody.returncode == 0 and "Nothing is remembered of 'me' here; known: bob." in nobody.stderr
    doctor = shell("doctor", "--config", str(config))
    assert doctor.returncode == 0 and "note\tuser\tnobody is 'carla' here; known: bob" in doctor.stdout


def test_a_variable_that_is_no_setting_is_told_of(shell: Shell, tmp_path: Path) -> None:
    known = {"CHATMEM_BUSY_SECONDS": "3", "CHATMEM_PASSPHRASE": "not needed here"}
    assert "CHATMEM" not in shell("paths", **known).stderr
    told = shell("paths", CHATMEM_USR="bob", CHATMEM_DBB="x", CHATMEM_QQQ="1", **known).stderr.splitlines()
    assert told == [
        "chatmem: CHATMEM_DBB is no setting; did you mean CHATMEM_DB?",
        "chatmem: CHATMEM_QQQ is no setting; `chatmem doctor --settings` lists the names.",
        "chatmem: CHATMEM_USR is no setting; did you mean CHATMEM_USER?",
    ]


def test_a_list_takes_a_topic_as_it_is_shown_and_a_name_in_any_case(shell: Shell) -> None:
    shell("memory", "add", "Ana has a sister, Vera.", "--subject", "Ana", "--topic", "sister")
    shell("memory", "add", "Élodie sails.", "--subject", "Élodie", "--topic", "Hobby")
    shown = shell("memory", "list").stdout.splitlines()[1].split("\t")[2]
    assert shown == "people: sister"
    for words in (("--topic", shown), ("--topic", "People: Sister"), ("--topic", "sister"), ("--subject", "ana")):
        assert [row["id"] for row in shell.json("memory", "list", *words)] == [1], words
        assert [row["id"] for row in shell.json("memory", "list", *words, "--as-of", "now")] == [1], words
    assert [row["id"] for row in shell.json("memory", "list", "--subject", "élodie", "--topic", "hobby")] == [2]


def test_where_nothing_fits_the_nearest_is_named(shell: Shell) -> None:
    shell("memory", "add", "Ana has a sister, Vera.", "--subject", "Ana", "--topic", "sister")
    for words, near in (
        (("--subject", "anna"), '--subject "Ana"'), (("--topic", "people: sistr"), '--topic "people: sister"'),
        (("--subject", "ana", "--topic", "sistr"), '--topic "sister"'),
    ):  # fmt: skip
        assert shell("memory", "list", *words).stderr == f"No memory fits that; did you mean {near}?\n"
    assert shell("memory", "list", "--topic", "zzz").stderr == "No memory fits that.\n"


def test_a_search_that_finds_nothing_says_so(shell: Shell) -> None:
    shell("memory", "add", "Ana sails.")
    done = shell("memory", "search", "--facts", "zzzqqq")
    assert (done.returncode, done.stdout.count("\n"), done.stderr) == (0, 1, "Nothing fits that.\n")


def test_what_tells_stands_before_what_only_asks(shell: Shell) -> None:
    shell("memory", "add", "Ana owns Nori and Kit, two cats.", "--subject", "Ana", "--topic", "pets")
    with Store.open(shell.db) as store:
        user = store.users.get("me")
        session = store.sessions.start(user.id).id
        store.turns.add(session, "Ana", "which cats do I have?")
        memory = Memory.over(store, user)
        found = call(tools()["search"], memory, {"query": "cats", "limit": 1})["items"]
    assert [one["memory"]["id"] for one in found if one["memory"]] == [1]
    rows = shell("memory", "search", "cats").stdout.splitlines()[1:]
    assert [row.split("\t")[0] for row in rows] == ["1", "line 1"]
    assert shell("memory", "search", "cats", "--limit", "1").stdout.splitlines()[1:] == rows[:1]


@pytest.fixture(scope="module")
def long_facts(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    shell = Shell(tmp_path_factory.mktemp("long"))
    for number in range(3):
        shell("memory", "add", f"Fact {number} " + "is long. " * 200)
    return shell


@pytest.mark.parametrize(
    ("words", "unbuffered"),
    [("memory export", ""), ("memory export", "1"), ("memory list --json", ""),
     ("sql 'SELECT fact FROM memory'", "1"), ("--help", "")],
)  # fmt: skip
def test_a_reader_that_had_enough_is_no_failure(long_facts: Shell, words: str, unbuffered: str) -> None:
    command = f"set -o pipefail; {shlex.join([sys.executable, str(PROGRAM)])} {words} | head -c 1"
    env = {**os.environ, "CHATMEM_HOME": str(long_facts.home), "PYTHONUNBUFFERED": unbuffered}
    done = subprocess.run(["bash", "-c", command], capture_output=True, env=env, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_new_database_of_a_mistyped_name_is_told(shell: Shell, tmp_path: Path) -> None:
    typo = tmp_path / "folder" / "typo.db"
    doctor = shell("doctor", "--db", str(typo))
    assert f"note\tdatabase\tthere is no {typo}, nor its folder" in doctor.stdout and not typo.parent.exists()
    assert shell("memory", "add", "Ana sails.", "--db", str(typo)).stderr == f"Made a new database at {typo}.\n"
    assert shell("memory", "add", "Ana rows.", "--db", str(typo)).stderr == ""
    talk = shell("chat", "--db", str(tmp_path / "other.db"), stdin="hello\n")
    assert talk.returncode == 0 and "new database" not in talk.stderr
    assert shell("memory", "add", "Ana sails.").stderr == "", "the one that nobody named is nowhere else"


def test_one_is_counted_as_one(shell: Shell, tmp_path: Path) -> None:
    shell("chat", stdin="fact: I have a dog.\n")
    file = tmp_path / "all.csv"
    assert shell("memory", "export", str(file)).stderr == f"Wrote 1 record to {file}.\n"
    assert ": 1 memory of me" in shell("doctor").stdout
    assert shell("sessions", "delete", "1", "--yes", "--forget").stderr.startswith(
        "Deleted 2 lines (replies included) and "
    )


def test_an_interrupt_while_the_program_is_loaded_is_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    class Loading(ModuleType):
        def __getattr__(self, name: str) -> object:
            raise KeyboardInterrupt

    monkeypatch.setitem(sys.modules, "chatmem.app.cli", Loading("chatmem.app.cli"))
    assert program.main() == 130
    told = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert told["project"]["scripts"] == {"chatmem": "chatmem.__main__:main"}


def test_a_table_with_a_name_says_how_it_becomes_ones_own(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "all.csv"
    file.write_text("subject,topic,fact\nAna,name,The user's name is Ana.\nAna,pets,Ana has two cats.\n")
    done = shell("memory", "import", str(file), "--yes")
    assert done.returncode == 0 and "Ana isn't taken to be you yet: “my name is Ana” in a chat" in done.stderr
    file.write_text("subject,topic,fact\nBen,name,Ben is a rare name.\nBen,pets,Ben has two cats.\n")
    assert "taken to be you" not in shell("memory", "import", str(file), "--yes", "--user", "ben").stderr
