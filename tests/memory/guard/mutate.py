"""Statements bent at random, from a seed: pieces swapped, doubled, dropped, spliced, wrapped and repeated."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

_PIECES = """
lines memory . , ; ( ) * = < > || - ' '' " SELECT FROM WHERE AND OR NOT IN LIKE UNION ALL JOIN LEFT CROSS NATURAL ON AS
WITH INSERT INTO VALUES UPDATE SET DELETE NULL LIMIT ORDER BY GROUP HAVING CASE WHEN THEN ELSE END EXISTS INTERVAL
BETWEEN IS DISTINCT CAST( DATE( STRUCT( ARRAY< MAP( instr( lower( id subject fact happened_on said_at text 'Ana' 1 -1
about('dog') OVER PARTITION COLLATE ESCAPE PIVOT LATERAL UNNEST( TABLE QUALIFY WINDOW FOR USING( FILTER( ::
"""
PIECES = _PIECES.split()
_PARTS = re.compile(r"\w+|\s+|[^\w\s]")


def mutated(rng: random.Random, bases: Sequence[str], most: int = 4_000) -> str:
    parts, other = (_PARTS.findall(rng.choice(bases)) for _ in range(2))
    for _ in range(rng.randint(1, 6)):
        at = rng.randint(0, len(parts))
        end = min(len(parts), at + rng.randint(0, 12))
        some, piece = parts[at:end], rng.choice(PIECES)
        parts[at:end] = rng.choice(
            (
                [piece, " ", *some], [piece], [], some * 2, some * rng.randint(2, 40),
                [piece, " "] * rng.randint(2, 40), other[rng.randint(0, len(other)) :],
                [piece, "("] * 11 + some + [")"] * 11, ["(", *some, ")"],
            )
        )  # fmt: skip
    return "".join(parts)[:most]
