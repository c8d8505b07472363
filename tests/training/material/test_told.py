"""The talks that were written whole: every line is of the form, every question's answer is told."""

from __future__ import annotations

import random
from datetime import UTC, datetime
from pathlib import Path

import pytest

from chatmem.memory.values import ASSISTANT
from chatmem.models.prompts.messages import NOTHING
from chatmem.training.material.templates.led import led
from chatmem.training.material.templates.told import (
    _asked,
    asked_aslant,
    asked_more,
    further_talks,
    manner_talks,
    read_talk,
    short_talks,
    told_talks,
    unseen_further_talks,
    unseen_talks,
    unseen_week_talks,
    week_talks,
)  # fmt: skip
from chatmem.training.storage.template_rows import (
    manner_rows,
    short_rows,
    talk_rows,
    told_rows,
    unnamed,
    unnamed_rows,
    week_rows,
)

TALK = """Ana
L: hi, it's Ana! I adopted a beagle yesterday
F: pets | Ana adopted a beagle. | yesterday
A: How lovely!
L: my exam is on 3 May | or so
A: Good luck!
F: exam | Ana's exam is on 3 May.
L: it's on 9 May now, and forget the dog
U: 2 | exam | Ana's exam is on 9 May.
D: 1
A: Done.
Q: When is my exam? | Your exam is on 9 May. | 9, May | 3
X: Where was I born? | You haven't told me that.
G: are beagles good | or bad with cats?
"""


def test_a_talk_is_read_with_its_changes() -> None:
    talk = read_talk(TALK, datetime(2024, 5, 1, tzinfo=UTC))
    assert [gold.action for gold in talk.golds] == ["add", "add", "update", "delete"]
    assert talk.golds[0].happened_on == "2024-04-30" and talk.golds[0].date_phrase == "yesterday"
    assert talk.golds[2].replaces == 1 and talk.golds[3].replaces == 0
    assert [gold.fact for gold in talk.live.values()] == ["Ana's exam is on 9 May."]
    assert talk.lines[2].facts[0].topic == "exam" and talk.lines[3].speaker == ASSISTANT
    assert talk.lines[2].text == "my exam is on 3 May | or so"
    assert talk.questions[0].needs == 2 and talk.questions[1].needs is None
    assert talk.asides == ("are beagles good | or bad with cats?",)


def test_another_form_is_an_error() -> None:
    with pytest.raises(ValueError, match="begins no item"):
        read_talk("Ana\nZ: hm", datetime(2024, 5, 1, tzinfo=UTC))


def test_the_talks_hold_together() -> None:
    talks = [*told_talks(), *told_talks("valid")]
    assert len(talks) > 30 and len(told_talks()) > 6 * len(told_talks("valid"))
    manners = [*manner_talks(), *manner_talks("valid")]
    assert len(manners) > 150 and len(unseen_talks()) > 15
    assert not {one.lines for one in manners} & {one.lines for one in unseen_talks()}
    for talk in [*talks, *manners, *unseen_talks()]:
        assert len(talk.questions) > 8 and len(talk.golds) > 7, talk.user
        assert all(gold.fact for gold in talk.golds if gold.action != "delete")
        for question in talk.questions:
            assert question.needs is None or question.needs in talk.live, (talk.user, question.text)
            assert all(word.lower() in question.answer.lower() for word in question.key_words)


def test_more_is_asked_of_the_talks_that_are_learned_from() -> None:
    known = {(talk.user, talk.lines): talk for talk in [*told_talks(), *manner_talks()]}
    more = asked_more()
    assert len(more) == len(known) and sum(len(talk.questions) for talk in more) > 4000
    assert not {talk.lines for talk in more} & {talk.lines for talk in [*asked_more("valid"), *unseen_talks()]}
    for talk in more:
        asked = [question.text.lower() for question in talk.questions]
        assert len({*asked}) == len(asked) > 15, talk.user
        assert not {*asked} & {one.text.lower() for one in known[talk.user, talk.lines].questions}, talk.user
        said = " ".join(line.text.lower() for line in talk.lines if line.speaker == talk.user)
        for question in talk.questions:
            assert all(word.lower() in said for word in question.key_words), (talk.user, question.text)
            assert bool(question.key_words) == (question.needs is not None)


