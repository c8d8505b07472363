"""What a line tells of somebody else by name, and what overtakes a known fact."""

from __future__ import annotations

import pytest

from chatmem.memory.language.about_others import Told, about_another, apart
from chatmem.memory.store.store import Store
from chatmem.models.prompts.draft import Add, Draft
from chatmem.models.prompts.messages import NOTHING, insert_sql
from chatmem.models.storage.agent import StorageAgent
from chatmem.models.storage.doing import of_them
from tests.models.storage.test_faithful import Draws


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("Actually, Mia moved to Porto.", ("Mia", "Actually, I moved to Porto.")),
        ("Mia lives in Berlin", ("Mia", "I live in Berlin")),
        ("Leo is a cook.", ("Leo", "I am a cook.")),  # known by name
        ("Leo repairs accordions.", ("Leo", "I repair accordions.")),
        ("Rosa repairs accordions.", None),  # known to nobody
        ("Leo always", None),
        ("Leo's boots leak.", None),
        ("Rosa is a cook.", None),  # may be any word that begins a line
        ("By the way, Rosa is a cook.", ("Rosa", "By the way, I am a cook.")),
        ("Dinner was great.", None),
        ("So college was great.", None),
        ("It's got new tyres", None),
        ("Running has helped a lot", None),
        ("Monday works for me", None),
        ("Dr. Holm retired.", ("Dr. Holm", "I retired.")),
        ("Mr. Klein broke his leg", ("Mr. Klein", "I broke his leg")),
        ("Dr. Vik is my dentist", None),
        ("Tesla moved to Texas", None),  # a firm
        ("Google works at night", None),
        ("Oslo hates tourists", None),  # a place
        ("Tesla quit her job", ("Tesla", "I quit her job")),
        ("Mr. London moved to Rome", ("Mr. London", "I moved to Rome")),
        ("Drinks went well", None),
        ("Mia moved and I miss her", None),  # of the speaker, too
        ("Ana lives in Graz", None),  # the speaker's own name
        ("Is Mia well?", None),
        ("She lives in Graz", None),
    ],
)
def test_whom_a_line_is_about_by_name_alone(line: str, told: tuple[str, str] | None) -> None:
    assert about_another(line, "Ana", {"Leo"}) == told


@pytest.mark.parametrize(
    ("line", "rest", "others"),
    [
        ("Mia works as a baker and I visit her.", "I visit her.", ["Mia works as a baker"]),
        ("I sold my car. Leo is a cook.", "I sold my car.", ["Leo is a cook."]),
        ("Mia works as a baker.", "Mia works as a baker.", []),
        ("I sail and I row.", "I sail and I row.", []),
        ("Dr. Holm retired, Dr. Vik is my dentist now", "Dr. Vik is my dentist now", ["Dr. Holm retired"]),
        ("Leo moved to Porto, Anna is my boss now", "Anna is my boss now", ["Leo moved to Porto"]),
        ("My vet is Dr. Holm, Rosa", "My vet is Dr. Holm, Rosa", []),
    ],
)
def test_a_line_of_two_kinds_is_told_apart(line: str, rest: str, others: list[str]) -> None:
    assert apart(line, "Ana", {"Leo"}) == (rest, others)


def test_a_line_about_somebody_else_is_stored_as_theirs_and_changed_later(store: Store) -> None:
    user = store.users.call(store.users.get("ana").id, "Ana")
    session = store.sessions.start(user.id)

    def says(line: str, *texts: str) -> list[tuple[str, str]]:
        lm = Draws(*texts)
        turn = store.turns.add(session.id, "Ana", line)
        assert StorageAgent(lm, store).run([turn], user).refused is None
        asked.append(lm.asked[-1][0])
        return [(memory.subject, memory.fact) for memory in store.facts.all(user.id)]

    asked: list[str] = []
    own = insert_sql([("Ana", "home", "Ana lives in Berlin.", None)])
    hers = insert_sql([("Mia", "home", "Mia lives in Berlin.", None)])
    assert says("Mia lives in Berlin.", own, hers) == [("Mia", "Mia lives in Berlin.")]
    assert asked[-1].endswith("Store:\nMia: I live in Berlin.")
    moved = insert_sql([("Mia", "moving", "Mia moved to Porto.", "yesterday")])
    assert says("Actually, Mia moved to Porto yesterday.", NOTHING, moved) == [("Mia", "Mia moved to Porto.")]
    assert "| home | Mia lives in Berlin." in asked[-1]
    [memory] = store.facts.all(user.id)
    assert memory.happened_on and [entry.kind for entry in store.journal.history(memory.id)] == ["insert", "update"]


def test_what_is_told_of_two_is_stored_as_two(store: Store) -> None:
    user = store.users.call(store.users.get("ana").id, "Ana")
    session = store.sessions.start(user.id)
    mine = insert_sql([("Ana", "visits", "Ana visits her in May.", None)])
    hers = insert_sql([("Mia", "job", "Mia works as a baker.", None)])
    lm = Draws(mine, hers)
    turn = store.turns.add(session.id, "Ana", "Mia works as a baker and I visit her in May.")
    StorageAgent(lm, store).run([turn], user)
    assert [(m.subject, m.fact) for m in store.facts.all(user.id)] == [
        ("Ana", "Ana visits her in May."), ("Mia", "Mia works as a baker."),
    ]  # fmt: skip
    assert [asked.partition("Store:\n")[2] for asked, _ in lm.asked] == [
        "Ana: I visit her in May.",
        "Mia: I work as a baker",
    ]


def test_a_fact_of_the_speakers_that_was_told_of_an_unknown_name_goes_to_that_name(store: Store) -> None:
    user = store.users.call(store.users.get("ana").id, "Ana")
    turn = store.turns.add(store.sessions.start(user.id).id, "Ana", "Leo is allergic to nuts.")
    wrong = insert_sql([("Ana", "health", "Ana is allergic to nuts.", None)])
    right = insert_sql([("Leo", "health", "Leo is allergic to nuts.", None)])
    StorageAgent(Draws(*[wrong] * 4, right), store).run([turn], user)
    assert [(m.subject, m.fact) for m in store.facts.all(user.id)] == [("Leo", "Leo is allergic to nuts.")]


def test_a_firm_s_name_is_a_person_s_once_it_was_told_as_one() -> None:
    assert about_another("Tesla moved to Texas", "Ana", {"Tesla"}) == ("Tesla", "I moved to Texas")
    assert about_another("Tesla moved to Texas", "Ana", anybody=True) is not None


def test_who_tells_it_as_they_would_is_they() -> None:
    """ "User moved out" was told of Chloe, where nobody had told a name: a small model calls whoever speaks so."""
    draft = Draft((Add("Chloe", "home", "User moved out, User's things are gone."),))
    (there,) = of_them(draft, Told("Chloe", "I moved out, my things are gone"))
    assert isinstance(there, Add) and there.fact == "Chloe moved out, Chloe's things are gone."
    gave = Draft((Add("Chloe", "car", "Chloe gave User her car."),))
    assert of_them(gave, Told("Chloe", "I gave User my car")) == gave.entries
