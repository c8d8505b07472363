"""Which ages, names, trades, colours and days texts tell of the one whom a question asks of.

A text counts sentence by sentence: the age of one stands in a sentence that speaks of them, or in the next one where
that begins with "she". Found is by its form: "turned 7", "a cat called Janka", "Janka, my cat". English.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from ..asked import expects
from ..kinship import relations
from ..language import english
from ..words import sentences, stem, tokens
from .asked import Want

_LEANING = re.compile(
    r"^\W*(?:(?:and|but|so|oh|yes|well|because|now|today|yesterday),? )*(?:he|hes|she|shes|they|theyre|it|his|her|their|its|"
    r"that|this|both|mine|hers|theirs|name is|named|called)\b",
    re.IGNORECASE,
)
_GOES_ON = re.compile(r"^\W*and\b.*\b(?:he|she|they|it|his|her)\b.*\?$", re.IGNORECASE)
_OF_ONE = re.compile(
    r"\b(?:(?:his|her|its|their) names? (?:is|was|are)|(?:he|she|it|they)(?:'s|s| is| was|'re| are) (?:called|named)|"
    r"(?:^|[.,!?;:] )(?:the )?name(?: is|'s)|goes by)\b",
    re.IGNORECASE,
)
"""What gives a name to one whom only the words before speak of."""
_DOTTED = re.compile(r"\b(Dr|Mr|Mrs|Ms|St|Prof)\.(?= )")
_HYPHENED = re.compile(r"\w+(?:-\w+)+")
_BY_LAW = re.compile(r"\b\w+-in-law\b", re.IGNORECASE)
_LAW = re.compile(r"\b(mother|father|sister|brother|son|daughter|parents)s?[ -]in[ -]law\b", re.IGNORECASE)
_NAME = re.compile(r"\b[A-Z][^\W\d_]+")
LEANT = "\v"
"""Before a text that goes on with "she" from what isn't there."""
_FIRST = re.compile(r"\b(?:i|i'm|im|i've|ive|my|we|we're|our|me)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Whom:
    """Who or what is asked of, by any word that speaks of them, in small letters: `names` they go by, `kin` they are
    (`roles`: where no other name stands), stems of `things`; `owner`: the names of whose it is; `me`: the name that facts have for the asker, who is asked of."""

    names: frozenset[str] = frozenset()
    kin: frozenset[str] = frozenset()
    roles: frozenset[str] = frozenset()
    things: frozenset[str] = frozenset()
    owner: frozenset[str] = frozenset()
    me: str = ""
    mine: bool = False
    asker: str = "user"

    def in_(self, sentence: str) -> bool:
        """Whether a sentence speaks of them."""
        words = [*tokens(sentence), *(one.lower() for one in _HYPHENED.findall(sentence))]
        if self.me:
            return bool(_FIRST.search(sentence)) or self.me in words[:1]
        stems = {*words, *map(stem, words)}
        sentence = _BY_LAW.sub("", sentence)
        if self.names & stems or self.things & stems or self.kin & (relations(sentence) | stems):
            return True
        others = {one.lower() for one in _NAME.findall(sentence)} - {self.asker, "user"} - english().stop
        return bool(self.roles & relations(sentence)) and not others


def told_sentences(text: str) -> list[str]:
    """The sentences of what was told, none of them cut after "Dr."."""
    plain = _LAW.sub(r"\1-in-law", text.strip(LEANT).replace("’", "'"))
    return sentences(_DOTTED.sub(r"\1", plain))


def spoken(whom: Whom, text: str) -> Iterator[str]:
    """The sentences of a text that speak of them, and those after these that go on with "she"."""
    near, owned, asked = text.startswith(LEANT), not whom.owner, False
    for sentence in told_sentences(text):
        owned = owned or bool(whom.owner & {*tokens(sentence)})
        near = whom.in_(sentence) or (near and not whom.me and (asked or bool(_LEANING.match(sentence) or _GOES_ON.match(sentence))))
        asked = sentence.endswith("?")  # what follows a question of one's own may answer it
        if owned and near and not asked:
            yield sentence


def told(want: Want, whom: Whom, texts: Iterable[str]) -> dict[str, str]:
    """What of the wanted kind the texts tell of them, in small letters, a number as digits; with the sentence that
    tells it. A text may be several lines, one after another."""
    find, found = _FINDERS[want.kind], dict[str, str]()
    for text in texts:
        for sentence in spoken(whom, text):
            for one in find(sentence, whom):
                found.setdefault(one, sentence)
    return found


_NUMBER = rf"(?:\d{{1,3}}(?:[.,]5)?|a hundred|{'|'.join(expects.SMALL)})(?:[ -](?:{'|'.join(expects.SMALL)}))?(?: and a half)?"
_DIGITS = r"(?![.,:]?\d)"
_UNIT = r"(?:years?|yrs?|months?|weeks?|days?)"
_ENDS = (
    r"(?=\s*(?:$|[.,;:!?)–—]|-\s|(?:and|but|or|now|today|yesterday|tomorrow|this|last|next|on|in|already|soon|when|so|too|"
    r"lol|who|with|i|he|she|they|we|at|as|to|for|since|btw|haha|if|because|while|though|than|the|"
    r"(?:years?|yrs?|months?|weeks?)(?! (?:ago|later|now|in|at|earlier|long|before|already|after)\b))\b))"
)
_AGES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b({_NUMBER})[ -]?(?:{_UNIT}[ -])?(?:olds?\b|yo\b|y/o\b|y\.o\b)",
        rf"(?:\b(?:is|are|am|im|was|were|be|turn(?:s|ed|ing)?|becomes?|became|hits?|reached|aged?|just|nearly|almost|only|about|now|already|over|under|barely|hes|shes|its|theyre)|'s|'re|'m) ({_NUMBER}){_DIGITS}{_ENDS}",
        rf"(?<!\d)[,(–-]\s?({_NUMBER}){_DIGITS}\s?(?:[,).–-]|$)",
        rf"\b({_NUMBER})(?:st|nd|rd|th) birthday",
        r"\bborn\b.*?\b((?:18|19|20)\d\d)\b",
        rf"\b(?:of|at|age) ({_NUMBER})(?=\s*(?:$|[.,;!?)]|and\b|now\b))",
        rf"\b({_NUMBER}) {_UNIT} (?:older|younger)\b",
        r"\b((?:teen|twent|thirt|fort|fift|sixt|sevent|eight|ninet)(?:ie)s)\b",
        r"\b(teenager|newborn|toddler|first birthday|sixteenth|eighteenth|twenty-first|fiftieth|same age)\b",
    )
)
_NO_AGE = re.compile(r"\b(?:for|since|after|past|until|till|from)\s+(?:[\w']+ ){0,3}$", re.IGNORECASE)


