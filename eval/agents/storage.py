"""`chatmem eval storage`: what the storage agent writes for turns of Multi-Session Chat, against the human facts.

Each turn is read as in a chat between two people with names of our own, two earlier lines before it, and as the chat
reads a line: one that only asks, or is in others' words, never reaches the model. The agent may write about either.
Its SQL goes through the guard into a real store, and what the store then holds is measured. Several models read the
same turns, so that their difference has an interval of its own.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...memory.language.third_person import to_third_person
from ...memory.values import Turn
from ...models.prompts.tuned import NONE, Prompts
from ..datasets.msc import MscChat
from ..measures.intervals import Estimate, bootstrap, bootstrap_ratio, wilson
from ..measures.text import kept, token_f1
from ..runs.records import Records

if TYPE_CHECKING:
    from ...memory.store.store import Store
    from ...models.lm import LM
    from ...models.storage.agent import StorageAgent
    from ...models.storage.own_evidence import OwnPart
    from ...models.storage.told.scene import Scene

NAMES = (
    "Alba", "Bert", "Cleo", "Dario", "Enid", "Florian", "Gwen", "Hamid", "Iris",
    "Joel", "Keiko", "Lorenzo", "Mabel", "Nico", "Oona", "Pavel", "Renata", "Silas",
)  # fmt: skip
SAID_AT = "2024-06-12T12:00:00Z"
NOTHING = "-- nothing"
BRIEF = 96
"""Most tokens that a model without an adapter may write for a line: it seldom ends by itself, and what it has not said
by then it does not say later. The trained ones have the chat's own limit."""


@dataclass(frozen=True, slots=True)
class StorageCase:
    """One turn to be stored. `fact` is what a human noted, in the third person; empty: nothing to note."""

    key: str
    before: tuple[tuple[str, str], ...]
    speaker: str
    other: str
    text: str
    fact: str


@dataclass(frozen=True, slots=True)
class StoragePrediction:
    """What the agent wrote for a case, and what the store took from it: (subject, topic, fact) rows."""

    case: StorageCase
    sql: str
    rows: tuple[tuple[str, str, str], ...] = ()
    refused: str | None = None
    seconds: float = 0.0

    @property
    def stored(self) -> bool:
        """Whether the agent chose to store something, taken by the guard or not."""
        return self.sql.strip() != NOTHING

    @property
    def fact(self) -> str:
        """All facts it stored, as one text."""
        return " ".join(fact for _, _, fact in self.rows)


def storage_cases(chats: Sequence[MscChat], num: int | None, seed: int) -> list[StorageCase]:
    """`num` turns drawn over all chats (None: every turn); the names of the two speakers are drawn for each chat."""
    cases = [case for chat in chats for case in _cases(chat, random.Random(f"{seed}:{chat.id}"))]
    if num is not None and num < len(cases):
        cases = random.Random(seed).sample(cases, num)
    return cases


def _cases(chat: MscChat, rng: random.Random) -> Iterator[StorageCase]:
    speakers = list(dict.fromkeys(turn.speaker for session in chat.sessions for turn in session.turns))
    names = dict(zip(speakers, rng.sample(NAMES, max(2, len(speakers))), strict=False))
    for number, session in enumerate(chat.sessions, 1):
        lines = [(names[turn.speaker], turn.text) for turn in session.turns]
        for place, turn in enumerate(session.turns):
            name = names[turn.speaker]
            other = next((n for n in names.values() if n != name), "Somebody")
            fact = to_third_person(turn.facts, name, other) if turn.facts.strip() else ""
            yield StorageCase(
                f"{chat.id}/{number}/{place}", tuple(lines[max(0, place - 2) : place]), name, other, turn.text, fact
            )


