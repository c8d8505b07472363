"""What lines typed in a hurry are read as, and what is no abbreviation."""

from __future__ import annotations

import pytest

from chatmem.memory.language.about_others import with_capitals
from chatmem.memory.language.language import UNKNOWN
from chatmem.memory.language.typed.texting import typed_out
from chatmem.memory.language.words import calmed

READ = """what do i do 4 work=what do i do for work|whats my name agian=whats my name again
when r we getting our own place 2gether=when are we getting our own place together
n how much do i have alrdy=and how much do i have already
where r we going w the money=where are we going with the money
saving 4 a trip w jeroen, got 900 eur=saving for a trip with jeroen, got 900 eur
i live w/ my gf=i live with my girlfriend
is it normal 2 be hungry=is it normal to be hungry
b4 that i sold phones=before that i sold phones|r u there=are you there
Tmrw I fly=Tomorrow I fly|my sis n me=my sis and me|couldnt sleep bc of the heat=couldnt sleep because of the heat
dentist tue 10.30 w/ Jonas=dentist Tuesday 10.30 with Jonas|Choir wed, 7pm=Choir Wednesday, 7pm
gym sat at 9:15=gym Saturday at 9:15"""

LEFT = """i have 2 kids|we are 4 at home|I finish at 4 on Fridays|he is 4 and a half|my flat is 4 b|the bus 4 from town
my friend Wen is 30|my aunt Lil sails|the ATM ate my card|i am an rn in leeds|i bake gf bread
i bought 2 fish|i keep 2 goldfish|an m8 bolt|no prob|i need 4 eggs|he has a 2 year old
my mum drives the nr 4 bus|I drive a BMW R 1200|U of T is my school|I live in Vancouver, BC
we won 4 medals|my shift ends 2 hours late|write to n@r.com|see x.com/r/u|I'd like a 4 x 4|Ana, N and W are letters
we sat 2 hours in the sun 10 metres apart|they wed 3 years ago|my friend Thu is 30"""


@pytest.mark.parametrize("pair", [pair for line in READ.splitlines() for pair in line.split("|")])
def test_abbreviations_are_read_out(pair: str) -> None:
    typed, read = pair.split("=")
    assert typed_out(typed) == read


@pytest.mark.parametrize("line", [line for row in LEFT.splitlines() for line in row.split("|")])
def test_numbers_initials_and_addresses_stay(line: str) -> None:
    assert typed_out(line) == line


def test_other_languages_are_left_alone() -> None:
    assert typed_out("wen u siehst", UNKNOWN) == "wen u siehst"


def test_a_line_in_capitals_is_read_in_small_letters() -> None:
    assert typed_out("WHO IS THE MAN AT THE DOOR?") == "who is the man at the door?"
    assert with_capitals("tom's got his room, priya stays") == "Tom's got his room, Priya stays"
    assert with_capitals("i will mark it in the art book") == "i will mark it in the art book"
    assert with_capitals("MY GRANDSON LIAM DRIVES AN AMBULANCE") == "my grandson Liam drives an ambulance"


@pytest.mark.parametrize("line", ["BBC", "NASA AND ESA", "I work for the BBC", "A1 B2 C3 D4", "我养了两只猫"])
def test_initials_and_mixed_letters_are_no_line_in_capitals(line: str) -> None:
    assert calmed(line) == line
