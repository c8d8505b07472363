"""Sentences without their subject, with it: "Wife's Carmel. Does the books." as "My wife is Carmel. Carmel does ...".

People who write as in a diary leave out who does it: whom the sentence before told of, else the writer. A small model
takes such a sentence for the writer's own, or makes nothing of it. English; the line that is kept stays as it was
typed.
"""

from __future__ import annotations

from functools import lru_cache

from ..kinship import pets
from ..language import english
from ..points import letters as re
from ..points.abbreviated import hidden, shown
from ..third_person import elided, verbs
from ..words import alternatives, tokens
from .named import ALONE, HELPING, does, named

_SENTENCE = re.compile(r"\s*[^\n]+?(?:[.!?]+(?=\s|$)|(?=\n)|$)")
_NAME = r"[A-Z][\w-]*[a-zà-ÿ]"
LOOKED_AT = 3
"""Sentences that are looked through for whom is meant."""
_OWN = english().words("apart", "own")
"""What the writer does where a sentence begins with it; "play", "keep" or "get" may be what somebody is to do."""
_DID = english().words("apart", "did")
"""What somebody did, and never what was done to something: "built in 1920"."""
_DOING = english().words("apart", "doing")
_THINGS = english().listed("apart", "counted")


def with_subjects(line: str) -> str:
    """The line with a subject for each sentence that lacks one; unchanged where none does."""
    text = hidden(line)
    out, at = "", 0
    for found in _SENTENCE.finditer(text):
        out, at, sentence = out + text[at : found.start()], found.end(), found[0]
        lead = sentence[: len(sentence) - len(sentence.lstrip())]
        if out and _goes_on(sentence.strip(), out):
            out, sentence = out.rstrip(" .!"), f" {sentence.strip()}{_end(sentence)}"
            sentence = f" {sentence[1:2].lower()}{sentence[2:]}"
        elif not sentence.rstrip().endswith("?"):
            sentence = f"{lead}{_of_kin(_with_subject(sentence.strip(), out, bool(out)))}{_end(sentence)}"
        out += sentence
    return shown(out) if out and out != text else line


def _goes_on(sentence: str, before: str) -> bool:
    """Whether a sentence only says where or with whom what the writer told right before is: "I've a new job! At a bike
    shop."."""
    found, last = _PLACE.match(sentence), [one[0] for one in _SENTENCE.finditer(before)][-1].strip()
    mine = re.match(r"(?:(?:and|but|so|oh|well|also),? )*(?:i|we)\b", last, re.IGNORECASE)
    if found is None or not mine or last.endswith("?") or not does(last) or does(found[0]):
        return False
    time = english().weekdays.keys() | english().months.keys() | english().words("apart", "of_time")
    return not {*tokens(found[0])} & time


_PLACE = re.compile(
    r"(?:at|in|with|for|from|near|by) (?:an?|the|my|our|(?-i:[A-Z]))[^,.;:!?]*(?=[,.;:!?]|$)", re.IGNORECASE
)


def _is_third(word: str) -> bool:
    known = verbs()
    bases = known.base | known.either | known.finite
    return word in (known.third | {"does", "doesn't", "is", "isn't", "has", "hasn't"}) - {"was", "had"} or (
        len(word) > 4 and word.endswith("s") and word[:-1] in bases
    )


def _end(sentence: str) -> str:
    return sentence[len(sentence.rstrip()) :]


def _of_kin(sentence: str) -> str:
    """ "Wife's Carmel" as "My wife is Carmel", "Brother Hughie sings" as "My brother Hughie sings", "Aoife, nurse in
    Perth" as "Aoife is a nurse in Perth", "Three children" as "I have three children"."""
    if counts(sentence):
        return f"I have {sentence[:1].lower()}{sentence[1:]}"
    if trade := _trade().match(sentence):
        article = "an" if trade["trade"][0].lower() in "aeiou" else "a"
        return f"{trade['name']} is {article} {sentence[trade.start('trade') :]}"
    kin = _kin().match(sentence)
    if kin is None or not sentence[:1].isupper():
        return sentence
    who, rest = kin["kin"].lower(), sentence[kin.end() :]
    if kin["short"] and re.match(rf" {_NAME}\s*(?:[.,;!]|and\b|$)", rest):  # not "Landlord's nephew"
        return f"My {who} is{rest}"
    return f"My {who}{kin['short'] or ''}{rest}"


