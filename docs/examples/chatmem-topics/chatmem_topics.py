"""A tool of one's own, which `chatmem mcp` offers beside search, remember, forget and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import chatmem
from chatmem.app.assistants.tools import Tool


def count(memory: chatmem.Memory, given: Mapping[str, Any]) -> dict[str, Any]:
    """How many facts there are on each topic, of one person or of all."""
    rows = [row for row in memory.facts() if given.get("subject") in (None, row.subject)]
    return {"topics": dict(Counter(row.topic or "other" for row in rows).most_common())}


TOPICS = Tool(
    name="topics",
    title="What is remembered about",
    description="How many facts the memory holds on each topic.",
    arguments={"subject": {"type": "string", "description": "of one person only, by name"}},
    required=(),
    writes=False,
    run=count,
)
