"""The page over an encrypted memory with scripted models, as a process of its own: `serve_locked.py FILE PASSPHRASE`.

It prints its address and which event is the tick. Then each line on stdin is what its clock says, in minutes; it looks
whether to lock, and prints what it holds.
"""

from __future__ import annotations

import importlib
import json
import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from chatmem.app.config.lock import Lock
from chatmem.app.config.settings import Settings
from chatmem.app.web.gate.origin import Address
from chatmem.app.web.server import Server
from chatmem.app.web.windows.locking import PageLock
from chatmem.app.web.windows.queue import Seats
from chatmem.app.web.windows.windows import House
from chatmem.memory.database.engine import is_open
from chatmem.memory.database.key import Secret
from chatmem.memory.store.store import Store
from tests.app.script import Script


def rehearse() -> None:
    """Loads what is else loaded with the first page."""
    warnings.simplefilter("ignore")
    importlib.import_module("chatmem.app.web.page")


def run(path: Path, words: str) -> None:
    warnings.simplefilter("ignore")
    time, held = [0.0], [Secret(words)]

    def take(secret: Secret | None) -> None:
        held[:] = [secret] if secret is not None else []

    store = Store.open(path, secret=held[0])
    store.facts.remember(store.users.get("me").id, "Ana", "cat", "Zimbarella is a cat.")
    house = House(
        store, Settings(), lambda _: Script(lambda: house.store), Seats(1), reports=path.parent / "reports"
    )  # fmt: skip
    lock = PageLock(house, Lock(path, 15, take, lambda: time[0]), lambda: Store.open(path, secret=held[0]))
    server = Server(house, Address(port=0), lock)
    print(json.dumps([server.url, server._ticks]), flush=True)
    for line in sys.stdin:
        time[0] = 60 * float(line)
        lock.look()
        told = {"locked": lock.locked, "key": bool(held), "open": is_open(path), "windows": len(house.desks)}
        print(json.dumps(told), flush=True)
    server.close()


def main() -> None:
    run(Path(sys.argv[1]), sys.argv[2])


if __name__ == "__main__":
    main()
