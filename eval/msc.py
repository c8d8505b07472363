"""`chatmem eval msc`: one question about earlier sessions (MSC-Self-Instruct, the "DMR" task).

The earlier sessions go into a fresh store in a temporary folder, with their turns and, when wanted, with memories
(`facts`: `none`, `human` notes, or what the storage `agent` writes). Two things are measured on the best 200 words of
recall: whether the context holds the answer's content words, and whether the model's answer does.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from .loaders import DmrRow, LocomoTalk
from .metrics import Estimate, all_words, bootstrap, half_words, token_f1, wilson
from .person import split_facts, to_third_person

if TYPE_CHECKING:
    from ..memory.store import Store
    from ..memory.values import Recall, Turn, User
    from ..models.lm import LM

ASKER, TELLER = "Speaker 2", "Speaker 1"
"""Speaker 2 asks, Speaker 1 answers from memory."""
WORDS = 200
LIMIT = 40
NOW = "2024-06-12T12:00:00Z"
DAYS = ("2024-04-03", "2024-04-17", "2024-05-08", "2024-05-29", "2024-06-05")


@dataclass(frozen=True, slots=True)
class MscOptions:
    """`answer` and `compare` are specs of answer models; `storage` and `retrieval` of agents (None: not used)."""

    answer: str | None = None
    compare: str | None = None
    storage: str | None = None
    retrieval: str | None = None
    facts: str = "none"
    words: int = WORDS
    threads: int | None = None


@dataclass(frozen=True, slots=True)
class MscPrediction:
    """One row: what was recalled (as the answer model reads it), and the answer of each model by its spec."""

    id: str
    question: str
    gold: str
    context: str
    answers: Mapping[str, str]


def predict(
    rows: Sequence[DmrRow], options: MscOptions, *, tell: Callable[[int], None] = lambda done: None
) -> list[MscPrediction]:
    """Ingests, recalls and answers every row. Raises ModelError."""
    from ..memory.store import Store
    from ..models.embedder import load_embedder
    from .loading import load

    specs = [spec for spec in dict.fromkeys((options.answer, options.compare)) if spec]
    lms = {spec: load(spec, options.threads) for spec in specs}
    agents = {role: load(spec, options.threads) for role, spec in _agents(options)}
    try:
        with (
            tempfile.TemporaryDirectory(prefix="chatmem-eval-") as folder,
            Store.open(Path(folder) / "eval.db", embedder=load_embedder()) as store,
        ):
            done = []
            for number, row in enumerate(rows, 1):
                done.append(_predict(store, row, number, options, lms, agents))
                tell(number)
            return done
    finally:
        for lm in (*lms.values(), *agents.values()):
            lm.close()


def _agents(options: MscOptions) -> Iterator[tuple[str, str]]:
    if options.retrieval:
        yield "retrieval", options.retrieval
    if options.facts == "agent":
        yield "storage", options.storage or "embedded+storage"


def _predict(
    store: Store, row: DmrRow, number: int, options: MscOptions, lms: Mapping[str, LM], agents: Mapping[str, LM]
) -> MscPrediction:
    from ..models.answer import Scene, memory_lines

    user = replace(store.user(f"row-{number}"), called=ASKER)
    ingest(store, user, row, options.facts, agents.get("storage"))
    recall = _recall(store, user, row.question, options.words, agents.get("retrieval"))
    context = memory_lines(recall, Scene(TELLER, ASKER), options.words)
    answers = {spec: _answer(lm, user, recall, row.question, options.words) for spec, lm in lms.items()}
    return MscPrediction(row.id, row.question, row.answer, "\n".join(context), answers)


def ingest(store: Store, user: User, row: DmrRow | LocomoTalk, facts: str = "none", storage: LM | None = None) -> None:
    """Puts the sessions of a row or conversation into the store; a refused write is journaled, not raised."""
    for place, session in enumerate(row.sessions):
        at = session.at or f"{DAYS[min(place, len(DAYS) - 1)]}T12:00:00Z"
        kept = store.start_session(user.id, at=at)
        turns: list[Turn] = []
        for said in session.turns:
            if not said.text.strip():
                continue
            turns.append(store.add_turn(kept.id, said.speaker, " ".join(said.text.split()), said_at=at))
            if facts == "human":
                for fact in split_facts(said.facts) if said.facts.strip() else []:
                    told = to_third_person(fact, said.speaker)
                    store.remember(user.id, said.speaker, "fact", told, turn_ids=[turns[-1].id], said_at=at)
            elif storage is not None:
                _store_line(store, user, turns, storage)
        store.end_session(kept.id, at=at)
    store.embed_pending(user.id, limit=10_000)


def _store_line(store: Store, user: User, turns: Sequence[Turn], lm: LM) -> None:
    from ..memory.values import Author
    from ..models.prompts import Line
    from ..models.storage import StorageAgent

    turn = turns[-1]
    before = [Line(t.speaker, t.text) for t in turns[-3:-1]]
    sql = StorageAgent(lm, store).propose(before, Line(turn.speaker, turn.text))
    author = Author("agent:storage", lm.name, lm.adapter)
    store.write(user.id, sql, author=author, turn_ids=[turn.id], subjects=[turn.speaker], said_at=turn.said_at)


def _recall(store: Store, user: User, question: str, words: int, retrieval: LM | None) -> Recall:
    if retrieval is None:
        return store.search(user.id, question, limit=LIMIT, now=NOW, speaker=ASKER, word_budget=words)
    from ..models.retrieval import RetrievalAgent

    found: Recall = RetrievalAgent(retrieval, store).recall(user, question, now=NOW, asker=ASKER)
    return found


def _answer(lm: LM, user: User, recall: Recall, question: str, words: int) -> str:
    from ..models.answer import AnswerAgent

    agent = AnswerAgent(lm, words=words, me=TELLER)
    return "".join(chunk.text for chunk in agent.reply(user, recall, [], question, NOW)).strip()


def measures(done: Sequence[MscPrediction]) -> dict[str, Estimate]:
    """Containment of the gold answer's content words in the context and in each model's answer."""
    n = len(done)
    table = {
        "context, all words": wilson(sum(all_words(p.gold, p.context) for p in done), n),
        "context, half": wilson(sum(half_words(p.gold, p.context) for p in done), n),
        "words of context": bootstrap([float(len(p.context.split())) for p in done]),
    }
    for spec in done[0].answers if done else ():
        said = [(p.gold, p.answers[spec]) for p in done]
        table[f"answer, all words: {spec}"] = wilson(sum(all_words(gold, text) for gold, text in said), n)
        table[f"answer, half: {spec}"] = wilson(sum(half_words(gold, text) for gold, text in said), n)
        table[f"answer, token F1: {spec}"] = bootstrap([token_f1(text, gold) for gold, text in said])
        table[f"answer, words: {spec}"] = bootstrap([float(len(text.split())) for _, text in said])
    return table