def test_all_talks_are_asked_about_aslant() -> None:
    own = [*told_talks(), *manner_talks(), *short_talks()]
    put = asked_aslant()
    assert len(put) == len(own)
    assert {talk.lines for talk in put} == {talk.lines for talk in own}
    assert not {talk.lines for talk in put} & {talk.lines for talk in [*asked_aslant("valid"), *unseen_talks("aslant")]}
    for talk in [*put, *unseen_talks("aslant")]:
        told = [question for question in talk.questions if question.needs is not None]
        assert len(told) == 6 and len(talk.questions) in (10, 11), talk.user
        for question in told:
            assert not {word.lower() for word in question.key_words} & {*question.text.lower().split()}, question.text


def test_questions_about_other_talks_are_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "questions").mkdir()
    (tmp_path / "told_1.txt").write_text("=== Ana\nL: hi\nQ: who? | me | me | 1\n", encoding="utf-8")
    (tmp_path / "questions" / "told_1.txt").write_text("=== Mia\nX: why? | I don't know.\n", encoding="utf-8")
    monkeypatch.setattr("chatmem.training.material.templates.told.__file__", str(tmp_path / "told.py"))
    paths = tmp_path / "told_1.txt", tmp_path / "questions" / "told_1.txt"
    with pytest.raises(ValueError, match="asks about other talks"):
        _asked(*paths)
    (tmp_path / "questions" / "told_1.txt").write_text("=== Ana\nX: why? | I don't know.\n", encoding="utf-8")
    assert _asked(*paths) == ["Ana\nL: hi\nX: why? | I don't know."]
    (tmp_path / "questions" / "told_1.txt").unlink()
    assert _asked(*paths) == ["Ana\nL: hi"]


def test_their_lines_teach_storage_what_to_keep_and_what_to_leave() -> None:
    targets = [row["completion"] for row in told_rows(1)]
    assert min(targets.count(NOTHING), sum(one.startswith("INSERT") for one in targets)) > 60
    assert sum("UPDATE memory" in one for one in targets) > 10


def test_lines_are_put_as_the_chat_puts_them() -> None:
    talk = read_talk(
        "Ana\nL: im a vet. who sings best?\nF: job | Ana is a vet.\nL: what time is it in Rome?\nL: ok\n",
        datetime(2024, 5, 1, tzinfo=UTC),
    )
    rows = [row for seed in range(9) for row in talk_rows(talk, random.Random(seed), as_read=True)]
    told = [row["messages"][-1][1] for row in rows if row["completion"] != NOTHING]
    assert len(told) == 9 and all(one.endswith("Ana: who sings best?\nStore:\nAna: I'm a vet.") for one in told)
    assert not any(row["messages"][-1][1].endswith("Rome?") for row in rows)  # what only asks reaches no model
    whole = [row["messages"][-1][1] for row in talk_rows(talk, random.Random(1))]
    assert whole[0].endswith("Store:\nAna: im a vet. who sings best?")


def test_manners_teach_storage_with_what_it_knows_beside_them() -> None:
    targets = [row["completion"] for row in manner_rows(1, most=40)]
    assert min(targets.count(NOTHING), sum("UPDATE memory" in one for one in targets)) > 50
    assert sum(one.startswith("INSERT") for one in targets) > 250


def test_further_talks_hold_together_and_two_manners_of_theirs_are_unseen() -> None:
    talks, unseen = [*further_talks(), *further_talks("valid")], unseen_further_talks()
    assert len(talks) > 360 and len(unseen) == 30 + 18
    assert not {one.lines for one in talks} & {one.lines for one in [*unseen, *short_talks(), *short_talks("valid")]}
    for talk in [*talks, *unseen]:
        changed = sum(gold.replaces is not None for gold in talk.golds)
        assert changed >= 2 and len(talk.asides) >= 1, talk.user
        assert all(talk.user in gold.fact and gold.fact[-1] in ".!?" for gold in talk.golds if gold.fact), talk.user
        told = [question for question in talk.questions if question.needs is not None]
        assert len(told) >= 4 and len(talk.questions) - len(told) >= 3, talk.user
        for question in talk.questions:
            assert question.needs is None or question.needs < len(talk.golds), (talk.user, question.text)
            assert all(word.lower() in question.answer.lower() for word in question.key_words), question.text


