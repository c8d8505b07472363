"""Whether a clause tells the end of just what a known fact is about: it names the thing itself beside a word that ends
it, and speaks of nobody else than the fact does."""

from __future__ import annotations

from functools import lru_cache

from ..kinship import pets, relations
from ..language import english
from ..points import letters as re
from ..words import alternatives, stem, terms, tokens
from .change_words import compiled, stands
from .corrections import signals
from .matters import VALUE, About, details, parts


def over(known: str, clause: str, user: str, line: str) -> bool:
    """Whether a clause of the user's line tells the end of just what a known fact is about: it names the thing itself
    beside a word that ends it, and speaks of nobody else than the fact does."""
    said = signals(clause)
    if stands("not_over", clause) or said.maybe or (said.passing and not said.ends) or clause.endswith("?"):
        return False
    mind = _USED_TO.search(clause.replace("’", "'"))
    if mind and mind["feels"] and stem(mind["feels"].lower()) not in terms(known):
        return False  # "I used to hate Lidl" tells of no job
    for part in parts(known):
        plan = any(matter.kind == "plan" for matter in part.matters)
        pet = bool({*tokens(part.text)} & pets())
        kinds = (("over", True), ("put_down", pet), ("put_off", plan), ("repaid", owes(part.text)))
        ends = [name for name, may in kinds if may and stands(name, clause)]
        if ends == ["repaid"]:
            if _is_repaid(part.text, clause, user):
                return True
            continue
        if ends and _names_it(part, clause, user, ends[0]) and of_its_holder(part, clause, user, line):
            return not signals(part.text).before and not signals(part.text).ends
    return False


def _names_it(part: About, clause: str, user: str, ends: str) -> bool:
    """Whether the clause names what the part is about; after the verb, where that takes an object."""
    low = clause.lower().replace("’", "'")
    pattern = compiled(ends)
    over_at = pattern.search(low) if pattern else None
    verbs = english().table("matters", "change").get("ending", "")
    passive = over_at and re.search(r"\b(?:was|were|is|are|been|be|got)(?: \w+)? $", low[: over_at.start()])
    alone = english().table("matters", "change").get("alone", "")
    takes = over_at and re.match(rf"(?:{verbs})\b", over_at[0]) and not passive and not re.match(alone, over_at[0])
    heard = low[over_at.start() :] if over_at and takes else low
    aside = beside(part.text, clause)
    words = ({*terms(heard)} | {*tokens(heard)}) - aside - {one for name in aside for one in terms(name)}
    whole = [{*matter.what} for matter in part.matters if matter.kind == VALUE]
    if whole:
        return any(what <= words for what in whole) or bool((named(part.text) - _owners(part.text)) & words)
    if part.holder.names & words and any(matter.kind == "home" for matter in part.matters) and "moved out" in low:
        return True
    gone = frozenset[str]() if stands("dead", clause) else in_company(part.text) | _owners(part.text)
    return bool((things(part, user) - gone) & words)


def owes(text: str) -> bool:
    """Whether a fact tells of a debt: "Pat owes Ana 50", "Ana lent Tom her bike money"."""
    return bool({*tokens(text)} & english().words("matters", "debt"))


def _is_repaid(fact: str, clause: str, user: str) -> bool:
    """Whether a clause says plainly that a debt of money is paid, all of it, by the one who owes it to the other one of
    the two, of whom the fact alone tells."""
    names = {word for word in details(fact) if not word[0].isdigit()} - {*tokens(user), "user"}
    others = names | {word for word in tokens(fact) if word in english().relations}
    if len(parts(fact)) > 1 or _TWO.search(fact) or not _MONEY.search(fact) or not others & {*tokens(clause)}:
        return False
    if {*tokens(clause.replace("'", "").replace("’", ""))} & english().negations or _NOT_PAID.search(clause):
        return False
    if any(one.lower() not in others for one in _CAPITAL.findall(clause)):
        return False  # "Tom paid Sue back"
    mine = re.match(rf"(?:User|{re.escape(user)}) (?:still |also |now )?(?:owes|owed|borrowed)\b", fact) is not None
    return bool(_SQUARE.search(clause)) or mine is bool(_I_PAID.search(clause))


