"""`chatmem`, with scripted agents in place of the models: what the tests run as a process of its own.

SCRIPT_DELAY is the seconds between two words of a reply, SCRIPT_WORDS how many words it has, SCRIPT_AGAIN how soon a
second Ctrl+C must follow the first.
"""

from __future__ import annotations

import io
import os
import sys
import tempfile
import threading
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from chatmem.app import cli  # noqa: E402
from chatmem.app.line import ctrl_c, line_chat  # noqa: E402
from tests.app.script import Script  # noqa: E402

TALK = b"fact: Ana has two cats.\nwhat of the cats?\n/memory\nbye\n"


class Loader(Script):
    def __init__(self, settings: object, open_store: object) -> None:
        words = int(os.environ.get("SCRIPT_WORDS", "4"))
        super().__init__(open_store, words=[f"word{n} " for n in range(words)])  # type: ignore[arg-type]
        self.delay = float(os.environ.get("SCRIPT_DELAY", "0"))

    def begin(self) -> None:
        return

    def check(self) -> None:
        return


def rehearse() -> None:
    """A chat in this process, so that no fork of it compiles a pattern or a statement again; it leaves no thread."""
    with tempfile.TemporaryDirectory() as home:
        os.environ["CHATMEM_HOME"] = home
        sys.argv[1:] = ["chat"]
        sys.stdin = io.TextIOWrapper(io.BytesIO(TALK), "utf-8")
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            assert main() == 0
    assert threading.active_count() == 1, "threads are lost in a fork"


def main() -> int:
    line_chat.AgentLoader = Loader  # type: ignore[assignment, misc]
    ctrl_c.AGAIN_SECONDS = float(os.environ.get("SCRIPT_AGAIN", ctrl_c.AGAIN_SECONDS))
    return cli.main()


if __name__ == "__main__":
    raise SystemExit(main())
