"""Lines in which somebody says that they told something wrong."""

from __future__ import annotations

import pytest

from chatmem.memory.language.facts.corrections import signals, swaps
from chatmem.memory.values import Doubt, Memory
from chatmem.models.prompts.draft import Add, Change, Close, Draft
from chatmem.models.storage.changes.admitted import admitted
from tests.models.storage.changes.test_ended import WHEN

SLIPS = """I gave you the wrong day, the card says the 12th.
oh, I got that wrong with the Fiat, it's a hundred and sixteen a month
Correction about the flights, the bill says 3400
I have to put it right, I told you the wrong ear.
That's wrong, the dentist is on 16 May.
i meant drums, bass is what my brother plays
scratch that, it's a Cinelli
I told you 2031 but the bank's paper says 2029
I said Mondays before, but it should be Sundays.
typo, 74 it is
It's Farris, I misspelled it.
fly on the 5th btw, misread the ticket
Please disregard the dose I gave you earlier, it's 100.
did i say octavia?? its a fabia
I've misread it, the exam is on the 17th."""
NONE = """I meant to call you.
No, I don't want a reminder.
Sorry, tired today.
My boss told me the wrong date.
I got the exam question wrong.
It was a mistake to move here.
That was wrong of him.
I told you that I love cheese but I also like ham.
it should be fine
Don't forget that my sister is vegetarian.
I'll never forget that.
They are on strike that week.
My doctor misread the scan.
What did I say about Tom?
I should have been a doctor."""


@pytest.mark.parametrize("line", SLIPS.splitlines())
def test_who_owns_up_to_a_slip_is_heard(line: str) -> None:
    assert signals(line).owns_up


@pytest.mark.parametrize("line", NONE.splitlines())
def test_who_speaks_of_other_faults_is_not(line: str) -> None:
    assert not signals(line).owns_up


def row(number: int, fact: str, *, pinned: bool = False, subject: str = "Ana") -> Memory:
    return Memory(number, 1, subject, "work", fact, None, WHEN, WHEN, pinned=pinned)


CHOIR = row(1, "Ana's choir rehearses at St Bride's.")
NOW = Add("Ana", "choir", "Ana's choir rehearses at All Hallows.")
LINE = "I gave you the wrong church, we rehearse at All Hallows"


def test_what_would_be_asked_about_is_changed_at_once() -> None:
    draft, doubts = admitted(Draft((NOW,)), [Doubt(CHOIR, NOW.fact)], [CHOIR], LINE, {1})
    assert doubts == () and [str(one) for one in draft] == [f"#1: {NOW.fact}"]


@pytest.mark.parametrize("why", ["pinned", "two", "no new fact", "no slip"])
def test_else_it_is_asked(why: str) -> None:
    kept = row(1, CHOIR.fact, pinned=why == "pinned")
    asked = [
        Doubt(kept, "" if why == "no new fact" else NOW.fact),
        *([Doubt(row(2, "Ana sings."), NOW.fact)] * (why == "two")),
    ]
    line = "we rehearse at All Hallows" if why == "no slip" else LINE
    draft, doubts = admitted(Draft((NOW,)), asked, [kept], line, {1})
    assert doubts == tuple(asked) and draft.entries == (NOW,)


def test_where_nothing_would_change_the_likeliest_row_is_asked_about() -> None:
    rows = [CHOIR, row(2, "Ana has a choir robe."), row(3, "Ben's choir rehearses at All Saints.", subject="Ben")]
    draft, doubts = admitted(Draft((NOW,)), [], rows, LINE, {1, 2, 3})
    assert draft.entries == (NOW,) and doubts == (Doubt(CHOIR, NOW.fact),)
    assert admitted(Draft((NOW,)), [], rows, LINE, ())[1] == (), "of long ago it may be anything"
    changed = Draft((Change(2, "Ana has a robe."), NOW))
    assert admitted(changed, [], rows, LINE, {1, 2, 3}) == (changed, ())


