"""Rows: from every official form, to files and back; a bad one is named by its line and the others are kept."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from chatmem.eval.datasets.personamem import COLUMNS, letter, load_personamem
from chatmem.eval.measures.answers import chosen
from chatmem.eval.ranking.rows import Haystack, Row, as_json, read_rows, write_rows
from chatmem.eval.ranking.sources import kind_of, load_rows
from chatmem.memory.errors import InputError, NotFound
from tests.eval.talks import LOCOMO, LONG, write_json, write_lines

CHAT = [
    {"role": "system", "content": "Current user persona: Mira, a baker."},
    {"role": "user", "content": "User: I no longer eat rye."},
    {"role": "assistant", "content": "Assistant: Noted, no rye."},
    {"role": "system", "content": "Current user persona: Mira, a baker."},
    {"role": "user", "content": "User: My oven broke."},
    {"role": "assistant", "content": "Assistant: What a pity."},
]


def persona_line(**more: Any) -> dict[str, Any]:
    return {
        "persona_id": "7", "question_id": "p1", "question_type": "recall_user_shared_facts", "topic": "food",
        "context_length_in_tokens": "120", "user_question_or_message": "Which bread shall I bake?",
        "correct_answer": "(b)", "all_options": "['(a) A rye loaf.', \"(b) A wheat loaf, as you don't eat rye.\"]",
        "shared_context_id": "c1", "end_index_in_shared_context": "3",
    } | more  # fmt: skip


def persona_files(folder: Path, lines: list[dict[str, Any]]) -> Path:
    path = folder / "questions_32k.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, COLUMNS)
        table.writeheader()
        table.writerows(lines)
    write_lines(folder / "shared_contexts_32k.jsonl", [{"c1": CHAT}])
    return path


def row(**more: Any) -> Row:
    stack = Haystack(
        ((("Ana", "I keep bees."),), (("Ana", "It rains."), ("Ben", "Ça alors…"))), ("2023-05-08", ""), ("a", "b")
    )
    return Row(
        **{"key": "q", "question": "What does Ana keep?", "haystack": stack, "answer": "bees", "gold": ("a",)} | more
    )


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.parquet"])
def test_rows_come_back_from_a_file_as_they_were(tmp_path: Path, name: str) -> None:
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow", reason="parquet is an extra")
    first = row().told({"similarities": [0.5, -1.0], "session_passages": [[[0, 0, 12]], []], "response": "<think>"})
    rows = [first, row(key="q2", options=("(a) x", "(b) y"), asker="Ben", abstain=True, talk=(("Ana", "hi"),))]
    write_rows(tmp_path / name, rows)
    again = read_rows(tmp_path / name)
    want, got = ([{**as_json(one), "found": None} for one in some] for some in (rows, again))
    assert [json.loads(json.dumps(one)) for one in got] == [json.loads(json.dumps(one)) for one in want]
    assert again[0].haystack is again[1].haystack, "rows of one conversation share it"


def test_a_bad_row_is_named_by_its_line_and_the_others_are_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = as_json(row())
    bad = [
        {**good, "key": "x", "haystack_dates": ["1"]},
        {"key": "y"},
        {**good, "key": "z", "haystack_sessions": [[{}]]},
    ]
    path = write_lines(tmp_path / "rows.jsonl", [bad[0], good, *bad[1:]])
    assert [one.key for one in read_rows(path)] == ["q"]
    told = capsys.readouterr().err
    assert "line 1: " in told and "2 sessions, but 2 ids and 1 dates" in told
    assert "line 3: there is no 'haystack_sessions'" in told and "line 4: there is no 'role'" in told
    with pytest.raises(InputError, match="two rows of the same key"):
        read_rows(write_lines(tmp_path / "twice.jsonl", [good, good]))
    with pytest.raises(NotFound):
        read_rows(tmp_path / "none.jsonl")


def test_locomo_and_longmemeval_tell_which_sessions_hold_the_answer(tmp_path: Path) -> None:
    rows = load_rows("locomo", write_json(tmp_path / "locomo.json", LOCOMO))
    assert [one.gold for one in rows] == [("D1",)] * 4
    assert rows[0].haystack is rows[3].haystack
    assert rows[0].haystack.ids == ("D1", "D2")
    assert rows[0].gold_places == [0]
    first, second = load_rows("longmemeval", write_json(tmp_path / "longmemeval.json", LONG))
    assert first.haystack.ids == ("s_early", "s_early#2", "s_late")
    assert first.gold == ("s_late",) and first.asked_at.startswith("2023-06-30")
    assert second.abstain


def test_a_long_session_is_parted_at_turns_and_the_part_with_the_evidence_is_gold(tmp_path: Path) -> None:
    long = json.loads(json.dumps(LONG[:1]))
    for number, session in enumerate(long[0]["haystack_sessions"]):
        session.insert(0, {"role": "user", "content": f"filler {number} " * 40})
    path = write_json(tmp_path / "longmemeval.json", long)
    (one,) = load_rows("longmemeval", path, part=60)
    assert one.gold == ("s_late~2",), "the turn that holds the answer is in its second part"
    assert "s_late" in one.haystack.ids
    (whole,) = load_rows("longmemeval", path, part=0)
    assert whole.gold == ("s_late",)


def test_personamem_in_its_official_form(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [
        persona_line(), persona_line(question_id="p2", end_index_in_shared_context="6"),
        persona_line(question_id="p3", shared_context_id="c9"), persona_line(question_id="p4", correct_answer="(e)"),
        persona_line(question_id="p5", end_index_in_shared_context="99"),
    ]  # fmt: skip
    first, second = load_rows("personamem", persona_files(tmp_path, lines))
    told = capsys.readouterr().err
    assert "line 4: " in told and "there is no chat c9" in told
    assert "line 5: " in told and "'(e)' is none of the options" in told
    assert "line 6: " in told and "6 messages, not 99" in told
    assert [len(one.haystack.sessions) for one in (first, second)] == [1, 2]
    assert first.haystack.sessions[0][1] == ("User", "I no longer eat rye.")
    assert first.haystack.sessions[0][0][0] == "Persona"
    assert first.answer == "(b)" and len(first.options) == 2 and first.category == "recall_user_shared_facts"


def test_what_is_no_table_of_personamem_is_said(tmp_path: Path) -> None:
    path = persona_files(tmp_path, [persona_line()])
    path.write_text("persona_id,question_id\n1,2\n")
    with pytest.raises(InputError, match="has no column question_type"):
        load_personamem(path)
    (tmp_path / "shared_contexts_32k.jsonl").unlink()
    with pytest.raises(NotFound, match="shared_contexts_32k"):
        load_personamem(path)


@pytest.mark.parametrize(
    ("reply", "option"),
    [
        ("(b)", "(b)"), ("B", "(b)"), ("b) the wheat loaf", "(b)"), ("I would choose (a), since", "(a)"),
        ("a wheat loaf", None), ("(d)", None), ("", None), ("A: rye", "(a)"), ("Answer: (B).", "(b)"),
    ],
)  # fmt: skip
def test_the_option_that_a_reply_names(reply: str, option: str | None) -> None:
    assert chosen(reply, 2) == option


def test_letters_and_names_of_files() -> None:
    assert [letter(one) for one in ("(c)", "C", "c) text", "text", "")] == ["(c)", "(c)", "(c)", None, None]
    named = {"locomo10.json": "locomo", "longmemeval_s.json": "longmemeval", "questions_128k.csv": "personamem",
             "beam100k.json": "beam", "x.parquet": "rows"}  # fmt: skip
    assert {name: kind_of(Path(name)) for name in named} == named
    with pytest.raises(InputError, match="--dataset"):
        kind_of(Path("what.json"))
