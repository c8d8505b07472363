"""Rows to learn from once more: what a run with `--gate answer` sampled, weighted by the share that is shown.

    python -m chatmem.training.retrieval.again RUN OUT [SEED]

All or nothing says little of long lists: most samples of them earn nothing. The share tells them apart, and nothing has
to be sampled anew. OUT goes into `train retrieval --method sft --rows OUT`, whose loss knows weights.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...memory.errors import InputError
from ..methods.rwr import RwrConfig, weighted
from ..policy.rows import Rows, write_rows
from .reward import reward

TAU, ANCHOR = 0.05, 0.2


def again(run: Path, seed: int) -> Rows:
    """The weighted rows of all rounds of a run. Raises InputError where it sampled nothing."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(run.glob("samples-*.jsonl"))]
    groups = [json.loads(line) for text in texts for line in text.splitlines()]
    if not groups:
        raise InputError(f"{run} holds no samples; name the --out of a run with --method rwr.")
    for group in groups:
        for sample in group["samples"]:
            if sample.get("valid"):
                sample["reward"] = shared(sample, len(group["row"]["case"]["units"]))
    return weighted(groups, RwrConfig(tau=TAU, anchor=ANCHOR), random.Random(seed))


def shared(sample: dict[str, Any], needed: int) -> float:
    """The reward with the share that is shown in place of all or nothing."""
    return reward(float(sample["shown"]), int(sample["rows"]), needed)


def main(arguments: Sequence[str]) -> int:
    """The command: RUN OUT [SEED]."""
    run, out, *seed = arguments
    rows = again(Path(run), int(seed[0]) if seed else 3)
    write_rows(Path(out), rows)
    print(f"{len(rows)} rows: {out}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
