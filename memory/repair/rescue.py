"""What can be read of a damaged database, in a new one in its place; what can't is told, and kept beside it.

Nothing is thrown away: the damaged file stays under another name, and rows that could not be taken lie in a file of
JSON lines. Indexes are made anew from the rows; vectors are made by the next search.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from ..database import handles
from ..database.disk_full import is_full
from ..database.driver import errors_and
from ..database.engine import APPLICATION_ID
from ..database.handles import salt_of_database
from ..database.key import Key, salt_of
from ..database.rows import digest, loads
from ..errors import InputError, NotFound, StoreCorrupt, StoreError, StoreForeign, StoreFull, StoreLocked
from ..search import fulltext
from ..store.store import Store
from ..values import LINE_LIMIT, StorageState, TurnStatus, WriteKind
from .damaged import BROKEN, FORM, UNREACHED, Row, Rows, code_of, columns_of, connect, look, mend_header, mend_schema
from .placing import put_in_place

ORDER = ("users", "sessions", "turns", "memories", "memory_evidence", "journal", "journal_turns", "exports")
"""The tables that hold what can't be made anew, those that others point to first."""
NAMES = {
    "users": "users", "sessions": "conversations", "turns": "lines", "memories": "memories", "journal": "writes",
    "memory_evidence": "ties between memories and lines", "journal_turns": "ties between writes and lines",
    "exports": "names of exports",
}  # fmt: skip
FACT_CHARS = 4_000
_MOMENT = re.compile(r"\d{4}-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-5]\d(\.\d+)?Z")
_DAY = re.compile(r"\d{4}(-[01]\d(-[0-3]\d)?)?")
_WORDS = {
    "status": get_args(TurnStatus),
    "storage": get_args(StorageState),
    "kind": get_args(WriteKind),
}
_NEEDED = {"said_at", "started_at", "created_at", "at", "valid_from", "written_at"}
_MOMENTS = _NEEDED | {"valid_to", "ended_at", "claimed_until"}
_NO_ROOM = (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN)
_LACKING = """
called ended_at happened_on valid_to replaces digest claimed_by claimed_until model adapter memory_id turn_id session_id
before after reason before_id undoes certainty rests_on
"""
_MAY_LACK = frozenset(_LACKING.split())


@dataclass(frozen=True, slots=True)
class Repaired:
    """What came of a repair. Counts by table: `kept` rows, `mended` ones of these, `lost` ones. `damaged`: the old
    file; None where nothing was damaged, and nothing done. `aside`: the rows that were not taken, as JSON lines; None
    when there were none."""

    kept: Mapping[str, int]
    mended: Mapping[str, int]
    lost: Mapping[str, int]
    damaged: Path | None
    aside: Path | None


def repair(path: Path, stamp: str) -> Repaired:
    """Puts a sound database in the place of a damaged one; `stamp` goes into the names of what is kept beside it.

    A sound one is left as it is. Raises NotFound, StoreLocked while another program has it open, StoreForeign,
    StoreCorrupt when nothing can be read.
    """
    if not path.is_file():
        raise NotFound(f"there is no database at {path}: check the name.")
    if handles.is_open(path):
        raise StoreLocked(f"{path} is in use by this program: leave it first.")
    path = path.resolve()  # SQLite's files lie beside the file that a link leads to
    if salt_of(path):
        raise InputError(
            f"{path} is encrypted, and what is damaged of it can't be read around: restore a backup (`chatmem backup`)."
        )
    with _folder(path) as folder, _held(path):
        source, made = _copied(path, folder), folder / "new.db"
        Store.open(made).close()
        if _is_sound(source, made):
            return Repaired({}, {}, {}, None, None)
        with closing(_opened(source, path, made)) as old:
            rescue = _Rescue(old, made, folder / "aside.jsonl")
            rescue.run()
        if not sum(rescue.kept.values()):
            raise StoreCorrupt(f"nothing can be read of {path}: restore a backup; the file is left as it is.")
        beside = [path.with_name(f"{path.name}.{name}-{stamp}") for name in ("damaged", "lost")]
        _finish(made, beside)
        return _put_in_place(path, made, rescue, *beside)


