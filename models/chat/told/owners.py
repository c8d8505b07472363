"""A reply about the asker that is taken from what was told of somebody else: "what am I allergic to?" answered with a
friend's allergy, "what is my parrot called?" with the neighbour's.

Whatever the reply adds to the question must stand, in one word at least, in a sentence that isn't about somebody else
alone. English.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache

from ....memory.language.asked import expects
from ....memory.language.kinship import pattern, relations
from ....memory.language.language import english
from ....memory.language.points import letters as re
from ....memory.language.told.about import told_sentences
from ....memory.language.told.kinds import below
from ....memory.language.words import stem, terms, tokens
from ....memory.values import OWN_NAME
from .known import Known

_OF_ME = re.compile(
    r"(?:what|where|which|how|when)\b.*?\b(?:am|do|can|have|is|are|was|['’]s) "
    r"(?:(?P<me>I|we)\b|(?P<mine>my|our) (?P<thing>.+))"
    r"|in (?:what|which) [a-z]+ (?:am|do) (?P<we>I|we)\b",
    re.IGNORECASE,
)
_OF_THEM = re.compile(
    r"(?:(?:what|where|when|which|who|how)\b(?: [a-z]+){0,3}? )?"
    rf"(?:{english().alternatives('words', 'asking_whether')}) "
    r"(?P<who>(?:[Mm]y|[Oo]ur) [a-z-]+(?: [A-Z][\w-]*)?|[A-Z][\w-]*)(?! and\b)(?= [a-z]|$)"
)
_TO_YOU = re.compile(r"(?:(?:yes|no)\b[,.!]? )?you(?:['’](?:re|ve|d))?\b(?! (?:said|told|mentioned))", re.IGNORECASE)
_THIRD = english().words("words", "others")
_OF_THING = re.compile(
    r"\bthe (?P<what>[a-z]+(?: [a-z]+)?) (?:of|for|to) (?:my|our) (?P<thing>[a-z-]+(?: [a-z-]+){0,2})$", re.IGNORECASE
)
_THING = re.compile(
    r"\b(?:of|for|to) (?:my|our|the|his|her|their|[A-Z][\w-]*'s) ([a-z-]+(?: [a-z-]+)?)"
    r"|\b(?:my|our|the|his|her|their|[A-Z][\w-]*'s) ([a-z-]+(?: [a-z-]+)?)'s\b"
)
_NOT = re.compile(r"\b(?:no|not|never|none|nobody|nothing|cannot|[a-z]+n['’]t)\b", re.IGNORECASE)
_OPEN_QUESTION = re.compile(r"(?:what|which|who|whose|where|when|how)\b", re.IGNORECASE)
_SELF = re.compile(r"\b(?:i|i['’]\w+|im|ive|we|we['’]\w+|me|us|myself|both)\b", re.IGNORECASE)
_MINE = re.compile(r"\b(?:my|our|mine|ours)\b", re.IGNORECASE)
_YOURS = re.compile(r"\b[Yy]our ([a-z-]+)\b")
_CAPITAL = re.compile(r"\b[A-Z][\w-]*\w")
_IS_NAMED = re.compile(r"You(?:['’]re| are) [A-Z][\w’'-]*(?: [A-Z][\w’'-]*)?\.?")
_OF_MINE = re.compile(r"\b(?:is|are|was|were|became) (?:also )?(?:my|our)\b", re.IGNORECASE)


def of_others(known: Known, reply: str) -> bool:
    """Whether all that a reply adds to a question about the asker was told of other people."""
    core = known.core.replace("’", "'")
    asked = _OF_ME.match(core)
    if asked is None or not known.of_their_life or re.match(r"(?:who|whose|which of)\b", core, re.IGNORECASE):
        return False
    kin = relations(core)
    if asked["mine"] and (kin or not asked["thing"]):
        return False
    about = {stem(one) for one in tokens(core)} | kin
    own, theirs = set[str](), set[str]()
    for sentence in dict.fromkeys(one for text in known.texts for one in told_sentences(text)):
        (theirs if _theirs(sentence, known, about) else own).update(terms(sentence))
    new = {*terms(reply)} - {*terms(core)} - {*terms(known.asker), "user"} - _idle()
    if new & theirs and not new & own:
        return True
    return bool(asked["mine"]) and _another_s(known, {*terms(asked["thing"])}, new)


_KIN_CALLED = re.compile(rf"\b(?:{pattern(english())}),? (?:is|are|was|were) (?:called|named)\b", re.IGNORECASE)


def of_the_asker(known: Known, reply: str) -> bool:
    """Whether a reply to a question about somebody else alone speaks of the asker alone: "Yes, you can eat bread." to
    "can Dev eat bread?", where a partner's diet was told."""
    core = known.core.replace("’", "'")
    asked = _OF_THEM.match(core)
    if asked is None or not known.of_their_life or not _TO_YOU.match(reply):
        return False
    if _SELF.search(core) or _MINE.search(core, asked.end()):
        return False
    who = asked["who"]
    kin = relations(who)
    if not kin and who.lower() not in known.people:
        return False
    return not ({*tokens(reply)} & (known.names_of(who) | _THIRD) or kin & relations(reply))


