"""`chatmem` as a person runs it: processes of its own on a home folder, lines in, events out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import IO

from ....memory.errors import ChatmemError

TIMEOUT = 900.0
"""Seconds that one chat may take."""
DEFAULT = (sys.executable, "-m", "chatmem")
Heard = Callable[[str], None]
Tell = Callable[[int], None]


class ChatFailed(ChatmemError):
    """The chat process ended with an error; the message holds its last words."""


@dataclass(frozen=True, slots=True)
class Program:
    """How `chatmem` is called, where it keeps its files, and the options of its chats."""

    home: str
    words: tuple[str, ...] = DEFAULT
    options: tuple[str, ...] = ()

    def run(
        self, words: Sequence[str], text: str = "", heard: Heard = lambda line: None, *, may_fail: bool = False
    ) -> str:
        """The output of one call, each line handed to `heard` as it comes. Raises ChatFailed when it ends with an
        error; code 1 of a call that `may_fail` is none: something that was asked for in it was refused."""
        begin = time.monotonic()
        with tempfile.TemporaryFile("w+", encoding="utf-8") as told, tempfile.TemporaryFile() as errors:
            told.write(text)
            told.seek(0)
            code, lines = self._process(words, told, errors, heard)
            errors.seek(0)
            complaint = errors.read().decode("utf-8", "replace").strip()
        if code and time.monotonic() - begin > TIMEOUT:
            raise ChatFailed(f"`chatmem {words[0]}` took longer than {TIMEOUT:.0f} s; try a smaller model.")
        if code and not (code == 1 and may_fail):
            last = (complaint.splitlines() or ["no message"])[-1]
            raise ChatFailed(f"`chatmem {' '.join(words[:2])}` ended with code {code}: {last}")
        return "".join(lines)

    def _process(self, words: Sequence[str], told: IO[str], errors: IO[bytes], heard: Heard) -> tuple[int, list[str]]:
        env, lines = {**os.environ, "CHATMEM_HOME": self.home}, []
        process = subprocess.Popen(
            [*self.words, *words], stdin=told, stdout=subprocess.PIPE, stderr=errors, env=env, encoding="utf-8"
        )
        clock = threading.Timer(TIMEOUT, process.kill)
        clock.start()
        try:
            assert process.stdout is not None
            for line in process.stdout:
                lines.append(line)
                heard(line)
            return process.wait(), lines
        finally:
            clock.cancel()
            process.kill()
            process.communicate()

    def chat(
        self, lines: Sequence[str], tell: Tell = lambda done: None, *, commands: bool = False
    ) -> list[str]:  # fmt: skip
        """One whole chat through a pipe, ended with `bye`; the reply to each line. `tell` is given their number.

        `commands`: some lines may be commands or answers to what the program asks; what isn't talk has the reply "".
        """
        replies: list[tuple[str, str]] = []
        said = failed = ""

        def heard(line: str) -> None:
            nonlocal said, failed
            event = json.loads(line) if line.strip() else {}
            if event.get("event") == "turn_saved":
                said = str(event["turn"]["text"])
            elif event.get("event") == "failed":
                failed = str(event.get("text", "no message"))
            elif event.get("event") == "reply_finished":
                replies.append((said, str(event["turn"]["text"])))
                tell(len(replies))

        self.run(["chat", "--json", *self.options], "\n".join([*lines, "bye"]) + "\n", heard, may_fail=commands)
        if commands and failed and not replies and any(not line.startswith("/") for line in lines):
            raise ChatFailed(f"The chat gave no reply at all: {failed}")
        if commands:
            return aligned(lines, replies)
        if len(replies) != len(lines):
            raise ChatFailed(f"The chat gave {len(replies)} replies to {len(lines)} lines; run it by hand to see why.")
        return [reply for _, reply in replies]


def aligned(lines: Sequence[str], replies: Sequence[tuple[str, str]]) -> list[str]:
    """For each line the reply that its words were given, in order; "" for a line without one."""
    found, at = [], 0
    plain = [" ".join(text.split()) for text, _ in replies]
    for line in lines:
        there = next((n for n in range(at, len(plain)) if plain[n] == " ".join(line.split())), None)
        found.append("" if there is None else replies[there][1])
        at = at if there is None else there + 1
    return found
