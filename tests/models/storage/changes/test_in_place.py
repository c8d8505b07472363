"""One value in the place of another: in all rows of a name, in the row that tells the day, and never in another's."""

from __future__ import annotations

import pytest

from chatmem.memory.values import Memory
from chatmem.models.prompts.draft import Add, Change, Close, Draft
from chatmem.models.storage.changes.changed_facts import with_changes
from chatmem.models.storage.changes.in_place import gone_on, homes_asked

WHEN = "2026-03-03T10:00:00Z"


def rows(*facts: str) -> list[Memory]:
    return [Memory(at, 1, "Ana", "topic", fact, None, WHEN, WHEN) for at, fact in enumerate(facts, 1)]


def changed(known: list[Memory], line: str, *drafted: str) -> dict[int, str]:
    told = with_changes(Draft(tuple(Add("Ana", "t", one) for one in drafted)), known, line, "Ana")
    return {one.id: one.fact or "" for one in told.draft if isinstance(one, Change)}


OKAFOR = rows(
    "Oriol's landlord Mr Okafor wants to sell the flat.", "Oriol is suing Mr Okafor.", "Ana likes Lucy Okafor's books."
)


@pytest.mark.parametrize(
    "line", ["it's Mr Okoro, not Okafor, the landlord", "the landlord is called Okoro, not Okafor", "Okoro, not Okafor"]
)
def test_a_name_spelled_otherwise_is_so_in_all_rows(line: str) -> None:
    assert changed(OKAFOR, line) == {
        1: "Oriol's landlord Mr Okoro wants to sell the flat.", 2: "Oriol is suing Mr Okoro.",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("facts", "line"),
    [
        (("Tom works in Leeds.", "Ana studied in Leeds."), "Tom works in Leiden, not Leeds"),  # another place
        (("Mr Okafor is a landlord.", "Mr Okafor sings.", "Mr Okoro cooks."), "the landlord is Mr Okoro, not Okafor"),
        (("Mr Green teaches Ana physics.", "Mr Green is Ana's boss."), "the boss is Mr Brown, not Mr Green"),
    ],
)  # fmt: skip
def test_another_one_is_not_put_in_all_rows(facts: tuple[str, ...], line: str) -> None:
    assert len(changed(rows(*facts), line)) <= 1


@pytest.mark.parametrize(
    ("facts", "line", "left"),
    [
        (("Ana's cousin Kate is a cook.", "Ana's friend Kate is a nurse."), "my cousin is called Katie, not Kate", 2),
        (("Ana's niece Lily is two.", "Ana has a puppy, Lily."), "the puppy is called Lilly, not Lily", 1),
        (("Ana has a dog Bella.", "Tom has a cat, Bella."), "the dog is called Bela, not Bella", 2),
        (("Ana's doctor is Dr Brown.", "Tom's teacher is Mr Brown."), "it's Dr Browne, not Brown", 2),
        (("Ana lives in Austria.", "Tom was born in Austria."), "Australia, not Austria!", 2),
    ],
)
def test_namesakes_keep_their_names(facts: tuple[str, ...], line: str, left: int) -> None:
    assert left not in changed(rows(*facts), line)


@pytest.mark.parametrize(
    ("fact", "line", "now"),
    [
        ("Ana's baby is due on 14 March.", "the baby is due on the 9th of March now, not the 14th",
         "Ana's baby is due on the 9th of March."),
        ("Ana's baby is due on 14 March.", "it's the 9th, not the 14th", "Ana's baby is due on 9th March."),
        ("Ana's baby is due on 14 May.", "the baby is due on the 9th of March now, not the 14th", None),
        ("Ana's mum's birthday is on the 14th of March.", "midwife says the 9th of March now, not the 14th", None),
        ("Tom's boat cost 850.", "the rent is 910 now, not 850", None),
        ("Ana's rent is 850.", "the rent is 910 now, not 850", "Ana's rent is 910."),
    ],
)  # fmt: skip
def test_a_value_is_that_of_what_the_line_tells_of(fact: str, line: str, now: str | None) -> None:
    assert changed(rows("Ana likes tea.", fact), line).get(2) == now


