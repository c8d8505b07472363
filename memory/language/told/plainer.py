"""A line as a small model reads it best: with its apostrophes, and who somebody is apart from their name.

English; the line that is kept stays as it was typed.
"""

from __future__ import annotations

from functools import lru_cache

from ..about_others import men, perfect, women
from ..language import english
from ..leaning.diary import entry
from ..leaning.dropped import counts
from ..points import letters as re
from ..third_person import verbs
from ..typed.contracted import spelled_out
from ..typed.learner import as_learned
from ..typed.opened import opened
from ..typed.repaired import repaired
from ..typed.texting import typed_out
from ..words import alternatives
from .together import parted_ways, told_of_one
from .trades import is_trade

_RUN_ON = re.compile(r"(?P<before>[\w'’]+) (?=(?:he's|she's|they're) (?:an?|the|my|so|in|from|at|\d)\b)")
_OTHER_HAND = re.compile(r"\bI,? on the other hand,? ", re.IGNORECASE)
_NAME_IS = re.compile(
    r"(?P<who>\b(?:[Mm]y|[Oo]ur) (?!(?:first|last|full|real|middle)\b)(?:[\w-]+ )?[a-z-]+)['’]s name is "
    rf"(?=[A-Z]|(?!(?:{'|'.join(sorted(english().stop))}|missing|spelled|spelt|down)\b)[a-z])"
)
_NAMED_ON = re.compile(
    r"^(?P<am>i['’]m [\w-]{3,}) (?=i (?!think\b|guess\b|mean\b|swear\b|hope\b|suppose\b|know\b|feel\b)[a-z]+ )",
    re.IGNORECASE,
)
"""Who one is, and on without a stop: "im tomasz i study geology"."""
_AND_NOT_THEM = re.compile(r",? (?:and )?not [\w-]+(?: (?:or|and) [\w-]+)?[.!]?$", re.IGNORECASE)
"""Whom it wasn't, which `swaps` puts right: "it's Ida who went to Leeds, not Otto"."""
_WHERE = re.compile(r"(?P<before>\b(?:I|we)\b[^.;!?]*), where (?P<does>(?:I|we) [^,.;!?]+)(?=[.;!?]|$)", re.IGNORECASE)
"""Two matters in one sentence: "I live in Nakuru, where I keep two tortoises"."""
_WE_ALL = re.compile(r"\b(?P<we>[Ww]e) all(?= (?!of\b|three\b|four\b|five\b|six\b)[a-z])")
"""Of whom a third person makes "alls": "we all go to the match"."""
_REPORTED = re.compile(
    r"(?P<reached>\b(?:rang|phoned|called|texted|messaged|emailed|wrote|rung|skyped|facetimed)(?: me| us)?(?: up)?"
    r"(?: just now| (?:last|this|on) \w+| yesterday| today| earlier)?)(?:,? (?:to (?:say|(?:tell|inform) (?:me|us)"
    r"|let (?:me|us) know)|saying)(?: that)?|:) (?=(?:s?he|they)(?:['’](?:s|d|ve|re|ll))? )",
    re.IGNORECASE,
)
"""Before what somebody tells of themself: "Ines rang to say she's engaged"."""
_PRONOUN = re.compile(
    r"(?P<joint>[.;,!] (?:and |but |so )?| and | but )(?P<who>he|she)(?P<short>['’](?:s|d|ll))? (?P<next>[\w'’-]+)",
    re.I,
)
_NAME = r"[A-Za-z][\w'’-]*(?: [A-Z][\w'’-]*)?"
_IS_MINE = re.compile(r"\b(?P<name>[A-Z][\w-]*[a-z]) (?:is|was) (?:also |still |now )?$")
"""Before who somebody is to the speaker: "Dale is my partner"."""
_AM = re.compile(
    r"(?P<begin>^|[.!?] |, )(?P<am>(?:i['’]m|i am|my name is|my name['’]s|call me|this is) "
    rf"(?P<name>{_NAME})(?: (?:here|speaking))?|(?P<here>(?-i:[A-Z][\w'’-]*)) here"
    r"|(?:(?P<hello>hi|hello|hey|hiya) )?(?P<low>[a-z]{2,}) here(?=, (?:(?:aged? )?[1-9]\d,"
    r"|(?:in )?(?:my )?(?:[1-9](?:st|nd|rd|th)|first|second|third|fourth|final|last) year\b))"
    r"|(?P<bare>(?-i:[A-Z][\w'’-]*))(?=, (?:aged? )?[1-9]\d,))"
    r"(?P<rest>(?:, (?!and\b|but\b|i\b|i['’]|my (?!birthday\b)|we\b|nice\b|how\b|what\b"
    r"|not (?:(?:an?|the|my|our|in|at|on|to|from|for|with|as)\b|(?-i:[A-Z])))[^,.;!?]{2,60}){1,5})"
    r"(?=[.;!?]|,| and |$)",
    re.IGNORECASE,
)
_AGE = re.compile(r"(?:aged? )?(?P<age>[1-9]\d)(?: years old)?")
_GREETED = re.compile(
    r"(?:hi|hello|hey|hiya|good (?:morning|evening|afternoon))(?: (?:there|all|everyone))?", re.IGNORECASE
)
_BORN = re.compile(r"(?:my )?(?P<what>birthday|born)(?: is| on| the)* (?P<when>.*\w)", re.IGNORECASE)
_STATE = re.compile(
    r"(?:(?:newly|happily|just|still) )?(?:married|single|divorced|widowed|engaged|separated)"
    r"(?: (?:to|with|for|since|and|again)\b.*)?",
    re.IGNORECASE,
)
_OWN = re.compile(rf"(?:{'|'.join(sorted(english().words('apart', 'own')))}) (?!me\b|to\b|it\b).+", re.IGNORECASE)
_FROM = re.compile(r"(?:originally )?(?:from|based in|living in|born in) .+", re.IGNORECASE)
_DOING = re.compile(r"(?:doing|studying|working|living|training|teaching|running|reading) \w.+", re.IGNORECASE)
_DOING_ANY = re.compile(
    rf"(?!(?:{'|'.join(sorted(english().words('names', 'not_doing')))})\b)[a-z]{{2,}}ing "
    r"(?!to (?:ask|say|tell|see|you|know)\b)\w.+",
    re.IGNORECASE,
)
"""Of who tells their age or greets: "im tom, 31, fixing bikes in leeds"."""
_YEAR = re.compile(
    r"(?:in )?(?:my )?(?P<year>(?:[1-9](?:st|nd|rd|th)|first|second|third|fourth|final|last)) year"
    r"(?P<of> (?:of|in|at) [\w' -]{3,40})?"
)
_NOT_BUT = re.compile(
    r"\bnot (?P<begin>an?|the|my|our|his|her|in|at|on|to|from|for|with) (?:[\w'’-]+ ){0,2}?[\w'’-]+,? but (?:rather )?"
    r"(?P<right>(?P<again>an?|the|my|our|his|her|in|at|on|to|from|for|with)(?: [\w'’-]+){1,4})(?=\s*(?:[.,;!?]|$))",
    re.IGNORECASE,
)
"""Both sides begin alike, and the right one is no clause: "I'm not a fan but a friend is" denies what it denies."""
_CLEFT = re.compile(
    r"\b[Ii]t(?:['’]s| is| was) (?P<who>(?:my|our) (?:[a-z][\w-]* ){0,2}?[a-z][\w-]*(?: [A-Z][\w-]+)?"
    r"|[A-Z][\w-]+(?: [A-Z][\w-]+)?),? (?:who|that)(?:(?P<is>['’]s)| (?=[a-z])"
    r"(?!(?:i|we|you|he|she|they|it|my|our|his|her|their|the|an?)\b)) ?"
)
"""Who it is that does something: "it's Priya who's coming" is "Priya is coming"."""
_BIRTHDAY = re.compile(
    r"(?P<begin>^|[.!?] |, |\b(?:and|but|so) )(?:(?:it|that)(?: (?=is|was|will)|['’](?=s))(?P<it>is|was|will be|s) )?"
    r"(?P<who>(?:my|our)(?: [\w-]+){1,3}['’]s|my|(?-i:[A-Z])[\w-]+['’]s) (?P<age>[1-9]\d{0,2})(?:st|nd|rd|th) birthday"
    rf"(?P<be> (?:is|was|will be))? (?P<when>(?:{english().alternatives('dates', 'after_birthday')})\b)",
    re.IGNORECASE,
)
_HAD_BIRTHDAY = re.compile(
    r"\b(?P<who>(?:[Mm]y|[Oo]ur) [\w-]+(?: [A-Z][\w-]*)?|[A-Z][\w-]*)(?: has)?(?: just)? (?:had|celebrated) "
    r"(?:his|her|my|their)(?: own)? (?P<age>[1-9]\d{0,2})(?:st|nd|rd|th) birthday\b"
    r"(?! (?:party|cake|do|dinner|meal|lunch|tea|bash))"
)
_ALIKE = {"an": "a", "our": "my", "his": "my", "her": "my"}