_TWO = re.compile(r"\band (?:[A-Z]|(?:his|her|their|my) )")
_MONEY = re.compile(
    r"\d|[£$€₹]|\b(?:money|cash|quid|tenner|fiver|grand|euros?|pounds?|dollars?|rupees?|bucks|hundred|thousand)\b",
    re.IGNORECASE,
)
_NOT_PAID = re.compile(
    r"\b(?:half|some|part|bits?|instal\w*|meant|supposed|should|thinks?|reckons?|says?|said|claims?|promised|will|if"
    r"|going to|unless|for|his|her|their|car|mortgage|loan|with the|until|when)\b|['’]ll\b|\d", re.IGNORECASE,
)  # fmt: skip
"""In a clause that may tell of another payment, of a part of it, or of none: "Tom paid me back for the taxi"."""
_SQUARE = re.compile(r"\b(?:square|even|quits)\b|\bsettled up\b", re.IGNORECASE)
_I_PAID = re.compile(
    r"\b(?:I|we)(?:['’]ve| have)? (?:[a-z]+ly |just )?(?:paid|pay|gave|squared)\b"
    r"|^\W*(?:just |finally |already )?paid\b", re.IGNORECASE,
)  # fmt: skip
_CAPITAL = re.compile(r"(?<!^)\b[A-Z][a-z]+\b")


def beside(text: str, clause: str) -> set[str]:
    """The names of somebody's kin in a fact that a clause has only beside what is over: "the quarrel with Frances is
    over" is no end of a daughter."""
    if not only_kin(text):
        return set()

    def alone(name: str) -> bool:
        return re.search(rf"\b{name}\b", _ASIDE.sub(" ", clause)) is not None

    return {one.lower() for one in _KIN_NAME.findall(text) if one in clause and not alone(one)}


def only_kin(text: str) -> bool:
    """Whether a fact only counts or names kin, who are so whatever they do: "has two daughters: Helen and Frances", and
    not "lives with sisters Frances and Ida"."""
    return _only_kin().fullmatch(text.strip()) is not None


@lru_cache(maxsize=1)
def _only_kin() -> re.Pattern[str]:
    known = english()
    kin = alternatives([word for word, main in known.relations.items() if main in known.words("relations", "kin")])
    which = rf"(?:(?:{known.alternatives('relations', 'which_one')}) )?"
    name = r"[A-Z][\w-]*\w(?: [A-Z][\w-]*\w)?(?: \(\d+\))?"
    names = rf"{name}(?:(?:,| and|, and) {name})*\.?"
    has = rf"(?:has|have) (?:(?:an?|\d+|{'|'.join(known.numbers)}) )?{which}(?:{kin})(?:,|:| -)?"
    return re.compile(
        rf"(?:[A-Z][\w-]*|The user)(?: [A-Z][\w-]*)? {has}(?: (?:named|called):?)? {names}"
        rf"|(?:[A-Z][\w-]*|The user)['’]s {which}(?:{kin}) (?:is|are) (?:(?:named|called) )?{names}"
    )


_KIN_NAME = re.compile(r"\b[A-Z][\w-]*\w\b")
_ASIDE = re.compile(
    r"\b(?i:the|my|our|this|that|all) (?![a-z ]*\b(?:time|life|years|days)\b)"
    r"(?:[a-z-]+ ){1,3}(?:with|about|over|between|against) "
    rf"{_KIN_NAME.pattern}(?: and {_KIN_NAME.pattern})?(?!['’])"
    rf"|{_KIN_NAME.pattern}['’]s "
    r"(?!(?:gone|dead|died|passed|left|been|moved|not|no|life|heart|time|death|funeral|battle|fight|suffering|journey|hour)\b)[a-z-]+",
)
_USED_TO = re.compile(
    rf"\bused to (?:really |always |just )?(?:(?P<feels>{english().alternatives('matters', 'feels')})\b)?",
    re.IGNORECASE,
)
_COMPANY = re.compile(r" with (?:(?:[a-z]+|[A-Z][\w-]*['’]s) ){0,3}(?P<name>[A-Z][\w-]+)")
_TOGETHER = re.compile(rf"\b(?:{english().alternatives('matters', 'together')}) (?:[\w-]+ ){{0,4}}?with\b")


def in_company(text: str) -> frozenset[str]:
    """With whom somebody did what a fact tells ("moved to Leeds with Ken"): it was so, whatever became of the two. Not
    with whom somebody lives."""
    return frozenset() if _TOGETHER.search(text) else frozenset(one.lower() for one in _COMPANY.findall(text))


def _owners(text: str) -> frozenset[str]:
    """Relations whose thing a fact tells of ("an appointment of Dad's"): what is told of these is not of that thing."""
    return frozenset(one.lower() for one in _OWNER.findall(text) if one.lower() in english().relations)


_OWNER = re.compile(r"\b([A-Z][\w-]*)['’]s\b")


