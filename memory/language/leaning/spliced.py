"""Statements that one sentence strings together, as sentences of their own: "my husband is called Doru, he cooks".

A small model reads the first of them, or makes one long fact of all, which then changes and ends as a whole. Where a
statement behind a comma begins with somebody's name, or with "he", "she" or "it" and it is plain who or what is meant,
it becomes a sentence that names them: "My husband is called Doru. My husband Doru cooks." What leans on the rest
in another way stays as it is. English; the line that is kept stays as it was typed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from ..about_others import men, perfect, women
from ..facts.over import pets
from ..language import english
from ..points.abbreviated import hidden, shown
from ..third_person import verbs
from ..words import tokens

_NAME = r"(?:(?:Dr|Mr|Mrs|Ms|Mx|Prof)\W? )?[A-Z][\w-]*[a-zà-ÿ]"
_SPLICE = re.compile(
    r"(?:(?P<comma>,|;|\s-+|\s–|\s—)\s+(?P<and>and\s+|but\s+)?|\s+and\s+|(?<=\w)(?P<end>[.!])\s+"
    r"|(?P<run>(?<=\w)\s+)(?=s?he\b))"
    rf"(?P<who>[Hh]e|[Ss]he|[Ii]t|{_NAME})(?P<short>['’](?:s|ll|d))?\s+(?P<next>[\w'’-]+)(?=(?P<rest>[^.!?,;]*))"
)
_LEADS = re.compile(
    r"^\W*(?:(?:and|but|so|well|also|oh|ok|okay|yes|no|then)\b,?\s+)*"
    r"(?:if|when|whenever|while|because|since|as|after|before|until|once|although|though|unless|whether|that|where|who|which)\b",
    re.IGNORECASE,
)
"""A clause that another one must follow."""
_NEW = re.compile(r"\b(?:has|have|had|got|met|hired|found|see|with|know|is seeing|['’]ve|there['’]s) $", re.IGNORECASE)
"""Before "a nanny" that somebody has: who it is, not what somebody is."""
_WE_HAVE = re.compile(r"\b(?:i|we)(?:['’]ve| have)(?: got| also)? $", re.IGNORECASE)
_SAYING = re.compile(
    r"\b(?:says?|said|thinks?|thought|told|tells?|hopes?|hoped|heard|knows?|knew|guess|swears?)\b[^,;]*$", re.I
)
"""After these what follows is what was said or thought."""
_POINTING = re.compile(r"\b(?:it|this|that|these|those|them|one|ones)\b", re.IGNORECASE)
_OTHER = re.compile(r"\b(?:him|her|his|hers|he|she|they|their)\b", re.IGNORECASE)
_OF_ANOTHER = {"he": re.compile(r"\b(?:her|she|him)\b", re.I), "she": re.compile(r"\b(?:him|he|his)\b", re.I)}
_THING = re.compile(
    r"\b(?:i|we)(?:['’]ve)? (?:just |also |still |now )?(?:have|got|own|drive|bought|rent|keep|ride|play|run|wear)"
    r"(?: got)? (?:an?|the|my|our) (?P<thing>(?:[\w'’-]+ ){0,3}[\w'’-]+)$",
    re.IGNORECASE,
)
"""What one has, at the end of a statement: "I drive a red Dacia Sandero"."""
_PREPOSITIONS = frozenset({"in", "on", "at", "from", "for", "with", "of", "to", "by", "near", "since", "every"})
HELPING = english().words("apart", "helping")
_IS = re.compile(
    r"(?:an?|the|my|our|not|in|at|on|from|so|very|got|been|gone|back|[\d]+|\w{2,}ing|\w{3,}ed)$", re.IGNORECASE
)
_DONE = re.compile(r"\s+(?:me|us|up|out|off|down|the|an?|my|our)\b")
_SAID = english().words("apart", "said")
_BEFORE_A_VERB = english().words("apart", "before_a_verb")
_OF_A_THING = english().words("apart", "of_a_thing")
_NO_NAME_AFTER = ("in", "at", "to", "from", "near", "of", "on", "for", "the", "The", "is", "was", "as", "'s", "’s")
_GIRLS = english().words("apart", "girls")
_OPEN = english().words("apart", "open")
_OF_IT = english().words("apart", "of_it")
ALONE = english().words("apart", "alone")
_SEVERAL = english().words("apart", "several")
_BOYS = english().words("apart", "boys")


class _Somebody(NamedTuple):
    """Somebody of whom a line spoke: how to say it, their sex where the words tell it, and where the words end."""

    said: str
    sex: str
    end: int
    is_pet: bool = False


def spliced(line: str) -> str:
    """The line with such statements as sentences; unchanged where it strings none together."""
    text = hidden(line)
    out, at, thing = "", 0, ""
    for found in _SPLICE.finditer(text):
        if found.start() < at or not _states(found):
            continue
        before = text[: found.start()]
        sentence = re.split(r"[.!?]\s", before)[-1]
        if found["who"].lower() == "it":
            thing = said = _thing(found, sentence, thing)
        else:
            said = _who(found, text, sentence)
        if not said:
            continue
        again = (found["comma"] or found["run"]) is not None and _twice(sentence)  # "my brother, he works"
        out += text[at : found.start()] if again else f"{text[at : found.start()].rstrip(' ,;')}{found['end'] or '.'} "
        out += f"{_short(found)} " if again else f"{said[:1].upper()}{said[1:]}{_short(found)} "
        at = found.start("next")
    return shown(out + text[at:]) if at else line


def _twice(sentence: str) -> bool:
    """Whether the words before a pronoun are somebody by name, or somebody of the speaker's, and no more."""
    pieces = re.split(r"[,;]\s+", sentence)
    joined = "(?:(?:and|but|so) )?" if len(pieces) == 1 else "(?:and|but|so) "  # ", Radu, he": who a boyfriend is
    named = re.match(rf"{joined}{_NAME}$", pieces[-1])
    mine = re.match(r"(?:(?:and|but|so)\s+)?(?:my|our)\s", pieces[-1], re.IGNORECASE)
    return bool(named or mine) and not does(pieces[-1])


