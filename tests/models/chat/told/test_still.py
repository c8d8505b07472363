"""Whether somebody is still alive, or a thing still there, is read off what tells its end, and off that alone."""

from __future__ import annotations

import pytest

from chatmem.memory.language.language import english
from chatmem.memory.store.store import Store
from chatmem.memory.values import Recall, RecallItem
from chatmem.models.chat.direct import direct
from chatmem.models.chat.told.yes_no import asks_alive
from chatmem.models.decoding.scripted import ScriptedLM
from chatmem.models.prompts.messages import insert_sql
from chatmem.models.storage.agent import StorageAgent

HENS = (
    ("We keep three hens, Dolly, Frieda and Bess.", "Ana keeps three hens, Dolly, Frieda and Bess."),
    ("Poor Frieda died, we think it was the fox.", "Ana thinks Frieda died."),
)
CARS = (("I have a Fiat and a Vespa.", "Ana has a Fiat and a Vespa."), ("sold the Fiat", "Ana sold the Fiat."))


@pytest.mark.parametrize("only_today", [True, False])
@pytest.mark.parametrize(
    ("told", "question", "quoted"),
    [
        (HENS, "Is Frieda still alive?", "Poor Frieda died"),
        (HENS, "Is Dolly still alive?", "You haven't told me otherwise. You told me on"),
        (HENS, "Is Nora still alive?", None),
        (CARS, "Do I still have the Fiat?", "sold the Fiat"),
        (CARS, "Do I still have the Vespa?", None),
    ],
)
def test_of_several_the_one_that_is_asked_about(
    store: Store, told: tuple[tuple[str, str], ...], question: str, quoted: str | None, only_today: bool
) -> None:
    user = store.users.call(store.users.get("ana").id, "Ana")
    session = store.sessions.start(user.id)
    for line, fact in told:
        turn = store.turns.add(session.id, "Ana", line)
        StorageAgent(ScriptedLM([insert_sql([("Ana", "things", fact, None)])]), store).run([turn], user)
    rows = store.facts.all(user.id, current=only_today)
    found = direct(store, user, Recall(question, tuple(RecallItem(1.0, row) for row in rows)), english())
    assert (found.text if found else None) == (found.text if found and quoted and quoted in found.text else None)
    assert (found is not None) == (quoted is not None)


@pytest.mark.parametrize(
    ("line", "ended"),
    [
        ("Koos died this morning. He just lay there.", True),
        ("Koos is our dog. Poor old Koos was put to sleep on Monday.", True),
        ("Koos was put to sleep last night.", False),
        ("Koos's brother died this morning.", False),
        ("Koos died laughing at the doorbell.", False),
        ("Did Koos die?", False),
        ("Koos found a dead mouse.", False),
        ("Mia says Koos died.", False),
        ("I lost Koos in March.", False),
        ("Koos didn't wake up this morning.", True),
        ("Koos didn't wake up until ten.", False),
        ("Koos is no longer with us.", True),
        ("Our Koos isn't with us any more.", True),
        ("Koos went to sleep for good.", True),
        ("Koos has gone over the rainbow bridge.", True),
        ("Our old cat Koos went over the rainbow bridge in May.", True),
        ("Our cat's friend Koos died.", False),
        ("Koos slipped away in his sleep.", True),
        ("Koos slipped away from the party.", False),
        ("Koos is in heaven now.", False),
        ("We buried poor Koos under the pear tree.", True),
        ("We haven't buried Koos yet.", False),
        ("We buried Koos's bone.", False),
        ("The kids buried Koos in the sand.", False),
        ("We lost our dog Koos in March.", True),
        ("We lost Koos in March.", False),
        ("We lost Koos in the park.", False),
        ("The vet put our dog Koos to sleep.", True),
        ("I put Koos down for a nap.", False),
        ("We had to let my dog Koos go.", True),
        ("We had to let Koos go, the shop is too small for three clerks.", False),
        ("Koos was very weak on Monday. We buried him under the pear tree.", True),
        ("Koos was sad about Rex. We buried him under the pear tree.", False),
        ("Koos found a mouse. We buried it.", False),
        ("Koos is a retriever. We had to put Koos down last week, and we buried him under the pear tree.", True),
        ("Our cats are Rex and Koos. Koos had to be put down in May 2023.", True),
        ("Koos didn't wake up this morning, we buried him in the garden.", True),
        ("We buried Koos in the churchyard on Monday.", True),
        ("Koos lost his battle with cancer.", True),
        ("Koos didn't wake up last night, first time ever!", False),
        ("Koos didn't wake up last night.", False),
        ("Koos didn't wake up this morning, so he missed the bus.", False),
        ("My dog Koos is fine. I put Koos down and he slept.", False),
        ("We lost Koos last week in the Ikea, he's three.", False),
        ("Koos got buried by his cousins at the beach.", False),
        ("Koos isn't with us any more since the divorce.", False),
        ("Koos is no longer with us, he took a job at Aldi.", False),
        ("Koos is our dog. We lost Koos last week, but he was back by supper.", False),
        ("Koos is our dog. The vet put Koos to sleep to clean his teeth.", False),
        ("Koos is our dog. The vet thought we lost Koos last night, but he pulled through.", False),
        ("I thought we lost my dog Koos.", False),
        ("Koos was in heaven with his new bone.", False),
        ("Koos didn't make it through the night without barking.", False),
        ("Koos lost his fight with the vacuum cleaner.", False),
        ("Koos lost his battle with the council.", False),
        ("Koos got buried in snow and dug himself out.", False),
        ("Koos was put down by his teacher.", False),
        ("My dog Koos is old. Koos had to be put to sleep for his teeth cleaning.", False),
        ("Koos crossed the rainbow bridge in Mario Kart.", False),
        ("Koos slipped away quietly, he hates parties.", False),
        ("My dog Koos is shaggy. I had to let Koos go this morning to the groomer.", False),
        ("Koos works at our shop, and he has a cat. We had to let Koos go last week.", False),
        ("I have a cat, Koos and Mia have two. We had to let Koos go last week.", False),
        ("Koos is our dog walker. We had to let Koos go last week.", False),
    ],
)
def test_a_line_alone_may_tell_it(store: Store, line: str, ended: bool) -> None:
    user = store.users.call(store.users.get("ana").id, "Ana")
    turn = store.turns.add(store.sessions.start(user.id).id, "Ana", line)
    recall = Recall("Is Koos still alive?", (RecallItem(1.0, None, (turn,)),))
    assert (direct(store, user, recall, english()) is not None) == ended


