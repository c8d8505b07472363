"""The checkpoints of a run as folders that others read: Hugging Face's for whole models, PEFT's for adapters.

A trainer's folder is taken as it is; what FSDP split over processes (`pytorch_model_fsdp_0`) is put together first.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...memory.errors import InputError, ModelBroken, SettingsError

ADAPTER, WHOLE = "adapter_model.safetensors", "model.safetensors"
_NAMES = re.compile(r"(?:checkpoint|global_step|step)[-_](\d+)")
_SHARDS = "pytorch_model_fsdp"
_BESIDE = (".json", ".txt", ".model", ".jinja")
"""Endings of the files beside the weights: configs, tokenizer, template."""
_STATE = ("trainer_state.json", "training_args.json")


def found(run: Path) -> dict[int, Path]:
    """The checkpoints of a run by their steps. Raises InputError where there is no such folder."""
    if not run.is_dir():
        raise InputError(f"There is no folder {run}; give the --out of a training run.")
    folders = [path for place in (run, run / "trl") if place.is_dir() for path in sorted(place.iterdir())]
    return {int(step[1]): path for path in folders if path.is_dir() and (step := _NAMES.fullmatch(path.name))}


def numbered(newest: Path, step: int, keep: int | None) -> None:
    """Keeps `newest` under the number of its step too, as hard links where the disk has them; of those that are
    numbered the last `keep` stay (None: all). Raises InputError."""
    target = newest.with_name(f"checkpoint-{step}")
    beside = target.with_suffix(".new")
    try:
        for old in (beside, target):
            shutil.rmtree(old, ignore_errors=True)
        shutil.copytree(newest, beside, copy_function=_linked)
        beside.rename(target)
    except OSError as error:
        shutil.rmtree(beside, ignore_errors=True)
        raise InputError(f"{target} can't be written ({error.strerror}); make room, then --resume.") from error
    there = found(newest.parent)
    own = sorted(number for number, place in there.items() if place.parent == newest.parent)
    for number in own[: -keep if keep else 0]:
        shutil.rmtree(there[number], ignore_errors=True)


def _linked(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def collect(run: Path, steps: Sequence[int], out: Path) -> list[Path]:
    """Writes `out`/step-N for each of the steps (none: all of them); one that is there already is left as it is.

    Raises InputError, ModelBroken, SettingsError.
    """
    there = found(run)
    wanted = list(dict.fromkeys(steps)) or sorted(there)
    if missing := [step for step in wanted if step not in there]:
        known = ", ".join(map(str, sorted(there))) or "none"
        raise InputError(f"{run} has no checkpoint of step {missing[0]}; there are: {known}.")
    if not wanted:
        raise InputError(f"{run} holds no checkpoint such as checkpoint-20.")
    made = []
    for step in wanted:
        target = out / f"step-{step}"
        if not target.is_dir():
            _one(run, there[step], target)
        made.append(target)
    return made


def _one(run: Path, source: Path, target: Path) -> None:
    """Whole or not at all."""
    beside = target.with_name(target.name + ".new")
    shutil.rmtree(beside, ignore_errors=True)
    try:
        beside.mkdir(parents=True)
        for folder in (run / "final", run, source):  # of a file that is in several, the checkpoint's own counts
            _copy_beside(folder, beside)
        _weights(source, beside)
        beside.rename(target)
    except OSError as error:
        raise InputError(f"{target} can't be written ({error.strerror}); name another --out.") from error
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _copy_beside(folder: Path, target: Path) -> None:
    if folder.is_dir():
        for path in folder.iterdir():
            if path.is_file() and path.suffix in _BESIDE and path.name not in _STATE:
                shutil.copy2(path, target / path.name)


def _weights(source: Path, target: Path) -> None:
    plain = sorted([*source.glob("adapter_model*.safetensors"), *source.glob("model*.safetensors")])
    if plain:
        for path in plain:
            shutil.copy2(path, target / path.name)
    else:
        shards = next((path for path in sorted(source.glob(f"{_SHARDS}*")) if path.is_dir()), None)
        if shards is None:
            raise ModelBroken(f"{source} holds no weights: neither {WHOLE} nor {ADAPTER} nor shards of FSDP.")
        _joined(shards, target)
    needed = "adapter_config.json" if (target / ADAPTER).exists() else "config.json"
    if not (target / needed).is_file():
        raise ModelBroken(f"{source} has no {needed} beside it; copy that of the base into it and try again.")


def _joined(shards: Path, target: Path) -> None:
    """What FSDP split, as one file; of a model with LoRA the adapter alone, under PEFT's names."""
    try:
        from accelerate.utils import merge_fsdp_weights
        from safetensors.torch import load_file, save_file
    except ModuleNotFoundError as missing:
        raise SettingsError(f"Shards need {missing.name}; install it with `pip install 'chatmem[train]'`.") from missing
    try:
        merge_fsdp_weights(str(shards), str(target), safe_serialization=True)
    except (RuntimeError, ValueError, KeyError, EOFError) as error:
        raise ModelBroken(f"{shards} can't be put together ({error}); are all of its shards there?") from error
    tensors: dict[str, Any] = load_file(str(target / WHOLE))
    adapter = {name.replace(".default.", "."): one for name, one in tensors.items() if ".lora_" in name}
    if adapter:
        save_file({name: one.contiguous() for name, one in adapter.items()}, str(target / ADAPTER), {"format": "pt"})
        (target / WHOLE).unlink()
