"""The live table of a run: every number of the newest step, what was measured last, speed and the time that is left."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from .processes import ranks

if TYPE_CHECKING:
    from .loop import Progress, TrainingRun

SMOOTH = 20
"""Steps that a shown mean goes over; single batches jump."""


def follow(run: TrainingRun, report: Callable[[Progress], None] = lambda at: None) -> None:
    """Runs the training to its end and shows it on stderr; an interruption saves a checkpoint first."""
    from rich.console import Console
    from rich.live import Live

    if not ranks().main:
        run.run(lambda _: None)
        return
    console = Console(stderr=True)
    shown = _Shown()
    try:
        with Live(console=console, refresh_per_second=2, transient=True) as live:

            def tell(at: Progress) -> None:
                shown.take(at)
                report(at)
                if console.is_terminal:
                    live.update(shown.table())
                elif at.step % 10 == 0 or at.measures:
                    print(shown.line(), file=sys.stderr, flush=True)

            run.run(tell)
    except KeyboardInterrupt:
        run.save()
        console.print(f"stopped at step {run.step}; go on with --resume --out {run.config.out}")
        raise
    if shown.last is not None:
        console.print(shown.line(), soft_wrap=True)


class _Shown:
    def __init__(self) -> None:
        self.last: Progress | None = None
        self.begin: tuple[int, int, float] | None = None
        self.recent: deque[Mapping[str, float]] = deque(maxlen=SMOOTH)
        self.measured: dict[str, float] = {}

    def take(self, at: Progress) -> None:
        self.begin = self.begin or (at.step - 1, 0, 0.0)
        self.last = at
        self.recent.append({"loss": at.loss, **at.terms})
        if at.valid_loss is not None:
            self.measured["loss"] = at.valid_loss
        self.measured |= at.measures

    def means(self) -> dict[str, float]:
        names = dict.fromkeys(name for row in self.recent for name in row)
        held = {name: [row[name] for row in self.recent if name in row] for name in names}
        return {name: sum(values) / len(values) for name, values in held.items()}

    def pace(self) -> tuple[float, str]:
        assert self.last is not None
        at = self.last
        left = at.seconds / max(at.step, 1) * max(0, at.of - at.step)
        minutes, seconds = divmod(round(left), 60)
        return at.tokens / max(at.seconds, 1e-9), f"{minutes}:{seconds:02}"

    def line(self) -> str:
        assert self.last is not None
        rate, left = self.pace()
        parts = [f"step {self.last.step}/{self.last.of}", *(f"{n} {v:.3f}" for n, v in self.means().items())]
        parts += [f"held-back {name} {value:.3f}" for name, value in self.measured.items()]
        return ", ".join([*parts, f"{rate:.0f} tokens/s, {left} left"])

    def table(self) -> Any:
        from rich.table import Table

        assert self.last is not None
        rate, left = self.pace()
        table = Table(title=f"step {self.last.step} of {self.last.of}", title_justify="left")
        table.add_column("")
        table.add_column(f"last {len(self.recent)} steps", justify="right")
        table.add_column("held back", justify="right")
        means = self.means()
        for name in dict.fromkeys([*means, *self.measured]):
            cells = [f"{held[name]:.3f}" if name in held else "" for held in (means, self.measured)]
            table.add_row(name, *cells)
        table.add_row("gradient norm", f"{self.last.grad_norm:.2f}", "")
        table.add_row("learning rate", f"{self.last.lr:.1e}", "")
        table.add_row("tokens/s", f"{rate:.0f}", "")
        table.add_row("time left", left, "")
        return table
