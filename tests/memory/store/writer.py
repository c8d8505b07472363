"""A program that writes and says what was acknowledged; the kill test and the test with two processes run it.

`writer.py kill DB`: for each line on its input, forks a child that writes until it is killed; prints `pid N`, then the
child's acknowledgements `turn ID NUMBER` and `memory ID NUMBER`. `writer.py both DB NAME N`: writes N turns, memories
and edits of one row that both processes share, and prints `done`. `writer.py claim DB`: claims every pending turn of
ana that it can get, remembers each with a fact of its own, and prints `kept ID`.
"""

from __future__ import annotations

import os
import sys

from chatmem.memory.errors import InputError
from chatmem.memory.store.store import Store
from chatmem.memory.values import Author

AGENT = Author("agent:storage", "embedded", "storage")


def say(*words: object) -> None:
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


def write_for_ever(path: str, start: int) -> None:
    store = Store.open(path)
    user = store.users.get("ana")
    session = store.sessions.start(user.id, "a talk")
    for number in range(start, start + 1_000_000):
        turn = store.turns.add(session.id, "Ana", f"line {number} about geese", storage="pending")
        say("turn", turn.id, number)
        entry = store.facts.remember(user.id, "Ana", "geese", f"Ana saw goose {number}.", turn_ids=[turn.id])
        say("memory", entry.memory_id, number)
        if number % 3 == 0:
            store.journal.undo(entry.id)
            say("undone", entry.memory_id, number)


def kill(path: str) -> None:
    Store.open(path).close()
    for life, _ in enumerate(sys.stdin):
        child = os.fork()
        if child == 0:
            write_for_ever(path, life * 1_000_000)
        say("pid", child)
        os.waitpid(child, 0)
        say("dead")


def both(path: str, name: str, times: int) -> None:
    with Store.open(path, timeout=60) as store:
        user = store.users.get("ana")
        session = store.sessions.start(user.id, name)
        say("ready")
        sys.stdin.readline()
        for number in range(times):
            turn = store.turns.add(session.id, name, f"{name} line {number}")
            store.facts.remember(user.id, name, "count", f"{name} counted to {number}.", turn_ids=[turn.id])
            shared = next(memory for memory in store.facts.all(user.id) if memory.subject == "both")
            try:
                store.facts.edit(shared.id, fact=f"{name} was here {number} times.")
            except InputError:  # The other one was quicker: it has replaced the row.
                say("late")
        say("done")


def claim(path: str) -> None:
    with Store.open(path, timeout=60) as store:
        user = store.users.get("ana")
        say("ready")
        sys.stdin.readline()
        for turn in store.queue.pending(user.id):
            if store.queue.claim(turn.id):
                # Other words in each process, as a model's may be: only the claim keeps the line from two memories.
                sql = f"INSERT INTO memory (subject, fact) VALUES ('Ana', 'line {turn.id} says process {os.getpid()}')"
                assert store.facts.write(user.id, sql, author=AGENT, turn_ids=[turn.id]).refused is None
                store.queue.finish(turn.id)
                say("kept", turn.id)
        say("done")


if __name__ == "__main__":
    if sys.argv[1] == "kill":
        kill(sys.argv[2])
    elif sys.argv[1] == "claim":
        claim(sys.argv[2])
    else:
        both(sys.argv[2], sys.argv[3], int(sys.argv[4]))
