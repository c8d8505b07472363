"""Does a personal adapter stop making a mistake that its user put right fifty times? A simulation with the real model.

    python tests/benchmarks/training/study_corrections.py [--kind topic|health] [--msc HELD_OUT.jsonl] [--out FOLDER]

A simulated person tells the real storage agent lines from our templates and puts one kind of thing right, until there
are 50 corrections: "topic" renames "pets" to "animals", "health" undoes whatever is stored about their health.
`chatmem train storage --from-journal` learns from them. Then both adapters read new lines of that kind: of the
templates' held-back part, with wordings and names that no training row has, and for "topic" 60 written for this bench.
The mistake is a row under "pets", or anything stored. That nothing else gets worse is measured on other facts of the
templates' held-back part, and with --msc on `chatmem eval storage`. All of it is kept in FOLDER and goes on from there.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from chatmem.app.cli import main as chatmem
from chatmem.eval.agents.corrections import told
from chatmem.eval.ingestion.ingest import BLOCK
from chatmem.eval.measures.intervals import Estimate, bootstrap, wilson
from chatmem.eval.measures.text import token_f1
from chatmem.eval.runs.models import MANY, load
from chatmem.memory.store.store import Store
from chatmem.memory.values import ASSISTANT, JournalEntry
from chatmem.models.embedder.minilm import load_embedder
from chatmem.models.prompts.messages import Line
from chatmem.models.storage.agent import StorageAgent
from chatmem.models.storage.told.scene import Scene
from chatmem.training.material.templates.generate import generate

OLD, NEW, NAME = "pets", "animals", "Ana"
BUNDLED, OWN = "embedded+storage", "embedded+{}"
KINDS = {
    "topic": {OLD},
    "health": {"allergies", "medicine", "injury", "doctor", "blood type", "surgery", "eyesight"},
}
"""Each kind of correction with the templates' topics that it is about."""


class Case(NamedTuple):
    """A line, and what a person would note with its topic ("": not known)."""

    speaker: str
    text: str
    fact: str = ""
    topic: str = ""


def lines_of(split: str, seed: int, topics: set[str], *, others: bool = False) -> Iterator[Case]:
    """Lines of our templates that tell one new fact, of these topics or of all others."""
    for talk in generate(seed=seed, n=3000, split=split):  # type: ignore[arg-type]
        for line in talk.lines:
            if len(line.facts) != 1 or line.facts[0].action != "add" or line.facts[0].subject != talk.user:
                continue
            if (line.facts[0].topic in topics) != others:
                yield Case(talk.user, line.text, line.facts[0].fact, line.facts[0].topic)


def put_right(store: Store, kind: str, entry: JournalEntry, matters: bool) -> bool:
    """What the person does about a write; `matters`: the line is of the kind. Whether it was a correction."""
    if entry.kind != "insert" or not entry.after:
        return False
    if kind == "health" and matters:
        store.journal.undo(entry.id)
        return True
    if kind == "topic" and entry.after["topic"] == OLD:
        store.facts.edit(entry.after["id"], topic=NEW)
        return True
    return False


def live(folder: Path, kind: str, wanted: int) -> int:
    """A life of telling and correcting, until there are so many corrections; how many lines it took."""
    some, others = lines_of("train", 501, KINDS[kind]), lines_of("train", 502, KINDS[kind], others=True)
    lm, corrected, told_lines = load(BUNDLED, 1), 0, 0
    with Store.open(folder / "life.db", embedder=load_embedder()) as store:
        user = store.users.call(store.users.get("me").id, NAME)
        agent = StorageAgent(lm, store)
        while corrected < wanted:
            session = store.sessions.start(user.id)
            for source in (some, others, some, some, others):
                name, text, *_ = next(source)
                turn = store.turns.add(session.id, NAME, text.replace(name, NAME), storage="pending")
                result = agent.run([turn], user)
                store.queue.finish(turn.id)
                store.turns.add(session.id, ASSISTANT, "I see.")
                told_lines += 1
                for entry in result.entries:
                    corrected += corrected < wanted and put_right(store, kind, entry, source is some)
            print(f"\r{corrected} corrections in {told_lines} lines", end="", file=sys.stderr, flush=True)
    lm.close()
    return told_lines


def ask(spec: str, cases: Sequence[Case], path: Path) -> list[str]:
    """What the adapter writes for each line, a block of them side by side; kept in `path`."""
    done = [json.loads(line) for line in path.read_text().splitlines()] if path.is_file() else []
    if len(done) < len(cases):
        lm = load(spec, 1, None, MANY)
        agent = StorageAgent(lm, None)  # type: ignore[arg-type]  # proposing needs no store
        with path.open("a") as out:
            for at in range(len(done) - len(done) % BLOCK, len(cases), BLOCK):
                written = agent.propose_all([Scene([], Line(one.speaker, one.text)) for one in cases[at : at + BLOCK]])
                out.writelines(json.dumps(sql) + "\n" for sql in written[len(done) - at :])
                out.flush()
                done += written[len(done) - at :]
                print(f"\r{spec}: {len(done)}/{len(cases)}", end="", file=sys.stderr, flush=True)
        lm.close()
    return done[: len(cases)]


def topics_of(sql: str) -> list[str]:
    """The topics of its new rows."""
    return [one.topic for one in told(sql)]


