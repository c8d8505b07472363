"""What is installed is what lies here: the wheel and the source archive hold every module and asset that runs, no
picture and no second form of an adapter; they are small, and run alone."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FLOORS = ("app", "assets", "eval", "memory", "models", "training")
LEFT_OUT = shutil.ignore_patterns("__pycache__", ".*")
CHECKOUT_ALONE = (
    "assets/screenshots/",
    "eval/agents/scripts/aslant/",
    "eval/agents/scripts/dictated/",
    "eval/agents/scripts/fresh/",
    "training/material/templates/questions/",
    "training/material/templates/ends/further/",
    "training/material/templates/ends/slips/",
    "training/material/templates/wishes/lines/",
    "training/material/templates/wishes/meant/",
    "training/material/templates/judged/",
    "training/material/templates/short/",
)
"""The README shows the pictures; the latest scripts are for who measures; the questions, the further scenes, the slips,
the judged facts and the short talks are for who trains an adapter for all."""
MOST_ASSETS, MOST_WHEEL = 75_000_000, 70_000_000
"""Bytes. What grows them must be worth it to everyone who installs."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a wheel, a source archive and the unpacked wheel, built from a copy of the checkout."""
    copy, out = tmp_path_factory.mktemp("copy"), tmp_path_factory.mktemp("built")
    for name in ("chatmem", *FLOORS):
        shutil.copytree(ROOT / name, copy / name, ignore=LEFT_OUT)
    for name in ("pyproject.toml", "setup.py", "requirements.txt", "README.md"):
        shutil.copy(ROOT / name, copy)
    for kind in ("wheel", "sdist"):
        code = f"from setuptools import build_meta; build_meta.build_{kind}({str(out)!r})"
        done = subprocess.run([sys.executable, "-c", code], cwd=copy, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(next(out.glob("*.whl"))) as wheel:
        wheel.extractall(out / "site")
    return out


def wanted() -> set[str]:
    """Every module, data file and asset of the checkout but what stays there, by its place in the package."""
    found = [path for floor in FLOORS for path in (ROOT / floor).rglob("*") if path.is_file()]
    names = {path.relative_to(ROOT).as_posix() for path in found if "__pycache__" not in path.parts}
    seen = {name for name in names if not any(part.startswith(".") for part in name.split("/"))}
    return {name for name in seen if not name.startswith(CHECKOUT_ALONE)} | {"py.typed"}


def test_the_wheel_holds_every_module_and_asset(built: Path) -> None:
    site = built / "site" / "chatmem"
    assert {name for name in wanted() if not (site / name).is_file()} == set()


def test_neither_archive_holds_pictures_or_a_second_form_of_an_adapter(built: Path) -> None:
    with tarfile.open(next(built.glob("*.tar.gz"))) as archive:
        kept = {name.partition("/")[2] for name in archive.getnames()}
    site = built / "site" / "chatmem"
    for names in (kept, {path.relative_to(site).as_posix() for path in site.rglob("*")}):
        assets = {name for name in names if name.startswith("assets/")}
        assert "assets/adapters/answer/adapter.gguf" in assets
        assert {name for name in assets if "peft" in name or "safetensors" in name} == set()
        assert {name for name in names if name.startswith(CHECKOUT_ALONE)} == set()


def test_a_shipped_adapter_is_one_file_and_its_card() -> None:
    folders = sorted((ROOT / "assets" / "adapters").iterdir())
    assert [folder.name for folder in folders] == ["answer", "editor", "retrieval", "storage"]
    for folder in folders:
        assert sorted(path.name for path in folder.iterdir()) == ["README.md", "adapter.gguf"]


def test_the_assets_and_the_wheel_are_small(built: Path) -> None:
    assert sum(path.stat().st_size for path in (ROOT / "assets").rglob("*") if path.is_file()) <= MOST_ASSETS
    assert next(built.glob("*.whl")).stat().st_size <= MOST_WHEEL


def test_the_source_archive_holds_every_module_and_asset(built: Path) -> None:
    with tarfile.open(next(built.glob("*.tar.gz"))) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert wanted() - {"py.typed"} | {"requirements.txt", "chatmem/py.typed"} <= names


def test_the_installed_package_runs_from_any_folder_without_the_checkout(built: Path, tmp_path: Path) -> None:
    env = os.environ | {"PYTHONPATH": str(built / "site"), "HOME": str(tmp_path)}
    env.pop("CHATMEM_HOME", None)
    code = "import chatmem.models.registry\nfrom chatmem.memory.language.language import english\n"
    code += "assert english().stop\nprint(*chatmem.__path__)"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=env, capture_output=True, text=True)
    assert done.stdout.splitlines() == [str(built / "site" / "chatmem")], done.stderr
    told = subprocess.run(
        [sys.executable, "-m", "chatmem", "paths"], cwd=tmp_path, env=env, capture_output=True, text=True
    )
    assert (told.returncode, told.stderr) == (0, "")
    assert str(tmp_path) in told.stdout


def test_the_checkout_runs_from_another_folder(tmp_path: Path) -> None:
    env = os.environ | {"PYTHONPATH": str(ROOT), "HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-m", "chatmem", "--version"], cwd=tmp_path, env=env, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout.split()[0]) == (0, "chatmem"), done.stderr
