"""Sign-ins end when they should, everywhere at once; wrong passwords slow down those who send them and nobody else."""

from __future__ import annotations

import json
import stat
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from chatmem.app.admin.accounts import Accounts, add, remove
from chatmem.app.admin.passwords import hashed, is_old, matches
from chatmem.app.admin.sign_ins import DAY, IDLE_DAYS, MOST_DAYS, MOST_OF_ONE, SignIns
from chatmem.app.web.gate.brake import OF_ADDRESS, OF_NAME, Brake, Wait, network
from chatmem.memory.errors import InputError, NotFound
from tests.app.web.conftest import Served, served
from tests.app.web.test_accounts import run

httpx2 = pytest.importorskip("httpx2")
OLD = "scrypt$16384$8$1$MDEyMzQ1Njc4OWFiY2RlZg==$0LupyHkzAIgDr9UDsriAAf87vMbCbcaUfDvFOAHk0D0="
"""`correct horse`, as an earlier version kept it."""


class Clock:
    def __init__(self) -> None:
        self.at = 1_800_000_000.0

    def __call__(self) -> float:
        return self.at


@pytest.fixture
def users(tmp_path: Path) -> Path:
    path = tmp_path / "users.json"
    for name in ("ana", "ben"):
        add(path, name, "correct horse")
    return path


def test_a_sign_in_holds_until_it_is_ended_or_too_old(users: Path) -> None:
    clock, accounts = Clock(), Accounts(users)
    with closing(SignIns(users, accounts.mark, clock)) as ins:
        token = ins.begin("ana", "10.0.0.1", "Firefox")
        found = ins.of(token)
        assert found is not None and (found.name, found.address, found.browser) == ("ana", "10.0.0.1", "Firefox")
        assert ins.of(token + "x") is None and ins.of("") is None
        assert token not in ins.path.read_bytes().decode("latin-1") and stat.S_IMODE(ins.path.stat().st_mode) == 0o600
        assert ins.end("ben", found.id) == 0 and ins.holds(found)
        assert ins.end("ana", found.id) == 1 and ins.of(token) is None and not ins.holds(found)
        idle = ins.begin("ana", "", "")
        clock.at += IDLE_DAYS * DAY + 1
        assert ins.of(idle) is None
        used = ins.begin("ana", "", "")
        for _ in range(MOST_DAYS):
            clock.at += DAY
            assert ins.of(used) is not None or clock.at >= 1_800_000_000 + MOST_DAYS * DAY
        assert ins.of(used) is None
        for _ in range(MOST_OF_ONE + 3):
            ins.begin("ben", "", "")
        assert len(ins.all("ben")) == MOST_OF_ONE and ins.all("ana") == []


def test_a_new_password_and_a_removal_end_all_of_one_users_sign_ins(users: Path) -> None:
    accounts = Accounts(users)
    with closing(accounts.sign_ins) as ins:
        tokens = {name: [ins.begin(name, "", "") for _ in range(3)] for name in ("ana", "ben")}
        add(users, "ana", "battery staple", replace=True)
        assert [ins.of(token) for token in tokens["ana"]] == [None] * 3
        assert all(ins.of(token) for token in tokens["ben"])
        remove(users, "ben")
        assert [ins.of(token) for token in tokens["ben"]] == [None] * 3
        add(users, "ben", "correct horse")  # the name again, perhaps somebody else
        assert [ins.of(token) for token in tokens["ben"]] == [None] * 3
        with pytest.raises(NotFound, match="eve"):
            remove(users, "eve")


def test_an_old_hash_lets_its_user_in_and_is_made_anew(users: Path) -> None:
    assert matches("correct horse", OLD) and not matches("correct house", OLD) and is_old(OLD)
    kept = json.loads(users.read_text())
    kept["users"]["ana"] = OLD
    users.write_text(json.dumps(kept))
    accounts = Accounts(users)
    with closing(accounts.sign_ins) as ins:
        token = ins.begin("ana", "", "")
        assert not accounts.allows("ana", "correct house")
        assert json.loads(users.read_text())["users"]["ana"] == OLD
        assert accounts.allows("ana", "correct horse")
        new = json.loads(users.read_text())["users"]["ana"]
        assert new.startswith("$argon2id$") and not is_old(new)
        assert accounts.allows("ana", "correct horse") and not accounts.allows("ana", "correct house")
        assert ins.of(token)  # the password is the same


