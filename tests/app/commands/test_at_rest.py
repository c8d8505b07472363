"""Nothing of an encrypted memory stands in the open in any file, at any time: also while it runs, and after a kill."""

from __future__ import annotations

import os
import random
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

from chatmem.memory.database.key import Secret, salt_of
from chatmem.memory.store.store import Store
from tests.app.shell import Shell

pytest.importorskip("sqlcipher3")
PASSPHRASE = "a passphrase of five words"
SCENE = Path(__file__).with_name("at_rest.py")
LETTERS = "bcdfghklmnprstvz"


def telling_words(count: int) -> list[str]:
    chance = random.Random(7)
    return ["".join(chance.choice(LETTERS) + chance.choice("aeiou") for _ in range(5)) + "x" for _ in range(count)]


def forms(words: list[str]) -> tuple[bytes, ...]:
    written = [form for word in words for form in (word, word.upper(), word.capitalize(), word[::-1])]
    return tuple(form.encode(code) for form in written for code in ("utf-8", "utf-16-le", "utf-16-be"))


def flat(content: bytes) -> bytes:
    """In which the forms of a word are one or two."""
    return content.replace(b"\0", b"").lower()


@cache
def flat_forms(needles: tuple[bytes, ...]) -> frozenset[bytes]:
    return frozenset(map(flat, needles))


def files(*places: Path) -> Iterator[Path]:
    for place in places:
        yield from (path for path in place.rglob("*") if path.is_file())


def found_in(path: Path, needles: tuple[bytes, ...]) -> list[bytes]:
    try:
        content = path.read_bytes()
    except OSError:  # gone meanwhile
        return []
    content_flat = flat(content)
    if not any(form in content_flat for form in flat_forms(needles)):
        return []
    return [needle for needle in needles if needle in content]


def open_files(process: int) -> Iterator[Path]:
    """What a process has open, files without a name among it (Linux)."""
    try:
        handles = list(Path(f"/proc/{process}/fd").iterdir())
    except OSError:
        return
    for handle in handles:
        try:
            if stat.S_ISREG(handle.stat().st_mode):
                yield handle
        except OSError:
            continue


@contextmanager
def looked_for(needles: tuple[bytes, ...], process: int, *folders: Path) -> Iterator[set[str]]:
    """While inside: every file in the folders, and what the process has open, is looked through again and again."""
    leaks, over = set[str](), threading.Event()

    def look() -> None:
        while not over.is_set():
            for path in (*files(*folders), *open_files(process)):
                leaks.update(f"{path}: {needle!r}" for needle in found_in(path, needles))
            over.wait(0.05)

    looking = threading.Thread(target=look)
    looking.start()
    try:
        yield leaks
    finally:
        over.set()
        looking.join()


