"""Packing keeps its budget, whatever it is given, and prefers what tells something new."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from chatmem.memory.language.question import Question
from chatmem.memory.search import packing, search
from chatmem.memory.search.candidates import Fact
from chatmem.memory.search.packing import Piece, pack, piece
from chatmem.memory.store.store import Store

PIECES = st.lists(
    st.tuples(
        st.integers(0, 5),
        st.lists(st.sampled_from(["cat", "dog", "nurse", "Boston", "the", "of", "seven"]), max_size=12),
        st.floats(0.01, 1),
    ),
    max_size=25,
).map(lambda rows: [piece(owner, n, " ".join(words), chance) for n, (owner, words, chance) in enumerate(rows)])


@given(PIECES, st.integers(0, 60), st.integers(0, 3))
def test_the_budget_holds_with_a_label_for_each_owner(pieces: list[Piece], budget: int, label: int) -> None:
    chosen = pack(pieces, budget, label)
    assert sum(one.words for one in chosen) + label * len({one.owner for one in chosen}) <= budget
    assert len({one.order for one in chosen}) == len(chosen) == len({one.text for one in chosen})


@given(PIECES, st.integers(0, 60))
def test_nothing_that_would_still_fit_and_tell_is_left_out(pieces: list[Piece], budget: int) -> None:
    chosen = pack(pieces, budget, 0)
    left, texts = budget - sum(one.words for one in chosen), {one.text for one in chosen}
    assert not [one for one in pieces if one.text not in texts and one.terms and one.chance > 0 and one.words <= left]


def test_a_new_word_beats_a_repeated_one() -> None:
    pieces = [piece(0, 0, "the cats Nori", 0.9), piece(1, 0, "the cats Nori", 0.8), piece(2, 0, "a nurse here", 0.5)]
    assert [one.owner for one in pack(pieces, 6, 0)] == [0, 2]


ANSWER = "the story was so gripping and the actors were great"
SAID = (
    ("Joanna", f"I watched a classic movie the other day that was awesome - {ANSWER}! It really stuck with me."),
    ("Nate", "Oh cool! I might check that one out some time soon! I do love watching classics."),
)
SMALL = ("I'm good!", "Woohoo, Nate!", "Yeah.", "Yup!", "Thanks, Nate.", "Yeah, totally!", "Nope!", "Definitely!")


def test_exclamations_don_t_crowd_out_the_sentence_that_answers(store: Store) -> None:
    user = store.users.get("ana")
    for who, text in SAID:
        session = store.sessions.start(user.id)
        store.turns.add(session.id, who, text)
        for small in SMALL:
            store.turns.add(session.id, "Joanna", small)
    recall = store.search(user.id, "How did Joanna describe the classic movie she watched?", word_budget=40)
    assert ANSWER in " ".join(turn.text for item in recall.items for turn in item.turns)


def test_a_likely_line_is_worth_more_words_than_an_unlikely_one_is() -> None:
    likely = packing.sentence_chance("I moved to a flat beside the old harbour of Porto.", 2.0, 0.4)
    unlikely = packing.sentence_chance("Yeah!", 0.1, 0.001)
    assert 0 < unlikely < likely < 1
    pieces = [piece(0, 0, "Yeah!", unlikely), piece(1, 0, "I moved to a flat beside the old harbour of Porto.", likely)]
    assert pack(pieces, 12)[0].owner == 1


def test_where_a_question_asks_when_a_fact_that_doesn_t_say_it_counts_less(store: Store) -> None:
    user = store.users.get("ana")
    for text, day in (
        ("Nate went to a fair.", None),
        ("Nate went to a fair in May.", None),
        ("Nate ran.", "2023-05-07"),
    ):
        store.facts.remember(user.id, "Nate", "hobbies", text, happened_on=day)

    def factors(asked: str) -> list[float]:
        facts = [Fact(memory, 1.0, 1.0, 1.0, ()) for memory in store.facts.all(user.id)]
        said = {one.memory.fact: search._timeless(Question(asked, None, "2023-06-03T12:00:00Z"), one) for one in facts}
        return [said[text] for text in sorted(said)]

    assert factors("Where did Nate go?") == [1.0, 1.0, 1.0]
    assert factors("When did Nate go to a fair?") == [1.0, 1.0, search.UNDATED]


def test_a_large_budget_holds_all_that_was_told_in_the_order_of_time_and_nothing_twice(store: Store) -> None:
    user = store.users.get("ana").id
    for number in range(3):
        session = store.sessions.start(user).id
        for day in range(30):
            store.turns.add(
                session, "Ana", f"On trip {number} day {day} I walked to the bridge of Village{number}x{day}."
            )
        store.turns.add(session, "Ana", "The bridge was the same again.")
    recall = store.search(user, "Which bridge did I walk to?", speaker="Ana", word_budget=4_000)
    turns = [turn for item in recall.items for turn in item.turns]
    texts = [turn.text for turn in turns]
    assert len(texts) == len(set(texts)) > search.LINES
    for session_id in {turn.session_id for turn in turns}:
        ids = [turn.id for turn in turns if turn.session_id == session_id]
        places = [place for place, turn in enumerate(turns) if turn.session_id == session_id]
        assert ids == sorted(ids) and places == list(range(places[0], places[-1] + 1))


def test_what_is_asked_for_in_order_stands_in_order_and_comes_from_every_time(store: Store) -> None:
    user = store.users.get("ana").id
    towns = ("Lima", "Oslo", "Rome", "Cairo")
    for town in towns:
        session = store.sessions.start(user).id
        store.turns.add(session, "Ana", f"I'm planning my trip to {town} now.")
        for number in range(8):
            store.turns.add(session, "Ana", f"I packed {number + 2} shirts for the trip to {town}.")
    recall = store.search(user, "In which order did I bring up my trips?", speaker="Ana", word_budget=80)
    turns = [turn for item in recall.items for turn in item.turns]
    assert [turn.id for turn in turns] == sorted(turn.id for turn in turns)
    assert len({turn.session_id for turn in turns}) == len(towns)


def test_what_the_assistant_said_fills_only_a_large_budget_and_only_what_people_leave(store: Store) -> None:
    user = store.users.get("ana").id
    session = store.sessions.start(user).id
    for day in range(20):
        store.turns.add(session, "Ana", f"On day {day} I baked a rye bread with {day} seeds for Village{day}.")
        store.turns.add(
            session, "assistant", f"A rye bread with {day} seeds sounds great. Seeds want soaking for {day} hours."
        )

    def speakers(budget: int) -> list[str]:
        found = store.search(user, "Which rye bread did I bake?", speaker="Ana", word_budget=budget)
        shown = {turn.id: turn.speaker for item in found.items for turn in item.turns}
        assert not shown.keys() & {one.turn_id for one in found.left_out}
        return list(shown.values())

    assert set(speakers(200)) == {"Ana"}
    assert speakers(search.FILLED).count("Ana") == 20 and "assistant" in speakers(search.FILLED)
