"""Changing one setting in the config file: its other lines, comments and order stay as the person wrote them."""

from __future__ import annotations

import json
import os
import re
import tomllib
from pathlib import Path

from ...memory.errors import InputError, SettingsError
from ...memory.transfer.target import landing


def put_setting(path: Path, name: str, value: str | None) -> None:
    """Writes `name = "value"` (None: takes the line away). The file is made when it isn't there.

    Raises SettingsError when the file is no TOML, InputError when it can't be written; it is whole in any case.
    """
    text = _read(path)
    line = re.compile(rf"(?m)^[ \t]*{re.escape(name)}[ \t]*=.*(?:\n|\Z)")
    told = f"{name} = {json.dumps(value, ensure_ascii=False)}\n" if value is not None else ""
    if line.search(text):
        new = line.sub(lambda _match: told, text, count=1)
    else:
        new = text + ("\n" if text and not text.endswith("\n") and told else "") + told
    table = _parsed(new, path)
    if table.get(name) != value:
        raise SettingsError(f"{path} sets {name} in a way that can't be changed here; change that line by hand.")
    if new != text:
        _write(path, new)


def _read(path: Path) -> str:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} can't be read ({error}); check it.") from error
    _parsed(text, path)
    return text


def _parsed(text: str, path: Path) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{path} is not valid TOML ({error}); mend that line or remove it.") from error


def _write(path: Path, text: str) -> None:
    path = landing(path)  # many keep this one as a link into their dotfiles
    beside = path.with_name(path.name + ".new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        beside.unlink(missing_ok=True)
        with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as out:
            out.write(text)
        os.replace(beside, path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise InputError(f"{path} can't be written ({error.strerror}); nothing was changed.") from error