def of_another_thing(known: Known, reply: str) -> bool:
    """Whether all that a reply adds was told of the same of another thing: the code of the bicycle lock, where that of
    the front door is asked."""
    asked = _OF_THING.search(known.core.replace("’", "'"))
    if asked is None:
        return False
    what, thing = ({*terms(asked[one])} for one in ("what", "thing"))
    new = {*terms(reply)} - {*terms(known.core)} - {*terms(known.asker), "user"} - _idle()
    sentences = dict.fromkeys(one for text in known.texts for one in told_sentences(text))
    told = [one for one in sentences if new & ({*terms(one)} - thing - what)]
    things = [_THING.findall(one.replace("’", "'")) for one in told if what & {*terms(one)}]
    others = [{*terms(" ".join(" ".join(found) for found in some))} - what for some in things]
    return bool(told) and len(others) == len(told) and all(one and not one & thing for one in others)


def of_another_animal(known: Known, reply: str) -> bool:
    """Whether a reply to a question for an animal's name has no word for such a one, and names others or the asker's
    kin: "Your kids are called Ada and Milo." to "what is the name of the dog?"."""
    asked = known.wanted
    if asked is None or asked.kind != "name" or known.whom.kin or not known.whom.things & below("animal"):
        return False
    said = {*terms(reply)}
    return not said & known.whom.things and bool(said & below("animal") or _KIN_CALLED.search(reply))


def _another_s(known: Known, thing: set[str], new: set[str]) -> bool:
    """Whether the only sentence that speaks of such a thing says that another has it, and what the reply says of it."""
    sentences = dict.fromkeys(one for text in known.texts for one in told_sentences(text))
    speak = [one for one in sentences if thing & {*terms(one)} - _idle()]
    return (
        bool(speak)
        and all(_theirs(one, known, set(), thing) for one in speak)
        and any(new & {*terms(one)} for one in speak)
    )


def _theirs(sentence: str, known: Known, about: set[str], thing: Collection[str] = ()) -> bool:
    """Whether a sentence is about somebody else alone, of whom the question doesn't speak. `thing`: what is asked of;
    "my shifts are ..." is about nobody else."""
    if _SELF.search(sentence) or _OF_MINE.search(sentence):
        return False
    found = _somebody().match(sentence)
    if found is None:
        return False
    who, kin = {*tokens(found["who"])}, relations(found["who"])
    mine = re.match(rf"(?i:my|our|user's|{re.escape(known.asker)}'s) ", found["who"].replace("’", "'"))
    own = {*below("animal"), *(() if mine and "'s " in found["who"][mine.end() :] else thing)}
    if mine and not kin and {stem(one) for one in who} & own:
        return False  # the asker's own
    if found["name"] and not _is_somebody(found["name"], known):
        return False
    return not ({stem(one) for one in who} | kin) & about and found["who"].lower() not in {
        known.asker,
        *known.asker.split(),
    }


def _is_somebody(name: str, known: Known) -> bool:
    """Whether a word that begins a sentence is a name: none that many lines hold, and a name inside a sentence, too."""
    if name.lower() in english().stop | english().words("forget", "common") | {*known.asker.split(), "user"}:
        return False
    return any(re.search(rf"(?<=[\w,;:] ){re.escape(name)}\b", text) for text in known.texts)


