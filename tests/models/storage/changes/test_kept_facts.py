"""What a line may not take from the memory: what it says again, what it doesn't speak of, what it only adds to."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import count

import pytest

from chatmem.memory.language.facts.over import is_over_anyway
from chatmem.memory.values import Doubt, Memory
from chatmem.models.prompts.draft import Add, Change, Close, Draft, Entry
from chatmem.models.prompts.messages import Line
from chatmem.models.storage.changes.changed_facts import with_changes
from chatmem.models.storage.changes.end_facts import of_the_same
from chatmem.models.storage.changes.ended import FITTED, Ended, Ends, ended, settled
from chatmem.models.storage.changes.kept_facts import keeping, says_again
from chatmem.models.storage.changes.read_ends import with_ends
from tests.models.storage.changes.test_ended import WHEN, Reading


def row(fact: str, number: int = 3, topic: str = "work") -> Memory:
    return Memory(number, 1, "Ana", topic, fact, None, WHEN, WHEN)


def kept(known: Memory, entry: Entry, line: str) -> tuple[Entry, ...]:
    return keeping(Draft((entry,)), [known], line, "Ana").entries


@pytest.mark.parametrize(
    ("fact", "line"),
    [
        ("Ana was born on 12 June 1955.", "No, that is wrong. I told you I was born on 12 June 1955."),
        ("Ana had an operation on her left knee on 5 February 2024.", "Nonsense. My operation was on 5 February 2024."),
        ("Ana's brother plays the oboe.", "You muddle it up. My brother plays the oboe."),
    ],
)
def test_who_says_it_again_against_a_wrong_reply_ends_nothing(fact: str, line: str) -> None:
    assert says_again(fact, line, "Ana")
    assert kept(row(fact), Close(3), line) == ()
    assert not [one for one in kept(row(fact), Change(3, "Ana was there in 2024."), line) if not isinstance(one, Add)]


@pytest.mark.parametrize(
    ("fact", "line"),
    [
        ("Ana lives in Porto.", "I don't live in Porto anymore."),
        ("Ana was born on 12 June 1954.", "It was 12 June 1955, not 1954."),
        ("Ana has 3 cats.", "I have 3 dogs."),
        ("Ana works at the mill.", "I quit at the mill."),
    ],
)
def test_what_is_denied_or_told_of_something_else_is_not_said_again(fact: str, line: str) -> None:
    assert not says_again(fact, line, "Ana")
    assert kept(row(fact), Close(3), line) == (Close(3),)


def test_a_line_that_puts_right_where_somebody_is_puts_no_place_into_a_row_without_one() -> None:
    known = row("Ana's mum's birthday is 9 May.")
    placed = Change(3, "Ana's mum's birthday is 9 May in Abuja.")
    assert kept(known, placed, "oh no she's in Abuja") == ()
    assert kept(known, placed, "No, mum's birthday is in Abuja") == (placed,)


def test_what_is_told_twice_at_the_end_is_told_once() -> None:
    add = Add("Ana", "people", "Lars sits in Uppsala in Uppsala.")
    assert kept(row("Ana has a cat."), add, "he sits in Uppsala") == (replace(add, fact="Lars sits in Uppsala."),)
    again = replace(add, fact="Lars goes on and on and on.")
    assert kept(row("Ana has a cat."), again, "Lars goes on") == (again,)


def test_a_correction_of_somebody_else_ends_nothing_that_it_does_not_speak_of() -> None:
    line = "Sorry, I said Mama is 84, but she is 85, she had her birthday in October."
    assert kept(row("Ana is 58."), Close(3), line) == ()
    assert kept(row("Ana's Mama is 84."), Close(3), line) == (Close(3),)


def test_what_is_as_it_is_put_right_stays() -> None:
    line = "No. Helen is my niece, not my daughter."
    gave = row("Ana gave the piano to her niece Helen in 2020.")
    assert kept(gave, Close(3), line) == ()
    assert kept(gave, Change(3, "Helen is Ana's niece."), line) in ((), (Add("Ana", "work", "Helen is Ana's niece."),))
    assert kept(row("Ana's daughter is Helen."), Close(3), line) == (Close(3),)


def test_a_change_that_tells_less_keeps_what_the_row_says_besides() -> None:
    known = row("Ana has a job at Greggs on the Headrow, sat and sun mornings.")
    found = kept(known, Change(3, "Ana's job is just Sundays now."), "they changed my shifts, its just sundays now")
    assert found == (
        Change(3, "Ana has a job at Greggs on the Headrow, sat and sun mornings; now Ana's job is just Sundays."),
    )


def test_a_new_value_of_the_same_kind_takes_the_place_as_ever() -> None:
    for known, new, line in (
        ("Ana lives in Porto.", "Ana lives in Braga.", "I moved to Braga"),
        ("Ana works at Lidl.", "Ana is a nurse at Saint Mary.", "new job, nurse at Saint Mary"),
        ("Ana has a cat named Figaro.", "Ana's cat Figaro died.", "Figaro died"),
        ("Ana loves horror films.", "Ana can't watch horror any more.", "can't watch horror any more, not since May"),
        ("Ana's boss is Mr Verhaegen.", "Verhaegen retired.", "Verhaegen retired"),
        ("Ana works at the mill in Kent.", "Ana no longer works at the mill.", "left the mill"),
    ):
        assert kept(row(known), Change(3, new), line) == (Change(3, new),)


def test_a_change_that_only_tells_less_is_none() -> None:
    known = row("Callum is a chef at a pizza place.")
    assert kept(known, Change(3, "Callum is a chef."), "no, Callum's a chef, Tom's the teacher") == ()


def test_what_is_so_again_takes_the_place_of_its_end() -> None:
    again = Change(3, "Ana smokes.")
    assert kept(row("Ana has quit smoking.", topic="health"), again, "I'm smoking again") == (again,)


def test_what_was_said_wrong_is_not_said_again() -> None:
    line = "I said Isla was born on the 12th of May, but it was the 14th."
    change = Change(3, "Isla was born on the 14th of May.")
    assert kept(row("Isla was born on the 12th of May."), change, line) == (change,)


def test_what_was_not_so_after_all_does_not_stay() -> None:
    change = Change(3, "Ana was in Wales in June.")
    assert kept(row("Ana was in Wales in May."), change, "We weren't in Wales in May after all, it was June.") == (
        change,
    )


def test_another_place_in_small_letters_takes_the_place() -> None:
    change = Change(3, "Ana lives in breda.")
    assert kept(row("Ana lives in Alkmaar."), change, "moved to breda") == (change,)


def test_a_new_fact_of_two_matters_is_two() -> None:
    found = keeping(
        Draft((Add("Ana", "people", "Molly is 15 and Ben is 11."),)), [], "Molly is 15 and Ben is 11", "Ana"
    )
    assert found.facts == ("Molly is 15.", "Ben is 11.") or [*found.facts] == ["Molly is 15.", "Ben is 11."]


def test_a_number_that_the_line_says_again_is_not_taken_from_the_row() -> None:
    line = "No dear, it hasn't been yet, it is planned for 10 December, only her birthday was in October."
    known = row("Ana's mother has her operation on 10 December in Wejherowo.")
    assert kept(known, Change(3, "Ana's mother has her operation on October in Wejherowo."), line) == ()
    moved = Change(3, "Ana's mother has her operation on 14 January in Wejherowo.")
    assert kept(known, moved, "It was put off from 10 December to 14 January.") == (moved,)


def test_what_did_not_happen_ends_nothing() -> None:
    line = "I have NOT moved to Ludlow. I only supposed it."
    assert kept(row("Ana lives in Shrewsbury."), Change(3, "Ana has NOT moved to Ludlow."), line) == (
        Add("Ana", "work", "Ana has NOT moved to Ludlow."),
    )
    assert kept(row("Ana's sister is 68 and lives in Ludlow."), Change(3, "Ana's sister is 68."), line) == ()
    assert kept(row("Ana has a van."), Close(3), "I never sold the van.") == ()
    assert kept(row("Ana has a van."), Close(3), "I sold the van.") == (Close(3),)


def test_a_number_is_put_right_where_it_counts_the_same() -> None:
    dose, day = row("Ana takes 5 mg of ramipril."), row("Ana had her eye done on 5 February 2024.", 4)
    assert of_the_same([dose, day], [], "", "5", "10 mg") == [dose]
    assert of_the_same([day], [], "", "5", "10 mg") == []
    assert of_the_same([day], [], "", "5", "6") == [day]
    line = "Dr Pryce has doubled my ramipril: it is now 10 mg, not 5."
    found = with_changes(Draft(), [dose, day], line, "Ana")
    assert [one.id for one in found.draft if not isinstance(one, Add)] == [3]


@pytest.mark.parametrize(
    "fact",
    [
        "Margaret was a piano teacher.", "Ana gave Margaret's piano to their niece Helen in 2020.",
        "Ana's cat was sick.",
        "The dentist, Mr Hale, charged Ana £73.50.", "Ana's sister Dorothy was a ward sister until 2018.",
    ],
)  # fmt: skip
def test_what_was_is_over_anyway(fact: str) -> None:
    assert is_over_anyway(fact)
    reading, known = Reading({re.escape(fact)[:3]: 9.0, fact[:5]: 9.0}), row(fact)
    draft, doubts = with_ends(
        Draft(), Draft(), [known], [known], (), Ends(reading, Line("Ana", "I gave it away.")), lambda _: None
    )
    assert not draft and not doubts, "no reader ends it"


@pytest.mark.parametrize(
    "fact", ["Ana bought a van.", "Ana lives with Tom, who sold a car.", "Ana has a cat that was lost."]
)
def test_what_was_done_and_lasts_may_end(fact: str) -> None:
    assert not is_over_anyway(fact)


def test_among_many_rows_each_is_less_likely_to_be_the_one() -> None:
    ids = count(1)
    over = row("Ana has an arm in a cast.", next(ids))
    crowd = [row(f"Ana likes soup number {n}.", next(ids)) for n in range(5 * FITTED)]
    reading = Ends(Reading({"cast": 4.0}), Line("Ana", "my arm is free again"))
    assert ended(reading, [over, *crowd[: FITTED - 1]]) == [Ended(over, surely=True)]
    assert ended(reading, [over, *crowd]) == [Ended(over, surely=False)]


def test_of_a_list_the_reader_ends_what_is_over_and_the_rest_stays() -> None:
    known = row("Ana grows tomatoes, dahlias and a quince tree.")
    told = Draft((Add("Ana", "work", "Ana's quince tree died."),))
    draft, _ = settled(told, [Ended(known, surely=True)], Line("Ana", "My quince tree died."))
    facts = [one.fact for one in draft if not isinstance(one, Close)]
    assert "Ana's quince tree died." in facts and "Ana grows tomatoes and dahlias." in facts


def test_of_one_of_several_its_own_part_changes() -> None:
    three = row("Ana has three children: Bo is 14, Mia is 11 and little Tom is 6.")
    changed = "Ana has three children: Bo is 15, Mia is 11 and little Tom is 6."
    assert kept(three, Change(3, "Bo is 15."), "No, sorry, Bo is 15 now") == (Change(3, changed),)


def test_a_day_that_moved_is_put_into_what_is_known_of_it() -> None:
    starts = row("Ana's husband Gil starts as a driver with Transport for Wales on 4 January.")
    told = Change(3, "Gil's start has been put back to 18 January because of his medical.")
    now = "Ana's husband Gil starts as a driver with Transport for Wales on 18 January."
    assert kept(starts, told, "Gil's start has been put back to 18 January because of his medical.") == (
        Change(3, now),
    )
    dentist = row("Ana has the dentist on 14 November at half 3.")
    moved = Change(3, "Ana has the dentist on 14 December.")
    assert kept(dentist, moved, "the dentist is in December") == (
        Change(3, "Ana has the dentist on 14 December at half 3."),
    )
    assert kept(dentist, moved, "the dentist is on 14 December at 9am") == (moved,)


def test_a_day_that_is_only_denied_is_put_into_nothing() -> None:
    line = "yeah it's Tuesdays, we don't practise Thursdays anymore"
    now = row("Ana's practice is on Tuesdays because of the drummer.")
    assert kept(now, Change(3, "Ana's practice is on Thursdays because of the drummer."), line) == ()
    assert (
        keeping(Draft((Add("Ana", "band", "Ana doesn't practise on Tuesdays anymore."),)), [], line, "Ana") == Draft()
    )
    band = row("Ana plays bass in a band called Wet Static on Thursdays.")
    told = "Ana doesn't practise Thursdays anymore."
    assert kept(band, Change(3, told), line) == (Add("Ana", "work", told),)


def test_what_is_denied_is_not_put_right_to_something_else() -> None:
    denied = row("Ana doesn't practise Thursdays anymore.")
    draft, _ = settled(Draft(), [Ended(denied, surely=True)], Line("Ana", "that's wrong, we DO practise on Tuesdays"))
    assert all(isinstance(one, Close) for one in draft)


def test_who_stays_is_not_cut_out() -> None:
    two = row("Ana lives with two flatmates, Callum and Priya.")
    one = Change(3, "Ana lives with one flatmate, Callum.")
    assert kept(two, one, "Priya is staying after all, Leeds fell through") == ()
    assert kept(two, one, "Priya moved out") == (one,)


def test_a_number_that_is_put_right_is_not_put_into_another_row() -> None:
    plot, age = row("Ana has an allotment, plot 37."), row("Tom is 6.", 4)
    for line in (
        "That's wrong, the plot is 73, not 37.",
        "I said it was plot 37, but it's actually plot 73, I always do that.",
    ):
        found = with_changes(Draft(), [plot, age], line, "Ana", {4})
        assert [(one.id, one.fact) for one in found.draft.changed] == [(3, "Ana has an allotment, plot 73.")]


def test_what_was_is_not_closed_by_what_is_sold() -> None:
    broke = row("Ana's Zafira broke down on the A470.")
    assert kept(broke, Close(3), "We sold the Zafira.") == ()


@pytest.mark.parametrize(
    ("logit", "pinned", "line", "asked"),
    [
        (-1.0, False, "I rent a flat in Linz", True),
        (-3.0, False, "I rent a flat in Linz", False),
        (-3.0, True, "I rent a flat in Linz", True),
        (-3.0, False, "actually it's a flat in Linz", True),
    ],
)
def test_what_a_rule_doubts_is_asked_where_the_reader_finds_it_likely(
    logit: float, pinned: bool, line: str, asked: bool
) -> None:
    known = replace(row("Ana lives in Graz."), pinned=pinned)
    doubt, ends = Doubt(known, "Ana rents a flat in Linz."), Ends(Reading({"Graz": logit}), Line("Ana", line))
    _, doubts = with_ends(Draft(), Draft(), [known], [known], (doubt,), ends, lambda _: None)
    assert (doubt in doubts) is asked


def test_a_rules_doubt_is_less_likely_among_many_rows() -> None:
    known = row("Ana lives in Graz.")
    crowd = [row(f"Ana likes soup number {n}.", n + 10) for n in range(10 * FITTED)]
    ends = Ends(Reading({"Graz": -1.0}), Line("Ana", "I rent a flat in Linz"))
    assert with_ends(Draft(), Draft(), [known], [known], (Doubt(known, ""),), ends, lambda _: None)[1]
    assert not with_ends(Draft(), Draft(), crowd, crowd, (Doubt(known, ""),), ends, lambda _: None)[1]


def test_a_value_is_put_right_only_in_what_the_line_names() -> None:
    birthday = row("Ana's girlfriend Maren has her birthday on 9 June.", 1)
    trip = row("Ana goes to Lisbon in June.", 2)
    both = [birthday, trip]
    assert of_the_same(both, both, "oh and Lisbon's in may, 14 may, not june", "june", "14 may") == [trip]
    assert of_the_same(both, both, "it's in May, not June", "June", "May") == both
    assert of_the_same([birthday], both, "Lisbon is in May, not June", "June", "May") == []


def test_of_several_rows_with_the_wrong_word_the_one_is_meant_that_the_line_is_about() -> None:
    work, study = row("Priya works in a bakery.", 1), row("Priya is training to be a vet.", 2)
    line = "no the bakery one is Dan, not Priya"
    told = with_changes(Draft((Add("Ana", "work", "Dan works in a bakery."),)), [work, study], line, "Ana")
    assert [(one.id, one.fact) for one in told.draft if isinstance(one, Change)] == [(1, "Dan works in a bakery.")]
    assert told.doubts == ()
    unsure = with_changes(Draft((Add("Ana", "work", "Dan is nice."),)), [work, study], "it's Dan, not Priya", "Ana")
    assert unsure.draft.facts == ["Dan is nice."] and len(unsure.doubts) == 1  # what is asked about isn't told yet
    calls = with_changes(Draft(()), [row("Otto called Ana.", 1)], "it was Ida who called, not Otto", "Ana")
    assert calls.draft.facts == ["Ida called Ana."]


@pytest.mark.parametrize(
    "line",
    [
        "wait, you still have Brisa at 1,540 - it's 1,450, I put that right earlier",
        "sorry, 1,450 not 1,540, for Brisa",
        "it's 1,450, not 1,540",
    ],
)
def test_figures_that_begin_alike_are_put_right(line: str) -> None:
    rows = [row("Brisa pays Ana 1,540 on 12 May.", 1), row("Ana pays 1,150 of rent.", 2)]
    told = with_changes(Draft(()), rows, line, "Ana")
    assert [(one.id, one.fact) for one in told.draft if isinstance(one, Change)] == [
        (1, "Brisa pays Ana 1,450 on 12 May.")
    ]


def test_a_row_that_says_itself_that_something_is_over_stands_when_it_is_said_again() -> None:
    line = "And yes, Jonas isn't in goal any more, that's over."
    now = row("Jonas plays striker instead of in goal.")
    assert kept(now, Close(3), line) == ()
    assert kept(now, Change(3, "Jonas isn't in goal any more."), line) == ()
    assert kept(row("Jonas plays in goal."), Close(3), line) == (Close(3),)
    assert kept(now, Close(3), "Jonas doesn't play striker any more.") == (Close(3),)


def test_a_name_of_which_a_word_is_said_is_not_lost() -> None:
    change = Change(3, "Ana sold the Skoda to Ben's cousin and got a Yaris instead.")
    line = "We sold the Skoda to Ben's cousin and got a Yaris instead."
    assert kept(row("Ana drives an old blue Skoda Fabia."), change, line) == (change,)
    band = row("Ana plays bass in a band with Ed Moss on Thursdays.")
    none = Change(3, "Ana has no practice on Thursdays any more.")
    line = "no practice on Thursdays anymore, I needed a rest"  # "needed" is no word of his name
    assert kept(band, none, line) == (Add("Ana", "work", none.fact or ""),)


def test_of_a_change_that_tells_of_two_the_row_takes_its_own() -> None:
    line = "I've left the laundry, and Jonas has swapped the Skoda for a tandem"
    both = Change(3, "Ana has left the laundry, and Jonas has swapped the Skoda for a tandem.")
    assert kept(row("Jonas drives a Skoda."), both, line) == (
        Change(3, "Jonas has swapped the Skoda for a tandem."), Add("Ana", "work", "Ana has left the laundry."),
    )  # fmt: skip


def test_a_change_that_shares_only_who_it_is_of_is_told_beside() -> None:
    known = row("Ana's flatmate Tadeo waits tables at a pizzeria, always smells of garlic.")
    new = "Ana's flatmate Tadeo started as a tram driver on Monday."
    kept = keeping(
        Draft((Change(known.id, new),)), [known], "Tadeo started as a tram driver on Monday, no more pizza", "Ana"
    )
    assert [one.fact for one in kept.added] == [new] and not kept.touched


def test_what_shares_little_and_tells_of_no_change_stands_beside() -> None:
    known = row("Ana is applying for the Leuven year in Belgium, September to June.", topic="study")
    now = Change(3, "Ana is applying with Sid.")
    assert [type(one) for one in kept(known, now, "Sid and I were supposed to apply together.")] == [Add]
    moved = Change(3, "Ana is applying for Groningen.")
    assert kept(known, moved, "I'm applying for Groningen now, no longer for Leuven.") == (moved,)


def test_what_is_told_of_others_ends_nothing_of_the_speakers() -> None:
    known = [row("Ana is in her third year of economics.", topic="study")]
    told = Draft((Add("Ana", "study", "Ana's friend Sid is in his first year."),))
    ends = Ends(Reading({"third": 9.0}), Line("Ana", "my friend Sid is in his first year"))
    after, doubts = with_ends(told, told, known, known, (), ends, lambda fact: None)
    assert after == told and not doubts
