"""Kills and neighbours: what was acknowledged is there after kill -9, and two programs on one database lose nothing."""

from __future__ import annotations

import os
import random
import select
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from chatmem.memory.errors import StoreLocked
from chatmem.memory.store.queue import CLAIM
from chatmem.memory.store.store import Store
from tests.effort import times
from tests.memory.lives import AGENT, Clock

ROOT = Path(__file__).parents[3]
WRITER = Path(__file__).with_name("writer.py")
KILLS = times(100, 20)


def start(*arguments: object) -> subprocess.Popen[bytes]:
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, str(WRITER), *map(str, arguments)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)


def test_what_was_acknowledged_survives_many_kills(tmp_path: Path) -> None:
    path, moments = tmp_path / "a.db", random.Random(8)
    turns: dict[int, int] = {}
    memories: dict[int, int] = {}
    undone: set[int] = set()
    with start("kill", path) as nursery:
        assert nursery.stdin and nursery.stdout
        for life in range(KILLS):
            nursery.stdin.write(b"go\n")
            nursery.stdin.flush()
            read_life(nursery, moments, turns, memories, undone)
            if life % 20 == 0:
                check(path, turns, memories, undone)
        nursery.stdin.close()
    check(path, turns, memories, undone)
    assert len(turns) > KILLS / 2, "too few lives got as far as a first turn for this to tell anything"


def read_life(
    nursery: subprocess.Popen[bytes], moments: random.Random,
    turns: dict[int, int], memories: dict[int, int], undone: set[int],
) -> None:  # fmt: skip
    """Lets a child write for a random while from its start or first turn on, kills it, keeps what it acknowledged."""
    assert nursery.stdout
    child, until, first = 0, 0.0, moments.choice(("pid", "turn", "turn", "turn"))
    while True:
        left = max(0.0, until - time.monotonic()) if until else 30.0
        if child and until and not select.select([nursery.stdout], [], [], left)[0]:
            os.kill(child, signal.SIGKILL)
            until, child = 0.0, 0
        word, *numbers = nursery.stdout.readline().decode().split()
        if word == "dead":
            return
        if word == "pid":
            child = int(numbers[0])
        elif word == "undone":
            undone.add(int(numbers[0]))
        else:
            (turns if word == "turn" else memories)[int(numbers[0])] = int(numbers[1])
        if word == first and child and not until:
            until = time.monotonic() + moments.choice((0.01, 0.05, 0.1)) * moments.random()
        if child and until and time.monotonic() > until:
            os.kill(child, signal.SIGKILL)
            until, child = 0.0, 0


def check(path: Path, turns: dict[int, int], memories: dict[int, int], undone: set[int]) -> None:
    with Store.open(path) as store:
        assert store.check() == []
        user = store.users.get("ana")
        kept = {turn.id: turn.text for turn in store.queue.pending(user.id)}
        said = {turn_id: f"line {number} about geese" for turn_id, number in turns.items()}
        assert {turn_id: text for turn_id, text in kept.items() if turn_id in turns} == said
        facts = {memory.id: memory.fact for memory in store.facts.all(user.id)}
        for memory_id, number in memories.items():
            assert facts.get(memory_id) == f"Ana saw goose {number}." or number % 3 == 0
        assert undone.isdisjoint(facts)
        # No half of a write: each row has its entry, its evidence and, where it is current, its place in the index.
        assert set(store.facts.evidence(list(facts))) == set(facts)
        assert {memory.id for memory in store.journal.as_of(user.id, store.now())} == set(facts)


def test_two_processes_lose_no_write_and_never_lock_each_other_out(tmp_path: Path) -> None:
    path, times = tmp_path / "a.db", 30
    with Store.open(path) as store:
        user = store.users.get("ana")
        store.facts.remember(user.id, "both", "visits", "Nobody was here.")
    with start("both", path, "left", times) as left, start("both", path, "right", times) as right:
        for process in (left, right):
            assert process.stdout and process.stdout.readline() == b"ready\n"
        for process in (left, right):
            assert process.stdin
            process.stdin.write(b"go\n")
            process.stdin.flush()
        said = [process.communicate(timeout=120)[0].decode().split() for process in (left, right)]
    late = sum(words.count("late") for words in said)
    assert [words[-1] for words in said] == ["done", "done"]
    with Store.open(path) as store:
        assert store.check() == []
        turns = [turn.text for session in store.sessions.all(user.id) for turn in store.turns.of(session.id)]
        assert sorted(turns) == sorted(f"{name} line {number}" for name in ("left", "right") for number in range(times))
        facts = [memory.fact for memory in store.facts.all(user.id)]
        assert len(facts) == 2 * times + 1
        shared = next(memory for memory in store.facts.all(user.id) if memory.subject == "both")
        assert len(store.journal.history(shared.id)) == 1 + 2 * times - late


