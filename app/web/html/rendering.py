"""Templates, filled in. Whatever is put into one is text, whoever wrote it, and is escaped there."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...config.safe_text import one_line, shown
from ...config.zone import clock, day, minute
from ...shown.render import thrown_line

if TYPE_CHECKING:
    from jinja2 import Environment

TEMPLATES = Path(__file__).with_name("templates")
MOST = 2_000


def render(file: str, part: str, **values: Any) -> str:
    """The macro `part` of `templates/FILE.html` with its arguments, as HTML."""
    return str(getattr(environment().get_template(f"{file}.html").module, part)(**values))


@cache
def environment() -> Environment:
    """Where the templates are kept compiled. A name that a template lacks is an error, not an empty place."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    made = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True, auto_reload=False,
    )  # fmt: skip
    made.filters.update(line=line, shown=shown, json=json.dumps, day=day, minute=minute, thrown_line=thrown_line,
                        clock=clock)  # fmt: skip
    return made


def line(value: object, most: int = MOST) -> str:
    """Anything as one line of text, of at most `most` characters."""
    return one_line(shown(str(value)), most)
