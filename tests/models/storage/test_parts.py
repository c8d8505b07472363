"""A long text, cut into parts that a storage model reads one after the other: nothing lost, by the API as well."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import chatmem
from chatmem.memory.errors import EndpointError
from chatmem.memory.store.store import Store
from chatmem.memory.values import Author, Turn, User, WriteResult
from chatmem.models.storage.parts import LINE_CHARS, PART_CHARS, WHOLE_CHARS, PartByPart, parts_of

WORDS = st.lists(st.sampled_from(["boat ", "I ", "sail. ", "Graz\n", "x" * 300, "\n\n", "ok! "]), max_size=400)


def letters(text: str) -> str:
    return "".join(text.split())


@given(WORDS, st.sampled_from([200, 1_000, 8_000]))
def test_no_letter_is_lost_and_no_part_is_long(words: list[str], most: int) -> None:
    text = "".join(words)
    parts = parts_of(text, most)
    assert letters("".join(parts.read) + parts.unread) == letters(text)
    if parts.several:
        assert max(len(part) for part in parts.read) <= PART_CHARS
        assert sum(len(part) for part in parts.read) <= most
    else:
        assert len(text) <= WHOLE_CHARS or not text.strip() or len(parts.read) == 1


def test_what_people_mostly_say_is_read_whole() -> None:
    text = "I moved to Graz last week.\nMy sister Eva helped me, and we painted the kitchen green."
    assert parts_of(text, 8_000).read == (text,)


def test_a_long_sentence_is_cut_where_a_clause_begins() -> None:
    clauses = [
        "We went to see the flat with Kwame and it is on the fourth floor without a lift but the kitchen is huge,",
        "and the landlord wants 950 a month which is 80 more than now but then I would be able to walk to the clinic,",
        "so I said we would think about it until Friday, but Kwame thinks we should take it because of his bike,",
        "and my mum who has been in Kumasi since the spring says she would come to help us with the painting,",
        "but she needs somebody with a van on that day, so now I only have to tell Mr Addo that we leave,",
        "because the end of the month is near and he has been good to us in all of the years in which we lived there.",
    ]
    line = " ".join(clauses)
    begun = [" ".join(part.split()[:3]) for part in parts_of(line, 8_000).read]
    assert len(begun) >= 3 and {*begun} <= {"We went to", "so I said", "and my mum", "but she needs", "so now I"}
    plain = line.replace(",", "").replace(".", "")
    begun = [" ".join(part.split()[:2]) for part in parts_of(plain, 8_000).read]
    assert len(begun) >= 3 and all(one.split()[0] in ("We", "and", "but", "so", "because") for one in begun)


def test_a_list_and_text_without_clauses_are_cut_all_the_same() -> None:
    several = ", ".join(f"the word {'x' * (number % 9 + 1)}" for number in range(90))
    assert all(part.startswith("the word") for part in parts_of(several, 8_000).read)
    assert [len(part) for part in parts_of("x" * 700, 8_000).read] == [280, 280, 140]


@dataclass
class Writer:
    """A storage agent by the word: each sentence that it is given is a fact."""

    store: Store
    read: list[str] = field(default_factory=list)
    fails_at: int = -1

    def run(self, turns: Sequence[Turn], user: User) -> WriteResult:
        if len(self.read) == self.fails_at:
            raise EndpointError("The endpoint is gone; try again.")
        self.read.append(turns[0].text)
        facts = turns[0].text.splitlines()
        rows = ", ".join(f"('User', 'talk', '{fact}')" for fact in facts[:5])
        sql = f"INSERT INTO memory (subject, topic, fact) VALUES {rows};"
        return self.store.facts.write(user.id, sql, author=Author("agent:storage"), turn_ids=[turns[0].id])


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[chatmem.Memory]:
    with chatmem.Memory(tmp_path / "m.db", model=None) as made:
        yield made


LINES = [f"I own the boat called number {n:02d}, and it is a fine old boat." for n in range(60)]


def test_a_text_of_sixty_lines_is_one_turn_and_all_its_facts_are_kept(memory: chatmem.Memory) -> None:
    writer = Writer(memory.store)
    said = chatmem.Memory.over(memory.store, memory.user, writer).say("\n".join(LINES))
    assert sorted(said.facts) == LINES and len(writer.read) > 10 and said.unread == ""
    assert memory.store.stats(memory.user.id)["turns"] == 1 and memory.store.queue.pending(memory.user.id) == []


def test_a_short_text_is_read_whole(memory: chatmem.Memory) -> None:
    writer = Writer(memory.store)
    said = chatmem.Memory.over(memory.store, memory.user, writer).say("\n".join(LINES[:3]))
    assert writer.read == ["\n".join(LINES[:3])] and len(said.facts) == 3


def test_what_of_a_very_long_text_is_not_read_is_told(memory: chatmem.Memory) -> None:
    text = "\n".join(LINES * 4)
    said = chatmem.Memory.over(memory.store, memory.user, Writer(memory.store)).say(text)
    assert said.unread and len(said.unread) >= len(text) - LINE_CHARS and text.endswith(said.unread)
    assert memory.say(text).unread == ""  # without a model nothing was to be read


def test_a_text_that_was_left_off_in_the_middle_is_read_to_its_end_without_doubles(memory: chatmem.Memory) -> None:
    told = chatmem.Memory.over(memory.store, memory.user, Writer(memory.store, fails_at=4))
    with pytest.raises(EndpointError):
        told.say("\n".join(LINES))
    assert 0 < len(memory.facts()) < 60
    chatmem.Memory.over(memory.store, memory.user, Writer(memory.store)).catch_up()
    assert sorted(row.fact for row in memory.facts()) == LINES


def test_a_name_that_is_known_is_told_to_no_model_however_it_was_typed(memory: chatmem.Memory) -> None:
    store, user, writer = memory.store, replace(memory.user, called="Ana"), Writer(memory.store)
    turn = store.turns.add(store.sessions.start(user.id).id, "Ana", "hi! im ana, 27, writing a thesis on bogs")
    PartByPart(writer, parts_of(turn.text, LINE_CHARS)).run([turn], user)
    assert writer.read == ["I'm 27 years old. I'm writing a thesis on bogs"]