def mistakes(kind: str, before: Sequence[str], after: Sequence[str]) -> dict[str, Estimate]:
    """The share stored at all, which is the mistake for "health"; for "topic" also that under each topic."""
    table = {}
    for name, done in (("before", before), ("after", after)):
        stored = [topics_of(sql) for sql in done if told(sql)]
        table[f"{name}: stored"] = wilson(len(stored), len(done))
        if kind == "topic":
            table[f"{name}: under {OLD!r}"] = wilson(sum(OLD in topics for topics in stored), len(stored))
            table[f"{name}: under {NEW!r}"] = wilson(sum(NEW in topics for topics in stored), len(stored))
    wrong = [
        [OLD in topics_of(sql) if kind == "topic" else bool(told(sql)) for sql in done] for done in (before, after)
    ]
    pairs = zip(*wrong, strict=True)
    table["after minus before: the mistake, of all lines"] = bootstrap([float(b) - float(a) for a, b in pairs])
    return table


def compared(cases: Sequence[Case], before: Sequence[str], after: Sequence[str]) -> dict[str, Estimate]:
    """On other facts: stored at all, token F1 with the fact (0 where nothing is stored), and topics that changed."""

    def f1(case: Case, sql: str) -> float:
        return token_f1(" ".join(one.fact for one in told(sql)), case.fact)

    table = {}
    for name, done in (("before", before), ("after", after)):
        table[f"{name}: stored"] = wilson(sum(bool(told(sql)) for sql in done), len(done))
        table[f"{name}: token F1"] = bootstrap([f1(case, sql) for case, sql in zip(cases, done, strict=True)])
        table[f"{name}: a row under the topic noted"] = wilson(
            sum(c.topic in topics_of(sql) for c, sql in zip(cases, done, strict=True)), len(done)
        )
    pairs = list(zip(cases, before, after, strict=True))
    table["after minus before: stored"] = bootstrap([float(bool(told(b))) - float(bool(told(a))) for _, a, b in pairs])
    table["after minus before: token F1"] = bootstrap([f1(case, b) - f1(case, a) for case, a, b in pairs])
    found = [float(c.topic in topics_of(b)) - float(c.topic in topics_of(a)) for c, a, b in pairs]
    table["after minus before: a row under the topic noted"] = bootstrap(found)
    both = [(topics_of(a), topics_of(b)) for a, b in zip(before, after, strict=True) if told(a) and told(b)]
    table["another topic than before, of lines stored twice"] = wilson(sum(a[0] != b[0] for a, b in both), len(both))
    strayed = sum(NEW in topics_of(b) and not {OLD, NEW} & set(topics_of(a)) for _, a, b in pairs)
    table[f"now under {NEW!r}, but not under {OLD!r} before"] = wilson(strayed, len(pairs))
    table["the very same SQL"] = wilson(sum(a == b for a, b in zip(before, after, strict=True)), len(before))
    return table


def sets_of(kind: str, num: int, others: int) -> dict[str, list[Case]]:
    """New lines of the kind, and of other facts. A vet or the pet of a childhood is another fact, and near."""
    written = Path(__file__).with_name("pet_lines.txt").read_text().splitlines() if kind == "topic" else []
    return {
        "written": [Case(NAME, text) for text in written],
        "templates": list(islice(dict.fromkeys(lines_of("valid", 503, KINDS[kind])), num)),
        "others": list(islice(dict.fromkeys(lines_of("valid", 504, KINDS[kind], others=True)), others)),
    }


def train(args: argparse.Namespace, trained: Path) -> None:
    """A life with its corrections, unless it is there, and the adapter that learns from them."""
    if not (args.out / "life.done").is_file():
        (args.out / "life.db").unlink(missing_ok=True)
        (args.out / "life.done").write_text(str(live(args.out, args.kind, args.corrections)))
    words = ["train", "storage", "--from-journal", "--db", str(args.out / "life.db"), "--user", "me"]
    words += ["--name", args.name, "--out", str(trained), "--seed", "1", *args.train]
    if code := chatmem(words):
        sys.exit(code)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kind", choices=KINDS, default="topic")
    parser.add_argument("--out", type=Path, default=Path("runs/bench-corrections"))
    parser.add_argument("--name", default="bench-storage", help="of the personal adapter (replaced if it is there)")
    parser.add_argument("--corrections", type=int, default=50)
    parser.add_argument("--num", type=int, default=60, help="new lines of the templates")
    parser.add_argument("--others", type=int, default=320, help="lines of other facts")
    parser.add_argument("--msc", type=Path, help="held-out Multi-Session Chat, for `chatmem eval storage`")
    parser.add_argument("--msc-num", type=int, default=320)
    parser.add_argument("--train", nargs=argparse.REMAINDER, default=[], help="more options of `chatmem train storage`")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    trained, began = args.out / args.name, time.process_time()
    if not (trained / "adapter").is_dir():
        train(args, trained)
    print(f"\nready after {(time.process_time() - began) / 60:.1f} minutes of processor time", file=sys.stderr)
    own = OWN.format(args.name)
    for what, cases in sets_of(args.kind, args.num, args.others).items():
        before, after = (
            ask(spec, cases, args.out / f"{what}-{who}.jsonl") for who, spec in (("bundled", BUNDLED), (args.name, own))
        )
        table = compared(cases, before, after) if what == "others" else mistakes(args.kind, before, after)
        print(f"\n{what}: {len(cases)} lines")
        for measure, estimate in table.items() if cases else ():
            print(f"  {measure:50} {estimate}")
    if args.msc:
        words = ["eval", "storage", "--data", str(args.msc), "--num", str(args.msc_num), "--seed", "1"]
        chatmem([*words, "--threads", "1", "--compare", own, "--out", str(args.out / "msc.jsonl")])


if __name__ == "__main__":
    main()
