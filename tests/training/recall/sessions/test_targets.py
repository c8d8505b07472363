"""What a ranking model should have written is what its grammar lets it write."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from chatmem.eval.ranking.parse import parse_ranking
from chatmem.eval.ranking.prompt import MOST, NAMED, NOWHERE, TOLD, shown
from chatmem.models.decoding.scripted import ScriptedLM
from chatmem.training.recall.sessions.targets import reply
from tests.training.recall.sessions.test_trainer import row

TOLD_OF = rf" (?:tells of|says that) [^.<>\n]{{2,{TOLD}}}\."
FORM = re.compile(
    rf"<think>(?:Session (\d+){TOLD_OF}(?: Session \d+{TOLD_OF}){{0,{NAMED - 1}}}</think><ranking>\1"
    rf"|{re.escape(NOWHERE)}</think><ranking>\d+)(?:,\d+){{0,{MOST - 1}}}</ranking>"
)
"""`prompt.grammar` as a pattern."""


@pytest.mark.parametrize("gold", range(4))
def test_the_session_of_the_thought_is_the_first_of_the_ranking(gold: int) -> None:
    asked = shown(row(3, gold), ScriptedLM(["-"]), "digest")
    target = reply(row(3, gold), asked)
    assert FORM.fullmatch(target) and parse_ranking(target, len(asked.places))[0] == gold  # type: ignore[index]


def test_where_nothing_tells_it_the_nearest_come_first() -> None:
    untold = replace(row(3, 1), gold=("elsewhere",))
    target = reply(untold, shown(untold, ScriptedLM(["-"]), "digest"))
    assert FORM.fullmatch(target) and target == f"<think>{NOWHERE}</think><ranking>0,1,2,3</ranking>"


def test_a_word_with_a_stop_or_without_end_stays_in_the_form() -> None:
    asked_of = replace(row(3, 2), question=f"When did Ana get Kiwi {'x' * 99} 3.5 the parrot?")
    target = reply(asked_of, shown(asked_of, ScriptedLM(["-"]), "digest"))
    assert FORM.fullmatch(target), target
