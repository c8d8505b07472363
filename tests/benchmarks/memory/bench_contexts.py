"""What stands in the words that a prompt is given: `bench_contexts.py [--locomo FILE] [--dmr FILE] [--beam FILE] ...`.

For each kind of talk (those of `bench_floor.py`, with its options) and each of `--budgets` words: the share of the
evidence of which something stands in the context, the share of the right answer's words, and the contexts that hold
all of these; of `Store.search`, and of passages in plain order of similarity (MiniLM) that fill the same budget, of all
lines and of people's alone. What is shown twice in any way is counted, too: no context of search may do so.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

import numpy as np

from chatmem.eval.measures.intervals import Estimate, bootstrap
from chatmem.memory.database.engine import raw
from chatmem.memory.language.words import terms, word_count
from chatmem.memory.search.nearest.numbers import SHIFT
from chatmem.memory.search.passages import passages
from chatmem.memory.store.store import Store
from chatmem.memory.values import ASSISTANT
from chatmem.models.embedder.minilm import load_embedder
from chatmem.training.recall.rows import EvidenceQuestion
from tests.benchmarks.memory.bench_floor import add_options, kinds

SYSTEMS = ("search", "similar", "similar, people's")
MEASURES = ("evidence", "answer", "all of it")


@dataclass(frozen=True, slots=True)
class Shown:
    """A context: its texts, each with the turns that it is of."""

    texts: tuple[str, ...]
    turns: frozenset[int]


@dataclass(frozen=True, slots=True)
class Said:
    """A user's passages, by their rows: turn, text, whether a person said it, vector."""

    turns: Sequence[int]
    texts: Sequence[str]
    own: np.ndarray
    matrix: np.ndarray


def said(store: Store, user: int) -> Said:
    assert store.embedder is not None
    query = "SELECT ref_id, data FROM vectors WHERE user_id = ? AND kind = 'passage' AND model = ? ORDER BY ref_id"
    with store.db.read() as db:
        rows = raw(db).execute(query, (user, store.embedder.name)).fetchall()
    lines = {turn.id: turn for session in store.sessions.all(user) for turn in store.turns.of(session.id)}
    turns = [number >> SHIFT for number, _ in rows]
    spans = [
        passages(lines[turn].text)[number & (1 << SHIFT) - 1] for turn, (number, _) in zip(turns, rows, strict=True)
    ]
    texts = [lines[turn].text[slice(*span)] for turn, span in zip(turns, spans, strict=True)]
    own = np.array([lines[turn].speaker != ASSISTANT for turn in turns])
    return Said(turns, texts, own, np.stack([np.frombuffer(data, np.float16) for _, data in rows]).astype(np.float32))


def by_similarity(known: Said, query: np.ndarray, budget: int, *, people: bool) -> Shown:
    """The nearest passages that fit, each with a word for who said it."""
    order = np.argsort(-(known.matrix @ query), kind="stable")
    texts, turns = [], set()
    for place in order.tolist():
        cost = word_count(known.texts[place]) + 1
        if cost <= budget and (known.own[place] or not people):
            texts.append(known.texts[place])
            turns.add(known.turns[place])
            budget -= cost
        if budget < 3:
            break
    return Shown(tuple(texts), frozenset(turns))


def by_search(store: Store, one: EvidenceQuestion, budget: int) -> Shown:
    found = store.search(one.user_id, one.text, speaker=one.asker, now=one.now, word_budget=budget)
    turns = [turn for item in found.items for turn in item.turns]
    texts = [item.memory.fact for item in found.items if item.memory] + [turn.text for turn in turns]
    assert len({turn.id for turn in turns}) == len(turns) and len(set(texts)) == len(texts), "shown twice"
    return Shown(tuple(texts), frozenset(turn.id for turn in turns))


def measured(shown: Shown, one: EvidenceQuestion) -> Mapping[str, float]:
    wanted, held = {*terms(one.answer)}, {*terms(" ".join(shown.texts))}
    found = {"evidence": len(shown.turns & {*one.lines}) / len(one.lines)}
    if wanted:
        found |= {"answer": len(wanted & held) / len(wanted), "all of it": float(wanted <= held)}
    return found


def contexts(
    store: Store, asked: Sequence[EvidenceQuestion], budgets: Sequence[int]
) -> Iterator[tuple[str, int, Mapping[str, float]]]:
    """System, budget and measures of each question."""
    known: dict[int, Said] = {}
    assert store.embedder is not None
    for one in asked:
        if one.user_id not in known:
            known = {one.user_id: said(store, one.user_id)}
        query = store.embedder.embed([one.text])[0]
        for budget in budgets:
            plain = [by_similarity(known[one.user_id], query, budget, people=people) for people in (False, True)]
            shown = (by_search(store, one, budget), *plain)
            yield from ((name, budget, measured(some, one)) for name, some in zip(SYSTEMS, shown, strict=True))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser)
    parser.add_argument("--budgets", type=int, nargs="+", default=[200, 1_000, 4_000, 8_000])
    parser.add_argument("--questions", type=int, default=60, help="of each kind at most, drawn (default 60)")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = args.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        with Store.open(folder / "floor.db", embedder=load_embedder()) as store:
            print("| kind | words | context | " + " | ".join(MEASURES) + " |\n" + "|---" * (3 + len(MEASURES)) + "|")
            for kind, asked in kinds(store, args).items():
                drawn = random.Random(1).sample(list(asked), min(args.questions, len(asked)))
                show(kind, [*contexts(store, sorted(drawn, key=lambda one: one.user_id), args.budgets)])
    return 0


def show(kind: str, rows: Sequence[tuple[str, int, Mapping[str, float]]]) -> None:
    for budget in dict.fromkeys(budget for _, budget, _ in rows):
        for name in SYSTEMS:
            some = [found for system, words, found in rows if (system, words) == (name, budget)]
            shown: list[Estimate] = [bootstrap([one[key] for one in some if key in one]) for key in MEASURES]
            print(f"| {kind} | {budget:,} | {name} | " + " | ".join(map(str, shown)) + " |", flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
