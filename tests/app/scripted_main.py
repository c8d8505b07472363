"""`chatmem`, with scripted agents in place of the models: what the tests run as a process of its own.

SCRIPT_DELAY is the seconds between two words of a reply, SCRIPT_WORDS how many words it has.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from chatmem.app import cli  # noqa: E402
from chatmem.app.line import line_chat  # noqa: E402
from tests.app.script import Script  # noqa: E402


class Loader(Script):
    def __init__(self, settings: object, open_store: object) -> None:
        words = int(os.environ.get("SCRIPT_WORDS", "4"))
        super().__init__(open_store, words=[f"word{n} " for n in range(words)])  # type: ignore[arg-type]
        self.delay = float(os.environ.get("SCRIPT_DELAY", "0"))

    def begin(self) -> None:
        return

    def check(self) -> None:
        return


if __name__ == "__main__":
    line_chat.AgentLoader = Loader  # type: ignore[assignment, misc]
    raise SystemExit(cli.main())
