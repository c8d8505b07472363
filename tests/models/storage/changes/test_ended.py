"""What a small model says is over: surely, closed; likely, asked; of several, the one that is meant."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from chatmem.memory.language.language import english
from chatmem.memory.store.store import Store
from chatmem.memory.values import Doubt, Memory
from chatmem.models.decoding.scripted import ScriptedLM
from chatmem.models.embedder import cross_encoder
from chatmem.models.embedder.cross_encoder import CrossEncoder, Head
from chatmem.models.files.model_files import EMBEDDED_NAME
from chatmem.models.prompts.draft import Add, Change, Close, Draft
from chatmem.models.prompts.messages import NOTHING, Line, insert_sql
from chatmem.models.storage.agent import StorageAgent
from chatmem.models.storage.changes.ended import (
    ASKED,
    ENDED,
    JUST_TOLD,
    LEANING,
    MOST,
    Ended,
    Ends,
    JustSaid,
    bounds_of,
    crowd,
    ended,
    of_another_matter,
    settled,
)
from chatmem.models.storage.doing import as_said
from chatmem.models.storage.told.scene import Scene

WHEN = "2026-03-03T10:00:00Z"
CAST = "Ana has her left wrist in a plaster cast."
LINE = "they sawed the plaster off this morning, my arm looks like a plucked chicken"
BOUNDS = {
    "sure": 3.0, "likely": 0.0, "leaning, sure": 2.0, "leaning, likely": 0.5, "just told, sure": 1.0,
    "just told, likely": 0.5,
}  # fmt: skip


class Reading(CrossEncoder):
    """Its logits of facts that hold a word, of others a low one. A scripted model."""

    def __init__(self, over: dict[str, float]) -> None:
        super().__init__(Head(np.zeros(1), 0.0, BOUNDS), Path("ended.gguf"))
        self.over, self.read, self.beside = over, list[str](), list[list[str]]()

    def logits(self, text: str, others: Sequence[str]) -> np.ndarray:
        self.read.append(text)
        self.beside.append([*others])
        return np.array([next((at for word, at in self.over.items() if word in one), -5.0) for one in others])


def settle(draft: Draft, found: Sequence[Ended], line: Line) -> tuple[Draft, tuple[Doubt, ...]]:
    """As the agent does it."""
    return settled(draft, found, line, lambda fact: as_said(fact, Scene((), line, language=english())))


def row(number: int, fact: str, *, topic: str = "health", pinned: bool = False) -> Memory:
    return Memory(number, 1, "Ana", topic, fact, None, WHEN, WHEN, pinned=pinned)


def test_what_is_surely_over_is_closed_and_what_is_likely_over_is_asked() -> None:
    rows = [row(3, CAST), row(5, "Ana owns a kayak."), row(7, "Ana lives in Graz.", pinned=True)]
    found = [Ended(rows[0], True), Ended(rows[1], False), Ended(rows[2], True)]
    draft, doubts = settle(Draft(), found, Line("Ana", "it's off, thank goodness"))
    assert draft.entries == (Close(3),)
    assert [one.row.id for one in doubts] == [5, 7]


@pytest.mark.parametrize(("known", "new", "asked"), [
    ("Ana is giving a talk at the library on November 7th.", "Ana has got 9 slides.", ""),
    ("Ana gives a talk at the library.", "Ana gives a talk at school.", "Ana gives a talk at school."),
    ("Ana lives in Graz.", "Ana has moved to Linz.", "Ana has moved to Linz."),
])  # fmt: skip
def test_what_is_asked_can_be_answered_by_a_yes(known: str, new: str, asked: str) -> None:
    added = Add("Ana", "health", new)
    draft, doubts = settle(Draft((added,)), [Ended(row(3, known), False)], Line("Ana", f"{new} So it goes."))
    assert [one.fact for one in doubts] == [asked] and draft.entries == (added,)


def test_what_now_holds_takes_the_place_of_what_is_over() -> None:
    told = Add("Ana", "health", "Ana's wrist came out of the plaster.", "this morning")
    other = Add("Ana", "food", "Ana likes figs.")
    again = Add("Ana", "injury", "Ana has her wrist in a cast.")
    draft, _ = settle(Draft((told, other, again)), [Ended(row(3, CAST), True)], Line("Ana", LINE))
    assert draft.entries == (other, Change(3, told.fact, when="this morning"))


def test_one_value_is_that_of_one_row() -> None:
    rows = [row(3, "A full groom is 42 pounds."), row(5, "A wash and dry is 30 pounds.")]
    line = Line("Ana", "had to put my prices up, it's 48 pounds now for the full works")
    draft, doubts = settle(Draft(), [Ended(one, True) for one in rows], line)
    assert [(one.id, one.fact) for one in draft.changed] == [(3, "A full groom is 48 pounds.")]
    assert not doubts


def test_the_end_is_told_as_it_was_said_where_no_new_row_tells_it() -> None:
    boss = row(3, "Ana's huntaway Boss sleeps on the porch.", topic="pets")
    line = Line("Ana", "I wrapped Boss in his old blanket this morning and dug a hole.")
    told = "Ana wrapped Boss in his old blanket this morning and dug a hole."
    draft, _ = settle(Draft(), [Ended(boss, True)], line)
    assert draft.entries == (Change(3, told, when="this morning"),)
    new = Add("Ana", "pets", "Ana dug a hole and wrapped Boss in his blanket.")
    draft, _ = settle(Draft((new,)), [Ended(boss, True)], line)
    assert draft.entries == (Change(3, new.fact, when=""),)


def test_the_one_value_that_is_another_is_put_into_the_known_fact() -> None:
    wedding = row(3, "Ana is marrying her Ben on the 6th of June in Whitby.", topic="wedding")
    line = Line("Ana", "The Whitby place flooded, so we're doing it in Bath, same day!")
    less = Add("Ana", "wedding", "Ana is doing it in Bath.")
    draft, _ = settle(Draft((less,)), [Ended(wedding, True)], line)
    assert [one for one in draft if isinstance(one, Change)] == [
        Change(3, "Ana is marrying her Ben on the 6th of June in Bath.")
    ]
    draft, _ = settle(Draft(), [Ended(wedding, True)], Line("Ana", "it's on 8 July now, the wedding"))
    assert draft.entries == (Change(3, "Ana is marrying her Ben on the 8 July in Whitby.", when="on the 8 July"),)
    draft, doubts = settle(Draft(), [Ended(wedding, False)], line)
    assert not draft.entries and doubts[0].fact == "Ana is marrying her Ben on the 6th of June in Bath."


def test_of_several_in_one_fact_the_others_live_on() -> None:
    dogs = row(3, "Ana has two dogs, um Biscuit that's the collie, and Juniper.", topic="pets")
    line = Line("Ana", "Biscuit died on Sunday.")
    draft, _ = settle(Draft(), [Ended(dogs, True)], line)
    assert draft.entries == (Change(3, f"{dogs.fact.rstrip('.')}; Biscuit died on Sunday."),)


def test_a_line_that_leans_is_read_with_the_lines_before_it(store: Store) -> None:
    """Of "He died last week." alone nobody knows who died; bounds of its own say when it is believed."""
    user = store.users.call(store.users.get("ana").id, "Ana")
    session = store.sessions.start(user.id)
    reading = Reading({"cat": 2.0, "harp": 0.6})
    agent = StorageAgent(silent(), store)
    agent.encoder = lambda: reading
    told = [
        ("I play the harp.", insert_sql([("Ana", "music", "Ana plays the harp.", None)])),
        ("I have a cat called Figaro.", insert_sql([("Ana", "pets", "Ana has a cat called Figaro.", None)])),
    ]
    for line, sql in told:
        turn = store.turns.add(session.id, "Ana", line)
        StorageAgent(ScriptedLM([sql]), store).run([turn], user)
    result = agent.run([store.turns.add(session.id, "Ana", "It died last week.")], user)
    assert reading.read == ["Ana: (I have a cat called Figaro.) It died last week."]
    assert [one.fact for one in store.facts.all(user.id)] == [
        "Ana plays the harp.", 'Ana has a cat called Figaro; then Ana said: "It died last week."'
    ]  # fmt: skip
    assert not result.doubts  # one pronoun, one end
    old = store.turns.add(session.id, "Ana", "It was old.")
    assert agent._leant_on(old) == "I have a cat called Figaro. It died last week."
    agent.run([store.turns.add(session.id, "Ana", "The harp is out of tune since Monday.")], user)
    assert reading.read[1] == "Ana: The harp is out of tune since Monday."


def test_what_it_is_sure_of_is_closed_and_what_is_likely_asked_about() -> None:
    rows = [row(1, CAST), row(2, "Ana has an arm in a sling."), row(3, "Ana owns a kayak.")]
    found = ended(Ends(Reading({"cast": 1.6, "sling": 3.5}), Line("Ana", LINE)), rows)
    assert found == [(rows[1], True), (rows[0], False)]
    far = ended(Ends(Reading({"cast": 1.0, "sling": 5.0}), Line("Ana", LINE)), rows)
    assert far == [(rows[1], True)]  # the other is of the same matter, and not meant
    every = ended(Ends(Reading({"Ana": 5.0}), Line("Ana", LINE)), [row(n, f"Ana reads book {n}.") for n in range(9)])
    assert len(every) == MOST


def test_a_line_that_looks_like_no_end_ends_nothing() -> None:
    reading = Reading({"cast": -2.1})
    assert ended(Ends(reading, Line("Ana", LINE)), [row(1, CAST)]) == []
    assert reading.read == [f"Ana: {LINE}"]


def test_the_one_that_ships_knows_an_end_from_what_looks_like_one() -> None:
    encoder = cross_encoder.load(ENDED)
    assert encoder is not None
    for of in ("", LEANING, JUST_TOLD):
        assert bounds_of(encoder, of).likely < bounds_of(encoder, of).sure
    line, other = (
        encoder.logits(f"Ana: {text}", [CAST, "Ana owns a kayak."])
        for text in (LINE, "my grandson drew a shark on the plaster")
    )
    assert line[0] > other[0]
    assert line[0] > line[1]


def silent() -> ScriptedLM:
    """The storage agent's adapter, that writes nothing."""
    return ScriptedLM([NOTHING], adapter="storage", name=EMBEDDED_NAME)


