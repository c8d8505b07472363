"""A tuning run over DSPy itself and a scripted model: every method, the budget, going on after a kill."""

from __future__ import annotations

import argparse
import itertools
import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from chatmem.memory.errors import InputError, SettingsError
from chatmem.models.decoding.scripted import ScriptedLM
from chatmem.models.lm import Message, Options
from chatmem.models.prompts.tuned import read_prompts
from chatmem.training.methods.optimize import cli
from chatmem.training.policy.rows import write_rows
from chatmem.training.storage.template_rows import template_rows

pytest.importorskip("dspy", reason="tuning is an extra")
pytestmark = pytest.mark.filterwarnings("ignore")  # those of DSPy's own dependencies


def speak(messages: Sequence[Message], options: Options) -> str:
    """A model that stores only what it is told to keep, or shown examples of; as a proposer it says "Keep it all."."""
    headers = re.findall(r"\[\[ ## (\w+) ## \]\]", options.grammar or "")
    if headers:
        fields = (
            (name, '{"write": "Keep it all."}' if name == "module_advice" else "Keep it all.") for name in headers
        )
        return "\n".join(f"[[ ## {name} ## ]]\n{text}\n" for name, text in fields)
    told = "Keep it all." in messages[0].content or len(messages) > 2 or (options.temperature > 0 and options.seed % 2)
    who, _, said = messages[-1].content.rsplit("\n", 1)[-1].partition(": ")
    fact = said.replace("'", "''")
    return (
        f"INSERT INTO memory (subject, topic, fact, happened_on) VALUES ('{who}', 'x', '{fact}', NULL);"
        if told
        else "-- nothing"
    )


@pytest.fixture
def tune(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Runs `chatmem optimize storage` on a few rows with the scripted model, or with `lm`."""
    rows = [row for row in template_rows(3, 20) if row["completion"].startswith("INSERT")]
    write_rows(tmp_path / "rows.jsonl", rows[:48])

    def run(*more: str, lm: Any = None) -> Any:
        from chatmem.training.methods.optimize import run as running

        monkeypatch.setattr(running, "load", lambda *_, **__: lm or ScriptedLM([speak], context_tokens=8192))
        parser = argparse.ArgumentParser()
        cli.register(parser.add_subparsers(dest="agent"))
        words = ["storage", "--model", "scripted", "--rows", str(tmp_path / "rows.jsonl"),
                 "--run", str(tmp_path / "run"),
                 "--out", str(tmp_path / "p.json"), "--examples", "16", "--choose", "8", "--report", "8", "--steps",
                 "1", "--candidates", "2"]  # fmt: skip
        return running.tune(parser.parse_args([*words, *more]))

    return run


@pytest.mark.parametrize("method", ["simba", "mipro", "gepa"])
def test_each_method_finds_what_helps_and_keeps_it(tune: Callable[..., Any], tmp_path: Path, method: str) -> None:
    result = tune("--method", method)
    assert not result.kept and result.chosen["tuned"] > result.chosen["start"]
    assert result.table["difference"].low > 0 and result.table["difference"].n == 8
    kept = read_prompts(tmp_path / "p.json").by_agent["storage"]
    assert kept == result.tuned and (kept.prompt.demos or "Keep it all." in kept.prompt.instruction)
    assert kept.model == "scripted" and kept.made["method"] == method and kept.made["searched_on"] == 16
    shown = {demo.shown for demo in kept.prompt.demos}
    searched = [
        json.loads(line)["messages"][-1][1] for line in (tmp_path / "run" / "train.jsonl").read_text().splitlines()
    ]
    assert shown <= set(searched)  # what it is chosen by and reported on is never shown as an example


class Killed(BaseException):
    """What no code of ours or DSPy's catches."""


def test_a_killed_run_goes_on_and_ends_as_one_that_was_not(tune: Callable[..., Any], tmp_path: Path) -> None:
    whole = tune()
    calls = len((tmp_path / "run" / "calls.jsonl").read_text().splitlines()) - 1
    for place in ("run/calls.jsonl", "p.json"):
        (tmp_path / place).unlink()
    count = itertools.count()

    def dies(messages: Sequence[Message], options: Options) -> str:
        if next(count) == calls - 6:  # while it reports, in the main thread
            raise Killed
        return speak(messages, options)

    with pytest.raises(Killed):
        tune(lm=ScriptedLM([dies], context_tokens=8192))
    with (tmp_path / "run" / "calls.jsonl").open("a") as torn:
        torn.write('{"key": "half')
    rest = ScriptedLM([speak], context_tokens=8192)
    again = tune(lm=rest)
    assert again.tuned == whole.tuned and again.table == whole.table and len(rest.calls) == 6


def test_the_budget_ends_the_search_and_the_best_by_then_is_reported(tune: Callable[..., Any]) -> None:
    result = tune("--budget", "50", "--method", "mipro")
    assert result.calls <= 50 + 8 * 4 + 8 * 2
    with pytest.raises(InputError, match="other settings"):
        tune("--method", "mipro", "--budget", "60")


def test_a_start_that_nothing_beats_stays(tune: Callable[..., Any], tmp_path: Path) -> None:
    result = tune(lm=ScriptedLM(["-- nothing"], context_tokens=8192))
    assert result.kept and not (tmp_path / "p.json").exists() and result.table["difference"].value == 0


def test_too_few_rows_and_an_adapter_are_told(tune: Callable[..., Any], tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="adapter"):
        tune(lm=ScriptedLM([speak], adapter="storage"))
    (tmp_path / "rows.jsonl").write_text("".join((tmp_path / "rows.jsonl").read_text().splitlines(True)[:9]))
    with pytest.raises(InputError, match="rows to search with"):
        tune("--run", str(tmp_path / "other"))


def test_what_a_model_of_random_weights_proposes_can_be_read(tiny_home: Path) -> None:
    """The grammar alone holds a reply to DSPy's form, whatever the model would say."""
    import dspy
    from dspy.teleprompt.simba_utils import OfferFeedback

    from chatmem.models import registry
    from chatmem.models.lm import complete
    from chatmem.training.methods.optimize.program import fields_grammar

    lm = registry.load("embedded", threads=1)
    try:
        for signature in (dspy.Signature("instruction -> proposed_instruction"), OfferFeedback):
            grammar = fields_grammar(signature)
            text = complete(
                lm, [Message("user", "Propose.")], Options(max_tokens=1500, temperature=1.0, grammar=grammar)
            )
            assert text.endswith("[[ ## completed ## ]]")
            assert set(dspy.ChatAdapter().parse(signature, text)) == set(signature.output_fields)
    finally:
        lm.close()