def examine(path: Path, key: Key | None = None) -> dict[str, int]:
    """How many rows of each table are damaged, with what can't be read counted as one; nothing is changed.

    An encrypted file without its key is not looked at. Raises StoreError for one that can't be opened, which is no
    damage.
    """
    if key is None and salt_of_database(path):
        return {}
    found: Counter[str] = Counter()
    try:
        with closing(look(path, key)) as db:
            for table in ORDER:
                rows = Rows(db, table)
                found[table] += sum(_is_damaged(table, row) for row in rows) + rows.lost + (not rows.columns)
    except errors_and(*BROKEN) as error:
        if code_of(error) == sqlite3.SQLITE_FULL or (code_of(error) in _NO_ROOM and is_full(path)):
            told = f"the disk is full, so {path} can't be looked at: free some space; nothing that it held is lost."
            raise StoreFull(told) from error
        if code_of(error) in UNREACHED:
            raise StoreError(f"{path} can't be looked at ({error}): check the disk, and who uses it.") from error
        found["users"] += 1
    return {table: found[table] for table in ORDER if found[table]}


def _is_damaged(table: str, row: Row) -> bool:
    told, odd = _texts(row)
    if odd or _problem(told):
        return True
    images = [told[name] for name in ("before", "after") if told.get(name) is not None]
    return any(loads(image) is None for image in images) or (table == "turns" and len(told["text"]) > LINE_LIMIT)


def _finish(made: Path, beside: Sequence[Path]) -> None:
    """Makes the indexes, and notes where what was kept lies, so that a forget can name those files."""
    with Store.open(made) as store:
        with store.db.write() as db:
            for index, query in (
                (fulltext.index_turns, "SELECT id FROM turns"),
                (fulltext.index_memories, "SELECT id FROM memories WHERE valid_to IS NULL"),
            ):
                index(db, [row[0] for row in db.exec_driver_sql(query)])
        for user in store.users.all():
            for file in beside:
                store.forget.wrote(user.id, file)


@contextmanager
def _folder(path: Path) -> Iterator[Path]:
    try:
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.repair-") as name:
            yield Path(name)
    except OSError as error:
        raise StoreError(f"{path} can't be repaired ({error.strerror}): check its folder and the disk.") from error


