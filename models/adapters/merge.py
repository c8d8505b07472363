"""The average of LoRA adapters, exact: the update of the average is the average of the updates.

An adapter adds `s B A` to a weight, s = alpha / r (alpha / sqrt(r) when rank-stabilised). Averaging A and B by
themselves, or scaling both by the square roots of the weights (PEFT's "linear"), is another matrix: with three adapters
nearly three times too large. Here sum_i w_i s_i B_i A_i is written as one product by laying the factors side by side,
and its singular value decomposition, taken of the small factors alone (QR of each), gives the factors of any rank:
exact when the rank is the sum of the ranks, else the nearest matrix of that rank (Eckart and Young 1936).
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...memory.errors import InputError, ModelBroken, WrongUsage
from .to_gguf import Matrix, load_tensors, read_config, scale_of

WEIGHTS = "adapter_model.safetensors"


@dataclass(frozen=True, slots=True)
class Lora:
    """An adapter in memory: its config, and A (rank, in) and B (out, rank) of each layer by its name."""

    config: Mapping[str, Any]
    pairs: Mapping[str, tuple[Matrix, Matrix]]

    @property
    def scale(self) -> float:
        """What the product B A counts."""
        return float(self.config["lora_alpha"]) * scale_of(self.config) / float(self.config["r"])


@dataclass(frozen=True, slots=True)
class Merged:
    """What a merge wrote: the rank, and the share of the update (squared Frobenius norm) that the rank holds."""

    folder: Path
    rank: int
    kept: float


def read(folder: Path) -> Lora:
    """The LoRA in a PEFT folder. Raises ModelNotFound, ModelBroken."""
    sides: dict[str, dict[str, Matrix]] = {}
    for name, matrix in load_tensors(folder).items():
        layer, mark, side = name.rpartition(".lora_")
        if not mark or not side.startswith(("A.", "B.")):
            raise ModelBroken(f"{folder} holds {name}, which is no LoRA of a linear layer; merge plain LoRAs only.")
        sides.setdefault(layer, {})[side[0]] = matrix.astype(np.float64)
    if any(set(both) != {"A", "B"} for both in sides.values()):
        raise ModelBroken(f"{folder} lacks a half of a layer's update; save the adapter again.")
    return Lora(read_config(folder), {layer: (both["A"], both["B"]) for layer, both in sides.items()})


def merge(folders: Sequence[Path], out: Path, weights: Sequence[float] = (), rank: int | None = None) -> Merged:
    """Writes the weighted average of the LoRAs in these PEFT folders to `out` (a PEFT folder).

    `weights` are shares that are made to sum to 1 (none: equal). `rank`: None for the sum of the ranks, which is exact.
    Raises InputError for weights that don't fit, ModelBroken for LoRAs of different models.
    """
    loras, shares = [read(folder) for folder in folders], shares_of(len(folders), weights)
    names = sorted({name for lora in loras for name in lora.pairs})
    full = sum(int(lora.config["r"]) for lora in loras)
    most = full if rank is None else min(rank, full)
    tensors, total, lost = {}, 0.0, 0.0
    for name in names:
        a, b, sizes = _average([(s * one.scale, *one.pairs[name]) for s, one in zip(shares, loras, strict=True)
                                if name in one.pairs], name, most)  # fmt: skip
        tensors[f"{name}.lora_A.weight"], tensors[f"{name}.lora_B.weight"] = a, b
        total, lost = total + float((sizes**2).sum()), lost + float((sizes[most:] ** 2).sum())
    _save(out, loras, tensors, most)
    return Merged(out, most, 1 - lost / total if total else 1.0)


def shares_of(count: int, weights: Sequence[float]) -> list[float]:
    """What each of `count` adapters counts, summing to 1. Raises WrongUsage for weights that don't fit."""
    if not weights:
        return [1 / count] * count
    if len(weights) != count or min(weights) < 0 or not sum(weights):
        raise WrongUsage(f"Give {count} weights, none below 0 and not all 0, such as {','.join(['1'] * count)}.")
    return [weight / sum(weights) for weight in weights]


def _average(parts: Sequence[tuple[float, Matrix, Matrix]], name: str, rank: int) -> tuple[Matrix, Matrix, Matrix]:
    """A and B of the weighted sum of updates, padded with zeros to `rank`, and all its singular values."""
    if len({(a.shape[1], b.shape[0]) for _, a, b in parts}) > 1:
        raise ModelBroken(f"These adapters are for different models ({name}); merge those of one base.")
    wide = np.concatenate([a for _, a, _ in parts])
    tall = np.concatenate([weight * b for weight, _, b in parts], axis=1)
    q_tall, r_tall = np.linalg.qr(tall)
    q_wide, r_wide = np.linalg.qr(wide.T)
    u, sizes, v = np.linalg.svd(r_tall @ r_wide.T)
    kept = min(rank, len(sizes))
    root = np.sqrt(sizes[:kept])
    b = np.zeros((tall.shape[0], rank), dtype=np.float32)
    a = np.zeros((rank, wide.shape[1]), dtype=np.float32)
    b[:, :kept] = (q_tall @ u[:, :kept]) * root
    a[:kept] = root[:, None] * (v[:kept] @ q_wide.T)
    return a, b, sizes


def _save(out: Path, loras: Sequence[Lora], tensors: Mapping[str, Matrix], rank: int) -> None:
    from safetensors.numpy import save_file

    modules = sorted({name.removesuffix(".weight").split(".lora_")[0].rpartition(".")[2] for name in tensors})
    config = {**loras[0].config, "r": rank, "lora_alpha": rank, "use_rslora": False, "target_modules": modules}
    beside = out.with_name(out.name + ".new")
    shutil.rmtree(beside, ignore_errors=True)
    try:
        beside.mkdir(parents=True)
        save_file(dict(tensors), str(beside / WEIGHTS), metadata={"format": "pt"})
        (beside / "adapter_config.json").write_text(json.dumps(config, indent=2), encoding="utf-8")
        shutil.rmtree(out, ignore_errors=True)
        beside.rename(out)
    except OSError as error:
        shutil.rmtree(beside, ignore_errors=True)
        raise InputError(f"{out} can't be written ({error.strerror}); give another place.") from error
