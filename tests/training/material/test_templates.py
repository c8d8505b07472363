"""The generated talks are well-formed, true to their gold, varied, and split cleanly."""

from __future__ import annotations

import random
import re
from datetime import date, timedelta
from itertools import islice

import pytest

from chatmem.memory.language.dates import resolve
from chatmem.training.material.templates.generate import generate
from chatmem.training.material.templates.kinds import Kind, all_kinds
from chatmem.training.material.templates.phrases import small_talk
from chatmem.training.material.templates.slots import slot_lists, slots_of
from chatmem.training.material.templates.talk import GoldTalk
from chatmem.training.material.templates.when import MONTHS, draw_when

KINDS = all_kinds()


@pytest.fixture(scope="module", params=["train", "valid"])
def talks(request: pytest.FixtureRequest) -> list[GoldTalk]:
    return list(generate(7, 400, request.param))


def test_there_is_enough_material() -> None:
    assert len(KINDS) >= 120
    assert len({kind.name for kind in KINDS}) == len(KINDS)
    assert len(small_talk("train")) + len(small_talk("valid")) >= 150
    lists = slot_lists()
    assert len(set(lists["girl"] + lists["boy"])) >= 150
    assert len(lists["city"]) >= 120
    assert len(lists["job"]) >= 150
    assert sum(bool(kind.updates) for kind in KINDS) >= 40


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_each_kind_says_what_its_fact_says(kind: Kind) -> None:
    """Every statement tells all that the fact holds and nothing more; every answer can be read off the fact."""
    slots = slots_of(kind.fact)
    assert len(kind.says) >= 5
    assert len(kind.asked[0].asks) >= 4
    assert kind.replies
    assert kind.fact.endswith(".")
    for text in kind.says:
        assert slots_of(text) == slots, text
        assert ("{when" in text) == bool(kind.when), text
    for asked in kind.asked:
        assert asked.keys
        for text in (*asked.texts, *asked.keys, *asked.asks, asked.about):
            assert slots_of(text) <= slots | slots_of(kind.topic), text
    for text in kind.updates:
        assert slots_of(text) <= slots, text
        assert slots_of(text, old=True) <= slots, text


def test_slots_are_all_filled(talks: list[GoldTalk]) -> None:
    for talk in talks:
        texts = [line.text for line in talk.lines] + [gold.fact for gold in talk.golds]
        texts += [text for q in talk.questions for text in (q.text, q.answer, *q.variants, *q.answers, *q.key_words)]
        assert not [text for text in texts if re.search(r"[{}|#]|=>|\s\s|^\s|\s$", text)]


def test_golds_point_where_they_should(talks: list[GoldTalk]) -> None:
    for talk in talks:
        golds = talk.golds
        for place, gold in enumerate(golds):
            assert (gold.replaces is None) == (gold.action == "add")
            assert (gold.fact == "") == (gold.action == "delete")
            assert gold.replaces is None or (gold.replaces < place and golds[gold.replaces].topic == gold.topic)
            assert (gold.date_phrase is None) == (gold.happened_on is None)
        replaced = [gold.replaces for gold in golds if gold.replaces is not None]
        assert len(replaced) == len(set(replaced))
        assert [line.said_at for line in talk.lines] == sorted(line.said_at for line in talk.lines)


def test_answers_hold_their_key_words_and_need_a_live_fact(talks: list[GoldTalk]) -> None:
    asked = [(talk, q) for talk in talks for q in talk.questions]
    asked += [(talk, line.question) for talk in talks for line in talk.lines if line.question]
    for _, question in asked:
        for answer in (question.answer, *question.answers):
            assert all(key.lower() in answer.lower() for key in question.key_words), (answer, question.key_words)
        assert (question.needs is None) == (not question.key_words)
    for talk in talks:
        assert all(q.needs in talk.live for q in talk.questions if q.needs is not None)
        assert any(q.needs is None for q in talk.questions)


def test_values_said_stand_in_the_fact_letter_for_letter(talks: list[GoldTalk]) -> None:
    """Numbers and (where the line wasn't typed in small letters) names of the fact stand in what was said."""
    for talk in talks:
        for line in talk.lines:
            for gold in line.facts:
                if gold.action == "add" and gold.fact:
                    assert set(re.findall(r"\d+", gold.fact)) <= set(re.findall(r"\d+", line.text))


def test_the_same_seed_gives_the_same_talks_and_another_others() -> None:
    assert list(generate(1, 30)) == list(generate(1, 30))
    assert list(generate(1, 30)) != list(generate(2, 30))
    assert list(islice(generate(1, 100), 30)) == list(generate(1, 30))


def test_validation_shares_no_statement_with_training() -> None:
    said: dict[str, set[str]] = {}
    for split in ("train", "valid"):
        lines = [line for talk in generate(3, 500, split) for line in talk.lines]
        said[split] = {line.text.lower() for line in lines if line.facts and line.facts[0].action == "add"}
    assert len(said["train"]) > 1500
    assert said["train"] & said["valid"] == set()


def test_date_phrases_mean_what_the_memory_takes_them_to_mean() -> None:
    """All phrases about the past and all counted or named ones about the future, as `memory.dates` reads them."""
    rng = random.Random(4)
    for _ in range(1500):
        today = date(2024, 1, 1) + timedelta(days=rng.randint(0, 1500))
        direction = rng.choice(["past", "future"])
        phrase, meant = draw_when(direction, today, rng)
        if phrase.startswith("in ") and phrase.split()[1] in MONTHS:
            continue  # "in June" alone could be either; only the sentence tells
        if direction == "future" and phrase.startswith(("on ", "this ")):
            continue
        assert resolve(phrase, f"{today}T12:00:00Z") == meant, (today, phrase)
