"""The arguments of `chatmem eval msc | locomo | ...`, and their run: plan, estimate, answers, table."""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...memory.errors import ChatmemError, InputError, WrongUsage
from ..datasets.official_files import good_rows
from ..datasets.selection import chosen_rows, drawn
from ..runs.models import told_prompts
from ..runs.progress import make_progress
from .options import DATA, Source

if TYPE_CHECKING:
    from ..datasets.cases import Case
    from ..runs.records import Records
    from .run import AnswerPlan

SETTINGS = (
    "rows", "talks", "size", "categories", "split", "num", "seed", "systems", "models", "retrieval_only", "facts",
    "storage", "retrieval", "summaries", "words", "context", "ranker", "hopper",
)  # fmt: skip
"""The options that make two runs the same run; the data and the audit count by their contents."""


def run_msc(args: argparse.Namespace) -> int:
    """`chatmem eval msc`."""
    return run("msc", args)


def run_locomo(args: argparse.Namespace) -> int:
    """`chatmem eval locomo`."""
    return run("locomo", args)


def run_longmemeval(args: argparse.Namespace) -> int:
    """`chatmem eval longmemeval`."""
    return run("longmemeval", args)


def run_beam(args: argparse.Namespace) -> int:
    """`chatmem eval beam`."""
    return run("beam", args)


def run_personamem(args: argparse.Namespace) -> int:
    """`chatmem eval personamem`."""
    return run("personamem", args)


def run(name: str, args: argparse.Namespace) -> int:
    """Measures. Each finished answer is kept, and the same command goes on after an interruption."""
    from ..runs.records import Records, begin_anew

    source = DATA[name]
    path = _data(source, args)
    plan = _plan(name, args, _cases(source, path, args))
    settings = _settings(name, args, path)
    out = args.out or _default_out(name, settings)
    if args.show:
        return _show_unfinished(source, plan, path, out, args)
    if args.fresh:
        begin_anew(out, eval=name)
    with Records(out, settings) as records:
        _announce(plan, records, args)
        if args.estimate:
            return 0
        _generate(plan, records, args)
        rows = _in_order(plan, records)
    _show(source, plan, rows, path, out, args)
    return 0


def _data(source: Source, args: argparse.Namespace) -> Path:
    wanted = getattr(args, "download", None)
    if args.data and wanted:
        raise WrongUsage("Give --data or --download, not both.")
    if wanted:
        from ..datasets.download import fetch

        return fetch(source.files[wanted])
    if not args.data:
        fetched = ", or --download to fetch it" if source.files else ""
        raise WrongUsage(f"Give --data FILE ({source.what}){fetched}.")
    path: Path = args.data
    return path


def _cases(source: Source, path: Path, args: argparse.Namespace) -> list[Case]:
    from ..datasets.cases import in_split

    rows = chosen_rows(good_rows(source.load(path, args)), getattr(args, "rows", None))
    every = in_split(source.cases(rows, args), args.split, by_name=source.by_name)
    if getattr(args, "audit", None):
        every = _audited(every, args.audit)
    number = args.num if args.num is not None else 0 if args.retrieval_only else 50
    chosen = list(drawn(every, number, args.seed))
    if not chosen:
        raise InputError("No question is left; choose another --split or other rows.")
    without = sum(not case.evidence and not case.abstain for case in chosen)
    if source.has_evidence and without:
        print(f"{without} questions name no turn that exists: recall is measured without them.", file=sys.stderr)
    return chosen


def _audited(cases: Sequence[Case], path: Path) -> list[Case]:
    from ..datasets.audit import corrected, load_audit

    entries, problems = load_audit(path)
    for problem in problems:
        print(f"left out: {problem}", file=sys.stderr)
    found = corrected(cases, entries)
    hit = sum(case.audited is not None for case in found)
    if not hit:
        raise InputError(f"{path.name} names none of these questions; is it the audit of this file?")
    print(f"{hit} of {len(found)} questions have a corrected gold answer or evidence.", file=sys.stderr)
    return found


def _plan(name: str, args: argparse.Namespace, cases: Sequence[Case]) -> AnswerPlan:
    from .run import AnswerPlan
    from .systems import RANKED

    systems = _systems(args)
    models = () if args.retrieval_only else tuple(dict.fromkeys(s.strip() for s in args.models.split(",") if s.strip()))
    if not models and not args.retrieval_only:
        raise WrongUsage("--models names no model; give one such as embedded+answer, or --retrieval-only.")
    if args.retrieval_only:
        systems = tuple(system for system in systems if system in RANKED)
        if not systems:
            raise WrongUsage(f"--retrieval-only measures systems that rank: {', '.join(RANKED)}.")
    return AnswerPlan(
        name, tuple(cases), systems, models, facts=args.facts, storage=args.storage,
        retrieval=None if args.retrieval == "none" else args.retrieval, summaries=args.summaries, words=args.words,
        seed=args.seed, threads=args.threads, context_tokens=args.context, parallel=args.parallel,
        per_minute=args.per_minute, ranker=args.ranker, hopper=args.hopper, prompts=told_prompts(args)[0],
    )  # fmt: skip


