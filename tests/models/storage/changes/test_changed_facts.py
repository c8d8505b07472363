"""What a draft does to known rows: replaced is what surely ends, asked what may, and nothing else is lost."""

from __future__ import annotations

import pytest

from chatmem.memory.store.store import Store
from chatmem.memory.values import ASSISTANT, Memory
from chatmem.models.decoding.scripted import ScriptedLM
from chatmem.models.prompts.draft import Add, Change, Close, Draft
from chatmem.models.prompts.messages import NOTHING, insert_sql
from chatmem.models.storage.agent import StorageAgent
from chatmem.models.storage.changes.changed_facts import is_mistaken, with_changes

WHEN = "2026-03-03T10:00:00Z"


def row(number: int, fact: str, *, pinned: bool = False, subject: str = "Ana") -> Memory:
    return Memory(number, 1, subject, "topic", fact, None, WHEN, WHEN, pinned=pinned)


def now(rows: list[Memory], draft: Draft, line: str) -> set[str]:
    """What the memory says after the draft was written."""
    facts = {one.id: one.fact for one in rows}
    added = []
    for entry in with_changes(draft, rows, line, "Ana").draft:
        if isinstance(entry, Add):
            added.append(entry.fact)
        elif isinstance(entry, Close):
            del facts[entry.id]
        else:
            facts[entry.id] = entry.fact or facts[entry.id]
    return {*facts.values(), *added}


@pytest.mark.parametrize(
    ("old", "fact", "line", "new"),
    [
        ("Ana's sister Mia lives in Berlin.", "Ana's sister Mia lives in Porto.", "Mia moved to Porto", True),
        ("Ana lives in Graz.", "Ana moved to Linz.", "I moved to Linz.", True),
        ("Ana's friend Mia lives in Berlin.", "Mia lives in Rome.", "Mia moved", "Ana's friend Mia lives in Rome."),
        ("Zoe is 4 years old.", "Zoe is 5 years old.", "Zoe had her birthday", True),
        ("Ana has a dog named Rex.", "Ana has a dog named Max.", "I got a dog named Max", False),  # there may be two
        ("Ana has a dog named Rex.", "Ana has a dog named Max.", "Actually, he is called Max", True),
        ("Ana has a dog named Rex.", "Ana has a dog named Max.", "Actually I also have Max", False),
        ("Ana's sister Mia lives in Berlin.", "Ana's brother Leo lives in Porto.", "Leo moved to Porto", False),
        ("Ana lives in Graz.", "Ana lives in a small flat.", "I live in a small flat", False),
        ("Ana is a nurse.", "Ana is a mother.", "Actually, I am a mother", False),
        ("Ana has a cat named Nori.", "Ana has a cat named Nori.", "our cat Nori died", "Ana's cat Nori died."),
        ("Ana owns a kayak.", "Ana has a kayak.", "I sold my kayak", "Ana sold Ana's kayak."),
        ("Ana's name is Ana B.", "Ana has a dog named Max.", "I have a dog named Max", False),
    ],
)
def test_the_new_state_of_a_known_fact(old: str, fact: str, line: str, new: str | bool) -> None:
    expected = {old, fact} if new is False else {fact if new is True else new}
    assert now([row(3, "Ana's name is Ana."), row(7, old)], Draft((Add("Ana", "t", fact),)), line) == {
        "Ana's name is Ana.", *expected,
    }  # fmt: skip


def test_a_change_of_another_matter_is_added_beside_and_read_anew() -> None:
    rows = [row(7, "Ana's husband Leo is allergic to nuts.")]
    draft = Draft((Change(7, "Ana's husband Leo is now a teacher."),))
    line = "Leo changed jobs, he's a teacher now"
    assert is_mistaken(draft, rows, line, "Ana")
    assert now(rows, draft, line) == {rows[0].fact, "Ana's husband Leo is now a teacher."}
    right = Draft((Change(7, "Ana's husband Leo is no longer allergic to nuts."),))
    assert not is_mistaken(right, rows, "Leo isn't allergic to nuts any more", "Ana")


