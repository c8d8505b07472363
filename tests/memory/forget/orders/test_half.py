"""What is neither yes nor no at "Erase this for good?", and what is new talk."""

from __future__ import annotations

import pytest

from chatmem.memory.forget.orders.half import LONGEST, half_answer
from chatmem.memory.language.words import content

SHOWN = content("Ana has a dog, Rex. Ana's locker number is 4471. Ana owes 4,000 euros on her credit card. 12 15")
SHOWN |= content("My brother Felix has diabetes")
HALF = """yes but keep the dog=hm, maybe=only the first=no wait=maybe=Yes, all of it=yes the lot=keep it=wait=not yet
no, keep all of it=leave the dog=hm ok=i guess=everything=both of them=forget it=Hmm...=I'm not sure=I don't know
let me think=hold on=yes, but only the credit card=ok but not Felix=only #12=12 and 15=the second one=the first two
just the locker=not the dog=all but the dog=everything except Rex=yes but leave my brother out=hm, the first one
no, just the second=no not that one=No. Just the first.=some of it=yes and no=the dog=Felix=the dog should stay
yes to the first=i want to keep the dog=just do the first one=erase only the first=don't erase the dog=oh wait
do that=just do it=whatever=up to you=ask me later=👍=...=nvm=let me ask Tom first=not that, the dog
yes get rid of it=yes, remove the locker=no, erase the dog instead=yes if I can undo it=only if it can be undone
I changed my mind=yes... but keep the one about Felix=not only the credit card, all of it=that's too much"""
ASKS = """what would go?=which ones?=what?=why?=what exactly?=is that for good?=can I undo it?=are you sure?=?
what about the dog?=and Rex?=does the dog go too?=will that delete the dog too?=what stays?=how many?
what happens if i say yes?=show me again=what are you going to erase=should I?
yeah but what about the dog?=What does that mean?"""
TALK = """my sister Ida moved to Bonn yesterday=I start a new job in Graz on Monday.=just got home from the shops
just talked to Felix about it=Keep in mind that Felix arrives on Monday=Not sure what Felix eats these days
Without Felix I would be lost=keep 15 minutes free for Felix=Okay, my brother may stay with us for a week
No. Just tell me what I owe on my credit card=what is my dog called?=Only the dog came with us to Bonn
Not the whole week, I hope=Just so you know, my aunt arrives on Friday=what should I cook tonight?=Felix called
what do you know about me?=what about lunch tomorrow?=Rex is ill=my dog died=no, my sister is coming on Friday
yes, I went to Rome last week=Hm. My sister called, she's moving to Bonn.=wait for me at the station at six
the first snow fell today=all my friends came=remember that I like tea=are you a robot?=both my sons play chess
and then we went home=but the train was late=only three days left until the holiday=I sail=Rex died=it hurts
fine weather today=what happened in 1989?=leave the window open tonight=yes, but the flat is empty=who is Felix?
sure, only I have to be at work at nine=/forget 12=can I bring Rex to the office?
got the job!=lost my keys=hello=good morning
if it rains we stay at home=yes, the flat is ours now=my dog died=we won!=ok, Tom moved out=is it raining?
Yes but only on weekdays, I work=oh no, my mum=Yes but if it rains we stay home=ok but not on Monday, I have the dentist
Yes, please keep Friday free=Yeah only my brother came=Pregnant!=leukaemia=both dead=I want the divorce=no dog any more
just the two of us=yes and my mum came=Yes, leave the key under the mat=yes, but keep the window open=yes, without sugar
ok, except Sundays=sure, but not before six=oh, the rain=ok, my phone died=yes unless I cancel=yes if I go=oui
yes, but my brother is ill=ok, and we leave at six=yes, also they came late=not my job=only on Fridays=no mum now"""


def rows(text: str) -> list[str]:
    return text.replace("\n", "=").split("=")


@pytest.mark.parametrize("line", rows(HALF))
def test_half_an_answer_is_no_talk(line: str) -> None:
    assert half_answer(line, SHOWN) == "half"


@pytest.mark.parametrize("line", rows(ASKS))
def test_so_is_a_question_about_what_was_asked(line: str) -> None:
    assert half_answer(line, SHOWN) == "asks"


@pytest.mark.parametrize("line", [*rows(TALK), "", "only the dog " * (LONGEST // 12)])
def test_what_tells_or_asks_something_of_its_own_is_talk(line: str) -> None:
    assert half_answer(line, SHOWN) is None


@pytest.mark.parametrize("line", [
    "Yes, but keep the dog. He's a good boy.", "only the 4471 one, Tom knows it by now",
    "yes, but not my brother, he moved to Rome", "ok erase that, and also my salary", "yes and the cat too",
    "yes but keep the cat", "yes, plus my job", "ok, and delete the cat as well",
])  # fmt: skip
def test_what_stands_behind_half_an_answer_is_told_to_be_more(line: str) -> None:
    assert half_answer(line, SHOWN) == "half and more"