def test_no_fact_is_made_of_the_slip() -> None:
    told = Draft(
        (Add("Ana", "medicine", "Ana misread the box."), Change(1, "Ana said Mondays before, but it is Sundays."))
    )
    assert admitted(told, [], [CHOIR], "I misread the box", {1})[0].entries == ()
    assert admitted(told, [], [CHOIR], "The box is heavy", {1})[0] == told


def test_the_value_that_should_have_been_said() -> None:
    assert swaps("I wrote vegan, should've been vegetarian.") == [("vegan", "vegetarian")]
    assert swaps("I said Mondays before, but it should be Sundays.") == [("Mondays", "Sundays")]


def test_a_name_that_was_spelled_wrong_is_put_right_in_each_row_that_has_it() -> None:
    def named(key: int, fact: str, subject: str = "Grace") -> Memory:
        return Memory(key, 1, subject, "people", fact, None, WHEN, WHEN)

    head, coffee = named(7, "Grace's head is Mr Okofor."), named(8, "Mr Okofor has a dog.")
    line = "Sorry I typed the head's name wrong, it's Mr Okafor with an a"
    told = admitted(Draft((Close(7), Add("Grace", "people", "Mr Okafor has a dog."))), (), [head, coffee], line, ())[0]
    assert told.entries == (Change(7, "Grace's head is Mr Okafor."), Change(8, "Mr Okafor has a dog."))
    for rows, said in (
        ([head], "Mr Okafor is the landlord, by the way"),
        ([head, named(9, "Grace's landlord is Mr Okafor.")], line),
        ([named(1, "Grace's cat is Biscuit.")], "typo, her name is Gracie"),
        ([head, named(9, "Grace's friend is Okafar.")], line),
        ([named(1, "Grace's boss is Terry.")], "Sorry, typo, it's at 5"),
        ([named(1, "Tom's friend Marie lives in Lyon.")], "The vet put the cat's name wrong, it's Maria"),
        ([named(1, "Tom's cat is called Minnie.")], "The school got my daughter's name wrong, it's Minna"),
        ([named(1, "Tom's friend is Steven.")], "They got my name wrong on the ticket, it's Stephen"),
        ([named(1, "User lives in Dunham.")], "We had a dry spell in Durham."),
        ([named(1, "Grace's sister is called Marta.")], "My new boss is Maria with an i."),
        ([named(1, "Grace's sister lives in Odham.")], "Typo: I live in Oldham"),
        ([named(1, "Grace works at Siemens.")], "There's a typo in my contract with Siemans"),
        ([named(1, "Grace's aunt Julia lives in Rome.")], "Julie helps me with spelling."),
    ):
        assert admitted(Draft(), (), rows, said, ())[0].entries == ()


@pytest.mark.parametrize(
    ("line", "facts", "after"),
    [
        ("I tell a lie, I said she's been there eleven years. It's twelve.", ["Kim has been there eleven years."],
         ["Kim has been there twelve years."]),
        ("I said the dentist is on Tuesday, it's Wednesday. Tuesday is pilates.", ["Ana does pilates on Tuesday."],
         ["Ana does pilates on Tuesday."]),
        ("Correction, I said the divorce was May. It was June.", ["Correction, Ana said the divorce was May."], []),
        ("I tell a lie, I said it was on Friday.", ["Ana said it was on Friday."], []),
        ("I tell a lie, I said it was on Friday.", ['Ana said: "I said it was on Friday."'],
         ['Ana said: "I said it was on Friday."']),
    ],
)  # fmt: skip
def test_what_was_told_wrongly_is_told_as_it_is_or_not_at_all(line: str, facts: list[str], after: list[str]) -> None:
    draft, _ = admitted(Draft(tuple(Add("Ana", "things", fact) for fact in facts)), (), (), line, ())
    assert draft.facts == after
