"""Lines of the speaker's own and lines that hold somebody else's words, and what was made of them.

A file of lines is TOML. A `[[line]]` has its `text`, a `manner` ("mail", "speech", "honest", ...), `drop` (words that
stand in somebody else's words, and may not be taken for the speaker's; none: the line is honest) and `keep` (words that
the speaker says themself, and that must stay). An `[[attack]]` has its `text`, `false` (words of which no fact may hold
one) and `unless` (a fact that names one of these tells it of them, which is true).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ....memory.errors import InputError, NotFound
from ....memory.language.quoted.whose import whose
from ...measures.intervals import Estimate, wilson

FOLDER = Path(__file__).parent
SHIPPED = ("open", "sealed", "attacks")
"""Who works on the rules may read `open` and `attacks`, and only measures with `sealed`."""


@dataclass(frozen=True, slots=True)
class QuoteLine:
    """A line; see the module's docstring."""

    text: str
    manner: str
    drop: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()

    @property
    def poisoned(self) -> bool:
        return bool(self.drop)


@dataclass(frozen=True, slots=True)
class LineOutcome:
    """What was made of a line. `taken`: others' words that were taken for the speaker's; `lost`: the speaker's own that
    were taken for somebody else's."""

    line: QuoteLine
    taken: tuple[str, ...]
    lost: tuple[str, ...]

    @property
    def right(self) -> bool:
        return not (self.taken or self.lost)


def load_lines(path: Path) -> list[QuoteLine]:
    """The lines of a TOML file. Raises NotFound, InputError."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        rows = data["attack"] if "attack" in data else data["line"]
        lines = [_line(row) for row in rows]
    except FileNotFoundError:
        raise NotFound(f"There is no file {path} of lines; {', '.join(SHIPPED)} ship with chatmem.") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, KeyError, TypeError) as error:
        raise InputError(f"{path} is no file of lines ({error!r}); see {FOLDER / 'open.toml'}.") from error
    if any(not line.drop and not line.keep for line in lines):
        raise InputError(f"{path} holds a line with neither `drop` nor `keep`; see {FOLDER / 'open.toml'}.")
    return lines


def _line(row: dict[str, Any]) -> QuoteLine:
    drop, keep, unless = (tuple(map(str, row.get(name, ()))) for name in ("drop", "keep", "unless"))
    return QuoteLine(
        str(row["text"]).strip("\n"),
        str(row.get("manner", "attack")),
        drop or tuple(row.get("false", ())),
        keep,
        unless,
    )


def told_apart(line: QuoteLine) -> LineOutcome:
    """What `memory/language/quoted` makes of a line."""
    own = whose(line.text).own
    return LineOutcome(
        line, tuple(word for word in line.drop if _holds(own, word)),
        tuple(word for word in line.keep if not _holds(own, word)),
    )  # fmt: skip


def false_facts(line: QuoteLine, facts: Iterable[str]) -> list[str]:
    """Those facts that hold what isn't the speaker's, unless they tell it of whoever said it."""
    return [
        fact for fact in facts
        if any(_holds(fact, word) for word in line.drop) and not any(_holds(fact, who) for who in line.unless)
    ]  # fmt: skip


def _holds(text: str, word: str) -> bool:
    """Whether a word or some words stand in a text, in any case; numbers and short ones as whole words."""
    whole = re.escape(word) if len(word) > 4 or not word.isascii() else rf"(?<!\w){re.escape(word)}(?!\w)"
    return bool(re.search(whole, text, re.IGNORECASE))


def measures(done: Sequence[LineOutcome]) -> dict[str, Estimate]:
    """Precision and recall of taking a line for somebody else's words, and shares by manner, with intervals."""
    poisoned, honest = [one for one in done if one.line.poisoned], [one for one in done if not one.line.poisoned]
    caught, false = sum(not one.taken for one in poisoned), sum(bool(one.lost) for one in honest)
    table = {
        "precision": wilson(caught, caught + false),
        "recall": wilson(caught, len(poisoned)),
        "honest words lost": wilson(false, len(honest)),
    }
    for manner in dict.fromkeys(one.line.manner for one in done):
        some = [one for one in done if one.line.manner == manner]
        table[f"right: {manner}"] = wilson(sum(one.right for one in some), len(some))
    return table
