"""The server through its API: documented, fair to twenty people at once, and each with their own memory alone."""

from __future__ import annotations

import contextlib
import gc
import http.client
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from chatmem.app.cli import main
from chatmem.app.web import command
from chatmem.app.web.server import UNWATCHED
from chatmem.memory.errors import StoreLocked
from chatmem.memory.store.store import Store
from tests.app.web.conftest import CROWD, PASSWORDS, PATIENCE, PEOPLE, Served
from tests.clock import set_clock

ROOT = Path(__file__).resolve().parents[3]
# gradio_client leaves sockets open at its end, which is no matter of the server.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning")


@pytest.fixture(autouse=True)
def _swept() -> Iterator[None]:
    """What a client leaves open is swept here, not in another module's test."""
    yield
    gc.collect()


def client(place: Served, name: str | None = None, password: str = "") -> Any:
    """A program's way in."""
    api = pytest.importorskip("gradio_client")
    auth = (name, password or PASSWORDS[name]) if name else None
    made = api.Client(place.url, auth=auth, verbose=False, analytics_enabled=False, download_files=False,
                      httpx_kwargs={"timeout": PATIENCE / 1_000})  # fmt: skip
    return contextlib.closing(made)


def get(place: Served, path: str, **headers: str) -> tuple[int, Mapping[str, str]]:
    """Status and headers of a page."""
    host = urlsplit(place.url)
    connection = http.client.HTTPConnection(host.hostname or "", host.port)
    with contextlib.closing(connection):
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}


def test_a_program_talks_sees_corrects_undoes_and_forgets(local: Served) -> None:
    local.tell(set={"gated": False, "says": ["Nice ", "to ", "meet ", "you."]})
    local.forget("me")
    with client(local) as chatmem:
        assert chatmem.predict("fact: I have two cats.", api_name="/chat") == "Nice to meet you."
        while not (memories := chatmem.predict(api_name="/memories")):
            time.sleep(0.05)
        [memory] = memories
        assert memory["fact"] == "I have two cats."
        edited = chatmem.predict(memory["id"], "I have three cats.", api_name="/edit")
        assert chatmem.predict("cats", api_name="/memories")[0]["fact"] == "I have three cats."
        chatmem.predict(edited["id"], api_name="/undo")
        rows = chatmem.predict("SELECT fact FROM memory", api_name="/sql")["rows"]
        assert rows == [["I have two cats."]]
        asked = chatmem.predict("please forget that I have two cats", api_name="/chat")
        assert "Erase this for good?" in asked and "two cats" in asked
        assert "all stays as it was" in chatmem.predict("no", api_name="/chat")
        chatmem.predict("what pets do I have?", api_name="/chat")
        assert chatmem.predict(api_name="/why")["rows"][0]["memory"]["fact"] == "I have two cats."
        with pytest.raises(Exception, match="yes=True"):
            chatmem.predict(memory["id"], api_name="/forget")
        chatmem.predict(memory["id"], yes=True, api_name="/forget")
        assert chatmem.predict(api_name="/memories") == []
        assert "cats" not in chatmem.predict("csv", api_name="/export")
        with pytest.raises(Exception, match="refused"):
            chatmem.predict("DELETE FROM memory", api_name="/sql")


def test_every_endpoint_says_what_it_does(local: Served) -> None:
    with client(local) as chatmem:
        told = chatmem.view_api(print_info=False, return_format="dict")["named_endpoints"]
    assert {"/chat", "/memories", "/remember", "/edit", "/forget", "/undo", "/why", "/sql", "/export"} <= set(told)
    assert not [name for name, one in told.items() if not (one.get("description") or "").strip()]
    assert not [name for name in told if name.startswith(("/lambda", "/tick", "/look", "/act"))]


def test_the_page_loads_nothing_from_elsewhere_and_answers_only_to_its_own_name(local: Served) -> None:
    status, headers = get(local, "/")
    assert status == 200
    assert "default-src 'self'" in headers["content-security-policy"]
    assert get(local, "/", Host="evil.example")[0] == 400


