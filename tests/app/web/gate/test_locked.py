"""The page of an encrypted memory locks when nobody is there, and opens with the passphrase alone."""

from __future__ import annotations

import json
import subprocess
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.app import warm
from tests.extras import needed

needed("gradio", "the page is an extra")

pytest.importorskip("sqlcipher3")
WORDS = "four words are enough"
FORM = 'id="locked"'


@dataclass
class Page:
    url: str
    tick: int
    process: subprocess.Popen[str]

    def at(self, minutes: float) -> dict[str, Any]:
        """What the server holds at that minute."""
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(f"{minutes}\n")
        self.process.stdin.flush()
        told: dict[str, Any] = json.loads(self.process.stdout.readline())
        return told

    def ask(
        self, path: str, body: bytes | None = None, kind: str = "application/json", **headers: str
    ) -> tuple[int, str]:  # fmt: skip
        asked = urllib.request.Request(f"{self.url}{path}", body, {"content-type": kind, **headers})
        try:
            with urllib.request.urlopen(asked, timeout=20) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()

    def unlock(self, words: str, headers: Mapping[str, str] | None = None) -> tuple[int, str]:
        body = urllib.parse.urlencode({"passphrase": words}).encode()
        return self.ask("/unlock", body, "application/x-www-form-urlencoded", **(headers or {}))

    def send(self, event: int) -> int:
        told = {"data": [], "fn_index": event, "session_hash": "one"}
        return self.ask("/gradio_api/queue/join", json.dumps(told).encode())[0]


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    """For each test its own: what the clock says, it can't take back."""
    with (tmp_path / "log").open("w") as log:
        process = subprocess.Popen(
            [*warm.command("tests.app.web.serve_locked"), str(tmp_path / "a.db"), WORDS],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True,
        )  # fmt: skip
    assert process.stdin and process.stdout
    first = process.stdout.readline()
    assert first, (tmp_path / "log").read_text()
    url, (tick,) = json.loads(first)
    yield Page(url, tick, process)
    process.stdin.close()
    try:
        process.wait(15)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    process.stdout.close()


def test_an_idle_page_locks_drops_key_and_connections_and_opens_with_the_passphrase(page: Page) -> None:
    status, shown = page.ask("/")
    assert status == 200 and FORM not in shown
    assert not page.at(10)["locked"]
    assert page.send(page.tick) == 200, "a window's tick is nobody"
    assert page.at(15) == {"locked": True, "key": False, "open": False, "windows": 0}
    for path in ("/config", "/gradio_api/info", "/mcp"):
        assert page.ask(path)[0] == 423, "nothing is behind a locked page"
    assert page.send(page.tick) == 423
    status, shown = page.ask("/")
    assert status == 200 and FORM in shown and "Zimbarella" not in shown
    for wrong in ("wrong words", ""):
        status, shown = page.unlock(wrong)
        assert status == 400 and FORM in shown and 'role="alert"' in shown and "wrong words" not in shown
    assert page.at(16)["open"] is False
    assert page.unlock(WORDS, {"origin": "https://evil.example"})[0] == 403
    status, shown = page.unlock(WORDS)
    assert status == 200 and FORM not in shown, "and on to the page"
    assert page.at(30) == {"locked": False, "key": True, "open": True, "windows": 0}
    other = next(one for one in range(200) if one != page.tick)
    assert page.send(other) == 200, "somebody did something"
    assert not page.at(44)["locked"]


def test_a_window_that_shows_the_memory_shows_a_form_instead(page: Page, browser: Any) -> None:
    page.at(100)
    page.unlock(WORDS)
    window = browser.new_page()
    window.goto(page.url)
    window.get_by_text("Zimbarella is a cat.").first.wait_for()
    minutes = iter(range(200, 2_000, 20))
    while not page.at(next(minutes))["locked"]:  # what the window still asked for shows that somebody is there
        window.wait_for_timeout(200)
    window.locator("#locked").wait_for()
    assert "Zimbarella" not in window.content()
    window.get_by_label("Passphrase").fill(WORDS)
    window.get_by_role("button", name="Open").click()
    window.get_by_text("Zimbarella is a cat.").first.wait_for()
    window.close()