def told(store: Store, lm: ScriptedLM, line: str, reading: Reading) -> tuple[list[str], list[str]]:
    """The facts that are current after a line, and those that are asked about."""
    user = store.users.call(store.users.get("ana").id, "Ana")
    store.facts.remember(user.id, "Ana", "health", CAST)
    store.facts.remember(user.id, "Ana", "food", "Ana is allergic to walnuts.")
    agent = StorageAgent(lm, store)
    agent.encoder = lambda: reading
    session = store.sessions.start(user.id)
    turn = store.turns.add(session.id, "Ana", line, storage="pending")
    result = agent.run([turn], user)
    return [one.fact for one in store.facts.all(user.id)], [one.row.fact for one in result.doubts]


@pytest.mark.parametrize(("logit", "stands", "asked"), [(4.0, False, False), (1.0, True, True), (-1.0, True, False)])
def test_an_end_that_no_rule_sees(store: Store, logit: float, stands: bool, asked: bool) -> None:
    facts, doubts = told(store, silent(), LINE, Reading({"cast": logit}))
    assert (CAST in facts) is stands
    assert doubts == ([CAST] if asked else [])
    assert "Ana is allergic to walnuts." in facts


def test_a_row_that_a_rule_ended_is_not_asked_about_again(store: Store) -> None:
    lm = ScriptedLM([insert_sql([("Ana", "home", "Ana moved to Linz.", None)])], adapter="storage", name=EMBEDDED_NAME)
    user = store.users.call(store.users.get("ana").id, "Ana")
    store.facts.remember(user.id, "Ana", "home", "Ana lives in Graz.")
    store.facts.remember(user.id, "Ana", "things", "Ana has a walnut tree.")
    reading = Reading({"walnut": -1.0, "Graz": 1.0})
    facts, doubts = told(store, lm, "I moved to Linz, where the walnuts grow.", reading)
    assert "Ana moved to Linz." in facts
    assert "Ana lives in Graz." not in facts
    assert not doubts
    assert reading.beside
    assert "Ana lives in Graz." not in reading.beside[-1]


