"""First-person facts ("I have a dog.") told in the third person with the speaker's name ("Ana has a dog.").

Multi-Session Chat's human-written facts are in the first person; memories are in the third. This is a small rule
set, not a parser: it changes pronouns and the verbs that agree with them and leaves all other words as they are,
so that no telling detail is lost. `we` becomes the speaker alone, unless a sentence names who the others are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from .language import Language, english
from .points import letters as re
from .points.abbreviated import parted

_TOKEN = re.compile(r"[A-Za-z]+(?:['-][A-Za-z]+)*|\d+(?:[.,:]\d+)*|\s+|.")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Za-z\"'])|(?<=[A-Za-z][.!?])\s+(?=\d)")
_SPEAKER = re.compile(r"\b(?:the )?(?:other )?speaker ?[12](?='?s?\b)", re.IGNORECASE)
_SUBJECTS = {"i": "", "we": "", "i'm": "is", "im": "is", "i've": "has", "ive": "has", "i'll": "will", "i'd": "would"}
_SUBJECTS |= {"we're": "is", "we've": "has", "we'll": "will", "we'd": "would"}
_OBJECTS = {"my": "{}'s", "our": "{}'s", "mine": "{}'s", "ours": "{}'s", "me": "{}", "us": "{}"}
_OBJECTS |= {"myself": "themself", "ourselves": "themselves"}
_IRREGULAR = {"am": "is", "are": "is", "have": "has", "do": "does", "go": "goes", "don't": "doesn't", "dont": "doesn't"}
_IRREGULAR |= {"haven't": "hasn't", "aren't": "isn't", "'m": "is", "were": "was", "weren't": "wasn't"}
_ALWAYS_FINITE = {"am", "don't", "haven't", "aren't"}

LONGEST = 30
"""Words of a clause that may be told as it was said."""
_LEANING = re.compile(
    r"(?:one(?! of)|hes?|shes?|its?|they|thats?|these|those|theres?|his|her|their|which|who)\b", re.IGNORECASE
)

_ALL = re.compile(r"\bwe (?:all|both|each)\b", re.IGNORECASE)
"""More than one does it: "we all get older"."""


@lru_cache(maxsize=1)
def so_many() -> re.Pattern[str]:
    """How many a "we" is of: "we are four", "we'll be 12 people"."""
    number = rf"(?:\d+|{'|'.join(english().unit_numbers.keys() - {'a', 'an', 'one', 'couple', 'zero'})})"
    return re.compile(
        rf"\bwe(?:['’]re| are| were|['’]ll be| will be) (?:\w+ )?(?P<number>{number})"
        r"(?= (?:people|persons|of us|at|in|now|for|altogether|this|here)\b|[,.;!]|$)",
        re.IGNORECASE,
    )


_ADDED = re.compile(
    r"(?P<joint>(?:,|\b(?:and|but|or))\s+(?:(?:[a-z]+ly|also|then|never|always|often|sometimes|usually) )*)"
    r"(?P<verb>[a-z]+)(?:\s+(?P<next>[\w']+))?"
)
_FILLER = re.compile(r"\b(?:pretty much|kind of|sort of) (?=[a-z])")
_TO_WHAT = frozenset({"in", "to", "at", "on", "for", "with", "about", "by", "from", "of"})
_CLOSED = frozenset({
    "to", "that", "who", "which", "because", "when", "if", "while", "where", "he", "she", "they", "it", "you",
    "i'll", "i'd", "i've", "we'll", "we'd", "we've",
})  # fmt: skip
"""After these a verb without a subject is not the speaker's in the present."""


def to_third_person(fact: str, name: str, other: str | None = None) -> str:
    """`fact` with `name` in the place of its first person; `other` (if known) in the place of "Speaker 1/2"."""
    text = re.sub(r"\b[Mm]e,? (?=[iI]\b)", "", fact.replace("\u2019", "'").strip())
    if other:
        text = _SPEAKER.sub(other, text)
    return " ".join(_sentence(part, name) for part in parted(_SENTENCE, text) if part.strip())


def retold(clause: str, name: str, language: Language | None = None) -> str | None:
    """What somebody said of themself as a fact about them ("Well, I'm 72." -> "Ana is 72."), in their own words.

    None where it can't stand alone: it is long, speaks to somebody, begins with a word for what was said before, or
    adds something that may be a verb or not ("and walk dogs").
    """
    language = language or english()
    said = _FILLER.sub("", _opening().sub("", clause).replace("\u2019", "'"))
    words = re.findall(r"[a-z]+", said.lower())
    spoken_to = language.second_person | {"youre"}
    if not language.claims or len(words) > LONGEST or {*words} & spoken_to or _LEANING.match(said) or _ALL.search(said):
        return None
    if so_many().search(said):
        return None
    told = _with_added(said, to_third_person(said, name))
    if told is None or name not in told or _disagrees(told, name):
        return None
    told = told.rstrip(" ,;:")
    return told if told[-1] in ".!?" else f"{told}."


