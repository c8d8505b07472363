"""`chatmem adapters`: facts, putting to work and back, merging and exporting, on the adapters that ship."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from chatmem.app.admin import adapters
from chatmem.app.cli import build_parser, main
from chatmem.app.config.edit import put_setting
from chatmem.memory.errors import SettingsError

pytest.importorskip("gguf", reason="writing adapters is an extra")


@pytest.fixture
def home(tmp_path: Path, kept_cache: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch) -> Path:
    kept_cache(tmp_path / "home")
    monkeypatch.setenv("CHATMEM_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def test_show_tells_the_facts_and_the_card(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["adapters", "show", "storage", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["rank"], facts["alpha"], facts["base"]) == (16, 32, "SmolLM2-135M-Instruct")
    assert facts["steps"] >= 1000
    assert 7_000_000 < facts["bytes"]["llama.cpp"] < 8_000_000
    assert facts["roles"] == ["storage"]
    assert facts["measured"]["store or not"].startswith(".")
    assert main(["adapters", "show", "storage"]) == 0
    assert "rank: 16" in capsys.readouterr().out


def test_use_puts_to_work_and_default_goes_back(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = home / "config" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('# mine\nuser = "ana"\n')
    assert main(["adapters", "use", "answer", "--role", "storage"]) == 0
    assert "trained as the answer agent" in capsys.readouterr().err
    assert config.read_text() == '# mine\nuser = "ana"\nstorage_model = "embedded+answer"\n'
    assert main(["adapters", "show", "answer", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["roles"] == ["answer", "storage"]
    assert main(["adapters", "use", "--default"]) == 0
    assert config.read_text() == '# mine\nuser = "ana"\n'


def test_merge_and_export_write_both_forms_that_load(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from chatmem.models import registry
    from chatmem.models.adapters.merge import read
    from chatmem.models.lm import Message, Options, complete

    assert main(["adapters", "merge", "storage", "storage", "--rank", "16", "--name", "twice"]) == 0
    assert main(["adapters", "export", "twice", str(tmp_path / "out")]) == 0
    before = {path: path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()}
    assert main(["adapters", "export", "twice", str(tmp_path / "out")]) == 1
    assert "is left as it is" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()} == before
    assert read(tmp_path / "out" / "peft").config["r"] == 16
    asked = [Message("user", "Say hello.")], Options(max_tokens=12)
    said = []
    for spec in (f"embedded+{tmp_path / 'out' / 'adapter.gguf'}", "embedded+storage"):
        lm = registry.load(spec, threads=1)
        said.append(complete(lm, *asked))
        lm.close()
    assert said[0] == said[1]


@pytest.mark.parametrize("role", ["storage", "retrieval", "answer", "editor"])
def test_each_role_is_measured_by_its_evaluation(role: str) -> None:
    given = build_parser(["adapters"]).parse_args(["adapters", "eval", "x", "--data", "f", "--threads", "1", "--json"])
    told = adapters.evaluation(given, role, [f"embedded+{role}", "embedded+x", "embedded"])
    assert (told.data, told.num, told.threads, told.json) == (Path("f"), 120, 1, True)
    named = told.models if role == "answer" else told.compare
    assert "embedded+x" in named
    words = ["eval", adapters.EVALUATORS[role], "--data", "f", "--num", "120", "--threads", "1", "--json"]
    if role == "answer":
        words += ["--systems", "search", "--models", "embedded+answer,embedded+x,embedded"]
    elif role == "editor":
        words += ["--model", "embedded+editor", "--compare", "embedded+x,embedded"]
    else:
        words += ["--model", f"embedded+{role}", "--adapter", "none", "--compare", "embedded+x", "embedded"]
    typed = build_parser(words).parse_args(words)
    assert vars(told).items() <= vars(typed).items()


def test_an_editor_is_put_to_work_and_measured_on_the_memories_that_ship(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from chatmem.eval.agents import editor_cli

    assert main(["adapters", "use", "editor"]) == 0
    assert (home / "config" / "config.toml").read_text() == 'editor_model = "embedded+editor"\n'
    assert main(["adapters", "use", "--default"]) == 0
    assert (home / "config" / "config.toml").read_text() == ""
    asked: list[Any] = []
    monkeypatch.setattr(editor_cli, "run", lambda args: asked.append(args) or 0)
    assert main(["adapters", "eval", "storage", "--role", "editor", "--num", "2"]) == 0
    assert (asked[0].model, asked[0].compare) == ("embedded+editor", "embedded+storage,embedded")
    assert asked[0].num == 2


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (["use"], 2, "Name an adapter"),
        (["use", "nobody"], 1, "no adapter 'nobody'"),
        (["merge", "storage", "--name", "x"], 2, "two adapters"),
        (["merge", "storage", "answer", "--name", "a/b"], 2, "can't be an adapter's name"),
        (["merge", "storage", "answer", "--name", "x", "--weights", "1,x"], 2, "with commas"),
        (["merge", "storage", "answer", "--name", "x", "--weights", "1"], 2, "Give 2 weights"),
        (["merge", "storage", "answer", "--name", "storage"], 1, "ships with chatmem"),
        (["eval", "storage"], 1, "Nothing is remembered here yet"),
        (["show", "nobody"], 1, "no adapter"),
    ],
)
def test_bad_input_is_one_sentence(
    words: list[str], code: int, sentence: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["adapters", *words]) == code
    error = capsys.readouterr().err
    assert sentence in error
    assert error.count("\n") == 1
    assert not (home / "config" / "config.toml").exists()
    assert not (home / "data" / "chatmem.db").exists()


def test_one_setting_changes_and_the_rest_of_the_file_stays(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "config.toml"
    put_setting(path, "storage_model", 'em"b')
    assert path.read_text() == 'storage_model = "em\\"b"\n'
    path.write_text('model = "a" # why\nstorage_model="x"  # old\ncompact = true')
    put_setting(path, "storage_model", "y")
    put_setting(path, "answer_model", "z")
    assert path.read_text() == 'model = "a" # why\nstorage_model = "y"\ncompact = true\nanswer_model = "z"\n'
    put_setting(path, "storage_model", None)
    put_setting(path, "storage_model", None)
    assert path.read_text() == 'model = "a" # why\ncompact = true\nanswer_model = "z"\n'
    path.write_text("model = ")
    with pytest.raises(SettingsError, match="not valid TOML"):
        put_setting(path, "model", "x")
    assert path.read_text() == "model = "


def test_an_export_is_written_over_nobody_s_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    repo = tmp_path / "repo"
    repo.mkdir()
    (repo / "README.md").write_text("mine")
    assert main(["adapters", "export", "storage", str(repo), "--form", "gguf"]) == 1
    assert "README.md is there already" in capsys.readouterr().err
    assert [(path.name, path.read_text()) for path in repo.iterdir()] == [("README.md", "mine")]
