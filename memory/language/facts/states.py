"""Whether a new fact ends a known one: the same holder, the same matter, and words that say so.

What isn't surely the same stays beside it; where both can hardly be true and nothing says which, one asks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Literal, NamedTuple

from ..kinship import relations
from ..language import english
from ..third_person import verbs
from ..words import stem, terms, tokens
from .corrections import Signals, signals
from .matters import VALUE, About, Holder, Matter, details, parts

Verdict = Literal["ends", "beside", "ask"]
MANY = frozenset({"brother", "sister", "sibling", "friend", "cousin", "child", "son", "daughter", "aunt", "uncle",
                  "niece", "nephew", "neighbour", "colleague", "roommate", "grandson", "granddaughter",
                  "grandchild", "teacher", "grandmother", "grandfather", "twin"})  # fmt: skip
"""Relations of which one may have several, so that two names are two people."""
DISLIKED = re.compile(
    r"\b(?:hates?|dislikes?|detests?|loathes?|stand|bear|not|never|no longer|tired of|sick of|stopped|gave up|quit)\b"
    r"|n't\b"
)


class Judged(NamedTuple):
    """What a new fact means for a known one. `rest`: what the known one tells besides, and still does."""

    verdict: Verdict
    rest: str = ""


BESIDE = Judged("beside")


@dataclass(frozen=True)
class Acquaintance:
    """Who is who: the names of those that facts call by what they are, and what those called by name are."""

    names: dict[frozenset[str], frozenset[str]]
    roles: dict[str, frozenset[str]]

    @classmethod
    def of(cls, facts: Iterable[str]) -> Acquaintance:
        names: dict[frozenset[str], frozenset[str]] = {}
        roles: dict[str, frozenset[str]] = {}
        for holder in (part.holder for fact in facts for part in parts(fact)):
            if holder.names and holder.roles:
                several = holder.roles in names and not names[holder.roles] & holder.names
                names[holder.roles] = frozenset() if several else holder.names
                roles |= dict.fromkeys(holder.names, holder.roles)
        return cls(names, roles)

    def whole(self, holder: Holder) -> Holder:
        """The holder with the name that goes with the role, or the role that goes with the name."""
        names = holder.names or self.names.get(holder.roles, frozenset())
        known = [self.roles[name] for name in names if name in self.roles]
        return Holder(names, holder.roles or (known[0] if known else frozenset()))


def judged(new: str, known: str, line: str, people: Acquaintance) -> Judged:
    """What `new`, told by `line`, means for the `known` fact."""
    said, olds = signals(line), parts(known)
    ended, asked = [], False
    for old in olds:
        found = [_verdict(one, old, said, line, people) for one in parts(new)]
        ended += [old] if "ends" in found else []
        asked = asked or "ask" in found
    if not ended and len(olds) == 1 and (told := parts(new)) and _says_more(told[0], olds[0], people):
        return Judged("ends")
    if ended:
        rest = [old.text.rstrip(".") for old in olds if old not in ended]
        return Judged("ends", ". ".join(rest) + "." if rest else "")
    return Judged("ask") if asked else BESIDE


def _verdict(new: About, old: About, line_says: Signals, line: str, people: Acquaintance) -> Verdict:
    told = signals(new.text)
    if {*tokens(new.text)} == {*tokens(old.text)}:
        return "beside"
    if _gone(new, old, people):
        return "ends"
    if new.owner is None and old.owner is None and _of_somebody_else(line, old):
        return "beside"
    if (told.maybe and not line_says.corrects) or signals(old.text).before or _is_other(new, old, people):
        return "beside"
    if _left(new.text, old):
        return "ends"
    if _dead(new, line) and (not old.matters or any(matter.kind != "has" for matter in old.matters)):
        return "ends"
    shared = [(mine, theirs) for mine in new.matters for theirs in old.matters if mine.same(theirs)]
    if not shared:
        alike = one_detail(old.text, new.text) or (_plain(new) and _plain(old))
        return "ends" if line_says.corrects and alike else "beside"
    found = {_of_matter(mine, theirs, new, old, line_says) for mine, theirs in shared}
    return "ends" if "ends" in found else "ask" if "ask" in found else "beside"


def introduced(new: str, known: str) -> str:
    """The new fact with what the known one says of who its holder is: "Mia moved" after "Ana's sister Mia ..."."""
    olds, news = parts(known), parts(new)
    if not olds or not news or olds[0].owner is None or news[0].owner is not None:
        return new
    told, old = news[0], olds[0]
    if not told.holder.names or not told.holder.names <= old.holder.names:
        return new
    return known[: old.begin] + new[told.begin :]


def contradicts(own: str, fact: str) -> bool:
    """Whether what a line says in its own words is surer than a fact that was made of it: the line only guesses, tells
    it of somebody else, or of another thing that has a name."""
    if signals(own).maybe and not signals(fact).maybe:
        return True
    mine, theirs = parts(own), parts(fact)
    if not mine or not theirs:
        return False
    if mine[0].owner is not None and theirs[0].owner is None and mine[0].owner.same(theirs[0].holder):
        return True
    values = [{matter for matter in one[0].matters if matter.kind == VALUE} for one in (mine, theirs)]
    return bool(values[0] and values[1]) and not any(a.same(b) for a in values[0] for b in values[1])


def _says_more(new: About, old: About, people: Acquaintance) -> bool:
    """Whether the new fact says all that the old one says, and more: then nothing is lost in its place."""
    if _is_other(new, old, people) or not {*terms(old.text)} < {*terms(new.text)}:
        return False
    goes_on = new.text.startswith(old.text.rstrip("."))
    return goes_on or any(mine.same(theirs) for mine in new.matters for theirs in old.matters)


def _is_other(new: About, old: About, people: Acquaintance) -> bool:
    """Whether the two tell of different people, or things of different people."""
    if new.owner and old.owner and not people.whole(new.owner).same(people.whole(old.owner)):
        return True
    return not people.whole(new.holder).same(people.whole(old.holder))


_ANOTHER = re.compile(
    r"^(?P<name>[A-Z][\w-]+)(?:(?P<of>['’]s) [a-z]|(?: [a-z]+ly| just| also| has| have| is| was)? (?P<verb>[a-z]+))"
)


def another(line: str) -> tuple[str, bool] | None:
    """Of whom a line tells that has no word for the speaker and begins with a name ("Pieter adores olives").

    And whether it tells of something of theirs ("Sanne's wedding was moved"). Whether it is a person's name, the words
    don't say.
    """
    found = _ANOTHER.match(line.strip())
    if not found or {*tokens(line)} & english().self_words or line.rstrip().endswith("?"):
        return None
    name, verb, known = found["name"].lower(), found["verb"] or "", verbs()
    if name in english().stop | english().words("others", "no_names") or name in known.past | known.base:
        return None
    turned = verb in known.past | known.third or verb.endswith(("s", "ed", "en", "ing"))
    return (found["name"], bool(found["of"])) if found["of"] or turned else None


def _of_somebody_else(line: str, old: About) -> bool:
    told = another(line)
    return told is not None and told[0].lower() not in old.holder.names


def _gone(new: About, old: About, people: Acquaintance) -> bool:
    """Whether the new fact tells that something is there no more of which the old one says that somebody has it."""
    if new.owner is None or not _found("gone", new.text) or not people.whole(new.owner).same(people.whole(old.holder)):
        return False
    thing = {*new.holder.roles}
    return any(m.kind == "has" and thing & {*m.what} for m in old.matters) and (
        not new.holder.names or not _named(old.text) or bool(new.holder.names & _named(old.text))
    )


def _named(text: str) -> set[str]:
    """The names in a fact but for its subject's."""
    return {word for word in details(text.split(" ", 1)[-1]) if not word.isdigit()}


