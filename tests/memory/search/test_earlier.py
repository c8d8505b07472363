"""What has ended is no answer to how things are, and an answer to how they were."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from chatmem.memory.language.language import english
from chatmem.memory.store.store import Store
from chatmem.memory.values import Author, Recall
from chatmem.models.chat.answer import Talkers, memory_lines
from chatmem.models.chat.direct import direct

AGENT = Author("agent:storage", "scripted", "storage")


class Life:
    """The user tells lines; the storage agent writes what the test says."""

    def __init__(self, store: Store) -> None:
        self.store, self.user = store, store.users.get("me").id
        self.session = store.sessions.start(self.user).id

    def tell(self, text: str, sql: str = "") -> None:
        turn = self.store.turns.add(self.session, "User", text)
        if sql:
            self.store.facts.write(self.user, sql, author=AGENT, turn_ids=[turn.id])

    def asks(self, question: str) -> Recall:
        return self.store.search(self.user, question, speaker="User", word_budget=200)

    def told(self, question: str) -> str | None:
        """What is replied without a model."""
        user = self.store.users.get("me")
        found = direct(self.store, user, self.asks(question), english())
        return found.text if found else None

    def shown(self, question: str) -> str:
        return "\n".join(memory_lines(self.asks(question), Talkers()))


@pytest.fixture
def life(tmp_path: Path) -> Iterator[Life]:
    with Store.open(tmp_path / "life.db") as store:
        yield Life(store)


GYM = "INSERT INTO memory (subject, topic, fact) VALUES ('User', 'sport', 'User goes to the gym by the harbour.')"
HOME = "INSERT INTO memory (subject, topic, fact) VALUES ('User', 'home', 'User lives in Namur.')"


def test_a_line_that_a_later_one_ended_is_left_out_of_how_things_are(life: Life) -> None:
    life.tell("I go to the gym by the harbour three times a week.", GYM)
    assert "three times a week" in life.shown("Do I go to the gym?")
    life.tell("I've cancelled the gym, it was too dear.", "DELETE FROM memory WHERE id = 1")
    told = life.shown("Do I go to the gym?")
    assert "three times a week" not in told and "cancelled" in told
    life.store.journal.undo(life.store.journal.entries(life.user, kind="delete")[0].id, user_id=life.user)
    assert "three times a week" in life.shown("Do I go to the gym?")


def test_what_has_ended_is_told_with_its_day_where_the_past_is_asked(life: Life) -> None:
    life.tell("I go to the gym by the harbour three times a week.", GYM)
    life.tell("I've cancelled the gym, it was too dear.", "DELETE FROM memory WHERE id = 1")
    told = life.shown("Which gym was it that I used to go to?")
    assert "three times a week" in told and "cancelled" in told
    assert "Until " in told and ": User goes to the gym by the harbour." in told


def test_both_states_of_a_fact_are_told_where_a_change_is_asked(life: Life) -> None:
    life.tell("I live in Namur.", HOME)
    life.tell("I moved to Dinant.", "UPDATE memory SET fact = 'User lives in Dinant.' WHERE id = 1")
    assert "Namur" not in life.shown("Where do I live?")
    recall = life.asks("Where did I live before I moved to Dinant?")
    states = [item.memory for item in recall.items if item.memory]
    assert [state.fact for state in states] == ["User lives in Dinant.", "User lives in Namur."]
    assert states[0].valid_to is None and states[1].valid_to is not None


def test_what_was_put_right_was_never_so(life: Life) -> None:
    life.tell("I live in Namur.", HOME)
    life.store.facts.edit(1, fact="User lives in Namur, near the citadel.")
    life.tell("No, I meant Dinant, not Namur.", "UPDATE memory SET fact = 'User lives in Dinant.' WHERE id = 2")
    facts = [item.memory.fact for item in life.asks("Where did I live before?").items if item.memory]
    assert facts == ["User lives in Dinant."]


def test_a_fact_that_the_user_took_back_ends_no_line(life: Life) -> None:
    life.tell("I go to the gym by the harbour three times a week.", GYM)
    life.store.facts.write(life.user, "DELETE FROM memory WHERE id = 1", author=Author("human"))
    assert "three times a week" in life.shown("Do I go to the gym?")


PET = "INSERT INTO memory (subject, topic, fact) VALUES ('User', 'pet', 'User has a parrot named Koos.')"


def test_whether_something_is_still_so_is_answered_by_the_line_that_ended_it(life: Life) -> None:
    life.tell("I go to the gym by the harbour three times a week.", GYM)
    life.tell("I live in Namur.", HOME)
    life.tell("We have a parrot named Koos.", PET)
    for question in ("Do I still go to the gym?", "do I live in Namur any more?"):
        assert life.told(question) is None
    assert "You haven't told me otherwise." in str(life.told("Is Koos still alive?"))
    life.tell("I've cancelled the gym, it was too dear.", "DELETE FROM memory WHERE id = 1")
    life.tell("I moved to Dinant.", "UPDATE memory SET fact = 'User lives in Dinant.' WHERE id = 2")
    life.tell("Koos died in August.", "UPDATE memory SET fact = 'Koos died.' WHERE id = 3")
    for question, line in (
        ("Do I still go to the gym?", "I've cancelled the gym"), ("hey, am I still at the gym?", "I've cancelled"),
        ("do I live in Namur any more?", "I moved to Dinant."), ("Is Koos still alive?", "Koos died in August."),
    ):  # fmt: skip
        told = life.told(question)
        assert told and told.startswith("Not any more. You told me on ") and line in told, question
    for question in (
        "Do I still live in Dinant?",
        "Does my sister still live in Namur?",
        "Does Leo still live in Namur?",
    ):
        assert life.told(question) is None, question
    life.tell("I ride a Vespa.", "INSERT INTO memory (subject, topic, fact) VALUES ('User', '', 'User rides a Vespa.')")
    vespa = max(memory.id for memory in life.store.facts.all(life.user))
    life.tell("I sold the Vespa.", f"UPDATE memory SET fact = 'User had a Vespa.' WHERE id = {vespa}")
    assert "I sold the Vespa." in (life.told("Do I still have the Vespa?") or "")
    life.tell("I've joined the gym again.", GYM)
    assert life.told("Do I still go to the gym?") is None


def test_a_line_is_over_of_which_one_fact_ended_and_another_became_what_a_later_line_told(life: Life) -> None:
    two = "INSERT INTO memory (subject, topic, fact) VALUES ('User', 'love', 'User is engaged to Samir.'), "
    life.tell("I'm engaged to Samir, we marry in spring.", two + "('User', 'wedding', 'User marries in spring.')")
    assert life.told("Am I still engaged?") is None
    line = "Samir and I broke up last week."
    life.tell(
        line, "UPDATE memory SET fact = 'User broke up with Samir.' WHERE id = 2; DELETE FROM memory WHERE id = 1"
    )
    told = life.told("Am I still engaged?")
    assert told and told.startswith("Not any more.") and line in told
    assert "marry in spring" not in life.shown("Whom do I marry?")
