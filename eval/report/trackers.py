"""Sends a report to an experiment tracker that is installed: MLflow, Weights & Biases or TensorBoard."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...memory.errors import SettingsError

NAMES = ("mlflow", "wandb", "tensorboard")
PROJECT = "chatmem"


def send(name: str, run: str, models: Mapping[str, Mapping[str, Mapping[str, Any]]], files: Sequence[Path]) -> None:
    """One run with a number a system and measure, and the files. Raises SettingsError when the tracker is missing."""
    _SENDERS[name](run, dict(numbers(models)), files)


def numbers(models: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> Iterator[tuple[str, float]]:
    """Each measure under a name that every tracker takes: "chatmem/recall_10_mean"."""
    for model, table in models.items():
        for measure, estimate in table.items():
            if estimate["value"] is not None:
                yield f"{_name(model)}/{_name(measure)}", float(estimate["value"])


def _name(text: str) -> str:
    return re.sub(r"[^\w.-]+", "_", text).strip("_")


def _module(name: str, package: str) -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as missing:
        raise SettingsError(
            f"--report-to {package} needs {missing.name}; install it with `pip install {package}`."
        ) from missing


def _mlflow(run: str, values: Mapping[str, float], files: Sequence[Path]) -> None:
    mlflow = _module("mlflow", "mlflow")
    mlflow.set_experiment(PROJECT)
    with mlflow.start_run(run_name=run):
        mlflow.log_metrics(dict(values))
        for path in files:
            mlflow.log_artifact(str(path))


def _wandb(run: str, values: Mapping[str, float], files: Sequence[Path]) -> None:
    wandb = _module("wandb", "wandb")
    started = wandb.init(project=PROJECT, name=run)
    pictures = {path.stem: wandb.Image(str(path)) for path in files if path.suffix == ".png"}
    started.log({**values, **pictures})
    started.finish()


def _tensorboard(run: str, values: Mapping[str, float], files: Sequence[Path]) -> None:
    board = _module("torch.utils.tensorboard", "tensorboard")
    with board.SummaryWriter(str(files[0].parent / "tensorboard" / run)) as writer:
        for name, value in values.items():
            writer.add_scalar(name, value)


_SENDERS = {"mlflow": _mlflow, "wandb": _wandb, "tensorboard": _tensorboard}