def _states(found: re.Match[str]) -> bool:
    """Whether a statement follows that can stand by itself: a verb, and nothing that is pointed at."""
    word = found["next"].lower().replace("’", "'")
    known = verbs()
    if found["who"].lower() in ("he", "she") and word in _SAID:
        return False  # "..., he says"
    finite = bool(found["short"]) or word in known.third | known.past | known.modals | HELPING | _BEFORE_A_VERB
    finite = finite or (len(word) > 3 and word.endswith(("s", "ed")) and not word.endswith("ss"))
    return finite and not _POINTING.search(found["rest"])


def _who(found: re.Match[str], text: str, sentence: str) -> str:
    """How the subject of a statement behind a joint is said in a sentence of its own; empty where it stays as it is."""
    if _LEADS.match(sentence) or _SAYING.search(sentence) or (found["run"] and not _runs_on(found, sentence)):
        return ""
    low, begins, before = found["who"].lower(), found["end"] is not None, text[: found.start()]
    if low not in ("he", "she"):
        by_name = found["who"][0].isupper() and low not in english().stop | _calendar() and not begins
        by_name = by_name and not (found["short"] and not _IS.match(found["next"]))  # "Anton's new landlord"
        return (
            found["who"] if by_name and found["comma"] and does(sentence) and not _OTHER.search(found["rest"]) else ""
        )
    surely = bool(_OF_ANOTHER.get(low, _OTHER).search(found["rest"]))  # "he has asked her": of two people one is meant
    fits = [one for one in named(text, found.start()) if one.sex == low or (not surely and (not one.sex or one.is_pet))]
    fits = [one for one in fits if one.sex] if sum(bool(one.sex) for one in fits) == 1 else fits
    near = [one for one in fits if one.end == len(before.rstrip(" ,")) and not begins]
    last = re.split(r"[.!?]\s", before.rstrip(".! "))[-1]
    here = near or ([one for one in fits if one.end > len(before.rstrip(".! ")) - len(last)] if len(fits) > 1 else fits)
    if len(here) != 1 and not near:
        return ""
    if not begins and not does(sentence):
        return here[-1].said if near and (found["run"] or (found["comma"] and not found["and"])) else ""
    return here[-1].said


def _runs_on(found: re.Match[str], sentence: str) -> bool:
    """Whether a new statement begins where no comma stands: "my brother he works", "got laid off he's moving home"; not
    "the girl he's seeing", "I know he's ill"."""
    if _twice(sentence):
        return True
    last = (tokens(sentence) or [""])[-1]
    of_it = found["next"].lower().endswith(("ing", "ed")) or found["next"].lower() in _OF_IT
    relative = of_it and re.search(
        r"\b(?:the|an?|this|that|all|what|everything|place|time|way) [\w'’-]+$", sentence, re.IGNORECASE
    )
    return bool(found["short"]) and last not in english().words("words", "joins") | _OPEN and not relative


def does(sentence: str) -> bool:
    """Whether words hold a verb that somebody does."""
    known, words = verbs(), tokens(sentence.replace("’", "'"))
    finite = known.third | known.past | known.modals | known.finite | HELPING
    return bool(re.search(r"\w['’](?:s|m|re|ve|d|ll) ", sentence)) or any(
        word in finite
        or (word.endswith("s") and word[:-1] in known.base | known.either)
        or (place and words[place - 1] in ("i", "we", "you", "they") and word not in known.adverbs)
        or (word.endswith("ed") and len(word) > 3)
        for place, word in enumerate(words)
    )


