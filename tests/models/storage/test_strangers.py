"""People of whom nobody spoke, and what becomes of the facts that tell of them."""

from __future__ import annotations

import pytest

from chatmem.memory.store.store import Store
from chatmem.models.prompts.draft import Add, Change, Draft, date_words, read_draft
from chatmem.models.prompts.messages import NOTHING, Known, Line
from chatmem.models.storage.agent import StorageAgent
from chatmem.models.storage.doing import said_alone
from chatmem.models.storage.invented_people import disowned, strangers, without_strangers
from chatmem.models.storage.told.fidelity import faults
from chatmem.models.storage.told.verbatim_clauses import in_own_words
from tests.models.storage.test_faithful import Draws, says


@pytest.mark.parametrize(
    ("fact", "said", "found"),
    [
        ("Ana's aunt Themba works nights.", "Themba is a nurse, he works nights.", {"aunt"}),
        ("Ana's mother is from Izmir.", "my mum is from Izmir", set()),
        ("Ana has three kids.", "I've got 3 children", set()),
        ("Ana runs a shop with Ana's cousin Jack.", "I run a shop with my cousin.", {"jack"}),
        ("Ana likes Italian food.", "The food in Italy was great, I loved it.", set()),
        ("Ana went to Ana's brother's house in Rome.", "I went to Rome", {"brother"}),
    ],
)
def test_strangers_are_names_and_relations_that_nobody_spoke_of(fact: str, said: str, found: set[str]) -> None:
    assert strangers(fact, [said, "Ana"]) == found


def test_one_word_for_a_relation_is_as_good_as_another() -> None:
    assert faults(["Ana's mother is from Izmir."], "my mum is from Izmir", ["Ana"]) == 0
    assert faults(["Ana's father is from Izmir."], "my mum is from Izmir", ["Ana"]) == 1


@pytest.mark.parametrize(
    ("fact", "known", "told"),
    [
        ("Ana's aunt Themba works nights.", [], "Themba works nights."),
        (
            "Ana's partner Themba works nights.",
            ["Ana's partner is called Themba."],
            "Ana's partner Themba works nights.",
        ),
        ("Ana's partner Leo works nights.", ["Ana's partner is called Themba."], "Leo works nights."),
        ("Ana's child is a nurse.", [], "Ana's child is a nurse."),  # of nobody named: it may be a right guess
        ("Mia's sister Mia lives in Rome.", ["Ana's sister Mia lives in Graz."], "Mia lives in Rome."),
        ("Ana's son Leo is 9.", ["Ana's partner Ola and her son Leo live in Rome."], "Leo is 9."),
        ("Ola's son Leo is 9.", ["Ana's partner Ola and her son Leo live in Rome."], "Ola's son Leo is 9."),
        ("Ana's son Leo is 9.", ["Ana lives with her partner Ola and her son Leo."], "Ana's son Leo is 9."),
        ("Ana's son Leo is 9.", ["Ana lives in Rome with her son Leo."], "Ana's son Leo is 9."),
        ("Ana's son Leo is 9.", ["Ana moved to Rome and her son Leo stayed."], "Ana's son Leo is 9."),
    ],
)
def test_a_relation_that_nobody_told_of_somebody_named_goes(fact: str, known: list[str], told: str) -> None:
    assert disowned(fact, ["Leo: Themba is a nurse, he works nights.", "Mia lives in Rome"], known) == told


def test_rows_and_changes_with_made_up_names_go_and_the_others_stay() -> None:
    said = ["I run a shop with my cousin", "Ana"]
    rows = read_draft(says("Ana has a cousin.", "Ana's cousin is called Jack."))
    draft, change = rows.plus([Change(3, "Ana lives in Oslo.")]), Change(3, "Ana lives in Oslo.")
    assert without_strangers(draft, said).facts == ["Ana has a cousin."]
    assert without_strangers(draft, [*said, "Ana lives in Oslo."]).entries == (rows.entries[0], change)
    assert not without_strangers(Draft(), said)
    assert not without_strangers(read_draft(says("Ana's cousin is Jack.")), said)


