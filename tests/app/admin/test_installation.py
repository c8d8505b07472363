"""Looking after an installation: the doctor with a broken config, where things are, emptying the cache."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from chatmem.app import cli
from chatmem.memory.errors import ModelBroken
from chatmem.models.embedder.punctuation import restored

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command in a home of its own: exit code, stdout, stderr."""
    monkeypatch.setenv("CHATMEM_HOME", str(tmp_path))

    def running(*words: str) -> tuple[int, str, str]:
        code = cli.main(words)
        told = capsys.readouterr()
        return code, told.out, told.err

    return running


def config(home: Path, text: str) -> Path:
    file = home / "config" / "config.toml"
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    return file


def found(out: str) -> dict[str, list[dict[str, Any]]]:
    grouped: dict[str, list[dict[str, Any]]] = {}
    for one in json.loads(out):
        grouped.setdefault(one["what"], []).append(one)
    return grouped


def test_the_doctor_tells_all_that_is_wrong_in_the_settings_and_goes_on(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config(tmp_path, 'modle = "embedded"\ntoken_budget = 3\nmodel = "gguf:nowhere.gguf"\n')
    monkeypatch.setenv("CHATMEM_BUSY_SECONDS", "soon")
    assert run("memory", "list")[0] == 2
    code, out, _ = run("doctor", "--json")
    looks = found(out)
    assert code == 1
    told = [one["found"] for one in looks["settings"] if one["state"] == "bad"]
    assert len(told) == 3
    assert any("did you mean 'model'" in one for one in told)
    assert any("write 256 or more" in one for one in told)
    assert any("CHATMEM_BUSY_SECONDS" in one for one in told)
    assert looks["database"][0]["state"] == "ok", "the rest is looked at"
    assert "nowhere.gguf" in looks["answer model"][0]["found"], "by the settings that are right"


@pytest.mark.parametrize("text", ["model = [\n", "\x00"])
def test_the_doctor_works_without_a_readable_config(run: Run, tmp_path: Path, text: str) -> None:
    config(tmp_path, text)
    code, out, _ = run("doctor", "--json")
    assert code == 1
    assert "not valid TOML" in found(out)["settings"][0]["found"]
    assert found(out)["answer model"][0]["state"] == "ok"
    code, out, err = run("doctor", "--settings")
    assert "token_budget" in out
    assert "Not taken" in err


@pytest.mark.parametrize(
    ("line", "told"),
    [("temperature = 9", "write 0 to 2, or -1"), ("temperature = -0.5", "write 0 to 2"), ("temperature = nan", "to 2"),
     ("top_p = 1.5", "write 0 to 1, or -1"), ("tidy_share = 400", "write 1 to 100"),
     ("threads = -3", "1 or more, or -1"), ("threads = 0", "1 or more")],
)  # fmt: skip
def test_the_doctor_names_a_number_that_no_model_takes(run: Run, tmp_path: Path, line: str, told: str) -> None:
    config(tmp_path, line)
    code, out, _ = run("doctor", "--json")
    (look,) = found(out)["settings"]
    assert (code, look["state"]) == (1, "bad") and told in look["found"]


@pytest.mark.parametrize("line", ["temperature = 0", "temperature = 2.0", "temperature = -1", "top_p = 0.9"])
def test_numbers_at_the_edges_are_fine(run: Run, tmp_path: Path, line: str) -> None:
    config(tmp_path, line)
    assert found(run("doctor", "--json")[1])["settings"][0]["state"] == "ok"


def test_the_doctor_names_a_config_that_is_a_folder(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = config(tmp_path, "")
    folder.unlink()
    folder.mkdir()
    for named in ("", str(tmp_path)):
        if named:
            monkeypatch.setenv("CHATMEM_CONFIG", named)
        code, out, _ = run("doctor", "--json")
        looks = found(out)
        assert code == 1 and "is a folder and no config file" in looks["settings"][0]["found"]
        assert looks["database"][0]["state"] == "ok"
        assert run("memory", "list")[0] == 2


def test_the_doctor_goes_on_when_one_of_its_looks_fails(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(name: str) -> object:
        raise PermissionError(13, "Permission denied", "/secret/packages")

    monkeypatch.setattr("chatmem.app.admin.doctor.find_spec", fails)
    code, out, _ = run("doctor", "--json")
    assert code == 1
    assert "/secret/packages" in found(out)["packages"][0]["found"]
    assert "terminal" in found(out)


def test_paths_tells_the_caches_and_their_sizes_and_empties_only_what_is_chatmems(run: Run, tmp_path: Path) -> None:
    copy = tmp_path / "cache" / "models" / "a.bf16.gguf"
    copy.parent.mkdir(parents=True)
    copy.write_bytes(b"x" * 2_000_000)
    (tmp_path / "cache" / "SmolLM2-135M-Instruct.Q4_1-98").mkdir()
    other = tmp_path / "cache" / "of-somebody-else.txt"
    other.write_text("mine")
    _, out, err = run("paths")
    assert f"cache: models\t{copy.parent}\t2 MB\t" in out
    assert err == "", "the hint is for a terminal"
    told = json.loads(run("paths", "--json")[1])
    assert told["sizes"]["cache"] == 2_000_004
    assert [Path(one["path"]).name for one in told["caches"]] == ["SmolLM2-135M-Instruct.Q4_1-98", "models"]
    code, _, err = run("paths", "--empty-cache")
    assert (code, copy.exists()) == (1, True), "it asks first"
    assert "--yes" in err
    code, _, err = run("paths", "--empty-cache", "--yes")
    assert (code, err) == (0, "Freed 2 MB.\n")
    assert not copy.parent.exists()
    assert other.read_text() == "mine"
    assert "empty" in run("paths", "--empty-cache", "--yes")[2]


def test_paths_works_with_a_broken_config(run: Run, tmp_path: Path) -> None:
    config(tmp_path, "model = [\n")
    code, out, err = run("paths")
    assert code == 0
    assert str(tmp_path / "config" / "config.toml") in out
    assert "not valid TOML" in err


def test_a_home_that_is_a_file_is_no_place_for_data(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("CHATMEM_HOME", str(tmp_path / "file" / "home"))
    code, out, _ = run("doctor", "--json")
    assert code == 1
    assert "is no folder" in found(out)["data folder"][0]["found"]


def test_pull_without_a_name_tells_three_good_models_and_a_check_tells_what_to_expect(
    run: Run, tiny_model: Path
) -> None:
    code, out, told = run("models", "pull")
    assert code == 0
    assert len([line for line in out.splitlines() if line]) == 4, "a heading and three models"
    assert out.count("*") == 1
    assert "chatmem models pull Qwen/" in told
    assert run("models", "pull", "me/tiny")[0] == 2
    code, out, _ = run("models", "check", f"gguf:{tiny_model}", "--threads", "1", "--json")
    report = json.loads(out)
    assert code == 0
    assert report["profile"]["window"] == report["context_tokens"] == 4096
    assert report["reading_tokens_per_second"] > 0
    assert any("tokens at once" in sentence for sentence in report["expect"])
    assert report["memory_bytes"] > tiny_model.stat().st_size // 2


def test_the_doctor_asks_for_no_common_key_where_each_model_has_its_own_address(run: Run, tmp_path: Path) -> None:
    config(tmp_path, 'answer_model = "openai:m@http://127.0.0.1:9/v1"\n')
    _, out, _ = run("doctor", "--json")
    assert found(out)["endpoint"][0]["state"] == "ok"


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ('endpoint_headers = "nonsense"', "answer model"), ('endpoint_headers = "X: $NOT_SET"', "answer model"),
        ('answer_key_env = "NOT_SET"', "answer model"), ('profile = "nonsense"', "storage model"),
        ('user = " "', "settings"), ('model = ""', "settings"),
    ],
)  # fmt: skip
def test_the_doctor_tells_of_what_the_chat_would_refuse(line: str, what: str, run: Run, tmp_path: Path) -> None:
    config(tmp_path, f'answer_model = "openai:m@http://127.0.0.1:9/v1"\n{line}\n')
    code, out, _ = run("doctor", "--json")
    assert (code, found(out)[what][0]["state"]) == (1, "bad")


def test_a_database_of_another_kind_is_refused_without_its_password(run: Run, tmp_path: Path) -> None:
    config(tmp_path, 'db = "postgresql://ana:secretpw@localhost:5432/x"')
    code, out, err = run("doctor", "--json")
    assert (code, found(out)["database"][0]["state"]) == (1, "bad") and "secretpw" not in out + err
    code, out, err = run("memory", "list")
    assert code and "postgresql" in err and "secretpw" not in out + err


def test_the_doctor_tells_of_marks_that_can_not_be_put_back(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    code, told, _ = run("doctor")
    assert "marks of dictated lines" not in told

    def broken() -> None:
        raise ModelBroken("the file can't be used")

    monkeypatch.setattr(restored, "load", broken)
    found, told, _ = run("doctor")
    assert "marks of dictated lines" in told and "the file can't be used" in told and found != 0
    monkeypatch.setattr(restored, "load", lambda: None)
    found, told, _ = run("doctor")
    assert "punctuation.gguf is missing" in told and found == code


def test_the_doctor_tells_once_that_a_database_can_not_be_opened(run: Run, tmp_path: Path) -> None:
    broken = tmp_path / "broken.db"
    broken.write_text("no database at all")
    code, out, _ = run("doctor", "--json", "--db", str(broken))
    told = found(out)
    assert code == 1 and [one["state"] for one in told["database"]] == ["bad"]
    assert [one["state"] for one in told["embedder"]] == ["ok"]
