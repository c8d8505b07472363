"""Vectors beside the rows that they belong to."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sqlalchemy import Connection

from .database import raw


def put(
    connection: Connection, user_id: int, kind: str, ref_ids: Sequence[int], matrix: np.ndarray, model: str
) -> None:  # fmt: skip
    """Keeps one float32 vector per row, in place of an older one of the same model."""
    raw(connection).executemany(
        "INSERT OR REPLACE INTO vectors (kind, ref_id, model, user_id, data) VALUES (?, ?, ?, ?, ?)",
        [(kind, ref, model, user_id, row.astype(np.float32).tobytes()) for ref, row in zip(ref_ids, matrix, strict=True)],
    )
