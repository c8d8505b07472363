"""What a small model doesn't believe that a line tells is told as it was said, or goes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from chatmem.memory.language.language import UNKNOWN, english
from chatmem.models.embedder.cross_encoder import CrossEncoder, load
from chatmem.models.prompts.draft import read_draft
from chatmem.models.prompts.messages import Line
from chatmem.models.storage import believed as module
from chatmem.models.storage.believed import AROUND, BOUND, NAME, believed, read_as
from chatmem.models.storage.checks import LAST, looked_at
from chatmem.models.storage.told.scene import Scene
from tests.models.storage.test_faithful import says

CHECK = [check for check in LAST if check.name == "believed"]


class Doubting:
    """Believes all but what holds one of these words."""

    def __init__(self, *words: str) -> None:
        self.words, self.read = words, list[str]()
        self.head = type("Head", (), {"bounds": {BOUND: 0.0}})()

    def logits(self, text: str, others: Sequence[str]) -> np.ndarray:
        self.read.append(text)
        return np.array([-1.0 if any(word in one for word in self.words) else 1.0 for one in others])


@pytest.mark.parametrize(
    ("words", "after"),
    [
        ((), ["Ana's brother Kwaku was the goalkeeper.", "Ana likes tea."]),
        (("Kwaku",), ["Ana likes tea."]),
        (("goalkeeper.",), ["Ana was the goalkeeper and my brother Kwaku the striker.", "Ana likes tea."]),
        (("goalkeeper", "tea"), []),
    ],
)
def test_what_isnt_believed_is_told_as_it_was_said_or_goes(
    monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], after: list[str]
) -> None:
    doubting = Doubting(*words)
    monkeypatch.setattr(module, "load", lambda name: doubting)
    scene = Scene([], Line("Ana", "I was the goalkeeper and Kwaku the striker. I like tea."), language=english())
    draft = read_draft(says("Ana's brother Kwaku was the goalkeeper.", "Ana likes tea."))
    found = believed(draft, scene)
    assert [fact.replace("Kwaku the", "my brother Kwaku the") for fact in found.facts] == after
    assert doubting.read[0] == "Ana: I was the goalkeeper and Kwaku the striker. I like tea."


def test_what_was_thrown_away_is_a_finding_with_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "load", lambda name: Doubting("lice"))
    scene = Scene([], Line("Ana", "lice at school again"), language=english())
    draft, findings = looked_at(read_draft(says("Ana has lice.")), scene, CHECK)
    assert not draft.facts
    assert [(one.check, [entry.fact for entry in one.lost]) for one in findings] == [("believed", ["Ana has lice."])]
    foreign = scene._replace(language=UNKNOWN)
    assert looked_at(read_draft(says("Ana has lice.")), foreign, CHECK)[0].facts == ["Ana has lice."]


def test_without_the_file_all_is_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "load", lambda name: None)
    draft = read_draft(says("Ana has lice."))
    assert believed(draft, Scene([], Line("Ana", "hello"), language=english())) == draft


def test_the_line_is_read_with_the_end_of_what_was_said_before() -> None:
    assert read_as("Ana", "yes", None) == "Ana: yes"
    assert read_as("Ana", "yes", ("assistant", "x" * 500 + "?")) == f"Ana: yes (assistant: {'x' * (AROUND - 1)}?)"


@pytest.mark.parametrize(
    ("line", "true", "false"),
    [
        ("My sister Lotte lives in Porto, she teaches surfing there.", "Ana's sister Lotte lives in Porto.",
         "Ana lives in Porto."),
        ("I turned sixty-one in June and my wife opened a shop.", "Ana's wife opened a shop.", "Ana opened a shop."),
        ("My doctor found that my blood pressure is too high, so I take a white tablet.", "Ana takes a white tablet.",
         "Ana's doctor is a white tablet."),
        ("we went to see my aunt Rosa in Bergen", "Ana's aunt Rosa is in Bergen.", "Ana's aunt Rosa is 52 years old."),
        ("I gave up coffee, tea is fine", "Ana gave up coffee.", "Ana drinks coffee every morning."),
    ],
)  # fmt: skip
def test_the_shipped_one_tells_true_from_false(line: str, true: str, false: str) -> None:
    encoder = load(NAME)
    assert isinstance(encoder, CrossEncoder)
    one, other = encoder.logits(read_as("Ana", line, None), [true, false])
    assert one > encoder.head.bounds[BOUND]
    assert one > other
