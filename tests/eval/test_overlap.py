"""BLEU, ROUGE-L and exact match: by hand, and against the packages that papers use."""

from __future__ import annotations

import math
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatmem.eval import ranking
from chatmem.eval.overlap import bleu, exact_match, rouge_l, tokens

WORDS = ["Ana", "has", "two", "cats,", "a", "dog", "and", "the", "red", "Volvo", "in", "Rome."]
TEXTS = st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join)


@pytest.mark.parametrize(
    ("said", "gold", "same"),
    [("The cat!", "a cat", True), ("cats", "cat", False), ("7 May 2023", "7 May, 2023", True), ("", "the", True)],
)
def test_exact_match(said: str, gold: str, same: bool) -> None:
    assert exact_match(said, gold) is same


def test_by_hand() -> None:
    said, gold = "she has two cats", "she has a cat and two dogs"
    assert bleu(said, gold, 1) == pytest.approx(math.exp(1 - 7 / 4) * 3 / 4)
    assert bleu(said, gold, 2) == pytest.approx(math.exp(1 - 7 / 4) * math.sqrt(3 / 4 * 1 / 3))
    assert bleu(said, gold, 3) == 0
    assert rouge_l(said, gold) == pytest.approx(2 * (3 / 4) * (3 / 7) / (3 / 4 + 3 / 7))  # she has two
    assert bleu("a red bike", "a red bike", 3) == rouge_l("a red bike", "A red bike.") == 1
    assert bleu("", "x") == rouge_l("", "x") == rouge_l("x", "") == 0
    assert bleu("bike bike", "bike", 1) == 0.5  # a word counts as often as the gold has it


@settings(deadline=None, max_examples=60)
@given(TEXTS, TEXTS)
def test_as_nltk_and_rouge_score_have_it(said: str, gold: str) -> None:
    from nltk.translate.bleu_score import sentence_bleu
    from rouge_score import rouge_scorer

    theirs = rouge_scorer.RougeScorer(["rougeL"], use_stemmer=False).score(gold, said)["rougeL"].fmeasure
    assert rouge_l(said, gold) == pytest.approx(theirs)
    if not tokens(said) or not tokens(gold):
        return
    for order in (1, 2, 3, 4):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it warns of orders without a common n-gram, and gives about 0
            theirs = sentence_bleu([tokens(gold)], tokens(said), weights=[1 / order] * order)
        assert bleu(said, gold, order) == pytest.approx(theirs, abs=1e-9)


def test_precision_and_f1_of_a_ranking_by_hand() -> None:
    assert ranking.precision_at(["a", "b", "c"], {"a", "c", "x"}, 2) == 0.5
    assert ranking.f1_at(["a", "b", "c"], {"a", "c", "x"}, 2) == pytest.approx(2 * 0.5 / 3 / (0.5 + 1 / 3))
    assert ranking.precision_at(["a"], {"a"}, 5) == 0.2
    assert ranking.f1_at(["a"], {"b"}, 1) == 0