def predict(
    spec: str, cases: Sequence[StorageCase], records: Records, *,
    threads: int | None = None, max_tokens: int | None = None, prompts: Prompts = NONE,
    tell: Callable[[int], None] = lambda done: None,
) -> list[StoragePrediction]:  # fmt: skip
    """Lets the model of `spec` store every case that has no record yet, and returns all of them in the cases' order.

    `max_tokens`: None for the chat's own limit, or `BRIEF` without an adapter. Raises ModelError; what is done is kept.
    """
    from ...memory.store.store import Store
    from ...models.storage.agent import StorageAgent
    from ...models.storage.reading import MAX_TOKENS
    from ..runs.models import MANY, forgetting, load

    kept_before = records.done
    if any(_key(spec, case) not in kept_before for case in cases):
        lm = load(spec, threads, None, MANY)
        try:
            with (
                tempfile.TemporaryDirectory(prefix="chatmem-eval-") as folder,
                Store.open(Path(folder) / "eval.db") as store,
            ):
                most = max_tokens or (MAX_TOKENS if lm.adapter else BRIEF)
                agent = StorageAgent(lm, store, max_tokens=most, prompt=prompts.of("storage", lm))
                size = _size(lm)
                for at in range(0, len(cases), size):
                    block = cases[at : at + size]
                    if any(_key(spec, case) not in kept_before for case in block):  # else it was read before
                        forgetting(lm)()
                        for one in _predict(agent, store, block, lambda done, at=at: tell(at + done)):  # type: ignore[misc]
                            if _key(spec, one.case) not in kept_before:
                                records.add(_record(spec, one))
        finally:
            lm.close()
    done = {row["key"]: row for row in records.rows}
    return [_read(case, done[_key(spec, case)]) for case in cases]


def _size(lm: LM) -> int:
    """Lines read at once: always the same ones, so that a run which goes on reads as one that was not broken off."""
    from ...models.decoding.batched_work import Bulk
    from ..ingestion.ingest import BLOCK

    return BLOCK if isinstance(lm, Bulk) else 1


def _key(spec: str, case: StorageCase) -> str:
    return f"{spec} {case.key}"


def _record(spec: str, done: StoragePrediction) -> dict[str, Any]:
    case = done.case
    return {
        "key": _key(spec, case), "model": spec, "id": case.key, "speaker": case.speaker, "text": case.text,
        "human": case.fact, "before": case.before, "sql": done.sql, "refused": done.refused, "rows": done.rows,
        "seconds": round(done.seconds, 4),
    }  # fmt: skip


def _read(case: StorageCase, row: Mapping[str, Any]) -> StoragePrediction:
    rows = tuple((str(subject), str(topic), str(fact)) for subject, topic, fact in row["rows"])
    return StoragePrediction(case, row["sql"], rows, row["refused"], row["seconds"])


def _scene(agent: StorageAgent, case: StorageCase, own: OwnPart) -> Scene:
    """What the agent is shown of a case whose line tells something."""
    from ...models.prompts.messages import Line
    from ...models.storage.told.scene import Scene

    before = [Line(who, text) for who, text in case.before]
    line = Line(case.speaker, own.turn.text if own.turn else "")
    return agent.beside(Scene(before, line, [case.speaker, case.other]), own.asked)


def _predict(
    agent: StorageAgent, store: Store, cases: Sequence[StorageCase], tell: Callable[[int], None]
) -> Iterator[StoragePrediction]:
    """`seconds` of lines that are read at once are their share of the block's."""
    from time import perf_counter

    from ...memory.values import Author
    from ...models.prompts.draft import Draft
    from ...models.storage.own_evidence import own_part

    telling = [own_part(Turn(0, 0, 0, case.speaker, case.text, SAID_AT)) for case in cases]
    scenes = [_scene(agent, case, own) for case, own in zip(cases, telling, strict=True) if own.turn is not None]
    start = perf_counter()
    read = iter(agent.propose_all(scenes, tell))
    tell(len(cases))
    seconds = (perf_counter() - start) / len(cases)
    for case, own in zip(cases, telling, strict=True):
        draft = Draft() if own.turn is None else next(read)
        user = store.users.get(case.key)  # a memory of its own for each case: no duplicate is ignored
        about = [case.speaker, case.other]
        result = store.facts.write(
            user.id, draft.sql(), author=Author("agent:storage"), subjects=about, said_at=SAID_AT
        )
        rows = tuple(
            (str(e.after["subject"]), str(e.after["topic"]), str(e.after["fact"])) for e in result.entries if e.after
        )
        sql = draft.text if draft.fault else draft.sql()
        yield StoragePrediction(case, sql, rows, draft.fault or result.refused, seconds)


