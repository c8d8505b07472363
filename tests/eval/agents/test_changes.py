"""The pairs that ship are whole and fair; what is counted as a wrong overwrite and as missed; a run that goes on."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from chatmem.app.cli import main
from chatmem.eval.agents.changes import trial
from chatmem.eval.agents.changes.pairs import FOLDER, SEALED, SHIPPED, Pair, load_pairs, measures, outcome, tells
from chatmem.eval.runs.records import Records
from chatmem.memory.errors import InputError, NotFound
from chatmem.models.decoding.scripted import ScriptedLM
from tests.memory.tidy.test_tools import WordsEmbedder

HOME = Pair(
    "home", "new", "Nadia", ("Nadia lives in Ghent.", "Nadia has a cat."), ("home", "pets"), "I live in Bruges now.",
    (0,), ("Bruges",),
)  # fmt: skip
TRIP = Pair("home", "for now", "Nadia", HOME.known, HOME.topics, "I'm in Antwerp this week.", (), ())
FILE = """
[[pair]]
matter = "home"
known = ["Nadia lives in Ghent.", "Nadia has a cat."]
line = "Bruges it is, since May."
ends = [0]
says = ["Bruges"]

[[pair]]
matter = "home"
known = ["Nadia lives in Ghent."]
line = "I'm in Antwerp this week."
ends = []
"""


@pytest.mark.parametrize("name", SHIPPED)
def test_the_pairs_that_ship_are_whole_and_half_of_them_change_nothing(name: str) -> None:
    """A failure must not show what sealed pairs say: it tells numbers alone."""
    pairs = load_pairs(FOLDER / f"{name}.toml")
    assert Counter(bool(pair.ends) for pair in pairs) == {True: 50, False: 50}
    counts = Counter((pair.matter, bool(pair.ends)) for pair in pairs)
    assert len(counts) == 20
    assert set(counts.values()) == {5}
    unfair = [
        number
        for number, pair in enumerate(pairs, 1)
        if (not outcome(pair, pair.known).right and not pair.ends and not pair.says)
        or not all(option.strip() for says in pair.says for option in says.split("|"))
        or len(pair.known) > 3
    ]  # fmt: skip
    assert unfair == []


def test_the_indirect_pairs_are_whole() -> None:
    pairs = load_pairs(FOLDER / "indirect.toml")
    assert len(pairs) == 1200
    assert sum(bool(pair.ends) for pair in pairs) == 600
    assert all(pair.user in pair.known[0] for pair in pairs)


def test_pairs_of_corrections_follow_the_line_that_told_what_is_known() -> None:
    pairs = load_pairs(FOLDER / "corrections.toml")
    slips, traps = ([pair for pair in pairs if pair.matter == matter] for matter in ("slip", "trap"))
    assert len(slips) > 80 and len(traps) > 20 and len(slips) + len(traps) == len(pairs)
    assert all(pair.before and pair.ends and pair.says for pair in slips)
    assert all(pair.before and not pair.ends and not pair.says for pair in traps)
    assert replace(traps[0], before="").key != traps[0].key


def test_the_sealed_corrections_tell_which_facts_the_line_before_told() -> None:
    pairs = load_pairs(FOLDER / "corrections-sealed.toml")
    slips = [pair for pair in pairs if pair.ends]
    assert len(slips) > 40 and len(pairs) - len(slips) > 15
    assert all(pair.before and pair.says for pair in slips)
    known = [(pair, place) for pair in pairs for place in range(len(pair.known))]
    assert 0.3 < sum(pair.said_before(place) for pair, place in known) / len(known) < 0.7
    assert HOME.said_before(0) is False and replace(HOME, before="x").said_before(0)


@pytest.mark.parametrize("name", SEALED)
def test_sealed_pairs_are_about_others_than_the_open_ones(name: str) -> None:
    first, second = (load_pairs(FOLDER / f"{one}.toml") for one in ("open", name))
    assert not {pair.user for pair in first} & {pair.user for pair in second}
    assert not {pair.line for pair in first} & {pair.line for pair in second}
    assert not {fact for pair in first for fact in pair.known} & {fact for pair in second for fact in pair.known}


@pytest.mark.parametrize(
    ("pair", "current", "lost", "outdated", "unsaid"),
    [
        (HOME, ["Nadia lives in Bruges.", "Nadia has a cat."], (), (), ()),
        (HOME, ["Nadia lives in Ghent.", "Nadia has a cat."], (), (0,), ("Bruges",)),
        (HOME, ["Nadia lives in Ghent.", "Nadia has a cat.", "Nadia lives in Bruges."], (), (0,), ()),
        (HOME, ["Nadia used to live in Ghent.", "Nadia has a cat.", "Nadia lives in Bruges."], (), (), ()),
        (HOME, ["Nadia lives in Bruges."], (1,), (), ()),
        (TRIP, ["Nadia lives in Antwerp.", "Nadia has a cat called Poes."], (0,), (), ()),
        (TRIP, [*TRIP.known, "Nadia is in Antwerp."], (), (), ()),
    ],
)
def test_what_is_lost_outdated_and_unsaid(
    pair: Pair, current: list[str], lost: tuple[int, ...], outdated: tuple[int, ...], unsaid: tuple[str, ...]
) -> None:
    done = outcome(pair, current)
    assert (done.lost, done.outdated, done.unsaid) == (lost, outdated, unsaid)
    assert done.right == (not lost and not outdated and not unsaid)


def test_a_fact_that_says_the_opposite_does_not_tell_the_known_one() -> None:
    assert tells("Nadia likes olives and capers.", "Nadia likes olives.")
    assert not tells("Nadia does not like olives.", "Nadia likes olives.")
    assert not tells("Nadia no longer likes olives.", "Nadia likes olives.")
    assert tells("Nadia doesn't like green olives.", "Nadia doesn't like olives.")


def test_who_asks_back_is_counted_apart() -> None:
    unchanged = list(HOME.known)
    done = [outcome(HOME, unchanged), outcome(HOME, unchanged, asked=True), outcome(TRIP, [], asked=True)]
    table = measures(done)
    assert (table["missed, change"].value, table["asked, change"].value) == (0.5, 0.5)
    assert table["asked, no change"].value == 1.0
    assert table["wrong overwrites"].value == pytest.approx(1 / 3), "to ask and overwrite is no excuse"
    assert table["right"].value == 0.0
    assert table["missed: home"].n == 2


def test_a_line_is_stored_as_the_chat_stores_it_and_each_pair_in_a_memory_of_its_own(tmp_path: Path) -> None:
    seen: list[str] = []

    def move(messages: object, options: object) -> str:
        seen.append(str(messages))
        return "UPDATE memory SET fact = 'Nadia lives in Antwerp.' WHERE id = 1;"

    with Records(tmp_path / "run.jsonl", {}) as records:
        done = trial.predict("scripted", [HOME, TRIP], records, lm=ScriptedLM([move]), embedder=WordsEmbedder())
    assert "I live in Bruges now." in seen[0]
    assert "Nadia lives in Ghent." in seen[0], "the agent is shown what is known"
    assert "Bruges" not in seen[1]
    assert [one.lost for one in done] == [(), ()], "a week's trip ends no home, whatever the model writes"
    assert [one.unsaid for one in done] == [("Bruges",), ()]
    row = records.rows[0]
    assert set(row["current"]) == {"Nadia lives in Antwerp.", "Nadia has a cat."}


def test_an_agent_that_asks_back_is_told_by_its_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Question:
        doubts, refused = ("Do you still live in Ghent?",), None

    monkeypatch.setattr(trial, "told", lambda lm, store, pair: (Question(), list(pair.known)))
    with Records(tmp_path / "run.jsonl", {}) as records:
        (done,) = trial.predict("scripted", [HOME], records, lm=ScriptedLM([""]), embedder=WordsEmbedder())
    assert done.asked
    assert not done.missed


def test_the_command_goes_on_where_it_was_killed_and_hides_sealed_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("chatmem.models.registry.load", lambda spec, **options: ScriptedLM(["-- nothing"]))
    monkeypatch.setattr("chatmem.models.embedder.minilm.load_embedder", WordsEmbedder)
    for name in ("mine", *SEALED):
        (tmp_path / f"{name}.toml").write_text(FILE, encoding="utf-8")
    out = tmp_path / "run.jsonl"
    words = ["eval", "changes", "--pairs", str(tmp_path / "mine.toml"), "--model", "embedded", "--out", str(out)]
    assert main([*words, "--json"]) == 0
    first = json.loads(capsys.readouterr().out)
    moved, trip = first["pairs"]
    assert (moved["outdated"], moved["missing"], moved["right"], trip["right"]) == ([0], ["Bruges"], False, True)
    (table,) = first["models"].values()
    assert table["missed, change"] | {"low": 0} == {"value": 1.0, "low": 0, "high": 1.0, "n": 1}

    settings, row, _ = out.read_text(encoding="utf-8").splitlines()
    done = json.dumps(json.loads(row) | {"current": ["Nadia lives in Bruges.", "Nadia has a cat."]})
    out.write_text(f"{settings}\n{done}\n", encoding="utf-8")
    assert main(words) == 0
    assert "Bruges" not in capsys.readouterr().out, "the kept pair is right, and was not asked again"
    assert len(out.read_text(encoding="utf-8").splitlines()) == 3

    for name in SEALED:
        assert main(["eval", "changes", "--pairs", str(tmp_path / f"{name}.toml")]) == 0
        said = capsys.readouterr().out
        assert "-- 1 (home, ) still current; not there" in said
        assert not any(word in said for word in ("Ghent", "Bruges", "Antwerp", "cat."))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("pair = 1", "holds no"),
        ("[[pair]]\nmatter = 'home'", "pair 1 is not whole"),
        (FILE.replace("ends = [0]", "ends = [2]"), "pair 1: `ends`"),
        (FILE.replace('says = ["Bruges"]', "topics = ['home']"), "as many topics"),
        (FILE + FILE, "a pair twice"),
        ("[[pair", "no file of pairs"),
    ],
)
def test_a_broken_file_is_one_clear_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=sentence):
        load_pairs(path)
    with pytest.raises(NotFound, match="open and sealed"):
        load_pairs(tmp_path / "nowhere.toml")
