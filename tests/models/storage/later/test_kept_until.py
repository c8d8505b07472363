"""What holds until a day to come stands beside what begins then."""

from __future__ import annotations

from dataclasses import replace

import pytest

from chatmem.memory.language.later.begins import NOTHING_LATER, Later
from chatmem.memory.store.store import Store
from chatmem.memory.values import Doubt, Memory
from chatmem.models.prompts.draft import Add, Change, Close, Draft, Entry
from chatmem.models.storage.later.kept_until import kept_until
from tests.models.storage.changes.test_changed_facts import row
from tests.models.storage.test_quoted import insert, memory_with

JANUARY = Later(frozenset({"2027-01"}), alone=True)
RENT, RISE = "Ana's rent is 640 a month.", "Ana's rent is going up to 690 from January."
NEW = Add("Ana", "rent", RISE, "2027-01")


def after(
    entries: tuple[Entry, ...], known: Memory, fact: str | None = None, later: Later = JANUARY
) -> tuple[tuple[Entry, ...], list[str]]:
    doubts = [Doubt(known, fact)] if fact is not None else []
    draft, left = kept_until(Draft(entries), doubts, {known.id: known}, later)
    return draft.entries, [one.fact for one in left]


@pytest.mark.parametrize("pinned", [False, True])
def test_nothing_is_asked_of_what_holds_until_then(pinned: bool) -> None:
    assert after((NEW,), row(1, RENT, pinned=pinned), RISE) == ((NEW,), [])
    assert after((NEW,), row(1, "Ana's cafe is closed on Mondays."), "") == ((NEW,), [])


def test_a_change_that_begins_later_is_a_row_of_its_own() -> None:
    change = Change(1, "Ana's rent is 690 a month.", when="")
    new = Add("Ana", "topic", "Ana's rent is 690 a month, from January 2027.", "2027-01")
    assert after((change,), replace(row(1, RENT), topic="topic")) == ((new,), [])


def test_an_end_that_comes_with_what_begins_later_waits() -> None:
    assert after((NEW, Close(1)), row(1, RENT))[0] == (NEW,)
    assert after((NEW, Close(1)), row(1, "Ana has a cat."))[0] == (NEW, Close(1))
    several = JANUARY._replace(alone=False)  # "I moved out last week, I'm moving to Bristol in January"
    assert after((NEW, Close(1)), row(1, RENT), later=several)[0] == (NEW, Close(1))


def test_what_begins_at_a_time_without_a_day_waits_too() -> None:
    easter, choir = Later(alone=True, words="after Easter"), row(1, "Ana's choir is on Tuesdays.")
    new = Add("Ana", "choir", "Ana's choir moves to Thursdays after Easter.")
    change = Change(1, "Ana's choir is on Thursdays.")
    assert after((new, change), choir, later=easter)[0] == (new,)  # one of the two is enough
    assert after((new,), choir, "Ana's choir is on Thursdays.", later=easter)[1] == []
    alone = replace(new, fact="Ana's choir is on Thursdays after Easter.", topic="")
    assert after((change,), replace(choir, topic=""), later=easter)[0] == (alone,)


def test_one_new_row_tells_when_it_begins() -> None:
    easter = Later(alone=True, words="after Easter")
    bell, owen = row(1, "Ana's teacher is Mrs Bell."), Add("Ana", "school", "Ana's teacher is Mr Owen.")
    assert after((owen,), bell, later=easter)[0] == (replace(owen, fact="Ana's teacher is Mr Owen after Easter."),)
    assert after((owen,), bell)[0] == (replace(owen, when="2027-01"),)


def test_what_else_the_line_tells_is_not_said_to_begin_then() -> None:
    boyfriend = Add("Ana", "people", "Ana's boyfriend is Tom.")
    assert after((NEW, boyfriend), row(1, RENT))[0] == (NEW, boyfriend)


def test_else_all_is_as_before() -> None:
    change = Change(1, RISE, when="2027-01")
    dentist = replace(row(1, "Ana's dentist is on Friday."), happened_on="2026-12-04")
    assert after((change,), row(1, RENT), later=NOTHING_LATER)[0] == (change,)
    assert after((change,), dentist)[0] == (change,)
    assert after((change,), row(1, "Ana's mum lives in Leeds."))[0] == (change,)
    assert after((NEW,), dentist, RISE) == ((NEW,), [RISE])
    bike = Add("Ana", "bike", "Ana sold Ana's bike.")
    assert after((NEW, bike), row(1, "Ana has a bike."), "", later=JANUARY._replace(alone=False))[1] == [""]


def test_a_line_leaves_what_holds_until_then(store: Store) -> None:
    told = "User''s mum lives in Leeds.", "User''s mum is moving to York in May 2031."
    memory, _ = memory_with(store, *map(insert, told))
    memory.say("My mum lives in Leeds.")
    assert not memory.say("My mum is moving to York in May 2031.").doubts
    rows = store.facts.all(memory.user.id)
    assert {(one.fact, one.happened_on) for one in rows} == {
        ("User's mum lives in Leeds.", None), ("User's mum is moving to York in May 2031.", "2031-05"),
    }  # fmt: skip
