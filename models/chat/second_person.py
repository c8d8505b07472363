"""Facts about the user as they are told to the user: "Joseph's wife is Amina." -> "Your wife is Amina."

Rules for English, as `memory/language/third_person.py` has them the other way round. What they can't turn stays as it
is: a name is never wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ...memory.language.asked.personal import personal
from ...memory.language.kinship import pattern, pets
from ...memory.language.language import english
from ...memory.language.own_name import told_name
from ...memory.language.points import letters as re
from ...memory.language.points.abbreviated import parted
from ...memory.language.quoted.in_quotes import spoken_to as quoted_to
from ...memory.language.third_person import third_form, verbs
from ...memory.language.words import alternatives
from ...memory.values import Memory
from ..lm import Chunk

if TYPE_CHECKING:
    from ...memory.store.store import Store

_BE = {"is": "are", "was": "were", "has": "have", "does": "do", "isn't": "aren't", "wasn't": "weren't",
       "hasn't": "haven't", "doesn't": "don't"}  # fmt: skip
_JOINT = re.compile(
    r"(?P<joint>(?:,|\b(?:and|but|or))\s+(?:(?:[a-z]+ly|also|then|never|always|often) )*)"
    r"(?P<verb>[a-z]+s)\b(?=(?: (?P<next>[a-z]+))?)"
)
_CLAUSE = (
    r"(?P<joint>(?:[,;]|\b(?:and|but|or|so|because|since|that|when|while|if|where|who|which|as|until|before|after))\s+)"
)
"""What a clause begins with, in front of its subject."""
_DOES = (
    rf"(?P<adverbs>(?: (?:[a-z]+ly|{english().alternatives('verbs', 'preverbal')}))*) "
    r"(?P<verb>[a-z]+s)\b"
)
_AFTER_VERBS = frozenset({
    "a", "an", "the", "his", "her", "their", "its", "in", "at", "on", "to", "for", "with", "as", "every",
})  # fmt: skip
"""What follows a verb rather than a noun in -s."""
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_WHOLE = "\0"
"""Stands for the whole name of the user."""
_OWN_NAME = re.compile(r"^(?:The )?[Uu]ser's name is (?=[A-Z][\w'’-]*(?: [A-Z][\w'’-]*)*[.!]?$)")
_THEIRS = re.compile(r"\b(?:their|theirs|they)\b")
_HERS = re.compile(
    rf"^(you (?!(?:{english().alternatives('verbs', 'causative')})\b)[a-z]+ "
    r"(?:(?:in|on|at|with|for|to|of|from|about|after|up|out|off|by) )?)(?:her|his)"
    r"(?= (?!(?:to|that|if|about|for|how|what|why|when|where|not|and|or|an?|the|in|on|at|again|every|once|from|with)\b)"
    r"[a-z])"
)
"""Right after the verb nobody else is there whose it may be."""
_WHAT = r"(?P<what>[a-z][\w-]*(?: [a-z][\w-]*){0,2})"
_TO_THE_ONE = {"their": "your", "theirs": "yours", "they": "you"}
_SEVERAL = re.compile(
    rf"\b[a-z]+[^\Ws]s\b | \b(?:and|or|{english().alternatives('others', 'several')}|who)\b | \ [A-Z]\w",
    re.VERBOSE,
)
"""Who "they" may be, if not the one spoken to."""
_SHE = re.compile(
    r"(?:(?<=\bwhen )|(?<=\bif )|(?<=\bbecause )|(?<=\bthinks )|(?<=\bthink )|(?<=\bthat ))(?:she|he)"
    r"(?P<adverbs>(?: (?:[a-z]+ly|only|also|just|still|never|always))*) "
    r"(?P<verb>[a-z]+s\b|\w+n['’]t\b|can|could|will|would)"
)
_SOMEBODY = re.compile(
    rf"\b(?i:{pattern(english())}|{alternatives(pets())}|who|he|she|him|her|his)\b"
    r"|(?<=[a-z,] )[A-Z]\w"
)
"""Who "she" may be, if not the one spoken to."""
_PLACED = re.compile(r" (?:in|to|at|from|near) [A-Z][\w'’-]*(?: [A-Z][\w'’-]*)*")
HELD = 240
"""Characters of a reply that are waited for, to see who speaks in it."""
_TO_ASKER = {
    "i": "you", "we": "you", "my": "your", "our": "your", "mine": "yours", "ours": "yours", "me": "you", "us": "you",
    "myself": "yourself", "ourselves": "yourselves", "i'm": "you're", "we're": "you're", "i've": "you've",
    "we've": "you've", "i'd": "you'd", "we'd": "you'd", "i'll": "you'll", "we'll": "you'll",
}  # fmt: skip
_AFTER_I = {"am": "are", "was": "were", "wasn't": "weren't"}
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_TO_SOMEBODY = re.compile(r"\b(?:you|your|yours|yourself|informations?|records?|notes?)\b", re.IGNORECASE)
_SAID_OF_ITSELF = english().alternatives("verbs", "of_itself").replace(" ", r"\ ")
_OF_ITSELF = re.compile(
    rf"""\W*(?:I|we)(?:
        \ (?:can|could|cannot|would|should|may|might|will|must)(?:n['’]t)?\b | ['’](?:d|ll)\b | \ won['’]t\b |
        (?:\ (?:do|does|did|am|was|have|had)(?:\ not|n['’]t)? | ['’](?:m|ve)(?:\ not)?)?
        (?:\ (?:also|only|just|really|very|so))?\ (?:{_SAID_OF_ITSELF})\b
    )""",
    re.IGNORECASE | re.VERBOSE,
)
"""What an assistant says of itself."""


def to_second_person(fact: str, name: str, lines: Sequence[str] | None = None) -> str:
    """`fact` with its user, who is told of under `name`, spoken to; what it quotes of theirs as a quotation. `lines`:
    those from which it came; with them also where their first name, or their last, stands alone."""
    if (said := quoted_to(fact, name)) is not None:
        return said
    fact = fact if lines is None else in_full(fact, name, lines)
    own = _OWN_NAME.sub("Your name is ", fact.strip())
    if own != fact.strip():
        return own  # the name itself stays: "Your name is you" tells nobody anything
    return " ".join(_sentence(one, name) for one in parted(_SENTENCE, fact.strip()) if one)


def told_to(store: Store, row: Memory, subject: str) -> str:
    """A fact of the store spoken to its user."""
    lines = store.facts.evidence([row.id]).get(row.id, ()) if len(subject.split()) > 1 else ()
    return to_second_person(row.fact, subject, [line.text for line in lines])


def in_full(fact: str, name: str, lines: Sequence[str]) -> str:
    """The fact with the user's whole name for a part of it, where nobody else is meant: "my son Ana", and what a line
    tells of "Ana", is another's, for nobody speaks so of themself."""
    words, common = name.split(), english().stop | english().calendar
    fact, lines = fact.replace(name, _WHOLE), [one.replace(name, _WHOLE) for one in lines]
    for word in dict.fromkeys((words[0], words[-1])) if len(words) > 1 else ():
        alone = re.compile(rf"(?:(?P<before>[\w.]+) )?(?<![\w'’-]){re.escape(word)}(?![\w-]| [A-Z])")
        if word.lower() in common or any(alone.search(one) and not told_name(one) for one in lines):
            continue
        if not any(_is_name_of(one["before"] or "") for one in alone.finditer(fact)):
            fact = alone.sub(lambda found: f"{found['before']} {_WHOLE}" if found["before"] else _WHOLE, fact)
    return fact.replace(_WHOLE, name)


def _is_name_of(before: str) -> bool:
    """Whether a name behind this word is somebody else's, or no name by itself: "son Ana", "called Ana", "Mrs Ana"."""
    low = before.lower().rstrip(".")
    capital = before[:1].isupper() and low not in english().stop
    kinds = english().relations.keys() | english().words("others", "workers") | {"called", "named"}
    return capital or low in kinds


def _sentence(text: str, name: str) -> str:
    own = re.escape(name)
    text = re.sub(r"^[Tt]he (?=user\b)", "", text) if name.lower() == "user" else text
    named = rf"(?:the )?\b{own}\b" if name.lower() == "user" else rf"\b{own}\b"
    flags = re.IGNORECASE if name.lower() == "user" else 0
    text = re.sub(rf"\b(?P<the>an?|the) {_WHAT} of {named}(?![\w'’-])", _of_yours, text, flags=re.IGNORECASE)
    text = re.sub(rf"{named}['’]s?(?!\w)", "your", text, flags=flags)
    subject = re.match(rf"{named}(?= [a-z])", text, flags)
    if subject:
        text = "you" + _agreeing(text[subject.end() :])
    text = re.sub(rf"{named}(?= (?:is|was|has|does)\b)", "you", text, flags=flags)
    text = re.sub(r"\byou (is|was|has|does)\b", lambda m: f"you {_BE[m[1]]}", text)
    text = re.sub(rf"{_CLAUSE}{named}{_DOES}", _in_clause, text, flags=flags)
    led_in = rf"(?P<joint>\b(?:but|and|so),? (?:[a-z]+ ){{0,3}}(?P<last>[a-z]+) ){named}{_DOES}"
    text = re.sub(led_in, lambda found: found[0] if _is_verb(found["last"]) else _in_clause(found), text, flags=flags)
    text = re.sub(named, "you", text, flags=flags)
    text = _themself(text) if subject else text
    text = _theirs(_HERS.sub(r"\1your", text)) if subject else text
    text = re.sub(r"\bthemself\b|\bthemselves\b", "yourself", text) if subject else text
    return text[:1].upper() + text[1:] if text.startswith(("you", "your")) else text


def _themself(text: str) -> str:
    """ "you get migraines when she doesn't sleep" speaks of one where nobody else is named before; else it stays."""
    found = _SHE.search(text)
    if found is None or _SOMEBODY.search(text[: found.start()]):
        return text
    return f"{text[: found.start()]}you{found['adverbs']} {_known(found['verb'])}{_themself(text[found.end() :])}"


def _of_yours(found: re.Match[str]) -> str:
    """ "the first draft of Ana" is "your first draft", "a friend of Ana" is "a friend of yours"."""
    return f"your {found['what']}" if found["the"].lower() == "the" else f"{found['the']} {found['what']} of yours"


def _in_clause(found: re.Match[str]) -> str:
    return f"{found['joint']}you{found['adverbs']} {_known(found['verb'])}"


def _is_verb(word: str) -> bool:
    """Whether it may be one that somebody is the object of: "and gave Ana boots"."""
    known = verbs()
    return word in known.past | known.third | known.base or word.endswith("ed")


def _known(word: str) -> str:
    """The form that goes with "you" of a word that is known for a verb; others ("perhaps", "besides") stay."""
    known, base = verbs(), base_form(word)
    return base if word in _BE or word in known.third or base in known.base | known.finite | known.either else word


def _theirs(text: str) -> str:
    """ "you moved with their husband" speaks of one; after somebody else who may be meant it stays."""
    found = _THEIRS.search(text)
    if found is None or _SEVERAL.search(_PLACED.sub("", text[: found.start()])):
        return text
    return text[: found.start()] + _TO_THE_ONE[found[0]] + _theirs(text[found.end() :])


def _agreeing(rest: str) -> str:
    """What follows the subject, its verbs in the form that goes with "you"."""
    words = rest.split(" ")
    for place, word in enumerate(words[1:], 1):
        if word in verbs().adverbs or word.endswith("ly"):
            continue
        words[place] = base_form(word)
        break
    return _JOINT.sub(lambda found: found["joint"] + _added(found["verb"], found["next"] or ""), " ".join(words))


def _added(word: str, following: str) -> str:
    """A verb added by "and": only one that is known for a verb, since most words in -s are nouns."""
    known, base = verbs(), base_form(word)
    sure = word in _BE or word in known.third or base in known.base | known.finite
    return base if sure or (base in known.either and following in _AFTER_VERBS) else word


def base_form(verb: str) -> str:
    """The form that goes with "you" of a verb's third person singular; other words come back unchanged."""
    if verb in _BE:
        return _BE[verb]
    if not verb.endswith("s") or verb.endswith("ss") or len(verb) < 4:
        return verb
    if verb.endswith("ies"):
        return f"{verb[:-3]}y"
    base = verb[:-2] if verb.endswith(("sses", "zzes", "xes", "shes", "ches", "oes")) else verb[:-1]
    return base if third_form(base) == verb else verb


_OF_SELF = re.compile(r"\b(?:my|our) [a-z]+|\b[a-z]+ (?:me|us)\b|\b(?:I|we) [a-z]+", re.IGNORECASE)
_QUOTES = re.compile('["“”«»]')


def spoken_to(reply: Iterator[Chunk], question: str, called: str = "") -> Iterator[Chunk]:
    """The reply to a question about the asker's own life; one that speaks as if it were the asker ("what do I teach?"
    -> "I teach geography."), or of the asker by the name they are `called` ("who Rosalind lives with"), has them spoken
    to. A small model slips into their part, or out of the talk. English."""
    matter = personal(question, english())
    if matter is None or not matter.mine or re.search(r"\b(?:you|your)\b", matter.core, re.IGNORECASE):
        yield from reply
        return
    held, text = list[Chunk](), ""
    for chunk in reply:
        if chunk.thought:
            yield replace(chunk, text="", finish=None)
            chunk = replace(chunk, thought="")
        held.append(chunk)
        text += chunk.text
        told_of = speaks_as_asker(text, question) or speaks_of(text, called)
        if len(text) > HELD or (len(parted(_SENTENCE, text.strip())) > 1 and not told_of):
            break
    if speaks_as_asker(text, question):
        yield replace(held[-1], text=to_asker(text))
    elif speaks_of(text, called) and called.lower() not in question.lower():
        yield replace(held[-1], text=_to_called(text, called))
    else:
        yield from held
    yield from reply


def speaks_as_asker(reply: str, question: str = "") -> bool:
    """Whether a reply's first sentence tells of "I" or "my" what only somebody else could tell of themself, or says the
    question's own "me" and "my" again: "which food makes me sick?" -> "Milk makes me sick."."""
    first = parted(_SENTENCE, reply.strip())[0]
    if _TO_SOMEBODY.search(first):
        return False
    if re.match(r"(?:I|We|My|Our)\b", first):
        return not _OF_ITSELF.match(first)
    return not _QUOTES.search(first) and any(said.lower() in question.lower() for said in _OF_SELF.findall(first))


def speaks_of(reply: str, called: str) -> bool:
    """Whether a reply says of somebody by name what they do or have; "You're Ana." only calls them."""
    return bool(called) and bool(re.search(rf"\b{re.escape(called)}(?:['’]s? \w| [a-z]+s\b)", reply))


def _to_called(text: str, called: str) -> str:
    """Each sentence turned to the one who is called so, also inside of it: "You haven't told me where Ana lives"."""
    name = re.escape(called)
    turned = " ".join(to_second_person(one, called) if re.match(name, one) else one for one in parted(_SENTENCE, text))
    turned = re.sub(rf"\b{name}['’]s? (?=\w)", "your ", turned)
    return re.sub(rf"\b{name}(?P<rest> [a-z]+s\b)", lambda found: "you" + _agreeing(found["rest"]), turned)


def to_asker(text: str) -> str:
    """What somebody says of themself, said to them: "I'm a vet, my cat is Tim." -> "You're a vet, your cat is Tim." """
    last = ""

    def turned(found: re.Match[str]) -> str:
        nonlocal last
        word = found[0]
        low = word.lower().replace("’", "'")
        new = _TO_ASKER.get(low) or (_AFTER_I.get(low) if last == "i" else None) or word
        begins = word[0].isupper() and not (low[0] == "i" and not re.search(r"(?:^|[.!?]\s+)$", text[: found.start()]))
        last = low
        return new[:1].upper() + new[1:] if begins and new != word else new

    return _WORD.sub(turned, text)
