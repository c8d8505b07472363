"""What a line tells of somebody else by name, and what overtakes a known fact."""

from __future__ import annotations

import pytest

from chatmem.memory.store import Store
from chatmem.models.others import about_another, apart
from chatmem.models.overtaken import overtaken, with_changes
from chatmem.models.prompts import NOTHING, Known, insert_sql
from chatmem.models.storage import StorageAgent

from .test_faithful import Draws


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("Actually, Mia moved to Porto.", ("Mia", "Actually, I moved to Porto.")),
        ("Mia lives in Berlin", ("Mia", "I lives in Berlin")),
        ("Leo is a cook.", ("Leo", "I is a cook.")),  # known by name
        ("Rosa is a cook.", None),  # may be any word that begins a line
        ("By the way, Rosa is a cook.", ("Rosa", "By the way, I is a cook.")),
        ("Dinner was great.", None),
        ("So college was great.", None),
        ("It's got new tyres", None),
        ("Running has helped a lot", None),
        ("Monday works for me", None),
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
    ],
)
def test_a_line_of_two_kinds_is_told_apart(line: str, rest: str, others: list[str]) -> None:
    assert apart(line, "Ana", {"Leo"}) == (rest, others)


@pytest.mark.parametrize(
    ("old", "fact", "line", "now"),
    [
        ("Ana's sister Mia lives in Berlin.", "Ana's sister Mia lives in Porto.", "Mia lives in Porto", True),
        ("Ana lives in Graz.", "Ana moved to Linz.", "I moved to Linz.", True),
        (
            "Ana's friend Mia lives in Berlin.",
            "Mia lives in New York.",
            "Mia went",
            "Ana's friend Mia lives in New York.",
        ),
        ("Mia lives in Berlin.", "Ana's sister Mia lives in Porto.", "Mia moved", True),
        ("Zoe is 4 years old.", "Zoe is 5 years old.", "Zoe had her birthday", True),
        ("Ana has a dog named Rex.", "Ana has a dog named Max.", "I got a dog named Max", None),  # there may be two
        ("Ana has a dog named Rex.", "Ana has a dog named Max.", "Actually, he is called Max", True),
        ("Ana has a dog named Rex.", "Ana has a dog named Max.", "Actually I also have Max", None),
        ("Ana's sister Mia lives in Berlin.", "Ana's brother Leo lives in Porto.", "Leo moved to Porto", None),
        ("Ana lives in Graz.", "Ana lives in a small flat.", "I live in a small flat", None),
        ("Ana is a nurse.", "Ana is a mother.", "Actually, I am a mother", None),
    ],
)
def test_the_new_state_of_a_known_fact(old: str, fact: str, line: str, now: str | bool | None) -> None:
    found = overtaken(fact, [Known(3, "", "The user's name is Ana."), Known(7, "", old)], line)
    assert found == ((7, fact if now is True else now) if now else None)


def test_an_insert_becomes_an_update_and_other_rows_stay() -> None:
    rows = [("Ana", "home", "Ana lives in Linz.", "yesterday"), ("Ana", "job", "Ana's a nurse.", None)]
    known = [Known(7, "home", "Ana lives in Graz.")]
    line = "I moved to Linz yesterday, and I'm a nurse"
    assert with_changes(insert_sql(rows), known, line) == (
        insert_sql(rows[1:]) + " UPDATE memory SET fact = 'Ana lives in Linz.', happened_on = 'yesterday' WHERE id = 7;"
    )
    assert with_changes(insert_sql(rows), [*known, Known(8, "home", "Ana lives in Wien.")], line) == insert_sql(rows)
    assert with_changes("DELETE FROM memory WHERE id = 7;", known, line) == "DELETE FROM memory WHERE id = 7;"


def test_a_line_about_somebody_else_is_stored_as_theirs_and_changed_later(store: Store) -> None:
    user = store.call_user(store.user("ana").id, "Ana")
    session = store.start_session(user.id)

    def says(line: str, *texts: str) -> list[tuple[str, str]]:
        lm = Draws(*texts)
        turn = store.add_turn(session.id, "Ana", line)
        assert StorageAgent(lm, store).run([turn], user).refused is None
        asked.append(lm.asked[-1][0])
        return [(memory.subject, memory.fact) for memory in store.memories(user.id)]

    asked: list[str] = []
    own = insert_sql([("Ana", "home", "Ana lives in Berlin.", None)])
    hers = insert_sql([("Mia", "home", "Mia lives in Berlin.", None)])
    assert says("Mia lives in Berlin.", own, hers) == [("Mia", "Mia lives in Berlin.")]
    assert asked[-1].endswith("Store:\nMia: I lives in Berlin.")
    moved = insert_sql([("Mia", "moving", "Mia moved to Porto.", "yesterday")])
    assert says("Actually, Mia moved to Porto yesterday.", NOTHING, moved) == [("Mia", "Mia moved to Porto.")]
    assert "| home | Mia lives in Berlin." in asked[-1]
    [memory] = store.memories(user.id)
    assert memory.happened_on and [entry.kind for entry in store.history(memory.id)] == ["insert", "update"]


def test_what_is_told_of_two_is_stored_as_two(store: Store) -> None:
    user = store.call_user(store.user("ana").id, "Ana")
    session = store.start_session(user.id)
    mine = insert_sql([("Ana", "visits", "Ana visits her in May.", None)])
    hers = insert_sql([("Mia", "job", "Mia works as a baker.", None)])
    lm = Draws(mine, hers)
    turn = store.add_turn(session.id, "Ana", "Mia works as a baker and I visit her in May.")
    StorageAgent(lm, store).run([turn], user)
    assert [(m.subject, m.fact) for m in store.memories(user.id)] == [
        ("Ana", "Ana visits her in May."), ("Mia", "Mia works as a baker."),
    ]  # fmt: skip
    assert [asked.partition("Store:\n")[2] for asked, _ in lm.asked] == [
        "Ana: I visit her in May.",
        "Mia: I works as a baker",
    ]


def test_a_fact_of_the_speakers_that_was_told_of_an_unknown_name_goes_to_that_name(store: Store) -> None:
    user = store.call_user(store.user("ana").id, "Ana")
    turn = store.add_turn(store.start_session(user.id).id, "Ana", "Leo is allergic to nuts.")
    wrong = insert_sql([("Ana", "health", "Ana is allergic to nuts.", None)])
    right = insert_sql([("Leo", "health", "Leo is allergic to nuts.", None)])
    StorageAgent(Draws(*[wrong] * 4, right), store).run([turn], user)
    assert [(m.subject, m.fact) for m in store.memories(user.id)] == [("Leo", "Leo is allergic to nuts.")]
