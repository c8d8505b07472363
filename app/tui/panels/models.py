"""Which model does what, and switching one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Input, Static

from ..base.panel import Panel
from ..widgets.row_list import ListRow, RowList

if TYPE_CHECKING:
    from ....models.registry import ModelInfo

ROLES = ("all", "answer", "storage", "retrieval")


@dataclass(frozen=True, slots=True)
class Switch:
    """`role` is to use the model `spec`."""

    role: str
    spec: str


class ModelsPanel(Panel[Switch]):
    """A list of the models on this machine, and a line for any other."""

    TITLE = "Models"
    KEYS = "Ctrl+O role · ↑↓ Enter switch · or type gguf:PATH, hf:NAME, openai:NAME · Esc closes"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+o", "role", "Role", priority=True, show=False),
        Binding("down", "move(1)", priority=True, show=False),
        Binding("up", "move(-1)", priority=True, show=False),
    ]

    def __init__(self, specs: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self._specs, self._role = specs, 0
        self._models: list[ModelInfo] = []

    def body(self) -> ComposeResult:
        yield Static("", id="models-now", markup=False)
        yield Input(placeholder="a model", compact=True, id="spec")
        yield RowList(id="model-rows", empty="…", lit=True)

    def on_mount(self) -> None:
        self._tell()
        self.query_one("#spec").focus()
        self._list()

    def _tell(self) -> None:
        now = "\n".join(f"{role:<10} {spec}" for role, spec in self._specs) or "not loaded yet"
        self.query_one("#models-now", Static).update(Content(f"{now}\nswitch for: {ROLES[self._role]}"))

    def action_role(self) -> None:
        self._role = (self._role + 1) % len(ROLES)
        self._tell()

    @work(thread=True)
    def _list(self) -> None:
        from ....models import registry

        self.app.call_from_thread(self._listed, registry.list_models())

    def _listed(self, models: list[ModelInfo]) -> None:
        if self.is_attached:
            self._models = models
            rows = [
                ListRow(n, model.spec, aside=f"{model.what}{f' · {model.size / 1e6:.0f} MB' if model.size else ''}")
                for n, model in enumerate(models)
            ]
            self.query_one(RowList).fill(rows, empty="None found.")

    def action_move(self, by: int) -> None:
        self.query_one(RowList).action_move(by)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        key = self.query_one(RowList).key
        spec = event.value.strip() or (self._models[key].spec if key is not None else "")
        if spec:
            self.dismiss(Switch(ROLES[self._role], spec))

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        self.dismiss(Switch(ROLES[self._role], self._models[event.key].spec))
