"""Questions written about chats: read with care, asked by either speaker, their lines known to the encoder."""

from __future__ import annotations

import json
from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest

from chatmem.eval.datasets.cases import Conversation
from chatmem.eval.datasets.msc import load_msc
from chatmem.eval.ingestion.ingest import ingest
from chatmem.memory.errors import InputError
from chatmem.memory.store.store import Store
from chatmem.training.answer.recipe import build
from chatmem.training.answer.rows import asked_rows
from chatmem.training.material.chat_questions import read_questions, turn_counts
from chatmem.training.recall.recipe import _chats
from chatmem.training.recall.rows import msc_questions, telling


def turn(speaker: int, text: str) -> dict[str, str]:
    return {"speaker": f"Speaker {speaker}", "text": text, "facts": ""}


CHAT: dict[str, Any] = {
    "id": "chat-1",
    "sessions": [
        {"session": 1, "turns": [turn(1, "I keep two greyhounds."), turn(2, ""), turn(2, "I tune pianos in Ghent.")]},
        {"session": 2, "turns": [turn(1, "Winter again!"), turn(2, "My sister Ilse rows on the Leie.")]},
    ],
}
DOGS = {
    "chat": "chat-1",
    "asker": "Speaker 2",
    "turns": [0],
    "question": "Which dogs do you keep?",
    "answer": "Greyhounds",
}
WORK = {"chat": "chat-1", "asker": "Speaker 1", "turns": [2], "question": "What do you tune?", "answer": "Pianos!"}
LOST = {"chat": "chat-1", "asker": "Speaker 1", "turns": [4], "question": "Who flies?", "answer": "A pilot"}


def written(path: Path, *rows: object) -> Path:
    path.write_text("\n".join(json.dumps(row) for row in rows) + "\n")
    return path


def test_each_speaker_asks_the_other_and_lost_answers_teach_nothing(tmp_path: Path) -> None:
    asked = read_questions(written(tmp_path / "q.jsonl", DOGS, WORK, LOST), turn_counts([CHAT]))
    with Store.open(tmp_path / "rows.db") as store:
        rows = list(asked_rows(store, [CHAT, {**CHAT, "id": "unasked"}], asked, 2))
    told = {row["messages"][-1][1].rsplit("\n", 1)[-1]: (row["messages"][-1][1], row["completion"]) for row in rows}
    assert set(told) == {DOGS["question"], WORK["question"]}
    prompt, answer = told[DOGS["question"]]
    assert answer.startswith("Greyhounds") and "greyhounds" in prompt
    assert told[WORK["question"]][1].startswith("Pianos!")


@pytest.mark.parametrize(
    "bad",
    [
        {**DOGS, "turns": []},
        {**DOGS, "turns": [5]},
        {**DOGS, "asker": "Ana"},
        {**DOGS, "answer": " "},
        {"chat": "x"},
        7,
    ],
)
def test_a_bad_question_is_named(tmp_path: Path, bad: object) -> None:
    with pytest.raises(InputError, match="question 2"):
        read_questions(written(tmp_path / "q.jsonl", DOGS, bad), turn_counts([CHAT]))


def test_questions_of_other_chats_are_no_use(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="ids"):
        read_questions(written(tmp_path / "q.jsonl", DOGS), {"another": 3})


def test_the_encoder_learns_the_lines_that_were_named(tmp_path: Path) -> None:
    chats = load_msc(written(tmp_path / "msc.jsonl", CHAT)).rows
    asked = read_questions(written(tmp_path / "q.jsonl", DOGS, WORK), turn_counts([CHAT]))
    with Store.open(tmp_path / "lines.db") as store:
        ingest(
            store,
            store.users.get("msc-chat-1"),
            Conversation("msc-chat-1", chats[0].sessions, "Speaker 2", "Speaker 1"),
        )
        found = msc_questions(store, chats, ["msc-chat-1"], asked)
        said = {turn.id: turn.text for one in store.sessions.all(found[0].user_id) for turn in store.turns.of(one.id)}
    assert [[said[line] for line in one.lines] for one in found] == [
        ["I keep two greyhounds."], ["I tune pianos in Ghent."],
    ]  # fmt: skip
    assert [one.asker for one in telling(found)] == ["Speaker 2", "Speaker 1"]


def test_questions_without_their_chats_are_refused() -> None:
    with pytest.raises(InputError, match="belong together"):
        _chats(Namespace(msc=None, questions=Path("q.jsonl")))
    with pytest.raises(InputError, match="--msc"):
        build(Namespace(msc=None, questions=Path("q.jsonl")), Path())
