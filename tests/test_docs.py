"""Undocumented is untrue: what the program offers stands in the docs, and what the docs name exists."""

from __future__ import annotations

import argparse
import importlib.util
import re
import shlex
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

from chatmem import __version__
from chatmem.app import cli
from chatmem.app.chat.slash import registry as slash
from chatmem.app.config import settings
from chatmem.models.storage.checks import SENTENCES

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
SOURCES = [path for floor in ("memory", "models", "eval", "training", "app") for path in (ROOT / floor).rglob("*.py")]


def load_generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_docs", ROOT / "docs" / "make.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


GENERATOR = load_generator()


@pytest.fixture(scope="module")
def parsers() -> list[argparse.ArgumentParser]:
    found: list[argparse.ArgumentParser] = GENERATOR.all_commands()
    return found


def test_the_made_parts_of_the_docs_are_up_to_date() -> None:
    stale = [
        path.name
        for path in PAGES
        if GENERATOR.made(path.read_text(encoding="utf-8")) != path.read_text(encoding="utf-8")
    ]
    assert not stale, "run `make docs`"


def test_every_command_option_setting_and_slash_command_has_its_line(parsers: list[argparse.ArgumentParser]) -> None:
    page = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
    missing = [parser.prog for parser in parsers if f"### `{parser.prog}`" not in page]
    for parser in parsers:
        section = page.partition(f"### `{parser.prog}`\n")[2].partition("\n### ")[0]
        missing += [
            f"{parser.prog} {typed}"
            for typed, _ in GENERATOR.arguments(parser)
            if typed.replace("|", "\\|") not in section
        ]
    missing += [one.name for one in settings.describe() if f"`{one.name}` | " not in page or one.env not in page]
    missing += [one.usage for one in slash.commands().values() if f"`{one.usage}`".replace("|", "\\|") not in page]
    assert not missing


def test_the_settings_name_only_flags_that_a_command_takes(parsers: list[argparse.ArgumentParser]) -> None:
    taken = {typed for parser in parsers for action in parser._actions for typed in action.option_strings}
    named = re.findall(r"^\| `\w+` \| `(--[\w-]+)` \| `CHATMEM_", GENERATOR.settings_table(), flags=re.MULTILINE)
    assert {"--db", "--model", "--theme", "--color"} <= set(named) <= taken


def test_every_argument_says_what_it_means(parsers: list[argparse.ArgumentParser]) -> None:
    mute = [f"{one.prog} {typed}" for one in parsers for typed, told in GENERATOR.arguments(one) if not told.strip()]
    assert not mute


def named_commands() -> list[tuple[str, str]]:
    """Every `chatmem ...` that a page or a message of the program tells people to type, with its place."""
    found = []
    for path in [*PAGES, *SOURCES]:
        text = path.read_text(encoding="utf-8")
        lines = re.findall(r"`(chatmem [^`\n]+)`", text)
        for block in re.findall(r"```(?:sh|console|bash)\n(.*?)```", text, re.DOTALL):
            lines += re.findall(r"^(?:\$ |.*\| )?(chatmem [^|#>\n]+)", block, re.MULTILINE)
        place = path.relative_to(ROOT).as_posix()
        found += [(place, line.strip()) for line in lines if not re.search(r"[{}…]", line)]
    return found


def fault(line: str, parsers: dict[str, argparse.ArgumentParser]) -> str:
    """Why a command line could not be typed; empty when it could. Values are not looked at."""
    name, *words = shlex.split(line)
    while words and f"{name} {words[0]}" in parsers:
        name += f" {words.pop(0)}"
    parser = parsers[name]
    below = any(isinstance(action, argparse._SubParsersAction) for action in parser._actions)
    if below and words and words[0].islower() and not words[0].startswith("-"):
        unknown = [word for word in words[0].split("|") if f"{name} {word}" not in parsers]
        return f"{name} has no command {unknown[0]}" if unknown else ""
    options = {option for action in parser._actions for option in action.option_strings}
    unknown = [word for word in words if word.startswith("--") and word.partition("=")[0] not in options]
    return f"{name} has no option {unknown[0]}" if unknown else ""


def test_commands_that_are_named_exist(parsers: list[argparse.ArgumentParser]) -> None:
    known = {parser.prog: parser for parser in parsers}
    places = named_commands()
    assert len(places) > 20
    wrong = [f"{place}: `{line}`: {why}" for place, line in places if (why := fault(line, known))]
    assert not wrong, "\n".join(wrong)


def test_make_targets_that_are_named_exist() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = {name for path in PAGES for name in re.findall(r"(?:^|`|\$ )make ([a-z]+)", path.read_text(), re.MULTILINE)}
    assert {"chat", "test", "lint", "bench", "docs"} <= named & targets
    assert named <= targets


