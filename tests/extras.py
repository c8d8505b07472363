"""Libraries that not everybody has, and that take seconds to import: a file asks for one without loading it.

Each process of a run collects every file, and runs the tests of some.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

import pytest


class Later:
    """A module that is imported when something is first asked of it."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("__") or attribute == "_mock_name":  # so pytest asks whatever a file holds what it is
            raise AttributeError(attribute)
        return getattr(import_module(self._name), attribute)


def needed(name: str, reason: str) -> Any:
    """As `pytest.importorskip` for a whole file; what comes back is loaded by the first test that uses it."""
    if find_spec(name.partition(".")[0]) is None:
        pytest.skip(f"could not import {name!r}: {reason}", allow_module_level=True)
    return Later(name)
