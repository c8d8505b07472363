"""To forget means forget: what was said, what echoes it and what was typed is gone from every file, and stays gone."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from chatmem.app.shown import events as e
from chatmem.app.shown.forgetting import NOTHING, question, sentence
from chatmem.memory.errors import ChatmemError, InputError, NotFound
from chatmem.memory.transfer.exchange import export_file
from chatmem.memory.values import FORGOTTEN, Author
from chatmem.models.api import Memory
from tests.app.forgetting import WAYS, Home, Told, home, told, told_by

LOCKER = Told(
    "my locker number is 44710382 and my aunt Rosa keeps the spare key",
    ("User's locker number is 44710382.", "User's aunt Rosa keeps the spare key of the locker."),
    ("44710382", "locker", "Rosa", "spare"),
    "please forget my locker number", "what is my locker number?", "Your locker number is 44710382.",
)  # fmt: skip
UNTIED = replace(LOCKER, facts=(LOCKER.facts[0], "User's aunt Rosa keeps the spare key."))
TRAINS = Told("I love night trains", ("User loves night trains.",), ("trains",), "", "what do I love?", "Night trains!")


@pytest.fixture
def person(tmp_path: Path) -> Iterator[Home]:
    with home(tmp_path / "home") as made:
        yield made


def asked(events: list[e.Event]) -> e.Asked:
    (found,) = [event for event in events if isinstance(event, e.Asked)]
    return found


def done(person: Home, question: e.Asked) -> e.Forgotten:
    (found,) = [event for event in person.chat.submit(question.command) if isinstance(event, e.Forgotten)]
    return found


def left(person: Home, matter: Told) -> dict[str, list[str]]:
    return {word: files for word in matter.words if (files := person.grep(word))}


def all_kept(person: Home) -> str:
    """Everything that the store can bring: turns, facts of all times, the journal."""
    store, user = person.store, person.user.id
    turns = [turn.text for session in store.sessions.all(user) for turn in store.turns.of(session.id)]
    return repr((turns, store.facts.all(user, current=False), store.journal.entries(user), store.sessions.all(user)))


@pytest.mark.parametrize("way", WAYS)
def test_by_whatever_way_nothing_of_it_is_left_in_any_file(person: Home, way: Callable[[Home, Told], str]) -> None:
    person.tell(LOCKER)
    person.tell(TRAINS)
    person.store.facts.edit(person.facts_of(LOCKER)[0], fact="User's locker number is 44710382, downstairs.")
    person.store.journal.undo(person.store.journal.entries(person.user.id)[-1].id)
    assert len(person.grep("44710382")) == 2  # the database (or its WAL) and the typed lines
    said = way(person, LOCKER)
    assert left(person, LOCKER) == {}, said
    assert "None was found" in said and "44710382" not in said
    assert "night trains" in all_kept(person) and person.grep("trains")


def test_a_former_state_of_another_fact_that_tells_it_goes_and_what_holds_now_stays(person: Home) -> None:
    knee = Told(
        "I have a bad left knee from football, so these days I swim on Wednesday evenings",
        ("User has a bad left knee from football.",
         "User has a bad left knee from football, so these days User swims on Wednesday evenings."),
        ("knee", "football"), "please forget my bad knee", "what is wrong with my knee?", "Your left knee is bad.",
    )  # fmt: skip
    person.tell(knee)
    fact, swims = person.facts_of(knee)
    turns = person.store.turns
    line = turns.add(
        person.store.sessions.start(person.user.id).id, "User", "it's the gym now, Tuesdays", storage="done"
    )
    change = f"UPDATE memory SET fact = 'User goes to the gym on Tuesdays.' WHERE id = {swims};"
    person.store.facts.write(
        person.user.id, change, author=Author("agent:storage"), turn_ids=[line.id], subjects=["User"]
    )
    shown = asked(person.say(f"/forget {fact}"))
    assert knee.facts[1] in shown.question
    report = done(person, shown).report
    assert left(person, knee) == {} and report.bytes_checked and not report.stays
    assert [one.fact for one in person.store.facts.all(person.user.id)] == ["User goes to the gym on Tuesdays."]
    assert not [one for one in person.store.journal.entries(person.user.id) if "knee" in f"{one.before}{one.after}"]


def test_it_is_shown_whole_before_the_one_yes_and_a_no_changes_nothing(person: Home) -> None:
    person.tell(LOCKER)
    before = all_kept(person)
    shown = asked(person.say(f"/forget {person.facts_of(LOCKER)[0]}"))
    for part in (*LOCKER.facts, LOCKER.line, LOCKER.question, LOCKER.reply, "input history", "names of sessions"):
        assert part in shown.question
    assert shown.plan is not None and [one.fact for one in shown.plan.facts] == [LOCKER.facts[0]]
    assert all_kept(person) == before


def test_after_a_restart_nothing_of_it_reaches_a_prompt(tmp_path: Path) -> None:
    with home(tmp_path / "home") as person:
        person.tell(LOCKER)
        done(person, asked(person.say(LOCKER.wish)))
    with home(tmp_path / "home") as person:
        person.say(LOCKER.question)
        (_, recall, recent), found = person.script.asked[-1], person.store.search(person.user.id, LOCKER.question)
        assert "44710382" not in repr((recall, recent, found)) and FORGOTTEN not in repr((recall.items, found.items))
        assert not person.grep("44710382") and not person.grep("Rosa")


def test_kept_lines_are_said_to_stay_and_nothing_is_claimed_of_them(person: Home) -> None:
    person.tell(LOCKER)
    [fact, _] = person.facts_of(LOCKER)
    shown = asked(person.say(f"/forget {fact} --keep-lines"))
    assert "these stay, and still hold it" in shown.question
    report = done(person, shown).report
    assert report.lines_kept == 4 and (report.turns, report.replies) == (0, 0)
    assert "What was said stays" in sentence(report) and "4 lines still hold it" in sentence(report)
    assert person.grep("44710382") and LOCKER.line in all_kept(person)
    assert person.store.facts.all(person.user.id)[0].fact == LOCKER.facts[1]
    assert person.chat.retry_pending() == 0  # the line is never read again


def test_other_facts_of_the_line_can_stay_and_their_words_are_named(person: Home) -> None:
    person.tell(UNTIED)
    fact, other = person.facts_of(UNTIED)
    report = done(person, asked(person.say(f"/forget {fact} --keep-others"))).report
    assert not person.grep("44710382") and not person.grep("locker") and report.bytes_checked
    assert person.store.facts.get(other).fact == UNTIED.facts[1]
    assert {one.word for one in report.stays} == {"rosa", "spare"} and f"#{other}" in sentence(report)


def test_a_word_that_stands_elsewhere_by_right_stays_and_is_told_with_its_place(person: Home) -> None:
    visit = Told("my aunt Rosa visits me on Sundays", ("User's aunt Rosa visits on Sundays.",), (), "", "x?", "Nice.")
    person.tell(LOCKER)
    person.tell(visit)
    [kept] = person.facts_of(visit)
    report = done(person, asked(person.say(f"/forget {person.facts_of(LOCKER)[0]}"))).report
    assert {one.word for one in report.stays} == {"rosa"} and "is still “rosa” (" in sentence(report)
    assert f"#{kept}" in sentence(report) and "1 other line" in sentence(report)
    assert not person.grep("44710382") and not person.grep("spare") and person.grep("Rosa")


def test_nothing_brings_it_back(person: Home) -> None:
    person.tell(LOCKER)
    fact = person.facts_of(LOCKER)[0]
    person.store.facts.retire(fact)
    person.say("/resume 1")  # its last line is the one that goes
    entries = person.store.journal.entries(person.user.id)
    done(person, asked(person.say(f"/forget {fact}")))
    numbered = (f"/undo {entries[0].id}", f"/redo {entries[-1].id}")
    for line in ("/undo", "/redo", "/regenerate", *numbered, "/why", "/context"):
        assert "44710382" not in repr(person.say(line)) and "Rosa" not in repr(person.chat.state.recent), line
    for act in (person.store.journal.undo, person.store.journal.redo):
        for entry in entries:
            with pytest.raises(ChatmemError):
                act(entry.id)
    assert person.chat.retry_pending() == 0 and Memory.over(person.store, person.user).catch_up() == []
    assert "44710382" not in all_kept(person) and left(person, LOCKER) == {}


def test_a_line_that_still_waits_is_never_learned(person: Home) -> None:
    person.script.storage_fails = "The model is gone."
    person.script.book[LOCKER.line] = LOCKER
    person.say(LOCKER.line)
    assert person.store.queue.pending(person.user.id)
    done(person, asked(person.say("forget my locker number")))
    person.script.storage_fails = None
    assert person.store.queue.pending(person.user.id) == [] and person.chat.retry_pending() == 0
    assert person.store.facts.all(person.user.id) == [] and left(person, LOCKER) == {}


def test_a_model_that_is_at_work_on_it_meanwhile_writes_nothing(person: Home) -> None:
    """As another program's storage agent, which has read the line before it was forgotten."""
    session = person.store.sessions.start(person.user.id)
    turn = person.store.turns.add(session.id, "User", LOCKER.line, storage="pending")
    begun, go = threading.Event(), threading.Event()
    run = person.script.run

    def slow(*args: object) -> object:
        begun.set()
        assert go.wait(10)
        return run(*args)  # type: ignore[arg-type]

    person.script.book[LOCKER.line] = LOCKER
    person.script.run = slow  # type: ignore[assignment, method-assign]
    agent = threading.Thread(target=lambda: Memory.over(person.store, person.user, person.script).take_in(turn))
    agent.start()
    assert begun.wait(10)
    plan = person.store.forget.plan(person.user.id, line_ids=(turn.id,))
    assert person.store.forget.carry_out(plan).bytes_checked
    go.set()
    agent.join(10)
    assert person.store.facts.all(person.user.id, current=False) == [] and left(person, LOCKER) == {}