def test_the_page_is_not_blank_before_its_scripts_have_come(local: Served, browser: Any) -> None:
    window = browser.new_page()
    window.route("**/*.js", lambda route: route.abort())
    window.goto(local.url)
    told = window.evaluate("getComputedStyle(document.querySelector('gradio-app'), '::before').content")
    assert "chatmem is opening" in told
    window.wait_for_function("performance.getEntriesByName('first-contentful-paint').length == 1")
    window.close()


def test_a_script_that_gets_into_the_page_does_not_run(page: Any) -> None:
    page.evaluate("""async () => {
      const ends = (one, how) => new Promise(done => one.addEventListener(how, done));
      document.querySelector('#chat').insertAdjacentHTML('beforeend', '<img src="x" onerror="window.ran = 1">');
      const failed = ends(document.querySelector('#chat').lastElementChild, 'error');
      const script = document.createElement('script');
      script.textContent = 'window.ran = 2';
      document.body.append(script);
      const frame = document.createElement('iframe');
      frame.srcdoc = '<script>parent.ran = 3</scr' + 'ipt>';
      const loaded = ends(frame, 'load');
      document.body.append(frame);
      await Promise.all([failed, loaded]);
    }""")
    assert page.evaluate("window.ran") is None


def test_no_table_of_events_is_drawn_up_for_a_page_of_figures_that_is_shut(monkeypatch: pytest.MonkeyPatch) -> None:
    queueing = pytest.importorskip("gradio.queueing")
    for name, value in UNWATCHED.items():
        monkeypatch.setenv(name, value)
    queue = queueing.Queue(False, 1, 0.05, None, None)
    queue.events_recorded = 1_000_000
    assert (
        queue.compute_analytics_summary([{"function": "f", "status": "success", "process_time": 1.0}])["functions"]
        == {}
    )
    assert queue.ANALYTICS_MAX_EVENTS == 1


def test_only_who_has_the_password_comes_in(shared: Served) -> None:
    for name, password in (("ana", "wrong password"), ("eve", "nori and wasabi"), ("ben", PASSWORDS["ana"])):
        with pytest.raises(Exception, match=r"(?i)auth|credential|login"):
            client(shared, name, password)
    assert get(shared, "/config")[0] == 401


def test_two_people_never_see_each_other(shared: Served) -> None:
    shared.forget(*PASSWORDS)
    with client(shared, "ana") as ana, client(shared, "ben") as ben:
        ben.session_hash = ana.session_hash  # whatever a program calls its window
        ana.predict("fact: Ana's code is 1234.", api_name="/chat")
        while not (memories := ana.predict(api_name="/memories")):
            time.sleep(0.05)
        write = ana.predict(api_name="/journal")[-1]["id"]
        assert ben.predict(api_name="/memories") == []
        assert ben.predict(api_name="/sessions") == []
        for name, key in (("/edit", memories[0]["id"]), ("/pin", memories[0]["id"]), ("/undo", write)):
            with pytest.raises(Exception, match="there is no"):
                ben.predict(key, *(["x"] if name == "/edit" else []), api_name=name)
        for endpoint in ("/journal", "/export"):
            assert "1234" not in str(ben.predict(api_name=endpoint))
        assert "1234" not in str(ben.predict("SELECT * FROM memory", api_name="/sql"))
        assert "sign in under another name" in ben.predict("/user ana", api_name="/chat")


