"""Of whom a line speaks that names somebody by somebody else ("my brother's wife"), or two at once ("Jan and Els").

A small model drops one of the two: it makes "Ana's brother Ilse", and of two who do something nothing at all. In the
place of such a fact the clause is told as it was said.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from ....memory.language.kinship import pattern, pets, plainly_related, relations
from ....memory.language.language import english
from ....memory.language.points import letters as re
from ....memory.language.third_person import LONGEST, third_form, to_third_person, verbs
from ....memory.language.words import stem, terms, tokens
from ...prompts.draft import Add, Draft, date_words
from ...prompts.messages import Line
from .fidelity import clauses
from .scene import Scene

_NAME = r"[A-Z][\w-]*\w"
_LEAD = f"(?i:(?:{english().alternatives('openings', 'two')}),? )*"
_ADVERB = f"(?:(?:{english().alternatives('verbs', 'after_two')}) )*"
_TWO = re.compile(
    rf"^{_LEAD}(?P<who>(?P<one>{_NAME})(?:, {_NAME})*,? and (?P<other>{_NAME})) {_ADVERB}(?P<did>[a-z'’]+\b.*)"
)
_LESS = 5
"""A fact that lacks more than one word in so many doesn't tell the whole."""
_LEAST = 4
"""Words of a clause about two."""


def of_theirs(fact: str, scene: Scene) -> str | None:
    """The clause as it was said, where a fact says of one what it says of somebody or something of theirs: "Ana's
    brother Ilse is a nurse" of "my brother's wife Ilse is a nurse"; None: it doesn't."""
    said = clauses(scene.line.text)
    shared = [len({*terms(fact)} & {*terms(clause)}) for clause in said]
    for clause, words in zip(said, shared, strict=True):
        if words < max(shared):
            continue  # it was made of another clause
        found = _owned().search(clause.replace("’", "'"))
        if found is None or not _is_thing(found["what"].lower()) or _NOT_OF_THEM.match(found["rest"]):
            continue
        if _drops(fact, found, scene.line.speaker):
            return _as_said(clause[found.start() :], scene.line.speaker)
    return None


_NOT_OF_THEM = re.compile(r"(?:on|in|at|for|from|to|with|by|since|last|this|next|and|or|about)\b", re.IGNORECASE)
"""Begins what isn't said of them: "sold it to Paul's cousin on Saturday and got a bike"."""


def of_their_kin(fact: str, scene: Scene) -> str | None:
    """As it was said, where a fact makes kin of the speaker's of somebody else's: "Ana's sister Fenna" of "my grandson
    Sem likes to cook, his sister Fenna rides"; empty where nothing says whose, None: it doesn't."""
    speaker, text = scene.line.speaker, scene.line.text.replace("’", "'")
    found = re.match(
        rf"(?:{re.escape(speaker)}|User)'s (?:[\w-]+ )?(?P<who>(?:{pattern(english())})(?: {_NAME}|(?=,)))", fact
    )
    if found is None:
        return None
    who = rf"(?:[a-z-]+ )?{found['who'].replace(' ', ',? ')}\b"
    said = re.search(rf"\b(?i:his|her|their) (?P<of>{who}[^.;!?]*)", text)
    if said is None or re.search(rf"\b(?i:my|our) {who}", text):
        return None
    anybody = _anybody().finditer(text, 0, said.start())
    of = [one for one in anybody if one["name"] or not _AT_A_PLACE.search(text[: one.start()])]
    if not of:
        return ""
    named = of[-1]["name"] or of[-1][0]
    return to_third_person(f"{named}'s {said['of']}", speaker).rstrip(" .!,;") + "."


def of_mine(fact: str, scene: Scene) -> str:
    """The fact with what the line calls "my" as the speaker's, and what "I" do as the speaker's doing: a small model
    makes "with his uncle" of "with my uncle", of somebody who may be a woman, and what is told to them again would be
    another's uncle; and of "Jo thinks I'm mad because I spend" it makes "because he spends"."""
    speaker, said = scene.line.speaker, scene.line.text.lower().replace("’", "'")
    mine, theirs = ({one for found in of.findall(said) for one in found.split()} for of in (_MY, _HIS))
    does = re.match(rf"(?:{re.escape(speaker)}|User) [a-z]", fact) is not None
    whose = "their" if does else f"{speaker}'s"

    def told(found: re.Match[str]) -> str:
        own = found["thing"].lower() in mine - theirs
        return f"{whose} {found['own'] or ''}{found['thing']}" if own else found[0]

    fact = _to_whom(_as_i_do(_HIS_THING.sub(told, fact), scene.line.speaker, said), speaker, said)
    return re.sub(r"\b(?:him|her)self\b", "themself", fact) if does and "myself" in tokens(said) else fact