@pytest.mark.parametrize(
    "line",
    [
        "I lost Koos in March.",
        "Koos was a good dog.",
        "I miss Koos.",
        "We took the dog to the clinic in May.",
        "Koos drowned in the canal.",
        "We had Koos euthanised.",
        "RIP Koos",
        "A lynx got Koos.",
        "Koos got run over.",
        "Koos didn't pull through.",
        "Koos didn't survive.",
        "Koos stopped breathing.",
        "Koos is at peace now.",
        "Koos kicked the bucket.",
        "Koos's urn is on the shelf.",
    ],
)
def test_nobody_lives_on_of_whom_a_line_may_tell_an_end(store: Store, line: str) -> None:
    user = store.users.call(store.users.get("ana").id, "Ana")
    session = store.sessions.start(user.id)
    turn = store.turns.add(session.id, "Ana", "My dog Koos sleeps on the bed.")
    StorageAgent(ScriptedLM([insert_sql([("Ana", "pets", "Ana's dog Koos sleeps on the bed.", None)])]), store).run(
        [turn], user
    )
    rows = tuple(RecallItem(1.0, row) for row in store.facts.all(user.id))
    question = "Is Koos still alive?"
    found = direct(store, user, Recall(question, rows), english())
    assert found and found.text.startswith("You haven't told me otherwise.") and "sleeps on the bed" in found.text
    later = store.turns.add(session.id, "Ana", line)
    assert direct(store, user, Recall(question, (*rows, RecallItem(1.0, None, (later,)))), english()) is None


@pytest.mark.parametrize(
    ("told", "line"),
    [
        ("My dog Rex is 14.", "We had to have the dog put down in May."),
        ("My grandfather is Rex.", "My grandfather died in 2019."),
        ("My grandpa Rex keeps bees.", "Grandpa died."),
        ("My grandpa Rex has cancer.", "I like bees."),
    ],
)
def test_nobody_lives_on_whose_end_may_be_told_by_what_they_are(store: Store, told: str, line: str) -> None:
    user = store.users.call(store.users.get("ana").id, "Ana")
    session = store.sessions.start(user.id)
    turn = store.turns.add(session.id, "Ana", told)
    fact = told.replace("My", "Ana's")
    StorageAgent(ScriptedLM([insert_sql([("Ana", "people", fact, None)])]), store).run([turn], user)
    store.turns.add(session.id, "Ana", line)
    rows = tuple(RecallItem(1.0, row) for row in store.facts.all(user.id))
    found = direct(store, user, Recall("Is Rex still alive?", rows), english())
    assert found is None or "otherwise" not in found.text


def test_who_is_with_somebody_is_no_question_for_a_life(store: Store) -> None:
    assert asks_alive("Is Koos still with us?") and not asks_alive("Is Koos coming with us?")


def test_nobody_lives_on_of_whom_a_line_tells_an_end_without_their_name(store: Store) -> None:
    user = store.users.call(store.users.get("ana").id, "Ana")
    turn = store.turns.add(store.sessions.start(user.id).id, "Ana", "My Koos and Rex sleep a lot. We buried them.")
    StorageAgent(ScriptedLM([insert_sql([("Ana", "pets", "Ana's dog Koos sleeps a lot.", None)])]), store).run(
        [turn], user
    )
    rows = tuple(RecallItem(1.0, row) for row in store.facts.all(user.id))
    assert direct(store, user, Recall("Is Koos still alive?", rows), english()) is None
