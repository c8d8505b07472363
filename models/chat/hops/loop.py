"""The loop: the model says which tool it wants, the tool is run, what it told is noted, until it finishes.

A model that knows tools calls them; others write a call as JSON, held to it by a grammar. The small model that comes
with chatmem plans nothing: its steps are a search, further ones with names and dates of what that found, and the reply.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ....memory.errors import EndpointError
from ....memory.values import Author, Hop, Moment, Recall, RecallItem, User
from ...backends.endpoint.lm import OpenAILM
from ...files.profiles.profile import profile_of
from ...lm import LM, Message, Options, complete
from .second import fused, queries
from .state import Condensed, State
from .tools import FOUND, TOOLS, Told, Toolset, Wanted, grammar, json_schema, native_tools

if TYPE_CHECKING:
    from ....memory.store.store import Store

STEPS, FEW = 12, 3
"""Most steps of a model that plans, and of one that doesn't."""
CALL_TOKENS = 400
"""Tokens of one call; an answer is one."""
FRAME = 600
"""Tokens of a prompt beside the state."""
ACTOR = "agent:hops"
GUIDE = """You answer a question from a person's memory, step by step. Each step is one call of a tool:
search: find facts and lines; ask for one thing at a time, by the names and dates that you found before.
sql: one SELECT on memory(id, subject, topic, fact, happened_on, said_at) or lines(id, speaker, text, said_at, session),
for what is counted, listed or dated.
sessions: read a session by its id; 0 lists them.
add_insight: keep what follows from several things found, with their ids (f12 a fact, l34 a line) and a certainty.
finish: the answer, in one or two sentences to the person who asks, as soon as what was found tells it; where the memory
doesn't tell it, say so."""


@dataclass(frozen=True, slots=True)
class Stepped:
    """A step is done."""

    hop: Hop


@dataclass(frozen=True, slots=True)
class Looked:
    """The end: what was recalled, with its path, and the answer (empty: the answer agent is to reply)."""

    recall: Recall
    answer: str = ""
    insights: tuple[int, ...] = ()
    """The journal entries of what was concluded on the way."""


Happened = Stepped | Condensed | Looked


@dataclass
class _Run:
    """One look-up at work."""

    tools: Toolset
    question: str
    hops: list[Hop] = field(default_factory=list)
    found: list[tuple[RecallItem, ...]] = field(default_factory=list)

    def did(self, tool: str, asked: str, told: Told, begin: float) -> Stepped:
        """Notes a step."""
        seconds = round(time.perf_counter() - begin, 4)
        self.hops.append(Hop(len(self.hops) + 1, tool, asked, told.brief, told.failed, seconds))
        if told.items:
            self.found.append(told.items)
        return Stepped(self.hops[-1])

    def recall(self) -> Recall:
        items = fused(self.found[0], self.found[1:]) if self.found else ()
        took = {"hops": sum(hop.seconds for hop in self.hops)}
        return Recall(self.question, items, hops=tuple(self.hops), seconds=took)


