"""The average of whole models: in 32 bits, of files of any split, and only of what belongs together."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from chatmem.memory.errors import InputError, ModelNotFound
from chatmem.models.adapters.average import INDEX, WEIGHTS, average
from tests.extras import needed

torch = needed("torch", "training is an extra")
safetensors = needed("safetensors.torch", "training is an extra")


def model(folder: Path, value: float, tokenizer: str = "{}", **more: Any) -> Path:
    folder.mkdir()
    tensors = {
        "a.weight": torch.full((2, 3), value, dtype=torch.bfloat16),
        "b": torch.tensor([value, 2 * value]),
    } | more
    safetensors.save_file(tensors, str(folder / WEIGHTS))
    (folder / "config.json").write_text("{}")
    (folder / "tokenizer.json").write_text(tokenizer)
    (folder / "optimizer.bin").write_text("large")
    return folder


def test_the_mean_is_taken_in_32_bits(tmp_path: Path) -> None:
    from safetensors.torch import load_file

    folders = [model(tmp_path / str(n), value) for n, value in enumerate((1.0, 1.0078125, 3.0))]
    told: list[tuple[int, int]] = []
    out = average(folders, tmp_path / "out" / "mean", lambda *one: told.append(one))
    found = load_file(str(out / WEIGHTS))
    assert found["a.weight"].dtype == torch.float32
    assert found["a.weight"].tolist() == [[pytest.approx(5.0078125 / 3, rel=1e-7)] * 3] * 2, "bfloat16 would say 1.67"
    assert found["b"].tolist() == pytest.approx([5.0078125 / 3, 10.015625 / 3])
    assert told == [(1, 2), (2, 2)]
    assert sorted(path.name for path in out.iterdir()) == ["config.json", WEIGHTS, "tokenizer.json"]
    assert not list(out.parent.glob("*.new"))


def test_a_model_of_several_files_is_read_by_its_index(tmp_path: Path) -> None:
    from safetensors.torch import load_file

    first, second = model(tmp_path / "one", 1.0), model(tmp_path / "two", 3.0)
    (second / WEIGHTS).unlink()
    safetensors.save_file({"a.weight": torch.full((2, 3), 3.0)}, str(second / "model-1.safetensors"))
    safetensors.save_file({"b": torch.tensor([3.0, 6.0])}, str(second / "model-2.safetensors"))
    where = {"a.weight": "model-1.safetensors", "b": "model-2.safetensors"}
    (second / INDEX).write_text(json.dumps({"weight_map": where}))
    found = load_file(str(average([first, second], tmp_path / "mean") / WEIGHTS))
    assert found["b"].tolist() == [2.0, 4.0]


def test_a_folder_with_something_in_it_is_never_the_average(tmp_path: Path) -> None:
    """It was removed with all that was in it, the checkpoints themselves where it was theirs."""
    (tmp_path / "run").mkdir()
    first, second = model(tmp_path / "run" / "one", 1.0), model(tmp_path / "run" / "two", 3.0)
    for out in (tmp_path, tmp_path / "run", first):
        with pytest.raises(InputError, match="new or empty"):
            average([first, second], out)
    assert (first / WEIGHTS).is_file() and (second / WEIGHTS).is_file()
    (tmp_path / "mean").mkdir()
    assert (average([first, second], tmp_path / "mean") / WEIGHTS).is_file()


def test_the_average_is_made_in_nobody_s_folder(tmp_path: Path) -> None:
    folders = [model(tmp_path / str(n), float(n)) for n in range(2)]
    (tmp_path / "mean.new").mkdir()
    (tmp_path / "mean.new" / "thesis.txt").write_text("mine")
    average(folders, tmp_path / "mean")
    assert (tmp_path / "mean.new" / "thesis.txt").read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["0", "1", "mean", "mean.new"]


def test_what_does_not_belong_together_is_refused_and_nothing_is_left(tmp_path: Path) -> None:
    first = model(tmp_path / "first", 1.0)
    others = {
        "different tokenizers": model(tmp_path / "words", 1.0, tokenizer='{"a": 1}'),
        "the same tensors": model(tmp_path / "more", 1.0, c=torch.zeros(1)),
        "another shape": model(tmp_path / "shape", 1.0, b=torch.zeros(3)),
    }
    for told, other in others.items():
        with pytest.raises(InputError, match=told):
            average([first, other], tmp_path / "mean")
    with pytest.raises(InputError, match="two checkpoints"):
        average([first], tmp_path / "mean")
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "tokenizer.json").write_text("{}")
    with pytest.raises(ModelNotFound, match="checkpoints collect"):
        average([first, tmp_path / "empty"], tmp_path / "mean")
    assert not list(tmp_path.glob("mean*"))
