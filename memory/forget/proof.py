"""Looking whether anything is left: in the database and its companions, the typed lines, the log."""

from __future__ import annotations

import mmap
import re
import sqlite3
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import Connection

from ..database import driver
from ..database.engine import raw
from ..database.key import Key, salt_of
from ..language.words import stem, tokens
from ..search.nearest.numbers import SHIFT
from .telling import all_words

SEARCH_BYTES = 4_000_000_000
"""Bytes that the texts of a whole memory may cost to be looked for; of more, an even sample is searched."""
SHORTEST = 4
"""Letters of a word that is looked for in bytes: shorter ones stand in any file by chance."""
_BREAKS = re.compile(r"""['"\\\s]*[\n'"\\][\s'"\\]*""")
_PIECE = 1 << 22


@dataclass(frozen=True, slots=True)
class Beside:
    """Files that chatmem keeps beside the database: the typed lines of a user, by their name, and others, such as the
    log. Without them only the database is looked after."""

    typed: Callable[[str], Path] | None = None
    others: tuple[Path, ...] = ()

    def typed_by(self, user: str) -> Path | None:
        return self.typed(user) if self.typed is not None else None


def companions(database: Path) -> list[Path]:
    """The database with the files that SQLite keeps beside it."""
    names = (database.name, database.name + "-wal", database.name + "-journal")
    return [path for name in names if (path := database.with_name(name)).is_file()]


# Whole texts: of each the longest stretch that looks the same wherever it is kept.


