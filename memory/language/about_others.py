"""Lines about somebody else by name: "Mia moved to Porto" is told to the storage model as Mia would say it.

Its training knows people who tell of themselves; of "Mia lives in Berlin" it makes a home of the speaker's own. A name
that nobody knows may be a firm, a team or a town ("Amazon lost the parcel"), so it counts as a person's only where the
words say what people alone do. A line that begins with "he" or "she" is told of whom the line before told, where that
is plain: "He's a lawyer" after "My husband Joost does the tiles" would become a fact about the user.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import lru_cache, partial
from typing import NamedTuple

from .kinship import pattern as any_relation
from .kinship import relations
from .language import Language, english
from .points import letters as re
from .points.abbreviated import HIDDEN, parted
from .points.possessed import Behind, with_apostrophes
from .third_person import verbs
from .words import alternatives, calmed, tokens

_NAME = r"[A-Z][a-z]+(?:-[A-Z][a-z]+)?"
_OURS = rf"(?:[A-Z][a-z]+[.{HIDDEN}]? )?{_NAME} (?:is|was|became|will be) (?:now )?(?:my|our)\b"
"""Somebody named who is the speaker's: "Dr. Vik is my dentist"."""
_CLAUSE = re.compile(
    rf"(?<=[.!?;])\s+|,?\s+(?:and|but|so)\s+(?=(?:I|i|my|we|our)\b)|,\s+(?=(?:I|i|my|we|our)\b)|,\s+(?=(?:{_OURS}))"
)


@lru_cache(maxsize=1)
def _of_a_person() -> re.Pattern[str]:
    """What people alone do or are, from the verb on; "her" may only be somebody's who was named."""
    any_of = partial(english().alternatives, "others")
    return re.compile(
        rf"(?:works?|worked) (?:{any_of('working')})\b"
        rf"|(?:{any_of('employed')}) (?:a new |the |an? )?(?:jobs?|school|university|college)\b"
        rf"|(?:plays?|played) (?:the )?(?:{any_of('played')})\b"
        rf"|drives (?:an?|the|to)\b|adopted (?:an?|two|three) (?:\w+ )?(?:{any_of('adopted')})"
        rf"|(?:has|had) (?:\w+ )?(?:\w+ )?(?:{any_of('household')})\b"
        rf"|(?:has|had|got) (?:a )?(?:{any_of('afflictions')})\b"
        rf"|became (?:an? )?(?:\w+ )?(?:{any_of('parenthood')})\b"
        r"|(?:is|was|turned|just turned|will be) (?:\d{1,3}|[a-z]+ years old)"
        r"(?: (?:now|today|yesterday|years old|(?:last|on|in|this) \w+))*[.!]?$"
        rf"|(?:is|was|got|just got) (?:{any_of('personal_states')})\b"
        r"|.*\b(?:his|her|herself|himself|he|she)\b"
    )


@lru_cache(maxsize=1)
def _pronoun() -> re.Pattern[str]:
    return re.compile(
        rf"^(?P<opening>(?:(?:{english().alternatives('others', 'before_pronoun')})\b,?\s+)*)"
        r"(?P<who>he|she)(?P<short>['’](?:s|d|ll))?\s+(?P<next>[\w'’-]+)",
        re.IGNORECASE,
    )


@lru_cache(maxsize=1)
def perfect() -> re.Pattern[str]:
    """After "he's" what makes it "he has"; "is" else."""
    return re.compile(f"(?:{english().alternatives('verbs', 'perfect')})$")


@lru_cache(maxsize=1)
def women() -> frozenset[str]:
    """The relations that "she" may mean and "he" never."""
    return english().words("relations", "women")


@lru_cache(maxsize=1)
def men() -> frozenset[str]:
    """The relations that "he" may mean and "she" never."""
    return english().words("relations", "men")


class Told(NamedTuple):
    """Of whom a line tells, and the line as they would say it."""

    name: str
    line: str


