"""What is done by rule with the draft that was written for a line."""

from __future__ import annotations

from chatmem.models.prompts.draft import Add, Draft, date_words, read_draft
from chatmem.models.prompts.messages import Line
from chatmem.models.storage.invented_people import without_strangers
from chatmem.models.storage.verbatim_clauses import in_own_words
from tests.models.storage.test_faithful import says

LINE = Line("Ana", "i share a flat with two friends, Lotte and Max, third floor")


def mended(line: Line, *facts: str) -> list[str]:
    wrote = read_draft(says(*facts))
    return in_own_words(without_strangers(wrote, [line.text, line.speaker]), line, wrote).facts


def test_a_fact_of_which_the_told_clause_says_every_word_goes() -> None:
    own = "Ana shares a flat with two friends, Lotte and Max, third floor."
    assert mended(LINE, "Ana has two friends.") == [own]
    assert mended(LINE, "Ana has friends, Lotte and Pat.") == [own]  # Pat is a stranger
    assert mended(LINE, "Ana lives on the third floor.") == ["Ana lives on the third floor.", own]


def test_a_draft_that_keeps_all_names_stays_as_it_is() -> None:
    draft = read_draft(says("Ana has two friends, Lotte and Max."))
    assert in_own_words(draft, LINE, draft) == draft
    assert not in_own_words(Draft(), LINE, Draft())


def test_a_date_is_kept_with_the_fact_that_has_it() -> None:
    line = Line("Ana", "I flew to Rome and Siena last week")
    dated = Draft((Add("Ana", "travel", "Ana flew to Rome.", "last week"),))
    other = Draft((Add("Ana", "travel", "Ana flew to Rome.", "in May"),))
    own = Add("Ana", "travel", "Ana flew to Rome and Siena last week.", "last week")
    assert in_own_words(dated, line, dated).entries == (own,)
    assert in_own_words(other, line, other).entries == (*other, own)
    assert date_words("nothing of the kind") is None
