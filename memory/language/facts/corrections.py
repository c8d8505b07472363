"""What a line says of a change: that something ended, is otherwise now, was wrong, or isn't sure at all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from ..kinship import relations
from ..language import Language, english
from ..points import letters as re
from ..points.abbreviated import hidden
from ..third_person import retold, verbs
from ..words import sentences, tokens
from .change_words import WHOLE, apart_again, as_one, not_them, other_side, said_before, was_before

_WORD = r"[\w’'-]+(?:[.,:]\d+)*"
_FEW = rf"{_WORD}(?: {_WORD}){{0,2}}?"
_THREE = rf"{_WORD}(?: {_WORD}){{0,2}}"
_IT_IS = r"(?:it['’]?s|it is|it was|that['’]?s)"
_SAID = r"(?:said|wrote|typed)"
_THEN = r"(?: before| earlier)?,?"
_SHOULD = r"(?:(?:it|that) )?should(?: have|['’]ve)? be(?:en)?"
_ONE_IS = r"(?:(?:he|she) is|(?:they|we) are|i(?:['’]m| am))"
_OR_IS = rf"(?:{_IT_IS}|{_ONE_IS}|(?:he|she|they)['’](?:s|re))"
_DENIED = re.compile(
    r"(?:^|['’ ])(?:am|is|are|was|were|be|been|do|does|did|has|have|had|will|would|can|could|m|s|re)$", re.IGNORECASE
)
"""How what stands before a "not" ends that denies a verb: "Lena is not a baker" puts Lena in nothing's place."""
_NOT = r"(?:\bnot|\b(?:is|are|was|were)n['’]t)"
_IS = frozenset({"is", "was", "are", "were", "has", "does", "did", "isn't", "will", "can"})
_CLEFT = re.compile(
    r"\b(?:it['’]s|it is|it was) (?:(?:my|our) )?(?:[a-z]+ ){0,2}(?P<right>[A-Z][\w-]*) (?:who|that)\b"
    r"[^.;!?]*?,? (?:and )?not (?P<wrong>[A-Z][\w-]*)"
    r"(?: (?:or|and) (?P<other>[A-Z][\w-]*))?(?=[.,;!?]|$)"
)
"""Who it is that did something, and who not: "it's Ida who went to Leeds, not Otto or Tom"."""
_YOU_HAVE = r"\byou (?:still )?(?:have|had|got|say|list|put) [\w'’ ]{2,40}?"
_SWAPS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_NOT} (?P<wrong>{_FEW}),? (?:but|{_IT_IS}|rather|he['’]?s|she['’]?s) (?P<right>{_THREE})",
        rf"\bnot (?P<wrong>an? {_FEW}),? {_ONE_IS} (?P<right>an? {_THREE})",
        rf"(?P<right>{_FEW}),? (?:and |but )?not (?P<wrong>{_THREE})\s*(?:[.!,;]|$)",
        rf"(?P<right>{_FEW}) (?:instead of|rather than) (?P<wrong>{_THREE})",
        rf"\bi {_SAID} (?P<wrong>{_FEW}){_THEN} (?:but )?(?:i meant|{_IT_IS}|{_SHOULD}) (?P<right>{_THREE})",
        rf"\bi {_SAID} [\w'’ ]{{2,40}}? (?:was|is|were|are) (?P<wrong>{_FEW}),? but {_OR_IS} (?P<right>{_THREE})",
        rf"^not (?P<wrong>{_FEW})[.;:] (?P<right>{_THREE})[.!]?$",
        rf"{_YOU_HAVE} (?:at|as) (?P<wrong>{_FEW})(?:,| -+| –|;|\.) (?:but )?{_IT_IS} (?P<right>{_FEW})(?=[,.;!]|$)",
    )
)
_IS_WRONG = re.compile(
    rf"^(?P<wrong>{_FEW}) (?:is|was|were) (?:wrong|not right|incorrect|(?:a|my) (?:typo|mistake))[,.;:] "
    rf"(?:(?:{_IT_IS}|{_ONE_IS}|(?:he|she|they|we)['’](?:s|re)|should be|i meant) )?(?:in |at |on |from |the )*"
    rf"(?P<right>{_THREE}?)(?: it is)?[.!]?$",
    re.IGNORECASE,
)
"""Of one kind with the right one: "Leeds was wrong, he's in Sheffield", not "the door was wrong, it's the blue one"."""
_ORDINAL = re.compile(r"first|second|third|[a-z]+th|\d+(?:st|nd|rd|th)", re.IGNORECASE)
_ASIDE = re.compile(
    r", (?:i should(?: have|['’]ve) said|i meant(?: to say)?|i mean|sorry|silly me),? ?(?=,|not\b|$)", re.I
)
"""What says in between that something was wrong: "I teach physics, I should have said, not chemistry"."""
_BY_THE_WAY = re.compile(r",? \b(?:by the way|btw)\b(?=,|\.|!|$| not\b)", re.IGNORECASE)
_TURNS_OUT = re.compile(r"^(?:it )?(?:turns|turned) out (?:that )?", re.IGNORECASE)
_FACES = re.compile(r"(?:^|\s+)[:;8=][-'^]?[()\[\]DPpoO/|*]+(?=\s|$)|\s*[\U0001F300-\U0001FAFF\u2600-\u27bf]\ufe0f?")
"""A face ends a sentence as a full stop does: "Ana moved out :( she got a job"."""
_INSTEAD = re.compile(r",? instead(?= |$)(?! of)", re.IGNORECASE)
_PERFECT = english().words("apart", "behind_has")
_PRONOUN = re.compile(r"\b(?:he|she|they|it)\b(?P<short>['’]s|['’]re)?", re.IGNORECASE)


