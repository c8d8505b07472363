"""The editor's text protocol: a question about one to three rows, and a word or two in answer, held by a grammar.

The adapter is trained on these prompts; a change here needs a new one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...memory.tidy.proposals import Proposal
from ...memory.values import Memory
from ..lm import Message, Options
from ..prompts.messages import one_line

EDITOR_SYSTEM = "Tidy the memory."
LINE_WORDS = 30
"""Words of the line that a row came from that are shown beside it."""
MAX_TOKENS = 64
KEEP = {1: "keep", 2: "both"}
"""The answer that changes nothing, for one row and for two."""
APART = "apart"
"""The answer that changes nothing where rows of one matter could be joined."""
_NAMES = {1: ("Row",), 2: ("Older", "Newer"), 3: ("Older", "Next", "Newer")}
WHOLE = frozenset({*KEEP.values(), APART, "same", "changed", "drop", "split", "join"})
"""Answers that nothing can follow."""
GUIDE = """\
You tidy a memory of facts. You are shown one row or two, with what was said, and answer with one word of the choice:
both (both facts hold), same (they say the same thing in other words), changed (the newer one replaces the older one);
keep, drop (no lasting fact: small talk, a mood, a greeting), split (it holds several facts), "topic NAME" (it belongs
under that other topic) or "say FACT" (a better, self-contained sentence from what was said). When unsure, keep."""
GUIDE_JOIN = """
"join" makes one row of rows that tell of one matter and keeps all of their words; "apart" leaves them as they are."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What to do: `same`, `changed`, `drop`, `split`, `say`, `topic`, `join` or `keep`; `text`: the fact or topic."""

    act: str
    text: str = ""


def keep_word(proposal: Proposal) -> str:
    """The answer that changes nothing."""
    return APART if "join" in proposal.offers else KEEP[len(proposal.rows)]


def editor_messages(
    proposal: Proposal, lines: Mapping[int, Sequence[str]], guide: bool = False, asked: str = ""
) -> list[Message]:  # fmt: skip
    """The question about a proposal; `lines` by row id. `guide`: with the rules, for a model without the adapter;
    `asked`: a question that the memory is to answer, where one is known."""
    rows = proposal.rows
    named = zip(_NAMES[len(rows)], rows, strict=True)
    parts = [f"{name} [{row.topic}]: {one_line(row.fact, 40)}" for name, row in named]
    parts.append(f"Said: {_said(rows[-1], lines)}")
    if proposal.topics:
        parts.append(f"Topics: {', '.join(proposal.topics)}")
    if asked:
        parts.append(f"Asked: {one_line(asked)}")
    choice = [keep_word(proposal), *proposal.offers]
    parts.append(f"{', '.join(choice[:-1])} or {choice[-1]}?".capitalize())
    rules = f"{GUIDE}{GUIDE_JOIN}" if "join" in proposal.offers else GUIDE
    return [Message("system", rules if guide else EDITOR_SYSTEM), Message("user", "\n".join(parts))]


def _said(row: Memory, lines: Mapping[int, Sequence[str]]) -> str:
    """The newest line; of a row without any (typed by hand) the fact: the adapter has always seen one."""
    texts = lines.get(row.id, ()) or (row.fact,)
    return one_line(texts[-1], LINE_WORDS)


def editor_options(proposal: Proposal) -> Options:
    """Decoding that can answer with nothing but one of the choices."""
    return _options(keep_word(proposal), proposal.offers, proposal.topics, proposal.rows[0].subject)


def options_of(question: str) -> Options:
    """The same, from the words of the question alone: what a trainer that only has the prompt decodes with."""
    last = question.lower().split("\n")[-1]
    keep, *offers = [word.strip() for part in last.rstrip("?").split(",") for word in part.split(" or ")]
    cased = question.split("\n")
    topics = [line.removeprefix("Topics: ") for line in cased if line.startswith("Topics: ")]
    return _options(keep, offers, topics[0].split(", ") if topics else (), None)


def _options(keep: str, offers: Sequence[str], topics: Sequence[str], subject: str | None) -> Options:
    root = [json.dumps(word) for word in (keep, *(offer for offer in offers if offer not in ("say", "topic")))]
    rules = []
    if "topic" in offers:
        root.append('"topic " name')
        rules.append(f"name ::= {' | '.join(json.dumps(topic, ensure_ascii=False) for topic in topics)}")
    if "say" in offers:
        root.append('"say " fact')
        begin = "[A-Z]" if subject is None else json.dumps(subject, ensure_ascii=False)
        rules.append(f"fact ::= {begin} [^\\x00-\\x1f\\x7f]+")
    grammar = "\n".join([f"root ::= {' | '.join(root)}", *rules]) + "\n"
    return Options(max_tokens=MAX_TOKENS, grammar=grammar, json_schema=DECISION_SCHEMA)


DECISION_SCHEMA = json.dumps(
    {
        "type": "object",
        "properties": {"answer": {"type": "string", "description": "the word of the choice, with its text if any"}},
        "required": ["answer"],
        "additionalProperties": False,
    }
)
"""For endpoints, which know no grammars."""


def read_decision(text: str, proposal: Proposal) -> Decision:
    """The decision in a reply; what is none of the choices keeps everything as it is."""
    text = text.strip()
    if text.startswith("{"):
        try:
            text = str(json.loads(text)["answer"]).strip()
        except (ValueError, KeyError, TypeError, RecursionError):
            return Decision("keep")
    word, _, rest = text.partition(" ")
    act = word.strip(".,:!").lower()
    if act not in proposal.offers or (act == "topic" and rest.strip() not in proposal.topics):
        return Decision("keep")
    return Decision(act, one_line(rest))
