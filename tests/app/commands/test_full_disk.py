"""A full disk: one sentence that says so, exit code 1, and nothing lost that was acknowledged."""

from __future__ import annotations

import errno
import json
import logging
import os
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from chatmem.app.config.failures import explain
from chatmem.app.config.logs import LogFile
from chatmem.app.line.ctrl_c import Presses
from chatmem.app.line.input import make_prompt
from chatmem.memory.database.disk_full import says_full

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = Path(__file__).with_name("tiny_disk.py")
FULL = "the disk is full"
needs_dev_full = pytest.mark.skipif(not os.access("/dev/full", os.W_OK), reason="there is no /dev/full here")
NO_GROWTH = """
import resource, sys
from pathlib import Path
from chatmem.memory.errors import StoreFull
from chatmem.memory.store.store import Store
path = Path(sys.argv[1])
with Store.open(path) as store:
    user = store.users.get("ana")
    session = store.sessions.start(user.id)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, 2_000_000))
    kept = []
    try:
        for number in range(10_000):
            kept.append(store.turns.add(session.id, "Ana", f"line {number} " + "x" * 500).text)
    except StoreFull as error:
        print(error)
    print(len(kept), [turn.text for turn in store.turns.of(session.id)] == kept, store.check())
"""


def can_mount() -> bool:
    if shutil.which("unshare") is None:
        return False
    probe = ["unshare", "-rm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
    return subprocess.run(probe, capture_output=True).returncode == 0


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """What `tiny_disk.py` printed."""
    if not can_mount():
        pytest.skip("a small disk can't be mounted here")
    folder = tmp_path_factory.mktemp("tiny") / "disk"
    folder.mkdir()
    command = ["unshare", "-rm", sys.executable, str(PROGRAM), str(folder)]
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("CHATMEM", "OPENAI"))}
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def runs(told: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [one for one in told if "words" in one and one["left"] is not None]


def test_each_command_says_in_one_sentence_that_the_disk_is_full(told: list[dict[str, Any]]) -> None:
    assert told[0]["fresh"]["code"] == 1 and FULL in told[0]["fresh"]["err"][0]
    failed = [one for one in runs(told) if one["code"]]
    assert len(failed) > 20
    for one in failed:
        preview = ("new: ", "known already: ", "left in the file: ")
        lines = [line for line in one["err"] if not line.startswith(preview)]
        assert one["code"] == 1 and len(lines) == 1, one
        assert lines[0].startswith("chatmem: ") and FULL in lines[0].lower(), one


def test_reading_goes_on(told: list[dict[str, Any]]) -> None:
    reads = [
        one for one in runs(told) if one["words"][0] in ("sql", "sessions") or one["words"][1] in ("list", "search")
    ]
    assert {one["left"] for one in reads} >= {0, 12, 40, 90}
    assert [one for one in reads if one["code"]] == []
    assert all("Ana has a dog." in one["out"] for one in reads if one["words"][0] != "sessions")


def test_what_was_acknowledged_is_there_and_what_failed_left_no_trace(told: list[dict[str, Any]]) -> None:
    facts = ["Ana has a dog."]
    for one in told:
        if one.get("words", ("", ""))[1] == "add" and one["left"] is not None and one["code"] == 0:
            facts.append(one["words"][2])
        if "files" in one:
            assert one["after"] == {"problems": [], "facts": facts, "lines": []}
            assert one["files"] == ["home"]  # no half of an export
    assert len(facts) > 1


def test_a_chat_goes_on_when_there_is_room_again(told: list[dict[str, Any]]) -> None:
    last = told[-1]
    assert last["chat"] == 1
    assert sum(FULL in line for line in last["err"]) in (2, 3)  # both lines that could not be kept; a write behind them
    mine = [line for line in last["after"]["lines"] if line.startswith("fact")]
    assert mine == ["fact: Ana sails.", "fact: Ana sings."]
    assert {"Ana sails.", "Ana sings."} <= set(last["after"]["facts"])
    assert last["after"]["problems"] == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="limits of a process are POSIX's")
def test_a_file_that_may_not_grow_any_further_says_so(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", NO_GROWTH, str(tmp_path / "a.db")], capture_output=True, text=True, cwd=ROOT, timeout=60
    )
    said, state = done.stdout.splitlines()
    assert "may not grow any further" in said
    count, same, problems = state.split(" ", 2)
    assert int(count) > 20 and same == "True" and problems == "[]", done.stderr


def test_a_full_disk_is_known_however_a_library_tells_it() -> None:
    """As when an adapter or its checkpoint is saved: safetensors and torch say so in words of their own."""
    plain = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    worded = RuntimeError("Error while serializing: I/O error: No space left on device (os error 28)")
    chained = RuntimeError("writing failed")
    chained.__cause__ = plain
    for error in (plain, worded, chained):
        sentence, code = explain(error, ["train"], {})
        assert (code, sentence.startswith("The disk is full")) == (1, True)
    assert not says_full(OSError(errno.EACCES, os.strerror(errno.EACCES)))


@needs_dev_full
def test_lines_typed_and_logs_that_find_no_room_end_no_chat(capsys: pytest.CaptureFixture[str]) -> None:
    history = make_prompt(Path("/dev/full"), Presses()).history
    for line in ("hello", "and more"):
        history.append_string(line)
    assert history.get_strings() == ["hello", "and more"]
    assert capsys.readouterr().err.count("can't be kept") == 1
    log = LogFile("/dev/full")
    log.emit(logging.LogRecord("chatmem", logging.ERROR, "", 0, "storing failed", None, None))
    assert capsys.readouterr().err == ""
    with suppress(OSError):  # what it still holds can't be written either
        log.stream.close()


@needs_dev_full
def test_output_that_can_not_be_written_is_told(tmp_path: Path) -> None:
    environment = os.environ | {"CHATMEM_HOME": str(tmp_path)}
    script = [sys.executable, str(ROOT / "tests" / "app" / "scripted_main.py"), "chat"]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            script, input=b"fact: Ana sails.\n", stdout=full, stderr=subprocess.PIPE, env=environment, timeout=60
        )
    assert (done.returncode, done.stderr.count(b"\n")) == (1, 1)
    assert b"The disk is full" in done.stderr