@lru_cache(maxsize=1)
def _opening() -> re.Pattern[str]:
    """With which a clause begins that tells nothing by itself."""
    own = english().alternatives("openings", "own")
    goes_on = rf"i|im|ive|we|my|our|it|its|he|she|they|that|this|there|not|{own}"
    denies = rf"(?!no (?!(?:{goes_on})\b)(?-i:[a-z]))"  # "no more fishing"
    return re.compile(rf"^(?:{denies}(?:{own})\b[,:!.]*\s+)*", re.IGNORECASE)


def _disagrees(told: str, name: str) -> bool:
    """Whether the name stands before a verb that wasn't turned ("my sister bakes and Ana feed her cat")."""
    known = verbs()
    told = re.sub(
        rf"^(?:{re.escape(name)}'s [a-z-]+(?: [A-Z][\w-]*)?|[A-Z][\w-]*) and {re.escape(name)} ", "They ", told
    )
    unturned = (known.base | known.either | known.finite) - known.adverbs
    return any(word in unturned for word in re.findall(rf"\b{re.escape(name)} ([a-z]+)", told))


def _with_added(said: str, told: str) -> str | None:
    """`told` with the verbs that "and" or a comma adds to the speaker's own in the third person too ("and reads").

    None where that can't be told: many a base form is a noun as well.
    """
    known = verbs()
    for found in _ADDED.finditer(said):
        verb, bare = found["verb"], _has_no_object(said[: found.start()])
        if verb in known.finite or verb not in known.base | known.either or not _goes_on(said[: found.start()]):
            continue
        if verb in known.either and found["next"] not in known.objects and not bare:
            if found["next"]:
                return None
            continue  # "I love skiing and golf"
        told = re.sub(rf"({re.escape(found['joint'])}){verb}\b", rf"\1{third_form(verb)}", told, count=1)
    return told


def _since_subject(before: str) -> list[str]:
    """The words from the last `I` or `we` on, in small letters, without adverbs; empty: there is none."""
    words = re.findall(r"[\w']+", before.lower())
    place = max((at for at, word in enumerate(words) if word in _SUBJECTS), default=len(words))
    return [word for word in words[place:] if word not in verbs().adverbs]


def _has_no_object(before: str) -> bool:
    """Whether nothing but the verb stands between the subject and the "and": "I sing and dance"."""
    return len(_since_subject(before)) == 2


def _goes_on(before: str) -> bool:
    """Whether a verb added here is the speaker's own in the present ("I feed my cat and ...")."""
    words, known = _since_subject(before), verbs()
    if not words or {*words} & _CLOSED:
        return False
    main = words[0] if len(words[0]) > 2 else words[1] if len(words) > 1 else ""  # "I'm" is a verb too
    past = main in known.past or (main.endswith("ed") and main not in known.not_past)
    perfect = main == "have" and len(words) > 2 and (words[2] in known.past or words[2].endswith(("ed", "en", "wn")))
    return bool(main) and not past and not perfect and main not in known.modals


def split_facts(facts: str) -> list[str]:
    """The single sentences of one string of facts, each with its full stop."""
    parts = [part.strip() for part in parted(_SENTENCE, facts.replace("\u2019", "'").strip())]
    return [part if part[-1] in ".!?" else part + "." for part in parts if part]


def third_form(verb: str) -> str:
    """The third person singular of a verb's base form ("go" -> "goes"); others come back unchanged."""
    low = verb.lower()
    if low in _IRREGULAR:
        return _IRREGULAR[low]
    if low in verbs().modals or low in verbs().past or (low.endswith("ed") and low not in verbs().not_past):
        return verb
    if _is_third(low):
        return verb
    if low.endswith(("s", "sh", "ch", "x", "z", "o")):
        return verb + "es"
    if low.endswith("y") and low[-2:-1] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + "s"


def _is_third(low: str) -> bool:
    """Whether a verb is in the third person already, as where "Mia works" is told as "I works"."""
    known = verbs()
    bases = {low[:-1], low[:-2], f"{low[:-3]}y"} & (known.base | known.either | known.finite)
    return low in known.third or (low.endswith("s") and not low.endswith("ss") and bool(bases))


