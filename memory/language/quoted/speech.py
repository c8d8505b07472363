"""Direct speech: words between quotation marks, after a verb of saying, or after somebody's name and a colon.

What somebody is told to have said in other words ("she says she has three dogs", "my doctor says I have asthma") is the
speaker's own, and so is a title ("Alien") and what they say they said themself.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from ..language import english
from ..points import letters as re
from ..words import sentences
from .marks import Span, paragraph_end
from .vocabulary import HIDDEN, any_word, low_words, vocabulary

_QUOTES = re.compile(
    r"\"[^\"\n]{1,2000}\"|“[^“”]{1,2000}[”“]|„[^„“”\"]{1,2000}[“”\"]|«[^«»]{1,2000}»|»[^«»]{1,2000}«"
    r"|‹[^‹›]{1,2000}›|「[^「」]{1,2000}」|『[^『』]{1,2000}』|‘[^‘\n]{1,2000}?’(?!\w)|(?<![\w'])'(?=\S)(?:[^'\n]|(?<=\w)'(?=\w)){1,2000}(?<=\S)'(?!\w)"
    r"|(?<!\w)(?P<open>[\"“„«])[^\"“”„«»]{1,2000}\Z"
)
_ENDS = re.compile(r"[.!?…。！？]")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]")
LONGEST_LABEL = 3
MOST_QUOTES = 60
"""Quotations of one line that are looked at; what comes after them counts as quoted."""


def quotations(text: str, *, asked: bool = False) -> Iterator[Span]:
    """Between quotation marks: what somebody else says or wrote. `asked`: the line asks to work on a text."""
    for place, found in enumerate(_QUOTES.finditer(text)):
        if place >= MOST_QUOTES:
            yield found.start(), len(text)
            return
        if HIDDEN in found[0]:
            continue
        if _theirs(
            found[0].strip(" \"“”„«»‹›「」『』‘’'"), _before(text, found.start()), _after(text, found.end()), asked
        ):
            yield _with_its_verb(text, found.span())


def _theirs(said: str, before: str, after: str, asked: bool) -> bool:
    words, known = low_words(said), vocabulary()
    if not words or _own_saying(before):
        return False
    long = len(words) > 3 or (len(said) > 6 and bool(_UNSPACED.search(said)))
    if asked and (long or len(words) > 1):
        return True
    if _by_a_verb(before, after):
        if known.has("bearing", low_words(before)[-6:]) and not known.addresses(said):
            return False
        return long or len(words) > 1 or known.speaks(said)
    if _named(before) or (_title(said) and not _ENDS.search(said)):
        return False
    if known.speaks(said) or (known.addresses(said) and long):
        return True
    return long and (bool(re.search(r"[:：,]\s*$", before)) or (bool(_ENDS.search(said)) and len(words) > 4))


def _own_saying(before: str) -> bool:
    """Whether the speaker gives their own words: "I told my boss", "I said"."""
    said = [found for found in _saying().finditer(before) if found[0].lower() not in vocabulary().lists["reading"]]
    if not said:
        return False
    clause = re.split(
        r"[,;.!?]|\b(?:and|but|when|then|he|she|they|that)\b", before[: said[-1].start()], flags=re.IGNORECASE
    )
    words = low_words(clause[-1])
    return bool(words) and words[0] in (
        "i",
        "we",
        "i'll",
        "we'll",
        "i've",
        "we've",
        "ich",
        "je",
        "j'ai",
        "yo",
        "eu",
        "io",
        "ho",
        "jag",
        "ik",
        "я",
    )


def _by_a_verb(before: str, after: str) -> bool:
    """Whether a verb of saying leads to the words, or stands behind them: "..., said Tanja"."""
    near = " ".join(before.split()[-9:])
    if any(letters in before[-8:] or letters in after[:6] for letters in vocabulary().lists["saying_letters"]):
        return True
    behind = re.match(rf"\s*[,.]?\s*(?:\w+\s){{0,4}}?(?:{any_word('saying')})\b", after, re.IGNORECASE)
    return bool(
        _saying().search(near) or (behind and not re.match(r"\s*(?:and|but)?\s*(?:i|we)\b", after, re.IGNORECASE))
    )


@lru_cache(maxsize=1)
def _saying() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{any_word('saying')}|{any_word('reading')}|was like|is like|were like)\b", re.IGNORECASE)


def _named(before: str) -> bool:
    """Whether a name or a title follows: "called", "the film", "my motto is"."""
    near = low_words(before)[-5:]
    return vocabulary().has("naming", near) or vocabulary().has("bearing", near)


def _title(said: str) -> bool:
    """Whether each telling word has a capital, as in titles."""
    small = vocabulary().lists["small"]
    words = [word for word in re.findall(r"[^\W\d_][\w'’-]*", said) if word.lower().replace("’", "'") not in small]
    return bool(words) and all(word[0].isupper() for word in words)


def _before(text: str, at: int) -> str:
    """What stands before a place in its sentence."""
    return re.split(r"(?<=[.!?。！？])\s+|\n", text[max(0, at - 400) : at])[-1]


def _after(text: str, at: int) -> str:
    return re.split(r"\n", text[at : at + 200])[0]


def _with_its_verb(text: str, span: Span) -> Span:
    """The words with "she said" around them, where that is all there is."""
    start, end = span
    before = _before(text, start)
    if (
        re.fullmatch(r"\W*(?:\w+\s){1,2}[\w']+\W*", before + " ")
        and _saying().search(before)
        and len(before.split()) < 4
    ):
        start -= len(before)
    return start, end


# Labels: "Mia: I live in Rome"

_LABEL = re.compile(
    r"(?:(?:^|(?<=\n))|(?<=[.!?;] )|(?<=-> ))[ \t]*(?:[-*•][ \t]+)?(?:\d{1,2}[:.]\d\d(?::\d\d)?[ \t]+(?:[-–][ \t]+)?)?"
    r"(?:\*\*|__|[@<\[])?(?P<who>[^\W_](?:[\w'’ -]|\.(?! )|(?:(?<=\b[A-Z][a-z])|(?<=\b[A-Z][a-z][a-z]))\. ){0,38}?)"
    r"(?:,?[ \t]+\d{1,2}[:.]\d\d)?(?:\*\*|__|[>\]])?"
    r"[ \t]*(?:\([^()\n]{1,30}\)[ \t]*)?(?P<mark>[:：]|->|=>|(?<=\d\])(?=[ \t]))(?:\*\*|__)?(?![/\d])[ \t\n]*"
)


def dialogue(text: str, called: str = "") -> Iterator[Span]:
    """What somebody's name or a part in a talk stands before. `called`: a name by which the speaker goes."""
    labels = [found for found in _LABEL.finditer(text) if HIDDEN not in found["who"]]
    kinds = [_kind(found["who"], called) for found in labels]
    names = {found["who"].lower() for found, kind in zip(labels, kinds, strict=True) if kind != "own"}
    talk = len(names) > 1 or (bool(names) and len(labels) > 1 and "me" in {found["who"].lower() for found in labels})
    for place, (found, kind) in enumerate(zip(labels, kinds, strict=True)):
        if not talk and _lists(found["who"], text[found.end() :]):
            continue
        end = labels[place + 1].start() if place + 1 < len(labels) else paragraph_end(text, found.end())
        content = text[found.end() : end]
        speaks = vocabulary().speaks(content, of_me=talk) or _any_speaks(text, labels, talk)
        if (
            kind == "machine"
            or (kind == "somebody" and (speaks or (talk and vocabulary().addresses(content))))
            or (kind == "own" and talk and speaks and found["who"].lower() == "me" and found["mark"] != ":")
        ):
            yield found.start(), end
    yield from _dashes(text)


