"""The retrieval agent's evaluation: observations as memories, three systems on one question, records that go on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from chatmem.app.cli import main
from chatmem.eval.agents import retrieval, storage_locomo
from chatmem.eval.agents.storage import StoragePrediction
from chatmem.eval.datasets.locomo import load_locomo
from chatmem.eval.ingestion import notes
from chatmem.models.embedder.minilm import load_embedder

TURNS = [
    ("Ana", "I adopted two cats, Nori and Kit, from the shelter."),
    ("Ben", "Lovely! I started as a nurse in Graz last week."),
    ("Ana", "Great. I play the cello on Sundays."),
    ("Ben", "My car broke down again."),
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    turns = [{"speaker": who, "text": text, "dia_id": f"D1:{n}"} for n, (who, text) in enumerate(TURNS, 1)]
    talk = {
        "sample_id": "conv-1",
        "conversation": {
            "speaker_a": "Ana", "speaker_b": "Ben", "session_1": turns, "session_1_date_time": "1:56 pm on 8 May, 2023",
        },
        "qa": [
            {"question": "How many cats did Ana adopt?", "answer": "two", "evidence": ["D1:1"], "category": 4},
            {"question": "Where does Ben work?", "answer": "Graz", "evidence": ["D1:2; D9:9"], "category": 4},
            {"question": "Who is Zoe?", "adversarial_answer": "x", "evidence": ["D1:3"], "category": 5},
        ],
        "observation": {
            "session_1_observation": {
                "Ana": [["Ana has two cats, Nori and Kit.", "D1:1"], ["Ana plays the cello.", ["D1:3"]]],
                "Ben": [["Ben works as a nurse in Graz.", "D1:02"]],
            }
        },
    }  # fmt: skip
    path = tmp_path / "locomo.json"
    path.write_text(json.dumps([talk]))
    return path


def test_the_three_systems_are_measured_and_kept(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "rows.jsonl"
    command = ["eval", "retrieval", "--data", str(data), "--threads", "1", "--json", "--out", str(out)]
    assert main(command) == 0
    table = json.loads(capsys.readouterr().out)["models"]["embedded+retrieval"]
    assert table["recall@10, search"] == {"value": 1.0, "low": 1.0, "high": 1.0, "n": 2}
    assert table["SELECT passes the guard"]["value"] == 1.0
    assert table["recall@10, both minus search"]["value"] == 0.0
    _, first, second = map(json.loads, out.read_text().splitlines())
    assert first["sql"] and first["rows"] == len(first["ranked"]["select"]) and second["sql"] is None
    assert second["evidence"] == ["D1:2"]
    second["ranked"]["select"] = []
    out.write_text("\n".join([*out.read_text().splitlines()[:2], json.dumps(second)]) + "\n")
    assert main(command) == 0
    again = json.loads(capsys.readouterr().out)["models"]["embedded+retrieval"]
    assert again["recall@10, select"]["value"] <= 0.5


def test_differences_are_paired(data: Path) -> None:
    def row(select: list[str]) -> dict[str, object]:
        return {"evidence": ["D1:1", "D1:2"], "ranked": {"select": select, "both": ["D1:1"], "search": ["D1:2"]}}

    table = retrieval.differences([row([]), row(["D1:1"])], [row(["D1:1", "D1:2"]), row(["D1:1"])])
    assert table["recall@10, select"].value == 0.5
    assert table["recall@10, both"].value == 0.0


def test_observations_are_told_by_facts_of_the_same_subject(data: Path) -> None:
    talks = load_locomo(data).rows
    assert [one.evidence for one in talks[0].observed] == [("D1:1",), ("D1:3",), ("D1:2",)]
    cases = storage_locomo.session_cases(talks, None, 0)
    assert [bool(case.fact) for case in cases] == [True, True, True, False]
    rows = [
        (("Ana", "pets", "Ana has adopted two cats named Nori and Kit."),),
        (("Ana", "job", "Ana works as a nurse in Graz."),),
        (),
        (("Ben", "car", "Ben's car broke down."),),
    ]
    done = [StoragePrediction(case, "INSERT", row) for case, row in zip(cases, rows, strict=True)]
    table = storage_locomo.measures(done, talks)
    assert table["observations recalled"].value == pytest.approx(1 / 3)
    assert table["facts that tell an observation"].value == pytest.approx(1 / 3)
    assert notes.topics_of(["Ana has two cats.", "Ben paints."], load_embedder()) == ["pets", "art"]
    assert notes.matched([], [("Ana", "x")], load_embedder()) == ([], [False])


def test_eval_storage_takes_locomo_too(data: Path, tiny_home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", "storage", "--data", str(data), "--threads", "1", "--json"]) == 0
    table = json.loads(capsys.readouterr().out)["models"]["embedded+storage"]
    assert table["observations recalled"]["n"] == 3
    assert table["store or not"]["n"] == 4


def test_an_unknown_conversation_is_one_sentence(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", "retrieval", "--data", str(data), "--talks", "conv-9"]) == 1
    assert "no conversation conv-9" in capsys.readouterr().err