@contextmanager
def _held(path: Path) -> Iterator[None]:
    """Keeps other programs away, where the file is sound enough to be locked. One that only has it open counts too: it
    would go on writing into the file that is put aside. Raises StoreLocked."""
    place = handles.place_of(path)
    db = sqlite3.connect(path, timeout=1, isolation_level=None)
    handles.opened(place, None)
    try:
        try:
            db.execute("PRAGMA locking_mode = EXCLUSIVE")
            db.execute("BEGIN EXCLUSIVE")
        except sqlite3.DatabaseError as error:
            if code_of(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                raise StoreLocked(f"{path} is in use by another program: close it and try again.") from error
        yield
    finally:
        db.close()
        handles.closed(place)


def _copied(path: Path, folder: Path) -> Path:
    source = folder / "old.db"
    for end in ("", "-wal"):
        if (beside := path.with_name(path.name + end)).is_file():
            with handles.reading(beside) as file, source.with_name(source.name + end).open("wb") as copy:
                shutil.copyfileobj(file, copy)
    return source


def _is_sound(source: Path, fresh: Path) -> bool:
    """Whether nothing is wrong with a database of the newest form, whose tables are made as in the `fresh` one."""
    tables = "SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_stat%'"
    try:
        with closing(connect(source)) as db, closing(connect(fresh)) as new:
            return (
                db.execute("PRAGMA application_id").fetchone()[0] == APPLICATION_ID
                and {tuple(row) for row in db.execute(tables)} == {tuple(row) for row in new.execute(tables)}
                and db.execute(FORM).fetchone()[0] == new.execute(FORM).fetchone()[0]
                and [tuple(row) for row in db.execute("PRAGMA integrity_check(1)")] == [(b"ok",)]
                and not db.execute("PRAGMA foreign_key_check").fetchall()
                and not examine(source)
            )
    except (*BROKEN, StoreError):
        return False


def _opened(source: Path, path: Path, sound: Path) -> sqlite3.Connection:
    """The copy, its header mended where it can't be opened otherwise, and its list of tables as in a `sound` database
    where a table can't be read for that alone."""
    try:
        db = connect(source)
    except BROKEN:
        if not mend_header(source):
            raise StoreCorrupt(f"nothing can be read of {path}: restore a backup; the file is left as it is.") from None
        try:
            db = connect(source)
        except BROKEN as error:
            raise StoreCorrupt(
                f"nothing can be read of {path} (its list of tables is damaged): restore a backup; it is left as it is."
            ) from error
    if bad := [table for table in ORDER if not columns_of(db, table)]:
        db.close()
        with suppress(*BROKEN):
            if len(bad) < len(ORDER):  # some of the list is ours
                mend_schema(source, sound, bad)
        try:
            db = connect(source)
        except BROKEN as error:
            raise StoreCorrupt(
                f"nothing can be read of {path} (its list of tables is damaged): restore a backup; it is left as it is."
            ) from error
    if not columns_of(db, "turns") and not columns_of(db, "memories"):
        db.close()
        if source.read_bytes()[68:72] == APPLICATION_ID.to_bytes(4, "big"):
            raise StoreCorrupt(
                f"nothing can be read of {path} (its list of tables is damaged): restore a backup; it is left as it is."
            )
        raise StoreForeign(f"{path} holds no memory of chatmem's: it is untouched, choose another file.")
    return db


class _Rescue:
    """Copies row by row; what doesn't fit goes into the file `aside`."""

    def __init__(self, old: sqlite3.Connection, new: Path, aside: Path) -> None:
        self.old = old
        self.db = sqlite3.connect(new, isolation_level=None)
        self.aside = aside
        self.kept: Counter[str] = Counter()
        self.mended: Counter[str] = Counter()
        self.lost: Counter[str] = Counter()

    def run(self) -> None:
        with closing(self.db), self.aside.open("w", encoding="utf-8") as self._out:
            self.db.execute("PRAGMA foreign_keys = ON")
            self.db.execute("BEGIN")
            for table in ORDER:
                known = set(columns_of(self.db, table))
                rows = Rows(self.old, table)
                for row in rows:
                    self._take(table, {name: value for name, value in row.items() if name in known})
                self.lost[table] += rows.lost
            self.db.execute("COMMIT")

    def _take(self, table: str, row: Row) -> None:
        told, odd = _texts(row)
        problem = _problem(told)
        if not problem:
            odd |= self._fit(table, told)
            problem = self._insert(table, told)
        if problem:
            self.lost[table] += 1
            self._keep_aside(table, problem, told)
        elif odd:
            self.mended[table] += 1

    def _fit(self, table: str, row: Row) -> bool:
        """Mends what can be: True if something was."""
        odd = False
        if table == "turns" and len(row["text"]) > LINE_LIMIT:
            self._keep_aside(table, f"only its first {LINE_LIMIT:,} characters were kept", row)
            row["text"], odd = row["text"][:LINE_LIMIT], True
        if table == "memories":
            row["digest"] = digest(row["subject"], row["fact"])
        for name in ("before", "after"):
            if table == "journal" and row.get(name) is not None and loads(row[name]) is None:
                self._keep_aside(table, f"its {name} is no JSON", row)
                row[name], odd = None, True
        return odd

    def _insert(self, table: str, row: Row) -> str:
        """Why a row can't be taken; empty when it was."""
        self._owners(table, row)
        names = ", ".join(f'"{name}"' for name in row)
        places = ", ".join("?" for _ in row)
        try:
            self.db.execute(f"INSERT INTO {table} ({names}) VALUES ({places})", list(row.values()))
        except (sqlite3.Error, OverflowError) as error:
            return "what it points to is gone" if "FOREIGN" in str(error) else "it does not fit"
        self.kept[table] += 1
        return ""

    def _owners(self, table: str, row: Row) -> None:
        """A user or conversation that was lost gets its place back, so that its lines stay."""
        user, session = row.get("user_id"), row.get("session_id")
        if isinstance(user, int) and user > 0 and not self._there("users", user):
            self.db.execute(
                "INSERT INTO users (id, name, created_at) VALUES (?, ?, '1970-01-01T00:00:00Z')",
                (user, f"recovered {user}"),
            )
            self.mended["users"] += 1
        if table == "turns" and isinstance(session, int) and session > 0 and not self._there("sessions", session):
            self.db.execute(
                "INSERT INTO sessions (id, user_id, title, started_at) VALUES (?, ?, 'recovered', ?)",
                (session, user, row["said_at"]),
            )
            self.mended["sessions"] += 1

    def _there(self, table: str, number: int) -> bool:
        return self.db.execute(f"SELECT 1 FROM {table} WHERE id = ?", (number,)).fetchone() is not None

    def _keep_aside(self, table: str, problem: str, row: Row) -> None:
        shown = {
            name: value if isinstance(value, str | int | float | None) else repr(value) for name, value in row.items()
        }
        self._out.write(json.dumps({"table": table, "problem": problem, "row": shown}, ensure_ascii=False) + "\n")


def _texts(row: Row) -> tuple[Row, bool]:
    """The row with its bytes as text; whether some were none."""
    told: Row = {}
    odd = False
    for name, value in row.items():
        if isinstance(value, bytes):
            told[name] = value.decode("utf-8", "replace")
            odd |= told[name].encode() != value
        else:
            told[name] = value
    return told, odd


def _problem(row: Row) -> str:
    """Why a row can't be what chatmem wrote; empty when it can."""
    for name, value in row.items():
        if value is None:
            if name not in _MAY_LACK:
                return f"it has no {name}"
        elif name.endswith("_id") or name in ("id", "digest", "pinned", "undone", "replaces", "undoes"):
            if not isinstance(value, int) or (name == "id" and value < 1):
                return f"its {name} is no number"
        elif not isinstance(value, str):
            return f"its {name} is no text"
        elif name in _MOMENTS and not _is_moment(value):
            return f"its {name} is no moment"
        elif name == "happened_on" and not _DAY.fullmatch(value):
            return "its date is none"
        elif name in _WORDS and value not in _WORDS[name]:
            return f"its {name} is unknown"
        elif name == "fact" and len(value) > FACT_CHARS:
            return f"it has more than {FACT_CHARS:,} characters"
    return ""


def _is_moment(value: str) -> bool:
    import datetime

    try:
        datetime.datetime.fromisoformat(value)
    except ValueError:
        return False
    return _MOMENT.fullmatch(value) is not None


def _put_in_place(path: Path, made: Path, rescue: _Rescue, damaged: Path, aside: Path) -> Repaired:
    lost = rescue.aside.stat().st_size > 0
    if lost:
        shutil.copyfile(rescue.aside, aside)
        os.chmod(aside, 0o600)
    os.chmod(made, 0o600)
    for end in ("-wal", "-shm", ""):
        if (beside := path.with_name(path.name + end)).exists():
            os.replace(beside, damaged.with_name(damaged.name + end))
    put_in_place(made, path)
    kept, mended, lost_rows = (
        {table: count[table] for table in ORDER if count[table]} for count in (rescue.kept, rescue.mended, rescue.lost)
    )
    return Repaired(kept, mended, lost_rows, damaged, aside if lost else None)
