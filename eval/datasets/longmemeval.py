"""LongMemEval as xiaowu0162 published it: a question, and the sessions before it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from ...memory.database.moments import moment_of
from ...memory.values import ASSISTANT
from .official_files import Loaded, json_list, sorted_out, string
from .sessions import Sitting, Utterance


@dataclass(frozen=True, slots=True)
class LongRow:
    """One question of LongMemEval with the sessions before it. `evidence`: ids "SESSION:NUMBER" of the turns that hold
    the answer, `evidence_sessions`: ids of their sessions; `abstain`: the right answer is that it isn't known."""

    id: str
    kind: str
    question: str
    answer: str
    asked_at: str
    sessions: tuple[Sitting, ...]
    evidence: tuple[str, ...]
    evidence_sessions: tuple[str, ...]
    abstain: bool


def load_longmemeval(path: Path | str) -> Loaded[LongRow]:
    """LongMemEval's list of questions; a bad one is reported by its place in the list."""
    data = json_list(Path(path), "questions", "LongMemEval's longmemeval_s.json")
    return sorted_out(Path(path), enumerate(data, 1), _row, "question")


def _row(data: Any, number: int) -> LongRow:
    ids, dates, talks = data["haystack_session_ids"], data["haystack_dates"], data["haystack_sessions"]
    if not len(ids) == len(dates) == len(talks):
        raise ValueError(f"{len(talks)} sessions, but {len(ids)} ids and {len(dates)} dates")
    sessions, evidence = [], []
    for name, date, turns in sorted(zip(_apart(ids), dates, talks, strict=True), key=lambda one: _day_time(one[1])):
        said = [(t["role"], string(t["content"], "content"), bool(t.get("has_answer"))) for t in turns]
        evidence += [f"{name}:{place}" for place, (_, text, holds) in enumerate(said) if holds and text.strip()]
        rows = tuple(Utterance(_role(role), text, "", f"{name}:{place}") for place, (role, text, _) in enumerate(said))
        sessions.append(Sitting(rows, _day_time(date)))
    name = str(data["question_id"])
    return LongRow(
        name, string(data["question_type"], "question_type"), string(data["question"], "question"),
        str(data["answer"]), _day_time(data["question_date"]), tuple(sessions), tuple(evidence),
        tuple(dict.fromkeys(map(str, data["answer_session_ids"]))), name.endswith("_abs"),
    )  # fmt: skip


def _apart(ids: Any) -> list[str]:
    """The ids of the sessions; one that comes again gets a number, so that its turns keep ids of their own."""
    seen: dict[str, int] = {}
    names = []
    for one in ids:
        seen[one] = seen.get(one, 0) + 1
        names.append(str(one) if seen[one] == 1 else f"{one}#{seen[one]}")
    return names


def _role(role: Any) -> str:
    """Who said it, as the store names them."""
    if role not in ("user", "assistant"):
        raise ValueError(f"role {role!r} is neither user nor assistant")
    return "User" if role == "user" else ASSISTANT


def _day_time(text: str) -> str:
    """ "2023/05/25 (Thu) 20:21" as ISO 8601."""
    plain = re.sub(r"\s*\(\w+\)\s*", " ", text)
    return moment_of(datetime.strptime(plain, "%Y/%m/%d %H:%M"))
