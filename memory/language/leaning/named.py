"""Whom the words of a line speak of, and whether they say what somebody does. English."""

from __future__ import annotations

from functools import lru_cache

from ..kinship import pets
from ..language import english
from ..points import letters as re
from ..third_person import verbs
from ..words import alternatives, tokens

NAME = r"(?:(?:Dr|Mr|Mrs|Ms|Mx|Prof)\W? )?[A-Z][\w-]*[a-zà-ÿ]"
_NEW = re.compile(r"\b(?:has|have|had|got|met|hired|found|see|with|know|is seeing|['’]ve|there['’]s) $", re.IGNORECASE)
"""Before "a nanny" that somebody has: who it is, not what somebody is."""
_WE_HAVE = re.compile(r"\b(?:i|we)(?:['’]ve| have)(?: got| also)? $", re.IGNORECASE)
HELPING = english().words("apart", "helping")
_NO_NAME_AFTER = ("in", "at", "to", "from", "near", "of", "on", "for", "the", "The", "is", "was", "as", "'s", "’s")
ALONE = english().words("apart", "alone")
_SHORT = re.compile(r"(?:s?he|it|that|who|there|here|what|let)['’]s$", re.IGNORECASE)
_SEVERAL = english().words("apart", "several")


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


def named(text: str) -> list[str]:
    """Everybody of whom the words speak, each once, as a sentence would name them: "my wife Carmel", "Tom"."""
    people = dict[str, str]()
    for found in _somebody().finditer(text):
        name = found["name"] or found["bare"] or found["alone"] or ""
        kin, of = (found["kin"] or found["alone"] or "").lower(), found["of"] or ""
        if kin in _SEVERAL or (kin.endswith("s") and kin[:-1] in _singular()) or _SHORT.match(of):
            if name and not _SHORT.match(of):  # "the kids, Tama is our big one"
                people.setdefault(name.lower(), name)
            continue
        new = of.lower() in ("a", "an")
        if new and not name and kin.removesuffix("s") not in pets() and not _NEW.search(text[: found.start()]):
            continue  # "she's a nanny"
        mine = of.lower() in ("my", "our") or (new and _WE_HAVE.search(text[: found.start()]))
        whose = of if of[-1:] == "s" else (of.lower() if not new else "my") if mine else ""
        if of[-2:] in ("'s", "’s") and not name:
            people.setdefault(of[:-2].lower(), of[:-2])
        said = f"{whose} {kin} {name}".strip() if whose else name or f"the {kin}"
        key = (name or kin).lower()
        people[key] = people[key] if not kin and key in people else said
    return [*people.values()]


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
    kin = alternatives(kinds)
    idle = alternatives({*_calendar(), *known.stop, "christmas", "easter"})
    no_name = "".join(f"(?<!{word} )" for word in _NO_NAME_AFTER)
    tongue = rf"(?![A-Z]\w+(?:ish|ese)\b|(?:{'|'.join(known.listed('apart', 'tongues'))})\b)"
    done = "|".join(sorted(verbs().past))
    does = rf"(?: (?:[a-z]+s|{done}|and|can|will|[a-z]+ed)|,? s?he)\b"
    first = rf"(?<![a-z\d,;] )(?={NAME}{does})"  # where all words have a capital
    link = r"(?:(?: too| as well)?,? (?:is |was |are )?(?:called |named )?|, )"
    return re.compile(
        rf"(?<!\bis )(?<!\bas )\b(?P<of>(?i:my|our|an?|the|his|her)|[A-Z][\w-]+['’]s) (?:(?!and\b)[a-z-]+ ){{0,3}}?"
        rf"(?P<kin>(?i:{kin}))\b(?!['’]s|-)(?:{link}(?P<name>{NAME})\b(?!['’]s))?"
        rf"|(?:^|(?<=[.!?] )|(?<=and ))(?P<alone>(?i:{'|'.join(sorted(ALONE))}))\b(?!['’]s)"
        rf"|(?:(?<=name is )|{no_name}(?:(?<=[a-z\d,;] )|{first}))\b(?!(?i:{idle})\b){tongue}"
        rf"(?P<bare>{NAME})\b(?!['’]s)"
    )
