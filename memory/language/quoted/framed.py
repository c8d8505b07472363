"""Texts that a line brings along or makes up: what is to be translated, what stands in a novel, make-believe, and
orders to a machine."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from ..language import english
from ..points import letters as re
from .marks import Span, paragraph_end
from .vocabulary import HIDDEN, any_of, any_word, low_words, vocabulary

_SENTENCE = re.compile(r"[^.!?。！？\n]*(?:[.!?。！？]+|\n|\Z)")
_LONGEST = 16
"""Words before a colon that may still ask for something."""


def asks_to_work(text: str) -> bool:
    """Whether the line asks to translate, correct or explain a text."""
    return any(_task(sentence[0]) for sentence in _SENTENCE.finditer(text[:2_000]) if sentence[0].strip())


def _task(clause: str) -> bool:
    """Whether a clause begins by asking for work on a text: "can you fix the commas"."""
    known = vocabulary()
    if any(letters in clause for letters in known.lists["task_letters"]):
        return True
    words = low_words(clause)
    if " ".join(words) in known.phrases["own_phrases"]:
        return False
    if words[:2] in (["make", "this"], ["make", "it"], ["make", "that"]):
        return True
    if len(words) == 1 and known.has("own_labels", words):
        return False
    while words and words[0] in known.lists["asking_for"] and not known.has("tasks", words[:1]):
        words = words[1:]
    return bool(words) and (known.has("tasks", words[:1]) or (words[0] in ("correct", "check") and len(words) > 1))


def documents(text: str) -> Iterator[Span]:
    """What is to be worked on: after the colon or below a request, or before one that says "this"."""
    for found in _opening().finditer(text):
        words = low_words(found["ask"])
        asks = _task(found["ask"]) or (_COLON.match(text, found.end("ask")) and _hands_over(found["ask"]))
        if len(words) <= _LONGEST and asks and text[found.end() :].strip():
            yield found.start("ask"), _end_of_document(text, found.end())
            return
    last = [one for one in _SENTENCE.finditer(text) if one[0].strip(f" \n{HIDDEN}")][-1:]
    if last and last[0].start() and _task(last[0][0]) and {"this", "that", "above", "it"} & {*low_words(last[0][0])}:
        yield 0, last[0].start()


def _hands_over(clause: str) -> bool:
    """Whether a clause ends by asking for work on what follows: "here it is, please summarise it in two sentences"."""
    last = clause.rpartition(",")[2]
    return _task(last) and _ASKED.match(last) is not None


_COLON = re.compile(r"[:：][ \t]*\n")
_ASKED = re.compile(
    r"\s*(?:please|pls|kindly|(?:can|could|would) (?:you|u)|summari[sz]e|translate|proofread|shorten|rewrite)\b",
    re.IGNORECASE,
)


_IN_MARKS = re.compile(r"\s*(?:\"[^\"]*[.!?]\"|“[^“”]*[.!?]”|«[^«»]*[.!?]\s?»|„[^„“”]*[.!?][“”])(?=\s+[^\W\d_a-z])")


def _end_of_document(text: str, at: int) -> int:
    """The end of the text that begins there: where it stands whole between quotation marks and no others follow, behind
    them ('Proofread this: "The plans are attached." I'm the engineer'), else that of the line."""
    found = _IN_MARKS.match(text, at)
    return found.end() if found and not re.search(r"[\"“”„«»\n]", text[found.end() :]) else len(text)


@lru_cache(maxsize=1)
def _opening() -> re.Pattern[str]:
    return re.compile(
        rf"(?:\A|(?<=[.!?\n])[ \t]*)(?P<ask>[^.!?\n:：{HIDDEN}]{{3,200}})(?:[:：](?!\d)\s*|[.?!]?[ \t]*\n\s*)"
    )


_SHOWN = re.compile(r"['’]s\b|s['’] |\b(?:goes|reads|said|says|wrote|sent|got)\b", re.IGNORECASE)
"""With which a text is shown ("his letter: ..."), not told of ("renewal letter: ...")."""


MEDIA_NEAR = 4
"""Last words before a colon, of which one names the text."""


def _of_ones_own(words: list[str]) -> bool:
    """Whether the speaker tells something themself: "I have written a letter", "let me tell you a story"."""
    known = vocabulary()
    return (words[0] in known.first and not known.has("finding", words)) or words[:2] == ["let", "me"]


def media(text: str) -> Iterator[Span]:
    """What stands in a text of somebody's or is said by a part in one: "this tweet: ...", "the song goes: ..."."""
    known = vocabulary()
    for found in _led().finditer(text):
        words = low_words(found["lead"])
        named = {*words[-MEDIA_NEAR:]} & (known.lists["media"] | {f"{one}'s" for one in known.lists["media"]})
        parts = known.has("roles", words) and (known.has("parts", words) or known.has("spoken", words))
        mine = re.search(r"\bmy (?:own |new |old )?(?:\w+ )?(\w+)$", found["lead"].strip(), re.IGNORECASE)
        shown = len(words) == 1 or known.has("showing", words) or _SHOWN.search(found["lead"])
        if (
            not words
            or _of_ones_own(words)
            or (mine and not parts)
            or not ((named and shown) or (parts and len(words) > 3))
        ):
            continue
        content = text[found.end() :]
        if known.speaks(content) or known.addresses(content) or "lyrics" in words or "profile" in words:
            yield found.start("lead"), paragraph_end(text, found.end())


@lru_cache(maxsize=1)
def _led() -> re.Pattern[str]:
    return re.compile(rf"(?:\A|(?<=[.!?\n])[ \t]*)(?P<lead>[^.!?\n:：{HIDDEN}]{{3,120}}?)(?:[:：](?!\d)|->)\s*(?=\S)")


# Making believe


def fiction(text: str) -> Iterator[Span]:
    """Make-believe, stories that are asked for, what is told as one, songs."""
    low = text.lower().replace("’", "'")
    head = len(low) - len(low.lstrip(' \t\n*_#"“('))
    if vocabulary().starts("beginnings", low[head:]) and re.match(
        r"(?:once upon a time|(?:chapter|act|scene|verse|chorus|prologue|epilogue)\b[^\n.:]{0,20}[.:\n]|lyrics\s*:)",
        low[head:],
    ):
        yield 0, len(text)
        return
    yield from _sentences_that(_pretending(), low, text)
    yield from _sentences_that(_dreaming(), low, text)
    for found in _making().finditer(low):
        yield found.end("verb"), paragraph_end(text, found.end())
    yield from ((line.start(), line.end()) for line in re.finditer(r"(?m)^[^\n]*[♪♫🎵🎶][^\n]*$", text))


def _sentences_that(pattern: re.Pattern[str], low: str, text: str) -> Iterator[Span]:
    for found in pattern.finditer(low):
        if vocabulary().starts("playing", low[found.start("frame") :]):
            yield found.start("frame"), paragraph_end(text, found.end())
        else:
            sentence = _SENTENCE.match(text, found.start("frame"))
            yield found.start("frame"), sentence.end() if sentence else len(text)


@lru_cache(maxsize=1)
def _pretending() -> re.Pattern[str]:
    may = "should|ought|must|need|have to|better|may|might|can"  # "suppose I should tell you"
    before = english().alternatives("quoted", "before_pretending")
    who = rf"(?:i(?! (?:{may}))|i'm|i'd|we|we're|you|you're|my \w+ (?:is|was|are|were))\b"
    return re.compile(
        rf"(?:^|(?<=\n)|(?<=[.!?,;] ))(?:(?:{before})[,!]? )*"
        rf"(?P<frame>(?:{any_of('pretending')})\b(?:,? that)?:? {who}"
        rf"|(?:{any_of('playing')})\b(?:[^.!?\n]{{0,80}}[,:;.]? ?\b{who}| (?:a|the) game)"
        rf"|if i (?:were|was) (?:you|an?|the|born|called|named|married)\b"
        rf"|if (?:i|we) (?:were|was) (?:ever )?to\b"
        rf"|if (?:i|we) (?:ever )?(?:won|had (?:an?|the|more|enough|another))\b"
        rf"[^.!?\n]*?\b(?:i|we)(?:'d|,? would| could| should)\b)"
    )


@lru_cache(maxsize=1)
def _dreaming() -> re.Pattern[str]:
    return re.compile(rf"(?:^|(?<=\n)|(?<=[.!?,;] ))(?P<frame>(?:{any_of('dreaming')})\b)")


@lru_cache(maxsize=1)
def _making() -> re.Pattern[str]:
    """ "Write a story where ...": from the word that leads into the story on."""
    before = english().alternatives("quoted", "before_making")
    return re.compile(
        rf"(?:^|(?<=\n)|(?<=[.!?,;] ))(?:(?:{before})[,!]? )*"
        rf"(?:{any_of('making')}) [^.!?\n:]{{0,60}}?\b(?:{any_word('made')})\b[^.!?\n:]{{0,60}}?"
        rf"(?P<verb>\b(?:{any_of('wherein')})\b|:)"
    )


# Orders to a machine

_THE_USER = re.compile(
    r"(?:\b(?:the|this|that) user(?:'s|’s)?\s+(?P<next>[\w-]+))|(?:(?:^|(?<=[.!?\n] )|(?<=\n))[ \t]*user\s+"
    rf"(?:{english().alternatives('quoted', 'user_does')})\b)",
    re.IGNORECASE,
)


def orders(text: str) -> Iterator[Span]:
    """Sentences that speak of "the user", and all of a text that begins by setting aside what was said."""
    low = text.lower()
    head = len(low) - len(low.lstrip(' \t\n*_#"“([<'))
    if vocabulary().starts("ignoring", low[head:]):
        yield 0, len(text)
        return
    for sentence in _SENTENCE.finditer(text):
        named = [found["next"] for found in _THE_USER.finditer(sentence[0])]
        if any(not one or one.lower() not in vocabulary().lists["user_things"] for one in named):
            yield sentence.span()
