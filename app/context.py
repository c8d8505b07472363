"""What a command has at hand: paths, settings, the database, and its two outputs."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from ..memory.errors import InputError, NotFound, StoreFull
from .config.paths import Paths, find_paths
from .config.safe_text import shown
from .config.settings import Settings, config_place, load, load_what_is_right
from .config.zone import Here

if TYPE_CHECKING:
    from ..memory.database.key import Secret
    from ..memory.store.store import Store
    from ..memory.values import User
    from .config.lock import Lock


TALKS = ("chat", "tui", "web")
"""Commands that begin a memory, and need not say that they do."""
EMPTY = "Nothing is remembered here yet; start with `chatmem chat`."


@dataclass(frozen=True)
class Context:
    """Paths and settings of one run. `flags` is what the command line gave; `faults`: what is wrong in the settings."""

    paths: Paths
    settings: Settings
    flags: Mapping[str, Any]
    faults: tuple[str, ...] = ()

    @classmethod
    def of(cls, flags: Mapping[str, Any]) -> Context:
        """Raises SettingsError, but for commands that are `lenient`: they go on without what is wrong."""
        paths = find_paths(os.environ)
        if not flags.get("lenient"):
            return cls(paths, load(paths, os.environ, flags, flags.get("config")), flags)
        settings, faults = load_what_is_right(paths, os.environ, flags, flags.get("config"))
        return cls(paths, settings, flags, faults)

    @property
    def config_file(self) -> Path:
        """The config file that counts in this run; it need not be there."""
        return config_place(self.paths, os.environ, self.flags.get("config"))

    @property
    def database(self) -> str:
        return self.settings.db or str(self.paths.database)

    @cached_property
    def database_file(self) -> Path:
        """Raises StoreError for what is no SQLite database."""
        from ..memory.store.store import path_of

        return path_of(self.database)

    def open_store(
        self, *, writes: bool = True, search: bool = False, read_only: bool = False, there: bool = False
    ) -> Store:  # fmt: skip
        """The database. Commands that only read (`writes=False`) take one on a read-only or full disk too.

        `read_only`: not a byte may be changed, whatever the disk allows. `there`: for what changes only what is there
        already, so that a mistyped name makes no new database. Raises NotFound where there is none. Outside of a chat a
        named one that is made is told.
        """
        if not self.database_file.exists() and (there or ((read_only or not writes) and self.settings.db)):
            raise self._no_database()
        read_only = read_only or (not writes and self.database_file.exists() and not self._may_write())
        if not read_only and not self.settings.db:
            self.paths.data.mkdir(parents=True, exist_ok=True, mode=0o700)
        embedder = self.embedder() if search else None
        new = not self.database_file.exists()
        try:
            store = self._opened(read_only, embedder)
            if new and self.settings.db and self.flags.get("command") not in TALKS:
                say(f"Made a new database at {self.database_file}.")
            return store
        except StoreFull:  # SQLite needs room even to read, but not in a file that it may take for unchanging
            if writes or read_only:
                raise
            return self._opened(True, embedder)

    def _no_database(self) -> NotFound:
        if self.settings.db:
            return NotFound(f"There is no database at {self.database_file}; check the name.")
        return NotFound(EMPTY)

    def _may_write(self) -> bool:
        """Whether the database can be opened to write: SQLite makes files beside it, where a link leads to."""
        file = self.database_file.resolve()
        return os.access(file, os.W_OK) and os.access(file.parent, os.W_OK)

    def _opened(self, read_only: bool, embedder: Any) -> Store:
        from ..memory.forget.proof import Beside
        from ..memory.store.store import Store

        wait, secret = float(self.settings.busy_seconds), self.secret(read_only=read_only)
        store = Store.open(
            self.database, read_only=read_only, embedder=embedder, timeout=wait, zone=Here(), secret=secret
        )  # fmt: skip
        store.forget.beside = Beside(self.history_file, (self.paths.log,))
        return store

    def secret(self, *, read_only: bool = False) -> Secret | None:
        """What opens the database, asked for where a person is there; None for one that isn't encrypted.

        With the setting `encrypt` a plain one is encrypted first. Raises StoreSealed, InputError.
        """
        from .config import at_rest

        known = self._known_secret
        if not known:
            file, wanted = self.database_file, self.settings.encrypt
            known.append(at_rest.secret(file, wanted, self.flags, self.paths, read_only, say))
        return known[0]

    @cached_property
    def _known_secret(self) -> list[Secret | None]:
        return []

    def lock(self) -> Lock | None:
        """What locks an encrypted database again when nobody is there; None for one that isn't encrypted."""
        from .config.lock import Lock

        def take(secret: Secret | None) -> None:
            self._known_secret[:] = [] if secret is None else [secret]

        return Lock(self.database_file, self.settings.lock_minutes, take) if self.is_sealed else None

    @property
    def is_sealed(self) -> bool:
        """Whether the database is encrypted, or will be."""
        from ..memory.database.handles import salt_of_database

        return self.settings.encrypt or salt_of_database(self.database_file) is not None

    def typed_file(self, user: str) -> Path | None:
        """Where the lines typed at the prompt are kept; None where no file may hold them."""
        return self.history_file(user) if self.settings.history and not self.is_sealed else None

    def history_file(self, user: str) -> Path:
        """Lines typed at the prompt, one file a user: nobody's arrow keys bring another's words."""
        return self.paths.history / quote(user, safe="")

    def embedder(self) -> Any:
        """The encoder of the settings, not loaded yet. Raises SettingsError."""
        from ..models.embedder.choose import choose
        from ..models.embedder.prefixes import Prefixes

        told = self.settings
        prefixes = Prefixes(told.embedder_query_prefix, told.embedder_passage_prefix)
        return choose(told.embedder, prefixes, seconds=float(told.endpoint_seconds))

    def known_user(self, store: Store) -> User | None:
        """The user that is meant; None when nobody has talked here yet, or not who talks when no user is named. Raises
        NotFound for a name not known, of a flag or a setting."""
        users = {user.name: user for user in store.users.all()}
        name = self.settings.user
        if name in users:
            return users[name]
        if users and ("user" in self.flags or name != Settings().user):
            raise NotFound(f"There is no user {name!r}; known: {', '.join(sorted(users))}.")
        return None

    def require_user(self, store: Store) -> User:
        """As `known_user`, for commands that make no sense without one."""
        user = self.known_user(store)
        if user is None:
            raise NotFound(self.nothing_yet(store))
        return user

    def nothing_yet(self, store: Store) -> str:
        """That nothing is remembered of the user, and of whom there is something."""
        names = sorted(user.name for user in store.users.all())
        if names and self.settings.user not in names:
            return f"Nothing is remembered of {self.settings.user!r} here; known: {', '.join(names)}."
        return EMPTY


