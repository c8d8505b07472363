"""Memories spoiled on purpose, from the templates: the label of every row is known because it was made so.

A fact is said again in another of its wordings, turned into the third person, or overtaken by a newer line; small talk
is stored as if it were a fact. Validation uses held-out kinds, wordings, values and small talk.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from ...eval.datasets.spoiled import Role, Spoiled, SpoiledRow
from ...eval.measures.text import contained
from ...memory.database.moments import moment_of
from ...memory.language.third_person import to_third_person
from ...memory.language.words import sentences, tokens
from .templates.kinds import Kind, kinds_of, wordings
from .templates.phrases import slip, small_talk
from .templates.slots import Fill, draw, slots_of
from .templates.talk import Split
from .templates.when import draw_when

LONGEST = 24
"""Words of a fact in other words: a longer one is cut to the sentences that hold its keys, or not used."""
ONE_OF_MANY = frozenset({"pet", "who", "anyname", "girl", "boy", "colleague_role", "club", "event", "recipe"})
"""Slots that name which of several: two facts of such a kind with different values both hold."""
_FIRST = {"i", "im", "me", "my", "mine", "we", "us", "our", "you", "your", "yours", "ill", "ive", "id"}
_JUNK = {
    "train": ('{N} said: "{line}"', "{N} said {line}", "{third}", "{third}", "{third}", "The assistant said: {reply}",
              "{N} greeted the assistant.", "{N} thanked the assistant.", "{N} asked something.",
              "The user said hello.", "{N} and the assistant talked.", "{N} is chatting."),
    "valid": ("{third}", "{third}", "{third}", "{N} told the assistant: {line}", 'It was said that "{line}"',
              "{N} remarked {line}", "The reply was: {reply}", "{N} had a chat.", "{N} was polite."),
}  # fmt: skip
"""What a careless storage model makes of small talk; the forms for validation are others than for training."""


@dataclass(frozen=True, slots=True)
class SoundFact:
    """A fact of the base: its kind and values, and where its row is."""

    kind: Kind
    fill: Fill
    place: int


@dataclass
class Spoiler:
    """Makes one memory of `facts` sound facts (and those that are said again, overtaken, or junk)."""

    rng: random.Random
    split: Split
    facts: int
    name: str = ""
    clock: datetime = datetime(2023, 1, 1, tzinfo=UTC)
    lines: list[tuple[str, str]] = field(default_factory=list)
    rows: list[SpoiledRow] = field(default_factory=list)

    def make(self, duplicates: float = 0.3, contradictions: float = 0.1, junk: float = 0.1) -> Spoiled:
        """Shares are of the sound facts; a tenth more are facts of a kind that is there with other values."""
        rng = self.rng
        self.name = draw("anyname", rng, self.split)
        self.clock += timedelta(days=rng.randint(0, 900))
        told = [self._tell(kind) for kind in self._choose()]
        changed = [one for one in rng.sample(told, len(told)) if one.kind.updates][: round(contradictions * len(told))]
        rest = [one for one in told if one not in changed]
        again = rng.sample(rest, min(len(rest), round(duplicates * len(told))))
        many = [one for one in rest if names_one_of_many(one.kind)][: max(1, len(told) // 10)]
        acts = [(self._overtake, one) for one in changed] + [(self._repeat, one) for one in again]
        acts += [(self._another, one) for one in many]
        later: list[tuple[object, SoundFact | None]] = [*acts, *[(self._junk, None)] * round(junk * len(told))]
        for act, one in rng.sample(later, len(later)):
            act(one) if one else self._junk()  # type: ignore[operator]
        return Spoiled(self.name, tuple(self.lines), tuple(self.rows))

    def _choose(self) -> list[Kind]:
        chosen: list[Kind] = []
        tags: set[str] = set()
        for kind in self.rng.sample(kinds_of(self.split), len(kinds_of(self.split))):
            if len(chosen) < self.facts and not kind.of_assistant and not kind.tags & tags:
                chosen.append(kind)
                tags |= kind.tags
        return chosen

    def _tell(self, kind: Kind) -> SoundFact:
        fill = self._fill(kind)
        said = self.rng.choice(wordings(kind, kind.says, self.split))
        fact = fill.render(kind.fact)
        if self.rng.random() < 0.35:
            fact = self._in_other_words(kind, fill, said, fact) or fact
        return SoundFact(kind, fill, self._row(kind, fill, fact, said))

    def _fill(self, kind: Kind) -> Fill:
        self.clock += timedelta(days=self.rng.randint(0, 12), minutes=self.rng.randint(1, 600))
        when = draw_when(kind.when, self.clock.date(), self.rng) if kind.when else None
        return Fill(self.name, self.rng, self.split, self.rng.random() < 0.5, when=when)

    def _row(
        self, kind: Kind, fill: Fill, fact: str, said: str, role: Role = "sound", of: int | None = None,
        keys: tuple[str, ...] | None = None,
    ) -> int:  # fmt: skip
        self.lines.append((moment_of(self.clock), slip(fill.render(said), self.rng)))
        topic, keys = fill.render(kind.topic), keys_of(kind, fill) if keys is None else keys
        ask = fill.render(self.rng.choice(kind.asked[0].asks)) if kind.asked and kind.asked[0].asks else ""
        self.rows.append(SpoiledRow(self.name, topic, fact, len(self.lines) - 1, role, of, keys, ask))
        return len(self.rows) - 1

    def _repeat(self, told: SoundFact) -> None:
        """The same fact said again, in other words."""
        self.clock += timedelta(days=self.rng.randint(1, 20))
        says = wordings(told.kind, told.kind.says, self.split)
        for said in self.rng.sample(says, len(says)):
            fact = self._in_other_words(told.kind, told.fill, said, self.rows[told.place].fact)
            if fact:
                self._row(told.kind, told.fill, fact, said, "duplicate", told.place)
                return
        fact = told.fill.render(told.kind.fact)
        if not same_words(fact, self.rows[told.place].fact):
            self._row(told.kind, told.fill, fact, says[0], "duplicate", told.place)

    def _overtake(self, told: SoundFact) -> None:
        """A newer line that contradicts the fact, kept as a second row beside it."""
        kind = told.kind
        self.clock += timedelta(days=self.rng.randint(3, 40))
        said = self.rng.choice(wordings(kind, kind.updates, self.split))
        fresh = {s for s in slots_of(said) if s not in ONE_OF_MANY or s in slots_of(said, old=True)}
        when = draw_when(kind.when, self.clock.date(), self.rng) if "{when" in said else None
        fill = told.fill.updated(fresh, when)
        fact = fill.render(kind.fact)
        keys = tuple(key for key in keys_of(kind, fill) if contained(key, self.rows[told.place].fact) < 1)
        if not keys or same_words(fact, self.rows[told.place].fact):
            return
        other = self._in_other_words(kind, fill, said, fact)
        if other and self.rng.random() < 0.4 and all(contained(key, other) == 1 for key in keys):
            fact = other
        self._row(kind, fill, fact, said, "newer", told.place, keys)

    def _another(self, told: SoundFact) -> None:
        """A fact of the same kind about another one of many: both hold."""
        fill = self._fill(told.kind)
        if set(keys_of(told.kind, fill)) & set(keys_of(told.kind, told.fill)):
            return
        said = self.rng.choice(wordings(told.kind, told.kind.says, self.split))
        self._row(told.kind, fill, fill.render(told.kind.fact), said)

    def _junk(self) -> None:
        self.clock += timedelta(minutes=self.rng.randint(1, 3000))
        line, replies = self.rng.choice([pair for pair in small_talk(self.split) if "love" not in pair[0]])
        form = self.rng.choice(_JUNK[self.split])
        third = to_third_person(line, self.name)
        fact = form.format(N=self.name, line=line, third=third, reply=self.rng.choice(replies))
        if any(same_words(fact, row.fact) for row in self.rows):
            return
        self.lines.append((moment_of(self.clock), line))
        topic = self.rng.choice(("", "talk", "chat", "greeting", "mood", "today", "user"))
        self.rows.append(SpoiledRow(self.name, topic, fact, len(self.lines) - 1, "junk"))

    def _in_other_words(self, kind: Kind, fill: Fill, said: str, other_than: str) -> str | None:
        """What a statement says, in the third person; None when it loses the fact or is no other wording."""
        return in_third_person(fill.render(said), self.name, keys_of(kind, fill), other_than)


def in_third_person(said: str, name: str, keys: tuple[str, ...], other_than: str) -> str | None:
    """The sentences of a statement that hold the keys, about `name`; None when that can't be had."""
    parts = [part for part in sentences(to_third_person(said, name)) if not part.endswith("?")]
    kept = [part for part in parts if any(contained(key, part) == 1 for key in keys)] or parts[:1]
    if kept and name not in " ".join(kept) and parts and name in parts[0]:
        kept = list(dict.fromkeys([parts[0], *kept]))
    fact = " ".join(kept)
    words = tokens(fact)
    if name not in fact or len(words) > LONGEST or _FIRST & set(words) or same_words(fact, other_than):
        return None
    if not all(contained(key, fact) == 1 for key in keys):
        return None
    fact = fact[0].upper() + fact[1:]
    return fact if fact[-1] in ".!" else fact + "."


def keys_of(kind: Kind, fill: Fill) -> tuple[str, ...]:
    """The words that tell this fact from others: what its questions ask for, dates left out."""
    wanted = [key for asked in kind.asked for key in asked.keys if "{date}" not in key]
    slots = [key for key in wanted if "{" in key]
    return tuple(dict.fromkeys(fill.render(key) for key in slots or wanted))


def names_one_of_many(kind: Kind) -> bool:
    """Whether two facts of this kind can hold side by side: it names one of several, and nothing updates it."""
    slots = {slot.partition("#")[0] for slot in slots_of(kind.fact)}
    return not kind.updates and bool(slots & ONE_OF_MANY)


def same_words(one: str, other: str) -> bool:
    """Whether two facts differ in case and punctuation alone."""
    return [re.sub(r"\W", "", word) for word in tokens(one)] == [re.sub(r"\W", "", word) for word in tokens(other)]


def spoil(seed: int, count: int, facts: int, split: Split = "train", **shares: float) -> Iterator[Spoiled]:
    """`count` memories, the same for the same seed."""
    for number in range(count):
        yield Spoiler(random.Random(f"spoil {split}:{seed}:{number}"), split, facts).make(**shares)
