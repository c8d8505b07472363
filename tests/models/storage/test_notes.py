"""A model that reads instructions: one call a line, and of each line it is known what became of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from chatmem.memory.store.store import Store
from chatmem.models.api import Memory
from chatmem.models.decoding.scripted import ScriptedLM
from chatmem.models.files.profiles.profile import SHIPPED
from chatmem.models.storage.agent import StorageAgent
from chatmem.models.storage.checks import SENTENCES, SERVES

CAPABLE = replace(SHIPPED, capable=True, prompts="plain", structured="none")


def memory_with(store: Store, *replies: str, structured: str = "none") -> tuple[Memory, ScriptedLM]:
    lm = ScriptedLM(list(replies), profile=replace(CAPABLE, structured=structured))  # type: ignore[arg-type]
    return Memory.over(store, store.users.get("me"), StorageAgent(lm, store)), lm


def facts(memory: Memory) -> list[str]:
    return [row.fact for row in memory.facts()]


def refusals(memory: Memory) -> list[str]:
    return [entry.author.actor for entry in memory.journal(refused=True)]


def test_a_line_is_one_call_and_several_facts(store: Store) -> None:
    memory, lm = memory_with(store, "+ pets: User has a parrot called Admiral.\n+ home: User lives in Halifax.")
    memory.say("we moved to Halifax with our parrot Admiral")
    assert sorted(facts(memory)) == ["User has a parrot called Admiral.", "User lives in Halifax."]
    assert len(lm.calls) == 1
    assert lm.calls[0][1].background


@pytest.mark.parametrize("line", ["haha ok", "thanks!", "Where do I live?", "You're good company.", "👍"])
def test_small_talk_and_questions_cost_no_call(store: Store, line: str) -> None:
    memory, lm = memory_with(store, "+ talk: User laughs.")
    memory.say(line)
    assert (lm.calls, facts(memory), store.queue.pending(memory.user.id)) == ([], [], [])


def test_a_yes_to_what_was_asked_is_no_small_talk(store: Store) -> None:
    memory, _ = memory_with(store, "+ home: User lives in Oslo.")
    session = store.sessions.start(memory.user.id).id
    store.turns.add(session, "assistant", "So you live in Oslo?")
    turn = store.turns.add(session, "User", "yes", storage="pending")
    memory.take_in(turn)
    assert facts(memory) == ["User lives in Oslo."]


def test_what_only_the_assistant_said_is_no_fact(store: Store) -> None:
    memory, _ = memory_with(store, "+ home: User lives in Oslo.")
    session = store.sessions.start(memory.user.id).id
    store.turns.add(session, "assistant", "Oslo is a fine place.")
    memory.take_in(store.turns.add(session, "User", "I should call my brother", storage="pending"))
    assert facts(memory) == []
    assert "check:not_said" in refusals(memory) or "check:unsaid" in refusals(memory)


def test_a_reply_that_can_not_be_read_is_asked_for_once_more(store: Store) -> None:
    memory, lm = memory_with(store, "Sure! I noted it.", "+ pets: User has a cat.")
    memory.say("I have a cat now")
    assert facts(memory) == ["User has a cat."]
    assert "can't be read" in lm.calls[1][0][-1].content


def test_a_line_at_which_the_model_fails_is_tried_once_more_later_and_then_refused(store: Store) -> None:
    memory, lm = memory_with(store, "Sure! I noted it.")
    first = memory.say("I have a cat now")
    assert [entry.author.actor for entry in first.refused] == ["check:readable"]
    assert [turn.id for turn in store.queue.pending(memory.user.id)] == [first.turn.id]
    memory.catch_up()
    assert store.queue.pending(memory.user.id) == []
    assert refusals(memory) == ["check:readable", "check:readable"]
    assert lm.calls[-1][1].temperature > lm.calls[0][1].temperature
    assert memory.catch_up() == []


def test_the_later_try_may_succeed(store: Store) -> None:
    memory, _ = memory_with(store, "what?", "what?", "+ pets: User has a cat.")
    memory.say("I have a cat now")
    memory.catch_up()
    assert facts(memory) == ["User has a cat."]


@pytest.mark.parametrize("line", ["I just burnt my tongue.", "Mir ist kalt geworden heute Nacht."])
def test_a_line_in_which_nothing_was_seen_is_told_so_in_the_journal(store: Store, line: str) -> None:
    memory, _ = memory_with(store, "-")
    memory.say(line)
    assert (facts(memory), refusals(memory)) == ([], ["check:no_note"])
    assert store.queue.pending(memory.user.id) == []


@pytest.mark.parametrize(
    ("line", "fact"),
    [
        ("I have a cat now", "User has a cat called Miso."),
        ("I have two cats", "User has 7 cats."),
        ("I grew up in Flensburg near the harbour", "User plays chess."),
        ("Tengo un gato en casa", "User tiene un gato que se llama Canelo."),
    ],
)
def test_names_and_numbers_that_nobody_said_go(store: Store, line: str, fact: str) -> None:
    memory, _ = memory_with(store, f"+ pets: {fact}")
    memory.say(line)
    assert (facts(memory), refusals(memory)) == ([], ["check:unsaid"])


def test_a_german_line_is_stored_in_german_and_its_dates_are_read(store: Store) -> None:
    memory, lm = memory_with(store, "+ Arbeit: User arbeitet als Schreiner in Kassel.")
    memory.say("Ich arbeite als Schreiner in Kassel.")
    assert facts(memory) == ["User arbeitet als Schreiner in Kassel."]
    assert "German" in lm.calls[0][0][0].content
    assert memory.recall("Wo arbeite ich als Schreiner?").items


def test_of_a_foreign_line_no_row_is_changed_of_which_it_does_not_speak(store: Store) -> None:
    memory, lm = memory_with(store, "+ Arbeit: User ist Schreiner in Kassel.", "= 1: User hat einen Hund namens Rex.")
    memory.say("Ich bin Schreiner in Kassel.")
    memory.say("In Kassel habe ich jetzt einen Hund namens Rex.")
    assert len(lm.calls) == 2
    assert sorted(facts(memory)) == ["User hat einen Hund namens Rex.", "User ist Schreiner in Kassel."]


@pytest.mark.parametrize(
    ("structured", "given"), [("grammar", "grammar"), ("json_schema", "json_schema"), ("none", "")]
)
def test_the_reply_is_held_to_a_form_where_the_back_end_can(store: Store, structured: str, given: str) -> None:
    memory, lm = memory_with(store, "-", structured=structured)
    memory.say("I have a cat now")
    options = lm.calls[0][1]
    assert [name for name in ("grammar", "json_schema") if getattr(options, name)] == ([given] if given else [])


def test_each_check_says_whom_it_serves_and_none_of_the_small_adapters_looks_at_notes(store: Store) -> None:
    assert SERVES.keys() == SENTENCES.keys()
    memory, _ = memory_with(store, "+ family: User is the aunt of the girl next door.")
    memory.say("the girl next door came by with her dog, my niece")
    found = {actor.removeprefix("check:") for actor in refusals(memory)}
    assert {SERVES[name] for name in found} <= {"every", "capable"}


def small_with(store: Store, *replies: str) -> tuple[Memory, ScriptedLM]:
    lm = ScriptedLM(list(replies), profile=replace(CAPABLE, parameters=1.5))
    return Memory.over(store, store.users.get("me"), StorageAgent(lm, store)), lm


def test_a_plain_statement_of_which_a_small_model_notes_nothing_is_told_as_it_was_said(store: Store) -> None:
    memory, _ = small_with(store, "-")
    memory.say("I do not like aubergines.")
    assert facts(memory) == ["User does not like aubergines."]
    assert [row.topic for row in memory.facts()] == ["tastes"]


def test_a_clause_that_a_small_model_left_out_is_read_by_itself(store: Store) -> None:
    memory, lm = small_with(store, "+ home: User lives in Graz.", "+ people: User's brother Tim sold his boat in May.")
    memory.say("I live in Graz, and my brother Tim sold his boat in May.")
    assert sorted(facts(memory)) == ["User lives in Graz.", "User's brother Tim sold his boat in May."]
    assert lm.calls[1][0][-1].content.endswith("my brother Tim sold his boat in May.")


def test_a_plain_clause_that_it_left_out_needs_no_second_reading(store: Store) -> None:
    memory, lm = small_with(store, "+ home: User lives in Graz.")
    memory.say("I live in Graz, and I collect stamps from Peru.")
    assert sorted(facts(memory)) == ["User collects stamps from Peru.", "User lives in Graz."]
    assert len(lm.calls) == 1


def test_what_turns_the_line_round_is_told_as_it_was_said(store: Store) -> None:
    memory, _ = small_with(store, "+ food: User eats gluten.")
    memory.say("I can't eat gluten at all.")
    assert facts(memory) == ["User can't eat gluten at all."]


@pytest.mark.parametrize("whom", ["hens Dolly, Frieda and Bess", "hens"])
def test_what_happened_to_one_of_several_is_told_of_that_one(store: Store, whom: str) -> None:
    spread = f"= 1: User's {whom} died on the weekend."
    memory, _ = small_with(store, "+ pets: User has three hens, Dolly, Frieda and Bess.", spread)
    memory.say("We keep three hens, Dolly, Frieda and Bess.")
    assert [row.id for row in memory.facts()] == [1]
    memory.say("Poor Frieda died on the weekend, we think it was the fox.")
    assert facts(memory) == ["User's hen Frieda died on the weekend.", "User has two hens, Dolly and Bess."]


def test_a_larger_model_is_left_alone(store: Store) -> None:
    lm = ScriptedLM(["+ home: User lives in Graz."], profile=replace(CAPABLE, parameters=7.0))
    memory = Memory.over(store, store.users.get("me"), StorageAgent(lm, store))
    memory.say("I live in Graz, and I collect stamps from Peru.")
    assert facts(memory) == ["User lives in Graz."]


def test_a_place_is_no_subject_and_nobody_is_told_of_by_themself(store: Store) -> None:
    memory, lm = memory_with(store, "+ home: Dinant is moved to Dinant.", structured="grammar")
    memory.say("Last weekend Odile and we moved to Dinant, near Namur.")
    grammar = lm.calls[0][1].grammar or ""
    assert '"Odile "' in grammar and "Dinant" not in grammar and "Namur" not in grammar
    assert "Dinant is moved to Dinant." not in facts(memory)


@pytest.mark.parametrize(
    ("before", "line", "shown"),
    [
        ("Bruno turned 9 last week.", "He's in the third form.", "Bruno"),
        ("my colleague Tadeo works in a pizzeria.", "news: tadeo started as a tram driver, no more pizza", "Tadeo"),
    ],
)
def test_a_small_model_is_told_whom_a_line_leans_on(store: Store, before: str, line: str, shown: str) -> None:
    memory, lm = small_with(store, "+ people: User's colleague Tadeo works in a pizzeria.", "-")
    memory.say(before)
    memory.say(line)
    assert shown in lm.calls[1][0][-1].content.rpartition("Line:")[2]


def test_whom_a_pasted_line_names_is_not_whom_the_next_one_leans_on(store: Store) -> None:
    memory, lm = small_with(store, "-", "-", "-")
    memory.say("My father Osman is 81.")
    memory.say("> My brother Bruno turned 9.\nlovely weather today, at last")
    memory.say("He gets up at five.")
    told = lm.calls[-1][0][-1].content.rpartition("Line:")[2]
    assert "Osman" in told and "Bruno" not in told


@pytest.mark.parametrize(
    ("line", "note", "fact"),
    [
        ("I moved to Breda, I don't know why I said Tilburg", "User moved to Breda, I don't know why I said Tilburg.",
         "User moved to Breda."),
        ("I read of World War I in Ghent", "User read of World War I in Ghent.", "User read of World War I in Ghent."),
        ("I live with my aunt in Graz", "User lives with my aunt in Graz.", "User lives with User's aunt in Graz."),
    ],
)  # fmt: skip
def test_a_fact_is_told_in_the_third_person_throughout(store: Store, line: str, note: str, fact: str) -> None:
    memory, _ = small_with(store, f"+ home: {note}")
    memory.say(line)
    assert fact in facts(memory) and not any(" my " in one for one in facts(memory))


def test_whom_one_met_is_none_of_several(store: Store) -> None:
    memory, _ = small_with(store, "+ people: User and Sam met Ida in May.")
    memory.say("I met Sam yesterday at the lake")
    assert not any(fact.startswith("Sam") for fact in facts(memory))


@pytest.mark.parametrize("parameters", [0.0, 1.5, 7.0])
def test_whom_a_pronoun_stands_for_stays_in_the_fact(store: Store, parameters: float) -> None:
    notes = ["+ family: User's daughters are Ida and Tova.", "+ family: Ida and Tova moved to Rome."]
    lm = ScriptedLM(notes, profile=replace(CAPABLE, parameters=parameters))
    memory = Memory.over(store, store.users.get("me"), StorageAgent(lm, store))
    memory.say("my daughters are Ida and Tova")
    memory.say("Ida moved to Rome with her")
    assert any("Ida and Tova moved to Rome" in fact for fact in facts(memory))


def test_nothing_that_a_larger_model_noted_is_cut(store: Store) -> None:
    fact = "User moved to Breda, where I have a boat, I call it Nora."
    lm = ScriptedLM([f"+ home: {fact}"], profile=replace(CAPABLE, parameters=7.0))
    memory = Memory.over(store, store.users.get("me"), StorageAgent(lm, store))
    memory.say("I moved to Breda, where I have a boat, I call it Nora")
    assert any("Nora" in one for one in facts(memory))