def about_another(
    line: str, speaker: str, known: Collection[str] = (), *, surely: bool = True, language: Language | None = None,
    anybody: bool = False,
) -> Told | None:  # fmt: skip
    """Whom a line is about, when it is about one other person by name alone. `known`: names of people (`people`).

    Any other name must do what people alone do, unless a guess will do (`surely=False`). That of a well-known firm or
    place is a person's only where they are known, or "her" tells it, or where `anybody` will do.
    """
    language = language or english()
    found = _begins(language).match(line.strip()) if language.claims else None
    if found is None and language.code == "en":
        found = _does(line.strip(), known)
    if found is None or line.rstrip().endswith("?") or {*tokens(line)} & _speakers(language):
        return None
    name, low = found["name"], found["name"].lower()
    if low in language.stop or low in language.words("others", "no_names") or low == speaker.lower():
        return None
    if low.endswith("ing"):
        return None
    did = line.strip()[found.start("verb") :]
    if not anybody and name not in known and not found["title"] and _is_no_person(low, did, language):
        return None
    if surely and name not in known and not _personal(found, did, language):
        return None
    return Told(name, f"{found['opening']}I {_of_oneself(did)}")


_OTHERWISE = {"is": "am", "has": "have", "does": "do", "isn't": "am not", "hasn't": "haven't", "doesn't": "don't"}
_HE_TOO = re.compile(
    r"(?P<joint>[.;,!] (?:and |but |so )?| (?:and|but|so) )(?:he|she)(?P<short>['’](?:s|d|ll))? (?P<next>[\w'’-]+)",
    re.I,
)


def _of_oneself(did: str) -> str:
    """What somebody does, with the verbs as they would say it of themself; "he" or "she" at the head of a clause is
    them too."""

    def again(found: re.Match[str]) -> str:
        short = (found["short"] or "")[1:]
        helped = {
            "": "",
            "s": "have " if perfect().match(found["next"].lower()) else "am ",
            "d": "would ",
            "ll": "will ",
        }[short]
        return f"{found['joint']}I {helped}{found['next'] if short else _first(found['next'])}"

    begun, gap, rest = did.partition(" ")
    joined = re.compile(rf"(?<= and )(?:{'|'.join(verbs().third)})(?= )")
    return _HE_TOO.sub(again, joined.sub(lambda verb: _first(verb[0]), f"{_first(begun)}{gap}{rest}"))


def _first(verb: str) -> str:
    """The form that goes with "I" of a verb in the third person; any other word as it is."""
    low, known = verb.lower().replace("’", "'"), verbs()
    if low in _OTHERWISE:
        return _OTHERWISE[low]
    bases = known.base | known.either | known.finite
    ends = ((f"{low[:-3]}y", "ies"), (low[:-2], "es"), (low[:-1], "s"))
    return next((base for base, ending in ends if low.endswith(ending) and base in bases), verb)


def _is_no_person(name: str, did: str, language: Language) -> bool:
    """Whether a name is known as that of a firm, a brand or a place, and nothing tells that somebody is called so."""
    listed = language.words("others", "firms") | language.words("others", "places")
    return name in listed and not _HIS.search(did)


_OF_OURS = re.compile(
    rf"\b(?P<who>(?:[Mm]y|[Oo]ur) (?:[a-z-]+ ){{1,2}}(?P<name>{_NAME}))(?= (?:is|has|was|[a-z]+s|[a-z]+ed)\b)"
)
"""Somebody of the speaker's by name, whatever they are to them: "my apprentice Anouk works"."""
_HIS = re.compile(r"\b(?:his|her|herself|himself|he|she)\b", re.IGNORECASE)


