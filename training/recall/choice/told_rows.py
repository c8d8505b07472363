"""Rows for the small model that tells whether a line says what was written of it: facts that somebody wrote of the
lines of whole talks, the same ones spoiled, and what the storage model itself wrote of lines, judged one by one."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from ....memory.language.language import english
from ....memory.language.third_person import retold
from ....models.storage.believed import read_as
from ....models.storage.told.fidelity import clauses
from ...material.templates.talk import GoldTalk

JUDGED = Path(__file__).resolve().parents[2] / "material" / "templates" / "judged" / "facts.jsonl"
"""What the storage model wrote of lines that it hadn't learned from, and how true each is."""
UNSEEN = "unseen"
"""The set of judged facts that nothing learns from: of the manner that nothing else does."""
TRUE = {"y": 1.0, "p": 0.4, "n": 0.0}
"""How true a judgement calls a fact: told, told in the main but garbled or cut to nothing, not told."""
MOST = 6
"""Facts beside one line."""
SPOILED, RETOLD, OLD = 2, 0.4, 0.5
"""Spoiled copies of a fact; shares of the clauses that are shown as they were said, and of the lines that tell nothing
which are shown with an older fact."""
NEAR = 6
"""The facts told last before a line, with which its own are mixed up."""
_PARTS = re.compile(
    r"^(?P<who>.+?) (?P<verb>is|isn't|are|was|were|has|had|does|doesn't|can't|can|will|would|won't|[a-z]+ed|[a-z]{3,}s|"
    r"never|got|bought|sold|left|went|came|gave|lost|broke) (?P<rest>.+)$"
)
_DENIED = {"is": "isn't", "isn't": "is", "has": "doesn't have", "can": "can't", "can't": "can", "was": "wasn't",
           "are": "aren't", "will": "won't"}  # fmt: skip
_WORD = re.compile(r"[A-Za-z][\w'-]{2,}|\d+")
_NUMBER = re.compile(r"\b\d+\b")


class ToldRow(NamedTuple):
    """A line (`text`) with facts (`shown`), and how true each is of it, 0 to 1."""

    text: str
    shown: tuple[str, ...]
    targets: tuple[float, ...]

    def loss(self, logits: Any) -> Any:
        """The mean of the binary cross entropies."""
        import torch

        return torch.nn.functional.binary_cross_entropy_with_logits(logits, torch.tensor(self.targets))


class Told(NamedTuple):
    """A true fact, who speaks, the line, and true facts near it, of which false ones are made."""

    fact: str
    speaker: str
    line: str
    near: Sequence[str]


def talk_rows(talks: Sequence[GoldTalk], rng: random.Random) -> Iterator[ToldRow]:
    """Each line of the talks with its facts, true and spoiled."""
    for talk in talks:
        before: tuple[str, str] | None = None
        earlier: list[str] = []
        for line in talk.lines:
            if line.speaker == talk.user:
                own = [gold.fact for gold in line.facts if gold.action != "delete"]
                pairs = list(_pairs(talk.user, line.text, own, earlier[-NEAR:], rng))
                pairs = rng.sample(pairs, MOST) if len(pairs) > MOST else pairs
                if pairs:
                    facts, targets = zip(*pairs, strict=True)
                    yield ToldRow(read_as(talk.user, line.text, before), facts, targets)
                earlier += own
            before = (line.speaker, line.text)


def _pairs(
    user: str, line: str, own: Sequence[str], earlier: Sequence[str], rng: random.Random
) -> Iterator[tuple[str, float]]:
    said = [told for clause in clauses(line) if own and (told := retold(clause, user)) and told.startswith(user)]
    true = {*own, *(one for one in said if rng.random() < RETOLD)}
    yield from ((fact, 1.0) for fact in dict.fromkeys([*own, *sorted(true)]))
    seen = {*true, *said}
    for fact in own:
        for _ in range(SPOILED):
            false = spoiled(Told(fact, user, line, [one for one in (*earlier, *own) if one != fact]), rng)
            if false and false not in seen:
                seen.add(false)
                yield false, 0.0
    if not own and earlier and rng.random() < OLD:
        yield rng.choice(earlier), 0.0


