"""Experiment trackers: MLflow, Weights & Biases, TensorBoard. A run that goes on after a stop is the same run there.

They are asked in their own ways, not through accelerate: that looks for a distribution called mlflow, which
mlflow-skinny is not, and passes names on that MLflow refuses ("recall@10").
"""

from __future__ import annotations

import contextlib
import importlib
import json
import math
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from ...memory.errors import InputError, SettingsError

NAMES = ("mlflow", "wandb", "tensorboard")
PROJECT = "chatmem"
PLACE = "tracker.json"
"""Beside a run: which run of a tracker it is."""
PACKAGES = {"mlflow": "chatmem[track]", "tensorboard": "chatmem[track]", "wandb": "wandb"}
MOST = 500
"""Characters of a setting's value."""


class Tracker(Protocol):
    """A run that is open at a tracker."""

    def settings(self, values: Mapping[str, Any]) -> None: ...

    def log(self, values: Mapping[str, float], step: int) -> None: ...

    def keep(self, files: Sequence[Path]) -> None: ...

    def end(self, whole: bool = True) -> None: ...


def check(name: str) -> None:
    """Raises SettingsError for a tracker that isn't known or isn't installed."""
    if name != "none":
        if name not in NAMES:
            raise SettingsError(f"--report-to knows none, {', '.join(NAMES)}, not {name}.")
        _module({"tensorboard": "tensorboard.summary"}.get(name, name), name)