def _does(line: str, known: Collection[str]) -> re.Match[str] | None:
    """The beginning of a line that tells what somebody known does, by any verb: "Anton repairs accordions"."""
    found = _finds(r"[a-z]{3,}s", english()).match(line)
    if found is None or found["name"] not in known:
        return None
    bases, lists = {found["verb"][:-1], found["verb"][:-2], f"{found['verb'][:-3]}y"}, verbs()
    return found if bases & (lists.base | lists.either | lists.finite) else None


def people(facts: Iterable[tuple[str, str]], language: Language | None = None) -> set[str]:
    """The names that facts, each with its subject, tell of as people: subjects, and who is somebody's friend or kin."""
    language = language or english()
    relation = any_relation(language)
    if not relation:
        return {subject for subject, _ in facts}
    who = "|".join((rf"(?i:{relation}", *str(language.table("texting", "bare").get("many", "")).split())) + ")"
    some = rf"{_NAME}(?:(?:, and |, | and ){_NAME})*"
    title = rf"(?:(?:{'|'.join(language.listed('others', 'titles')) or '(?!)'})\.? )?"
    beside = re.compile(
        rf"\b{who}s?(?:,| is| are| was)?(?: (?i:named|called))? {title}({some})"
        rf"|\b({_NAME}),? (?:is|was) [\w'’]+ {who}\b"
    )
    found: set[str] = set()
    for subject, fact in facts:
        named = {one for pair in beside.findall(fact) for names in pair for one in re.findall(_NAME, names)}
        found |= {subject, *named}
    return found


def _personal(found: re.Match[str], did: str, language: Language) -> bool:
    verb = found["verb"]
    if not found["opening"] and verb not in language.words("others", "personal"):
        return False  # at the very beginning any word has a capital
    if found["title"] or verb in language.words("others", "people_only") or _of_a_person().match(did):
        return True
    work = re.match(r"(?:is|was|became) (?:an?|the) (?:\w+ )?([\w-]+)", did)
    return bool(work) and work[1].lower() in language.words("others", "workers")  # type: ignore[index]


def _speakers(language: Language) -> frozenset[str]:
    """Words for the speaker and for who is spoken to: a line with one of them is not about somebody else alone."""
    reflexive = frozenset({"myself", "ourselves", "ours", "yours", "yourself"})
    return (language.self_words | language.second_person) - reflexive


@lru_cache(maxsize=8)
def _begins(language: Language) -> re.Pattern[str]:
    verbs = "|".join([*language.listed("others", "personal"), "is", "was", "will", "just", "can", "now"])
    return _finds(verbs, language)


@lru_cache(maxsize=8)
def _finds(verbs: str, language: Language) -> re.Pattern[str]:
    """A line that begins with somebody's name, with a title or without, and one of the verbs."""
    titles = "|".join(language.listed("others", "titles")) or "(?!)"
    any_of = english().alternatives
    opening = (
        rf"(?:(?:{any_of('others', 'openings')}|since (?:last |this )?\w+|{any_of('dates', 'of_late')}"
        r"|(?:last|this|from|on) \w+(?: on)?)\b[,:!]?\s+)*"
    )
    return re.compile(
        rf"^(?P<opening>(?i:{opening}))(?P<name>(?:(?P<title>(?:{titles})\.?) )?{_NAME})\s+(?P<verb>{verbs})\b"
    )


def apart(
    line: str, speaker: str, known: Collection[str] = (), language: Language | None = None
) -> tuple[str, list[str]]:
    """What a line tells besides, and its clauses about others by name; a line of one kind alone stays whole, but of
    one about two others by turns the second is told apart."""
    clauses = [one for clause in parted(_CLAUSE, line) if clause for one in _by_name(clause.strip(), known) if one]
    told = {clause: about_another(clause, speaker, known, language=language) for clause in clauses}
    others = [clause for clause in clauses if told[clause]]
    rest = [clause for clause in clauses if clause not in others]
    if others and rest:
        return ". ".join(rest), others
    return (others[0], others[1:]) if len({one.name for one in told.values() if one}) > 1 else (line, [])


