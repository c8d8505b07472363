"""The lives that ship are whole and their keys fair; what counts as read, lost, changed; a run that was killed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from chatmem.app.cli import main
from chatmem.eval.agents.lives import trial
from chatmem.eval.agents.lives.life import SETS, Life, load_lives, matches, read
from chatmem.eval.agents.lives.measure import Lived, faults, measures
from chatmem.eval.runs.records import Records
from chatmem.memory.errors import InputError, NotFound
from chatmem.models.decoding.scripted import ScriptedLM
from tests.memory.tidy.test_tools import WordsEmbedder

LIFE = """=== Dana
L: I'm Dana, I keep a goat
F: Dana keeps a goat | goat
L: my sister Ioana lives in Leeds
F: Dana's sister Ioana lives in Leeds | Ioana, Leeds
N: Dana, Leeds
DAY: 2
L: Ioana moved to York
U: 2 | Dana's sister Ioana lives in York | Ioana, York
L: the goat was sold
D: 1
"""
GOAT, LEEDS, YORK = "Dana keeps a goat.", "Ioana lives in Leeds.", "Ioana lives in York."


def _life() -> Life:
    (life,) = read(LIFE, "plain")
    return life


def _lived(*after: tuple[str, ...], asked: tuple[bool, ...] = (False,) * 4) -> Lived:
    return Lived(_life(), after, tuple(((GOAT, ""), (LEEDS, YORK)) if one else () for one in asked))


def _value(name: str, *lived: Lived) -> float:
    return measures(lived)[name].value


SHIP = {"open": 12, "sealed": 33}
RIGHT = _lived((GOAT,), (GOAT, LEEDS), (GOAT, YORK), (YORK,))


@pytest.mark.parametrize("name", SETS)
def test_the_lives_that_ship_are_whole_and_their_keys_fair(name: str) -> None:
    """A failure must not show what sealed lives say: it tells numbers alone."""
    lives = load_lives(name)
    assert len(lives) == len({life.key for life in lives}) == SHIP[name]
    unfair = []
    for number, life in enumerate(lives):
        assert len(life.lines) >= 40
        assert {line.day for line in life.lines} == {1, 2, 3}
        unfair += [
            (number, place)
            for place, fact in enumerate(life.facts)
            if not fact.told_by(fact.text)
            or (fact.instead_of is not None and (fact.told_by(life.facts[fact.instead_of].text)
                                                 or life.facts[fact.instead_of].told_by(fact.text)))
        ]  # fmt: skip
    assert unfair == []


def test_a_life_is_read_with_what_holds_after_each_line() -> None:
    life = _life()
    assert [(line.day, line.tells, line.ends) for line in life.lines] == [
        (1, (0,), ()), (1, (1,), ()), (2, (2,), (1,)), (2, (), (0,)),
    ]  # fmt: skip
    assert [set(life.holding(place)) for place in range(4)] == [{0}, {0, 1}, {0, 2}, {2}]
    assert life.never == ((("dana",), ("leeds",)),)


@pytest.mark.parametrize(
    ("keys", "text", "found"),
    [
        ((("matei",), ("3", "three")), "Daniela's nephew Matei is three.", True),
        ((("matei",), ("3",)), "Matei is 13.", False),
        ((("bookkeep",),), "Carmel is a bookkeeper.", True),
        ((("son",),), "Ana has a sonata.", False),
        ((("march", "-03"),), "Ana moved (2024-03).", True),
        ((("carmel",),), "Carmel’s books", True),
        ((("can't hear",),), "Bran can’t hear.", True),
    ],
)
def test_keys_are_words_or_their_beginnings(keys: tuple[tuple[str, ...], ...], text: str, found: bool) -> None:
    assert matches(keys, text) is found


def test_a_memory_that_denies_a_fact_does_not_tell_it() -> None:
    goat = _life().facts[0]
    assert goat.told_by("Dana has a goat.")
    assert not goat.told_by("Dana doesn't keep a goat.")
    assert not goat.told_by("Dana used to keep a goat.")


def test_a_life_kept_as_it_should_be() -> None:
    table = measures([RIGHT])
    assert {name: one.value for name, one in table.items() if one.n} == {
        "facts there at the end, of those that are true": 1.0,
        "facts there right after the line that tells them": 1.0,
        "lines that lose a true fact told before": 0.0,
        "changes and ends right, of facts that were there": 1.0,
        "asked instead": 0.0,
        "outdated facts there at the end, of those that ended": 0.0,
        "asked back, of lines that end nothing": 0.0,
        "memories at the end that tell a true fact": 1.0,
        "misreadings that are there": 0.0,
    }
    assert table["changes and ends right, of facts that were there"].n == 2
    assert table["questions back about a fact that their line ends"].n == 0
    assert [*faults(RIGHT)] == []


def test_a_true_fact_that_another_line_takes_along_is_lost() -> None:
    lost = _lived((GOAT,), (LEEDS,), (YORK,), (YORK,))
    assert [*lost.lost()] == [(1, 0)]
    assert _value("lines that lose a true fact told before", lost) == 0.25
    assert measures([lost])["changes and ends right, of facts that were there"].n == 1  # the goat wasn't there to end
    assert [*faults(lost)] == ["my sister Ioana lives in Leeds\n    lost: Dana keeps a goat"]


def test_a_change_that_leaves_the_old_fact_is_not_right() -> None:
    both = _lived((GOAT,), (GOAT, LEEDS), (GOAT, LEEDS, YORK), (GOAT, LEEDS, YORK), asked=(False, True, True, False))
    assert _value("changes and ends right, of facts that were there", both) == 0.0
    assert _value("asked instead", both) == 0.5
    assert _value("asked back, of lines that end nothing", both) == 0.5
    assert _value("questions back about a fact that their line ends", both) == 0.25
    assert _value("outdated facts there at the end, of those that ended", both) == 1.0
    assert measures([both])["memories at the end that tell a true fact"].value == pytest.approx(1 / 3)


def test_a_misreading_counts_where_it_is_there_at_the_end() -> None:
    assert _value("misreadings that are there", _lived((), (), (), ("Dana lives in Leeds.",))) == 1.0


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("nothing", "holds no life"),
        ("=== Ana\nL: hello\nF: Ana is here\n", "no line of a life"),
        ("=== Ana\nF: Ana is here | here\n", "no line of a life"),
        ("=== Ana\nL: hello\nD: 2\n", "no fact 2 yet"),
        ("=== Ana\nL: hello\nF: Ana is here | here,,\n", "empty key"),
        ("=== Ana\nL: hello\nD: two\n", "no fact two yet"),
        ("=== Ana\nDAY: next\nL: hello\n", "'DAY: next' is no line"),
        ("=== Ana\n=== \n", "lacks a name or a line"),
    ],
)
def test_a_file_of_another_form_is_told(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "lives.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=told):
        load_lives(str(path))


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(NotFound, match="open and sealed ship"):
        load_lives("nowhere.txt")


def test_a_life_is_told_to_a_memory_of_its_own_and_no_life_twice(tmp_path: Path) -> None:
    def add(fact: str) -> str:
        return f"INSERT INTO memory (subject, topic, fact, happened_on) VALUES ('Dana', 'pets', '{fact}', NULL);"

    told = "=== Dana\nL: I keep a goat called Zora.\nF: Dana keeps a goat | goat, Zora\nL: Zora is brown.\n"
    told += "F: Zora is brown | Zora, brown\n"
    lives, counts = read(told, "plain"), list[int]()
    settings = {"eval": "lives"}
    lm = ScriptedLM([add("Dana keeps a goat called Zora."), add("Dana has a goat Zora, which is brown.")] * 4)
    with Records(tmp_path / "out.jsonl", settings) as records:
        (done,) = trial.predict("scripted", lives, records, lm=lm, embedder=WordsEmbedder(), tell=counts.append)
    assert counts == [1, 2]
    assert done.told(0, 0)
    with Records(tmp_path / "out.jsonl", settings) as records:
        (again,) = trial.predict("scripted", lives, records)  # no model is loaded
    assert again == done


def test_the_command_tells_no_words_of_sealed_lives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def kept(spec: str, lives: list[Life], *_: object, **__: object) -> list[Lived]:
        return [Lived(life, ((),) * len(life.lines), ((),) * len(life.lines)) for life in lives]

    monkeypatch.setattr(trial, "predict", kept)
    assert main(["eval", "lives", "--lives", "sealed", "--json", "--out", str(tmp_path / "out.jsonl")]) == 0
    told = json.loads(capsys.readouterr().out)
    assert len(told["lives"]) == SHIP["sealed"]
    assert not any(key in one for one in told["lives"] for key in ("faults", "memory", "name"))
    path = tmp_path / "lives.txt"
    path.write_text(LIFE, encoding="utf-8")
    assert main(["eval", "lives", "--lives", str(path), "--out", str(tmp_path / "more.jsonl")]) == 0
    assert "not there: Dana keeps a goat" in capsys.readouterr().out