def test_a_row_of_which_the_line_has_no_word_is_asked_about_where_a_model_changes_it() -> None:
    known, line = rows("Tom's boat cost 850."), "the rent is 910 now, not 850"
    told = with_changes(Draft((Change(1, "Tom's boat cost 910."),)), known, line, "Ana")
    assert not told.draft.touched
    assert [one.fact for one in told.doubts] == ["Tom's boat cost 910."]


@pytest.mark.parametrize(
    ("line", "asked"),
    [
        ("The bread here in Porto is worse than what we had back in Braga, but our new flat gets the sun", True),
        ("It rains more here in Porto than in Braga", False),
        ("The bread here in Porto is worse than in Braga, but we are only here for the week", False),
        ("The hotel here in Porto is nicer than the one back in Braga", False),
        ("The bread here in Porto is good", False),
        ("The bread here in Porto is worse than in Leeds", False),
        ("Is the bread here in Porto worse than in Braga?", False),
    ],
)
def test_a_home_told_by_the_way_is_asked_about(line: str, asked: bool) -> None:
    known = rows("Ana lives in Braga above a shoe shop.", "Ana's brother lives in Braga.", "Ana likes Braga.")
    doubts = homes_asked(Draft(), known, line)
    assert [(one.row.id, one.fact) for one in doubts] == ([(1, "Ana lives in Porto.")] if asked else [])
    assert not homes_asked(Draft((Change(1, "Ana lives in Porto."),)), known, line)


@pytest.mark.parametrize(
    ("known", "line", "now"),
    [
        ("Tom has a course on Mondays.", "the course isn't on Mondays any more. It is on Thursdays now",
         "Tom has a course on Thursdays."),
        ("Tom's salon lease runs out in March.", "the lease doesn't run out in March any more, it's till 2029",
         "Tom's salon lease is till 2029."),
        ("Tom's choir meets on Tuesdays at 7.", "our choir doesn't meet on Tuesdays any more, it's Wednesdays",
         "Tom's choir meets on Wednesdays at 7."),
        ("Tom's rent is 800.", "the rent isn't 800 any more, it's 850", "Tom's rent is 850."),
        ("Tom's class is on Fridays.", "the class is no longer on Fridays, it's on Mondays now",
         "Tom's class is on Mondays."),
        ("Tom's dog is ill.", "the dog isn't ill any more, it's a miracle", None),
        ("Tom's shop is open on Sundays.", "the shop isn't open on Sundays any more, it's too quiet", None),
        ("Tom's mum is in hospital.", "my mum isn't in hospital any more, it's great", None),
        ("Tom has a boat.", "my boat isn't mine any more, it's sold", None),
        ("Tom's twins are in nappies.", "the twins aren't in nappies any more, they're 3 now", None),
        ("Tom's piano is in the hall.", "the piano isn't in the hall any more, it's in my office", None),
        ("Tom's course is on Mondays with Anna.", "the course isn't on Mondays any more, it's in York", None),
    ],
)  # fmt: skip
def test_what_is_no_more_makes_room_for_what_is_now(known: str, line: str, now: str | None) -> None:
    row = Memory(1, 1, "Tom", "x", known, None, WHEN, WHEN)
    told = gone_on(Draft((Close(1),)), [row], line)
    assert [getattr(one, "fact", None) for one in told] == [now]
    both = Draft((Close(1), Add("Tom", "x", "Tom is glad.")))
    assert gone_on(both, [row], line) == both, "the model told what is now"


@pytest.mark.parametrize(
    ("known", "line", "now"),
    [
        ("Ana has an operation with Mr Pritchard in March.", "it won't be Mr Pritchard, it's a Miss Rao now",
         "Ana has an operation with Miss Rao in March."),
        ("Mr Pritchard does Ana's knee.", "It isn't Mr Pritchard any more, it's Miss Rao", "Miss Rao does Ana's knee."),
        ("Ana's doctor is Dr Khan.", "it's no longer Dr Khan, it's Dr Lee", "Ana's doctor is Dr Lee."),
        ("Ana's hairdresser is Sandra.", "It won't be Sandra, it'll be Kim", "Ana's hairdresser is Kim."),
        ("Ana's teacher is Mr Okafor.", "It's Mr Okoro, not Okafor, my teacher", "Ana's teacher is Mr Okoro."),
    ],
)  # fmt: skip
def test_who_comes_in_the_place_of_somebody_comes_with_their_title(known: str, line: str, now: str) -> None:
    assert changed(rows(known), line) == {1: now}
