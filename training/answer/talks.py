"""Answer rows from our own templates: questions, small talk, acknowledgements."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ...memory.language.question import stands_alone
from ...memory.store.store import Store
from ...memory.values import ASSISTANT, Memory, Recall, RecallItem, Turn, User
from ...models.chat.answer import Talkers, memory_lines
from ...models.prompts.messages import answer_messages
from ..material.stored import stored_talk
from ..material.templates.asking import name_question
from ..material.templates.generate import generate
from ..material.templates.talk import Gold, GoldQuestion, GoldTalk, Split
from ..policy.rows import training_row
from .rows import key_words


def template_rows(seed: int, talks: int, split: Split = "train") -> Iterator[dict[str, Any]]:
    """Questions after each talk, and a few of the assistant's replies within it."""
    rng = random.Random(seed)
    for talk in generate(seed=seed, n=talks, split=split):
        known = [question for question in talk.questions if question.needs is not None]
        unknown = [question for question in talk.questions if question.needs is None]
        chosen = rng.sample(known, min(6, len(known))) + rng.sample(unknown, min(2, len(unknown)))
        for question in chosen:
            yield _asked(talk, question, rng)
        yield from _replies(talk, rng)


def recalled_rows(
    store: Store, seed: int, talks: Iterable[GoldTalk], split: Split = "train", most: int = 5
) -> Iterator[dict[str, Any]]:
    """At most so many questions after each talk, and one in five for something never told, over what the store's own
    search recalls of it, under the word budgets of a chat."""
    rng = random.Random(seed)
    for number, talk in enumerate(talks):
        user = stored_talk(store, f"{split}{seed}-{number}", talk, rng)
        known = [question for question in talk.questions if question.needs is not None]
        unknown = [question for question in talk.questions if question.needs is None]
        for question in rng.sample(known, min(most, len(known))) + unknown[: max(1, most // 5)]:
            if made := _over_recall(store, user, talk, question, rng):
                yield made


def name_rows(store: Store, seed: int, talks: int) -> Iterator[dict[str, Any]]:
    """Questions for the user's own name over what search recalls: few talks ask one, yet every chat does."""
    rng = random.Random(seed)
    for number, talk in enumerate(generate(seed=seed, n=talks)):
        if talk.user == "User":
            continue
        user = stored_talk(store, f"name-train{seed}-{number}", talk, rng)
        for _ in range(2):
            if made := _over_recall(store, user, talk, name_question(talk.user, 0, rng), rng):
                yield made


def reply_rows(seed: int, talks: Iterable[GoldTalk], most: int = 4) -> Iterator[dict[str, Any]]:
    """What the assistant says to a statement: half of a chat is that."""
    rng = random.Random(seed)
    for talk in talks:
        yield from _replies(talk, rng, most)


def _over_recall(
    store: Store, user: User, talk: GoldTalk, question: GoldQuestion, rng: random.Random
) -> dict[str, Any] | None:
    """The prompt of a chat; None where the recall misses what the answer needs."""
    text = rng.choice(question.variants) if question.needs is None else question.text
    answer = rng.choice(question.answers) if question.needs is None else question.answer
    words = rng.choice((80, 140, 200))
    recall = store.search(user.id, text, limit=12, speaker=talk.user, word_budget=words, now=_now(talk))
    scene = Talkers(ASSISTANT, talk.user)
    lines = memory_lines(recall, scene, words)
    if not key_words(" ".join(question.key_words)) <= key_words(" ".join(lines)):
        return None
    recent = _recent(talk, len(talk.lines), 0 if stands_alone(text) else rng.choice((0, 0, 2, 4)))
    return training_row(answer_messages(scene.system(_now(talk)), recent, lines, text), answer)


def _items(talk: GoldTalk, upto: int) -> list[RecallItem]:
    """What memory holds of the talk's first lines: the live facts with their lines, and the bare lines."""
    golds: list[tuple[Gold, Turn]] = []
    turns = []
    for number, line in enumerate(talk.lines[:upto]):
        turn = Turn(number, 1, 1, line.speaker, line.text, line.said_at)
        turns.append(turn)
        golds += [(gold, turn) for gold in line.facts]
    gone = {gold.replaces for gold, _ in golds if gold.replaces is not None}
    items = [
        RecallItem(0.0, _memory(place, gold, turn), (turn,))
        for place, (gold, turn) in enumerate(golds)
        if place not in gone and gold.action != "delete"
    ]
    return items + [RecallItem(0.0, None, (turn,)) for turn in turns if turn.speaker != ASSISTANT]


def _memory(number: int, gold: Gold, turn: Turn) -> Memory:
    return Memory(number, 1, gold.subject, gold.topic, gold.fact, gold.happened_on, turn.said_at, turn.said_at)


def _recall(items: Sequence[RecallItem], text: str, needed: str, rng: random.Random, most: int) -> Recall:
    """Some of the items: the needed fact among the first few, others by overlap with the question and by chance."""
    words = key_words(text)

    def rank(item: RecallItem) -> float:
        if item.memory and item.memory.fact == needed:
            return 3 * rng.random() + 1.5
        held = key_words((item.memory.fact if item.memory else "") + " ".join(t.text for t in item.turns))
        return len(words & held) + 2 * rng.random() + (1 if item.memory else 0)

    best = sorted(items, key=rank, reverse=True)[:most]
    kept = any(i.memory and i.memory.fact == needed for i in best)
    extra = [i for i in items if i.memory and i.memory.fact == needed and not kept]
    return Recall(text, tuple(best + extra))


def _asked(talk: GoldTalk, question: GoldQuestion, rng: random.Random) -> dict[str, Any]:
    text = rng.choice(question.variants) if question.needs is None else question.text
    answer = rng.choice(question.answers) if question.needs is None else question.answer
    needed = talk.golds[question.needs].fact if question.needs is not None else ""
    items = _items(talk, len(talk.lines))
    recall = _recall(items, text, needed, rng, rng.choice((2, 4, 6, 8)))
    lines = memory_lines(recall, Talkers(ASSISTANT, talk.user), rng.choice((80, 120, 160)))
    if needed and not any(needed in line for line in lines):
        lines.insert(rng.randrange(len(lines) + 1), needed)
    recent = _recent(talk, len(talk.lines), 0 if stands_alone(text) else rng.choice((0, 0, 2)))
    return training_row(answer_messages(Talkers(ASSISTANT, talk.user).system(_now(talk)), recent, lines, text), answer)


def _replies(talk: GoldTalk, rng: random.Random, most: int = 4) -> Iterator[dict[str, Any]]:
    """The assistant's own lines: small talk and acknowledgements, with a recall that mostly doesn't bear on them."""
    places = [
        i for i, line in enumerate(talk.lines) if line.speaker == ASSISTANT and i and not talk.lines[i - 1].question
    ]
    for place in rng.sample(places, min(most, len(places))):
        text, reply = talk.lines[place - 1].text, talk.lines[place].text
        recall = _recall(_items(talk, max(0, place - 5)), text, "", rng, rng.choice((0, 2, 3, 5)))
        lines = memory_lines(recall, Talkers(ASSISTANT, talk.user), 60) if recall.items else []
        recent = _recent(talk, place - 1, rng.choice((0, 2, 4)))
        yield training_row(
            answer_messages(Talkers(ASSISTANT, talk.user).system(_now(talk)), recent, lines, text), reply
        )


def _recent(talk: GoldTalk, upto: int, count: int) -> list[tuple[str, str]]:
    lines = talk.lines[max(0, upto - count) : upto]
    return [("assistant" if line.speaker == ASSISTANT else "user", line.text) for line in lines]


def _now(talk: GoldTalk) -> str:
    return talk.lines[-1].said_at