def test_what_was_so_before_is_put_right_in_the_row_that_says_it_and_in_no_other() -> None:
    rows = [row(6, "Ana's sister Ada is a vet in Lagos."), row(7, "Ana's mum's birthday is 9 May.")]
    line = "oh no she's in abuja, lagos was before"
    wrong = Draft((Change(7, "Ana's mum's birthday is 9 May in Lagos."),))
    right = Change(6, "Ana's sister Ada is a vet in Abuja.")
    assert with_changes(wrong, rows, line, "Ana", {7}).draft.entries == (right,)


def test_a_row_of_two_matters_keeps_the_one_that_holds() -> None:
    rows = [row(7, "Ana is a vet and lives in Graz.")]
    draft = Draft((Add("Ana", "home", "Ana moved to Linz."),))
    assert now(rows, draft, "we moved to Linz") == {"Ana is a vet.", "Ana moved to Linz."}


RABBITS = "Ana has two rabbits, Pepe and Lola."


@pytest.mark.parametrize(
    ("old", "wrote", "line", "new"),
    [
        (RABBITS, (), "Pepe died yesterday", {"Ana has one rabbit, Lola.", "Ana's rabbit Pepe died yesterday."}),
        (RABBITS, (Close(7),), "Sad news: Pepe died.", {"Ana has one rabbit, Lola.", "Ana's rabbit Pepe died."}),
        (RABBITS, (Change(7, "Ana's rabbit Pepe died."),), "Pepe died",
         {"Ana has one rabbit, Lola.", "Ana's rabbit Pepe died."}),
        (RABBITS, (Add("Ana", "pets", "Pepe died."), Add("Ana", "pets", RABBITS)), "Pepe died",
         {"Ana has one rabbit, Lola.", "Ana's rabbit Pepe died."}),
        (RABBITS, (), "Pepe and Lola died", {"Pepe and Lola died."}),
        (RABBITS, (Add("Ana", "pets", "Lola misses Pepe."),), "Lola misses Pepe", {RABBITS, "Lola misses Pepe."}),
        ("Ana has a Fiat and a Vespa.", (), "sold the Fiat", {"Ana has a Vespa.", "Ana sold the Fiat."}),
        ("Ana has a Fiat and a Vespa.", (Close(7),), "I sold the Vespa", {"Ana has a Fiat.", "Ana sold the Vespa."}),
        ("Ana lives with Mia and Ben in Porto.", (Add("Ana", "home", "Mia moved out."),), "Mia moved out",
         {"Ana lives with Ben in Porto.", "Mia moved out."}),
        ("Ana lives with Mia and Ben in Porto.", (), "Mia baked a cake and moved the table out", None),
    ],
)  # fmt: skip
def test_of_several_in_a_row_the_others_stand(
    old: str, wrote: tuple[Add | Change | Close, ...], line: str, new: set[str] | None
) -> None:
    assert now([row(7, old)], Draft(wrote), line) == (new or {old})


PARTNER = "Ana's partner is Tom."


@pytest.mark.parametrize(
    ("old", "fact", "new"),
    [
        ("Ana lives in Graz with Ana's partner Tom.", "Ana lives in Linz.", {"Ana lives in Linz.", PARTNER}),
        ("Ana lives in Graz with her partner Tom.", "Ana has lived in Linz since May.",
         {"Ana has lived in Linz since May.", PARTNER}),
        ("Ana lives in Graz with Ana's partner Tom.", "Ana lives in Linz with Tom.", {"Ana lives in Linz with Tom."}),
        ("Ana lives in Graz with Tom.", "Ana lives in Linz.", {"Ana lives in Linz."}),
        ("Ana lives in Graz.", "Ana lives in Linz.", {"Ana lives in Linz."}),
    ],
)  # fmt: skip
def test_who_somebody_lives_with_is_not_lost_with_the_home(old: str, fact: str, new: set[str]) -> None:
    assert now([row(7, old)], Draft((Add("Ana", "home", fact),)), "we moved to Linz") == new


HENS = "Ana has three hens named Dolly, Frieda and Bess."


