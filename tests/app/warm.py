"""Programs of the tests in processes that need not import what they use first: forks of one that has.

A chat in a process of its own takes a second of processor time before it is done with a line, a page five before it
serves, nearly all of it for imports and patterns. One server a session and family has had a chat, and forks for each
call; `warm_client.py` stands at its place for whoever starts a program: what it is given as words, in its environment,
by signals and through its three files goes to the fork, and it ends as that does. What is about a kill or the start of
Python (its encoding, a closed file) is asked of the program itself.
"""

from __future__ import annotations

import atexit
import importlib
import io
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parents[2]
LONGEST = 60
"""Letters of a folder for temporary files in which a socket may lie."""
CLIENT = Path(__file__).with_name("warm_client.py")
FAMILIES = (("tests.app.scripted_main",), ("tests.app.web.serve", "tests.app.web.serve_locked"))
"""Programs that share a server: modules with a `main` that reads sys.argv, and a `rehearse` that leaves no thread."""


def command(program: str = FAMILIES[0][0]) -> tuple[str, ...]:
    """What starts the program; its server begins with the first call, and ends with this process."""
    if not hasattr(os, "fork"):
        return (sys.executable, str(ROOT.joinpath(*program.split(".")).with_suffix(".py")))
    return (
        sys.executable,
        "-I",
        "-S",
        str(CLIENT),
        server_of(next(one for one in FAMILIES if program in one)),
        program,
    )


@cache
def server_of(family: tuple[str, ...]) -> str:
    """Where the server of these programs listens."""
    long = len(tempfile.gettempdir()) > LONGEST and Path("/tmp").is_dir()  # a socket's path holds some hundred letters
    folder = tempfile.TemporaryDirectory(prefix="chatmem-warm-", dir="/tmp" if long else None)
    path = Path(folder.name) / "socket"
    server = subprocess.Popen(
        [sys.executable, __file__, str(path), *family], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert server.stdin and server.stdout

    def end() -> None:
        assert server.stdin and server.stdout
        server.stdin.close()
        server.wait()
        server.stdout.close()
        folder.cleanup()

    atexit.register(end)
    assert server.stdout.readline() == b"ready\n"
    return str(path)


def serve(path: str) -> str:
    """Forks for each client, and in the fork comes back with the program that it is to be; ends when its stdin does."""
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(path)
        door.listen()
        print("ready", flush=True)
        while True:
            ready, _, _ = select.select([door, 0], [], [])
            if 0 in ready:
                raise SystemExit
            client, _ = door.accept()
            with suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    """Those who watched and are done; so their time counts as this one's."""
            with client:
                if os.fork() == 0:
                    door.close()
                    return watch(client)


def watch(client: socket.socket) -> str:
    """Comes back in the program; where that ends, tells the client how; where the client is gone, kills it."""
    said, files, _, _ = socket.recv_fds(client, 1 << 20, 3)
    while not said.endswith(b"\n"):
        said += client.recv(1 << 20)
    heard, woken = socket.socketpair()
    woken.setblocking(False)
    signal.set_wakeup_fd(woken.fileno())
    signal.signal(signal.SIGCHLD, lambda *_: None)
    program = os.fork()
    if program == 0:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for one in (client, heard, woken):
            one.close()
        return begin(files, **json.loads(said))
    for file in files:
        os.close(file)
    client.sendall(f"{program}\n".encode())
    if client in select.select([client, heard], [], [])[0]:
        os.kill(program, signal.SIGKILL)
    _, status = os.waitpid(program, 0)
    client.sendall(str(status).encode())
    os._exit(0)


def begin(files: list[int], words: list[str], env: dict[str, str], folder: str) -> str:
    """Makes this process what it would be, had it been started so."""
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(env)
    time.tzset()
    os.setsid()
    sys.argv[:] = words
    names = (("stdin", "r", "surrogateescape"), ("stdout", "w", "surrogateescape"), ("stderr", "w", "backslashreplace"))
    for number, (name, mode, errors) in enumerate(names):
        raw = io.FileIO(number, mode, closefd=False)
        inner = io.BufferedReader(raw) if mode == "r" else io.BufferedWriter(raw)
        at_once = name == "stderr" or raw.isatty()
        stream = io.TextIOWrapper(inner, "utf-8", errors, "\n", line_buffering=at_once)
        stream.mode = mode
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    return words[0]


def leave(code: object) -> NoReturn:
    """Ends as Python does, but for freeing one by one all that was imported, which is most of a short call's time."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code if isinstance(code, int) else 0 if code is None else 1)


if __name__ == "__main__":
    at, *family = sys.argv[1:]
    sys.path[0] = str(ROOT)
    for known in map(importlib.import_module, family):
        known.rehearse()
    try:
        leave(importlib.import_module(serve(at)).main())
    except SystemExit as end:
        leave(end.code)