@lru_cache(maxsize=1)
def _shortened() -> re.Pattern[str]:
    return re.compile(
        rf"(?<![\w'’.-])(?:{'|'.join(english().table('texting', 'apostrophes'))})(?![\w'’-])", re.IGNORECASE
    )


@lru_cache(maxsize=1)
def _joins() -> frozenset[str]:
    return english().words("words", "joins")


@lru_cache(maxsize=1)
def _else() -> re.Pattern[str]:
    who = english().alternatives("relations", "of_others")
    return re.compile(rf"\b(?:you|your|his|her) (?:[a-z]+ )?(?:{who})\b", re.I)


@lru_cache(maxsize=1)
def _kin() -> re.Pattern[str]:
    who = english().alternatives("relations", "introduced")
    return re.compile(rf"(?:(?:an?|the|proud|single|young|new|stay-at-home) )*(?:{who})\b", re.IGNORECASE)


def plainer(line: str) -> str:
    """The line with abbreviations read out and apostrophes put back, without what only leads up to it or speaks to the
    listener, an introduction and what is done where one lives in sentences of their own, and what the speaker does with
    somebody told of the speaker."""
    line = _REPORTED.sub(r"\g<reached>, ", repaired(_WE_ALL.sub(r"\g<we>", line)))
    told = unframed(_unsure(_aside().sub("", as_learned(opened(spelled(entry(spelled_out(typed_out(line)))))))))
    told = _born_on().sub(r"\g<begin>my birthday is ", _NAME_IS.sub(r"\g<who> is called ", told))
    told = _NAMED_ON.sub(r"\g<am>. ", _OTHER_HAND.sub("I ", told))
    told = told if told.rstrip().endswith("?") or _AND_NOT_THEM.search(told) else _CLEFT.sub(_uncleft, told)
    parted = _RUN_ON.sub(
        lambda found: found[0] if found["before"].lower() in _joins() else f"{found['before']}. ",
        told_of_one(parted_ways(_WHERE.sub(r"\g<before>. \g<does> there", told))),
    )
    parted = _HAD_BIRTHDAY.sub(r"\g<who> turned \g<age>", parted)
    return _BIRTHDAY.sub(_turning, _AM.sub(_introduced, _named_once_more(_GIVEN.sub(_given, parted))))


