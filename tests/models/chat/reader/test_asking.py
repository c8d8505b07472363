"""Lines that ask without the form of a question are seen, and lines that tell aren't taken for one."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from chatmem.memory.errors import ModelBroken
from chatmem.memory.language.asked.telling import asks, is_cut_short
from chatmem.memory.language.language import english
from chatmem.models.chat.reader.asking import FORM, are_told, holds_both, load, of_each, seems_to_ask, signs, simply
from chatmem.models.embedder.minilm import LlamaEmbedder

ASKING = [
    "State the number of hives I have.",
    "no idea any more when the lease ends",
    "I'd forget my head, the name of the vet too",
]
TELLING = [
    "I keep six hives behind the shed.",
    "the lease ends in June, thank God",
    "We called the vet at noon.",
    "haha ok",
]


@pytest.mark.parametrize("line", ASKING)
def test_what_asks_in_another_form_is_seen(embedder: LlamaEmbedder, line: str) -> None:
    assert not asks(line, english()) and not is_cut_short(line, english())  # or the rules would do
    assert seems_to_ask(line, embedder)


@pytest.mark.parametrize("line", TELLING)
def test_what_tells_is_no_question(embedder: LlamaEmbedder, line: str) -> None:
    assert not seems_to_ask(line, embedder)


def test_signs_are_of_the_form_alone() -> None:
    assert len(signs("")) == len(FORM)
    assert signs("When?").tolist() == signs("Where?").tolist() != signs("Rome.").tolist()


def test_without_its_file_there_is_none_and_a_broken_one_is_told(tmp_path: Path) -> None:
    assert load(tmp_path / "asking.json") is None
    (tmp_path / "broken.json").write_text(json.dumps({"form": ["other"], "weights": [0.0], "bias": 0.0}))
    with pytest.raises(ModelBroken, match="reinstall"):
        load(tmp_path / "broken.json")
    shipped = load()
    assert shipped is not None
    assert shipped[0].shape == (len(FORM) + 384,) and np.isfinite(shipped[0]).all()


@pytest.mark.parametrize(
    ("question", "plain"),
    [
        ("Where's Danny working these days?", "Where does Danny work?"),
        ("What car am I driving?", "What car do I drive?"),
        ("Where are Mia and Tom living now?", "Where do Mia and Tom live now?"),
        ("What is my eldest boy studying nowadays?", "What does my eldest boy study?"),
        ("Who is teaching me the guitar?", "Who is teaching me the guitar?"),
        ("What's my brother doing?", "What's my brother doing?"),
        ("When is my sister's working day over?", "When is my sister's working day over?"),
        ("Where is the living room?", "Where is the living room?"),
        ("What is my daily training plan?", "What is my daily training plan?"),
        ("How is my training for the race going?", "How is my training for the race going?"),
        ("What's Tom's driving like?", "What's Tom's driving like?"),
        ("What's my dog called, do you remember?", "What's my dog called?"),
        ("do you remember?", "do you remember?"),
    ],
)
def test_what_one_does_for_longer_is_asked_simply(question: str, plain: str) -> None:
    assert simply(question) == plain


@pytest.mark.parametrize(
    ("question", "each"),
    [
        ("Where do Ida and Bo live?", ("Where does Ida live?", "Where does Bo live?")),
        ("How old are my brother and sister?", ("How old is my brother?", "How old is my sister?")),
        ("What do my mum and Bo do?", ("What does my mum do?", "What does Bo do?")),
        ("How do Ida and Bo know each other?", None),
        ("When are Ida and Bo getting married?", None),
        ("Where do Ida and Bo's kids live?", None),
        ("Where do Ida and I live?", None),
        ("When did Ida and Bo break up?", None),
        ("Where did Ida and Bo fall in love?", None),
        ("Why did Ida and Bo separate?", None),
        ("How long have Ida and Bo been dating?", None),
        ("How far do Ida and Bo live?", None),
        ("When did Ida and Bo celebrate the anniversary?", None),
        ("Where do Ida and Bo keep their boat?", None),
    ],
)
def test_a_question_of_two_is_one_of_each(question: str, each: tuple[str, str] | None) -> None:
    assert of_each(question) == each


def test_a_sentence_of_both_names_both() -> None:
    each = of_each("Where do Ida and my mum live?")
    assert each is not None
    assert holds_both(each, "Ida lives with my mother in Graz.") and not holds_both(each, "Ida lives in Graz.")


def test_who_was_never_told_is_no_two_people() -> None:
    shop, people = of_each("What do Marks and Spencer sell?"), of_each("Where do Ida and my mum live?")
    assert shop is not None and people is not None
    assert not are_told(shop, ["I bought a coat at Marks."]) and are_told(people, ["Ida paints."])
