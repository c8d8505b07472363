"""The arguments of `chatmem eval judge`, and its run."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...memory.errors import ChatmemError, InputError, WrongUsage
from ..arguments import ABOVE_ZERO, COUNT, NUMBER, PLACE, PRICE, SHARE
from ..measures.intervals import Estimate, wilson
from ..measures.locomo_score import CATEGORIES
from ..runs.progress import make_progress

if TYPE_CHECKING:
    from ..runs.records import Records
    from .judge import Item

Row = Mapping[str, Any]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `eval judge`."""
    parser.add_argument("record", type=PLACE, metavar="RECORD", help="answers of msc, locomo or longmemeval")
    parser.add_argument("--judge", default="embedded", metavar="SPEC", help="the model that judges (embedded: poor)")
    parser.add_argument("--prompts", default="strict,lenient", metavar="A,B", help="strict, lenient or both (both)")
    parser.add_argument("--votes", type=COUNT, default=1, metavar="N", help="the majority of N verdicts counts (1)")
    parser.add_argument("--gold", choices=("original", "audited"), default="original", help="which gold (original)")
    parser.add_argument("--systems", metavar="A,B", help="only answers of these systems")
    parser.add_argument(
        "--probe",
        type=NUMBER,
        default=30,
        metavar="N",
        help="questions whose made-up answers try the judge (30); 0: none",
    )
    parser.add_argument("--seed", type=NUMBER, default=0, metavar="N", help="draws the probe and the votes (0)")
    parser.add_argument(
        "--max-nonsense", type=SHARE, default=0.1, metavar="SHARE", help="more without a verdict is a failure (0.1)"
    )
    parser.add_argument("--threads", type=COUNT, metavar="N", help="of llama.cpp; 1 is fastest on a busy machine")
    parser.add_argument("--parallel", type=COUNT, default=1, metavar="N", help="requests to an endpoint at once (1)")
    parser.add_argument(
        "--per-minute", type=ABOVE_ZERO, metavar="N", help="most requests to an endpoint a minute (no limit)"
    )
    parser.add_argument("--price", type=PRICE, metavar="READ,WRITE", help="of a million tokens, for the estimate")
    parser.add_argument("--estimate", action="store_true", help="tell what it would cost, and stop")


def run(args: argparse.Namespace) -> int:
    """Judges what is not judged yet; 1 when the judge gave too often no verdict."""
    from ..runs.records import Records, read_rows
    from .probe import probes

    kinds = _kinds(args.prompts)
    rows = _chosen(read_rows(args.record), args.systems)
    rows = [_with_gold(row, args.gold) for row in rows]
    items = [_item(row) for row in rows] + (probes(rows, args.probe, args.seed) if args.probe else [])
    out = args.out or args.record.with_suffix(f".judged-{re.sub(r'[^A-Za-z0-9.]+', '-', args.judge)}.jsonl")
    with Records(out, _settings(args)) as records:
        if args.estimate:
            _announce(args, items, kinds, records)
            return 0
        _judge(args, items, kinds, records)
        wanted = {item.key(kind) for item in items for kind in kinds}
        done = [row for row in records.rows if row["key"] in wanted]
    _show(args, done, kinds, out)
    return _verdicts_missing(done, args.max_nonsense)


def _kinds(text: str) -> tuple[str, ...]:
    from .judge import PROMPTS

    kinds = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    if not kinds or not set(kinds) <= set(PROMPTS):
        raise WrongUsage(f"--prompts {text!r}: give strict, lenient or strict,lenient.")
    return kinds


def _chosen(rows: Sequence[dict[str, Any]], systems: str | None) -> list[dict[str, Any]]:
    answered = [row for row in rows if "answer" in row]
    if not answered:
        raise InputError("The record holds no answers (it was made with --retrieval-only); there is nothing to judge.")
    if not systems:
        return answered
    wanted = [part.strip() for part in systems.split(",")]
    if unknown := set(wanted) - {str(row["system"]) for row in answered}:
        raise InputError(f"The record holds no answers of {', '.join(sorted(unknown))}.")
    return [row for row in answered if row["system"] in wanted]


def _with_gold(row: dict[str, Any], which: str) -> dict[str, Any]:
    """The gold that counts. That of a question whose right answer is not to know may name what was never said."""
    if row.get("abstain") and row["eval"] == "locomo":
        return row | {"gold": ""}
    return row | {"gold": row.get("gold_audited", row["gold"])} if which == "audited" else row


def _item(row: Row) -> Item:
    from .judge import Item

    return Item(
        str(row["key"]), str(row["question"]), str(row["gold"]), str(row["answer"]), str(row["system"]),
        str(row["model"]), row["category"],
    )  # fmt: skip


def _settings(args: argparse.Namespace) -> dict[str, Any]:
    from .judge import wording

    names = ("judge", "votes", "gold", "seed")
    own = {name: getattr(args, name) for name in names}
    return {"eval": "judge", "record": args.record.name, "wording": wording(), **own}


