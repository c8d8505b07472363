"""The real MLflow over a SQLite store and TensorBoard's own event files, read back: names, steps, files, going on."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any

import pytest

from chatmem.eval.report import trackers
from chatmem.memory.errors import SettingsError
from chatmem.training.loop import tracking
from chatmem.training.loop.loop import Progress

FIRST = Progress(1, 2, 0.5, 1e-4, 1.0, 100, 1.0, None, {"reward": 0.25}, {"recall@10": 0.75})
SECOND = Progress(2, 2, math.nan, 1e-4, 1.0, 200, 2.0, 0.4)


@pytest.fixture
def mlflow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    module = pytest.importorskip("mlflow", reason="trackers are an extra")
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    yield module
    module.set_tracking_uri(None)
    os.environ.pop("MLFLOW_TRACKING_URI", None)  # MLflow tells it to the processes it starts


def history(mlflow: Any, run_id: str, name: str) -> list[tuple[int, float]]:
    return [(one.step, one.value) for one in mlflow.MlflowClient().get_metric_history(run_id, name)]


@pytest.mark.filterwarnings("ignore")  # those of the tracker's own dependencies
def test_mlflow_holds_settings_steps_and_files_and_a_run_that_goes_on_is_the_same(mlflow: Any, tmp_path: Path) -> None:
    out = tmp_path / "run"
    out.mkdir()
    (out / "log.jsonl").write_text("{}\n")
    (out / "train.jsonl").write_text("a line of somebody's\n")
    settings = {
        "lr": 0.1,
        "seed": 3,
        "secret": "hunter2",
        "person": "Ana",
        "rows": None,
        "msc": Path("/data/msc.jsonl"),
    }
    with pytest.raises(KeyboardInterrupt), tracking.tracked("mlflow", "storage", out, settings) as tell:
        tell(FIRST)
        raise KeyboardInterrupt
    run_id = json.loads((out / trackers.PLACE).read_text())["mlflow"]
    client = mlflow.MlflowClient()
    assert client.get_run(run_id).info.status == "KILLED" and (tmp_path / "mlflow.db").is_file()
    with tracking.tracked("mlflow", "storage", out, {**settings, "seed": 4}, resume=True) as tell:
        tell(SECOND)
    run = client.get_run(run_id)
    assert run.info.status == "FINISHED" and run.info.run_name == "storage"
    assert run.data.params == {"lr": "0.1", "seed": "3", "msc": "/data/msc.jsonl"}
    assert history(mlflow, run_id, "loss") == [(1, 0.5)]  # what is no number has no place in a curve
    assert history(mlflow, run_id, "tokens") == [(1, 100.0), (2, 200.0)]
    assert history(mlflow, run_id, "held_back/recall_10") == [(1, 0.75)]
    assert [one.path for one in client.list_artifacts(run_id)] == ["log.jsonl"]
    with tracking.tracked("mlflow", "storage", out, settings) as tell:  # begun anew: another run
        tell(FIRST)
    assert json.loads((out / trackers.PLACE).read_text())["mlflow"] != run_id


@pytest.mark.filterwarnings("ignore")
def test_a_report_goes_to_mlflow_with_its_files(mlflow: Any, tmp_path: Path) -> None:
    made = tmp_path / "small.md"
    made.write_text("# report")
    trackers.send("mlflow", "small", {"chatmem": {"recall@10, mean": {"value": 0.5}}}, [made], {"seed": 1})
    run_id = json.loads((tmp_path / "tracked" / "small" / trackers.PLACE).read_text())["mlflow"]
    run = mlflow.MlflowClient().get_run(run_id)
    assert run.data.metrics == {"chatmem/recall_10_mean": 0.5} and run.data.params == {"seed": "1"}
    assert [one.path for one in mlflow.MlflowClient().list_artifacts(run_id)] == ["small.md"]


@pytest.mark.filterwarnings("ignore")
def test_tensorboards_events_are_read_back_and_go_on(tmp_path: Path) -> None:
    pytest.importorskip("tensorboard", reason="trackers are an extra")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    with tracking.tracked("tensorboard", "storage", tmp_path, {}) as tell:
        tell(FIRST)
    with tracking.tracked("tensorboard", "storage", tmp_path, {}, resume=True) as tell:
        tell(SECOND)
    found = EventAccumulator(str(tmp_path / "tensorboard" / "storage"))
    found.Reload()
    values = {
        name: [(one.step, float(one.tensor_proto.float_val[0])) for one in found.Tensors(name)]
        for name in found.Tags()["tensors"]
    }
    assert values["tokens"] == [(1, 100.0), (2, 200.0)] and values["loss"] == [(1, 0.5)]
    assert values["held_back/loss"][0][1] == pytest.approx(0.4) and values["held_back/recall_10"] == [(1, 0.75)]


def test_no_tracker_is_one_that_does_nothing_and_another_is_told() -> None:
    with tracking.tracked("none", "x", Path("/nowhere"), {}) as tell:
        tell(FIRST)
    with pytest.raises(SettingsError, match="knows none, mlflow"):
        tracking.check("clipboard")