def test_a_line_that_every_draw_fills_with_a_stranger_is_told_in_its_own_words(store: Store) -> None:
    agent = StorageAgent(Draws(says("Ana's sister Janja is vegan.")), store)
    line = Line("Ana", "i went vegan in january, mostly because of my sister")
    assert agent.propose([], line).facts == ["Ana went vegan in january, mostly because of Ana's sister. in january"]
    assert agent.propose([], Line("Ana", "He says my food is vegan.")).sql() == NOTHING  # it leans on a "he"
    assert agent.propose([], Line("Ana", "Themba is a vegan.")).facts == []


def test_a_relation_is_known_where_a_row_tells_it_of_the_one_who_is_named(store: Store) -> None:
    known = [Known(3, "partner", "Ana's partner is called Themba.")]
    lm = Draws(says("Ana's partner Themba works nights."))
    line = Line("Ana", "Themba works nights.")
    assert StorageAgent(lm, store).propose([], line, known).facts == ["Ana's partner Themba works nights."]
    assert len(lm.asked) == 1
    lm = Draws(says("Ana's aunt Themba works nights."))
    assert StorageAgent(lm, store).propose([], line, known).facts == ["Themba works nights."]


def test_a_faulty_reading_is_read_first_as_if_nothing_were_known(store: Store) -> None:
    known = [Known(3, "home", "Ana lives in Graz.")]
    lm = Draws(says("Ana lives in Graz."), says("Ana's wedding is on 20 February."))
    line = Line("Ana", "my wedding is on 20 February now")
    assert StorageAgent(lm, store).propose([], line, known).facts == ["Ana's wedding is on 20 February."]
    assert "Known:" in lm.asked[0][0] and "Known:" not in lm.asked[1][0] and lm.asked[1][1] == 0.0


LINE = Line("Ana", "i share a flat with two friends, Lotte and Max, third floor")


def mended(line: Line, *facts: str) -> list[str]:
    wrote = read_draft(says(*facts))
    return in_own_words(without_strangers(wrote, [line.text, line.speaker]), line, wrote).facts


def test_a_fact_of_which_the_told_clause_says_every_word_goes() -> None:
    own = "Ana shares a flat with two friends, Lotte and Max, third floor."
    assert mended(LINE, "Ana has two friends.") == [own]
    assert mended(LINE, "Ana has friends, Lotte and Pat.") == [own]  # Pat is a stranger
    assert mended(LINE, "Ana lives on the third floor.") == ["Ana lives on the third floor.", own]


def test_a_draft_that_keeps_all_names_stays_as_it_is() -> None:
    draft = read_draft(says("Ana has two friends on the third floor, Lotte and Max."))
    assert in_own_words(draft, LINE, draft) == draft
    assert not in_own_words(Draft(), LINE, Draft())


def test_a_date_is_kept_with_the_fact_that_has_it() -> None:
    line = Line("Ana", "I flew to Rome and Siena last week")
    dated = Draft((Add("Ana", "travel", "Ana flew to Rome.", "last week"),))
    other = Draft((Add("Ana", "travel", "Ana flew to Rome.", "in May"),))
    own = Add("Ana", "travel", "Ana flew to Rome and Siena last week.", "last week")
    assert in_own_words(dated, line, dated).entries == (own,)
    assert in_own_words(other, line, other).entries == (*other, own)
    assert date_words("nothing of the kind") is None


def test_a_number_told_of_somebody_by_name_is_kept() -> None:
    line = Line("Ana", "We have two children. Molly is 15 and Ben is 11.")
    draft = read_draft(says("Ana has two children, Molly and Ben."))
    kept = in_own_words(draft, line, draft, said_alone)
    assert kept.facts == ["Ana has two children, Molly and Ben.", "Molly is 15 and Ben is 11."]
    asked = Line("Ana", "We have two children. Molly is 15?")
    assert in_own_words(draft, asked, draft, said_alone) == draft


def test_a_relation_of_somebody_of_two_names_goes_with_them() -> None:
    assert disowned("Ada Lee's aunt Hernán became a notary.", ["Hernán became a notary"]) == "Hernán became a notary."
