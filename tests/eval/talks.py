"""Small files in the official forms of the data sets. All conversations here are our own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

LOCOMO: list[dict[str, Any]] = [
    {
        "sample_id": "conv-41",
        "conversation": {
            "speaker_a": "Ana",
            "speaker_b": "Ben",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"speaker": "Ana", "dia_id": "D1:1", "text": "I adopted a greyhound called Juno."},
                {"speaker": "Ben", "dia_id": "D1:2", "text": "Lovely! I bought a cello."},
                {"speaker": "Ana", "dia_id": "D1:3", "text": "The weather was dull all week."},
            ],
            "session_2_date_time": "9:05 am on 20 June, 2023",
            "session_2": [
                {"speaker": "Ben", "dia_id": "D2:1", "text": "I moved to Lisbon last month."},
                {"speaker": "Ana", "dia_id": "D2:2", "text": "I work as a nurse now."},
            ],
        },
        "session_summary": {
            "session_1_summary": "Ana adopted a greyhound, Juno. Ben bought a cello.",
            "session_2_summary": "Ben moved to Lisbon. Ana works as a nurse.",
        },
        "qa": [
            {"question": "What pet did Ana adopt?", "answer": "a greyhound", "evidence": ["D1:1"], "category": 4},
            {"question": "Which instrument does Ben own?", "answer": "a cello", "evidence": ["D1:2"], "category": 4},
            {"question": "What did Ben sell?", "adversarial_answer": "a car", "evidence": ["D1:2"], "category": 5},
            {"question": "Where does Ben live?", "answer": "Porto", "evidence": ["D1:3"], "category": 1},
        ],
    }
]
AUDIT = [
    {
        "sample_id": "conv-41", "qa_index": 3, "error_type": "HALLUCINATION", "question": "Where does Ben live?",
        "golden_answer": "Porto", "correct_answer": "Lisbon (D2:1)", "cited_evidence": ["D1:3"],
        "correct_evidence": ["D2:1"],
    },
    {
        "sample_id": "conv-41", "qa_index": 1, "error_type": "WRONG_CITATION", "question": "Which instrument ...",
        "golden_answer": "a cello", "correct_answer": "a cello (answer is correct, citation is wrong)",
        "cited_evidence": ["D1:2"], "correct_evidence": ["D1:1", "D9:9"],
    },
]  # fmt: skip
DMR = [
    {
        "metadata": {"initial_data_id": f"valid_{number}"},
        "previous_dialogs": [
            {
                "dialog": [
                    {"text": f"I keep {pet} in my garden.", "id": "Speaker 1", "persona_text": f"I keep {pet}."},
                    {"text": "That is nice to hear.", "id": "Speaker 2", "persona_text": ""},
                ]
            }
        ],
        "self_instruct": {"B": "What do you keep in your garden?", "A": f"I keep {pet}."},
        "dialog": None,
    }
    for number, pet in enumerate(("bees", "geese", "rabbits"))
]
LONG: list[dict[str, Any]] = [
    {
        "question_id": "q1",
        "question_type": "single-session-user",
        "question": "Which city did I move to?",
        "answer": "Ghent",
        "question_date": "2023/06/30 (Fri) 10:00",
        "haystack_session_ids": ["s_late", "s_early", "s_early"],
        "haystack_dates": ["2023/06/20 (Tue) 23:40", "2023/05/01 (Mon) 08:05", "2023/05/02 (Tue) 08:05"],
        "haystack_sessions": [
            [
                {"role": "user", "content": "I moved to Ghent for my new job.", "has_answer": True},
                {"role": "assistant", "content": "Ghent has fine canals."},
            ],
            [{"role": "user", "content": "I like lentil soup."}, {"role": "assistant", "content": "So do many."}],
            [{"role": "user", "content": "My bicycle is green."}],
        ],
        "answer_session_ids": ["s_late"],
    },
    {
        "question_id": "q2_abs",
        "question_type": "multi-session",
        "question": "How many boats did I buy?",
        "answer": 0,
        "question_date": "2023/06/30 (Fri) 10:00",
        "haystack_session_ids": ["s_1"],
        "haystack_dates": ["2023/06/20 (Tue) 23:40"],
        "haystack_sessions": [[{"role": "user", "content": "I bought a kite."}]],
        "answer_session_ids": ["s_1"],
    },
]


def write_json(path: Path, data: Any) -> Path:
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def write_lines(path: Path, rows: list[Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The rows of a record, the line of settings left out."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()][1:]


def without_times(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows but for what no two runs share."""
    return [{key: value for key, value in row.items() if key != "seconds"} for row in rows]