def _by_name(clause: str, known: Collection[str]) -> list[str]:
    """The clause cut before somebody known who does something: "Jarek bakes and Milosz fixes bikes"."""
    if not known:
        return [clause]
    who = "|".join(map(re.escape, known))
    cut = rf"(?:,|;|,? (?:and|but|while))\s+(?=(?:{who}) [a-z]{{2,}}(?:s|ed)?\b)"
    parts = re.split(cut, clause)
    return parts if all(len(part.split()) > 2 for part in parts) else [clause]


def named_again(line: str, before: str, speaker: str, known: Collection[str] = ()) -> str:
    """The line with who is meant in the place of the pronoun that it begins with; unchanged where that isn't plain.

    `before`: the speaker's line before it; `known`: names of people.
    """
    found = _pronoun().match(line)
    if found is None:
        return _thing_again(line, before)
    who = _told_of(before, found["who"].lower() == "she", speaker, known)
    if not who:
        return line
    verb = {"d": "would", "ll": "will", "s": "has" if perfect().match(found["next"].lower()) else "is"}
    short = f" {verb[found['short'][1:]]}" if found["short"] else ""
    return f"{found['opening']}{who}{short} {line[found.start('next') :]}"


_IT = re.compile(r"^(?:(?:and|but|also|so) )?it (?P<does>[a-z]+s)\b(?! (?:like|that|if|how|me|to)\b)", re.IGNORECASE)
_OUR_THING = re.compile(
    r"^(?:(?:and|but|so|oh|well|also),? )*(?P<thing>(?:my|our) (?:[a-z-]+ ){0,2}?[a-z-]+) "
    r"(?:(?:also|always|now|usually) )?(?:is|[a-z]+s)\b",
    re.IGNORECASE,
)


def _thing_again(line: str, before: str) -> str:
    """The line with what the line before told of in the place of the "it" that it begins with: "my train leaves at
    five", "it arrives at seven"."""
    found, told = _IT.match(line), _OUR_THING.match(before)
    if (
        not found
        or not told
        or found["does"].lower() in english().words("others", "impersonal")
        or before.rstrip().endswith("?")
    ):
        return line
    if relations(told["thing"]) or re.search(r"[A-Z]", told["thing"][1:]):
        return line
    return f"{told['thing'][:1].upper()}{told['thing'][1:]} {line[found.start('does') :]}"


def with_capitals(line: str, known: Collection[str] = ()) -> str:
    """A line in small letters, or one that is all in capitals, with capitals for the names in it alone; one that only
    begins small gets them for the names that are `known`. Other lines come back unchanged.

    Of "tadeo is allergic to cats" a small model makes a fact about the user. Names are what is `known` as one, stands
    after a word for somebody ("my niece ottilie plays chess") or after "called".
    """
    language, line = english(), calmed(line)
    if not re.match(r"\W*[a-z]|\W*I\b", line):
        return line
    people = {name.lower() for name in known if re.fullmatch(_NAME, name)}
    line = with_apostrophes(line, people, _with_s(language))
    found = people & {*tokens(line)}
    if not re.search(r"[A-Z]", line.replace("I", "")):
        found |= {name for names in _several(language).finditer(line) for name in _listed(names["names"], language)}
        found |= {match["name"] for match in _small_name(language).finditer(line) if _may_be_name(match, language)}
        found |= {*tokens(line.replace("'s", " "))} & language.words("given", "names")
    found -= language.stop
    names = rf"(?<![\w-])(?:{alternatives(found)})(?![\w-])"
    return re.sub(names, lambda name: name[0].capitalize(), line) if found else line


@lru_cache(maxsize=4)
def _with_s(language: Language) -> Behind:
    follows = frozenset(str(language.table("texting", "bare").get("thing", "")).split()) | verbs().past
    words = language.words("given", "with_s") | language.lexicon
    return Behind(follows, language.stop | verbs().third, words, words | language.words("given", "names"))


