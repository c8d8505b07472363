"""What a fact took from a clause that isn't its own (days, names), or leaves to a word that nobody will understand.

A small model mixes the clauses of a line: of "Femke quit, she goes back to college in January" it makes that she quit
in January, of "Pasha flew over with my dad" a father called Pasha.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from ....memory.language.dates import find_dates
from ....memory.language.facts.change_words import stands
from ....memory.language.kinship import pattern, pets, plainly_related, relations
from ....memory.language.language import english
from ....memory.language.points import letters as re
from ....memory.language.third_person import so_many, verbs
from ....memory.language.told.numbered import counts_another
from ....memory.language.words import stem, terms, tokens
from ...prompts.draft import ANY_DAY, Close, Entry
from .fidelity import alike
from .scene import Scene

_PIECES = re.compile(
    rf"[,;:.!?–—]+\s+|\s+-\s+|\s+(?=(?:{'|'.join(english().listed('words', 'joining'))})\b)", re.IGNORECASE
)
_NAME = r"[A-Z][\w'’-]*\w"
_CALLED = re.compile(rf"(?P<what>[a-z][\w-]*)(?:['’]s name is| (?:is |are |was )?(?:called|named)) (?P<name>{_NAME})")
_AGED = re.compile(r"(?P<who>.+?) is (?P<age>\d{1,2})(?: years old)?\.?")
_MINE = frozenset({"i", "i'm", "im", "me", "he", "she", "he's", "she's", "hes", "shes", "it", "they", "we"})
_TELLING = re.compile(rf"\b(?:{english().alternatives('doing', 'of_the_telling')})\b", re.IGNORECASE)
_POINTS = re.compile(
    rf"(?:(?:{'|'.join(sorted(verbs().adverbs))}) )*[a-z]+ (?:(?:on|with|to|at|in|about|of|for|from|by) )?"
    rf"(?:{'|'.join(english().listed('words', 'pointing_at'))})"
    rf"(?: (?:{'|'.join(sorted(english().stop | verbs().adverbs))})){{0,2}}\W*$"
)
"""Somebody who does something with "it", and no more: "always mixes that up"."""


def in_its_day(entry: Entry, scene: Scene) -> Entry:
    """The entry without a day that a clause of the line with a subject of its own tells of something else, and with a
    year that is none of a place."""
    if isinstance(entry, Close) or not entry.fact:
        return entry
    fact, when = _in_its_year(entry.fact, scene.line.text), entry.when
    for words in _days_of_others(f"{fact} {when or ''}", scene):
        fact, when = _undated(fact, words), None if when and when.lower() == words.lower() else when
    return replace(entry, fact=fact, when=when)


def _in_its_year(fact: str, line: str) -> str:
    """The fact with a year as the line tells it: "moved to 1994" of "I moved here in 1994", or of "it was 1994"."""
    found = _TO_YEAR.search(fact)
    if found is None or found[0] in line or found["year"] not in line:
        return fact
    said = re.search(rf"\b(?:(?:here|there|back|home|out) )?in {found['year']}\b", line)
    here = re.search(r"\bmoved (here|there|back|home|out)\b", line)
    now = said[0] if said else f"{here[1]} in {found['year']}" if here else f"in {found['year']}"
    return f"{fact[: found.start()]}{now}{fact[found.end() :]}"


_TO_YEAR = re.compile(r"\bto (?P<year>(?:19|20)\d\d)\b")


def _days_of_others(fact: str, scene: Scene) -> Iterator[str]:
    line, speaker = scene.line.text, {*terms(scene.line.speaker), "user"}
    for words in dict.fromkeys(one for one, _ in find_dates(line, ANY_DAY)):
        if words.lower() not in fact.lower() or line.count(words) > 1:
            continue
        pieces = [one for one in _PIECES.split(line) if one]
        near = next((one for one in pieces if words in one), "")
        own = {*terms(near)} - {*terms(words)}
        who = re.match(rf"\W*(?:(?:and|but|so) )?(?P<name>{_NAME}) ", near)
        about = {*terms(fact)} - {*terms(words)} - speaker - {*terms(who["name"] if who else "")}
        if _has_subject(near) and own and about and not own & about and about & {*terms(line)}:
            yield words


def _undated(fact: str, words: str) -> str:
    rest = re.sub(rf",? (?:(?:on|in|at|by|since|from) )?{re.escape(words)}(?=\W|$)", "", fact, flags=re.IGNORECASE)
    return rest if rest.rstrip(" .!")[-1:] and not _BARE_IS.search(rest) else fact


_BARE_IS = re.compile(r"\b(?:is|are|was|were|['’]s)(?=[,.;]|$)")


def named_after_another(fact: str, scene: Scene) -> bool:
    """Whether a fact gives somebody or something the name that another has, as what was said or is known tells."""
    found = _CALLED.search(fact)
    if found is None:
        return False
    texts = [scene.line.text, *(said for _, said in scene.before), *scene.told()]
    what, name = _kind(found["what"]), re.escape(found["name"])
    tied = re.compile(
        rf"(?:(?P<of>[a-z][\w-]*)(?:,(?= {name} (?!is\b|was\b|has\b)))? (?:(?:is|was|called|named|again)[ ,:]+)*"
        rf"{name}\b(?!['’]s)"
        rf"|\b{name},?(?: is| was|['’]s|,) (?:(?:just|only|now|also|actually|really) )*"
        r"(?:my|our|his|her|their|an?|the) (?:[\w-]+ )?(?P<is>[a-z][\w-]*))"
    )
    kinds = {_kind(one["of"] or one["is"]) for text in texts for one in tied.finditer(text)} & _living()
    return bool(kinds) and what in _living() - kinds


def of_another_age(fact: str, scene: Scene) -> bool:
    """Whether the line tells an age of whom it names last before it, and that is somebody else: of "my mum and my
    little brother Kit, who's 11" that the mother is 11, or of "we are 10" that the speaker is."""
    found, line, speaker = _AGED.fullmatch(alike(fact)), scene.line.text, scene.line.speaker
    if found and found["age"] in {alike(one["number"]) for one in so_many().finditer(line)}:
        return True
    at = [one.start() for one in re.finditer(rf"(?<![\w.,]){found['age']}(?![\w%.,:]\d|\w)", line)] if found else []
    if found is None or len(at) != 1:
        return False
    before, mine = re.split(r"[.!?] ", line[: at[0]])[-1], found["who"] in (speaker, "User")
    told = {_kind(one) for one in tokens(found["who"]) if len(one) > 1}
    near = [one[0] for one in _somebody().finditer(before) if one[0].lower() not in english().stop - _MINE]
    who = near[-1] if near else ""
    behind = {_kind(one) for one in tokens(before[before.rfind(who) :])}
    return bool(who) and who.lower() not in _MINE and not told & behind and not (mine and not relations(who))


