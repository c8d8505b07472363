"""A training that is told to the real MLflow, stopped, and gone on with: one run there, every step once."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from chatmem.app.cli import main
from chatmem.models.prompts.messages import Line, insert_sql, storage_messages
from tests.extras import needed

needed("torch", "training is an extra")


@pytest.mark.filterwarnings("ignore")  # those of the tracker's own dependencies
def test_a_resumed_training_goes_on_in_its_run(tiny_home: Path, tmp_path: Path) -> None:
    mlflow = pytest.importorskip("mlflow", reason="trackers are an extra")
    made = []
    for number in range(8):
        messages = storage_messages([], Line("Ana", f"I have {number + 2} cats."))
        target = insert_sql([("Ana", "pets", f"Ana has {number + 2} cats.", None)])
        made.append(json.dumps({"messages": [[m.role, m.content] for m in messages], "completion": target}))
    (tmp_path / "rows.jsonl").write_text("\n".join(made))
    words = ["train", "storage", "--rows", str(tmp_path / "rows.jsonl"), "--out", str(tmp_path / "run"), "--eval-every",
             "0", "--save-every", "1", "--report-to", "mlflow"]  # fmt: skip
    try:
        assert main([*words, "--steps", "2"]) == 0
        run_id = json.loads((tmp_path / "run" / "tracker.json").read_text())["mlflow"]
        assert main([*words, "--steps", "3", "--resume"]) == 0
        assert json.loads((tmp_path / "run" / "tracker.json").read_text())["mlflow"] == run_id
        client = mlflow.MlflowClient()
        assert [one.step for one in client.get_metric_history(run_id, "loss")] == [1, 2, 3]
        assert client.get_run(run_id).data.params["method"] == "sft"
        assert {one.path for one in client.list_artifacts(run_id)} >= {"log.jsonl", "README.md"}
    finally:
        mlflow.set_tracking_uri(None)
        os.environ.pop("MLFLOW_TRACKING_URI", None)  # MLflow tells it to the processes it starts