def _as_i_do(fact: str, speaker: str, said: str) -> str:
    """The fact with the speaker in the place of a "he" or "she" that does what only "I" do in the line."""
    if {*tokens(said)} & {"he", "she", "he's", "she's"}:
        return fact
    mine = {stem(word) for word in re.findall(r"\bi (?:[a-z]+ly |never |always |often |only |just )?([a-z]+)", said)}
    return _THEY.sub(lambda found: speaker if stem(found["does"]) in mine else found[0], fact)


def _to_whom(fact: str, speaker: str, said: str) -> str:
    """The fact with who does it and to whom the other way round, where the line says "I pay him" and of nobody else
    that they do it: of an apprentice it was told that he pays. Only of what is done to the speaker, or so much."""
    me = rf"(?P<me> (?:{re.escape(speaker)}|User)\b(?!['’]))"
    found = re.match(rf"(?P<who>[A-Z]\S*(?: [\w-]+){{0,3}}?) (?P<does>[a-z]+s){me}?(?P<rest>(?: .*|\.?))$", fact)
    if found is None or found["who"] in (speaker, "User") or not (found["me"] or _SO_MUCH.match(found["rest"])):
        return fact
    who = re.escape(found["who"].split()[-1].lower())
    own = rf"\bi(?:['’]ll|['’]d)? (?:[a-z]+ly |still |also )?([a-z]+) (?:him|her|{who})\b(?!['’]| [a-z]+ing\b)"
    others = rf"\b(?:he|she|they|who|{who}) (?:[a-z]+ly |still |also )?([a-z]+)"
    mine, theirs = ({stem(one) for one in re.findall(doing, said)} for doing in (own, others))
    turned = stem(found["does"]) in mine - theirs
    return f"{speaker} {found['does']} {found['who']}{found['rest']}" if turned else fact


_SO_MUCH = re.compile(r" (?:[$£€]?\d)")
_THEY = re.compile(r"\b(?:he|she)\b(?= (?:[a-z]+ly |never |always |often |only |just )?(?P<does>[a-z]+))")
_MY, _HIS = (re.compile(rf"\b(?:{whose})((?: [\w-]+){{1,2}})") for whose in ("my|our", "his|her|their"))
_HIS_THING = re.compile(r"\b(?:his|her) (?P<own>own )?(?P<thing>[\w-]+)")


_AT_A_PLACE = re.compile(r"\b(?:at|in|near|from|the)(?: the)?(?: [A-Z][\w'-]+)* $")
"""Before a name that is no person's: "a nurse at the Cumberland Infirmary, and her husband Colin ..."."""


@lru_cache(maxsize=1)
def _anybody() -> re.Pattern[str]:
    """Somebody of the speaker's, or by name."""
    kin = rf"(?:[Mm]y|[Oo]ur) (?:[a-z-]+ )?(?:{pattern(english())})(?: (?P<name>{_NAME}))?"
    return re.compile(rf"\b(?:{kin}|(?<=[a-z,;] )(?!I\b){_NAME})")


def _is_thing(word: str) -> bool:
    """Whether a word behind "my dad's" is somebody or something of his, and not what he is, has done or is called."""
    known = verbs()
    no = english().stop | english().words("others", "attributes") | known.past | known.adverbs | known.states
    return word not in no and not word.endswith(("ing", "ed", "ly"))


def _drops(fact: str, found: re.Match[str], speaker: str) -> bool:
    """Whether a fact takes up what is said behind such words, and leaves out one of the two."""
    told = {*terms(plainly_related(fact))}
    owner, what = ({*terms(plainly_related(one))} for one in (found["owner"] or found["named"], found["what"]))
    said = _GOES_ON.split(found["rest"])[0]  # "Miriam's firm let her cut down, she works three days" tells two things
    rest = {*terms(said)} - {*terms(speaker)} | ({*terms(found["name"])} if found["name"] else set())
    if not told & rest:
        return False
    has = re.match(rf"(?:{re.escape(speaker)}|User) has\b", fact) and not re.match(r"(?:has|have)\b", found["rest"])
    return bool(has) or not (owner | what) <= told


