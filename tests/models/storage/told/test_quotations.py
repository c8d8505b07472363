"""What becomes of rows that only quote when a later line changes what they tell, and how the line was typed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from chatmem.memory.language.quoted.in_quotes import in_quotes
from chatmem.memory.values import Doubt, Memory
from chatmem.models.prompts.draft import Add, Change, Close, Draft, Entry
from chatmem.models.prompts.messages import Line
from chatmem.models.storage.told.quotations import as_typed, turned, unturned

WHEN = "2026-03-03T10:00:00Z"
SAID = "Two people off sick, audit on Thursday, and I owe Leo 20 and Kim 30."
QUOTE = Memory(3, 1, "Ana", "work", in_quotes("Ana", SAID), None, WHEN, WHEN)
PLAIN = Memory(5, 1, "Ana", "belongings", "Ana owns a kayak.", None, WHEN, WHEN)
THEN = f'Ana said: "{SAID}", then: "%s"'


def now(line: str, *entries: Entry, recent: tuple[int, ...] = ()) -> list[Entry]:
    draft, _ = unturned(Draft(entries), (), [QUOTE, PLAIN], Line("Ana", line), recent)
    return [*draft]


@pytest.mark.parametrize(("line", "entry"), [
    ("The audit got cancelled", Close(3)),
    ("The audit is at 10 now", Change(3, f'{QUOTE.fact} at 9.30.')),
    ("The audit is at 10 now", Change(3, QUOTE.fact.replace("30", "10"))),
    ("The audit got cancelled", Change(3, f"{QUOTE.fact}; now the audit got cancelled.")),
])  # fmt: skip
def test_what_changes_a_quotation_stands_behind_it(line: str, entry: Entry) -> None:
    assert now(line, entry) == [Change(3, THEN % line)]


@pytest.mark.parametrize(("line", "words"), [
    ("No sorry, the audit is on Friday", ("Thursday", "Friday")),
    ("It's 35 for Kim, not 30", ("30", "35")),
    ("I owe Leo 25, not 20", ("20", "25")),
])  # fmt: skip
def test_a_value_that_is_plainly_put_right_is_so_in_the_quotation(line: str, words: tuple[str, str]) -> None:
    change = Change(3, QUOTE.fact.replace(*words))
    assert now(line, change) == [change]


def test_what_a_rule_put_in_its_place_is_a_row_of_its_own() -> None:
    line = "The audit got cancelled"
    told = now(line, Change(3, "Ana's audit got cancelled."))
    assert told == [Change(3, THEN % line), Add("Ana", "work", "Ana's audit got cancelled.")]
    assert now(line, Close(5)) == [Close(5)]


@pytest.mark.parametrize(("line", "made", "recent", "follows"), [
    ("No sorry, Friday.", [Add("Ana", "work", "Ana has the rota on Friday.")], (3,), True),
    ("No sorry, Friday.", [Add("Ana", "work", "Ana has the rota on Friday.")], (), False),
    ("no, 35", [], (3,), True),
    ("No, not on Friday, the doctor wants me at home", [Add("Ana", "health", "Ana is at home.")], (3,), False),
    ("The audit got cancelled", [], (), True),
    ("The audit got cancelled", [Add("Ana", "work", "Ana's audit got cancelled.")], (), False),
    ("My cat died", [], (3,), False),
    ("The audit is a bore", [], (3,), False),
    ("Maybe they'll cancel the audit", [], (3,), False),
])  # fmt: skip
def test_a_line_of_which_nothing_else_is_made_follows_what_it_changes(
    line: str, made: list[Entry], recent: tuple[int, ...], follows: bool
) -> None:
    assert now(line, *made, recent=recent) == ([Change(3, THEN % line)] if follows else made)


def test_nobody_is_asked_whether_a_quotation_is_over() -> None:
    doubts = (Doubt(QUOTE, ""), Doubt(PLAIN, ""))
    assert unturned(Draft(), doubts, [QUOTE, PLAIN], Line("Ana", "hm"))[1] == doubts[1:]
    assert unturned(Draft(), doubts[1:], [PLAIN], Line("Ana", "hm"))[1] == doubts[1:]
    assert [*turned([QUOTE, PLAIN])] == [PLAIN]


@pytest.mark.parametrize(("words", "read", "typed", "after"), [
    ("I work is mad. Two are off sick.", "I work is mad. Two are off sick. I sing.",
     "Work is mad. Two are off sick lol. I sing.", "Work is mad. Two are off sick lol."),
    ("I have been there. Dan was ill.", "I have been there. Dan was ill.", "Been there. He was ill.", None),
    ("I have two.", "I have two. I sing.", "have two", None),
    ("As it was", "As it was", "As it was", None),
    ("I lost all keys to my sister's van, and so …", "I lost all keys to my sister's van, and so on.",
     'Lost all keys to my sister\'s "van", and so on.', "Lost all keys to my sister's 'van', and so on."),
])  # fmt: skip
def test_a_quotation_is_as_it_was_typed(words: str, read: str, typed: str, after: str | None) -> None:
    (told,) = as_typed(Draft((Add("Ana", "work", in_quotes("Ana", words)),)), read, typed).added
    assert told.fact == in_quotes("Ana", words if after is None else after)


def test_a_fact_put_right_is_so_in_the_quotation_of_its_line() -> None:
    fact = replace(PLAIN, fact="The audit is on Thursday.")
    elsewhere = replace(QUOTE, id=4, said_at="2026-03-04T10:00:00Z")
    rows = [QUOTE, elsewhere, fact]
    right = Change(5, "The audit is on Friday.", when="2026-03-06")
    also = Change(3, QUOTE.fact.replace("Thursday", "Friday"), when="2026-03-06")
    draft, _ = unturned(Draft((right,)), (), rows, Line("Ana", "Actually the audit is on Friday"))
    assert [*draft] == [right, also]
    for other in ("The audit is over.", "The exam is on Friday."):  # it differs elsewhere, too; its word isn't there
        assert [*unturned(Draft((Change(5, other),)), (), rows, Line("Ana", "hm"))[0]] == [Change(5, other)]


def test_one_small_word_brings_no_line_behind_a_quotation() -> None:
    row = replace(QUOTE, fact=in_quotes("Ana", "The vet gives the dog something for the hips every morning."))
    line = "Pawlak wrote his offer for the cabinets, so there is something left for the floor."
    assert [*unturned(Draft(), (), [row], Line("Ana", line))[0]] == []


def test_two_facts_put_right_are_so_in_one_quotation_and_a_pinned_one_stays() -> None:
    said = replace(QUOTE, fact=in_quotes("Ana", "The audit is on Thursday for 20 people."))
    rows = [said, replace(PLAIN, fact="The audit is on Thursday."), replace(PLAIN, id=6, fact="Ana has 20 people.")]
    draft = Draft((Change(5, "The audit is on Friday."), Change(6, "Ana has 25 people.")))
    line = Line("Ana", "Actually it's Friday, and 25")
    now = in_quotes("Ana", "The audit is on Friday for 25 people.")
    assert [*unturned(draft, (), rows, line)[0]] == [*draft, Change(3, now)]
    assert [*unturned(draft, (), [replace(said, pinned=True), *rows[1:]], line)[0]] == [*draft]
