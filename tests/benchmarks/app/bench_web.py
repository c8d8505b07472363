"""The page's speed: many people at once with the embedded model, and how soon a browser paints.

`python tests/benchmarks/app/bench_web.py [--people N] [--lines N] [--paints N]`. Each person signs in through the API
and says lines about a city of their own: the reply's time from sending, and at the end whether their memory holds what
they said and nothing of another. First contentful paint is the browser's own measure, on a fresh page each time.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))

from chatmem.app.admin.accounts import add  # noqa: E402
from chatmem.memory.store.store import Store  # noqa: E402

PAINT = "first contentful paint"
PASSWORD = "the same password"
CITIES = (
    "Lisbon", "Graz", "Porto", "Oslo", "Turin", "Lyon", "Cork", "Bergen", "Ghent", "Malmo", "Krakow", "Seville",
    "Basel", "Tallinn", "Riga", "Split", "Varna", "Tartu", "Bilbao", "Nantes",
)  # fmt: skip
LINES = ("I live in {city} and I have a dog.", "My sister works in {city}.", "I was born in {city}.")


@contextmanager
def served(home: Path, *words: str) -> Iterator[str]:
    """`chatmem web` in a process of its own; its address."""
    env = os.environ | {"CHATMEM_HOME": str(home), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "chatmem", "web", "--port", "0", *words]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=env, cwd=home)
    assert process.stderr is not None
    line = ""
    while " is at " not in line:
        line = process.stderr.readline()
        if not line:
            raise SystemExit("chatmem web did not start.")
    try:
        yield line.split(" is at ")[1].split()[0]
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()


def crowd(home: Path, people: int, lines: int) -> None:
    from gradio_client import Client

    users = home / "users.json"
    names = [f"p{number}" for number in range(people)]
    for name in names:
        add(users, name, PASSWORD)
    with served(home, "--auth", str(users)) as url, ThreadPoolExecutor(people) as pool:

        def sign_in(name: str) -> Any:
            return Client(url, auth=(name, PASSWORD), verbose=False, analytics_enabled=False, download_files=False,
                          httpx_kwargs={"timeout": 300})  # fmt: skip

        clients = dict(zip(names, pool.map(sign_in, names), strict=True))
        began = time.perf_counter()

        def talk(name: str) -> list[float]:
            took = []
            for number in range(lines):
                begin = time.perf_counter()
                text = LINES[number % len(LINES)].format(city=CITIES[names.index(name) % len(CITIES)])
                clients[name].predict(text, api_name="/chat")
                took.append(time.perf_counter() - begin)
            return [*took, time.perf_counter() - began]

        times = list(pool.map(talk, names))
        ends = sorted(each[-1] for each in times)
        print(f"{people} people, {lines} lines each: first done after {ends[0]:.1f} s, last after {ends[-1]:.1f} s")
        told("one reply", [one for each in times for one in each[:-1]], "s", 1)
        with Store.open(home / "data" / "chatmem.db") as store:
            while any(store.queue.pending(store.users.get(name).id) for name in names):
                time.sleep(0.5)
            print(f"all remembered after {time.perf_counter() - began:.1f} s")
            intact(store, names)
        for client in clients.values():
            client.close()


def intact(store: Store, names: list[str]) -> None:
    """Whether each memory holds the own city, and no memory one of another's."""
    own = strange = 0
    for at, name in enumerate(names):
        facts = " ".join(memory.fact for memory in store.facts.all(store.users.get(name).id))
        own += CITIES[at % len(CITIES)] in facts
        strange += any(city in facts for n, city in enumerate(CITIES[: len(names)]) if n != at % len(CITIES))
    print(f"memories that hold the own city: {own} of {len(names)}; that hold another's: {strange}")


def paints(home: Path, count: int) -> None:
    from playwright.sync_api import sync_playwright

    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        print("no Chromium here: first contentful paint not measured")
        return
    read = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
    with served(home) as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        measures = [f"{what}, {kind} cache" for what in (PAINT, "ready to type") for kind in ("cold", "warm")]
        found: dict[str, list[float]] = {name: [] for name in measures}
        for _ in range(count):
            context = browser.new_context()
            for kind in ("cold", "warm"):
                page = context.new_page()
                page.goto(url)
                page.wait_for_function(f"{read} > 0")
                found[f"{PAINT}, {kind} cache"].append(page.evaluate(read))
                page.wait_for_selector("#status b")
                found[f"ready to type, {kind} cache"].append(page.evaluate("performance.now()"))
                page.close()
            context.close()
        browser.close()
    for name, values in found.items():
        told(name, values, "ms", 0)


def told(name: str, values: list[float], unit: str, digits: int) -> None:
    ordered = sorted(values)
    print(f"{name}: n {len(ordered)}, least {ordered[0]:.{digits}f}, median {statistics.median(ordered):.{digits}f}, "
          f"most {ordered[-1]:.{digits}f} {unit}", flush=True)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=20, help="people who talk at once (0: nobody)")
    parser.add_argument("--lines", type=int, default=1, help="lines that each says")
    parser.add_argument("--paints", type=int, default=5, help="pages that are opened (0: none)")
    args = parser.parse_args()
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores", flush=True)
    if args.paints:
        with tempfile.TemporaryDirectory() as home:
            paints(Path(home), args.paints)
    if args.people:
        with tempfile.TemporaryDirectory() as home:
            crowd(Path(home), args.people, args.lines)


if __name__ == "__main__":
    main()