def test_plain_words_ask_and_are_not_kept_as_talk(person: Home) -> None:
    person.tell(TRAINS)
    lines = person.store.stats(person.user.id)["turns"]
    for line in ("forget that I love night trains", "you can forget about the night trains", "/forget night trains"):
        assert TRAINS.facts[0] in asked(person.say(line)).question
    assert person.store.stats(person.user.id)["turns"] == lines
    (nothing,) = person.say("forget about the submarine")
    assert isinstance(nothing, e.Notice) and nothing.text == NOTHING
    assert asked(person.say("forget everything about me")).command == "/reset --yes"
    for line in ("don't forget to feed the cat", "I'll never forget that train", "forget it", "I forgot my keys"):
        assert any(isinstance(event, e.TurnSaved) for event in person.say(line))


def test_words_with_yes_are_erased_without_asking_and_all_of_it_is_not(person: Home) -> None:
    person.tell(TRAINS)
    assert TRAINS.facts[0] in asked(person.say("/forget night trains --keep-lines --yes")).question
    (done,) = person.say("/forget night trains --yes")
    assert isinstance(done, e.Forgotten) and left(person, TRAINS) == {}
    person.tell(LOCKER)
    assert asked(person.say("/forget everything about me --yes")).command == "/reset --yes"
    assert person.facts_of(LOCKER)


