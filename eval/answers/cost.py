"""What a run will ask of its models, counted before it starts: requests, tokens, and the price where it is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...memory.errors import InputError
from ..ranking.answer import CONTEXT
from ..ranking.prompt import LARGE_REPLY, SMALL_REPLY, form_of
from .systems import SUMMARY_TOKENS

if TYPE_CHECKING:
    from ...models.lm import LM
    from ..datasets.cases import Case, Conversation
    from .run import AnswerPlan

FRAME = 60
"""Tokens of a prompt beside memory and question."""
SELECT_PROMPT = 190
"""Tokens: what a first search found, topics, subjects, days."""
STORAGE_PROMPT, STORAGE_REPLY = 350, 60
"""Tokens of a storage request to an endpoint (its guide is most of them), and of the SQL that comes back."""


@dataclass(frozen=True, slots=True)
class Bill:
    """Requests to one model. `read` is an estimate, `write` the most that it may come to."""

    what: str
    requests: int
    read: int
    write: int

    def price(self, per_million: tuple[float, float]) -> float:
        return (self.read * per_million[0] + self.write * per_million[1]) / 1e6

    def sentence(self, per_million: tuple[float, float] | None, local: bool) -> str:
        """For people, before the run."""
        told = f"{self.requests:,} {self.what}: about {self.read:,} tokens to read, at most {self.write:,} to write"
        if local:
            return told + "; on this machine"
        if per_million is None:
            return told + "; its price is unknown: give --price READ,WRITE per million tokens"
        return told + f"; at most about {self.price(per_million):,.2f} at the price that was given"


def answer_bill(plan: AnswerPlan, spec: str, lm: LM, done: set[str]) -> Bill:
    """The answers of a model that are missing. Raises nothing: texts are counted, nothing is asked."""
    from ...models.chat.answer import MAX_TOKENS

    room = lm.context_tokens - MAX_TOKENS
    requests = read = 0
    for talk, cases in plan.talks().items():
        left = [(case, s) for case in cases for s in plan.systems if f"{case.key}|{s}|{spec}" not in done]
        if not left:
            continue
        sizes = _sizes(talk, plan, lm)
        requests += len(left)
        read += sum(
            min(room, sizes.get(s, sizes["recall"]) + lm.count_tokens(case.question) + FRAME) for case, s in left
        )
    return Bill(f"answers by {spec}", requests, read, requests * MAX_TOKENS)


def _sizes(talk: Conversation, plan: AnswerPlan, lm: LM) -> dict[str, int]:
    """Tokens of memory that each system puts into a prompt."""
    text = "\n".join(f"{one.speaker}: {one.text}" for one in talk.said)
    tokens, words = lm.count_tokens(text), max(1, len(text.split()))
    whole = min(tokens, CONTEXT)
    official = sum(lm.count_tokens(one) for one in talk.summaries if plan.summaries == "official")
    return {
        "none": 0, "full": tokens, "sessions": whole, "ranked-sessions": whole,
        "summary": official or len(talk.sessions) * SUMMARY_TOKENS,
        "recall": round(min(plan.words, words) * tokens / words),
    }  # fmt: skip


def storage_bill(talks: Sequence[Conversation], spec: str, lm: LM) -> Bill:
    """The facts of whole conversations, a request a line."""
    lines = [one for talk in talks for one in talk.said if one.speaker != "assistant"]
    read = sum(STORAGE_PROMPT + lm.count_tokens(one.text) for one in lines)
    return Bill(f"lines to store by {spec}", len(lines), read, len(lines) * STORAGE_REPLY)


def retrieval_bill(cases: Sequence[Case], spec: str, lm: LM) -> Bill:
    """The SELECTs, one a question: at most, since plain questions need none."""
    from ...models.prompts.looked import MAX_TOKENS

    read = sum(SELECT_PROMPT + lm.count_tokens(case.question) for case in cases)
    return Bill(f"SELECTs by {spec}", len(cases), read, len(cases) * MAX_TOKENS)


def ranking_bill(plan: AnswerPlan, spec: str, lm: LM, done: set[str]) -> Bill:
    """The rankings of sessions, one a question."""
    left = [case for case in plan.cases if any(key not in done for key, _ in plan.keys(case, "ranked-sessions"))]
    reply = SMALL_REPLY if form_of(lm) == "digest" else LARGE_REPLY
    room = max(0, lm.context_tokens - reply)
    known: dict[Conversation, int] = {}
    for case in left:
        if case.talk not in known:
            known[case.talk] = min(room, lm.count_tokens("\n".join(one.text for one in case.talk.said)))
    return Bill(f"rankings by {spec}", len(left), sum(known[case.talk] for case in left), len(left) * reply)


def bills(plan: AnswerPlan, done: set[str]) -> list[tuple[Bill, bool]]:
    """What is left to be asked of each model, and whether the model is local. Raises ModelError."""
    from contextlib import ExitStack

    from ..runs.models import is_local
    from .run import Cast
    from .systems import WITH_FACTS

    if plan.hopper and "hops" in plan.systems:
        raise InputError("How many steps a model takes can't be told before: leave --hopper out, or run with --num 5.")
    found = []
    with ExitStack() as stack:
        cast = Cast(plan, stack)
        for spec in plan.models:
            found.append((answer_bill(plan, spec, cast.lm(spec), done), is_local(spec)))
        if plan.ranker and "ranked-sessions" in plan.systems:
            found.append((ranking_bill(plan, plan.ranker, cast.lm(plan.ranker), done), is_local(plan.ranker)))
        if plan.facts == "agent" and set(plan.systems) & set(WITH_FACTS):
            left = [case for case in plan.cases if _facts_missing(plan, case, done)]
            talks = list(dict.fromkeys(case.talk for case in left))
            found.append((storage_bill(talks, plan.storage, cast.lm(plan.storage)), is_local(plan.storage)))
            if plan.retrieval:
                lm = cast.lm(plan.retrieval)
                found.append((retrieval_bill(left, plan.retrieval, lm), is_local(plan.retrieval)))
    return [(bill, local) for bill, local in found if bill.requests]


def _facts_missing(plan: AnswerPlan, case: Case, done: set[str]) -> bool:
    from .systems import WITH_FACTS

    return any(key not in done for s in plan.systems if s in WITH_FACTS for key, _ in plan.keys(case, s))
