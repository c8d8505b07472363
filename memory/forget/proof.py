"""Looking whether anything is left: in the database and its companions, the typed lines, the log."""

from __future__ import annotations

import json
import re
import sqlite3
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from itertools import chain, groupby
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import Connection

from ..database import driver
from ..database.engine import raw
from ..database.handles import reading
from ..database.key import Key, salt_of
from ..language.words import is_unspaced, plain, stem, tokens
from ..search.nearest.numbers import SHIFT
from ..values import ForgetPlan
from .sifted import present
from .telling import all_words, told_in

SEARCH_BYTES = 4_000_000_000
"""Bytes that the texts of a whole memory may cost to be looked for; of more, an even sample is searched."""
SHORTEST = 4
"""Letters of a word that is looked for in bytes: shorter ones stand in any file by chance, and are looked for as words
in the rows and in text files."""
LONGEST_LIKE = 1_000
"""Letters by which rows are asked for a word; SQLite takes no pattern of more than 50,000 bytes."""
_BREAKS = re.compile(r"""['"\\\s]*[\n'"\\][\s'"\\]*""")
_PIECE = 1 << 22
_HEAD = 1 << 13
_NUMBERS = (
    "SELECT data FROM vectors", "SELECT refs, steps, data FROM vector_blocks", "SELECT data FROM vector_codes",
    "SELECT data FROM vector_directions",
)  # fmt: skip
"""What stands in a row side by side that is no text, but may look like a word by chance."""
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')


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


def texts_in_bytes(path: Path, needles: Iterable[str]) -> set[str]:
    """Which of the texts a file's bytes hold just so."""
    wanted = {one: (one.encode(),) for one in needles}
    return _present(_pieces(path, max((len(form) for (form,) in wanted.values()), default=0)), wanted)


def _present(pieces: Iterable[bytes], wanted: Mapping[str, Collection[bytes]]) -> set[str]:
    found: set[str] = set()
    for piece in pieces:
        found |= present(piece, {one: forms for one, forms in wanted.items() if one not in found})
    return found


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


def short(words: Iterable[str]) -> list[str]:
    """The words that are looked for in rows and text files only."""
    return [word for word in words if len(word) < SHORTEST]


def words_in_bytes(path: Path, words: Mapping[str, Collection[str]]) -> set[str]:
    """Which of the words a file's bytes hold, in upper or lower case, also within longer words."""
    forms = {word: _forms(word, said) for word, said in words.items() if len(word) >= SHORTEST}
    longest = max((len(form) for some in forms.values() for form in some), default=0)
    return _present(map(bytes.lower, _pieces(path, longest) if forms else ()), forms)


def holding(
    paths: Iterable[Path], key: Key | None, plan: ForgetPlan, words: Mapping[str, Collection[str]]
) -> tuple[str, ...]:  # fmt: skip
    """Which of these exports and backups hold one of the words, or a fact or line of the plan as it stands."""
    lines = () if plan.keep_lines else plan.lines
    texts = {*(one.fact for one in (*plan.facts, *plan.others)), *plan.earlier, *(turn.text for turn in lines)}
    held = []
    for path in paths:
        with suppress(OSError):
            if holds_matter(path, key, texts, words):
                held.append(str(path))
    return tuple(held)


def holds_matter(path: Path, key: Key | None, texts: Iterable[str], words: Mapping[str, Collection[str]]) -> bool:
    """Whether an export or backup holds one of the texts or words. An encrypted one is looked into with the memory's
    own key; one of another key can't be, and counts as holding them."""
    salt, needles = salt_of(path), needles_of(texts, [path])
    if salt is None:
        return (
            bool(words_in_bytes(path, words)) or bool(texts_in_bytes(path, needles))
            or _says(path, short(words))
        )  # fmt: skip
    if key is None or salt != key.salt:
        return True
    try:
        with closing(driver.connect(f"file:{quote(str(path))}?immutable=1", key, uri=True)) as db:
            return any(in_rows(db, needles, words))
    except driver.errors():
        return True


def _says(path: Path, words: Sequence[str]) -> bool:
    """Whether a text file holds one of the short words as a word; of JSON the texts are looked at, and not the ids."""
    if not words:
        return False
    with reading(path) as file:
        content = file.read()
    if b"\0" in content[:_HEAD]:
        return False
    text = plain(content.decode("utf-8", "replace"))
    if path.suffix.lower() == ".json":
        text = "\n".join(_STRING.findall(text))
    return any(re.search(rf"(?<![^\W_])(?<!\d[-.:/]){re.escape(word)}(?![^\W_]|[-.:/]\d)", text) for word in words)


def _forms(word: str, said: Collection[str]) -> set[bytes]:
    """How a word may stand in a file, with the ASCII letters in lower case."""
    written = _cases(word, said)
    written |= {unicodedata.normalize(form, one) for one in set(written) for form in ("NFC", "NFD")}
    return {one.encode().lower() for one in written}