_CONTROL = re.compile("[\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""What JSON leaves as it is, and a terminal obeys."""


def put(text: str = "") -> None:
    """A line of data on stdout, without control characters: what is piped comes to a terminal in the end."""
    print(shown(text))


def put_json(value: Any) -> None:
    from .shown.events import plain

    told = json.dumps(plain(value), ensure_ascii=False, indent=2)
    print(_CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", told))


def put_table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Aligned columns on a terminal; in a pipe tab-separated lines with a header, nothing cut off."""
    cells = [[_cell(value) for value in row] for row in rows]
    if sys.stdout is not None and sys.stdout.isatty():
        from .shown.render import print_table

        print_table(columns, cells)
        return
    for row in [list(columns), *cells]:
        print("\t".join(row))


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bytes):
        return value.hex()
    return " ".join(shown(str(value)).split())


def say(text: str) -> None:
    """A diagnostic on stderr; lost where that can't be written, for what it is about goes on."""
    if sys.stderr is not None:
        with suppress(OSError):
            print(text, file=sys.stderr, flush=True)


def confirm(question: str, yes: bool) -> None:
    """Asks on a terminal before something is erased. Raises InputError when the answer is not yes."""
    if yes:
        return
    if sys.stdin is None or not sys.stdin.isatty():
        raise InputError(f"{question} Add --yes to say so; there is no terminal to ask at.")
    print(f"{question} [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise InputError("Nothing was changed.")
