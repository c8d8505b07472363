"""Rows drawn for training a ranker: by what they teach, by conversation, the same with the same seed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("pyarrow", reason="training is an extra")

from chatmem.app.cli import main
from chatmem.eval.ranking.rows import Haystack, Row, read_rows, write_rows
from chatmem.training.recall.sessions.data import draw, priority, score


def row(key: str, talk: int, ranks: list[int] | None = None, gold: tuple[str, ...] = ("D3",)) -> Row:
    stack = Haystack(
        tuple((("Ana", f"{talk} {n}"),) for n in range(5)), ("",) * 5, tuple(f"D{n}" for n in range(5))
    )  # fmt: skip
    found = {} if ranks is None else {"haystack_session_gen_rankings": ranks}
    return Row(key, f"What of {key}?", stack, "x", gold, found=found)


def test_what_is_neither_solved_nor_hopeless_comes_first() -> None:
    solved, second, hopeless, never = row("a", 0, [3]), row("b", 0, [0, 3]), row("c", 0, [0, 1]), row("d", 0)
    assert [round(score(one), 4) for one in (solved, second, hopeless, never)] == [1, 0.6309, 0, 0]
    assert [round(priority(one), 4) for one in (solved, second, hopeless)] == [0.2, 0.5691, 0.8]
    two = row("e", 0, [3, 1], ("D3", "D1"))
    assert score(two) == pytest.approx(1), "two golds at the top are solved, not half of it"
    drawn = draw([solved, second, hopeless, never], [row("f", 1), row("g", 1)], 4)
    assert [one.key for one in drawn.rows[:3]] == ["c", "b", "a"] and drawn.anchored == 3
    assert drawn.rows[3].key in {"f", "g"}


def test_the_command_splits_by_conversation_and_draws_the_same_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    primary, fallback = tmp_path / "primary", tmp_path / "fallback"
    write_rows(primary / "locomo.jsonl", [row(f"p{t}-{n}", t, [n % 5, 3]) for t in range(4) for n in range(6)])
    write_rows(fallback / "locomo.parquet", [row(f"f{t}-{n}", t) for t in range(4, 8) for n in range(6)])
    recipe = tmp_path / "recipe.yaml"
    recipe.write_text("memory_datasets: {train: {locomo: 20}, test: {locomo: 8}}")
    words = ["data", "rank", "--recipe", str(recipe), "--primary", str(primary), "--fallback", str(fallback), "--json"]
    assert main([*words, "--out", str(tmp_path / "one")]) == 0
    told = json.loads(capsys.readouterr().out)["data"]
    assert [(one["split"], one["rows"]) for one in told] == [("test", 8), ("train", 20)]
    test, train = read_rows(tmp_path / "one" / "test.parquet"), read_rows(tmp_path / "one" / "train-0000.parquet")
    assert not {one.haystack.stamp for one in test} & {one.haystack.stamp for one in train}
    assert main([*words, "--out", str(tmp_path / "two")]) == 0
    assert [one.key for one in read_rows(tmp_path / "two" / "train-0000.parquet")] == [one.key for one in train]
    manifest = json.loads((tmp_path / "one" / "manifest.json").read_text())
    assert manifest["version"] == 1 and manifest["seed"] == 42
    capsys.readouterr()
    recipe.write_text("memory_datasets: {train: {locomo: 2000}}")
    assert main([*words, "--out", str(tmp_path / "three")]) == 1
    assert "not 2000" in capsys.readouterr().err
    recipe.write_text("train: 3")
    assert main([*words, "--out", str(tmp_path / "four")]) == 1
    assert "is no recipe" in capsys.readouterr().err
