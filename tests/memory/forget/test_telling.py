"""By what a matter is known again: its words, numbers however they are written, and other forms of its words."""

from __future__ import annotations

import pytest

from chatmem.memory.forget.telling import Matter, Signs, all_words, apart, numbers_of, words_of

LOCKER = ("User", "User's locker number is 4471.")


@pytest.mark.parametrize("written", ["44 71", "44-71", "4,471", "4.471", "44/71", "is it 44 71?", "44-71, that is it"])
def test_a_number_is_the_same_however_its_groups_are_parted(written: str) -> None:
    assert "4471" in all_words(written) and Matter.of([LOCKER]).has_number(written)
    assert not Matter.of([LOCKER]).has_number(written, written_so=True)
    assert "4471" in words_of([f"the code is {written}"]).strong


@pytest.mark.parametrize(
    "other", ["44, 71", "44 cats, 71 dogs", "44.71", "44,71", "4.4.71", "4/4/71", "x44-71", "447 12"]
)
def test_prices_dates_and_two_numbers_are_other_numbers(other: str) -> None:
    assert "4471" not in all_words(other) and not Matter.of([LOCKER]).has_number(other)


def test_what_begins_as_a_year_does_is_no_year() -> None:
    assert numbers_of(["User's pin is 2014471."]) == {"2014471"}
    assert not numbers_of(["It was in 2014, on 2014-04-30, or in the 2010s."])


def test_a_word_of_any_length_is_a_word() -> None:
    key = "a4abd4448c49" * 11
    assert key in all_words(f"my key is {key}") and key in numbers_of([f"my key is {key}"])


def test_other_forms_tell_it_unless_they_stand_in_what_stays() -> None:
    words = words_of(["User keeps an iguana."])
    assert "iguana" in words.strong and Signs.of(words).in_typed("/memory iguanas")
    assert Signs.of(words).in_title("about Iguanas")
    kept = Signs.of(words, {"iguana"})
    assert not kept.in_typed("/memory iguanas") and not kept.in_title("about iguanas") and kept.in_typed("an iguana?")


def test_a_name_of_a_session_needs_two_lesser_words() -> None:
    signs = Signs.of(words_of(["User is afraid of deep water."]))
    assert signs.in_title("why deep water makes me afraid")
    assert not signs.in_title("how to water plants") and not signs.in_title("waters, water and watering")
    assert not Signs().in_title("water") and not Signs().in_typed("water")


def test_a_piece_of_a_longer_number_is_no_number() -> None:
    assert (
        "500" in all_words("I owe 38,500") and "500" not in apart("I owe 38,500") and "38,500" in apart("I owe 38,500")
    )
    assert "500" in apart("500 mg, and 38,500 kroner") and "day" in apart("a 14-day trip")


def test_another_form_of_a_word_that_all_say_tells_nothing() -> None:
    assert "knows" not in words_of(["Nobody knows that User is drinking again."]).strong
    assert {"drinking", "dating"} <= {*words_of(["User is drinking again.", "User is dating Rolf."]).strong}
    assert "rivers" in words_of(["User's boss is Mr Rivers."]).strong  # somebody's name