@lru_cache(maxsize=1)
def _clause() -> re.Pattern[str]:
    begins = english().alternatives("words", "asking_clause")
    return re.compile(
        r"(?<=[.!?;])\s+|,\s+(?:(?:and|but|so|because|since)\s+)?(?=(?:i|he|she|they|we|it|my|our|his|her)\b|(?:i|he|she|we|it|they)['’])"
        r"|,\s+(?=(?:(?-i:[A-Z])[\w-]*|my [a-z-]+(?: (?-i:[A-Z])[\w-]*)?) and i\b)"
        r"|\s+(?:and|but|so)\s+(?=(?:i|he|she|they|we|my|our|his|her)\b)|\s+-+\s+"
        r"|(?:,\s+|\s+and\s+)(?:and )?(?=(?:got|bought|took up|adopted|found|started)\b[^,.;!?]*\binstead\b(?! of))"
        rf"|,\s+(?:and |but |so )?(?=(?:{begins})\b)",
        re.IGNORECASE,
    )


@lru_cache(maxsize=1)
def _lead() -> re.Pattern[str]:
    """What a clause is led in by: "sad news: ..."."""
    leads = english().alternatives("doing", "led_in_by")
    return re.compile(rf"^(?:(?:{leads})\b\s*[:,-]*\s+)+(?=[A-Za-z])", re.IGNORECASE)


@lru_cache(maxsize=1)
def _since() -> re.Pattern[str]:
    """Since when somebody does what is told of them: "since Monday Kinga works ..."."""
    when = english().alternatives("dates", "since_when")
    return re.compile(rf"^(?P<when>since (?:last |this |the )?\w+|{when}),? (?=(?P<name>[A-Z][\w-]+) )", re.IGNORECASE)


class Signals(NamedTuple):
    """What the words of a line (or of a fact) say of a change."""

    corrects: bool = False
    """That something told before was wrong."""
    changes: bool = False
    """That something is otherwise from now on, or only lately so."""
    ends: bool = False
    """That something is over."""
    adds: bool = False
    """That it comes to what there is."""
    maybe: bool = False
    """That it isn't so yet, or not surely."""
    passing: bool = False
    """That it is so for a few days only."""
    before: bool = False
    """That it was so at another time."""
    owns_up: bool = False
    """That the speaker told something wrong, surely: not by a "no" alone."""
    of_the_slip: bool = False
    """Of a fact: that it tells of such a slip itself."""

    @property
    def any_change(self) -> bool:
        return self.corrects or self.changes or self.ends


def signals(text: str) -> Signals:
    """What the words say."""
    return _signals(text.strip().lower().replace("’", "'"))


@lru_cache(maxsize=4096)
def _signals(low: str) -> Signals:
    return Signals(*(bool(pattern.search(low)) for pattern in _patterns()))


@lru_cache(maxsize=1)
def _patterns() -> tuple[re.Pattern[str], ...]:
    rules = english().table("matters", "change")
    return tuple(re.compile("|".join(rules[name])) for name in Signals._fields)


