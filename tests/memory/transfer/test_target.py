"""Where an export lands: a link's target is written, a pipe or a folder is refused and stays what it is."""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from chatmem.app.admin import accounts
from chatmem.app.config.edit import put_setting
from chatmem.memory.errors import InputError
from chatmem.memory.repair import encrypting, rescue
from chatmem.memory.store.store import Store
from chatmem.memory.transfer.exporting import export_file
from chatmem.memory.transfer.target import landing
from chatmem.models.prompts.tuned import Prompts, write_prompts


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "memory" / "a.db") as opened:
        opened.facts.remember(opened.users.get("ana").id, "Ana", "", "Ana sails.")
        yield opened


def test_an_export_leaves_a_pipe_a_pipe(store: Store, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.json"
    os.mkfifo(pipe)
    with pytest.raises(InputError, match="is no ordinary file: leave FILE out to write to stdout"):
        export_file(store, 1, pipe)
    link = tmp_path / "link.json"
    link.symlink_to(pipe)
    with pytest.raises(InputError, match="no ordinary file"):
        export_file(store, 1, link)
    assert stat.S_ISFIFO(pipe.stat().st_mode) and link.is_symlink()
    assert sorted(one.name for one in tmp_path.iterdir()) == ["link.json", "memory", "pipe.json"]


def test_an_export_through_a_link_writes_what_it_leads_to(store: Store, tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    link, target = tmp_path / "link.json", tmp_path / "far" / "target.json"
    link.symlink_to(target)
    for _ in range(2):  # a link into the empty, then one to a file
        assert export_file(store, 1, link)
        assert link.is_symlink() and "Ana sails." in target.read_text()


def test_an_export_never_replaces_the_memory_by_a_link(store: Store, tmp_path: Path) -> None:
    link = tmp_path / "link.db"
    link.symlink_to(store.db.path)
    with pytest.raises(InputError, match="is the memory itself"):
        export_file(store, 1, link)


def test_what_is_no_name_is_refused(tmp_path: Path) -> None:
    circle = tmp_path / "circle"
    circle.symlink_to(circle)
    for odd in (circle, tmp_path / "\udcff.json", tmp_path / ("x" * 300), tmp_path):
        with pytest.raises(InputError) as refused:
            landing(odd)
        str(refused.value).encode()
    assert landing(tmp_path / "new.json") == (tmp_path / "new.json").resolve()


def test_settings_accounts_and_prompts_keep_a_link(tmp_path: Path) -> None:
    (tmp_path / "dotfiles").mkdir()
    for name in ("config.toml", "accounts.json", "prompts.json"):
        (tmp_path / name).symlink_to(tmp_path / "dotfiles" / name)
    put_setting(tmp_path / "config.toml", "user", "ana")
    accounts._write(tmp_path / "accounts.json", accounts.Kept({"ana": "x"}, {}, {}))
    write_prompts(tmp_path / "prompts.json", Prompts({}))
    for name in ("config.toml", "accounts.json", "prompts.json"):
        assert (tmp_path / name).is_symlink() and (tmp_path / "dotfiles" / name).stat().st_size


def test_a_database_behind_a_link_is_repaired_and_changed_where_it_lies(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    real, link = tmp_path / "disk" / "real.db", tmp_path / "a.db"
    with Store.open(real) as made:
        made.facts.remember(made.users.get("ana").id, "Ana", "", "Ana sails.")
    link.symlink_to(real)
    with closing(sqlite3.connect(real)) as db, db:
        db.execute("UPDATE journal SET after = '{'")
    assert rescue.repair(link, "now").damaged
    encrypting.change(link, None, None)
    assert link.is_symlink() and [one.name for one in tmp_path.iterdir() if one.is_file()] == ["a.db"]
    with Store.open(link) as opened:
        assert [one.fact for one in opened.facts.all(1)] == ["Ana sails."]
