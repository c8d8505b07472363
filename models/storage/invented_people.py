"""People of whom nobody spoke: names and relations in a fact that stand in no line that it may come from.

Of "Themba is a nurse" a small model makes "Ana's aunt Themba", and gives "my cousin" a name of its own. An invented
relative is the worst of its mistakes, and can be seen from the words alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from ...memory.language.about_others import about_another
from ...memory.language.facts.change_words import stands
from ...memory.language.kinship import pattern, relations
from ...memory.language.language import english
from ...memory.language.own_name import told_name
from ...memory.language.points import letters as re
from ...memory.language.words import stem, terms, tokens
from ..prompts.draft import Add, Draft, Entry
from ..prompts.messages import Line
from .told.fidelity import alike, details
from .told.scene import Scene

AKIN = 4
"""Letters at the beginning that a name may share with a word that was said: "Italy" says "Italian"."""


@lru_cache(maxsize=1)
def _of_named() -> re.Pattern[str]:
    """Somebody named, whose relation somebody named is said to be: "Ana's aunt Themba"."""
    return re.compile(
        rf"\b(?P<of>(?:[A-Z][\w-]* )*[^\W\d_][\w-]*)'s (?P<who>{pattern(english())})(?:-in-law)?,? "
        r"(?P<name>[A-Z][\w-]*)"
    )


def strangers(fact: str, said: Sequence[str]) -> set[str]:
    """The names and the relations of a fact that none of the texts speaks of."""
    return strange_names(fact, said) | (relations(fact) - relations(" ".join(said)))


def strange_names(fact: str, said: Sequence[str]) -> set[str]:
    """The names in a fact that none of the texts holds."""
    words = {word for text in said for word in tokens(text)}
    return {name for name in details(fact) if not name[0].isdigit() and not _spoken(name, words)}


def disowned(fact: str, said: Sequence[str], known: Sequence[str] = ()) -> str:
    """The fact without a relation that nobody told of somebody who was named ("Ana's aunt Themba" -> "Themba").

    `known`: facts that may tell the relation too, if they tell it of the same name.
    """

    def owned(found: re.Match[str]) -> str:
        heard = [*said, *(text for text in known if found["name"] in text)]
        told = relations(found["who"]) <= relations(" ".join(heard)) and found["of"] != found["name"]
        told = told and not _apart(found["name"], relations(found["who"]), said)
        told = told and not _of_another(found["name"], found["of"], heard)
        told = told and not _is_another(found["name"], relations(found["who"]), [*said, *known])
        told = told and not _of_other_names(found["name"], relations(found["who"]), heard)
        return found[0] if told or strange_names(f"Is {found['name']}", [*said, *known]) else found["name"]

    return _of_named().sub(owned, fact)


def unowned(fact: str, speaker: str, said: Sequence[str]) -> str:
    """The fact without the speaker's "'s" before a name of which nobody said "my": "Ana's Mia is 15" -> "Mia is 15"."""
    found = re.match(rf"{re.escape(speaker)}'s (?P<name>[A-Z][\w-]*\w)(?=(?:'s)? [a-z])", fact)
    mine = rf"\b(?:my|our) (?:[\w-]+ ){{0,2}}{re.escape(found['name'])}\b" if found else ""
    if found is None or found["name"].lower() not in english().words("given", "names"):
        return fact  # "Ana's French is rusty"
    if not any(found["name"] in one for one in said) or re.search(mine, " ".join(said), re.IGNORECASE):
        return fact
    return fact[found.start("name") :]


def _apart(name: str, who: set[str], said: Sequence[str]) -> bool:
    """Whether somebody named does something to the one of that relation, or with them, and nowhere has it: "Koos can
    imitate the doorbell and my mother-in-law" tells of two."""
    words = "|".join(word for word, one in english().relations.items() if one in who)
    if not words:
        return False
    name, kin = re.escape(name), rf"(?:{words})\b"
    tied = rf"\b{kin}['’]?s?,? (?:(?:is|was|now|called|named|name|again)[ ,:]+)*{name}\b"
    tied += rf"|\b{name},?(?: is| was|['’]s|,)* (?:my|our|an?|the) (?:[\w-]+ )?{kin}"
    doing = rf"\b{name}\b(?! (?:is|was) (?:my|our)\b)(?: (?!and I\b)[\w'’-]+){{1,8}}? (?:my|our) (?:[\w-]+ )?{kin}"
    texts = [one for one in said if re.search(rf"\b{name}\b", one)]
    return any(re.search(doing, one) for one in texts) and not any(re.search(tied, one, re.IGNORECASE) for one in texts)