def _sentence(text: str, name: str) -> str:
    """One sentence, turned."""
    tokens = _TOKEN.findall(_with_subject(text, name))
    out, paired, index = list(tokens), False, 0
    while index < len(tokens):
        low = tokens[index].lower()
        if low in _SUBJECTS and not _is_letter(tokens, index):
            paired = _subject(tokens, out, index, name, paired) or paired
        elif low in ("my", "our") and _word(tokens, index, 1).lower() == "own" and index:
            out[index] = "their"
        elif low in _OBJECTS and tokens[index] != "US":
            out[index] = _OBJECTS[low].format(name)
        index += 1
    text = re.sub(r"\s+", " ", "".join(out)).strip()
    return text[:1].upper() + text[1:]


def _is_letter(tokens: list[str], index: int) -> bool:
    """Whether this `I` is a numeral or a name's letter ("World War I", "Type I", "I.T.")."""
    before = _word(tokens, index, -1)
    dotted = index + 1 < len(tokens) and tokens[index + 1] == "." and index + 2 < len(tokens) and tokens[index] == "I"
    return tokens[index] == "I" and (before in ("War", "Type", "Part", "Elizabeth") or (dotted and index == 0))


def _word(tokens: list[str], index: int, step: int) -> str:
    """The next word (not blank space) before or after `index`; empty at the ends."""
    index += step
    while 0 <= index < len(tokens) and tokens[index].isspace():
        index += step
    return tokens[index] if 0 <= index < len(tokens) else ""


def _subject(tokens: list[str], out: list[str], index: int, name: str, paired: bool) -> bool:
    """Put the name in the place of I/we at `index` and make its verbs agree; True: it was a pair ("my wife and I")."""
    low = tokens[index].lower()
    before, after = _word(tokens, index, -1).lower(), _word(tokens, index, 1).lower()
    if low.startswith("we") and paired:
        out[index] = "they" + tokens[index][2:]
        return True
    verb = _SUBJECTS[low]
    if verb == "would" and (after in ("been", "had", "gone", "better") or _is_participle(after)):
        verb = "had"
    out[index] = f"{name} {verb}" if verb else name
    if after == "and" and _word(tokens, _at(tokens, index, 2), 1).lower() in ("my", "our", "the"):
        return True
    if before in ("and", "&", "or") and _is_pair(tokens, index):
        return True
    if before in ("do", "am", "have") and after not in verbs().verbish:
        out[_at(tokens, index, -1)] = third_form(before)
        return False
    if verb:
        _continue(tokens, out, _at(tokens, index, 1) - 1, past=False)
    else:
        _agree(tokens, out, index)
    return False


def _is_participle(word: str) -> bool:
    """Whether a word after "I'd" can only be what somebody had done: "I'd left", and not "I'd cut"."""
    known = verbs()
    return word in known.past and word not in known.base | known.either | known.finite | known.adverbs


def _at(tokens: list[str], index: int, words: int) -> int:
    """The position of the word `words` words away."""
    step = 1 if words > 0 else -1
    for _ in range(abs(words)):
        index += step
        while 0 <= index < len(tokens) and tokens[index].isspace():
            index += step
    return min(max(index, 0), len(tokens))


def _is_pair(tokens: list[str], index: int) -> bool:
    """Whether "... and I" joins two people rather than two clauses: no verb stands before the "and" in its clause."""
    words: list[str] = []
    for token in reversed(tokens[: _at(tokens, index, -1)]):
        if token in ",;.:" or token.lower() in ("that", "when", "because", "if", "but", "where", "since"):
            break
        if not token.isspace():
            words.append(token.lower())
    plain = [w for w in words if w in verbs().verbish or w in _SUBJECTS or w.endswith(("ing", "ed"))]
    return bool(words) and not plain and not any(w.endswith("s") and w[:-1] in verbs().finite for w in words)


def _agree(tokens: list[str], out: list[str], index: int) -> None:
    """Turn the verb of the subject at `index`, then the verbs that "and" adds to it."""
    place = _at(tokens, index, 1)
    while place < len(tokens) and (_is_adverb(tokens, place) or tokens[place] == ","):
        place = _at(tokens, place, 1)
    if place >= len(tokens) or not tokens[place][0].isalpha():
        return
    low = tokens[place].lower()
    if low in ("and", "or", "but", "who", "that", "to", "in", "at", "for", "with", "is", "has"):
        return
    used_to = low == "use" and _word(tokens, place, 1).lower() == "to"
    out[place] = "used" if used_to else third_form(tokens[place])
    _continue(tokens, out, place, past=out[place].lower() == low)


def _is_adverb(tokens: list[str], place: int) -> bool:
    low = tokens[place].lower()
    return low in verbs().adverbs or (low.endswith("ly") and low not in ("fly", "rely", "apply", "supply", "reply"))


