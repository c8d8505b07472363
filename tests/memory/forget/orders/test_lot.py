""" "All of it" and "everything" beside a matter mean that matter; what was erased may be wanted back."""

from __future__ import annotations

import pytest

from chatmem.memory.forget.asking import Wish, points_back, wish_of
from chatmem.memory.forget.orders.again import wants_back
from chatmem.memory.forget.wanted.unread import seems_to_wish

MATTERS = """And this Lister with the tax, forget all of it=this Lister with the tax
The thing with my knee. Forget everything.=my knee|the thing with my knee - forget the lot please=my knee
about Tom - forget everything=Tom|forget everything, about Tom=Tom|As for the tax, forget everything you know=the tax
My knee thing: forget all that.=My knee thing|forget all of it, the story with Lister=Lister
everything with the tax, forget it all=the tax|forget everything. The tax, I mean.=The tax
what about my ex? forget everything=my ex|that stuff about my divorce, forget the whole lot=my divorce"""
IF_HELD = """this Lister with the tax - delete the lot please=this Lister with the tax|Tom: erase all you know=Tom
I told you about Kaia. Please delete all of it=Kaia|the knee, erase everything about it=the knee"""
LAST = """forget all of it|forget it all|forget the lot please|Please forget all that|erase all of it
forget everything about it"""
WHOLE = """forget everything|Hey, please just forget everything now|forget everything about me|wipe my memory
wipe your memory|delete all you know of me|forget all that you know|I'm leaving, forget everything about me
I'm leaving. Wipe your memory.|Thanks. Forget everything.|Forget everything; thanks|Forget everything. Now. Please."""
DOUBT = """I'm leaving, forget everything|Tom is a liar. Forget everything.|My divorce was awful, forget everything
forget everything, I was drunk|I have cancer. Delete everything.|that's dumb, forget the lot
yes, forget everything|no, forget everything"""
STAYS = """forget everything, except my name=my name|forget everything, but keep my name=my name
delete everything, except the dog=the dog|forget everything, apart from Tom=Tom
forget everything - only keep my dog=my dog"""
STAYS_SOMEHOW = """forget everything. But keep my name.|forget all of it, except my name|keep my dog, forget everything
Forget everything, just not my allergy|not my dog, forget everything|only keep my name. forget everything"""
TALK = """You forget everything!|I'm so tired, I forget everything|He said: forget everything|did you forget everything?
My mum told me, forget all of it"""


@pytest.mark.parametrize("pair", MATTERS.replace("\n", "|").split("|"))
def test_all_of_it_is_the_matter_that_the_line_names(pair: str) -> None:
    line, _, words = pair.partition("=")
    assert wish_of(line) == Wish("about", words)


@pytest.mark.parametrize("pair", IF_HELD.replace("\n", "|").split("|"))
def test_what_is_to_be_deleted_is_a_wish_where_the_memory_holds_it(pair: str) -> None:
    line, _, words = pair.partition("=")
    assert wish_of(line) == Wish("about", words, sure=False)


@pytest.mark.parametrize("line", LAST.replace("\n", "|").split("|"))
def test_it_alone_is_what_was_spoken_of_last(line: str) -> None:
    assert wish_of(line) is None and points_back(line) and seems_to_wish(line)


@pytest.mark.parametrize("line", WHOLE.replace("\n", "|").split("|"))
def test_plain_words_mean_the_whole_memory(line: str) -> None:
    found = wish_of(line)
    assert found is not None and found.kind == "whole" and not points_back(line)


@pytest.mark.parametrize("line", DOUBT.replace("\n", "|").split("|"))
def test_beside_what_is_told_it_is_not_the_whole_memory(line: str) -> None:
    assert wish_of(line) is None and not points_back(line) and seems_to_wish(line)


@pytest.mark.parametrize("pair", STAYS.replace("\n", "|").split("|"))
def test_what_is_to_stay_is_no_matter_that_is_to_go(pair: str) -> None:
    """What was to stay was asked about as what should go."""
    line, _, words = pair.partition("=")
    assert wish_of(line) == Wish("whole", keeping=words)


@pytest.mark.parametrize("line", STAYS_SOMEHOW.replace("\n", "|").split("|"))
def test_what_is_to_stay_in_other_words_is_not_understood(line: str) -> None:
    assert wish_of(line) is None and not points_back(line) and seems_to_wish(line)


@pytest.mark.parametrize("line", TALK.replace("\n", "|").split("|"))
def test_somebody_elses_words_and_ones_own_forgetting_are_talk(line: str) -> None:
    assert wish_of(line) is None and not points_back(line) and not seems_to_wish(line)


def test_what_was_private_is_the_line_before() -> None:
    assert points_back("that was private, forget all of it")


def test_who_asks_over_and_over_is_read_at_once() -> None:
    assert wish_of("please, " * 36 + "forget") is None


BACK = """Wait, what, I meant only the tax, bring it back please|can you undo that?|I want it back|restore my memory
no no no give me everything back|can that be undone?|is there a way to get it back?|how do I get my memories back?
I didn't mean to erase everything|Bring the tax thing back!|please restore the tax stuff|I’d like my memory back"""
NOT_BACK = """I want my car back from the garage|I'll be back|Tom came back|I got my book back|she gave it back
I had to give it back|I restored an old chair|my ex wants me back|put the milk back|what's my name?"""


@pytest.mark.parametrize("line", BACK.replace("\n", "|").split("|"))
def test_a_wish_to_have_it_back_is_seen(line: str) -> None:
    assert wants_back(line)


@pytest.mark.parametrize("line", NOT_BACK.replace("\n", "|").split("|"))
def test_other_things_come_back_too(line: str) -> None:
    assert not wants_back(line)