def things(part: About, user: str = "") -> set[str]:
    """The stems and names of what a fact is about, without its subject and its verb; `user`: a name left out."""
    own = {*tokens(user)} | part.holder.names
    named = {word for word in details(part.text) - own if not word[0].isdigit()}
    what = {word for matter in part.matters for word in matter.what}
    told = apart_from_its_time(part.text[part.begin :])
    what -= {*terms(part.text[part.begin :])} - {*terms(told)}
    predicate = [word for word in terms(told) if not word[0].isdigit() and word not in idle()]
    return named | (what - idle()) | {*predicate[:SAID]}


def apart_from_its_time(text: str) -> str:
    """What tells of a habit without what else one does that it tells the time by: "goes to physio every Friday before
    their shift" is of no shift. Another text as it is: who moves after the wedding doesn't where there is none."""
    return _MEANWHILE.sub(" ", text) if _HABIT.search(text) else text


_HABIT = re.compile(
    r"\b(?:every|each|daily|weekly|usually|always|often|mornings|evenings|nights|weekends|twice a|once a"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)days?)\b", re.IGNORECASE,
)  # fmt: skip
_MEANWHILE = re.compile(
    r"(?<=\w)(?<!\blook)(?<!\blooks)(?<!\blooking)(?<!\bnamed)(?<!\bcalled)(?<!\btakes)"
    r" (?:before|after|during|between|on the way (?:to|from)) "
    r"(?:(?:his|her|their|my|our|the|[\w-]+['’]s) )?[\w'’-]+(?: [\w'’-]+)??"
    r"(?= *(?:[.,;]|$|and\b|on\b|at\b|with\b|in\b))", re.IGNORECASE,
)  # fmt: skip
"""When something is done, by what else one does."""


@lru_cache(maxsize=1)
def idle() -> frozenset[str]:
    """Stems that say too little to tell a thing by."""
    return frozenset(stem(word) for word in english().table("matters", "words").get("idle", "").split())


OVER_SOON = 15
"""Letters after a name in which what ends stands, if it is told of that name."""
SAID = 3
"""Words of a predicate that tell what it is about; what follows tells more of it."""


_STRANGE = re.compile(
    r"(?<![.!?] )(?<!^)(?<!\bin )(?<!\bat )(?<!\bto )(?<!\bon )(?<!\bfrom )(?<!\bnear )\b[A-Z][a-z]+\b"
)
"""A name that may be a person's: not where it is a place or a day."""


def of_its_holder(part: About, clause: str, user: str, line: str) -> bool:
    """Whether a clause may speak of the holder of a fact, and names no other person as its subject."""
    of_fact, said = relations(part.text), relations(clause)
    names = {*tokens(part.text)}
    strange = [word for word in _STRANGE.findall(clause) if word.lower() not in names]
    first = re.match(r"(?:\W*(?:and|but|so|well|oh|yes|no)\b\W*)*([\w'-]+)", clause)
    opens = first[1].lower() if first else ""
    own = {*tokens(clause)} & english().self_words
    theirs = re.match(r"([A-Z][\w-]+)['’]s ", clause)
    of_several = re.match(r"(?:[Tt]he |[Oo]ur )?[A-Z][\w-]+s['’] ", clause)  # "the Prossers' boy has moved out"
    if of_several or (theirs and theirs[1].lower() not in names | english().stop) or _of_another(part, clause):
        return False
    if any(stands("over", rest[:OVER_SOON]) for word in strange for rest in clause.split(f"{word} ")[1:]):
        return False  # "I heard that Tom moved out"
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


def named(text: str) -> set[str]:
    """The names in a fact but for its subject's."""
    return {word for word in details(text.split(" ", 1)[-1]) if not word.isdigit()}


def has_ended(text: str) -> bool:
    """Whether it says of anything that it is over."""
    return stands("over", text) or stands("gone", text)


def is_over_anyway(fact: str) -> bool:
    """Whether a fact's main verb tells what was ("Margaret was a piano teacher") or what was done and leaves nothing
    that could end ("paid 612 for the insurance"); "bought a van" leaves a van."""
    found = _verb().search(fact)
    return found is not None and len(fact[: found.start()].split()) <= _LEAD


_LEAD = 6
"""Words before the main verb: whose thing it is, and what."""


@lru_cache(maxsize=1)
def _verb() -> re.Pattern[str]:
    done = english().alternatives("matters", "done")
    other = r"(?:is|are|has|have|lives|works|will|wants|plans|needs|takes|owes|can|does|do)"
    return re.compile(rf"^(?:(?!\b{other}\b)[^.;])*?\b(?:{done})\b")
