"""The files of `chatmem data locomo` as memories: a starting one for each conversation, and a copy for whoever edits.

1,540 of LoCoMo's 1,986 questions are episodes. The other 446 are category 5 (adversarial): they ask after what was
never said, have no answer, and are right when the memory holds nothing; so a memory that was emptied answers them best,
and they can't say whether tidying lost anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from ....memory.errors import InputError, NotFound, SettingsError
from ....memory.store.store import Store
from ...ingestion.locomo_memory import fill

if TYPE_CHECKING:
    from ....memory.search.vectors import Embedder
    from ....memory.values import User

Fields = dict[str, Any]


def read(folder: Path, name: str) -> list[Fields]:
    """The rows of one file ("train", "test", "memories" or "lines"). Raises NotFound, InputError, SettingsError."""
    try:
        from pyarrow import parquet
    except ModuleNotFoundError as missing:
        if missing.name != "pyarrow":
            raise
        raise SettingsError("Parquet needs pyarrow; install it with `pip install 'chatmem[train]'`.") from missing
    path = folder / f"{name}.parquet"
    if not path.is_file():
        raise NotFound(f"There is no {path}; make it with `chatmem data locomo`.")
    try:
        rows: list[Fields] = parquet.read_table(path, partitioning=None).to_pylist()
    except (OSError, ValueError) as error:  # ArrowInvalid is a ValueError
        raise InputError(f"{path} is no parquet file ({error}); make it anew with `chatmem data locomo`.") from error
    return rows


@dataclass(frozen=True, slots=True)
class Ask:
    """A question about a conversation with its answer; `category` as LoCoMo counts them (1 to 4)."""

    question: str
    gold: str
    category: int = 0


@dataclass(frozen=True, slots=True)
class ToldTalk:
    """A conversation: what was said, its starting memory, its questions; `now` is the moment of its last line."""

    name: str
    lines: Sequence[Fields]
    memories: Sequence[Fields]
    asks: Sequence[Ask]

    @property
    def now(self) -> str:
        return next((str(line["at"]) for line in reversed(self.lines) if line["at"]), "2023-01-01T00:00:00Z")


def ask_of(row: Mapping[str, Any]) -> Ask:
    """The question of an episode's row."""
    return Ask(str(row["question"]), str(row["answer"]), int(row["category"]))


def talks(folder: Path, part: str) -> dict[str, ToldTalk]:
    """The conversations of "train" or "test", by name. Raises NotFound, InputError."""
    asked = _by_talk(read(folder, part))
    lines, memories = _by_talk(read(folder, "lines")), _by_talk(read(folder, "memories"))
    for name in asked:
        if name not in lines or name not in memories:
            raise InputError(
                f"{folder} holds no lines or no memory of {name}; make it anew with `chatmem data locomo`."
            )
    return {
        name: ToldTalk(name, lines[name], memories[name], [ask_of(row) for row in rows]) for name, rows in asked.items()
    }


def _by_talk(rows: Iterable[Fields]) -> dict[str, list[Fields]]:
    found: dict[str, list[Fields]] = {}
    for row in rows:
        found.setdefault(str(row["talk"]), []).append(row)
    return found


def starting(path: Path, talk: ToldTalk, embedder: Embedder) -> tuple[Store, User]:
    """The starting memory of a conversation in the file `path`, made there unless it is whole already. It is only
    copied, never written to. Raises StoreError."""
    if not path.is_file():
        path.parent.mkdir(parents=True, exist_ok=True)
        with (
            TemporaryDirectory(dir=path.parent) as making,
            Store.open(Path(making) / "told.db", embedder=embedder) as made,
        ):
            user, _ = fill(made, talk.name, talk.lines, talk.memories)
            while made.vectors.embed_pending(user.id):
                pass
            made.copy_to(Path(making) / "whole.db")
            (Path(making) / "whole.db").replace(path)  # whole or not there
    store = Store.open(path, embedder=embedder)
    return store, store.users.get(talk.name)
