"""Each benchmark and study can be started from anywhere: what it imports is there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
START = """
import runpy, sys
for path in sys.argv[1:]:
    before, known = list(sys.path), set(sys.modules)
    runpy.run_path(path, run_name="benchmark")
    sys.path[:] = before
    for name in set(sys.modules) - known:
        if name.split(".")[0] == "tests":
            del sys.modules[name]  # else the next one would find it without a path to it
"""


def test_every_benchmark_finds_what_it_imports(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="some measure training, an extra")
    files = sorted(str(path) for path in (ROOT / "tests" / "benchmarks").rglob("[bs]*.py"))
    done = subprocess.run([sys.executable, "-c", START, *files], capture_output=True, text=True, cwd=tmp_path)
    assert len(files) > 10 and done.returncode == 0, done.stderr