def _ages(sentence: str, whom: Whom) -> Iterator[str]:
    for pattern in _AGES:
        for found in pattern.finditer(sentence):
            if not _NO_AGE.search(sentence[: found.start(1)][-30:]):
                yield from expects.numbers(found[1], ordinals=True) or {found[1].lower()}
    for name in whom.names | whom.kin:
        for found in re.finditer(rf"\b{re.escape(name)},? ({_NUMBER}){_ENDS}", sentence, re.IGNORECASE):
            yield from expects.numbers(found[1])


_NAMING = re.compile(
    r"\b(?:called|named|nicknamed|names?(?: (?:is|was|are|were)|'s)?|name's|(?:i|we|they|everyone|everybody) call(?:ed)? (?:him|her|it|them)|goes by|christened|dubbed)"
    r"[\s:,\"'“]+(?:(?:is|was|after|the|a|by|him|her|it|them)\s+)*[\"'“]?(\w[\w'-]*(?:(?:,| and| &)? [A-Z][\w'-]*)*)",
    re.IGNORECASE,
)


def _names(sentence: str, whom: Whom) -> Iterator[str]:
    words = re.findall(r"[\w'-]+|[^\w\s]", sentence)
    small = len(words) > 3 and not any(word[0].isupper() and word not in ("I", "I'm", "I've") for word in words)
    for found in _NAMING.finditer(sentence):
        if _is_theirs(sentence[: found.start()], whom):
            some = [word for word in re.findall(r"[\w'-]+", found[1]) if word.lower() not in english().stop]
            yield from (word.lower() for word in some if word[0].isupper() or small or word == some[0])
    for place, word in enumerate(words):
        if _is_thing(word, whom) and not _of_others(words, place, whom):
            yield from _after(words, place, whom, small)
            yield from _before(words, place, whom)


def _is_theirs(before: str, whom: Whom) -> bool:
    """Whether "called" after these words is said of them, and of nothing that stands in between."""
    words = re.findall(r"[\w'-]+", before)
    place = next((at for at in range(len(words) - 1, -1, -1) if _is_thing(words[at], whom)), None)
    if place is None:
        return bool(_LEANING.match(before) or _OF_ONE.search(f"{before} called"))
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
            return whom.mine and whom.asker not in {one.lower() for one in words[:1]}
        if low.endswith("'s") and word[0].isupper():
            return low[:-2] not in (whom.owner or {whom.asker, "user"})
        if low in ("the", "a", "an") or not low[0].isalpha():
            break
    return False


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
    while at >= 0 and (words[at] in _MARKS or words[at].lower() in ("is", "was", "as", "'s")):
        at -= 1
    if at >= 0 and _may_name(words[at], whom):
        yield words[at].lower().removesuffix("'s")


_MARKS = frozenset(",:(-–—\"“'")
_LINKS = frozenset({
    "is", "was", "are", "were", "be", "called", "named", "who", "dear", "s", "=", "the", "mr", "mrs", "ms", "dr", "doctor",
    "miss", "sir", "old", "little", "big", "young",
})  # fmt: skip
_OPENS = frozenset({"my", "our", "the", "a", "an", "his", "her", "their", "is", "was"})


