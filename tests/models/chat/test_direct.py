"""Replies that are read off the memory without a model, and the honest one where it holds no answer."""

from __future__ import annotations

from datetime import timedelta

import pytest

from chatmem.memory.language.dates import day_of
from chatmem.memory.language.language import english
from chatmem.memory.store.store import Store
from chatmem.memory.values import Recall, User
from chatmem.models.chat.answer import Talkers
from chatmem.models.chat.direct import direct, listed
from chatmem.models.chat.retrieval import RetrievalAgent
from chatmem.models.chat.told.worldly import untold
from chatmem.models.decoding.scripted import ScriptedLM

SAID = "2024-05-03T09:00:00Z"


@pytest.fixture
def user(store: Store) -> User:
    user = store.users.call(store.users.get("me").id, "Owen")
    session = store.sessions.start(user.id, at=SAID)
    lines = {
        "My name is Owen.": ("Owen", "name", "The user's name is Owen."),
        "My brother Leo lives in Bergen.": ("Owen", "brother", "Owen's brother Leo lives in Bergen."),
        "I play the trombone.": ("Owen", "music", "Owen plays the trombone."),
    }
    for line, (subject, topic, fact) in lines.items():
        turn = store.turns.add(session.id, "Owen", line, said_at=SAID)
        store.facts.remember(user.id, subject, topic, fact, turn_ids=[turn.id], said_at=SAID)
    store.turns.add(session.id, "assistant", "Tom must be proud.", said_at=SAID)
    return user


def said(store: Store, user: User, text: str, before: Recall | None = None) -> str:
    found = direct(store, user, Recall(text), english(), before=before)
    assert found is not None, text
    return found.text


@pytest.mark.parametrize(
    "text",
    [
        "What's my name, do you remember?",
        "Who am I?",
        "what's my name",
        "hey, do you know my name?",
        "can you tell me what my name is",
    ],
)
def test_the_name_is_read_off_the_memory(store: Store, user: User, text: str) -> None:
    found = direct(store, user, Recall(text), english())
    assert found is not None
    assert found.text.splitlines()[0] == "You're Owen."
    assert ("brother Leo" in found.text) is ("who" in text.lower())
    assert next(item.memory.fact for item in found.recall.items if item.memory) == "The user's name is Owen."


def test_a_name_that_nobody_told_is_not_made_up(store: Store) -> None:
    assert said(store, store.users.get("me"), "who am i") == "You haven't told me your name."


def test_what_is_known_is_listed_with_its_rows(store: Store, user: User) -> None:
    text = said(store, user, "What do you know about me?")
    assert "- You play the trombone." in text
    assert "Leo" in text
    about = said(store, user, "what do you know about Leo?")
    assert "Your brother Leo lives in Bergen." in about
    assert "trombone" not in about


def test_of_somebody_whom_only_the_assistant_named_nothing_is_known(store: Store, user: User) -> None:
    assert (
        said(store, user, "What do you know about Tom?")
        == "You haven't told me anything about Tom, as far as I can find."
    )


def test_when_it_was_told_comes_with_its_line(store: Store, user: User) -> None:
    words = "You told me on 3 May 2024: “My brother Leo lives in Bergen.”"
    assert said(store, user, "when did I tell you that Leo lives in Bergen?") == words
    before = direct(store, user, Recall("what do you know about Leo?"), english())
    assert before is not None
    assert said(store, user, "When did I tell you that?", before.recall) == words
    assert said(store, user, "how do you know?", before.recall) == words


def test_what_was_built_on_nothing_says_so(store: Store, user: User) -> None:
    assert "I find nothing of that" in said(store, user, "how do you know that?", Recall("where is Oslo?"))
    assert direct(store, user, Recall("how do you know?"), english()) is None  # nothing was said before


@pytest.mark.parametrize(
    "text", ["What's the capital of France?", "My name is Owen", "who are you?", "I know about Leo"]
)
def test_other_lines_are_left_to_the_model(store: Store, user: User, text: str) -> None:
    assert direct(store, user, Recall(text), english()) is None


@pytest.mark.parametrize(
    ("question", "what"),
    [
        ("What am I allergic to?", "what you're allergic to"),
        ("where does Vera live", "where Vera lives"),
        ("can you tell me what my dog is called?", None),
        ("Does Sam still have the car?", "whether Sam still has the car"),
        ("when's my birthday", "when your birthday is"),
        ("Was Ida a piano teacher?", "whether Ida was a piano teacher"),
        ("Where was Ida Lund buried?", "where Ida Lund was buried"),
        ("Why did Anna and I break up?", None),
    ],
)
def test_a_question_without_an_answer_is_told_back(question: str, what: str | None) -> None:
    assert untold(question) == (
        f"You haven't told me {what}, as far as I can find: tell me, and I can answer."
        if what
        else "I don't know; I find nothing about that in what you've told me."
    )