@pytest.mark.parametrize(
    ("known", "told", "another"),
    [
        ("Ana's husband Pieter is allergic to shellfish.", ["Pieter has a new job."], True),
        ("Ana's husband Pieter is allergic to shellfish.", ["Pieter isn't allergic to shellfish any more."], False),
        ("Ana lives in Ghent.", ["Ana broke up with Tom."], True),
        ("Ana works as a vet.", ["Ana works as a teacher."], False),
        (CAST, [LINE], False),
        ("Ana has a dog called Bo.", ["Ana works as a teacher."], False),
    ],
)
def test_what_is_told_of_a_plain_matter_ends_no_row_of_another(known: str, told: list[str], another: bool) -> None:
    assert of_another_matter(row(1, known), told) == another


def test_a_row_that_names_the_same_thing_is_of_no_other_matter() -> None:
    told = ["I'm not working with urchins anymore", "Ana is not working with urchins anymore."]
    assert not of_another_matter(row(1, "The lab has Ana on sea urchins, not fish like Ana wanted."), told)
    assert of_another_matter(row(1, "Ana is allergic to nuts."), told)


def test_what_was_done_on_another_day_ends_nothing() -> None:
    saw = row(1, "Ana saw Arrival on 3 October.")
    assert of_another_matter(saw, ["I saw Past Lives on 5 November", "Ana saw Past Lives on 5 November."])
    assert not of_another_matter(saw, ["actually I saw it on 5 October", "Ana saw Arrival on 5 October."])
    assert not of_another_matter(saw, ["I never saw it", "Ana never saw Arrival."])


