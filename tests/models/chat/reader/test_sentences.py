"""Of two states of a matter the later holds: how late each sentence was said is a sign of its own."""

from __future__ import annotations

from chatmem.memory.values import Memory, Recall, RecallItem, Turn
from chatmem.models.chat.reader.sentences import lateness, sentences_of

MIDDLE = "2024-05-20T09:00:00Z"


def said(number: int, text: str, at: str) -> RecallItem:
    return RecallItem(1.0, None, (Turn(number, 1, 1, "Ana", text, at),))


FOUND = sentences_of(
    Recall(
        "where do I work?",
        (
            said(3, "I started at the bakery on Monday.", "2024-06-12T12:00:00Z"),
            said(1, "I work in a bank.", "2024-05-03T09:00:00Z"),
            RecallItem(1.0, Memory(1, 1, "Ana", "work", "Ana has a desk.", None, MIDDLE, MIDDLE), ()),
        ),
    )
)


def test_the_later_of_what_was_said_comes_nearer_to_one() -> None:
    assert list(lateness("where do I work?", FOUND)) == [1.0, 0.0, 0.5]
    assert list(lateness("do I still work in the bank?", FOUND)) == [1.0, 0.0, 0.5]


def test_it_tells_nothing_of_what_was_nor_of_one_moment() -> None:
    assert not lateness("where did I use to work?", FOUND).any()
    assert not lateness("where do I work?", FOUND[:1]).any()


def test_what_only_quotes_its_line_is_no_second_answer_beside_it() -> None:
    memory = Memory(1, 1, "Ana", "home", 'Ana said: "The bed has to wait. I build it on Sunday."', None, MIDDLE, MIDDLE)
    line = Turn(1, 1, 1, "Ana", "The bed has to wait. I build it on Sunday.", MIDDLE)

    def texts(*turns: Turn) -> list[str]:
        return [one.text for one in sentences_of(Recall("when?", (RecallItem(1.0, memory, turns),)))]

    assert texts(line) == ["The bed has to wait.", "I build it on Sunday."]
    assert texts() == [memory.fact]
