"""Pure measures over texts: containment, token F1, names and numbers kept.

Words are lower-cased, stripped of punctuation and stemmed with the English Snowball stemmer.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


STOP_WORDS = _words(
    "a an the and or but nor so yet if then than as at by for from in into of off on onto out over to up with about "
    "i me my mine myself you your yours yourself he him his himself she her hers herself it its itself we us our "
    "ours they them their theirs themselves this that these those there here who whom whose which what when where "
    "why how am is are was were be been being do does did doing done have has had having will would shall should "
    "can could may might must not no nor only own same too very just also ever again once both each few more most "
    "other some such any all because while during before after above below between through under until against "
    "further dont didnt doesnt isnt arent wasnt werent wont wouldnt cant couldnt shouldnt hasnt havent hadnt im ive "
    "id ill youre youve youll hes shes theyre theyve weve lets thats theres whats s t d ll m re ve yes yeah well oh "
    "okay ok really"
)
"""Words that carry no fact. Numbers and "never" stay content."""
ARTICLES = {"a", "an", "the", "and"}
_COUNTED = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
)
NUMBERS = {word: str(value) for value, word in enumerate(_COUNTED.split())}
_WORD = re.compile(r"[a-z0-9]+(?:\.\d+)?")
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_NAME = re.compile(r"[^\W\d_][\w'’-]*|\d+(?:[.,:]\d+)*")


@cache
def _stem(word: str) -> str:
    import Stemmer

    return str(Stemmer.Stemmer("english").stemWord(word))


def words(text: str) -> list[str]:
    """Lower-case words without punctuation, number words as digits."""
    plain = re.sub(r"'s\b", "", text.lower().replace("’", "'")).replace("'", "").replace(",", " ")
    return [NUMBERS.get(word, word) for word in _WORD.findall(plain)]


def content_words(text: str) -> list[str]:
    """The stems of the words that carry a fact, in order."""
    return [_stem(word) for word in words(text) if word not in STOP_WORDS]


def contained(gold: str, text: str) -> float:
    """The share of the gold's content words that stand in the text; a gold without any counts its plain words."""
    wanted = set(content_words(gold)) or {_stem(word) for word in words(gold)}
    there = {_stem(word) for word in words(text)}
    return len(wanted & there) / len(wanted) if wanted else 1.0


def all_words(gold: str, text: str) -> bool:
    """Whether every content word of the gold stands in the text (the strict measure)."""
    return contained(gold, text) == 1.0


def half_words(gold: str, text: str) -> bool:
    """Whether at least half of the gold's content words stand in the text."""
    return contained(gold, text) >= 0.5


def token_f1(predicted: str, gold: str) -> float:
    """F1 over the multisets of stemmed tokens, articles and "and" dropped (LoCoMo's and SQuAD's measure)."""
    return token_overlap(predicted, gold)[2]


def token_overlap(predicted: str, gold: str) -> tuple[float, float, float]:
    """(precision, recall, F1) over the same tokens as `token_f1`; all 1 when both texts are empty."""
    first, second = (Counter(_stem(w) for w in words(text) if w not in ARTICLES) for text in (predicted, gold))
    if not first or not second:
        return (float(first == second),) * 3
    common = sum((first & second).values())
    if not common:
        return 0.0, 0.0, 0.0
    precision, recall = common / sum(first.values()), common / sum(second.values())
    return precision, recall, 2 * precision * recall / (precision + recall)


def names_and_numbers(text: str) -> set[str]:
    """What a fact must not lose: words with a capital inside a sentence, and numbers (as digits), lower-case.

    A sentence's first word counts only when it holds a digit, since any word is capitalised there.
    """
    found = set()
    for sentence in _SENTENCE.split(text):
        for place, word in enumerate(_NAME.findall(sentence)):
            low = re.sub(r"['’](s|m|ve|d|ll|re)$", "", word.lower())
            if word[0].isdigit() or (low in NUMBERS and low != "one"):
                found.add(NUMBERS.get(low, low).replace(",", ""))
            elif place and word[0].isupper() and low not in ("i", "speaker") and low not in STOP_WORDS:
                found.add(low)
    return found


def kept(gold: str, predicted: str) -> tuple[int, int]:
    """How many of the gold's names and numbers stand in the prediction, and how many there are."""
    wanted = names_and_numbers(gold)
    there = {_plain(word) for word in _NAME.findall(predicted.lower().replace("’", "'"))} | set(words(predicted))
    return sum(_plain(word) in there for word in wanted), len(wanted)


def _plain(word: str) -> str:
    low = re.sub(r"'s$", "", word.lower().replace("’", "'"))
    return NUMBERS.get(low, low).replace(",", "")
