"""Reports of a record: the files, what stands in them, and what is missing told in one sentence."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from chatmem.app.cli import main
from chatmem.app.web.html.reports import names, read
from chatmem.eval.report import charts, trackers
from chatmem.eval.runs.records import Records


def row(case: int, system: str, ranked: list[str], answer: str, category: int = 4) -> dict[str, Any]:
    return {
        "key": f"{case}/{system}", "case": f"conv/{case}", "eval": "locomo", "system": system, "model": "small",
        "category": category, "question": "What pet?", "gold": "a cat", "evidence": ["D1:1", "D2:4"], "abstain": False,
        "ranked": ranked, "answer": answer, "held": 1.0, "prompt_tokens": 100 + 50 * (system == "bm25"),
        "seconds": {"recall": 0.01, "answer": 0.2},
    }  # fmt: skip


@pytest.fixture
def record(tmp_path: Path) -> Path:
    path = tmp_path / "small.jsonl"
    with Records(path, {"eval": "locomo", "seed": 3, "note": "a | b"}) as records:
        for case, category in ((1, 1), (2, 4)):
            records.add(row(case, "chatmem", ["D1:1", "D2:4", "D3:1"], "a cat", category))
            records.add(row(case, "bm25", ["D9:9", "D1:1"], "a dog", category))
    return path


def test_the_files_hold_what_the_record_says(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = record.parent / "reports"
    assert main(["eval", "report", str(record), "--to", str(folder)]) == 0
    made = capsys.readouterr().out.splitlines()
    assert [Path(one).name for one in made] == [
        "small.md", "small.json", "small-recall.png", "small-categories.png", "small-tokens.png",
    ]  # fmt: skip
    assert all(Path(one).read_bytes()[:8] == b"\x89PNG\r\n\x1a\n" for one in made if one.endswith("png"))
    told = (folder / "small.md").read_text()
    assert "| measure | chatmem | bm25 |" in told and "- seed: 3" in told and r"a \| b" in told
    models = json.loads((folder / "small.json").read_text())["models"]
    assert models["chatmem"]["recall@5, mean"]["value"] == 1 and models["bm25"]["recall@5, mean"]["value"] == 0.5
    assert f"{models['bm25']['official score, 1 to 4']['value']:.3f}" in told
    assert set(names(folder)) == {"small.md", "small.json"}
    assert [read(folder, name)[0] for name in ("small.md", "small.json")] == ["markdown", "html"]


def test_a_report_is_written_over_nothing_but_a_report(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`eval report locomo.jsonl` beside locomo.json put its report into the place of the data set."""
    words = ["eval", "report", "--no-charts"]
    for name in ("small.json", "small.md"):
        (record.parent / name).write_text("[1, 2]")
        assert main([*words, str(record)]) == 1
        assert "is left as it is" in capsys.readouterr().err
        assert (record.parent / name).read_text() == "[1, 2]" and len(list(record.parent.iterdir())) == 2
        (record.parent / name).unlink()
    record = record.rename(record.parent / "small.json")
    before = record.read_bytes()
    assert main([*words, str(record)]) == 1
    assert record.read_bytes() == before
    record = record.rename(record.parent / "small.jsonl")
    assert main([*words, str(record)]) == main([*words, str(record)]) == 0


def test_curves_and_categories_by_hand(record: Path) -> None:
    rows = [json.loads(line) for line in record.read_text().splitlines()[1:]]
    curves = charts.recall_curves(rows)
    assert curves["chatmem"][:3] == [0.5, 1, 1] and curves["bm25"][:3] == [0, 0.5, 0.5]
    table = charts.by_category(rows)
    assert list(table["chatmem"]) == ["1 multi-hop", "4 single-hop"]
    assert table["chatmem"]["4 single-hop"].value == 1 and table["bm25"]["4 single-hop"].value == 0
    unanswered = [{key: value for key, value in one.items() if key != "answer"} for one in rows]
    assert charts.by_category(unanswered)["bm25"]["1 multi-hop"].value == 0.5


def test_what_is_missing_is_told(
    record: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main(["eval", "report", str(record)]) == 2
    assert "chatmem[report]" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "mlflow", None)
    assert main(["eval", "report", str(record), "--no-charts", "--report-to", "mlflow"]) == 2
    assert "chatmem[track]" in capsys.readouterr().err
    assert main(["eval", "report", str(record.parent / "none.jsonl"), "--no-charts"]) == 1
    assert "no file" in capsys.readouterr().err
    assert main(["eval", "report", str(record), str(record), "--no-charts"]) == 1
    assert "same name" in capsys.readouterr().err


def test_only_measures_that_are_known_go_to_a_tracker() -> None:
    assert dict(trackers.numbers({"m": {"x, y@1": {"value": None}, "z": {"value": 2}}})) == {"m/z": 2.0}
