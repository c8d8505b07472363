"""One report on trust: its parts are the other evaluators', its curve is by hand what it says, and a run goes on."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from chatmem.app.cli import main
from chatmem.eval.agents import chat
from chatmem.eval.agents.talks.script import matches
from chatmem.eval.agents.trust import calibration, trial
from chatmem.eval.agents.trust.talks import KINDS, TalkSet
from chatmem.memory.errors import ModelError, NotFound
from chatmem.models.chat.reader.reply import NEAREST
from chatmem.training.material.asked_after import NOTHING, SETS, asked_after
from chatmem.training.material.taken_out import without
from chatmem.training.material.templates.told import unseen_talks
from chatmem.training.recall.choice import crossed_fit, reader_fit
from tests.app import warm
from tests.eval.agents.test_changes import FILE

LOGITS = {chance: math.log(chance / (1 - chance)) for chance in (0.15, 0.65, 0.95)}


def asked(kind: str, chance: float | None, said: str = "known", *, doubted: bool = False) -> dict[str, Any]:
    surety = None if chance is None else LOGITS[chance]
    return {"kind": kind, "surety": surety, "said": said, "by": "reader", "doubted": doubted}


ROWS = [
    asked("told", 0.95), asked("told", 0.95), asked("told", 0.65), asked("told", None, "not known"),
    asked("taken out", 0.65), asked("taken out", 0.15, "unsure"),
    asked("never told", 0.95, "unsure", doubted=True), asked("never told", 0.15, "not known"),
]  # fmt: skip


def test_a_reliability_table_by_hand() -> None:
    low, middle, high = calibration.bins(ROWS)
    assert (low.low, low.high, low.told.value, low.told.n) == (0.1, 0.2, 0.0, 2)
    assert (middle.told.value, middle.told.n) == (0.5, 2)
    assert (high.chance, high.told.n) == (pytest.approx(0.95), 3)
    assert (high.told.value, high.said["unsure"].value) == (pytest.approx(2 / 3), pytest.approx(1 / 3))
    error = calibration.calibration_error(ROWS)
    assert error.value == pytest.approx((2 * 0.15 + 2 * 0.15 + 3 * 0.95 - 2) / 7)
    assert error.low <= error.value <= error.high and error.n == 7
    alike = calibration.calibration_error(ROWS, alike=True)
    assert alike.value == pytest.approx(2 * 0.15 / 8 + (0.65 / 8 - 0.35 / 6) + (0.95 / 8 - 2 * 0.05 / 6))


def test_what_a_bound_would_do_by_hand() -> None:
    found = calibration.bounds(ROWS, {"shipped: unsure": 0.32})
    assert [one.name for one in found if one.name] == ["shipped: unsure"]
    at = {round(one.chance, 2): one for one in found}
    assert (at[0.0].doubted.value, at[0.0].taken_out.value, at[0.0].never_told.value) == (0, 1, 0.5)
    assert (at[0.32].doubted.value, at[0.32].taken_out.value, at[0.32].never_told.value) == (0, 0.5, 0)
    assert (at[0.7].doubted.value, at[0.7].doubted.n) == (pytest.approx(1 / 3), 3)
    assert at[1.0].doubted.value == 1


def test_what_a_reply_says_of_the_memory() -> None:
    assert trial.said("Your sister is a notary.") == "known"
    untold = "You haven't told me how old Nayeli is, as far as I can find: tell me, and I can answer."
    assert trial.said(untold) == "not known"
    assert trial.said(f"{untold} {NEAREST} Your sister is a notary.") == "unsure"


def test_a_set_says_whether_the_reader_learned_from_it() -> None:
    kinds = [*crossed_fit.KINDS_OF_TALK, reader_fit.asked_more, crossed_fit.asked_aslant]
    lines = {
        split: {line.text for kind in kinds for talk in kind(split) for line in talk.lines}
        for split in ("train", "valid")
    }
    for name, (read, fitted) in SETS.items():
        said = {line.text for talk in read() for line in talk.lines if len(line.text) > 40}
        assert said, name
        if fitted == NOTHING:
            assert len(said & (lines["train"] | lines["valid"])) <= 0.02 * len(said), name
        else:
            assert said <= lines["train" if name == "learned" else "valid"], name
    with pytest.raises(NotFound, match="unseen-weeks"):
        asked_after("mine")


def test_what_is_taken_out_is_not_told_and_draws_are_the_same() -> None:
    found = asked_after("unseen")
    counts = {kind: sum(ask.kind == kind for talk in found.talks for ask in talk.asks) for kind in KINDS}
    assert counts["told"] == counts["taken out"] > 200 and counts["never told"] > 40
    for talk in unseen_talks()[:4]:
        for one in [each for each in talk.questions if each.needs is not None]:
            left = without(talk, one)
            assert 0 < len(left.lines) < len(talk.lines)
            assert not any(matches(one.key_words, line.text) for line in left.lines)
            assert talk.golds[one.needs or 0].fact not in [gold.fact for gold in left.golds]
    few = found.some(2)
    assert few == found.some(2)
    assert sorted(ask.kind for talk in few.talks for ask in talk.asks) == sorted([*KINDS, *KINDS])
    assert found.some(0) is found


@pytest.fixture
def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A run of one to two cases a part, its scripts with scripted agents, all else with what ships."""
    monkeypatch.setenv("CHATMEM_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(chat, "DEFAULT", warm.command())
    script = tmp_path / "mine.toml"
    script.write_text(
        'lines = ["I live in Gdansk."]\n[[ask]]\nquestion = "Where do I live?"\nkeys = ["Gdansk"]\nfind = "live"\n'
    )
    pairs = tmp_path / "two.toml"
    pairs.write_text(FILE)
    return [
        "eval", "trust", "--out", str(tmp_path / "out"), "--pairs", str(pairs), "--scripts", str(script),
        "--talks", "unseen", "--questions", "1", "--threads", "1",
    ]  # fmt: skip


def test_one_report_of_all_parts_that_goes_on_where_it_was_stopped(
    parts: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ask, number = trial.Asker.ask, 0

    def stopped(*args: Any) -> dict[str, Any]:
        nonlocal number
        number += 1
        if number == 3:
            raise KeyboardInterrupt
        return ask(*args)

    monkeypatch.setattr(trial.Asker, "ask", stopped)
    assert main(parts) == 130
    assert f"What is finished is kept in {tmp_path / 'out'}; run the same command again" in capsys.readouterr().err
    monkeypatch.setattr(trial.Asker, "ask", ask)
    assert main(parts) == 0
    told = capsys.readouterr().out
    out = tmp_path / "out"
    assert (out / "trust.md").read_text().split("![")[0].strip() in told
    made = {path.name for path in out.iterdir()}
    assert made == {
        "pairs-two.jsonl", "calibration.jsonl", "scripts.jsonl", "trust.md", "trust.json", "trust-reliability.png",
        "trust-bounds.png",
    }  # fmt: skip
    found = json.loads((out / "trust.json").read_text())
    assert found["pairs"]["two"]["wrong overwrites"]["n"] == 2 and found["pairs"]["two"]["missed, change"]["n"] == 1
    assert [found["scripts"]["value"][f"{what}: mine"]["value"] for what in ("answered", "findable")] == [0, 1]
    one = found["calibration"]["unseen"]
    assert one["held_out"] and "### unseen (held out)" in told
    assert sum(each["told"]["n"] for each in one["bins"]) == one["calibration_error"]["n"] > 0
    _as_the_chat_decides((out / "calibration.jsonl"), one["shipped"])

    def load(*_: Any) -> Any:
        raise ModelError("nothing is to be asked again")

    monkeypatch.setattr(trial, "load", load)
    monkeypatch.setattr(chat, "DEFAULT", ("no such program",))
    assert main([*parts, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == found


def _as_the_chat_decides(record: Path, shipped: dict[str, float]) -> None:
    """The chance that is counted is the one that decided what the reader said."""
    rows = [json.loads(line) for line in record.read_text().splitlines()[1:]]
    assert len(rows) == 3
    for row in [row for row in rows if row["by"] == "reader"]:
        chance = calibration.chance_of(row)
        sure = chance >= shipped["shipped: unsure"] and not row["doubted"]
        assert (row["said"] == "known") is sure or row["said"] == "not known", row


def test_what_can_be_asked_for_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", "trust", "--parts", "pears"]) == 2
    assert "give some of pairs,calibration,scripts" in capsys.readouterr().err
    assert main(["eval", "trust", "--parts", "calibration", "--talks", "mine"]) == 1
    assert "There is no set of talks 'mine'" in capsys.readouterr().err


def test_a_set_that_was_learned_from_is_marked() -> None:
    from chatmem.eval.agents.trust import parts, report

    of = TalkSet("learned", "all of it", False, ())
    found = parts.Found(calibration=[parts.Calibration(of, ROWS, {})])
    assert "### learned (NOT held out)" in report.markdown(found, {})
