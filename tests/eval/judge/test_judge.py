"""Judging a record: votes, nonsense, the probe of the judge itself, going on after a failure."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from chatmem.app.cli import main
from chatmem.eval.judge.judge import NOT_TOLD, PROMPTS, Item, Vote, majority, messages, read_vote
from chatmem.eval.judge.probe import (
    GOLD,
    INVENTED,
    KINDS,
    KNOWN,
    NOT_KNOWN,
    UNKNOWN,
    UNTOLD,
    USELESS,
    VAGUE,
    WRONG,
    probes,
    separation,
    vague_answer,
    wrong_answer,
)
from chatmem.eval.measures.locomo_score import says_unknown
from chatmem.eval.measures.text import contained
from tests.eval.endpoint import Endpoint, serving
from tests.eval.talks import read_lines

ASKED = [
    ("What pet did Ana adopt?", "a greyhound", 4, "a greyhound"),
    ("Where does Ben live?", "Lisbon", 4, "Ben lives in Porto"),
    ("Which instrument does Ben own?", "a cello", 4, "It has to do with instruments"),
    ("What is Ana's job?", "nurse", 1, "She is a nurse"),
    ("When did Ben move?", "May 2023", 2, "May 2023"),
    ("What did Ben sell?", "", 5, "That was not mentioned"),
]


@pytest.fixture(autouse=True)
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHATMEM_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secretsecret123456")


def rows() -> list[dict[str, Any]]:
    return [
        {
            "key": f"c/{number}|{system}|m", "eval": "locomo", "case": f"c/{number}", "system": system, "model": "m",
            "category": category, "question": question, "gold": gold, "abstain": category == 5, "evidence": [],
            "answer": answer if system == "chatmem" else "I don't know",
        }
        for number, (question, gold, category, answer) in enumerate(ASKED)
        for system in ("none", "chatmem")
    ]  # fmt: skip


@pytest.fixture
def record(tmp_path: Path) -> Path:
    path = tmp_path / "run.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in [{"settings": {}}, *rows()]), encoding="utf-8")
    return path


def parts(body: dict[str, Any]) -> tuple[str, str, str]:
    """The prompt's kind, the gold and the answer of a request."""
    system, user = (message["content"] for message in body["messages"])
    kind = next(kind for kind, text in PROMPTS.items() if text == system)
    gold, answer = (line.partition(": ")[2] for line in user.splitlines()[1:])
    return kind, gold, answer


def by_words(body: dict[str, Any]) -> str:
    """A judge that compares words, and with the lenient prompt accepts whatever doesn't name another thing."""
    kind, gold, answer = parts(body)
    if gold == NOT_TOLD:
        good = says_unknown(answer)
    else:
        good = contained(gold, answer) == 1 or (kind == "lenient" and ("talk" in answer or "to do" in answer))
    return json.dumps({"reason": f"compared with {gold}", "verdict": "right" if good else "wrong"})


def judged(record: Path, *more: str) -> list[str]:
    return ["eval", "judge", str(record), "--judge", "openai:j", "--json", *more]


