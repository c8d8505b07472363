"""What is said to a line that only tells, where the model is too small to say anything of its own that fits.

The shipped model of 135 million parameters called coconut, which one can't bear, "a fine choice", and congratulated the
wrong people (docs/log/chat.md has the counts). So it is thanked for what is told, and the model is left the talk that
needs no understanding: greetings, thanks, questions. So are models below three billion parameters, which say the line
again; a larger one replies by itself.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from ...memory.language.asked.orders import is_order
from ...memory.language.asked.small_talk import is_small_talk
from ...memory.language.asked.telling import asks, is_cut_short, only_tells
from ...memory.language.detect import language_of
from ...memory.language.facts.change_words import stands, tells
from ...memory.language.facts.corrections import signals, swaps
from ...memory.language.kinship import pattern, pets
from ...memory.language.language import Language, english
from ...memory.language.own_name import told_name
from ...memory.language.points import letters as re
from ...memory.language.third_person import verbs
from ...memory.language.told.disputed import disputed
from ...memory.language.told.plainer import unframed
from ...memory.language.told.promises import claimed_save
from ...memory.language.words import tokens
from ..lm import Chunk

MEETING = "Good to meet you, {name}."
SORRY = "I'm sorry to hear that."
RIGHTED = "Thanks for saying so."
"""To a line that puts something right: whether anything is changed by it isn't known yet."""
THANKS = ("Thanks for telling me.", "Got it, thanks.", "I see, thanks.", "Okay, thanks.")
"""Said in turn: they promise nothing, and fit good news and bad."""
OKAY = "Okay."
ACKNOWLEDGED = frozenset({SORRY, RIGHTED, *THANKS, OKAY})
_END = re.compile(r"[.!?]\s*$")
_BY_THE_WAY = re.compile(r"(?<=\w) actually\b", re.IGNORECASE)
"""Inside of a sentence it puts nothing right: "I'm actually from Plymouth"."""
_BOTH = re.compile(r"\bboth\b(?= (?:are|is|of)\b)|^(?:no|yes|yeah),? both\b", re.IGNORECASE)
FEW = 3
"""Words up to which a line is talk rather than telling."""
LONG = 9
"""Words from which a line about somebody's life is told, whatever "you" or "put me on tablets" stands in it."""


def acknowledged(text: str, said: Sequence[str] = ()) -> str | None:
    """The reply to an English line that only tells; None: a model replies. `said`: the replies of the talk so far."""
    language, text = language_of(text, thorough=False), unframed(text)
    long = len(text.split()) >= LONG and of_a_life(text)
    if language.code != "en" or asks(text, language) or len(text.split()) <= FEW or _wants(text, surely=long):
        return None
    told, change = told_name(text), signals(text)
    if told is not None and told.plainly:
        return MEETING.format(name=told.name)
    if _rights(_BY_THE_WAY.sub("", text)) and not _BOTH.search(text):
        return RIGHTED
    if stands("hurt", text) and not change.maybe:
        return SORRY
    if not (long or _tells(text, language)) or is_small_talk(text, language):
        return None
    if not change.maybe and (stands("dead", text) or (tells("parting", text) and not _MADE_UP.search(text))):
        return SORRY
    return THANKS[sum(one in THANKS for one in said) % len(THANKS)]


def heard(text: str) -> str:
    """What is said to a line in the place of a reply that only says it again."""
    told = told_name(text)
    return MEETING.format(name=told.name) if told is not None and told.plainly else OKAY


def of_a_life(text: str) -> bool:
    """Whether a line is about the speaker or people, and not about what is being done: "it throws an error on line 5"
    wants a reply."""
    people = english().self_words | english().relations.keys() | pets() | {"he", "she", "his", "her", "him", "hers"}
    return bool(people & {*tokens(text)})


_MADE_UP = re.compile(r"\bback together\b|\bmade (?:it )?up\b|\bpatched (?:it|things) up\b", re.IGNORECASE)


def _rights(text: str) -> bool:
    """Whether it puts something right, surely: of a "not" alone only what stands in the place of what; "the film was
    not so good, we left early" puts nothing right."""
    if disputed(text) is not None:
        return True
    if not signals(text).corrects:
        return False
    return signals(_NOT.sub(" ", text)).corrects or bool(_NOT_THIS.search(text) and swaps(text))


_NOT = re.compile(r"\bnot\b|n['’]t\b|\binstead of\b|\brather than\b", re.IGNORECASE)
_NOT_THIS = re.compile(r"\b[Nn]ot (?:(?:an?|the|my|our|in|at|on|to|from|for) |\d|[A-Z])|, not \w+(?: \w+)?[.!]?$")


_ITS_LIFE = re.compile(
    r"\bI(?:['’]ve| have) (?:been (?:to|at|in)|lived|worked|waited|lost)\b"
    r"|\bI(?:['’]m| am) (?:waiting|moving|living|staying) (?:for|at|in|to|here|until)\b"
    r"|\bI(?:['’]ll| will) (?:wait|miss)\b|\bI (?:went to|live in|waited|bought|lost|was (?:born|at))\b"
    rf"|\b[Mm]y (?:[a-z]+ )?(?:{pattern(english())}|dog|cat|doctor|house|flat|boss)s?\b"
)
"""What nobody who is a program has, does or did."""


