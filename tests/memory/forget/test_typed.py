"""The file of the typed lines, read and written as prompt_toolkit does."""

from __future__ import annotations

import stat
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from prompt_toolkit.history import FileHistory

from chatmem.memory.forget.typed import prune, typed_lines
from tests.memory.lives import LAW

LINE = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=20)
TYPED = st.lists(st.lists(LINE, min_size=1, max_size=3).map("\n".join), max_size=6)


@LAW
@given(TYPED, st.integers(0, 5))
def test_what_holds_it_goes_and_the_rest_stays_as_it_was(tmp_path_factory: object, lines: list[str], gone: int) -> None:
    path = Path(tmp_path_factory.mktemp("typed")) / "me"  # type: ignore[attr-defined]
    for line in lines:
        FileHistory(str(path)).store_string(line)
    assert typed_lines(path) == lines
    out = set(lines[gone : gone + 1])
    assert prune(path, out.__contains__) == sum(line in out for line in lines)
    kept = [line for line in lines if line not in out]
    assert typed_lines(path) == kept
    if path.exists():
        assert list(FileHistory(str(path)).load_history_strings())[::-1] == kept


def test_the_file_stays_private_and_one_that_is_not_there_is_no_matter(tmp_path: Path) -> None:
    path = tmp_path / "me"
    assert prune(path, lambda line: True) == 0 and prune(None, lambda line: True) == 0 and typed_lines(path) == []
    FileHistory(str(path)).store_string("my locker number is 4471")
    assert prune(path, lambda line: "4471" in line) == 1
    assert path.read_bytes() == b"" and stat.S_IMODE(path.stat().st_mode) == 0o600
