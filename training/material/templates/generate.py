"""`generate(seed, n)`: short natural chats between a user and the assistant, with gold facts and questions."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from ....memory.database.moments import moment_of
from ....memory.values import ASSISTANT, OWN_NAME
from .asking import known_question, name_question, unknown_question
from .kinds import Kind, kinds_of, wordings
from .phrases import lower_first, opened, phrases, slip, small_talk, tails
from .slots import Fill, draw, slots_of
from .talk import Gold, GoldLine, GoldQuestion, GoldTalk, Split
from .when import draw_when

_KEPT = frozenset(
    {"who", "anyname", "girl", "boy", "pet", "exam", "doctor", "club", "colleague_role", "recipe", "event", "condition"}
)
"""Slots that say which fact is meant: an update draws them anew only when it also names the old value."""


def generate(seed: int, n: int, split: Split = "train") -> Iterator[GoldTalk]:
    """`n` talks, the same for the same seed. Validation uses held-out kinds, wordings and slot values."""
    for number in range(n):
        yield _TalkWriter(random.Random(f"{split}:{seed}:{number}"), split).talk()


@dataclass
class _LiveFact:
    """A fact that the user has told, as it stands now."""

    kind: Kind
    fill: Fill
    place: int


@dataclass
class _TalkWriter:
    """Writes one talk."""

    rng: random.Random
    split: Split
    name: str = ""
    clock: datetime = datetime(2023, 1, 1, tzinfo=UTC)
    lines: list[GoldLine] = field(default_factory=list)
    told: list[_LiveFact] = field(default_factory=list)
    gone: list[_LiveFact] = field(default_factory=list)
    golds: int = 0
    name_place: int | None = None

    def talk(self) -> GoldTalk:
        rng = self.rng
        self.clock += timedelta(days=rng.randint(0, 1800), minutes=rng.randint(420, 1380))
        given = draw("anyname", rng, self.split)
        self.name = given if rng.random() < 0.8 else "User"
        self._small_talk(greeting=True)
        kinds = self._choose(rng.randint(2, 7) if rng.random() < 0.75 else rng.randint(8, 14))
        if self.name == "User" and rng.random() < 0.6:
            self._tell_name(given, [kinds.pop()] if rng.random() < 0.5 else [])
        while kinds:
            self._step(kinds)
        while rng.random() < 0.5:
            self._change_or_ask()
        return GoldTalk(self.name, tuple(self.lines), tuple(self._questions()))

    def _step(self, kinds: list[Kind]) -> None:
        """The next line or two: mostly a fact, sometimes small talk, a change of an old fact or a question."""
        dice = self.rng.random()
        if dice < 0.25:
            self._small_talk()
        elif dice < 0.4 and self.told:
            self._change_or_ask()
        elif dice < 0.5 and len(kinds) > 1:
            self._tell([kinds.pop(), kinds.pop()])
        else:
            self._tell([kinds.pop()])
        if self.rng.random() < 0.08:
            self.clock += timedelta(days=self.rng.randint(1, 20))

    def _choose(self, count: int) -> list[Kind]:
        """Kinds that don't contradict each other."""
        chosen: list[Kind] = []
        pool = list(kinds_of(self.split))
        if self.split == "valid":  # half of the validation facts are of kinds never trained on
            pool += [kind for kind in pool if kind.held_out] * 6
        for kind in self.rng.sample(pool, len(pool)):
            if len(chosen) < count and all(kind.name != c.name and not kind.tags & c.tags for c in chosen):
                chosen.append(kind)
        return chosen

    def _say(self, speaker: str, text: str, facts: tuple[Gold, ...] = (), question: GoldQuestion | None = None) -> None:
        self.clock += timedelta(seconds=self.rng.randint(5, 90))
        said_at = moment_of(self.clock)
        self.lines.append(GoldLine(speaker, text, said_at, facts, question))
        self.golds += len(facts)

    def _reply(self, text: str) -> None:
        self._say(ASSISTANT, text)

    def _small_talk(self, *, greeting: bool = False) -> None:
        pairs = small_talk(self.split)
        if greeting:
            if self.rng.random() < 0.4:
                return
            pairs = pairs[:6]
        said_before = {line.text.lower() for line in self.lines}
        said, replies = self.rng.choice([pair for pair in pairs if pair[0].lower() not in said_before] or pairs)
        self._say(self.name, slip(said, self.rng))
        self._reply(self.rng.choice(replies))

    def _tell_name(self, name: str, kinds: list[Kind]) -> None:
        """The user says their name, and facts of `kinds` with it: from this line on it is their facts' subject."""
        text = self.rng.choice(phrases()["names"]).replace("{N}", name)
        self.name, self.name_place = name, self.golds
        reply = self.rng.choice(phrases()["name_replies"]).replace("{N}", name)
        self._tell(kinds, text, reply, (Gold("add", name, "name", f"{OWN_NAME}{name}."),))

    def _tell(self, kinds: list[Kind], text: str = "", reply: str = "", told: tuple[Gold, ...] = ()) -> None:
        """Facts in one line (after `text`, which tells `told`), and the assistant's reply."""
        golds = list(told)
        for kind in kinds:
            fill = self._fill(kind)
            gold = self._gold(kind, fill, "add", None)
            template = self.rng.choice(wordings(kind, kind.says, self.split))
            text = self._join(text, fill.render(template), template)
            reply = fill.render(self._fitting_reply(kind))
            self.told.append(_LiveFact(kind, fill, self.golds + len(golds)))
            golds.append(gold)
        self._finish(text, tuple(golds), reply)

    def _fitting_reply(self, kind: Kind) -> str:
        """Mostly a reply that takes up a word of the statement: it shows that the assistant was listening."""
        taking_up = [reply for reply in kind.replies if "{" in reply]
        return self.rng.choice(taking_up if taking_up and self.rng.random() < 0.7 else kind.replies)

    def _finish(self, text: str, golds: tuple[Gold, ...], reply: str) -> None:
        """Say the statement, with a tail now and then, and answer it."""
        if self.rng.random() < 0.08:  # more, and a small model says nothing else
            reply = self.rng.choice(phrases()["replies"])
        if self.rng.random() < 0.15 and text[-1] in ".!?":
            tail, addition = self.rng.choice(tails())
            text, reply = f"{text} {tail}", f"{reply} {addition}".strip()
        self._say(self.name, slip(text, self.rng), golds)
        self._reply(reply)

    def _join(self, text: str, added: str, template: str) -> str:
        if not text:
            opener = self.rng.choice(phrases()["openers"]) if self.rng.random() < 0.3 else ""
            return opened(added, template, opener) if opener else added
        joiner = self.rng.choice([". Also,", ". And", ". Oh, and", ". Apart from that,", ", and", ". By the way,", "."])
        if text[-1] != ".":
            joiner = joiner if text[-1] not in "!?" and text[-1].isalnum() else joiner.lstrip(".,")
            return f"{text}{joiner} {lower_first(added, template) if joiner else added}"
        return f"{text[:-1]}{joiner} {added if joiner == '.' else lower_first(added, template)}"

    def _fill(self, kind: Kind) -> Fill:
        when = draw_when(kind.when, self.clock.date(), self.rng) if kind.when else None
        return Fill(self.name, self.rng, self.split, self.rng.random() < 0.5, when=when)

    def _gold(self, kind: Kind, fill: Fill, action: str, replaces: int | None) -> Gold:
        subject = ASSISTANT if kind.of_assistant else self.name
        phrase, iso = fill.when or (None, None)
        topic, fact = fill.render(kind.topic), fill.render(kind.fact)
        return Gold("update" if action == "update" else "add", subject, topic, fact, phrase, iso, replaces)

    def _change_or_ask(self) -> None:
        """Change or delete an earlier fact, or ask about one (now and then about one that was never told)."""
        dice = self.rng.random()
        changeable = [told for told in self.told if told.kind.updates]
        deletable = [told for told in self.told if told.kind.deletes]
        if dice < 0.4 and changeable:
            self._update(self.rng.choice(changeable))
        elif dice < 0.5 and deletable:
            self._delete(self.rng.choice(deletable))
        elif self.told or dice > 0.9:
            self._ask()

    def _update(self, told: _LiveFact) -> None:
        kind = told.kind
        template = self.rng.choice(wordings(kind, kind.updates, self.split))
        new_slots = {s for s in slots_of(template) if s not in _KEPT or s in slots_of(template, old=True)}
        when = draw_when(kind.when, self.clock.date(), self.rng) if "{when" in template else None
        fill = told.fill.updated(new_slots, when)
        if "birthday" in template and (years := new_slots & {"age", "kidage"}):
            slot = years.pop()
            fill.values[slot] = str(int(told.fill.values[slot]) + 1)
        gold = self._gold(kind, fill, "update", told.place)
        self.told = [other for other in self.told if other is not told] + [_LiveFact(kind, fill, self.golds)]
        self._say(self.name, slip(fill.render(template), self.rng), (gold,))
        self._reply(self.rng.choice(phrases()["updates"]))

    def _delete(self, told: _LiveFact) -> None:
        before = self._gold(told.kind, told.fill, "add", None)
        gold = Gold("delete", before.subject, before.topic, "", replaces=told.place)
        self.told = [other for other in self.told if other is not told]
        self.gone.append(told)
        text = told.fill.render(self.rng.choice(told.kind.deletes))
        self._say(self.name, slip(text, self.rng), (gold,))
        self._reply(self.rng.choice(phrases()["deletes"]))

    def _ask(self) -> None:
        if self.told and self.rng.random() < 0.8:
            told = self.rng.choice(self.told)
            asked = self.rng.choice(told.kind.asked)
            question = known_question(told.kind, asked, told.fill, told.place, self.rng)
        else:
            question = self._unknown()
        text = question.text
        if self.rng.random() < 0.25:
            text = opened(text, "", self.rng.choice(phrases()["questions_before"]))
        self._say(self.name, slip(text, self.rng), question=question)
        self._reply(question.answer)

    def _unknown(self) -> GoldQuestion:
        tags = frozenset[str]().union(*(told.kind.tags for told in self.told))
        kinds = [kind for kind in kinds_of(self.split) if not kind.tags & tags]
        kind = self.rng.choice(kinds)
        return unknown_question(kind, self.rng.choice(kind.asked), self._fill(kind), self.rng)

    def _questions(self) -> Iterator[GoldQuestion]:
        """Questions after the talk: each live fact, each deleted one, one or two never told."""
        for told in self.told:
            for asked in told.kind.asked:
                yield known_question(told.kind, asked, told.fill, told.place, self.rng)
        if self.name_place is not None:
            yield name_question(self.name, self.name_place, self.rng)
        live = frozenset[str]().union(*(told.kind.tags for told in self.told))
        for told in self.gone:
            if not told.kind.tags & live:
                yield unknown_question(told.kind, told.kind.asked[0], told.fill, self.rng)
        for _ in range(self.rng.randint(1, 2)):
            yield self._unknown()
