"""The house rules as tests: floors import only downwards, nothing in circles; rooms, files and functions stay small."""

from __future__ import annotations

import ast
import re
import resource
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from tests import order

ROOT = Path(__file__).resolve().parent.parent
FLOORS = ("memory", "models", "eval", "training", "app")
"""From the ground up: a floor may import from itself and from those before it."""
EXTRAS_ONLY = {"torch", "transformers", "peft", "trl", "accelerate", "datasets", "bitsandbytes", "safetensors", "gguf"}
EXTRAS_ONLY |= {"gradio", "starlette", "mcp", "ray", "pyarrow", "dspy", "optuna", "mlflow", "tensorboard"}
"""What the base install does not have."""
SLOW = EXTRAS_ONLY | {"llama_cpp", "openai", "sqlglot", "dateparser", "numkong", "huggingface_hub", "sqlalchemy"}
SLOW.add("numpy")
"""What `chatmem --help` must not load."""
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


owners_of = cache(packages_distributions)
"""Import name -> distributions. It reads the list of files of each that is installed."""


def sources(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(), filename=str(path))


@cache
def statements(path: Path) -> tuple[ast.AST, ...]:
    """All of a file but its expressions: no import, function or handler is in one, and most of a file is."""
    found: list[ast.AST] = [tree(path)]
    for node in found:
        found.extend(one for one in ast.iter_child_nodes(node) if not isinstance(one, ast.expr))
    return tuple(found)


