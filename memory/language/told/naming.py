"""Names that a sentence gives to somebody or something: "a cat called Janka", "Janka, my cat", "the boss is Marlies".

English. In a line of small letters a word that hardly any line holds may be a name, too.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..asked import expects
from ..language import english
from ..points import letters as re
from ..words import stem
from .about import LEANING, Whom
from .trades import workers

_OF_ONE = re.compile(
    r"\b(?:(?:his|her|its|their) names? (?:is|was|are)|(?:he|she|it|they)(?:'s|s| is| was|'re| are) (?:called|named)|"
    r"(?:^|[.,!?;:] )(?:the )?name(?: is|'s)|goes by)\b",
    re.IGNORECASE,
)
"""What gives a name to one whom only the words before speak of."""
_IS_THE_NAME = re.compile(r"(\w[\w'-]*),? (?:is|was|are) (?:the|his|her|its|their) names?\b", re.IGNORECASE)
_NAMING = re.compile(
    rf"\b(?:{english().alternatives('names', 'naming')}|"
    r"(?:i|we|they|everyone|everybody) call(?:ed)? (?:him|her|it|them))"
    r"[\s:,\"'“]+(?:(?:is|was|after|the|a|by|him|her|it|them)\s+)*[\"'“]?"
    r"(\w[\w'-]*(?:(?:,| and| &)? (?-i:[A-Z])[\w'-]*)*)",
    re.IGNORECASE,
)


def names(sentence: str, whom: Whom) -> Iterator[str]:
    """The names, in small letters."""
    words = re.findall(r"[\w'-]+|[^\w\s]", sentence)
    small = len(words) > 3 and not any(word[0].isupper() and word not in ("I", "I'm", "I've") for word in words)
    for found in _NAMING.finditer(sentence):
        if _is_theirs(sentence[: found.start()], whom):
            some = [word for word in re.findall(r"[\w'-]+", found[1]) if word.lower() not in english().stop]
            yield from (word.lower() for word in some if word[0].isupper() or small or word == some[0])
    if any(_is_thing(word, whom) for word in words):
        yield from (found[1].lower() for found in _IS_THE_NAME.finditer(sentence))
    for place, word in enumerate(words):
        if _is_thing(word, whom) and not _of_others(words, place, whom):
            yield from _after(words, place, whom, small)
            yield from _before(words, place, whom)


def _is_theirs(before: str, whom: Whom) -> bool:
    """Whether "called" after these words is said of them, and of nothing that stands in between."""
    words = re.findall(r"[\w'-]+", before)
    place = next((at for at in range(len(words) - 1, -1, -1) if _is_thing(words[at], whom)), None)
    if place is None:
        return bool(LEANING.match(before) or _OF_ONE.search(f"{before} called"))
    between = {word.lower() for word in words[place + 1 :]}
    between -= {"a", "an"} if between & {"is", "was"} else set()
    return not between & {"a", "an", "and", "with"} and not _of_others(words, place, whom)


def _is_thing(word: str, whom: Whom) -> bool:
    low = word.lower().removesuffix("'s")
    main = english().relations.get(low, low)
    return bool({low, stem(low)} & whom.things or {low, main, main.rstrip("s")} & whom.kin)


def _of_others(words: list[str], place: int, whom: Whom) -> bool:
    """Whether the word at a place is of somebody else's: "her mother" of the asker's, "my wife" of Thilo's."""
    for word in reversed(words[max(place - 4, 0) : place]):
        low = word.lower()
        if low in ("my", "our"):
            return bool(whom.owner)
        if low in ("his", "her", "their"):
            return whom.mine and not {*whom.asker.split()} & {one.lower() for one in words[:1]}
        if low.endswith("'s") and word[0].isupper():
            return low[:-2] not in (whom.owner or {*whom.asker.split(), "user"})
        if low in ("the", "a", "an") or not low[0].isalpha():
            break
    who = words[0].lower()
    return (
        whom.mine
        and words[0][0].isupper()
        and words[1:2] in (["has"], ["had"])
        and who not in {*whom.asker.split(), "user", "i"}
    )


def _after(words: list[str], place: int, whom: Whom, small: bool) -> Iterator[str]:
    """Names after the word for it: "my cat Janka", "the boss is Marlies", "my sons, Max and Leo"."""
    if words[place].lower().endswith("'s"):
        return
    at = place + 1
    while at < len(words) and at < place + 6 and (words[at].lower() in _LINKS or words[at] in _MARKS):
        at += 1
    while at < len(words) and (_may_name(words[at], whom) or (small and _odd(words, at))):
        yield words[at].lower().removesuffix("'s")
        at += 1
        while at < len(words) and words[at].lower() in (",", "and", "&", "or"):
            at += 1


def _before(words: list[str], place: int, whom: Whom) -> Iterator[str]:
    """Names before it: "Janka, my one-eyed cat", "Marlies is my boss", "the Bristol Hotel"."""
    at = place - 1
    if at >= 0 and _may_name(words[at], whom) and not words[at].endswith("'s"):
        yield words[at].lower()
    while at >= 0 and at >= place - 4 and words[at].lower() not in _OPENS and not words[at].endswith("'s"):
        at -= 1
    if at < 0 or at < place - 4:
        return
    at -= 1
    several = words[at + 1].lower() in ("are", "were") or words[at].lower() in ("are", "were")
    while at >= 0 and (words[at] in _MARKS or words[at].lower() in ("is", "was", "are", "were", "as", "'s")):
        at -= 1
    while at >= 0 and _may_name(words[at], whom):
        yield words[at].lower().removesuffix("'s")
        at -= 1
        while several and at >= 0 and words[at].lower() in (",", "and", "&"):
            at -= 1
        if not several:
            break


_MARKS = frozenset(",:(-–—\"“'")
_LINKS = english().words("names", "between")
_NO_NAME = english().words("names", "titles_and_openers")
_OPENS = frozenset({"my", "our", "the", "a", "an", "his", "her", "their", "is", "was", "are", "were"})


def _may_name(word: str, whom: Whom) -> bool:
    low = word.lower().removesuffix("'s")
    return (
        word[0].isupper()
        and low not in english().stop
        and low not in english().words("others", "no_names")
        and low not in english().relations
        and low not in whom.owner | _NO_NAME
        and low not in expects.of_time()
        and not low.startswith(("i'", "she'", "he'", "it'", "they'", "we'"))
    )


def _odd(words: list[str], place: int) -> bool:
    """Whether a word in a line of small letters may be a name: none that many lines hold, and no verb after its
    subject."""
    low, after = words[place].lower(), words[place + 1].lower() if place + 1 < len(words) else "."
    common = english().words("forget", "common") | english().stop | english().filler | workers()
    common |= english().relations.keys()
    if not low.isalpha() or len(low) < 3 or low in common or low.endswith(("ing", "ed", "ly")):
        return False
    return not after[0].isalpha() or after in ("is", "was", "and", "who", "has", "had", "from", "in", "at", "are")