def _is_another(name: str, who: set[str], texts: Sequence[str]) -> bool:
    """Whether somebody was told to be another to the speaker, and nowhere this: of "my boss Ron" and "Beth was my
    roommate" no roommate Ron."""
    kin = rf"(?P<kin>{pattern(english())})"
    whose, name = r"(?:[Mm]y|[Oo]ur|[A-Z][\w-]*['’]s) (?:[a-z-]+ )?", re.escape(name)
    before = rf"\b{whose}{kin},? (?:(?:is|called|named) )*{name}\b(?!['’]s)"
    behind = rf"\b{name},?(?: is| was|['’]s|,)*(?: now| also| still)? {whose}{kin}"  # "Tess is my wife now"
    tied = (match for text in texts for form in (before, behind) for match in re.finditer(form, text))
    found = {one for match in tied for one in relations(match["kin"])}
    return bool(found) and not found & who


def _of_other_names(name: str, who: set[str], texts: Sequence[str]) -> bool:
    """Whether that relation was told of others alone, each time with their name: of "my sister Noemi is in the garage"
    and "Luz blew the candles out" no sister Luz."""
    words = "|".join(re.escape(word) for word, one in english().relations.items() if one in who)
    if not words:
        return False
    one, more = r"[A-Z][\w-]*\w", r"(?:,? \d+)?,? (?:(?:and|&) )?"
    tied = rf"\b(?:{words})\b,? (?:(?:is|are|was|were|called|named) )?(?P<names>{one}(?:{more}{one})*)"
    told = [found for text in texts for found in re.finditer(rf"\b(?:{words})\b", text, re.IGNORECASE)]
    named = [re.findall(one, found["names"]) for text in texts for found in re.finditer(tied, text)]
    return bool(told) and len(named) == len(told) and not any(name in some for some in named)


def _of_another(name: str, of: str, heard: Sequence[str]) -> bool:
    """Whether it was told whose somebody is, and it is another: of "my friend Ola and her son Filip" he is Ola's. (In
    "Ana lives with her friend Ola and her son Filip" he may be Ana's.)"""
    kin = rf"(?:{pattern(english())})"
    whose = rf"(?:\b(?:my|our|My|Our)|['’]s) (?:[\w-]+ )?{kin} (?P<whose>[A-Z][\w-]*)"
    theirs = rf"{whose},? (?:and|has) (?:her|his) (?:[\w-]+ )?{kin},? {re.escape(name)}\b"
    own = rf"\b(?:my|our) (?:[\w-]+ )?{kin},? {re.escape(name)}\b"
    found = {one["whose"] for text in heard for one in re.finditer(theirs, text)} - {of}
    return bool(found) and not any(re.search(own, text, re.IGNORECASE) for text in heard)


def misnamed(fact: str, said: Sequence[str]) -> bool:
    """Whether a fact calls something by a name that was told as a place or an owner alone: "Ana's theatre is called
    Deventer" of "in Deventer, at the theatre", "Ana's cat is called Callum" of "the cat's Callum's"."""
    if _CALLED_NOTHING.search(fact):
        return True
    found = _CALLED.search(fact)
    if found is None:
        return False
    told = [one for one in said if found["name"] in one]
    name = re.escape(found["name"])
    placed = rf"\b(?:in|at|to|from|near|around|outside) (?:the )?{name}\b"
    placed += rf"|\b{name}['’]s(?= name\b|\s*(?:[.,;!?]|$))"  # before all else it may be "is" or "has"
    return bool(told) and all(
        not re.search(rf"\b{name}\b", re.sub(placed, "", one, flags=re.IGNORECASE)) for one in told
    )


