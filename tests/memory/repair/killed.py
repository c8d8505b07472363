"""Kills a change of the key at one line after the other, and looks what is left; run by `test_encrypting.py`.

Each try is a fork that is killed (SIGKILL) when it first comes to the line: python killed.py FOLDER EVERY [nolinks]
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from chatmem.memory.database.key import Secret, salt_of
from chatmem.memory.repair import encrypting
from chatmem.memory.store.store import Store

SECRET = Secret(f"x'{'5c' * 32}'", bytes(range(16)))
FACTS = [f"Ana's locker number {n} opens with zimbarella{n}." for n in range(50)]
HERE = encrypting.__file__


def prepared(path: Path) -> None:
    """A plain database with fifty facts, and a WAL that a killed program left behind."""
    if not os.fork():
        store = Store.open(path)
        user = store.users.get("ana")
        for fact in FACTS:
            store.facts.remember(user.id, "Ana", "locker", fact)
        os.kill(os.getpid(), signal.SIGKILL)
    os.wait()


def facts(path: Path, secret: Secret | None) -> list[str]:
    with Store.open(path, secret=secret) as store:
        assert store.check() == []
        return [memory.fact for memory in store.facts.all(store.users.get("ana").id)]


def tried(folder: Path, base: Path, act: Callable[[Path], None], line: int | None, lines: set[int]) -> Path:
    """Acts on a copy, in a fork that is killed at the line (None: not at all, and tells which lines it came to)."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for one in base.iterdir():
        shutil.copyfile(one, folder / one.name)
    path = folder / "a.db"
    seen, into = set[int](), os.pipe()

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        if frame.f_code.co_filename != HERE:
            return None
        if event == "line":
            seen.add(frame.f_lineno)
            if frame.f_lineno == line:
                os.kill(os.getpid(), signal.SIGKILL)
        return trace

    child = os.fork()
    if not child:
        sys.settrace(trace)
        act(path)
        sys.settrace(None)
        os.write(into[1], " ".join(map(str, sorted(seen))).encode())
        os._exit(0)
    _, status = os.waitpid(child, 0)
    os.close(into[1])
    with os.fdopen(into[0]) as told:
        lines |= set(map(int, told.read().split()))
    assert os.waitstatus_to_exitcode(status) == (0 if line is None else -signal.SIGKILL), f"line {line}: {status}"
    return path


def checked(path: Path, was: Secret | None, new: Secret | None, act: Callable[[Path], None]) -> str:
    """After a kill: old or new, whole; and the next start ends with the new one and no leftovers. Which it was."""
    with_links = [one for one in (path, encrypting.names(path)[1]) if one.exists()]
    assert with_links, "no database is left"
    encrypting.clear(path)
    sealed = salt_of(path) is not None
    before = new if sealed == (new is not None) else was
    assert sorted(facts(path, before)) == sorted(FACTS)
    if before is not new:
        act(path)
    assert sorted(facts(path, new)) == sorted(FACTS)
    assert [one.name for one in path.parent.iterdir()] == ["a.db"], list(path.parent.iterdir())
    if new is not None:
        assert b"zimbarella" not in path.read_bytes()
    return "new" if before is new else "old"


def main(folder: Path, every: int, *, links: bool) -> None:
    encrypting._TICK = 100  # type: ignore[misc]
    if not links:
        os.link = _no_links  # type: ignore[assignment]
    key = SECRET.new_key()
    plain = folder / "plain"
    plain.mkdir()
    prepared(plain / "a.db")

    def encrypt(path: Path) -> None:
        encrypting.change(path, None, key)

    lines: set[int] = set()
    tried(folder / "try", plain, encrypt, None, lines)
    left = [
        checked(tried(folder / "try", plain, encrypt, line, lines), None, SECRET, encrypt)
        for line in sorted(lines)[:: every if links else 3 * every]
    ]
    assert {"old", "new"} == set(left)
    print(len(left), left.count("old"), left.count("new"))


def _no_links(*_: object) -> None:
    raise OSError("no links here")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), links=len(sys.argv) < 4)
