"""What counts as evidence: the user's telling lines, and of a question that nothing answers, nothing."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest

from chatmem.memory.errors import ModelBroken
from chatmem.memory.search import evidence
from chatmem.memory.search.evidence import SIGNS, Piece, asked_of, signs
from chatmem.memory.search.floor import nobody_of_theirs
from chatmem.memory.search.lines import FoundLine
from chatmem.memory.store.store import Store
from chatmem.memory.values import ASSISTANT, Recall, Turn, User

TOLD = (
    "I'm Owen, I play the trombone in a brass band.",
    "My brother Leo lives in Bergen with two cats.",
    "We had rain all week.",
    "My sister Anna is a nurse in Lisbon.",
    "Our car is a green Volvo.",
)
REPLIED = ("You haven't told me Leo's age.", "12 times 9 is 11.", "I recommend the novel Middlemarch.", "Nice!", "Oh.")


@pytest.fixture
def user(store: Store) -> User:
    user = store.users.call(store.users.get("me").id, "Owen")
    session = store.sessions.start(user.id)
    for line, reply in zip(TOLD, REPLIED, strict=True):
        store.turns.add(session.id, "Owen", line)
        store.turns.add(session.id, ASSISTANT, reply)
    return user


def recalled(store: Store, user: User, text: str) -> Recall:
    return store.search(user.id, text, speaker=user.subject, word_budget=200, floor=True)


def lines(recall: Recall) -> str:
    return "\n".join(turn.text for item in recall.items for turn in item.turns)


@pytest.mark.parametrize("question", ["how old is Leo?", "what's 12 times 9?", "do you like novels?", "I like novels"])
def test_what_the_assistant_said_is_no_evidence(store: Store, user: User, question: str) -> None:
    assert not {*REPLIED} & {*lines(recalled(store, user, question)).split("\n")}


@pytest.mark.parametrize(
    ("question", "untold"),
    [
        ("What's my mother's name?", True), ("Who is my boss?", True), ("How old is my son?", True),
        ("Is my husband a dentist?", True), ("Where does my sister live?", False), ("Is my brother in Bergen?", False),
        ("Does my sister have cats?", False), ("What should I give my mother?", False),
    ],
)  # fmt: skip
def test_of_kin_that_nobody_spoke_of_nothing_is_told(store: Store, user: User, question: str, untold: bool) -> None:
    assert recalled(store, user, question).untold is untold


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("What's my mother's name?", "My parents are well."), ("Who is my boss?", "The new manager is strict."),
        ("How old is my son?", "We have two boys."), ("Is my husband a dentist?", "We got married in May."),
    ],
)  # fmt: skip
def test_kin_may_have_been_told_of_in_other_words(question: str, line: str) -> None:
    told = cast(FoundLine, SimpleNamespace(turn=Turn(1, 1, 1, "Owen", line, "2024-05-03T09:00:00Z")))
    assert nobody_of_theirs(question, [], []) and not nobody_of_theirs(question, [], [told])


def test_a_brother_says_nothing_of_a_sister() -> None:
    told = cast(FoundLine, SimpleNamespace(turn=Turn(1, 1, 1, "Owen", "My brother is well.", "2024-05-03T09:00:00Z")))
    assert nobody_of_theirs("Where does my sister live?", [], [told])
    assert not nobody_of_theirs("Where does my brother live?", [], [told])


def test_it_is_recalled_when_it_is_asked_for_and_shown_as_left_out_when_not(store: Store, user: User) -> None:
    assert "Middlemarch" in lines(recalled(store, user, "Which novel did you recommend?"))
    left = recalled(store, user, "I read a novel").left_out
    assert ("assistant", "I recommend the novel Middlemarch.") in [(one.reason, one.text) for one in left]


@pytest.mark.parametrize("question", ["What am I allergic to?", "where does Vera live?", "when is my birthday"])
def test_of_a_question_that_nothing_answers_nothing_is_shown(store: Store, user: User, question: str) -> None:
    recall = recalled(store, user, question)
    assert recall.untold
    assert recall.items == ()
    assert {one.reason for one in recall.left_out} <= {"unrelated", "assistant"}


def test_what_was_near_and_answers_nothing_is_told_as_left_out(store: Store, user: User) -> None:
    left = recalled(store, user, "where does Vera live?").left_out
    assert ("unrelated", TOLD[1]) in [(one.reason, one.text) for one in left]


@pytest.mark.parametrize(
    ("question", "holds"),
    [("Where does Leo live?", "Bergen"), ("what does Anna do", "nurse"), ("What car do we have?", "Volvo")],
)
def test_what_was_told_is_shown(store: Store, user: User, question: str, holds: str) -> None:
    recall = recalled(store, user, question)
    assert not recall.untold
    assert holds in lines(recall)


@pytest.mark.parametrize(
    "text", ["What's the capital of France?", "tell me a joke", "How do I boil an egg?", "hello", "what should I cook?"]
)
def test_general_questions_are_not_refused(store: Store, user: User, text: str) -> None:
    assert not recalled(store, user, text).untold


def test_a_question_that_is_none_for_a_memory_is_told_apart(store: Store, user: User) -> None:
    france = recalled(store, user, "What's the capital of France?")
    assert (france.items, france.general) == ((), True)
    assert not recalled(store, user, "where does Vera live?").general
    assert not recalled(store, user, "Where does Leo live?").general


def test_an_empty_memory_says_so_of_the_users_own_life_alone(store: Store) -> None:
    user = store.users.get("nobody")
    assert recalled(store, user, "What am I allergic to?").untold
    assert not recalled(store, user, "What's the capital of France?").untold


def test_an_answer_of_the_wanted_kind_stands_close() -> None:
    with_age = Piece("Leo is 42.", "", False, 0.5, 0.5, True, 0)
    without = Piece("Leo lives in Bergen.", "", False, 0.5, 0.5, True, 0)
    found = signs(asked_of("How old is Leo?", "Owen", [with_age, without]), [with_age, without])
    assert found.shape == (2, len(SIGNS))
    number, close = SIGNS.index("no number"), SIGNS.index("close")
    assert found[:, number].tolist() == [0.0, 1.0]
    assert found[0, close] > found[1, close]


def test_a_model_for_other_signs_is_refused(tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("known") / "known.json"
    path.write_text('{"signs": ["other"], "mean": [0], "spread": [1], "weights": [1], "bias": 0, "floor": 0}')
    with pytest.raises(ModelBroken, match="other signs"):
        evidence.load(path)


@pytest.mark.parametrize("question", ["When did I meet Zoltan?", "What does Zoltan do?", "is Zoltan still married?"])
def test_of_somebody_of_whom_nothing_was_said_nothing_is_known(store: Store, user: User, question: str) -> None:
    assert recalled(store, user, question).untold


def test_what_was_quoted_is_no_evidence_of_the_asker(store: Store, user: User) -> None:
    session = store.sessions.start(user.id)
    quoted = store.turns.add(session.id, "Owen", "Mia: I live in Rome and I am allergic to peanuts.", storage="quoted")
    assert not evidence.telling(quoted)
    recall = recalled(store, user, "What am I allergic to?")
    assert "peanuts" not in lines(recall)
    assert "Mia: I live in Rome" in lines(recalled(store, user, "What did Mia say about Rome?"))
    kept = store.turns.set(quoted.id, storage="kept")
    assert evidence.telling(kept) == kept.text