@pytest.mark.parametrize(
    ("fact", "line", "new"),
    [
        ("Ana has three hens named Bess.", "Bess lays the best eggs", {HENS}),
        ("Ana thinks Frieda died.", "Poor Frieda died, we think it was the fox",
         {"Ana has two hens named Dolly and Bess.", "Ana's hen Frieda died."}),
        ("Ana has a hen named Rosa.", "we got a new hen named Rosa", {HENS, "Ana has a hen named Rosa."}),
        ("Ana thinks Frieda is ill.", "I think Frieda is ill", {HENS, "Ana thinks Frieda is ill."}),
    ],
)  # fmt: skip
def test_a_row_is_not_said_again_with_less_and_what_happened_is_no_thought(fact: str, line: str, new: set[str]) -> None:
    assert now([row(7, HENS)], Draft((Add("Ana", "pets", fact),)), line) == new


def test_a_home_told_by_the_way_takes_the_place_of_the_old_one() -> None:
    line = "I should say, I don't live in Cork any more, I've been in Galway since June"
    rows, told = [row(7, "Ana lives in Cork.")], [Add("Ana", "home", "Ana has been in Galway since June.")]
    both = Draft((Add("Ana", "home", "Ana doesn't live in Cork any more."), *told))
    for draft in (Draft(), Draft(tuple(told)), both):
        assert now(rows, draft, line) == {"Ana has lived in Galway since June."}
    assert now(rows, Draft(tuple(told)), "I've been in Galway since June") == {told[0].fact, rows[0].fact}
    assert now(rows, Draft(), "I don't live in Cork any more") == {"Ana doesn't live in Cork any more."}


def test_an_end_needs_words_that_end_it() -> None:
    rows = [row(7, "Ana has a boat.")]
    assert with_changes(Draft((Close(7),)), rows, "I went sailing", "Ana").draft == Draft()
    assert with_changes(Draft((Close(7),)), rows, "I sold the boat", "Ana").draft.touched == [7]


def test_what_the_model_did_not_write_is_taken_from_the_line() -> None:
    assert now([row(7, "Ana plays the cello.")], Draft(), "I don't play the cello any more") == {
        "Ana doesn't play the cello any more."
    }
    assert now([row(7, "Ana's locker number is 47.")], Draft(), "no, it's 74, not 47") == {"Ana's locker number is 74."}
    assert now([row(7, "Ana sees the dentist on Friday.")], Draft(), "dentist on Monday at 3pm instead of Friday") == {
        "Ana sees the dentist on Monday at 3pm."
    }


def test_it_is_asked_where_two_rows_could_be_meant() -> None:
    rows = [row(7, "Ana's brother Tom lives in Leeds."), row(8, "Ana's brother Sam lives in Bath.")]
    settled = with_changes(
        Draft((Add("Ana", "b", "Ana's brother moved to York."),)), rows, "my brother moved to York", "Ana"
    )
    assert settled.draft.touched == []
    assert [one.row.id for one in settled.doubts] == [8, 7]


def test_all_that_was_told_of_one_who_died_is_over_without_asking() -> None:
    rows = [
        row(1, "Ana has a parrot called Koos, who is thirty-one."), row(2, "Ana's parrot Koos can imitate a bell."),
        row(3, "Ana's parrot Lola can whistle."),
    ]  # fmt: skip
    died, line = Draft((Add("Ana", "pets", "Ana's parrot Koos died this morning."),)), "Koos died this morning."
    assert not with_changes(died, rows, line, "Ana").doubts
    assert now(rows, died, line) == {"Ana's parrot Koos died this morning.", "Ana's parrot Lola can whistle."}


def test_a_pinned_row_is_asked_about_and_never_changed() -> None:
    rows = [row(7, "Ana lives in Graz.", pinned=True)]
    settled = with_changes(Draft((Add("Ana", "home", "Ana moved to Linz."),)), rows, "I moved to Linz", "Ana")
    assert settled.draft.touched == []
    assert [(one.row.id, one.fact) for one in settled.doubts] == [(7, "Ana moved to Linz.")]