def _continue(tokens: list[str], out: list[str], place: int, *, past: bool) -> None:
    """Turn verbs after "and"/"but" that share the subject; stop at a new subject or a modal.

    After a past form or an infinitive only verbs that can be nothing but finite are turned ("went home and am tired").
    """
    open_infinitive = past
    for index in range(place + 1, len(tokens)):
        low = tokens[index].lower()
        if (
            low in _SUBJECTS
            or low in ("who", "he", "she", "they", "it", "that", "because", "when")
            or low in verbs().modals
        ):
            return
        if low == "to":
            open_infinitive = True
        if low in ("and", "but"):
            _turn_next(tokens, out, index, only_finite=open_infinitive)


def _turn_next(tokens: list[str], out: list[str], index: int, *, only_finite: bool) -> None:
    place = _at(tokens, index, 1)
    while place < len(tokens) and _is_adverb(tokens, place):
        place = _at(tokens, place, 1)
    if place >= len(tokens) or tokens[place].lower() not in (_ALWAYS_FINITE if only_finite else verbs().finite):
        return
    after = _word(tokens, place, 1)
    if after and after not in ".,!?" and after.lower() not in ("and", "or", "are", "is"):
        out[place] = third_form(tokens[place])


def _with_subject(text: str, name: str) -> str:
    """A fragment without its subject ("Will name the baby Drew.", "Loves tea.") given its `I` or name."""
    words = [w.lower() for w in re.findall(r"[A-Za-z]+(?:'[A-Za-z]+)?", text)]
    if not words:
        return text
    lowered = text[:1].lower() + text[1:]
    if words[0] in verbs().third and words[0] not in ("was", "had"):
        return f"{name} {lowered}"
    first = words[1] if words[0] in verbs().adverbs and len(words) > 1 else words[0]
    if first in verbs().starts and (len(words) < 2 or words[1] != "is"):
        return f"I {lowered}"
    if left_out := elided(words):
        return f"{left_out} {lowered}"
    if words[0] in ("favorite", "favourite"):
        return f"{name}'s {lowered}"
    if words[0] == "not" and len(words) > 1 and words[1] in ("a", "an", "the", "very", "much"):
        return f"{name} is {lowered}"
    return text


def elided(words: Sequence[str]) -> str | None:
    """The words that somebody left out who begins with what they did ("just moved to Ghent": I), have done ("been
    learning": I have) or how they are ("based in Ghent": I am); None: nothing was left out, or it can't be told
    ("built in 1920"). `words` in small letters."""
    known = verbs()
    skipped = next((at for at, word in enumerate(words) if word not in known.adverbs), len(words))
    verb, after = [*words[skipped : skipped + 2], "", ""][:2]
    if verb == "been" and after:
        return "I have"
    if verb in known.states and after in _TO_WHAT:
        return "I am"
    past = verb in known.past or (verb.endswith("ed") and verb not in known.not_past)
    if not past or verb in ("was", "were", "used") or after not in known.objects:
        return None
    return "I" if skipped or after not in _TO_WHAT - {"to"} else None


@dataclass(frozen=True, eq=False)
class Verbs:
    """Words by what they do in a clause about the speaker."""

    adverbs: frozenset[str]
    modals: frozenset[str]
    past: frozenset[str]
    not_past: frozenset[str]
    finite: frozenset[str]
    """Verbs (and the adverbs before them) that after "and", "but" or a comma continue the same subject."""
    third: frozenset[str]
    starts: frozenset[str]
    """With which a clause without its subject begins."""
    verbish: frozenset[str]
    base: frozenset[str]
    """Verbs whose base form is hardly ever a noun: "and feed the cat"."""
    either: frozenset[str]
    """Verbs whose base form is a noun too: "and walk", "and books"."""
    objects: frozenset[str]
    """What follows a verb rather than a noun: "the", "my", "them"."""
    states: frozenset[str]
    """Participles that tell how somebody is, not what they did: "based", "married"."""


def verbs() -> Verbs:
    """Those of English."""
    return _verbs(english())


@lru_cache(maxsize=2)
def _verbs(language: Language) -> Verbs:
    names = ("adverbs", "modals", "past", "not_past", "finite", "third", "base", "either", "objects", "states")
    lists = {name: language.words("verbs", name) for name in names}
    finite, third = lists["finite"], lists["third"]
    starts = finite - {"usually", "also", "never"} | {"am", "will", "would", "can", "can't", "cannot", "used"}
    verbish = third | finite | lists["modals"] | lists["past"] | {"are", "been", "being"}
    return Verbs(**lists, starts=starts, verbish=verbish)
