"""What a question points at: something said before it, something in it, or nothing."""

from __future__ import annotations

import pytest

from chatmem.memory.language.language import english
from chatmem.memory.language.leaning.questions import leans, made_whole

POINTS_BACK = [
    "what's her job?", "when is the party for her?", "what colour is it?", "where is that?", "what did they say?",
    "which one?", "who gave me that?", "so what does he do?", "hey, does she live there?", "ok, how old is he now?",
]  # fmt: skip
WHOLE = [
    "My caravan, which plot's it on?", "The pills I take at night. What are they?", "Who is she, the one that sings?",
    "Somebody picks up the kids on Mondays. Who is it?", "What does my sister call her cat?", "Is there a bus?",
    "Which month was it that I moved?", "That bike of mine, what colour?", "Which one of my sons is the baker?",
    "Who's the man that mends clocks?", "What time is it?", "Is it good, my car?", "Anna, what does she do?",
]  # fmt: skip


@pytest.mark.parametrize("question", POINTS_BACK)
def test_what_only_the_talk_before_explains_points_back(question: str) -> None:
    assert leans(question, english())


@pytest.mark.parametrize("question", WHOLE)
def test_what_the_question_itself_tells_is_whole_and_stays(question: str) -> None:
    assert not leans(question, english())
    assert made_whole(question, ["My brother Tom lives in Bergen."], english()) == question


def test_what_stands_before_the_question_is_kept() -> None:
    asked = "I'm writing him a card. How old is he?"
    assert made_whole(asked, ["My brother Tom lives in Bergen."], english()) == (
        "I'm writing him a card. How old is my brother?"
    )
