"""The policy that a run started from, without a second model: its adapter's weights put in for a moment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...memory.errors import InputError

if TYPE_CHECKING:
    from torch import Tensor


class Started:
    """Keeps a copy of the weights; in a run that was resumed they are those of the adapter in `start`."""

    def __init__(self, model: Any, parameters: Sequence[Any], start: Path | None, resumed: bool) -> None:
        self.parameters = parameters
        self._start: list[Tensor] = [p.detach().clone() for p in parameters]
        if resumed:
            self._start = self._starting(model, start)

    @contextmanager
    def policy(self) -> Iterator[None]:
        """Within this, the model is the one that the run started from."""
        now = [p.data for p in self.parameters]
        for parameter, start in zip(self.parameters, self._start, strict=True):
            parameter.data = start
        try:
            yield
        finally:
            for parameter, kept in zip(self.parameters, now, strict=True):
                parameter.data = kept

    def _starting(self, model: Any, start: Path | None) -> list[Tensor]:
        from peft import load_peft_weights, set_peft_model_state_dict

        if start is None:
            raise InputError("This method goes on from an adapter; name it with --start.")
        now = [p.detach().clone() for p in self.parameters]
        set_peft_model_state_dict(model, load_peft_weights(str(start), device="cpu"))
        found = [p.detach().clone() for p in self.parameters]
        for parameter, kept in zip(self.parameters, now, strict=True):
            parameter.data.copy_(kept)
        return found