def counts(words: str) -> bool:
    """Whether words begin with how many of somebody one has: "three children"."""
    return _counted().match(words) is not None


def _with_subject(sentence: str, before: str, follows: bool) -> str:
    words = [word.lower() for word in re.findall(r"[A-Za-z]+(?:['’][A-Za-z]+)?", sentence)]
    if len(words) < 2 or not sentence[:1].isupper():
        return sentence
    first, known = words[0], verbs()
    lowered = sentence[:1].lower() + sentence[1:]
    if _is_third(first):
        other = _spoken_of(before, third=True) if follows else ""
        return f"{other} {lowered}" if other else sentence
    other = _spoken_of(before) if follows else ""
    past = first in known.past - HELPING - known.base - known.either or (first.endswith("ed") and len(first) > 4)
    doing = first in _DOING and len(words) > 2
    known_to_be = " " in other or (other and other.lower() in ALONE)  # another name alone may be a car's
    if known_to_be and (past or doing or (first in ("in", "at", "on", "from") and not does(sentence))):
        return f"{other} {'' if past else 'is '}{lowered}"
    if first in _OWN and words[1] not in ("me", "us", "this", "that", "it", "out"):
        return f"I {lowered}"
    if first in _DID or (past and re.match(r"[A-Z]\w+ [A-Z]", sentence)):
        return f"I {lowered}"
    own = elided(words) if past or first == "been" else None
    return f"{own} {lowered}" if own else sentence


def _spoken_of(before: str, *, third: bool = False) -> str:
    """Whom the last sentence with somebody in it told of, if it told of one other person, as they were named there;
    `third`: the writer can't be meant."""
    for sentence in reversed([one[0].strip() for one in _SENTENCE.finditer(before)][-LOOKED_AT:]):
        if not third and (
            re.match(r"(?:I|We|My own|Our own)\b(?!['’]s)", sentence) or re.search(r"\b(?:we|us)\b", sentence)
        ):
            return ""
        if not does(sentence):
            continue
        people = named(sentence)
        begins = [one for one in people if sentence.lower().startswith(one.lower())]
        found = begins[:1] if len(people) > 1 else people
        if people:
            return f"{found[0][:1].upper()}{found[0][1:]}" if found else ""
    return ""


@lru_cache(maxsize=1)
def _kin() -> re.Pattern[str]:
    known = english()
    kin = alternatives({*known.relations, *pets()} - {"child", "mate"})
    verb = "is|was|has|had|does|will|never|always|[a-z]+ed"
    follows = rf"(?:and I\b|{_NAME}(?: (?:[a-z]+s|{verb})\b|,)|(?:{verb})\b)"
    return re.compile(rf"(?!(?:Father|Mother) [A-Z])(?P<kin>(?i:{kin}))(?:(?P<short>['’]s)(?= )|(?= {follows}))")


@lru_cache(maxsize=1)
def _trade() -> re.Pattern[str]:
    workers = alternatives(english().words("others", "workers"))
    return re.compile(
        rf"(?P<name>{_NAME}), (?:an? )?(?P<trade>(?:[a-z]+ )?(?:{workers}))\b(?=[.!]|$| (?:in|at|for|with)\b)"
    )


@lru_cache(maxsize=1)
def _counted() -> re.Pattern[str]:
    numbers = alternatives(one for one in english().unit_numbers if len(one) > 2)
    things = "|".join([*(f"{one}s" for one in _THINGS), "children", "grandchildren", *(f"{one}s" for one in pets())])
    return re.compile(rf"(?P<count>(?i:{numbers}|\d{{1,2}}))(?: [a-z]+)? (?i:{things})\b(?=\s*(?:[.,:;!]|$))")
