"""Cases for who tells what a line ends: scenes, pairs and the changes of whole talks, none of them twice."""

from __future__ import annotations

import random
from datetime import UTC, datetime

import pytest

from chatmem.training.material.templates.ends.scenes import LEANING, UNSEEN, Scene, read, scenes, unseen_scenes
from chatmem.training.material.templates.told import manner_talks, read_talk
from chatmem.training.recall.choice.ended_fit import end_row
from chatmem.training.recall.choice.ended_rows import MANY, SHOWN, alike_cases, indirect, scene_cases, talk_cases

SCENE = """
=== Ana
1: Ana drives a blue Fiat Panda.
2: Ana is allergic to walnuts.
L: the Panda went to my nephew -> 1
L: the Panda needs new tyres ->
C: I washed the Panda. | It shone.
L: Sold it an hour later. -> 1
"""


def test_a_scene_is_read() -> None:
    (scene,) = read(SCENE, "plain")
    facts = ("Ana drives a blue Fiat Panda.", "Ana is allergic to walnuts.")
    lines = (("the Panda went to my nephew", (0,)), ("the Panda needs new tyres", ()), ("Sold it an hour later.", (0,)))
    before = ("", "", "I washed the Panda. It shone.")
    assert scene == Scene("Ana", "plain", facts, lines, before)
    assert [case.before for case in scene_cases([scene])] == [*before]
    assert end_row([*scene_cases([scene])][2]).text == "Ana: (I washed the Panda. It shone.) Sold it an hour later."


@pytest.mark.parametrize("wrong", ["L: no arrow", "L: ends what isn't there -> 3", "7 a fact without its colon"])
def test_a_line_of_another_form_is_no_scene(wrong: str) -> None:
    with pytest.raises(ValueError, match=r"scene|isn't there"):
        list(read(SCENE + wrong, "plain"))


def test_what_ships_is_whole() -> None:
    train, valid, unseen = scenes("train"), scenes("valid"), unseen_scenes()
    assert len(train) > 5 * len(valid) > 0
    assert {one.manner for one in unseen} == {UNSEEN}
    assert {one.manner for one in unseen_scenes(LEANING)} == {LEANING}
    assert not {one.manner for one in (*train, *valid)} & {UNSEEN, LEANING}
    unseen += unseen_scenes(LEANING)
    cases = [*scene_cases([*train, *valid, *unseen])]
    lines = [f"{case.before} {case.line}" for case in cases]
    assert sum(bool(case.before) for case in cases) > 1_000
    assert len({*lines}) == len(lines)  # nothing held back is learned from
    ends = [bool(ends) for scene in (*train, *valid, *unseen) for _, ends in scene.lines]
    assert 0.3 < sum(ends) / len(ends) < 0.6
    assert all(case.facts for case in scene_cases(train))


def test_of_many_facts_that_are_alike_a_line_is_shown_what_it_ends_and_some_others() -> None:
    found = [one for one in scenes() if len(one.facts) >= MANY]
    lines = [(scene, line, ends) for scene in found for line, ends in scene.lines]
    cases = [*alike_cases(found, random.Random(1))]
    assert len(cases) == len(lines) > 1_500
    for case, (scene, line, ends) in zip(cases, lines, strict=True):
        assert case.line == line and {*case.facts} <= {*scene.facts}
        assert {case.facts[at] for at in case.ends} == {scene.facts[at] for at in ends}
        assert SHOWN - 2 <= len(case.facts) <= SHOWN
    assert [*alike_cases(found, random.Random(2))] != cases


def test_talks_show_what_a_change_replaces_beside_what_stands() -> None:
    talks = manner_talks("valid")
    cases = list(talk_cases(talks, random.Random(1), quiet=0.0))
    assert cases
    assert all(case.ends and 1 <= len(case.facts) <= SHOWN for case in cases)
    replaced = sum(gold.replaces is not None for talk in talks for gold in talk.golds)
    assert sum(len(case.ends) for case in cases) >= 0.9 * replaced


TALK = """Ana
L: We have a cat called Figaro.
F: pets | Ana has a cat called Figaro.
L: He died last week.
U: 1 | pets | Ana's cat Figaro died last week. | last week
L: I pay 640 for the flat.
F: price | Ana pays 640 for the flat.
L: No, 460.
U: 3 | price | Ana pays 460 for the flat.
"""


def test_a_line_of_a_talk_is_read_as_the_chat_reads_it() -> None:
    """With the name in the place of the pronoun, or with the line that it leans on."""
    cases = talk_cases([read_talk(TALK, datetime(2024, 5, 1, tzinfo=UTC))], random.Random(1), quiet=0.0)
    assert [(case.line, case.before) for case in cases] == [
        ("My cat Figaro died last week.", ""), ("No, 460.", "I pay 640 for the flat."),
    ]  # fmt: skip


def test_pairs_of_the_two_halves_share_no_line() -> None:
    train, valid = indirect("train"), indirect("valid")
    assert len(train) > 900 and len(valid) > 100
    assert not {one.line for one in train} & {one.line for one in valid}
    assert not {one.known for one in train} & {one.known for one in valid}
