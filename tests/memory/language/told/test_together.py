"""Who is told of beside the speaker is not lost where two do something to each other."""

from __future__ import annotations

import pytest

from chatmem.memory.language.told.together import parted_ways, told_of_one


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("Tess and I broke up last week.", "I broke up with Tess last week."),
        ("Paul and I have separated.", "I have separated from Paul."),
        ("So my husband Paul and I got divorced in spring.", "So I got divorced from my husband Paul in spring."),
        ("Sad news: my boyfriend and I split up in May.", "Sad news: I split up with my boyfriend in May."),
        ("me and Jelle broke up on Sunday", "I broke up with Jelle on Sunday"),
        ("In May, Tess and I moved in together.", "In May, I moved in with Tess."),
        ("Yesterday Tess and I fell out over money", "Yesterday I fell out with Tess over money"),
        ("Tess Miller and I are no longer together", "I am no longer together with Tess Miller"),
        ("Ana and I aren't together anymore", "I am not together with Ana anymore"),
        ("Tom and I are getting married in June!", "I am getting married to Tom in June!"),
        ("My sister and I fell out over the house", "I fell out with my sister over the house"),
        ("Tom and I've finally got engaged", "I have finally got engaged to Tom"),
        ("Frances and I have not spoken since August; it hurts", "I have not spoken to Frances since August; it hurts"),
        ("My sister and I aren't speaking.", "I am not speaking to my sister."),
        ("Tess and I are not on speaking terms at the moment", "I am not on speaking terms with Tess at the moment"),
    ],
)
def test_what_two_do_with_each_other_is_told_of_the_speaker(typed: str, read: str) -> None:
    assert told_of_one(typed) == read


@pytest.mark.parametrize(
    "line",
    [
        "Tess and I broke up a fight at the bar.",
        "Tess and I split the bill.",
        "Tess and I have spoken at a conference.",
        "Tess and I have not spoken to the doctor yet.",
        "My aunt and I are not talking about money.",
        "Tess and I went to the cinema.",
        "Tom, Tess and I split up at the station.",
        "We split up.",
        "Tess and Paul broke up.",
        "I saw Tess and I waved",
        "My brother and I are divorced.",
        "My sister and I are both married.",
        "Mum and I separated at the station",
        "My friend Tom and I got engaged in May",
    ],
)
def test_all_else_is_left_as_it_was_typed(line: str) -> None:
    assert told_of_one(line) == line


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("We're over.", "We broke up."),
        ("ruben and i are over now", "ruben and i broke up now"),
        ("Me and Tess are through, she dumped me", "Me and Tess broke up, she dumped me"),
        ("we're done, i'm single again", "we broke up, i'm single again"),
        ("we're done, the kitchen is painted", "we're done, the kitchen is painted"),
        ("we're over budget", "we're over budget"),
        ("when we're over, i'll move", "when we're over, i'll move"),
        ("Mum and I are over", "Mum and I are over"),
    ],
)
def test_a_couple_that_is_over_broke_up(typed: str, read: str) -> None:
    assert parted_ways(typed) == read
