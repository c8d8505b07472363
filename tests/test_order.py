"""The order of the tests: long files first, the rest as a seed draws it, the same in all processes of a run."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from tests import order

if TYPE_CHECKING:
    import pytest

ROOT = Path(__file__).resolve().parent.parent
FILES = [
    *(f"memory/test_{letter}.py" for letter in "abcdefgh"), *(f"training/test_{letter}.py" for letter in "abcdefgh"),
    "test_structure.py",
]  # fmt: skip


def ordered(seed: int, files: list[str] = FILES, tests: int = 8) -> list[str]:
    items: Any = [SimpleNamespace(nodeid=f"tests/{file}::test_{n}") for file in files for n in range(tests)]
    order.longest_first(items, seed)
    return [item.nodeid for item in items]


def runs(names: list[str]) -> list[str]:
    """Each name once for as often as it begins anew."""
    return [name for before, name in zip(["", *names], names, strict=False) if name != before]


def test_what_takes_long_comes_first_and_the_rest_as_drawn() -> None:
    one, other = ordered(1), ordered(2)
    assert sorted(one) == sorted(other) and one != other
    assert one == ordered(1) == ordered(1, FILES[::-1])
    scopes, others = (runs([order.scope(name) for name in names]) for names in (one, other))
    assert scopes[:2] == others[:2] == ["training", "test_structure.py"]
    assert sorted(scopes) == sorted(others) and scopes != others


def test_files_that_share_a_process_and_tests_of_a_file_are_drawn_too_and_no_file_is_entered_twice() -> None:
    one, other = ([name.split("::") for name in ordered(seed)] for seed in (1, 2))
    files, others = (runs([file for file, _ in names]) for names in (one, other))
    assert len(files) == len(others) == len(FILES)
    assert [file for file in files if "training" in file] != [file for file in others if "training" in file]
    for file in files:
        tests, rest = ([test for name, test in names if name == file] for names in (one, other))
        assert len({*tests}) == 8 and tests != rest


def test_a_file_belongs_to_the_heavy_library_that_it_loads() -> None:
    names = {"training/test_fit.py": "training", "models/backends/hf/test_x.py": "torch", "app/web/test_x.py": "page"}
    assert {file: order.scope(f"tests/{file}::test_x[a::b]") for file in names} == names
    assert order.scope("tests/memory/test_x.py::test_y") == "memory/test_x.py"


def test_each_process_begins_at_another_folder_and_leaves_none_out() -> None:
    def collected(number: int, *args: str) -> list[str]:
        given = {"workerid": f"gw{number}", "workercount": 3}
        config = SimpleNamespace(args=list(args), workerinput=given)
        order.begin_apart(cast("pytest.Config", config))
        return config.args

    all_of_it = [collected(number, str(order.HERE)) for number in range(3)]
    assert len({names[0] for names in all_of_it}) == 3
    tests = {str(path) for path in order.HERE.rglob("test_*.py")}
    for names in all_of_it:
        assert sorted(names) == sorted(all_of_it[0]) and len({*names}) == len(names)
        assert all(any(test == name or test.startswith(f"{name}/") for name in names) for test in tests)
    assert collected(1, "tests/memory") == ["tests/memory"], "what was asked for is left as it is"


def report(*arguments: str) -> tuple[int, str]:
    """Exit status and report of a run of its own."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def test_each_run_draws_a_seed_and_its_processes_take_the_one_that_was_drawn() -> None:
    configs = [SimpleNamespace(option=SimpleNamespace(order_seed=None)) for _ in range(2)]
    seeds = [order.drawn(cast("pytest.Config", config)) for config in configs]
    assert seeds[0] != seeds[1]
    assert seeds == [order.drawn(cast("pytest.Config", config)) for config in configs]
    worker = SimpleNamespace(option=SimpleNamespace(order_seed=None), workerinput={"order_seed": 0})
    assert order.drawn(cast("pytest.Config", worker)) == 0


def test_a_run_tells_its_order_and_takes_it_back() -> None:
    _, first = report("--collect-only", "tests/test_order.py")
    told = re.search(r"^order of the tests: (--order-seed) (\d+)$", first, re.M)
    assert told, first
    _, second = report("--collect-only", "tests/test_order.py", *told.groups())
    names, again = (re.findall(r"<Function (\w+)>", text) for text in (first, second))
    assert len(names) > 5 and names == again


def test_all_processes_of_a_run_have_one_order() -> None:
    """With two orders xdist runs nothing: `Different tests were collected`."""
    one = "test_a_file_belongs_to_the_heavy_library_that_it_loads"
    status, told = report("-q", "-n", "2", "tests/test_order.py", "tests/memory/language/test_words.py", "-k", one)
    assert status == 0 and re.search(r"^1 passed", told, re.M), told


def test_what_ends_badly_tells_its_order_at_the_end_too() -> None:
    status, told = report("-q", "--order-seed", "7", "tests/test_order.py::test_that_is_not_there")
    assert status != 0 and "order of the tests: --order-seed 7\n" in told