def test_a_line_that_ends_more_than_two_facts_of_the_speaker_is_asked_about() -> None:
    rows = [row(1, "Ana has a boat."), row(2, "Ana has a car."), row(3, "Ana has a house.")]
    closes, line = Draft((Close(1), Close(2), Close(3))), "I sold the boat, the car and the house"
    assert with_changes(Draft((Close(1), Close(2))), rows[:2], line, "Ana").draft.touched == [1, 2]
    settled = with_changes(closes, rows, line, "Ana")
    assert settled.draft.touched == []
    assert sorted(one.row.id for one in settled.doubts) == [1, 2, 3]


def test_two_homes_without_a_word_of_change_are_asked_about() -> None:
    settled = with_changes(
        Draft((Add("Ana", "home", "Ana lives in Linz."),)), [row(7, "Ana lives in Graz.")], "I live in Linz", "Ana"
    )
    assert settled.draft.facts == ["Ana lives in Linz."]
    assert [one.row.id for one in settled.doubts] == [7]


def test_a_date_is_read_with_the_tense_of_its_line(store: Store) -> None:
    """Said in November, "in March" of what was is the last March; "on Friday at 3pm" is to come, and the hour stays."""
    user = store.users.call(store.users.get("ana").id, "Ana")
    session = store.sessions.start(user.id)
    said = [
        ("Leo had his hip replaced in March", "Ana's father had a hip replaced.", "in March"),
        ("I have the dentist on Friday at 3pm", "Ana has the dentist on Friday.", "on Friday"),
    ]
    for line, fact, when in said:
        turn = store.turns.add(session.id, "Ana", line, said_at="2026-11-22T10:00:00Z")
        StorageAgent(ScriptedLM([insert_sql([("Ana", "health", fact, when)])]), store).run([turn], user)
    assert [one.happened_on for one in store.facts.all(user.id)] == ["2026-03", "2026-11-27"]


def test_a_day_that_was_put_off_is_the_day_of_its_fact(store: Store) -> None:
    """The model writes the new sentence alone, and the old day would stand beside it."""
    user = store.users.call(store.users.get("ana").id, "Ana")
    session = store.sessions.start(user.id)
    said = [
        ("The wedding is on 14 December.",
         insert_sql([("Ana", "wedding", "Ana marries on 14 December.", "14 December")])),
        ("The wedding had to be moved, it's on 20 February now.",
         "UPDATE memory SET fact = 'Ana marries on 20 February.' WHERE id = 1;"),
        ("I marry in Rome now.", "UPDATE memory SET fact = 'Ana marries in Rome on 20 February.' WHERE id = 2;"),
    ]  # fmt: skip
    for line, sql in said:
        turn = store.turns.add(session.id, "Ana", line, said_at="2026-11-22T10:00:00Z")
        StorageAgent(ScriptedLM([sql]), store).run([turn], user)
    assert [one.happened_on for one in store.facts.all(user.id)] == ["2027-02-20"]


def test_a_trade_of_somebody_of_theirs_takes_the_place_of_the_one_before() -> None:
    known = "Ana's brother Tom works as a bus driver."
    for trade in ("locksmith", "teacher"):
        told = f"Ana's brother Tom is a {trade}."
        assert now([row(7, known)], Draft((Add("Ana", "work", told),)), f"My brother Tom is a {trade} now.") == {told}
    also = Draft((Add("Ana", "work", "Ana's brother Tom is also a locksmith."),))
    assert known in now([row(7, known)], also, "My brother Tom is also a locksmith.")


@pytest.mark.parametrize(
    ("known", "line", "after"),
    [
        ("Ana bought a stove for 640 euros.", "No. 460.", "Ana bought a stove for 460 euros."),
        ("Ana's exam is on the 14 of May.", "Ay no, is the 24 of May, not the 14.", "Ana's exam is on the 24 of May."),
        ("Ana plays the cello.", "No, sorry, the viola!", "Ana plays the viola."),
        ("Ana has 3 cats.", "Wait, 5 minutes.", "Ana has 3 cats."),
    ],
)
def test_what_is_put_right_is_what_was_said_just_before(known: str, line: str, after: str) -> None:
    rows = [row(7, known), row(6, "Ana has 3 dogs and plays the harp since the 1 of May in Bath for 20 euros.")]
    value = Draft((Add("Ana", "price", "Ana's stove is 460 euros."),)) if "460" in line else Draft()
    found = with_changes(value, rows[::-1], line, "Ana", recent={7}).draft
    facts = {entry.id: entry.fact for entry in found if isinstance(entry, Change)}
    assert facts.get(7, known) == after and 6 not in facts and not found.added


