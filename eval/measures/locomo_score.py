"""LoCoMo's official answer score, per category, as its published scorer computes it (Maharana et al. 2024).

1 multi-hop: the gold is split at commas, each part scored against the best part of the prediction, and averaged.
2 temporal, 4 single-hop: token F1. 3 open-domain: the gold is cut at its first ";". 5 adversarial: right when the
answer says that nothing was mentioned. Tokens are lower-case Porter stems without punctuation and articles.
"""

from __future__ import annotations

import re
import string
from collections import Counter

from ...memory.language.words import stem

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
ABSTAINED = ("no information available", "not mentioned")
"""The phrases that the official scorer takes for "it isn't in the conversation"."""
_ARTICLES = re.compile(r"\b(a|an|the|and)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_UNKNOWN = re.compile(
    r"\b(?:(?:do|did|does|ca|could)(?:n['’]t| not) (?:know|remember|recall|say|have)|cannot say|not sure|no idea|"
    r"(?:has|have|had|was|were|is)(?:n['’]t| not) (?:been )?(?:mention|told|tell|said|noted|in my memory)|"
    r"never mentioned|nothing (?:about|on) that)",
    re.IGNORECASE,
)


def tokens(text: str) -> list[str]:
    """The stems that are compared, in order."""
    plain = text.replace(",", "").lower().translate(_PUNCTUATION)
    return [stem(word) for word in _ARTICLES.sub(" ", plain).split()]


def f1(prediction: str, gold: str) -> float:
    """F1 over the multisets of tokens; 0 when none is shared."""
    first, second = Counter(tokens(prediction)), Counter(tokens(gold))
    common = sum((first & second).values())
    if not common:
        return 0.0
    precision, recall = common / sum(first.values()), common / sum(second.values())
    return 2 * precision * recall / (precision + recall)


def multi_f1(prediction: str, gold: str) -> float:
    """Each comma-separated part of the gold against the best part of the prediction, averaged."""
    parts = [part.strip() for part in prediction.split(",")]
    golds = [part.strip() for part in gold.split(",")]
    return sum(max(f1(part, one) for part in parts) for one in golds) / len(golds)


def abstains(prediction: str) -> bool:
    """Whether the official scorer would take the answer for "not mentioned"."""
    low = prediction.lower()
    return any(phrase in low for phrase in ABSTAINED)


def says_unknown(prediction: str) -> bool:
    """Whether the answer says in any common words that it doesn't know: broader than the official phrases."""
    return abstains(prediction) or bool(_UNKNOWN.search(prediction))


def score(prediction: str, gold: str, category: int) -> float:
    """The official score of an answer, 0..1. Raises ValueError for a category that LoCoMo doesn't have."""
    if category not in CATEGORIES:
        raise ValueError(f"LoCoMo has no category {category}")
    if category == 5:
        return float(abstains(prediction))
    if category == 1:
        return multi_f1(prediction, gold)
    return f1(prediction, gold.split(";")[0].strip() if category == 3 else gold)