def _systems(args: argparse.Namespace) -> tuple[str, ...]:
    from .systems import SYSTEMS, WITH_FACTS

    chosen = tuple(dict.fromkeys(part.strip() for part in args.systems.split(",") if part.strip()))
    if not args.systems or args.systems == "all":
        chosen = tuple(one for one in SYSTEMS if args.facts != "none" or one not in WITH_FACTS)
        chosen = tuple(one for one in chosen if args.ranker or one != "ranked-sessions")
    if not chosen:
        raise WrongUsage(f"--systems {args.systems!r} names no system; there are {', '.join(SYSTEMS)}.")
    if unknown := [one for one in chosen if one not in SYSTEMS]:
        raise WrongUsage(f"There is no system {', '.join(unknown)}; there are {', '.join(SYSTEMS)}.")
    if "sql" in chosen and (args.facts == "none" or args.retrieval == "none"):
        raise WrongUsage("The system sql needs facts and a retrieval model; leave --facts and --retrieval as they are.")
    if "ranked-sessions" in chosen and not args.ranker:
        raise WrongUsage("The system ranked-sessions needs --ranker SPEC, the model that ranks them.")
    return chosen


def _settings(name: str, args: argparse.Namespace, path: Path) -> dict[str, Any]:
    """What makes two runs the same run."""
    from ..runs.provenance import code, fingerprint

    own = {key: getattr(args, key) for key in SETTINGS if hasattr(args, key)}
    prints = {"data": path.name, "sha256": fingerprint(path)}
    if getattr(args, "audit", None):
        prints["audit"] = fingerprint(args.audit)
    return {"eval": name, **prints, **own, **told_prompts(args)[1], **code()}


def _default_out(name: str, settings: dict[str, Any]) -> Path:
    """Where a run without --out keeps its record: the same command finds it again."""
    from ...models.files.model_files import data_folder

    stamp = hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:10]
    return data_folder() / "evals" / f"{name}-{stamp}.jsonl"


def _announce(plan: AnswerPlan, records: Records, args: argparse.Namespace) -> None:
    """What is there, what is left, and what that will cost, before the first request."""
    wanted, there = set(plan.all_keys()), records.done
    left = len(wanted - there)
    kept = f", {len(wanted) - left} are there already" if left < len(wanted) else ""
    print(f"{len(wanted)} rows{kept}; the record is {records.path}", file=sys.stderr)
    if left and (plan.models or args.estimate):
        from .cost import bills

        for bill, local in bills(plan, there):
            print(f"  {bill.sentence(args.price, local)}", file=sys.stderr)
    if left and args.parallel > 1 and plan.models:
        from ..runs.models import is_local

        if any(is_local(model) for model in plan.models):
            print("  --parallel is for endpoints: a model on this machine answers one by one", file=sys.stderr)


def _generate(plan: AnswerPlan, records: Records, args: argparse.Namespace) -> None:
    from ..runs.models import is_local
    from ..runs.records import finished, kept
    from .run import answer_all

    wanted = set(plan.all_keys())
    before = len(wanted & records.done)

    def there() -> str:
        done = len(wanted & finished(records.path))  # as the disk has it, whatever the interruption cut short
        return kept(done, len(wanted), "rows", records.path, f" ({done - before} of them new)")

    try:
        tell = make_progress("rows", len(wanted))
        workers = 1 if not args.ray and any(map(is_local, plan.specs())) else args.workers
        if workers < args.workers:
            print("  a model on this machine answers one by one: --workers needs --ray or endpoints", file=sys.stderr)
        answer_all(plan, records, tell=tell, workers=workers, ray=args.ray)
    except ChatmemError as error:
        raise type(error)(f"{error}{there()}") from error
    except KeyboardInterrupt:
        print(f"\n{there().strip()}", file=sys.stderr)
        raise


def _show_unfinished(source: Source, plan: AnswerPlan, path: Path, out: Path, args: argparse.Namespace) -> int:
    """The table so far, also of a run that another process is at: the record is read and not touched."""
    from ..runs.records import read_rows

    wanted = set(plan.all_keys())
    rows = [row for row in read_rows(out) if row["key"] in wanted]
    if not rows:
        raise InputError(f"{out} holds no row of this run; give the same options as the run.")
    print(f"{len(rows)} of {len(wanted)} rows", file=sys.stderr)
    _show(source, plan, rows, path, out, args)
    return 0


def _in_order(plan: AnswerPlan, records: Records) -> list[dict[str, Any]]:
    found = {str(row["key"]): row for row in records.rows}
    return [found[key] for key in plan.all_keys()]


def _show(
    source: Source, plan: AnswerPlan, rows: Sequence[dict[str, Any]], path: Path, out: Path, args: argparse.Namespace
) -> None:
    from ..measures import scores
    from ..report import tables

    order = {system: place for place, system in enumerate(plan.systems)}
    columns = scores.columns(sorted(rows, key=lambda row: order[row["system"]]))
    if args.json:
        print(
            tables.as_json(
                plan.name, columns, questions=len({row["case"] for row in rows}), record=str(out), seed=plan.seed
            )
        )
        return
    model = f", answers by {plan.models[0]}" if len(plan.models) == 1 else ""
    asked = len({row["case"] for row in rows})
    tables.show(f"{source.title}: {asked} questions of {path.name}{model}", columns)
    if "summary" in plan.systems:
        print(f"summary: {_summaries(plan)}")


def _summaries(plan: AnswerPlan) -> str:
    if plan.summaries == "official" and any(case.talk.summaries for case in plan.cases):
        return "the data set's own summaries, one a session"
    if plan.summaries in ("official", "lines"):
        return "no model was asked for them: the last lines of each session, at most 80 words"
    return f"one a session, written by {plan.summaries}"


Run = Callable[[argparse.Namespace], int]
RUNS: dict[str, Run] = {
    "msc": run_msc, "locomo": run_locomo, "longmemeval": run_longmemeval, "beam": run_beam,
    "personamem": run_personamem,
}  # fmt: skip