def module_name(path: Path) -> str:
    """`memory/store/store.py` -> `chatmem.memory.store.store`."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(("chatmem", *parts)).removesuffix(".__init__")


@cache
def imports(path: Path) -> tuple[tuple[int, str], ...]:
    """Line and absolute name of everything that a file imports, relative imports resolved."""
    return tuple(names_of(path, statements(path)))


def top_imports(path: Path) -> Iterator[tuple[int, str]]:
    """What a file imports when it is imported itself, but for what only type checkers see."""
    return names_of(path, at_import(path))


def names_of(path: Path, nodes: Iterable[ast.AST]) -> Iterator[tuple[int, str]]:
    name = module_name(path)
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            source = ".".join([*base, *([node.module] if node.module else [])])
            yield from ((node.lineno, f"{source}.{alias.name}") for alias in node.names)


def test_imports_go_only_down() -> None:
    wrong = []
    for level, floor in enumerate(FLOORS):
        for path in sources(floor):
            for line, name in imports(path):
                target = name.split(".")
                if target[0] == "chatmem" and target[1] in FLOORS[level + 1 :]:
                    wrong.append(f"{path.relative_to(ROOT)}:{line} imports {name}, which lies above")
    assert not wrong, "\n".join(wrong)


def test_floors_are_never_imported_as_top_level_packages() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line} imports {name}"
        for path in sources("chatmem", "tests", *FLOORS)
        for line, name in imports(path)
        if name.split(".")[0] in FLOORS
    ]
    assert not wrong, "\n".join(wrong)


def test_every_room_is_installed() -> None:
    """A folder with code and no `__init__.py` would be left out of the wheel in silence."""
    folders = {path.parent for path in sources("chatmem", *FLOORS)}
    assert {
        folder.relative_to(ROOT).as_posix() for folder in folders if not (folder / "__init__.py").is_file()
    } == set()
    assert set(PROJECT["tool"]["setuptools"]["package-dir"].values()) == {"chatmem", "assets", *FLOORS}


def rooms(floor: str) -> list[Path]:
    """The folders directly below a floor that hold code."""
    return [place for place in sorted((ROOT / floor).iterdir()) if place.is_dir() and list(place.rglob("*.py"))]


def units(floor: str) -> dict[str, str]:
    """Each module of a floor and what it belongs to: its folder, or itself where it lies directly in the floor."""
    found = {}
    for path in sources(floor):
        folder = path.parent.relative_to(ROOT).as_posix()
        found[module_name(path)] = path.relative_to(ROOT).as_posix() if folder == floor else folder
    return found


def links(known: dict[str, str], paths: list[Path]) -> dict[str, set[str]]:
    """Which units the files of a unit import, for type checkers alone as well."""
    found: dict[str, set[str]] = {unit: set() for unit in known.values()}
    for path in paths:
        unit = known[module_name(path)]
        for _, name in imports(path):
            # `from .a import b` names the module a.b or the thing b in the module a.
            target = known.get(name) or known.get(name.rpartition(".")[0])
            if target is not None and target != unit:
                found[unit].add(target)
    return found


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """The groups of units that lead back to themselves (Tarjan's strongly connected components)."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(unit: str) -> None:
        order[unit] = low[unit] = len(order)
        stack.append(unit)
        for after in sorted(graph[unit]):
            if after not in order:
                visit(after)
            if after in stack:
                low[unit] = min(low[unit], low[after])
        if low[unit] == order[unit]:
            group = stack[stack.index(unit) :]
            del stack[stack.index(unit) :]
            if len(group) > 1:
                found.append(sorted(group))

    for unit in graph:
        if unit not in order:
            visit(unit)
    return found


def test_circles_are_found() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": {"e"}, "e": set(), "f": {"d"}}
    assert circles(graph) == [["a", "b", "c"]]
    assert circles({**graph, "c": {"d"}}) == []


@pytest.mark.parametrize("floor", FLOORS)
def test_no_circle_between_the_folders_of_a_floor(floor: str) -> None:
    assert circles(links(units(floor), sources(floor))) == []


def test_no_circle_of_files() -> None:
    files = sources("chatmem", *FLOORS)
    assert circles(links({module_name(path): path.relative_to(ROOT).as_posix() for path in files}, files)) == []


@pytest.mark.parametrize("floor", FLOORS)
def test_a_floor_has_five_to_nine_rooms_and_a_folder_at_most_twelve_files(floor: str) -> None:
    assert 5 <= len(rooms(floor)) <= 9, [place.name for place in rooms(floor)]
    own = [path.name for path in (ROOT / floor).glob("*.py") if path.name != "__init__.py"]
    assert len(own) <= 3, own
    folders = {path.parent for path in sources(floor)} - {ROOT / floor}
    counts = {place.relative_to(ROOT).as_posix(): len(list(place.glob("[!_]*.py"))) for place in folders}
    assert {name: count for name, count in counts.items() if count > 12} == {}


def test_a_folder_of_tests_has_at_most_twelve_files_too() -> None:
    """Beside what is shared in its conftest; the tests of all floors lie in `tests/` itself."""
    files = [path for path in sources("tests") if path.name not in ("__init__.py", "conftest.py")]
    counts = Counter(path.parent.relative_to(ROOT).as_posix() for path in files)
    assert {name: count for name, count in counts.items() if count > 12} == {}


def test_each_room_says_what_it_is_for_and_does_nothing_when_it_is_entered() -> None:
    wrong = []
    for path in sources(*FLOORS):
        if path.name == "__init__.py":
            body = tree(path).body
            said = ast.get_docstring(tree(path)) or ""
            if not re.search(r"\w.*\.(\s|$)", said, re.S):
                wrong.append(f"{path.relative_to(ROOT)} says in no sentence what it is for")
            if len(body) > 1:
                wrong.append(f"{path.relative_to(ROOT)}:{body[1].lineno} does more than that")
    assert not wrong, "\n".join(wrong)


def test_tests_lie_as_the_code_does() -> None:
    folders = {path.parent.relative_to(ROOT / "tests") for floor in FLOORS for path in sources(f"tests/{floor}")}
    assert [place.as_posix() for place in sorted(folders) if not (ROOT / place / "__init__.py").is_file()] == []


def test_the_order_of_the_tests_names_files_that_are_there() -> None:
    assert [path for path in order.known() if not path.exists()] == []


def test_files_have_at_most_400_lines() -> None:
    counts = {path: len(path.read_text().splitlines()) for path in sources("chatmem", "tests", *FLOORS)}
    long = [f"{path.relative_to(ROOT)}: {count} lines" for path, count in counts.items() if count > 400]
    assert not long, "\n".join(long)


def test_no_name_of_a_module_is_given_twice() -> None:
    """Functions above the second one read that one's value, too: a pattern then means something else."""
    twice = []
    for path in sources(*FLOORS):
        given = Counter(
            target.id
            for node in tree(path).body if isinstance(node, ast.Assign)
            for target in node.targets if isinstance(target, ast.Name)
        )  # fmt: skip
        twice += [f"{path.relative_to(ROOT)}: {name}" for name, count in given.items() if count > 1]
    assert twice == []


def test_functions_have_at_most_40_lines() -> None:
    long = []
    for path in sources("chatmem", "tests", *FLOORS):
        for node in statements(path):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                length = (node.end_lineno or node.lineno) - node.lineno + 1
                if length > 40:
                    long.append(f"{path.relative_to(ROOT)}:{node.lineno} {node.name}: {length} lines")
    assert not long, "\n".join(long)


def test_catch_all_handlers_only_at_the_edge_of_the_app() -> None:
    wrong = []
    for path in sources("chatmem", *FLOORS[:-1]):
        for node in statements(path):
            if isinstance(node, ast.ExceptHandler):
                caught = ast.unparse(node.type) if node.type else ""
                last = node.body[-1]
                if isinstance(last, ast.Raise) and last.exc is None:
                    continue  # it only cleans up
                if not caught or re.search(r"\b(Base)?Exception\b", caught):
                    wrong.append(f"{path.relative_to(ROOT)}:{node.lineno} catches {caught or 'everything'}")
    assert not wrong, "\n".join(wrong)


def at_import(path: Path) -> Iterator[ast.AST]:
    """Every node of a file that runs when it is imported: all but the bodies of functions."""
    waiting: list[ast.AST] = [tree(path)]
    while waiting:
        node = waiting.pop()
        typing_only = isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        if not typing_only and not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield node
            waiting.extend(ast.iter_child_nodes(node))


def test_importing_reads_no_environment_and_touches_no_file() -> None:
    acts = re.compile(r"^(open|print|os\.(environ|getenv)|logging\.basicConfig)\b|\.(mkdir|read_text|write_text)$")
    wrong = []
    for path in sources(*FLOORS):
        for node in at_import(path):
            text = ast.unparse(node.func if isinstance(node, ast.Call) else node) if isinstance(node, ast.expr) else ""
            if acts.search(text):
                wrong.append(f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 0)} {text}")
    assert not wrong, "\n".join(wrong)


