"""Whether a storage agent still makes the mistakes that its user put right: pure measures, and asking a model.

A case holds the prompt as the agent saw it, what it wrote then and what the user made of it. A fact that it writes now
is the old mistake when it is nearer to what was put right than to what the user wanted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...models.prompts.draft import Add, Change, read_draft
from ..measures.intervals import Estimate, bootstrap, wilson
from ..measures.text import token_f1

if TYPE_CHECKING:
    from ...models.prompts.messages import Known, Line


@dataclass(frozen=True, slots=True)
class CorrectionCase:
    """One line whose memories a person put right. `written` is the agent's SQL of then, `wanted` what it should be."""

    key: str
    kinds: tuple[str, ...]
    before: tuple[Line, ...]
    line: Line
    known: tuple[Known, ...]
    written: str
    wanted: str


@dataclass(frozen=True, slots=True)
class WrittenChange:
    """What one statement changes: a new row (`memory_id` None), a row's new fact, or a row that goes (empty fact)."""

    topic: str
    fact: str
    memory_id: int | None = None


def told(sql: str) -> list[WrittenChange]:
    """The changes that the storage agent's SQL makes."""
    return [
        WrittenChange(entry.topic, entry.fact) if isinstance(entry, Add)
        else WrittenChange("", (entry.fact or "") if isinstance(entry, Change) else "", entry.id)
        for entry in read_draft(sql)
    ]  # fmt: skip


def repeated(case: CorrectionCase, sql: str) -> bool:
    """Whether the SQL makes the corrected mistake again."""
    then, wanted, now = told(case.written), told(case.wanted), told(sql)
    wrong = [one for one in then if one not in wanted]
    if not wrong:  # something was missed: it is missed again when a wanted fact has no like
        missing = [one for one in wanted if one not in then]
        return any(max((_likeness(one, other) for other in now), default=0.0) < 0.5 for one in missing)
    return any(_is_wrong(one, wrong, wanted) for one in now)


def _is_wrong(one: WrittenChange, wrong: Sequence[WrittenChange], wanted: Sequence[WrittenChange]) -> bool:
    to_wrong = max(_likeness(one, other) for other in wrong)
    to_wanted = max((_likeness(one, other) for other in wanted), default=0.0)
    return to_wrong >= 0.5 and to_wrong > to_wanted


def _likeness(one: WrittenChange, other: WrittenChange) -> float:
    """0 to 1: the same topic (in any case) is half of it, the facts' token F1 the other half."""
    if (one.memory_id is None) != (other.memory_id is None):
        return 0.0
    if one.memory_id is not None:
        return float(one.memory_id == other.memory_id) * token_f1(one.fact, other.fact)
    return 0.5 * (one.topic.casefold() == other.topic.casefold()) + 0.5 * token_f1(one.fact, other.fact)


def predict(
    spec: str, cases: Sequence[CorrectionCase], *,
    threads: int | None = None, tell: Callable[[int], None] = lambda done: None,
) -> list[str]:  # fmt: skip
    """The SQL that the model of `spec` writes for each line. Raises ModelError."""
    import tempfile
    from pathlib import Path

    from ...memory.store.store import Store
    from ...models.storage.agent import StorageAgent
    from ..runs.models import load

    lm = load(spec, threads)
    try:
        with (
            tempfile.TemporaryDirectory(prefix="chatmem-eval-") as folder,
            Store.open(Path(folder) / "eval.db") as store,
        ):
            agent, done = StorageAgent(lm, store), []
            for number, case in enumerate(cases, 1):
                done.append(agent.propose(case.before, case.line, case.known, [case.line.speaker]).sql())
                tell(number)
            return done
    finally:
        lm.close()


def measures(cases: Sequence[CorrectionCase], done: Sequence[str]) -> dict[str, Estimate]:
    """Over all cases, and for each kind of correction; smaller is better for the first measure only."""
    pairs = list(zip(cases, done, strict=True))
    table = {
        "makes the mistake again": _share([repeated(case, sql) for case, sql in pairs]),
        "just as put right": _share([_same(case.wanted, sql) for case, sql in pairs]),
        "token F1 with the right facts": bootstrap([token_f1(_facts(sql), _facts(c.wanted)) for c, sql in pairs]),
    }
    for kind in sorted({kind for case in cases for kind in case.kinds}):
        some = [repeated(case, sql) for case, sql in pairs if kind in case.kinds]
        table[f"makes the mistake again, {kind}"] = _share(some)
    return table


def differences(cases: Sequence[CorrectionCase], first: Sequence[str], second: Sequence[str]) -> dict[str, Estimate]:
    """Second minus first, case by case."""
    return {
        "makes the mistake again": bootstrap(
            [float(repeated(c, b)) - float(repeated(c, a)) for c, a, b in zip(cases, first, second, strict=True)]
        ),
        "just as put right": bootstrap(
            [
                float(_same(c.wanted, b)) - float(_same(c.wanted, a))
                for c, a, b in zip(cases, first, second, strict=True)
            ]
        ),
    }


def _share(found: Sequence[bool]) -> Estimate:
    return wilson(sum(found), len(found))


def _same(wanted: str, sql: str) -> bool:
    return sorted(map(repr, told(wanted))) == sorted(map(repr, told(sql)))


def _facts(sql: str) -> str:
    return " ".join(one.fact for one in told(sql))