def test_a_row_of_another_matter_is_not_asked_of(store: Store) -> None:
    user = store.users.call(store.users.get("ana").id, "Ana")
    store.facts.remember(user.id, "Ana", "people", "Ana's husband Pieter is allergic to shellfish.")
    lm = ScriptedLM(
        [insert_sql([("Ana", "job", "Pieter works as a teacher.", None)])], adapter="storage", name=EMBEDDED_NAME
    )
    turn = store.turns.add(store.sessions.start(user.id).id, "Ana", "Pieter works as a teacher now")
    agent = StorageAgent(lm, store)
    reading = Reading({"shellfish": 9.0})
    agent.encoder = lambda: reading
    agent.run([turn], user)
    assert "Ana's husband Pieter is allergic to shellfish." in [one.fact for one in store.facts.all(user.id)]
    assert not any("shellfish" in fact for facts in reading.beside for fact in facts)


def test_what_has_another_number_stands_and_of_what_was_counted_the_others_do() -> None:
    """Both were replaced by the same sentence, and a dead queen of hive three was lost."""
    said = "we gave hive two away to my cousin Pia"
    three, four = row(3, "Ana's hive three queen died."), row(5, "Ana has four hives this year.")
    assert of_another_matter(three, [said]) and not of_another_matter(four, [said])
    draft, doubts = settle(Draft(), [Ended(four, True)], Line("Ana", said))
    assert draft.entries == (Change(5, "Ana has four hives this year; Ana gave hive two away to Ana's cousin Pia."),)
    assert not doubts


def test_an_end_is_told_once_however_many_rows_it_ends() -> None:
    rows = [row(3, "Ana keeps bees on a roof."), row(5, "Ana is proud of the bees.")]
    draft, _ = settle(Draft(), [Ended(one, True) for one in rows], Line("Ana", "I gave the bees away to Pia"))
    assert draft.entries == (Change(3, "Ana gave the bees away to Pia.", when=""), Close(5))


def test_what_is_said_again_is_not_over() -> None:
    """A pasted line that says one thing many times kept it and closed it in turn."""
    reading = Reading({"house": 9.0})
    house = row(3, "Ana has been thinking about Ana's old house.")
    assert ended(Ends(reading, Line("Ana", "I have been thinking about my old house.")), [house]) == []
    assert ended(Ends(reading, Line("Ana", "I haven't been thinking about my old house lately.")), [house]) != []
    assert ended(Ends(reading, Line("Ana", "I'm no longer thinking about my old house, it's gone.")), [house]) != []


def test_what_puts_a_fact_of_the_line_before_right_stays_beside_it_where_nobody_could_make_a_fact_of_it() -> None:
    nurse, line = row(3, "Ana works as a nurse."), Line("Ana", "argh, midwife! not nurse")
    draft, _ = settled(Draft(), [Ended(nurse, True)], line, just_told={3})
    assert draft.entries == (Change(3, 'Ana works as a nurse; then Ana said: "argh, midwife! not nurse"'),)
    draft, _ = settled(Draft(), [Ended(nurse, True)], line)
    assert draft.entries == (Close(3),), "what was told long ago and is over goes"
    midwife = Add("Ana", "health", "Ana works as a midwife.")
    draft, _ = settled(Draft((midwife,)), [Ended(nurse, True)], line, just_told={3})
    assert [(one.id, one.fact) for one in draft.changed] == [(3, midwife.fact)]
    much = Line("Ana", "no " * 300)
    draft, _ = settled(Draft(), [Ended(nurse, True)], much, just_told={3})
    assert len(draft.changed[0].fact or "") < 200


