"""The options that the evaluations of answers share, and what each knows of its data set."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...memory.errors import WrongUsage
from ..arguments import ABOVE_ZERO, COUNT, NUMBER, PLACE, PRICE
from ..datasets.selection import chosen_talks
from ..runs.models import prompts_argument

if TYPE_CHECKING:
    from ..datasets.cases import Case
    from ..datasets.official_files import Loaded

SPLITS = ("all", "train", "validation", "test")


@dataclass(frozen=True, slots=True)
class Source:
    """A data set: its title, what its file is, how it is read, and where it is published (name: address, first the
    one that is meant without a name). `by_name`: splits are lists of conversations."""

    title: str
    what: str
    load: Callable[[Path, argparse.Namespace], Loaded[Any]]
    cases: Callable[[Sequence[Any], argparse.Namespace], list[Case]]
    files: Mapping[str, str]
    by_name: bool = False
    has_evidence: bool = True


def _load_dmr(path: Path, args: argparse.Namespace) -> Loaded[Any]:
    from ..datasets.msc import load_dmr

    return load_dmr(path)


def _load_locomo(path: Path, args: argparse.Namespace) -> Loaded[Any]:
    from ..datasets.locomo import load_locomo

    return load_locomo(path)


def _load_long(path: Path, args: argparse.Namespace) -> Loaded[Any]:
    from ..datasets.longmemeval import load_longmemeval

    return load_longmemeval(path)


def _load_beam(path: Path, args: argparse.Namespace) -> Loaded[Any]:
    from ..datasets.beam import load_beam

    return load_beam(path, args.size)


def _load_personamem(path: Path, args: argparse.Namespace) -> Loaded[Any]:
    from ..datasets.personamem import load_personamem

    return load_personamem(path, args.contexts)


def _persona_cases(rows: Sequence[Any], args: argparse.Namespace) -> list[Case]:
    from ..datasets.cases import persona_cases

    return persona_cases(rows)


def _msc_cases(rows: Sequence[Any], args: argparse.Namespace) -> list[Case]:
    from ..datasets.cases import msc_cases

    return msc_cases(rows)


def _locomo_cases(talks: Sequence[Any], args: argparse.Namespace) -> list[Case]:
    from ..datasets.cases import locomo_cases

    return locomo_cases(chosen_talks(talks, args.talks, "The file"), _categories(args.categories))


def _long_cases(rows: Sequence[Any], args: argparse.Namespace) -> list[Case]:
    from ..datasets.cases import long_cases

    return long_cases(rows)


def _beam_cases(rows: Sequence[Any], args: argparse.Namespace) -> list[Case]:
    from ..datasets.cases import beam_cases

    return beam_cases(rows)


def _categories(text: str) -> list[int]:
    from ..measures.locomo_score import CATEGORIES

    chosen = [int(part) for part in text.split(",") if part.strip().isdigit()]
    if not chosen or not set(chosen) <= set(CATEGORIES) or len(chosen) != len(text.split(",")):
        raise WrongUsage(f"--categories {text!r}: give numbers from 1 to 5, such as 1,2,4.")
    return chosen


_HUB = "https://huggingface.co/datasets"
DATA: dict[str, Source] = {
    "msc": Source(
        "MSC-Self-Instruct (DMR)", "MSC-Self-Instruct, one row a line", _load_dmr, _msc_cases,
        {"self-instruct": f"{_HUB}/MemGPT/MSC-Self-Instruct/resolve/main/msc_self_instruct.jsonl"},
        has_evidence=False,
    ),
    "locomo": Source(
        "LoCoMo", "LoCoMo's locomo10.json", _load_locomo, _locomo_cases,
        {"locomo10": "https://raw.githubusercontent.com/snap-research/locomo/main/data/locomo10.json"},
        by_name=True,
    ),
    "longmemeval": Source(
        "LongMemEval", "LongMemEval's longmemeval_s.json or longmemeval_oracle.json", _load_long, _long_cases,
        {
            "s": f"{_HUB}/xiaowu0162/longmemeval-cleaned/resolve/main/longmemeval_s_cleaned.json",
            "oracle": f"{_HUB}/xiaowu0162/longmemeval-cleaned/resolve/main/longmemeval_oracle.json",
        },
    ),
    "beam": Source("BEAM", "BEAM's folder chats, or its chats in LoCoMo's form", _load_beam, _beam_cases, {}),
    "personamem": Source(
        "PersonaMem", "PersonaMem's questions_32k.csv (128k, 1M), its shared_contexts_*.jsonl beside it",
        _load_personamem, _persona_cases, {}, has_evidence=False,
    ),
}  # fmt: skip


def add_arguments(parser: argparse.ArgumentParser, name: str) -> None:
    """Adds the options of `chatmem eval NAME`."""
    source = DATA[name]
    _data_options(parser, source)
    prompts_argument(parser)
    if name == "beam":
        from ..datasets.beam import SIZES

        parser.add_argument("--size", choices=SIZES, help="only chats of so many tokens")
    if name == "personamem":
        parser.add_argument(
            "--contexts", type=PLACE, metavar="FILE", help="the chats, where they don't lie beside --data"
        )
    if name == "locomo":
        parser.add_argument("--talks", metavar="ID,ID", help="only these conversations, such as conv-26,conv-30")
        parser.add_argument("--categories", default="1,2,3,4,5", metavar="N,N", help="of questions (1,2,3,4,5)")
        parser.add_argument("--audit", type=PLACE, metavar="FILE", help="corrected golds, scored beside the original")
    else:
        parser.add_argument(
            "--rows", metavar="A:B", help="only the rows A to B of the file, counted from 0, B left out"
        )
    _system_options(parser, ("none", "agent", "human") if name == "msc" else ("none", "agent"))
    _run_options(parser)


def _data_options(parser: argparse.ArgumentParser, source: Source) -> None:
    names = list(source.files)
    parser.add_argument("--data", type=PLACE, metavar="FILE", help=source.what)
    if names:
        parser.add_argument(
            "--download", nargs="?", const=names[0], choices=names, help=f"fetch the official file instead ({names[0]})"
        )
    parser.add_argument("--split", choices=SPLITS, default="all", help="of the conversations (all)")
    parser.add_argument(
        "--num", type=NUMBER, metavar="N", help="questions drawn (50; all with --retrieval-only); 0: all"
    )
    parser.add_argument("--seed", type=NUMBER, default=0, metavar="N", help="draws the questions (0)")


def _system_options(parser: argparse.ArgumentParser, facts: Sequence[str]) -> None:
    parser.add_argument(
        "--systems", default="all", metavar="A,B",
        help="none,full,summary,bm25,vectors,rrf,sessions,ranked-sessions,search,sql,chatmem,hops (those with models)",
    )  # fmt: skip
    parser.add_argument(
        "--models", default="embedded+answer", metavar="SPEC,SPEC", help="who answers (embedded+answer)"
    )
    parser.add_argument("--retrieval-only", action="store_true", help="no answers: only what is found")
    parser.add_argument(
        "--facts", choices=facts, default="agent",
        help="memories of sql and chatmem: what the agent writes (a request a line: slow), human notes, or none",
    )  # fmt: skip
    parser.add_argument("--storage", default="embedded+storage", metavar="SPEC", help="who writes them")
    parser.add_argument(
        "--retrieval", default="embedded+retrieval", metavar="SPEC", help="who writes the SELECT; none: search alone"
    )
    parser.add_argument(
        "--summaries", default="official", metavar="KIND",
        help="official (else last lines), lines (the last of each session), or the SPEC of a model that writes them",
    )  # fmt: skip
    parser.add_argument("--ranker", metavar="SPEC", help="who ranks the sessions of ranked-sessions")
    parser.add_argument("--hopper", metavar="SPEC", help="who takes the steps of hops (none: by rule)")
    parser.add_argument("--words", type=NUMBER, default=200, metavar="N", help="most words of a recall (200)")


def _run_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--context", type=COUNT, metavar="N", help="the models' window in tokens (their own)")
    parser.add_argument("--threads", type=COUNT, metavar="N", help="of llama.cpp; 1 is fastest on a busy machine")
    parser.add_argument("--parallel", type=COUNT, default=1, metavar="N", help="requests to an endpoint at once (1)")
    parser.add_argument(
        "--workers", type=COUNT, default=1, metavar="N", help="conversations at once, models for each (1)"
    )
    parser.add_argument("--ray", action="store_true", help="workers of Ray: RAY_ADDRESS, else on this machine")
    parser.add_argument(
        "--per-minute", type=ABOVE_ZERO, metavar="N", help="most requests to endpoints a minute (no limit)"
    )
    parser.add_argument("--price", type=PRICE, metavar="READ,WRITE", help="of a million tokens, for the estimate")
    parser.add_argument("--estimate", action="store_true", help="tell what it would cost, and stop")
    parser.add_argument("--show", action="store_true", help="the table of the rows that are there; ask nothing")
    parser.add_argument("--fresh", action="store_true", help="begin anew where a record of this run exists")