@lru_cache(maxsize=1)
def _born_on() -> re.Pattern[str]:
    """Before a day without a year, which is one's birthday: "I was born on the third of March"."""
    known = english()
    month = alternatives(known.months)
    day = rf"(?:\d{{1,2}}(?:st|nd|rd|th)?|{alternatives(known.ordinals)})"
    when = rf"(?:the )?(?:{day}(?: of)? (?:{month})|(?:{month}) (?:the )?{day})"
    return re.compile(
        rf"(?P<begin>^|[.!?;,] |\b(?:and|but|so|because) )i was born (?=on {when}\b(?!,? (?:in )?\d{{4}}))",
        re.IGNORECASE,
    )


def _uncleft(found: re.Match[str]) -> str:
    return f"{found['who']} {'is ' if found['is'] else ''}"


def _given(found: re.Match[str]) -> str:
    """ "They have given me hearing aids" as "I have been given hearing aids": of "them" nothing is told."""
    done = {"gave": "given", "took": "taken"}.get(found["does"], found["does"])
    return f"{found['begin']}I {'have been' if found['have'] else 'was'} {done}"


_GIVEN = re.compile(
    r"(?P<begin>^|[.!?] |\b(?:and|but|so) )[Tt]hey(?P<have>['’]ve| have)? "
    r"(?P<does>given|gave|offered|sent|prescribed|put|moved|booked|promoted|asked|taken|took) me\b"
    r"(?! (?:a lift|home)\b)"
)


def unframed(line: str) -> str:
    """The line without what leads up to it: "I should mention that I've moved" as "I've moved"; and its sentences
    without what only announces them: "I got the job. Bad news: the flat is gone"."""
    line = _announced().sub(lambda found: found["first"].upper(), line)
    found = _frame().match(line)
    rest = line[found.end() :] if found else ""
    return f"{rest[:1].upper()}{rest[1:]}" if len(rest.split()) > 1 else line


