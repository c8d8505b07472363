"""The table of `chatmem eval msc`: one question about earlier sessions (MSC-Self-Instruct, the "DMR" task).

Two things are measured: whether the context that a system gives holds the answer's content words, and whether the
model's answer does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .intervals import Estimate, bootstrap, wilson
from .text import all_words, half_words, token_f1


def measures(rows: Sequence[Mapping[str, Any]]) -> dict[str, Estimate]:
    """Containment of the gold answer's content words in the context and in the answer, for one system and model."""
    n = len(rows)
    table = {
        "context, all words": wilson(sum(row["held"] == 1 for row in rows), n),
        "context, half": wilson(sum(row["held"] >= 0.5 for row in rows), n),
        "words of context": bootstrap([float(row["context_words"]) for row in rows]),
    }
    said = [(str(row["gold"]), str(row["answer"])) for row in rows if "answer" in row]
    if said:
        table["answer, all words"] = wilson(sum(all_words(gold, text) for gold, text in said), len(said))
        table["answer, half"] = wilson(sum(half_words(gold, text) for gold, text in said), len(said))
        table["answer, token F1"] = bootstrap([token_f1(text, gold) for gold, text in said])
        table["answer, words"] = bootstrap([float(len(text.split())) for _, text in said])
    return table