_STRAIGHT = re.compile(r"(?:,? (?:has|have|had|is|was|just|now|recently|suddenly|sadly|also|finally))*,? $")


def _dead(part: About, line: str) -> bool:
    """Whether it says that its holder died: of "Ana's car died" that is nobody, and nobody tells it of themself."""
    if part.owner is None and "i" in tokens(line) and not part.holder.names & {*tokens(line)}:
        return False
    said, pattern = part.text[part.begin :].lower(), _compiled("dead")
    found = pattern.search(said) if pattern else None
    return bool(found and _STRAIGHT.match(said[: found.start()]))


def _plain(part: About) -> bool:
    """Whether it says of its holder what they are, in a word or two: "Archie is male"."""
    return not part.matters and bool(
        re.fullmatch(r" (?:is|was) (?:an? |the )?[\w-]+(?: [\w-]+)?[.!]*", part.text[part.begin :])
    )


def _left(new: str, old: About) -> bool:
    """Whether the new fact tells of leaving a place, a firm or a person that the old one names."""
    if not old.matters or (leaves := english().table("matters", "change").get("leaves")) is None:
        return False
    names = [name for name in details(old.text) - old.holder.names if not name.isdigit()]
    return any(re.search(rf"\b{leaves} (?:[\w'-]+ ){{0,2}}{re.escape(name)}\b", new.lower()) for name in names)