_LISTED = re.compile(r"(?:[A-Z][\w'’-]*|\d{1,2}(?: ?(?:months?|years?|yrs?))?|and|aged?|old|both|[,;&()]|\s)+[.\n]")


def _lists(who: str, content: str) -> bool:
    """Whether kin are told of by name and age behind a heading, and what follows is the speaker's own: "Kids: Zosia 11,
    Antek 8. We live in Leeds"."""
    found, known = _LISTED.match(content), vocabulary()
    if found is None or known.addresses(content) or not {*low_words(who)} & known.people:
        return False
    names = low_words(" ".join(re.findall(r"\b[A-Z][\w'’-]*", found[0])))
    several = re.search(r"\d|,| and ", found[0].strip(" .,"))
    none = known.common | known.first | english().words("openings", "exclaimed")
    return bool(names and several) and none.isdisjoint(names)


def labelled(text: str) -> str:
    """The name of somebody with which a note begins: "Mia" of "Mia: vegetarian, lives in Rome"; empty for none."""
    found = _LABEL.match(text)
    return found["who"] if found and _kind(found["who"], "") == "somebody" else ""


def unlabelled(text: str) -> str:
    """A text without the names before its colons: "I live in Rome" of "Mia: I live in Rome"."""
    return _LABEL.sub("", text)


def _any_speaks(text: str, labels: list[re.Match[str]], talk: bool) -> bool:
    """In a talk of several, whether any of it is in the first person."""
    return talk and vocabulary().speaks(text[labels[0].end() :])


def _kind(who: str, called: str) -> str:
    """Whose label it is: "machine", "somebody", or the speaker's "own"."""
    words = low_words(who)
    known = vocabulary()
    if len(words) > LONGEST_LABEL or not words:
        return "own"
    if known.has("machines", words) and not known.first & {*words}:
        return "machine"
    names = sum(word[0].isupper() for word in who.split()) > 1  # "Tom to Mia"
    if len(words) > 1 and (known.has("own_labels", words[-1:]) or (english().stop & {*words[1:]} and not names)):
        return "own"
    if (len(words) > 1 and known.speaks(who)) or (called and who.lower() == called.lower()):
        return "own"
    if any(word.endswith("'s") for word in words[:-1]) or "chatmem" in words:
        return "own"  # "doc's orders: ..." names a thing
    said = known.has("saying", words[-1:])
    if ((known.people & {*words} - {"q", "a"}) and not said) or re.fullmatch(r"[a-z]\d?|[a-z]{1,2}\d", words[0]):
        return "somebody"
    if any(char.isdigit() for char in who) or known.has("media", words):
        return "own"
    if said or known.has("reading", words[-1:]):
        return "own"  # "Doctor says": whether that is quoted is told by what follows
    telling = {*words} - english().stop if names else {*words}
    return "own" if telling & known.common else "somebody"