def test_twenty_people_at_once_are_served_in_turn_and_each_memory_is_intact(shared: Served) -> None:
    before = len(shared.tell(set={"delay": 0.02})["begun"])
    with ThreadPoolExecutor(PEOPLE) as pool:
        clients = [each.thing for each in pool.map(lambda n: client(shared, f"p{n}", CROWD), range(PEOPLE))]
        begin = time.perf_counter()

        def talk(number: int) -> float:
            for line in range(2):
                said = clients[number].predict(f"fact: p{number} has the number {line}.", api_name="/chat")
                assert said == "Nice to meet you."
            return time.perf_counter() - begin

        seconds = sorted(pool.map(talk, range(PEOPLE)))
        wanted = {n: {f"p{n} has the number {line}." for line in range(2)} for n in range(PEOPLE)}
        deadline = time.monotonic() + 20
        found: dict[int, set[str]] = {}
        while found != wanted and time.monotonic() < deadline:
            found = {n: {row["fact"] for row in one.predict(api_name="/memories")} for n, one in enumerate(clients)}
        for _ in pool.map(lambda one: one.close(), clients):
            """Each waits a second for the thread that keeps it alive, so all do at once."""
    assert found == wanted
    counts = shared.tell()
    begun = [name for name in counts["begun"][before:] if name.startswith("p")]
    assert counts["most"] <= 4 and counts["most_working"] <= 4  # looking up and storing take a seat as well
    assert sorted(begun) == sorted([f"p{n}" for n in range(PEOPLE)] * 2)
    first = begun[: PEOPLE // 2]
    # nobody has a second reply while others wait for their first; on a busy machine a question may come late
    assert len(set(first)) >= len(first) - 2
    print(f"{PEOPLE} people, two lines each: first done after {seconds[0]:.1f} s, last after {seconds[-1]:.1f} s")


def test_the_docs_name_the_endpoints_that_there_are(local: Served) -> None:
    with client(local) as chatmem:
        told = set(chatmem.view_api(print_info=False, return_format="dict")["named_endpoints"])
    page = (ROOT / "docs" / "web.md").read_text()
    assert set(re.findall(r"`(/[a-z]+)`", page.partition("| endpoint |")[2])) == told


def test_a_database_that_is_locked_from_the_start_is_told_and_served_when_it_is_free(tmp_path: Path) -> None:
    path = tmp_path / "chat.db"
    Store.open(path).close()
    blocker = sqlite3.connect(path, isolation_level=None)
    blocker.execute("PRAGMA locking_mode=EXCLUSIVE")
    blocker.execute("BEGIN EXCLUSIVE")
    home = {name: value for name, value in os.environ.items() if not name.startswith("CHATMEM")}
    program = subprocess.Popen(
        [sys.executable, "-m", "chatmem", "web", "--port", "0", "--db", str(path)], stderr=subprocess.PIPE, text=True,
        env=home | {"CHATMEM_HOME": str(tmp_path), "CHATMEM_BUSY_SECONDS": "0"}, cwd=ROOT,
    )  # fmt: skip
    assert program.stderr is not None
    try:
        told = [program.stderr.readline(), program.stderr.readline()]
        assert told[0] == "Starting ...\n"
        assert "is in use by another program" in told[1] and "opens when it is free" in told[1]
        blocker.close()
        told = [program.stderr.readline()]
        assert told[0].startswith("chatmem is at http://127.0.0.1:")
    finally:
        program.send_signal(signal.SIGINT)
        assert "Bye." in program.communicate(timeout=60)[1]
        blocker.close()


def test_a_port_that_is_taken_is_told_once_and_makes_no_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CHATMEM_HOME", str(tmp_path))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["web", "--port", str(port)]) == 1
    told = capsys.readouterr().err
    assert "choose another with --port" in told and told.count(str(port)) == 1
    assert not list(tmp_path.rglob("*.db"))


def test_a_database_that_stays_locked_is_told_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tries: list[float] = []
    set_clock(monkeypatch, command, sleep=tries.append)

    class Busy:
        def open_store(self, *, search: bool) -> str:
            if len(tries) < 3:
                raise StoreLocked("chat.db is in use.")
            return "the store"

    assert command._opened(Busy()) == "the store"  # type: ignore[arg-type, comparison-overlap]
    assert tries == [command.RETRY_SECONDS] * 3
    assert capsys.readouterr().err.count("chat.db is in use. The page opens when it is free") == 1
