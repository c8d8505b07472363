"""The floor of recall: on no kind of talk may search find less than the best of what anyone would write first.

`python tests/benchmarks/memory/bench_floor.py [--locomo FILE] [--dmr FILE] [--msc FILE] [--beam FILE]
[--beam-1m FILE]`: mean recall of the evidence in the ten best lines, by `Store.search` and by BM25, MiniLM and their
rank fusion over the same lines, for every kind of talk whose data is given, and for the talks that ship with long
replies put in between. Nobody asks about MSC's chats: there, what a person noted of a line is to find that line.
`--talks N`: of each kind at most so many. `--keep FOLDER` keeps the store and what was found for each question, so that
a run that was interrupted goes on. The shipped encoder and ranker were trained on LoCoMo's and DMR's questions at hand
and the ranker on BEAM's of 100K, too: what they reach on conversations held back is printed by `chatmem train recall`.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path

import numpy as np

from chatmem.eval.answers.baselines import make_rankers
from chatmem.eval.datasets.beam import BeamTalk, load_beam
from chatmem.eval.datasets.cases import Conversation
from chatmem.eval.datasets.locomo import LocomoTalk, load_locomo
from chatmem.eval.datasets.msc import DmrRow, MscChat, load_dmr, load_msc
from chatmem.eval.datasets.official_files import good_rows
from chatmem.eval.ingestion.ingest import ingest
from chatmem.eval.measures.intervals import Estimate, bootstrap
from chatmem.eval.measures.ranking import recall_at
from chatmem.eval.runs.progress import make_progress
from chatmem.memory.store.store import Store
from chatmem.models.embedder.minilm import load_embedder
from chatmem.training.material.chat_questions import ChatQuestion
from chatmem.training.material.templates.told import told_talks
from chatmem.training.recall import rows
from chatmem.training.recall.replied import replied_talks
from chatmem.training.recall.rows import ASKER, TELLER, EvidenceQuestion, telling

PLAIN = ("bm25", "vectors", "rrf")
SEARCH = "search"
K = 10
Kinds = Mapping[str, Sequence[EvidenceQuestion]]
Found = dict[str, list[float]]
Talk = LocomoTalk | BeamTalk


def floor(store: Store, asked: Iterable[EvidenceQuestion]) -> Found:
    """Recall@10 of each question by each system; "seconds" of search beside it."""
    found: Found = {name: [] for name in (*PLAIN, SEARCH, "seconds")}
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


def lead(found: Mapping[str, Sequence[float]], name: str) -> Estimate:
    """By how much search finds more than a plain system, question by question, with its 95% bootstrap interval."""
    return bootstrap([ours - theirs for ours, theirs in zip(found[SEARCH], found[name], strict=True)])


def surely_below(found: Mapping[str, Sequence[float]]) -> dict[str, Estimate]:
    """Search's leads over those plain systems that it is behind by more than chance: over a few dozen questions a mean
    may be lower by one question's luck, but an interval wholly below 0 isn't."""
    leads = {name: lead(found, name) for name in PLAIN}
    return {name: one for name, one in leads.items() if one.high < 0}


def kinds(store: Store, args: argparse.Namespace) -> Kinds:
    """The questions of each kind, their talks in the store."""
    talks = [*told_talks("valid")][: args.talks]
    made = {"replied": replied_talks(store, talks, [f"replied-{n}" for n in range(len(talks))])}
    if args.locomo:
        made["locomo"] = about_talks(store, "locomo", good_rows(load_locomo(args.locomo))[: args.talks])
    for name in ("beam", "beam_1m"):
        if path := getattr(args, name):
            made[name] = about_talks(store, name, good_rows(load_beam(path))[: args.talks])
    if args.dmr:
        made["dmr"] = about_rows(store, good_rows(load_dmr(args.dmr))[: args.rows])
    if args.msc:
        made["msc"] = about_chats(store, good_rows(load_msc(args.msc))[: args.talks])
    return {name: fit(asked) for name, asked in made.items()}


def fit(asked: Sequence[EvidenceQuestion]) -> list[EvidenceQuestion]:
    """The questions by which recall can be measured: those that tell where their answer is, and have one."""
    return [one for one in telling(asked) if not one.adversarial]


def about_talks(store: Store, kind: str, talks: Sequence[Talk]) -> list[EvidenceQuestion]:
    """Puts talks of LoCoMo, or of BEAM, into the store; their questions."""
    _told(store, kind, [(one.id, Conversation(one.id, one.sessions)) for one in talks])
    locomo = [one for one in talks if isinstance(one, LocomoTalk)]
    beam = [one for one in talks if isinstance(one, BeamTalk)]
    return rows.locomo_questions(store, locomo) + rows.beam_questions(store, beam)


def about_rows(store: Store, some: Sequence[DmrRow]) -> list[EvidenceQuestion]:
    """Puts what was said before DMR's questions into the store; the questions."""
    names = _told_between_two(store, "dmr", some)
    return rows.dmr_questions(store, some, names)


