"""Who does what in a fact, held against the clause that it was made of.

A small model knows a few verbs best: of "I fix tractors" it makes "has a tractor", of "Fatou has three sons" sons of
the speaker's, and of "my mate Fergus is allergic to penicillin" no more than that there is a Fergus. In the place of
such a fact the clause is told as it was said.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from ...memory.language.about_others import Told
from ...memory.language.facts.matters import parts
from ...memory.language.kinship import pattern, relations
from ...memory.language.language import english
from ...memory.language.points import letters as re
from ...memory.language.quoted.in_quotes import quoted
from ...memory.language.third_person import LONGEST, retold, third_form, to_third_person, verbs
from ...memory.language.told.plainer import spelled
from ...memory.language.words import alternatives, query_words, stem, terms, tokens
from ..prompts.draft import Draft, Entry
from .told.fidelity import alike, clauses, names
from .told.scene import Scene, leans

ALIKE = 4
"""First letters by which two words are forms of one: "baker", "bakery"."""
LOST, MOST_SAID = 2, 24
"""Telling words that a fact must lack for its clause to take its place, and words that such a clause has at most."""
LONGER = 7
"""Words from which a line tells by itself what it tells: a shorter one may answer another."""
_NAME = r"[A-Z][\w-]*\w"
_SELF = frozenset({"i", "i'm", "im", "i've", "ive", "i'd", "i'll", "we", "we're", "we've", "we'd", "we'll", "me", "us"})
_OF_MINE = re.compile(r"(?:\b(?:is|are|was|were|isn't|aren't|became|makes|made)|['’]s) (?:my|our)\b", re.IGNORECASE)
_WE = re.compile(
    r"(?:(?:and|but|so|then|now),? )*(?:i|we) (?:(?:\w+ly|just|also|never|always) )*(?P<does>[a-z]+)", re.IGNORECASE
)
_NAMED_ONLY = re.compile(
    rf"(?:\S+ (?:also |now )?has (?:an? |the )?(?:[\w-]+ ){{1,4}}(?:named|called) |"
    rf"\S+'s (?:[\w-]+ ){{1,4}}(?:is |are )?(?:named |called |goes by the name )|"
    rf"\S+'s name is )(?P<name>{_NAME})\.?"
)
_TOLD_OF = re.compile(
    rf"(?:[Mm]y|[Oo]ur) (?:[\w-]+ ){{1,3}}?(?P<name>{_NAME}),? (?P<verb>[a-z']+)(?P<rest> .+)"
)  # fmt: skip
_NAMING = frozenset({"named", "called", "and", "or", "who", "that", "which", "goes"})
_FACT = re.compile(r"(?:also |now |currently )?(?P<verb>has|owns|goes)\b (?P<rest>.+)")
_PERFECT = re.compile(r"(?:(?:never|just|always|already|recently|not|also) )*(?:been|\w+ed|\w+en|got|to)\b")
_IS_SHORT = re.compile(
    r"\b([Hh]e|[Ss]he|[Tt]hey|[A-Z][\w-]*[a-z])['’](?:s|re)(?= [a-z])(?! (?:been|got|had|gone|moved)\b)"
)
_DOING = re.compile(r"\b([A-Z][\w-]*[a-z])['’]s(?= (?:\w+ing|an?|the|in|at|on|off|not|now)\b)")
_WILL = re.compile(r"\b([A-Z][\w-]*[a-z])['’]ll(?= [a-z])")
_THEIRS = frozenset({"his", "her", "hers", "himself", "herself", "he", "she"})
_AT_WORK = re.compile(r"\b(?:started|joined|hired|employ\w*|jobs?|taken on|took me on)\b", re.IGNORECASE)
_LIVES = re.compile(r"\b(lives|living|works|working) (?:in|at|near|for|with|by|on|as)\b", re.IGNORECASE)
_BEING = frozenset({"is", "has", "was", "does"})
_FILL = frozenset({"a", "an", "the", "some", "two", "three", "four", "five", "to", "for", "his", "her", "their"})
_THING = re.compile(r"(?P<who>(?:The|This) [a-z][\w-]*) (?:\S+ ){2,}")
_IS = re.compile(
    r"(?:(?:the|my|our) (?P<head>[a-z]+) (?:of|for|to|on) )?(?:the|my|our) (?P<thing>[\w' -]+?) (?:is|are|was) "
    r"(?P<value>.*\d.*)",
    re.IGNORECASE,
)


_WEATHER = re.compile(
    rf"\bit(?:['’]s| is| was| has been| had been)? (?:{english().alternatives('doing', 'weather')})\b", re.I
)
_WE_ARE = re.compile(r"\bit['’]?s (?=(?:just )?(?:me|[A-Z][\w-]*)\b(?:,| and\b| [A-Z]))")
"""Who there is, which leans on nothing: "it's me, Ida and Bo in the flat now"."""


def of_another(fact: str, scene: Scene) -> bool:
    """Whether a fact says of the speaker what its clause says of somebody else ("Fatou has three sons")."""
    speaker, clause = scene.line.speaker, source(fact, scene)
    if clause is not None and _is_what_they_have(fact, clause, scene):
        return True
    if clause is None or not re.match(rf"(?:{re.escape(speaker)}|User) [a-z]", fact):
        return False
    clause = _IS_SHORT.sub(r"\1 is", clause)
    said, found = {*_words(clause)}, _others().match(clause)
    if said & _SELF or _OF_MINE.search(clause) or found is None:
        return False
    if found["who"].split()[-1].lower() in (speaker.lower(), "user"):
        return False
    theirs = _is_third(found["verb"]) or bool(said & _THEIRS)  # a speaker's own verb is "work", not "works"
    if (
        found["name"]
        and not theirs
        and not (_is_somebody(found["name"], scene) or _left_out(found["name"], fact, scene))
    ):
        return False
    return not (re.match(r"(?:my|our) ", found["who"], re.IGNORECASE) and re.match(r"\S+ (?:also |now )?has ", fact))


def _is_what_they_have(fact: str, clause: str, scene: Scene) -> bool:
    """Whether a fact makes somebody of the speaker's what its clause says that they have: of "Leonard is a vet and
    has a spaniel" that Ana's companion is a spaniel."""
    found = re.match(rf"(?:{re.escape(scene.line.speaker)}|User)'s [a-z-]+ is (?P<what>an? [a-z-]+)\b", fact)
    if found is None or re.search(rf"\b(?:is|['’]s) {found['what']}\b", clause):
        return False
    has = re.match(rf"(?P<name>{_NAME})\b(?P<more>.*)\b(?:has|owns|keeps|got) {found['what']}\b", clause)
    if has is None or {*_words(has["more"]), has["name"].lower()} & english().self_words:
        return False
    return _is_somebody(has["name"], scene) or _left_out(has["name"], fact, scene)