def swaps(line: str, language: Language | None = None) -> list[tuple[str, str]]:
    """What a line puts in the place of what: ("47", "74") for "it's 74, not 47". Each side without function words at
    its ends; pairs that share a word are none."""
    language = language or english()
    found, line = [], as_one(_ASIDE.sub(", ", _BY_THE_WAY.sub("", spoken := line.strip())))
    if language.claims and (cleft := _CLEFT.search(line)):
        return [(wrong, cleft["right"]) for wrong in (cleft["wrong"], cleft["other"]) if wrong]
    found += [*_moved(line), *was_before(line), *not_them(line)] if language.claims else []
    for pattern in (*_SWAPS, _IS_WRONG) if language.claims else ():
        for match in pattern.finditer(line):
            if match.start("right") < match.start("wrong") and _DENIED.search(match["right"]):
                continue
            if match.start("wrong") < match.start("right") and {*tokens(match["right"])} & _IS:
                continue  # "Lena isn't a baker but her sister is"
            wrong, right = (_bare(_WHO_DOES.split(match[side])[0], language) for side in ("wrong", "right"))
            if wrong and _NOT_HERE.search(line[: match.start("wrong")]) and _counted(wrong, right, language):
                right = _one_before(line[: match.start("wrong")], wrong, language)
            if wrong and match.start("right") < match.start("wrong"):
                right = _alike(right, wrong, language)
            elif right and " " in wrong and " " not in right:
                wrong = _alike(wrong, right, language) if _kind(right, language) else wrong
            wrong, right = _apart(wrong, _alone(right, wrong, language), language)
            right = (side := other_side(wrong, right, match["right"], language)) or right
            kinds = [_kind(side.split()[0], language) for side in (wrong, right) if side]
            if wrong.lower() in language.words("matters", "no_value") or (pattern is _IS_WRONG and not _same(kinds)):
                continue
            if len(kinds) == 2 and all(kinds) and kinds[0] != kinds[1] and "place" not in kinds:
                continue  # no day is put right by a name, no name by a month
            if re.search(r"n['’]t\b", match[0]) and " but " not in match[0] and not _same(kinds):
                continue  # "we weren't home in May, it was lovely"
            no_side = language.words("openings", "exclaimed") | language.words("openings", "only_no")
            if not side and ({*tokens(right)} <= no_side or _is_no_name(right, wrong, line)):
                continue  # "sorry, not Leeds": nobody works in "sorry"; "Colin drives the lorry, not our Susan"
            same = {*_figures(wrong)} & {*_figures(right)}
            if wrong and right and (not same or _of_one_month(wrong, right, language)):
                found.append((wrong, _of_what(right, wrong, language)))
    found = found or (said_before(line) if language.claims else [])
    return list(dict.fromkeys((apart_again(wrong, spoken), apart_again(right, spoken)) for wrong, right in found))


def _is_no_name(right: str, wrong: str, line: str) -> bool:
    """Whether a thing would stand in the place of a name, or kin in that of a place: it is denied whose it is then."""
    if relations(right) and not relations(wrong) and re.search(rf"\b(?:in|at|from|to) {re.escape(wrong)}\b", line):
        return True
    counts = right.split()[-1:] and right.split()[-1] in english().ordinals
    thing = not counts and right == right.lower() and re.search(rf"\b(?:the|an?|this|that) {re.escape(right)}\b", line)
    return bool(thing) and wrong[:1].isupper() and not relations(right) and not {*tokens(right)} & {*tokens(wrong)}


def _moved(line: str) -> list[tuple[str, str]]:
    """The one figure or day that was said, and the one in its place: "I said the 12th of May, but it was the 14th",
    "moved from the 9th to the 23rd of May"."""
    found = _SAID_BUT.search(line) or _FROM_TO.search(line)
    if (denied := _not_it_was().search(line)) and _same(
        [_kind(denied[side], english()) for side in ("wrong", "right")]
    ):
        return [(denied["wrong"], denied["right"])]
    sides = [_FIGURE.findall(found[side]) for side in ("wrong", "right")] if found else []
    if not all(len(side) == 1 for side in sides) or not sides:
        return []
    (was,), (now,) = sides
    bare = [_ORDINAL_END.sub("", one) for one in (was, now)]
    same = was[0].isdigit() == now[0].isdigit() and was.lower() != now.lower()
    return list(dict.fromkeys([(was, now), (bare[0], bare[1])])) if same else []


_SAID_BUT = re.compile(
    rf"\bi (?:{_SAID}|told you)\b(?P<wrong>[^.;!?]*?),? but (?:it|that)(?:['’]s| is| was| should be)\b"
    r"(?P<right>[^.;!?]*?\d{1,2}(?:st|nd|rd|th)?(?: of [A-Z][a-z]+)?)(?=\s*(?:[.,;!?]|$))",
    re.IGNORECASE,
)
"""The right figure stands alone: "I have 2 dogs, but they are 3 years old" puts nothing right."""
_FROM_TO = re.compile(
    r"\b(?:moved|postponed|put (?:off|back|forward)|brought forward|pushed back|rescheduled|shifted|changed|delayed)\b"
    r"[^.;!?]{0,40}?"
    r"\bfrom (?P<wrong>[^.;,!?]{1,25}?) to (?P<right>[^.;,!?]{1,25})",
    re.IGNORECASE,
)