def about_chats(store: Store, chats: Sequence[MscChat]) -> list[EvidenceQuestion]:
    """Puts MSC's chats into the store; each note that a person made of a line, asked for by who said that line."""
    names = _told_between_two(store, "msc", chats)
    noted = {
        chat.id: [ChatQuestion(chat.id, turn.speaker, (place,), turn.facts, turn.facts)
                  for place, turn in enumerate(rows.turns(chat)) if turn.facts.strip()]
        for chat in chats
    }  # fmt: skip
    return rows.msc_questions(store, chats, names, noted)


def _told_between_two(store: Store, kind: str, some: Sequence[DmrRow] | Sequence[MscChat]) -> list[str]:
    """Puts chats of two who have no names into the store; the users' names."""
    names = [f"{kind}-{number}" for number in range(len(some))]
    talks = [Conversation(name, one.sessions, ASKER, TELLER) for name, one in zip(names, some, strict=True)]
    _told(store, kind, list(zip(names, talks, strict=True)))
    return names


def _told(store: Store, kind: str, talks: Sequence[tuple[str, Conversation]]) -> None:
    tell = make_progress(f"{kind}, talks", len(talks))
    for done, (name, talk) in enumerate(talks, 1):
        ingest(store, store.users.get(name), talk)
        tell(done)


def looked_up(store: Store, kind: str, asked: Sequence[EvidenceQuestion], folder: Path) -> Found:
    """What is found for each question; what an earlier run found for its first ones is taken from its file."""
    path = folder / f"{kind}.json"
    found: Found = json.loads(path.read_text()) if path.is_file() else {}
    tell = make_progress(f"{kind}, questions", len(asked))
    for _, group in groupby(asked[len(found.get(SEARCH, ())) :], key=lambda one: one.user_id):
        for name, values in floor(store, group).items():
            found.setdefault(name, []).extend(values)
        path.write_text(json.dumps(found))
        tell(len(found[SEARCH]))
    return found


def add_options(parser: argparse.ArgumentParser) -> None:
    """Which kinds of talk, and how much of them."""
    for name in ("locomo", "dmr", "msc", "beam", "beam-1m"):
        parser.add_argument(f"--{name}", type=Path, metavar="FILE")
    parser.add_argument("--talks", type=int, default=10)
    parser.add_argument("--rows", type=int, default=100, help="of DMR (default 100)")
    parser.add_argument("--keep", type=Path, metavar="FOLDER")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = args.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        with Store.open(folder / "floor.db", embedder=load_embedder()) as store:
            found = {kind: looked_up(store, kind, asked, folder) for kind, asked in kinds(store, args).items()}
    return show(found)


def show(found: Mapping[str, Found]) -> int:
    """Prints the table; how many kinds are below their floor."""
    print("| kind | questions | " + " | ".join((*PLAIN, SEARCH)) + " | ms, p50 | below |")
    print("|---" * (len(PLAIN) + 5) + "|")
    for kind, one in found.items():
        shown: dict[str, Estimate] = {name: bootstrap(one[name]) for name in (*PLAIN, SEARCH)}
        figures = " | ".join(f"{one.value:.3f} [{one.low:.3f}, {one.high:.3f}]" for one in shown.values())
        speed = 1e3 * float(np.median(one["seconds"]))
        print(f"| {kind} | {len(one[SEARCH])} | {figures} | {speed:.1f} | {below(one) or '-'} |")
    return sum(below(one) is not None for one in found.values())


if __name__ == "__main__":
    raise SystemExit(main())