def _left_out(name: str, fact: str, scene: Scene) -> bool:
    """Whether a fact lacks the name of whom the line says who they are to the speaker: "my companion is Leonard"."""
    before = rf"\b(?i:my|our) (?:[\w-]+ ){{1,2}}(?:is |was |called )?{name}\b"
    behind = rf"\b{name}(?:,| is| was) (?:[\w-]+ )?(?:my|our)\b"
    return name not in fact and re.search(f"{before}|{behind}", scene.line.text) is not None


def of_nobody_here(fact: str, scene: Scene) -> bool:
    """Whether a fact begins with somebody of whom the line doesn't speak, and leaves out whom its clause names first:
    "Ana's mother is in Glasgow" of "Maisie's leaving me for Glasgow"."""
    clause = source(fact, scene)
    found = _others().match(_IS_SHORT.sub(r"\1 is", clause)) if clause else None
    if clause is None or found is None or not found["name"] or not _is_somebody(found["name"], scene):
        return False
    said, speaker = {*terms(scene.line.text)}, re.escape(scene.line.speaker)
    kin = re.match(rf"(?:{speaker}|User)'s (?:[a-z-]+ )?(?P<who>{pattern(english())})\b", fact)
    if kin:
        return found["name"].lower() not in tokens(fact) and not {*terms(kin["who"])} & said
    first = re.match(rf"(?!(?:{speaker}|User)\b){_NAME}", fact)
    return first is not None and not {*terms(first[0])} & said


