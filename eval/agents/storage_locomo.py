"""`chatmem eval storage` on LoCoMo: how many of a session's observations the agent's facts tell, and the reverse.

Every turn of a session is read, as in Multi-Session Chat; what was written for the session's turns is held against the
observations that cite them. A fact tells an observation when both have the same subject and a cosine (MiniLM) of 0.7.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from ..datasets.locomo import LocomoTalk
from ..ingestion.notes import matched
from ..measures.intervals import Estimate, bootstrap_ratio
from .storage import StorageCase, StoragePrediction


def is_locomo(head: str) -> bool:
    """Whether a file that begins so is LoCoMo's list rather than one chat a line."""
    return head.lstrip("\ufeff \t\r\n").startswith("[")


def session_cases(talks: Sequence[LocomoTalk], num: int | None, seed: int) -> list[StorageCase]:
    """The turns of whole sessions, drawn until there are at least `num` (None: all)."""
    sessions = [list(_cases(talk, number)) for talk in talks for number in range(len(talk.sessions))]
    random.Random(seed).shuffle(sessions)
    chosen: list[StorageCase] = []
    for cases in sessions:
        if num is None or len(chosen) < num:
            chosen += cases
    return chosen


def _cases(talk: LocomoTalk, number: int) -> Iterator[StorageCase]:
    lines = [(said.speaker, said.text) for said in talk.sessions[number].turns]
    for place, said in enumerate(talk.sessions[number].turns):
        noted = " ".join(fact for subject, fact in _noted(talk, said.id) if subject == said.speaker)
        other = next((name for name in talk.speakers if name != said.speaker), "Somebody")
        before = tuple(lines[max(0, place - 2) : place])
        yield StorageCase(f"{talk.id}/{number}/{said.id}", before, said.speaker, other, said.text, noted)


def _noted(talk: LocomoTalk, turn: str) -> list[tuple[str, str]]:
    return [(one.subject, one.fact) for one in talk.observed if turn in one.evidence]


def measures(done: Sequence[StoragePrediction], talks: Sequence[LocomoTalk]) -> dict[str, Estimate]:
    """Recall and precision of the observations, sessions drawn again for the intervals."""
    from ...models.embedder.minilm import load_embedder

    embedder, by_id = load_embedder(), {talk.id: talk for talk in talks}
    sessions: dict[str, list[StoragePrediction]] = {}
    for one in done:
        sessions.setdefault(one.case.key.rpartition("/")[0], []).append(one)
    found = []
    for key, said in sessions.items():
        turns = {one.case.key.rpartition("/")[2] for one in said}
        noted = [(o.subject, o.fact) for o in by_id[key.rpartition("/")[0]].observed if turns & set(o.evidence)]
        written = [(subject, fact) for one in said for subject, _, fact in one.rows]
        found.append(matched(written, noted, embedder))
    return {
        "observations recalled": _share([told for _, told in found]),
        "facts that tell an observation": _share([right for right, _ in found]),
    }


def _share(sessions: Sequence[Sequence[bool]]) -> Estimate:
    return bootstrap_ratio([float(sum(one)) for one in sessions], [float(len(one)) for one in sessions])