def _dashes(text: str) -> Iterator[Span]:
    """Talk as novels print it: lines that begin with a long dash."""
    said = list(re.finditer(r"(?m)^[ \t]*[—―][ \t]*[^\n]+", text))
    if len(said) > 1 or (said and said[0].start() == len(text) - len(text.lstrip())):
        yield from (found.span() for found in said)


# Speech without marks: "Mia wrote: I'm pregnant"


def told_with_colon(text: str) -> Iterator[Span]:
    """What follows a verb of saying and a colon in the first or second person: "and then she goes: I ..."."""
    for found in _colon().finditer(text):
        before, end = found["before"], paragraph_end(text, found.end())
        content = _opening(text[found.end() : end])
        if _idiom(before):
            continue
        if _own_saying(before) and not re.search(r"\b(?:i'd|i would|if i)\b", before, re.IGNORECASE):
            continue
        if _own_news(text):
            continue
        if vocabulary().speaks(content) or vocabulary().addresses(content):
            yield found.start("before"), end


def told_by_a_part(text: str) -> Iterator[Span]:
    """What a part in a story says in the first person: "the narrator says I live in Vienna"."""
    for found in _by_a_part().finditer(text):
        end = re.search(r"[.!?\n]", text[found.end() :])
        yield found.start(), found.end() + end.end() if end else len(text)


def _opening(content: str) -> str:
    """The first sentence, with the second behind a greeting: by it one tells who speaks."""
    first = sentences(content)[:2]
    hello = bool(first) and len(low_words(first[0])) <= 3 and bool(vocabulary().starts("greeting", first[0].lower()))
    return " ".join(first if hello else first[:1])


def _own_news(text: str) -> bool:
    """Whether a line of one sentence tells what an office wrote the speaker of what it handles for them: "The hospital
    has written: my operation is put off". Of all else ("my policy is honesty") a "my" may be the writer's own, and so
    is any "I" or "you"."""
    found = _by_an_office().fullmatch(text.strip())
    if found is None or len(sentences(text)) > 1 or re.search(rf"[\"“”«»„\n{HIDDEN}]|(?<!\w)['‘]", text):
        return False
    words, known = {word.partition("'")[0] for word in low_words(found["news"])}, vocabulary()
    whose = re.findall(r"\bmy\b", found["news"], re.IGNORECASE)
    mine = _handled().findall(found["news"])
    return 0 < len(whose) == len(mine) and not words & (((known.first | known.second) - {"my"}) | {"name", "user"})


@lru_cache(maxsize=1)
def _by_an_office() -> re.Pattern[str]:
    return re.compile(
        rf"(?i)(?:(?:well|so|now|and|but),? )?(?:the|my|our) (?:[a-z-]+ ){{0,2}}?(?:{any_word('offices')}) "
        r"(?:(?:has|have|had) (?:just |now )?written|wrote)(?: to (?:me|us))?(?: to say)?: ?(?P<news>[^:]+)"
    )


@lru_cache(maxsize=1)
def _handled() -> re.Pattern[str]:
    """One of these matters, with what became of it."""
    became = "(?:has|have|had) (?:now |just |finally )?been|was|were|is|are|will be"
    return re.compile(
        rf"(?i)\bmy (?:[a-z-]+ ){{0,2}}?(?:{any_word('handled')}) (?:{became}) (?:now |not |all |still |being )?"
        rf"(?:{english().alternatives('quoted', 'settled')})\b(?!['’-])"
    )


@lru_cache(maxsize=1)
def _by_a_part() -> re.Pattern[str]:
    return re.compile(
        rf"(?i)\b(?:the|a|my|this) (?:{any_word('parts')}) (?:{any_word('saying')}) (?:that )?(?=(?:i|my|i'm|we)\b)"
    )


def _idiom(before: str) -> bool:
    """ "Truth be told: ...", "as they say: ...": what follows is the speaker's own."""
    words, known = low_words(before), vocabulary()
    short = len(words) <= LONGEST_LABEL and not {*words} & known.people and known.has("own_labels", words[:1])
    return short or bool(
        re.search(r"\b(?:be told|(?:used )?to say|(?:they|people) say)\b|\bre$|\bthat\b", before, re.IGNORECASE)
    )


@lru_cache(maxsize=1)
def _colon() -> re.Pattern[str]:
    verbs = f"{any_word('saying')}|{any_word('reading')}|was like|(?:'d|would) say"
    return re.compile(
        rf"(?i)(?:^|(?<=[.!?;\n] )|(?<=\n))(?P<before>[^\n.!?;:{HIDDEN}]{{0,120}}?"
        rf"\b(?:{verbs})\b[^\n.!?;:{HIDDEN}]{{0,40}})[:：](?!\d)\s*"
    )
