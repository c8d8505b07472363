"""Lines that put right what was said just before, and lines that only begin like them."""

from __future__ import annotations

import pytest

from chatmem.memory.language.facts.put_right import may_put_right, put_right, puts_right, renewed

RIGHT = """Ana bought a stove for 640 euros.|No. 460.|Ana bought a stove for 460 euros.
Ana bought a stove for 640 euros.|460, sorry|Ana bought a stove for 460 euros.
Elif has dropped the harp for the cello.|No, sorry, the viola!|Elif has dropped the harp for the viola.
Ana's exam is the 14 of May.|Ay no, I say it bad, is the 24 of May, not the 14.|Ana's exam is the 24 of May.
Ana takes a tablet after breakfast.|Sorry, after dinner.|Ana takes a tablet after dinner.
Ana lives in Bristol.|Wait, Bath.|Ana lives in Bath.
Ana's sister Mia lives in Oslo.|No, Bergen.|Ana's sister Mia lives in Bergen.
Ana's dentist is on Friday at 3pm.|oops, 4pm|Ana's dentist is on Friday at 4pm.
Ana's dentist is on Friday.|no, Saturday|Ana's dentist is on Saturday.
Ana's flight is on 3 March.|make that the 5th of March|Ana's flight is on the 5th of March.
Ana's brother is 34.|I mean 35.|Ana's brother is 35.
Ana has two cats.|Sorry, three.|Ana has three cats.
Ana's rent is 1,850 euros.|correction: 1,750|Ana's rent is 1,750 euros.
Ana's course begins on 1 April.|No, on 8 April, because of the holidays.|Ana's course begins on 8 April.
Ana's rent is 640 euros.|sorry, 460, I looked it up|Ana's rent is 460 euros.
Ana's course begins on the 1st of April.|No, on the 15th.|Ana's course begins on the 15th of April.
Ana's exam is on 12 March.|sorry, the 26th|Ana's exam is on 26th March.
Ana broke her left wrist.|wait no, the right one. that's why I type so slowly|Ana broke her right wrist.
Ana bought a red bike.|no, the blue one|Ana bought a blue bike.
Ana sees Gail for their left knee.|Right knee, sorry. The left one's fine.|Ana sees Gail for their right knee.
Ana bought a bike.|no, the blue one|Ana bought a blue bike.
Ana's son plays the trumpet.|Sorry, it's the trombone, I always mix those up.|Ana's son plays the trombone.
Ana's landlord is called Mr Ferris.|It's Mr Farris, with an a, I misspelled it.|Ana's landlord is called Mr Farris.
Ana's exam is on 4 May.|the 5th, my mistake|Ana's exam is on 5th May.
Ana's exam is on Friday 7 May.|no, the 9th|Ana's exam is on 9th May.
Ana's exam is on Friday 7 May.|no, Saturday the 8th|Ana's exam is on Saturday 8th May."""

NOT = """Ana plays the cello.|No thanks.
Ana plays the cello.|I forgot my keys, silly me.
Ana plays the cello.|I always mix them up.
Ana plays the cello.|Oh no, the doorbell!
Ana plays the cello.|Sorry, the doorbell.
Ana plays the cello.|No idea.
Ana plays the cello.|Sorry, tired today.
Ana has 2 cats.|no worries
Ana has 3 cats.|Wait, 5 minutes.
Ana's dentist is on Friday.|Wait, is it Friday?
Ana lives in Bristol.|No, I live in Bath.
Ana lives in Bristol.|Bath is nice.
Ana lives in Bristol.|No, Bristol.
Ana painted the left door red.|no, the nice one
Ana broke her left wrist.|sorry, the right ankle
Ana met Tom.|Oops, Mum's calling.
Ana has a sister in Bath.|Sorry, Anna, what did you say?"""


@pytest.mark.parametrize("case", RIGHT.splitlines())
def test_the_value_is_put_right(case: str) -> None:
    fact, line, after = case.split("|")
    assert put_right(fact, line, "Ana") == after


