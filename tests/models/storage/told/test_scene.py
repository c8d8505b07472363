"""What a storage model is shown, and whether it changed what nobody speaks of."""

from __future__ import annotations

import pytest

from chatmem.memory.language.language import english
from chatmem.models.prompts.draft import Add, Change, Close, Draft, Entry
from chatmem.models.prompts.messages import Known, Line
from chatmem.models.storage.told.scene import Scene

ROW = Known(7, "health", "Ana's mum has an appointment at the clinic on Tuesday.")


@pytest.mark.parametrize(
    ("line", "before", "entry", "strays"),
    [
        ("He says he'll come next month", "Ivo can't make the 23rd", Change(7, "Ana's mum has one next month."), True),
        ("It's next month now", "the clinic rang", Change(7, "Ana's mum has one next month."), False),
        ("my mother's is next month", "Ivo can't", Change(7, "Ana's mum has one next month."), False),
        ("He says he'll come next month", "Ivo can't", Close(7), False),
        ("We moved to Porto", "Ivo can't", Change(7, "Ana lives in Porto."), False),
        ("He says he'll come next month", "Ivo can't", Add("Ana", "plan", "Ivo comes next month."), False),
        ("He says he'll come next month", "Ivo can't", Change(7, None, topic="plan"), False),
    ],
)
def test_a_draft_strays_that_changes_what_nobody_speaks_of(line: str, before: str, entry: Entry, strays: bool) -> None:
    scene = Scene([Line("Ana", before)], Line("Ana", line), ["Ana"], [ROW], english())
    assert scene.strays(Draft((entry,))) is strays


@pytest.mark.parametrize(
    ("line", "now", "strays"),
    [
        ("Lindqvist doesn't need it before Tuesday", "Ana's joiner is called Lindqvist and comes on Tuesday.", True),
        ("The joiner is Lindqvist, by the way", "Ana's joiner is called Lindqvist and comes on Tuesday.", False),
        ("It's Tuesday no longer, Friday", "Ana's joiner is called Pawlak and comes on Friday.", False),
    ],
)
def test_a_day_alone_gives_nobody_another_name(line: str, now: str, strays: bool) -> None:
    row = Known(7, "home", "Ana's joiner is called Pawlak and comes on Tuesday.")
    scene = Scene([Line("Ana", "hm")], Line("Ana", line), ["Ana"], [row], english())
    assert scene.strays(Draft((Change(7, now),))) is strays
