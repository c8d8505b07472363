"""The example packages of the docs, installed as a person would, beside the checkout: each brings what it says."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "docs" / "examples"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds all examples. They are built from a copy: setuptools leaves a `build` beside its sources."""
    folder, copied = tmp_path_factory.mktemp("site"), tmp_path_factory.mktemp("examples") / "all"
    shutil.copytree(EXAMPLES, copied)
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--no-build-isolation"]
    places = sorted(str(place.parent) for place in copied.glob("*/pyproject.toml"))
    done = subprocess.run([*command, "--target", str(folder), *places], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


def run(installed: Path, code: str) -> subprocess.CompletedProcess[str]:
    env = os.environ | {"PYTHONPATH": f"{installed}{os.pathsep}{ROOT}"}
    return subprocess.run([sys.executable, "-c", code], env=env, cwd=installed, capture_output=True, text=True)


def test_a_back_end_is_named_in_a_spec(installed: Path) -> None:
    code = (
        "from chatmem.models import registry\nfrom chatmem.models.lm import Message, Options\n"
        "lm = registry.load('echo:loud')\n"
        "print(lm.name, ''.join(c.text for c in lm.generate([Message('user', 'hello there')], Options())))\n"
    )
    assert run(installed, code).stdout.split() == ["echo-loud", "HELLO", "THERE"]


def test_what_a_back_end_refuses_is_one_sentence(installed: Path) -> None:
    code = "from chatmem.app.cli import main\nraise SystemExit(main(['models', 'check', 'echo:shrill']))"
    done = run(installed, code)
    assert done.returncode == 2
    assert done.stderr.strip() == "chatmem: echo:shrill is no voice; write echo:plain or echo:loud."


def test_a_tool_stands_beside_ours_and_works_on_the_memory(installed: Path, tmp_path: Path) -> None:
    code = (
        "import chatmem\nfrom chatmem.app.assistants.tools import call, tools\n"
        f"with chatmem.Memory({str(tmp_path / 'm.db')!r}, model=None) as memory:\n"
        "    memory.remember('Ana has a cat.', topic='pets'); memory.remember('Ana has a dog.', topic='pets')\n"
        "    print(*tools(), call(tools()['topics'], memory, {}))\n"
    )
    done = run(installed, code)
    assert done.stdout.strip() == "search remember forget why topics {'topics': {'pets': 2}}", done.stderr


def test_a_package_that_can_t_be_loaded_is_named(installed: Path, tmp_path: Path) -> None:
    broken = tmp_path / "chatmem_bad-1.0.dist-info"
    broken.mkdir()
    (broken / "METADATA").write_text("Metadata-Version: 2.1\nName: chatmem-bad\nVersion: 1.0\n")
    (broken / "entry_points.txt").write_text("[chatmem.models]\nbad = chatmem_bad:load\n")
    code = (
        f"import sys; sys.path.append({str(tmp_path)!r})\nfrom chatmem.models import registry\nregistry.load('bad:x')"
    )
    done = run(installed, code)
    assert "chatmem-bad brings 'bad', but it can't be loaded" in done.stderr


def test_a_language_brings_its_words_and_no_rule_of_english(installed: Path) -> None:
    code = (
        "from chatmem.memory.language.language import by_code\n"
        "nl, fr = by_code('nl'), by_code('fr')\n"
        "print(nl.claims, nl.numbers['drie'], nl.months['mei'], 'ik' in nl.self_words, fr.claims, fr.stop == set())\n"
        "from chatmem.models.storage.told.scene import Scene\nfrom chatmem.models.prompts.messages import Line\n"
        "print(Scene([], Line('Ana', 'Ik woon in Gent.'), language=nl).english)\n"
    )
    done = run(installed, code)
    assert done.stdout.split() == ["True", "3", "5", "True", "False", "True", "False"], done.stderr
