"""What somebody says was noted and isn't so goes, and nothing else does."""

from __future__ import annotations

import pytest

from chatmem.memory.store.store import Store
from chatmem.models.prompts.draft import Add, Change, Close, Draft
from chatmem.models.prompts.messages import NOTHING
from chatmem.models.storage.changes.kept_facts import keeping
from chatmem.models.storage.changes.retracted import retracted
from tests.models.storage.changes.test_changed_facts import row
from tests.models.storage.test_quoted import insert, memory_with

LIKES, NOT, LENA = "Ana likes fish.", "Ana doesn't like fish.", "Ana likes Lena's work on Instagram."


@pytest.mark.parametrize(
    ("claim", "gone"),
    [
        ("I like fish", [1]),
        ("I don't like fish", [2]),
        ("I like Lena's work on Instagram", [3]),
        ("I like Milo", []),
        ("", []),
    ],
)
def test_the_rows_that_say_the_claim_go(claim: str, gone: list[int]) -> None:
    rows = [row(number, fact) for number, fact in enumerate((LIKES, NOT, LENA), 1)]
    draft, asked = retracted(Draft((Add("Ana", "food", "Ana hates cheese."),)), (), rows, claim, "Ana")
    assert [one.id for one in draft if isinstance(one, Close)] == gone
    assert draft.facts == ["Ana hates cheese."] and asked == ()


def test_no_new_fact_says_it_and_a_pinned_row_is_asked_about() -> None:
    draft, asked = retracted(
        Draft((Add("Ana", "food", LIKES),)), (), [row(1, LIKES, pinned=True)], "I like fish", "Ana"
    )
    assert not draft and [(one.row.id, one.fact) for one in asked] == [(1, "")]


@pytest.mark.parametrize(
    ("line", "reply", "left"),
    [
        ("You've noted that I like fish, but it was Milo who does.", NOTHING, []),
        ("You wrote that I like fish, that's wrong, I hate fish.", insert("User hates fish."), ["User hates fish."]),
        ("I never said that I like fish.", NOTHING, []),
        ("You've noted that I like cheese, but it was Milo.", NOTHING, ["User likes fish."]),
    ],
)
def test_a_line_that_disputes_a_fact_ends_it(store: Store, line: str, reply: str, left: list[str]) -> None:
    memory, _ = memory_with(store, insert("User likes fish."), reply)
    memory.say("I like fish")
    memory.say(line)
    assert [one.fact for one in store.facts.all(memory.user.id)] == left


def test_what_is_left_of_a_quotation_is_put_behind_nothing() -> None:
    left = Draft((Change(1, 'Ana said: "We have no cups."'),))
    assert keeping(left, [row(1, 'Ana said: "We have no cups. I like fish."')], "I hate fish", "Ana") == left


def said(line: str, *facts: str, draft: Draft | None = None) -> list[str]:
    """What the rows say after a line."""
    rows = [row(number, fact) for number, fact in enumerate(facts, 1)]
    now = dict(enumerate(facts, 1))
    after, _ = retracted(draft or Draft(), (), rows, "", "Ana", line)
    now |= {one.id: one.fact or "" for one in after if isinstance(one, Change)}
    return [*now.values(), *(one.fact for one in after.added)]


@pytest.mark.parametrize(
    ("line", "fact", "now"),
    [
        (
            "Nesta isn't my sister, she's my friend",
            "Ana's sister Nesta lives in Rhyl.",
            "Ana's friend Nesta lives in Rhyl.",
        ),
        ("Nesta isn't my sister. She's my friend.", "Ana's sister Nesta is 70.", "Ana's friend Nesta is 70."),
        (
            "No, Nesta's not my sister, she's my friend",
            "Ana has a sister called Nesta.",
            "Ana has a friend called Nesta.",
        ),
        ("Nesta is not my friend but my aunt", "Ana has a friend called Nesta.", "Ana has an aunt called Nesta."),
        ("Nesta is my friend, not my sister", "Nesta is Ana's sister.", "Nesta is Ana's friend."),
        ("Dr Khan isn't my doctor, she's my dentist", "Ana's doctor is Dr Khan.", "Ana's dentist is Dr Khan."),
        (
            "Rita isn't my neighbour, my neighbour is my cleaner",
            "Ana's neighbour Rita has a cat.",
            "Ana's cleaner Rita has a cat.",
        ),
        ("Ada isn't my mum, she's my gran", "Ana's mother Ada lives in Rhyl.", "Ana's gran Ada lives in Rhyl."),
        (
            "Mrs Bell isn't my teacher, she's my head of year",
            "Ana's teacher is Mrs Bell.",
            "Ana's head of year is Mrs Bell.",
        ),
        (
            "Tom isn't our brother, he's our brother-in-law",
            "Ana's brother Tom sings.",
            "Ana's brother-in-law Tom sings.",
        ),
    ],
)
def test_who_somebody_isnt_but_is_is_put_right_in_each_row(line: str, fact: str, now: str) -> None:
    lost = Draft((Change(1, "Ana's sister Nesta isn't Ana's sister, she's Ana's friend."),))
    assert said(line, fact, draft=lost) == [now] == said(line, fact)


def test_who_somebody_isnt_any_more_is_told_beside_it() -> None:
    line, fact = "Tom isn't my husband any more, he's my friend", "Ana's husband Tom works at Lidl."
    assert said(line, fact) == ["Ana's friend Tom works at Lidl.", "Tom isn't Ana's husband any more."]


@pytest.mark.parametrize(
    "line",
    [
        "Nesta isn't my only sister, she's the eldest",
        "Nesta isn't just my sister, she's my friend",
        "Nesta isn't well, she's got flu",
        "Nesta isn't a nurse, she's a midwife",
        "Nesta isn't my cousin, she's my friend",
        "Nerys isn't my sister, she's my friend",
        "my sister isn't Nesta, it's Nerys",
        "Nesta isn't my sister",
        "Nesta isn't your sister, she's my friend",
        "Nesta isn't my sister, she's ill",
    ],
)
def test_else_the_row_says_what_it_said(line: str) -> None:
    assert said(line, "Ana's sister Nesta lives in Rhyl.") == ["Ana's sister Nesta lives in Rhyl."]


@pytest.mark.parametrize(
    ("fact", "new", "lost"),
    [
        ("Ana's sister Nesta lives in Rhyl.", "Nesta isn't just Ana's sister, she's Ana's friend.", False),
        ("Ana's boss is Tom.", "Carol isn't Ana's boss any more.", False),
        ("Ana's boss is Tom.", "Tom isn't Ana's boss any more.", True),
        ("Ana has a boss.", "Carol isn't Ana's boss any more.", True),
    ],
)
def test_who_is_more_or_somebody_else_ends_no_row(fact: str, new: str, lost: bool) -> None:
    assert said("", fact, draft=Draft((Change(1, new),))) == ([new] if lost else [fact, new])


def test_of_a_quotation_the_sentence_goes_that_says_the_claim() -> None:
    fact = 'Ana said: "We have no cups. I like fish on Fridays."'
    draft, _ = retracted(Draft(), (), [row(1, fact)], "I like fish", "Ana")
    assert draft.entries == (Change(1, 'Ana said: "We have no cups."'),)
    draft, _ = retracted(Draft(), (), [row(1, 'Ana said: "I like fish."')], "I like fish", "Ana")
    assert draft.entries == (Close(1),)
    assert not retracted(Draft(), (), [row(1, fact)], "I like cheese", "Ana")[0]
