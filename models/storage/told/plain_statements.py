"""Plain statements about oneself of which a small model keeps nothing: "I do not like olives.", "On weekends I climb."

A clause is plain when the speaker does, likes or has something in the present, in a few words, spoken to nobody and
about no thought of the moment.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from ....memory.language.facts.areas import area
from ....memory.language.language import english
from ....memory.language.leaning.jotted import jotted
from ....memory.language.leaning.named import does
from ....memory.language.points import letters as re
from ....memory.language.third_person import retold, verbs
from ....memory.language.words import alternatives, stem, tokens
from ...prompts.draft import Add, Draft, date_words
from ...prompts.messages import Line
from .fidelity import clauses

LEAST, MOST = 3, 14
"""Words of such a clause."""
_PLAIN = re.compile(
    rf"^(?:(?:{english().alternatives('doing', 'opening')})\b(?: [\w']+){{0,4}}?,? )?(?:i|we) "
    r"(?P<adverbs>(?:[a-z]+ly |always |never |also |still |just |even |often )*)"
    r"(?P<verb>(?:do not |don't |can't |cannot |can not )?(?:[a-z]+ly |even )?(?P<main>[a-z]+))\b(?P<rest>.*)$"
    r"|^(?:(?:and|but|so|also|well) )?i(?:'m| am) "
    rf"(?P<state>{english().alternatives('doing', 'lasting')}) .+$"
)
_EVENT = re.compile(
    r" (?:an?|two|three|\d+|rid of|to|married|the|my|our|[a-z]+ing)\b"
    rf"(?! (?:{english().alternatives('doing', 'lost_lightly')})\b)"
)
"""After a verb of change, what is told of: not "I got it", "I lost my mind"."""
_LACKS = re.compile(
    r"\b(?:don't|do not) have (?:an?y? )?"
    rf"(?!(?:{english().alternatives('doing', 'lacked_lightly')})\b)[a-z]"
)
"""What somebody lacks for more than a moment: "I don't have a car"."""
_DENIED = re.compile(r"^(?:and |but |so |no, )?(?:i|we) (?:don't|do not|can't|cannot|never) [^,]+(?=, )")
_OF_NOW = re.compile(rf" (?:not )?(?:\w+ing|{english().alternatives('doing', 'how_one_is')}|my|our)\b")
_THAT = re.compile(r" (?:it|that|this|these|those|how|what|when|your)\b")


def plain_statements(line: Line) -> Draft:
    """What a line tells in plain clauses, as it was said."""
    return Draft(tuple(_told(line, clauses(line.text))))


def jottings(line: Line) -> Draft:
    """What a line of jottings tells of somebody, "Freya: 9, nut allergy", or has on a list, "shopping: milk, eggs"."""
    if on_it := _on_a_list(line):
        return Draft((on_it,))
    facts = (fact for one in jotted(line.text) for fact in one.facts(line.speaker))
    return Draft(tuple(Add(line.speaker, area("", fact), fact, date_words(fact)) for fact in facts))


def plainly(clause: str, speaker: str) -> Add | None:
    """The clause as a row, if it is plain; None: it isn't."""
    return next(iter(_told(Line(speaker, ""), [clause])), None)


def _told(line: Line, said: list[str]) -> Iterator[Add]:
    for clause in said:
        if (of_kin := _of_kin(clause, line.speaker)) is not None:
            yield of_kin
            continue
        low = clause.lower().replace("’", "'").rstrip(" .!")
        if denied := _DENIED.match(low):  # "..., people ask that all the time"
            clause, low = clause[: denied.end()], denied[0]
        found = _PLAIN.match(low)
        if found is None or clause.rstrip().endswith("?") or not LEAST <= len(low.split()) <= MOST:
            continue
        words = english().words
        main, rest = found["main"] or "", found["rest"] or ""
        habit = main == "go" and bool(re.match(r" [a-z]{3,}ing\b(?! to\b)", rest))
        lately = {*(found["adverbs"] or "").split()} & words("doing", "lately")
        liking = main in words("doing", "tastes") and bool(rest.strip()) and not _THAT.match(rest)
        event = main in words("doing", "changed") and bool(_EVENT.match(rest)) and not _THAT.match(rest)
        lacks = main == "have" and bool(_LACKS.search(low)) and not _THAT.match(rest)
        fleeting = words("doing", "moment") | words("doing", "tastes") | verbs().past | verbs().adverbs
        if (
            lately
            or rest.startswith("'")
            or (main and not (liking or habit or event or lacks) and (main in fleeting or main.endswith("ed")))
        ):
            continue
        if (fact := retold(clause, line.speaker)) is not None:
            topic = "tastes" if liking else "health" if found["state"] == "allergic to" else "life"
            yield Add(line.speaker, topic, fact, date_words(clause))


def _of_kin(clause: str, speaker: str) -> Add | None:
    """What a clause tells of somebody of the speaker's in the present: "my mum is the caretaker"."""
    found = _kin().match(clause.replace("’", "'").rstrip(" .!"))
    if found is None or clause.rstrip().endswith("?") or not LEAST < len(clause.split()) <= MOST:
        return None
    verb, rest = found["verb"].lower(), found["rest"]
    fleeting = english().words("doing", "moment")
    if stem(verb) in {stem(one) for one in fleeting - {"be", "am", "have", "has", "do"}} or _THAT.match(rest):
        return None
    if verb in ("is", "isn't") and _OF_NOW.match(rest):
        return None
    fact = retold(clause, speaker)
    return Add(speaker, "people", fact, date_words(clause)) if fact and fact.startswith(f"{speaker}'s") else None


def _on_a_list(line: Line) -> Add | None:
    """What stands on a list of the speaker's, and nothing that somebody says, asks for or does."""
    found, words = _list().fullmatch(line.text.strip()), english().words
    if found is None:
        return None
    said = tokens(found["what"])
    talk = english().self_words | english().second_person | words("doing", "list_secrets")
    orders = words("doing", "list_empty") if found["list"].lower().startswith("to") else words("doing", "list_orders")
    if not said or said[0] in orders or (talk - {"my", "our"}) & {*said} or does(found["what"]):
        return None
    fact = f"{line.speaker}'s {found['list'].lower()}: {found['what'].strip()}."
    return Add(line.speaker, "plans", fact, date_words(fact))


@lru_cache(maxsize=1)
def _list() -> re.Pattern[str]:
    names = english().alternatives("doing", "list_of")
    return re.compile(
        rf"[-*•]?\s*(?:my |the |our )?(?P<list>{names}):\s+(?P<what>(?:[^:\n.!?]|\.(?! [A-Z]|$))*[^:\n.!?\s])[.!]?",
        re.IGNORECASE,
    )


@lru_cache(maxsize=1)
def _kin() -> re.Pattern[str]:
    known = english()
    kin = {*known.relations, *known.words("others", "workers")}
    who = alternatives(kin)
    return re.compile(
        rf"(?:(?:and|but|so|also) )?(?:[Mm]y|[Oo]ur) (?:[a-z-]+ )?(?:{who})(?: [A-Z][\w-]*)? "
        r"(?:also |still |now |always |never |only )*"
        r"(?P<verb>is|isn't|has|hasn't|can't|cannot|doesn't|[a-z]{2,}s)(?P<rest> .+)"
    )
