"""`chatmem eval compare A B`: two records of the same questions, question by question.

A difference between two runs says more than two intervals that overlap: the cases are drawn again in pairs. Records of
`chatmem eval chat` are compared likewise, question by question of the scripts that both hold.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...memory.errors import InputError, WrongUsage
from ..arguments import PLACE
from ..measures import ranking
from ..measures.intervals import Estimate, bootstrap, wilson
from ..measures.scores import official
from ..measures.text import all_words, token_f1
from ..runs.records import read_record, read_rows
from . import tables

Row = Mapping[str, Any]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `eval compare`."""
    parser.add_argument("first", type=PLACE, metavar="A", help="a record of msc, locomo, longmemeval or chat")
    parser.add_argument("second", type=PLACE, metavar="B", help="another, or the same with other systems; B minus A")
    parser.add_argument(
        "--systems", default="chatmem", metavar="A,B", help="whose rows of A and of B are compared (chatmem in both)"
    )
    parser.add_argument("--models", metavar="A,B", help="likewise, where a record holds several answer models")


def run(args: argparse.Namespace) -> int:
    """Shows both and the paired difference, over the questions that both hold."""
    chats = chat_rows(args.first), chat_rows(args.second)
    if all(chats):
        keys = _shared(args, *chats)
        table = chat_differences([chats[0][key] for key in keys], [chats[1][key] for key in keys])
        tables.put("compare", f"{len(keys)} scripts in both", table, args.json)
        return 0
    systems, models = _pair(args.systems, "--systems"), _pair(args.models, "--models")
    first = read(args.first, systems[0] or "chatmem", models[0])
    second = read(args.second, systems[1] or "chatmem", models[1])
    keys = _shared(args, first, second)
    table = differences([first[key] for key in keys], [second[key] for key in keys])
    tables.put("compare", f"{len(keys)} questions in both", table, args.json)
    return 0


def _shared(args: argparse.Namespace, first: Mapping[str, Row], second: Mapping[str, Row]) -> list[str]:
    keys = [key for key in first if key in second]
    if not keys:
        raise InputError(f"{args.first.name} and {args.second.name} share no question; compare runs of the same data.")
    return keys


def _pair(text: str | None, option: str) -> tuple[str | None, str | None]:
    parts = [part.strip() for part in (text or "").split(",") if part.strip()]
    if len(parts) > 2:
        raise WrongUsage(f"{option} {text!r} names more than two; give one, or one for each record.")
    return (parts[0], parts[-1]) if parts else (None, None)


def read(path: Path, system: str, model: str | None = None) -> dict[str, Row]:
    """The rows of one system and model, by question. Raises NotFound, or InputError when there are none or several
    models to choose from."""
    rows = [row for row in read_rows(path) if row["system"] == system]
    models = list(dict.fromkeys(str(row["model"]) for row in rows if "model" in row))
    if model is None and len(models) > 1:
        raise InputError(f"{path} holds answers by {' and '.join(models)}; choose with --models.")
    found: dict[str, Row] = {str(row["case"]): row for row in rows if model in (None, row.get("model"))}
    if not found:
        raise InputError(f"{path} holds no rows of {system}{f' by {model}' if model else ''}.")
    return found


def differences(first: Sequence[Row], second: Sequence[Row]) -> dict[str, dict[str, Estimate]]:
    """Columns A, B and their paired difference, for each measure that both rows have."""
    table: dict[str, dict[str, Estimate]] = {"A": {}, "B": {}, "B - A": {}}
    for name, measure in MEASURES.items():
        pairs = [(measure(a), measure(b)) for a, b in zip(first, second, strict=True)]
        held = [(a, b) for a, b in pairs if a is not None and b is not None]
        if held:
            table["A"][name] = bootstrap([a for a, _ in held])
            table["B"][name] = bootstrap([b for _, b in held])
            table["B - A"][name] = bootstrap([b - a for a, b in held])
    return table


def chat_rows(path: Path) -> dict[str, Row]:
    """The scripts of a record of `chatmem eval chat`, by name and print; none where it is another record. Raises
    NotFound, InputError."""
    return {str(row["key"]): row for row in read_record(path) if {"key", "script", "asked"} <= set(row)}


def chat_differences(first: Sequence[Row], second: Sequence[Row]) -> dict[str, dict[str, Estimate]]:
    """Columns A, B and their paired difference over the questions of each script and of all. What was answered and
    found for one question is a pair."""
    table: dict[str, dict[str, Estimate]] = {"A": {}, "B": {}, "B - A": {}}
    for name in dict.fromkeys(["all", *(str(row["script"]) for row in first)]):
        some = [(a, b) for a, b in zip(first, second, strict=True) if name in ("all", a["script"])]
        for title, field in (("answered", "answered"), ("findable", "found")):
            both = [(x[field], y[field]) for a, b in some for x, y in zip(a["asked"], b["asked"], strict=True)]
            pairs = [(x, y) for x, y in both if x is not None and y is not None]
            if not pairs:  # trust scripts search for nothing
                continue
            table["A"][f"{title}: {name}"] = wilson(sum(a for a, _ in pairs), len(pairs))
            table["B"][f"{title}: {name}"] = wilson(sum(b for _, b in pairs), len(pairs))
            table["B - A"][f"{title}: {name}"] = bootstrap([float(b) - float(a) for a, b in pairs])
    return table


def _ranked(measure: Callable[[Sequence[str], Sequence[str]], float]) -> Callable[[Row], float | None]:
    def of(row: Row) -> float | None:
        known = "ranked" in row and row.get("evidence") and not row.get("abstain")
        return measure(row["ranked"], row["evidence"]) if known else None

    return of


def _answered(measure: Callable[[Row], float]) -> Callable[[Row], float | None]:
    return lambda row: measure(row) if "answer" in row else None


def _official(row: Row) -> float | None:
    return official(row) if "answer" in row and row["eval"] == "locomo" else None


MEASURES: dict[str, Callable[[Row], float | None]] = {
    "recall@10, mean": _ranked(lambda ranked, wanted: ranking.recall_at(ranked, wanted, 10)),
    "all hits@10": _ranked(lambda ranked, wanted: ranking.all_hit_at(ranked, wanted, 10)),
    "MRR": _ranked(ranking.reciprocal_rank),
    "context holds all words of the gold": lambda row: None if row.get("abstain") else float(row["held"] == 1),
    "official score": _official,
    "answer, all words": _answered(lambda row: float(all_words(str(row["gold"]), str(row["answer"])))),
    "answer, token F1": _answered(lambda row: token_f1(str(row["answer"]), str(row["gold"]))),
    "tokens of a prompt": _answered(lambda row: float(row["prompt_tokens"])),
}
"""Of one row; None where the row doesn't tell."""