class Hopper:
    """Looks things up in several steps. `lm`: None for search alone, as with a model that reads no instructions.

    `budget`: most tokens of the state, never above the model's window. `writes`: whether insights may be kept;
    `depth`: things that a search brings.
    """

    def __init__(
        self,
        lm: LM | None,
        store: Store,
        *,
        budget: int = 20_000,
        steps: int = STEPS,
        writes: bool = True,
        depth: int = FOUND,
    ) -> None:
        self.lm = lm if lm is not None and profile_of(lm).capable else None
        self.store, self.budget, self.writes, self.depth = store, budget, writes, depth
        self._native = True
        self.steps = min(steps, STEPS if self.lm is not None else FEW)

    def run(
        self, user: User, question: str, *, now: Moment, first: Recall | None = None, begun: int = 0
    ) -> Iterator[Happened]:
        """The steps as they are done, and `Looked` at the end. `first`: what the one recall brought, which is step one;
        `begun`: the line that is being answered. Closing it stops it. Raises ModelError."""
        lm = self.lm
        author = Author(ACTOR, lm.name if lm else None, lm.adapter if lm else None)
        run = _Run(Toolset(self.store, user, now, author, begun, self.writes, self.depth), question)
        begin = time.perf_counter()
        told = run.tools.call(Wanted("search", {"query": question[:2_000]}))
        if first is not None:  # what the chat's own recall brought stands first: it knows what is no evidence
            told = replace(told, items=first.items)
        yield run.did("search", question, told, begin)
        yield from self._planned(run, told, now, lm) if lm is not None else self._by_rule(run, user)

    def _by_rule(self, run: _Run, user: User) -> Iterator[Happened]:
        """Further searches by what the first one found."""
        begin, first = time.perf_counter(), run.found[0] if run.found else ()
        asked = queries(self.store, user, run.question, first) if self.steps > 1 else []
        if asked:
            run.found += [run.tools.search(query) for query in asked]
            known = {_key(item) for item in first}
            more = {_key(item) for some in run.found[1:] for item in some} - known
            words = "; ".join(query[len(run.question.rstrip("?")) :].strip() for query in asked)
            yield run.did("search", f"by what it told of: {words}", Told("", f"{len(more)} more"), begin)
        yield Looked(run.recall())

    def _planned(self, run: _Run, told: Told, now: Moment, lm: LM) -> Iterator[Happened]:
        """Steps as the model wants them; the last one can only finish."""
        state = State(lm, run.question, max(256, min(self.budget, lm.context_tokens - CALL_TOKENS) - FRAME))
        state.notes.append(_note(run.hops[-1], told.note))
        while True:
            squeezed = list(state.fit())
            if squeezed:
                yield Condensed(squeezed[0].before, squeezed[-1].after, sum(one.dropped for one in squeezed))
            last = len(run.hops) + 1 >= self.steps
            for wanted in self._wanted(lm, state, now, len(run.hops) + 1, last):
                begin = time.perf_counter()
                if wanted.tool == "finish":
                    answer = str(wanted.arguments.get("answer", "")).strip()
                    yield run.did("finish", "", Told("", "answered" if answer else "no answer"), begin)
                    yield Looked(run.recall(), answer, tuple(run.tools.insights))
                    return
                if len(run.hops) + 1 < self.steps:
                    told = run.tools.call(wanted)
                    yield run.did(wanted.tool, wanted.asked, told, begin)
                    state.notes.append(_note(run.hops[-1], told.note))

    def _wanted(self, lm: LM, state: State, now: Moment, number: int, last: bool) -> list[Wanted]:
        """The calls that the model wants next; what can't be read ends the loop, for the answer agent to reply."""
        names = ("finish",) if last else tuple(TOOLS)
        ask = f"{state.text()}\n\nToday is {now[:10]}. Step {number} of {self.steps}" + (": finish." if last else ".")
        calls = self._by_native(lm, ask, names) if isinstance(lm, OpenAILM) else []
        if not calls:
            told = [
                Message("system", f"{GUIDE}\nAnswer with one call as JSON, such as {EXAMPLE}"),
                Message("user", ask),
            ]
            options = Options(max_tokens=CALL_TOKENS, grammar=grammar(names), json_schema=json_schema(names))
            calls = [_read(complete(lm, told, options))]
        return calls if not last else [one for one in calls if one.tool == "finish"] or [Wanted("finish", {})]

    def _by_native(self, lm: OpenAILM, ask: str, names: Sequence[str]) -> list[Wanted]:
        """The model's own calls; none where its server takes no tools, which is tried once."""
        if not self._native:
            return []
        try:
            return _native(lm, ask, names)
        except EndpointError:
            self._native = False  # the next request, with a schema, tells what is wrong if it was something else
            return []


EXAMPLE = '{"tool": "search", "query": "Ana sister wedding 2023"}'


def _native(lm: OpenAILM, ask: str, names: Sequence[str]) -> list[Wanted]:
    """The model's own tool calls; plain text is its answer. Raises EndpointError."""
    from ...editor.native import ask as ask_with_tools

    messages: list[dict[str, Any]] = [{"role": "system", "content": GUIDE}, {"role": "user", "content": ask}]
    text, calls = ask_with_tools(lm, messages, native_tools(names))
    found = [Wanted(one.name, _object(one.arguments)) for one in calls]
    return found or [Wanted("finish", {"answer": text})]


def _read(text: str) -> Wanted:
    """A call that was written as JSON; what is none finishes without an answer."""
    call = _object(text)
    tool = call.pop("tool", None)
    known = TOOLS[tool][1] if isinstance(tool, str) and tool in TOOLS else None
    if known is None:
        return Wanted("finish", {})
    return Wanted(str(tool), {key: value for key, value in call.items() if key in known})


def _object(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _note(hop: Hop, told: str) -> str:
    return f"Step {hop.number}, {hop.tool}: {hop.asked}\n{told}"


def _key(item: RecallItem) -> tuple[str, int]:
    return ("fact", item.memory.id) if item.memory else ("line", item.turns[0].id)
