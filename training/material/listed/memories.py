"""`written(part, seed, n)`: memories of 60 to 300 facts and lines in which things come again and again.

Between them lie the talks that were written whole (`templates/told_*.txt`), so that topics and words are shared with
what isn't asked for. People, things, wordings and phrasings of one part are in no other.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta

from ....eval.agents.asked.memory import AskedMemory, Noted, Said
from ....memory.database.moments import moment_of
from ....memory.values import ASSISTANT
from ..templates.talk import GoldTalk
from ..templates.told import told_talks
from .questions import questions
from .series import Happened, Part, Series, series_of

PEOPLE: dict[Part, tuple[str, ...]] = {
    "train": ("Mia", "Jonas", "Amara", "Pavel", "Lucia", "Owen", "Hana", "Diego", "Freya", "Samir", "Ilse", "Kofi"),
    "valid": ("Tess", "Bruno", "Anouk", "Rafael", "Signe", "Mehdi"),
    "test": ("Zofia", "Callum", "Thandi", "Leandro", "Marit", "Yusuf", "Elspeth", "Goran", "Paloma", "Ravi"),
}
SHAPES: dict[Part, tuple[str, ...]] = {
    "train": ("diary", "diary", "pair"), "valid": ("diary", "pair"), "test": ("diary", "nameless", "trio"),
}  # fmt: skip
"""Kinds of memory: one person's, with a name or without, and those of two or three people who talk with one another."""
FACT, UNTOLD_DAY, LATE = 0.85, 0.35, 0.12
"""Shares: of things that became a fact, of such facts without their day, of things that were told much later."""
OFTEN = (10, 20, 30, 40, 48)
"""How often a thing comes again in one person's memory."""
PLAIN = 0.3
"""Share of facts without what else was said: a second one of the same words is no new fact."""
WHEN = (
    ("today", 0), ("this morning", 0), ("tonight", 0), ("yesterday", 1), ("last night", 1),
    ("the day before yesterday", 2), ("", 0), ("", 1),
)  # fmt: skip
CHAT = (
    ("Good evening!", "Good evening! How are you?"), ("Hi again.", "Hello, nice to hear from you."),
    ("What a week.", "Tell me about it."), ("Do you think it will rain?", "I can't see the sky from here."),
    ("I can't decide what to wear.", "Something comfortable, perhaps."), ("Tell me a joke.", "I only know old ones."),
)  # fmt: skip
REPLIES = ("That sounds good!", "Oh, nice.", "I see.", "Thanks for telling me.", "Well done!", "How was it?", "Noted.")
ADVICE: dict[str, tuple[str, ...]] = {
    "train": ("I'd recommend {v}.", "If you ask me, I recommend {v} next.", "Something for you: {v}, I recommend it."),
    "test": ("My suggestion would be {v}.", "May I suggest {v}?", "What about {v}? That is what I suggest."),
}