def done_by_us(fact: str, scene: Scene) -> bool:
    """Whether a fact says that somebody else did what its clause has "I" or "we" do: "Rex had to let go of the lead" of
    "Rex had a stroke and we had to let him go"."""
    clause = source(fact, scene)
    we = _WE.match(clause) if clause else None
    them = re.match(rf"(?!(?:{re.escape(scene.line.speaker)}|User)\b){_NAME}(?: {_NAME})? (?P<does>[a-z]+)", fact)
    if clause is None or we is None or them is None or re.search(rf"\b{re.escape(them[0])}\b", clause):
        return False
    return them["does"] in (we["does"].lower(), third_form(we["does"].lower()))


def of_us_twice(fact: str, scene: Scene) -> bool:
    """Whether a fact has the speaker in it twice, where nothing that was said has them once: "Ana left Ana's trowel in
    Ana's van" of "it was in the van". (One who leaves out their "I" is meant once, and with "mum" theirs.)"""
    kin = rf"(?!'s (?:[a-z-]+ )?(?:{pattern(english())})\b)"
    told = re.findall(rf"\b(?:{re.escape(scene.line.speaker)}|User)\b{kin}", fact)
    said = {word.partition("'")[0] for one in (*scene.before[-1:], scene.line) for word in tokens(one.text)}
    return len(told) > 1 and not said & {*english().self_words, scene.line.speaker.lower()}


def of_them(draft: Draft, told: Told) -> Sequence[Entry]:
    """What was made of a line as somebody else would say it: who says it is they, whatever a small model calls them."""
    draft = draft.told(lambda fact: None if quoted(fact) is not None else fact)  # these aren't their words
    if "user" in tokens(told.line):
        return draft.entries
    return draft.told(lambda fact: re.sub(r"\bUser\b", told.name, fact)).entries


def other_verb(fact: str, scene: Scene) -> bool:
    """Whether a fact says that the speaker has something, or goes there, and the line says nothing of the kind."""
    told = re.match(rf"(?:{re.escape(scene.line.speaker)}|User) {_FACT.pattern}", fact)
    if told is None or (told["verb"] == "has" and _PERFECT.match(told["rest"])):
        return False
    clause, words = source(fact, scene), _words(scene.line.text)
    says = english().words("doing", "goes" if told["verb"] == "goes" else "has")
    if clause is None or {*_words(clause)} & says:
        return False
    things = {stem(one) for one in tokens(told["rest"]) if one not in _FILL}
    near = {stem(one) for at, word in enumerate(words) if word in ("my", "our") for one in words[at + 1 : at + 4]}
    return bool(things & {stem(one) for one in words}) and not (told["verb"] != "goes" and things & near)


def of_other_words(fact: str, scene: Scene) -> bool:
    """Whether a fact holds a telling word that nobody said: "amputated" of "they did my hip last winter". Of such facts
    in first readings .79 weren't told and .05 were (n 621; docs/log/storage.md)."""
    heard = " ".join([scene.line.text, *(said for _, said in scene.before), *scene.told()])
    known = {*terms(heard), *terms(f"{scene.line.speaker} user")} | {stem(one) for one in tokens(heard)}
    known |= {stem(one) for one in english().words("doing", "retelling")}
    new = [one for one in query_words(fact) if stem(one) not in known and not one[0].isdigit() and not relations(one)]
    begun = {one[:ALIKE] for one in tokens(heard) if len(one) >= ALIKE}
    if any(re.search(r"\d", one) for one in new):
        return False  # a code of which the line was cleared: that is another check's
    return any(one[:ALIKE] not in begun for one in new)


