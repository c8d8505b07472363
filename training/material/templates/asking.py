"""Questions with their answers: about facts that were told, and honest ones about those that weren't."""

from __future__ import annotations

import random

from .kinds import Kind, KindQuestion, wordings
from .phrases import lower_first, phrases
from .slots import Fill
from .talk import GoldQuestion
from .when import key_words


def known_question(kind: Kind, asked: KindQuestion, fill: Fill, place: int, rng: random.Random) -> GoldQuestion:
    """A question whose answer is the fact at `place`."""
    variants = tuple(fill.render(text) for text in wordings(kind, asked.asks, fill.split))
    answers = tuple(_sentence(fill.render(text)) for text in asked.texts)
    text = rng.choice(variants)
    return GoldQuestion(text, _friendly(text, rng.choice(answers), rng), variants, answers, _keys(asked, fill), place)


def unknown_question(kind: Kind, asked: KindQuestion, fill: Fill, rng: random.Random) -> GoldQuestion:
    """A question about something that memory doesn't hold, with the honest answer."""
    variants = tuple(fill.render(text) for text in wordings(kind, asked.asks, fill.split))
    answers = list(phrases()["unknown"])
    if asked.about:
        about = fill.render(asked.about)
        answers += [text.replace("{H}", about) for text in phrases()["unknown_about"]] * 2
    return GoldQuestion(rng.choice(variants), rng.choice(answers), variants, tuple(dict.fromkeys(answers)), (), None)


def name_question(name: str, place: int, rng: random.Random) -> GoldQuestion:
    """The question for the user's own name."""
    variants = phrases()["name_questions"]
    answers = tuple(text.replace("{N}", name) for text in phrases()["name_answers"])
    return GoldQuestion(rng.choice(variants), rng.choice(answers), variants, answers, (name,), place)


def _keys(asked: KindQuestion, fill: Fill) -> tuple[str, ...]:
    keys: list[str] = []
    for key in asked.keys:
        keys += key_words(fill.when[1]) if key == "{date}" and fill.when else [fill.render(key)]
    return tuple(keys)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _friendly(question: str, answer: str, rng: random.Random) -> str:
    """With a "Yes," where the question asks whether one remembers, and now and then elsewhere."""
    if question.startswith(("Do you ", "Can you")) and rng.random() < 0.7:
        opener = rng.choice(phrases()["yes"])
        starts_lower = answer.startswith(("You", "It", "They", "In ", "She ", "He "))
        plain = lower_first(answer, "") if starts_lower and opener[-1] != "!" else answer
        return f"{opener} {plain}"
    return answer
