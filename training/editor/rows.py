"""Training rows of the editor: its own questions about spoiled memories, with the answer known by construction.

Facts of people (MSC, LoCoMo) join as rows to be kept, so that it doesn't take every plain sentence for junk.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...eval.datasets.spoiled import Spoiled, SpoiledRow
from ...memory.language.third_person import split_facts, to_third_person
from ...memory.search.vectors import Embedder
from ...memory.tidy.proposals import Offer, Proposal, pairs, singles
from ...memory.values import Memory
from ...models.editor.prompts import KEEP, editor_messages
from ..material.speaker_names import two_names
from ..material.spoil import spoil
from ..material.templates.talk import Split
from ..policy.rows import training_row

Lines = Mapping[int, Sequence[str]]
SURELY_OTHER = 0.75
"""Cosine up to which two facts that a person noted in one chat are taken as different ones."""
_VAGUE = ("{n} talked about the {t}.", "{n} mentioned the {t}.", "{n} has a {t}.", "{n} told something about the {t}.",
          "There is news about {n}'s {t}.", "{n} said something about the {t}.")  # fmt: skip


def memories_of(spoiled: Spoiled) -> tuple[list[Memory], Lines]:
    """The rows as memories (ids are places + 1), and their lines."""
    rows = [_memory(place + 1, row, spoiled.lines[row.line][0]) for place, row in enumerate(spoiled.rows)]
    return rows, {place + 1: (spoiled.lines[row.line][1],) for place, row in enumerate(spoiled.rows)}


def _memory(number: int, row: SpoiledRow, at: str) -> Memory:
    return Memory(number, 0, row.subject, row.topic, row.fact, None, at, at)


def template_rows(
    seed: int, count: int, embedder: Embedder, split: Split = "train", kept: list[Spoiled] | None = None
) -> Iterator[dict[str, Any]]:
    """Rows of `count` spoiled memories.

    The memories are added to `kept`; a row's "case" says which of them it asks about, for learning from rewards.
    """
    rng = random.Random(f"editor {split} {seed}")
    for spoiled in spoiled_memories(seed, count, split):
        memories, lines = memories_of(spoiled)
        vectors = embedder.embed([memory.fact for memory in memories])
        place = len(kept) if kept is not None else None
        if kept is not None:
            kept.append(spoiled)
        yield from _cased(_pair_rows(spoiled, pairs(memories, vectors), lines, rng), place)
        yield from _cased(_junk_rows(spoiled, memories, vectors, lines, rng), place)
        yield from (row for row, _ in _mended_rows(spoiled, memories, lines, rng))


RowAndProposal = tuple[dict[str, Any], Proposal | None]


def spoiled_memories(seed: int, count: int, split: Split) -> Iterator[Spoiled]:
    """Memories to learn from. Contradictions are more frequent than in life, since they matter most."""
    return spoil(seed, count, 36, split, duplicates=0.4, contradictions=0.4, junk=0.3)


def mended_rows(seed: int, memories: Sequence[Spoiled]) -> Iterator[dict[str, Any]]:
    """Rows about compound, vague and misfiled facts alone: made for the question, so no memory holds them."""
    rng = random.Random(f"editor mended {seed}")
    for spoiled in memories:
        yield from (row for row, _ in _mended_rows(spoiled, *memories_of(spoiled), rng))


def _cased(rows: Iterator[RowAndProposal], place: int | None) -> Iterator[dict[str, Any]]:
    for row, proposal in rows:
        if proposal is None or place is None:
            yield row
        else:
            ids = [memory.id - 1 for memory in proposal.rows]
            yield row | {
                "case": {
                    "memory": place,
                    "rows": ids,
                    "offers": list(proposal.offers),
                    "topics": list(proposal.topics),
                }
            }


def _pair_rows(
    spoiled: Spoiled, proposals: Sequence[Proposal], lines: Lines, rng: random.Random
) -> Iterator[RowAndProposal]:
    for proposal in proposals:
        one, two = (spoiled.rows[memory.id - 1] for memory in proposal.rows)
        root = [place if row.of is None else row.of for row, place in _placed(spoiled, proposal)]
        answer = KEEP[2]
        if root[0] == root[1]:
            answer = "changed" if "newer" in (one.role, two.role) else "same"
        if answer == KEEP[2] and rng.random() < 0.35:
            continue  # the commonest answer by far
        if answer in (KEEP[2], *proposal.offers):
            yield training_row(editor_messages(proposal, lines), answer), proposal


def _placed(spoiled: Spoiled, proposal: Proposal) -> list[tuple[SpoiledRow, int]]:
    return [(spoiled.rows[memory.id - 1], memory.id - 1) for memory in proposal.rows]


def _junk_rows(
    spoiled: Spoiled, memories: Sequence[Memory], vectors: np.ndarray, lines: Lines, rng: random.Random
) -> Iterator[RowAndProposal]:
    for proposal in singles(memories, vectors, lines):
        role = spoiled.rows[proposal.rows[0].id - 1].role
        if role == "junk":
            if "drop" in proposal.offers:
                yield training_row(editor_messages(proposal, lines), "drop"), proposal
        elif rng.random() < 0.6:
            yield training_row(editor_messages(proposal, lines), KEEP[1]), proposal


def _mended_rows(
    spoiled: Spoiled, memories: Sequence[Memory], lines: Lines, rng: random.Random
) -> Iterator[RowAndProposal]:
    """Compound, vague and misfiled rows, made from sound ones."""
    sound = [m for m in memories if spoiled.rows[m.id - 1].role == "sound" and m.fact.startswith(m.subject + " ")]
    for memory in rng.sample(sound, min(8, len(sound))):
        other = rng.choice([m for m in memories if m.topic != memory.topic and spoiled.rows[m.id - 1].role == "sound"])
        dice = rng.random()
        if dice < 0.35 and other.fact.startswith(other.subject + " "):
            yield _compound(memory, other, lines, rng), None
        elif dice < 0.6 and memory.topic:
            vague = replace(memory, fact=rng.choice(_VAGUE).format(n=memory.subject, t=memory.topic))
            offers: tuple[Offer, ...] = ("drop", "say") if rng.random() < 0.7 else ("say",)
            yield training_row(editor_messages(Proposal((vague,), offers, 0), lines), f"say {memory.fact}"), None
        else:
            yield _filed(memory, memories, lines, rng), None


def _compound(memory: Memory, other: Memory, lines: Lines, rng: random.Random) -> dict[str, Any]:
    tail = other.fact.removeprefix(other.subject + " ")
    joint = rng.choice((" and ", ", and ", ", and also ", "; "))
    both = replace(memory, fact=f"{memory.fact.rstrip('.!')}{joint}{tail}")
    said = {memory.id: (" ".join((*lines[memory.id], *lines[other.id])),)}
    offers: tuple[Offer, ...] = ("drop", "split") if rng.random() < 0.2 else ("split",)
    return training_row(editor_messages(Proposal((both,), offers, 0), said), "split")


def _filed(memory: Memory, memories: Sequence[Memory], lines: Lines, rng: random.Random) -> dict[str, Any]:
    """A row under a wrong topic or none, its right one among those offered; or a right one that is to stay."""
    others = [topic for topic in dict.fromkeys(m.topic for m in memories) if topic and topic != memory.topic]
    shown = rng.sample(others, 2)
    wrong = rng.choice(("", "user", "talk", others[-1]))
    if rng.random() < 0.6 and memory.topic:
        topics = tuple(rng.sample([memory.topic, *shown], 3))
        moved = Proposal((replace(memory, topic=wrong),), ("topic",), 0, topics)
        return training_row(editor_messages(moved, lines), f"topic {memory.topic}")
    return training_row(editor_messages(Proposal((memory,), ("topic",), 0, tuple(shown)), lines), KEEP[1])


def people_rows(
    people: Sequence[Sequence[tuple[str, str, str]]], embedder: Embedder, seed: int
) -> Iterator[dict[str, Any]]:
    """Rows to be kept, from facts that people noted: (subject, fact, line) of one chat each."""
    rng = random.Random(f"editor people {seed}")
    for told in people:
        facts = [Memory(i + 1, 0, s, "", fact, None, f"2023-01-01T00:{i // 60 % 60:02}:{i % 60:02}Z", "")
                 for i, (s, fact, _) in enumerate(told)]  # fmt: skip
        if len(facts) < 4:
            continue
        lines = {i + 1: (line,) for i, (_, _, line) in enumerate(told)}
        vectors = embedder.embed([memory.fact for memory in facts])
        apart = [p for p in pairs(facts, vectors) if p.score < SURELY_OTHER]
        single = [p for p in singles(facts, vectors, lines) if "drop" in p.offers]
        for proposal in rng.sample(apart, min(3, len(apart))) + rng.sample(single, min(3, len(single))):
            yield training_row(editor_messages(proposal, lines), KEEP[len(proposal.rows)])


def msc_people(chats: Sequence[dict[str, Any]], seed: int) -> list[list[tuple[str, str, str]]]:
    """MSC's human facts in the third person, by chat."""
    rng, found = random.Random(seed), []
    for chat in chats:
        names = dict(zip(("Speaker 1", "Speaker 2"), two_names(rng), strict=True))
        found.append([
            (names[turn["speaker"]], to_third_person(fact, names[turn["speaker"]]), turn["text"])
            for session in chat["sessions"] for turn in session["turns"] if turn["facts"].strip()
            for fact in split_facts(turn["facts"])
        ])  # fmt: skip
    return found
