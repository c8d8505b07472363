"""What one takes back in the same breath: the right value stands in its place, and nothing else changes."""

from __future__ import annotations

import pytest

from chatmem.memory.language.told.plainer import plainer
from chatmem.memory.language.typed.repaired import repaired


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("My dentist is on Tuesday, no wait, Thursday at 10.", "My dentist is on Thursday at 10."),
        ("The match starts at six, sorry, half six.", "The match starts at half six."),
        ("We have 3 hens. No, 4 actually, I forgot Dot.", "We have 4 hens, I forgot Dot."),
        ("My brother lives in Hull. No, hang on, Leeds, he moved.", "My brother lives in Leeds, he moved."),
        (
            "i'm seeing the dentist on tuesday no sorry wednesday at three",
            "i'm seeing the dentist on wednesday at three",
        ),
        ("in April it was. No, I tell a lie, it was March, I think.", "in March it was, I think."),
        ("It's the 9th of March, I mean the 14th of March, at ten", "It's the 14th of March, at ten"),
        ("We'll be there at 8. Actually, make it 9.", "We'll be there at 9."),
        ("Her name is Katrin, no, Karin.", "Her name is Karin."),
        ("The wedding is on 14 June, no, the 15th.", "The wedding is on the 15th of June."),
        ("I pay 950, or rather 980, a month.", "I pay 980, a month."),
        ("on Monday, no, Tuesday, no, sorry, Wednesday", "on Wednesday"),
    ],
)
def test_the_right_value_is_told(line: str, told: str) -> None:
    assert repaired(line) == told


@pytest.mark.parametrize(
    "line",
    [
        "Tuesday's no good. Sorry, Thursday is full too.",
        "I can't come on Tuesday, sorry, Thursday is full too",
        "Is it Tuesday or Thursday? No, Friday.",
        "I've lived in Hull, Leeds and actually York.",
        "I have two cats. No dogs.",
        "She said no 5 times.",
        "We meet on Monday. Wait, Tom can't on Mondays.",
        "No, Thursday.",
        "We went to Rome, then Naples. Actually Naples was better.",
        "I hate March. Sorry, April is worse.",
        "My son is four. I mean, he's big for four.",
        "I drink two, no more than three, coffees a day",
        "It's not on Tuesday, it's Wednesday.",
        "I've no money. Sorry, Tom.",
        "I can't do Monday, sorry. Tuesday then",
        "I can't make it on Friday. Sorry! Monday at noon",
        "Not free Friday, make it Saturday",
        "I don't work on Monday, no. Tuesday",
        "I'm not Tom, sorry, Anna",
        "Tom isn't coming, no. Anna and Peter are",
        "The gym is shut on Sunday, actually Monday and Tuesday as well",
        "I like Tom, not really Ben",
        "I work on Saturday, not really on Sunday",
        "My wife Anna and I have two kids. Sorry, Tom from next door just came in",
        "I'm tired. My shift ended at 10. Actually 3 of us stayed",
        "My brother Tom lives in Rome. Actually Anna and Peter in Milan",
        "We have a meeting on Monday at 3. Sorry, Friday at 4 is the party",
        "I have 3 brothers, wait, 2 of them are half brothers",
        "I wake at 7 on weekdays, actually 9 on Sundays",
        "I work from nine to five, actually six on Fridays",
        "I'm 34, actually 35 next month",
        "my dog is 3, actually 4 in June",
        "I'm 45, I mean 5 foot 4",
        "My son is 5, actually, 3 of his friends are coming over",
        "I'll be there at 5, no wait, 6 people are coming",
        "Paul is out, sorry, Karen",
        "Sam is allergic to nuts, sorry, Anna to eggs",
        "My birthday is on the 3rd of May, actually first of the family",
        "It's on 14 June, actually July",
        "Monday and Tuesday, sorry, Wednesday and Thursday",
        "",
    ],
)
def test_what_takes_nothing_back_stays(line: str) -> None:
    assert repaired(line) == line


def test_a_model_reads_the_right_one() -> None:
    assert plainer("My dentist is on Tuesday, no wait, Thursday.") == "My dentist is on Thursday."
