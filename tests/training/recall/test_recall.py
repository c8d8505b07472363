"""What `train recall` holds back and how it measures, by hand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from chatmem.memory.search.line_features import NAMES
from chatmem.memory.store.store import Store
from chatmem.memory.values import ASSISTANT
from chatmem.training.material.templates.talk import GoldTalk
from chatmem.training.material.templates.told import told_talks
from chatmem.training.recall import kinds, ranker, recipe, replied
from chatmem.training.recall.ranker import Ranked
from chatmem.training.recall.rows import EvidenceQuestion, telling


@pytest.fixture
def store_of_talks(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "talks.db") as opened:
        yield opened


def asked(talk: str, *lines: int, category: int = 0) -> EvidenceQuestion:
    return EvidenceQuestion(talk, 1, "Where is the cat?", lines, category)


def material(talks: int, rows: int) -> recipe.Material:
    speakers = {f"talk-{number}": ("Ana", "Ben") for number in range(talks)}
    dmr, chats = ([asked(f"{kind}-{number}", 1) for number in range(rows)] for kind in ("dmr", "msc"))
    return recipe.Material({"locomo": [], "dmr": dmr, "msc": chats + chats}, {}, speakers, "model")


@pytest.mark.parametrize(("talks", "rows", "count"), [(7, 300, 3), (4, 1, 2), (3, 0, 3), (1, 5, 3)])
def test_each_conversation_is_held_back_once(talks: int, rows: int, count: int) -> None:
    groups = recipe._groups(material(talks, rows), count)
    wanted = [f"talk-{n}" for n in range(talks)] + [f"{kind}-{n}" for kind in ("dmr", "msc") for n in range(rows)]
    assert sorted(one for group in groups for one in group) == sorted(wanted)
    assert all(any(name.startswith("talk") for name in group) for group in groups)


def test_answers_that_stand_everywhere_teach_nothing() -> None:
    rows = [asked("a"), asked("b", 1, 2, 3), asked("c", 1, 2, 3, 4), asked("d", 1, 2, 3, 4, category=2)]
    assert [one.talk for one in telling(rows)] == ["b", "d"]


def signs(*fusion: float) -> np.ndarray:
    found = np.zeros((len(fusion), len(NAMES)))
    found[:, 0], found[:, NAMES.index("fusion")] = (2, 1, 1), fusion
    return found


def test_sessions_are_ranked_by_all_their_lines() -> None:
    row = Ranked(asked("a", 3, category=1), [1, 2, 3], signs(1, 2, 3))
    one_good_line_or_two_fair_ones = np.array([1.0, 0.9, 0.9])
    sessions = {1: 10, 2: 20, 3: 20}
    assert kinds._sessions(row, one_good_line_or_two_fair_ones, sessions, 1) == 1
    assert kinds._sessions(row, np.array([3.0, 0.0, 0.0]), sessions, 1) == 0
    other = Ranked(replace(asked("msc-a", 2), kind="msc"), [1, 2, 3], signs(3, 2, 1))
    table = kinds.table([row, other], [one_good_line_or_two_fair_ones, np.array([2.0, 3.0, 1.0])], sessions)
    assert table["recall@10, locomo, ranker"].value == table["sessions, NDCG@1, locomo, ranker"].value == 1
    assert table["recall@1, locomo, ranker"].value == 0 and table["recall@1, msc, ranker"].value == 1
    assert table["recall@10, locomo, plain fusion"].n == table["recall@10, msc, ranker"].n == 1


def learned(kind: str, count: int, sign: str) -> list[Ranked]:
    """Questions of a kind whose right line stands out by one sign alone."""
    rng, found = np.random.default_rng(len(kind)), []
    for number in range(count):
        some = rng.normal(size=(14, len(NAMES))).astype(np.float32)
        some[:, 0], some[:, NAMES.index("assistant")] = 0, 0
        some[number % 14, NAMES.index(sign)] += 6
        question = replace(asked(f"{kind}-{number}", number % 14), kind=kind)
        found.append(Ranked(question, list(range(14)), some))
    return found


def test_each_kind_is_held_back_and_what_has_few_questions_is_weighed_up() -> None:
    pytest.importorskip("torch")
    seen = [*learned("locomo", 60, "words"), *learned("beam", 20, "words"), *learned("msc", 6, "plain")]
    worth = ranker._worth(seen, 1.0)
    assert worth[:60].sum() == pytest.approx(worth[60:80].sum()) == pytest.approx(worth[80:].sum())
    assert np.ptp(ranker._worth(seen, 0.0)) == 0
    config = ranker.RankerConfig(hidden=4, nets=1, epochs=20)
    held = kinds.held_back(seen, config)
    assert held["recall@10, beam, trained on other kinds"].value > 0.9
    groups = [[row.asked.talk for row in seen[part::2]] for part in (0, 1)]
    scores = ranker.held_back(seen, groups, config)
    assert kinds.by_kind(seen, scores)["locomo"] > 0.85
    assert set(kinds.by_kind(seen, scores)) == {"locomo", "beam", "msc"}


def test_long_replies_are_put_in_between_and_asked_about() -> None:
    import random

    rng = random.Random(1)
    text, parts = replied.reply("I've moved to Porto with my dog.", rng, replied.paragraphs())
    assert "you've moved to Porto with your dog" in text and all(part.text in text for part in parts)
    assert len(text.split()) > 150
    assert sum(bool(part.question) for part in replied.paragraphs()) > 20
    assert not any(part.text.startswith("Q:") for part in replied.paragraphs())


def test_a_talk_with_replies_tells_which_line_holds_the_answer(store_of_talks: Store) -> None:
    talk = told_talks("valid")[0]
    talk = GoldTalk(talk.user, talk.lines[:12], talk.questions)
    found = replied.replied_talks(store_of_talks, [talk], ["one"])
    turns = {one.id: one for session in store_of_talks.sessions.all(found[0].user_id)
             for one in store_of_talks.turns.of(session.id)}  # fmt: skip
    people = [one for one in found if turns[one.lines[0]].speaker != ASSISTANT]
    assert people and len(people) < len(found)
    assert all(one.asker == talk.user and one.kind == "replied" for one in found)
    assert sum(one.speaker == ASSISTANT for one in turns.values()) * 2 == len(turns)
