"""Whether a new fact ends a known one: the same holder, the same matter, and words that say so.

What isn't surely the same stays beside it; where both can hardly be true and nothing says which, one asks.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Literal, NamedTuple

from ..language import english
from ..points import letters as re
from ..third_person import verbs
from ..words import stem, terms, tokens
from .change_words import compiled, stands
from .corrections import Signals, signals
from .matters import VALUE, About, Holder, Matter, details, parts
from .over import idle, in_company, named

Verdict = Literal["ends", "beside", "ask"]
MANY = english().words("relations", "several")
"""Relations of which one may have several, so that two names are two people."""
DISLIKED = re.compile(rf"\b(?:{english().alternatives('matters', 'disliked')})\b|n't\b")


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


_NO_MORE_WITH = re.compile(
    r"(?:n['’]t|\b(?:not|no longer|used to|stopped))(?: \w+)? liv(?:e|es|ing) with\b(?!.* in [A-Z])"
)


def judged(new: str, known: str, line: str, people: Acquaintance) -> Judged:
    """What `new`, told by `line`, means for the `known` fact."""
    said, olds = signals(line), parts(known)
    if _NO_MORE_WITH.search(new) and not re.search(r"\bwith\b", known):
        return BESIDE  # with whom somebody lives is another matter than where
    if stands("rescheduled", new):
        said = said._replace(changes=True)
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
    if dead(new, line) and (not old.matters or any(matter.kind != "has" for matter in old.matters)):
        return "ends"
    shared = [
        (mine, theirs) for mine in new.matters for theirs in old.matters
        if mine.same(theirs) or (mine.kind == "job.role" and theirs.kind == "job.place" and stands("instead", line))
    ]  # fmt: skip
    if not shared and (_may_replace_work(new, old, line) or _lapsed(new, old)):
        return "ask"
    if not shared:
        alike = one_detail(old.text, new.text) or (_plain(new) and _plain(old))
        return "ends" if line_says.corrects and alike else "beside"
    if any(mine.kind in ONE_AT_A_TIME and _new_since(new, old, line) for mine, _ in shared) and not line_says.adds:
        return "ends"
    found = {_of_matter(mine, new, old, line_says) for mine, _ in shared}
    return "ends" if "ends" in found else "ask" if "ask" in found else "beside"


_KEPT = re.compile(
    r"(?P<who>[A-Z][\w-]*(?: [A-Z][\w-]*)?) (?:has|keeps|owns|adopted|got) an? "
    r"(?P<kind>(?:[\w-]+ ){0,2}?[\w-]+?),? (?:named |called )?(?P<name>[A-Z][\w-]+)\.?$"
)
"""Who keeps what under which name."""


_NAMED_SO = re.compile(r"(?P<who>[A-Z][\w-]*['’]s [a-z][\w -]*?) (?:is|are) (?:called|named) (?P<name>[A-Z][\w-]+)\b")
"""Who is called how: "Ana's wife is called Denise and works at Morrisons"."""


def introduced(new: str, known: str) -> str:
    """The new fact with what the known one says of who its holder is: "Mia moved" after "Ana's sister Mia ...", and
    "Bubbles died" after "Ana has a goldfish named Bubbles"."""
    if (kept := _KEPT.match(known)) and re.match(rf"{re.escape(kept['name'])}\b(?!['’]s)", new):
        return f"{kept['who']}'s {kept['kind']} {new}"
    if (named_so := _NAMED_SO.match(known)) and re.match(rf"{re.escape(named_so['name'])}\b(?!['’]s)", new):
        return f"{named_so['who']} {new}"
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
    if "thinks" in tokens(fact) and "thinks" not in tokens(own) and {*terms(own)} <= {*terms(fact)}:
        return True  # "Pepe died, we think it was the fox"
    mine, theirs = parts(own), parts(fact)
    if not mine or not theirs:
        return False
    if mine[0].owner is not None and theirs[0].owner is None and mine[0].owner.same(theirs[0].holder):
        return not (mine[0].holder.names | mine[0].holder.roles) & {*tokens(fact)}  # "lives with Keith, a vet"
    if mine[0].owner is None and _told_of_company(mine[0], theirs[0], own):
        return True
    values = [{matter for matter in one[0].matters if matter.kind == VALUE} for one in (mine, theirs)]
    if any({*value.what} <= {*terms(own)} for value in values[1]):
        return False  # "the rent is 780, the landlord is Mr Girard" tells of both
    return bool(values[0] and values[1]) and not any(a.same(b) for a in values[0] for b in values[1])


def _told_of_company(mine: About, theirs: About, own: str) -> bool:
    """Whether what somebody does with another is told of that other alone: "Ana's partner Tom lives in Graz" for "Ana
    lives in Graz with Ana's partner Tom"."""
    if theirs.owner is None or not theirs.owner.same(mine.holder):
        return False
    does = [tokens(one.text[one.begin :])[:1] for one in (mine, theirs)]
    beside = {*tokens(own.partition(" with ")[2])}
    return does[0] == does[1] and bool((theirs.holder.names or theirs.holder.roles) & beside)


def _says_more(new: About, old: About, people: Acquaintance) -> bool:
    """Whether the new fact says all that the old one says, and more: then nothing is lost in its place."""
    if _is_other(new, old, people) or not {*terms(old.text)} < {*terms(new.text)} or stands("lapsed", new.text):
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
    if new.owner is None or not stands("gone", new.text) or not people.whole(new.owner).same(people.whole(old.holder)):
        return False
    thing = {*new.holder.roles}
    return any(m.kind == "has" and thing & {*m.what} for m in old.matters) and (
        not new.holder.names or not named(old.text) or bool(new.holder.names & named(old.text))
    )