def test_a_password_is_the_same_however_its_letters_are_made() -> None:
    assert matches("cafe\u0301 au lait", hashed("caf\u00e9 au lait"))


def test_programs_that_change_the_file_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "users.json"
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: add(path, f"p{n}", "correct horse"), range(24)))
    assert len(json.loads(path.read_text())["users"]) == 24
    assert sorted(each.name for each in tmp_path.iterdir()) == ["users.json"]


@pytest.mark.parametrize("other", ["ana  x", " ana x", "ana\u00a0x", "Ana X", "ana\u200b x", "\uff41na x"])
def test_names_that_look_alike_are_refused_and_those_that_are_there_work_on(tmp_path: Path, other: str) -> None:
    path = tmp_path / "users.json"
    add(path, "ana x", "correct horse")
    with pytest.raises(InputError, match="looks like 'ana x'"):
        add(path, other, "battery staple")
    add(path, "ana xi", "battery staple")
    kept = json.loads(path.read_text())  # as an earlier version let them in
    kept["users"][other] = kept["users"]["ana xi"]
    path.write_text(json.dumps(kept))
    accounts = Accounts(path)
    assert accounts.allows(other, "battery staple") and accounts.allows("ana x", "correct horse")
    assert [set(pair) for pair in accounts.clashes()] == [{"ana x", other}]
    assert not add(path, other, "another one", replace=True)


def waits(brake: Brake, name: str, address: str, *, right: bool = False) -> int:
    """Seconds that a try is put off; 0: it was looked at."""
    try:
        assert brake.look(name, address, lambda: right) is right
    except Wait as wait:
        return wait.seconds
    return 0


def test_guessing_slows_down_for_the_name_and_the_address_alone() -> None:
    clock = Clock()
    brake = Brake(clock)
    tries = [waits(brake, "ana", "6.6.6.6") for _ in range(300)]
    assert tries.count(0) == OF_NAME[0] and all(0 < wait <= OF_NAME[1] for wait in tries[OF_NAME[0] :])
    assert waits(brake, "ben", "10.0.0.2") == 0  # elsewhere nobody waits
    names = [waits(brake, f"guess {n}", "6.6.6.6") for n in range(300)]
    assert names.count(0) == OF_ADDRESS[0] - OF_NAME[0]
    assert waits(brake, "ben", "6.6.6.6") > 0 and waits(brake, "ben", "10.0.0.2") == 0
    clock.at += OF_NAME[1] + 1
    assert waits(brake, "ana", "7.7.7.7") == 0 and waits(brake, "ana", "8.8.8.8") > 0


def test_an_office_that_signs_in_at_once_from_one_address_is_let_in() -> None:
    brake = Brake(Clock())
    while not waits(brake, "eve", "10.0.0.1"):
        pass
    for number in range(OF_ADDRESS[0] - OF_NAME[0] - 1):
        assert not waits(brake, f"guess {number}", "10.0.0.1")  # one try is left for all who come now
    people = [f"p{number}" for number in range(40)]
    with ThreadPoolExecutor(len(people)) as pool:
        slow = pool.map(lambda name: brake.look(name, "10.0.0.1", lambda: not time.sleep(0.005)), people)
        assert list(slow) == [True] * len(people)
    assert not waits(brake, "guess", "10.0.0.1") and waits(brake, "p1", "10.0.0.1") > 0


