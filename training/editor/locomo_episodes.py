"""LoCoMo as the editor's episodes: a conversation's starting memory and one question, in parquet files.

`train.parquet` and `test.parquet` hold a row for each question, split by whole conversations; `memories.parquet` the
starting memory of each conversation (its observations, with the lines they cite), `lines.parquet` what was said. An
episode runs in a store of its own, filled from these (`eval/ingestion/locomo_memory.py`).
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...eval.agents.tidied.episodes import read
from ...eval.datasets.locomo import LocomoTalk, load_locomo
from ...eval.ingestion.locomo_memory import lines_of, noted, observations
from ...eval.measures.locomo_score import CATEGORIES
from ...memory.errors import InputError
from ...memory.store.store import Store
from ...models.lm import LM
from ..material.files import read_json

Fields = dict[str, Any]
__all__ = ["FILES", "episodes", "read", "show", "statistics", "write"]
FILES = ("train", "test", "memories", "lines")


def write(
    data: Path, out: Path, share: float, seed: int, test: Sequence[str] | None = None, storage: LM | None = None
) -> Fields:  # fmt: skip
    """Makes the files and returns the statistics. `storage`: a model that writes the starting memories from the lines.

    Raises InputError, ModelError.
    """
    loaded = load_locomo(data)
    talks = {talk.id: talk for talk in loaded.rows}
    held = _held(list(talks), share, seed, test)
    observed = {str(item.get("sample_id")): item for item in read_json(data) if isinstance(item, dict)}
    tables: dict[str, list[Fields]] = {name: [] for name in FILES}
    for name, talk in talks.items():
        tables["test" if name in held else "train"] += episodes(talk)
        lines = lines_of(talk)
        tables["lines"] += lines
        tables["memories"] += _noted(out, name, lines, storage) if storage else observations(observed[name], lines)
    told = statistics(tables, sorted(set(talks) - set(held)), sorted(held), len(loaded.problems))
    _save(out, tables, told)
    return told


def _noted(out: Path, name: str, lines: list[Fields], storage: LM) -> list[Fields]:
    """What the model notes of a conversation; kept in `storage.db` as it comes, so that a killed run goes on."""
    from ...eval.runs.progress import make_progress
    from ...models.embedder.minilm import load_embedder

    out.mkdir(parents=True, exist_ok=True)
    with Store.open(out / "storage.db", embedder=load_embedder()) as store:
        return noted(store, name, lines, storage, make_progress(name, len(lines)))


def _held(names: list[str], share: float, seed: int, test: Sequence[str] | None) -> list[str]:
    if test is not None:
        if unknown := set(test) - set(names):
            raise InputError(f"the file holds no conversation {', '.join(sorted(unknown))}.")
        return list(test)
    if len(names) < 2:
        raise InputError("a split needs two conversations at least; name the test set with --test.")
    order = sorted(names)
    random.Random(f"locomo {seed}").shuffle(order)
    return order[max(1, min(len(order) - 1, round(len(order) * share))) :]


def episodes(talk: LocomoTalk) -> list[Fields]:
    """A row for each question that has an answer: category 5, asked after what was never said, is left out."""
    return [
        {
            "episode": f"{talk.id}/{place}", "talk": talk.id, "question": one.question, "answer": one.answer,
            "category": one.category, "evidence": list(one.evidence),
        }
        for place, one in enumerate(talk.questions) if one.answer and one.category != 5
    ]  # fmt: skip


def statistics(tables: Mapping[str, Sequence[Fields]], train: Sequence[str], test: Sequence[str], bad: int) -> Fields:
    """Counts that a reader checks first."""
    memories = Counter(row["talk"] for row in tables["memories"])
    return {
        "conversations": {"train": len(train), "test": len(test)}, "train": ", ".join(train), "test": ", ".join(test),
        "episodes": {"train": len(tables["train"]), "test": len(tables["test"])},
        "questions": dict(Counter(CATEGORIES[row["category"]] for name in ("train", "test") for row in tables[name])),
        "memories": {"all": sum(memories.values()), "least": min(memories.values(), default=0),
                     "most": max(memories.values(), default=0)},
        "memories without a line": sum(not row["evidence"] for row in tables["memories"]),
        "words of a memory": round(_mean(len(row["fact"].split()) for row in tables["memories"]), 1),
        "lines": len(tables["lines"]), "bad rows left out": bad,
    }  # fmt: skip


def _mean(values: Iterator[int]) -> float:
    found = list(values)
    return sum(found) / max(1, len(found))


def _save(out: Path, tables: Mapping[str, Sequence[Fields]], told: Fields) -> None:
    from datasets import Dataset, disable_progress_bars

    disable_progress_bars()
    if not tables["train"] or not tables["test"]:
        raise InputError("one side of the split has no questions; choose another --train or --test.")
    try:
        out.mkdir(parents=True, exist_ok=True)
        for name in FILES:
            Dataset.from_list(list(tables[name])).to_parquet(str(out / f"{name}.parquet"))
        (out / "statistics.json").write_text(json.dumps(told, ensure_ascii=False, indent=2), encoding="utf-8")
    except OSError as error:
        raise InputError(f"{out} can't be written ({error.strerror}); name another --out.") from error


def show(folder: Path, count: int) -> Fields:
    """The statistics, and the first episodes."""
    first = read(folder, "train")[: max(0, count)]
    told: Fields = json.loads((folder / "statistics.json").read_text(encoding="utf-8"))
    wanted = ("episode", "question", "answer", "category")
    return told | {"first episodes": [{name: row[name] for name in wanted} for row in first]}
