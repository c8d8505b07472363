"""Training rows: JSON lines {"messages": [[role, text], ...], "completion": text}, and the batches made of them.

A row may carry a `weight` (1 unless said): what the loss of its completion counts in reward-weighted training.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ...memory.errors import InputError

if TYPE_CHECKING:
    from ...models.lm import Message
    from .base import Render

Rows = list[dict[str, Any]]
"""Training rows as they lie in a file."""

MEMORIES = "memories.jsonl"
"""The editor's spoiled memories beside a run's rows."""


@dataclass(frozen=True, slots=True)
class TokenRow:
    """Token ids of prompt and completion; the loss counts from `start`, times `weight`.

    `before` is log p of the completion when it was sampled (NaN where nobody asked).
    """

    ids: tuple[int, ...]
    start: int
    weight: float = 1.0
    before: float = math.nan

    @property
    def written(self) -> int:
        """Tokens of the completion."""
        return len(self.ids) - self.start


AnyRow = TypeVar("AnyRow", bound=TokenRow)


def training_row(messages: Sequence[Message], completion: str) -> dict[str, Any]:
    """A prompt and what the agent should write for it, as a line of a file."""
    return {"messages": [[message.role, message.content] for message in messages], "completion": completion}


def write_rows(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    """Rows as JSON lines; the folder is made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in rows), encoding="utf-8")


def kept_as_made(
    path: Path, total: int, make: Callable[[int], Generator[Any, None, None]], tell: Callable[[list[Any]], None]
) -> list[Any]:
    """`total` values, each a JSON line of `path` once it is made; `make` goes on from so many, `tell` hears of each.

    A last line that an interruption cut off is dropped, so that the run goes on after the last whole one.
    """
    done = _whole_lines(path)
    if len(done) < total:
        with path.open("a", encoding="utf-8") as out, closing(make(len(done))) as values:
            for value in values:
                done.append(value)
                out.write(json.dumps(value, ensure_ascii=False) + "\n")
                out.flush()
                tell(done)
    return done


def _whole_lines(path: Path) -> list[Any]:
    if not path.is_file():
        return []
    text = path.read_text(encoding="utf-8")
    whole = text[: text.rfind("\n") + 1]
    if whole != text:
        path.write_text(whole, encoding="utf-8")
    return [json.loads(line) for line in whole.splitlines()]


def read_rows(path: Path) -> list[dict[str, Any]]:
    """The rows of a JSON-lines file. Raises InputError that names the first bad line."""
    rows = []
    for number, line in enumerate(_text(path).splitlines(), 1):
        try:
            row = json.loads(line)
            rows.append(
                {
                    **{name: row[name] for name in row.keys() & {"case", "was"}},
                    "messages": [(str(a), str(b)) for a, b in row["messages"]],
                    "completion": str(row["completion"]),
                    "weight": float(row.get("weight", 1.0)),
                    "before": float(row.get("before", math.nan)),
                }
            )
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise InputError(
                f"{path.name}, line {number}: not a training row ({error}); mend or drop that line."
            ) from error
    if not rows:
        raise InputError(f"{path.name} holds no training rows.")
    return rows


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except IsADirectoryError:
        raise InputError(f"{path} is a folder; give a file of training rows.") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is no text in UTF-8; give a file of training rows.") from error


def encode_one(
    messages: Sequence[tuple[str, str]], completion: str, render: Render, tokenizer: Any, **more: float
) -> TokenRow:
    """One row as token ids, ended as the chat template ends a reply."""
    prompt = tokenizer(render(messages), add_special_tokens=False)["input_ids"]
    target = tokenizer(completion + render.ending, add_special_tokens=False)["input_ids"]
    return TokenRow((*prompt, *target), len(prompt), **more)


def encode(rows: Sequence[dict[str, Any]], render: Render, tokenizer: Any, max_length: int) -> list[TokenRow]:
    """Rows as token ids; rows over the length are left out. Raises InputError when none is left."""
    more = [{name: r[name] for name in ("weight", "before") if name in r} for r in rows]
    made = [
        encode_one(r["messages"], r["completion"], render, tokenizer, **extra)
        for r, extra in zip(rows, more, strict=True)
    ]
    return fitting(made, max_length)


def fitting(rows: Sequence[AnyRow], max_length: int) -> list[AnyRow]:
    """The rows within the length. Raises InputError when none is left."""
    out = [row for row in rows if len(row.ids) <= max_length]
    if not out:
        raise InputError(f"No training row fits into {max_length} tokens; raise --max-length.")
    return out


def batches(rows: Sequence[TokenRow], budget: int, seed: int, epoch: int) -> list[list[TokenRow]]:
    """One epoch of batches: like lengths together (with a little noise), the batches in random order."""
    rng = random.Random(f"{seed}/{epoch}")
    order = sorted(rows, key=lambda row: len(row.ids) * (1 + 0.1 * rng.random()))
    out: list[list[TokenRow]] = []
    longest = 0
    for row in order:
        longest = max(longest, len(row.ids))
        if out and longest * (len(out[-1]) + 1) <= budget:
            out[-1].append(row)
        else:
            out.append([row])
            longest = len(row.ids)
    rng.shuffle(out)
    return out


def stream(rows: Sequence[TokenRow], budget: int, seed: int) -> Iterator[list[TokenRow]]:
    """Batches without end, epoch after epoch."""
    epoch = 0
    while True:
        yield from batches(rows, budget, seed, epoch)
        epoch += 1
