"""What one can't have isn't answered by what one is given, nor what one likes by what one doesn't."""

from __future__ import annotations

from pathlib import Path

import pytest

from chatmem.memory.language.language import english
from chatmem.memory.store.store import Store
from chatmem.models.chat.reader.kinds import asks_forbidden, asks_liked, only_dislikes, says_no
from chatmem.models.chat.reader.reply import read_out, reading_of
from chatmem.models.embedder.minilm import LlamaEmbedder

GIVEN, ALLERGIC = "Radu's doctor Patel gives Radu naproxen for the back.", "Radu is allergic to penicillin."


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("Which medicine I can not take?", True),
        ("which of my friends mustn't eat nuts?", True),
        ("what should I not cook for my husband?", True),
        ("what do I have to avoid?", True),
        ("why can't I sleep?", False),
        ("can't you help?", False),
        ("what can I take for my back?", False),
    ],
)
def test_questions_for_what_one_can_not_have(question: str, asks: bool) -> None:
    assert asks_forbidden(question) is asks


def test_what_tells_of_it() -> None:
    assert says_no(ALLERGIC) and says_no("Tomas can't have nuts.") and not says_no(GIVEN)


@pytest.mark.parametrize(("facts", "answers"), [((GIVEN, ALLERGIC), "surely"), ((GIVEN,), "perhaps")])
def test_a_medicine_that_is_given_is_none_that_can_not_be_taken(
    tmp_path: Path, embedder: LlamaEmbedder, facts: tuple[str, ...], answers: str
) -> None:
    with Store.open(tmp_path / "read.db", embedder=embedder) as store:
        user = store.users.call(store.users.get("me").id, "Radu")
        session = store.sessions.start(user.id)
        for fact in facts:
            turn = store.turns.add(session.id, "Radu", fact)
            store.facts.remember(user.id, "Radu", "health", fact, turn_ids=[turn.id])
        store.vectors.embed_pending(user.id, limit=100)
        recall = store.search(user.id, "which medicine can't I take?", speaker="Radu", word_budget=200)
        reading = reading_of(store, user, recall, english())
        read = read_out(store, user, recall, english())
    assert reading is not None and reading.answers == answers
    assert read is not None and read.sure is (answers == "surely")
    assert ("penicillin" if read.sure else "I'm not sure. The nearest that I find:") in read.text


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("Which vegetable do I like?", True),
        ("what music does my sister really love?", True),
        ("What don't I like to eat?", False),
        ("what do I not like?", False),
        ("what is my dog like?", False),
        ("do I like olives?", False),
    ],
)
def test_questions_for_what_somebody_likes(question: str, asks: bool) -> None:
    assert asks_liked(question) is asks


@pytest.mark.parametrize(
    ("sentence", "only"),
    [
        ("Ana does not like mushrooms.", True),
        ("I can't stand mushrooms.", True),
        ("I like aubergine but I don't like mushrooms.", False),
        ("Ana's favourite vegetable is aubergine.", False),
        ("Ana does not like mushrooms, but loves aubergine.", False),
        ("Ana doesn't eat meat.", False),
    ],
)
def test_what_tells_of_dislikes_alone(sentence: str, only: bool) -> None:
    assert only_dislikes(sentence) is only


def test_what_one_likes_is_not_answered_by_what_one_does_not(tmp_path: Path, embedder: LlamaEmbedder) -> None:
    with Store.open(tmp_path / "read.db", embedder=embedder) as store:
        user = store.users.call(store.users.get("me").id, "Radu")
        session = store.sessions.start(user.id)
        for line, fact in (
            ("I do not like mushrooms.", "Radu does not like mushrooms."),
            ("Aubergine is what I love.", "Radu loves aubergine."),
        ):
            turn = store.turns.add(session.id, "Radu", line)
            store.facts.remember(user.id, "Radu", "food", fact, turn_ids=[turn.id])
        store.vectors.embed_pending(user.id, limit=100)
        recall = store.search(user.id, "Which vegetable do I like?", speaker="Radu", word_budget=200)
        reading = reading_of(store, user, recall, english())
    assert reading is not None and not any("mushrooms" in one.text for one in reading.found)
