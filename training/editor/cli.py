"""`chatmem data`: data sets for training and measuring, made from files that you give and from our templates."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from ...eval.arguments import COUNT, NUMBER, PLACE, SHARE
from ...memory.errors import InputError, SettingsError, WrongUsage


def register(subparsers: Any) -> None:
    """Adds the sub-commands."""
    locomo = _add(subparsers, "locomo", "LoCoMo as parquet: episodes, starting memories, lines, statistics", _locomo)
    locomo.add_argument("--data", type=PLACE, required=True, metavar="FILE", help="LoCoMo's locomo10.json")
    locomo.add_argument("--out", type=PLACE, required=True, metavar="DIR", help="where the files go")
    locomo.add_argument("--train", type=SHARE, default=0.7, metavar="SHARE", help="of the conversations (0.7)")
    locomo.add_argument("--test", metavar="ID,ID", help="these conversations are the test set, instead of a share")
    locomo.add_argument(
        "--storage", metavar="SPEC", help="this storage agent writes the starting memories (none: the observations)"
    )
    locomo.add_argument("--seed", type=NUMBER, default=0, metavar="N", help="draws the split (0)")
    spoiled = _add(subparsers, "spoiled", "memories spoiled on purpose, for the editor: every label is known", _spoiled)
    spoiled.add_argument("--out", type=PLACE, required=True, metavar="FILE", help="where they go, as JSON lines")
    spoiled.add_argument("--count", type=COUNT, default=8, metavar="N", help="memories (8)")
    spoiled.add_argument("--facts", type=COUNT, default=40, metavar="N", help="sound facts in each (40)")
    spoiled.add_argument("--split", choices=("train", "valid"), default="train", help="which words and kinds (train)")
    for name, share, what in (
        ("duplicates", 0.3, "said twice"),
        ("contradictions", 0.1, "overtaken"),
        ("junk", 0.1, "added as junk"),
    ):
        spoiled.add_argument(
            f"--{name}", type=SHARE, default=share, metavar="SHARE", help=f"of the facts {what} ({share})"
        )
    spoiled.add_argument("--seed", type=NUMBER, default=0, metavar="N", help="draws all of it (0)")
    _register_asked(subparsers)
    rank = _add(subparsers, "rank", "rows to train a ranker of sessions on, drawn by a recipe", _rank)
    rank.add_argument(
        "--recipe", type=PLACE, required=True, metavar="FILE", help="which data sets, how many rows (YAML)"
    )
    rank.add_argument("--primary", type=PLACE, required=True, metavar="DIR", help="rows that a model has ranked")
    rank.add_argument("--fallback", type=PLACE, metavar="DIR", help="rows that fill up what is missing")
    rank.add_argument("--out", type=PLACE, required=True, metavar="DIR", help="where the parquet files go")
    rank.add_argument("--seed", type=NUMBER, default=42, metavar="N", help="draws the rows (42)")
    show = _add(subparsers, "show", "what a folder made by `chatmem data locomo` holds", _show)
    show.add_argument("folder", type=PLACE, help="the folder")
    show.add_argument("--num", type=NUMBER, default=3, metavar="N", help="episodes to print (3)")


def _register_asked(subparsers: Any) -> None:
    asked = _add(subparsers, "asked", "memories with questions that count, list, date or order", _asked)
    asked.add_argument("--out", type=PLACE, required=True, metavar="FILE", help="where they go, as JSON lines")
    asked.add_argument("--count", type=COUNT, default=15, metavar="N", help="memories, of twenty questions each (15)")
    asked.add_argument("--part", choices=("train", "valid", "test"), default="train", help="whose words (train)")
    asked.add_argument("--seed", type=NUMBER, default=0, metavar="N", help="draws all of it (0)")


def _add(subparsers: Any, name: str, text: str, run: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = subparsers.add_parser(
        name, help=text, description=text[0].upper() + text[1:] + ".", allow_abbrev=False
    )
    parser.add_argument("--json", action="store_true", help="as JSON")
    parser.set_defaults(run=run)
    return parser


def _locomo(args: argparse.Namespace) -> int:
    from ...models import registry
    from . import locomo_episodes

    if not 0 < args.train < 1:
        raise WrongUsage("--train is a share between 0 and 1, such as 0.7.")
    test = args.test.split(",") if args.test else None
    storage = registry.load(args.storage) if args.storage else None
    try:
        told = _with_datasets(lambda: locomo_episodes.write(args.data, args.out, args.train, args.seed, test, storage))
    finally:
        if storage is not None:
            storage.close()
    _put(told, args.json)
    return 0


def _asked(args: argparse.Namespace) -> int:
    from ...eval.agents.asked.memory import write
    from ...eval.runs.records import must_be_new
    from ..material.listed.memories import written

    must_be_new(args.out)
    memories = list(written(args.part, args.seed, args.count))
    try:
        args.out.parent.mkdir(parents=True, exist_ok=True)
        write(args.out, memories)
    except OSError as error:
        raise InputError(f"{args.out} can't be written ({error.strerror}); name another --out.") from error
    numbers = {
        "memories": len(memories), "questions": sum(len(one.asked) for one in memories),
        "facts": sum(len(one.facts) for one in memories), "lines": sum(len(one.lines) for one in memories),
    }  # fmt: skip
    _put(numbers, args.json)
    return 0


def _rank(args: argparse.Namespace) -> int:
    from ..recall.sessions import data

    told = data.write(data.read_recipe(args.recipe), args.primary, args.fallback, args.out, args.seed)
    _put({"data": told, "out": str(args.out)}, args.json)
    return 0


def _show(args: argparse.Namespace) -> int:
    from . import locomo_episodes

    _put(_with_datasets(lambda: locomo_episodes.show(args.folder, args.num)), args.json)
    return 0


def _with_datasets(work: Any) -> dict[str, Any]:
    try:
        found: dict[str, Any] = work()
    except ModuleNotFoundError as missing:
        if missing.name != "datasets":
            raise
        raise SettingsError("Parquet needs datasets; install it with `pip install 'chatmem[train]'`.") from missing
    return found


def _spoiled(args: argparse.Namespace) -> int:
    from ...eval.datasets.spoiled import dump
    from ...eval.runs.records import must_be_new
    from ..material.spoil import spoil

    must_be_new(args.out)
    shares = {"duplicates": args.duplicates, "contradictions": args.contradictions, "junk": args.junk}
    made = list(spoil(args.seed, args.count, args.facts, args.split, **shares))
    try:
        args.out.parent.mkdir(parents=True, exist_ok=True)
        args.out.write_text("".join(f"{dump(memory)}\n" for memory in made), encoding="utf-8")
    except OSError as error:
        raise InputError(f"{args.out} can't be written ({error.strerror}); name another --out.") from error
    roles = [row.role for memory in made for row in memory.rows]
    _put(
        {"memories": len(made), "rows": len(roles)} | {role: roles.count(role) for role in dict.fromkeys(roles)},
        args.json,
    )
    return 0


def _put(told: dict[str, Any], as_json: bool) -> None:
    import json

    if as_json:
        print(json.dumps(told, ensure_ascii=False, indent=2))
        return
    for name, value in told.items():
        if isinstance(value, list):
            print(f"{name}:")
            for item in value:
                print("  " + " | ".join(f"{key}: {one}" for key, one in item.items()))
        elif isinstance(value, dict):
            print(f"{name}: " + ", ".join(f"{key} {one}" for key, one in value.items()))
        else:
            print(f"{name}: {value}")
    sys.stdout.flush()
