"""Whether somebody does what they only used to do is read off the fact that says so, and off that alone."""

from __future__ import annotations

import pytest

from chatmem.memory.language.language import english
from chatmem.memory.store.store import Store
from chatmem.memory.values import Recall, RecallItem
from chatmem.models.chat.direct import direct
from chatmem.models.decoding.scripted import ScriptedLM
from chatmem.models.prompts.messages import insert_sql
from chatmem.models.storage.agent import StorageAgent

BEES = (("I used to keep bees.", "Ana used to keep bees."),)
BACK = (*BEES, ("I keep bees again, two hives.", "Ana keeps bees again, two hives."))
HENS = (("I used to keep bees, now it's hens.", "Ana used to keep bees, now it's hens."),)
CAR = (("I used to have a red car.", "Ana used to have a red car."),)
SUGAR = (("I used to drink coffee with sugar.", "Ana used to drink coffee with sugar."),)
LESS = (("I used to pay less rent.", "Ana used to pay less rent."),)
HIVES = (*BEES, ("Two hives of bees are mine again.", "Ana has two hives of bees again."))
SISTER = (("Tom's sister Ann used to smoke.", "Tom's sister Ann used to smoke."),)
BROTHER = (("My brother Tom used to smoke.", "Ana's brother Tom used to smoke."),)


@pytest.mark.parametrize(
    ("told", "question", "over"),
    [
        (BEES, "Do I keep bees?", True),
        (BEES, "So do I keep any bees?", True),
        (BEES, "Do I keep hens?", False),
        (BEES, "Does Tom keep bees?", False),
        (BEES, "Do I like bees?", False),
        (BACK, "Do I keep bees?", False),
        (HENS, "Do I keep hens?", False),
        (CAR, "Do I have a car?", False),
        (LESS, "Do I pay rent?", False),
        (SUGAR, "Do I drink coffee?", False),
        (HIVES, "Do I keep bees?", False),
        (BEES, "Do I still?", False),
        (SISTER, "Does Tom smoke?", False),
        (SISTER, "Does Ann smoke?", False),
        (BROTHER, "Does my brother smoke?", True),
        (BROTHER, "Does Tom smoke?", True),
        (BROTHER, "Do I smoke?", False),
        (BROTHER, "Does my sister smoke?", False),
        (BROTHER, "Does my brother smoke cigars?", False),
    ],
)
def test_what_was_once(store: Store, told: tuple[tuple[str, str], ...], question: str, over: bool) -> None:
    user = store.users.call(store.users.get("ana").id, "Ana")
    session = store.sessions.start(user.id)
    for line, fact in told:
        turn = store.turns.add(session.id, "Ana", line)
        StorageAgent(ScriptedLM([insert_sql([("Ana", "pets", fact, None)])]), store).run([turn], user)
    rows = store.facts.all(user.id)
    found = direct(store, user, Recall(question, tuple(RecallItem(1.0, row) for row in rows)), english())
    assert (found is not None and found.text.startswith("Not any more. You told me")) is over
    if found and over:
        assert told[0][0] in found.text
