"""The page's own words: what an empty talk says, and the tab Help."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ...chat.slash import registry

EMPTY = """\
**Just talk.** What is worth remembering is written as SQL and shows up in the memory, marked + and ~.

Under each reply stands what was written, with Undo and Edit; the tab **Why** shows what a reply was built on.

The tab **Help** lists keys and commands. {kept}"""
KEPT = "It all stays on this machine."
KEPT_APART = "Nobody else who signs in sees any of it."
KEYS = """\
| Key | |
| --- | --- |
| Enter | send |
| Shift+Enter | a new line |
| ↑ ↓ | in the empty field: lines typed before |
| Esc | shut the open form, question or history; stop the reply (what is shown of it is kept) |"""
PLACES = """\
| Where | What is there |
| --- | --- |
| The address | names the session: reload, back, forward and bookmarks bring it |
| Sessions | go on in one, rename, export as Markdown, delete |
| Under a reply | its writes: + came, ~ changed, - went, each with Undo and Edit; one button undoes all of a line |
| The last line | buttons to say it anew or get another reply; what was written from it is undone first |
| The memory | search, order, filter, edit, pin (every reply sees it), history, and forget, which erases for good |
| Ticked memories | forget them together, or save them as a table or as Markdown |
| Why, Prompt, Journal | what the last reply was built on, its exact prompt, the last 50 writes with their SQL |
| SQL | questions to your memory; with the switch on also writes, which pass the guard and can be undone |
| Files | export all of it; import shows first what it would do |
| Settings | incognito, light or dark, how much goes into a prompt, the models |"""
COMMANDS = """\
What begins with a slash is a command, so are `bye` and `reset` alone on a line. All else is talk; `//` sends one slash.

| Command | What it does |
| --- | --- |"""


def empty(*, signed_in: bool) -> str:
    """What the talk says before the first line."""
    return EMPTY.format(kept=KEPT_APART if signed_in else KEPT)


def guide(closed: Collection[str]) -> str:
    """Keys, places and commands as Markdown; `closed` commands are not offered here."""
    rows = [_row(f"`{one.usage}`", one.help) for one in registry.commands().values() if one.name not in closed]
    return "\n\n".join((KEYS, PLACES, "\n".join((COMMANDS, *rows))))


def _row(*cells: str) -> str:
    escaped: Sequence[str] = [cell.replace("|", "\\|") for cell in cells]
    return f"| {' | '.join(escaped)} |"