def test_everything_about_somebody_is_all_that_names_them_and_no_more(person: Home) -> None:
    both = Told("Tom and I saw Porto, and I bought a kayak", ("User saw Porto with Tom.", "User bought a kayak."),
                ("Tom",), "", "where was I?", "In Porto, with Tom.")  # fmt: skip
    boss = Told("my boss is Tom", ("User's boss is Tom.",), ("Tom",), "", "who is my boss?", "Tom is.")
    tomato = Told("I grow tomatoes", ("User grows tomatoes.",), (), "", "what do I grow?", "Tomatoes.")
    for matter in (both, boss, tomato):
        person.tell(matter)
    plan = asked(person.say("Forget everything about Tom, please.")).plan
    assert plan is not None and {one.fact for one in plan.facts} == {both.facts[0], boss.facts[0]}
    done(person, asked(person.say("Forget everything about Tom, please.")))
    assert [row.fact for row in person.store.facts.all(person.user.id)] == [both.facts[1], tomato.facts[0]]
    assert not re.search(r"\bTom\b", all_kept(person)) and not person.grep("Porto")


def test_what_was_just_said_can_be_forgotten(person: Home) -> None:
    person.script.book[LOCKER.line] = LOCKER
    person.say(LOCKER.line)
    shown = asked(person.say("forget what I just said"))
    assert LOCKER.line in shown.question and LOCKER.facts[0] in shown.question
    done(person, shown)
    assert left(person, LOCKER) == {} and person.store.facts.all(person.user.id) == []
    (failed,) = person.say("/regenerate")
    assert isinstance(failed, e.Failed) and "was forgotten" in failed.text


