"""What holds until a day to come stands with its end, beside what begins then."""

from __future__ import annotations

from dataclasses import replace

from chatmem.memory.language.later.begins import NOTHING_LATER, Later
from chatmem.memory.store.store import Store
from chatmem.memory.values import Doubt, Memory
from chatmem.models.prompts.draft import Add, Change, Close, Draft, Entry
from chatmem.models.storage.changes.kept_facts import keeping
from chatmem.models.storage.later.until_then import ends_moved, until_then
from tests.models.storage.changes.test_changed_facts import row
from tests.models.storage.test_quoted import insert, memory_with

JANUARY = Later(frozenset({"2027-01"}), alone=True)
RENT, RISE = "Ana's rent is 640 a month.", "Ana's rent is going up to 690 from January."
UNTIL = "Ana's rent is 640 a month, until January 2027."
NEW = Add("Ana", "rent", RISE, "2027-01")


def after(
    entries: tuple[Entry, ...], known: Memory, fact: str | None = None, later: Later = JANUARY, sure: bool = True
) -> tuple[tuple[Entry, ...], list[str]]:
    doubts = [Doubt(known, fact)] if fact is not None else []
    draft, left = until_then(Draft(entries), doubts, {known.id: known}, later, lambda _: sure)
    return draft.entries, [one.fact for one in left]


def test_what_would_be_asked_about_holds_until_then() -> None:
    assert after((NEW,), row(1, RENT), RISE) == ((NEW, Change(1, UNTIL)), [])


def test_where_the_reader_is_not_sure_or_the_row_is_pinned_both_stand() -> None:
    assert after((NEW,), row(1, RENT), RISE, sure=False) == ((NEW,), [])
    assert after((NEW,), row(1, RENT, pinned=True), RISE) == ((NEW,), [])
    assert after((NEW,), row(1, "Ana's cafe is closed on Mondays."), "") == ((NEW,), [])


def test_a_change_that_begins_later_makes_two_rows() -> None:
    change = Change(1, "Ana's rent is 690 a month.", when="")
    new = Add("Ana", "topic", "Ana's rent is 690 a month, from January 2027.", "2027-01")
    assert after((change,), replace(row(1, RENT), topic="topic")) == ((Change(1, UNTIL), new), [])


def test_an_end_beside_what_begins_later_comes_with_it() -> None:
    assert after((NEW, Close(1)), row(1, RENT))[0] == (NEW, Change(1, UNTIL))
    assert after((NEW, Close(1)), row(1, "Ana has a cat."))[0] == (NEW, Close(1))


def test_else_all_is_as_before() -> None:
    change, dentist = (
        Change(1, RISE, when="2027-01"),
        replace(row(1, "Ana's dentist is on Friday."), happened_on="2026-12-04"),
    )
    assert after((change,), row(1, RENT), later=NOTHING_LATER)[0] == (change,)
    assert after((change,), dentist)[0] == (change,)
    assert after((change,), row(1, "Ana's mum lives in Leeds."))[0] == (change,)
    assert after((NEW,), dentist, RISE) == ((NEW,), [RISE])
    bike = Add("Ana", "bike", "Ana sold Ana's bike.")
    assert after((NEW, bike), row(1, "Ana has a bike."), "", later=JANUARY._replace(alone=False))[1] == [""]


def test_another_beginning_moves_the_end() -> None:
    rows = [replace(row(1, UNTIL), topic="rent"), replace(row(2, RISE), topic="rent", happened_on="2027-01")]
    later = Change(2, "Ana's rent is going up to 690 from February.", when="2027-02")
    moved = Change(1, "Ana's rent is 640 a month, until February 2027.")
    assert ends_moved([later], rows) == [moved]
    assert ends_moved([later, moved], rows) == [] == ends_moved([replace(later, when="2027-01")], rows)
    assert keeping(Draft((later,)), rows, "no, it's from February", "Ana").entries == (later, moved)


def test_a_line_leaves_what_holds_until_then(store: Store) -> None:
    told = "User''s mum lives in Leeds.", "User''s mum is moving to York in May 2031."
    memory, _ = memory_with(store, *map(insert, told))
    memory.say("My mum lives in Leeds.")
    assert not memory.say("My mum is moving to York in May 2031.").doubts
    rows = store.facts.all(memory.user.id)
    assert {(one.fact, one.happened_on) for one in rows} == {
        ("User's mum lives in Leeds, until May 2031.", None),
        ("User's mum is moving to York in May 2031.", "2031-05"),
    }
