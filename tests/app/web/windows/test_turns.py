"""One person's forty requests at once don't keep the others waiting."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from chatmem.app.admin.accounts import Accounts, add
from chatmem.app.web.windows.turns import TooMany, Turns
from chatmem.app.web.windows.windows import MOST_OF_ONE
from tests.app.web.conftest import Served, served
from tests.app.web.gate.test_sign_ins import sign_in
from tests.app.web.places import make_place

httpx2 = pytest.importorskip("httpx2")

SLOW = "SELECT count(*) AS slow FROM memory"
QUICK = "SELECT count(*) AS n FROM memory"


def test_few_of_one_person_are_at_work_and_others_are_free() -> None:
    turns, release, refused = Turns(at_once=3), threading.Event(), list[str]()

    def work(name: str) -> None:
        try:
            with turns.one(name):
                release.wait(10)
        except TooMany:
            refused.append(name)

    with ThreadPoolExecutor(16) as pool:
        for _ in range(8):
            pool.submit(work, "ana")
        while len(refused) < 5:
            time.sleep(0.01)
        with turns.one("ben"):
            pass
        release.set()
    assert refused == ["ana"] * 5
    with turns.one("ana"):
        pass


def test_heavy_work_of_one_person_is_done_one_by_one() -> None:
    turns, at_work, most = Turns(heavy_seconds=10), list[int](), list[int]()

    def work() -> None:
        with turns.heavy("ana"):
            at_work.append(1)
            most.append(len(at_work))
            time.sleep(0.01)
            at_work.pop()

    with ThreadPoolExecutor(8) as pool:
        for _ in range(8):
            pool.submit(work)
    assert most == [1] * 8
    impatient = Turns(heavy_seconds=0.05)
    with impatient.heavy("ana"), impatient.heavy("ben"), pytest.raises(TooMany), impatient.heavy("ana"):
        pass


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("turns")
    for name in ("ana", "ben"):
        add(folder / "users.json", name, "correct horse")
    yield from served(folder)


def ask(http: Any, query: str, **window: str) -> str:
    begun = http.post("/gradio_api/call/sql", json={"data": [query], **window})
    return http.get(f"/gradio_api/call/sql/{begun.json()['event_id']}").text if begun.is_success else begun.text


def test_forty_slow_queries_of_one_person_leave_another_served(place: Served) -> None:
    place.tell(set={"querying": 0.3})  # what the guard lets one cost
    place.forget("ana", "ben")
    with sign_in(place, "ana") as many, sign_in(place, "ben") as one, ThreadPoolExecutor(40) as pool:
        assert '"rows": [[0]]' in ask(one, QUICK, session_hash="one")
        alone = _seconds(one)
        jobs = [pool.submit(ask, many, SLOW) for _ in range(40)]
        time.sleep(0.5)
        beside = _seconds(one)
        busy = sum(not job.done() for job in jobs)
        told = [job.result() for job in jobs]
    assert busy, "the forty were done before anything was measured"
    later = sum("at once" in one for one in told)
    assert later and sum('"rows": [[0]]' in one for one in told) == 40 - later, told
    assert sorted(beside)[len(beside) // 2] < 2.0, (alone, beside)
    print(f"{later} of 40 were told to come later; 10 queries of another alone: {_told(alone)}")
    print(f"beside the forty: {_told(beside)}")


def test_an_event_and_a_stream_of_one_person_are_not_there_for_another(place: Served) -> None:
    place.store.facts.remember(place.store.users.get("ana").id, "Ana", "harbour", "Her harbour code is 4711.")
    with sign_in(place, "ana") as ana, sign_in(place, "ben") as ben:
        begun = ana.post("/gradio_api/call/memories", json={"data": ["harbour", 9]}).json()["event_id"]
        for path in (f"call/memories/{begun}", f"call/v2/memories/{begun}", f"call/chat/{begun}"):
            assert ben.get(f"/gradio_api/{path}").status_code == 404
        job = {"session_hash": "w", "fn_index": 0, "event_id": begun}
        assert ben.post("/gradio_api/cancel", json=job).status_code == 404
        mine = {"data": ["harbour", 9], "session_hash": "same", "fn_index": _index(ana, "memories")}
        assert ana.post("/gradio_api/queue/join", json=mine).status_code == 200
        heard = ""
        with (
            suppress(httpx2.RemoteProtocolError),
            ben.stream("GET", "/gradio_api/queue/data?session_hash=same") as answer,
        ):
            for line in answer.iter_lines():  # Gradio breaks off where there is no such window
                heard += line
        assert "4711" not in heard and '"session_not_found":true' in heard
        assert "4711" in ana.get("/gradio_api/queue/data?session_hash=same").text
        assert "4711" in ana.get(f"/gradio_api/call/memories/{begun}").text


def _index(http: Any, name: str) -> int:
    return next(int(one["id"]) for one in http.get("/config").json()["dependencies"] if one["api_name"] == name)


def _seconds(http: Any) -> list[float]:
    found = []
    for _ in range(10):
        begin = time.perf_counter()
        assert '"rows": [[0]]' in ask(http, QUICK, session_hash="one")
        found.append(time.perf_counter() - begin)
    return found


def _told(seconds: list[float]) -> str:
    return f"median {sorted(seconds)[len(seconds) // 2]:.2f} s, slowest {max(seconds):.2f} s"


def test_who_opens_many_windows_gives_up_their_own_alone(tmp_path: Path) -> None:
    for name in ("ana", "ben"):
        add(tmp_path / "users.json", name, "correct horse")
    house = make_place(tmp_path, accounts=Accounts(tmp_path / "users.json")).house
    try:
        house.desk("ben", "first")
        for number in range(MOST_OF_ONE + 5):
            house.desk("ana", str(number))
        end = time.monotonic() + 20
        while len(house.desks) > MOST_OF_ONE + 1 and time.monotonic() < end:
            time.sleep(0.02)
        assert ("ben", "first") in house.desks and ("ana", "0") not in house.desks
        assert sum(person == "ana" for person, _ in house.desks) <= MOST_OF_ONE
    finally:
        house.close()