def test_a_quoted_line_is_never_said_to_have_been_told(store: Store, user: User) -> None:
    session = store.sessions.start(user.id, at=SAID)
    store.turns.add(session.id, "Owen", "Mia: I keep bees in Lund.", said_at=SAID, storage="quoted")
    assert "Lund" not in said(store, user, "what do you know about bees?")
    talkers = Talkers(other="Owen")
    assert (
        talkers.turn_line(store.turns.of(session.id)[0], False) == "you (quoting somebody): Mia: I keep bees in Lund."
    )


def test_who_told_no_name_hears_what_is_known(store: Store) -> None:
    user = store.users.get("me")
    store.facts.remember(user.id, "User", "work", "User cooks in a school canteen.")
    assert (
        said(store, user, "who am I?")
        == "You haven't told me your name. I know of you:\n- You cook in a school canteen."
    )
    assert said(store, user, "what's my name?") == "You haven't told me your name."
    store.facts.remember(user.id, "User", "hobbies", "User caught a pike as long as their arm.")
    store.facts.remember(user.id, "User", "hobbies", "User plays the cello.")
    assert "pike" not in (who := said(store, user, "who am I?")) and "cello" in who


def test_of_whom_nothing_else_is_known_is_told_what_they_once_did(store: Store) -> None:
    user = store.users.get("me")
    store.facts.remember(user.id, "User", "hobbies", "User caught a pike as long as their arm.")
    assert "caught a pike" in said(store, user, "who am I?")


def test_whether_one_likes_a_thing_is_read_off_the_fact_about_it(store: Store) -> None:
    user = store.users.get("me")
    session = store.sessions.start(user.id, at=SAID)
    for line, fact in (
        ("I do not like mushrooms.", "User does not like mushrooms."), ("I love jazz.", "User loves jazz."),
        ("I hate being phoned early.", "User hates being phoned early."),
        ("My sister likes opera.", "User's sister likes opera."),
        ("I like trains but not buses.", "User likes trains but not buses."),
    ):  # fmt: skip
        turn = store.turns.add(session.id, "User", line, said_at=SAID)
        store.facts.remember(user.id, "User", "tastes", fact, turn_ids=[turn.id], said_at=SAID)
    assert said(store, user, "Do I like mushrooms?") == "No. You told me on 3 May 2024: “I do not like mushrooms.”"
    assert said(store, user, "do I love jazz").startswith("Yes. ")
    assert said(store, user, "Do I hate mushrooms?").startswith("Yes. ")
    assert said(store, user, "Do I hate jazz?").startswith("No. ")
    for unknown in (
        "Do I like opera?",
        "Do I like mushroom soup from tins?",
        "Do I like being alone?",
        "Do I like trains?",
    ):
        assert direct(store, user, Recall(unknown), english()) is None, unknown


def test_a_taste_is_read_off_the_line_where_no_fact_was_made_of_it(store: Store, user: User) -> None:
    session = store.sessions.start(user.id).id
    for line in (
        "I can't stand olives.",
        "I love jazz.",
        "My sister hates tea.",
        "Do I like tea?",
        "I like figs, but not dried.",
    ):
        store.turns.add(session, user.subject, line, said_at=SAID)

    def told(question: str) -> str:
        recall = store.search(user.id, question, speaker=user.subject, word_budget=200)
        found = direct(store, user, recall, english())
        return found.text if found else ""

    assert told("Do I like olives?") == "No. You told me on 3 May 2024: “I can't stand olives.”"
    assert told("Do I like jazz?") == "Yes. You told me on 3 May 2024: “I love jazz.”"
    for question in ("Do I like tea?", "Do I like figs?", "Do I like opera?"):
        assert not told(question).startswith(("Yes", "No")), question


def test_a_name_that_was_told_by_the_way_is_told_unless_it_was_denied(store: Store) -> None:
    user = store.users.get("me")
    session = store.sessions.start(user.id).id
    for line in ("Hi there, I'm Marta.", "I spent the afternoon repotting things."):
        store.turns.add(session, "User", line, said_at=SAID)

    def told(question: str) -> str:
        found = direct(store, user, store.search(user.id, question, speaker="User", word_budget=200), english())
        return found.text if found else ""

    assert told("What is my name?") == "You're Marta, I think. You told me on 3 May 2024: “Hi there, I'm Marta.”"
    other = store.users.get("other")
    session = store.sessions.start(other.id).id
    for line in ("Hi there, I'm Marlo.", "no"):
        store.turns.add(session, "User", line, said_at=SAID)
    found = direct(store, other, store.search(other.id, "What is my name?", speaker="User", word_budget=200), english())
    assert found is not None and found.text == "You haven't told me your name."


