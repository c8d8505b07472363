"""How far a run is: told in a log as well, but not too often."""

from __future__ import annotations

import pytest

from chatmem.eval.runs import progress
from tests.clock import set_clock


def test_a_log_gets_a_line_now_and_then(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    clock = iter([0.0, 10.0, 31.0, 40.0, 300.0])
    set_clock(monkeypatch, progress, monotonic=lambda: next(clock))
    tell = progress.make_progress("scripts", 100)
    for done in (1, 2, 3, 50):
        tell(done)
    assert capsys.readouterr().err.splitlines() == [
        "scripts: 2/100, about 25 min left",
        "scripts: 50/100, about 5 min left",
    ]


def test_a_block_that_is_read_again_may_tell_of_less(capsys: pytest.CaptureFixture[str]) -> None:
    tell = progress.make_progress("lines", 100)
    for done in (70, 65, 69, 71):
        tell(done)
    assert not capsys.readouterr().err
