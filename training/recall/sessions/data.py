"""`chatmem data rank`: rows to train a ranker of sessions on, drawn by a recipe.

A recipe is YAML: `memory_datasets: {train: {NAME: ROWS}, test: {NAME: ROWS}}`. NAME.jsonl or NAME.parquet lies in the
primary folder (rows that a model has ranked) and in the fallback folder (rows of any kind). Of the primary those are
taken first that are neither solved nor hopeless: by 1 - |s - .2|, s being NDCG@10 (MemSifter divides DCG by the number
of gold sessions, so that questions with several look harder than they are). What is missing is drawn from the fallback.
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ....eval.measures.ranking import ndcg_at
from ....eval.ranking.order import ranked
from ....eval.ranking.rows import Row, read_rows, write_rows
from ....memory.errors import InputError, NotFound

ANCHOR = 0.2
"""NDCG@10 of the rows that teach most."""
SEED = 42
SHARD = 2_000
"""Rows of a file at most."""
VERSION = 1
"""Of what is written here; another number: drawn in another way."""
Recipe = Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class Drawn:
    """The rows of a data set for one split, and how many of them came from the primary folder."""

    rows: tuple[Row, ...]
    anchored: int


def score(row: Row) -> float:
    """NDCG@10 of the ranking that a model wrote; 0 for none."""
    return ndcg_at(ranked(row.found), row.gold_places, 10) if ranked(row.found) and row.gold_places else 0.0


def priority(row: Row) -> float:
    """How much a row teaches: 1 where its ranking is neither solved nor hopeless."""
    return 1 - abs(score(row) - ANCHOR)


def read_recipe(path: Path) -> Recipe:
    """The recipe of a file. Raises NotFound, InputError."""
    import yaml

    try:
        told: Any = yaml.safe_load(path.read_text(encoding="utf-8"))
        sets = told["memory_datasets"]
        found = {split: {str(name): int(count) for name, count in (sets.get(split) or {}).items()} for split in SPLITS}
    except FileNotFoundError:
        raise NotFound(f"There is no file {path}; give the recipe.") from None
    except (OSError, yaml.YAMLError, KeyError, TypeError, ValueError, AttributeError) as error:
        form = "memory_datasets: {train: {NAME: ROWS}, test: {NAME: ROWS}}"
        raise InputError(f"{path} is no recipe ({error!r}); write it as `{form}`.") from error
    if not found["train"] or any(count < 1 for some in found.values() for count in some.values()):
        raise InputError(f"{path} names no rows to train on, or fewer than one; give each data set a number.")
    return found


SPLITS = ("test", "train")
"""The test is drawn first: its conversations are not trained on."""


def write(recipe: Recipe, primary: Path, fallback: Path | None, out: Path, seed: int = SEED) -> list[dict[str, Any]]:
    """Writes train-0000.parquet, ..., test.parquet and manifest.json; what it tells of each data set and split.

    Raises NotFound, InputError.
    """
    told: list[dict[str, Any]] = []
    held: set[str] = set()
    for split in SPLITS:
        rows: list[Row] = []
        for name, count in recipe[split].items():
            first, second = _rows(primary, name), _rows(fallback, name)
            wanted = _held_out([*first, *second], count, seed) if split == "test" else None
            drawn = draw(first, second, count, seed, only=wanted, without=held)
            rows += drawn.rows
            told.append({"split": split, "data": name} | _statistics(drawn, count))
        if split == "test":
            held = {row.haystack.stamp for row in rows}
            if rows:
                write_rows(out / "test.parquet", rows)
            continue
        for number, at in enumerate(range(0, len(rows), SHARD)):
            write_rows(out / f"train-{number:04}.parquet", rows[at : at + SHARD])
    manifest = {"version": VERSION, "seed": seed, "recipe": {"memory_datasets": recipe}, "data": told}
    (out / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
    return told


def draw(
    primary: Sequence[Row], fallback: Sequence[Row], count: int, seed: int = SEED, *,
    only: set[str] | None = None, without: set[str] | None = None,
) -> Drawn:  # fmt: skip
    """`count` rows: of the primary those that teach most (of equals by the seed), then of the fallback at random.

    `only`, `without`: the stamps of the conversations that they are, or aren't, from. Raises InputError for too few.
    """
    rng = random.Random(seed)

    def fits(row: Row) -> bool:
        stamp = row.haystack.stamp
        return (only is None or stamp in only) and stamp not in (without or ())

    anchors = [row for row in primary if "haystack_session_gen_rankings" in row.found and row.gold and fits(row)]
    rng.shuffle(anchors)
    anchors = sorted(anchors, key=lambda row: -priority(row))[:count]
    taken = {(row.key, row.haystack.stamp) for row in anchors}
    others = [row for row in fallback if (row.key, row.haystack.stamp) not in taken and row.gold and fits(row)]
    rest = rng.sample(others, min(count - len(anchors), len(others)))
    if len(anchors) + len(rest) < count:
        raise InputError(
            f"There are {len(anchors) + len(rest)} rows with known sessions, not {count}, in conversations that aren't "
            "kept for the test; ask for fewer in the recipe, or give more files."
        )
    return Drawn((*anchors, *rest), len(anchors))


def _held_out(rows: Sequence[Row], count: int, seed: int) -> set[str]:
    """The conversations of the test: drawn until they have rows enough."""
    sizes: dict[str, set[str]] = {}
    for row in rows:
        if row.gold:
            sizes.setdefault(row.haystack.stamp, set()).add(row.key)
    order = sorted(sizes)
    random.Random(seed).shuffle(order)
    kept: set[str] = set()
    for stamp in order:
        if sum(len(sizes[one]) for one in kept) >= count:
            break
        kept.add(stamp)
    return kept


def _rows(folder: Path | None, name: str) -> list[Row]:
    if folder is None:
        return []
    found = next((path for end in ("parquet", "jsonl") if (path := folder / f"{name}.{end}").is_file()), None)
    return read_rows(found) if found else []


def _statistics(drawn: Drawn, asked: int) -> dict[str, Any]:
    rows = drawn.rows
    return {
        "rows": len(rows), "asked": asked, "anchored": drawn.anchored,
        "conversations": len({row.haystack.stamp for row in rows}),
        "NDCG@10 of the anchored": round(sum(map(score, rows[: drawn.anchored])) / max(1, drawn.anchored), 4),
        "sessions": round(sum(len(row.haystack.sessions) for row in rows) / max(1, len(rows)), 1),
        "gold sessions": round(sum(len(row.gold) for row in rows) / max(1, len(rows)), 2),
    }  # fmt: skip