def test_many_wrong_ones_at_once_get_no_further_than_one_after_the_other() -> None:
    brake, looked_at = Brake(Clock()), []

    def wrong() -> bool:
        looked_at.append(1)
        time.sleep(0.005)
        return False

    def guess(_: int) -> bool:
        try:
            return brake.look("ana", "6.6.6.6", wrong)
        except Wait:
            return False

    with ThreadPoolExecutor(40) as pool:
        assert not any(pool.map(guess, range(200)))
    assert len(looked_at) == OF_NAME[0]


def test_whose_password_others_guess_comes_in_from_where_they_always_do() -> None:
    brake = Brake(Clock())
    assert waits(brake, "ana", "10.0.0.1", right=True) == 0
    while not waits(brake, "ana", "6.6.6.6"):
        pass
    for _ in range(50):  # again and again, with the right password
        assert waits(brake, "ana", "10.0.0.1", right=True) == 0
    guesses = [waits(brake, "ana", "10.0.0.1") for _ in range(20)]
    assert guesses.count(0) == OF_NAME[0]


def test_made_up_names_don_t_give_a_name_its_tries_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chatmem.app.web.gate.brake.MOST_KEPT", OF_ADDRESS[0] + 1)
    brake = Brake(Clock())
    while not waits(brake, "ana", "6.6.6.6"):
        pass
    for number in range(500):
        waits(brake, f"guess {number}", "6.6.6.6")
    assert waits(brake, "ana", "7.7.7.7") > 0


def test_an_address_is_what_one_customer_has() -> None:
    assert network("2001:db8:1:2::1") == network("2001:db8:1:2:ffff::9") != network("2001:db8:1:3::1")
    assert network("::ffff:10.0.0.1") == network("10.0.0.1") != network("10.0.0.2")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("signins")
    # Who is guessed and who signs in again and again is nobody that another test asks for: each test may come first.
    for name in ("ana", "ben", "cleo", "dora", "fern", "gus"):
        add(folder / "users.json", name, "correct horse")
    yield from served(folder)


def file_of(place: Served) -> Path:
    return place.store.db.path.parent / "users.json"


@contextmanager
def sign_in(place: Served, name: str, password: str = "correct horse") -> Iterator[Any]:
    """A program's way in, signed in or not."""
    with httpx2.Client(base_url=place.url, timeout=60) as http:
        http.post("/login", data={"username": name, "password": password})
        yield http


def status(http: Any, path: str = "/config") -> int:
    return int(http.get(path).status_code)


def test_a_cookie_is_for_this_page_alone(place: Served) -> None:
    with sign_in(place, "ana") as http:
        [cookie] = http.post("/login", data={"username": "ana", "password": "correct horse"}).headers.get_list(
            "set-cookie"
        )
        assert {"HttpOnly", "SameSite=strict", "Path=/"} <= {part.strip() for part in cookie.split(";")}
        told = http.post("/login", data={"username": "ana", "password": "correct horse"},
                         headers={"x-forwarded-proto": "https"}).headers["set-cookie"]  # fmt: skip
        assert told.startswith("__Host-chatmem=") and "Secure" in told and "Domain" not in told


def test_a_new_password_and_a_removal_sign_out_at_once_everywhere(place: Served) -> None:
    paths = ("/config", "/gradio_api/info", "/gradio_api/queue/data?session_hash=x", "/signins")
    with sign_in(place, "cleo") as one, sign_in(place, "cleo") as other, sign_in(place, "ana") as ana:
        assert status(one) == status(other) == 200
        add(file_of(place), "cleo", "battery staple", replace=True)
        for http in (one, other):
            assert {status(http, path) for path in paths[:3]} == {401}
            assert http.post("/gradio_api/upload", files={"files": ("a.txt", b"x")}).status_code == 401
            assert http.post("/gradio_api/call/memories", json={"data": ["", 9]}).status_code == 401
        assert status(ana) == 200
        with sign_in(place, "cleo", "battery staple") as again:
            assert status(again) == 200
            remove(file_of(place), "cleo")
            assert {status(again, path) for path in paths[:3]} == {401}
            assert again.post("/gradio_api/upload", files={"files": ("a.txt", b"x")}).status_code == 401
    add(file_of(place), "cleo", "correct horse")


