"""Preference pairs out of a policy's own mistakes: drawn block by block, kept as they come, so that a run goes on."""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...memory.errors import InputError
from ...models.lm import LM
from .rows import kept_as_made, write_rows
from .sampling import Draws, Sample, draw, policy

Pairs = Sequence[dict[str, Any]]
Tries = Callable[[LM, Pairs, int], Iterator[dict[str, Any] | None]]
"""For each row from that place on, a pair, or None where the policy makes no mistake."""


def write_pairs(
    args: argparse.Namespace, path: Path, start: Path | None, rows: Pairs, tries: Tries,
    balanced: Callable[[Pairs], Pairs],
) -> None:  # fmt: skip
    """`args.sampled` of the rows tried, and their pairs written. Raises InputError where there is no mistake."""
    rows = random.Random(args.seed).sample(rows, min(args.sampled, len(rows)))

    def made(begin: int) -> Generator[Any, None, None]:
        with policy(args.base, start, args.threads) as lm:
            yield from tries(lm, rows, begin)

    def tell(tried: list[Any]) -> None:
        if len(tried) % 25 == 0:
            print(f"asked {len(tried)} of {len(rows)} prompts for mistakes", file=sys.stderr, flush=True)

    tried = kept_as_made(path.with_name("tried.jsonl"), len(rows), made, tell)
    found = [one for one in tried if one is not None]
    if not found:
        raise InputError("The policy makes no mistake on these rows, so there are no pairs; give others or more.")
    kept = balanced(found)
    write_rows(path, kept)
    print(f"{len(kept)} of {len(found)} pairs, out of {len(rows)} prompts", file=sys.stderr)


def drawn_twice(
    lm: LM, wanted: Sequence[Draws], count: int, temperature: float, seed: int, at: int
) -> list[list[Sample]]:  # fmt: skip
    """Of each prompt the likeliest completion, and behind it `count` at that temperature. `at`: the place of the first
    among all, which seeds them."""
    more = [replace(one, count=count, temperature=temperature) for one in wanted]
    drawn = draw(lm, *wanted, *(replace(one, seed=f"{seed}/{place}") for place, one in enumerate(more, at)))
    return [[*likeliest, *others] for likeliest, others in zip(drawn[: len(wanted)], drawn[len(wanted) :], strict=True)]


def with_few(
    found: Pairs, quiet: Callable[[dict[str, Any]], bool], share: float, seed: int
) -> list[dict[str, Any]]:  # fmt: skip
    """The pairs, with at most that share of `quiet` ones; all of them where there are no others."""
    telling = [one for one in found if not quiet(one)]
    silent = [one for one in found if quiet(one)]
    most = round(len(telling) * share / (1 - share)) if telling else len(silent)
    rng = random.Random(f"balance {seed}")
    kept = telling + rng.sample(silent, min(most, len(silent)))
    rng.shuffle(kept)
    return kept