@lru_cache(maxsize=1)
def _not_it_was() -> re.Pattern[str]:
    """ "We weren't there in May after all, it was June"."""
    value = rf"(?:{'|'.join([*sorted(english().month_names), *sorted(english().weekdays)])}|\d{{1,2}}(?:st|nd|rd|th)?)"
    return re.compile(
        rf"(?:n['’]t|\bnot)\b[^.;!?,]*?\b(?:in|on|at) (?:the )?(?P<wrong>{value})\b[^.;!?,\d]*[,;] (?:but )?"
        rf"(?:it|that) (?:was|is) (?:actually |really )?(?:(?:in|on|at) )?(?:the )?"
        rf"(?P<right>{value})(?=\s*(?:[.,;!?]|$))",
        re.IGNORECASE,
    )


_FIGURE = re.compile(
    r"\b(?:\d{1,2}(?:st|nd|rd|th)?|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b(?![:.]?\d| ?(?:am|pm)\b)",
    re.IGNORECASE,
)
_ORDINAL_END = re.compile(r"(?<=\d)(?:st|nd|rd|th)$")


def _of_one_month(wrong: str, right: str, language: Language) -> bool:
    """Whether both sides are a day of one month: "9 May", "19 May"."""
    sides = [side.split() for side in (wrong, right)]
    if not all(len(side) == 2 for side in sides) or wrong.lower() == right.lower():
        return False
    days, months = zip(*(sorted(side, key=lambda one: one.lower() in language.months) for side in sides), strict=True)
    return months[0].lower() == months[1].lower() in language.months and all(_DAY_OF.fullmatch(one) for one in days)


_DAY_OF = re.compile(r"\d{1,2}(?:st|nd|rd|th)?")


def _figures(side: str) -> list[str]:
    """The words of a side, "1,540" as one."""
    return tokens(re.sub(r"(?<=\d)[.,](?=\d)", "", side))


def _apart(wrong: str, right: str, language: Language) -> tuple[str, str]:
    """The sides without the words that both begin with, where numbers, days or names are left: "plot 37", "plot 73"."""
    left, other = wrong.split(), right.split()
    while left and other and left[0].lower() == other[0].lower():
        left, other = left[1:], other[1:]
    same = bool(left and other) and _same([_kind(left[0], language), _kind(other[0], language)])
    return (" ".join(left), " ".join(other)) if same else (wrong, right)


def _alone(right: str, wrong: str, language: Language) -> str:
    """A number in the place of another without where or when: "46" of "46 in January, not 45"."""
    found = _WHERE.match(right)
    same = found is not None and {_kind(found["value"], language), _kind(wrong, language)} == {"number"}
    return found["value"] if found and same and " " not in wrong else right


_WHO_DOES = re.compile(r" (?:who|that)\b(?= \w)")
"""Behind somebody what they did: "it was Ida who called, not Otto"."""
_WHERE = re.compile(r"(?P<value>\S+) (?:in|on|at|from|for|with|by) \S")


def _alike(words: str, other: str, language: Language) -> str:
    """Of the words before the wrong one those that are of its kind (a day, a number, a name), and what follows them."""
    before, kind = words.split(), _kind(other.split()[0], language)
    places = [at for at, word in enumerate(before) if _kind(word, language) == kind] if kind else []
    return " ".join(before[places[-1] :] if places else before[-len(other.split()) :])


def _counted(wrong: str, right: str, language: Language) -> bool:
    """Whether a figure, day or month is to be put right by words that hold none."""
    kind = _kind(wrong.split()[0], language)
    return kind not in ("", "name") and all(_kind(word, language) != kind for word in right.split())


def _one_before(text: str, wrong: str, language: Language) -> str:
    """The one figure, day or month of its kind in the clause before: "3,900 for the van now, not 3,200"."""
    before = _NOT_HERE.sub("", text)
    kind, clause = _kind(wrong.split()[0], language), re.split(r"[;!?]|[.,](?= )", before)[-1]
    found = [word for word in re.findall(_WORD, clause) if _kind(word, language) == kind]
    return found[0] if len(found) == 1 else ""


_NOT_HERE = re.compile(r"[ ,]+(?:(?:and|but) )?not (?:\w{1,3} ){0,2}$", re.IGNORECASE)


def _same(kinds: Sequence[str]) -> bool:
    return len(kinds) == 2 and bool(kinds[0]) and kinds[0] == kinds[1]


