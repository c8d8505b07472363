"""Drafts that are checked against the line that they were written for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from chatmem.memory.store.store import Store
from chatmem.models.lm import Chunk, Message, Options
from chatmem.models.prompts.messages import NOTHING, Known, Line, insert_sql, update_sql
from chatmem.models.storage.agent import StorageAgent
from chatmem.models.storage.told.fidelity import details, faults, flipped, lossy, untold


class Draws:
    """A scripted LM with an adapter that says its texts one after the other, and the last one for ever."""

    name, adapter, context_tokens = "scripted", "storage", 2048

    def __init__(self, *texts: str) -> None:
        self.texts, self.asked = list(texts), list[tuple[str, float]]()

    def generate(self, messages: Sequence[Message], options: Options) -> Iterator[Chunk]:
        self.asked.append((messages[-1].content, options.temperature))
        yield Chunk(self.texts.pop(0) if len(self.texts) > 1 else self.texts[0])
        yield Chunk("", "stop")

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def close(self) -> None:
        pass


def says(*facts: str) -> str:
    return insert_sql([("Ana", "things", fact, None) for fact in facts])


@pytest.mark.parametrize(
    ("fact", "line", "count"),
    [
        ("Ana has eleven fruit trees.", "my garden has eleven fruit trees", 0),
        ("Ana has 11 fruit trees.", "my garden has eleven fruit trees", 0),
        ("Ana has an apple tree.", "my garden has eleven fruit trees", 2),  # a lost number, an invented apple
        ("Ana has a sister called Mia.", "My sister Mia lives in Graz", 1),  # Graz is lost
        ("Ana likes coriander.", "I can't stand coriander", 2),
    ],
)
def test_faults_are_what_is_lost_invented_or_turned_round(fact: str, line: str, count: int) -> None:
    assert faults([fact], line, ["Ana"]) == count


def test_an_ordinal_is_the_same_in_words_and_in_digits() -> None:
    line = "my flat is on the third floor"
    assert faults(["Ana's flat is on the 3rd floor."], line, ["Ana"]) == 0
    assert faults(["Ana's flat is on a floor."], line, ["Ana"]) == 1


def test_words_of_the_lines_around_are_no_inventions() -> None:
    assert faults(["Ana works as a nurse."], "Yes, I do!", ["Ana", "Do you work as a nurse?"]) == 0


def test_details_are_names_inside_a_sentence_and_numbers() -> None:
    assert details("Jeeps are fun. I'm sure. I bought a Ford in 2019, and I love Mia's.") == {"ford", "2019", "mia"}


@pytest.mark.parametrize(
    ("fact", "line", "is_flipped"),
    [
        ("Tom likes geese.", "I hate geese.", True),
        ("Tom doesn't like tea.", "I love tea", True),
        ("Tom doesn't like geese.", "I hate geese.", False),
        ("Tom likes tea.", "I love tea but I hate milk", False),
        ("Tom has geese.", "I hate geese.", False),
    ],
)
def test_a_liking_told_as_its_opposite_is_seen(fact: str, line: str, is_flipped: bool) -> None:
    assert flipped(fact, line) is is_flipped


@pytest.mark.parametrize(
    ("fact", "line", "clauses"),
    [
        ("Ana lives in Sapporo.", "i live in Sapporo but i grew up in Nagasaki", ["i grew up in Nagasaki"]),
        ("Ana works at a hospital.", "i'm a pharmacist, i work nights at the hospital", ["i'm a pharmacist"]),
        ("Ana has a dog.", "I have a dog. Do you like my dogs' names?", []),
        ("Ana has a dog.", "I have a dog. Did I tell about school? I'll see.", ["I'll see."]),
        ("Ana has a dog.", "I have a dog", []),
        ("Ana has a bike.", "My bike broke, so this week I walk to work.", ["so this week I walk to work."]),
    ],
)
def test_clauses_that_no_fact_tells_are_named(fact: str, line: str, clauses: list[str]) -> None:
    assert untold([fact], line) == clauses


@pytest.mark.parametrize(
    ("fact", "line", "clauses"),
    [
        (
            "Ana has grandchildren.",
            "Hello! I'm 72 with eight grandchildren. You?",
            ["I'm 72 with eight grandchildren"],
        ),
        ("Ana is 72 and has 8 grandchildren.", "I'm 72 with eight grandchildren.", []),
        (
            "Ana has a car.",
            "My car is a Skoda, and it broke down. Have I told that in Oslo?",
            ["My car is a Skoda, and it broke down"],
        ),
        ("Ana likes rain.", "It rained in Oslo.", []),
    ],
)
def test_clauses_that_lose_a_name_or_a_number_are_named(fact: str, line: str, clauses: list[str]) -> None:
    assert lossy([fact], line) == clauses


def test_a_name_that_no_draw_keeps_is_told_as_it_was_said(store: Store) -> None:
    lm = Draws(says("Ana has grandchildren."))
    draft = StorageAgent(lm, store).propose([], Line("Ana", "Well, I'm 72 with eight grandchildren."))
    assert draft.facts == ["Ana is 72 with eight grandchildren."]
    draft = StorageAgent(lm, store).propose([], Line("Ana", "My grandchildren came on 3 May 2019 from Bergen."))
    assert draft.facts == ["Ana's grandchildren came on 3 May 2019 from Bergen. on 3 May 2019"]  # says the other, too
    draft = StorageAgent(lm, store).propose([], Line("Ana", "I have grandchildren, said Ana."))
    assert draft.sql() == says("Ana has grandchildren.")  # the speaker's own name is in every fact


def test_a_faulty_statement_is_drawn_anew_until_one_is_true(store: Store) -> None:
    lm = Draws(says("Ana likes coriander."), says("Ana likes herbs."), says("Ana can't stand coriander."))
    draft = StorageAgent(lm, store).propose([], Line("Ana", "I can't stand coriander"))
    assert draft.sql() == says("Ana can't stand coriander.")
    assert [temperature for _, temperature in lm.asked] == [0.0, 0.7, 0.7]


def test_the_first_statement_stays_where_no_sample_is_truer(store: Store) -> None:
    lm = Draws(says("Ana has an apple tree."), says("Ana has a plum and a pear tree."))
    draft = StorageAgent(lm, store).propose([], Line("Ana", "it has eleven apple trees"))
    assert draft.sql() == says("Ana has an apple tree.") and len(lm.asked) == 4


def test_a_true_statement_costs_one_call_and_nothing_stays_nothing(store: Store) -> None:
    for text in (says("Ana has a dog."), NOTHING):
        lm = Draws(text)
        assert StorageAgent(lm, store).propose([], Line("Ana", "I have a dog")).sql() == text
        assert len(lm.asked) == 1


def test_a_liking_that_stays_turned_round_is_not_stored(store: Store) -> None:
    lm = Draws(says("Ana likes coriander."))
    assert StorageAgent(lm, store).propose([], Line("Ana", "I can't stand coriander")).sql() == NOTHING


def test_a_thing_that_begins_a_line_is_nobody_s_name(store: Store) -> None:
    sql = says("Ana lives in Durban.")
    assert StorageAgent(Draws(sql), store).propose([], Line("Ana", "Home is Durban, near the beach.")).sql() == sql


def test_what_is_told_of_somebody_else_is_not_stored_as_the_speaker_s_own(store: Store) -> None:
    line = Line("Ana", "Actually, Mia moved to Porto")
    assert StorageAgent(Draws(says("Ana moved to Porto.")), store).propose([], line).sql() == NOTHING
    right = says("Ana's sister Mia lives in Porto.")
    before = [Line("assistant", "Your sister lives in Graz.")]
    assert StorageAgent(Draws(right), store).propose(before, line).sql() == right
    assert StorageAgent(Draws(says("Ana loves Porto.")), store).propose([], Line("Ana", "Love Porto!")).sql() != NOTHING


def test_whom_only_an_older_line_names_has_no_part_in_a_change(store: Store) -> None:
    line, before = (
        Line("Ana", "Actually the wedding was moved, it's on 20 February."),
        [Line("Ana", "Mia is my sister.")],
    )
    known = [Known(2, "wedding", "Ana is getting married on 14 December.")]
    hers = says("The wedding of Ana's sister Mia was moved to 20 February.")
    garbled = update_sql(2, "Ana's wedding anniversary is on 20 February.")
    draft = StorageAgent(Draws(garbled, hers), store).propose(before, line, known)
    assert draft.touched == [2] and not any("Mia" in fact for fact in draft.facts)
    right = update_sql(2, "Ana's wedding is on 20 February.")
    draft = StorageAgent(Draws(garbled, hers, right), store).propose(before, line, known)
    assert draft.touched == [2] and draft.facts == ["Ana's wedding is on 20 February."]


def test_a_line_with_names_is_read_again_before_it_is_small_talk(store: Store) -> None:
    line = Line("Ana", "We've got twin boys, Nils and Lasse.")
    lm = Draws(NOTHING, says("Ana has twin boys."), says("Ana has twin boys, Nils and Lasse."))
    assert StorageAgent(lm, store).propose([], line).sql() == says("Ana has twin boys, Nils and Lasse.")
    lm = Draws(NOTHING, says("Ana has three girls."))
    assert StorageAgent(lm, store).propose([], line).sql() == NOTHING
    lm = Draws(NOTHING)
    assert StorageAgent(lm, store).propose([], Line("Ana", "It rained all week here.")).sql() == NOTHING
    assert len(lm.asked) == 1


def test_a_clause_that_was_left_out_is_read_once_more(store: Store) -> None:
    lm = Draws(says("Ana lives in Sapporo."), says("Ana grew up in Nagasaki."))
    draft = StorageAgent(lm, store).propose([], Line("Ana", "i live in Sapporo but i grew up in Nagasaki"))
    assert draft.sql() == says("Ana lives in Sapporo.", "Ana grew up in Nagasaki.")
    assert len(lm.asked) == 2 and lm.asked[1][0].endswith("Ana: i grew up in Nagasaki")


def test_a_clause_may_leave_out_what_another_told_but_invent_nothing(store: Store) -> None:
    line = Line("Ana", "I'm a paramedic in Cardiff and I live there with my husband Owen.")
    first, more = "Ana works as a paramedic in Cardiff.", "Ana lives with Ana's husband Owen."
    lm = Draws(says(first), says(more))
    assert StorageAgent(lm, store).propose([], line).sql() == says(first, more)
    lm = Draws(says(first), says("Ana lives with a parrot."))
    said = "Ana lives there with Ana's husband Owen."
    assert StorageAgent(lm, store).propose([], line).sql() == says(first, said)


def test_words_of_older_lines_are_inventions(store: Store) -> None:
    lm = Draws(says("Ana's landlord in Iceland is bad."), says("Ana's landlord is bad."))
    before = [Line("Ana", "I want to see Iceland"), Line("assistant", "I hope so.")]
    assert StorageAgent(lm, store).propose(before, Line("Ana", "my landlord is bad")).sql() == says(
        "Ana's landlord is bad."
    )


def test_a_model_without_an_adapter_is_asked_once(store: Store) -> None:
    lm = Draws(says("Ana likes coriander."))
    lm.adapter = None  # type: ignore[assignment]
    StorageAgent(lm, store).propose([], Line("Ana", "I can't stand coriander"))
    assert len(lm.asked) == 1