def begin(name: str, run: str, folder: Path, *, resume: bool = False) -> Tracker:
    """Opens a run. `folder`: where it lies here; with `resume` the tracker's run that was begun there goes on.

    MLflow goes where MLFLOW_TRACKING_URI says, else into mlflow.db beside the folder. Raises SettingsError, InputError.
    """
    check(name)
    known = _known(folder).get(name) if resume else None
    try:
        folder.mkdir(parents=True, exist_ok=True)
        made, run_id = _BEGIN[name](run, folder, known)
        if run_id:
            (folder / PLACE).write_text(json.dumps({**_known(folder), name: run_id}) + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(f"{folder} can't be written ({error.strerror}); name another folder.") from error
    return made


def _known(folder: Path) -> dict[str, str]:
    with contextlib.suppress(OSError, ValueError):
        found = json.loads((folder / PLACE).read_text(encoding="utf-8"))
        return found if isinstance(found, dict) else {}
    return {}


def send(
    name: str, run: str, models: Mapping[str, Mapping[str, Mapping[str, Any]]], files: Sequence[Path],
    settings: Mapping[str, Any] | None = None,
) -> None:  # fmt: skip
    """A report as one run: a number a system and measure, and the files. Raises SettingsError, InputError."""
    tracker = begin(name, run, files[0].parent / "tracked" / run)
    tracker.settings(settings or {})
    tracker.log(dict(numbers(models)), 0)
    tracker.keep(files)
    tracker.end()


def numbers(models: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> Iterator[tuple[str, float]]:
    """Each measure under a name that every tracker takes: "chatmem/recall_10_mean"."""
    for model, table in models.items():
        for measure, estimate in table.items():
            if estimate["value"] is not None:
                yield f"{_name(model)}/{_name(measure)}", float(estimate["value"])


def _name(text: str) -> str:
    return re.sub(r"[^\w.-]+", "_", text, flags=re.ASCII).strip("_") or "unnamed"


def _clean(values: Mapping[str, float]) -> dict[str, float]:
    """Under names that every tracker takes ("held back/recall@10" as "held_back/recall_10"); numbers alone."""
    named = {"/".join(map(_name, name.split("/"))): float(value) for name, value in values.items()}
    return {name: value for name, value in named.items() if math.isfinite(value)}


def _texts(values: Mapping[str, Any]) -> dict[str, str]:
    return {_name(name): str(value)[:MOST] for name, value in values.items() if value is not None}


def _module(name: str, tracker: str) -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as missing:
        raise SettingsError(
            f"--report-to {tracker} needs {missing.name}; install it with `pip install '{PACKAGES[tracker]}'`."
        ) from missing


class _MlflowRun:
    def __init__(self, mlflow: Any, run_id: str) -> None:
        self._client, self._id = mlflow.MlflowClient(), run_id
        self._entities = mlflow.entities

    def settings(self, values: Mapping[str, Any]) -> None:
        there = self._client.get_run(self._id).data.params
        left = {name: text for name, text in _texts(values).items() if name not in there}  # a parameter is told once
        self._client.log_batch(self._id, params=[self._entities.Param(*pair) for pair in left.items()])

    def log(self, values: Mapping[str, float], step: int) -> None:
        import time

        now = int(time.time() * 1000)
        told = [self._entities.Metric(name, value, now, step) for name, value in _clean(values).items()]
        self._client.log_batch(self._id, metrics=told)

    def keep(self, files: Sequence[Path]) -> None:
        for path in files:
            self._client.log_artifact(self._id, str(path))

    def end(self, whole: bool = True) -> None:
        self._client.set_terminated(self._id, "FINISHED" if whole else "KILLED")


def _mlflow(run: str, folder: Path, known: str | None) -> tuple[Tracker, str]:
    mlflow = _module("mlflow", "mlflow")
    if not os.environ.get("MLFLOW_TRACKING_URI"):
        mlflow.set_tracking_uri(f"sqlite:///{folder.resolve().parent / 'mlflow.db'}")
    client, errors = mlflow.MlflowClient(), mlflow.exceptions.MlflowException
    try:
        found = client.get_experiment_by_name(PROJECT)
        place = (folder.resolve().parent / "mlflow").as_uri()
        local = mlflow.get_tracking_uri().startswith("sqlite:")
        experiment = found.experiment_id if found else client.create_experiment(PROJECT, place if local else None)
        if known is not None:
            with contextlib.suppress(errors):  # another store than then: a new run
                client.update_run(known, status="RUNNING")
                return _MlflowRun(mlflow, known), known
        run_id = client.create_run(experiment, run_name=run).info.run_id
    except errors as error:
        raise InputError(f"MLflow's store can't be used ({str(error).splitlines()[0][:200]}).") from error
    return _MlflowRun(mlflow, run_id), run_id


class _WandbRun:
    def __init__(self, wandb: Any, run: Any) -> None:
        self._wandb, self._run = wandb, run

    def settings(self, values: Mapping[str, Any]) -> None:
        self._run.config.update(_texts(values), allow_val_change=True)

    def log(self, values: Mapping[str, float], step: int) -> None:
        self._run.log(_clean(values), step=step)

    def keep(self, files: Sequence[Path]) -> None:
        self._run.log({path.stem: self._wandb.Image(str(path)) for path in files if path.suffix == ".png"})

    def end(self, whole: bool = True) -> None:
        self._run.finish(exit_code=0 if whole else 1)


def _wandb(run: str, folder: Path, known: str | None) -> tuple[Tracker, str]:
    wandb = _module("wandb", "wandb")
    started = wandb.init(project=PROJECT, name=run, dir=str(folder), id=known, resume="allow")
    return _WandbRun(wandb, started), str(started.id)


class _Board:
    def __init__(self, writer: Any) -> None:
        self._writer = writer

    def settings(self, values: Mapping[str, Any]) -> None:
        """TensorBoard shows numbers; the settings of a run lie beside it."""

    def log(self, values: Mapping[str, float], step: int) -> None:
        for name, value in _clean(values).items():
            self._writer.add_scalar(name, value, step)
        self._writer.flush()

    def keep(self, files: Sequence[Path]) -> None:
        """They lie beside its events already."""

    def end(self, whole: bool = True) -> None:
        self._writer.close()


def _tensorboard(run: str, folder: Path, known: str | None) -> tuple[Tracker, str]:
    """A run that goes on writes a further file into the same folder, which TensorBoard reads as one run."""
    summary = _module("tensorboard.summary", "tensorboard")
    return _Board(summary.Writer(str(folder / "tensorboard" / run))), ""


_BEGIN = {"mlflow": _mlflow, "wandb": _wandb, "tensorboard": _tensorboard}