def needles_of(texts: Iterable[str], files: Sequence[Path]) -> list[str]:
    """What to look for, of many texts an even sample."""
    needles = sorted({needle for text in texts if len(needle := _needle(text)) >= 8})
    size = sum(path.stat().st_size for path in files)
    return needles[:: 1 + len(needles) * size // SEARCH_BYTES]


def _needle(text: str) -> str:
    """The longest stretch of a text that looks the same in a column, in SQL and in JSON; at most 60 characters."""
    return max(_BREAKS.split(text), key=len)[:60]


def holds(path: Path, needle: str) -> bool:
    """Whether a file's bytes hold a text just so."""
    if not path.is_file() or not path.stat().st_size:
        return False
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return content.find(needle.encode()) >= 0


def in_rows(
    driver: sqlite3.Connection, needles: Iterable[str], words: Mapping[str, Collection[str]]
) -> tuple[list[str], set[str]]:  # fmt: skip
    """Which texts and which words the rows of all tables hold, those of full text search too: what an encrypted file
    has to be searched for, since its bytes tell nothing."""
    wanted = {one: one.encode() for one in needles}
    forms = {word: _forms(word, said) for word, said in words.items() if len(word) >= SHORTEST}
    texts: set[str] = set()
    found: set[str] = set()
    tables = driver.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'")
    for (name,) in tables.fetchall():
        for row in driver.execute(f'SELECT * FROM "{name}"'):
            held = b"\n".join(one if isinstance(one, bytes) else str(one).encode("utf-8", "replace") for one in row)
            texts |= {one for one in wanted.keys() - texts if wanted[one] in held}
            low = held.lower()
            found |= {word for word in forms.keys() - found if any(form in low for form in forms[word])}
    return sorted(texts), found


# Words, in any case.


def words_in_bytes(path: Path, words: Mapping[str, Collection[str]]) -> set[str]:
    """Which of the words a file's bytes hold, in upper or lower case, also within longer words."""
    forms = {word: _forms(word, said) for word, said in words.items() if len(word) >= SHORTEST}
    longest = max((len(form) for some in forms.values() for form in some), default=0)
    found: set[str] = set()
    for piece in _pieces(path, longest):
        found |= {word for word, some in forms.items() if word not in found and any(form in piece for form in some)}
    return found


def holds_words(path: Path, key: Key | None, words: Mapping[str, Collection[str]]) -> bool:
    """Whether an export or backup holds one of the words. An encrypted one is looked into with the memory's own key;
    one of another key can't be, and counts as holding them."""
    salt = salt_of(path)
    if salt is None:
        return bool(words_in_bytes(path, words))
    if key is None or salt != key.salt:
        return True
    try:
        with closing(driver.connect(f"file:{quote(str(path))}?immutable=1", key, uri=True)) as db:
            return bool(in_rows(db, (), words)[1])
    except driver.errors():
        return True


def _forms(word: str, said: Collection[str]) -> set[bytes]:
    """How a word may stand in a file, with the ASCII letters in lower case."""
    written = {word, *said, *(one.lower() for one in said), *(one.capitalize() for one in said)}
    written |= {unicodedata.normalize(form, one) for one in set(written) for form in ("NFC", "NFD")}
    return {one.encode().lower() for one in written}


def _pieces(path: Path, overlap: int) -> Iterator[bytes]:
    """The file's bytes, ASCII letters in lower case; each piece begins with the end of the one before."""
    before = b""
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            yield before + piece.lower()
            before = piece[-overlap:].lower() if overlap else b""


def whole_words_in(path: Path, words: Collection[str]) -> set[str]:
    """Which of the words a text file holds as words; what can't be read holds none."""
    try:
        return set(words) & all_words(path.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return set()


def living(db: Connection, words: Mapping[str, Collection[str]]) -> set[str]:
    """The words that stand in some living row, anyone's, also within longer words, or by chance in a vector: that the
    file holds them proves nothing."""
    base = raw(db)
    found: set[str] = set()
    for table, columns in _columns(base).items():
        for word in words.keys() - found:
            said = words[word]
            forms = sorted({word, *said, *(one.lower() for one in said), *(one.capitalize() for one in said)})
            tests = " OR ".join(f"{column} LIKE ? ESCAPE '!'" for column in columns for _ in forms)
            values = [f"%{_escaped(form)}%" for _ in columns for form in forms]
            if base.execute(f"SELECT 1 FROM {table} WHERE {tests} LIMIT 1", values).fetchone():
                found.add(word)
    forms_of = {word: _forms(word, words[word]) for word in words.keys() - found}
    if forms_of:
        for (data,) in base.execute("SELECT data FROM vectors"):
            low = data.lower()
            found |= {word for word, forms in forms_of.items() if any(form in low for form in forms)}
    return found


def _escaped(text: str) -> str:
    return re.sub(r"([!%_])", r"!\1", text)


def _columns(driver: sqlite3.Connection) -> dict[str, list[str]]:
    """The tables with what they hold, but for the inner ones of full text search."""
    tables = driver.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    names = [name for (name,) in tables if "_fts" not in name and not name.endswith("_terms")]
    found = {"sqlite_master": ["sql"]}
    for name in names:
        found[f'"{name}"'] = [f'"{row[1]}"' for row in driver.execute(f'PRAGMA table_info("{name}")')]
    return found


_INDEXED = (
    ("passages", f"turns t ON t.id = f.rowid >> {SHIFT}", "t.speaker, t.text"),
    ("turns", "turns t ON t.id = f.rowid", "t.speaker, t.text"),
    ("memories", "memories t ON t.id = f.rowid", "t.subject, t.topic, t.fact"),
)
"""What full text search indexes, the rows that hold its text, and these texts."""


def stale_in_index(db: Connection, words: Iterable[str]) -> set[str]:
    """The words by which full text search still finds a row that doesn't hold them."""
    base = raw(db)
    found: set[str] = set()
    for word in words:
        wanted = {stem(part) for part in tokens(word)}
        for table, rows, columns in _INDEXED:
            sql = f"SELECT {columns} FROM {table}_fts f LEFT JOIN {rows} WHERE {table}_fts MATCH ?"
            for row in base.execute(sql, (f'"{word}"',)):
                held = {stem(part) for text in row for part in tokens(text or "")}
                if not wanted <= held:
                    found.add(word)
    return found
