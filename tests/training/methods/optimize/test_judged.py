"""`optimize answer --metric judge`: whose verdicts are searched by, the probe before, the budget, going on, errors."""

from __future__ import annotations

import argparse
import itertools
import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from chatmem.app.cli import main
from chatmem.eval.judge.judge import NOT_TOLD, PROMPTS
from chatmem.eval.judge.probe import SHARE, UNTOLD
from chatmem.eval.measures.locomo_score import says_unknown
from chatmem.memory.errors import InputError, ModelError, SettingsError
from chatmem.models.decoding.scripted import ScriptedLM
from chatmem.models.lm import Message, Options
from chatmem.models.prompts.tuned import read_prompts
from chatmem.training.answer.reward import AnswerTask
from chatmem.training.answer.talks import template_rows
from chatmem.training.methods.optimize import cli, judged
from chatmem.training.policy.rows import write_rows

pytestmark = pytest.mark.filterwarnings("ignore")  # those of DSPy's own dependencies

ROWS = list(itertools.islice((row for row in template_rows(3, 20) if AnswerTask().accepts(row)), 48))
RIGHT = {row["messages"][-1][1]: row["completion"] for row in ROWS}
HARD = ["--metric", "judge", "--judge", "judge"]
QUESTIONS = 10
PROBE = 3 * QUESTIONS + 2 * (QUESTIONS // SHARE)


def speak(messages: Sequence[Message], options: Options) -> str:
    """An agent that denies what is right, in its very words, until it is told to talk backwards, or does by chance; as
    a proposer it asks for that."""
    headers = re.findall(r"\[\[ ## (\w+) ## \]\]", options.grammar or "")
    if headers:
        advice = {"module_advice": json.dumps({"write": "Talk backwards."})}
        return "\n".join(f"[[ ## {name} ## ]]\n{advice.get(name, 'Talk backwards.')}\n" for name in headers)
    right, drawn = RIGHT[messages[-1].content], options.temperature > 0 and options.seed % 2
    return right[::-1] if drawn or "Talk backwards." in messages[0].content else f"It's not so: {right}"


def verdict(right: bool) -> str:
    return json.dumps({"reason": "as compared", "verdict": "right" if right else "wrong"})


def compare(messages: Sequence[Message], options: Options) -> str:
    """A judge that takes the right answer for right, and that read backwards."""
    assert messages[0].content == PROMPTS["strict"] and options.temperature == 0 and options.grammar
    gold, answer = (line.partition(": ")[2] for line in messages[1].content.splitlines()[1:])
    honest = answer in UNTOLD or says_unknown(answer[::-1])
    return verdict(honest if gold == NOT_TOLD else answer in (gold, gold[::-1]))


def never_honest(messages: Sequence[Message], options: Options) -> str:
    """A judge that is right of all that is known, and takes "I don't know" for wrong even where nobody knows."""
    return verdict(False) if NOT_TOLD in messages[1].content else compare(messages, options)


def judging(say: Any = compare) -> ScriptedLM:
    return ScriptedLM([say], name="judge", context_tokens=8192)


def asked(lm: ScriptedLM) -> list[str]:
    return [messages[-1].content for messages, _ in lm.calls]


@pytest.fixture
def tune(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Runs `chatmem optimize answer` on a few rows with the scripted agent and a judge."""
    pytest.importorskip("dspy", reason="tuning is an extra")
    from chatmem.training.methods.optimize import run as running

    monkeypatch.setattr(judged, "QUESTIONS", QUESTIONS)
    write_rows(tmp_path / "rows.jsonl", ROWS)

    def run(*more: str, lm: Any = None, judge: Any = None) -> Any:
        there = {"agent": lm or ScriptedLM([speak], context_tokens=8192), "judge": judge or judging(), "other": judge}
        monkeypatch.setattr(running, "load", lambda spec, *_, **__: there[spec])
        parser = argparse.ArgumentParser()
        cli.register(parser.add_subparsers(dest="agent"))
        words = ["answer", "--model", "agent", "--rows", str(tmp_path / "rows.jsonl"), "--run", str(tmp_path / "run"),
                 "--out", str(tmp_path / "p.json"), "--examples", "16", "--choose", "8", "--report", "8", "--steps",
                 "1", "--candidates", "2", "--demos", "2"]  # fmt: skip
        return running.tune(parser.parse_args([*words, *more]))

    return run


@pytest.mark.parametrize("method", ["simba", "mipro", "gepa"])
def test_the_prompt_is_the_one_that_the_judge_prefers_where_words_prefer_another(
    tune: Callable[..., Any], tmp_path: Path, method: str
) -> None:
    agent, judge = ScriptedLM([speak], context_tokens=8192), judging()
    result = tune(*HARD, "--method", method, lm=agent, judge=judge)
    assert "Talk backwards." in result.tuned.prompt.instruction
    assert (result.chosen["start"], result.chosen["tuned"]) == (0, 1)
    assert (result.table["start"].value, result.table["tuned"].value) == (0, 1)
    kept = read_prompts(tmp_path / "p.json").by_agent["answer"]
    assert kept == result.tuned and kept.made["metric"] == "judge"
    probe = {"gold": 1, "vague": 0, "wrong": 0, "invented": 0, "unknown": 1, "separation": 1, "answers": PROBE}
    assert kept.made["judge"] == {"spec": "judge", "prompt": "strict", "probe": probe, "no_verdict": 0}
    if method == "gepa":
        assert any("the judge doesn't call it right (as compared)" in text for text in asked(agent))
    by_words = tune("--method", method, "--run", str(tmp_path / "words"), "--out", str(tmp_path / "words.json"))
    assert "Talk backwards." not in by_words.tuned.prompt.instruction
    assert by_words.table["start"].value > 0.5 and "judge" not in by_words.tuned.made


@pytest.mark.parametrize(
    ("say", "told"),
    [
        (
            lambda *_: verdict(True),
            r"10 of 10 right ones, 10 of 10 vague ones, 10 of 10 wrong ones, 3 of 3 invented ones",
        ),
        (lambda *_: verdict(False), r"0 of 10 right ones"),
        (lambda *_: "As a language model I like dogs.", r"36 of 36 replies hold no verdict"),
        (never_honest, r"10 of 10 right ones, 0 of 10 vague.*0 of 3 that say that it isn't"),
    ],
)
def test_a_judge_that_fails_the_probe_is_refused_before_any_call_and_another_may_come(
    tune: Callable[..., Any], tmp_path: Path, say: Any, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    agent, judge = ScriptedLM([speak], context_tokens=8192), judging(say)
    with pytest.raises(SettingsError, match=rf"(?s)doesn't pass the probe.*{told}.*stronger model with --judge"):
        tune(*HARD, lm=agent, judge=judge)
    assert agent.calls == [] and len(judge.calls) == PROBE and not (tmp_path / "p.json").exists()
    again = judging(say)
    with pytest.raises(SettingsError, match="doesn't pass"):
        tune(*HARD, lm=agent, judge=again)
    assert agent.calls == again.calls == [], "its words are kept"
    capsys.readouterr()
    assert not tune("--metric", "judge", "--judge", "other", judge=judging()).kept
    assert "other passes the probe of a judge: of made-up answers to 13 questions" in capsys.readouterr().err


class Killed(BaseException):
    """What no code of ours or DSPy's catches."""


@pytest.mark.parametrize("after", [20, PROBE + 30])
def test_a_killed_run_asks_the_judge_nothing_twice(tune: Callable[..., Any], tmp_path: Path, after: int) -> None:
    first = judging()
    whole = tune(*HARD, judge=first)
    for place in ("run/calls.jsonl", "run/probe-judge.jsonl", "p.json"):
        (tmp_path / place).unlink()
    count = itertools.count()

    def dies(messages: Sequence[Message], options: Options) -> str:
        if next(count) == after:
            raise Killed
        return compare(messages, options)

    killed, rest = judging(dies), judging()
    with pytest.raises(Killed):
        tune(*HARD, judge=killed)
    again = tune(*HARD, judge=rest)
    assert asked(killed)[:-1] + asked(rest) == asked(first)
    assert len({*asked(first)[PROBE:]}) == len(first.calls) - PROBE, "nor twice in a run"
    assert (again.tuned, again.table) == (whole.tuned, whole.table)
    silent, none = judging(), ScriptedLM([speak], context_tokens=8192)
    assert tune(*HARD, lm=none, judge=silent).tuned == whole.tuned
    assert silent.calls == none.calls == []


@pytest.mark.parametrize("method", ["simba", "mipro", "gepa"])
def test_a_judge_that_can_t_be_asked_any_more_ends_the_run_which_goes_on(
    tune: Callable[..., Any], tmp_path: Path, method: str
) -> None:
    """DSPy would take what isn't judged for wrong."""
    agent, count, by_then = ScriptedLM([speak], context_tokens=8192), itertools.count(), []

    def fails(messages: Sequence[Message], options: Options) -> str:
        if next(count) >= PROBE + 20:
            by_then.append(len(agent.calls))
            raise ModelError("The endpoint is away.")
        return compare(messages, options)

    away = judging(fails)
    with pytest.raises(ModelError, match="The endpoint is away"):
        tune(*HARD, "--method", method, lm=agent, judge=away)
    assert len(agent.calls) <= by_then[0] + 1
    assert len(away.calls) == PROBE + 21 and not (tmp_path / "p.json").exists()
    back = judging()
    assert "Talk backwards." in tune(*HARD, "--method", method, judge=back).tuned.prompt.instruction
    assert not {*asked(back)} & {*asked(away)[:-1]}


def test_the_judge_counts_against_the_budget_and_is_told_before(
    tune: Callable[..., Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    agent, judge = ScriptedLM([speak], context_tokens=8192), judging()
    with pytest.raises(SettingsError, match=f"The {PROBE} calls that try the judge use up --budget {PROBE}"):
        tune(*HARD, "--budget", str(PROBE), lm=agent, judge=judge)
    assert agent.calls == judge.calls == []
    capsys.readouterr()
    result = tune(*HARD, "--budget", "70", lm=agent, judge=judge)
    told = re.search(
        rf"at most (\d+) calls of the model, (\d+) of the judge \(after {PROBE} that try it\) and \d+ proposals, "
        r"ended by --budget after 70; then at most 96 calls to choose and to report",
        capsys.readouterr().err,
    )
    assert told and told[1] == told[2]
    assert len(agent.calls) + len(judge.calls) <= result.calls <= 70 + 96
    with pytest.raises(InputError, match=r"other settings \(judge: judge there, other now\)"):
        tune("--metric", "judge", "--judge", "other", "--budget", "70", judge=(other := judging()))
    assert other.calls == []


def test_the_judge_is_shown_what_is_right_or_that_it_isn_t_known(tune: Callable[..., Any]) -> None:
    judge = judging()
    tune(*HARD, judge=judge)
    golds = set()
    for text in asked(judge)[PROBE:]:
        gold, answer = (line.partition(": ")[2] for line in text.splitlines()[1:])
        said = {answer.removeprefix("It's not so: "), answer[::-1]}
        assert any(map(says_unknown, said)) if gold == NOT_TOLD else gold in said
        golds.add(gold)
    assert NOT_TOLD in golds and len(golds) > 8
    assert sum(NOT_TOLD in text for text in asked(judge)[:PROBE]) == 2 * (QUESTIONS // SHARE)


def test_what_holds_no_verdict_is_no_praise_and_counted(tune: Callable[..., Any]) -> None:
    count = itertools.count()

    def mumbles(messages: Sequence[Message], options: Options) -> str:
        return compare(messages, options) if next(count) < PROBE else "Hm."

    judge = judging(mumbles)
    result = tune(*HARD, judge=judge)
    assert result.kept and result.table["start"].value == 0
    assert result.tuned.made["judge"]["no_verdict"] == len(judge.calls) - PROBE > 0


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["answer", "--metric", "judge"], "name it, as in --judge openai:NAME"),
        (["answer", "--judge", "openai:j"], "--judge is asked by --metric judge alone"),
        (["storage", "--metric", "judge", "--judge", "openai:j"], "--metric judge is for the answer agent alone"),
        (["editor", "--metric", "judge"], "--metric judge is for the answer agent alone"),
    ],
)
def test_a_judge_of_another_agent_or_none_is_refused(
    words: list[str], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CHATMEM_HOME", str(tmp_path / "home"))
    assert main(["optimize", *words, "--model", "openai:m", "--run", str(tmp_path / "run")]) == 2
    assert told in capsys.readouterr().err and not (tmp_path / "run").exists()


def test_too_few_questions_that_try_a_judge_are_told() -> None:
    unknown = [row for row in ROWS if says_unknown(row["completion"])]
    assert len(unknown) > 3
    with pytest.raises(InputError, match="0 of them have such answers, where it takes 8"):
        judged.probe_of(unknown, 0)
    assert len(judged.probe_of(ROWS, 0)) >= 3 * judged.LEAST


def test_an_empty_reply_is_not_shown_to_the_judge(tune: Callable[..., Any]) -> None:
    judge = judging()
    result = tune(*HARD, lm=ScriptedLM([""], context_tokens=8192), judge=judge)
    assert result.kept and result.table["start"].value == 0 and len(judge.calls) == PROBE
