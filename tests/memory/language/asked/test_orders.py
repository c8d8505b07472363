"""Orders to an assistant tell nothing; what is said in the speaker's own voice does, however much it looks like one."""

from __future__ import annotations

import pytest

from chatmem.memory.language.asked.orders import is_order
from chatmem.memory.language.asked.telling import told_part
from chatmem.memory.language.detect import language_of
from chatmem.training.material.templates.orders import manners

ORDERS = (
    "Draft a cover letter for a job as a baker.",
    "please translate this into Polish",
    "Could you write me a limerick about a goose",
    "Hey chatmem, summarise Hamlet in one line.",
    "Okay, now rewrite it as a haiku.",
    "Play me something by Satie.",
    "List 10 names for a boat",
    "Schreib ein Gedicht über den Herbst.",
    "Écris-moi une lettre de motivation.",
    "Write a song about the moon, it should rhyme.",
    "Write a scene with a captain, she lives in Oslo and hates fish.",
    "Give me a sauce for fish, my copper pan and my smallest knife.",
    "Summarise the article, it bores me.",
    "Escríbeme un poema sobre el mar.",
    "Scrivimi una lettera per il padrone di casa.",
)
TELL = (
    ("Write every morning before work.", None),
    ("Find it hard to sleep in summer.", None),
    ("Write a poem for my wife Anna, she is forty.", None),
    ("Suggest to my boss Leo that I'm off on Friday.", None),
    ("Read two books a week.", None),
    ("Correct that, Leo is 9.", None),
    ("Fix up old bikes for a living.", None),
    ("I'm vegan. Suggest a menu.", "I'm vegan."),
    ("Suggest a hotel, I'm in Oslo from Friday.", "I'm in Oslo from Friday."),
    ("I moved to Lund, so please draft a letter to the council.", "I moved to Lund."),
    ("Suggest a toast for Saturday, my uncle Piet closes his bakery after forty years.",
     "my uncle Piet closes his bakery after forty years."),
    ("Write a no to a firm in Graz, they want me but I can't leave Linz.", "they want me but I can't leave Linz."),
    ("Convert 12 stone into kilos, that's what I weighed before I took up judo.",
     "that's what I weighed before I took up judo."),
    ("Draft a card to my boss, she's back from Peru.", "Draft a card to my boss, she's back from Peru."),
    ("Next show in Turin on Friday.", None),
    ("Remember that my dog is called Rex.", None),
)  # fmt: skip


@pytest.mark.parametrize("line", ORDERS)
def test_an_order_tells_nothing(line: str) -> None:
    assert told_part(line, language_of(line)) == ""


@pytest.mark.parametrize(("line", "told"), TELL)
def test_what_tells_of_the_speaker_stays(line: str, told: str | None) -> None:
    assert told_part(line, language_of(line)) == (line if told is None else told)


def test_a_language_without_words_orders_nothing() -> None:
    assert not is_order("Napisz wiersz o morzu.", "pl")


def test_of_what_is_ordered_in_plain_manners_much_is_cut() -> None:
    """The wordings of manners that begin with a verb, with a plain object in place of each slot."""
    texts = [text for manner in manners() if manner.name in ("write", "polite") for text in manner.wordings]
    lines = [
        text.replace("{piece}", "a poem").replace("{piece#2}", "a song").replace("{errand}", "draft a list")
        for text in texts
    ]
    cut = [line for line in lines if not told_part(line, language_of(line))]
    assert len(cut) / len(lines) > 0.6, [line for line in lines if line not in cut]