def _of_matter(mine: Matter, theirs: Matter, new: About, old: About, said: Signals) -> Verdict:
    if mine.kind == VALUE:
        return _value(new, old, said, {*mine.what})
    return _one(mine, new, old, said) if not mine.what else _one_of_many(mine, new, old, said)


def _value(new: About, old: About, said: Signals, what: set[str]) -> Verdict:
    if {*tokens(new.text)} <= {*tokens(old.text)}:
        return "beside"
    if what & MANY:
        return "ends" if said.corrects else "beside"
    return "ends" if said.any_change else "ask"


def _one(matter: Matter, new: About, old: About, said: Signals) -> Verdict:
    """Of a matter of which there is but one: a home, a job."""
    told = signals(new.text)
    was, now = details(old.text) - old.holder.names, details(new.text) - new.holder.names
    moved = matter.kind == "home" and told.changes  # "we also moved": nobody moves to two places
    if said.adds and not told.ends and not moved:
        return "beside"
    if matter.kind == "home" and (told.passing or said.passing) and not said.corrects:
        return "beside"
    if told.before and not was & now:
        return "beside"  # "used to live in Lyon" says nothing of Ghent
    if was and was == now and not (told.ends or said.ends):
        return "beside"
    if matter.kind == "age":
        return "ends" if was != now else "beside"
    if said.any_change or told.any_change:
        return "ends"
    return "ask" if was and now and not was & now else "beside"


def _one_of_many(matter: Matter, new: About, old: About, said: Signals) -> Verdict:
    """Of one of several matters of a kind: an allergy, a pet, a plan."""
    told, low, before = signals(new.text), new.text.lower(), old.text.lower()
    if said.adds and not told.ends:
        return "beside"
    if bool(DISLIKED.search(low)) != bool(DISLIKED.search(before)) and matter.kind in ("taste", "does", "health"):
        return "ends"
    if _found("gone", new.text) or (told.ends and not signals(old.text).ends):
        return "ends"
    was, now = details(old.text) - old.holder.names, details(new.text) - new.holder.names
    if (said.corrects or said.changes) and was and now and was != now and not now > was:
        return "ends" if said.corrects or matter.kind == "plan" or _counts(was) != _counts(now) else "beside"
    return "beside"


def _counts(found: frozenset[str]) -> set[str]:
    return {word for word in found if word[0].isdigit()}


def over(known: str, clause: str, user: str, line: str) -> bool:
    """Whether a clause of the user's line tells the end of just what a known fact is about: it names the thing itself
    beside a word that ends it, and speaks of nobody else than the fact does."""
    said = signals(clause)
    if _found("not_over", clause) or said.maybe or (said.passing and not said.ends) or clause.endswith("?"):
        return False
    for part in parts(known):
        plan = any(matter.kind == "plan" for matter in part.matters)
        ends = [name for name in ("over", "put_off") if (name == "over" or plan) and _found(name, clause)]
        if ends and _names_it(part, clause, user, ends[0]) and _of_its_holder(part, clause, user, line):
            return not signals(part.text).before and not signals(part.text).ends
    return False