def spoiled(told: Told, rng: random.Random) -> str | None:
    """The fact made false in one of several ways: another number, name, relation, subject, verb or a no for a yes; None
    where none of them can be."""
    ways = [*_WAYS]
    rng.shuffle(ways)
    return next((false for way in ways if (false := way(told, rng)) and false != told.fact), None)


def _another(told: Told, rng: random.Random) -> str | None:
    return rng.choice(told.near) if told.near else None


def _number(told: Told, rng: random.Random) -> str | None:
    found = _NUMBER.findall(told.fact)
    if not found:
        return None
    others = [one for one in _NUMBER.findall(" ".join([told.line, *told.near])) if one not in found]
    return told.fact.replace(found[0], rng.choice(others or [str(int(found[0][:6]) + rng.choice([1, 2, 10]))]), 1)


def _word(told: Told, rng: random.Random) -> str | None:
    own = [word for word in _telling(told.fact) if word != told.speaker][1:]
    others = [word for word in _telling(" ".join([told.line, *told.near])) if word not in told.fact]
    others = [word for word in others if word != told.speaker]
    if not own or not others:
        return None
    return re.sub(rf"\b{re.escape(rng.choice(own))}\b", rng.choice(others), told.fact, count=1)


def _subject(told: Told, rng: random.Random) -> str | None:
    parts = _PARTS.match(told.fact)
    if parts is None or not parts["who"].startswith(told.speaker):
        return None
    who = told.speaker
    if parts["who"] == told.speaker:
        kin = [word.lower() for word in _WORD.findall(told.line) if word.lower() in english().relations]
        named = [word for word in _WORD.findall(told.line) if word[0].isupper() and word not in told.fact]
        who = f"{who}'s {rng.choice(kin)}" if kin else rng.choice(named or [f"{who}'s {rng.choice(_relations())}"])
    return f"{who} {parts['verb']} {parts['rest']}"


def _predicate(told: Told, rng: random.Random) -> str | None:
    parts, others = _PARTS.match(told.fact), [found for one in told.near if (found := _PARTS.match(one))]
    others = [one for one in others if parts and one["rest"] != parts["rest"]]
    if parts is None or not others:
        return None
    other = rng.choice(others)
    return f"{parts['who']} {other['verb'] if rng.random() < 0.5 else parts['verb']} {other['rest']}"


def _denied(told: Told, rng: random.Random) -> str | None:
    parts = _PARTS.match(told.fact)
    if parts is None or parts["verb"] not in _DENIED:
        return None
    return f"{parts['who']} {_DENIED[parts['verb']]} {parts['rest']}"


def _relation(told: Told, rng: random.Random) -> str | None:
    parts = _PARTS.match(told.fact)
    kin = [word for word in parts["who"].split() if word in english().relations] if parts else []
    return told.fact.replace(kin[0], rng.choice([one for one in _relations() if one != kin[0]]), 1) if kin else None


_WAYS: tuple[Callable[[Told, random.Random], str | None], ...] = (
    _another, _number, _word, _subject, _subject, _predicate, _predicate, _denied, _relation,
)  # fmt: skip


@lru_cache(maxsize=1)
def _relations() -> tuple[str, ...]:
    return tuple(sorted(english().relations))


def _telling(text: str) -> list[str]:
    return [word for word in _WORD.findall(text) if word.lower() not in english().stop]


def judged(which: str, path: Path = JUDGED) -> list[tuple[str, ToldRow]]:
    """The judged facts of a set ("learned", "held", `UNSEEN`), those of a line together, each line with its talk's
    name; none where the file isn't there: it lies in the checkout, and a wheel leaves it out."""
    lines: dict[tuple[str, str], list[tuple[str, float]]] = {}
    for raw in path.read_text(encoding="utf-8").splitlines() if path.is_file() else ():
        one = json.loads(raw)
        if one["set"] == which:
            before = tuple(one["before"]) if one["before"] else None
            text = read_as(one["speaker"], one["line"], before)
            lines.setdefault((one["talk"], text), []).append((one["fact"], TRUE[one["judged"]]))
    return [(talk, ToldRow(text, *map(tuple, zip(*pairs, strict=True)))) for (talk, text), pairs in lines.items()]
