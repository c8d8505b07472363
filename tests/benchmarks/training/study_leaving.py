"""Does a storage adapter leave small talk and orders to an assistant alone, and still store the facts beside them?

    python tests/benchmarks/training/study_leaving.py --second SPEC [--first SPEC] [--talks told] [--num 90] [--out F]

Two adapters read the same lines in the same blocks, cut and put as the chat does it (what only asks reaches no model):
of the held-back talks those that tell something, alone and beside an order, those that tell nothing, and orders in
manners that were trained on and in the one that was not. Nothing is known beforehand. Told are the means of each and
the second minus the first, talks drawn again in pairs; `--talks unseen` reads those in the manner that nothing learns
from, `manners` held-back ones in the others; `left out` are lines of which the chat's rules leave nothing.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from chatmem.eval.agents.storage import StorageCase, StoragePrediction, predict
from chatmem.eval.measures.intervals import bootstrap_ratio
from chatmem.eval.measures.text import kept, token_overlap
from chatmem.eval.runs.progress import make_progress
from chatmem.eval.runs.records import Records
from chatmem.memory.language.asked.telling import told_part
from chatmem.memory.language.detect import language_of
from chatmem.memory.language.told.plainer import affirmed, plainer
from chatmem.memory.values import ASSISTANT
from chatmem.training.material.templates.generate import generate
from chatmem.training.material.templates.orders import beside, manners, order, replies
from chatmem.training.material.templates.talk import GoldLine, GoldTalk
from chatmem.training.material.templates.told import manner_talks, told_talks, unseen_talks

KINDS = ("fact", "fact beside an order", "small talk", "order", "order in a new manner")
TALKS = 24
"""Generated talks beside those written whole."""


SOURCES: dict[str, Callable[[int], list[GoldTalk]]] = {
    "told": lambda seed: [*told_talks("valid"), *generate(seed, TALKS, "valid")],
    "manners": lambda _: manner_talks("valid"),
    "unseen": lambda _: unseen_talks(),
}
"""The held-back talks to choose from, by a seed."""


def cases(seed: int, source: str) -> Iterator[tuple[str, StorageCase]]:
    """(kind, case) of all held-back talks."""
    rng = random.Random(seed)
    held = {manner.name for manner in manners() if manner.held_out}
    for number, talk in enumerate(SOURCES[source](seed)):
        for place, line in enumerate(talk.lines):
            if line.speaker == ASSISTANT or any(gold.action == "delete" for gold in line.facts):
                continue
            key, before = f"{number}/{place}", _said(talk.lines[max(0, place - 2) : place])
            fact = " ".join(gold.fact for gold in line.facts)
            case = StorageCase(f"{key}/line", before, line.speaker, line.speaker, line.text, fact)
            yield ("fact" if fact else "small talk"), case
            asked = order(line.speaker, rng, "valid")
            if fact and rng.random() < 0.5:
                both = beside(line.text, asked.text, rng)
                yield "fact beside an order", replace(case, key=f"{key}/beside", text=both)
            kind = "order in a new manner" if asked.manner in held else "order"
            yield kind, replace(case, key=f"{key}/order", before=_scene(talk, place, rng), text=asked.text, fact="")


def _said(lines: Sequence[GoldLine]) -> tuple[tuple[str, str], ...]:
    return tuple((line.speaker, line.text) for line in lines)


def _scene(talk: GoldTalk, place: int, rng: random.Random) -> tuple[tuple[str, str], ...]:
    """The line and its reply, or an order and its reply."""
    if rng.random() < 0.5:
        return _said(talk.lines[place : place + 2])
    speaker = talk.lines[place].speaker
    return ((speaker, order(speaker, rng, "valid").text), (ASSISTANT, rng.choice(replies())))


def drawn(num: int, seed: int, source: str = "told") -> tuple[list[tuple[str, StorageCase]], Counter[str]]:
    """At most `num` of each kind, no line twice, as the chat reads them; and how many of each its rules leave nothing
    of."""
    found, gone, seen, texts = list[tuple[str, StorageCase]](), Counter[str](), Counter[str](), set[str]()
    every = list(cases(seed, source))
    random.Random(seed).shuffle(every)
    for kind, case in every:
        if seen[kind] < num and case.text not in texts:
            seen[kind] += 1
            texts.add(case.text)
            told = told_part(case.text, language_of(case.text, "en"))
            gone[kind] += not told
            if told:
                found.append((kind, replace(case, text=affirmed(plainer(told)))))
    return found, gone


Counts = tuple[str, float, float]
"""The talk, what was reached, of how much."""


def counted(kind: str, one: StoragePrediction) -> dict[str, Counts]:
    """The measures of one line."""
    talk, fact = one.case.key.partition("/")[0], one.case.fact
    if not fact:
        return {f"{kind}: left alone": (talk, float(not one.rows), 1.0)}
    _, recall, f1 = token_overlap(one.fact, fact)
    hits, total = kept(fact.replace(one.case.speaker, "They"), one.fact)
    return {
        f"{kind}: stored": (talk, float(bool(one.rows)), 1.0),
        f"{kind}: token F1": (talk, f1, 1.0),
        f"{kind}: recall of the words": (talk, recall, 1.0),
        f"{kind}: names and numbers": (talk, float(hits), float(total)),
    }


def by_talk(rows: Sequence[Counts]) -> tuple[list[float], list[float]]:
    """What was reached and of how much, a talk each, so that talks are drawn again whole."""
    reached, most = Counter[str](), Counter[str]()
    for talk, value, whole in rows:
        reached[talk] += value  # type: ignore[assignment]
        most[talk] += whole  # type: ignore[assignment]
    return [float(reached[talk]) for talk in most], [float(most[talk]) for talk in most]


def show(one: Sequence[dict[str, Counts]], other: Sequence[dict[str, Counts]]) -> None:
    """A row a measure."""
    for name in sorted({name for row in one for name in row}):
        first, whole = by_talk([row[name] for row in one if name in row])
        second, _ = by_talk([row[name] for row in other if name in row])
        gained = [b - a for a, b in zip(first, second, strict=True)]
        told = [f"{bootstrap_ratio(side, whole)!s:>24}" for side in (first, second, gained)]
        print(f"{name:44}", *told, f"(n {sum(whole):.0f})")


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", default="embedded+storage")
    parser.add_argument("--second", required=True)
    parser.add_argument("--talks", choices=SOURCES, default="told", help="which talks (default: %(default)s)")
    parser.add_argument("--num", type=int, default=90, help="lines of each kind")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    chosen, gone = drawn(args.num, args.seed, args.talks)
    print("left out:", {kind: gone[kind] for kind in KINDS})
    with tempfile.TemporaryDirectory() as folder:
        settings = {"study": "leaving", "num": args.num, "seed": args.seed, "talks": args.talks}
        with Records(args.out or Path(folder) / "records.jsonl", settings) as records:
            tables = []
            for spec in (args.first, args.second):
                tell = make_progress(spec, len(chosen))
                done = predict(spec, [case for _, case in chosen], records, threads=args.threads, tell=tell)
                tables.append([counted(kind, one) for (kind, _), one in zip(chosen, done, strict=True)])
    print(f"{'':44} {args.first:>24} {args.second:>24}  second minus first")
    show(*tables)


if __name__ == "__main__":
    main()
