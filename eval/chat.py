"""`chatmem eval chat`: tell it twelve facts in twenty lines, `bye`, start again, ask twelve questions.

Everything runs as a person would run it: `chatmem chat` in two processes of their own on a fresh home folder, then
`chatmem memory search` for each fact. A script is a TOML file: `name`, `lines` (twenty), and twelve `[[ask]]` with
`question`, `keys` (all must stand in the reply; `a|b` are alternatives) and `find` (the words to search for).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..memory.errors import ChatmemError, InputError, NotFound
from .metrics import Estimate, contained, wilson

SCRIPTS = Path(__file__).parent / "scripts"
TIMEOUT = 900.0
"""Seconds that one chat may take."""


class ChatFailed(ChatmemError):
    """The chat process ended with an error; the message holds its last words."""


@dataclass(frozen=True, slots=True)
class Ask:
    """One question, the key words of a right reply, and the words that a person would search for."""

    question: str
    keys: tuple[str, ...]
    find: str


@dataclass(frozen=True, slots=True)
class Script:
    """A talk with its questions."""

    name: str
    lines: tuple[str, ...]
    asks: tuple[Ask, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """What became of one question."""

    ask: Ask
    reply: str
    answered: bool
    found: bool


@dataclass(frozen=True, slots=True)
class ChatRun:
    """One script, run: `memories` are the facts that the first session left behind."""

    script: str
    asked: tuple[Asked, ...]
    memories: tuple[str, ...]


def load_script(path: Path) -> Script:
    """A script from its TOML file. Raises NotFound or InputError."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        asks = tuple(Ask(a["question"], tuple(a["keys"]), a["find"]) for a in data["ask"])
        script = Script(str(data.get("name", path.stem)), tuple(data["lines"]), asks)
    except FileNotFoundError:
        raise NotFound(f"There is no script {path}; those that ship are in {SCRIPTS}.") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, KeyError, TypeError) as error:
        raise InputError(f"{path} is not a chat script ({error!r}); see the ones in {SCRIPTS}.") from error
    if not script.lines or not script.asks or any("\n" in line for line in script.lines):
        raise InputError(f"{path} needs `lines` of one line each and at least one [[ask]].")
    return script


def shipped(group: str) -> list[Path]:
    """The scripts that ship: `dev` to look at while building, `held` only to measure, `all` both."""
    pattern = "*.toml" if group == "all" else f"{group}_*.toml"
    return sorted(SCRIPTS.glob(pattern))


def matches(keys: Sequence[str], text: str) -> bool:
    """Whether every key (or one of its alternatives, parted by `|`) stands in the text."""
    return all(any(contained(option, text) == 1.0 for option in key.split("|")) for key in keys)


def run_script(script: Script, options: Sequence[str] = (), environ: Mapping[str, str] | None = None) -> ChatRun:
    """Both sessions and the searches, in processes of their own. `options` go to `chatmem chat`."""
    with tempfile.TemporaryDirectory(prefix="chatmem-eval-") as home:
        env = {**(os.environ if environ is None else environ), "CHATMEM_HOME": home}
        _chat(script.lines, options, env)
        memories = tuple(str(m["fact"]) for m in _json(["memory", "list", "--json"], env))
        replies = _chat([ask.question for ask in script.asks], options, env)
        asked = [_asked(ask, reply, env) for ask, reply in zip(script.asks, replies, strict=True)]
    return ChatRun(script.name, tuple(asked), memories)


def _asked(ask: Ask, reply: str, env: Mapping[str, str]) -> Asked:
    found = _json(["memory", "search", ask.find, "--limit", "5", "--json"], env)
    return Asked(ask, reply, matches(ask.keys, reply), any(matches(ask.keys, text) for text in _texts(found)))


def _texts(recall: Mapping[str, Any]) -> list[str]:
    """What a search shows: each memory's fact with its date, or the line in which it was said."""
    texts = []
    for item in recall["items"]:
        memory, turns = item["memory"], item["turns"]
        texts.append(f"{memory['fact']} {memory['happened_on'] or ''}" if memory else turns[0]["text"])
    return texts


def _chat(lines: Sequence[str], options: Sequence[str], env: Mapping[str, str]) -> list[str]:
    """One whole chat through a pipe, ended with `bye`; the replies in order."""
    out = _run(["chat", "--json", *options], "\n".join([*lines, "bye"]) + "\n", env)
    events = [json.loads(line) for line in out.splitlines() if line.strip()]
    replies = [str(e["turn"]["text"]) for e in events if e.get("event") == "reply_finished"]
    if len(replies) != len(lines):
        raise ChatFailed(f"The chat gave {len(replies)} replies to {len(lines)} lines; run it by hand to see why.")
    return replies


def _json(words: Sequence[str], env: Mapping[str, str]) -> Any:
    return json.loads(_run(words, "", env))


def _run(words: Sequence[str], text: str, env: Mapping[str, str]) -> str:
    command = [sys.executable, "-m", "chatmem", *words]
    try:
        done = subprocess.run(
            command,
            input=text,
            env=dict(env),
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=TIMEOUT,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise ChatFailed(f"`chatmem {words[0]}` took longer than {TIMEOUT:.0f} s; try a smaller model.") from error
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise ChatFailed(f"`chatmem {' '.join(words[:2])}` ended with code {done.returncode}: {last}")
    return done.stdout


def measures(runs: Sequence[ChatRun]) -> dict[str, Estimate]:
    """Answered and findable, for each script and for all together."""
    table = {}
    for run in runs:
        table[f"answered: {run.script}"] = wilson(sum(a.answered for a in run.asked), len(run.asked))
        table[f"findable: {run.script}"] = wilson(sum(a.found for a in run.asked), len(run.asked))
    asked = [a for run in runs for a in run.asked]
    if len(runs) > 1:
        table["answered: all"] = wilson(sum(a.answered for a in asked), len(asked))
        table["findable: all"] = wilson(sum(a.found for a in asked), len(asked))
    return table
