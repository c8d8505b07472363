"""Rows from the official files of the data sets, from BEAM's chats, or from any file of rows.

A session too long for the context that is to be filled is parted at turns: each part is ranked by itself and named
"ID~2", "ID~3"; the first keeps the session's id.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from ...memory.errors import WrongUsage
from ..datasets.beam import load_beam
from ..datasets.cases import Case, Conversation, beam_cases, locomo_cases, long_cases, persona_cases
from ..datasets.locomo import load_locomo
from ..datasets.longmemeval import load_longmemeval
from ..datasets.official_files import good_rows
from ..datasets.personamem import load_personamem
from ..datasets.sessions import Sitting, Utterance
from .rows import Haystack, Row, read_rows

DATASETS = ("locomo", "longmemeval", "beam", "personamem", "rows")
PART = 2_048
"""Tokens of a part of a long session: a quarter of the context that answers are made from."""

Names = tuple[tuple[str, ...], ...]
"""The ids of the turns of each session."""


def load_rows(kind: str, path: Path, part: int = PART) -> list[Row]:
    """The rows of a data set's file; bad ones are told on stderr by their line. Raises NotFound, InputError."""
    if kind == "rows":
        return read_rows(path)
    shared: dict[int, tuple[Haystack, Names]] = {}
    return [row_of(case, part, shared) for case in cases_of(kind, path)]


def kind_of(path: Path) -> str:
    """Which data set a file seems to be, by its name. Raises InputError."""
    name = path.name.casefold()
    if name.endswith((".jsonl", ".parquet")):
        return "rows"
    for kind in DATASETS[:-1]:
        if kind in name:
            return kind
    if name.startswith("questions_") and name.endswith(".csv"):
        return "personamem"
    raise WrongUsage(f"{path.name} tells no data set; name it with --dataset {'|'.join(DATASETS)}.")


def cases_of(kind: str, path: Path) -> Sequence[Case]:
    """The questions of a data set. Raises NotFound, InputError."""
    if kind == "locomo":
        return locomo_cases(good_rows(load_locomo(path)))
    if kind == "longmemeval":
        return long_cases(good_rows(load_longmemeval(path)))
    if kind == "personamem":
        return persona_cases(good_rows(load_personamem(path)))
    return beam_cases(good_rows(load_beam(path)))


def row_of(case: Case, part: int = PART, shared: dict[int, tuple[Haystack, Names]] | None = None) -> Row:
    """A question of any data set as a row. `shared`: haystacks made before, so that a conversation is read once."""
    known = shared if shared is not None else {}
    if id(case.talk) not in known:
        known[id(case.talk)] = haystack_of(case.talk, part)
    stack, names = known[id(case.talk)]
    wanted = {one for one, some in zip(stack.ids, names, strict=True) if set(some) & set(case.evidence)}
    if not wanted:
        wanted = {one for one in stack.ids if one.split("~")[0] in set(case.sessions)}
    gold = tuple(one for one in stack.ids if one in wanted)
    category = "" if case.category is None else str(case.category)
    return Row(
        case.key, case.question, stack, case.gold, gold, category, case.options, case.talk.now, case.talk.asker,
        case.talk.me, case.abstain,
    )  # fmt: skip


def haystack_of(talk: Conversation, part: int = PART) -> tuple[Haystack, Names]:
    """A conversation's sessions, and the ids of the turns in each."""
    sessions, dates, ids, names = [], [], [], []
    for number, sitting in enumerate(talk.sessions, 1):
        name = next((turn.id.rpartition(":")[0] for turn in sitting.turns if ":" in turn.id), f"S{number}")
        for place, turns in enumerate(_parted(sitting, part), 1):
            own = name if place == 1 else f"{name}~{place}"
            sessions.append(tuple((turn.speaker, turn.text) for turn in turns))
            dates.append(sitting.at or "")
            ids.append(own)
            names.append(tuple(turn.id for turn in turns))
    return Haystack(tuple(sessions), tuple(dates), tuple(ids)), tuple(names)


def _parted(sitting: Sitting, part: int) -> Iterable[list[Utterance]]:
    """Its turns that hold text, in runs of at most `part` tokens (0: never parted), but a single turn is never cut."""
    run: list[Utterance] = []
    used = 0
    for turn in sitting.turns:
        if not turn.text.strip():
            continue
        size = tokens(turn.text)
        if run and part and used + size > part:
            yield run
            run, used = [], 0
        run.append(turn)
        used += size
    if run:
        yield run


def tokens(text: str) -> int:
    """About how many tokens a text has, the same for every model: a token for each four bytes."""
    return -(-len(text.encode("utf-8", "replace")) // 4) + 4
