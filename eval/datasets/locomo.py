"""LoCoMo as snap-research published it: conversations, questions about them, and what people noted of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from ...memory.database.moments import moment_of
from .official_files import BAD, Loaded, json_list, reason, sorted_out, string
from .sessions import Sitting, Utterance


@dataclass(frozen=True, slots=True)
class LocomoQuestion:
    """`category` 1 multi-hop, 2 temporal, 3 open-domain, 4 single-hop, 5 adversarial; evidence ids that exist."""

    question: str
    answer: str
    category: int
    evidence: tuple[str, ...]
    place: int = 0
    """Its place in the conversation's list, counted from 0: what an audit names it by."""


@dataclass(frozen=True, slots=True)
class Observed:
    """A fact that a person noted of a conversation: about whom, and the ids of the turns that it came from."""

    subject: str
    fact: str
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LocomoTalk:
    """One conversation of LoCoMo."""

    id: str
    speakers: tuple[str, str]
    sessions: tuple[Sitting, ...]
    questions: tuple[LocomoQuestion, ...]
    summaries: tuple[str, ...] = ()
    """The official summary of each session; empty where there is none."""
    observed: tuple[Observed, ...] = ()
    """The observations, in the order of the sessions; their evidence holds ids that exist."""


def load_locomo(path: Path | str) -> Loaded[LocomoTalk]:
    """LoCoMo's list of conversations; a bad conversation or question is reported by its place in the list."""
    data = json_list(Path(path), "conversations", "LoCoMo's locomo10.json")
    bad: list[str] = []

    def make(item: Any, number: int) -> LocomoTalk:
        return _talk(item, number, lambda told: bad.append(f"{Path(path).name}, conversation {number}, {told}"))

    loaded = sorted_out(Path(path), enumerate(data, 1), make, "conversation")
    return Loaded(loaded.rows, (*loaded.problems, *bad))


def _talk(data: Any, number: int, tell: Callable[[str], None]) -> LocomoTalk:
    talk, told = data["conversation"], data.get("session_summary") or {}
    sessions, summaries = [], []
    for key in sorted((k for k in talk if re.fullmatch(r"session_\d+", k)), key=lambda k: int(k[8:])):
        turns = tuple(Utterance(string(t["speaker"], "speaker"), _with_caption(t), "", t["dia_id"]) for t in talk[key])
        sessions.append(Sitting(turns, _moment(talk[f"{key}_date_time"])))
        summaries.append(str(told.get(f"{key}_summary") or ""))
    known = {turn.id for session in sessions for turn in session.turns}
    questions = []
    for place, qa in enumerate(data["qa"], 1):
        try:
            questions.append(_question(qa, known, place - 1))
        except BAD as error:
            tell(f"question {place}: {reason(error)}")
    name = str(data.get("sample_id", number))
    speakers = (string(talk["speaker_a"], "speaker_a"), string(talk["speaker_b"], "speaker_b"))
    observed = tuple(_observations(data.get("observation") or {}, known))
    return LocomoTalk(name, speakers, tuple(sessions), tuple(questions), tuple(summaries), observed)


def _observations(data: Any, known: set[str]) -> Iterator[Observed]:
    for key in sorted(data, key=lambda k: int(re.sub(r"\D", "", k) or 0)):
        for subject, found in data[key].items():
            for fact, evidence in found:
                ids = _ids(evidence if isinstance(evidence, list) else [evidence], known)
                yield Observed(string(subject, "subject"), string(fact, "observation"), ids)


def _with_caption(turn: Any) -> str:
    """A picture's caption belongs to the turn's text: hundreds of questions are about such turns."""
    caption = turn.get("blip_caption")
    return f"{turn['text']} [shares a picture: {caption}]" if caption else str(turn["text"])


def _moment(text: str) -> str:
    """ "1:56 pm on 8 May, 2023" as ISO 8601."""
    return moment_of(datetime.strptime(text, "%I:%M %p on %d %B, %Y"))


def _ids(listed: Iterable[object], known: set[str]) -> tuple[str, ...]:
    """Evidence strings may hold several ids, leading zeros or broken ids: what matches no turn is left out."""
    ids = [part for text in listed for part in re.split(r"[;,\s]+", str(text)) if part]
    tidy = [re.sub(r"(D)0*(\d+):0*(\d+)", r"\1\2:\3", part) for part in ids]
    return tuple(dict.fromkeys(part for part in tidy if part in known))


def _question(qa: Any, known: set[str], place: int) -> LocomoQuestion:
    evidence = _ids(qa.get("evidence") or [], known)
    category = int(qa["category"])
    if category not in range(1, 6):
        raise ValueError(f"category {category} is none of 1 to 5")
    if category != 5 and "answer" not in qa:
        raise KeyError("answer")
    return LocomoQuestion(string(qa["question"], "question"), str(qa.get("answer", "")), category, evidence, place)