def of_unsaid_kin(fact: str, scene: Scene) -> bool:
    """Whether a fact tells of a relation that nobody spoke of and no known row tells: "Ana's boyfriend is a baker" of
    "he's vegan". Of such facts in first readings .88 weren't told and .07 were (n 189; docs/log/storage.md)."""
    heard = " ".join([scene.line.text, *(said for _, said in scene.before), *scene.told()])
    said = english().words("doing", "kin_implied")
    return bool(relations(fact) - relations(heard)) and not said & {*tokens(heard)}


def without_kin(fact: str, scene: Scene) -> str | None:
    """The fact without an unsaid relation before the name of somebody in the line: "Ana's son Kavish" as "Kavish"."""
    speaker = re.escape(scene.line.speaker)
    found = re.match(rf"(?:{speaker}|User)'s (?:{pattern(english())}) (?={_NAME} )", fact)
    rest = fact[found.end() :] if found and of_unsaid_kin(fact, scene) else ""
    return rest if rest.split(" ", 1)[0] in names(scene.line.text) and not of_unsaid_kin(rest, scene) else None


def of_nothing_said(fact: str, scene: Scene) -> bool:
    """Whether of what a fact says of somebody the line has no word at all: "Tom has moved out" of "it's me and Tom in
    the flat now". Not of a line that leans on others, of a number or of a relation, which are told in other words. Of
    such facts 28 weren't told, 2 were (docs/log/storage.md)."""
    line = scene.line.text
    if len(line.split()) < LONGER or _leans(line):
        return False
    part = parts(fact)[0]
    idle = english().stop | {*tokens(scene.line.speaker), "user", "called", "named", "also", "still"}
    told = [word for word in tokens(part.text[part.begin :]) if word not in idle]
    if not told or relations(part.text[part.begin :]) or re.search(r"\d", part.text):
        return False
    heard = {stem(one) for one in tokens(line)} | {one[:ALIKE] for one in tokens(line)}
    return not any(stem(word) in heard or word[:ALIKE] in heard for word in told)


def of_older_words(fact: str, scene: Scene) -> bool:
    """Whether a fact of a longer line takes a telling word from an older line: "didn't get the bike out of the quote"
    of "it rained, so I didn't get the bike out". Not of a line that leans on others ("it takes three weeks"): there the
    older line says what is meant. Of such facts 10 weren't told, none were (docs/log/storage.md)."""
    speaker, line = scene.line
    if len(line.split()) < LONGER or _leans(line):
        return False
    older = " ".join(said for who, said in scene.before if not (who == speaker and said.rstrip().endswith("?")))
    here = {*terms(alike(line)), *terms(line), *terms(f"{speaker} user")} | {stem(one) for one in tokens(line)}
    here |= {stem(one) for one in english().words("doing", "retelling")}
    known = {one[:ALIKE] for one in here}
    taken = {one for one in query_words(fact) if not relations(one) and not one[0].isdigit()}
    return any(stem(one) in terms(older) and stem(one) not in here and one[:ALIKE] not in known for one in taken)


def _leans(line: str) -> bool:
    """Whether a line has a word for somebody or something that another line names; "it rained" has none."""
    rest = _WE_ARE.sub(" ", _WEATHER.sub(" ", line))
    return leans(rest) or bool({*tokens(rest)} & english().first_person_plural)


