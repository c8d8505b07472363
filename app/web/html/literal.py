"""What people wrote, where Gradio would read it as Markdown or HTML: written so that it is shown letter for letter."""

from __future__ import annotations

import re
from html import escape

_MARKS = re.compile(r"[#$%&*+\-/<=>@\[\\\]^_`{|}~\x00-\x1f\x7f]|(?<=[0-9wW])[.)]|(?<!\S) | +$|[^\S ]")
"""What can be markup: `.` and `)` only after a number or www; and all space but one between two words."""

_TICKED = re.compile(r"`([^`\n]+)`")


def literal(text: str) -> str:
    """Markdown that shows `text` as it is, line ends and spaces too.

    Seven digits a character, as nobody writes them: literal.js reads them back where a line is edited or copied.
    """
    return _MARKS.sub(lambda found: "".join(f"&#{ord(one):07};" for one in found[0]), text)


def unticked(text: str) -> str:
    """A message of the program's own without Markdown's marks for code, where nothing reads them."""
    return _TICKED.sub(r"“\1”", text)


def notice(text: str) -> str:
    """HTML that shows `text` as it is, for the messages that come up over the page."""
    return escape(text)
