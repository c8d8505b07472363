"""A wish to forget, said in plain words: "please forget my locker number", "erase everything about Tom".

Only a wish at the beginning of a line's first or last sentence counts, so that "I'll never forget that", "don't forget
to call" and "I forgot my keys" are talk. Some verbs ask it of anything ("forget"), some only of what the memory holds
("erase my salary", "don't remember my pin"): such a wish isn't `sure`, and where nothing holds it, it is talk.
The words are in the language's `forget.toml`; without it nothing is wished.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal

from ..language.language import Language, english
from ..language.own_name import QUOTED
from ..language.points import letters as re
from ..language.typed.texting import typed_out
from ..language.words import query_words, sentences, tokens
from .orders.careful import plainly_put
from .orders.lot import SAYS, Lot, lot_of, matter_of

LONGEST_WISH = 300
"""Letters of a sentence that may be a wish: what is longer was pasted, or is talk."""
LONGEST_LINE = 2_000
"""Letters of a line that is looked at for a wish."""
LONGEST_NAME = 4
"""Words of a matter that begins with no "my", "the", "that" or "about": a name, not a sentence."""
_LED_IN = re.compile(
    r"\s*(?:[,:]| [-–—])\s+(?=(?:(?:could|can|would) (?:you|u)(?: please)? |please |pls |just )?"
    r"forget (?!it\b|about it\b))", re.IGNORECASE,
)  # fmt: skip
"""Between what leads to a wish and the wish: "that's dumb, forget the door code please"."""
_SIGNS = " .!?,;:"
_TAKEN_BACK = re.compile(r"\btake (?:that|it|this|all that) back (?=about\b|on\b)", re.IGNORECASE)
Kind = Literal["matter", "about", "last", "today", "talk", "whole"]
Style = Literal["wish", "within", "erase", "retract", "refuse"]


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be forgotten: a `matter` in `words`, all that names `words` (`about`), the `last` line, what was said
    `today` or in this `talk`, or the `whole` memory. `alone`: the line says nothing else. `sure`: it is a wish whatever
    the memory holds. `told`: the line itself tells what is not to be remembered."""

    kind: Kind
    words: str = ""
    alone: bool = True
    sure: bool = True
    told: bool = False
    keeping: str = ""
    """What is to stay of it, in words: "except his birthday"."""
    loose: bool = False
    """It is some of what names `words`: "what Kaia did"."""
    said: str = field(default="", compare=False)
    """A matter that was named by a question, as it was said: "how much I earn", of which the `words` are "I earn"."""


def wish_of(text: str, language: Language | None = None) -> Wish | None:
    """The wish to forget that a line holds, or None."""
    rules = _rules(language or english())
    if rules is None or len(text) > LONGEST_LINE:
        return None
    spoken = rules.spoken(typed_out(text, language))
    if len(spoken) == 2 and (joined := rules.topic_first(*spoken)):
        spoken = [joined]
    if (lot := lot_of(spoken, rules.language)) is not None:
        if lot.beside or not rules.means_whole(lot.said):
            return rules.all_of(lot)
        return Wish("whole")
    for part in spoken[:1] + spoken[1:][-1:]:
        found = rules.wish(part)
        if found is not None and (found.kind != "whole" or found.keeping or len(spoken) == 1 or rules.plainly(part)):
            return replace(found, alone=len(spoken) == 1)
    return None


def wish_for(words: str) -> Wish:
    """What words mean that were given as a matter to forget: "my locker number", "everything about Tom"."""
    return wish_of(f"forget {words}") or Wish("matter", words)


def points_back(text: str, language: Language | None = None) -> bool:
    """Whether a line only asks to forget "it" or "that": a wish where something was told right before, else talk."""
    rules = _rules(language or english())
    return rules is not None and len(text) <= LONGEST_WISH and rules.points_back(text)


def _led_in(sentence: str) -> list[str]:
    """A sentence in two, where its second half asks to forget something: what leads to that is no part of it."""
    cut = _LED_IN.search(sentence)
    if cut is None or SAYS.search(sentence[: cut.start()]) or not sentence[: cut.start()].strip():
        return [sentence]
    return [sentence[: cut.start()], sentence[cut.end() :]]


