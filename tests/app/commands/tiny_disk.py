"""A program that runs chatmem on a disk of 2 MB that is filled up, and prints what came of it as JSON.

`tiny_disk.py FOLDER`, in a mount namespace of its own: mounts the disk on FOLDER. Prints one line per command with the
room that was left (KiB), its words, exit code, stderr, and one line per round with the state of the database after it.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))

from chatmem.app import cli  # noqa: E402
from chatmem.memory.store.store import Store  # noqa: E402

CHAT = [sys.executable, str(ROOT / "tests" / "app" / "scripted_main.py"), "chat"]
ROOMS = (0, 12, 40, 90)


def fill(disk: Path, left: int) -> None:
    """Leaves so many KiB."""
    (disk / "fill").unlink(missing_ok=True)
    with (disk / "fill").open("wb", buffering=0) as file, suppress(OSError):
        while file.write(bytes(4096)):
            pass
    os.truncate(disk / "fill", max(0, (disk / "fill").stat().st_size - left * 1024))


def run(*words: str) -> dict[str, object]:
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = cli.main(words)
    return {"words": words, "code": code, "err": err.getvalue().splitlines(), "out": out.getvalue()}


def tell(**told: object) -> None:
    print(json.dumps(told), flush=True)


def state(path: Path) -> dict[str, object]:
    with Store.open(path) as store:
        user = store.users.get("me")
        lines = [turn.text for session in store.sessions.all(user.id) for turn in store.turns.of(session.id)]
        return {
            "problems": store.check(), "facts": [memory.fact for memory in store.facts.all(user.id)], "lines": lines,
        }  # fmt: skip


def commands(disk: Path, table: Path, left: int) -> None:
    database = disk / "home" / "data" / "chatmem.db"
    for number, words in enumerate((
        ("memory", "add", "Ana has a cow."), ("memory", "edit", "1", "--fact", "Ana has two dogs."), ("memory", "list"),
        ("memory", "search", "dog"), ("memory", "pin", "1"), ("memory", "export", str(disk / "all.json")),
        ("memory", "export", str(disk / "all.db")), ("memory", "import", str(table), "--yes"),
        ("sql", "SELECT fact FROM memory"), ("sessions", "list"), ("memory", "forget", "1", "--yes"),
    )):  # fmt: skip
        fill(disk, left)
        if words[1] == "add":
            words = (*words[:2], f"{words[2]} {left} {number}")
        tell(left=left, **run(*words))
        (disk / "all.json").unlink(missing_ok=True)
        (disk / "all.db").unlink(missing_ok=True)
    (disk / "fill").unlink(missing_ok=True)
    tell(left=left, after=state(database), files=sorted(path.name for path in disk.iterdir()))


def chat(disk: Path) -> None:
    """The disk is full between the first and the second line and free again for the third."""
    with subprocess.Popen(CHAT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin and process.stdout
        for line, left in (("fact: Ana sails.", None), ("fact: Ana swims.", 0), ("fact: Ana sings.", None)):
            (disk / "fill").unlink(missing_ok=True)
            if left is not None:
                fill(disk, left)
            process.stdin.write((line + "\n" + "//sync\n").encode())
            process.stdin.flush()
            for _ in range(2 if left is None else 0):
                process.stdout.readline()
            if left is not None:
                assert process.stderr
                first = process.stderr.readline().decode(), process.stderr.readline().decode()
        _, err = process.communicate(timeout=60)
    told = [line.strip() for line in (*first, *err.decode().splitlines())]
    tell(chat=process.returncode, err=told, after=state(disk / "home" / "data" / "chatmem.db"))


if __name__ == "__main__":
    place = Path(sys.argv[1])
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(place)], check=True)
    os.environ["CHATMEM_HOME"] = str(place / "home")
    rows = place.parent / "facts.csv"
    rows.write_text("subject,fact\n" + "".join(f"Ana,Ana counted {n} geese by the lake.\n" for n in range(8000)))
    fill(place, 0)
    tell(left=0, fresh=run("memory", "add", "too early"))
    (place / "fill").unlink()
    tell(left=None, **run("memory", "add", "Ana has a dog."))
    for room in ROOMS:
        commands(place, rows, room)
    chat(place)
