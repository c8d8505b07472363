"""Does a personal adapter stop making a mistake that its user put right fifty times? A simulation with the real model.

    python tests/benchmarks/study_corrections.py [--msc HELD_OUT.jsonl] [--out FOLDER]

A simulated person tells the real storage agent lines from our templates and always renames the topic "pets" to
"animals", until there are 50 corrections. `chatmem train storage --from-journal` learns from them. Then both adapters
read new lines about animals: 60 written for this bench, and lines with wordings and names that no training row has. The
mistake is a row under "pets". That nothing else gets worse is measured on other facts of the templates' held-back part,
and with --msc on `chatmem eval storage`. All of it is kept in FOLDER and goes on from there.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from chatmem.app.cli import main as chatmem
from chatmem.eval.corrections import told
from chatmem.eval.loading import load
from chatmem.eval.metrics import Estimate, bootstrap, token_f1, wilson
from chatmem.memory.store import Store
from chatmem.memory.values import ASSISTANT
from chatmem.models.embedder import load_embedder
from chatmem.models.prompts import Line
from chatmem.models.storage import StorageAgent
from chatmem.training.templates.generate import generate

OLD, NEW, NAME = "pets", "animals", "Ana"
BUNDLED, OWN = "embedded+storage", "embedded+{}"
Case = tuple[str, str, str]
"""Speaker, line, the fact that a person would note ("": not known or none)."""


def lines_of(split: str, seed: int, topics: set[str] | None = None) -> Iterator[Case]:
    """Lines of our templates that tell one new fact; with `topics`, of these alone."""
    for talk in generate(seed=seed, n=3000, split=split):  # type: ignore[arg-type]
        for line in talk.lines:
            if len(line.facts) != 1 or line.facts[0].action != "add" or line.facts[0].subject != talk.user:
                continue
            if topics is None or line.facts[0].topic in topics:
                yield talk.user, line.text, line.facts[0].fact


def live(folder: Path, wanted: int) -> int:
    """A life of telling and correcting, until there are so many corrections; how many lines it took."""
    pets, others = lines_of("train", 501, {OLD}), lines_of("train", 502)
    lm, corrected, told_lines = load(BUNDLED, 1), 0, 0
    with Store.open(folder / "life.db", embedder=load_embedder()) as store:
        user = store.call_user(store.user("me").id, NAME)
        agent = StorageAgent(lm, store)
        while corrected < wanted:
            session = store.start_session(user.id)
            for source in (pets, others, pets, pets):
                name, text, _ = next(source)
                turn = store.add_turn(session.id, NAME, text.replace(name, NAME), storage="pending")
                result = agent.run([turn], user)
                store.finish_turn(turn.id)
                store.add_turn(session.id, ASSISTANT, "I see.")
                told_lines += 1
                for entry in result.entries:
                    if entry.kind == "insert" and entry.after and entry.after["topic"] == OLD and corrected < wanted:
                        store.edit(entry.after["id"], topic=NEW)
                        corrected += 1
            print(f"\r{corrected} corrections in {told_lines} lines", end="", file=sys.stderr, flush=True)
    lm.close()
    return told_lines


def ask(spec: str, cases: Sequence[Case], path: Path) -> list[str]:
    """What the adapter writes for each line; kept in `path`."""
    done = [json.loads(line) for line in path.read_text().splitlines()] if path.is_file() else []
    if len(done) < len(cases):
        lm = load(spec, 1)
        agent = StorageAgent(lm, None)  # type: ignore[arg-type]  # proposing needs no store
        with path.open("a") as out:
            for name, text, _ in cases[len(done) :]:
                done.append(agent.propose([], Line(name, text)))
                out.write(json.dumps(done[-1]) + "\n")
                out.flush()
                print(f"\r{spec}: {len(done)}/{len(cases)}", end="", file=sys.stderr, flush=True)
        lm.close()
    return done


def mistakes(before: Sequence[str], after: Sequence[str]) -> dict[str, Estimate]:
    """Over the lines for which an adapter stored something: the share with a row under the old topic."""
    table = {}
    for name, done in (("before", before), ("after", after)):
        stored = [[one.topic for one in told(sql)] for sql in done if told(sql)]
        table[f"{name}: under {OLD!r}"] = wilson(sum(OLD in topics for topics in stored), len(stored))
        table[f"{name}: under {NEW!r}"] = wilson(sum(NEW in topics for topics in stored), len(stored))
    pairs = [
        (OLD in [t.topic for t in told(a)], OLD in [t.topic for t in told(b)])
        for a, b in zip(before, after, strict=True)
    ]
    table[f"after minus before: under {OLD!r}, of all lines"] = bootstrap([float(b) - float(a) for a, b in pairs])
    return table


def others(cases: Sequence[Case], before: Sequence[str], after: Sequence[str]) -> dict[str, Estimate]:
    """On facts of other topics: stored at all, token F1 with the fact, and rows that went under the new topic."""

    def f1(case: Case, sql: str) -> float:
        return token_f1(" ".join(one.fact for one in told(sql)), case[2])

    table = {}
    for name, done in (("before", before), ("after", after)):
        table[f"{name}: stored"] = wilson(sum(bool(told(sql)) for sql in done), len(done))
        table[f"{name}: token F1"] = bootstrap([f1(case, sql) for case, sql in zip(cases, done, strict=True)])
        rows = [one.topic for sql in done for one in told(sql)]
        table[f"{name}: rows under {NEW!r}"] = wilson(rows.count(NEW), len(rows))
    pairs = list(zip(cases, before, after, strict=True))
    table["after minus before: stored"] = bootstrap([float(bool(told(b))) - float(bool(told(a))) for _, a, b in pairs])
    table["after minus before: token F1"] = bootstrap([f1(case, b) - f1(case, a) for case, a, b in pairs])
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("runs/bench-corrections"))
    parser.add_argument("--name", default="bench-storage", help="of the personal adapter (replaced if it is there)")
    parser.add_argument("--corrections", type=int, default=50)
    parser.add_argument("--num", type=int, default=40, help="new lines of the templates, and half more of other facts")
    parser.add_argument("--msc", type=Path, help="held-out Multi-Session Chat, for `chatmem eval storage`")
    parser.add_argument("--msc-num", type=int, default=120)
    parser.add_argument("--train", nargs=argparse.REMAINDER, default=[], help="more options of `chatmem train storage`")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    if not (args.out / "life.done").is_file():
        (args.out / "life.db").unlink(missing_ok=True)
        (args.out / "life.done").write_text(str(live(args.out, args.corrections)))
    trained = args.out / args.name
    if not (trained / "adapter").is_dir():
        words = ["train", "storage", "--from-journal", "--db", str(args.out / "life.db"), "--user", "me"]
        words += ["--name", args.name, "--out", str(trained), "--seed", "1", *args.train]
        if code := chatmem(words):
            sys.exit(code)
    print(f"\nready after {(time.monotonic() - began) / 60:.0f} minutes", file=sys.stderr)
    own = OWN.format(args.name)
    written = (Path(__file__).with_name("pet_lines.txt")).read_text().splitlines()
    sets = {
        "written": [(NAME, text, "") for text in written],
        "templates": list(dict.fromkeys(islice(lines_of("valid", 503, {OLD}), 2 * args.num)))[: args.num],
        "others": list(islice((case for case in lines_of("valid", 504) if "pet" not in case[2]), args.num * 3 // 2)),
    }
    done = {
        (what, who): ask(spec, cases, args.out / f"{what}-{who}.jsonl")
        for what, cases in sets.items()
        for who, spec in (("bundled", BUNDLED), (args.name, own))
    }
    for what, cases in sets.items():
        before, after = done[what, "bundled"], done[what, args.name]
        table = others(cases, before, after) if what == "others" else mistakes(before, after)
        print(f"\n{what}: {len(cases)} lines")
        for measure, estimate in table.items():
            print(f"  {measure:50} {estimate}")
    if args.msc:
        words = [
            "eval",
            "storage",
            "--data",
            str(args.msc),
            "--num",
            str(args.msc_num),
            "--seed",
            "1",
            "--threads",
            "1",
        ]
        chatmem([*words, "--compare", own, "--out", str(args.out / "msc.jsonl")])


if __name__ == "__main__":
    main()
