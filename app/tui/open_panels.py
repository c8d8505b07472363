"""The panels that are laid over the talk: each is asked for by a key or a command, filled, and shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..shown import events as e
from .widgets.conversation import Exchange
from .widgets.shared import Handlers, Stage

if TYPE_CHECKING:
    from ..chat.panels import PromptPart, TimelineStep, Why
    from .panels.models import Switch
    from .panels.sessions import Picked

FIRST_QUERY = "SELECT * FROM memory ORDER BY id DESC LIMIT 20;"


class Desktop:
    """Opens panels; none is imported before it is opened."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self.takes: Handlers = {
            e.Listed: self._listed, e.MemoriesListed: self._memories_listed, e.Explained: self._explained,
            e.Asked: self._asked,
        }  # fmt: skip

    async def _asked(self, event: e.Asked, exchange: Exchange | None) -> None:
        self._stage.ask(event)

    async def _listed(self, event: e.Listed, exchange: Exchange | None) -> None:
        if event.title == "Models":
            self._stage.change(loading=False, models=tuple((str(role), str(spec)) for role, spec in event.rows))
            self._stage.refresh_status()
        await self._stage.talk.table(event)

    async def _memories_listed(self, event: e.MemoriesListed, exchange: Exchange | None) -> None:
        rows = tuple((f"#{m.id}", m.subject, m.topic, m.fact, m.happened_on) for m in event.memories)
        await self._stage.talk.table(e.Listed(event.title, ("", "about", "topic", "fact", "when"), rows, event.empty))

    async def _explained(self, event: e.Explained, exchange: Exchange | None) -> None:
        self.why()

    def why(self) -> None:
        from .panels.why import WhyPage

        self._stage.ask_controller(self._why, lambda why: self._stage.app.push_screen(WhyPage(why)),
                                   "Nothing was looked up yet in this session; say something first.")  # fmt: skip

    def _why(self) -> Why | None:
        from ..chat import panels

        c = self._stage.controller
        return panels.last_why(c.state) if c is not None else None

    def context(self) -> None:
        from .panels.why import ContextPage

        self._stage.ask_controller(self._parts, lambda found: self._stage.app.push_screen(ContextPage(*found)))

    def _parts(self) -> tuple[list[PromptPart], str]:
        """The parts of the last prompt, or why there are none."""
        from ..chat import panels

        c = self._stage.controller
        if c is None:
            return [], panels.NO_PROMPT
        prompt = panels.last_prompt(c.state)
        return (panels.parts(prompt, c.agents.get().count_tokens), "") if prompt else ([], panels.no_prompt(c.state))

    def timeline(self, key: str) -> None:
        from ..chat import panels
        from ..chat.slash.command import number
        from .panels.why import TimelinePage

        found = self._stage.open_memory()
        if found is not None:
            store, user = found

            def read() -> tuple[list[TimelineStep], str]:
                memory = number(key, "memory")
                steps = panels.timeline(store, user, memory)
                return steps, panels.became(store, user, [memory]).get(memory, "")

            self._stage.ask_controller(read, lambda both: self._stage.app.push_screen(TimelinePage(*both)))

    def sessions(self, words: str) -> None:
        from .panels.sessions import SessionsPanel

        found = self._stage.open_memory()
        if found is not None:
            store, user = found
            self._stage.app.push_screen(SessionsPanel(store, user.id, words), self._picked)

    def _picked(self, found: Picked | None) -> None:
        if found is not None:
            self._stage.run_line(f"/resume {found.session_id}")

    def sql(self) -> None:
        from .panels.console import SqlPanel

        found = self._stage.open_memory()
        if found is not None:
            store, user = found
            self._stage.app.push_screen(SqlPanel(store, user.id, FIRST_QUERY))

    def models(self) -> None:
        from .panels.models import ModelsPanel

        state = self._stage.state
        now = (*state.models, ("embedder", self._stage.setup.settings.embedder)) if state.models else state.models
        self._stage.app.push_screen(ModelsPanel(now), self._switched)

    def _switched(self, found: Switch | None) -> None:
        if found is not None:
            self._stage.change(loading=True)
            self._stage.run_line(f"/model {found.role} {found.spec}", "model")

    def help(self) -> None:
        self._help()

    def commands(self) -> None:
        """The help with the commands at its top."""
        self._help(commands_first=True)

    def _help(self, commands_first: bool = False) -> None:
        from .base.keys import parse
        from .panels.why import HelpPage

        keymap = parse(self._stage.setup.settings.keymap)
        self._stage.app.push_screen(HelpPage(keymap, self.usages(), commands_first))

    def usages(self) -> list[tuple[str, str]]:
        """How each slash command is written, and what it does."""
        from ..chat.slash import registry

        return [(command.usage, command.help) for command in registry.commands().values()]

    def settings(self) -> None:
        from .panels.why import SettingsPage

        c = self._stage.controller
        self._stage.app.push_screen(SettingsPage(c.settings if c is not None else self._stage.setup.settings))