def _of_what(right: str, wrong: str, language: Language) -> str:
    """A number or a place in a row alone is of what the wrong one was of: "four" for "three cats" is four cats."""
    number, _, what = wrong.partition(" ")
    kind = _kind(right, language)
    counts = what and " " not in right and kind in ("number", "place") and kind == _kind(number, language)
    return f"{right} {what}" if counts else right


def _kind(word: str, language: Language) -> str:
    low = WHOLE.sub("", word.lower().strip(".,"))
    low = low.removesuffix("s") if low.removesuffix("s") in language.weekdays else low
    known = {"day": language.weekdays, "month": language.months, "number": language.numbers}
    named = next((name for name, words in known.items() if low in words), "")
    if not named and _ORDINAL.fullmatch(low):
        return "place"
    return named or ("number" if low[:1].isdigit() else "name" if word[:1].isupper() else "")


def _bare(words: str, language: Language) -> str:
    rest = [word.strip(" ,.!;:") for word in words.split()]
    idle = language.stop | language.negations
    while rest and rest[0].lower().replace("’", "'") in idle | {"it's", "actually", "it", "no", "meant"}:
        rest.pop(0)
    while rest and rest[-1].lower() in idle | {"actually", "really", "though"}:
        rest.pop()
    return " ".join(rest)


def clauses(line: str) -> list[str]:
    """The clauses of a line that have a subject of their own."""
    found: list[str] = []
    for whole in sentences(_FACES.sub(". ", line)):
        rest = whole
        while cut := next((one for one in _clause().finditer(hidden(rest)) if _cuts(rest, one)), None):
            found.append(rest[: cut.start()])
            rest = rest[cut.end() :]
        found.append(rest)
    return [part for piece in found if (part := piece.strip(" ,-"))]


def _cuts(rest: str, cut: re.Match[str]) -> bool:
    """Whether a clause ends there: a verb stands before, and be it that of "I've given up bridge, Ida and I meet"."""
    before = rest[: cut.start()]
    return _tells(before) or bool(_WITH_I.match(rest[cut.end() :]) and re.search(r"\w['’](?:ve|m|re|ll) ", before))


_WITH_I = re.compile(r"(?:[A-Z][\w-]*|[Mm]y [a-z-]+(?: [A-Z][\w-]*)?) and [iI]\b")


def _tells(text: str) -> bool:
    """Whether a verb stands in it: "Tom" before "and I split up" is no clause."""
    known, words = verbs(), tokens(text)
    some = known.verbish | known.past | known.base | known.either | known.third
    return any(word in some or (len(word) > 3 and word.endswith(("ed", "ing", "s"))) for word in words)


_BY_NAME = re.compile(r"(?:(?:[Aa]nd|[Bb]ut|[Ss]o) )?(?P<name>[A-Z][\w-]*\w)(?=['’]s\b| [a-z])")
"""Somebody or something by name, of whom the next clause may go on."""


@lru_cache(maxsize=1)
def _idle() -> frozenset[str]:
    known = english()
    return known.stop | known.calendar


def clause_facts(line: str, speaker: str, people: frozenset[str] = frozenset()) -> Iterator[str]:
    """What the line tells, clause by clause, in the third person and in its own words; clauses that can't stand alone
    are left out. "He" and "she" are whoever the line names, if that is one.

    `people`: names in the line that are surely people's or pets'.
    """
    alone = len(people) == 1
    for clause in clauses(line):
        if clause.endswith("?"):
            continue
        clause = _lead().sub("", _TURNS_OUT.sub("", clause))
        if (first := tokens(clause)[:1]) and first[0] in verbs().past - {"was", "were", "had", "did"}:
            clause = f"I {clause[:1].lower()}{clause[1:]}"
        if (since := _since().match(clause)) and since["name"] in people:
            dated = f" {since['when'][:1].lower()}{since['when'][1:]}" if " " in since["when"] else ""
            clause = f"{_INSTEAD.sub('', clause[since.end() :].rstrip(' .!'))}{dated}"
        another = _BY_NAME.match(clause)
        alone = alone and (another is None or another["name"] in people or another["name"].lower() in _idle())
        if alone and (begins := _PRONOUN.match(clause)):
            rest, short = clause[begins.end() :], begins["short"]
            has = short and (tokens(rest)[:1] or [""])[0] in _PERFECT
            clause = f"{next(iter(people))}{' has' if has else ' is' if short else ''}{rest}"
        told = retold(clause, speaker) or (clause if any(clause.startswith(f"{one} ") for one in people) else None)
        if told:
            yield told if told[-1] in ".!?" else f"{told}."