def test_a_row_of_the_line_right_before_is_put_right_on_less_evidence() -> None:
    rows = [
        Memory(number, 1, "Ana", "home", fact, None, WHEN, WHEN)
        for number, fact in ((1, "Ana lives in Bath."), (2, "Ana has a bath."))
    ]
    reading = Reading({"lives": 1.1, "has": -9.0})
    line = Line("Ana", "Honestly my brain today, Bristol.")
    assert [one.surely for one in ended(Ends(reading, line), rows)] == [False]
    reading.read.clear()
    found = ended(Ends(reading, line, just=JustSaid("I live in Bath.", frozenset({1}))), rows)
    assert [one.surely for one in found] == [True]
    assert reading.read == [f"Ana: {line.text}", f"Ana: (I live in Bath.) {line.text}"]
    assert reading.beside[-1] == [rows[0].fact], "it is read with the line that told it, and the mean of both counts"
    assert [one.surely for one in ended(Ends(reading, line, just=JustSaid("x", frozenset({2}))), rows)] == [False]


def test_a_line_that_puts_nothing_right_ends_a_row_of_the_line_before_on_no_less_evidence() -> None:
    rows = [row(1, "Ana lives in Bath.")]
    just = JustSaid("I live in Bath.", frozenset({1}))
    for said, surely in (
        ("Honestly, not Bath, Bristol.", [True]),
        ("We live well here.", [False]),
        ("We met on a hike.", []),
    ):
        assert [
            one.surely for one in ended(Ends(Reading({"lives": 1.1}), Line("Ana", said), just=just), rows)
        ] == surely


def test_beside_a_row_that_a_line_ends_another_is_asked_about() -> None:
    rows = [row(1, "Ana loves crime novels."), row(2, "Ana has coffee with Lotte.")]
    ends = Ends(Reading({"crime": 6.8, "coffee": 5.0}), Line("Ana", "I finished the Cleeves, I'm on one of Lotte's."))
    assert [(one.row.id, one.surely) for one in ended(ends, rows)] == [(1, True), (2, False)]
    assert [one.surely for one in ended(ends, rows[:1], ended_already=True)] == [False]


def test_among_many_rows_it_asks_only_what_is_far_likelier() -> None:
    rows = [row(1, "Ana loves tea."), *(row(number, f"Ana has a box {number}.") for number in range(2, 13))]
    line, less = Line("Ana", "I'm off to the shop for tea."), crowd(rows)
    for logit, asked in ((BOUNDS["likely"] + less + 0.1, []), (BOUNDS["likely"] + ASKED * less + 0.1, [False])):
        found = ended(Ends(Reading({"tea": logit, "box": -9.0}), line), rows)
        assert [one.surely for one in found] == asked


def test_how_old_somebody_is_ends_nothing_but_an_age() -> None:
    def row(fact: str) -> Memory:
        return Memory(4, 1, "Ana", "sister", fact, None, WHEN, WHEN)

    line = Line("Ana", "Ida and I met in 2016. She's 36 and grew up in Leeds.")
    told = Draft((Add("Ana", "sister", "Ana's sister Ida is 36."),))
    nights = row("Ana's sister Ida works three nights a week.")
    for surely in (True, False):
        assert settled(told, [Ended(nights, surely)], line) == (told, ())
    after, _ = settled(told, [Ended(row("Ana's sister Ida is 35."), True)], line)
    assert not [one for one in after if isinstance(one, Add)]


def test_beside_a_row_that_a_rule_asks_about_another_is_asked_about(store: Store) -> None:
    user = store.users.call(store.users.get("ana").id, "Ana")
    store.facts.remember(user.id, "Ana", "home", "Ana lives in Graz.")
    store.facts.remember(user.id, "Ana", "things", "Ana has a lawnmower.")
    lm = ScriptedLM([insert_sql([("Ana", "home", "Ana lives in Linz.", None)])], adapter="storage", name=EMBEDDED_NAME)
    line = "I live in Linz, there's no lawn and the lawnmower gathers dust"
    facts, doubts = told(store, lm, line, Reading({"Graz": 3.5, "lawnmower": 4.5}))
    assert {"Ana lives in Graz.", "Ana has a lawnmower."} <= {*facts}
    assert doubts == ["Ana lives in Graz.", "Ana has a lawnmower."]


def test_who_is_where_a_row_has_them_ends_nothing() -> None:
    rows = [row(1, "Lars got a job in Oslo.")]
    sure = Reading({"Lars": 9.0})
    assert ended(Ends(sure, Line("Ana", "what about uppsala, no wait. lars is in oslo now")), rows) == []
    assert ended(Ends(sure, Line("Ana", "lars has left oslo for good")), rows) == [(rows[0], True)]


def test_what_followed_is_told_once() -> None:
    """A row grew by every line that came after it."""
    once = row(1, 'Lars got a job in Oslo; then Ana said: "it fell through"')
    draft, doubts = settled(Draft(), [Ended(once, True)], Line("Ana", "we broke up"), just_told={1})
    assert not draft.entries and not doubts