@lru_cache(maxsize=4)
def _several(language: Language) -> re.Pattern[str]:
    """Several people and what they are called: "flatmates are yusuf and dan", "3 girls, beth n lou"."""
    many = str(language.table("texting", "bare").get("many", "")).split()
    names = r"(?P<names>[a-z]+(?:, [a-z]+)*,? (?:and|n|&) [a-z]+)"
    return re.compile(
        rf"\b(?:{'|'.join(many)})(?:(?: are| r)?(?: called| named)|,|:| are| r) {names}\b" if many else r"(?!)"
    )


def _listed(names: str, language: Language) -> list[str]:
    """The words of a list that are no words of the language, as far as it is known."""
    return [one for one in re.findall(r"[a-z]{2,}", names) if one not in language.lexicon]


@lru_cache(maxsize=4)
def _small_name(language: Language) -> re.Pattern[str]:
    who = rf"{any_relation(language)}|{language.table('matters', 'lists').get('pets', 'dog|cat')}|ex"
    return re.compile(
        rf"\b(?:(?:my|our) (?:[a-z-]+ )?(?:{who})|(?P<called>called|named|name is|name's)),? "
        r"(?P<name>[a-z]{3,})\b(?: (?P<verb>[a-z']+))?"
    )


def _may_be_name(found: re.Match[str], language: Language) -> bool:
    """Whether a word after "my niece" is her name: a verb follows it that isn't one itself."""
    name, verb, known = found["name"], found["verb"] or "", verbs()
    words = known.verbish | known.past | known.base | known.either | known.adverbs
    listed = {*language.listed("others", "personal")} | language.relations.keys() | language.words("others", "no_names")
    if name in words | listed | language.stop or name.endswith(("ing", "ed", "ly")):
        return False
    turns = verb in known.third | known.past | {"is", "was", "has", "will", "can", "and"} | listed
    return bool(found["called"]) or turns or (len(verb) > 3 and verb.endswith("s") and not verb.endswith("ss"))


def _told_of(line: str, female: bool, speaker: str, known: Collection[str]) -> str:
    """The one person a line tells of, as it calls them; empty for none, for several, and for one who can't be meant."""
    if line.rstrip().endswith("?"):
        return ""
    kin = relations(line)
    if not kin:
        if named := _OF_OURS.search(line):
            return "" if _others(line, named["name"]) else named["who"]
        told = about_another(line, speaker, known, surely=not _HIS.search(line))
        return told.name if told and not _others(line, told.name) else ""
    found = list(_mention(english()).finditer(line))
    if len(kin) != 1 or len(found) != 1 or kin & (men() if female else women()):
        return ""
    name = found[0]["name"] or ""
    return "" if _others(line, name) else f"{found[0]['role']}{f' {name}' if name else ''}"


def _others(line: str, name: str) -> set[str]:
    """Names in a line but for one; a word that begins a sentence, a place and the speaker's own are none."""
    line = _not_meant().sub("", line)
    return {*re.findall(r"(?<=[a-z,;] )[A-Z][a-z]+", line)} - {*name.split()}


@lru_cache(maxsize=1)
def _not_meant() -> re.Pattern[str]:
    before = english().alternatives("others", "not_meant")
    return re.compile(
        rf"\b(?:{before}|[Ii]['’]?m|[Ii] am|name is|name['’]s|call me) (?:the )?[A-Z][\w'’-]*(?: [A-Z][\w'’-]*)*"
    )


@lru_cache(maxsize=4)
def _mention(language: Language) -> re.Pattern[str]:
    return re.compile(
        rf"\b(?P<role>(?:[Mm]y|[Oo]ur) (?:[a-z-]+ )?(?:{any_relation(language)}))\b(?!['’]s)"
        r"(?:,? (?:named |called |is called |is named )?(?P<name>[A-Z][a-z]+)\b)?"
    )