@contextmanager
def playing(home: Path, out: Path, temporary: Path, words: list[str]) -> Iterator[subprocess.Popen[str]]:
    """The scene in a process of its own, which is killed in the end."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith("CHATMEM")}
    environ |= {"CHATMEM_HOME": str(home), "CHATMEM_PASSPHRASE": PASSPHRASE, "TMPDIR": str(temporary)}
    environ |= {"SCENE_WORDS": " ".join(words)}
    scene = subprocess.Popen(
        [sys.executable, str(SCENE), str(out)], env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        yield scene
    finally:
        scene.kill()
        scene.communicate()


def test_the_words_of_fifty_facts_stand_in_no_file_while_it_runs_nor_after_a_kill(tmp_path: Path) -> None:
    home, out, temporary = folders = tmp_path / "home", tmp_path / "out", tmp_path / "tmp"
    out.mkdir()
    temporary.mkdir()
    words = telling_words(50)
    needles = forms([*words, PASSPHRASE])
    with playing(*folders, words) as scene, looked_for(needles, scene.pid, *folders) as leaks:
        assert scene.stdout is not None and scene.stderr is not None
        told = [scene.stdout.readline(), scene.stdout.readline()]
        if told != ["copied\n", "done\n"]:
            scene.kill()
            raise AssertionError(scene.stderr.read())
        names = {path.name for path in files(home, out)}
        assert {"chatmem.db", "chatmem.db-wal", "all.json.sealed", "all.db.sealed", "backup.db", "chatmem.log"} <= names
        assert "talk.md" not in names
        scene.kill()
        scene.wait()
    assert not leaks, sorted(leaks)[:5]
    left = list(files(*folders))
    assert len(left) >= 6 and not [path for path in left if found_in(path, needles)]
    assert {stat.S_IMODE(path.stat().st_mode) for path in left} == {0o600}, [(p, oct(p.stat().st_mode)) for p in left]
    with Store.open(home / "data" / "chatmem.db", secret=Secret(PASSPHRASE)) as store:  # nothing was lost
        assert store.facts.count(store.users.get("me").id) == 50 and store.check() == []


@pytest.fixture
def plain(tmp_path: Path) -> Shell:
    shell = Shell(tmp_path)
    assert shell("memory", "add", "Ana has a cat called Zimbarella.").returncode == 0
    typed = tmp_path / "state" / "history"
    typed.mkdir(parents=True)
    (typed / "me").write_text("\n# 2026-05-08\n+Zimbarella is a cat\n")
    return shell


def holding(home: Path) -> list[str]:
    return [path.name for path in files(home) if b"Zimbarella" in path.read_bytes()]


def test_the_setting_encrypts_what_is_there_and_says_so(plain: Shell) -> None:
    assert holding(plain.home) == ["chatmem.db", "me"]
    secret = {"CHATMEM_PASSPHRASE": PASSPHRASE}
    told = plain("memory", "list", CHATMEM_ENCRYPT="1", **secret)
    assert "Zimbarella" in told.stdout and "Encrypting" in told.stderr and "nobody can recover" in told.stderr
    assert holding(plain.home) == [] and salt_of(plain.db)
    assert PASSPHRASE not in told.stderr
    again = plain("memory", "list", **secret)
    assert "Zimbarella" in again.stdout and again.stderr == "", "it needs no setting once it is encrypted"


def test_without_or_with_a_wrong_passphrase_one_sentence_says_what_to_do(plain: Shell) -> None:
    assert plain("encrypt", "--yes", CHATMEM_PASSPHRASE=PASSPHRASE).returncode == 0
    before = plain.db.read_bytes()
    assert "CHATMEM_PASSPHRASE" in plain.fails("memory", "list", code=2)
    wrong = plain.fails("memory", "list", code=2, CHATMEM_PASSPHRASE="not the passphrase")
    assert "try another" in wrong and "not the passphrase" not in wrong
    assert "restore a backup" in plain.fails("doctor", "--repair", "--yes", CHATMEM_PASSPHRASE=PASSPHRASE)
    assert plain.db.read_bytes() == before
    file = plain.home / "pass"
    for text in (f"{PASSPHRASE}\nand a second line\n", f"\ufeff{PASSPHRASE}\r\n"):
        file.write_text(text, encoding="utf-8")
        assert "Zimbarella" in plain("memory", "list", "--passphrase-file", str(file)).stdout
    assert "1 memory" in plain("doctor", "--passphrase-file", str(file)).stdout


def test_another_passphrase_and_back_to_a_plain_file(plain: Shell) -> None:
    first, second = plain.home / "first", plain.home / "second"
    first.write_text(PASSPHRASE)
    second.write_text("another passphrase")
    assert plain("encrypt", "--yes", "--passphrase-file", str(first)).returncode == 0
    assert "already" in plain.fails("encrypt", "--yes", "--passphrase-file", str(first))
    change = ("encrypt", "--passphrase", "--yes", "--passphrase-file", str(first))
    lacks = plain.fails(*change, code=2)
    assert "--new-passphrase-file" in lacks and "keychain" not in lacks
    assert "add --plain" in plain.fails("memory", "export", "-", "--passphrase-file", str(first))
    assert "Zimbarella" in plain("memory", "export", "-", "--plain", "--passphrase-file", str(first)).stdout
    assert plain(*change, "--new-passphrase-file", str(second)).returncode == 0
    assert "doesn't open" in plain.fails("memory", "list", "--passphrase-file", str(first), code=2)
    assert plain("decrypt", "--yes", "--passphrase-file", str(second)).returncode == 0
    assert "Zimbarella" in plain("memory", "list").stdout


def test_what_can_not_be_encrypted_is_said(plain: Shell) -> None:
    server = plain.fails("--db", "postgresql://here/chatmem", "memory", "list", CHATMEM_ENCRYPT="true")
    assert "give a file's path" in server
    assert "8 characters" in plain.fails("encrypt", "--yes", CHATMEM_PASSPHRASE="short")
    assert "keychain" in plain.fails("encrypt", "--yes", "--keychain")
    assert "no keychain" in plain.fails("encrypt", "--yes", code=2)
    assert "no keychain" not in plain.fails("encrypt", "--yes", "--passphrase", code=2)
    assert "takes no passphrase" in plain.fails("encrypt", "--yes", "--keychain", "--new-passphrase-file", "p", code=2)
    for content in ("\n", None):
        file = plain.home / ("empty" if content else "none")
        _ = content and file.write_text(content)
        assert "passphrase" in plain.fails("encrypt", "--yes", "--passphrase-file", str(file), code=2)
    assert holding(plain.home) == ["chatmem.db", "me"], "and it is as it was"


def test_all_that_a_plain_memory_writes_is_its_owners_alone(tmp_path: Path) -> None:
    shell, out = Shell(tmp_path / "home"), tmp_path / "out"
    out.mkdir()
    assert shell("memory", "add", "Ana has a cat.").returncode == 0
    for words in (("memory", "export", str(out / "e.json")), ("memory", "export", str(out / "e.db")),
                  ("backup", str(out / "b.db")), ("adapters", "show", "none")):  # fmt: skip
        shell(*words)
    left = list(files(tmp_path))
    assert len(left) >= 4
    assert [path for path in left if stat.S_IMODE(path.stat().st_mode) != 0o600] == []


@pytest.mark.parametrize("setting", [{"CHATMEM_ENCRYPT": "1"}, {}], ids=["encrypt", "no setting"])
def test_an_encrypted_memory_comes_back_where_its_database_is_lost(
    setting: dict[str, str], plain: Shell, tmp_path: Path
) -> None:
    copy, export = tmp_path / "copy.db", tmp_path / "e.json.sealed"
    secret = {"CHATMEM_PASSPHRASE": PASSPHRASE}
    assert plain("encrypt", "--yes", **secret).returncode == 0
    assert plain("backup", str(copy), **secret).returncode == 0
    assert plain("memory", "export", str(export.with_suffix("")), **secret).returncode == 0
    lost = Shell(tmp_path / "lost")
    back = ("backup", str(copy), "--restore")
    assert "There is no database" in lost.fails(*back, **secret, **setting)
    assert "try another" in lost.fails(*back, "--yes", code=2, CHATMEM_PASSPHRASE="another one it is", **setting)
    assert "is encrypted: give" in lost.fails(*back, "--yes", code=2, **setting)
    damaged = tmp_path / "damaged.db"
    damaged.write_bytes(copy.read_bytes()[:9_000] + os.urandom(9_000))
    assert "no sound backup" in lost.fails("backup", str(damaged), "--restore", "--yes", **secret, **setting)
    assert not list(files(lost.home)), "nothing is left of what was refused"
    assert lost(*back, "--yes", **secret, **setting).returncode == 0
    assert "Zimbarella" in lost("memory", "list", **secret).stdout and holding(lost.home) == []
    assert [path.name for path in files(lost.home)] == ["chatmem.db"]
    assert stat.S_IMODE(lost.db.stat().st_mode) == 0o600
    other = Shell(tmp_path / "other")
    assert other("memory", "import", str(export), "--yes", CHATMEM_ENCRYPT="1", **secret).returncode == 0
    assert "Zimbarella" in other("memory", "list", **secret).stdout


def test_a_backup_of_another_salt_comes_back_into_what_the_same_passphrase_opens(plain: Shell, tmp_path: Path) -> None:
    copy, made = tmp_path / "copy.db", Shell(tmp_path / "made")
    secret, other = {"CHATMEM_PASSPHRASE": PASSPHRASE}, {"CHATMEM_PASSPHRASE": "another one it is"}
    assert plain("encrypt", "--yes", **secret).returncode == 0
    assert plain("backup", str(copy), **secret).returncode == 0
    back = ("backup", str(copy), "--restore", "--yes")
    made.db.parent.mkdir(parents=True)
    Store.open(made.db, secret=Secret(PASSPHRASE)).close()
    told = made(*back, **secret)
    assert told.returncode == 0 and "what was there" not in told.stderr
    assert "Zimbarella" in made("memory", "list", **secret).stdout
    made("memory", "add", "Ana sails.", **secret)
    assert "what was there is in" in made(*back, **secret).stderr
    assert "sails" not in made("memory", "list", **secret).stdout
    assert all(salt_of(path) for path in files(made.home)) and len(list(files(made.home))) == 2
    strange = Shell(tmp_path / "strange")
    strange("memory", "add", "Ben rows.", CHATMEM_ENCRYPT="1", **other)
    assert "encrypt --passphrase" in strange.fails(*back, **other)
    unsealed = Shell(tmp_path / "plain")
    unsealed("memory", "add", "Ben rows.")
    assert "isn't: `chatmem encrypt`" in unsealed.fails(*back, **secret)
    assert "rows" in unsealed("memory", "list").stdout and not list(unsealed.db.parent.glob(".*"))


def test_what_was_encrypted_while_a_files_mark_still_counted_is_opened_with_that_file(plain: Shell) -> None:
    assert plain("encrypt", "--yes", CHATMEM_PASSPHRASE=f"\ufeff{PASSPHRASE}").returncode == 0
    file = plain.home / "pass"
    file.write_text(f"\ufeff{PASSPHRASE}\n", encoding="utf-8")
    assert "Zimbarella" in plain("memory", "list", "--passphrase-file", str(file)).stdout


def test_a_passphrase_may_come_through_a_pipe_that_can_be_read_once(plain: Shell) -> None:
    assert plain("encrypt", "--yes", CHATMEM_PASSPHRASE=PASSPHRASE).returncode == 0
    pipe = plain.home / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(f"{PASSPHRASE}\n",), daemon=True)
    writer.start()
    assert "Zimbarella" in plain("memory", "list", "--passphrase-file", str(pipe)).stdout
    writer.join(10)