def other_matter(fact: str, scene: Scene) -> bool:
    """Whether a fact says that somebody lives or works where the line says nothing of a home or of work: of "Rafiq
    dropped law" that he is "working in a law", of "we keep an inn near Annecy" that they live there."""
    found = _LIVES.search(fact)
    if found is None or stem(found[1].lower()) in terms(scene.line.text):
        return False
    told = as_said(fact, scene)
    if told is None or scene.line.speaker not in told or _AT_WORK.search(scene.line.text):
        return False
    return bool(_kinds(fact) - _kinds(told)) and bool({*terms(told)} - {*terms(fact)})


def in_another_order(fact: str, scene: Scene) -> bool:
    """Whether a fact is made of the words of one clause and puts them otherwise than that does, or says of the speaker
    what is told of somebody or something of theirs: "Ana has a room in Vienna" of "Leonie has found a room in Vienna
    and leaves us". Of such facts .36 weren't told and .45 were, of those in the clause's order .16 and .67 (n 83, 264;
    docs/log/storage.md)."""
    said = as_said(fact, scene)
    if said is None or len(said.split()) > MOST_SAID or len(parts(said)) > 1:
        return False
    anew = {stem(one) for one in english().words("doing", "retelling")}
    told = [one[:ALIKE] for one in terms(alike(fact)) if one not in anew]
    whole = [one[:ALIKE] for one in terms(alike(said))]
    if not told or not {*told} <= {*whole}:
        return False
    speaker = re.escape(scene.line.speaker)
    of_theirs = re.match(rf"(?:{speaker}|User)'s\b", said) and re.match(
        rf"(?:{speaker}|User) (?!has\b|owns\b)[a-z]", fact
    )
    left = iter(whole)
    return bool(of_theirs) or not all(one in left for one in told)


def _kinds(text: str) -> set[str]:
    return {matter.kind.split(".")[0] for part in parts(text) for matter in part.matters} & {"home", "job"}


def of_another_thing(fact: str, scene: Scene) -> bool:
    """Whether a fact says of one thing what its clause says of another: of "the code of my door is 7392" that the door
    is, or of "the code of my lock is 1155" that the door is which a known row speaks of."""
    clause = source(fact, scene)
    found = _IS.match(clause) if clause else None
    if found is None:
        return False
    told, told_of = {*terms(fact)}, {*terms(found["thing"])}
    if not {*terms(found["value"])} & told or not told_of:
        return False
    if found["head"] and stem(found["head"].lower()) not in told and told & told_of:
        return True
    foreign = told - {*terms(scene.line.text)} - {*terms(scene.line.speaker), "user"}
    return bool(foreign & {one for row in scene.told() for one in terms(row)}) and not told & told_of


def named_alone(fact: str, scene: Scene) -> bool:
    """Whether a fact keeps no more than somebody's name, and the clause tells something of them."""
    found = _NAMED_ONLY.fullmatch(fact)
    for clause in clauses(scene.line.text) if found else ():
        told = _TOLD_OF.match(clause)
        if told and found and told["name"] == found["name"] and told["verb"] not in _NAMING:
            named = told["verb"] in ("is", "was") and told["rest"].split()[0] in ("my", "our", "called", "named", "the")
            return not named and bool({*terms(told["rest"])} - {*terms(fact)})
    return False


def cut_down(fact: str, scene: Scene, beside: Sequence[str] = ()) -> str | None:
    """The clause as it was said, where a fact made of it leaves out much of what it tells ("Petru plays the
    accordion" of "I play the accordion at weddings and on ferries"); None: it says about as much, is of other
    words (measured in docs/log/storage.md), or the clause is of two matters, which end each by itself. `beside`: all
    facts that were made of the clause, which together leave that out."""
    said = as_said(fact, scene)
    if said is None or len(said.split()) > MOST_SAID or len(parts(said)) > 1:
        return None
    told, whole = [{*terms(one)} for one in beside or (fact,)], {*terms(said)}
    if len(whole - set().union(*told)) < LOST or (len(told) > 1 and _says_several(said)):
        return None
    return said if all(2 * len(one & whole) >= len(one) for one in told) else None


