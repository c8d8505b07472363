"""Points that end no sentence, and those behind the same words that do."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatmem.memory.language.points.abbreviated import hidden, shown
from chatmem.memory.language.words import sentences

ONE = """\
Dr. Holm retired, Dr. Vik is my dentist now
my doctor is dr. holm in Oslo
Mr. and Mrs. Smith live next door
I live on St. Mary's Road, near St. Ives station
I like fruit, e.g. pears and plums
I like fruit (e.g. pears), i.e. sweet things
It takes approx. 20 minutes
I live at No. 5 Elm Road
We read J. K. Rowling
We read J.K. Rowling
George W. Bush was president
We leave at 3 p.m. on Monday
We meet at 3 p.m. Monday at the station
At 3 p.m. Ben comes
I work for Acme Inc. in Texas
I was in the U.S. Army
My boss is Prof. Dr. Weber
Ich mag Obst, z. B. Birnen
Ich mag Obst, z.B. Birnen
Herr Dr. Klein wohnt im 3. Stock
Mein Termin ist am 3. Mai um 10 Uhr
Hr. Bauer ist mein Lehrer
M. Dupont est mon voisin
Mme. Leroy habite ici
El Sr. García es mi vecino
La Sra. López vive aquí
It is 6 ft. tall
My birthday is Jan. 5
I have milk, eggs etc. in the fridge
J. lives in Oslo
Mt. Everest is high
Lt. Col. Brandt is my neighbour""".splitlines()
TWO = """\
I live in St. Ives. It rains a lot.
We left at 3 p.m. Then we ate.
I take vitamin C. Ben takes D.
I got an A. My sister got a B.
Is that you? No. 5 of us are here
I live on Baker St. It is loud.
I like milk, eggs etc. My wife doesn't.
I moved to the U.S. Then I married.
I work for Acme Inc. It is big.
I am 40. I have a dog.
i am 40. i have a dog.
It costs 20 kg. My son is 5.
My son is in team B. He plays well.
I have a doctor. Dr. Holm is nice.
I was born in 1990. Mary was born later.
Ich wohne im Stock 3. Ich habe einen Hund.
Il est 3 h. Je pars.""".splitlines()


@pytest.mark.parametrize("line", ONE)
def test_a_sentence_goes_on_behind_an_abbreviation(line: str) -> None:
    assert sentences(line) == [line]


@pytest.mark.parametrize("line", TWO)
def test_the_same_words_may_end_one(line: str) -> None:
    assert len(sentences(line)) >= 2


@given(st.text(alphabet="Dr. Jno5'?\ue001\n"))
def test_hiding_points_moves_nothing_and_is_undone(text: str) -> None:
    assert len(hidden(text)) == len(text)
    assert shown(hidden(text)) == text.replace("\ue001", ".") if "\ue001" not in text else hidden(text) == text
