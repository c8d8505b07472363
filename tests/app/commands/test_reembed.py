"""`chatmem memory reembed`: progress, a kill in the middle, the next run; what doctor and search say."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from chatmem.memory.store.store import Store
from chatmem.memory.store.vector_upkeep import LOOKED_AT
from chatmem.models.embedder.choose import choose, ready
from chatmem.models.embedder.minilm import DEFAULT_FILE
from tests.app.shell import PROGRAM, Shell
from tests.models.embedder.test_embedding_endpoint import Embeddings, data, serving

LINES = 60


@pytest.fixture(scope="module")
def running() -> Iterator[Embeddings]:
    with serving() as told:
        yield told


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    made = Shell(tmp_path)
    made.db.parent.mkdir(parents=True)
    with Store.open(made.db) as store:
        user = store.users.get("me")
        session = store.sessions.start(user.id)
        for number in range(LINES):
            store.turns.add(session.id, "User", f"On day {number} I bought {number} kites.")
    return made


def env(server: Embeddings) -> dict[str, str]:
    return {"CHATMEM_EMBEDDER": "openai:m", "OPENAI_BASE_URL": server.url, "CHATMEM_ENDPOINT_SECONDS": "30"}


def made(shell: Shell) -> int:
    """How many vectors of the endpoint's there are."""
    with sqlite3.connect(shell.db) as db:
        return int(db.execute("SELECT count(*) FROM vectors WHERE model LIKE 'openai:%'").fetchone()[0])


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_kill_in_the_middle_loses_nothing_and_the_next_run_goes_on(
    shell: Shell, running: Embeddings, how: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = threading.Event()
    running.answer = lambda texts: data(texts) if made(shell) < 20 or gone.wait(60) else 500
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("CHATMEM", "OPENAI"))}
    command = [sys.executable, str(PROGRAM), "memory", "reembed"]
    with subprocess.Popen(
        command, env={**clean, "CHATMEM_HOME": str(shell.home), **env(running)}, stderr=subprocess.PIPE, text=True
    ) as process:
        end = time.monotonic() + 90
        while made(shell) < 8 and process.poll() is None and time.monotonic() < end:
            time.sleep(0.02)
        process.send_signal(how)
        _, told = process.communicate(timeout=90)
        gone.set()
    assert process.returncode and "Traceback" not in told
    some = made(shell)
    assert 8 <= some < LINES, told
    running.answer, running.seen = data, []
    monkeypatch.setenv("OPENAI_BASE_URL", running.url)
    with Store.open(shell.db, embedder=choose("openai:m")) as store:
        assert ready(store.reembedding.run) == 0  # the encoder may take its time to load
    assert made(shell) == LINES
    asked = sum(one.count("kites") for texts in running.seen for one in texts)
    assert asked == LINES - some + LOOKED_AT  # nothing twice, but for those that show whose vectors they are


def sets(shell: Shell, embedder: str) -> None:
    file = shell.home / "config" / "config.toml"
    file.parent.mkdir(exist_ok=True)
    file.write_text(f'embedder = "{embedder}"\n')


def test_the_embedded_encoder_is_kept_beside_another_until_others_are_dropped(shell: Shell) -> None:
    assert shell.json("memory", "reembed")["done"] == LINES
    sets(shell, f"gguf:{DEFAULT_FILE}")
    status = shell.json("memory", "reembed", "--status")
    assert status["left"] == LINES and [one["vectors"] for one in status["kept"]] == [LINES]
    told = shell("doctor").stdout
    assert f"{LINES} memories and passages have none of this encoder; {LINES} of other encoders are kept" in told
    again = shell("memory", "reembed")
    assert again.returncode == 0 and again.stderr.endswith("All that is remembered has its vector.\n")
    sets(shell, "embedded")
    assert shell.json("memory", "reembed")["done"] == 0  # back again without work
    found = shell.json("memory", "reembed", "--drop-others")
    assert found["dropped"] == LINES and [one["encoder"] for one in found["kept"]] == ["all-minilm-l6-v2.Q8_0"]


def test_a_missing_encoder_is_one_sentence_and_search_goes_by_words(shell: Shell) -> None:
    sets(shell, "gguf:/no/such.gguf")
    says = "There is no encoder at /no/such.gguf; put the file there, or set `embedder` to another.\n"
    found = shell("memory", "search", "7 kites")
    assert found.returncode == 0 and "On day 7 I bought 7 kites." in found.stdout
    assert found.stderr == f"By words alone: {says}"
    assert shell("memory", "reembed").stderr.endswith(f"chatmem: {says}")
    assert says.strip() in shell("doctor").stdout
    sets(shell, "word2vec")
    wrong = shell("memory", "search", "kites")
    assert wrong.returncode == 2
    assert "names no encoder; write embedded, gguf:PATH, openai:NAME or hf:NAME" in wrong.stderr
