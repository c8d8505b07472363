"""Who answers a question of their own tells of the one asked of; "both" is what the line before tells two of."""

from __future__ import annotations

import pytest

from chatmem.memory.language.leaning.lines import both_of, leans, other_of, own_answer


@pytest.mark.parametrize(
    ("question", "line", "told"),
    [
        ("And where does she work?", "I'll tell you: in Delft, at the mill.", "She works in Delft, at the mill."),
        ("In which town does my brother live?", "In Graz.", "My brother lives in Graz."),
        ("What does my aunt work as?", "As a diver.", "My aunt works as a diver."),
        ("Where do I swim?", "I’ll tell you, at the lido.", "I swim at the lido."),
    ],
)
def test_an_answer_of_ones_own(question: str, line: str, told: str) -> None:
    assert own_answer(line, question) == told


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("And where does she work?", "Never mind."),
        ("And where does she work?", "In Delft it rains and I am cold."),
        ("She works in Delft.", "In the mornings."),
        ("How are you?", "I'll tell you: in Delft."),
        ("Where should I stay?", "In Delft, I think."),
        ("", "In Graz."),
    ],
)
def test_other_lines_stay(question: str, line: str) -> None:
    assert own_answer(line, question) == line


@pytest.mark.parametrize(
    ("before", "line", "told"),
    [
        ("I have two bikes, a red one and a blue one.", "I sold both last week.", "I sold both bikes last week."),
        ("we keep two old geese", "the fox took both of them", "the fox took both geese"),
        ("I have two bikes.", "Both my parents ride.", "Both my parents ride."),
        ("I have two bikes and two cars.", "I sold both.", "I sold both."),
        ("I have a bike.", "I sold both.", "I sold both."),
        ("I have two bikes.", "I sold one.", "I sold one."),
    ],
)
def test_what_both_stands_for(before: str, line: str, told: str) -> None:
    assert both_of(line, before) == told


@pytest.mark.parametrize(
    ("before", "line", "told"),
    [
        (["Ines and Rui moved in below.", "Ines has the twins."], "The other one bakes bread.", "Rui bakes bread."),
        (["We have Ines and Rui next door, Rui is deaf."], "and the other one's a judge.", "and Ines's a judge."),
        (["Ines and Rui moved in below.", "Ines has the twins."], "The other one, I mean.", None),
        (["Ines and Rui moved in below.", "Ines has the twins."], "The other flat is empty.", None),
        (["Ines and Rui moved in below."], "The other one bakes bread.", None),
        (["Ines and Rui moved in below.", "Ines has twins, Rui none."], "The other one bakes bread.", None),
        (["My bike is new."], "The other one was stolen.", None),
    ],
)
def test_who_the_other_one_is_of_two_who_were_named_together(before: list[str], line: str, told: str | None) -> None:
    assert other_of(line, before) == (line if told is None else told)


LEANING = """The doctor took him off it.|Gave her the lot yesterday, we're even.|It moved to Thursdays.|I've quit that.
They've moved to Linz.|Sold. 400 euros.|Finished!|She broke it off with him on Sunday.|No. 460.|it's off
that's over now|Race cancelled. Still run on Tuesdays, for fun.|I gave it up.|the vet came and it was quick"""
WHOLE = """My dad takes warfarin.|I play the harp.|My sister sold her boat.|I think that Mia is right.|I live in Graz.
Tom has lost his keys again.|We moved to Linz this morning.|My neighbour Ida has a harp of her own.|I have two cats.
i live in graz now and love my flat"""


@pytest.mark.parametrize(
    ("line", "leaning"),
    [(one, want) for text, want in ((LEANING, True), (WHOLE, False)) for one in text.replace("\n", "|").split("|")],
)
def test_a_line_leans_whose_pronoun_stands_for_nothing_in_it(line: str, leaning: bool) -> None:
    assert leans(line) is leaning