def test_extras_and_links_that_are_named_exist() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    wrong = []
    for path in PAGES:
        text = path.read_text(encoding="utf-8")
        for names in re.findall(r"(?:chatmem|\.)\[([a-z,]+)\]", text):
            wrong += [f"{path.name}: extra {name}" for name in names.split(",") if name not in extras]
        links = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text)
        wrong += [f"{path.name}: {one}" for one in links if "://" not in one and not (path.parent / one).exists()]
    assert not wrong


def test_files_that_are_named_exist() -> None:
    """But for the log, whose entries name files as they were called then."""
    pattern = re.compile(
        r"(?<![\w/.-])(?:memory|models|eval|training|app|tests|docs|assets)/[\w/-]+\.(?:py|md|toml|yaml)\b"
    )
    cards = (ROOT / "assets").rglob("*.md")
    pages = [path for path in (*PAGES, *SOURCES, *cards) if path.parent != ROOT / "docs" / "log"]
    wrong = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in pages
        for name in pattern.findall(path.read_text(encoding="utf-8"))
        if not (ROOT / name).is_file()
    ]
    assert not wrong, "\n".join(wrong)


def test_every_room_stands_in_the_map_of_the_house() -> None:
    page = (ROOT / "docs" / "design" / "0001-house.md").read_text(encoding="utf-8")
    rooms = {path.parent.relative_to(ROOT).as_posix() for path in SOURCES if path.name == "__init__.py"}
    assert not [room for room in sorted(rooms) if "/" in room and f"| `{room}/` | " not in page]


def test_every_check_of_a_draft_stands_in_its_page() -> None:
    page = (ROOT / "docs" / "design" / "0005-drafts.md").read_text(encoding="utf-8")
    assert not [name for name, told in SENTENCES.items() if f"| `{name}` | {told} |" not in page]


def test_each_design_has_a_number_of_its_own_in_its_name_and_its_title() -> None:
    pages = sorted((ROOT / "docs" / "design").glob("*.md"))
    assert [path.name[:4] for path in pages] == [f"{number:04}" for number in range(1, len(pages) + 1)]
    assert [
        path.name for path in pages if not path.read_text(encoding="utf-8").startswith(f"# {path.name[:4]}: ")
    ] == []


LOG = [path for path in PAGES if path.parent == ROOT / "docs" / "log" and path.name != "README.md"]
OF_THE_LOG = (
    "Newest last. Names of files are those of then; [0001](../design/0001-house.md) has the table of old and new names."
)


def test_each_page_of_the_log_says_what_it_is_and_in_which_order() -> None:
    heads = {path.name: path.read_text(encoding="utf-8").partition("\n## ")[0] for path in LOG}
    assert len(heads) > 10
    assert [name for name, head in heads.items() if not head.startswith("# Log: ")] == []
    assert [name for name, head in heads.items() if not " ".join(head.split()).endswith(OF_THE_LOG)] == []


def test_each_entry_of_the_log_opens_with_its_result_in_one_line() -> None:
    wrong = []
    for path in LOG:
        for entry in re.split(r"^## ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
            title, _, body = entry.partition("\n")
            opening = re.match(r"\n\*\*(.+?)\*\*", body, re.DOTALL)
            told = " ".join(opening[1].split()) if opening else ""
            if not told or len(told) > 200 or not re.search(r"[.!:]$", told):
                wrong.append(f"{path.name}: {title}: {len(told)} letters")
    assert not wrong, "\n".join(wrong)


def test_the_list_in_order_of_time_knows_every_entry_of_the_log_once() -> None:
    listed = re.findall(r"^1\. \[(.+)\]\((\w+\.md)#", (ROOT / "docs" / "log" / "README.md").read_text("utf-8"), re.M)
    there = [(title, path.name) for path in LOG for title in re.findall(r"^## (.+)$", path.read_text("utf-8"), re.M)]
    assert sorted(listed) == sorted(there)


def test_the_changelog_knows_this_version() -> None:
    assert re.search(rf"^## {re.escape(__version__)}\b", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)


def test_help_of_the_program_names_every_command() -> None:
    text = cli.build_parser([]).format_help()
    assert all(f"    {name} " in text for name in cli.COMMANDS)


def test_every_promise_of_the_threat_model_names_a_test_that_there_is() -> None:
    page = (ROOT / "docs" / "design" / "0007-trust.md").read_text(encoding="utf-8")
    named = set(re.findall(r"::(test_\w+)", page))
    defined = {name for path in (ROOT / "tests").rglob("test_*.py")
               for name in re.findall(r"^def (test_\w+)", path.read_text(encoding="utf-8"), re.M)}  # fmt: skip
    assert len(named) > 20 and not named - defined