def test_a_stream_that_is_open_ends_with_its_sign_in(place: Served) -> None:
    place.tell(set={"gated": True})
    with sign_in(place, "dora") as http:
        begun = http.post("/gradio_api/call/chat", json={"data": ["hello"]}).json()["event_id"]
        with http.stream("GET", f"/gradio_api/call/chat/{begun}") as answer:
            lines = answer.iter_lines()
            place.tell(release=1)
            assert any("Nice" in line for line in lines)
            add(file_of(place), "dora", "battery staple", replace=True)
            place.tell(set={"gated": False}, release=10)
            left = "".join(lines)
    assert "meet you" not in left


def test_sign_ins_are_listed_and_ended_on_the_page_and_on_the_command_line(place: Served, tmp_path: Path) -> None:
    users = file_of(place)
    with sign_in(place, "ben") as one, sign_in(place, "ben") as other, sign_in(place, "ana") as ana:
        page = one.get("/signins").text
        assert page.count("Sign out there") == 1 and page.count("Sign out here") == 1 and "python-httpx" in page
        [of_ana] = json.loads(run(tmp_path, "users", str(users), "ana", "--json").stdout)[:1]
        one.post("/signins", data={"id": str(of_ana["id"])})  # somebody else's
        assert status(ana) == 200
        one.post("/signins", data={"id": "others"})
        assert (status(one), status(other)) == (200, 401)
        assert {"name": "ben", "sign_ins": 1} in json.loads(run(tmp_path, "users", str(users), "--json").stdout)
        [left] = json.loads(run(tmp_path, "users", str(users), "ben", "--json").stdout)
        assert run(tmp_path, "users", str(users), "ben", "--sign-out", "999").returncode == 1
        assert run(tmp_path, "users", str(users), "ben", "--sign-out", str(left["id"])).returncode == 0
        assert status(one) == 401
    with sign_in(place, "ben") as http:
        assert http.post("/logout").status_code in (200, 303) and status(http) == 401
    gone = run(tmp_path, "users", str(users), "eve", "--sign-out", "all")
    assert gone.returncode == 1 and "chatmem web users" in gone.stderr


def test_three_hundred_wrong_passwords_wait_and_an_honest_sign_in_does_not(place: Served) -> None:
    done, counts = threading.Event(), list[int]()

    def guess(number: int) -> None:
        with client(place, "203.0.113.9") as http:
            while not done.is_set():
                counts.append(http.post("/login", data={"username": "fern", "password": f"wrong {number}"}).status_code)

    with client(place, "198.51.100.7") as honest, ThreadPoolExecutor(8) as pool:
        alone = [seconds_to_sign_in(honest) for _ in range(5)]
        for number in range(8):
            pool.submit(guess, number)
        while len(counts) < 50:
            time.sleep(0.05)
        beside = [seconds_to_sign_in(honest) for _ in range(5)]
        while len(counts) < 300:
            time.sleep(0.05)
        done.set()
    looked_at = counts.count(400)
    assert 0 < looked_at <= OF_NAME[0] + 2 and counts.count(429) == len(counts) - looked_at
    assert sorted(beside)[2] < 10 * sorted(alone)[2] + 0.5, (alone, beside)
    print(f"{len(counts)} wrong passwords, {looked_at} looked at; honest sign-ins, median of 5:")
    print(f"{sorted(alone)[2]:.2f} s alone, {sorted(beside)[2]:.2f} s beside them")


def client(place: Served, address: str) -> Any:
    """A browser elsewhere, as the proxy on this machine tells of it."""
    return httpx2.Client(base_url=place.url, timeout=60, headers={"x-forwarded-for": address})


def seconds_to_sign_in(http: Any) -> float:
    begin = time.perf_counter()
    assert http.post("/login", data={"username": "gus", "password": "correct horse"}).status_code == 200
    return time.perf_counter() - begin
