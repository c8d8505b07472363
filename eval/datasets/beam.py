"""BEAM as mohammadtavakoli78 published it: long chats of a user with an assistant, and questions of ten abilities.

Read are the official folders (`chats/100K/1/chat.json` with `probing_questions/probing_questions.json` beside it), and
one file in LoCoMo's form, whose questions have LoCoMo's categories: there the ability is told by the official order.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import Any

from ...memory.database.moments import moment_of
from ...memory.errors import InputError
from ...memory.values import ASSISTANT
from .locomo import LocomoQuestion, LocomoTalk, load_locomo
from .official_files import BAD, Loaded, reason, sorted_out, string
from .sessions import Sitting, Utterance

ABILITIES = (
    "abstention", "contradiction resolution", "event ordering", "information extraction", "instruction following",
    "knowledge update", "multi-session reasoning", "preference following", "summarization", "temporal reasoning",
)  # fmt: skip
SIZES = ("100K", "500K", "1M", "10M")
USER = "User"
_ANSWERS = ("answer", "ideal_answer", "ideal_response", "ideal_summary")
_OPEN = "?"
"""The answer of a question, in LoCoMo's form, that has none: one that asks to follow an instruction."""


@dataclass(frozen=True, slots=True)
class BeamQuestion:
    """A question of one of `ABILITIES`; evidence ids that exist; `place`: in the chat's list, counted from 0."""

    question: str
    answer: str
    ability: str
    evidence: tuple[str, ...]
    place: int = 0

    @property
    def category(self) -> int:
        """The ability as a number, from 1."""
        return ABILITIES.index(self.ability) + 1


@dataclass(frozen=True, slots=True)
class BeamTalk:
    """One chat, its speakers named as a chat with chatmem stores them."""

    id: str
    sessions: tuple[Sitting, ...]
    questions: tuple[BeamQuestion, ...]


def load_beam(path: Path | str, size: str | None = None) -> Loaded[BeamTalk]:
    """The chats of a folder (of this size, where it holds several) or of one file in LoCoMo's form.

    Raises NotFound, InputError.
    """
    path = Path(path)
    if path.is_dir():
        return _official(path, size)
    loaded = load_locomo(path)
    rows = tuple(_from_locomo(talk) for talk in loaded.rows)
    if size is not None:
        rows = tuple(row for row in rows if f"-{size.upper()}-" in f"-{row.id.upper()}-")
    if not rows:
        raise InputError(f"{path} holds no chat of size {size}.")
    return Loaded(rows, loaded.problems)


def _from_locomo(talk: LocomoTalk) -> BeamTalk:
    sessions = tuple(
        Sitting(tuple(replace(turn, speaker=_speaker(turn.speaker)) for turn in one.turns), one.at)
        for one in talk.sessions
    )
    return BeamTalk(talk.id, sessions, tuple(_by_order(talk.questions)))


def _speaker(name: str) -> str:
    return ASSISTANT if name.casefold() == ASSISTANT else USER


def _by_order(questions: Sequence[LocomoQuestion]) -> Iterator[BeamQuestion]:
    """The abilities stand in the alphabet's order, and each category is one or two neighbours of that."""
    order: dict[int, list[tuple[str, ...]]] = {
        3: [("contradiction resolution",), ("knowledge update",)], 2: [("event ordering",), ("temporal reasoning",)],
        4: [("information extraction", "instruction following"), ("preference following",)],
        1: [("multi-session reasoning",)],
    }  # fmt: skip
    for category, some in groupby(questions, key=lambda one: one.category):
        left = order.get(category) or [()]
        names = left.pop(0) if len(left) > 1 else left[0]
        if not names:
            raise ValueError(f"category {category} is none of BEAM's")
        for one in some:
            name = names[-1] if one.answer == _OPEN else names[0]
            yield BeamQuestion(one.question, "" if one.answer == _OPEN else one.answer, name, one.evidence, one.place)


def _official(folder: Path, size: str | None) -> Loaded[BeamTalk]:
    found = sorted(folder.rglob("chat.json"), key=lambda one: [_number(part) for part in one.parts])
    found = [one for one in found if size is None or size.upper() in map(str.upper, one.parts)]
    if not found:
        told = f" of size {size}" if size else ""
        raise InputError(f"{folder} holds no chat.json{told}; give BEAM's folder chats, or a file.")
    return sorted_out(folder, enumerate(found, 1), lambda path, number: _chat(path), "chat")


def _number(part: str) -> tuple[int, str]:
    return (int(part), "") if part.isdigit() else (0, part)


def _chat(path: Path) -> BeamTalk:
    questions = path.parent / "probing_questions" / "probing_questions.json"
    try:
        batches = json.loads(path.read_text(encoding="utf-8"))
        asked = json.loads(questions.read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(str(error)) from error
    sessions, names = [], dict[int, str]()
    for number, batch in enumerate(batches, 1):
        said: list[Utterance] = []
        at = _day(batch.get("time_anchor"))
        for turn in (one for group in batch["turns"] for one in group):
            names[int(turn["id"])] = name = f"D{number}:{len(said) + 1}"
            who = ASSISTANT if turn["role"] == "assistant" else USER
            said.append(Utterance(who, _text(string(turn["content"], "content")), "", name))
            at = at or _day(turn.get("time_anchor"))
        sessions.append(Sitting(tuple(said), at))
    return BeamTalk("-".join(("beam", *path.parts[-3:-1])), tuple(sessions), tuple(_asked(asked, names)))


def _text(content: str) -> str:
    """A user's message ends in a mark of the generator ("->-> 1,3"), which nobody typed."""
    return re.sub(r"\s*->->[\s\d,N/A.-]*$", "", content)


def _day(anchor: Any) -> str | None:
    """ "March-15-2024" as ISO 8601."""
    try:
        return moment_of(datetime.strptime(str(anchor), "%B-%d-%Y"))
    except ValueError:
        return None


def _asked(data: Any, names: dict[int, str]) -> Iterator[BeamQuestion]:
    place = 0
    for key in data:
        ability = next((one for one in ABILITIES if re.sub(r"\W", "_", one) == key), None)
        if ability is None:
            raise ValueError(f"{key!r} is none of BEAM's abilities")
        for one in data[key]:
            try:
                answer = next((str(one[name]) for name in _ANSWERS if name in one), "")
                evidence = tuple(dict.fromkeys(names[i] for i in _ids(one.get("source_chat_ids")) if i in names))
                yield BeamQuestion(string(one["question"], "question"), answer, ability, evidence, place)
            except BAD as error:
                raise ValueError(f"{key}: {reason(error)}") from error
            place += 1


def _ids(found: Any) -> Iterable[int]:
    """The numbers in lists and objects, however deep."""
    if isinstance(found, dict):
        found = list(found.values())
    if isinstance(found, list):
        return [number for one in found for number in _ids(one)]
    return [found] if isinstance(found, int) else []