def test_an_exported_file_is_named_and_stays(person: Home, tmp_path: Path) -> None:
    person.tell(LOCKER)
    person.tell(TRAINS)
    mine, other = tmp_path / "mine.json", tmp_path / "gone.csv"
    export_file(person.store, person.user.id, mine)
    export_file(person.store, person.user.id, other)
    other.unlink()
    shown = asked(person.say(f"/forget {person.facts_of(LOCKER)[0]}"))
    assert str(mine) in shown.question and str(other) not in shown.question
    report = done(person, shown).report
    assert report.exports == (str(mine),) and str(mine) in sentence(report) and "44710382" in mine.read_text()
    assert left(person, LOCKER) == {}
    export_file(person.store, person.user.id, mine)
    assert "44710382" not in mine.read_text()
    assert person.store.forget.plan(person.user.id, person.facts_of(TRAINS)).exports == (str(mine),)


def test_on_the_page_a_typed_yes_or_no_answers_the_question(person: Home) -> None:
    person.tell(LOCKER)
    desk = person.desk
    for line, facts in (("no", 2), ("yes, please", 0)):
        desk.submit(LOCKER.wish)
        desk.finish(20)
        assert desk.asked is not None
        desk.submit(line)
        desk.finish(20)
        assert len(person.store.facts.all(person.user.id)) == facts
    assert "None was found" in desk.said[-1].text and left(person, LOCKER) == {}


def test_the_name_that_was_told_can_be_forgotten(person: Home) -> None:
    person.say("my name is Zorah")
    [fact] = person.store.facts.all(person.user.id)
    assert person.user.called == "Zorah"
    done(person, asked(person.say(f"/forget {fact.id}")))
    assert person.user.called is None and person.store.users.by_id(person.user.id).called is None


def test_where_nothing_may_be_read_nothing_is_forgotten(person: Home) -> None:
    person.tell(LOCKER)
    list(person.chat.set_incognito(True))
    (failed,) = person.say(LOCKER.wish)
    assert isinstance(failed, e.Failed) and "Incognito" in failed.text
    list(person.chat.set_incognito(False))
    person.chat.state.closed = {"forget": "Nothing is forgotten here."}
    (closed,) = person.say(LOCKER.wish)
    assert isinstance(closed, e.Failed) and closed.text == "Nothing is forgotten here."
    assert len(person.facts_of(LOCKER)) == 2


def test_the_api_shows_a_plan_and_does_just_that(person: Home) -> None:
    person.tell(LOCKER)
    memory, other = Memory.over(person.store, person.user), person.store.users.get("ben")
    plan = memory.to_forget(words="my locker number")
    assert {one.fact for one in (*plan.facts, *plan.others)} == set(LOCKER.facts)
    assert LOCKER.line in question(plan) and not plan.empty and memory.to_forget(words="submarine").empty
    for wrong in (lambda: Memory.over(person.store, other).forget(plan), memory.to_forget, memory.forget,
                  lambda: memory.to_forget(1, about="Tom")):  # fmt: skip
        with pytest.raises(InputError):
            wrong()
    with pytest.raises(NotFound):
        Memory.over(person.store, other).to_forget(1)
    assert memory.forget(plan).rows == 2 and left(person, LOCKER) == {}
    with pytest.raises(NotFound):
        memory.forget(memory.to_forget(1))


def test_what_is_told_is_one_sentence_a_matter(person: Home) -> None:
    matter = told(1)[0]
    person.tell(matter)
    lines = told_by(done(person, asked(person.say(matter.wish)))).split("\n")
    assert lines[0] == "- Forgotten: 2 rows, 2 journal entries, 2 lines, 2 replies, 3 typed lines."
    assert lines[1].startswith("  Searched for the erased sentences and ") and len(lines) == 2
