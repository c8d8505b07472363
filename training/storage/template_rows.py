"""Storage rows from our own templates (new facts, changes, deletions, small talk) and from LoCoMo's observations."""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from ...memory.language.about_others import people, with_capitals
from ...memory.language.leaning.in_talk import understood
from ...memory.language.quoted.whose import own_words
from ...memory.language.told.plainer import affirmed, plainer
from ...memory.language.words import terms
from ...memory.values import ASSISTANT, Turn
from ...models.prompts.messages import NOTHING, Known, Line, delete_sql, insert_sql, storage_messages, update_sql
from ...models.storage.agent import KNOWN_ROWS, TALK
from ...models.storage.own_evidence import own_part
from ..material.split import at_most
from ..material.templates.generate import generate
from ..material.templates.led import led
from ..material.templates.orders import with_orders
from ..material.templates.talk import Gold, GoldLine, GoldTalk, Split
from ..material.templates.told import further_talks, manner_talks, short_talks, told_talks, week_talks
from ..policy.rows import training_row
from .msc_rows import Topics

USER = "User"
"""Whose facts they are while nobody has told a name."""
ALL = sys.maxsize


def template_rows(seed: int, talks: int, split: Split = "train") -> Iterator[dict[str, Any]]:
    """A row for each line of a person; some questions and small talk are left out, since they are many."""
    rng = random.Random(seed)
    for talk in generate(seed=seed, n=talks, split=split):
        yield from talk_rows(talk, rng)


def told_rows(seed: int, split: Split = "train", most: int = ALL) -> list[dict[str, Any]]:
    """The rows of the talks that were written whole; `most`, here and below: of so many talks."""
    rng = random.Random(seed)
    return [made for talk in at_most(told_talks(split), most, seed) for made in talk_rows(talk, rng)]


def manner_rows(seed: int, split: Split = "train", most: int = ALL) -> list[dict[str, Any]]:
    """The rows of the talks in several manners, each line as the chat puts it before the model."""
    rng = random.Random(seed)
    return [made for talk in at_most(manner_talks(split), most, seed) for made in talk_rows(talk, rng, as_read=True)]


def short_rows(seed: int, split: Split = "train", most: int = ALL) -> list[dict[str, Any]]:
    """The rows of the short talks, put in the same way."""
    rng = random.Random(seed)
    talks = at_most([*short_talks(split), *further_talks(split)], most, seed)
    return [made for talk in talks for made in talk_rows(talk, rng, as_read=True)]


def week_rows(seed: int, split: Split = "train", most: int = ALL) -> list[dict[str, Any]]:
    """The rows of the first weeks, put in the same way; of those of somebody with a name also as if it weren't told."""
    rng, rows = random.Random(seed), list[dict[str, Any]]()
    for talk in map(led, at_most(week_talks(split), most, seed)):
        for one in (talk, unnamed(talk)) if talk.user != USER else (talk,):
            rows += talk_rows(one, rng, as_read=True)
    return rows


def unnamed_rows(seed: int, split: Split = "train", most: int = ALL) -> list[dict[str, Any]]:
    """The rows of the talks in several manners, as if nobody had told a name: one begins to chat as "User"."""
    rng = random.Random(seed)
    named = [talk for talk in manner_talks(split) if talk.user != USER]
    talks = [unnamed(talk) for talk in at_most(named, most, seed)]
    return [made for talk in talks for made in talk_rows(talk, rng, as_read=True)]


def unnamed(talk: GoldTalk) -> GoldTalk:
    """The talk with its facts told of "User"; what was said stays as it was said."""
    name = re.compile(rf"\b{re.escape(talk.user)}\b")
    lines = []
    for line in talk.lines:
        golds = tuple(replace(gold, subject=USER, fact=name.sub(USER, gold.fact)) for gold in line.facts)
        lines.append(replace(line, speaker=USER if line.speaker == talk.user else line.speaker, facts=golds))
    return replace(talk, user=USER, lines=tuple(lines))


def order_rows(seed: int, talks: int) -> Iterator[dict[str, Any]]:
    """The rows of generated talks and of those written whole, with orders to the assistant among their lines."""
    rng = random.Random(seed)
    for talk in (*told_talks(), *generate(seed=seed, n=talks)):
        yield from talk_rows(with_orders(talk, rng, "train"), rng)


