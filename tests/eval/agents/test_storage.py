"""The storage evaluation: its cases, its measures on known outputs, and one run of the real model."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from chatmem.app.cli import main
from chatmem.eval.agents.storage import (
    NAMES,
    StorageCase,
    StoragePrediction,
    _predict,
    differences,
    measures,
    storage_cases,
)  # fmt: skip
from chatmem.eval.datasets.msc import MscChat
from chatmem.eval.datasets.sessions import Sitting, Utterance
from chatmem.memory.store.store import Store
from chatmem.models.prompts.draft import Draft, read_draft
from chatmem.models.prompts.messages import insert_sql
from chatmem.models.storage.told.scene import Scene

CHAT = MscChat(
    "c1",
    (
        Sitting(
            (
                Utterance("Speaker 1", "Hi! I have two dogs.", "I have two dogs."),
                Utterance("Speaker 2", "Lovely."),
                Utterance(
                    "Speaker 1", "I want to teach Speaker 2 chess.", "I want to teach Speaker 2 chess. My aunt is 90."
                ),
            )
        ),
    ),
)


def case(fact: str) -> StorageCase:
    return StorageCase("k", (), "Alba", "Bert", "text", fact)


def test_cases_name_the_speakers_and_show_two_earlier_lines() -> None:
    first, second, third = storage_cases([CHAT], None, 3)
    assert first.speaker == third.speaker == second.other
    assert {first.speaker, second.speaker} <= set(NAMES)
    assert first.fact == f"{first.speaker} has two dogs."
    assert second.fact == ""
    assert third.fact == f"{third.speaker} wants to teach {third.other} chess. {third.speaker}'s aunt is 90."
    assert third.before == ((first.speaker, first.text), (second.speaker, second.text))
    assert storage_cases([CHAT], 2, 3) == storage_cases([CHAT], 2, 3)


def test_measures_on_known_outputs() -> None:
    done = [
        StoragePrediction(case("Alba has two dogs."), "INSERT", (("Alba", "pets", "Alba has 2 dogs."),)),
        StoragePrediction(case("Alba lives in Rome."), "INSERT", (("Bert", "home", "Bert lives in Lima."),)),
        StoragePrediction(case("Alba met Carl."), "-- nothing"),
        StoragePrediction(case(""), "-- nothing"),
        StoragePrediction(case(""), "DROP", (), "only INSERT, UPDATE and DELETE can write"),
    ]
    table = measures(done)
    assert table["SQL passes the guard"].value == 0.8
    assert table["right subject"].value == 0.5
    assert table["store or not"].value == 0.6
    assert table["token F1, both"].value == pytest.approx((1 + 0.5) / 2)
    assert table["token F1, facts"].value == pytest.approx((1 + 0.5) / 3)
    assert table["names and numbers kept, both"].value == 0.5
    assert table["names and numbers kept, facts"].value == pytest.approx(1 / 3)


def test_the_command_tells_bad_rows_and_writes_json_and_records(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the real, untrained model: the grammar holds whatever it says."""
    turns = [{"speaker": "Speaker 1", "text": "I keep bees.", "facts": "I keep bees."}]
    data, out = tmp_path / "msc.jsonl", tmp_path / "out" / "rows.jsonl"
    data.write_text(json.dumps({"id": "a", "sessions": [{"turns": turns}]}) + "\n{broken\n")
    command = ["eval", "storage", "--data", str(data), "--adapter", "none", "--threads", "1"]
    command += ["--json", "--out", str(out)]
    assert main(command) == 0
    said = capsys.readouterr()
    assert "msc.jsonl, line 2" in said.err
    assert json.loads(said.out)["models"]["embedded"]["SQL passes the guard"]["value"] == 1.0
    _settings, row = map(json.loads, out.read_text().splitlines())
    assert row["text"] == "I keep bees."
    row["sql"], row["seconds"] = "-- nothing", 7.5  # as another run left it: it is read, not made again
    out.write_text("\n".join((json.dumps(_settings), json.dumps(row))) + "\n")
    assert main([*command, "--compare", "embedded+storage"]) == 0
    models = json.loads(capsys.readouterr().out)["models"]
    assert models["embedded"]["seconds a line"]["value"] == 7.5
    assert models["embedded+storage minus embedded"]["store or not"]["value"] == 1.0
    assert len(out.read_text().splitlines()) == 3


def test_differences_are_paired() -> None:
    bees, none = case("Alba keeps 3 bees."), case("")
    kept = StoragePrediction(bees, "INSERT", (("Alba", "pets", "Alba keeps 3 bees."),))
    lost = StoragePrediction(bees, "INSERT", (("Alba", "pets", "Alba keeps bees."),))
    quiet, loud = StoragePrediction(none, "-- nothing"), StoragePrediction(none, "INSERT")
    table = differences([lost, loud], [kept, quiet])
    assert table["store or not"].value == 0.5
    assert table["names and numbers kept, facts"].value == 1.0
    assert 0 < table["token F1, facts"].value < 0.5
    assert differences([kept, quiet], [kept, quiet])["token F1, facts"].high == 0


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["storage", "--data", "nowhere.jsonl"], "no file nowhere.jsonl"),
        (["storage", "--data", __file__], "no row that can be used"),
        (["msc", "--data", "nowhere.jsonl"], "no file nowhere.jsonl"),
        (["chat", "--script", "nowhere.toml"], "no script nowhere.toml"),
    ],
)
def test_bad_input_is_one_sentence(words: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", *words]) == 1
    error = capsys.readouterr().err
    assert sentence in error
    assert error.count("\n") == 1


class Told:
    """Stands in for the storage agent: writes down what it was given to read."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.asked: list[str] = []

    def beside(self, scene: Scene, asked: str) -> Scene:
        self.asked.append(asked)
        return scene

    def propose_all(self, scenes: Sequence[Scene], tell: Callable[[int], None]) -> list[Draft]:
        self.lines += [scene.line.text for scene in scenes]
        rows = [insert_sql([(scene.line.speaker, "life", scene.line.text, None)]) for scene in scenes]
        return [read_draft(sql) for sql in rows]


def test_a_line_is_read_as_the_chat_reads_it(tmp_path: Path) -> None:
    asks = StorageCase("a", (), "Alba", "Bert", "Do you speak any German?", "")
    both = StorageCase(
        "b", (), "Alba", "Bert", "Alba has three dogs. And what do you do for a living?", "Alba has dogs."
    )
    agent, counts = Told(), list[int]()
    with Store.open(tmp_path / "eval.db") as store:
        first, second = _predict(agent, store, [asks, both], counts.append)  # type: ignore[arg-type]
        (only,) = _predict(agent, store, [replace(asks, key="c")], counts.append)  # type: ignore[arg-type]
    assert agent.lines == ["Alba has three dogs."] and agent.asked == ["And what do you do for a living?"]
    assert counts == [2, 1]
    assert not first.rows and not only.rows and first.sql == "-- nothing" and first.refused is None
    assert second.rows == (("Alba", "life", "Alba has three dogs."),)