@pytest.mark.parametrize("case", NOT.splitlines())
def test_nothing_is_put_right(case: str) -> None:
    fact, line = case.split("|")
    assert put_right(fact, line, "Ana") is None


RENEWED = """Ana rents a room for 350k a month.|landlord raised it, its 400k now|Ana rents a room for 400k a month.
Ana's rent went up to 900.|the rent went up to 950 now|Ana's rent went up to 950.
The cat eats at eight each day.|It eats at seven from now on, no longer at eight.|The cat eats at seven each day.
Ana marries on 14 December.|the wedding had to be moved, it's on 20 February now|Ana marries on 20 February.
Ana goes to pilates on Mondays.|It moved to Thursdays.|Ana goes to pilates on Thursdays.
Ana's dentist is on 3 March at 2pm.|Moved to 5 March, same time.|Ana's dentist is on 5 March at 2pm.
Ana's scan is set for Tuesday, May 6th, at 7.|It's Thursday the 8th now.|Ana's scan is set for Thursday, May 8th, at 7.
It is set for Tuesday, May 6th.|May 6th is off, it's Thursday the 8th now.|It is set for Thursday, May 8th.
Ana's exam is on Friday, May 7th.|My exam has been moved to Monday.|Ana's exam is on Monday.
Ana's exam is on Friday the 28th of May.|My exam was moved to Monday the 3rd.|Ana's exam is on Monday the 3rd.
Ana's exam is on 7 May.|My exam has been moved to Monday the 10th.|Ana's exam is on Monday, 10th May.
Ana marries on 6 June in Whitby.|the Whitby place flooded so it's in Bath, same day|Ana marries on 6 June in Bath."""

NOT_RENEWED = """Ana has worked at Lidl since 2019.|I quit my job on 3 May.
Ana has two cats, Nori and Kit.|We got a third cat in 2020 now.
Ana's dog Rex is 3 years old.|Rex has 2 puppies now.
Ana's flight to Rome is on 3 March.|It's cancelled.
Ana's flight is on 3 March.|My sister flies on 5 March.
Ana starts at quarter past five most mornings.|I've swapped to late shifts, I start at two now
Ana's colleague Kim is on tonight.|Now I'm on with Leo, who started three weeks ago
Ana's flight is on 3 March.|Maybe I'll fly on 5 March instead."""


@pytest.mark.parametrize("case", RENEWED.splitlines())
def test_the_one_value_is_another_from_now_on(case: str) -> None:
    fact, line, after = case.split("|")
    assert renewed(fact, line, "Ana") == after


@pytest.mark.parametrize("case", NOT_RENEWED.splitlines())
def test_an_end_or_another_matter_is_no_new_value(case: str) -> None:
    fact, line = case.split("|")
    assert renewed(fact, line, "Ana") is None


@pytest.mark.parametrize("line", ["No drink since 2009. Tea though.", "No room for Bran on that one."])
def test_what_there_is_none_of_puts_nothing_right(line: str) -> None:
    assert not puts_right(line)
    assert put_right("Ana takes 5 mg of ramipril.", line, "Ana") is None


def test_a_year_is_no_dose() -> None:
    assert put_right("Ana takes 5 mg of ramipril.", "No, since 2009.", "Ana") is None
    assert puts_right("no sorry the 15th") and puts_right("no tuesday at 5")


def test_most_lines_that_put_something_right_hold_a_word_for_it() -> None:
    for line in (
        "No. 460.",
        "sorry, I meant Bath",
        "*oboe",
        "honestly my brain today, Bristol",
        "She isn't ten, she's nine",
    ):
        assert may_put_right(line), line
    for line in (
        "He had a stroke three years ago and walks with a stick now",
        "we met on a hike in Wales",
        "I went for a pint, I want a tent",
    ):
        assert not may_put_right(line), line
