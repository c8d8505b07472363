"""Plain words in a chat: what isn't surely a wish is talk unless the memory holds it; "it" is what was told last."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from chatmem.app.chat.forgetting import ALONE, unkept
from chatmem.app.shown import events as e
from chatmem.app.shown.choices import declined, dropped, passed_over
from chatmem.app.shown.forgetting import NOTHING, UNKEPT, UNREAD, UNSURE, nothing
from chatmem.memory.errors import ModelBroken
from chatmem.memory.language.language import Language
from tests.app.forgetting import Home, Told, home

SALARY = Told("my salary is 4210 euros", ("User's salary is 4210 euros.",), ("4210",), "", "what do I earn?", "4210.")
ROLF = Told("Rolf drinks too much", ("User's neighbour Rolf drinks too much.",), ("Rolf",), "", "who drinks?", "Rolf.")


@pytest.fixture
def person(tmp_path: Path) -> Iterator[Home]:
    with home(tmp_path / "home") as made:
        made.tell(SALARY)
        made.tell(ROLF)
        yield made


def question(events: list[e.Event]) -> str:
    (found,) = [event for event in events if isinstance(event, e.Asked)]
    return found.question


def is_talk(events: list[e.Event]) -> bool:
    return any(isinstance(event, e.TurnSaved) for event in events) and not any(
        isinstance(event, e.Asked) for event in events
    )


@pytest.mark.parametrize("line", ["erase my salary", "please delete my salary", "forget what my salary is",
                                  "don't remember my salary", "get rid of the note about my salary"])  # fmt: skip
def test_what_the_memory_holds_is_asked_about_in_whatever_words(person: Home, line: str) -> None:
    lines = person.store.stats(person.user.id)["turns"]
    assert SALARY.facts[0] in question(person.say(line)) and SALARY.line in question(person.say(line))
    assert person.store.stats(person.user.id)["turns"] == lines


@pytest.mark.parametrize("line", ["erase what I told you about Rolf", "remove everything about Rolf", "delete Rolf",
                                  "I would rather you forgot about Rolf, please"])  # fmt: skip
def test_somebody_is_forgotten_by_name(person: Home, line: str) -> None:
    assert ROLF.facts[0] in question(person.say(line)) and SALARY.facts[0] not in question(person.say(line))


@pytest.mark.parametrize("line", ["remove my shoes", "delete my account", "wipe my glasses", "clear my throat",
                                  "don't save my seat", "please don't save the file", "erase Rembrandt"])  # fmt: skip
def test_what_the_memory_does_not_hold_is_talk(person: Home, line: str) -> None:
    assert is_talk(person.say(line))


def test_it_is_what_was_told_last_and_talk_where_that_was_nothing(person: Home) -> None:
    for line in ("forget it", "hello there", "forget it", "never mind, forget it"):
        assert is_talk(person.say(line))
    person.say("/new")
    for number, line in enumerate(("forget it", "Please delete that.", "don't remember this", "never mind, forget it")):
        told = Told(f"I own {number + 3} kayaks", (f"User owns {number + 3} kayaks.",), (), "", "", "")
        person.script.book[told.line] = told
        person.say(told.line)
        assert told.line in question(person.say(line))
    person.say("how are you?")
    assert is_talk(person.say("forget it"))


def test_it_is_the_fact_that_was_noted_last(person: Home) -> None:
    person.say("/remember User plays the viola.")
    assert "User plays the viola." in question(person.say("forget it"))
    person.say("/remember User plays the cello.")
    person.say("how are you?")
    assert is_talk(person.say("forget it"))


def test_a_line_that_tells_what_not_to_keep_is_not_kept(person: Home) -> None:
    lines = person.store.stats(person.user.id)["turns"]
    (said,) = person.say("please don't remember this: my locker opens with 8812")
    assert isinstance(said, e.Notice) and said.text == UNKEPT
    assert person.store.stats(person.user.id)["turns"] == lines


def test_where_nothing_holds_the_words_the_nearest_facts_are_named(person: Home) -> None:
    row = person.store.facts.all(person.user.id)[0]
    assert nothing() == NOTHING
    assert f"#{row.id}  {row.fact}" in nothing([row]) and f"/forget {row.id}" in nothing([row])


def test_in_incognito_what_is_no_sure_wish_is_talk(person: Home) -> None:
    person.say("/incognito on")
    assert not any(isinstance(event, e.Failed) for event in person.say("erase my salary"))
    assert not any(isinstance(event, e.Failed) for event in person.say("forget it"))


def test_what_is_by_far_the_nearest_in_meaning_is_offered_as_that(tmp_path: Path) -> None:
    with home(tmp_path / "near", search=True) as one:
        facts = ("User's salary is 4210 euros.", "User has two cats, Nori and Wasabi.", "User lives in Graz.")
        for fact in facts:
            one.store.facts.remember(one.user.id, "User", "talk", fact)
        asked = question(one.say("forget how much I earn"))
        assert "comes nearest" in asked and facts[0] in asked and "Nori" not in asked
        (said,) = one.say("forget my shoe size")
        assert isinstance(said, e.Notice) and one.store.facts.all(one.user.id)


def test_words_that_only_come_near_are_never_erased_unasked(person: Home) -> None:
    (said,) = person.say("/forget the salary level --yes")
    assert isinstance(said, e.Asked) and "comes nearest" in said.question
    assert len(person.store.facts.all(person.user.id)) == 2


def test_a_statement_of_a_fact_is_named_by_its_number(person: Home) -> None:
    fact = "User lives in Graz and works as a nurse."
    row = person.store.facts.remember(person.user.id, "User", "talk", fact).memory_id
    (asked,) = person.say("forget where I live")
    assert isinstance(asked, e.Asked) and asked.command == f"/forget {row}.1 --keep-apart --yes"
    list(person.chat.submit(asked.command))
    assert "User works as a nurse." in {one.fact for one in person.store.facts.all(person.user.id)}
    assert not person.grep("Graz")


def test_what_is_regretted_right_after_it_was_told_is_asked_about_and_else_is_talk(person: Home) -> None:
    for line in ("that was private, drop it", "I shouldn't have told you that, forget it"):
        assert is_talk(person.say(line))
    for number, line in enumerate(("that was private, drop it", "I shouldn't have told you that. Forget it please.")):
        told = Told(f"I own {number + 3} kayaks", (f"User owns {number + 3} kayaks.",), (), "", "", "")
        person.script.book[told.line] = told
        person.say(told.line)
        assert told.line in question(person.say(line))
    person.say("I own a boat")
    for line in ("let's drop it, how is your day?", "forget it, we'll take the train", "he took that back"):
        assert is_talk(person.say(line))


SOME_OF_ROLF = """Forget what Rolf did|forget everything Rolf told me|I take that back about Rolf
Never mention Rolf again|I told you about Rolf. Please delete that."""


@pytest.mark.parametrize("line", SOME_OF_ROLF.replace("\n", "|").split("|"))
def test_a_secret_is_asked_about_and_not_told(person: Home, line: str) -> None:
    assert ROLF.facts[0] in question(person.say(line))
    assert is_talk(person.say(line.replace("Rolf", "Ingrid"))) or "Please" in line


def test_a_wish_that_is_not_understood_is_told_so_and_no_model_says_that_it_is_done(person: Home) -> None:
    events = person.say("Please wipe the slate clean about Rolf")
    assert [event.turn.text for event in events if isinstance(event, e.ReplyFinished)] == [UNREAD]
    assert person.store.facts.all(person.user.id)


class Reader:
    """Takes each line that names a ladder for a wish, and what names a word of `means` for meant; of a rope it is not
    so sure."""

    means: tuple[str, ...] = ("Rolf",)

    def is_wish(self, text: str, before: str = "", above: float = 0.0) -> bool:
        return "ladder" in text or ("rope" in text and above < 1)

    def is_talk(self, text: str, before: str = "") -> bool:
        return "anyway" in text

    def meant(self, text: str, facts: Sequence[str], before: str = "") -> list[int]:
        return [at for at, fact in enumerate(facts) if any(word in fact for word in self.means)]

    def nearest(self, text: str, facts: Sequence[str], before: str = "") -> list[int]:
        return [at for at, fact in enumerate(facts) if "salary" in fact]

    def without(self, text: str, language: Language, before: str = "", above: float = 3.0) -> str:
        return " ".join(one for one in text.split(". ") if "ladder" not in one)


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> Reader:
    made = Reader()
    monkeypatch.setattr("chatmem.models.chat.forgetting.wished.wishes", lambda: made)
    return made


def test_a_wish_in_words_that_no_rule_knows_asks_about_what_it_means(person: Home, reader: Reader) -> None:
    lines = person.store.stats(person.user.id)["turns"]
    asked = question(person.say("Whoever drinks, up the ladder and away with it"))
    assert ROLF.facts[0] in asked and SALARY.facts[0] not in asked and "comes nearest" in asked
    said = person.say("I bake bread on Sundays. Whoever drinks, up the ladder with it")
    assert ALONE in [event.text for event in said if isinstance(event, e.Notice)] and ROLF.facts[0] in question(said)
    assert person.store.stats(person.user.id)["turns"] == lines


def test_one_that_means_nothing_known_is_of_the_line_before_or_talk_with_a_word_of_it(
    person: Home, reader: Reader
) -> None:
    reader.means = ()
    events = person.say("Whoever drinks for so many euros shall go up the ladder")
    (told_beside,) = [event.text for event in events if isinstance(event, e.Notice)]
    assert is_talk(events) and told_beside.startswith(UNSURE)
    assert SALARY.facts[0] in told_beside and ROLF.facts[0] not in told_beside
    for number, thing in ((3, "kayaks"), (7, "sledges")):
        told = Told(f"I own {number} {thing}", (f"User owns {number} {thing}.",), (), "", "", "")
        person.script.book[told.line] = told
        person.say(told.line)
        if thing == "kayaks":
            assert is_talk(person.say("Would you look at this fella, up the rope"))
    assert told.line in question(person.say("That goes up the ladder"))


@pytest.mark.parametrize("then", ["no", "I had soup for lunch", "/help", None])
def test_a_line_that_was_taken_for_a_wish_is_told_after_all_without_a_yes(
    person: Home, reader: Reader, then: str | None
) -> None:
    line = "Whoever drinks, up the ladder and away with it"
    assert question(person.say(line))
    events = person.say(then) if then else person.chat.declined() or []
    told = person.store.turns.by_id(person.user.id, range(1, 99))
    assert [one.text for one in told].count(line) == 1
    assert not any(isinstance(event, e.Failed) for event in events)
    person.say("how are you?")
    assert [one.text for one in person.store.turns.by_id(person.user.id, range(1, 99))].count(line) == 1


def test_who_goes_on_with_another_wish_is_not_told_that_the_line_is_kept(person: Home, reader: Reader) -> None:
    (asked,) = [one for one in person.say("Whoever drinks, up the ladder") if isinstance(one, e.Asked)]
    assert "is kept" in declined(asked) and "kept" not in passed_over(asked) + dropped(asked)
    assert question(person.say("Please forget my salary"))
    assert "ladder" not in " ".join(one.text for one in person.store.turns.by_id(person.user.id, range(1, 99)))


def test_with_a_yes_it_is_kept_nowhere_nor_is_a_plain_wish(person: Home, reader: Reader) -> None:
    (asked,) = [one for one in person.say("Whoever drinks, up the ladder") if isinstance(one, e.Asked)]
    person.say(asked.command)
    assert question(person.say("Please forget my salary"))
    person.say("no")
    said = [one.text for one in person.store.turns.by_id(person.user.id, range(1, 99))]
    assert not any("ladder" in one or "forget" in one for one in said)


def test_what_only_has_the_words_of_a_wish_is_talk_where_nothing_known_holds_them(person: Home, reader: Reader) -> None:
    assert is_talk(person.say("Forget the glacier, we're off to the quarry anyway"))
    assert not is_talk(person.say("Forget the glacier that I told you of"))
    assert question(person.say("Forget Rolf, we're off to the quarry anyway"))
    events = person.say("Forget the gym tonight anyway")
    assert is_talk(events) and not [
        one for one in events if isinstance(one, e.ReplyFinished) and one.turn.text == UNREAD
    ]


def test_what_a_plain_wish_means_is_found_where_nothing_holds_its_words(person: Home, reader: Reader) -> None:
    asked = question(person.say("please forget my neighbour's songs in the shower"))
    assert ROLF.facts[0] in asked and SALARY.facts[0] not in asked and "comes nearest" in asked


def test_nothing_is_read_for_such_a_wish_in_incognito(person: Home, reader: Reader) -> None:
    person.say("/incognito")
    events = person.say("Whoever drinks, up the ladder and away with it")
    assert is_talk(events) and not [event for event in events if isinstance(event, e.Notice)]


def test_a_reader_that_fails_loses_no_line(person: Home, reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(text: str, before: str = "", above: float = 0.0) -> bool:
        raise ModelBroken("the file is cut off")

    monkeypatch.setattr(reader, "is_wish", fails)
    assert is_talk(person.say("Whoever drinks, up the ladder and away with it"))


def test_a_reply_that_says_that_something_is_forgotten_is_contradicted() -> None:
    (told,) = [event.text for event in unkept("Sure. I'll forget that for you.") if isinstance(event, e.Notice)]
    assert "“I'll forget”, but nothing was forgotten" in told
    assert list(unkept("I have deleted it from my memory."))
    assert not list(unkept("I've removed the second loop and deleted its test."))
    assert not list(unkept("I'll never forget that.")) and not list(unkept("I won't forget it."))


def both_asked(person: Home) -> str:
    return question(person.say("/forget " + " ".join(str(one.id) for one in person.store.facts.all(person.user.id))))


def test_an_answer_that_names_some_of_what_was_shown_asks_about_that_alone(person: Home) -> None:
    asked = both_asked(person)
    assert SALARY.facts[0] in asked and ROLF.facts[0] in asked
    asked = question(person.say("Yes, but only the salary, Rolf must stay"))
    assert SALARY.facts[0] in asked and ROLF.facts[0] not in asked
    assert len(person.store.facts.all(person.user.id)) == 2
    assert is_talk(person.say("the weather is fine")) and is_talk(person.say("only the salary"))


@pytest.mark.parametrize("between", ["/help", "/new", "/incognito", "/user Bea"])
def test_such_an_answer_is_talk_where_the_question_is_not_the_last_thing(person: Home, between: str) -> None:
    both_asked(person)
    person.say(between)
    assert not [event for event in person.say("yes, only the salary") if isinstance(event, (e.Asked, e.Failed))]


def test_such_an_answer_after_a_no_or_the_yes_is_talk(person: Home) -> None:
    both_asked(person)
    person.chat.declined()
    assert is_talk(person.say("Just the salary"))
    both_asked(person)
    for one in person.store.facts.all(person.user.id):
        person.store.forget.memories(person.user.id, [one.id])
    assert is_talk(person.say("yes, only the salary"))


def test_what_is_to_stay_does_not_go_with_the_line_that_told_both(person: Home) -> None:
    told = Told(
        "I owe 977 on the Visa and 213 for the Skoda", ("User owes 977 on the Visa.", "User pays 213 for the Skoda."),
        ("Visa",), "", "what do I owe?", "977.",
    )  # fmt: skip
    person.tell(told)
    both_asked(person)
    (asked,) = [one for one in person.say("yes, but the Skoda must stay") if isinstance(one, e.Asked)]
    assert told.facts[1] not in asked.question and told.facts[0] in asked.question
    person.say(asked.command)
    assert [one.fact for one in person.store.facts.all(person.user.id)] == [told.facts[1]]


def test_a_part_that_was_to_stay_stays(person: Home) -> None:
    fact = "Tom's birthday is on 4 May, and Tom plays chess."
    told = Told(fact[:-1], (fact,), (), "", "when is Tom's birthday?", "4 May.")
    person.tell(told)
    key, other = person.facts_of(told)[0], person.facts_of(SALARY)[0]
    assert "birthday" in question(person.say(f"/forget {key}.2 {other}"))
    (asked,) = [one for one in person.say("only the chess") if isinstance(one, e.Asked)]
    person.say(asked.command)
    assert any("birthday" in one.fact for one in person.store.facts.all(person.user.id))
