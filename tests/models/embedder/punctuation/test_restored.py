"""Marks are put back where a line has none, and nowhere else."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatmem.memory.errors import ModelBroken
from chatmem.memory.values import ASSISTANT, Turn
from chatmem.models.embedder.cross_encoder import FOLDER, files
from chatmem.models.embedder.punctuation import restored
from chatmem.models.embedder.punctuation.restored import (
    MARKS,
    NAME,
    as_spoken,
    as_told,
    as_typed,
    lacks_marks,
    load,
    read,
    with_marks,
)

DICTATED = "my mum moved in with us in may she has an old cat called bo and im allergic to it so the cat sleeps outside"
TURN = Turn(1, 1, 1, "Ana", DICTATED, "2026-05-08T13:56:00Z")


def test_a_dictated_line_gets_the_ends_of_its_sentences() -> None:
    told = with_marks(DICTATED)
    assert "in may." in told and "called bo" in told
    assert [word.strip(".,?") for word in told.split()] == DICTATED.split()


def test_a_question_among_what_is_told_is_one() -> None:
    told = with_marks("we had the builders in all week and the kitchen is done now what time does the tip close")
    assert told.endswith("what time does the tip close?") and "?" not in told[:-1]


@pytest.mark.parametrize(
    "text",
    [
        "i moved to ghent six years ago",
        "On Wednesday at 11 I have to show the scar to Doctor Ferreira.",
        "translate this into german i live in york with my wife and i have two sons and a dog called rex",
        "i had a dream last night i was married to a prince i lived in a castle and it had no doors at all",
        "i asked him are you married and he said no i have been divorced for years and then the bus came",
        "sudo apt-get install python3 and then pip install numpy pandas and run it with python main.py please",
        "my locker number is 44710382 and my aunt Rosa keeps the spare key",
        "My mum moved in with us in May. She has an old cat called Bo, and I'm allergic to it, so it sleeps outside.",
        "meine mutter ist im mai bei uns eingezogen sie hat eine alte katze namens bo und die schläft jetzt draußen",
        "milk\neggs\nbread\nbutter\nflour\nsalt\npepper\nsugar\ntea\ncoffee\noats\nrice\npasta",
        "my sister wrote me this today\n> i lost my job at the bank and my flat and i want to be alone for a while",
        "docker run -it --rm -v /data:/data -p 8080:80 -e KEY=value -e OTHER=thing nginx sh -c 'nginx -t'",
        "she said “i lost my job at the bank and my flat and i want to be alone” and then she went to bed at once",
        "def add(a, b): return a + b if a and b else None for x in range(10) print(x) and so on and on",
        " ".join([DICTATED] * 20),
        "",
    ],
)
def test_what_is_short_or_has_marks_or_is_no_english_stays(text: str) -> None:
    assert with_marks(text) == text


def test_what_is_said_while_one_thinks_is_not_read_by_what_writes_facts() -> None:
    text = f"um so yeah erm {DICTATED} uh i think"
    assert [word.strip(".,?") for word in with_marks(text).split()] == text.split()
    told = as_told(replace(TURN, text=text)).text
    assert not {"um", "erm", "uh"} & {word.strip(".,?") for word in told.split()}
    medicine = "i study medicine at UM in florida and my brother does ERM for a bank in HM land and we meet in may"
    assert {"UM", "ERM", "HM"} <= {*as_told(replace(TURN, text=medicine)).text.replace(",", "").split()}


def test_marks_that_are_there_stay() -> None:
    text = "we went to the lake on sunday, and then my brother called he sold his boat at last and he is off to spain"
    told = with_marks(f"{text} for the winter with his dog and a friend of his from school who has a van there")
    assert "sunday," in told and "called." in told and ",," not in told and ",." not in told


def test_what_the_assistant_says_stays_and_a_line_is_kept_as_it_was() -> None:
    assert as_spoken(replace(TURN, speaker=ASSISTANT)).text == DICTATED
    assert as_spoken(TURN).text == with_marks(DICTATED) != TURN.text == DICTATED
    short = replace(TURN, text="hello there")
    assert as_spoken(short) is short


def test_a_very_long_line_is_read_in_parts_and_each_word_is_there() -> None:
    restorer = load()
    assert restorer is not None
    words = (DICTATED.split() * 12)[:230]
    assert len(words) == 230
    assert restorer.logits(words).shape == (230, len(MARKS))
    told = restorer.marked(" ".join(words))
    assert [word.strip(".,?") for word in told.split()] == words and told.count(".") >= 8


def test_a_word_without_end_and_a_text_without_words_do_no_harm() -> None:
    restorer = load()
    assert restorer is not None
    assert restorer.marked("x" * 5000).startswith("x" * 5000)
    assert restorer.marked("") == "" and restorer.marked("um uh") == "um uh"
    assert restorer.logits(["\u2603", "x" * 300, "\u00a0a"]).shape == (3, len(MARKS))


@given(st.integers(1, 700))
def test_windows_share_each_word_out_once_with_words_around_it(count: int) -> None:
    found = list(restored._windows(count))
    own = [place for _, _, first, last in found for place in range(first, last)]
    assert own == list(range(count))
    for begin, end, first, last in found:
        assert end - begin <= restored.WINDOW and begin <= first and last <= end
        assert first == 0 or first - begin >= restored.OVERLAP // 2
        assert last == count or end - last >= restored.OVERLAP // 2


@given(st.text(max_size=200))
def test_any_text_comes_back_with_its_words(text: str) -> None:
    assert isinstance(lacks_marks(text), bool)


def test_without_its_files_a_line_stays_and_a_broken_one_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert read(tmp_path) is None
    monkeypatch.setattr(restored, "load", lambda: None)
    restored._marked.cache_clear()
    assert with_marks(DICTATED) == DICTATED
    restored._marked.cache_clear()
    adapter, head = files(NAME)
    shutil.copy(FOLDER / adapter, tmp_path / adapter)
    nan = {"weights": [[float("nan")] * 384] * 4, "bias": [0.0] * 4}
    for broken in ("{", "{}", json.dumps({"weights": [[1.0]], "bias": [0.0]}), "[]", json.dumps(nan), "[" * 99999):
        (tmp_path / head).write_text(broken)
        with pytest.raises(ModelBroken, match="reinstall chatmem"):
            read(tmp_path)


def test_each_class_is_a_mark_of_the_head_that_ships() -> None:
    data = json.loads((FOLDER / files(NAME)[1]).read_text())
    assert np.array(data["weights"]).shape == (len(MARKS), 384) and len(data["bias"]) == len(MARKS)


def test_a_broken_model_leaves_lines_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise ModelBroken("the file can't be used")

    restored._marked.cache_clear()
    monkeypatch.setattr(restored, "load", broken)
    assert with_marks(DICTATED) == DICTATED


def test_what_is_quoted_is_what_was_typed() -> None:
    told = with_marks(f"um {DICTATED}")
    [piece] = [one for one in told.split(". ") if "called" in one]
    shown = as_typed(f"{piece}.", f"um {DICTATED}")
    assert shown in DICTATED and "," not in shown and "called bo" in shown
    assert as_typed("she has a cat, bo.", "we have a dog") == "she has a cat, bo."
    assert as_typed("I have two cats.", "Hi. I have two cats. Bye.") == "I have two cats."
    assert as_typed("", "x") == ""


def test_no_mark_parts_a_question_from_whom_it_asks_of() -> None:
    told = with_marks("what do you know about me do i have a sister or a brother and where do i live these days")
    assert "do i have a sister" in told and "where do i live" in told


def test_a_day_stays_with_what_is_done_on_it() -> None:
    told = with_marks("they took the stitches out today and on wednesday at 11 i have to show it to doctor ferreira")
    assert "on wednesday at 11 i have" in told
