"""Answer rows from LoCoMo-like questions: nothing is taught that the recall doesn't show."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from chatmem.eval.datasets.cases import Case, Conversation
from chatmem.eval.datasets.locomo import load_locomo
from chatmem.memory.errors import InputError
from chatmem.memory.store.store import Store
from chatmem.training.answer.locomo import HeldBack, locomo_rows, told
from chatmem.training.answer.rows import UNKNOWN
from tests.eval.talks import LOCOMO

TALK = {
    **LOCOMO[0],
    "sample_id": "talk-1",
    "observation": {
        "session_1_observation": {"Ana": [["Ana adopted a greyhound.", "D1:1"]]},
        "session_2_observation": {"Ben": [["Ben moved to Lisbon.", "D2:1"]]},
    },
    "qa": [
        {"question": "What pet did Ana adopt?", "answer": "a greyhound", "evidence": ["D1:1"], "category": 4},
        {"question": "When did Ben buy a cello?", "answer": "7 May 2023", "evidence": ["D1:2"], "category": 2},
        {"question": "What does Ben own?", "answer": "a cello, a yacht", "evidence": ["D1:2"], "category": 1},
        {"question": "Which planet did Ana visit?", "answer": "Saturn", "evidence": ["D9:9"], "category": 4},
        *({"question": f"What did Ben sell in {year}?", "evidence": ["D1:2"], "category": 5} for year in range(30)),
    ],
}


class Letters:
    """An embedder that counts letters."""

    name, dimensions = "letters", 26

    def embed(self, texts: list[str]) -> np.ndarray:
        rows = [[text.lower().count(chr(97 + n)) + 0.1 for n in range(26)] for text in texts]
        found = np.array(rows, np.float32)
        return found / np.linalg.norm(found, axis=1, keepdims=True)

    embed_questions = embed


def test_rows_hold_their_answers_and_false_questions_the_honest_one(tmp_path: Path) -> None:
    path = tmp_path / "locomo.json"
    path.write_text(json.dumps([TALK]))
    asked: list[str] = []
    with Store.open(tmp_path / "rows.db", embedder=Letters()) as store:
        rows = list(locomo_rows(store, load_locomo(path).rows, 3, asked.append))
    answers = {row["messages"][-1][1].rsplit("\n", 1)[-1]: row["completion"] for row in rows}
    assert asked == ["talk-1"]
    assert answers["What pet did Ana adopt?"] == "a greyhound"
    assert answers["When did Ben buy a cello?"] == "7 May 2023"
    assert answers["What does Ben own?"] == "a cello"
    assert "Which planet did Ana visit?" not in answers
    false = [answer for question, answer in answers.items() if "sell" in question]
    assert 3 < len(false) < 20
    assert set(false) <= set(UNKNOWN)
    shown = "\n".join(row["messages"][-1][1] for row in rows)
    assert "- Ana adopted a greyhound." in shown
    assert "- Ben moved to Lisbon." not in shown
    assert "Today is 20 June 2023" in rows[0]["messages"][0][1]


def test_an_answer_is_what_the_lines_tell() -> None:
    def case(gold: str, category: int) -> Case:
        return Case("a/1", Conversation("a", ()), "?", gold, category)

    lines = ["Ana: I paint or play the piano on Sundays."]
    assert told(case("painting, a yacht, the piano", 1), lines, shown=True) == "painting, the piano"
    assert told(case("running", 1), lines, shown=True) == ""
    assert told(case("last Sunday", 2), lines, shown=False) == ""
    assert told(case("Likely yes; she paints", 3), lines, shown=True) == "Likely yes"
    assert told(case("she paints", 4), lines, shown=False) == "she paints"


def test_a_conversation_is_asked_by_the_encoder_that_never_saw_it(tmp_path: Path) -> None:
    for number in (0, 1):
        vectors = np.full((1, 26), number, np.float32)
        np.savez(tmp_path / f"fold-{number}.npz", texts=np.array(["Where is the cat?"]), vectors=vectors)
    embedder = HeldBack(Letters(), tmp_path, ["a", "b"])
    for place, talk in enumerate(("a", "b")):
        embedder.about(talk)
        known, new = embedder.embed_questions(["Where is the cat?", "Who?"])
        assert known.tolist() == [place] * 26
        assert new.tolist() == Letters().embed(["Who?"])[0].tolist()
    with pytest.raises(InputError, match="finished"):
        HeldBack(Letters(), tmp_path / "nothing", ["a"])
