"""What the steps reached: one column an order of the sessions, and the answers made from the best of them."""

from __future__ import annotations

from collections.abc import Sequence

from ..measures import sessions
from ..measures.answers import chosen
from ..measures.intervals import Estimate, bootstrap, wilson
from .order import ORDERS, order, ranked
from .rows import Row

Table = dict[str, Estimate]
TITLES = {
    "similarity": "by similarity", "lines": "by the learned lines", "generated": "as the model ranked",
    "fused": "the model and the learned lines",
}  # fmt: skip


def columns(rows: Sequence[Row]) -> dict[str, Table]:
    """The table of rows that went through some steps."""
    told = [row for row in rows if row.gold_places and not row.abstain]
    found: dict[str, Table] = {}
    for name in ORDERS:
        pairs = [(places, row.gold_places) for row in told if (places := order(row, name)) is not None]
        if pairs:
            found[TITLES[name]] = sessions.ranked(pairs)
    asked = [row for row in rows if "response" in row.found]
    if asked:
        good = sum(bool(ranked(row.found)) for row in asked)
        found.setdefault(TITLES["generated"], {})["replies in form"] = wilson(good, len(asked))
    return found | _answers(rows)


def _answers(rows: Sequence[Row]) -> dict[str, Table]:
    some = [row for row in rows if "held" in row.found]
    if not some:
        return {}
    table: Table = {}
    plain = [row for row in some if not row.options and not row.abstain]
    if plain:
        table["context holds all words of the gold"] = wilson(sum(row.found["held"] == 1 for row in plain), len(plain))
    table["words of context"] = bootstrap([float(row.found["context_words"]) for row in some])
    said = [row for row in some if "generated_text" in row.found]
    with_options = [row for row in said if row.options]
    if with_options:
        right = sum(chosen(row.found["generated_text"], len(row.options)) == row.answer for row in with_options)
        table["accuracy over the options"] = wilson(right, len(with_options))
    pairs = [(row.found["generated_text"], row.answer) for row in said if not row.options and not row.abstain]
    if pairs:
        table |= sessions.answered(pairs)
    return {"answers": table}
