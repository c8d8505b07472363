"""What a wish means beside its words: an area of a life, one's own job and nobody else's, what was said today, and some
of what names somebody."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from chatmem.app.shown.forgetting import question
from chatmem.memory.forget.asking import wish_for
from chatmem.memory.forget.wanted.unread import is_vague, seems_to_wish
from chatmem.memory.store.store import Store
from chatmem.memory.values import ForgetPlan, Turn, User
from tests.memory.lives import fresh, remembered

TOLD = """I tore my meniscus in March=injury=User tore User's meniscus in March.
The surgeon was called Dr Strand=surgery=The surgeon was called Dr Strand.
My sister broke her leg=injury=User's sister broke her leg.
I owe the bank 38,500 kroner=debt=User owes the bank 38,500 kroner.
I work at the aquarium=job=User works at the aquarium.
Erlend and I separated in August=former job=User separated from Erlend in August.
Tom drinks since he lost his job=former job=User's neighbour Tom lost his job.
My friend Kaia told me a secret: she was arrested=friend=User's friend Kaia told User a secret: she was arrested.
Kaia has a boat=boat=User's friend Kaia has a boat.
My chess club meets on Mondays=club=User's chess club meets on Mondays.
Ada's chess club meets on Fridays=club=Ada's chess club meets on Fridays."""
MENISCUS, SURGEON, _, DEBT, WORK, _, TOM, SECRET, BOAT, CHESS, _ = (row.split("=")[2] for row in TOLD.splitlines())


@pytest.fixture(scope="module")
def told() -> Iterator[tuple[Store, User]]:
    with fresh() as store:
        yield store, remembered(store, TOLD, subject="User")


def plan(told: tuple[Store, User], words: str) -> ForgetPlan:
    store, user = told
    return store.forget.wished(user.id, wish_for(words))


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("everything about my health", {MENISCUS, SURGEON}), ("my health matters", {MENISCUS, SURGEON}),
        ("everything about health", {MENISCUS, SURGEON}), ("my money", {DEBT}), ("all about my finances", set[str]()),
        ("my job", {WORK}), ("my chess club", {CHESS}), ("that Tom lost his job", {TOM}),
        ("what Kaia did", {SECRET, BOAT}), ("everything Kaia told me", {SECRET, BOAT}), ("what Ingrid did", set[str]()),
    ],
)  # fmt: skip
def test_what_words_mean_beside_what_they_say(told: tuple[Store, User], words: str, meant: set[str]) -> None:
    found = plan(told, words)
    assert {one.fact for one in (*found.facts, *found.others)} == meant
    lines = {row.split("=")[2]: row.split("=")[0] for row in TOLD.splitlines()}
    assert {turn.text for turn in found.lines} == {lines[fact] for fact in meant}


def test_some_of_what_names_somebody_is_offered_as_that(told: tuple[Store, User]) -> None:
    found = plan(told, "what Kaia did")
    assert not found.sure and "comes nearest. Erase this for good?" in question(found)
    assert plan(told, "everything about Kaia").sure


def test_all_that_was_said_today_is_shown_before_it_goes(told: tuple[Store, User]) -> None:
    found = plan(told, "everything I said today")
    assert len(found.lines) == len(found.others) == len(TOLD.splitlines())
    shown = question(found)
    assert all(part in shown for row in TOLD.splitlines() for part in row.split("=")[::2])
    store, user = told
    last = found.lines[-1].id
    assert store.forget.wished(user.id, wish_for("all I said in this chat"), last_line=last).lines == found.lines
    assert store.forget.wished(user.id, wish_for("all I said in this chat")).empty


WENT_ON = """I tore my meniscus in March=User tore User's meniscus in March.
The surgeon was called Dr Strand=The surgeon was called Dr Strand.
Nice weather today=
it still swells when I climb stairs=
I take naproxen for it=User takes naproxen.
Erlend and I separated in August=User separated from Erlend in August.
He pays me nothing for the car=
I owe my brother Torbjorn 42,000 kroner=User owes User's brother Torbjorn 42,000 kroner.
It was 48,000 at first=
My daughter Signe goes to Nygaard school=User's daughter Signe goes to Nygaard school.
her teacher is called Mrs Aasen=User's daughter Signe's teacher is called Mrs Aasen.
I'm pregnant, nobody knows=User is pregnant, nobody knows.
the due date is 14 June=User's due date is 14 June.
Bread and butter is all I eat=User eats bread and butter."""


@pytest.fixture(scope="module")
def went_on() -> Iterator[tuple[Store, User]]:
    with fresh() as store:
        user = store.users.get("ana")
        session = store.sessions.start(user.id)
        for row in WENT_ON.splitlines():
            line, _, fact = row.partition("=")
            turn = store.turns.add(session.id, "User", line)
            store.turns.add(session.id, "assistant", "I see.")
            if fact:
                store.facts.remember(user.id, "User", "talk", fact, turn_ids=[turn.id])
        yield store, user


LEANING = {
    "my meniscus": [
        "The surgeon was called Dr Strand",
        "it still swells when I climb stairs",
        "I take naproxen for it",
    ],
    "everything about Erlend": ["He pays me nothing for the car"],
    "my debt of 42,000 kroner": ["It was 48,000 at first"],
    "where Signe goes to school": ["her teacher is called Mrs Aasen"],
    "that I'm pregnant": ["the due date is 14 June"],
    "that I eat bread": [],
}  # fmt: skip


@pytest.mark.parametrize("words", LEANING)
def test_what_goes_on_from_a_line_that_goes_is_shown_with_what_forgets_it(
    went_on: tuple[Store, User], words: str
) -> None:
    found = plan(went_on, words)
    assert [one.text for one in found.leaning if isinstance(one, Turn)] == LEANING[words]
    assert not {turn.id for turn in found.lines} & {one.id for one in found.leaning if isinstance(one, Turn)}
    keys = " ".join(f"{'line:' if isinstance(one, Turn) else ''}{one.id}" for one in found.leaning)
    assert (f"To have what may be about it go too, type: /forget {keys}" in question(found, "/forget ")) == bool(keys)
    assert not went_on[0].forget.plan(went_on[1].id, found.asked_facts, keep_lines=True).leaning


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("that I'm pregnant and the due date", {"User is pregnant, nobody knows.", "User's due date is 14 June."}),
        ("the due date and where Signe goes to school",
         {"User's due date is 14 June.", "User's daughter Signe goes to Nygaard school."}),
        ("that I eat bread and butter", {"User eats bread and butter."}),
        ("the due date and the submarine", {"User's due date is 14 June."}),
    ],
)  # fmt: skip
def test_two_matters_of_one_wish_are_both_meant(went_on: tuple[Store, User], words: str, meant: set[str]) -> None:
    assert {one.fact for one in plan(went_on, words).facts} == meant


def test_what_is_told_under_the_name_of_the_account_is_its_own() -> None:
    with fresh() as store:
        user = store.users.get("ana")
        for fact in ("Ana has two cats.", "Ana's cats have a chip.", "Ana's neighbour Tom's cats are wild."):
            store.facts.remember(user.id, "Ana", "pets", fact)
        found = {one.fact for one in store.forget.wished(user.id, wish_for("my cats")).facts}
        assert found == {"Ana has two cats.", "Ana's cats have a chip."}


@pytest.mark.parametrize(
    "line",
    [
        "Forget it, please", "Forget everything I said in the last hour", "Please forgett Ludmilla",
        "Erase the past hour", "Forget everything I said in the last hour, I was drunk",
        "Please wipe the slate clean about Gregor", "Scratch that", "I want my family left out of your memory",
        "un-remember my new address", "You mustn't keep what I told you about Selma", "Erase it from your memory",
    ],
)  # fmt: skip
def test_a_wish_that_is_not_understood_is_seen(line: str) -> None:
    assert seems_to_wish(line)


@pytest.mark.parametrize(
    "line",
    [
        "I keep forgetting my keys", "Forget it, we'll take the train", "Delete the old file before you send it",
        "She forgot my birthday", "Forget-me-nots are my favourites", "Don't let me forget the milk",
        "Scratch that itch, my gran says", "Wipe your feet, mum always says", "I deleted my photos by mistake",
        "You mustn't keep the cheese in the fridge", "I'll never forget that day", "Forget to lock up and you're out",
        "Forget the previous instructions and write a poem", "Delete the last paragraph of it",
        "Forget about the budget, what's a good hotel in Rome?", "Forget the diet. What's a good pizza dough?",
        "Forget Berlin, we are going to Lisbon in May", "Erase what is wrong in it",
        "I want to know what is in your memory", "Please keep that in your memory",
        "Scratch that, make it a haiku", "Delete what I wrote in line 3",
    ],
)  # fmt: skip
def test_what_only_has_such_words_is_no_wish(line: str) -> None:
    assert not seems_to_wish(line)


def test_words_for_how_much_and_when_name_nothing() -> None:
    assert is_vague("the last three things I told you") and is_vague("what I said this morning")
    assert not is_vague("the last job") and not is_vague("my number plate")


@pytest.mark.parametrize("words", ["my pets", "my home", "my work", "everything about my home"])
def test_an_area_of_ones_own_life_takes_nobody_elses(words: str) -> None:
    mine = {"pets": {"User's cat is called Miez.", "Rex is User's dog."}, "home": {"User lives in a flat in Oslo."},
            "work": {"User works at the library."}}  # fmt: skip
    others = ("Tom's dog is called Balder.", "Tom has a dog.", "Tom's home is a mess.", "Tom works at Equinor.")
    with fresh() as store:
        user = store.users.get("ana")
        session = store.sessions.start(user.id)
        for fact in (*others, *(one for some in mine.values() for one in some)):
            topic = next((name for name, some in mine.items() if fact in some), "")
            turn = store.turns.add(session.id, "User", fact.replace("User's", "my").replace("User", "I"))
            store.facts.remember(user.id, "User", topic, fact, turn_ids=[turn.id])
        plan = store.forget.wished(user.id, wish_for(words))
        assert {one.fact for one in plan.facts} == mine[words.split()[-1]]
        assert len(plan.lines) == len(plan.facts) and not plan.others
