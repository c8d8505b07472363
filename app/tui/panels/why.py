"""The panels that only show: why a reply knew what it knew, a fact's timeline, the exact prompt, help."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from ....memory.values import Turn
from ...config.safe_text import one_line, shown
from ...config.settings import Settings, describe
from ...config.zone import day, minute
from ...shown.render import thrown_line
from ..base.keys import ACTIONS, YES
from ..base.panel import ScrollPage
from ..widgets.sql_colours import coloured

if TYPE_CHECKING:
    from ...chat.panels import PromptPart, TimelineStep, Why, WhyRow

TYPING = (
    ("Enter", "Send"),
    ("Shift+Enter, Ctrl+J", "New line"),
    ("↑ ↓", "Lines typed before"),
    ("Tab", "Finish a /command, after a mere / list them; else to the talk, the chips, the memory"),
    ("Shift+Tab", "From the prompt to the newest chip"),
    ("u e t", "On a chip: undo, edit, timeline"),
    ("e p f t /", "In the memory: edit, pin, forget, timeline, filter (Esc ends it)"),
    (YES.upper(), "Where something is to be erased: yes"),
)
BAR = 24
"""Columns of the longest bar of the context viewer."""


def plain(text: str, classes: str = "") -> Static:
    return Static(Content(shown(text)), classes=classes, markup=False)


def evidence(turns: Sequence[Turn]) -> list[Static]:
    """The lines that a fact came from, with their dates."""
    return [plain(f"{day(turn.said_at)} {turn.speaker}: {one_line(turn.text, 400)}", "evidence") for turn in turns]


class WhyPage(ScrollPage):
    """The SELECT, the rows it and search brought, the lines they came from; what the prompt held is marked."""

    TITLE = "Why: what the last reply was built on"

    def __init__(self, why: Why) -> None:
        super().__init__()
        self._why = why

    def text(self) -> list[Widget]:
        why = self._why
        found: list[Widget] = [plain(f"Looked up for: {one_line(why.query, 300)}", "dim")]
        if why.sql:
            found.append(Static(coloured(shown(why.sql)), classes="sql"))
        if why.refused:
            found.append(plain(f"This SELECT was not run: {why.refused}. Plain search was used.", "warn"))
        found += [plain(text, "dim") for text in why.steps]
        if not why.rows:
            found.append(plain("Nothing was found, so the reply had no memory to build on."))
        for rank, row in enumerate(why.rows, 1):
            found += self._row(rank, row)
        found += [plain(text, "dim") for text in why.left_out]
        found += [plain(f"! thrown away while storing your line: {thrown_line(one)}", "warn") for one in why.thrown]
        return found

    def _row(self, rank: int, row: WhyRow) -> list[Static]:
        mark = "● in context  " if row.in_context else "○ not in the prompt  "
        number = f"#{row.memory.id}  " if row.memory else ""
        head = Text(f"{rank}. ").append(mark, style="green" if row.in_context else "dim")
        head.append(shown(number + row.text), style="default")
        became = [plain(f"~ {row.since}", "evidence tilde")] if row.since else []
        return [
            Static(head, classes="row"), *became, plain(f"found by: {row.found}", "evidence"), *evidence(row.evidence)
        ]  # fmt: skip


class TimelinePage(ScrollPage):
    """All that happened to a fact."""

    TITLE = "Timeline"
    STYLES = {"+": "green", "~": "cyan", "-": "magenta"}  # noqa: RUF012 - a constant

    def __init__(self, steps: Sequence[TimelineStep], since: str = "") -> None:
        """`since`: what became of the memory, when its number is no longer the one that was asked for."""
        super().__init__()
        self._steps, self._since = steps, since

    def text(self) -> list[Widget]:
        found: list[Widget] = [plain(f"~ {self._since}", "row tilde")] if self._since else []
        for step in self._steps:
            style = "dim strike" if step.undone else self.STYLES[step.sign]
            found.append(
                Static(Text(f"{minute(step.at)}  ", style="dim").append(shown(step.text), style=style), classes="row")
            )
            found.append(plain(f"write {step.entry_id} by {step.who}", "evidence"))
            found.append(Static(coloured(one_line(shown(step.sql), 400)), classes="evidence"))
            found += evidence(step.evidence)
        return found


class ContextPage(ScrollPage):
    """The exact prompt of the last reply, part by part, with each part's share of the tokens."""

    TITLE = "Context: the exact prompt of the last reply"

    def __init__(self, parts: Sequence[PromptPart], none: str) -> None:
        """`none`: why there are no parts."""
        super().__init__()
        self._parts, self._none = parts, none

    def text(self) -> list[Widget]:
        if not self._parts:
            return [plain(self._none)]
        whole = sum(part.tokens for part in self._parts)
        found: list[Widget] = [plain(f"{whole} tokens in {len(self._parts)} parts", "dim")]
        for part in self._parts:
            bar = "█" * max(1, round(part.share * BAR))
            head = Text(f"{part.name} ({part.role})  ", style="bold").append(bar, style="cyan")
            found.append(Static(head.append(f" {part.share:.0%}, {part.tokens} tokens", style="dim"), classes="row"))
            found.append(plain(part.text, "evidence"))
        return found


class HelpPage(ScrollPage):
    """Keys and slash commands."""

    TITLE = "Help"

    def __init__(
        self, keymap: dict[str, str], commands: Sequence[tuple[str, str]], commands_first: bool = False
    ) -> None:
        super().__init__()
        self._keymap, self._commands, self._commands_first = keymap, commands, commands_first

    def text(self) -> list[Widget]:
        lines = [*TYPING, *((self._keymap.get(name, key).title(), help) for name, key, help in ACTIONS)]
        keys = 'Keys (the setting `keymap` changes them: keymap = "new=ctrl+e")'
        parts: list[list[Widget]] = [
            [plain(keys, "row"), Static(grid(lines))],
            [plain("Commands; anything else is talk, and // sends a slash", "row"), Static(grid(self._commands))],
        ]
        return [widget for part in (parts[::-1] if self._commands_first else parts) for widget in part]


class SettingsPage(ScrollPage):
    """What is set, and what each setting is."""

    TITLE = "Settings"

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self._settings = settings

    def text(self) -> list[Widget]:
        how = "Set in the config file or the environment, which `chatmem doctor --settings` names, or as options."
        found: list[Widget] = [plain(how, "dim")]
        for setting in describe():
            value = getattr(self._settings, setting.name)
            told = "(empty)" if value in ("", None) else one_line(shown(str(value)), 200)
            found.append(Static(Text(f"{setting.name}  ", style="bold cyan").append(told, style="default")))
            found.append(plain(setting.help, "evidence"))
        return found


def grid(rows: Sequence[tuple[str, str]]) -> Table:
    """Two columns, of which the right one wraps."""
    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold cyan", max_width=30)
    table.add_column()
    for left, right in rows:
        table.add_row(Text(left), Text(right))
    return table
