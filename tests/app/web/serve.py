"""The page with scripted models, as a process of its own: `serve.py FOLDER SEATS NAME ...`; users.json in FOLDER: who
signs in; a NAME: another name of the machine.

It prints its address, then reads a line of JSON at a time: {"set": {...}} changes the knobs, {"release": 3} lets three
words of gated replies out; each is answered with the counts.
"""

from __future__ import annotations

import importlib
import json
import sys
import threading
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))

from chatmem.app.admin.accounts import Accounts  # noqa: E402
from chatmem.app.web.gate.origin import Address  # noqa: E402
from chatmem.app.web.server import Server  # noqa: E402
from tests.app.web.places import Place, make_place  # noqa: E402


def obey(place: Place, order: dict[str, object]) -> dict[str, object]:
    knobs = place.knobs
    while order.get("set") and knobs.words.acquire(blocking=False):
        pass  # words that were let out and never asked for are no test's but the one before
    for name, value in dict(order.get("set", {})).items():  # type: ignore[call-overload]
        setattr(knobs, name, value)
    if order.get("release"):
        knobs.words.release(int(str(order["release"])))
    return {"open": knobs.open, "most": knobs.most, "most_working": knobs.most_working, "begun": knobs.begun,
            "desks": len(place.house.desks),
            "threads": threading.active_count()}  # fmt: skip


def rehearse() -> None:
    """Loads what is else loaded with the first page."""
    warnings.simplefilter("ignore")
    importlib.import_module("chatmem.app.web.page")


def run(folder: Path, seats: int, names: tuple[str, ...]) -> None:
    warnings.simplefilter("ignore")
    users = folder / "users.json"
    accounts = Accounts(users) if users.exists() else None
    place = make_place(folder, seats=seats, accounts=accounts, timeout=2.0)
    server = Server(place.house, Address(port=0, names=names))
    print(server.url, flush=True)
    for line in sys.stdin:
        print(json.dumps(obey(place, json.loads(line))), flush=True)
    place.knobs.gated = False
    place.knobs.words.release(1000)
    server.close()


def main() -> None:
    run(Path(sys.argv[1]), int(sys.argv[2]), tuple(sys.argv[3:]))


if __name__ == "__main__":
    main()