def _says_several(said: str) -> bool:
    """Whether a clause has more than one verb that may end by itself: "is due in May and costs 380"."""
    known = verbs()
    finite = known.third | known.past | {"is", "are", "was", "were", "has", "does"}
    return sum(word in finite for word in _words(said)) > 1


def as_said(fact: str, scene: Scene) -> str | None:
    """The clause that a fact was made of, as it was said; None: it can't stand alone."""
    clause = source(fact, scene)
    return None if clause is None else said_alone(clause, scene.line.speaker)


def said_alone(clause: str, speaker: str) -> str | None:
    """A clause as a fact in its own words; None: it can't stand alone."""
    clause = _WILL.sub(r"\1 will", _DOING.sub(r"\1 is", spelled(clause)))
    told = retold(clause, speaker)
    if told is not None and re.match(rf"(?:{re.escape(speaker)}|The)\b", told):
        return told if len(told.split()) > 1 else None
    words, begun = _words(clause), _others().match(clause) or _THING.match(clause)
    if begun is None or begun["who"].lower() in ("he", "she", "they") or len(words) > LONGEST:
        return None
    if {*words} & english().second_person:
        return None
    doing = clause[begun.end("who") :].lstrip(",") if begun.re is _others() else clause[begun.end("who") :]
    said = to_third_person(f"{begun['who']}{doing}", speaker).rstrip(" .!,;")
    return f"{said}."


def source(fact: str, scene: Scene) -> str | None:
    """The clause of the line that shares the most words with a fact, the first of several; None: none shares any."""
    wanted = {*terms(fact)}
    found = [(len(wanted & {*terms(clause)}), clause) for clause in clauses(scene.line.text)]
    best = max(found, key=lambda one: one[0], default=(0, ""))
    return best[1] if best[0] else None


def _is_somebody(name: str, scene: Scene) -> bool:
    """Whether a word that begins a clause is a name, by what was said before or is known."""
    low = name.lower()
    if low in english().stop | english().words("forget", "common") | english().words("others", "no_names"):
        return False
    return any(name in names(text) for text in [*scene.told(), *(said for _, said in scene.before)])


def _is_third(verb: str) -> bool:
    """Whether it is what somebody else does, by its form, and no mere "is" or "has"."""
    known = verbs()
    bases = {verb[:-1], verb[:-2], f"{verb[:-3]}y"} & (known.base | known.either | known.finite)
    return verb not in _BEING and (verb in known.third or (verb.endswith("s") and bool(bases)))


def _words(text: str) -> list[str]:
    return re.findall(r"[\w'-]+", text.lower().replace("’", "'"))


@lru_cache(maxsize=1)
def _others() -> re.Pattern[str]:
    """A clause that begins with somebody else who does or is something."""
    known = verbs()
    more = {"is", "was", "has", "does", "isn't", "wasn't", "hasn't", "doesn't"}
    verb = rf"(?:{alternatives(known.third | known.past | known.modals | more)}|[a-z]{{2,}}(?:s|ed))\b"
    adverb = rf"(?:(?:{alternatives(known.adverbs)}|\w+ly) )*"
    who = (
        rf"(?:[Mm]y|[Oo]ur) (?:[\w-]+ ){{0,2}}?(?:{pattern(english())})(?: {_NAME})?"
        rf"|(?:[Mm]y|[Oo]ur) (?:[\w-]+ ){{1,2}}{_NAME}"
        rf"|(?P<name>(?!I\b|I'|(?:But|And|So|He|She|They|My|Our)\b)[A-Z][\w-]*\w)(?: {_NAME})?|[Hh]e|[Ss]he|[Tt]hey"
    )
    lead = rf"(?:(?:[A-Za-z][\w' ]{{0,30}},|(?i:{english().alternatives('openings', 'other')})),? )*?"
    return re.compile(rf"^{lead}(?P<who>{who}),? {adverb}(?P<verb>{verb})")
