"""What a model that reads instructions is shown: the whole talk, notes in the second person, no line cut."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from chatmem.memory.errors import EndpointError, PromptTooLong, ReplyBroken
from chatmem.memory.values import Memory, Recall, RecallItem, Turn, User
from chatmem.models.chat.acknowledged import SORRY, THANKS
from chatmem.models.chat.answer import AnswerAgent
from chatmem.models.chat.broken_off import GO_ON, gone_on, overlap
from chatmem.models.chat.notes import notes
from chatmem.models.chat.running_talk import Said, running_talk, shortened
from chatmem.models.chat.second_person import to_second_person
from chatmem.models.chat.telling import Talkers
from chatmem.models.decoding.scripted import ScriptedLine, ScriptedLM
from chatmem.models.decoding.thought import split_thoughts
from chatmem.models.files.profiles.make import Told, make
from chatmem.models.files.profiles.profile import SHIPPED, Profile
from chatmem.models.lm import Chunk, Message, Options

NOW = "2026-05-08T12:00:00Z"
USER = User(1, "me", "Joseph")
CAPABLE = make(Told("qwen2.5-7b", parameters=7, trained_window=32768))
EMBEDDED_SYSTEM = (
    "You are a friendly assistant, talking with Joseph. Today is 8 May 2026. "
    "Use the memory; if it doesn't hold the answer, say so."
)
PROGRAM = "def area(r):\n    return 3.14159 * r * r\n\n\nprint(area(2))"


def memory(fact: str, **more: object) -> Memory:
    told = {"id": 1, "user_id": 1, "subject": "Joseph", "topic": "x", "fact": fact, "happened_on": None, "said_at": NOW,
            "valid_from": NOW, "valid_to": None, "pinned": False, "created_by": "x"}  # fmt: skip
    return Memory(**{**told, **more})  # type: ignore[arg-type]


def turn(number: int, speaker: str, text: str) -> Turn:
    return Turn(number, 1, 1, speaker, text, NOW)


def agent(profile: Profile = CAPABLE, *replies: str, **more: object) -> AnswerAgent:
    lm = ScriptedLM(replies or ["Fine."], profile=profile, context_tokens=profile.window)
    return AnswerAgent(lm, **more)  # type: ignore[arg-type]


FACTS = {
    "Joseph's wife is Amina.": "Your wife is Amina.",
    "Joseph works as a roofer in Leeds.": "You work as a roofer in Leeds.",
    "Joseph is allergic to shellfish.": "You are allergic to shellfish.",
    "Joseph has two cats and loves tea.": "You have two cats and love tea.",
    "Joseph never eats meat.": "You never eat meat.",
    "Joseph studies law and goes running.": "You study law and go running.",
    "Joseph moved to Rome in 2020.": "You moved to Rome in 2020.",
    "Amina met Joseph at Joseph's school.": "Amina met you at your school.",
    "Amina is a nurse.": "Amina is a nurse.",
    "Joseph was born in Graz and misses it.": "You were born in Graz and miss it.",
}


@pytest.mark.parametrize(("fact", "told"), FACTS.items())
def test_facts_are_told_to_the_user(fact: str, told: str) -> None:
    assert to_second_person(fact, "Joseph") == told


def test_a_user_without_a_name_is_told_as_well() -> None:
    assert to_second_person("The user's name is Ana.", "User") == "Your name is Ana."
    assert to_second_person("User lives in Graz.", "User") == "You live in Graz."


def test_notes_are_dated_and_name_their_source() -> None:
    items = (
        RecallItem(1.0, memory("Joseph's wife is Amina.", valid_to=NOW), (turn(3, "Joseph", "Amina is my wife"),)),
        RecallItem(0.5, memory("Joseph moved to Rome.", happened_on="2020-05"), ()),
        RecallItem(0.4, None, (turn(4, "assistant", "Rome is lovely"),)),
    )
    assert notes(Recall("since when?", items), Talkers(other="Joseph"), 200) == [
        "Until 8 May 2026: Your wife is Amina. (told 8 May 2026)",
        'Joseph said on 8 May 2026: "Amina is my wife"',
        "You moved to Rome. (May 2020; told 8 May 2026)",
        'Assistant said on 8 May 2026: "Rome is lovely"',
    ]


def test_a_program_that_was_recalled_keeps_its_lines() -> None:
    found = notes(Recall("q", (RecallItem(1.0, None, (turn(1, "Joseph", PROGRAM),)),)), Talkers(other="Joseph"), 200)
    assert found[0].endswith(PROGRAM)


def test_the_whole_talk_is_in_the_prompt_word_for_word() -> None:
    long = "A whole reply. " * 300
    talk = [turn(1, "Joseph", PROGRAM), turn(2, "assistant", long), *(
        turn(n, "Joseph" if n % 2 else "assistant", f"line {n}") for n in range(3, 41))]  # fmt: skip
    messages = agent().prompt(USER, Recall("q"), talk, "and now?", NOW)
    assert [message.content for message in messages[1:-1]] == [PROGRAM, long, *(f"line {n}" for n in range(3, 41))]
    assert [message.role for message in messages[1:]] == ["user", "assistant"] * 20 + ["user"]
    assert messages[-1].content == "and now?"


def test_what_is_shown_as_talk_is_not_shown_again_as_a_note() -> None:
    said = turn(1, "Joseph", "I like tea")
    recall = Recall("q", (RecallItem(1.0, None, (said,)), RecallItem(0.5, memory("Joseph has a dog."), (said,))))
    messages = agent().prompt(USER, recall, [said, turn(2, "assistant", "Nice")], "what do I like?", NOW)
    assert messages[-1].content == (
        "Notes from memory:\n- You have a dog. (told 8 May 2026)\n\nwhat do I like?"
    )  # fmt: skip
    alone = agent().prompt(USER, recall, [], "what do I like?", NOW)
    assert 'Joseph said: "I like tea"' in alone[-1].content


def test_the_prompt_begins_alike_at_every_turn() -> None:
    talk = [turn(n, "Joseph" if n % 2 else "assistant", f"line {n}") for n in range(1, 8)]
    recall = Recall("q", (RecallItem(1.0, memory("Joseph has a dog."), ()),))
    before = agent().prompt(USER, recall, talk[:4], "line 5", NOW)
    after = agent().prompt(USER, Recall("r"), talk[:6], "line 7", NOW)
    assert after[: len(before) - 1] == before[:-1]


def test_small_models_are_shown_what_is_meant_and_the_persona_leads() -> None:
    small = agent(replace(CAPABLE, parameters=1.5), persona="You are a pirate.")
    messages = small.prompt(USER, Recall("q"), [], "hi", NOW)
    assert messages[0].content.startswith("You are a pirate. You are talking with Joseph. Today is Friday, 8 May 2026.")
    assert [message.role for message in messages] == ["system", *["user", "assistant"] * 4, "user"]
    smallest = agent(replace(CAPABLE, parameters=0.5)).prompt(USER, Recall("q"), [], "hi", NOW)
    assert len(smallest) == len(messages) - 2  # it would take the line that only tells for one to be said again
    assert len(agent().prompt(USER, Recall("q"), [], "hi", NOW)) == 2


def test_a_line_that_only_tells_is_thanked_for_where_a_small_model_would_say_it_again() -> None:
    talk = [turn(1, "Joseph", "hello there"), turn(2, "assistant", "Hello!")]

    def replied(line: str, size: float = 1.5, before: Sequence[Turn] = talk, **more: Any) -> str:
        one = agent(replace(CAPABLE, parameters=size), **more)
        return "".join(chunk.text for chunk in one.reply(USER, Recall("q"), before, line, NOW))

    told = "My sister works at the post office."
    own = replied("Where does my sister work?")
    assert replied(told) == THANKS[0]
    assert replied("My dad died last night.") == SORRY
    assert {
        replied(told, size=7.0), replied(told, before=[]), replied(told, persona="You are a pirate."),
        replied("It throws a KeyError on line 5 after the restart."),
        replied(told, before=[*talk[:1], turn(2, "assistant", "word " * 80)]),
        replied("Write me a poem about my sister."), replied(f"{told} " * 12), replied(f"{told}\nclass A: pass"),
    } == {own}  # fmt: skip


def test_what_is_told_after_a_long_reply_is_not_answered_with_that_reply_once_more() -> None:
    rhyme = "Sure, here's a rhyme: " + "otters swim and otters play. " * 20
    talk = [turn(1, "Joseph", "write a rhyme"), turn(2, "assistant", rhyme.strip())]
    line = "By the way my little boy Ben is 4 and will only eat beige food"

    def replied(says: str) -> str:
        one = agent(replace(CAPABLE, parameters=1.5), says)
        return "".join(chunk.text for chunk in one.reply(USER, Recall("q"), talk, line, NOW))

    assert replied(rhyme.strip()) == THANKS[0]
    assert replied("Shall I add him to the rhyme?") == "Shall I add him to the rhyme?"


def test_older_lines_that_were_only_thanked_for_are_left_out_of_a_small_models_talk() -> None:
    talk = [turn(n, "Joseph" if n % 2 else "assistant", THANKS[0] if n in (4, 6, 8) else f"t {n}") for n in range(1, 9)]
    small_one = agent(replace(CAPABLE, parameters=1.5)).prompt(USER, Recall("q"), talk, "and?", NOW)
    assert [one.content for one in small_one[9:]] == ["t 1", "t 2", "t 5", THANKS[0], "t 7", THANKS[0], "and?"]
    assert len(agent().prompt(USER, Recall("q"), talk, "and?", NOW)) == 10
    nowhere = [replace(one, id=0) for one in talk]  # in incognito the talk alone holds them
    assert len(agent(replace(CAPABLE, parameters=1.5)).prompt(USER, Recall("q"), nowhere, "and?", NOW)) == 18


def test_a_small_model_is_shown_ones_own_lines_as_they_are_said_to_one() -> None:
    lines = ["I live in Graz with my aunt", "Do you like my aunt?", "ich wohne in Graz bei meiner Tante", "one\ntwo\nI"]
    recall = Recall("q", tuple(RecallItem(1.0, None, (turn(n, "Joseph", line),)) for n, line in enumerate(lines, 1)))
    told = [replace(recall, items=recall.items[:2]), replace(recall, items=recall.items[2:])]
    small_one = agent(replace(CAPABLE, parameters=1.5))
    small = "".join(small_one.prompt(USER, one, [], "where do I live?", NOW)[-1].content for one in told)
    assert "You said: you live in Graz with your aunt" in small or "You said: You live in Graz with your aunt" in small
    assert 'Joseph said: "Do you like my aunt?"' in small and 'Joseph said: "ich wohne' in small
    assert "Joseph said:\none\ntwo\nI" in small
    large = agent().prompt(USER, recall, [], "where do I live?", NOW)[-1].content
    assert 'Joseph said: "I live in Graz with my aunt"' in large


def test_a_small_model_is_told_in_which_language_to_begin() -> None:
    small, asked = agent(replace(CAPABLE, parameters=1.5)), "Quel est mon métier ?"
    first = small.prompt(USER, Recall(asked), [], asked, NOW)
    assert first[-1].content == f"{asked}\n\n(Reply in French.)"  # else in that of the exchanges that it is shown
    talk = [turn(1, "Joseph", "bonjour"), turn(2, "assistant", "Bonjour !")]
    assert small.prompt(USER, Recall(asked), talk, asked, NOW)[-1].content == asked
    assert agent().prompt(USER, Recall(asked), [], asked, NOW)[-1].content == asked
    assert "(Reply in" not in small.prompt(USER, Recall("q"), [], "what is my job?", NOW)[-1].content


def test_a_small_model_is_shown_few_notes_and_the_best_last() -> None:
    things = ["a kayak", "two hens", "a loom", "an old organ", "bees", "a telescope"]
    items = tuple(RecallItem(1.0, None, (turn(n, "Joseph", f"I have {one}"),)) for n, one in enumerate(things, 1))
    small = agent(replace(CAPABLE, parameters=1.5))

    def shown(recall: Recall, of: AnswerAgent = small) -> list[str]:
        text = of.prompt(USER, recall, [], recall.query, NOW)[-1].content
        return [one for one in text.splitlines() if one.startswith("- ")]

    said = [f"- You said: You have {one}" for one in things]
    assert shown(Recall("I painted the fence", items)) == said[2::-1]
    asked = shown(Recall("Remember our talk? On which instrument, that organ, do I play?", items))
    assert asked[-3:] == said[2::-1] and said[3] in asked and len(asked) in (4, 5)  # the reader found the organ
    assert len(shown(Recall("Remember our talk?", items, sql="SELECT * FROM memory;"))) == len(things)
    assert len(shown(Recall("which instrument do I play?", items), agent())) == len(things)


def test_only_somebody_with_a_life_is_shown_how_to_tell_of_it() -> None:
    profile = replace(CAPABLE, parameters=1.5)
    lm = ScriptedLM(["ok"], context_tokens=4096, profile=profile)
    shown = ["".join(one.content for one in AnswerAgent(lm, me=me).prompt(USER, Recall("q"), [], "hi", NOW))
             for me in ("assistant", "Ana")]  # fmt: skip
    assert ["I wanted coffee." in one for one in shown] == [False, True]


def count(text: str) -> int:
    return len(text.split())


def test_the_oldest_talk_goes_first_and_in_steps_and_no_line_is_cut() -> None:
    said = [Said("user" if n % 2 == 0 else "assistant", f"line {n} " + "word " * 10, n) for n in range(40)]
    kept = running_talk(said, 200, count)
    assert kept == said[-len(kept) :]
    assert kept[0].role == "user"
    assert kept[0].turn_id % 8 == 0
    assert running_talk(said, 10_000, count) == said
    assert running_talk(said, 0, count) == []
    assert running_talk(said[:-2], 200, count)[0] == kept[0], "for some turns the beginning stays as it was"


def test_a_line_larger_than_the_room_keeps_whole_lines_of_its_ends() -> None:
    text = "\n".join(f"row {n} of it" for n in range(1000))
    short = shortened(text, 100, count)
    assert count(short) <= 100
    lines = short.splitlines()
    assert (lines[0], lines[-1]) == ("row 0 of it", "row 999 of it")
    assert f"[… {1000 - len(lines) + 1} lines are left out here]" in lines
    assert set(lines) - set(text.splitlines()) == {line for line in lines if line.startswith("[…")}


def test_replies_are_as_long_as_the_profile_says() -> None:
    lm = ScriptedLM(["word " * 600], profile=CAPABLE, context_tokens=CAPABLE.window)
    chunks = list(AnswerAgent(lm).reply(USER, Recall("q"), [], "write me a story", NOW))
    assert len("".join(chunk.text for chunk in chunks).split()) == 600
    assert chunks[-1].finish == "stop"
    assert lm.calls[0][1].max_tokens == 1024


def test_temperature_and_the_rest_come_from_the_profile() -> None:
    lm = ScriptedLM(["Yes."], profile=replace(CAPABLE, temperature=0.4, top_p=0.8), context_tokens=8192)
    list(AnswerAgent(lm).reply(USER, Recall("q"), [], "hi", NOW))
    assert (lm.calls[0][1].temperature, lm.calls[0][1].top_p) == (0.4, 0.8)


def pieces(*texts: str) -> Iterator[Chunk]:
    yield from map(Chunk, texts)
    yield Chunk("", "stop", 1, 0, len(texts))


@pytest.mark.parametrize(
    ("texts", "reply", "thought"),
    [
        (("<think>", "hm, ", "so", "</think>", "\n\nHello"), "Hello", "hm, so"),
        (("<th", "ink>a<b", "</thi", "nk>", "Hi ", "you"), "Hi you", "a<b"),
        (("Plain ", "words <think> and on"), "Plain words <think> and on", ""),
        (("\n<think>\n</think>\n\nHi",), "Hi", "\n"),
        (("<think>never done",), "", "never done"),
        (("<t",), "<t", ""),
    ],
)
def test_thoughts_are_no_part_of_the_reply(texts: Sequence[str], reply: str, thought: str) -> None:
    chunks = list(split_thoughts(pieces(*texts)))
    assert "".join(chunk.text for chunk in chunks) == reply
    assert "".join(chunk.thought for chunk in chunks) == thought
    assert chunks[-1].finish == "stop"


def broken(text: str, at: int) -> ScriptedLine:
    return ScriptedLine(text, fail_at=at, error=ReplyBroken("it broke off"))


def said(lm: ScriptedLM) -> str:
    return "".join(chunk.text for chunk in gone_on(lm, [Message("user", "count")], Options()))


def test_a_reply_that_breaks_off_is_gone_on_with() -> None:
    lm = ScriptedLM([broken("one two three four five six", 3), "two three four five six seven"])
    assert said(lm) == "one two three four five six seven"
    assert [message.content for message in lm.calls[1][0]] == ["count", "one two three ", GO_ON]
    assert overlap("a sentence and", "and then") == 0, "a short word is no sign of anything"


def test_a_reply_that_breaks_off_before_its_first_word_is_asked_for_again() -> None:
    lm = ScriptedLM([broken("one two", 0), "one two"])
    assert said(lm) == "one two"
    assert lm.calls[0][0] == lm.calls[1][0]


def test_a_reply_that_breaks_off_twice_is_an_error_with_what_came_kept() -> None:
    lm = ScriptedLM([broken("one two three four", 2), broken("three four", 1)])
    came = []
    with pytest.raises(EndpointError, match="broke off"):
        for chunk in gone_on(lm, [Message("user", "count")], Options()):
            came.append(chunk.text)
    assert "".join(came).startswith("one two ")


def test_a_prompt_that_is_too_long_is_made_shorter_and_tried_again() -> None:
    long = ScriptedLine("x", fail_at=0, error=PromptTooLong("too long"))
    lm = ScriptedLM([long, long, "Yes."], profile=CAPABLE, context_tokens=CAPABLE.window)
    talk = [turn(n, "Joseph" if n % 2 else "assistant", "word " * 200) for n in range(1, 41)]
    chunks = list(AnswerAgent(lm).reply(USER, Recall("q"), talk, "and now?", NOW))
    assert "".join(chunk.text for chunk in chunks) == "Yes."
    sizes = [sum(count(message.content) for message in messages) for messages, _ in lm.calls]
    assert sizes[0] > 1.8 * sizes[1] > 3 * sizes[2] > 0
    assert lm.calls[-1][0][-1].content == "and now?"


def test_the_embedded_model_s_prompt_is_what_it_was_trained_on() -> None:
    said = turn(1, "Joseph", "Amina is my wife")
    recall = Recall("who is my wife?", (RecallItem(1.0, memory("Joseph's wife is Amina."), (said,)),))
    talk = [turn(2, "Joseph", "hi there"), turn(3, "assistant", "word " * 130)]
    messages = agent(SHIPPED).prompt(USER, recall, talk, "who is my wife?", NOW)
    assert [(message.role, message.content) for message in messages] == [
        ("system", EMBEDDED_SYSTEM),
        ("user", "hi there"),
        ("assistant", " ".join(["word"] * 120)),
        ("user", "Memory:\n- Joseph's wife is Amina.\n- you: Amina is my wife\n\nwho is my wife?"),
    ]  # fmt: skip
