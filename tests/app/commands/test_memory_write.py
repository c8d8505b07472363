"""`chatmem memory add` and `import`: what is known is said to be, what is bad fails, a look changes nothing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from chatmem.memory.store.store import Store
from tests.app.shell import Shell


def test_a_known_fact_is_not_shown_as_new(shell: Shell) -> None:
    assert shell("memory", "add", "Ana sails.").stdout == "+ Ana sails.  #1\n"
    done = shell("memory", "add", "ana sails!", "--topic", "sports", "--date", "2026-05")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "That is known already as #1; chatmem memory edit 1 changes it.\n"
    (known,) = shell.json("memory", "add", "Ana sails")
    (new,) = shell.json("memory", "add", "Ana rows")
    assert (known["known"], known["memory_id"], new["known"], new["memory_id"]) == (True, 1, False, 2)


def test_a_fact_that_came_back_with_an_export_is_known(shell: Shell, tmp_path: Path) -> None:
    shell("memory", "add", "Ana sails.")
    assert shell("memory", "export", str(tmp_path / "ana.json")).returncode == 0
    other = Shell(tmp_path / "other")
    assert other("memory", "import", str(tmp_path / "ana.json"), "--yes").returncode == 0
    assert "known already as #1" in other("memory", "add", "ana sails").stderr


def test_an_export_to_a_pipe_is_refused_before_it_is_asked_about(shell: Shell, tmp_path: Path) -> None:
    shell("memory", "add", "Ana sails.")
    pipe = tmp_path / "pipe.json"
    os.mkfifo(pipe)
    assert "leave FILE out to write to stdout" in shell.fails("memory", "export", str(pipe))
    assert pipe.is_fifo()


def users(shell: Shell) -> list[str]:
    with Store.open(shell.db) as store:
        return [user.name for user in store.users.all()]


@pytest.mark.parametrize(
    ("rows", "code"),
    [(["Ana,,"], 1), (["Ana,,", "Ana,Ana rows.,"], 0), (["Ana,,", "Ana,Ana sails.,"], 0), ([], 0)],
    ids=["all bad", "some new", "some known", "none"],
)
def test_an_import_of_bad_records_alone_fails(shell: Shell, tmp_path: Path, rows: list[str], code: int) -> None:
    shell("memory", "add", "Ana sails.", "--subject", "Ana")
    file = tmp_path / "facts.csv"
    file.write_text("\n".join(["subject,fact,topic", *rows]))
    assert shell("memory", "import", str(file), "--yes").returncode == code


def test_a_preview_makes_nobody(shell: Shell, tmp_path: Path) -> None:
    shell("memory", "add", "Ana sails.", "--user", "ana")
    file = tmp_path / "facts.csv"
    file.write_text("subject,fact\nAna,Ana rows.\n")
    done = shell("memory", "import", str(file), "--preview", "--user", "anna")
    assert done.returncode == 0 and "new: 1 memory" in done.stderr and "'anna'" in done.stderr
    shell.fails("memory", "import", str(tmp_path / "none.csv"), "--user", "anna")
    assert users(shell) == ["ana"]
    assert shell("memory", "import", str(file), "--yes", "--user", "anna").returncode == 0
    assert users(shell) == ["ana", "anna"]


MISTYPED = (
    "memory undo", "memory redo", "memory forget 1 --yes", "memory edit 1 --fact x", "memory delete 1", "memory pin 1",
    "memory passages", "memory reembed", "tidy", "tidy --undo", "sessions rename 1 x", "sessions delete 1 --yes",
    "backup copy.bak", "memory list", "memory reembed --status",
)  # fmt: skip


@pytest.mark.parametrize("words", MISTYPED)
def test_what_changes_only_what_is_there_makes_no_database(shell: Shell, tmp_path: Path, words: str) -> None:
    mistyped = tmp_path / "no folder" / "x.db"
    assert "check the name" in shell.fails("--db", str(mistyped), *words.split())
    assert not mistyped.parent.exists() and not Path("copy.bak").exists()
    if words != "memory list":
        assert "start with `chatmem chat`" in shell.fails(*words.split())
    assert "give a file's path" in shell.fails("--db", "postgres://x", *words.split())
