"""Writes the parts of README.md and docs/*.md that are made from the program: `make docs`; `--check` only looks.

A made part stands between `<!-- made: NAME -->` and `<!-- end -->`; NAME is a function of `PARTS`.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from chatmem.app import cli
from chatmem.app.chat.slash import registry as slash
from chatmem.app.config import settings
from chatmem.memory.tidy import schemas as toolspec

ROOT = Path(__file__).resolve().parent.parent
PART = re.compile(r"(<!-- made: (\w+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)


def table(heading: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [heading, tuple("---" for _ in heading), *rows]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines)


def parsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """A parser and, below it, those of its commands."""
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for child in action.choices.values():
                yield from parsers(child)


def all_commands() -> list[argparse.ArgumentParser]:
    return list(parsers(cli.build_parser(list(cli.COMMANDS))))


def arguments(parser: argparse.ArgumentParser) -> list[tuple[str, str]]:
    """What a command takes itself: the names as typed, and the help."""
    common = {name for action in cli.common_options()._actions for name in action.option_strings}
    common |= set() if parser.prog == "chatmem" else {"--version"}
    rows = []
    for action in parser._actions:
        hidden = action.help == argparse.SUPPRESS or isinstance(
            action, argparse._HelpAction | argparse._SubParsersAction
        )
        shared = parser.prog != "chatmem" and common & set(action.option_strings)
        if not hidden and not shared:
            rows.append((f"`{_typed(action)}`", (action.help or "") % vars(action)))
    return rows


def _typed(action: argparse.Action) -> str:
    value = action.metavar or (action.dest.upper() if action.option_strings else action.dest)
    if action.choices and not action.metavar:
        value = "{" + ",".join(map(str, action.choices)) + "}"
    words = value if isinstance(value, str) else " ".join(value)
    if not action.option_strings:
        return f"[{words}]" if action.nargs in ("?", "*") else words
    names = ", ".join(action.option_strings)
    return names if action.nargs == 0 else f"{names} {words}"


def commands() -> str:
    parts = []
    for parser in all_commands():
        rows = arguments(parser)
        told = (parser.description or "").strip()
        parts.append(f"### `{parser.prog}`\n\n{told}\n" + ("\n" + table(("argument", "meaning"), rows) if rows else ""))
    return "\n".join(parts)


def _code(text: str) -> str:
    return f"`{text}`" if text else ""


def settings_table() -> str:
    taken = {typed for parser in all_commands() for action in parser._actions for typed in action.option_strings}
    rows = []
    for one in settings.describe():
        flag, default = one.flag if one.flag in taken else "", repr(one.default) if one.default != "" else ""
        rows.append((f"`{one.name}`", _code(flag), f"`{one.env}`", _code(default), one.help))
    return table(("key", "flag", "environment", "default", "meaning"), rows)


def slash_commands() -> str:
    return table(("line", "what it does"), [(f"`{one.usage}`", one.help) for one in slash.commands().values()])


PARTS: dict[str, Callable[[], str]] = {
    "commands": commands,
    "settings": settings_table,
    "slash": slash_commands,
    "tools": toolspec.page,
}


def made(text: str) -> str:
    """A page with its made parts made anew."""
    return PART.sub(lambda part: f"{part[1]}{PARTS[part[2]]()}{part[4]}", text)


def main(check: bool) -> int:
    stale = []
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        text = path.read_text(encoding="utf-8")
        anew = made(text)
        if anew != text:
            stale.append(path.relative_to(ROOT))
            if not check:
                path.write_text(anew, encoding="utf-8")
    for path in stale:
        print(f"{path} {'is out of date: run `make docs`' if check else 'written'}")
    return int(check and bool(stale))


if __name__ == "__main__":
    raise SystemExit(main("--check" in sys.argv[1:]))