def requirement_name(line: str) -> str:
    return re.split(r"[\[<>=!~; ]", line.strip(), maxsplit=1)[0].lower().replace("_", "-")


def declared(extras: tuple[str, ...]) -> set[str]:
    lines = [line for line in (ROOT / "requirements.txt").read_text().splitlines() if line and not line.startswith("#")]
    for extra in extras:
        lines += PROJECT["project"]["optional-dependencies"][extra]
    return {requirement_name(line) for line in lines}


def third_party(paths: list[Path]) -> dict[str, str]:
    """Distribution -> one place that imports it."""
    owners = owners_of()
    found: dict[str, str] = {}
    for path in paths:
        for line, name in imports(path):
            top = name.split(".")[0]
            if top != "chatmem" and top not in sys.stdlib_module_names:
                for owner in owners.get(top, [top]):
                    found.setdefault(owner.lower().replace("_", "-"), f"{path.relative_to(ROOT)}:{line}")
    return found


def test_what_is_imported_is_declared() -> None:
    used = third_party(sources("chatmem", *FLOORS))
    extras = ("encrypt", "hf", "mcp", "optimize", "ray", "report", "serve", "track", "train", "web")
    missing = {name: place for name, place in used.items() if name not in declared(extras)}
    tests = [path for path in sources("tests") if "benchmarks" not in path.parts]  # those compare with what they find
    used_by_tests = third_party(tests)
    missing |= {name: place for name, place in used_by_tests.items() if name not in declared((*extras, "test"))}
    missing.pop("tests", None)  # helpers among the tests themselves
    assert not missing


def test_what_the_base_install_declares_is_used() -> None:
    files = sources("chatmem", *FLOORS)
    words = {
        word for path in files for word in re.findall(r"\w+", path.read_text())
    }  # one is only looked up, by its name
    used = {requirement_name(owner) for top, owners in owners_of().items() if top in words for owner in owners}
    assert declared(()) - used == set()


def test_every_module_imports_without_the_extras() -> None:
    """All but those that say at their top that they need one; none of the others may lead to them."""
    needs = {path: EXTRAS_ONLY & {name.split(".")[0] for _, name in top_imports(path)} for path in sources(*FLOORS)}
    assert {path.relative_to(ROOT).parts[0] for path, names in needs.items() if names} <= {"models", "training", "app"}
    assert {
        path.relative_to(ROOT).parts[1] for path, found in needs.items() if found and path.is_relative_to(ROOT / "app")
    } <= {"web"}
    modules = [module_name(path) for path, names in needs.items() if not names]
    code = f"import sys, importlib\nfor name in {sorted(EXTRAS_ONLY)}: sys.modules[name] = None\n"
    code += f"for name in {modules}: importlib.import_module(name)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""


def test_help_loads_nothing_slow() -> None:
    code = (
        "import sys\nfrom chatmem.app.cli import main\nsys.argv = ['chatmem', '--help']\n"
        "try: main()\nexcept SystemExit: pass\n"
        f"print(sorted(set(sys.modules) & {SLOW}), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stderr.strip() == "[]"
    assert "chat" in done.stdout


def cpu_seconds(command: list[str]) -> float:
    """What a command costs in processor time: other programs on the machine don't count."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def test_help_takes_less_than_a_fifth_of_a_second() -> None:
    tries = (cpu_seconds([sys.executable, "-m", "chatmem", "--help"]) for _ in range(12))
    assert next((seconds for seconds in tries if seconds < 0.2), None) is not None


def tracked() -> list[Path]:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    names = listed.stdout.splitlines() if listed.returncode == 0 else []
    return [path for name in names if (path := ROOT / name).is_file()] or sources("chatmem", "tests", *FLOORS)


def test_no_path_of_one_machine_is_written_down() -> None:
    pattern = re.compile(r"(?<![\w.])/(?:work|root|home|Users)/\w+")
    wrong = []
    for path in tracked():
        if path.suffix in {".py", ".md", ".toml", ".txt", ".json", ".jsonl", ".svg", ".yml", ".sh", ""}:
            lines = path.read_text(errors="replace").splitlines()
            wrong += [
                f"{path.relative_to(ROOT)}:{n}: {line[:80]}" for n, line in enumerate(lines, 1) if pattern.search(line)
            ]
    assert not wrong, "\n".join(wrong)


def test_nothing_that_is_built_is_tracked() -> None:
    built = {"build", "dist", "__pycache__"}
    assert [path for path in tracked() if {*path.relative_to(ROOT).parts} & built or ".egg-info" in str(path)] == []


def test_nothing_heavy_is_tracked() -> None:
    big = [
        f"{path.relative_to(ROOT)}: {path.stat().st_size >> 20} MB" for path in tracked() if path.stat().st_size > 30e6
    ]
    assert not big, "\n".join(big)
