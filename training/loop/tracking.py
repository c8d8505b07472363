"""Handing a run's numbers to an experiment tracker (Weights & Biases, MLflow, TensorBoard) through accelerate."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from ...memory.errors import SettingsError
from .loop import Progress

TRACKERS = {"none": (), "wandb": ("wandb",), "mlflow": ("mlflow",), "tensorboard": ("tensorboard", "tensorboardX")}
"""Names for `--report-to`, and the packages of which one is needed."""
Tell = Callable[[Progress], None]


def check(name: str) -> None:
    """Raises SettingsError for a tracker that isn't known or isn't installed."""
    if name not in TRACKERS:
        raise SettingsError(f"--report-to knows {', '.join(TRACKERS)}, not {name}.")
    modules = TRACKERS[name]
    if modules and not any(find_spec(module) for module in modules):
        raise SettingsError(f"--report-to {name} needs {name}, which isn't installed; run `pip install {modules[0]}`.")


def tracker(name: str, out: Path) -> Tell:
    """A function that logs a step; does nothing for "none"."""
    if name == "none":
        return lambda at: None
    from accelerate import Accelerator

    accelerator = Accelerator(log_with=name, project_dir=str(out))
    accelerator.init_trackers("chatmem")

    def tell(at: Progress) -> None:
        numbers = {"loss": at.loss, "learning rate": at.lr, "gradient norm": at.grad_norm, "tokens": at.tokens}
        numbers |= {**at.terms, **{f"held back/{name}": value for name, value in at.measures.items()}}
        if at.valid_loss is not None:
            numbers["held back/loss"] = at.valid_loss
        accelerator.log(numbers, step=at.step)
        if at.step >= at.of:
            accelerator.end_training()

    return tell


def once(name: str, out: Path, run: str, settings: dict[str, object], numbers: dict[str, float], files: list[Path]) -> None:
    """A finished run's settings, numbers and files, all at once."""
