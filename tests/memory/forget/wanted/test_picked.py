"""Which of what was shown an answer picks, and what is no answer."""

from __future__ import annotations

import pytest

from chatmem.memory.forget.wanted.picked import LONGEST_ANSWER, picked
from chatmem.memory.values import Memory

DAY = "2026-11-24T09:00:00Z"
SHOWN = tuple(
    Memory(key, 1, "Ana", topic, fact, None, DAY, DAY)
    for key, topic, fact in (
        (12, "debt", "Ana owes 4,000 euros on her credit card."),
        (15, "debt", "Ana pays 210 euros a month for the car loan."),
        (19, "health", "Ana's brother Felix has diabetes."),
    )
)


@pytest.mark.parametrize(
    ("answer", "left"),
    [
        ("Yes, but only the credit card, the car loan must stay", (12,)),
        ("only the credit card please", (12,)),
        ("Just the first one.", (12,)),
        ("yes, just #15", (15,)),
        ("no, only 12 and 19", (12, 19)),
        ("yes but not the car loan", (12, 19)),
        ("Yes, except Felix", (12, 15)),
        ("not the second one", (12, 19)),
        ("ok but keep Felix's diabetes", (12, 15)),
        ("Only the credit card, and also the loan", (12, 15)),
        ("not the credit card but the car loan", (15,)),
        ("only the 4,000 euros", (12,)),
        ("yes, but Felix must stay, and only the car loan", (15,)),
        ("Yes. The car loan should stay.", (12, 19)),
        ("everything but the loan", (12, 19)),
        ("yes, only the first and the third", (12, 19)),
    ],
)
def test_an_answer_picks_some_of_what_was_shown(answer: str, left: tuple[int, ...]) -> None:
    assert picked(answer, SHOWN) == left


@pytest.mark.parametrize(
    "answer",
    [
        "yes", "no", "Yes, please", "not now", "only joking", "just got home from the shops", "keep it",
        "no, keep all of it", "I only owe the bank for the credit card", "what is my car loan?",
        "yes, all three", "Not the whole week, I hope", "Just so you know, my aunt arrives on Friday",
        "Just talked to Felix about it", "Keep in mind that Felix arrives on Monday",
        "Not sure what Felix eats these days", "Without Felix I would be lost",
        "keep 15 minutes free for Felix", "Okay, my brother may stay with us for a week",
        "No. Just tell me what I owe on my credit card", "Just checking: is the credit card one still there?",
        "not only the credit card, all of it",
        "Yes, but only the credit card. I start a new job in Graz on Monday.",
        "no, not the credit card, the brother one", "Just the first one of these songs is good",
        "only the 12 credit cards", "only the credit card " * (LONGEST_ANSWER // 15), "",
    ],
)  # fmt: skip
def test_what_picks_none_of_it_is_no_answer(answer: str) -> None:
    assert picked(answer, SHOWN) is None


def test_of_one_fact_nothing_is_picked() -> None:
    assert picked("only the credit card", SHOWN[:1]) is None
