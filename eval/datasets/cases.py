"""What every evaluation asks: a question with its gold answer about a conversation, of whichever data set."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...memory.values import ASSISTANT, Moment
from .beam import BeamTalk
from .locomo import LocomoTalk
from .longmemeval import LongRow
from .msc import DmrRow
from .personamem import PersonaQuestion
from .sessions import Sitting, Utterance

ASKER, TELLER = "Speaker 2", "Speaker 1"
"""In MSC-Self-Instruct, Speaker 2 asks and Speaker 1 answers from memory."""
NOW = "2024-06-12T12:00:00Z"
DAYS = ("2024-04-03", "2024-04-17", "2024-05-08", "2024-05-29", "2024-06-05")
"""Multi-Session Chat tells no dates: its sessions get these, the question is asked at NOW."""
LOCOMO_SPLITS = {
    "test": ("conv-26", "conv-30", "conv-43"),
    "validation": ("conv-49", "conv-50"),
    "train": ("conv-41", "conv-42", "conv-44", "conv-47", "conv-48"),
}


@dataclass(frozen=True, slots=True, eq=False)
class Conversation:
    """A conversation. `asker`: the name of who asks (None: the user), `me`: who answers, `now`: when it is asked."""

    id: str
    sessions: tuple[Sitting, ...]
    asker: str | None = None
    me: str = ASSISTANT
    now: Moment = NOW
    summaries: tuple[str, ...] = ()
    """Official summaries, one a session; empty where the data set has none."""

    @property
    def said(self) -> list[Utterance]:
        """All turns that hold text, in order."""
        return [turn for session in self.sessions for turn in session.turns if turn.text.strip()]


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """One question. `evidence`: ids of turns that hold the answer (empty: the data tells none); `sessions`: ids of
    their sessions where the data tells only these; `abstain`: the right answer is that it isn't known."""

    key: str
    talk: Conversation
    question: str
    gold: str
    category: int | str | None = None
    evidence: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()
    abstain: bool = False
    audited: str | None = None
    """The gold answer as an audit corrected it; `audited_evidence` likewise."""
    audited_evidence: tuple[str, ...] | None = None
    options: tuple[str, ...] = ()
    """To choose from, each beginning with its letter as in "(a) ..."; then the gold is the letter, "(a)"."""

    @property
    def asked(self) -> str:
        """The question as a model is asked it: with its options, where it has some."""
        return with_options(self.question, self.options)


def with_options(question: str, options: Sequence[str]) -> str:
    """A question with the options to choose from."""
    if not options:
        return question
    listed = "\n".join(options)
    return f"{question}\n\nWhich reply fits me best? Answer with its letter alone, such as (a).\n{listed}"


def letters(options: Sequence[str]) -> str | None:
    """A grammar (GBNF) that holds a local model's reply to the letter of an option; None where there are none."""
    named = " | ".join(f'"({chr(97 + place)})"' for place in range(len(options)))
    return f"root ::= {named}\n" if options else None


def msc_cases(rows: Sequence[DmrRow]) -> list[Case]:
    """One question a chat. Rows of the same id (the official ids repeat) keep keys of their own."""
    made, seen = [], dict[str, int]()
    for row in rows:
        seen[row.id] = seen.get(row.id, 0) + 1
        key = row.id if seen[row.id] == 1 else f"{row.id}#{seen[row.id]}"
        sessions = tuple(
            Sitting(
                tuple(replace(turn, id=f"S{number}:{at}") for at, turn in enumerate(session.turns)),
                session.at or f"{DAYS[min(number - 1, len(DAYS) - 1)]}T12:00:00Z",
            )
            for number, session in enumerate(row.sessions, 1)
        )
        made.append(Case(key, Conversation(key, sessions, ASKER, TELLER), row.question, row.answer))
    return made


def locomo_cases(talks: Sequence[LocomoTalk], categories: Sequence[int] = (1, 2, 3, 4, 5)) -> list[Case]:
    """The questions of these categories; a repeated question is asked again, as the official scorer does."""
    made = []
    for talk in talks:
        last = max((session.at for session in talk.sessions if session.at), default=NOW)
        plain = Conversation(talk.id, talk.sessions, now=last, summaries=talk.summaries)
        made += [
            Case(
                f"{talk.id}/{one.place}", plain, one.question, one.answer, one.category, one.evidence,
                abstain=one.category == 5,
            )
            for one in talk.questions
            if one.category in categories
        ]  # fmt: skip
    return made


def long_cases(rows: Sequence[LongRow]) -> list[Case]:
    """LongMemEval's questions, each with sessions of its own."""
    return [
        Case(
            row.id, Conversation(row.id, row.sessions, now=row.asked_at), row.question, row.answer, row.kind,
            row.evidence, row.evidence_sessions, row.abstain,
        )
        for row in rows
    ]  # fmt: skip


def beam_cases(talks: Sequence[BeamTalk]) -> list[Case]:
    """BEAM's questions, but for summaries, for which no line is evidence; the category is the ability's name."""
    made = []
    for talk in talks:
        last = max((session.at for session in talk.sessions if session.at), default=NOW)
        plain = Conversation(talk.id, talk.sessions, now=last)
        made += [
            Case(
                f"{talk.id}/{one.place}", plain, one.question, one.answer, one.ability, one.evidence,
                abstain=one.ability == "abstention",
            )
            for one in talk.questions
            if one.ability != "summarization"
        ]  # fmt: skip
    return made


def persona_cases(rows: Sequence[PersonaQuestion]) -> list[Case]:
    """PersonaMem's questions; those asked at the same point of a chat share its conversation."""
    talks: dict[int, Conversation] = {}
    made = []
    for row in rows:
        name = f"{row.chat}-{sum(len(one.turns) for one in row.sessions)}"
        plain = talks.setdefault(id(row.sessions), Conversation(name, row.sessions))
        made.append(Case(row.id, plain, row.question, row.answer, row.kind, options=row.options))
    return made


def in_split(cases: Sequence[Case], split: str, by_name: bool) -> list[Case]:
    """The cases of a split. LoCoMo's is by the names of its conversations, the others' by a hash of their ids
    (80% train, 10% validation, 10% test), so that a row stays where it is whatever else the file holds."""
    if split == "all":
        return list(cases)
    if by_name:
        return [case for case in cases if case.talk.id in LOCOMO_SPLITS[split]]
    return [case for case in cases if _share(case.talk.id) == split]


def _share(name: str) -> str:
    place = int(hashlib.sha256(name.encode()).hexdigest(), 16) % 10
    return "test" if place == 0 else "validation" if place == 1 else "train"
