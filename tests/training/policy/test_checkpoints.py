"""Checkpoints of a run as folders for others: trainers' folders, what FSDP split, and what is none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from chatmem.app.cli import main
from chatmem.memory.errors import InputError, ModelBroken
from chatmem.training.policy.checkpoints import ADAPTER, WHOLE, collect, found
from tests.extras import needed

torch = needed("torch", "training is an extra")
needed("accelerate", "training is an extra")
safetensors = needed("safetensors.torch", "training is an extra")


def trainer_folder(run: Path, step: int, value: float) -> Path:
    folder = run / "trl" / f"checkpoint-{step}"
    folder.mkdir(parents=True)
    safetensors.save_file({"a": torch.full((2,), value)}, str(folder / WHOLE))
    for name in ("config.json", "tokenizer.json", "trainer_state.json"):
        (folder / name).write_text("{}")
    (folder / "optimizer.pt").write_text("large")
    return folder


def shards(folder: Path, tensors: dict[str, Any]) -> None:
    """As FSDP saves a model: `torch.distributed.checkpoint`, written here by one process."""
    import torch.distributed.checkpoint as dcp

    dcp.save({"model": tensors}, checkpoint_id=str(folder / "pytorch_model_fsdp_0"), no_dist=True)


def test_trainer_folders_are_collected_and_averaged_by_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run"
    for step, value in ((20, 1.0), (30, 2.0), (40, 6.0)):
        trainer_folder(run, step, value)
    assert sorted(found(run)) == [20, 30, 40]
    assert main(["checkpoints", "collect", str(run), "--steps", "20,40"]) == 0
    folders = capsys.readouterr().out.splitlines()
    assert [Path(one).name for one in folders] == ["step-20", "step-40"]
    assert sorted(path.name for path in Path(folders[0]).iterdir()) == ["config.json", WHOLE, "tokenizer.json"]
    assert main(["checkpoints", "merge", *folders, "--out", str(tmp_path / "mean")]) == 0
    assert safetensors.load_file(str(tmp_path / "mean" / WHOLE))["a"].tolist() == [3.5, 3.5]
    capsys.readouterr()
    assert main(["checkpoints", "collect", str(run), "--steps", "20,50"]) == 1
    assert "no checkpoint of step 50; there are: 20, 30, 40" in capsys.readouterr().err
    assert main(["checkpoints", "collect", str(run), "--steps", "x"]) == 2
    assert "--steps 'x'" in capsys.readouterr().err


@pytest.mark.filterwarnings("ignore")  # torch's own, of its checkpoints
def test_what_fsdp_split_is_put_together_as_a_model_or_as_an_adapter(tmp_path: Path) -> None:
    folder = tmp_path / "run" / "checkpoint-7"
    shards(folder, {"layer.weight": torch.arange(6.0).reshape(2, 3)})
    (folder / "config.json").write_text("{}")
    (whole,) = collect(tmp_path / "run", [7], tmp_path / "out")
    assert safetensors.load_file(str(whole / WHOLE))["layer.weight"].tolist() == [[0, 1, 2], [3, 4, 5]]
    lora = tmp_path / "lora" / "checkpoint-9"
    names = ("base_model.model.q.lora_A.default.weight", "base_model.model.q.lora_B.default.weight")
    shards(lora, {names[0]: torch.ones(2, 3), names[1]: torch.zeros(3, 2), "base_model.model.q.weight": torch.ones(3)})
    (tmp_path / "lora" / "adapter_config.json").write_text("{}")
    (adapter,) = collect(tmp_path / "lora", [], tmp_path / "adapters")
    assert sorted(safetensors.load_file(str(adapter / ADAPTER))) == [one.replace(".default", "") for one in names]
    assert not (adapter / WHOLE).exists()


def test_what_is_no_checkpoint_is_said_and_nothing_half_made_stays(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="There is no folder"):
        collect(tmp_path / "none", [], tmp_path / "out")
    (tmp_path / "run" / "checkpoint-1").mkdir(parents=True)
    with pytest.raises(ModelBroken, match="holds no weights"):
        collect(tmp_path / "run", [1], tmp_path / "out")
    safetensors.save_file({"a": torch.ones(1)}, str(tmp_path / "run" / "checkpoint-1" / WHOLE))
    with pytest.raises(ModelBroken, match=r"no config\.json"):
        collect(tmp_path / "run", [1], tmp_path / "out")
    assert list((tmp_path / "out").iterdir()) == []
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="such as checkpoint-20"):
        collect(tmp_path / "empty", [], tmp_path / "out")