def miscounted(fact: str, scene: Scene) -> bool:
    """Whether a fact has a number that the line says of something else: "has six kids" of "six left. Then I see my
    kids", "is 3480" of "she's here, 3480 g"."""
    return counts_another(fact, scene.line.text) or _of_another_measure(fact, scene)


def _of_another_measure(fact: str, scene: Scene) -> bool:
    """Whether a fact gives the speaker a measure that the line gives somebody else, or makes an age of one: of "she's
    here, 3480 g" that Ana is 3480."""
    found, line = _MEASURED.fullmatch(fact), scene.line.text
    if found is None or found["who"] not in (scene.line.speaker, "User"):
        return False
    said = re.search(rf"(?<![\w.,]){re.escape(found['number'])} ?(?P<unit>{_UNIT})(?![\w'’])", line)
    if said is None or said["unit"] in english().stop:
        return False
    mine = [one for one in tokens(line[: said.start()]) if one in _MINE]
    return not found["unit"] or (bool(mine) and mine[-1] not in english().self_words)


_UNIT = r"[a-zµ%]{1,3}|grams|kilos|pounds|litres|metres"
_MEASURED = re.compile(
    rf"(?P<who>[A-Z][\w-]*) (?:is|weighs) (?P<number>\d[\d.,]*\d|\d)(?P<unit> ?(?:{_UNIT}))?(?: \w+)?\.?"
)


