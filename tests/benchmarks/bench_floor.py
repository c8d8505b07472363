"""The floor of recall: on no kind of talk may search find less than the best of what anyone would write first.

`python tests/benchmarks/bench_floor.py [--locomo FILE] [--dmr FILE] [--beam FILE]`: mean recall of the evidence in the
ten best lines, by `Store.search` and by BM25, MiniLM and their rank fusion over the same lines, for every kind of talk
whose data is given, and for the talks that ship with long replies put in between. `--talks N`: of each kind at most so
many. The shipped encoder and ranker were trained on LoCoMo's and DMR's questions at hand and on BEAM's: what they reach
on conversations held back is printed by `chatmem train recall`.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from chatmem.eval.answers.baselines import make_rankers
from chatmem.eval.datasets.beam import load_beam
from chatmem.eval.datasets.cases import Conversation
from chatmem.eval.datasets.locomo import load_locomo
from chatmem.eval.datasets.msc import load_dmr
from chatmem.eval.datasets.official_files import good_rows
from chatmem.eval.ingestion.ingest import ingest
from chatmem.eval.measures.intervals import Estimate, bootstrap
from chatmem.eval.measures.ranking import recall_at
from chatmem.memory.store.store import Store
from chatmem.models.embedder.minilm import load_embedder
from chatmem.training.material.templates.told import told_talks
from chatmem.training.recall import rows
from chatmem.training.recall.replied import replied_talks
from chatmem.training.recall.rows import ASKER, TELLER, EvidenceQuestion, telling

PLAIN = ("bm25", "vectors", "rrf")
SEARCH = "search"
K = 10
Kinds = Mapping[str, Sequence[EvidenceQuestion]]


def floor(store: Store, asked: Iterable[EvidenceQuestion]) -> dict[str, list[float]]:
    """Recall@10 of each question by each system; "seconds" of search beside it."""
    found: dict[str, list[float]] = {name: [] for name in (*PLAIN, SEARCH, "seconds")}
    rankers: dict[int, dict[str, Callable[[str], list[str]]]] = {}
    for one in asked:
        if one.user_id not in rankers:
            said = {str(turn.id): turn.text for session in store.sessions.all(one.user_id)
                    for turn in store.turns.of(session.id)}  # fmt: skip
            assert store.embedder is not None
            rankers[one.user_id] = make_rankers(PLAIN, said, store.embedder)
        wanted = {str(line) for line in one.lines}
        for name, rank in rankers[one.user_id].items():
            found[name].append(recall_at(rank(one.text), wanted, K))
        begin = time.perf_counter()
        recall = store.search(one.user_id, one.text, speaker=one.asker, limit=K, now=one.now)
        found["seconds"].append(time.perf_counter() - begin)
        found[SEARCH].append(recall_at([str(turn.id) for item in recall.items for turn in item.turns], wanted, K))
    return found


def below(found: Mapping[str, Sequence[float]]) -> str | None:
    """The plain system that finds more than search; None where there is none."""
    means = {name: float(np.mean(values)) for name, values in found.items()}
    return next((name for name in PLAIN if means[name] > means[SEARCH] + 1e-9), None)


def kinds(store: Store, args: argparse.Namespace) -> Kinds:
    """The questions of each kind, their talks in the store."""
    talks = [*told_talks("valid")][: args.talks]
    made = {"replied": replied_talks(store, talks, [f"replied-{n}" for n in range(len(talks))])}
    for name, load, questions in (
        ("locomo", load_locomo, rows.locomo_questions), ("beam", load_beam, rows.beam_questions),
    ):  # fmt: skip
        path = getattr(args, name)
        if path:
            some: Any = list(good_rows(load(path)))[: args.talks]
            for one in some:
                ingest(store, store.users.get(one.id), Conversation(one.id, one.sessions))
            made[name] = questions(store, some)
    if args.dmr:
        some = list(good_rows(load_dmr(args.dmr)))[: args.talks]
        names = [f"dmr-{number}" for number in range(len(some))]
        for name, one in zip(names, some, strict=True):
            ingest(store, store.users.get(name), Conversation(name, one.sessions, ASKER, TELLER))
        made["dmr"] = rows.dmr_questions(store, some, names)
    return {name: [one for one in telling(asked) if not one.adversarial] for name, asked in made.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("locomo", "dmr", "beam"):
        parser.add_argument(f"--{name}", type=Path, metavar="FILE")
    parser.add_argument("--talks", type=int, default=10)
    args = parser.parse_args()
    worst = 0
    with (
        tempfile.TemporaryDirectory() as folder,
        Store.open(Path(folder) / "floor.db", embedder=load_embedder()) as store,
    ):
        print("| kind | questions | " + " | ".join((*PLAIN, SEARCH)) + " | ms, p50 | below |")
        print("|---" * (len(PLAIN) + 5) + "|")
        for kind, asked in kinds(store, args).items():
            found = floor(store, asked)
            shown: dict[str, Estimate] = {name: bootstrap(found[name]) for name in (*PLAIN, SEARCH)}
            figures = " | ".join(f"{one.value:.3f} [{one.low:.3f}, {one.high:.3f}]" for one in shown.values())
            under = below(found)
            worst += under is not None
            speed = 1e3 * float(np.median(found["seconds"]))
            print(f"| {kind} | {len(asked)} | {figures} | {speed:.1f} | {under or '-'} |")
    return worst


if __name__ == "__main__":
    raise SystemExit(main())