@pytest.mark.parametrize(
    ("known", "line", "after"),
    [
        ("Ana's race is 12 weeks away.", "make that ten weeks, just counted", "Ana's race is ten weeks away."),
        ("Ana's shift is on Monday.", "make it Friday", "Ana's shift is on Friday."),
        ("Ana has 3 cats.", "make it 200 words", "Ana has 3 cats."),
        ("Ana has 3 cats.", "make it shorter", "Ana has 3 cats."),
    ],
)
def test_what_sounds_like_a_request_puts_a_number_right_that_the_line_before_told(
    store: Store, known: str, line: str, after: str
) -> None:
    """ "Make that ten weeks" was taken for an order to the assistant, and nothing was put right."""
    user = store.users.call(store.users.get("ana").id, "Ana")
    session = store.sessions.start(user.id)
    before = store.turns.add(session.id, "Ana", "I told you so much of it.")
    store.facts.remember(user.id, "Ana", "plans", known, said_at=before.said_at)
    lm = ScriptedLM([NOTHING])
    StorageAgent(lm, store).run([store.turns.add(session.id, "Ana", line)], user)
    assert [one.fact for one in store.facts.all(user.id)] == [after]
    assert not lm.calls, "no model is asked"


@pytest.mark.parametrize(
    ("told", "between", "line"),
    [
        ("I told you so much of it.", "write me a poem of 4 lines", "make it 6"),
        ("I told you so much of it. Can you write a poem of 4 lines?", "", "make it 6"),
        ("I told you so much of it.", "", "wait, 6?"),
    ],
)
def test_what_is_asked_for_or_asked_puts_nothing_right(store: Store, told: str, between: str, line: str) -> None:
    """The poem is to have six lines, and Ana has three cats."""
    user = store.users.call(store.users.get("ana").id, "Ana")
    session = store.sessions.start(user.id)
    before = store.turns.add(session.id, "Ana", told)
    store.facts.remember(user.id, "Ana", "pets", "Ana has 3 cats.", said_at=before.said_at)
    for text in filter(None, [between]):
        store.turns.add(session.id, "Ana", text)
    StorageAgent(ScriptedLM([NOTHING]), store).run([store.turns.add(session.id, "Ana", line)], user)
    assert [one.fact for one in store.facts.all(user.id)] == ["Ana has 3 cats."]


@pytest.mark.parametrize(
    ("reply", "line", "lives"),
    [
        ("Bristol, how nice.", "No, Bath.", "Bath"),
        ("Does your sister live there, too?", "No, Bath.", "Bristol"),
        ("Does your sister live there, too?", "Sorry, I meant Bath.", "Bath"),
    ],
)
def test_an_answer_to_the_assistant_puts_nothing_right(store: Store, reply: str, line: str, lives: str) -> None:
    user = store.users.call(store.users.get("ana").id, "Ana")
    session = store.sessions.start(user.id)
    told = insert_sql([("Ana", "home", "Ana lives in Bristol.", None)])
    turn = store.turns.add(session.id, "Ana", "I live in Bristol.")
    StorageAgent(ScriptedLM([told]), store).run([turn], user)
    store.turns.add(session.id, ASSISTANT, reply)
    StorageAgent(ScriptedLM([NOTHING]), store).run([store.turns.add(session.id, "Ana", line)], user)
    assert [one.fact for one in store.facts.all(user.id)] == [f"Ana lives in {lives}."]


def test_what_came_in_the_place_of_what_ended_is_a_fact_too() -> None:
    van, line = row(1, "Ana has an old van."), "we sold the old van and got an electric bike instead"
    sold, bike = "Ana sold the old van.", "Ana got an electric bike instead."
    assert now([van], Draft(entries=(Change(1, sold),)), line) == {sold, bike}
    told = Draft(entries=(Change(1, sold), Add("Ana", "bike", "Ana has an electric bike.")))
    assert now([van], told, line) == {sold, "Ana has an electric bike."}
    assert now([row(1, "Ana is a nurse.")], Draft(), "I took up rowing instead of running") == {"Ana is a nurse."}


