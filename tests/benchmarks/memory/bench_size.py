"""Search over 100,000 and 1,000,000 passages of one user.

    python tests/benchmarks/memory/bench_size.py [--passages N ...]

The lines of the talks that ship are told again and again with other names, as turns of a real store. A line's vector
is made once; where its names change it is turned by as much as the encoder turns it (measured on `SAMPLE` lines), since
to embed a million lines takes hours: how fast that goes is measured on `--embed` passages. Every number is taken in a
process of its own, which opens the store afresh: the very first start, which packs the vectors, then a later one: its
first search, then `--queries` of the questions about these talks, with other names, too; beside them, over the same
rows, a plain FTS5 query (all words by OR, ranked) and a plain numpy float32 scan, which is what one would write first.
`cpu` is processor time, which a busy machine changes less.
`--keep FOLDER` keeps the stores for another run.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import count, islice
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command does, before numpy is there
sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

import numpy as np

from chatmem.memory.database.engine import raw
from chatmem.memory.language.words import word_count
from chatmem.memory.search import fulltext, vectors
from chatmem.memory.search.nearest.numbers import first_of
from chatmem.memory.store.store import Store
from chatmem.memory.values import ASSISTANT
from chatmem.models.embedder.minilm import load_embedder
from chatmem.training.material.templates.told import told_talks
from chatmem.training.recall.replied import paragraphs
from tests.benchmarks.memory.bench_search import plain_fts, times, unit

NAME = re.compile(r"(?<=[a-z,;:] )[A-Z][a-z]{2,}")
SYLLABLES = ("ba", "de", "fi", "go", "ka", "li", "mo", "nu", "pe", "ra", "si", "to", "vu", "ze", "ja", "ru")
SAMPLE = 100
PORTION = 20_000
SESSION = 40
"""Lines of a session."""
WARM = 20


def renamed(text: str, again: int) -> str:
    """The text with each name in it exchanged for another; `again` 0: as it is."""
    if not again:
        return text

    def other(found: re.Match[str]) -> str:
        rng = random.Random(f"{found[0]} {again}")
        return "".join(rng.choices(SYLLABLES, k=3)).capitalize()

    return NAME.sub(other, text)


def talks() -> tuple[list[str], list[str]]:
    """What people say in the talks that ship, each line once, and the questions about it."""
    some = [*told_talks("train"), *told_talks("valid")]
    lines = [line.text for talk in some for line in talk.lines if line.speaker != ASSISTANT]
    return list(dict.fromkeys(lines)), list(dict.fromkeys(one.text for talk in some for one in talk.questions))


def made(path: Path, size: int) -> None:
    """Writes the store, and its vectors as a plain array beside it."""
    lines, _ = talks()
    embedder = load_embedder()
    base = np.concatenate([embedder.embed(lines[at : at + 64]) for at in range(0, len(lines), 64)])
    changed = [place for place, line in enumerate(lines) if renamed(line, 1) != line][:SAMPLE]
    cosine = float((embedder.embed([renamed(lines[i], 1) for i in changed]) * base[changed]).sum(1).mean())
    rng = np.random.default_rng(7)
    draft = path.with_suffix(".part")
    draft.unlink(missing_ok=True)
    plain = np.lib.format.open_memmap(str(path.with_suffix(".npy")), "w+", np.float32, (size, base.shape[1]))
    with Store.open(draft, embedder=embedder) as store:
        user, said = store.users.get("ana").id, told(lines)
        for at in range(0, size, PORTION):
            some = list(islice(said, min(PORTION, size - at)))
            near = base[[place for place, _ in some]]
            noise = unit(rng.normal(size=near.shape))
            rows = unit(cosine * near + np.sqrt(1 - cosine**2) * noise)
            _put(store, user, at, [text for _, text in some], rows, embedder.name)
            plain[at : at + len(some)] = rows
            print(f"\r{at + len(some):,} of {size:,} passages", end="", file=sys.stderr, flush=True)
    draft.rename(path)
    print(f"\n{size:,} passages; cosine of a line and the same with other names: {cosine:.3f}", file=sys.stderr)


def told(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Line after line with its place, round after round with other names."""
    for again in count():
        for place, line in enumerate(lines):
            yield place, renamed(line, again)


