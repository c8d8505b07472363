"""Cases for who tells which known facts a line ends: from scenes written for it, from the pairs that ship to
learn from, and from whole talks, whose changes say which fact each of them takes the place of."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ....eval.agents.changes.pairs import FOLDER, Pair, load_pairs
from ....memory.language.leaning.lines import leans
from ....memory.language.leaning.talked_of import named_in_talk
from ....memory.language.words import terms
from ....memory.values import ASSISTANT
from ....models.storage.agent import LONGEST_LEANT, TALK
from ...material.templates.ends.scenes import HELD_BACK, Scene
from ...material.templates.ends.slips import Slip
from ...material.templates.talk import GoldTalk, Split

PAIRS, PUT_RIGHT = "indirect.toml", "corrections.toml"
"""The pairs that ship to learn from, the second of slips."""
SHOWN = 5
"""Most facts beside a line."""
MANY = 7
"""Facts from which a scene is one of much alike, of which each line is shown some."""
QUIET = 0.15
"""Share of the lines of talks that end nothing, which become rows: such lines are many and mostly easy."""


class Case(NamedTuple):
    """A line, facts that were known before it, and which of them it ends; `before`: what it leans on."""

    user: str
    facts: tuple[str, ...]
    line: str
    ends: tuple[int, ...]
    before: str = ""


def scene_cases(found: Sequence[Scene]) -> Iterator[Case]:
    """Each line of the scenes with their facts."""
    for scene in found:
        for (text, ends), before in zip(scene.lines, scene.before or [""] * len(scene.lines), strict=True):
            yield Case(scene.user, scene.facts, text, ends, before)


def alike_cases(found: Sequence[Scene], rng: random.Random) -> Iterator[Case]:
    """Each line of the scenes with what it ends and some of the other facts, those that share most words with it."""
    for scene in found:
        known = dict(enumerate(scene.facts))
        for (text, ends), before in zip(scene.lines, scene.before or [""] * len(scene.lines), strict=True):
            yield _beside(scene.user, text, known, {*ends}, rng, SHOWN - 1)._replace(before=before)


def pair_cases(pairs: Sequence[Pair], others: Sequence[Scene], rng: random.Random) -> Iterator[Case]:
    """Each pair's line beside what it knows, and beside facts of somebody else's, told of this person."""
    for pair in pairs:
        scene = rng.choice(others)
        more = [fact.replace(scene.user, pair.user) for fact in rng.sample(scene.facts, rng.randint(0, 2))]
        yield Case(pair.user, (*pair.known, *more), pair.line, pair.ends)


def slip_cases(found: Sequence[Slip]) -> Iterator[Case]:
    """Each slip twice: what was told just now, as it is read with the line before, and all that is known, without."""
    for slip in found:
        told = slip.just_told
        ends = tuple(at for at, place in enumerate(told) if place in slip.ends)
        if told:
            yield Case(slip.user, tuple(slip.facts[at] for at in told), slip.line, ends, slip.said[-LONGEST_LEANT:])
        yield Case(slip.user, slip.facts, slip.line, slip.ends)


def put_right_cases() -> Iterator[Case]:
    """The pairs of slips, read with the line before."""
    for pair in load_pairs(FOLDER / PUT_RIGHT):
        yield Case(pair.user, pair.known, pair.line, pair.ends, pair.before[-LONGEST_LEANT:])


def just_told_cases(talks: Sequence[GoldTalk]) -> Iterator[Case]:
    """Lines of talks beside what the speaker's line before told, read with that line."""
    for talk in talks:
        place, said, told = 0, "", dict[int, str]()
        for line in (one for one in talk.lines if one.speaker != ASSISTANT):
            gone = {gold.replaces for gold in line.facts}
            if told:
                ends = tuple(at for at, key in enumerate(told) if key in gone)
                yield Case(talk.user, tuple(told.values()), line.text, ends, said[-LONGEST_LEANT:])
            golds = {place + at: gold.fact for at, gold in enumerate(line.facts) if gold.action != "delete"}
            said, told, place = line.text, golds, place + len(line.facts)


def indirect(split: Split) -> list[Pair]:
    """The pairs that are learned from, or those held back; all of one fact go the same way."""
    groups: dict[tuple[str, ...], list[Pair]] = {}
    for pair in load_pairs(FOLDER / PAIRS):
        groups.setdefault(pair.known, []).append(pair)
    wanted = split == "valid"
    kept = [group for number, group in enumerate(groups.values(), 1) if (number % HELD_BACK == 0) == wanted]
    return [pair for group in kept for pair in group]


def talk_cases(
    talks: Sequence[GoldTalk], rng: random.Random, quiet: float = QUIET, *, whole: bool = False
) -> Iterator[Case]:
    """Lines of talks as the agent reads them, with what they end and some of the facts that share most words with them;
    `whole`: with all that is known then."""
    for talk in talks:
        known: dict[int, str] = {}
        place, own = 0, list[str]()
        for line in talk.lines:
            ends = {gold.replaces for gold in line.facts if gold.replaces in known}
            if line.speaker != ASSISTANT and known and (ends or rng.random() < quiet):
                text = named_in_talk(line.text, own[-TALK:], talk.user)
                before = own[-1][-LONGEST_LEANT:] if own and leans(text) else ""
                case = _all(talk.user, text, known, ends) if whole else _beside(talk.user, text, known, ends, rng)
                yield case._replace(before=before)
            own += [line.text] if line.speaker != ASSISTANT else []
            for gold in line.facts:
                if gold.replaces is not None:
                    known.pop(gold.replaces, None)
                if gold.action != "delete":
                    known[place] = gold.fact
                place += 1


def _all(user: str, line: str, known: dict[int, str], ends: set[int]) -> Case:
    return Case(user, tuple(known.values()), line, tuple(place for place, key in enumerate(known) if key in ends))


def _beside(user: str, line: str, known: dict[int, str], ends: set[int], rng: random.Random, fewest: int = 1) -> Case:
    """The line beside `fewest` to `SHOWN` facts."""
    said = {*terms(line)}
    others = [key for key in known if key not in ends]
    others.sort(key=lambda key: (-len(said & {*terms(known[key])}), rng.random()))
    near = others[: rng.randint(fewest, SHOWN) - 1 or 1]
    shown = [*(key for key in known if key in ends), *near][:SHOWN]
    rng.shuffle(shown)
    return Case(user, tuple(known[key] for key in shown), line, tuple(i for i, key in enumerate(shown) if key in ends))
