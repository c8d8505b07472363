"""Facts that quote the one who told them."""

from __future__ import annotations

import pytest

from chatmem.memory.language.facts.matters import parts
from chatmem.memory.language.quoted.in_quotes import followed, in_quotes, quotations, quoted, spoken_to, without


def test_what_is_put_in_quotes_is_found_in_them() -> None:
    fact = in_quotes("Ana", 'My aunt says "no". She lives in Porto.')
    assert fact == "Ana said: \"My aunt says 'no'. She lives in Porto.\""
    assert quoted(fact) == "My aunt says 'no'. She lives in Porto."
    assert quoted(in_quotes("Ana", 'a 27" box, “the big one”')) == "a 27″ box, 'the big one'"


@pytest.mark.parametrize(
    "fact",
    [
        "Ana said that she lives in Porto.", "Ana lives in Porto.", 'Ana smokes; then Ana said: "forty days without"',
        'Ana said: "no" and left; Leo said: "yes"', 'Ana said: "One."; now Ana has the rota on Friday.',
    ],
)  # fmt: skip
def test_a_fact_that_tells_something_itself_is_no_quotation(fact: str) -> None:
    assert quoted(fact) is None


def test_a_quotation_ends_no_home_and_no_job_of_the_speaker() -> None:
    assert [one.matters for one in parts('Ana said: "She lives in Porto and works as a nurse."')] == [()]
    assert parts("Ana lives in Porto.")[0].matters


def test_what_was_said_later_stands_behind_a_quotation_once() -> None:
    fact = followed(in_quotes("Ana", "audit on Thursday, Leo comes too"), 'it\'s "off"')
    assert fact == 'Ana said: "audit on Thursday, Leo comes too", then: "it\'s \'off\'"'
    assert quoted(fact) and parts(fact)[0].matters == ()
    assert spoken_to(fact, "Ana") == "You told me: “audit on Thursday, Leo comes too”, then: “it's 'off'”"
    assert followed(fact, "it's 'off'") is None and followed(fact, "") is None
    more = followed(fact, "no, it isn't")
    assert more and followed(more, "a third time") is None


def test_a_quotation_is_told_sentence_by_sentence() -> None:
    fact = 'Ana said: "I have 22. I sell the drum kit.", then: "No, 23."'
    assert quotations(fact) == ['Ana said: "I have 22."', 'Ana said: "I sell the drum kit."', 'Ana said: "No, 23."']
    assert without(fact, [1]) == 'Ana said: "I have 22.", then: "No, 23."'
    assert without(fact, [0, 2]) == 'Ana said: "I sell the drum kit."'
    assert without(fact, [0, 1]) == 'Ana said: "No, 23."' and without(fact, [0, 1, 2]) == ""
    assert quotations("Ana lives in Porto.") == []
