"""What is offered to be erased for a wish: the fact with the telling word, the part of it, the date that was named, and
nothing that only shares somebody's name; what is carried out leaves what was said to stay."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from chatmem.app.shown.forgetting import question
from chatmem.memory.forget.asking import wish_for, wish_of
from chatmem.memory.store.store import Store
from chatmem.memory.values import Author, ForgetPlan, User
from tests.memory.lives import fresh

DOROTHY = "Dorothy lives at 3 Mill Street, her telephone number is 01743 355201"
TOLD = f"""got 64 in the hydraulics coursework=User got 64 in the hydraulics coursework.
whats my hydraulics mark?=
im doing civil eng at leeds uni, 3rd year=User is doing civil eng at Leeds uni in the 3rd year.
my geotech exam is on 15 december=User's geotech exam is on 15 December.=2026-12-15
geotech is 15 jan=User's geotech exam is on 15 January.=2027-01-15
paid my mum back 100 so i owe her 50 now=User owes User's mum 50.
We were married on 18 September 1976.=User and Margaret were married on 18 September 1976.
My wife Margaret was a piano teacher=User's wife Margaret was a piano teacher.
When did I marry Margaret?=
Was Dorothy a piano teacher?=
{DOROTHY}={DOROTHY}.
I have two cats, Nori and Wasabi=User has two cats, Nori and Wasabi.
I have a trip to Porto in May=User has a trip to Porto in May.
we fly to Lisbon in May for the trip=
I've got the dentist at half nine=User's dentist is at half nine.
the midwife appointment is on Friday=User's midwife appointment is on Friday.
forget the dentist reservation=
we want to call the baby Aina=User and his partner want to call the baby Aina."""


@dataclass
class Life:
    store: Store
    user: User

    def plan(self, line: str) -> ForgetPlan:
        wish = wish_of(line)
        assert wish is not None, line
        return self.store.forget.wished(self.user.id, wish)

    def facts(self) -> set[str]:
        return {one.fact for one in self.store.facts.all(self.user.id)}

    def everything(self) -> str:
        store, user = self.store, self.user.id
        turns = [turn.text for session in store.sessions.all(user) for turn in store.turns.of(session.id)]
        return repr((turns, store.facts.all(user, current=False), store.journal.entries(user)))


@pytest.fixture
def life() -> Iterator[Life]:
    with fresh() as store:
        user = store.users.get("ana")
        session = store.sessions.start(user.id)
        for row in TOLD.splitlines():
            line, _, rest = row.partition("=")
            fact, _, day = rest.partition("=")
            turn = store.turns.add(session.id, "User", line)
            store.turns.add(session.id, "assistant", f"You said: {line}")
            if fact:
                subject = fact.split()[0].removesuffix("'s")
                store.facts.remember(
                    user.id, subject, "talk", fact, happened_on=day or None, turn_ids=[turn.id], said_at=turn.said_at
                )
        yield Life(store, user)


OFFERED = [
    ("forget about my hydraulics mark, its embarassing", {"User got 64 in the hydraulics coursework."}),
    ("forget the hydraulics mark please", {"User got 64 in the hydraulics coursework."}),
    ("forget that i owe my mum money, paid it all", {"User owes User's mum 50."}),
    ("delete the 15 december thing, geotech is 15 jan", {"User's geotech exam is on 15 December."}),
    ("remove the 15 january exam", {"User's geotech exam is on 15 January."}),
    ("Forget that my wife was a piano teacher.", {"User's wife Margaret was a piano teacher."}),
    ("forget my trip to Lisbon in May", set[str]()),
    ("forget the submarine please", set[str]()),
    ("forget the dentist appointment", {"User's dentist is at half nine."}),
    ("forget the dentist reservation", {"User's dentist is at half nine."}),
    ("forget the midwife booking", {"User's midwife appointment is on Friday."}),
    ("forget the submarine appointment", set[str]()),
    ("can you lose the dentist thing, they cancelled it", {"User's dentist is at half nine."}),
    ("please scrap the dentist thing", {"User's dentist is at half nine."}),
    ("drop the submarine thing", set[str]()),
    (
        "actually don't keep the name we picked for the baby, Imogen would kill me",
        {"User and his partner want to call the baby Aina."},
    ),
    ("don't keep the baby inside", set[str]()),
]


@pytest.mark.parametrize(("line", "facts"), OFFERED)
def test_what_is_offered_is_what_was_asked_for(life: Life, line: str, facts: set[str]) -> None:
    plan = life.plan(line)
    assert {one.fact for one in (*plan.facts, *plan.others)} == facts


def test_what_only_comes_near_is_offered_as_that(life: Life) -> None:
    assert life.plan("forget the hydraulics mark please").near
    assert "comes nearest. Erase this for good?" in question(life.plan("forget the hydraulics mark please"))
    assert not life.plan("forget the hydraulics coursework please").near


FOR = [
    ("forget the name we picked for the baby",
     {"User's baby is due on 4 May.", "User and his partner want to call the baby Aina."}),
    ("forget what I chose for the reading", {"User loves reading."}),
]  # fmt: skip


@pytest.mark.parametrize(("line", "facts"), FOR)
def test_what_is_only_of_what_a_choice_was_for_is_offered_as_near_and_takes_no_line(
    life: Life, line: str, facts: set[str]
) -> None:
    session = life.store.sessions.start(life.user.id)
    for text, fact in (("baby is due 4 May", "User's baby is due on 4 May."), ("love reading", "User loves reading.")):
        turn = life.store.turns.add(session.id, "User", text)
        life.store.facts.remember(life.user.id, "User", "talk", fact, turn_ids=[turn.id])
    life.store.turns.add(session.id, "User", "a baby that is reading, ha")
    plan = life.plan(line)
    assert plan.near and {one.fact for one in (*plan.facts, *plan.others)} == facts
    assert "a baby that is reading, ha" not in {turn.text for turn in plan.lines}


def test_nothing_is_offered_for_what_was_chosen_for_somebody_of_whom_other_things_are_known(life: Life) -> None:
    assert not life.plan("forget what I picked for Dorothy").facts


def test_nothing_goes_for_somebodys_name_alone(life: Life) -> None:
    plan = life.plan("Forget that my wife was a piano teacher.")
    said = {turn.text for turn in (*plan.lines, *plan.replies)}
    assert said == {"My wife Margaret was a piano teacher", "You said: My wife Margaret was a piano teacher"}
    life.store.forget.carry_out(plan)
    assert "18 September 1976" in life.everything() and "When did I marry Margaret?" in life.everything()
    assert "Margaret was a piano" not in life.everything()


def test_of_a_fact_that_tells_two_things_one_goes_and_the_question_says_what_stays(life: Life) -> None:
    plan = life.plan("Forget Dorothy's telephone number.")
    assert [text for _, text in plan.rests] == ["Dorothy lives at 3 Mill Street."]
    assert "this stays of it:\n    #8  Dorothy lives at 3 Mill Street." in question(plan)
    report = life.store.forget.carry_out(plan)
    assert report.bytes_checked and "Dorothy lives at 3 Mill Street." in life.facts()
    assert "355201" not in life.everything() and "telephone" not in life.everything()
    life.store.journal.undo_batch(life.store.journal.entries(life.user.id)[-1].batch)
    assert "355201" not in life.everything()


def test_what_was_said_of_a_part_can_stay(life: Life) -> None:
    plan = life.plan("Forget Dorothy's telephone number.")
    kept = life.store.forget.plan(life.user.id, plan.asked_facts, parts=plan.asked_parts, keep_lines=True)
    life.store.forget.carry_out(kept)
    assert "Dorothy lives at 3 Mill Street." in life.facts() and not any("355201" in one for one in life.facts())
    assert "her telephone number is 01743 355201" in life.everything()


def test_of_those_that_a_fact_lists_one_goes(life: Life) -> None:
    life.store.forget.carry_out(life.plan("forget Wasabi, she died"))
    assert "User has one cat, Nori." in life.facts() and "Wasabi" not in life.everything()


def test_what_took_the_place_of_a_date_that_goes_stays(life: Life) -> None:
    (row,) = [one for one in life.store.facts.all(life.user.id) if "15 December" in one.fact]
    (other,) = [one for one in life.store.facts.all(life.user.id) if "15 January" in one.fact]
    life.store.facts.retire(other.id)
    life.store.facts.edit(row.id, fact="User's geotech exam is on 15 February.", happened_on="2027-02-15")
    plan = life.plan("delete the 15 december thing")
    assert {text for _, text in plan.rests} == {"User's geotech exam is on 15 February."}
    life.store.forget.carry_out(plan)
    assert "User's geotech exam is on 15 February." in life.facts() and "December" not in life.everything()


def test_a_further_fact_of_the_line_goes_where_it_shares_a_telling_word(life: Life) -> None:
    session = life.store.sessions.start(life.user.id)
    line = "my locker number is 4471, the locker is in hall B, and Rosa keeps my bees"
    turn = life.store.turns.add(session.id, "User", line)
    for fact in ("User's locker number is 4471.", "User's locker is in hall B.", "Rosa keeps User's bees."):
        life.store.facts.remember(life.user.id, fact.split()[0].removesuffix("'s"), "talk", fact, turn_ids=[turn.id])
    plan = life.plan("please forget my locker number")
    assert [one.fact for one in plan.others] == ["User's locker is in hall B."]
    assert [one.fact for one in plan.apart] == ["Rosa keeps User's bees."] and "Rosa keeps" in question(plan)
    life.store.forget.carry_out(plan)
    assert "Rosa keeps User's bees." in life.facts() and "4471" not in life.everything()


def test_a_reply_that_repeats_it_goes_though_its_words_stand_elsewhere(life: Life) -> None:
    session = life.store.sessions.start(life.user.id)
    for speaker, text in (("User", "what did my wife do?"), ("assistant", "Your wife was a teacher of the piano.")):
        life.store.turns.add(session.id, speaker, text)
    plan = life.plan("Forget that my wife was a piano teacher.")
    assert "Your wife was a teacher of the piano." in {turn.text for turn in plan.replies}


def test_words_of_the_api_mean_the_same(life: Life) -> None:
    wish = wish_for("Dorothy's telephone number")
    assert life.store.forget.wished(life.user.id, wish).asked_parts == ((8, 1),)


def test_a_question_that_calls_somebody_otherwise_goes_with_it(life: Life) -> None:
    life.store.facts.remember(life.user.id, "User", "family", "User's nan Dorothy bakes.")
    session = life.store.sessions.start(life.user.id)
    life.store.turns.add(session.id, "User", "what is my nan's telephone number?")
    life.store.turns.add(session.id, "User", "what is my aunt's telephone number?")
    said = {turn.text for turn in life.plan("Forget Dorothy's telephone number.").lines}
    assert "what is my nan's telephone number?" in said and "what is my aunt's telephone number?" not in said


def test_a_later_state_of_another_fact_that_is_said_to_stay_does(life: Life) -> None:
    store, user = life.store, life.user
    session, author = store.sessions.start(user.id), Author("agent:storage")
    first = max(one.id for one in store.facts.all(user.id)) + 1
    told = {
        "got a jaguar and a telecaster, amp's a vox": "INSERT INTO memory (subject, topic, fact, happened_on) VALUES "
        "('User', 'guitar', 'User has a jaguar.', NULL), "
        "('User', 'guitar', 'User got a jaguar and a telecaster, amp is a vox.', NULL);",
        "sold the jaguar, got 700 for it": f"UPDATE memory SET fact = 'User sold the jaguar.' WHERE id = {first}; "
        f"UPDATE memory SET fact = 'User got a telecaster, amp is a vox.' WHERE id = {first + 1};",
    }
    for line, sql in told.items():
        turn = store.turns.add(session.id, "User", line)
        result = store.facts.write(
            user.id, sql, author=author, turn_ids=[turn.id], session_id=session.id, subjects=["User"]
        )
        assert result.refused is None
    plan = life.plan("forget i sold the jaguar")
    assert [one.fact for one in plan.apart] == ["User got a telecaster, amp is a vox."]
    store.forget.carry_out(plan)
    assert "User got a telecaster, amp is a vox." in life.facts() and "jaguar" not in life.everything()


def test_few_facts_of_one_matter_are_offered_where_none_holds_the_words(life: Life) -> None:
    for fact in ("User sold the jaguar for 700.", "User sold the old jaguar, got 700 for it."):
        life.store.facts.remember(life.user.id, "User", "guitar", fact)
    plan = life.plan("forget about me selling the jaguar please")
    assert plan.near and len(plan.facts) == 2