def measures(done: Sequence[StoragePrediction]) -> dict[str, Estimate]:
    """One estimate per measure; the names say over which turns.

    "facts" are turns with a human fact, "both" those of them for which the agent stored something. The strict measures
    count a turn for which it stored nothing as zero.
    """
    facts = [p for p in done if p.case.fact]
    both = [p for p in facts if p.rows]
    rows = [(p.case, subject, fact) for p in done for subject, _, fact in p.rows]
    right = sum(_is_right(case, subject, fact) for case, subject, fact in rows)
    agreed = sum(_agrees(p) for p in done)
    return {
        "SQL passes the guard": wilson(sum(p.refused is None for p in done), len(done)),
        "right subject": wilson(right, len(rows)),
        "store or not": wilson(agreed, len(done)),
        "stores what is a fact": wilson(sum(p.stored for p in facts), len(facts)),
        "leaves what is none": wilson(sum(not p.stored for p in done if not p.case.fact), len(done) - len(facts)),
        "token F1, both": bootstrap([token_f1(p.fact, p.case.fact) for p in both]),
        "token F1, facts": bootstrap([token_f1(p.fact, p.case.fact) for p in facts]),
        "names and numbers kept, both": _kept(both),
        "names and numbers kept, facts": _kept(facts),
        "seconds a line": bootstrap([p.seconds for p in done]),
    }


def differences(first: Sequence[StoragePrediction], second: Sequence[StoragePrediction]) -> dict[str, Estimate]:
    """Second minus first over the same turns, turns drawn again in pairs."""
    pairs = list(zip(first, second, strict=True))
    facts = [(a, b) for a, b in pairs if a.case.fact]
    table = {
        "store or not": bootstrap([float(_agrees(b)) - float(_agrees(a)) for a, b in pairs]),
        "token F1, facts": bootstrap([token_f1(b.fact, b.case.fact) - token_f1(a.fact, a.case.fact) for a, b in facts]),
    }
    counts = [(_counts(a), _counts(b)) for a, b in facts]
    tops, bottoms = [float(b[0] - a[0]) for a, b in counts], [float(a[1]) for a, _ in counts]
    return table | {"names and numbers kept, facts": bootstrap_ratio(tops, bottoms)}


def _agrees(done: StoragePrediction) -> bool:
    return done.stored == bool(done.case.fact)


def _kept(done: Sequence[StoragePrediction]) -> Estimate:
    counts = [_counts(p) for p in done]
    return bootstrap_ratio([float(hits) for hits, _ in counts], [float(total) for _, total in counts])


def _counts(done: StoragePrediction) -> tuple[int, int]:
    """Names and numbers of the human fact: kept ones, all. The speakers' own stand everywhere, so they don't count."""
    gold = done.case.fact
    for name in (done.case.speaker, done.case.other):
        gold = gold.replace(f"{name}'s", "their").replace(name, "they")
    return kept(gold, done.fact)


def _is_right(case: StorageCase, subject: str, fact: str) -> bool:
    """The row is booked on the speaker, and its sentence tells of the speaker before the other one."""
    speaker, other = fact.find(case.speaker), fact.find(case.other)
    return subject == case.speaker and not (other >= 0 and (speaker < 0 or other < speaker))
