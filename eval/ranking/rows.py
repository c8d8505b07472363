"""The row of session ranking: a question, the sessions before it, and what the steps find out.

A file holds one a line (JSON lines) or is parquet. The names are those of MemSifter's rows, so files of either program
can be read: question, haystack_sessions (lists of {"role", "content"}), haystack_dates, haystack_session_ids, answer,
answer_session_ids; then similarities, prefiltered_session_idx, response, haystack_session_gen_rankings, generated_text.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ...memory.errors import InputError, SettingsError
from ..datasets.official_files import Loaded, good_rows, json_lines, sorted_out, string

Turns = tuple[tuple[str, str], ...]
"""Who said what."""
_OWN = (
    "key", "question", "haystack_sessions", "haystack_dates", "haystack_session_ids", "answer", "answer_session_ids",
    "category", "options", "question_date", "asker", "me", "abstain", "talk",
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Haystack:
    """The sessions before a question, in order; `dates`: ISO 8601, "" where none is told. Rows of one conversation
    share it; `stamp` tells it from others, in other processes too."""

    sessions: tuple[Turns, ...]
    dates: tuple[str, ...]
    ids: tuple[str, ...]
    stamp: str = ""

    def __post_init__(self) -> None:
        told = json.dumps((self.sessions, self.dates, self.ids), ensure_ascii=False)
        object.__setattr__(self, "stamp", hashlib.sha256(told.encode("utf-8", "replace")).hexdigest()[:16])


@dataclass(frozen=True, slots=True)
class Row:
    """A question. `gold`: ids of the sessions that hold the answer (empty: the data tells none); `options`: to choose
    from, each beginning with its letter as in "(a) ...", and then `answer` is the letter; `asker`: who asks, `me`: who
    answers; `talk`: lines of the running talk, which the question goes on; `found`: what the steps added."""

    key: str
    question: str
    haystack: Haystack
    answer: str = ""
    gold: tuple[str, ...] = ()
    category: str = ""
    options: tuple[str, ...] = ()
    asked_at: str = ""
    asker: str | None = None
    me: str = "assistant"
    abstain: bool = False
    talk: Turns = ()
    found: Mapping[str, Any] = field(default_factory=dict)

    def told(self, more: Mapping[str, Any]) -> Row:
        """With what a step found."""
        return replace(self, found={**self.found, **more})

    @property
    def gold_places(self) -> list[int]:
        """The places of the sessions that hold the answer."""
        wanted = set(self.gold)
        return [place for place, one in enumerate(self.haystack.ids) if one in wanted]


def as_json(row: Row) -> dict[str, Any]:
    """The row in the form of the files."""
    stack = row.haystack
    return {
        "key": row.key, "question": row.question, "haystack_sessions": [_turns(some) for some in stack.sessions],
        "haystack_dates": list(stack.dates), "haystack_session_ids": list(stack.ids), "answer": row.answer,
        "answer_session_ids": list(row.gold), "category": row.category, "options": list(row.options),
        "question_date": row.asked_at, "asker": row.asker or "", "me": row.me, "abstain": row.abstain,
        "talk": _turns(row.talk), **row.found,
    }  # fmt: skip


def _turns(turns: Turns) -> list[dict[str, str]]:
    return [{"role": who, "content": text} for who, text in turns]


def from_json(data: Any, number: int, shared: dict[str, Haystack] | None = None) -> Row:
    """The row of a line. `shared`: haystacks read before, so that rows of one conversation share theirs.

    Raises ValueError, KeyError, TypeError for one in another form."""
    if not isinstance(data, dict):
        raise ValueError("it is no object")
    sessions = tuple(_session(one) for one in data["haystack_sessions"])
    dates = tuple(str(one or "") for one in data.get("haystack_dates") or [""] * len(sessions))
    ids = tuple(str(one) for one in data.get("haystack_session_ids") or range(len(sessions)))
    if not len(sessions) == len(dates) == len(ids):
        raise ValueError(f"{len(sessions)} sessions, but {len(ids)} ids and {len(dates)} dates")
    if len(set(ids)) < len(ids):
        raise ValueError("two sessions have the same id")
    stack = Haystack(sessions, dates, ids)
    if shared is not None:
        stack = shared.setdefault(stack.stamp, stack)
    return Row(
        str(data.get("key") or data.get("question_id") or number), string(data["question"], "question"), stack,
        str(data.get("answer") or ""), tuple(map(str, data.get("answer_session_ids") or ())),
        str(data.get("category") or data.get("question_type") or ""), tuple(map(str, data.get("options") or ())),
        str(data.get("question_date") or ""), data.get("asker") or None, str(data.get("me") or "assistant"),
        bool(data.get("abstain")), _session(data.get("talk") or ()),
        {name: value for name, value in data.items() if name not in _OWN and value is not None},
    )  # fmt: skip


def _session(turns: Iterable[Any]) -> Turns:
    return tuple((string(one["role"], "role"), string(one["content"], "content")) for one in turns)


def read_rows(path: Path) -> list[Row]:
    """The rows of a file; a bad one is told on stderr by its line. Raises NotFound, InputError."""
    shared: dict[str, Haystack] = {}
    loaded: Loaded[Row]
    if path.suffix == ".parquet":
        made = enumerate(_parquet(path), 1)
        loaded = sorted_out(path, made, lambda data, number: from_json(data, number, shared), "row")
    else:
        loaded = json_lines(path, lambda data, number: from_json(data, number, shared))
    rows = list(good_rows(loaded))
    if len({row.key for row in rows}) < len(rows):
        raise InputError(f"{path} holds two rows of the same key; give each row a `key` of its own.")
    return rows


def write_rows(path: Path, rows: Sequence[Row]) -> None:
    """Writes a file, whole or not at all. Raises InputError, SettingsError."""
    part = path.with_name(f"{path.name}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".parquet":
            _pyarrow().parquet.write_table(_pyarrow().Table.from_pylist([as_json(row) for row in rows]), part)
        else:
            with part.open("w", encoding="utf-8") as file:
                for row in rows:
                    file.write(json.dumps(as_json(row), ensure_ascii=False) + "\n")
                file.flush()
                os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        raise InputError(f"{path} can't be written ({error.strerror}); name another --out.") from error


def _parquet(path: Path) -> list[Any]:
    arrow = _pyarrow()
    try:
        found: list[Any] = arrow.parquet.read_table(path).to_pylist()
    except (OSError, ValueError) as error:  # ArrowInvalid is a ValueError
        raise InputError(f"{path} is no parquet file ({error}).") from error
    return found


def _pyarrow() -> Any:
    try:
        import pyarrow
        import pyarrow.parquet
    except ModuleNotFoundError:
        raise SettingsError(
            "Parquet needs pyarrow; install it with `pip install 'chatmem[train]'`, or name a file that ends in .jsonl."
        ) from None
    return pyarrow