def test_after_a_break_up_somebody_is_a_former_partner_and_keeps_what_is_theirs() -> None:
    job, cat = "Ana's girlfriend Tess is a florist.", "Ana's girlfriend Tess has a cat."
    rows = [row(7, job), row(8, cat), row(9, "Ana's sister Mia is a florist.")]
    told = Add("Ana", "relationship", "Ana broke up with Tess last week.")
    assert now(rows, Draft((told,)), "I broke up with Tess last week.") == {
        told.fact, rows[2].fact, "Ana's ex-girlfriend Tess is a florist.", "Ana's ex-girlfriend Tess has a cat.",
    }  # fmt: skip
    assert now(rows, Draft(), "I met Tess last week.") == {job, cat, rows[2].fact}


def test_who_moved_with_a_partner_did_so_whatever_became_of_the_two() -> None:
    moved, told = "Ana moved to Leeds in May with Ana's husband Ken.", "Ana has separated from Ken."
    rows = [row(7, moved), row(8, "Ana has a husband."), row(9, "Ana's husband is called Ken.")]
    after = now(rows, Draft((Add("Ana", "people", told),)), "I have separated from Ken.")
    assert after == {moved, told}


def test_the_day_of_what_is_over_is_none_of_what_is_now() -> None:
    told = Add("Ana", "home", "Ana moved to Linz.")
    for line, when in (("I moved to Linz.", ""), ("No, actually I moved to Linz.", None)):
        (change,) = with_changes(Draft((told,)), [row(7, "Ana lives in Graz.")], line, "Ana").draft.entries
        assert isinstance(change, Change) and change.when == when


def test_a_plan_that_is_at_another_hour_keeps_its_day() -> None:
    told = Add("Ana", "health", "Ana's dentist appointment was moved to 4pm.")
    known = [row(7, "Ana's dentist appointment is at 3pm.")]
    (change,) = with_changes(Draft((told,)), known, "the dentist appointment was moved to 4pm", "Ana").draft.entries
    assert isinstance(change, Change) and change.fact == told.fact and change.when is None


def test_of_two_animals_of_two_kinds_it_is_told_which_one_died() -> None:
    kept = "Ana has a goldfish called Bubbles and a rabbit named Otto."
    assert now([row(7, kept)], Draft(), "Bubbles passed away this morning.") == {
        "Ana has a rabbit named Otto.", "Ana's goldfish Bubbles passed away this morning.",
    }  # fmt: skip


def test_a_change_is_told_in_the_fullest_words() -> None:
    told = (Add("Ana", "baby", "Ana had her baby."), Add("Ana", "baby", "Ana had her baby, a boy named Tim."))
    assert now([row(7, "Ana is pregnant.")], Draft(told), "I had my baby, a boy named Tim") == {told[1].fact}
    hers = Draft((Add("Ana", "baby", "Ana's daughter Lien had her baby on Sunday."),))
    assert now([row(7, "Ana's daughter Lien is pregnant.")], hers, "Lien had her baby on Sunday, a boy.") == {
        "Ana's daughter Lien had her baby on Sunday, a boy."
    }


def test_of_a_new_number_the_rest_of_the_row_stays_and_of_two_rows_it_is_asked() -> None:
    work, line = "Ana works three days a week at a shop.", "my hours went up to five days. Leo can read"
    told = (Add("Ana", "hours", "Ana's hours went up to five days."), Add("Leo", "skills", "Leo can read."))
    assert now([row(7, work)], Draft(told), line) == {"Ana works five days a week at a shop.", "Leo can read."}
    both = [row(7, work), row(8, "Ana sings three days a week in a choir.")]
    asked = with_changes(Draft(told), both, line, "Ana")
    assert {doubt.row.id for doubt in asked.doubts} == {7, 8}
    assert told[0] in asked.draft.entries
