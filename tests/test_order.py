"""The order of the tests: long files first, short ones in an order that changes with what is selected."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from tests import order


def ordered(files: list[str], tests: int) -> list[str]:
    items: Any = [SimpleNamespace(nodeid=f"tests/{file}::test_{n}") for file in files for n in range(tests)]
    order.longest_first(items)
    for file in files:
        numbers = [int(item.nodeid[-1]) for item in items if item.nodeid.startswith(f"tests/{file}::")]
        assert numbers == sorted(numbers) and len(numbers) == tests
    return list(dict.fromkeys(order.scope(item.nodeid) for item in items))


def test_what_takes_long_comes_first_and_the_rest_as_drawn() -> None:
    files = [*(f"memory/test_{letter}.py" for letter in "abcdefgh"), "test_structure.py", "training/loop/test_x.py"]
    few, more = ordered(files, 2), ordered(files, 3)
    assert few[:2] == more[:2] == ["training", "test_structure.py"]
    assert sorted(few) == sorted(more) and few != more
    assert few == ordered(files, 2)


def test_a_file_belongs_to_the_heavy_library_that_it_loads() -> None:
    names = {"training/test_fit.py": "training", "models/backends/hf/test_x.py": "torch", "app/web/test_x.py": "page"}
    assert {file: order.scope(f"tests/{file}::test_x[a::b]") for file in names} == names
    assert order.scope("tests/memory/test_x.py::test_y") == "memory/test_x.py"