def _put(store: Store, user: int, before: int, texts: Sequence[str], rows: np.ndarray, model: str) -> None:
    sessions = [store.sessions.start(user).id for _ in range(0, len(texts), SESSION)]
    ids = range(before + 1, before + 1 + len(texts))
    with store.db.write(durable=False) as db:
        insert = (
            "INSERT INTO turns (id, session_id, user_id, speaker, text, said_at, status, storage) "
            "VALUES (?, ?, ?, 'Ana', ?, '2026-05-08T12:00:00Z', 'complete', 'done')"
        )
        told = zip(ids, texts, strict=True)
        raw(db).executemany(insert, ((n, sessions[i // SESSION], user, text) for i, (n, text) in enumerate(told)))
        fulltext.index_turns(db, ids)
        vectors.put(db, user, "passage", [first_of(one) for one in ids], rows, model)


def asked(number: int) -> list[str]:
    """Questions, with names of other rounds."""
    _, questions = talks()
    rng = random.Random(5)
    rng.shuffle(questions)
    return [renamed(questions[i % len(questions)], rng.randrange(50)) for i in range(number + WARM)]


def packed(path: Path, queries: int) -> dict[str, dict[str, float]]:
    """The very first start: its first search, and how long what it packs behind one's back takes then. As `searched`
    must be measured: who has so many passages has started before."""
    questions, embedder = asked(1), load_embedder()
    embedder.embed_questions(["Is it there?"])
    with Store.open(path, embedder=embedder) as store:
        user = store.users.get("ana").id
        first = times_once(lambda: store.search(user, questions[0], speaker="Ana"))
        work = [thread for thread in threading.enumerate() if thread.name == "chatmem-blocks"]
        after = times_once(lambda: [thread.join() for thread in work])
    found = {"chatmem: first search of the first start": first}
    return found | ({"  and packing beside it, after that search": after} if work else {})


def peak() -> float:
    """The most that this process has held, in MB. `ru_maxrss` alone counts what its parent held when it was started."""
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text(encoding="utf-8").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def searched(path: Path, queries: int) -> dict[str, dict[str, float]]:
    """The searches of a store that was just opened, and the memory that this process then holds."""
    questions, embedder = asked(queries), load_embedder()
    embedder.embed_questions(["Is it there?"])
    before = peak()
    with Store.open(path, embedder=embedder) as store:
        user = store.users.get("ana").id
        first = times_once(lambda: store.search(user, questions[0], speaker="Ana"))
        for question in questions[:WARM]:
            store.search(user, question, speaker="Ana")
        warm = questions[WARM:]
        return {
            "chatmem: first search after opening": first,
            "chatmem: search": times(lambda q: store.search(user, q, speaker="Ana"), warm),
            "chatmem: packed into 200 words": times(lambda q: store.search(user, q, word_budget=200), warm),
            "  of these, embedding the question": times(lambda q: embedder.embed_questions([q]), warm),
            "memory, MB (before opening as p95)": {
                "p50": peak(), "p95": before, "n": 1.0,
            },
        }  # fmt: skip


def times_once(act: Callable[[], object]) -> dict[str, float]:
    wall, work = time.perf_counter(), time.process_time()
    act()
    return {"p50": (time.perf_counter() - wall) * 1e3, "cpu": (time.process_time() - work) * 1e3, "n": 1.0}


def plainly(path: Path, queries: int) -> dict[str, dict[str, float]]:
    """What one would write first, over the same rows."""
    questions, embedder = asked(queries)[WARM:], load_embedder()
    matrix = np.load(path.with_suffix(".npy"), mmap_mode="r")
    vector = embedder.embed(questions[:1])[0]
    with Store.open(path) as store:
        return {
            "plain: FTS5 OR query": times(plain_fts(store, "passages"), questions),
            "plain: numpy float32 scan": times(lambda q: np.argpartition(matrix @ vector, -10)[-10:], questions[:20]),
        }


def embedded(number: int) -> dict[str, dict[str, float]]:
    """Passages of some sixty words, embedded as the chat does it with what it is behind with."""
    texts = [one.text for one in paragraphs() if 40 <= word_count(one.text) <= 80]
    some = [f"{place}. {renamed(texts[place % len(texts)], place)}" for place in range(number)]
    with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder) / "e.db", embedder=load_embedder()) as store:
        user = store.users.get("ana").id
        session = store.sessions.start(user).id
        for text in some:
            store.turns.add(session, "Ana", text, storage="done")
        assert store.embedder is not None
        store.embedder.embed(some[:64])
        made, wall, work = 0, time.perf_counter(), time.process_time()
        while done := store.vectors.embed_pending(user, limit=256):
            made += done
        wall, work = time.perf_counter() - wall, time.process_time() - work
    words = sum(map(word_count, some)) / len(some)
    return {f"passages of {words:.0f} words embedded a second": {"p50": made / wall, "cpu": made / work, "n": made}}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--passages", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--queries", type=int, default=200, help="questions asked (default 200)")
    parser.add_argument("--embed", type=int, default=600, help="passages embedded to see how fast (default 600)")
    parser.add_argument("--keep", type=Path, metavar="FOLDER")
    parser.add_argument("--measure", nargs=2, metavar=("WHAT", "FILE"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.measure:
        what, path = args.measure
        found = {"packed": packed, "searched": searched, "plainly": plainly}[what](Path(path), args.queries)
        print(json.dumps(found))
        return 0
    with tempfile.TemporaryDirectory(prefix="chatmem-bench-") as scratch:
        folder = args.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        for size in args.passages:
            path = folder / f"size-{size}.db"
            if not path.is_file():
                made(path, size)
            table = {
                name: one
                for what in ("packed", "searched", "plainly")
                for name, one in _apart(what, path, args).items()
            }
            show(f"{size:,} passages of one user, {path.stat().st_size / 1e6:,.0f} MB; milliseconds", table)
    if args.embed:
        show("cpu: by second of processor time", embedded(args.embed))
    return 0


def _apart(what: str, path: Path, args: argparse.Namespace) -> dict[str, dict[str, float]]:
    command = [sys.executable, __file__, "--queries", str(args.queries), "--measure", what, str(path)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    found: dict[str, dict[str, float]] = json.loads(done.stdout)
    return found


def show(about: str, table: dict[str, dict[str, float]]) -> None:
    print(f"{about}\n{'':44}{'p50':>9}{'p95':>9}{'cpu p50':>9}{'n':>6}")
    for name, one in table.items():
        p95, cpu = (f"{one[key]:9.1f}" if key in one else " " * 9 for key in ("p95", "cpu"))
        print(f"{name:44}{one['p50']:9.1f}{p95}{cpu}{one['n']:6.0f}", flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