def _announce(args: argparse.Namespace, items: Sequence[Item], kinds: Sequence[str], records: Records) -> None:
    from ..answers.cost import Bill
    from ..runs.models import is_local, load
    from .judge import MAX_TOKENS, messages, missing

    lm = load(args.judge, args.threads)
    try:
        left = list(missing(items, kinds, records.done))
        read = sum(lm.count_tokens(m.content) for item, kind in left for m in messages(kind, item)) * args.votes
    finally:
        lm.close()
    requests = len(left) * args.votes
    bill = Bill(f"verdicts by {args.judge}", requests, read, requests * MAX_TOKENS)
    print(f"  {bill.sentence(args.price, is_local(args.judge))}", file=sys.stderr)


def _judge(args: argparse.Namespace, items: Sequence[Item], kinds: Sequence[str], records: Records) -> None:
    from ..runs.models import is_local, load
    from ..runs.records import kept
    from ..runs.requests import Pace
    from . import judge

    total = len(list(judge.missing(items, kinds, set())))
    left = len(list(judge.missing(items, kinds, records.done)))
    print(f"{total} judgements, {total - left} are there already; the record is {records.path}", file=sys.stderr)
    if not left:
        return
    _announce(args, items, kinds, records)
    local = is_local(args.judge)
    pace, lm = Pace(None if local else args.per_minute), load(args.judge, args.threads)
    try:
        judge.run(
            lm, items, kinds, records, votes=args.votes, seed=args.seed, parallel=1 if local else args.parallel,
            ready=pace.wait, tell=make_progress("judgements", total),
        )  # fmt: skip
    except ChatmemError as error:
        done = total - len(list(judge.missing(items, kinds, records.done)))
        raise type(error)(f"{error}{kept(done, total, 'judgements', records.path)}") from error
    finally:
        lm.close()


def columns_of(done: Sequence[Row], kinds: Sequence[str]) -> dict[str, dict[str, Estimate]]:
    """A column for each system and model; under each score what the judge accepted of the probe."""
    answers = [row for row in done if row["probe"] is None]
    several = len({row["model"] for row in answers}) > 1
    names = dict.fromkeys(f"{r['system']}, {r['model']}" if several else str(r["system"]) for r in answers)
    found: dict[str, dict[str, Estimate]] = {}
    for name in names:
        own = [r for r in answers if name == (f"{r['system']}, {r['model']}" if several else str(r["system"]))]
        found[name] = {}
        for kind in kinds:
            found[name] |= _score(own, kind) | probe_table(done, kind)
    return found


def _score(rows: Sequence[Row], kind: str) -> dict[str, Estimate]:
    own = [row for row in rows if row["prompt"] == kind]
    told = [row for row in own if row["verdict"] is not None]
    table = {f"judged right, {kind}": _share(told)}
    categories = sorted({row["category"] for row in told if row["category"] is not None}, key=str)
    if len(categories) > 1:
        for category in categories:
            table[f"judged right, {kind}, {category} {CATEGORIES.get(category, '')}".rstrip()] = _share(
                [r for r in told if r["category"] == category]
            )
    if len(told) < len(own):
        table[f"no verdict, {kind}"] = wilson(len(own) - len(told), len(own))
    return table


def _share(rows: Sequence[Row]) -> Estimate:
    return wilson(sum(bool(row["verdict"]) for row in rows), len(rows))


def probe_table(done: Sequence[Row], kind: str) -> dict[str, Estimate]:
    """What share of vague, wrong and invented answers the judge takes for right, and of right ones."""
    names = {
        "vague": f"... this judge accepts vague answers, {kind}",
        "wrong": f"... this judge accepts wrong answers, {kind}",
        "gold": f"... this judge accepts the gold itself, {kind}",
        "invented": f"... this judge accepts invented answers to what isn't known, {kind}",
        "unknown": f"... this judge accepts that what isn't known isn't, {kind}",
    }
    table = {}
    for probe, name in names.items():
        told = [r for r in done if r["probe"] == probe and r["prompt"] == kind and r["verdict"] is not None]
        if told:
            table[name] = _share(told)
    return table


def _show(args: argparse.Namespace, done: Sequence[Row], kinds: Sequence[str], out: Path) -> None:
    from ..report import tables
    from .probe import USELESS, separation

    columns = columns_of(done, kinds)
    nonsense = sum(row["verdict"] is None for row in done)
    told = {kind: separation(done, kind) for kind in kinds}
    if args.json:
        more = {"judge": args.judge, "votes": args.votes, "no_verdict": nonsense, "separation": told}
        print(tables.as_json("judge", columns, **more, record=str(out)))
        return
    tables.show(f"{args.record.name}, judged by {args.judge} (majority of {args.votes})", columns)
    if not any(row["probe"] for row in done):
        print("The judge was not probed: nobody knows how many wrong answers it accepts.")
    for kind, value in told.items():
        if value is not None and value < USELESS:
            print(
                f"This judge hardly tells right answers from wrong ones ({kind}: {value:.2f}): its scores mean nothing."
            )


def _verdicts_missing(done: Sequence[Row], most: float) -> int:
    without = sum(row["verdict"] is None for row in done)
    if not done or without <= most * len(done):
        return 0
    print(
        f"chatmem: The judge gave no verdict on {without} of {len(done)} answers; read its words in the record "
        "(`votes`) and choose another --judge.",
        file=sys.stderr,
    )
    return 1