def brought(store: Store, user: User, sql: str, query: str) -> Recall:
    """The recall of a question with a scripted SELECT."""
    agent = RetrievalAgent(ScriptedLM([sql], adapter="retrieval"), store)
    return agent.recall(user, query, now="2024-06-01T09:00:00Z", asker="Owen")


@pytest.fixture
def runs(store: Store, user: User) -> User:
    for day, words in (("2024-03-02", "5 km"), ("2024-03-20", "8 km"), ("2024-04-11", "a half marathon")):
        fact = f"Owen ran {words}."
        store.facts.remember(user.id, "Owen", "running", fact, happened_on=day, said_at=f"{day}T09:00:00Z")
    return user


FILTER = "SELECT * FROM memory WHERE topic IN ('running') AND said_at {} ORDER BY said_at{} LIMIT 20;"


def test_rows_that_a_select_filtered_out_are_counted_and_listed(store: Store, runs: User) -> None:
    sql = FILTER.format("< '2024-04'", "")
    found = listed(store, runs, brought(store, runs, sql, "How many runs did I go on before April?"))
    assert found is not None and found.text.startswith("2, as far as")
    assert found.text.endswith("- You ran 5 km. (2 March 2024)\n- You ran 8 km. (20 March 2024)")
    assert len(found.recall.items) == 2 and found.recall.sql == sql
    last = FILTER.format(">= '2024'", " DESC").replace("20;", "1;")
    one = listed(store, runs, brought(store, runs, last, "What was the last run I went on?"))
    assert one is not None and one.text == "I find:\n- You ran a half marathon. (11 April 2024)"


def test_a_row_that_tells_its_day_is_listed_with_the_whole_date(store: Store, user: User) -> None:
    day = day_of(store.now()) - timedelta(days=20)
    spoken, said_at = f"{day.day} {day:%B}", f"{day + timedelta(days=3)}T09:00:00Z"
    fact = f"Owen ran a marathon on {spoken}."
    store.facts.remember(user.id, "Owen", "running", fact, happened_on=str(day), said_at=said_at)
    sql = FILTER.format(f">= '{day:%Y-%m}'", " DESC")
    found = listed(store, user, brought(store, user, sql, f"Which runs did I go on since {day:%B}?"))
    assert found is not None and found.text == f"I find:\n- You ran a marathon on {spoken}. ({spoken} {day.year})"


@pytest.mark.parametrize(
    ("sql", "query"),
    [
        ("SELECT * FROM memory ORDER BY about('runs') DESC LIMIT 9;", "How many runs did I go on?"),  # only ranked
        (FILTER.format(">= '2025'", ""), "How many runs did I go on?"),  # brings nothing
        ("DROP TABLE memory;", "How many runs did I go on?"),
        (FILTER.format(">= '2024'", ""), "How many trombones do I have?"),  # a row may tell the number
        (FILTER.format(">= '2024-04'", ""), "How many runs did I go on?"),  # one row is no count
        (FILTER.format("< '2024-04'", ""), "How many kilometres have I jogged?"),  # what is measured isn't counted
    ],
)
def test_what_is_no_exact_list_is_left_to_the_model(store: Store, runs: User, sql: str, query: str) -> None:
    assert listed(store, runs, brought(store, runs, sql, query)) is None


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("What did you just say?", "I said: “Tom must be proud.”"),
        ("sorry, what did you say?", "I said: “Tom must be proud.”"),
        ("can you repeat that", "I said: “Tom must be proud.”"),
        ("What did I just say?", "You said: “I play the trombone.”"),
    ],
)
def test_what_was_said_just_now_is_read_off_the_talk(store: Store, user: User, text: str, answer: str) -> None:
    (session,) = store.sessions.all(user.id)
    store.turns.add(session.id, "Owen", text, said_at=SAID)
    assert said(store, user, text) == answer


@pytest.mark.parametrize("text", ["What did you say about Leo?", "What did I say about my brother?", "say cheese"])
def test_what_was_said_of_something_is_another_question(store: Store, user: User, text: str) -> None:
    found = direct(store, user, Recall(text), english())
    assert found is None or "said:" not in found.text
