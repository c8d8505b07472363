"""What `chatmem train all` tells: the plan before it, and the table at its end."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from .stages import MEASURED, Stage, minutes_of

MIB = 1 << 20
PACKAGES = {
    "torch": "torch", "transformers": "transformers", "peft": "peft", "accelerate": "accelerate",
    "safetensors": "safetensors", "gguf": "gguf", "llama_cpp": "llama-cpp-python", "numpy": "numpy",
    "sqlalchemy": "SQLAlchemy", "sqlite_utils": "sqlite-utils", "sqlglot": "sqlglot", "dateparser": "dateparser",
    "dateutil": "python-dateutil", "Stemmer": "PyStemmer", "platformdirs": "platformdirs", "jinja2": "Jinja2",
    "yaml": "PyYAML", "rich": "rich", "numkong": "numkong", "huggingface_hub": "huggingface-hub",
}  # fmt: skip
"""What the stages import, by the name that they import it by; some of it only once a first reward is worked out, when
minutes have gone by."""
FLOORS = ("memory", "models", "eval", "training", "app")
LEFT = (
    "assets/screenshots", "eval/agents/scripts", "training/material/templates/judged",
    "training/material/templates/questions", "training/material/templates/wishes/lines",
    "training/material/templates/wishes/meant",
)  # fmt: skip
"""What no stage reads: pictures, the talks of `eval chat`, and what only `train recall` asks."""


def plan(args: argparse.Namespace, stages: Sequence[Stage]) -> str:
    """Each stage with its minutes, and what must be brought along."""
    left, lines = list(stages), []
    minutes = float(args.minutes)
    while left:
        share = minutes_of(left[0], left, minutes)
        lines.append(f"{left[0].name:20} {share:5.1f} minutes")
        minutes -= share
        left = left[1:]
    data = sum(size(path) for path in (args.msc, args.locomo, args.dmr, args.questions, args.ranked) if path)
    lines.append(
        f"to bring along: {data / MIB:.1f} MiB of data, this package ({needed() / MIB:.1f} MiB), the base model"
    )
    lines.append(f"Python packages: {', '.join(PACKAGES.values())}, and what they bring")
    missing = [package for module, package in PACKAGES.items() if find_spec(module) is None]
    if missing:
        lines.append(f"not installed here: {', '.join(missing)}")
    lines.append("no network is needed" if args.base == "embedded" else "the base must be on this disk")
    return "\n".join(lines)


def needed() -> int:
    """Bytes of this package and of what it ships, without what Python compiled and what no stage reads."""
    root = Path(__file__).resolve().parents[3]
    return sum(size(root / floor) for floor in ("assets", *FLOORS)) - sum(size(root / place) for place in LEFT)


def size(path: Path) -> int:
    """Bytes of a file, or of all files of a folder."""
    if path.is_file():
        return path.stat().st_size
    return sum(one.stat().st_size for one in path.rglob("*") if one.is_file() and "__pycache__" not in one.parts)


def report(state: Mapping[str, Mapping[str, Any]]) -> str:
    """The table: each agent's measure by column, what was kept, and what every stage took."""
    lines = ["| agent | measure | held-back rows | reached | kept | earns more a row by |", "|---|---|---|---|---|---|"]
    for name, found in state.items():
        agent, _, kind = name.partition(" ")
        if kind == MEASURED and "verdict" in found:
            one = found["verdict"]
            reached = ", ".join(f"{column} {value:.3f}" for column, value in one["values"].items())
            lines.append(f"| {agent} | {one['measure']} | {one['rows']} | {reached} | {one['best']} | {_gain(one)} |")
    lines += ["", "| stage | minutes | planned | |", "|---|---|---|---|"]
    for name, found in state.items():
        lines.append(f"| {name} | {found['minutes']} | {found['planned']} | {found.get('failed', '')} |")
    return "\n".join(lines) + "\n"


def _gain(verdict: Mapping[str, Any]) -> str:
    gain = verdict["gain"]
    if gain is None:
        return "nothing is better than what is there"
    shown = f"{gain['value']:+.3f} [{gain['low']:+.3f}, {gain['high']:+.3f}]"
    return shown if gain["low"] > 0 else f"{shown}: not shown"