_WOULD = re.compile(r"\bI would\b", re.IGNORECASE)
"""Written out by who is polite: "I would rather you forgot about Walter"."""


class _Rules:
    """One language's wishes, made of its lists."""

    def __init__(self, language: Language) -> None:
        self.language = language
        table = language.files["forget"]
        one = {name: _any(phrases) for name, phrases in table.items() if isinstance(phrases, list)}
        before = rf"^\W*(?P<before>(?:{one['before']}[\s,:!-]+)*)"
        either = _any({*table["before"], *table["after"]})  # each once: of "please, please, ..." there is one reading
        self._polite = re.compile(rf"^\W*(?:{either}[\s,.!?]*)+$", re.IGNORECASE)
        self._styles = _styles(one, before)
        self._back, self._drop, self._confided = _backs(one, before)
        self._after = re.compile(rf"(?:[\s,]+{one['after']})+$", re.IGNORECASE)
        self._memory = re.compile(rf"\s+{one['memory']}$", re.IGNORECASE)
        self._elsewhere = re.compile(
            rf"\s{one['elsewhere']}\s+(?:{'|'.join(language.listed('forget', 'place'))})\b", re.IGNORECASE
        )  # fmt: skip
        self._topic = re.compile(
            rf"^(?P<what>{one['topic']}\s+[^,:;]+)[,:;]\s+(?P<wish>.+?)\s+(?:it|that|them)\b(?P<end>\W*)$",
            re.IGNORECASE,
        )
        self._about = re.compile(
            rf"^{one['everything']}(?:\s+{one['known']})?\s+{one['concerning']}\s+(?P<name>.+)$", re.IGNORECASE
        )
        self._excepting = re.compile(rf"[\s,;]+{one['excepting']}\s+(?P<keeping>.+)$", re.IGNORECASE)
        self._deed, self._said_when = _somebodys(one)
        self._told = re.compile(rf"^{one['told']}\s+(?=\S)", re.IGNORECASE)
        self._held = re.compile(
            rf"^(?:(?:{'|'.join(language.listed('forget', 'held_before'))})\s+)+(?:of\s+(?:the|your)\s+)?"
            rf"(?:{'|'.join(language.listed('forget', 'held'))})\s+{one['held_after']}\s+(?=\S)",
            re.IGNORECASE,
        )
        self._asked = re.compile(
            rf"^(?P<word>{one['asked']})\s+(?P<clause>.+?)(?P<is>\s+{one['is']})?$", re.IGNORECASE
        )  # fmt: skip
        self._this = re.compile(r"^(?:(?:this|that)\s*[:–-]|the following\s*[:,–-])\s*(?=\w)", re.IGNORECASE)
        self._last = {tuple(tokens(phrase)) for phrase in table.get("last", ())}
        self._whole = {tuple(tokens(phrase)) for phrase in table.get("whole", ())}
        self._whole_told = {tuple(tokens(phrase)) for phrase in table.get("whole_told", ())}
        self._asking = set(table.get("asking", ()))
        self._reason = _reasons(one)

    def spoken(self, text: str) -> list[str]:
        """A line's sentences, without what it quotes and what only leads to a wish, or thanks for it."""
        said = plainly_put(text.replace("’", "'"), self.language)
        parts = sentences(QUOTED.sub(lambda quoted: "_" * len(quoted.group()), said))
        parts = [piece for part in parts for piece in _led_in(part)]
        return [part for part in parts if not self._polite.match(part)]

    def topic_first(self, first: str, second: str) -> str:
        """One sentence of two, where the first names what the second wants forgotten; else empty."""
        joined = f"{first.strip(_SIGNS)}, {second}"
        return joined if self._topic.match(joined) else ""

    def points_back(self, text: str) -> bool:
        lot = lot_of(self.spoken(text), self.language)
        if lot is not None and not lot.beside:
            return not self.means_whole(text)
        spoken = [part.strip(_SIGNS) for part in self.spoken(text)]
        said = ", ".join(spoken)
        alone = self._confided.sub("", said).strip(_SIGNS)
        led = alone != said and bool(alone)
        match = (self._drop if led else self._back).match(alone) if led or len(spoken) == 1 else None
        if match is None:
            return False
        back = self.language.words("forget", "back")
        return all(word in back for word in tokens(self._memory.sub("", self._after.sub("", match["matter"]))))

    def all_of(self, lot: Lot) -> Wish | None:
        """All of what a line names beside an order to forget all of it; None where it names nothing, or tells."""
        found = self._named("about", matter_of(lot.beside, self.language))
        return found and replace(found, sure=lot.sure)

    def means_whole(self, text: str) -> bool:
        """Whether a line that orders all of something gone, and says nothing else, means the whole memory."""
        return any((found := self.wish(part)) and found.kind == "whole" for part in self.spoken(text))

    def plainly(self, sentence: str) -> bool:
        """Whether a wish for the whole memory is plain enough to stand beside something else."""
        return not self.language.words("forget", "whole_plainly").isdisjoint(tokens(sentence))

    def wish(self, sentence: str) -> Wish | None:
        """The wish in a sentence, with what it says is to stay of it."""
        if len(sentence) > LONGEST_WISH:
            return None
        cut = self._excepting.search(sentence)
        found = self._wish(sentence[: cut.start()] if cut else sentence)
        return replace(found, keeping=self._after.sub("", cut["keeping"].strip(_SIGNS))) if found and cut else found

    def _wish(self, sentence: str) -> Wish | None:
        sentence = _TAKEN_BACK.sub("take back what I said ", sentence)
        sentence = self._topic.sub(r"\g<wish> \g<what>\g<end>", _WOULD.sub("I'd", sentence))
        for style, pattern in self._styles:
            match = pattern.match(sentence)
            found = self._read(match["matter"], style) if match else None
            if match is None or found is None:
                continue
            around = [*tokens(sentence[: match.start("matter")]), *tokens(match["matter"])[-1:]]
            asked = not self._asking.isdisjoint(around)
            if style == "refuse" and not found.told:
                return replace(found, sure=found.sure and asked)
            return replace(found, sure=found.sure or (asked and style == "wish"))
        return None

    def _without_reason(self, matter: str) -> str:
        """The words without why it is to go: "my mark, it's embarrassing", "my debt, paid it all". A part that only
        says when ("in 2019, I was ill") has no reason behind it."""
        led = self.language.words("forget", "leading")
        for found in self._reason.finditer(matter):
            head = matter[: found.start()].strip(_SIGNS)
            if found["clause"] is not None and not self._is_clause(found["clause"]):
                continue
            said = tokens(self._told.sub("", head))
            if said and said[0] not in led and self._named("matter", head):
                return head
        return matter

    def _is_clause(self, text: str) -> bool:
        """Whether a part of a sentence says something by itself: "geotech is in January", and no "who is ill"."""
        said = tokens(text)
        verbs = self.language.words("forget", "sentence") | self.language.words("forget", "settled")
        first = self.language.words("forget", "relative") | self.language.words("forget", "sentence")
        return bool(said) and said[0] not in first and not verbs.isdisjoint(said[:5])

    def _read(self, matter: str, style: Style) -> Wish | None:
        """What the words after the verb name."""
        matter = self._after.sub("", matter.strip(_SIGNS))
        if not self._this.match(matter):
            matter = self._after.sub("", self._without_reason(matter))
        bare = self._memory.sub("", matter).strip(_SIGNS)
        if style != "wish" and self._elsewhere.search(f" {bare}"):
            return None
        said = tuple(tokens(bare))
        if said in self._whole and not (style in ("erase", "refuse") and said in self._whole_told):
            return Wish("whole") if style not in ("refuse", "retract") else None
        if said in self._last:
            return Wish("last")
        if deed := self._deed.match(bare):
            found = self._named("about", deed["name"])
            return found and replace(found, loose=True, sure=False)
        if when := self._said_when.match(bare):
            return Wish("today" if when["today"] else "talk")
        if about := self._about.match(bare):
            found = self._named("about", about["name"])
            return found and replace(found, sure=style != "retract")
        if (this := self._this.match(bare)) and style in ("wish", "refuse"):
            found = self._named("matter", bare[this.end() :])
            return found and replace(found, told=True)
        return self._matter(bare, style)

    def _matter(self, matter: str, style: Style) -> Wish | None:
        """A matter: by what was told of it, as a question, as one's own, or by name."""
        inner = self._held.sub("", matter)
        inner = self._told.sub("", inner)
        led = matter[: len(matter) - len(inner)].lower()
        if style != "retract" and (asked := self._of_question(inner)) is not None:
            return replace(asked, sure=style != "erase", said=inner)
        if led:
            found = self._named("matter", inner)
            return found and replace(
                found, sure=style not in ("erase", "retract") or (style == "erase" and " you" in f" {led}")
                or (style == "erase" and led.startswith("what i "))
            )  # fmt: skip
        if style == "retract":
            return None
        if self._determined(matter):
            own = tokens(matter)[0] in self.language.words("forget", "own") or _possessive(matter)
            noted = tokens(matter)[-1] in self.language.words("forget", "held") or any(
                map(str.isdecimal, tokens(matter))
            )
            if style == "erase" and not own and not noted:
                return None
            found = self._named("matter", matter)
            mine = own or tokens(matter)[0] in self.language.words("forget", "mine")
            return found and replace(found, sure=style == "within" or (style != "erase" and bool(mine)))
        named = all(word[0].isupper() for word in matter.split())
        if not self._is_name(matter) or (style in ("erase", "refuse") and not named):
            return None
        found = self._named("about" if named else "matter", matter)
        return found and replace(found, sure=style not in ("erase", "refuse"))

    def _of_question(self, matter: str) -> Wish | None:
        """What a question names: "where I live", "who Ruth is", "what my salary is"."""
        match = self._asked.match(matter)
        if match is None:
            return None
        clause, word = match["clause"].strip(_SIGNS), match["word"].lower()
        named = all(part[0].isupper() for part in clause.split()) and clause.split()[0] != "I"
        of_name = clause[0].isupper() and not named and not self._determined(clause)
        if not (named or of_name or self._determined(clause) or self._selects(word, clause)):
            return None
        if match["is"]:
            if named:
                return self._named("about" if word == "who" else "matter", clause)
            clause = f"{clause} {word.split()[-1]}" if word.startswith("how ") else clause
        idle = self.language.words("forget", "idle") | self.language.stop | self.language.filler
        if len({*tokens(clause)} - idle) < 1 + of_name:  # "what Anna said"
            return None
        return self._named("matter", clause)

    def _selects(self, word: str, clause: str) -> bool:
        """Whether it asks for one of some things that one did something with: "which school I went to"."""
        mine = self.language.words("forget", "mine")
        return word in ("which", "what", "how many", "how much") and not mine.isdisjoint(clause.lower().split()[1:3])

    def _named(self, kind: Kind, words: str) -> Wish | None:
        """The wish, if there is something in its words to look for."""
        said = tokens(words)
        vague = self.language.words("forget", "nothing")
        if not said or all(word in vague for word in said) or said[0] == "to":
            return None
        told = [word for word in query_words(words, self.language) if word not in vague]
        stop = self.language.stop | self.language.filler
        return Wish(kind, words) if [word for word in told if word not in stop] else None

    def _determined(self, matter: str) -> bool:
        """Whether the matter begins as a thing does: "my number", "the trip", "Tom's birthday", "I hate flying"."""
        first = (matter.split() or [""])[0].lower()
        return first in self.language.words("forget", "determined") or first.endswith(("'s", "s'"))

    def _is_name(self, matter: str) -> bool:
        said = tokens(matter)
        vague, verbs = self.language.words("forget", "nothing"), self.language.words("forget", "sentence")
        return 0 < len(said) <= LONGEST_NAME and said[0] not in vague and not verbs & set(said)


