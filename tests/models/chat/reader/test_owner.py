"""Whose it is that was told, by the grammar of question and sentence."""

from __future__ import annotations

import pytest

from chatmem.models.chat.reader.owner import another_s, names_in, owner_of


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("When is my birthday?", "My neighbour Solvei has her birthday on 4 May, I always bring her tulips."),
        ("When is my birthday?", "My neighbour Solvei has her birthday on 4 May, I always bake her a cake."),
        ("When is my birthday?", "Ana's brother Rui has a birthday on 4 May."),
        ("What is my favourite drink?", "her favourite drink is mint tea"),
        ("What is my wife's job?", "My wife's cousin Tarek runs a kiosk"),
        ("What's my house number?", "My parents live in the same lane, at number 84."),
        ("what am I allergic to?", "my boss is allergic to cashews"),
        ("Where do I work?", "Solvei works at the lock."),
        ("Am I allergic to nuts?", "Solvei is allergic to nuts."),
        ("Did I have my hip replaced?", "Ana's sister Ida had her hip replaced in May."),
        ("Was I a piano teacher?", "My wife was a piano teacher."),
    ],
)
def test_what_was_told_of_another_is_another_s(question: str, sentence: str) -> None:
    owner = owner_of(question)
    assert owner is not None
    assert another_s(owner, sentence, "Ana", {"solvei"})


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("When is my birthday?", "My birthday is on 4 May, Solvei's on the 5th."),
        ("What is my wife's job?", "My wife runs a kiosk"),
        ("What's my house number?", "Ana lives at Heron Lane 48."),
        ("Where are my hearing aids?", "Agnete has hearing aids, mine are in the drawer."),
        ("When am I at the dentist's?", "My son Rui drives me to the dentist on Monday."),
        ("how do I get to work?", "Ana's brother Rui takes her to work."),
        ("What car have I got?", "the Volvo has a new gearbox"),
        ("Where do I work?", "Winter pays better, I work at the lifts then."),
    ],
)
def test_what_is_the_asker_s_or_nobody_s_is_not(question: str, sentence: str) -> None:
    owner = owner_of(question)
    assert owner is None or not another_s(owner, sentence, "Ana", {"solvei", "rui"})


@pytest.mark.parametrize("question", ["Where does my aunt live?", "when do I see Rui?", "who has a canoe?", "why?"])
def test_a_question_that_names_others_asks_of_them_too(question: str) -> None:
    assert owner_of(question) is None


def test_names_stand_inside_sentences() -> None:
    assert names_in(["Volvo sold, then Solvei came.", "So we left"]) == {"solvei"}
