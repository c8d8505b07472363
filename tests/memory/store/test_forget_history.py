"""What is history, or was taken back, is found and forgotten as what holds now; former names go with their fact."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterator

import pytest
from sqlalchemy import select

from chatmem.app.shown.forgetting import sentence
from chatmem.memory.database import tables as t
from chatmem.memory.errors import InputError, NotFound
from chatmem.memory.forget.asking import Wish
from chatmem.memory.forget.erase import tells
from chatmem.memory.store.store import Store
from chatmem.memory.values import ASSISTANT, OWN_NAME, Thrown
from tests.memory.lives import AGENT, Person, fresh
from tests.memory.store.test_forget import holds


@pytest.fixture
def one() -> Iterator[Person]:
    with fresh() as store:
        yield Person(store, store.users.get("kim"))
        assert store.check() == []


def told(one: Person, fact: str, line: str = "") -> int:
    turn_ids = (
        [one.store.turns.add(one.session.id, one.store.users.by_id(one.user.id).subject, line).id] if line else []
    )
    return one.store.facts.remember(one.user.id, "User", "", fact, turn_ids=turn_ids).memory_id or 0


def undo(one: Person) -> None:
    one.store.journal.undo(one.store.journal.entries(one.user.id)[-1].id)


def speakers(store: Store) -> list[str]:
    with store.db.read() as db:
        return list(db.scalars(select(t.turns.c.speaker).order_by(t.turns.c.id)))


@pytest.mark.parametrize("wish", [None, Wish("matter", "Mia's locker"), Wish("about", "Mia"), Wish("matter", "4471")])
def test_a_fact_that_was_taken_back_is_forgotten_and_no_redo_brings_it(one: Person, wish: Wish | None) -> None:
    key = told(one, "Mia's locker is 4471.")
    undo(one)
    forget = one.store.forget
    plan = forget.wished(one.user.id, wish) if wish else forget.plan(one.user.id, [key])
    assert not plan.empty and plan.asked_facts == (key,) and plan.earlier == ("Mia's locker is 4471.",)
    report = forget.carry_out(plan)
    assert report.bytes_checked and report.journal == 2 and not holds(one.store, "4471")
    assert one.store.journal.entries(one.user.id) == []
    with pytest.raises(NotFound):
        forget.carry_out(plan)


def test_a_fact_that_was_corrected_is_found_and_what_took_its_place_is_shown(one: Person) -> None:
    line = "Mia lives in Graz"
    key = told(one, "Mia lives in Graz.", line)
    newer = one.store.facts.edit(key, fact="Mia lives in Rome.").memory_id
    plan = one.store.forget.wished(one.user.id, Wish("about", "Graz"))
    assert [fact.id for fact in plan.facts] == [key, newer] and [turn.text for turn in plan.lines] == [line]
    assert plan.earlier == () and one.store.forget.carry_out(plan).bytes_checked
    assert not holds(one.store, "Graz") and not holds(one.store, "Rome") and not one.store.facts.all(one.user.id)
    with pytest.raises((InputError, IndexError)):
        undo(one)


def test_where_a_current_fact_holds_it_history_is_not_what_is_meant(one: Person) -> None:
    retired = told(one, "Tom's locker is 5589.")
    one.store.facts.retire(retired)
    key = told(one, "Mia's locker is 4471.")
    assert one.store.forget.wished(one.user.id, Wish("matter", "the locker")).asked_facts == (key,)
    assert one.store.forget.wished(one.user.id, Wish("matter", "the submarine")).empty
    other = Person(one.store, one.store.users.get("ben"))
    assert one.store.forget.wished(other.user.id, Wish("matter", "Tom's locker")).empty


def test_a_line_that_was_said_anew_since_stays(one: Person) -> None:
    key = told(one, "User's locker number is 4471.", "my locker number is 4471")
    undo(one)
    turn = one.store.turns.of(one.session.id)[-1]
    with one.store.db.write() as db:
        db.execute(t.turns.update().where(t.turns.c.id == turn.id).values(text="I like tea"))
    assert not one.store.forget.plan(one.user.id, [key]).lines


def test_a_former_name_is_no_longer_the_speaker_of_what_is_blank(one: Person) -> None:
    store, user = one.store, one.user.id
    store.users.call(user, "Zoe")
    told(one, "User's locker is 4471.", "my locker is 4471")
    store.forget.carry_out(store.forget.wished(user, Wish("matter", "my locker")))
    name = told(one, f"{OWN_NAME}Zoe.", "my name is Zoe")
    store.facts.retire(name)
    store.users.call(user, "Ana")
    store.turns.add(one.session.id, "Ana", "hi")
    assert speakers(store) == ["Ana", "Zoe", "Zoe", "Ana"]
    report = store.forget.carry_out(store.forget.plan(user, [name]))
    assert report.bytes_checked and report.words and not holds(store, "zoe")
    assert speakers(store) == ["Ana"] * 4 and store.users.by_id(user).called == "Ana"


def test_another_name_and_lines_that_stay_keep_their_speaker(one: Person) -> None:
    store = one.store
    store.users.call(one.user.id, "Zoe")
    store.turns.add(one.session.id, "Zoe", "I like tea")
    key = told(one, "User's locker is 4471.", "my locker is 4471")
    store.forget.carry_out(store.forget.plan(one.user.id, [key]))
    assert speakers(store) == ["Ana", "Zoe", "Zoe"] and store.users.by_id(one.user.id).called == "Zoe"


def test_short_words_are_looked_for_and_counted_apart_where_they_stand(one: Person) -> None:
    store = one.store
    key = told(one, "User has HIV.", "I have HIV")
    report = store.forget.carry_out(store.forget.plan(one.user.id, [key]))
    assert report.searched[:2] == ("database", "texts") and report.bytes_checked and not report.elsewhere
    other = Person(store, store.users.get("ben"))
    store.turns.add(other.session.id, "Ben", "HIV and iguana are words")
    key = told(one, "User has HIV and an iguana.")
    report = store.forget.carry_out(store.forget.plan(one.user.id, [key]))
    assert report.bytes_checked and (report.words, report.within, report.elsewhere) == (0, 0, 2)
    assert store.turns.of(other.session.id)[-1].text == "HIV and iguana are words"


def test_a_number_in_groups_goes_unless_the_line_tells_what_stays(one: Person) -> None:
    key = told(one, "User's locker number is 4471.", "my locker number is 4471")
    told(one, "User reads pages 44-71 today.", "today I read pages 44-71")
    for text in ("that locker again, 4,471", "it cost 44.71"):
        one.store.turns.add(one.session.id, "Ana", text)
    one.store.turns.add(one.session.id, "assistant", "Yes, 44-71.")
    plan = one.store.forget.plan(one.user.id, [key])
    assert [turn.text for turn in plan.replies] == ["Yes, 44-71."] and [one.word for one in plan.stays] == ["4471"]
    assert [turn.text for turn in plan.lines] == ["my locker number is 4471", "that locker again, 4,471"]


def test_names_of_sessions_go_by_the_rule_of_echoes(one: Person) -> None:
    store = one.store
    names = ("why deep water makes me afraid", "how to water plants", "about iguanas", "guano")
    ids = [store.sessions.start(one.user.id, name).id for name in names]
    keys = [told(one, "User is afraid of deep water."), told(one, "User keeps an iguana.")]
    plan = store.forget.plan(one.user.id, keys)
    assert plan.titles == (names[0], names[2])
    store.forget.carry_out(plan)
    assert [store.sessions.get(key).title for key in ids] == ["", names[1], "", names[3]]


@pytest.mark.parametrize("keep_lines", [True, False])
def test_why_something_was_thrown_away_quotes_no_forgotten_fact(one: Person, keep_lines: bool) -> None:
    """With kept lines no word of it is telling, and the reason held the sentence while nothing of it "was found"."""
    line = one.store.turns.add(one.session.id, "User", "I'm ten weeks pregnant, nobody knows")
    fact = "User is ten weeks pregnant, nobody knows."
    thrown = Thrown("check:cut_down", "INSERT INTO memory ...;", f"It tells less. Told instead: {fact}")
    sql = f"INSERT INTO memory (subject, fact) VALUES ('User', '{fact}')"
    result = one.store.facts.write(one.user.id, sql, author=AGENT, turn_ids=[line.id], thrown=[thrown])
    key = result.entries[0].memory_id or 0
    report = one.store.forget.carry_out(one.store.forget.plan(one.user.id, [key], keep_lines=keep_lines))
    assert report.bytes_checked and not report.quoted and not holds(one.store, fact)


def test_an_erased_sentence_that_a_kept_line_says_is_counted_and_not_denied(one: Person) -> None:
    key = told(one, "Mia collects stamps.", "Mia collects stamps.")
    report = one.store.forget.carry_out(one.store.forget.plan(one.user.id, [key], keep_lines=True))
    assert report.bytes_checked and report.quoted == 1
    told_of = "1 of the sentences still stands in what stays (“Mia collects stamps.”); nothing else was found."
    assert told_of in sentence(report)


def test_a_sentence_that_another_user_says_is_counted_and_not_shown(one: Person) -> None:
    other = one.store.users.get("lou").id
    one.store.turns.add(one.store.sessions.start(other).id, "lou", "Mia collects stamps.")
    key = told(one, "Mia collects stamps.", "Mia collects stamps.")
    report = one.store.forget.carry_out(one.store.forget.plan(one.user.id, [key]))
    assert report.quoted == 1 and not report.own_quoted and "stamps" not in sentence(report)


def test_thanks_that_stand_elsewhere_too_are_no_leak(one: Person) -> None:
    key = told(one, "Mia collects stamps.", "Thanks, Mia collects stamps.")
    one.store.turns.add(one.session.id, ASSISTANT, "Got it, thanks for telling me.")
    told(one, "Tom sails.", "Tom sails.")
    for _ in range(2):
        one.store.turns.add(one.session.id, ASSISTANT, "Got it, thanks for telling me.")
    plan = one.store.forget.plan(one.user.id, [key])
    ids = [turn.id for turn in one.store.turns.of(one.session.id)][1:3]
    assert [turn.id for turn in (*plan.lines, *plan.replies)] == ids
    assert not one.store.forget.carry_out(plan).quoted


def test_a_reply_that_stands_elsewhere_too_is_one(one: Person) -> None:
    turn = namedtuple("turn", "speaker text")
    going = [turn("Kim", "I hit my wife"), turn(ASSISTANT, "Got it, thanks."), turn(ASSISTANT, "You hit your wife.")]
    assert tells(going, ["User hit her."]) == {"I hit my wife", "You hit your wife."}


def test_a_part_that_a_fact_has_not_is_no_part(one: Person) -> None:
    whole = told(one, "Tom is User's neighbour and his birthday is 3 May.", "Tom is my neighbour, born 3 May")
    parted = told(one, "Dorothy lives at 3 Mill Street, her telephone number is 01743 355201.")
    one_thing, two_things = [(whole, place) for place in (1, 0, -1)], [(parted, 2), (parted, -1)]
    for key, place in [*one_thing, *two_things]:
        there = "tells one thing" if key == whole else "Dorothy's telephone number is 01743 355201."
        with pytest.raises(InputError, match=there) as told_so:
            one.store.forget.plan(one.user.id, [key], parts=[(key, place)])
        assert f"there is no {key}.{place + 1}: " in str(told_so.value)
    assert one.store.forget.plan(one.user.id, [parted], parts=[(parted, 1)]).rests


def test_what_stays_is_said_of_words_that_mean_the_same_there(one: Person) -> None:
    """Not of the topic under which a fact is filed, and not of a piece of a longer number."""
    forget, remember = one.store.forget, one.store.facts.remember
    job = remember(one.user.id, "User", "former job", "User owed Erlend 38,500 kroner.").memory_id or 0
    remember(one.user.id, "User", "former job", "User takes 500 mg of naproxen with Erlend.")
    assert {mention.word for mention in forget.plan(one.user.id, [job]).stays} == {"erlend"}


def test_a_question_that_shares_an_everyday_word_stays(one: Person) -> None:
    key = told(one, "User is ten weeks pregnant, nobody knows.", "I'm ten weeks pregnant, nobody knows")
    one.store.turns.add(one.session.id, "User", "What do you know about Tom?")
    for keep_lines in (True, False):
        plan = one.store.forget.plan(one.user.id, [key], keep_lines=keep_lines)
        assert [turn.text for turn in (*plan.lines, *plan.replies)] == ["I'm ten weeks pregnant, nobody knows"]