_GOES_ON = re.compile(r"[,;] (?:and |but |so )?(?:he|she|they|it|i|we)\b", re.IGNORECASE)


@lru_cache(maxsize=1)
def _owned() -> re.Pattern[str]:
    """Somebody's somebody or something, who may be named, and what is said of them: "my friend's dog Rex bit me"."""
    who = rf"(?:(?:my|our) (?:[a-z-]+ )?(?P<owner>{pattern(english())})(?: {_NAME})?|(?P<named>(?-i:{_NAME})))"
    kind = english().alternatives("relations", "which_one")
    return re.compile(
        rf"(?i:\b{who})(?:'s|(?<=s)') (?:(?:{kind}) )?"
        rf"(?P<what>[a-z]+)(?:,? (?P<name>(?!I\b){_NAME}(?:(?:,| and) {_NAME})*))? (?P<rest>[a-z].+)"
    )


def without_company(fact: str, scene: Scene) -> str:
    """The fact of the speaker alone, where the line says "we" and the fact says with which kin or friend, of whom the
    line tells nothing: a small model takes whoever was last spoken of for the other one, the mother who calls on
    Sundays. Who lives with one, or stood beside "I" in the line before, may be meant."""
    speaker, line = scene.line
    found = re.match(rf"(?:{re.escape(speaker)}|User) and (?P<rest>.*)", fact)
    found = _with().match(found["rest"]) if found and {*tokens(line)} & _US else None
    if found is None or relations(found["who"]) & _household():
        return fact
    who = {*terms(found["who"])} - {*terms(speaker), "user"}
    near = (match[0] for by, said in scene.before[-2:] if by == speaker for match in _BESIDE.finditer(said))
    if any(who & {*terms(said)} for said in (line, *near)):
        return fact
    does = _OF_ONE.get(found["does"], found["does"] if found["does"] in verbs().past else third_form(found["does"]))
    return f"{speaker} {does}{found['rest']}"


def without_unsaid(fact: str, scene: Scene) -> str:
    """The fact of those alone of whom the line speaks, where it names one of several and not the others: "Ana's hens
    Dolly and Frieda died" of "poor Frieda died" is Frieda's."""
    said = {*tokens(scene.line.text)}
    found = next((one for one in _SEVERAL.finditer(fact) if {*tokens(one[0])} & said), None)
    if found is None or said & (_OF_BOTH | english().words("words", "third_person")):
        return fact
    names = re.findall(_NAME, found["names"])
    if {one.lower() for one in names} & english().calendar:
        return fact
    here = [one for one in names if one.lower() in said]
    own = {*re.findall(_NAME, scene.line.speaker), "User"}  # "Hallam and Leonard" ends in Ruth Hallam's name
    if not here or len(here) == len(names) or own & {*names}:
        return fact
    before, rest = fact[: found.start()], fact[found.end() :]
    if len(here) > 1:
        return f"{before}{', '.join(here[:-1])} and {here[-1]}{rest}"
    does = re.match(r" (?P<does>[a-z]+(?:n't)?)\b", rest)
    if does and (does["does"] in _OF_ONE or does["does"] in verbs().base):
        rest = f" {_OF_ONE.get(does['does'], third_form(does['does']))}{rest[does.end() :]}"
    return f"{_ONE_OF.sub(_one_of, before)}{here[0]}{rest}"


_SEVERAL = re.compile(rf"\b(?P<names>{_NAME}(?:, {_NAME})*,? and {_NAME})\b(?!['’]s)")
_OF_BOTH = frozenset(
    {"both", "they", "they're", "they've", "them", "their", "all", "two", "twins", "together", "everyone"}
)
_ONE_OF = re.compile(r"\b(?P<one>[a-z-]+)s $")


def _one_of(found: re.Match[str]) -> str:
    """ "Hens" as "hen", where it is some that one has."""
    return f"{found['one']} " if found["one"] in {*english().relations, *pets()} else found[0]


_US = frozenset({"we", "we're", "we've", "we'll", "we'd", "us", "our", "ours"})
_BESIDE = re.compile(r"(?:[\w'’]+ ){1,3}and I\b|\b(?:me|I) and(?: [\w'’]+){1,3}|\bwith(?: [\w'’]+){1,3}")
_OF_ONE = {"are": "is", "were": "was", "have": "has", "aren't": "isn't", "weren't": "wasn't", "haven't": "hasn't",
           "do": "does", "don't": "doesn't", "will": "will"}  # fmt: skip


