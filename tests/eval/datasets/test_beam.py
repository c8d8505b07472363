"""BEAM in its official folders and in LoCoMo's form: speakers, evidence, abilities, and `chatmem eval beam`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from chatmem.app.cli import main
from chatmem.eval.datasets.beam import ABILITIES, load_beam
from chatmem.eval.datasets.cases import beam_cases
from chatmem.memory.errors import InputError
from chatmem.memory.values import ASSISTANT

CHAT = [
    {"batch_number": 1, "time_anchor": "March-15-2024", "turns": [[
        {"role": "user", "id": 0, "content": "My sprint ends on March 29. ->-> 1,3"},
        {"role": "assistant", "id": 1, "content": "Noted:\n\n- sprint\n- March 29"},
    ]]},
    {"batch_number": 2, "turns": [[
        {"role": "user", "id": 2, "content": "I prefer tea.", "time_anchor": "April-01-2024"},
    ]]},
]  # fmt: skip
ASKED: dict[str, list[dict[str, Any]]] = {
    "abstention": [{"question": "What is my shoe size?", "ideal_response": "There is no information."}],
    "information_extraction": [
        {"question": "When does my sprint end?", "answer": "March 29", "source_chat_ids": [0, 1]}
    ],
    "knowledge_update": [
        {"question": "What do I drink?", "answer": "tea", "source_chat_ids": {"old": [0], "new": [[2]]}}
    ],
    "summarization": [{"question": "Sum it up.", "ideal_summary": "A sprint."}],
}


def official(folder: Path, asked: dict[str, list[dict[str, Any]]] = ASKED) -> Path:
    chat = folder / "chats" / "100K" / "1"
    (chat / "probing_questions").mkdir(parents=True)
    (chat / "chat.json").write_text(json.dumps(CHAT))
    (chat / "probing_questions" / "probing_questions.json").write_text(json.dumps(asked))
    return folder / "chats"


def test_the_official_folders(tmp_path: Path) -> None:
    (talk,) = load_beam(official(tmp_path)).rows
    first, second = talk.sessions
    assert (first.at, second.at) == ("2024-03-15T00:00:00Z", "2024-04-01T00:00:00Z")
    assert [turn.speaker for turn in first.turns] == ["User", ASSISTANT]
    assert first.turns[0].text == "My sprint ends on March 29." and first.turns[1].text.count("\n") == 3
    assert [(one.ability, one.evidence) for one in talk.questions] == [
        ("abstention", ()), ("information extraction", ("D1:1", "D1:2")), ("knowledge update", ("D1:1", "D2:1")),
        ("summarization", ()),
    ]  # fmt: skip
    cases = beam_cases([talk])
    assert [case.category for case in cases] == ["abstention", "information extraction", "knowledge update"]
    assert [case.abstain for case in cases] == [True, False, False] and cases[1].talk.now == second.at


def test_what_is_not_beam_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no chat\.json of size 1M"):
        load_beam(official(tmp_path), "1M")
    other = {**ASKED, "juggling": [{"question": "?"}]}
    with pytest.raises(InputError, match="juggling"):
        load_beam(official(tmp_path / "other", other))


def locomo_form(folder: Path) -> Path:
    turns = [
        {"speaker": who, "dia_id": f"D1:{n}", "text": f"line {n}"} for n, who in enumerate(("User", "Assistant"), 1)
    ]
    answers = [(3, "a"), (2, "b"), (4, "c"), (4, "?"), (3, "d"), (1, "e"), (4, "?"), (2, "f")]
    asked = [
        {"question": f"Q{n}?", "answer": a, "evidence": ["D1:1"], "category": c} for n, (c, a) in enumerate(answers)
    ]
    talk = {"speaker_a": "User", "speaker_b": "Assistant", "session_1": turns,
            "session_1_date_time": "1:56 pm on 8 May, 2023"}  # fmt: skip
    path = folder / "beam.json"
    path.write_text(json.dumps([{"sample_id": "beam-100K-1", "conversation": talk, "qa": asked}]))
    return path


def test_locomos_form_tells_the_ability_by_the_order(tmp_path: Path) -> None:
    (talk,) = load_beam(locomo_form(tmp_path), "100K").rows
    assert [one.ability for one in talk.questions] == [
        one for one in ABILITIES if one not in ("abstention", "summarization")
    ]  # fmt: skip
    assert [one.answer for one in talk.questions][2:4] == ["c", ""]
    assert [turn.speaker for turn in talk.sessions[0].turns] == ["User", ASSISTANT]
    with pytest.raises(InputError, match="no chat of size 1M"):
        load_beam(locomo_form(tmp_path), "1M")


def test_the_report_names_abilities_and_abstention_by_itself(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["eval", "beam", "--data", str(official(tmp_path)), "--size", "100K", "--out", str(tmp_path / "out.jsonl")]
    words += ["--retrieval-only", "--facts", "none", "--systems", "bm25,search", "--json"]
    assert main(words) == 0
    told = json.loads(capsys.readouterr().out)
    found = told["models"]["search"]
    assert found["recall@10, information extraction"]["n"] == 1 and found["recall@10, mean"]["n"] == 2
    assert not any("abstention" in name for name in found)