@dataclass
class _Writer:
    part: Part
    rng: random.Random
    name: str
    asker: str
    people: list[str]
    now: datetime
    days: int
    sittings: list[tuple[datetime, list[tuple[str, str, tuple[Noted, ...], Happened | None]]]] = field(
        default_factory=list
    )

    def memory(self) -> AskedMemory:
        rng = self.rng
        for series in rng.sample(series_of(self.part), rng.randint(2, 4)):
            whose = [person for person in self.people if rng.random() < 0.75] or [self.asker]
            for person in whose:
                self._tell(series, person)
        self._advise(rng.choice(series_of(self.part)))
        talks = told_talks("valid" if self.part == "test" else "train")
        for talk in rng.sample(talks, min(len(talks), rng.randint(3, 7))):
            self._chat(talk)
        return self._laid_out()

    def _tell(self, series: Series, who: str) -> None:
        rng = self.rng
        weights = rng.sample((12, 3, 1), 3)[: len(series.topics)]
        things = [(value, aside) for value in series.values for aside in series.asides]
        for value, aside in rng.sample(things, min(rng.choice(OFTEN), len(things))):
            day = self.now.date() - timedelta(days=rng.randint(4, self.days))
            words, ago = rng.choice(WHEN)
            if rng.random() < LATE:
                ago = rng.randint(20, 80)
                words = f"on {day.day} {day:%B}"
            said = min(day + timedelta(days=ago), self.now.date() - timedelta(days=1))
            topic = rng.choices(series.topics, weights)[0]
            self._say(series, who, (value, aside), day, said, words, topic)

    def _say(
        self, series: Series, who: str, thing: tuple[str, str], day: date, said: date, words: str, topic: str
    ) -> None:
        rng, (value, aside) = self.rng, thing
        text = rng.choice(series.lines).format(v=value, when=words, w=aside)
        happened = day.isoformat() if words and rng.random() > UNTOLD_DAY else None
        fact = rng.choice(series.facts).format(N=who, v=value)
        fact = fact if rng.random() < PLAIN else f"{fact.removesuffix('.')}, {aside}."
        noted = (Noted(who, topic, _tidy(fact), happened, 0),) if rng.random() < FACT else ()
        at = datetime.combine(said, datetime.min.time(), UTC) + timedelta(minutes=rng.randint(480, 1300))
        lines: list[tuple[str, str, tuple[Noted, ...], Happened | None]] = []
        if rng.random() < 0.3:
            greeting, reply = rng.choice(CHAT)
            lines += [(who, greeting, (), None), (self._other(who), reply, (), None)]
        lines.append((who, _tidy(text), noted, Happened(series, who, value, day, 0)))
        if rng.random() < 0.6:
            lines.append((self._other(who), rng.choice(REPLIES), (), None))
        self.sittings.append((at, lines))

    def _other(self, who: str) -> str:
        others = [person for person in self.people if person != who]
        return self.rng.choice(others) if others else ASSISTANT

    def _advise(self, series: Series) -> None:
        """Things that the assistant recommended, of one person's talks."""
        if len(self.people) > 1:
            return
        rng = self.rng
        ways = ADVICE["test" if self.part == "test" else "train"]
        for value in rng.sample(series.values, 10):
            at = self.now - timedelta(days=rng.randint(3, self.days), minutes=rng.randint(0, 600))
            text = rng.choice(ways).format(v=value)
            asks = rng.choice(("Any idea for the weekend?", "I'm bored.", "What should I do next?"))
            happened = Happened(series, ASSISTANT, value, at.date(), 0)
            self.sittings.append((at, [(self.asker, asks, (), None), (ASSISTANT, text, (), happened)]))

    def _chat(self, talk: GoldTalk) -> None:
        at = self.now - timedelta(days=self.rng.randint(5, self.days))
        lines: list[tuple[str, str, tuple[Noted, ...], Happened | None]] = []
        who = self.rng.choice(self.people)
        for line in talk.lines:
            noted = tuple(
                Noted(who, gold.topic, gold.fact.replace(talk.user, who), gold.happened_on, 0)
                for gold in line.facts
                if gold.action == "add" and gold.fact
            )
            speaker = ASSISTANT if line.speaker == ASSISTANT else who
            speaker = self._other(who) if speaker == ASSISTANT and len(self.people) > 1 else speaker
            lines.append((speaker, line.text.replace(talk.user, who), noted, None))
        self.sittings.append((at, lines))

    def _laid_out(self) -> AskedMemory:
        """Sittings in the order of time, and the questions about what was told."""
        lines: list[Said] = []
        facts: list[Noted] = []
        told: list[Happened] = []
        for number, (at, said) in enumerate(sorted(self.sittings, key=lambda pair: pair[0])):
            for place, (speaker, text, noted, happened) in enumerate(said):
                moment = moment_of(at + timedelta(seconds=40 * place))
                facts += [replace_line(one, len(lines)) for one in noted]
                if happened:
                    told.append(replace(happened, line=len(lines)))
                lines.append(Said(speaker, text, moment, number))
        now = moment_of(self.now)
        memory = AskedMemory(self.name, self.asker, now, tuple(lines), tuple(facts), ())
        return replace(memory, asked=tuple(questions(memory, told, self.people, self.part, self.rng)))


def replace_line(noted: Noted, line: int) -> Noted:
    """The fact, told by that line."""
    return noted._replace(line=line)


def written(part: Part, seed: int, n: int) -> Iterator[AskedMemory]:
    """`n` memories, the same for the same seed."""
    for number in range(n):
        rng = random.Random(f"listed:{part}:{seed}:{number}")
        shape = SHAPES[part][number % len(SHAPES[part])]
        people = rng.sample(PEOPLE[part], {"pair": 2, "trio": 3}.get(shape, 1))
        people = ["User"] if shape == "nameless" else people
        now = datetime(2024, 3, 1, 18, tzinfo=UTC) + timedelta(days=rng.randint(0, 700), minutes=rng.randint(0, 200))
        days = rng.randint(240, 620)
        yield _Writer(part, rng, f"listed-{part}-{seed}-{number}", people[0], people, now, days).memory()


def _tidy(text: str) -> str:
    """Without what an empty slot leaves; the first letter large."""
    text = " ".join(text.split())
    for wrong, right in ((" ,", ","), (" .", "."), (" !", "!"), (" :", ":"), (",.", "."), (" ;", ";")):
        text = text.replace(wrong, right)
    text = text.lstrip(" ,:;")
    return text[:1].upper() + text[1:]
