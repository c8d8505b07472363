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
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..memory.errors import ChatmemError, InputError, NotFound
from ..memory.values import ASSISTANT
from .metrics import Estimate, contained, wilson

SCRIPTS = Path(__file__).parent / "scripts"
TIMEOUT = 900.0
"""Seconds that one chat may take."""
DEFAULT = (sys.executable, "-m", "chatmem")


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


@dataclass(frozen=True, slots=True)
class Program:
    """How `chatmem` is called, where it keeps its files, and the options of its chats."""

    home: str
    words: tuple[str, ...] = DEFAULT
    options: tuple[str, ...] = ()

    def run(self, words: Sequence[str], text: str = "") -> str:
        """The output of one call. Raises ChatFailed when it ends with an error."""
        env = {**os.environ, "CHATMEM_HOME": self.home}
        try:
            done = subprocess.run(
                [*self.words, *words], input=text, env=env,
                capture_output=True, text=True, encoding="utf-8", timeout=TIMEOUT, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired as error:
            raise ChatFailed(f"`chatmem {words[0]}` took longer than {TIMEOUT:.0f} s; try a smaller model.") from error
        if done.returncode:
            last = (done.stderr.strip().splitlines() or ["no message"])[-1]
            raise ChatFailed(f"`chatmem {' '.join(words[:2])}` ended with code {done.returncode}: {last}")
        return done.stdout

    def chat(self, lines: Sequence[str]) -> list[str]:
        """One whole chat through a pipe, ended with `bye`; the replies in order."""
        out = self.run(["chat", "--json", *self.options], "\n".join([*lines, "bye"]) + "\n")
        events = [json.loads(line) for line in out.splitlines() if line.strip()]
        replies = [str(e["turn"]["text"]) for e in events if e.get("event") == "reply_finished"]
        if len(replies) != len(lines):
            raise ChatFailed(f"The chat gave {len(replies)} replies to {len(lines)} lines; run it by hand to see why.")
        return replies


STAGES = 3
"""Of a script: told, searched, asked."""


def run_script(
    script: Script, program: Sequence[str] | None = None, options: Sequence[str] = (),
    tell: Callable[[int], None] = lambda stage: None,
) -> ChatRun:  # fmt: skip
    """Both sessions and the searches, in processes of their own. `options` go to `chatmem chat`; `tell` is given the
    number of the stage that is done."""
    with tempfile.TemporaryDirectory(prefix="chatmem-eval-") as home:
        chatmem = Program(home, tuple(program or DEFAULT), tuple(options))
        chatmem.chat(script.lines)
        tell(1)
        memories = tuple(str(m["fact"]) for m in json.loads(chatmem.run(["memory", "list", "--json"])))
        found = [_findable(ask, chatmem) for ask in script.asks]  # before the second chat, whose replies it would find
        tell(2)
        replies = chatmem.chat([ask.question for ask in script.asks])
    tell(STAGES)
    asked = [
        Asked(ask, reply, matches(ask.keys, reply), there)
        for ask, reply, there in zip(script.asks, replies, found, strict=True)
    ]
    return ChatRun(script.name, tuple(asked), memories)


def _findable(ask: Ask, chatmem: Program) -> bool:
    recall = json.loads(chatmem.run(["memory", "search", ask.find, "--limit", "5", "--json"]))
    return any(matches(ask.keys, text) for text in _texts(recall))


def _texts(recall: Mapping[str, Any]) -> list[str]:
    """What a search shows of what the person told: each memory's fact with its date and lines, and other lines."""
    from ..models.answer import spoken_date

    texts = []
    for item in recall["items"]:
        memory = item["memory"]
        if memory:
            texts.append(f"{memory['fact']} {spoken_date(memory['happened_on']) if memory['happened_on'] else ''}")
        texts += [turn["text"] for turn in item["turns"] if turn["speaker"] != ASSISTANT]
    return texts


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