_ITS_WAY = re.compile(
    r"\b(?:I(?:['’]ll| will)|[Ll]et me|I(?:['’]m| am) (?:going|trying) to) keep (?:it|this|that|my (?:repl|answer)\w+)"
    r" (?:under|within|below|to|short|simple|brief)\b"
    r"|\bI\b[^.!?]{0,40}\b(?:under|in|at most|up to) (?:\d+|ten|twenty|thirty) words\b"
)
"""What is said of how it was told to reply; not "Your essay must be in 200 words."."""
_UNFOUNDED = re.compile(
    r"^\W*(?:(?:about|only|just|over) )?[£$€]?\d[^.!?]{0,40}, (?:and )?(?:that|it|this)(?:['’]s| is| sounds| must be) "
    r"|\b(?:good|fair|great|nice|decent|reasonable|steep|small|fine) (?:price|deal|bargain)s?\b"
    r"|\b(?:putting|put|setting|set) (?:that|it|this|me) (?:right|straight)\b",
    re.IGNORECASE,
)
"""What says an amount again and judges it ("96 pounds a month, that's a good price." of a pension), or thanks for a
change that may not have been made."""


def unpromising(replied: Iterator[Chunk], text: str, said: Sequence[str] = ()) -> Iterator[Chunk]:
    """A reply without its sentences that promise to remember, for whether a fact is made of the line isn't known yet,
    without those of a life of its own ("I've been to the hospital for a week"), those that judge an amount, and those
    of how it was told to reply."""
    asked = _wants(text) or is_order(text, "en")  # a letter that it writes is the asker's

    def wrong(sentence: str) -> bool:
        own = _ITS_LIFE.search(sentence) or _UNFOUNDED.search(sentence)
        return bool(claimed_save(sentence) or (own and not asked) or _ITS_WAY.search(sentence))

    return _without(replied, wrong, text, said)


def unled(replied: Iterator[Chunk], text: str) -> Iterator[Chunk]:
    """A reply to a question without its sentences of how it was told to reply ("I'll keep it under 10 words")."""
    return _without(replied, lambda sentence: bool(_ITS_WAY.search(sentence)), text, ())


def _without(
    replied: Iterator[Chunk], wrong: Callable[[str], bool], text: str, said: Sequence[str]
) -> Iterator[Chunk]:  # fmt: skip
    """A reply without its wrong sentences. What holds no other is thanks to a line that tells, else "Okay."."""
    begun, told, dropped, finished = "", False, False, False
    for piece in itertools.chain(replied, [None]):
        begun += piece.text if piece else ""
        ends = piece is None or bool(piece.finish)
        if finished or not (ends or _END.search(begun)):
            continue
        claims = wrong(begun)
        told, dropped, finished = told or bool(begun.strip() and not claims), dropped or claims, ends
        shown = "" if claims else begun
        yield replace(piece or Chunk("", "stop"), text=_instead(text, said) if ends and dropped and not told else shown)
        begun = ""


def _instead(text: str, said: Sequence[str]) -> str:
    tells = only_tells(text, language_of(text, thorough=False)) and len(text.split()) > FEW - 1
    return THANKS[sum(one in THANKS for one in said) % len(THANKS)] if tells else OKAY


def _tells(text: str, language: Language) -> bool:
    """Whether it only tells; a few words about "our old dog" that hold a verb are no question cut short."""
    if only_tells(text, language):
        return True
    known = verbs().past | verbs().third
    does = any(word in known or (len(word) > FEW and word.endswith("ed")) for word in tokens(text)[:-1])
    return does and is_cut_short(text, language) and "?" not in text


def _wants(text: str, *, surely: bool = False) -> bool:
    """Whether it wants something of who replies, or speaks of the talk: that needs a model. `surely`: not by a verb
    that tells as well as it orders ("the GP put me on tablets", "get a lift with Sandra")."""
    low = text.lower().replace("’", "'")
    found = next((one for one in _wishes() if one.search(low)), None)
    if found is None or not surely or found is not _wishes()[0]:
        return found is not None
    both, orders = english().words("replies", "also_told"), found.finditer(low)
    told = all(one["verb"] in both and (not one.start() or _DONE_TO_ME.match(low[one.end() :])) for one in orders)
    return not told or "please" in low or any(one.search(low) for one in _wishes()[1:])


_DONE_TO_ME = re.compile(r" (?:me|us) (?:on(?:to)?|off|in|up|through|not count)\b")
"""Behind a verb that then tells what somebody did: "the GP put me on tablets"."""


@lru_cache(maxsize=1)
def _wishes() -> tuple[re.Pattern[str], ...]:
    orders = "|".join(sorted(english().words("replies", "ordering")))
    led, wanting, wanted, needing, texts, talk = (
        english().alternatives("replies", name)
        for name in ("led_in", "wanting", "wanted", "needing", "text", "of_the_talk")
    )
    return (
        re.compile(rf"(?:^|[.!;:,] )(?:(?:{led})[ ,]+)*(?P<verb>{orders})\b(?! of (?:plans?|mind|heart|scene)\b)"),
        re.compile(rf"\b(?:i|we|i'm|im|we're)\b.{{0,20}}(?:{wanting})\b.{{0,20}}\b(?:{wanted})\b"),
        re.compile(
            rf"\b(?:{needing}) (?:an?|some|a few|the|two|three|four) (?:\w+ ){{0,2}}(?:{texts})"
            r"(?=[,.;:!]|$| (?:for|about|to|that)\b)"
        ),
        re.compile(rf"\b(?:{talk})\b"),
    )