def _names_it(part: About, clause: str, user: str, ends: str) -> bool:
    """Whether the clause names what the part is about; after the verb, where that takes an object."""
    low = clause.lower().replace("’", "'")
    pattern = _compiled(ends)
    found = pattern.search(low) if pattern else None
    verbs = english().table("matters", "change").get("ending", "")
    passive = found and re.search(r"\b(?:was|were|is|are|been|be|got)(?: \w+)? $", low[: found.start()])
    takes = found and re.match(rf"(?:{verbs})\b", found[0]) and not passive
    heard = low[found.start() :] if found and takes else low
    words = {*terms(heard)} | {*tokens(heard)}
    whole = [{*matter.what} for matter in part.matters if matter.kind == VALUE]
    if whole:
        return any(what <= words for what in whole) or bool(_named(part.text) & words)
    return bool(_things(part, user) & words)


def _things(part: About, user: str) -> set[str]:
    """The stems and names of what a fact is about, without its subject and its verb."""
    named = {word for word in details(part.text) - {*tokens(user)} if not word[0].isdigit()}
    what = {word for matter in part.matters for word in matter.what}
    predicate = [word for word in terms(part.text[part.begin :]) if not word[0].isdigit() and word not in _idle()]
    return named | (what - _idle()) | {*predicate[:SAID]}


@lru_cache(maxsize=1)
def _idle() -> frozenset[str]:
    """Stems that say too little to tell a thing by."""
    return frozenset(stem(word) for word in english().table("matters", "words").get("idle", "").split())


SAID = 3
"""Words of a predicate that tell what it is about; what follows tells more of it."""


def _of_its_holder(part: About, clause: str, user: str, line: str) -> bool:
    """Whether a clause may speak of the holder of a fact, and names no other person as its subject."""
    of_fact, said = relations(part.text), relations(clause)
    names = {*tokens(part.text)}
    strange = [word for word in re.findall(r"(?<![.!?] )(?<!^)\b[A-Z][a-z]+\b", clause) if word.lower() not in names]
    first = re.match(r"(?:\W*(?:and|but|so|well|oh|yes|no)\b\W*)*([\w'-]+)", clause)
    opens = first[1].lower() if first else ""
    own = {*tokens(clause)} & english().self_words
    theirs = re.match(r"([A-Z][\w-]+)['’]s ", clause)
    if (theirs and theirs[1].lower() not in names) or _of_another(part, clause):
        return False
    if part.owner is None and tokens(user)[0] in part.holder.names:
        return not said - of_fact and (bool(own) or opens not in {"he", "she", "they"}) and not (strange and not own)
    there = {*tokens(line)} & part.holder.names or relations(line) & {*part.holder.roles} or of_fact & said
    return bool(there) and not said - of_fact


def _of_another(part: About, clause: str) -> bool:
    """Whether the thing that a fact of the user's tells of is "his" or "hers" in the clause."""
    if part.owner is not None:
        return False
    held = re.findall(r"\b(?:his|her|their) (?:[\w-]+ )?([\w-]+)", clause.lower())
    return bool({stem(word) for word in held} & {*terms(part.text)})


def one_detail(old: str, new: str) -> bool:
    """Whether two sentences differ in one name or number alone."""
    before, after = old.rstrip(" .!").split(), new.rstrip(" .!").split()
    blocks = [each for each in SequenceMatcher(None, before, after, autojunk=False).get_opcodes() if each[0] != "equal"]
    if len(blocks) != 1 or blocks[0][0] != "replace":
        return False
    _, begin, end, first, last = blocks[0]
    differ = [*before[begin:end], *after[first:last]]
    return begin >= 2 and max(end - begin, last - first) <= 3 and all(w[0].isupper() or w[0].isdigit() for w in differ)


def _found(name: str, text: str) -> bool:
    pattern = _compiled(name)
    return bool(pattern and pattern.search(text.lower().replace("’", "'")))


@lru_cache(maxsize=8)
def _compiled(name: str) -> re.Pattern[str] | None:
    rules: Sequence[str] = english().table("matters", "change").get(name, ())
    return re.compile("|".join(rules)) if rules else None