def _styles(one: Mapping[str, str], before: str) -> list[tuple[Style, re.Pattern[str]]]:
    """The verbs of each style with the matter behind them; of `within` the memory is named behind the matter, or before
    it: "erase from your memory that I smoke"."""
    erasing = f"(?:{one['erase']}|{one['within']}|{one['retract']})"
    left = rf"(?:(?:from|out of|off)\s+)?{one['left_place']}(?:[\s,]+{one['after']})*"
    surely = rf"(?!which\b|(?!{one['things']}\b)(?:\S+\s+){{0,3}}{one['not_leaving']}\b)"
    rules: list[tuple[Style, str]] = [
        ("within", rf"(?:{one['untold']})(?![\w-])\s+(?P<matter>.*)$"),
        ("wish", rf"(?:{one['wish']})(?![\w-])\s*(?P<matter>.*)$"),
        ("within", rf"{erasing}\s+(?P<matter>.+?)\s+{one['memory']}"),
        ("within", rf"{erasing}\s+{one['memory']}[\s,:]+(?P<matter>.+)$"),
        ("within", rf"(?:{one['wanted']})\s+(?P<matter>.+?)\s+{one['gone']}\s+{one['memory']}"),
        ("within", rf"{surely}(?P<matter>[^,;:]+?)\s+{one['leaves']}\s+{one['leaving']}\s+{left}[\s.!]*$"),
        ("erase", rf"(?:{one['erase']})(?![\w-])\s+(?P<matter>.*)$"),
        ("erase", rf"(?:{one['wanted']})\s+(?P<matter>.+?)\s+{one['unsaid']}[\s.!]*$"),
        ("erase", rf"(?P<matter>.+?)\s+{one['must']}\s+{one['unsaid']}[\s.!]*$"),
        ("retract", rf"(?:{one['retract']})(?![\w-])\s+(?P<matter>.*)$"),
        ("refuse", rf"(?:{one['refuse']})(?![\w-])\s+(?P<matter>.*)$"),
    ]
    return [(style, re.compile(before + rule, re.IGNORECASE)) for style, rule in rules]