def renamed(fact: str, scene: Scene) -> bool:
    """Whether a fact gives the speaker a name that isn't told as theirs: "Ana's name is Bea" of "bought a greyhound,
    name's Bea", or "Ana's name is godmother" of "that's me a godmother"; one whose name isn't known yet, that of
    somebody else who does something: "Karen works at the bank"."""
    line, asked = scene.line, scene.before[-1].text if scene.before else ""
    found = re.fullmatch(rf"(?:{re.escape(line.speaker)}|The user)'s name is (?P<name>.+?)\.?", fact)
    if found is None or re.search(r"\bname\b", asked):
        return False
    if line.speaker == "User":
        other = about_another(line.text, line.speaker, surely=False, anybody=True)
        return other is not None and other.name == found["name"]
    theirs = re.sub(rf"\b{re.escape(found['name'])}['’]s (?=name\b)", "", line.text)
    if not {*tokens(line.text)} & english().self_words or (theirs != line.text and found["name"] not in theirs):
        return True
    return not _told_as_name(found["name"], line.text)


def _told_as_name(name: str, line: str) -> bool:
    """Whether a line tells a name of the speaker's: by words for a name, or as what they are, where that is no word for
    who is whose ("I'm Bea")."""
    if not name[:1].isupper() or relations(name):
        return False
    am = rf"\b(?i:i['’]?m|i am|it['’]s me,?) (?:(?:really|actually) )?{re.escape(name)}\b"
    return told_name(line, english()) is not None or stands("naming", line) or re.search(am, line) is not None


def of_the_speaker(fact: str, line: Line) -> str:
    """The fact with "Ana's Peter" in the place of "Ana Peter", who is nobody: of "our Peter" or "my Peter"."""
    first = line.speaker.split()[0]
    found = re.match(rf"{re.escape(first)} (?P<name>[A-Z][\w’-]*\w)\b", fact)
    if found is None or found["name"] in line.speaker.split() or not _whose(found["name"]).search(line.text):
        return fact
    return f"{line.speaker}'s {fact[found.start('name') :]}"


def _whose(name: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:my|our)(?: \w+)? {re.escape(name)}\b", re.IGNORECASE)


_CALLED_NOTHING = re.compile(r"\b(?:called|named|name is) (?:an?|no|not|only|just) [a-z]")
_CALLED = re.compile(r"\b(?:(?:is |are )?(?:called|named)|'s name is) (?P<name>[A-Z][\w’'-]*\w)")


def without_strangers(draft: Draft, said: Sequence[str]) -> Draft:
    """The draft without the facts that hold a name that none of the texts holds.

    A relation without a name may be a right guess ("mine are 3 and 6": children), so it stays.
    """
    return draft.told(lambda fact: None if strange_names(fact, said) else fact)


def made_up(fact: str, name: str, line: str, speaker: str) -> bool:
    """Whether a fact has the speaker do something at a place or a firm of whose own doing the line tells: "Ana works at
    Lidl" of "Lidl opens at 8". "Durban is home now" tells of a home of the speaker's."""
    who = re.match(rf"(?:{re.escape(speaker)}|User) (?=[a-z])", fact)
    if who is None or name.lower() not in fact.lower() or _HOME.search(line):
        return False
    verb = {stem(one) for one in english().words("doing", "somewhere")}
    return bool({*terms(fact[who.end() :])} & verb) and not {*terms(line)} & verb


_HOME = re.compile(r"\b(?:home|base|hometown|where|life|here)\b", re.IGNORECASE)


def unsaid(fact: str, speaker: str, said: Sequence[str]) -> bool:
    """Whether none of the texts holds any telling word of a fact: "User is not married" of "it's over, that's it". A
    number may have been told in words ("forty-two"), so of a fact with one it isn't known."""
    if re.search(r"\d", fact):
        return False
    words = {*terms(alike(fact))} - {*terms(speaker), "user"}
    return bool(words) and not words & {word for text in said for word in terms(alike(text))}


def _spoken(name: str, words: set[str]) -> bool:
    parts = tokens(name)
    return all(
        part in words or any(len(word) >= AKIN and word[:AKIN] == part[:AKIN] for word in words) for part in parts
    )


def as_own_name(entry: Entry, line: Line) -> Entry:
    """ "Ana is Marta." of "Hi, I'm Marta" as a name, so that it can be found and corrected as one."""
    told = told_name(line.text, english()) if isinstance(entry, Add) else None
    if told is None or not isinstance(entry, Add):
        return entry
    if not re.fullmatch(rf"(?:User|{re.escape(line.speaker)}) is {re.escape(told.name)}\.?", entry.fact):
        return entry
    return replace(entry, topic="name", fact=f"{line.speaker}'s name is {told.name}.")
