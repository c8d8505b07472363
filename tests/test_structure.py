"""The house rules as tests: floors import only downwards, the package list is whole, files and functions stay small."""

from __future__ import annotations

import ast
import re
import resource
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FLOORS = ("memory", "models", "eval", "training", "app")
"""From the ground up: a floor may import from itself and from those before it."""
EXTRAS_ONLY = {"torch", "transformers", "peft", "trl", "accelerate", "datasets", "bitsandbytes", "safetensors", "gguf"}
EXTRAS_ONLY |= {"gradio", "starlette", "mcp"}
"""What the base install does not have."""
SLOW = EXTRAS_ONLY | {
    "llama_cpp",
    "openai",
    "sqlglot",
    "dateparser",
    "numkong",
    "huggingface_hub",
    "sqlalchemy",
    "numpy",
}
"""What `chatmem --help` must not load."""
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def sources(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(), filename=str(path))


def module_name(path: Path) -> str:
    """`memory/store.py` -> `chatmem.memory.store`."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(("chatmem", *parts)).removesuffix(".__init__")


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Line and absolute name of everything that a file imports, relative imports resolved."""
    return names_of(path, ast.walk(tree(path)))


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


def test_package_list_is_whole() -> None:
    folders = {path.parent for path in sources("chatmem", *FLOORS)} | {ROOT / "assets"}
    found = {folder.relative_to(ROOT).as_posix() for folder in folders}
    names = {"chatmem" if place == "chatmem" else "chatmem." + place.replace("/", ".") for place in found}
    setup = PROJECT["tool"]["setuptools"]
    assert set(setup["packages"]) == names
    assert set(setup["package-dir"].values()) == found
    assert set(setup["package-dir"]) == names


def test_files_have_at_most_400_lines() -> None:
    counts = {path: len(path.read_text().splitlines()) for path in sources("chatmem", "tests", *FLOORS)}
    long = [f"{path.relative_to(ROOT)}: {count} lines" for path, count in counts.items() if count > 400]
    assert not long, "\n".join(long)


def test_functions_have_at_most_40_lines() -> None:
    long = []
    for path in sources("chatmem", *FLOORS):
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                length = (node.end_lineno or node.lineno) - node.lineno + 1
                if length > 40:
                    long.append(f"{path.relative_to(ROOT)}:{node.lineno} {node.name}: {length} lines")
    assert not long, "\n".join(long)


def test_catch_all_handlers_only_at_the_edge_of_the_app() -> None:
    wrong = []
    for path in sources("chatmem", *FLOORS[:-1]):
        for node in ast.walk(tree(path)):
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
    owners = packages_distributions()
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
    extras = ("hf", "mcp", "report", "serve", "train", "web")
    missing = {name: place for name, place in used.items() if name not in declared(extras)}
    tests = [path for path in sources("tests") if "benchmarks" not in path.parts]  # those compare with what they find
    used_by_tests = third_party(tests)
    missing |= {name: place for name, place in used_by_tests.items() if name not in declared((*extras, "test"))}
    missing.pop("tests", None)  # helpers among the tests themselves
    assert not missing


def test_what_the_base_install_declares_is_used() -> None:
    text = "\n".join(path.read_text() for path in sources("chatmem", *FLOORS))  # one is only looked up, by its name
    named = {top: owners for top, owners in packages_distributions().items() if re.search(rf"\b{top}\b", text)}
    used = {requirement_name(owner) for owners in named.values() for owner in owners}
    assert declared(()) - used == set()


def test_every_module_imports_without_the_extras() -> None:
    """All but those that say at their top that they need one; none of the others may lead to them."""
    needs = {path: EXTRAS_ONLY & {name.split(".")[0] for _, name in top_imports(path)} for path in sources(*FLOORS)}
    assert {path.relative_to(ROOT).parts[0] for path, names in needs.items() if names} <= {"models", "training", "app"}
    assert {path.parent.name for path, names in needs.items() if names and path.is_relative_to(ROOT / "app")} <= {"web"}
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
    seconds = min(cpu_seconds([sys.executable, "-m", "chatmem", "--help"]) for _ in range(5))
    assert seconds < 0.2


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


def test_nothing_heavy_is_tracked() -> None:
    big = [
        f"{path.relative_to(ROOT)}: {path.stat().st_size >> 20} MB" for path in tracked() if path.stat().st_size > 30e6
    ]
    assert not big, "\n".join(big)
