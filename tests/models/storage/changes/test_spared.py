"""Ends that rules see and the cross-encoder doesn't believe."""

from __future__ import annotations

from chatmem.memory.values import Memory
from chatmem.models.prompts.draft import Add, Change, Close, Draft
from chatmem.models.prompts.messages import Line
from chatmem.models.storage.changes.ended import Ends
from chatmem.models.storage.changes.spared import asked_back, spared, unlike
from tests.models.storage.changes.test_ended import WHEN, Reading

BOSS = Memory(3, 1, "Ana", "boss", "Ana's supervisor is Keller, strict but fair.", None, WHEN, WHEN)
NEW = "Ana is not working with urchins anymore, Keller put Ana on octopus."


def row(fact: str, key: int) -> Memory:
    return Memory(key, 1, "Grace", "other", fact, None, WHEN, WHEN)


def ends(reading: Reading) -> Ends:
    return Ends(reading, Line("Ana", "x"))


def test_what_would_take_the_place_of_a_row_that_stands_is_told_beside_it() -> None:
    told = (Add("Ana", "work", NEW, "today"),)
    draft = Draft((Change(3, NEW, when="today"),))
    assert spared(draft, told, [BOSS], ends(Reading({}))).entries == (Add("Ana", "work", NEW, "today"),)
    assert spared(draft, (), [BOSS], ends(Reading({}))).entries == (Add("Ana", "boss", NEW, "today"),)
    assert spared(Draft((Close(3),)), (), [BOSS], ends(Reading({}))).entries == ()


def test_what_the_reader_believes_or_only_puts_right_is_left_alone() -> None:
    for draft in (Draft((Change(3, NEW),)), Draft((Close(3),))):
        assert spared(draft, (), [BOSS], ends(Reading({"Keller": -1.0}))) == draft
    right = Draft((Change(3, "Ana's supervisor is Kellner, strict but fair."), Add("Ana", "food", "Ana likes figs.")))
    reading = Reading({})
    assert spared(right, (), [BOSS], ends(reading)) == right and not reading.read
    topic = Draft((Change(3, topic="work"), Change(9, NEW)))
    assert spared(topic, (), [BOSS], ends(reading)) == topic and not reading.read


def test_another_home_and_who_parted_are_believed_on_less() -> None:
    home = Memory(4, 1, "Ana", "home", "Ana lives in Graz with Ana's partner Tom.", None, WHEN, WHEN)
    pair = Memory(5, 1, "Ana", "people", "Molly has a boyfriend called Josh.", None, WHEN, WHEN)
    for known, new in ((home, "Ana lives in Linz."), (pair, "Molly and Josh have broken up.")):
        draft = Draft((Change(known.id, new),))
        assert spared(draft, (), [known], ends(Reading({known.fact[:4]: -5.0}))) == draft
        assert spared(draft, (), [known], ends(Reading({known.fact[:4]: -8.0}))) != draft


def test_that_the_cat_nearly_died_is_no_end_though_it_has_the_words_of_the_fact() -> None:
    cat = Memory(5, 1, "Ana", "pets", "Ana has a cat named Fip.", None, WHEN, WHEN)
    near = "Ana's cat Fip almost died."
    assert spared(Draft((Change(5, near),)), (), [cat], ends(Reading({}))).entries == (Add("Ana", "pets", near),)


def test_a_nod_that_is_looked_for_changes_nothing_that_is_known() -> None:
    """ "You know I live in Bonn, right?" of one who lives in Porto may be a question."""
    known = [Memory(3, 1, "Ana", "home", "Ana lives in Porto.", None, WHEN, WHEN)]
    draft = Draft((Change(3, "Ana lives in Bonn."), Add("Ana", "pets", "Ana has a dog.")))
    kept, doubts = asked_back(draft, known, ())
    assert kept.entries == (Add("Ana", "pets", "Ana has a dog."),)
    assert [(one.row.id, one.fact) for one in doubts] == [(3, "Ana lives in Bonn.")]
    beside = Draft((Add("Ana", "home", "Ana lives in Bonn."),))
    assert not asked_back(beside, known, doubts)[0].entries, "what is asked about is no new row"


def test_a_change_of_nothing_that_its_row_tells_is_a_row_of_its_own() -> None:
    trip = row("Grace is off to Whitby in August, and the cat Biscuit stays with Jean.", 1)
    dog, poodle = row("Bella is a labrador.", 1), Draft((Change(1, "Bella is a poodle."),))
    assert unlike(poodle, [dog], "No, Bella is a poodle.") == poodle
    line = "I don't live in Derby, that was Helen in the email. I live in Oadby"
    told = unlike(Draft((Change(1, "Grace lives in Oadby."),)), [trip], line)
    assert [(type(one), one.fact) for one in told] == [(Add, "Grace lives in Oadby.")]
    home, age = row("Grace lives in Derby.", 1), row("Grace is 38.", 1)
    for known, fact in ((home, "Grace lives in Oadby."), (age, "Grace is 39."), (trip, "The cat is with Tom.")):
        draft = Draft((Change(1, fact),))
        assert unlike(draft, [known], line) == draft
    draft = Draft((Change(1, "Grace lives in Oadby."),))
    assert unlike(draft, [trip], f"{line}, the cat is with Tom") == draft, "the line speaks of the row"
