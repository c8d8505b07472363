"""What is only history is forgotten by every way that a person has; the plan shows it, and /undo and /redo know it no
more. What is written otherwise in typed lines and exports is found, too."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr
from pathlib import Path

import pytest

from chatmem.app import cli
from chatmem.app.chat.forgetting import ALONE
from chatmem.app.shown import events as e
from chatmem.app.shown.forgetting import NOTHING, sentence
from chatmem.memory.forget.typed import typed_lines
from chatmem.memory.transfer.exchange import export_file
from chatmem.memory.values import ForgetReport
from chatmem.models.api import Memory
from tests.app.forgetting import Home, Told, home

PIN = Told("my pin is 471", ("User's pin is 471.",), ("471",), "", "is it 4 71?", "It is.")


@pytest.fixture
def person(tmp_path: Path) -> Iterator[Home]:
    with home(tmp_path / "home") as made:
        yield made


def by_line(line: str) -> Callable[[Home], None]:
    def way(person: Home) -> None:
        (asked,) = [event for event in person.say(line) if isinstance(event, e.Asked)]
        assert "Mia's locker is 4471." in asked.question and person.grep("4471")
        (done,) = [event for event in person.chat.submit(asked.command) if isinstance(event, e.Forgotten)]
        assert done.report.bytes_checked

    return way


def by_api(person: Home) -> None:
    assert Memory.over(person.store, person.user).forget(1).bytes_checked


def by_words(person: Home) -> None:
    memory = Memory.over(person.store, person.user)
    assert memory.forget(memory.to_forget(words="the locker of Mia")).journal == 2


def by_command(person: Home) -> None:
    with redirect_stderr(io.StringIO()) as err:
        assert cli.main(["memory", "forget", "1", "--yes"]) == 0
    assert "2 journal entries" in err.getvalue() and "None was found" in err.getvalue()


@pytest.mark.parametrize("way", [
    by_line("/forget 1"), by_line("forget the locker of Mia"), by_line("forget everything about Mia"),
    by_line("/forget 4471"), by_api, by_words, by_command,
])  # fmt: skip
def test_what_was_undone_is_forgotten_by_every_way(person: Home, way: Callable[[Home], None]) -> None:
    person.say("/remember Mia's locker is 4471.")
    person.say("/undo")
    way(person)
    assert not person.grep("4471")
    (failed,) = person.say("/redo")
    assert isinstance(failed, e.Failed) and person.store.facts.all(person.user.id) == []


def test_what_was_corrected_is_forgotten_in_words_and_undo_does_not_bring_it(person: Home) -> None:
    person.say("/remember Mia lives in Graz.")
    person.say("/correct 1 Mia lives in Rome.")
    (asked,) = [event for event in person.say("forget everything about Graz") if isinstance(event, e.Asked)]
    assert "Mia lives in Rome." in asked.question and "no longer current" in asked.question
    list(person.chat.submit(asked.command))
    assert isinstance(person.say("/undo")[0], e.Failed) and not person.grep("Graz")


def test_a_line_that_was_said_anew_stays_and_what_it_told_before_goes(person: Home) -> None:
    locker = Told("my locker number is 4471", ("User's locker number is 4471.",), (), "", "?", "")
    person.script.book[locker.line] = locker
    person.say(locker.line)
    person.say("/edit I like tea")
    (asked,) = [event for event in person.say("forget my locker number") if isinstance(event, e.Asked)]
    assert "said by you" not in asked.question
    list(person.chat.submit(asked.command))
    assert not person.grep("4471") and "I like tea" in [one.text for one in person.store.turns.of(1)]
    assert isinstance(person.say("/redo")[0], e.Failed) and not person.store.facts.all(person.user.id)


def test_a_number_that_is_nobodys_is_no_memory_and_words_of_nobody_are_nothing(person: Home) -> None:
    person.say("/remember Mia's locker is 4471.")
    assert isinstance(person.say("/forget 4472")[0], e.Failed)
    assert isinstance(person.say("/forget 4471 --yes")[0], e.Failed) and person.facts_of(PIN) == []
    assert [event.text for event in person.say("/forget my submarine") if isinstance(event, e.Notice)] == [NOTHING]
    assert len(person.store.facts.all(person.user.id)) == 1


def test_exports_that_hold_a_short_matter_are_named_and_others_are_not(person: Home, tmp_path: Path) -> None:
    before, after = tmp_path / "before.json", tmp_path / "after.md"
    person.say("/remember Tom paid 1471 and 3.471 for it.")
    export_file(person.store, person.user.id, before)
    person.script.book[PIN.line] = PIN
    person.say(PIN.line)
    export_file(person.store, person.user.id, after)
    plan = Memory.over(person.store, person.user).to_forget(*person.facts_of(PIN))
    assert plan.exports == (str(after),)
    assert person.store.forget.carry_out(plan).exports == (str(after),)


def test_typed_lines_go_in_every_form_of_a_telling_word_and_others_stay(person: Home) -> None:
    iguana = Told("I keep an iguana", ("User keeps an iguana.",), (), "", "?", "")
    person.script.book[iguana.line] = iguana
    for line in (iguana.line, "/memory iguanas", "/memory keepers", "/memory guano"):
        person.say(line)
    plan = Memory.over(person.store, person.user).to_forget(1)
    assert plan.typed == (iguana.line, "/memory iguanas")
    person.store.forget.carry_out(plan)
    assert not person.grep("iguana") and person.grep("guano") and person.grep("keepers")


def test_the_sentence_claims_what_was_searched_and_no_more() -> None:
    report = ForgetReport(1, 1, 1, True, words=2, elsewhere=1, searched=("database", "texts"))
    assert "2 words that stood nowhere else: the database's bytes and its rows (for short words)." in sentence(report)
    assert "None was found. (1 more stands elsewhere, in what stays.)" in sentence(report)
    assert "elsewhere, in" not in sentence(ForgetReport(1, 1, 1, True, searched=("database",)))


FLIES = ("User hates flying.", "Tom teaches people flying kites.", "User has a cat, Nori.")


def typed(person: Home) -> list[str]:
    return typed_lines(person.history)


@pytest.mark.parametrize(
    "lines",
    [
        ["forget that I hate flying"], ["Forget that  I hate flying, please!"], ["/forget that I hate flying"],
        ["forget that I hate flying", "/forget 1"],
        ["/forget 1 3", "yes but keep the cat"], ["/forget that I hate flying --yes"],
        ["forget that I hate flying", "/forget 1 --keep-lines"],
        ["forget that I hate flying", "/Forget #1 --keep-lines"],
    ],
)  # fmt: skip
def test_a_wish_that_was_carried_out_is_typed_history_no_more(person: Home, lines: list[str]) -> None:
    """Its words stand elsewhere by right, so that no search for them finds it."""
    for fact in FLIES:
        person.store.facts.remember(person.user.id, fact.split()[0], "talk", fact)
    events = [event for line in lines for event in person.say(line)]
    if asked := [event for event in events if isinstance(event, e.Asked)]:
        assert typed(person) == lines
        events = list(person.chat.submit(asked[-1].command))
    (done,) = [event for event in events if isinstance(event, e.Forgotten)]
    assert typed(person) == [] and done.report.typed == len(lines)
    assert [one.id for one in person.store.facts.all(person.user.id)] == [2, 3]


@pytest.mark.parametrize("command", ["/forget #1 --keep-lines --yes", "/forget 1,3 --yes", "/Forget 1 --yes"])
def test_so_it_is_where_another_command_did_it(person: Home, command: str) -> None:
    for fact in FLIES:
        person.store.facts.remember(person.user.id, fact.split()[0], "talk", fact)
    person.say("forget that I hate flying")
    assert any(isinstance(event, e.Forgotten) for event in person.say(command)) and typed(person) == []


def test_a_wish_stays_in_typed_history_where_it_was_not_carried_out(person: Home) -> None:
    for fact in FLIES:
        person.store.facts.remember(person.user.id, fact.split()[0], "talk", fact)
    wish, talk = "forget that I hate flying", "my sister Ida moved to Bonn yesterday, at last"
    person.say(wish)
    person.chat.declined()
    person.say("/forget 3 --yes")
    assert typed(person) == [wish]
    for line in (wish, talk, "/forget 1 --yes"):
        person.say(line)
    assert typed(person) == [wish, wish, talk]


def test_half_an_answer_stays_in_typed_history_for_it_may_be_talk(person: Home) -> None:
    for fact in FLIES:
        person.store.facts.remember(person.user.id, fact.split()[0], "talk", fact)
    said = ["hm, maybe", "yes but not my brother", "ok erase that, and my salary too"]
    events = [event for line in ("forget that I hate flying", *said) for event in person.say(line)]
    list(person.chat.submit([event for event in events if isinstance(event, e.Asked)][-1].command))
    assert typed(person) == said


def test_a_line_that_is_to_be_kept_nowhere_is_no_typed_history_either(person: Home) -> None:
    for wish in (
        "please don't remember this: my locker opens with 8812",
        "forget that my pin is 8812",
        "/forget my pin 8812",
    ):
        (told,) = person.say(wish)
        assert isinstance(told, e.Untyped) and typed(person) == [] and not person.grep("8812")
    assert [type(event) for event in person.chat.submit("forget that my pin is 8812")] == [e.Notice]


@pytest.mark.parametrize("line", ["Forget Berlin, we're going to Lisbon in May", "forget mum, dad is ill"])
def test_a_line_that_may_be_talk_stays_in_typed_history_where_nothing_was_held(person: Home, line: str) -> None:
    alone, told = person.say(line)
    assert isinstance(alone, e.Notice) and alone.text == ALONE and type(told) is e.Notice and typed(person) == [line]


def test_a_command_about_something_else_does_not_take_the_wish_along(person: Home) -> None:
    for number in range(12):
        person.store.facts.remember(person.user.id, "User", "talk", f"User has boat {number}.")
    for line in ("/forget 1", "/forget 12 --yes"):
        person.say(line)
    assert typed(person) == ["/forget 1"]
