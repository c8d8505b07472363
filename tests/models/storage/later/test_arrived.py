"""What was told to begin later tells what holds now once it has, and the row of before no longer answers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from chatmem.memory.values import Doubt, Memory, Recall, RecallItem
from chatmem.models.prompts.draft import Add, Change, Close, Draft, Entry
from chatmem.models.storage.later.arrived import _of_one_thing, arrived, come_true
from tests.models.storage.changes.test_changed_facts import row

SAID, FIRST = "2026-11-30T10:00:00Z", "2026-11-29T10:00:00Z"
RENT = replace(row(1, "Ana's rent is 650 a month."), said_at=FIRST)
RISE = replace(row(2, "Ana's rent is going up to 690 from January."), said_at=SAID, happened_on="2027-01")
TOM = replace(row(1, "Ana's boss is Tom."), said_at=FIRST)
CAROL = replace(row(2, "Ana's boss is Carol from Monday."), said_at=SAID, happened_on="2026-12-07")


def after(
    line: str, rows: tuple[Memory, ...], *entries: Entry, asked: Doubt | None = None
) -> tuple[tuple[Entry, ...], tuple[Doubt, ...]]:
    draft, doubts = arrived(Draft(entries), [asked] if asked else [], rows, line)
    return draft.entries, doubts


def test_the_row_that_told_it_ahead_tells_it_now() -> None:
    change, again = Change(1, "Ana's rent is 690 a month."), Change(2, "Ana's rent is 690 now.")
    now = (Close(1), Change(2, "Ana's rent is 690 a month.", when=""))
    assert after("my rent is 690 now", (RENT, RISE), change, again)[0] == now
    assert after("my rent is 690 now", (RENT, RISE), change)[0] == now
    new = Add("Ana", "boss", "Ana's boss is Carol now.")
    told = (Close(1), Change(2, "Ana's boss is Carol.", when=""))
    assert after("My boss is Carol now", (TOM, CAROL), new)[0] == told


def test_it_is_told_as_it_is() -> None:
    ahead = replace(row(2, "Ana's choir moves to Thursdays after Easter."), said_at=SAID)
    entries = after("choir's on Thursdays now", (ahead,), Close(2))[0]
    assert entries == (Change(2, "Ana's choir is on Thursdays.", when=""),)
    assert after("my rent is 690 now", (RENT, RISE), Close(2))[0] == (Close(1),)  # the row says what is to come


def test_what_came_is_no_end_and_nothing_is_asked_of_it() -> None:
    told = (Close(1), Change(2, "Ana's boss is Carol.", when=""))
    asked = Doubt(TOM, "Ana's boss is Carol now.")
    assert after("My boss is Carol now", (TOM, CAROL), Close(2), asked=asked) == (told, ())


@pytest.mark.parametrize("line", ["I paid 690 rent this month", "the rent, 690, is a scandal"])
def test_a_line_that_only_names_it_ends_nothing(line: str) -> None:
    paid, asked = "Ana paid 690 rent this month.", Doubt(RENT, "")
    entries, doubts = after(line, (RENT, RISE), Change(2, paid), Close(2), asked=asked)
    assert (entries, doubts) == ((Add("Ana", "topic", paid),), (asked,))


@pytest.mark.parametrize(
    ("line", "known"),
    [
        ("my rent is 720 now", (RENT, RISE)),
        ("Carol isn't my boss any more", (TOM, CAROL)),
        ("my rent isn't 690 after all", (RENT, RISE)),
        ("my rent is 690 now", (RENT, replace(RISE, pinned=True))),
        ("my rent is 690 now", (RENT, replace(RISE, fact="Ana's rent is 690 a month."))),
        ("the garage rent is 690 now", (RENT, replace(RISE, fact="Ana's shop rent is going up to 690 from January."))),
    ],
)
def test_else_the_draft_is_as_it_was(line: str, known: tuple[Memory, ...]) -> None:
    entries = (Change(1, "Ana's rent is otherwise."), Close(2))
    assert after(line, known, *entries)[0] == entries


def left(query: str, *rows: Memory, now: str = "2027-02-05T10:00:00Z") -> list[int]:
    recall = Recall(query, tuple(RecallItem(1.0, one) for one in rows))
    return [one.id for one in come_true(recall, now).memories]


def test_once_its_day_is_past_the_row_of_before_no_longer_answers() -> None:
    assert left("how much is my rent?", RENT, RISE) == [2]
    assert left("how much is my rent?", RENT, RISE, now="2026-12-05T10:00:00Z") == [1, 2]
    assert left("how much was my rent?", RENT, RISE) == [1, 2]
    assert left("who is my boss?", TOM, CAROL) == [2]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (RENT, replace(RISE, fact="Ana's garage rent is going up to 90 from January.")),
        (RENT, replace(RISE, fact="Ben's rent is going up to 690 from January.")),
        (RENT, replace(RISE, happened_on="2026-11")),  # of what was told after it had come
        (replace(RENT, said_at="2026-12-24T10:00:00Z"), RISE),
        (replace(RENT, fact="Ana lives in Rhyl."), replace(RISE, fact="Ana is moving to Leeds.")),  # a plan may fail
        (replace(RENT, fact="Ana's rent was 600 in 2020."), RISE),
    ],
)
def test_other_rows_stay(old: Memory, new: Memory) -> None:
    assert left("how much is my rent?", old, new) == [old.id, new.id]


@pytest.mark.parametrize(
    ("fact", "ahead", "one"),
    [
        ("Ana's daughter is allergic to nuts.", "Ana's daughter starts school in September.", False),
        ("Ana's brother works at Shell.", "Ana's brother is moving to Leeds.", False),
        ("Ana has therapy on Mondays.", "Ana has yoga on Thursdays from May.", False),
        ("Ana's car is a red Fiat.", "Ana's car starts its MOT on 3 May.", False),
        ("Ana's rent is 650.", "Ana's rent is going up to 690 from January.", True),
        ("Ana works Mondays to Wednesdays.", "Ana works Tuesdays to Fridays from January.", True),
        ("Ana's choir is on Tuesdays.", "Ana's choir moves to Thursdays after Easter.", True),
        ("Ana's brother lives in York.", "Ana's brother will live in Leeds from May.", True),
    ],
)
def test_what_comes_of_somebody_hides_nothing_else_that_is_told_of_them(fact: str, ahead: str, one: bool) -> None:
    assert _of_one_thing(fact, ahead) is one
