"""In a pipe a question is answered by the next line, where that only says yes or no."""

from __future__ import annotations

import io

import pytest

from chatmem.app.line.input import PipeLines
from chatmem.app.shown.events import Asked

ASKED = Asked("Forget it?", "/forget 1 --yes")


def test_the_next_line_answers_a_question_or_is_read() -> None:
    source = PipeLines(io.BytesIO(b"yes\nno\nI have a cat\n"))
    assert source.confirm(ASKED)
    assert source.confirm(ASKED) is False
    assert source.confirm(ASKED) is None
    assert source.read() == "I have a cat\n"
    assert source.confirm(ASKED) is None
    assert source.read() is None


def test_a_yes_that_is_not_enough_is_told_what_to_say(capsys: pytest.CaptureFixture[str]) -> None:
    whole = Asked("Forget everything?", "/reset --yes", word="everything")
    source = PipeLines(io.BytesIO(b"y\neverything\ny\nI have a cat\n"))
    assert source.confirm(whole)
    assert "type “everything”" in capsys.readouterr().err
    assert source.confirm(whole) is None
    assert source.read() == "I have a cat\n"


def test_half_an_answer_is_told_what_to_say_and_read_for_no_line(capsys: pytest.CaptureFixture[str]) -> None:
    source = PipeLines(io.BytesIO(b"hm, maybe\nno wait\nwhat would go?\nyes\nmaybe\nI have a cat\n"))
    assert source.confirm(ASKED)
    told = capsys.readouterr().err
    assert told.count("the question stands: “yes” does it") == 3 and told.count("Forget it?") == 1
    assert source.confirm(ASKED) is None
    assert source.read() == "I have a cat\n"
