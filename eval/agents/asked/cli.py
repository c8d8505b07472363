"""The arguments of `chatmem eval asked`, and its run."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...arguments import COUNT, NUMBER, PLACE
from ...runs.models import compared, spec_of
from ...runs.progress import make_progress

if TYPE_CHECKING:
    from ...runs.records import Records
    from .memory import AskedMemory


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `eval asked`."""
    parser.add_argument("--data", type=PLACE, metavar="FILE", help="memories with questions (the 300 of the bench)")
    parser.add_argument("--num", type=NUMBER, default=0, metavar="N", help="only the first N questions (0: all)")
    parser.add_argument("--model", default="embedded", metavar="SPEC", help="the model (embedded)")
    parser.add_argument(
        "--adapter", default="retrieval", metavar="NAME", help="its adapter (retrieval); none: without one"
    )
    parser.add_argument("--compare", nargs="*", metavar="SPEC", help="more columns, and each minus the first")
    parser.add_argument("--threads", type=COUNT, metavar="N", help="of llama.cpp; 1 is fastest on a busy machine")


def run(args: argparse.Namespace) -> int:
    """Measures; with --out each finished question is kept, and the same command goes on after an interruption."""
    import tempfile

    from ...report import tables
    from ...runs.records import Records
    from . import measure, memory

    path = args.data or memory.BENCH
    memories = memory.read(path)
    cases = [(one, number) for one in memories for number in range(len(one.asked))][: args.num or None]
    specs = list(dict.fromkeys((spec_of(args.model, args.adapter), *compared(args.compare))))
    settings = {"eval": "asked", "data": path.name, "num": args.num}
    with (
        tempfile.TemporaryDirectory(prefix="chatmem-eval-") as folder,
        Records(args.out or Path(folder) / "records.jsonl", settings) as records,
    ):
        done = {
            spec: predict(spec, cases, records, threads=args.threads, tell=make_progress(spec, len(cases)))
            for spec in specs
        }
    columns = {spec: measure.measures(rows) for spec, rows in done.items()}
    for spec in specs[1:]:
        columns[f"{spec} minus {specs[0]}"] = measure.differences(done[specs[0]], done[spec])
    tables.put("asked", f"{len(cases)} questions that count, list, date or order", columns, args.json)
    return 0


def predict(
    spec: str, cases: Sequence[tuple[AskedMemory, int]], records: Records, *, threads: int | None = None,
    tell: Callable[[int], None] = lambda done: None,
) -> list[Mapping[str, Any]]:  # fmt: skip
    """Asks the model of `spec` each question that has no record yet; all records in the questions' order. Raises
    ModelError; what is done by then is kept."""
    from ...runs.models import load

    before, keys = records.done, [f"{spec} {memory.name}/{number}" for memory, number in cases]
    left = [case for key, case in zip(keys, cases, strict=True) if key not in before]
    if left:
        lm = load(spec, threads)
        try:
            for row in _asked(lm, left):
                records.add(row | {"key": f"{spec} {row['key']}", "model": spec})
                tell(len(records.rows))
        finally:
            lm.close()
    done = {row["key"]: row for row in records.rows}
    return [done[key] for key in keys]


def _asked(lm: Any, cases: Sequence[tuple[AskedMemory, int]]) -> Iterator[dict[str, Any]]:
    """The records of the questions, each memory told to a store of its own."""
    import tempfile

    from ....memory.store.store import Store
    from ....models.chat.retrieval import RetrievalAgent
    from ....models.embedder.minilm import load_embedder
    from . import measure, memory

    for one in {each.name: each for each, _ in cases}.values():
        with (
            tempfile.TemporaryDirectory(prefix="chatmem-eval-") as folder,
            Store.open(Path(folder) / "eval.db", embedder=load_embedder()) as store,
        ):
            places, agent = memory.tell(store, one), RetrievalAgent(lm, store)
            for number in (number for each, number in cases if each is one):
                yield measure.record(agent, one, places, number)
