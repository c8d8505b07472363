"""Two processes of one run on a CPU, started by `accelerate launch` with the file that the docs name."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.effort import FULL
from tests.extras import needed
from tests.training.recall.sessions.test_trainer import row as session_row

needed("accelerate", "training is an extra")
needed("trl", "training is an extra")

ROOT = Path(__file__).resolve().parents[3]
METHODS = {
    "sft": ["--batch-tokens", "300"],
    "dapo": ["--groups", "1", "--samples", "2", "--reply-tokens", "24", "--resample", "1", "--overlong", "20"],
}


@pytest.mark.skipif(not FULL, reason="three processes that import torch take a minute of processor time")
@pytest.mark.parametrize("method", METHODS)
def test_two_processes_make_one_run(method: str, tiny_home: Path, tmp_path: Path) -> None:
    from chatmem.eval.ranking.rows import write_rows

    write_rows(tmp_path / "ranked" / "train-0000.jsonl", [session_row(talk, 1) for talk in range(4)])
    write_rows(tmp_path / "ranked" / "test.jsonl", [session_row(9, 1)])
    run = tmp_path / "run"
    words = ["train", "ranker", "--ranked", str(tmp_path / "ranked"), "--out", str(run), "--start", "none"]
    words += ["--steps", "2", "--save-every", "1", "--keep", "1", "--rank", "2", "--eval-every", "0", "--threads", "1"]
    launch = ["-m", "accelerate.commands.launch", "--config_file", str(ROOT / "docs" / "train" / "two-cpu.yaml")]
    launch += ["--main_process_port", "0", "-m", "chatmem", *words, "--method", method, "--answers", "none"]
    done = subprocess.run(
        [sys.executable, *launch, *METHODS[method]], cwd=ROOT, capture_output=True, text=True, timeout=900,
        env=os.environ | {"PYTHONPATH": f"{os.environ['PYTHONPATH']}:{ROOT}"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    log = [json.loads(line) for line in (run / "log.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [at["step"] for at in log] == [1, 2], "each step stands there once"
    assert (run / "adapter" / "adapter.gguf").is_file()
    place = run / "trl" if method == "dapo" else run
    assert [path.name for path in place.glob("checkpoint-*")] == ["checkpoint-2"]
    if method == "dapo":
        assert "resampled" in log[-1]["terms"] and "overlong" in log[-1]["terms"]


def test_the_configurations_are_such_that_accelerate_takes_them() -> None:
    from accelerate.commands.config.config_args import ClusterConfig

    for path in sorted((ROOT / "docs" / "train").glob("*.yaml")):
        config = ClusterConfig.from_yaml_file(str(path))
        assert config.num_processes >= 2, path.name
        if config.num_machines > 1:
            told = yaml.safe_load(path.read_text(encoding="utf-8"))
            assert told["main_process_ip"] and told["main_process_port"] and told["machine_rank"] == 0
    assert "docs/train/two-machines.yaml" in (ROOT / "docs" / "training.md").read_text(encoding="utf-8")