def given_back(known: Known, reply: str) -> str | None:
    """The reply with what is somebody else's theirs again: "your girlfriend", where Callum was asked of and only
    Callum's girlfriend was told of; None: nothing of the kind stands there."""
    core = known.core.replace("’", "'")
    names = {word for word in _CAPITAL.findall(core) if word.lower() in known.people}
    if len(names) != 1 or _SELF.search(core) or _MINE.search(core):
        return None
    name, texts = names.pop(), [text.replace("’", "'") for text in known.texts]

    def told(owners: str, thing: str) -> bool:
        return any(re.search(rf"\b(?:{owners}) (?:[\w-]+ ){{0,2}}?{re.escape(thing)}\b", text) for text in texts)

    def mended(found: re.Match[str]) -> str:
        me = rf"(?i:user|{re.escape(known.asker)})"
        own = told(rf"[Mm]y|[Oo]ur|{me}'s|(?:{me}|I|[Ww]e) (?:have|has|had|got)|I've(?: got)?", found[1])
        return found[0] if own or not told(f"{name}'s", found[1]) else f"{name}'s {found[1]}"

    back = _YOURS.sub(mended, reply)
    return back if back != reply else None


def says_nothing(known: Known, reply: str) -> bool:
    """Whether a reply adds nothing to what is asked: "You're Radka." to "what's my job?", "Ciro is Ciro."."""
    core = known.core.replace("’", "'")
    if not known.of_their_life or known.of_the_world or (known.wanted is not None and not known.own):
        return False
    if not re.match(r"(?:what|where|which|who|how old)\b", core, re.IGNORECASE):
        return False
    if re.search(r"\b(?:or|name|called)\b|^who am i", core, re.IGNORECASE) or re.search(r"\d", reply):
        return False
    if _IS_NAMED.fullmatch(reply.strip()):
        return True
    name = next((one.removeprefix(OWN_NAME) for one in known.facts if one.startswith(OWN_NAME)), "")
    new = {*terms(reply)} - {*terms(core)} - {*terms(f"{name} {known.asker} user")} - _idle()
    return not new


def denies_unheard(known: Known, reply: str) -> bool:
    """Whether a reply denies what nothing that was told speaks of: "You don't have a bank card." to "what's the pin of
    my bank card?"."""
    if not known.of_their_life or known.of_the_world or not _OPEN_QUESTION.match(known.core) or _NOT.search(known.core):
        return False
    if not re.match(r"(?:you|your|there|no|nobody|nothing)\b", reply, re.IGNORECASE) or not _NOT.search(reply):
        return False
    if re.search(r"\b(?:told|tell|said|mention\w*|know\w*)\b", reply, re.IGNORECASE):
        return False
    asked = {*terms(known.core)} - _idle() - {*terms(known.asker), "user"}
    return bool(asked) and not any(asked & {*terms(text)} for text in known.texts)


@lru_cache(maxsize=1)
def _idle() -> frozenset[str]:
    return frozenset(stem(one) for one in expects.generic() | english().stop)


@lru_cache(maxsize=1)
def _somebody() -> re.Pattern[str]:
    """A sentence that begins with somebody: "my mate Fergus", "User's aunt", "Kemal"."""
    of = r"(?:[Mm]y|[Oo]ur|[A-Z][\w-]*(?: [A-Z][\w-]*)?['’]s|[Hh]is|[Hh]er)"
    kin = f"{pattern(english())}|{'|'.join(sorted(english().words('others', 'workers')))}"
    word = r"(?!(?:is|are|was|were|has|have|had)\b)[\w-]+"  # nobody is called "Monday" in "my shifts are Monday"
    return re.compile(
        rf"^(?:(?:and|but|so|also|now|oh|well),? )*"
        rf"(?P<who>{of} (?:{word} ){{0,2}}?(?:(?:{kin})\b|{word} (?=[A-Z]))(?: [A-Z][\w-]*)?"
        rf"|(?P<name>[A-Z][\w-]*\w)(?= [a-z])|(?:He|She|he|she) (?=\w+s\b|\w+ed\b))"
    )