_STRAIGHT = re.compile(rf"(?:,? (?:has|have|had|is|was|{english().alternatives('verbs', 'before_dead')}))*,? $")


def dead(part: About, line: str) -> bool:
    """Whether it says that its holder died: of "Ana's car died" that is nobody, and nobody tells it of themself."""
    if part.owner is None and "i" in tokens(line) and not part.holder.names & {*tokens(line)}:
        return False
    said, pattern = part.text[part.begin :].lower(), compiled("dead")
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
    beside = in_company(old.text) if stands("parting", new) else frozenset()
    names = [name for name in details(old.text) - old.holder.names - beside if not name.isdigit()]
    return any(re.search(rf"\b{leaves} (?:[\w'-]+ ){{0,2}}{re.escape(name)}\b", new.lower()) for name in names)


def _of_matter(matter: Matter, new: About, old: About, said: Signals) -> Verdict:
    if matter.kind == VALUE:
        return _value(new, old, said, {*matter.what})
    return _one(matter, new, old, said) if not matter.what else _one_of_many(matter, new, old, said)


def _may_replace_work(new: About, old: About, line: str) -> bool:
    """Whether somebody has another trade of late than they had a place to work at: it may be there, or in its place."""
    kinds = [{matter.kind for matter in part.matters} for part in (new, old)]
    if "job.role" not in kinds[0] or "job.place" not in kinds[1] or signals(line).adds:
        return False
    return (stands("lately", line) or stands("since", line)) and not _same_words(new, old)


def _lapsed(new: About, old: About) -> bool:
    """Whether somebody hasn't done for long what they were said to do: "hasn't smoked since January"."""
    does = {word for matter in old.matters if matter.kind in ("does", "taste") for word in matter.what}
    return stands("lapsed", new.text) and not signals(old.text).ends and bool(does & {*terms(new.text)})


def _same_words(new: About, old: About) -> bool:
    mine, theirs = ({*terms(part.text[part.begin :])} - idle() - _times() for part in (new, old))
    return not mine or not theirs or bool(mine & theirs)


ONE_AT_A_TIME = frozenset({"home", "job", "job.role", "job.place"})


def _new_since(new: About, old: About, line: str) -> bool:
    """Whether a line tells of a home or a job of some days or months: what was told before is over, unless it is the
    same one in other words."""
    if not stands("since", line) or signals(old.text).before or signals(new.text).before:
        return False
    return not _same_words(new, old)


@lru_cache(maxsize=1)
def _times() -> frozenset[str]:
    return frozenset(stem(word) for word in {*english().calendar, "since"})


def _value(new: About, old: About, said: Signals, what: set[str]) -> Verdict:
    if {*tokens(new.text)} <= {*tokens(old.text)}:
        return "beside"
    if what & MANY:
        return "ends" if said.corrects else "beside"
    return "ends" if said.any_change else "ask"


def _one(matter: Matter, new: About, old: About, said: Signals) -> Verdict:
    """Of a matter of which there is but one: a home, a job."""
    told = signals(new.text)
    whose = [part.owner.names for part in (old, new) if part.owner and matter.kind in ONE_AT_A_TIME]
    owners = frozenset[str]().union(*whose)  # of "Ana's brother": no detail of his work
    was, now = ({*details(part.text)} - part.holder.names - owners - english().calendar for part in (old, new))
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
    if matter.kind == "diet":
        was, now = ({*tokens(part.text)} & _diets() for part in (old, new))
    return "ask" if was and now and not was & now else "beside"


@lru_cache(maxsize=1)
def _diets() -> frozenset[str]:
    """Words for how somebody eats, of which one alone can be true."""
    return english().words("matters", "diets")


def _one_of_many(matter: Matter, new: About, old: About, said: Signals) -> Verdict:
    """Of one of several matters of a kind: an allergy, a pet, a plan."""
    told, low, before = signals(new.text), new.text.lower(), old.text.lower()
    if said.adds and not told.ends:
        return "beside"
    if matter.kind == "has" and stands("lapsed", new.text) and not stands("gone", new.text):
        return "ask"  # "hasn't had the sewing machine out since May"
    if bool(DISLIKED.search(low)) != bool(DISLIKED.search(before)) and matter.kind in ("taste", "does", "health"):
        return "ends"
    if stands("gone", new.text) or (told.ends and not signals(old.text).ends):
        return "ends"
    if matter.kind == "health" and stands("well", new.text) and not stands("well", old.text):
        return "ends"
    was, now = details(old.text) - old.holder.names, details(new.text) - new.holder.names
    names = [{one for one in found if not one[0].isdigit()} for found in (was, now)]
    if matter.kind == "has" and not said.corrects and all(names) and not names[0] & names[1]:
        return "beside"  # a new hen named Rosa comes to those that have other names
    if (said.corrects or said.changes) and was and now and was != now and not now > was:
        return "ends" if said.corrects or matter.kind == "plan" or _counts(was) != _counts(now) else "beside"
    return "beside"


def _counts(found: frozenset[str]) -> set[str]:
    return {word for word in found if word[0].isdigit()}


def one_detail(old: str, new: str) -> bool:
    """Whether two sentences differ in one name or number alone."""
    before, after = old.rstrip(" .!").split(), new.rstrip(" .!").split()
    blocks = [each for each in SequenceMatcher(None, before, after, autojunk=False).get_opcodes() if each[0] != "equal"]
    if len(blocks) != 1 or blocks[0][0] != "replace":
        return False
    _, begin, end, first, last = blocks[0]
    differ = [*before[begin:end], *after[first:last]]
    return begin >= 2 and max(end - begin, last - first) <= 3 and all(w[0].isupper() or w[0].isdigit() for w in differ)
