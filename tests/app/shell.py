"""`chatmem` as a person at a shell runs it, with scripted agents."""

from __future__ import annotations

import argparse
import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from chatmem.app import cli
from chatmem.app.cli import build_parser
from tests.app import warm

PROGRAM = Path(__file__).with_name("scripted_main.py")


@cache
def held_embedder() -> object:
    """The embedder that the commands share, once one of them has asked for it: each would load it anew."""
    from chatmem.models.embedder.minilm import shared_embedder

    return shared_embedder()


@cache
def held_parser(wanted: tuple[str, ...]) -> argparse.ArgumentParser:
    """A parser is the same for every call with these commands, and takes long to make."""
    return build_parser(wanted)


class Shell:
    """Runs `chatmem` with scripted agents in a home of its own."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.db = home / "data" / "chatmem.db"

    def __call__(self, *words: str, stdin: bytes | str = b"", **env: str) -> subprocess.CompletedProcess[str]:
        """A chat runs as a process of its own, what is short in this one: Python takes long to start."""
        done = self._process(words, stdin, env) if {"chat", "resume"} & set(words) or env else self._here(words, stdin)
        assert "Traceback" not in done.stderr, done.stderr
        return done

    def _here(self, words: Sequence[str], stdin: bytes | str) -> subprocess.CompletedProcess[str]:
        out, err = io.StringIO(), io.StringIO()
        data = stdin.encode() if isinstance(stdin, str) else stdin
        with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
            for name in [name for name in os.environ if name.startswith(("CHATMEM", "OPENAI"))]:
                patch.delenv(name)
            patch.setenv("CHATMEM_HOME", str(self.home))
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))
            patch.setattr(
                cli, "build_parser", lambda all_: held_parser(tuple(one for one in cli.COMMANDS if one in all_))
            )
            code = cli.main(words)
        if "chatmem.models.embedder.minilm" in sys.modules:
            held_embedder()
        return subprocess.CompletedProcess(words, code, out.getvalue(), err.getvalue())

    def _process(
        self, words: Sequence[str], stdin: bytes | str, env: Mapping[str, str]
    ) -> subprocess.CompletedProcess[str]:
        data = stdin.encode() if isinstance(stdin, str) else stdin
        command = [*warm.command(), *words]
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("CHATMEM", "OPENAI"))}
        done = subprocess.run(
            command, input=data, capture_output=True, timeout=120, env={**clean, "CHATMEM_HOME": str(self.home), **env}
        )
        return subprocess.CompletedProcess(command, done.returncode, done.stdout.decode(), done.stderr.decode())

    def json(self, *words: str) -> Any:
        done = self(*words, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def fails(self, *words: str, code: int = 1, stdin: bytes | str = b"", **env: str) -> str:
        """The one sentence on stderr of a command that must fail."""
        done = self(*words, stdin=stdin, **env)
        assert done.returncode == code, (done.stdout, done.stderr)
        lines = done.stderr.strip().splitlines()
        assert len(lines) == 1, done.stderr
        assert lines[0].startswith("chatmem: ")
        return lines[0]
