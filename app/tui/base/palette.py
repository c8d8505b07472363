"""The palette finds a command by its name, by a word of what it does, or by another word for that."""

from __future__ import annotations

from textual.command import Hit, Hits
from textual.content import Content
from textual.system_commands import SystemCommandsProvider

ALSO = {
    "/memory": "facts list topics",
    "/remember": "add note date",
    "/correct": "edit change fix day when",
    "/history": "timeline changes",
    "/forget": "delete remove wipe",
    "/reset": "delete erase remove wipe all",
    "/sql": "topic topics subject date table",
    "/export": "save backup file",
    "/import": "load file restore",
    "/why": "sources evidence",
    "/tidy": "clean duplicates",
    "/bye": "exit quit",
}
"""Words that people type for what a command does and that its name and its help don't hold."""
BY_A_WORD = 0.01
"""Below any match of the name."""


class Everything(SystemCommandsProvider):
    """Names first, then what is found by a word."""

    async def search(self, query: str) -> Hits:
        matcher, wanted = self.matcher(query), query.lower().split()
        for name, help, callback, *_ in self.app.get_system_commands(self.screen):
            if (match := matcher.match(name)) > 0:
                told = Content(name) if "[" in name else matcher.highlight(name)  # "[FILE]" is no markup
                yield Hit(match, told, callback, help=help)
                continue
            words = f"{name} {help} {ALSO.get(name.partition(' ')[0], '')}".lower()
            if wanted and all(any(word.startswith(part) for word in _words(words)) for part in wanted):
                yield Hit(BY_A_WORD, Content(name), callback, help=help)


def _words(text: str) -> list[str]:
    return [word.strip(".,:;()[]/|") for word in text.split()]