def _may_name(word: str, whom: Whom) -> bool:
    low = word.lower().removesuffix("'s")
    return (
        word[0].isupper()
        and low not in english().stop
        and low not in english().words("others", "no_names")
        and low not in english().relations
        and low not in whom.owner
        and low not in expects.of_time()
        and not low.startswith(("i'", "she'", "he'", "it'", "they'", "we'"))
    )


def _odd(words: list[str], place: int) -> bool:
    """Whether a word in a line of small letters may be a name: none that many lines hold, and no verb after its
    subject."""
    low, after = words[place].lower(), words[place + 1].lower() if place + 1 < len(words) else "."
    common = english().words("forget", "common") | english().stop | english().filler | english().relations.keys() | workers()
    if not low.isalpha() or len(low) < 3 or low in common or low.endswith(("ing", "ed", "ly")):
        return False
    return not after[0].isalpha() or after in ("is", "was", "and", "who", "has", "had", "from", "in", "at", "are")


@lru_cache(maxsize=1)
def workers() -> frozenset[str]:
    """Who somebody is by their work."""
    return english().words("others", "workers") | frozenset(english().table("matters", "words")["worker"].split())


_WORK = re.compile(
    r"\b(?:works?|worked|working|job (?:as|at|with|for)|retired|retires|teach(?:es|ing)?|taught|runs?|ran|drives? (?:a|an|the)|drove|sells?|sold|"
    r"repairs?|fix(?:es)?|owns?|manages?|managed|trains?|studies|cleans|builds?|built|cooks?|makes|made|paints|designs|writes|"
    r"cuts|grows|bakes|sews|delivers|boss|unemployed|employed|shop|company|office|"
    r"apprentice|student|self-employed|freelances?|preaches|plays for|sails|fishes|farms|guards|nurses|is in charge)\b",
    re.IGNORECASE,
)
_IS_A = re.compile(r"(?:\b(?:is|was|became|as|am)|'s|'m|,) (?:an?|the|now an?|still an?|only an?) ([\w-]+(?: [\w-]+)?)", re.I)


def _jobs(sentence: str, whom: Whom) -> Iterator[str]:
    yield from (found[0].lower() for found in _WORK.finditer(sentence))
    yield from (word for word in tokens(sentence) if word in workers() or word.rstrip("s") in workers())
    yield from (found[1].lower() for found in _IS_A.finditer(sentence))
    yield from (word for word in tokens(sentence) if word.endswith(("ist", "ian", "maker", "smith", "man", "keeper")))


def _colours(sentence: str, whom: Whom) -> Iterator[str]:
    words = expects.words_in(sentence)
    yield from (words[at].lower() for at in expects.answers_at("colour", words, ()))
    yield from (word for word in tokens(sentence) if word.endswith(("ish", "coloured", "colored")) or word in MORE)


MORE = frozenset(
    "teal coral mustard ochre lilac mauve magenta cyan copper bronze khaki charcoal burgundy amber mint peach salmon rose "
    "emerald indigo lavender tan colourless striped spotted chequered camouflage blond blonde ginger dark pale".split()
)
_BIRTH = re.compile(r"\b(?:birthday|born|birth|bday|b-day|turn(?:s|ed|ing)?)\b", re.IGNORECASE)


def _births(sentence: str, whom: Whom) -> Iterator[str]:
    if _BIRTH.search(sentence):
        words = expects.words_in(sentence)
        yield from (words[at].lower() for at in expects.answers_at("time", words, ()) if not _CODE.match(words[at]))


_CODE = re.compile(r"0\d{3}|\d{5,}|[3-9]\d{2,}$")
_LIVES = re.compile(
    r"\b(?:live[sd]?|living|moved?|moves|moving|home|house|flat|apartment|room|based|settled|stays?|stayed|resides?|from|"
    r"street|abroad|upstairs|downstairs|next door)\b",
    re.IGNORECASE,
)
_IN = re.compile(r"\b(?:in|at|to|near|from|of|for) [A-Z]\w+")


def _homes(sentence: str, whom: Whom) -> Iterator[str]:
    yield from (found[0].lower() for found in _LIVES.finditer(sentence))
    if not whom.me:
        yield from (found[0].lower() for found in _IN.finditer(sentence))


def _places(sentence: str, whom: Whom) -> Iterator[str]:
    yield from (found[0].lower() for found in _AT.finditer(sentence))


_AT = re.compile(r"\b(?:in|at|for|on|near|with|from|works?) (?!me\b|him\b|her\b)\w+", re.IGNORECASE)
_FINDERS = {
    "age": _ages, "name": _names, "job": _jobs, "colour": _colours, "birthday": _births, "home": _homes, "workplace": _places,
}  # fmt: skip