def test_first_weeks_change_much_and_five_writers_of_them_are_unseen() -> None:
    talks, unseen = [*week_talks(), *week_talks("valid")], unseen_week_talks()
    assert len(talks) > 360 and len(unseen) == 22 + 18 + 18 + 14 + 14
    assert not {one.lines for one in talks} & {one.lines for one in unseen}
    for talk in [*talks, *unseen]:
        said = [line for line in talk.lines if line.speaker == talk.user]
        assert len(said) >= 12 or sum(len(line.text.split()) for line in said) > 200, talk.lines[0]
        assert sum(gold.replaces is not None for gold in talk.golds) >= 4, talk.lines[0]
        assert all(gold.fact[-1] in ".!?" and gold.fact[:2] != "I " for gold in talk.golds if gold.fact), talk.lines[0]
        told = [question for question in talk.questions if question.needs is not None]
        assert len(told) >= 4 and len(talk.questions) - len(told) >= 3, talk.lines[0]
        for question in told:
            assert question.needs in talk.live, question.text
            assert all(word.lower() in question.answer.lower() for word in question.key_words), question.text


def test_short_talks_tell_facts_under_their_person_s_name() -> None:
    talks = [*short_talks(), *short_talks("valid")]
    assert all(len(talk.asides) == 4 for talk in unseen_talks())
    assert len(talks) > 150 and 80 < sum(talk.user == "User" for talk in talks) < 130
    assert not {one.lines for one in talks} & {one.lines for one in unseen_talks()}
    for talk in talks:
        assert any(line.facts for line in talk.lines), talk.lines[0]
        assert any(not line.facts for line in talk.lines if line.speaker == talk.user), talk.lines[0]
        assert all(talk.user in gold.fact and gold.fact[-1] in ".!?" for gold in talk.golds if gold.fact)
        assert len({*talk.asides}) == 4 and not {*talk.asides} & {one.text for one in talk.questions}, talk.user
        said = " ".join(line.text.lower() for line in talk.lines if line.speaker == talk.user)
        for question in talk.questions:
            assert question.needs is None or question.needs in talk.live, (talk.user, question.text)
            assert all(word.lower() in said for word in question.key_words), (talk.user, question.text)
    assert sum(len(talk.questions) for talk in talks) > 1400
    targets = [row["completion"] for row in short_rows(1, most=60)]
    assert targets.count(NOTHING) > 25 and sum("UPDATE memory" in one for one in targets) > 100


def test_a_talk_can_be_told_by_somebody_without_a_name() -> None:
    talk = unnamed(read_talk(TALK, datetime(2024, 5, 1, tzinfo=UTC)))
    assert talk.user == "User" and talk.lines[0].speaker == "User" and "it's Ana" in talk.lines[0].text
    assert [gold.fact for gold in talk.live.values()] == ["User's exam is on 9 May."]
    assert all("VALUES ('User'" in one for row in unnamed_rows(1, most=9) if "INSERT" in (one := row["completion"]))


MAY = datetime(2024, 5, 1, tzinfo=UTC)
LED = """User
L: my brother Leo moved in, he's a cook
F: home | User's brother Leo moved in.
F: work | Leo is a cook.
L: he bakes now. Mia visits, and Leon
U: 2 | work | Leo is a baker.
F: people | Mia visits Leo.
F: people | Leon visits.
"""


def test_facts_of_others_are_led_to_the_one_who_tells_them(monkeypatch: pytest.MonkeyPatch) -> None:
    talk = read_talk(LED, MAY)
    assert [gold.fact for gold in led(talk).golds] == [
        "User's brother Leo moved in.",
        "User's brother Leo is a cook.",
        "User's brother Leo is a baker.",
        "Mia visits User's brother Leo.",
        "Leon visits.",
    ]
    monkeypatch.setattr("chatmem.training.storage.template_rows.week_talks", lambda split: [talk])
    rows = week_rows(1)
    assert len(rows) == 2 and "User''s brother Leo is a cook." in rows[0]["completion"]
    told_by_al = "Al\nL: my sister Eva, and Alison\nF: people | Al's sister Eva is here.\nF: people | Eva knows Alison."
    assert [gold.fact for gold in led(read_talk(told_by_al, MAY)).golds][1] == "Al's sister Eva knows Alison."
    named = read_talk(TALK, MAY)
    monkeypatch.setattr("chatmem.training.storage.template_rows.week_talks", lambda split: [named])
    told = [row["completion"] for row in week_rows(1)]
    assert any("'Ana'" in one for one in told) and any("'User'" in one for one in told)
