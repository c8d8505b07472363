"""Facts that quote the one who told them."""

from __future__ import annotations

import pytest

from chatmem.memory.language.facts.matters import parts
from chatmem.memory.language.quoted.in_quotes import in_quotes, quoted


def test_what_is_put_in_quotes_is_found_in_them() -> None:
    fact = in_quotes("Ana", 'My aunt says "no". She lives in Porto.')
    assert fact == 'Ana said: "My aunt says "no". She lives in Porto."'
    assert quoted(fact) == 'My aunt says "no". She lives in Porto.'


@pytest.mark.parametrize(
    "fact",
    ["Ana said that she lives in Porto.", "Ana lives in Porto.", 'Ana smokes; then Ana said: "forty days without"'],
)
def test_a_fact_that_tells_something_itself_is_no_quotation(fact: str) -> None:
    assert quoted(fact) is None


def test_a_quotation_ends_no_home_and_no_job_of_the_speaker() -> None:
    assert [one.matters for one in parts('Ana said: "She lives in Porto and works as a nurse."')] == [()]
    assert parts("Ana lives in Porto.")[0].matters
