"""The official forms of the data sets, and what becomes of bad rows. All conversations here are our own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from chatmem.eval.datasets.locomo import load_locomo
from chatmem.eval.datasets.longmemeval import load_longmemeval
from chatmem.eval.datasets.msc import load_dmr, load_msc
from chatmem.memory.errors import InputError, NotFound

MSC = {
    "id": "t1",
    "sessions": [
        {
            "session": 1,
            "turns": [
                {"speaker": "Speaker 1", "text": "Hi, I keep bees.", "facts": "I keep bees."},
                {"speaker": "Speaker 2", "text": "Oh!", "facts": ""},
            ],
        }
    ],
}
DMR = {
    "metadata": {"initial_data_id": "valid_9"},
    "previous_dialogs": [{"dialog": [{"text": "I keep bees.", "id": "Speaker 1", "persona_text": "I keep bees."}]}],
    "self_instruct": {"B": "What do you keep?", "A": "Bees."},
    "dialog": None,
}
LOCOMO = {
    "sample_id": "conv-1",
    "conversation": {
        "speaker_a": "Ida",
        "speaker_b": "Uwe",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ida", "dia_id": "D1:1", "text": "Look!", "blip_caption": "a bee hive"},
            {"speaker": "Uwe", "dia_id": "D1:2", "text": "Nice."},
        ],
        "session_2_date_time": "1:00 am on 9 May, 2023",
    },
    "qa": [
        {"question": "What?", "answer": 3, "evidence": ["D1:01; D1:2", "D", "D:1:2"], "category": 4},
        {"question": "Who?", "adversarial_answer": "Uwe", "evidence": [], "category": 5},
    ],
}


def written(folder: Path, *lines: Any) -> Path:
    path = folder / "data.jsonl"
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines), encoding="utf-8")
    return path


def test_msc(tmp_path: Path) -> None:
    (chat,) = load_msc(written(tmp_path, MSC)).rows
    assert chat.id == "t1"
    assert [turn.facts for turn in chat.sessions[0].turns] == ["I keep bees.", ""]


def test_dmr(tmp_path: Path) -> None:
    (row,) = load_dmr(written(tmp_path, DMR)).rows
    assert (row.question, row.answer, row.id) == ("What do you keep?", "Bees.", "valid_9")
    assert row.sessions[0].turns[0].speaker == "Speaker 1"


def test_bad_rows_are_told_by_their_line_and_the_good_ones_kept(tmp_path: Path) -> None:
    broken = [{**MSC, "sessions": [{"turns": [{"speaker": 1, "text": "x"}]}]}, "{no json", {"id": "t3"}, "[]"]
    loaded = load_msc(written(tmp_path, MSC, "", *broken, MSC))
    assert len(loaded.rows) == 2
    assert [problem.partition(":")[0] for problem in loaded.problems] == [f"data.jsonl, line {n}" for n in (3, 4, 5, 6)]
    assert "sessions" in loaded.problems[2]


def test_locomo_with_its_quirks(tmp_path: Path) -> None:
    path = tmp_path / "locomo.json"
    path.write_text(json.dumps([LOCOMO, {"sample_id": "broken"}]))
    loaded = load_locomo(path)
    (talk,) = loaded.rows
    assert "conversation 2" in loaded.problems[0]
    assert talk.speakers == ("Ida", "Uwe")
    assert talk.sessions[0].at == "2023-05-08T13:56:00Z"
    assert "a bee hive" in talk.sessions[0].turns[0].text
    assert talk.questions[0].evidence == ("D1:1", "D1:2")
    assert talk.questions[0].answer == "3"
    assert (talk.questions[1].category, talk.questions[1].answer) == (5, "")


@pytest.mark.parametrize("text", ["", "\n\n", "[1, 2]\n", "\x00\x01", '{"a": 1}'])
def test_a_file_without_a_usable_row_is_one_clear_sentence(tmp_path: Path, text: str) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text(text)
    for load in (load_msc, load_dmr, load_locomo, load_longmemeval):
        with pytest.raises(InputError, match=r"bad\.jsonl"):
            load(path)


def test_a_missing_or_binary_file(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no file"):
        load_msc(tmp_path / "none.jsonl")
    (tmp_path / "binary").write_bytes(b"\xff\xfe\xfa")
    with pytest.raises(InputError, match="UTF-8"):
        load_dmr(tmp_path / "binary")