def as_helped(fact: str, scene: Scene) -> str:
    """The fact with the words that help its verb as the line has them: "has to" and no "wants to", "have", no "are"."""
    return _as_done(_as_obliged(fact, scene), scene)


def _as_obliged(fact: str, scene: Scene) -> str:
    """The fact with "has to" in the place of "wants to", where the line says just that: of "I have to be an astronaut
    for the dressing-up day"."""
    found = _WISHED.match(fact)
    line = scene.line.text
    if found is None or not re.search(rf"\b{_must()} (?:\w+ )?{found['does']}\b", line, re.IGNORECASE):
        return fact
    return fact if stands("wishing", line) else f"{found['who']} has to {fact[found.start('does') :]}"


def _as_done(fact: str, scene: Scene) -> str:
    """The fact with "have" in the place of "are", where the line has that before the verb and of the same one: of "Leo
    and I have booked a cruise" a small model makes that the two are booked a cruise."""

    def told(found: re.Match[str]) -> str:
        who = [word for word in re.findall(r"[\w’'-]+", fact[: found.start()]) if word != "and"]
        mine = scene.line.speaker in who or who[:1] == ["User"]
        one = r"\b(?:I|[Ww]e)" if mine else rf"\b{re.escape(who[-1])}" if who else "(?!)"
        has = rf"{one}(?: have| has|['’]ve|['’]s) (?:[a-z]+ly |just |now |already )?{found['done']}\b"
        have = "has" if found["be"] == "is" else "have"
        return f"{have} {found['done']}" if re.search(has, scene.line.text) else found[0]

    return _IS_DONE.sub(told, fact)


_IS_DONE = re.compile(r"\b(?P<be>is|are) (?P<done>[a-z]{2,}(?:ed|en))(?= (?:an?|the|two|three|their|some|\d+) )")
"""With what is done behind it, so that it is none that is done to them."""
_WISHED = re.compile(r"(?P<who>[A-Z][\w-]*) (?:wants|hopes|wishes|plans|would like) to (?P<does>[a-z]+)")


@lru_cache(maxsize=1)
def _must() -> str:
    return f"(?:{'|'.join(english().table('matters', 'change')['must'])})"


def of_its_age(fact: str, scene: Scene) -> str:
    """The age of the one who has it, where a fact gives it to two of whom the line tells two: "Leo and Ada are 4"."""
    found = _BOTH_AGED.fullmatch(fact)
    ages = {one["who"]: one["age"] for one in _AGED_BY_NAME.finditer(scene.line.text)}
    two = [found["one"], found["other"]] if found else []
    who = [one for one in two if found and ages.get(one) == found["age"]]
    return f"{who[0]} is {ages[who[0]]}." if len(who) == 1 and len({ages.get(one) for one in two}) > 1 else fact


_BOTH_AGED = re.compile(
    rf"(?:.* )?(?P<one>{_NAME}) and (?P<other>{_NAME}) (?:is|are) (?P<age>\d{{1,2}})(?: years old)?\.?"
)
_AGED_BY_NAME = re.compile(rf"\b(?P<who>{_NAME})(?: is|['’]s|,)? (?P<age>\d{{1,2}})\b(?![.:]\d)")


@lru_cache(maxsize=1)
def _somebody() -> re.Pattern[str]:
    """Somebody of the speaker's, somebody by name, or the speaker."""
    return re.compile(rf"\b(?:(?i:{pattern(english())})|{_NAME}|(?i:{'|'.join(sorted(_MINE))}))\b")


def points_only(fact: str, scene: Scene) -> bool:
    """Whether a fact tells no more than what somebody does with "it" or "that": nobody will know what it was."""
    begins = re.match(rf"(?:{re.escape(scene.line.speaker)}|User) (?=[a-z])", fact)
    return begins is not None and _POINTS.match(fact, begins.end()) is not None


def without_the_telling(fact: str, scene: Scene) -> str | None:
    """The fact without what it says of its being told ("Ana must correct herself, the wedding is on the 19th"); None:
    it says nothing else."""
    if not _TELLING.search(fact):
        return fact
    left = [piece for piece in re.split(r"[,:;] (?:and |but |so )?", fact) if not _TELLING.search(piece)]
    rest = ", ".join(left).strip()
    return f"{rest[:1].upper()}{rest[1:]}" if {*terms(rest)} - {*terms(scene.line.speaker), "user"} else None


