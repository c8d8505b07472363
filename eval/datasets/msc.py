"""Multi-Session Chat as JSON lines with human facts, and MSC-Self-Instruct ("DMR") as MemGPT published it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .official_files import Loaded, json_lines, string
from .sessions import Sitting, Utterance


@dataclass(frozen=True, slots=True)
class MscChat:
    """A chat of Multi-Session Chat with the human-written facts of each turn."""

    id: str
    sessions: tuple[Sitting, ...]


@dataclass(frozen=True, slots=True)
class DmrRow:
    """Earlier sessions, and one question by Speaker 2 that Speaker 1 answers from them."""

    id: str
    sessions: tuple[Sitting, ...]
    question: str
    answer: str


def load_msc(path: Path | str) -> Loaded[MscChat]:
    """MSC chats, one a line: {"id", "sessions": [{"session", "turns": [{"speaker", "text", "facts"}]}]}."""
    return json_lines(Path(path), _chat)


def load_dmr(path: Path | str) -> Loaded[DmrRow]:
    """DMR rows, one a line: `previous_dialogs` and `self_instruct` {"B": question, "A": answer}."""
    return json_lines(Path(path), _dmr)


def _chat(data: Any, number: int) -> MscChat:
    sessions = tuple(
        Sitting(tuple(_turn(turn, "speaker", "facts") for turn in session["turns"])) for session in data["sessions"]
    )
    return MscChat(str(data.get("id", number)), sessions)


def _dmr(data: Any, number: int) -> DmrRow:
    asked = data["self_instruct"]
    sessions = tuple(
        Sitting(tuple(_turn(turn, "id", "persona_text") for turn in session["dialog"]))
        for session in data["previous_dialogs"]
    )
    name = data.get("metadata", {}).get("initial_data_id") or number
    return DmrRow(str(name), sessions, string(asked["B"], "question B"), string(asked["A"], "answer A"))


def _turn(turn: Any, speaker: str, facts: str) -> Utterance:
    """`speaker`, `facts`: the keys under which the file keeps who said it and what a person noted of it."""
    return Utterance(
        string(turn[speaker], speaker), string(turn["text"], "text"), string(turn.get(facts) or "", facts)
    )  # fmt: skip
