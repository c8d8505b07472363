"""A house, or a page that is served by a process of its own, with scripted models; and a browser to drive it."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from chatmem.app.accounts import add
from chatmem.memory.store import Store

from .places import Place, make_place

FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip
PASSWORDS = {"ana": "nori and wasabi", "ben": "a boat named Nele"}
PEOPLE, CROWD = 20, "the same password"
PROGRAM = Path(__file__).with_name("serve.py")


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    made = make_place(tmp_path)
    yield made
    made.house.close()


@dataclass
class Served:
    """A page at `url`; `store` is its database, seen from here."""

    url: str
    store: Store
    process: subprocess.Popen[str]

    def tell(self, **order: Any) -> dict[str, Any]:
        """`set={...}` changes the knobs, `release=3` lets three words out; the counts."""
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(json.dumps(order) + "\n")
        self.process.stdin.flush()
        counts: dict[str, Any] = json.loads(self.process.stdout.readline())
        return counts

    def forget(self, *names: str) -> None:
        """What earlier tests said is gone."""
        for name in names:
            self.store.forget_user(self.store.user(name).id)


def served(folder: Path, *, seats: int = 4) -> Iterator[Served]:
    if importlib.util.find_spec("gradio") is None:
        pytest.skip("the page needs the extra web: pip install 'chatmem[web]'")
    env = os.environ | {"CHATMEM_HOME": str(folder), "GRADIO_ANALYTICS_ENABLED": "False"}
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, str(PROGRAM), str(folder), str(seats)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=log, text=True, env=env,
        )  # fmt: skip
    assert process.stdin and process.stdout
    url = process.stdout.readline().strip()
    assert url, (folder / "log").read_text()
    store = Store.open(folder / "chat.db")
    try:
        yield Served(url, store, process)
    finally:
        store.close()
        process.stdin.close()
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()


@pytest.fixture(scope="session")
def local(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A page for one local user."""
    yield from served(tmp_path_factory.mktemp("local"))


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A page that `PASSWORDS` and a crowd (p0, p1, ...) sign in to; four replies at once."""
    folder = tmp_path_factory.mktemp("shared")
    for number in range(PEOPLE):
        add(folder / "users.json", f"p{number}", CROWD)
    for name, password in PASSWORDS.items():
        add(folder / "users.json", name, password)
    yield from served(folder)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A headless Chromium with an empty profile."""
    api = pytest.importorskip("playwright.sync_api", reason="no playwright here: pip install playwright")
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("no Chromium here: apt install chromium")
    with tempfile.TemporaryDirectory() as home, api.sync_playwright() as playwright:
        found = playwright.chromium.launch(
            executable_path=program, headless=True, args=list(FLAGS), env=os.environ | {"HOME": home}
        )
        yield found
        found.close()
