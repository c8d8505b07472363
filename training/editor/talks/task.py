"""An episode of LoCoMo: a copy of a conversation's starting memory, and the questions that say what a tidy was worth.

`--ask hidden`: the editor is shown no question, and P is the mean over so many of the conversation's questions, drawn
for the episode. `--ask target`: the editor is shown the episode's question, and P is that one's score.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ....eval.agents.tidied.episodes import Ask, ToldTalk, ask_of, read, starting, talks
from ....eval.agents.tidied.rag import Answered, Rag
from ....memory.errors import InputError
from ....memory.store.store import Store
from ....memory.values import User
from ..reward import SMALL, EditorTask, FactQuestion, Snapshot, Tells, reward, snapshot

Asking = Literal["hidden", "target"]
SAVED_SHARE = 0.2
"""Paid for a row saved, in what a row is worth: if all rows carried alike, each would carry P / rows, and one that
carries less than a fifth of that may go. The seed's reward alone asks for no fewer rows, since with M = max(100,
starting rows) no memory is too large. Paid whatever P is (.2 / rows, with a P of .35) it is half of what a row is
worth, and the one run with that learned to merge everything (docs/log/editor.md)."""


def paid(old: Snapshot) -> float:
    """For each row that a tidy saves."""
    return SAVED_SHARE * old.score / max(1, old.rows)


@dataclass(frozen=True, slots=True)
class Standing:
    """A memory as it is: what the reward asks of it, and how each of the episode's questions is answered."""

    snapshot: Snapshot
    answers: tuple[Answered, ...]


class LocomoTask(EditorTask):
    """Episodes are the rows of `train.parquet` in `source`, by their place. `count`: hidden questions of an episode.

    The starting memories lie in `folder`/starting, a file for each conversation, made once and only copied.
    """

    def __init__(self, folder: Path, source: Path, rag: Rag, ask: Asking = "hidden", count: int = 24) -> None:
        self.told: dict[str, ToldTalk] = talks(source, "train")
        self.played_rows = read(source, "train")
        self.rag, self.ask, self.count, self.folder = rag, ask, count, folder
        self._places = {name: place for place, name in enumerate(self.told)}
        self._stood: dict[int, Standing] = {}
        self.memories = []
        self._set_up(folder, self._scored, None)

    def _scored(self, store: Store, user: User, ask: FactQuestion) -> float:
        return self.rag.answer(store, user, Ask(ask.question, ask.keys[0]), self.told[user.name].now).score

    def talk(self, number: int) -> ToldTalk:
        """The conversation of an episode. Raises InputError."""
        if not 0 <= number < len(self.played_rows):
            raise InputError(
                f"train.parquet holds no episode {number}; name the folder that these rows were made from."
            )
        return self.told[str(self.played_rows[number]["talk"])]

    def numbers(self) -> Sequence[int]:
        """Every row of `train.parquet`."""
        return range(len(self.played_rows))

    def accepts(self, row: dict[str, Any]) -> bool:
        """Whether the row names an episode."""
        return "memory" in row.get("case", {})

    def shown(self, number: int) -> str:
        """The episode's question with `--ask target`, else none."""
        return ask_of(self.played_rows[number]).question if self.ask == "target" else ""

    def episode_asks(self, number: int) -> list[Ask]:
        """What P is the mean over: the shown question, or some of the conversation's, drawn by the episode's name."""
        row = self.played_rows[number]
        if self.ask == "target":
            return [ask_of(row)]
        asks = self.talk(number).asks
        return random.Random(str(row["episode"])).sample(list(asks), min(self.count, len(asks)))

    def asked_in(self, number: int) -> list[FactQuestion]:
        """The same, as the other evaluators take them."""
        return [FactQuestion(ask.question, (ask.gold,)) for ask in self.episode_asks(number)]

    def all_asks(self, number: int) -> list[FactQuestion]:
        """Every question about the conversation."""
        return [FactQuestion(ask.question, (ask.gold,)) for ask in self.talk(number).asks]

    def tells(self, number: int) -> Tells:
        """Nobody knows which of LoCoMo's lines tell of one fact."""
        return {}

    def base(self, number: int) -> tuple[Store, User, list[int]]:
        """The conversation's one starting memory; every rollout works on a copy."""
        talk = self.talk(number)
        place = self._places[talk.name]
        if place not in self._bases:
            store, user = starting(self.folder / "starting" / f"{talk.name}.db", talk, self.embedder)
            self._bases[place] = store, user, [memory.id for memory in store.facts.all(user.id)]
        return self._bases[place]

    def enough(self, store: Store, user: User, number: int) -> bool:
        """Whether P is at least .95, so that the episode stops."""
        return self.rag.reaches(store, user, self.episode_asks(number), self.talk(number).now)

    def standing(self, store: Store, user: User, number: int) -> Standing:
        """How a memory stands to the episode's questions."""
        now = self.talk(number).now
        answers = tuple(self.rag.answer(store, user, ask, now) for ask in self.episode_asks(number))
        mean = sum(one.score for one in answers) / max(1, len(answers))
        plain = snapshot(store, user, (), self.evaluate)
        return Standing(Snapshot(plain.rows, plain.words, mean), answers)

    def before(self, number: int) -> Standing:
        """How the starting memory stands; asked once."""
        if number not in self._stood:
            store, user, _ = self.base(number)
            self._stood[number] = self.standing(store, user, number)
        return self._stood[number]

    def worth(self, old: Snapshot, new: Snapshot) -> dict[str, float]:
        """Seed 001's R with M = max(100, starting rows), and what is paid for rows saved where P did not fall."""
        return reward(old, new, max(SMALL, old.rows), paid(old))

    def close(self) -> None:
        """Lets go of the stores and of the models that answer."""
        super().close()
        self.rag.close()
