"""`chatmem eval chat`: tell it twelve facts in twenty lines, `bye`, start again, ask twelve questions.

Everything runs as a person would run it: `chatmem chat` in two processes of their own on a fresh home folder, then
`chatmem memory search` for each fact. `talks/script.py` tells what a script is; one of trust is right when all of its
checks are: the replies, and what the memory holds and doesn't when the talk is over.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from ...memory.values import ASSISTANT
from ..measures.intervals import Estimate, wilson
from .talks.moments import filled, moments
from .talks.program import DEFAULT, Program, Tell
from .talks.script import Script, ScriptQuestion, matches, with_ids


@dataclass(frozen=True, slots=True)
class ScriptReply:
    """What became of one question; `found`: whether a search finds the answer (None: nothing was searched)."""

    ask: ScriptQuestion
    reply: str
    answered: bool
    found: bool | None
    faults: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ChatRun:
    """One script, run: `memories` are the facts that the first session left behind, `faults` what is wrong with them;
    `trust`: the script is right or wrong as a whole."""

    script: str
    asked: tuple[ScriptReply, ...]
    memories: tuple[str, ...]
    faults: tuple[str, ...] = ()
    about: str = ""
    trust: bool = False

    @property
    def right(self) -> bool:
        return not self.faults and all(asked.answered for asked in self.asked)

    def all_faults(self) -> Iterator[str]:
        """What is wrong with the memories and the replies, each with where it is."""
        yield from self.faults
        for number, asked in enumerate(self.asked, 1):
            yield from (f"question {number}, {fault}" for fault in asked.faults)


def steps(script: Script) -> int:
    """How many steps `run_script` tells of: lines told, facts searched for, questions asked."""
    return len(script.lines) + sum(bool(ask.find) for ask in script.asks) + len(script.asks)


def run_script(
    script: Script, program: Sequence[str] | None = None, options: Sequence[str] = (), tell: Tell = lambda done: None
) -> ChatRun:  # fmt: skip
    """Both sessions and the searches, in processes of their own. `options` go to `chatmem chat`; `tell` is given the
    number of `steps` that are done."""
    days = moments(date.today())
    script = script.changed(lambda text: filled(text, days))
    searched = [ask for ask in script.asks if ask.find]
    with tempfile.TemporaryDirectory(prefix="chatmem-eval-") as home:
        chatmem = Program(home, tuple(program or DEFAULT), tuple(options))
        _tell_lines(script, chatmem, tell)
        memories = list(_current(chatmem).values())
        found: dict[ScriptQuestion, bool] = {}  # before the second chat, whose replies a search would find
        for number, ask in enumerate(searched, len(script.lines) + 1):
            found[ask] = _findable(ask, chatmem)
            tell(number)
        questions = [ask.question for ask in script.asks]
        told = _after(len(script.lines) + len(searched), tell)
        replies = chatmem.chat(questions, told, commands=script.trust)
    asked = []
    for ask, reply in zip(script.asks, replies, strict=True):
        faults = ask.faults(reply)
        asked.append(ScriptReply(ask, reply, not faults, found.get(ask), faults))
    facts = tuple(str(memory["fact"]) for memory in memories)
    faults = script.faults([_dated(memory) for memory in memories])
    return ChatRun(script.name, tuple(asked), facts, faults, script.about, script.trust)


def _tell_lines(script: Script, chatmem: Program, tell: Tell) -> None:
    """The whole talk, chat after chat: one that forgets by numbers needs those of what was told before."""
    done = 0
    for number, lines in enumerate(script.chats()):
        texts = {one: _dated(memory) for one, memory in _current(chatmem).items()} if number else {}
        told = [with_ids(line, texts) for line in lines]
        chatmem.chat(told, _after(done, tell), commands=script.trust)
        done += len(lines)
        if script.trust:
            tell(done)


def _after(before: int, tell: Tell) -> Callable[[int], None]:
    return lambda done: tell(before + done)


def _current(chatmem: Program) -> dict[int, Mapping[str, Any]]:
    return {int(memory["id"]): memory for memory in json.loads(chatmem.run(["memory", "list", "--json"]))}


def _findable(ask: ScriptQuestion, chatmem: Program) -> bool:
    recall = json.loads(chatmem.run(["memory", "search", ask.find, "--limit", "5", "--json"]))
    return any(matches(ask.keys, text) for text in _texts(recall))


def _texts(recall: Mapping[str, Any]) -> list[str]:
    """What a search shows of what the person told: each memory's fact with its date and lines, and other lines."""
    texts = []
    for item in recall["items"]:
        if item["memory"]:
            texts.append(_dated(item["memory"]))
        texts += [turn["text"] for turn in item["turns"] if turn["speaker"] != ASSISTANT]
    return texts


def _dated(memory: Mapping[str, Any]) -> str:
    """A memory's fact with its date as people say it."""
    from ...models.chat.answer import spoken_date

    return f"{memory['fact']} {spoken_date(memory['happened_on']) if memory['happened_on'] else ''}"


def measures(runs: Sequence[ChatRun]) -> dict[str, Estimate]:
    """Answered and findable, for each script and for all together; of trust scripts, how many are right as a whole,
    by what may go wrong in them, and the parts of that."""
    table, told = {}, [run for run in runs if not run.trust]
    for run in told:
        table[f"answered: {run.script}"] = wilson(sum(a.answered for a in run.asked), len(run.asked))
        table |= _found(f"findable: {run.script}", [run])
    if len(told) > 1:
        asked = [a for run in told for a in run.asked]
        table["answered: all"] = wilson(sum(a.answered for a in asked), len(asked))
        table |= _found("findable: all", told)
    return table | _trust([run for run in runs if run.trust])


def _found(name: str, runs: Sequence[ChatRun]) -> dict[str, Estimate]:
    found = [a.found for run in runs for a in run.asked if a.found is not None]
    return {name: wilson(sum(found), len(found))} if found else {}


def _trust(runs: Sequence[ChatRun]) -> dict[str, Estimate]:
    if not runs:
        return {}
    asked = [a for run in runs for a in run.asked]
    table = {
        "scripts right": wilson(sum(run.right for run in runs), len(runs)),
        "memories right": wilson(sum(not run.faults for run in runs), len(runs)),
        "replies right": wilson(sum(a.answered for a in asked), len(asked)),
    }
    for about in dict.fromkeys(run.about for run in runs if run.about):
        some = [run.right for run in runs if run.about == about]
        table[f"scripts right: {about}"] = wilson(sum(some), len(some))
    return table