def me_for_her(fact: str, scene: Scene) -> str:
    """The fact with the speaker in the place of "her" or "them" where the line says "me" or "us": "she'll join me in
    June"; who moves to us moves to where the speaker lives."""
    speaker, line = scene.line.speaker, scene.line.text.lower()
    if both := re.search(rf"\b({_NAME}) and I\b", scene.line.text):  # "Ida and I" isn't "Ana and I"
        fact = re.sub(rf"\b(?:{re.escape(speaker)}|User|{both[1]}) and I\b", f"{both[1]} and {speaker}", fact)
    mine, theirs = (
        {stem(one) for one in re.findall(rf"\b([\w'’]+) {who}\b", line)} for who in ("(?:me|us)", "(?:her|him|them)")
    )

    def told(found: re.Match[str]) -> str:
        does = stem(found["does"].lower())
        there = f"{speaker}'s place" if _MOVING.search(fact[: found.end("does")]) else speaker
        return f"{found['does']} {there}" if does in mine - theirs else found[0]

    return _OBJECT.sub(told, fact) if mine else fact


_MOVING = re.compile(r"\bmov(?:e|es|ed|ing)(?: (?:back|over|down|up))? to$")


_OBJECT = re.compile(
    r"\b(?P<does>[\w'’]+) (?:(?:him|them)\b(?!sel)|(?:me|us)\b"
    rf"|her\b(?=\W*$|[,.;]| (?:{'|'.join(sorted(english().stop))})\b))"
)
"""What somebody does to her, and not to somebody of hers."""


def _kind(word: str) -> str:
    return stem(plainly_related(word.lower()))


@lru_cache(maxsize=1)
def _living() -> frozenset[str]:
    """Words for people and animals of somebody's."""
    return frozenset(_kind(one) for one in (*english().relations, *pets()))


def _has_subject(piece: str) -> bool:
    """Whether a clause has a subject of its own that is somebody."""
    words = [word for word in tokens(piece.replace("’", "'")) if word not in english().words("words", "joining")]
    first = words[0] if words else ""
    somebody = english().self_words | {"he", "she", "they"} | {f"{one}'{end}" for one in _WHO for end in _SHORT}
    return first in somebody or bool(re.match(rf"\W*(?:(?:and|but|so) )?{_NAME}['’]?s? [a-z]", piece))


_WHO, _SHORT = ("i", "he", "she", "we", "they"), ("s", "m", "re", "ll", "d", "ve")


_CALLED_ITSELF = re.compile(
    r"(?P<lead>(?:.*? )?)(?P<name>[A-Z][\w’'-]*) is (?:called |named )?(?P<again>[\w’'-]+)(?:,? and)?(?P<rest>\b.*|)$"
)
_IN_ITSELF = re.compile(r"(?P<name>[A-Z][\w-]+) (?:lives|works|studies|is|was|comes) (?:in|at|from|to) (?P=name)\b")


_NOBODY = re.compile(rf"{_NAME} (?:is|was) not {_NAME}(?:,? (?:or|and) {_NAME})*\.?")


def of_itself(fact: str) -> str | None:
    """The fact without its saying of somebody that they are they ("Meera is called Meera and does dentistry"), with
    what that tells of who it is ("Ana's sister Rut is called Rut"); None where nothing is left ("Graz is in Graz")."""
    if _IN_ITSELF.match(fact) or _NOBODY.fullmatch(fact):
        return None
    found = _CALLED_ITSELF.match(fact)
    if found is None or found["again"].lower() != found["name"].lower():
        return fact
    lead, rest = found["lead"].strip(), found["rest"].strip(" ,.")
    if lead:
        return f"{lead} is called {found['name']}{found['rest']}" if re.search("['’]s?\\b", lead) else fact
    if not rest:
        return None
    known = verbs()
    says = rest.split()[0].lower() in known.third | known.past | {"is", "was", "has", "does"}
    return f"{found['name']} {'' if says else 'is '}{rest}."
