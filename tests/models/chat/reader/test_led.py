"""A model of one to three billion parameters is led: it replies from the sentence that answers."""

from __future__ import annotations

import pytest

from chatmem.memory.language.language import english
from chatmem.memory.store.store import Store
from chatmem.memory.values import Recall, RecallItem, Turn, User
from chatmem.models.chat.answer import AnswerAgent
from chatmem.models.chat.direct import Direct
from chatmem.models.chat.reader.led import led
from chatmem.models.decoding.scripted import ScriptedLM
from chatmem.models.files.profiles.make import Told, make
from chatmem.models.files.profiles.profile import SHIPPED
from tests.models.chat.reader.test_reply import SAID, memory, owen

__all__ = ["memory", "owen"]

THINGS = ("Nayeli", "Gil", "Bergen", "tile works", "December", "van")
"""A word of each thing that was told."""


def ask(memory: Store, user: User, text: str) -> tuple[Recall, Direct | None]:
    recall = memory.search(user.id, text, speaker="Owen", word_budget=600, limit=12, now=SAID, floor=True)
    return recall, led(memory, user, recall, english())


def test_it_is_shown_what_answers_and_none_of_the_rest(memory: Store, owen: User) -> None:
    recall, found = ask(memory, owen, "where does my brother Tom live?")
    assert len(recall.items) > 2
    assert found is not None and found.text == "" and found.recall.chosen
    lm = ScriptedLM(["In Bergen."], profile=make(Told("qwen2.5-1.5b", parameters=1.5, trained_window=32768)))
    said = "".join(one.text for one in AnswerAgent(lm).reply(owen, found.recall, (), recall.query, SAID))
    assert said == "In Bergen."
    prompt = lm.calls[0][0][-1].content
    assert [one for one in THINGS if one in prompt] == ["Bergen"]
    assert "Your brother Tom lives in Bergen." in prompt


def test_that_nobody_told_it_is_said_without_the_model(memory: Store, owen: User) -> None:
    _, found = ask(memory, owen, "how old is Nayeli?")
    assert found is not None
    assert found.text.startswith("You haven't told me how old Nayeli is")


@pytest.mark.parametrize("asked", ["why is the sky blue?", "what should I cook tonight?", "good morning!"])
def test_what_no_told_sentence_answers_is_left_to_the_model(memory: Store, owen: User, asked: str) -> None:
    assert ask(memory, owen, asked)[1] is None


def test_what_holds_in_place_of_the_sentence_is_said(
    memory: Store, owen: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was read is another's, or over: then the reply is that, and not the model's from all that was found."""
    now = "Your brother Tom lives in Oslo now."
    monkeypatch.setattr("chatmem.models.chat.reader.led.read_out", lambda *told, **_: Direct(now, told[2]))
    _, found = ask(memory, owen, "where does my brother Tom live?")
    assert found is not None and found.text == now


def test_what_a_select_brought_is_shown_whole(memory: Store, owen: User) -> None:
    recall, found = ask(memory, owen, "where does my brother Tom live?")
    assert found is not None
    counted = Recall(recall.query, recall.items, sql="SELECT * FROM memory LIMIT 20;")
    assert led(memory, owen, counted, english()) is None


def test_what_was_chosen_is_shown_though_the_talk_holds_it(owen: User) -> None:
    lm = ScriptedLM(["x"], profile=make(Told("qwen2.5-1.5b", parameters=1.5, trained_window=32768)))
    turn = Turn(7, 1, 1, "Owen", "the key hangs behind the clock", SAID)
    recall = Recall("where does the key hang?", (RecallItem(1.0, None, (turn,), ()),))
    for chosen, times in (("", 1), ("The key hangs behind the clock.", 2)):
        shown = AnswerAgent(lm).prompt(
            owen, Recall(recall.query, recall.items, chosen=chosen), [turn], recall.query, SAID
        )
        assert "\n".join(one.content for one in shown).count("behind the clock") == times


@pytest.mark.parametrize(
    ("billions", "who"), [(0.5, "told back"), (1.2, "led"), (1.5, "led"), (3.0, "itself"), (7, "itself"), (0, "itself")]
)
def test_by_its_size_a_model_chooses_is_led_or_told_back(billions: float, who: str) -> None:
    assert make(Told("qwen2.5", parameters=billions, trained_window=32768)).chooses == who
    assert SHIPPED.chooses == "told back"