def _backs(one: Mapping[str, str], before: str) -> tuple[re.Pattern[str], ...]:
    """A line that only asks to forget "it"; one that says so by "drop it", too; and what makes a wish of that one."""
    verbs = rf"{one['back_verbs']}|{one['refuse']}"
    said = rf"(?:{one['before']}[\s,:!-]+)*{one['confided']}"
    rules = (
        rf"{before}(?:{verbs})\s+(?P<matter>[\w\s,]+)$",
        rf"{before}(?:{verbs}|{one['drop_verbs']})\s+(?P<matter>[\w\s,]+)$",
        rf"^\W*{said}(?:[\s,.;:!-]+(?:so|and|but|please))*[,.;:!]*[\s-]+(?=\w)|[\s]*[,.;:!-]+\s*{said}\W*$",
    )
    return tuple(re.compile(rule, re.IGNORECASE) for rule in rules)


def _somebodys(one: Mapping[str, str]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What somebody did or told: "what Kaia did"; and what one said oneself, and when: "everything I said today"."""
    who = r"(?:[A-Z][\w'-]+(?: [A-Z][\w'-]+)?|(?i:my|our) [a-z]+(?: [A-Z][\w-]+)?)"
    what = rf"(?:{one['everything']}|what)(?:\s+that)?"
    when = rf"(?:(?P<today>{one['today']})|{one['this_talk']})"
    return (
        re.compile(rf"^(?i:{what})\s+(?P<name>{who})\s+(?i:(?:ever\s+)?{one['deeds']})$"),
        re.compile(rf"^{what}\s+{one['said_by_me']}\s+{when}$", re.IGNORECASE),
    )


def _reasons(one: Mapping[str, str]) -> re.Pattern[str]:
    """Where a part may begin that says why something is to go: behind a comma, a dash, "because", or "please"."""
    part = rf"(?:(?:{one['reason']})|(?P<clause>[^,;]+))"
    return re.compile(
        rf"(?:\s*[,;]+\s*|\s+[-–—]+\s+|\s*\(){part}|\s+(?:{one['because']})\s|\s+{one['after']}\s+(?:{one['reason']})",
        re.IGNORECASE,
    )


def _possessive(matter: str) -> bool:
    """Whether a matter begins with somebody's name: "Tom's birthday"."""
    first = matter.split()[0]
    return first[0].isupper() and first.lower().endswith(("'s", "s'"))


@lru_cache(maxsize=8)
def _rules(language: Language) -> _Rules | None:
    return _Rules(language) if language.claims and "forget" in language.files else None


def _any(phrases: Iterable[str]) -> str:
    """A pattern for any of the phrases, the longest first."""
    ordered = sorted(phrases, key=len, reverse=True)
    return (
        "(?:"
        + "|".join(re.escape(phrase).replace(r"\ ", r"\s+").replace("'", "'?") + r"\b" for phrase in ordered)
        + ")"
    )
