"""A house, or a page that is served by a process of its own, with scripted models; and a browser to drive it."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from chatmem.app.admin.accounts import add
from chatmem.memory.store.store import Store
from tests.app import warm
from tests.app.web.places import Place, make_place
from tests.effort import times
from tests.order import drives

FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip
PASSWORDS = {"ana": "nori and wasabi", "ben": "a boat named Nele"}
PEOPLE, CROWD = times(20, 8), "the same password"
LINE = "#line textarea"
SHORT = 40
"""Bytes of a temporary folder's path that leave room for what a browser makes in it."""
PATIENCE = 60_000
"""Milliseconds that a browser is given for anything, on a machine that has other work."""
AT_ONCE = 3_000
"""Milliseconds for what opens by a click, before it is clicked again."""
KEPT_BY_PAGES = "cookies,local_storage,indexeddb,file_systems,service_workers,websql,interest_groups"
"""All but the caches of scripts."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What drives a browser is tried a second time, and the summary tells which was: its clock isn't ours."""
    for item in items:
        if drives(item):
            item.add_marker(pytest.mark.flaky(reruns=1))


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
            self.store.forget.user(self.store.users.get(name).id)


def served(folder: Path, *names: str, seats: int = 4) -> Iterator[Served]:
    if importlib.util.find_spec("gradio") is None:
        pytest.skip("the page needs the extra web: pip install 'chatmem[web]'")
    env = os.environ | {"CHATMEM_HOME": str(folder), "GRADIO_ANALYTICS_ENABLED": "False"}
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(
            [*warm.command("tests.app.web.serve"), str(folder), str(seats), *names], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=log, text=True, env=env,
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


def _chromium() -> tuple[Any, str]:
    """Playwright's door, and the browser that is installed here."""
    api = pytest.importorskip("playwright.sync_api", reason="no playwright here: pip install playwright")
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("no Chromium here: apt install chromium")
    return api, program


def _surroundings(home: str) -> dict[str, str]:
    return os.environ | {"HOME": home, "TMPDIR": home}


@dataclass
class Driven:
    """Playwright, and a home for its browsers, where the sockets and the profiles that it makes lie too."""

    playwright: Any
    program: str
    home: str
    end: ExitStack

    kept: set[str] = field(default_factory=set)

    @cached_property
    def browser(self) -> Any:
        """A headless Chromium with an empty profile; the windows of a site share a process, and so their scripts."""
        found = self.playwright.chromium.launch(
            executable_path=self.program, headless=True, args=[*FLAGS, "--process-per-site"],
            env=_surroundings(self.home),
        )  # fmt: skip
        self.end.callback(found.close)
        return found

    @cached_property
    def tabs(self) -> Any:
        """What the windows of all tests share, which is what their scripts are kept in: each would else fetch, unpack
        and compile megabytes of them again."""
        return self.browser.new_context(viewport={"width": 1280, "height": 800})

    def keep(self, url: str) -> None:
        """Opens a window that stays, and with it the process of the site."""
        if url not in self.kept:
            self.tabs.new_page().goto(f"{url}/theme.css")
            self.kept.add(url)


_at_work: list[Driven] = []


def driven() -> Driven:
    """The one for all tests of the page: it starts with the first that needs it, and anew where its browser died."""
    if _at_work and not _at_work[0].browser.is_connected():
        _at_work.pop().end.close()
    if not _at_work:
        api, program = _chromium()
        end = ExitStack()
        # the path of a socket has at most 107 bytes, whatever TMPDIR is
        short = "/tmp" if len(os.fsencode(tempfile.gettempdir())) > SHORT and os.path.isdir("/tmp") else None
        home = end.enter_context(tempfile.TemporaryDirectory(dir=short))
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("TMPDIR", home)
            started = api.sync_playwright().start()
        end.callback(started.stop)
        _at_work.append(Driven(started, program, home, end))
    return _at_work[0]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> Iterator[None]:
    """Ends it after the last of these tests: its event loop would be in the way of others."""
    yield
    if _at_work and (nextitem is None or not drives(nextitem)):
        _at_work.pop().end.close()


@pytest.fixture
def browser() -> Any:
    return driven().browser


@pytest.fixture
def tabs(browser: Any) -> Any:
    return driven().tabs


@pytest.fixture(scope="module")
def profile() -> Iterator[Any]:
    """A Chromium as people use it, with a profile of its own: what Playwright opens else sends no third-party cookies.

    Names that end in .example are this machine.
    """
    playwright, program, home = driven().playwright, driven().program, Path(driven().home, "p")
    settings = home / "Default" / "Preferences"
    settings.parent.mkdir(parents=True)
    settings.write_text(json.dumps({"profile": {"cookie_controls_mode": 0}}))
    found = playwright.chromium.launch_persistent_context(
        str(home), executable_path=program, headless=True, ignore_https_errors=True, env=_surroundings(str(home)),
        args=[*FLAGS, "--host-resolver-rules=MAP *.example 127.0.0.1"],
    )  # fmt: skip
    found.set_default_timeout(PATIENCE)
    yield found
    found.close()


def loaded(window: Any) -> None:
    """Waits until the page can be talked to; where it never can, tells what is shown instead."""
    heard: list[str] = []
    window.on("console", lambda told: heard.append(told.text))
    try:
        window.wait_for_selector(LINE)
    except Exception as error:
        error.add_note(f"{window.url} shows {window.inner_text('body')[:500]!r}, and its console {heard[-5:]}")
        raise


@pytest.fixture
def page(local: Served, tabs: Any) -> Iterator[Any]:
    """A fresh window of the local user, with nothing remembered; the browser too has nothing of the one before."""
    local.tell(set={"gated": False, "delay": 0.0, "storing": 0.0, "says": ["Nice ", "to ", "meet ", "you."]})
    local.forget("me")
    driven().keep(local.url)
    window = tabs.new_page()
    tabs.new_cdp_session(window).send(
        "Storage.clearDataForOrigin", {"origin": local.url, "storageTypes": KEPT_BY_PAGES}
    )
    window.set_default_timeout(PATIENCE)
    asked: list[str] = []
    window.on("requestfinished", lambda request: asked.append(request.url))  # one that is blocked is not finished
    window.goto(local.url)
    loaded(window)
    window.wait_for_selector("#status b")
    yield window
    window.close()
    tabs.clear_permissions()
    assert not [url for url in asked if not url.startswith((local.url, "data:", "blob:"))]


def done(window: Any) -> None:
    """Waits until no reply is being written: what is sent before is refused, and the buttons beside a line are shut."""
    window.wait_for_selector("#send:visible")


def say(window: Any, text: str) -> None:
    """Sends a line, once the reply before it has ended."""
    done(window)
    window.fill(LINE, text)
    window.press(LINE, "Enter")


def incognito(window: Any, told: str) -> None:
    """Ticks or unticks the box once the settings are shown, and waits until the page tells what holds."""
    window.get_by_role("tab", name="Settings").click()
    see(window, "#models", "scripted")
    window.click("#incognito input")
    see(window, "#status", told)


def edit(window: Any, text: str | None = None) -> None:
    """Opens the line for editing and, with a `text`, sends that in its place.

    What an event before it draws may come later, and shut the line or bring the old text back; then it is done again,
    as a person would.
    """
    too_slow = _chromium()[0].TimeoutError
    for _ in range(10):
        done(window)
        window.click("#chat button[aria-label=Edit]")
        with suppress(too_slow):
            window.wait_for_selector("#chat textarea", timeout=AT_ONCE)
            if text is not None:
                window.fill("#chat textarea", text, timeout=AT_ONCE)
                window.click("#chat button[aria-label=Submit]", timeout=AT_ONCE)
                window.wait_for_selector(f"#chat [data-testid=user] >> text={text}", timeout=AT_ONCE)
                return
            window.wait_for_timeout(300)
            if window.locator("#chat textarea").count():
                return
    raise AssertionError("the line does not open")


def see(window: Any, place: str, text: str) -> None:
    """Waits until a text is shown at a place."""
    window.wait_for_function(
        "([place, text]) => [...document.querySelectorAll(place)].some(e => e.innerText.includes(text))",
        arg=[place, text],
    )


def gone(window: Any, place: str, text: str) -> None:
    window.wait_for_function(
        "([place, text]) => ![...document.querySelectorAll(place)].some(e => e.innerText.includes(text))",
        arg=[place, text],
    )


def before(window: Any, first: str, then: str) -> None:
    """Waits until both texts are in the talk, one before the other."""
    window.wait_for_function(
        "([first, then]) => { const told = (document.querySelector('#chat')?.innerText || '');"
        " return told.includes(first) && told.indexOf(first) < told.indexOf(then) }",
        arg=[first, then],
    )


def reads(window: Any, place: str, wanted: str) -> str:
    """Waits until the first at a place holds just these words; its text."""
    window.wait_for_function(
        "([place, wanted]) => { const at = document.querySelector(place);"
        " return at && at.innerText.split(/\\s+/).join(' ').trim() === wanted }",
        arg=[place, " ".join(wanted.split())],
    )
    return str(window.inner_text(place))


def counts(window: Any, place: str, number: int) -> None:
    """Waits until there are so many at a place."""
    window.wait_for_function(
        "([place, number]) => document.querySelectorAll(place).length === number", arg=[place, number]
    )