@lru_cache(maxsize=1)
def _announced() -> re.Pattern[str]:
    """What announces a sentence, with the letter behind it."""
    openers, announced = (
        english().alternatives("doing", "before_frame"),
        english().table("doing", "frames")["announced"],
    )
    begin = rf"(?:^|(?<=[.!?] ))(?:(?:{openers}),? )*"
    return re.compile(rf"{begin}(?:{'|'.join(announced)})(?:\s*:|\s+[-–—]+)\s+(?P<first>\w)(?=\S*\s+\S)", re.IGNORECASE)


@lru_cache(maxsize=1)
def _frame() -> re.Pattern[str]:
    marked, before = ("|".join(english().table("doing", "frames")[name]) for name in ("marked", "before"))
    openers = english().alternatives("doing", "before_frame")
    mark = r"(?:[:,!.…?]+| [-–—]+)"
    return re.compile(rf"^(?:(?:{openers}),? )*(?:(?:{marked}){mark}|(?:{before}){mark}?)\s+", re.IGNORECASE)


@lru_cache(maxsize=1)
def _aside() -> re.Pattern[str]:
    """What stands behind a comma and only speaks to the listener: "I'm scared of escalators, don't laugh"."""
    frames = english().table("doing", "frames")
    said, laughs = "|".join(frames["after"]), frames["laughs"]
    end = r"(?=\s*(?:$|[.!?…,]))"
    return re.compile(rf"(?<=\w)(?:(?:,| -+) (?:{said}){end}|,? (?-i:{laughs}|btw)\b{end})", re.IGNORECASE)


def _unsure(line: str) -> str:
    """The line without "I guess" behind what is told: it is no part of what is so."""
    leads = english().words("doing", "before_hedge")

    def told(found: re.Match[str]) -> str:
        words = found["told"].lower().split()
        return found["told"] if len(words) > 1 and words[-1] not in leads else found[0]

    return _hedge().sub(told, line)


@lru_cache(maxsize=1)
def _hedge() -> re.Pattern[str]:
    said = "|".join(english().table("doing", "frames")["hedges"])
    return re.compile(
        rf"(?P<told>[^.!?…;]*?[\w)])(?:, (?:{said})(?=\s*(?:[.!…;)]|$))| (?:{said})(?=\s*(?:[.!…;),]|$)))",
        re.IGNORECASE,
    )


def spelled(line: str) -> str:
    """The line with the apostrophes that were left out."""
    full = english().table("texting", "apostrophes")
    return _ITS.sub(r"\1t's", _shortened().sub(lambda found: _like(full[found[0].lower()], found[0]), line))


_ITS = re.compile(
    r"\b([Ii])ts(?= (?:(?:an?|the|not|been|my|our|your|me|raining|snowing)\b"
    r"|\d[\d.,:]*(?: (?:now|quid|am|pm)\b|[,.;!?]|$)))"
)
"""What no owner's word has behind it: "after the stairs its a kitchen", "its 480 now"."""


def _named_once_more(line: str) -> str:
    """Who is meant in the place of "he" or "she", in a line that speaks of one person alone: "my mum works at a school
    but my mum isn't a teacher"."""
    found = list(_somebody().finditer(line))
    if len(found) != 1 or found[0]["kin"] is None or _else().search(line[found[0].end() :]):
        return line
    who, kin = found[0]["who"], english().relations.get(found[0]["kin"].lower(), "")
    if named := _IS_MINE.search(line[: found[0].start()]):
        who = f"{who} {named['name']}"
    end = found[0].end()

    def again(word: re.Match[str]) -> str:
        other = kin in (men() if word["who"].lower() == "she" else women())
        verb = {"s": "has" if perfect().match(word["next"]) else "is", "d": "would", "ll": "will"}
        short = f" {verb[word['short'][1:]]}" if word["short"] else ""
        begins = word["joint"][0] in ".!"
        named = f"{who[:1].upper() if begins else who[:1].lower()}{who[1:]}"
        return word[0] if other else f"{word['joint']}{named}{short} {word['next']}"

    return line[:end] + _PRONOUN.sub(again, line[end:])


@lru_cache(maxsize=1)
def _somebody() -> re.Pattern[str]:
    name = r"[A-Z][\w-]*\w"
    kin = "|".join(sorted(map(re.escape, {*english().relations, *english().words("others", "workers")}), key=len))
    return re.compile(
        rf"\b(?P<who>(?:[Mm]y|[Oo]ur) (?:[a-z-]+ )?(?P<kin>{kin})(?: {name})?)\b(?!['’]s)"
        rf"|\b(?:[Mm]y|[Oo]ur) (?:{kin})\b"
        rf"|(?<=[a-z,] )(?<!in )(?<!at )(?<!to )(?<!from )(?!I\b|I'){name}"
    )


