"""What other packages bring: back ends, tools and languages, by the entry points that they declare.

A package says in its pyproject.toml what it brings (docs/plugins.md has an example of each):

    [project.entry-points."chatmem.models"]
    echo = "chatmem_echo:load"
"""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points
from typing import Any

from .errors import SettingsError


def names(group: str) -> list[str]:
    """What installed packages bring to a group, in alphabetical order; nothing of theirs is run."""
    return sorted(found.name for found in entry_points(group=group))


def load(group: str, name: str) -> Any:
    """The object behind a name. Raises SettingsError when there is none, or when the package can't be loaded."""
    for found in entry_points(group=group):
        if found.name == name:
            return _loaded(found)
    raise SettingsError(
        f"No installed package brings {name!r} ({group}); there are {', '.join(names(group)) or 'none'}."
    )


def load_all(group: str) -> dict[str, Any]:
    """All objects of a group by name. Raises SettingsError as `load`."""
    return {found.name: _loaded(found) for found in sorted(entry_points(group=group), key=lambda one: one.name)}


def _loaded(found: EntryPoint) -> Any:
    try:
        return found.load()
    except (ImportError, AttributeError, SyntaxError) as error:
        package = found.dist.name if found.dist else found.value
        raise SettingsError(
            f"{package} brings {found.name!r}, but it can't be loaded ({error}): mend or remove it."
        ) from error
