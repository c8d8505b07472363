"""In a pipe a question is answered by the next line, where that only says yes or no."""

from __future__ import annotations

import io

from chatmem.app.line.input import PipeLines


def test_the_next_line_answers_a_question_or_is_read() -> None:
    source = PipeLines(io.BytesIO(b"yes\nno\nI have a cat\n"))
    assert source.confirm("Forget it?")
    assert source.confirm("Forget it?") is False
    assert source.confirm("Forget it?") is None
    assert source.read() == "I have a cat\n"
    assert source.confirm("Forget it?") is None
    assert source.read() is None