@lru_cache(maxsize=1)
def _household() -> frozenset[str]:
    """Who lives with one, as a rule."""
    return english().words("matters", "partners") | english().words("relations", "household")


@lru_cache(maxsize=1)
def _with() -> re.Pattern[str]:
    """Who stands behind "Ana and", and what the two do."""
    own = rf"(?:{_NAME}'s |their |his |her )?"
    kin = rf"(?:[a-z-]+ )?(?:{pattern(english())})(?: {_NAME})?"
    return re.compile(rf"(?P<who>{own}{kin}) (?:both )?(?P<does>[a-z]+(?:n't)?)(?P<rest>(?!\w).*)")


def of_two(line: Line, scene: Scene) -> Draft:
    """What a line tells of two people by their names, as it was said: "Jan and Els are getting divorced"."""
    return Draft(tuple(_of_two(line, scene)))


def with_two(draft: Draft, scene: Scene) -> Draft:
    """The draft with what the line tells of two, where no fact says most of it, and without a fact that has the speaker
    do it with both: "Ana broke up with Ada and Rui" of "Ada and Rui broke up"."""
    both = of_two(scene.line, scene)
    theirs = [{*terms(fact)} for fact in both.facts if scene.line.speaker.lower() not in tokens(fact)]
    mine = re.compile(rf"(?:{re.escape(scene.line.speaker)}|User) [a-z]")

    def kept(fact: str) -> str | None:
        words = {*terms(fact)} - {*terms(scene.line.speaker), "user"}
        return None if mine.match(fact) and any(words <= one for one in theirs) else fact

    draft = draft.told(kept)
    told = [{*terms(fact)} for fact in draft.facts]
    more = [one for one in both.added if not any(_says(one.fact, words) for words in told)]
    return draft.plus(more)


def _says(fact: str, told: set[str]) -> bool:
    words = {*terms(fact)}
    return _LESS * len(words & told) >= len(words) * (_LESS - 1)


def _of_two(line: Line, scene: Scene) -> Iterator[Add]:
    for clause in (part for whole in clauses(line.text) for part in _CLAUSE.split(whole)):
        found = _TWO.match(clause)
        if found is None or clause.rstrip().endswith("?") or not _LEAST <= len(clause.split()) <= LONGEST:
            continue
        both = {found["one"], found["other"]}
        idle = english().stop | english().words("others", "no_names") | english().words("others", "firms")
        lows = {name.lower() for name in both}
        if lows & idle or line.speaker.lower() in lows or {*tokens(clause)} & english().second_person:
            continue
        known = any(both & {*re.findall(_NAME, said)} for said in [*scene.told(), *(said for _, said in scene.before)])
        if known or _together().match(found["did"].lower().replace("’", "'")):
            yield Add(line.speaker, "people", _as_said(clause[found.start("who") :], line.speaker), date_words(clause))


_CLAUSE = re.compile(r",? (?:and|but) (?=(?:I|i|my|we|our)\b)|, (?=(?:I|i|my|we|our)\b)|, (?=it\b)|; ")


@lru_cache(maxsize=1)
def _together() -> re.Pattern[str]:
    """What people alone do or are, of two or more."""
    listed = {
        name: "|".join(english().listed("others", name)) for name in ("people_only", "bonds", "families", "workers")
    }
    kin = f"(?:{pattern(english())}|{listed['workers']})s?"
    return re.compile(
        rf"(?:are|were|have been|will be) (?:\w+ly |both |now |still )*(?:(?:getting|going to get|going to be) )?"
        rf"(?:{listed['bonds']}|(?:my |our |new |old |good |best |retired )*{kin})\b"
        rf"|(?:got|get) (?:back )?(?:{listed['bonds']})\b|(?:broke|split|have broken|have split) up\b"
        rf"|(?:have|had|are having|are expecting|adopted|expect) (?:[a-z]+ )?(?:[a-z]+ )?(?:{listed['families']})\b"
        rf"|(?:have |are )?(?:{listed['people_only']}|{english().alternatives('others', 'of_two')})\b"
    )


def _as_said(clause: str, speaker: str) -> str:
    return f"{to_third_person(clause.strip(), speaker).rstrip(' .!,;')}."