def _pieces(path: Path, overlap: int) -> Iterator[bytes]:
    """The file's bytes, none where it isn't there; each piece begins with the end of the one before."""
    before = b""
    if not path.is_file():
        return
    with reading(path) as file:
        while piece := file.read(_PIECE):
            yield before + piece
            before = piece[-overlap:] if overlap else b""


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
            forms = sorted(_cases(word, words[word]))
            tests = " OR ".join(f"{column} LIKE ? ESCAPE '!'" for column in columns for _ in forms)
            values = [f"%{_escaped(form[:LONGEST_LIKE])}%" for _ in columns for form in forms]
            if base.execute(f"SELECT 1 FROM {table} WHERE {tests} LIMIT 1", values).fetchone():
                found.add(word)
    forms_of = {word: _forms(word, words[word]) for word in words.keys() - found}
    if forms_of:
        rows = chain.from_iterable(base.execute(query) for query in _NUMBERS)
        for low in chain((b"".join(row).lower() for row in rows), _counters(base)):
            found |= {word for word, forms in forms_of.items() if any(form in low for form in forms)}
    return found


def _counters(driver: sqlite3.Connection) -> Iterator[bytes]:
    """SQLite's own counters as they stand in the file: "vector_removals" before a 79, which is an "O", holds "also"."""
    for name, last in driver.execute("SELECT name, seq FROM sqlite_sequence"):
        yield (name.encode() + int(last).to_bytes((int(last).bit_length() + 7) // 8, "big")).lower()


def _cases(word: str, said: Collection[str]) -> set[str]:
    return {word, *said, *(one.lower() for one in said), *(one.capitalize() for one in said)}


def standing(db: Connection, words: Mapping[str, Collection[str]]) -> set[str]:
    """The words that stand in some living row, anyone's, as words: in what was said, remembered, named or written, and
    not in ids, times or what SQL is made of."""
    left = {word: sorted({plain(form) for form in _cases(word, said)}) for word, said in words.items()}
    for sql in _TOLD:
        for row in raw(db).execute(sql) if left else ():
            text = plain(" ".join(filter(None, row)))
            near = [word for word, forms in left.items() if any(form in text for form in forms)]
            held = _words_of(row, quoted=sql is _TOLD[-1]) if near else set[str]()
            for word in near:
                if word in held or (is_unspaced(word) and word in text):
                    del left[word]
    return words.keys() - left.keys()


def _words_of(row: Sequence[str | None], *, quoted: bool) -> set[str]:
    """The words of a row's columns; `quoted`: of a statement, its reason and the images of a row in JSON."""
    if not quoted:
        return {word for column in row if column for word in all_words(column)}
    sql, reason, *images = row
    told = [text for image in images if image for text in json.loads(image).values() if isinstance(text, str)]
    return told_in(sql or "").union(*(all_words(text) for text in (reason or "", *told)))


def of_user(db: Connection, user_id: int, texts: Iterable[str]) -> tuple[str, ...]:
    """Those of the texts that stand in what this user said or has remembered: of them only they are told."""
    sql = "SELECT 1 FROM turns WHERE user_id = :user AND instr(text, :text) UNION ALL "
    sql += "SELECT 1 FROM memories WHERE user_id = :user AND instr(fact, :text) LIMIT 1"
    return tuple(sorted(one for one in texts if raw(db).execute(sql, {"user": user_id, "text": one}).fetchone()))


_TOLD = (
    "SELECT name, called FROM users", "SELECT title FROM sessions", "SELECT DISTINCT speaker, text FROM turns",
    "SELECT subject, topic, fact FROM memories", "SELECT path FROM exports",
    "SELECT sql, reason, before, after FROM journal",
)  # fmt: skip
"""What was written by or for somebody; the journal, which has words of its own, is the last."""


def _escaped(text: str) -> str:
    return re.sub(r"([!%_])", r"!\1", text)


def _columns(driver: sqlite3.Connection) -> dict[str, list[str]]:
    """The tables with what they hold, but for the inner ones of full text search and what is bytes; last the texts that
    meet in the file: a topic "boyfriend" before "Selma" reads "ends". Numbers stand there in bytes and meet nothing."""
    tables = driver.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    names = [name for (name,) in tables if "_fts" not in name and not name.endswith("_terms")]
    found = {"sqlite_master": ["sql"]}
    for name in names:
        columns = driver.execute(f'PRAGMA table_info("{name}")')
        told = [(f'"{row[1]}"', row[2]) for row in columns if row[2] != "BLOB"]
        runs = [[column for column, _ in some] for texts, some in groupby(told, lambda one: one[1] in _TEXTS) if texts]
        joined = ["(" + "||".join(f"coalesce({column},'')" for column in run) + ")" for run in runs if len(run) > 1]
        found[f'"{name}"'] = [*(column for column, _ in told), *joined]
    return found


_TEXTS = ("TEXT", "VARCHAR")
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