def talk_rows(talk: GoldTalk, rng: random.Random, *, as_read: bool = False) -> Iterator[dict[str, Any]]:
    """The rows of one talk: what is known grows as it goes on. `as_read`: lines as the chat puts them before the model,
    without those that never reach it (questions, orders)."""
    numbers = rng.sample(range(1, 400), max(1, len(talk.golds)))
    rows: dict[int, Known] = {}
    place, before = 0, list[Line]()
    for line in talk.lines:
        said, seen = Line(line.speaker, line.text), before
        if line.speaker != ASSISTANT and (line.facts or rng.random() < 0.45):
            known, target = _row(line, rows, rng)
            put = _put(line, talk.user, rows.values(), before) if as_read else (said, seen)
            if put is not None:
                yield training_row(storage_messages(put[1], put[0], known), target)
        for gold in line.facts:
            if gold.replaces is not None:
                rows.pop(gold.replaces, None)
            if gold.action != "delete":
                rows[place] = Known(numbers[place], gold.topic, gold.fact)
            place += 1
        before.append(said)


def _put(
    line: GoldLine, user: str, rows: Iterable[Known], before: Sequence[Line]
) -> tuple[Line, Sequence[Line]] | None:
    """A line and those before it as the agent puts them: what it tells in plainer words, what it asks as a line before.
    None: it tells nothing of its speaker's own, and no model is shown it."""
    own = own_part(Turn(0, 1, 1, line.speaker, line.text, line.said_at), "en")
    if own.turn is None:
        return None
    text, names = own.turn.text, people((user, row.fact) for row in rows)
    if text == text.lower():
        text = with_capitals(text, names)
    earlier = [told for said in before if said.speaker == line.speaker and (told := own_words(said.text, said.speaker))]
    text = understood(plainer(text), earlier[-TALK:], user, names)
    seen = [*before, Line(line.speaker, own.asked)] if own.asked else before
    return Line(line.speaker, affirmed(text)), seen


def _row(line: GoldLine, rows: dict[int, Known], rng: random.Random) -> tuple[list[Known], str]:
    golds = line.facts
    shown = _shown(line, rows, rng)
    fresh = [(g.subject, g.topic, g.fact, g.date_phrase) for g in golds if g.action == "add" or _lost(g, rows)]
    parts = [insert_sql(fresh)] if fresh else []
    for gold in golds:
        if gold.replaces in rows and gold.action == "update":
            parts.append(update_sql(rows[gold.replaces].id, gold.fact))
        elif gold.replaces in rows and gold.action == "delete":
            parts.append(delete_sql(rows[gold.replaces].id))
    return shown, " ".join(parts) or NOTHING


def _shown(line: GoldLine, rows: dict[int, Known], rng: random.Random) -> list[Known]:
    """The rows beside a line: those that it changes, and up to four in all; half of the time the nearest by their
    words, as the agent shows them, so that not each row that is shown is one to change."""
    needed = [rows[g.replaces] for g in line.facts if g.replaces in rows]
    others = rng.sample(left := [known for known in rows.values() if known not in needed], len(left))
    if rng.random() < 0.5:
        words = {*terms(line.text)}
        others.sort(key=lambda known: -len(words & {*terms(known.fact)}))
    shown = [*needed, *others[: max(0, rng.choice((0, 1, 2, KNOWN_ROWS, KNOWN_ROWS)) - len(needed))]]
    return sorted(shown, key=lambda known: known.id)


def _lost(gold: Gold, rows: dict[int, Known]) -> bool:
    return gold.action == "update" and gold.replaces not in rows


def locomo_rows(conversations: Sequence[dict[str, Any]], topics: Topics, seed: int) -> Iterator[dict[str, Any]]:
    """A row for each turn that an observation cites (turns without one may still hold facts, so they teach nothing)."""
    rng = random.Random(seed)
    for conversation in conversations:
        talk = conversation["conversation"]
        facts = _observations(conversation)
        for name, turns in talk.items():
            if not (name.startswith("session_") and isinstance(turns, list)):
                continue
            lines = [Line(t["speaker"], t["text"]) for t in turns]
            for place, turn in enumerate(turns):
                found = facts.get(turn["dia_id"], [])
                if found and rng.random() < 0.7:
                    labels, _ = topics.of(found)
                    target = insert_sql([(turn["speaker"], t, f, None) for t, f in zip(labels, found, strict=True)])
                    yield training_row(storage_messages(lines[max(0, place - 2) : place], lines[place]), target)


def _observations(conversation: dict[str, Any]) -> dict[str, list[str]]:
    out: dict[str, list[str]] = {}
    for by_speaker in conversation.get("observation", {}).values():
        for speaker, found in by_speaker.items():
            for fact, evidence in found:
                for dia in evidence if isinstance(evidence, list) else [evidence]:
                    if fact.startswith(speaker):
                        out.setdefault(str(dia), []).append(fact)
    return out
