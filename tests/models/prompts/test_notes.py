"""Notes are read from whatever form a model gives them."""

from __future__ import annotations

import json

import pytest

from chatmem.models.backends.llama.grammar import Grammar
from chatmem.models.backends.llama.lm import LlamaLM
from chatmem.models.prompts.draft import Add, Change, Close
from chatmem.models.prompts.messages import Known, Line
from chatmem.models.prompts.notes import note_grammar, note_messages, read_notes

CATS = Add("Ana", "pets", "Ana has two cats.")


@pytest.mark.parametrize(
    "text",
    [
        "+ pets: Ana has two cats.",
        "```\n+ pets: Ana has two cats.\n```",
        "- + pets: Ana has two cats.",
        "* pets: Ana has two cats.",
        '{"notes": [{"do": "+", "topic": "pets", "fact": "Ana has two cats."}]}',
        'Here you are:\n```json\n{"notes": [{"do": "+", "topic": "pets", "fact": "Ana has two cats."}]}\n```',
        '[{"topic": "pets", "fact": "Ana has two cats."}]',
        "+ pets: Ana has two cats.\n+ animals: Ana has two cats",
    ],
)
def test_a_fact_is_read(text: str) -> None:
    assert list(read_notes(text, "Ana")) == [CATS]


@pytest.mark.parametrize("text", ["-", "--", "None", "nothing.", '{"notes": []}', "```\n-\n```"])
def test_nothing_is_no_fault(text: str) -> None:
    draft = read_notes(text, "Ana")
    assert (list(draft), draft.fault) == ([], None)


@pytest.mark.parametrize(
    "text", ["", "I have noted that Ana has two cats.", '{"notes": "cats"}', "+ : ", "= 3: x", "{"]
)
def test_what_is_no_note_is_a_fault_and_never_raises(text: str) -> None:
    draft = read_notes(text, "Ana")
    assert not draft or text == "= 3: x"
    assert bool(draft.fault) != bool(draft)


def test_only_rows_that_were_shown_are_changed_or_closed() -> None:
    text = "= 3: Ana has three cats.\nx 4\n= 9: Ana has a dog.\nx 8"
    told = list(read_notes(text, "Ana", (3, 4)))
    assert told == [Change(3, "Ana has three cats."), Close(4), Add("Ana", "", "Ana has a dog.")]


def test_a_note_that_the_limit_cut_is_left_out() -> None:
    text = "+ pets: Ana has two cats.\n+ home: Ana lives in"
    assert list(read_notes(text, "Ana", cut=True)) == [CATS]
    assert read_notes("+ home: Ana lives in", "Ana", cut=True).fault


@pytest.mark.parametrize("language", ["en", "de", "fr", "es", "zh", "it", "xx"])
@pytest.mark.parametrize("as_json", [False, True])
def test_the_prompt_ends_with_the_line_and_its_examples_can_be_read(language: str, as_json: bool) -> None:
    messages = note_messages(
        [Line("assistant", "Hello?")], Line("Ana", "I have two cats."), [Known(3, "pets", "Ana has a cat.")], language,
        as_json=as_json,
    )  # fmt: skip
    assert messages[-1].content.endswith("Line:\nAna: I have two cats.")
    assert "3 | pets: Ana has a cat." in messages[-1].content
    for reply in (one.content for one in messages if one.role == "assistant"):
        assert read_notes(reply, "Ana", range(10)).fault is None
        assert not as_json or isinstance(json.loads(reply), dict)


def test_what_is_always_the_same_comes_first_so_that_it_is_read_once() -> None:
    one, other = (note_messages([], Line("Ana", text), [], "en") for text in ("I have a cat.", "I live in Bonn."))
    assert one[:-1] == other[:-1]


@pytest.mark.parametrize(
    "grammar", [note_grammar(), note_grammar([3, 12], ["Ana ", "Ana's ", 'O"Neil '], nothing=False)]
)
def test_the_grammars_are_grammars(lm: LlamaLM, grammar: str) -> None:
    Grammar(lm.engine, grammar).close()