def _thing(found: re.Match[str], sentence: str, known: str) -> str:
    """What "it" is where the statement before ends with what one has or told of it, too; empty where it isn't plain."""
    thing = _THING.search(sentence)
    if not found["comma"] or not (found["short"] or found["next"].lower() in _OF_A_THING):
        return ""
    if thing is None:
        return known if re.search(r"\bit(?:['’]s)?\b[^,;]*$", sentence, re.IGNORECASE) else ""
    return "" if {*tokens(thing["thing"])} & _PREPOSITIONS else f"my {thing['thing']}"


def _short(found: re.Match[str]) -> str:
    """What "'s" and its like stand for behind a name."""
    if not found["short"]:
        return ""
    word = found["next"].lower()
    done = (word in verbs().past or word.endswith("ed")) and _DONE.match(found["rest"])  # "she's fed me"
    verb = {"s": "has" if perfect().match(found["next"]) or done else "is", "ll": "will", "d": "would"}
    return f" {verb[found['short'][1:].lower()]}"


def named(text: str, before: int) -> Iterator[_Somebody]:
    """Everybody of whom the words before that place speak, in their order, each once, as their last mention ends."""
    people, known = dict[str, _Somebody](), english()
    for found in _somebody().finditer(text):
        if found.end() > before:
            break
        name, kin = (
            found["name"] or found["bare"] or found["alone"] or "",
            (found["kin"] or found["alone"] or "").lower(),
        )
        kinds, pet = {kin, known.relations.get(kin, kin)}, kin.removesuffix("s") in pets()
        sex = "she" if kinds & (women() | _GIRLS) else "he" if kinds & (men() | _BOYS) else ""
        if kin in _SEVERAL or (kin.endswith("s") and kin[:-1] in _singular()):
            continue
        of = found["of"] or ""
        if re.match(r"(?:s?he|it|that|who|there|here|what|let)['’]s$", of, re.IGNORECASE):
            continue
        if not name and not pet and of.lower() in ("a", "an") and not _NEW.search(text[: found.start()]):
            continue  # "she's a nanny"
        whose = of if of[-1:] == "s" else of.lower() if of.lower() in ("my", "our") else ""
        if of.lower() in ("a", "an") and not name and _WE_HAVE.search(text[: found.start()]):
            whose = "my"
        if of[-2:] in ("'s", "’s") and not name:
            people.setdefault(of[:-2].lower(), _Somebody(of[:-2], "", found.start() + len(of), False))
        earlier = people.pop(name.lower(), None) if name and not kin else None
        said = f"{whose} {kin} {name}".strip() if whose else name or f"the {kin}"
        people[(name or kin).lower()] = _Somebody(said, sex, found.end(), pet)
        if earlier is not None:
            people[name.lower()] = earlier._replace(end=found.end())
    yield from people.values()


@lru_cache(maxsize=1)
def _singular() -> frozenset[str]:
    return frozenset({*english().relations, *english().words("others", "workers"), *pets()})


@lru_cache(maxsize=1)
def _calendar() -> frozenset[str]:
    days = english().weekdays
    return frozenset({*english().months, *days, *(f"{day}s" for day in days)})


@lru_cache(maxsize=1)
def _somebody() -> re.Pattern[str]:
    """Somebody of the speaker's, somebody new by what they are ("a colleague, Simona"), or somebody by name."""
    known = english()
    kinds = {*known.relations, *known.words("others", "workers"), *known.words("others", "anybody"), *pets()}
    kin = "|".join(sorted(map(re.escape, kinds), key=len, reverse=True))
    idle = "|".join(sorted({*_calendar(), *known.stop, "christmas", "easter"}, key=len, reverse=True))
    no_name = "".join(f"(?<!{word} )" for word in _NO_NAME_AFTER)
    tongue = rf"(?![A-Z]\w+(?:ish|ese)\b|(?:{'|'.join(known.listed('apart', 'tongues'))})\b)"
    done = "|".join(sorted(verbs().past))
    does = rf"(?: (?:[a-z]+s|{done}|and|can|will|[a-z]+ed)|,? s?he)\b"
    first = rf"(?<![a-z\d,;] )(?={_NAME}{does})"  # where all words have a capital
    link = r"(?:,? (?:is |was |are )?(?:called |named )?|, )"
    return re.compile(
        rf"(?<!\bis )(?<!\bas )\b(?P<of>(?i:my|our|an?|the|his|her)|[A-Z][\w-]+['’]s) (?:(?!and\b)[a-z-]+ ){{0,3}}?"
        rf"(?P<kin>(?i:{kin}))\b(?!['’]s|-)(?:{link}(?P<name>{_NAME})\b(?!['’]s))?"
        rf"|(?:^|(?<=[.!?] )|(?<=and ))(?P<alone>(?i:{'|'.join(sorted(ALONE))}))\b(?!['’]s)"
        rf"|(?:(?<=name is )|{no_name}(?:(?<=[a-z\d,;] )|{first}))\b(?!(?i:{idle})\b){tongue}"
        rf"(?P<bare>{_NAME})\b(?!['’]s)"
    )