def test_strict_and_lenient_scores_stand_beside_what_the_judge_accepts(
    record: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(Endpoint(by_words)) as address:
        monkeypatch.setenv("OPENAI_BASE_URL", address)
        assert main(judged(record, "--probe", "5")) == 0
    told = json.loads(capsys.readouterr().out)
    chatmem, none = told["models"]["chatmem"], told["models"]["none"]
    assert (chatmem["judged right, strict"]["value"], chatmem["judged right, strict"]["n"]) == (pytest.approx(4 / 6), 6)
    assert chatmem["judged right, lenient"]["value"] == pytest.approx(5 / 6)
    assert none["judged right, strict"]["value"] == pytest.approx(1 / 6), "who never knows is right where nobody does"
    assert chatmem["judged right, strict, 4 single-hop"]["value"] == pytest.approx(1 / 3)
    assert chatmem["judged right, strict, 5 adversarial"]["value"] == 1
    for column in (chatmem, none):
        assert column["... this judge accepts vague answers, strict"]["value"] == 0
        assert column["... this judge accepts wrong answers, lenient"]["value"] == 0
        assert column["... this judge accepts the gold itself, strict"]["value"] == 1
        assert column["... this judge accepts vague answers, lenient"]["value"] >= 0.5
        assert column["... this judge accepts invented answers to what isn't known, strict"]["value"] == 0
        assert column["... this judge accepts that what isn't known isn't, strict"]["value"] == 1
    assert told["separation"]["strict"] == 1
    assert 0 < told["separation"]["lenient"] <= 0.75
    kept = read_lines(Path(told["record"]))
    assert len(kept) == 2 * (12 + 17)
    assert all(row["votes"][0]["reason"].startswith("compared with") for row in kept)


def test_the_same_command_asks_nothing_again_and_other_votes_are_another_run(
    record: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    endpoint = Endpoint(lambda body: by_words(body) if len(endpoint.seen) <= 20 else 401)
    with serving(endpoint) as address:
        monkeypatch.setenv("OPENAI_BASE_URL", address)
        assert main(judged(record, "--parallel", "4")) == 1
        told = capsys.readouterr().err
        kept = len(read_lines(record.with_suffix(".judged-openai-j.jsonl")))
        assert 16 <= kept <= 20
        assert f"{kept} of 58 judgements are kept" in told
        endpoint.say = by_words
        assert main(judged(record)) == 0
        asked = len(endpoint.seen)
        assert main(judged(record)) == 0
        assert len(endpoint.seen) == asked
        assert len(read_lines(record.with_suffix(".judged-openai-j.jsonl"))) == 58
        capsys.readouterr()
        assert main(judged(record, "--votes", "3")) == 1
        assert "votes: 1 there, 3 now" in capsys.readouterr().err


def test_the_majority_of_votes_counts_and_nonsense_is_none(
    record: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["Verdict: right", "hm", '{"reason": "no", "verdict": "wrong"}', "verdict: RIGHT."]
    endpoint = Endpoint(lambda body: words[body["seed"]])
    more = ["--votes", "4", "--prompts", "strict", "--probe", "0", "--systems", "chatmem", "--out", str(tmp_path / "o")]
    with serving(endpoint) as address:
        monkeypatch.setenv("OPENAI_BASE_URL", address)
        assert main(judged(record, *more)) == 0
    assert {body["temperature"] for body in endpoint.seen} == {0.7}
    row = read_lines(tmp_path / "o")[0]
    assert row["verdict"] is True
    assert [vote["verdict"] for vote in row["votes"]] == [True, None, False, True]
    assert row["votes"][1]["reason"] == "hm"
    capsys.readouterr()
    assert main(["eval", "judge", str(record), "--judge", "openai:j", *more]) == 0
    assert "was not probed" in capsys.readouterr().out


def test_a_judge_of_nonsense_fails_and_its_words_are_kept(
    record: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(Endpoint(lambda body: "As a large language model, I like dogs.")) as address:
        monkeypatch.setenv("OPENAI_BASE_URL", address)
        assert main(judged(record, "--probe", "2", "--prompts", "strict")) == 1
    told = capsys.readouterr()
    assert json.loads(told.out)["no_verdict"] == 20
    assert "no verdict on 20 of 20" in told.err
    assert read_lines(record.with_suffix(".judged-openai-j.jsonl"))[0]["votes"][0]["reason"].endswith("I like dogs.")


def test_the_embedded_model_judges_and_its_probe_shows_how(
    record: Path, tiny_model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = [row for row in rows() if row["system"] == "chatmem"][:2]
    record.write_text("".join(json.dumps(row) + "\n" for row in [{"settings": {}}, *kept]), encoding="utf-8")
    words = ["eval", "judge", str(record), "--probe", "1", "--prompts", "strict", "--threads", "1", "--json"]
    assert main(words) == 0
    column = json.loads(capsys.readouterr().out)["models"]["chatmem"]
    assert column["judged right, strict"]["n"] == 2, "its grammar leaves it no nonsense"
    assert column["... this judge accepts wrong answers, strict"]["n"] == 1


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('{"reason": "ok", "verdict": "right"}', True),
        ('Sure! {"verdict": "Wrong", "reason": ""} Bye', False),
        ('{"reason": "the verdict of others", "verdict": "right"', True),
        ("RIGHT", True),
        ("incorrect.", False),
        ("**Verdict**: correct", True),
        ("verdict: right ... verdict: wrong", None),
        ("", None),
        ("The answer is right on topic.", None),
        ('{"verdict": "maybe"}', None),
        ("{broken", None),
    ],
)
def test_a_verdict_is_read_or_there_is_none(text: str, wanted: bool | None) -> None:
    assert read_vote(text).verdict is wanted


def test_a_tie_is_no_verdict() -> None:
    yes, no, none = Vote(True, ""), Vote(False, ""), Vote(None, "")
    assert majority([yes, no, yes]) is True
    assert majority([no, none, no, yes]) is False
    assert majority([yes, no]) is None
    assert majority([none, none]) is None
    assert majority([none, yes]) is True


def test_a_judge_that_refuses_everything_is_called_useless(
    record: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(Endpoint(lambda body: "wrong")) as address:
        monkeypatch.setenv("OPENAI_BASE_URL", address)
        assert main(["eval", "judge", str(record), "--judge", "openai:j", "--probe", "2", "--prompts", "strict"]) == 0
    assert "hardly tells right answers from wrong ones (strict: 0.00)" in capsys.readouterr().out


def test_probes_are_what_they_are_called() -> None:
    made = probes(rows(), 3, seed=5)
    assert [item.probe for item in made] == [VAGUE, WRONG, GOLD] * 3 + [INVENTED, UNKNOWN]
    known = [item for item in made if item.probe in KNOWN]
    for item in known:
        assert (contained(item.gold, item.answer) == 1) == (item.probe == GOLD)
        assert item.gold, "a question without an answer can't have a wrong one"
    assert probes(rows(), 3, seed=5) == made
    golds = {gold for _, gold, _, _ in ASKED if gold}
    assert all(item.answer in golds for item in made if item.probe in (WRONG, INVENTED))
    invented, unknown = made[-2:]
    assert invented.gold == unknown.gold == "" and unknown.answer in UNTOLD
    assert invented.question == unknown.question == "What did Ben sell?", "the record's own first"
    assert NOT_TOLD in messages("strict", unknown)[1].content


def test_a_record_that_knows_all_lends_questions_of_which_the_judge_is_told_that_nobody_knows() -> None:
    known = [row for row in rows() if row["gold"]]
    invented, unknown = probes(known, 3, seed=5)[-2:]
    assert (invented.probe, unknown.probe, invented.gold, unknown.gold) == (INVENTED, UNKNOWN, "", "")
    assert (invented.question, invented.answer) in {(question, gold) for question, gold, _, _ in ASKED}
    assert all(says_unknown(text) for text in UNTOLD)
    assert probes([row for row in rows() if not row["gold"]], 3, seed=5) == []


def test_a_judge_must_tell_right_from_wrong_among_what_is_known_and_among_what_isn_t() -> None:
    def judged_as(accepted: set[str]) -> list[dict[str, Any]]:
        counts = dict.fromkeys(KNOWN, 30) | dict.fromkeys(NOT_KNOWN, 10)
        return [
            {"probe": probe, "prompt": "strict", "verdict": probe in accepted}
            for probe in KINDS
            for _ in range(counts[probe])
        ]

    assert separation(judged_as({GOLD, UNKNOWN}), "strict") == 1
    for accepted in ({GOLD}, {UNKNOWN}, {GOLD, UNKNOWN, INVENTED}, {*KINDS}, set[str]()):
        worst = separation(judged_as(accepted), "strict")
        assert worst is not None and worst < USELESS, accepted
    older = [row for row in judged_as({GOLD}) if row["probe"] in KNOWN]
    assert separation(older, "strict") == 1, "a record from before the probe asked this"
    assert separation([], "strict") is None


def test_vague_answers_tell_the_topic_and_nothing_of_the_gold() -> None:
    rng = random.Random(1)
    text = vague_answer("What pet did Ana adopt in May?", "a greyhound in May", rng)
    assert text is not None
    assert "pet Ana adopt" in text
    assert "May" not in text
    assert vague_answer("Rome?", "Rome", rng) is None
    assert vague_answer("Did they talk of it?", "They had some talk of it", rng) is None
    alone = [{"gold": "Rome", "category": 1}, {"gold": "in Rome", "category": 1}]
    assert wrong_answer(alone[0], alone, rng) is None, "the other gold says the same"


def test_the_judge_is_told_when_the_right_answer_is_not_to_know() -> None:
    text = messages("strict", Item("k", "What did Ben sell?", "", "a car"))[1].content
    assert text == f"Question: What did Ben sell?\nCorrect answer: {NOT_TOLD}\nAnswer: a car"


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("", "no finished question"),
        ("{no json}\n", "no record"),
        ('{"key": "a", "case": "a", "system": "b"}\n', "no answers"),
    ],
)
def test_what_is_no_record_of_answers_is_refused(
    content: str, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text(content, encoding="utf-8")
    assert main(["eval", "judge", str(path)]) == 1
    assert told in capsys.readouterr().err
    assert main(["eval", "judge", str(tmp_path / "none.jsonl")]) == 1
    assert "There is no file" in capsys.readouterr().err
