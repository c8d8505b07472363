"""The window's speed: first paint, keypress to echo, and frames while a model works.

`python tests/benchmarks/app/bench_tui.py [--keys N]`. First paint is the time from the start of the process to the
first frame on a terminal of 100 x 30, real embedded models loading behind it. The echo is measured with 10,000 turns in
500 sessions and 5,000 memories in the pane, from the key's arrival to the frame that shows it. The longest gap is that
of a clock in the window's own loop, while the real model answers and stores.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import pty
import select
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))

from chatmem.app.context import Context  # noqa: E402
from chatmem.app.tui.app import ChatApp  # noqa: E402
from chatmem.app.tui.base.panel import Panel  # noqa: E402
from chatmem.app.tui.run import TuiOptions, make_setup  # noqa: E402
from chatmem.app.tui.widgets.row_list import RowList  # noqa: E402
from chatmem.memory.store.store import Store  # noqa: E402

SESSIONS, TURNS, MEMORIES = 500, 20, 5_000


def fill(path: Path) -> None:
    """A user with 500 sessions of 20 turns and 5,000 memories."""
    with Store.open(path) as store, store.db.write():
        user = store.users.get("me")
        for n in range(SESSIONS):
            session = store.sessions.start(user.id, title=f"about topic {n}")
            for k in range(TURNS):
                store.turns.add(session.id, "User" if k % 2 == 0 else "assistant", f"line {k} about topic {n}, plainly")
        for n in range(MEMORIES):
            store.facts.remember(user.id, "User", f"topic {n % 50}", f"User told fact number {n} about topic {n % 50}.")


def first_paint(home: str) -> tuple[float, float]:
    """Seconds from the start of `chatmem tui` to its first frame in a terminal: on the clock, of processor time."""
    env = os.environ | {"CHATMEM_HOME": home, "TERM": "xterm-256color", "COLUMNS": "100", "LINES": "30"}
    env["PYTHONPATH"] = str(ROOT)
    master, slave = pty.openpty()
    begin = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "chatmem", "tui"], stdin=slave, stdout=slave, stderr=slave, env=env, cwd=home,
        start_new_session=True,
    )  # fmt: skip
    seen = b""
    while b"ay something" not in seen and time.perf_counter() - begin < 20:
        if select.select([master], [], [], 0.01)[0]:
            seen += os.read(master, 65536)
    took, spent = time.perf_counter() - begin, processor_seconds(process.pid)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    os.close(master)
    os.close(slave)
    return took, spent


def processor_seconds(pid: int) -> float:
    """What a process has used so far (Linux; elsewhere 0): what a busy machine does not change."""
    stat = Path(f"/proc/{pid}/stat")
    fields = stat.read_text().rpartition(")")[2].split() if stat.exists() else []
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


async def echo(app: ChatApp, rows_shown: int) -> list[float]:
    """Seconds from a key to the frame that shows it, for a run of keys."""
    took = []
    for n in range(rows_shown):
        begin = time.perf_counter()
        app.post_message(key(app, "abcdefghij"[n % 10]))
        before = app.prompt.text
        while app.prompt.text == before:
            await asyncio.sleep(0)
        painted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        app.screen.call_after_refresh(painted.set_result, None)
        await painted
        took.append(time.perf_counter() - begin)
        await asyncio.sleep(0.01)
    return took


def key(app: ChatApp, letter: str) -> object:
    from textual import events

    event = events.Key(letter, letter)
    event.set_sender(app)
    return event


class Clock:
    """The gaps between two ticks of the loop, in seconds: on the clock, and of the window's own processor time.

    The second is what the window itself is to blame for: other programs and threads on a busy machine don't change it.
    """

    def __init__(self) -> None:
        self.gaps: list[float] = []
        self.spent: list[float] = []
        self._task = asyncio.create_task(self._run())

    async def _run(self) -> None:
        last, spent = time.perf_counter(), time.thread_time()
        while True:
            await asyncio.sleep(0.005)
            now, used = time.perf_counter(), time.thread_time()
            self.gaps.append(now - last - 0.005)
            self.spent.append(used - spent)
            last, spent = now, used

    def stop(self, name: str) -> None:
        self._task.cancel()
        told(name, self.gaps, 0.1)
        told("  of them the window's processor time", self.spent, 0.1)


async def until(holds: object, seconds: float = 60.0) -> None:
    end = time.perf_counter() + seconds
    while not holds() and time.perf_counter() < end:  # type: ignore[operator]
        await asyncio.sleep(0.02)


def told(name: str, values: list[float], bound: float) -> None:
    ordered = sorted(values)
    worst, p95 = ordered[-1], ordered[int(0.95 * (len(ordered) - 1))]
    print(
        f"{name:<46} median {statistics.median(values) * 1e3:6.1f}  p95 {p95 * 1e3:6.1f}  worst {worst * 1e3:6.1f} ms"
        f"  (bound {bound * 1e3:.0f} ms)"
    )  # fmt: skip


async def searched(app: ChatApp, words: str) -> list[float]:
    """Seconds from each key to its letter on the screen."""
    field = app.screen.query_one("#words")
    typed = []
    for letter in words:
        start = time.perf_counter()
        app.post_message(key(app, letter))
        length = len(field.value)  # type: ignore[attr-defined]
        while len(field.value) == length:  # type: ignore[attr-defined]
            await asyncio.sleep(0)
        painted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        app.screen.call_after_refresh(painted.set_result, None)
        await painted
        typed.append(time.perf_counter() - start)
        await asyncio.sleep(0.06)
    return typed


async def run_window(home: str, keys: int) -> None:
    os.environ["CHATMEM_HOME"] = home
    app = ChatApp(make_setup(Context.of({}), TuiOptions()))
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        clock = Clock()
        await until(lambda: len(app.pane.memories) >= MEMORIES and not app.state.loading)
        clock.stop("frames while models and 5,000 memories load")
        told("keypress to echo, 5,000 memories in the pane", await echo(app, keys), 0.05)
        app.prompt.put("")
        await pilot.press("ctrl+r")
        await until(lambda: isinstance(app.screen, Panel) and len(app.screen.query_one(RowList).keys) >= SESSIONS)
        begin = time.perf_counter()
        told("keypress to echo, searching 10,000 turns", await searched(app, "topic 499"), 0.05)
        await until(lambda: len(app.screen.query_one(RowList).keys) < SESSIONS)
        print(f"{'search of 10,000 turns, first key to rows':<46} {time.perf_counter() - begin:.2f} s")
        await pilot.press("escape")
        clock = Clock()
        app.prompt.put("My sister Nele moved to Graz and has two cats. What do you know about topic 7?")
        await pilot.press("enter")
        beside: list[float] = []
        await until(lambda: app.bridge.waiting > 0, 5)
        while app.bridge.waiting or app.controller.worker.waiting:  # type: ignore[union-attr]
            beside += await echo(app, 1)
            await asyncio.sleep(0.05)
        clock.stop("frames while the model answers and stores")
        told("keypress to echo meanwhile", beside, 0.05)
    app.bridge.close()
    app.controller.close(20)  # type: ignore[union-attr]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keys", type=int, default=60, help="keys typed")
    parser.add_argument("--starts", type=int, default=5, help="starts for the first paint")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        (Path(home) / "data").mkdir()
        fill(Path(home) / "data" / "chatmem.db")
        first_paint(home)  # byte code is written once
        starts = [first_paint(home) for _ in range(args.starts)]
        told("first paint", [took for took, _ in starts], 1.0)
        told("first paint, processor time", [spent for _, spent in starts], 1.0)
        asyncio.run(run_window(home, args.keys))
    return 0


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    os._exit(code)  # llama.cpp's threads need not be waited for