def test_threads_of_one_process_share_a_store(tmp_path: Path) -> None:
    with Store.open(tmp_path / "a.db") as store:
        user = store.users.get("ana")
        session = store.sessions.start(user.id)

        def talk(name: str) -> None:
            for number in range(15):
                turn = store.turns.add(session.id, name, f"line {number}")
                sql = f"INSERT INTO memory (subject, fact) VALUES ('{name}', 'said {number}')"
                assert store.facts.write(user.id, sql, author=AGENT, turn_ids=[turn.id]).refused is None
                assert store.facts.read(user.id, f"SELECT fact FROM memory WHERE subject = '{name}'").rows

        with ThreadPoolExecutor(4) as pool:
            for talked in [pool.submit(talk, f"speaker {number}") for number in range(4)]:
                talked.result()
        assert len(store.facts.all(user.id)) == len(store.turns.of(session.id)) == 60
        assert store.check() == []


def test_a_neighbour_that_writes_for_too_long_is_named_and_reading_goes_on(tmp_path: Path) -> None:
    with Store.open(tmp_path / "a.db") as first, Store.open(tmp_path / "a.db", timeout=0.2) as second:
        user = first.users.get("ana")
        with first.db.write():
            with pytest.raises(StoreLocked, match="in use by another program"):
                second.sessions.start(user.id)
            assert second.users.all() == [user]
        assert second.sessions.start(user.id).user_id == user.id


def test_two_processes_never_remember_one_line_twice(tmp_path: Path) -> None:
    path, lines = tmp_path / "a.db", 60
    with Store.open(path) as store:
        user = store.users.get("ana")
        session = store.sessions.start(user.id)
        said = [store.turns.add(session.id, "Ana", f"line {n}", storage="pending").id for n in range(lines)]
    with start("claim", path) as left, start("claim", path) as right:
        for process in (left, right):
            assert process.stdout and process.stdout.readline() == b"ready\n"
        for process in (left, right):
            assert process.stdin
            process.stdin.write(b"go\n")
            process.stdin.flush()
        told = [process.communicate(timeout=120)[0].decode().split() for process in (left, right)]
    kept = [int(word) for words in told for word in words if word.isdigit()]
    assert sorted(kept) == said
    with Store.open(path) as store:
        assert len(store.facts.all(user.id)) == lines
        assert store.queue.pending(user.id) == []


def test_a_claim_ends_with_its_owner_and_never_outlives_its_time(tmp_path: Path) -> None:
    path, clock = tmp_path / "a.db", Clock()
    with Store.open(path, clock=clock) as first, Store.open(path, clock=clock) as second:
        user = first.users.get("ana")
        session = first.sessions.start(user.id)
        turn, other = (first.turns.add(session.id, "Ana", f"line {n}", storage="pending") for n in range(2))
        assert not second.queue.claim(turn.id), "the one who talks is the one who remembers"
        first.queue.release(turn.id)
        assert second.queue.claim(turn.id)
        assert not first.queue.claim(turn.id)
        clock.at += CLAIM
        assert first.queue.claim(turn.id), "a claim ends after its time"
        # The second was only slow: what it brings now is neither written nor kept as a refusal.
        sql = "INSERT INTO memory (subject, fact) VALUES ('Ana', 'Ana said a line.')"
        late = second.facts.write(user.id, sql, author=AGENT, turn_ids=[turn.id])
        assert late.refused and "another process" in late.refused
        second.queue.finish(turn.id)
        assert first.turns.get(turn.id).storage == "pending"
        assert first.facts.write(user.id, sql, author=AGENT, turn_ids=[turn.id]).refused is None
        first.queue.finish(turn.id)
        assert first.turns.get(turn.id).storage == "done"
        assert [entry.kind for entry in first.journal.entries(user.id)] == ["insert"]
        first.close()
        assert second.queue.claim(other.id), "who closes gives back"


def test_a_line_of_a_killed_process_can_be_claimed_at_once(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with start("kill", path) as nursery:
        assert nursery.stdin and nursery.stdout
        nursery.stdin.write(b"go\n")
        nursery.stdin.flush()
        child = int(nursery.stdout.readline().split()[1])
        turn_id = int(nursery.stdout.readline().split()[1])
        with Store.open(path) as store:
            assert not store.queue.claim(turn_id)
        os.kill(child, signal.SIGKILL)
        while nursery.stdout.readline() != b"dead\n":
            pass
        nursery.stdin.close()
    with Store.open(path) as store:
        assert store.queue.claim(turn_id)


def test_a_long_line_that_another_said_anew_is_read_from_its_beginning(tmp_path: Path) -> None:
    with Store.open(tmp_path / "a.db") as store:
        turn = store.turns.add(store.sessions.start(store.users.get("ana").id).id, "User", "long", storage="pending")
        assert store.queue.claim(turn.id)
        store.queue.keep_place(turn.id, 5)
        store.queue.release(turn.id)
        with Store.open(tmp_path / "a.db") as other:
            assert (other.queue.claim(turn.id), other.queue.place(turn.id)) == (True, 5)
            other.turns.set(turn.id, text="another one", storage="pending")
        assert (store.queue.place(turn.id), store.queue.claim(turn.id), store.queue.place(turn.id)) == (0, True, 0)