def _turning(found: re.Match[str]) -> str:
    """ "Leo's 7th birthday was on Saturday" as "Leo turned 7 on Saturday"; unchanged where no time is told."""
    be = (found["it"] or found["be"] or "").strip()
    if not be:
        return found[0]
    who = re.sub(r"['’]s?$", "", found["who"])
    mine = {"my": "I", "our": "we"}.get(who.lower(), who)
    turned = "turned" if be == "was" else "turn" if mine in ("I", "we") else "turns"
    return f"{found['begin']}{mine} {turned} {found['age']} {found['when']}"


def affirmed(line: str) -> str:
    """The line with "the viola" in the place of "not the violin but the viola", and of "the viola, not the violin"."""
    line = _ISNT.sub(r"\g<be> not ", line)
    return _AND_NOT.sub(r"\g<so>", _CALLED.sub(r"\g<called> \g<name>", _NOT_BUT.sub(_right, line)))


_ISNT = re.compile(
    r"\b(?P<be>is|are|was|were)n['’]t (?=(?:[\w'’-]+ ){1,4}?[\w'’-]+,? but (?:at|in|on|to|from|an?|the|called)\b)",
    re.IGNORECASE,
)
_CALLED = re.compile(
    r"\bnot (?P<called>called|named) [A-Z][\w-]*,? but (?:(?:called|named) )?(?P<name>[A-Z][\w-]*)(?=\s*(?:[.,;!?]|$))"
)
_AND_NOT = re.compile(
    r"(?P<so>(?<!not )\b(?P<begin>at|in|on|to|from) (?:[\w'’:-]+ ){0,2}?[\w'’:-]+),? (?:and )?not (?P=begin)"
    r"(?: [\w'’:-]+){1,3}(?=\s*(?:[.,;!?]|$))",
    re.IGNORECASE,
)


def _right(found: re.Match[str]) -> str:
    begins = {_ALIKE.get(found[side].lower(), found[side].lower()) for side in ("begin", "again")}
    words = {one.lower() for one in re.findall(r"[\w'’-]+", found["right"]) if one != "May"}
    finite = verbs().third | verbs().past | verbs().modals | {"is", "are", "am", "do", "does", "has", "have"}
    return found["right"] if len(begins) == 1 and not words & finite else found[0]


def _like(word: str, typed: str) -> str:
    return word[:1].upper() + word[1:] if typed[:1].isupper() else word


def _introduced(found: re.Match[str]) -> str:
    """ "I'm Nuno, bookbinder" as "I'm Nuno. I'm a bookbinder."; unchanged where a part may be anything else."""
    name = found["name"] or found["here"] or found["low"] or found["bare"]
    before = found.string[: found.start()] + found["begin"]
    greeted = bool(found["hello"] or _GREETED.fullmatch(before.strip(" ,.!")))
    parts = [part.strip() for part in found["rest"].split(",") if part.strip()]
    surely = greeted or any(_AGE.fullmatch(part) for part in parts)
    told = [_of_them(part) or (f"I'm {part}" if surely and _DOING_ANY.fullmatch(part) else None) for part in parts]
    if not all(told) or name.lower() in english().stop or ((found["bare"] or found["low"]) and not greeted):
        return found[0]
    return f"{found['begin']}{found['am']}. {'. '.join(one for one in told if one)}"


def _of_them(part: str) -> str | None:
    if age := _AGE.fullmatch(part):
        return f"I'm {age['age']} years old"
    if _FROM.fullmatch(part) or _DOING.fullmatch(part):
        return f"I'm {part}"
    if year := _YEAR.fullmatch(part):
        return f"I'm in my {year['year']} year{year['of'] or ''}"
    if born := _BORN.fullmatch(part):
        return f"My birthday is {born['when']}" if born["what"].lower() == "birthday" else f"I was {part}"
    if _STATE.fullmatch(part):
        return f"I'm {part}"
    if _OWN.fullmatch(part) or counts(part):
        return f"I {'have ' if counts(part) else ''}{part}"
    if len(part.split()) > 8 or not (is_trade(part) or _kin().match(part)):
        return None
    begun = re.match(r"(?:an?|the|retired|now)\b", part, re.IGNORECASE)
    article = "" if begun and begun[0].lower() != "retired" else "an " if part[0].lower() in "aeiou" else "a "
    return f"I'm {article}{part}"
