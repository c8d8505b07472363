"""Names told in talk. "My name is Ana" and "call me Ana" are taken; "I'm Ana" is asked back ("Shall I call you Ana?").

After "I'm" stands anything that somebody can be: Croatian, Sikh, Batman. No list holds them all, and a wrong name
renames every fact of the user, so such a line never tells a name by itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from ..values import Author
from .language import Language, english
from .points import letters as re

LONGEST_ANSWER = 40
"""Letters of a line that may be a bare yes or no."""
NAMES = Author("tool:name")
"""Who writes a told name down as a fact."""

_WORD = r"[^\W\d_][^\W\d_]*(?:['’-][^\W\d_]+)*"
_NAME = rf"({_WORD}(?:[ ]{_WORD}){{0,2}})"
_TOLD = re.compile(rf"\bmy (?:first |full |real )?name(?:['’]s| is)(?: now)? {_NAME}", re.IGNORECASE)
_MYSELF = re.compile(rf"\bintroduce myself[:,.;]? (?:i am |i['’]m )?{_NAME}(?=\s*(?:$|[.!,;]))", re.IGNORECASE)
_CALL = re.compile(
    r"(?<!n't )(?<!n’t )(?<!not )(?<!never )"
    r"\b(?:do |please |just )?"
    r"(?:(?:(?:my|all my) (?:friends|family)|people|they|everyone|everybody|most people) calls? me|call me"
    rf"|i(?:['’]m| am) called|i go by(?: the name(?: of)?)?) {_NAME}",
    re.IGNORECASE,
)
_ASIDE = re.compile(rf"(?<=[.!?] ){_NAME}, (?:by the way|btw)(?=\s*(?:$|[.!]))", re.IGNORECASE)
"""A sentence of its own behind another: "Nice to meet you. Ana, by the way."."""
_JOINT = re.compile(
    r"^(?: (?:here|speaking))?(?: again)?[\s,.;:!]*(?:(?:and|but|by the way|btw)\b[\s,]*)?", re.IGNORECASE
)
QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”|‘[^’]*’(?!\w)|(?<!\w)'[^']*'(?!\w)")
_OF = re.compile(r"['’]s\b", re.IGNORECASE)
_ER = r"(?:(?:u+m+|u+h+|e+r+m*)\b[\s,.]*)?"
"""Before an answer that is spoken."""
_THANKS = r"(?:(?:thanks|thank you)[\s,.!]*)?"


_LOW = r"(?P<name>[a-z]{2,}(?:-[a-z]{2,})?)"
_STOP = r"(?=\s*(?:$|[.!,;)]| btw\b| by the way\b| and (?:i|im|my)\b))"
_YEARS = r"(?:,| and)? (?:im |i['’]m |i am |aged? )?[1-9]\d(?=\s*(?:$|[.!,;]|y/?o\b|yrs?\b|years?\b| and\b| from\b))"
_AM = r"(?:i['’]?m|i am)"
_AGED = r"(?:,|\.| )(?: ?(?:from )?[a-z]{3,}(?: [a-z]{3,})?[,.])? ?(?:1[4-9]|[2-9]\d)(?=\s*(?:$|[.!,;]|y/?o\b|yrs?\b))"
"""Behind a name, as people begin a talk: ", osaka, 30"."""
_NO_NAME = ("ing", "ed", "ly", "ish", "less", "ful", "ness", "able", "ous", "est")


class _Greeted(NamedTuple):
    """The patterns that a greeting may stand before; of `low` the name may then stand in small letters: "hiya its ana
    here"."""

    am: re.Pattern[str]
    here: re.Pattern[str]
    low: re.Pattern[str]
    named: re.Pattern[str]
    its: re.Pattern[str]


@lru_cache(maxsize=1)
def _hello() -> tuple[str, str]:
    """What may stand before a greeting, and one greeting."""
    any_of = english().alternatives
    once = rf"(?:(?:{any_of('names', 'hello')})(?:,? (?:{any_of('names', 'addressed')}))*[,!.]* )"
    return rf"(?:(?:{any_of('names', 'before_hello')})[,!.]* )*", once


@lru_cache(maxsize=1)
def _greeted() -> _Greeted:
    lead, once = _hello()
    hello = f"(?:{lead}{once})*"
    patterns = (
        rf"(?:^|[.!?,;] )\s*{hello}(?:i['’]?m|i am) {_NAME}(?=\s*(?:$|[.!,;]| and | of | from | by the way| btw))",
        (
            rf"(?:^|[.!?] )\s*{hello}(?:(?:it['’]s|this is) )?(?!\w+ly speaking){_NAME} (?:here|speaking)"
            r"(?=\s*(?:$|[.!,;]| and | again))"
        ),
        (
            rf"^\s*(?!it|this){hello}(?:it['’]?s|this is) "
            rf"(?:{_NAME} (?:here|speaking)(?=\s*(?:$|[.!,;]| and | again))|({_WORD})(?=, \d\d\b))"
        ),
        rf"^\s*{hello}(?:the )?name['’]s {_NAME}(?=\s*(?:$|[.!,;]))",
        rf"(?:^|[.!?] )\s*{lead}{once}+(?:it['’]?s|this is) {_NAME}(?=\s*(?:$|[.!,;]| and | but | from | again))",
    )
    return _Greeted(*(re.compile(pattern, re.IGNORECASE) for pattern in patterns))


@lru_cache(maxsize=1)
def _not_mine() -> re.Pattern[str]:
    """What before it makes "my name is" or "call me" somebody else's words, or nobody's."""
    any_of = english().alternatives
    return re.compile(
        rf"\b(?:{any_of('names', 'not_mine')}|"
        rf"(?:in|for|on|during|as) [^.!?;]*\b(?:{any_of('names', 'made_up')}))\b[^.!?;]*$",
        re.IGNORECASE,
    )


@lru_cache(maxsize=1)
def _yes() -> re.Pattern[str]:
    said, agreed_to, plain, goes = (
        english().alternatives("names", name) for name in ("agreeing", "agreed_to", "plain_yes", "going_on")
    )
    more = rf"(?:(?:{said})[\s,.!:)]*)"
    return re.compile(
        rf"{_ER}(?:{more}+(?:{agreed_to})?|(?:{plain})\b[\s,.!:)]*{more}*(?:{goes}))[\s.!]*{_THANKS}", re.IGNORECASE
    )


@lru_cache(maxsize=1)
def _no() -> re.Pattern[str]:
    said = english().alternatives("names", "refusing")
    kept = r"(?:(?:please )?keep (?:it|that|them|those|everything)[\s.!]*)?"
    return re.compile(rf"{_ER}(?:(?:{said})[\s,.!]*)+{kept}{_THANKS}", re.IGNORECASE)


@lru_cache(maxsize=1)
def _patterns() -> tuple[tuple[re.Pattern[str], bool, bool], ...]:
    """Each with whether it is plain, and whether it holds in any case."""
    greeted = _greeted()
    return (
        (_TOLD, True, True),
        (_MYSELF, True, False),
        (_CALL, True, False),
        (greeted.am, False, False),
        (greeted.here, False, False),
        (greeted.low, False, True),
        (_ASIDE, False, False),
        (greeted.named, True, False),
        (greeted.its, False, False),
    )


@lru_cache(maxsize=1)
def _typed_patterns() -> tuple[tuple[re.Pattern[str], bool, bool], ...]:
    """Each with whether it is plain, and whether it is told as a name."""
    before, once = _hello()
    hello = rf"^\s*{before}{once}?{before}"
    asked = r"(?:(?:u|you) can |just |pls |please |everyone |my mates |mates |friends |people |they )*"
    return (
        (re.compile(rf"{hello}{_AM} {_LOW}{_YEARS}"), True, False),
        (re.compile(rf"{hello}(?:my |the )?name['’]?s {_LOW}{_STOP}"), True, True),
        (re.compile(rf"{hello}(?:{_AM} (?P<own>[a-z]+),? but )?{asked}calls? me {_LOW}{_STOP}"), True, True),
        (re.compile(rf"{hello}{_AM} {_LOW}(?: here)?{_STOP}"), False, False),
        (re.compile(rf"{hello}{_LOW}(?: here)?{_AGED}"), False, True),
        (re.compile(rf"{hello}(?:it['’]?s|this is) {_LOW}(?= btw\b| by the way\b)"), False, False),
        (re.compile(rf"{hello}{_LOW} here{_STOP}"), False, False),
        (_low_its(), False, False),
    )


@dataclass(frozen=True, slots=True)
class ToldName:
    """A name that the user told, or (not `plainly`) one to ask back; `rest`: the line without it; `in_words`: told as
    a name ("my name is", "call me"), not by the way ("Ana here")."""

    name: str
    plainly: bool
    rest: str = ""
    in_words: bool = False


def told_name(text: str, language: Language | None = None) -> ToldName | None:
    """The name that the speaker gives themself in `text`, or None.

    One that is not told plainly is only to be asked back: "I'm Ana" may be a name, "I'm Croatian" none at all.
    """
    language = language or english()
    if not language.claims:
        return None
    spoken = QUOTED.sub(lambda quoted: " " * len(quoted.group()), text)
    if (thats := _thats_my_name(text, spoken, language)) is not None:
        return thats
    am, here, low, _, its = _greeted()
    for pattern, plainly, any_case in _patterns():
        for match in pattern.finditer(spoken):
            said = next(filter(None, match.groups()))
            name = _clean(said, any_case, language)
            if not name or (plainly and _not_mine().search(spoken[: match.start()])):
                continue
            begins = match.start(match.lastindex or 1)
            before = match.group()[: begins - match.start()].strip(" .!?,;")  # "hello", "this is"
            introduced = pattern is here and bool(before) and may_be_name(name, language)
            plain = introduced or (plainly and not _goes_on(said, language))
            as_typed = plainly or pattern is low or name == said or said[len(name) :].startswith((" of ", " from "))
            if plain or (as_typed and may_be_name(name, language)):
                if (short := _shortened(spoken, begins + len(name), name, language)) is not None:
                    return ToldName(short[1], True, _rest(text, match.start(), short[0].end(), language), True)
                rest = _rest(text, match.start(), begins + len(name), language)
                return ToldName(name, plain, rest, pattern not in (am, here, low, its, _ASIDE))
    return _typed(text, spoken, language)


def _shortened(
    text: str, end: int, name: str, language: Language
) -> tuple[re.Match[str], str] | None:  # fmt: skip
    """What one is called instead, and where the line says so, right behind the name that ends there: "I'm Nicholas,
    Nick for short". It is no longer, and begins like that name or is one that people have."""
    found = _short().match(text, end)
    said = found and next(filter(None, found.groups()))
    if found is None or not said or not said[0].isupper() or not may_be_name(said, language):
        return None
    alike = said[:2] == name[:2] or (said.lower() in language.words("given", "names") and "." not in found[0])
    return (found, said) if alike and len(said) <= len(name) and not _OF.search(said) else None


@lru_cache(maxsize=1)
def _short() -> re.Pattern[str]:
    lead = r"[\s,.;:–—(-]+(?:(?:but|and|or|though|well)[\s,]+)?"
    by_others = (
        r"(?:(?:you|u|people|friends|everyone|everybody|most)(?: can| may| could)? )?(?:just |simply )?(?:say|use)"
    )
    short = rf"({_WORD})"
    return re.compile(
        rf"{lead}(?:{by_others} {short}(?=\s*(?:$|[.!,;)]))|(?:just |plain )?{short}(?:['’]s| is) "
        r"(?:fine|enough|ok|okay|easier|shorter|all right|alright)(?: too)?(?=\s*(?:$|[.!,;)]))"
        rf"|(?:or )?{short} (?:for short|to (?:my |the |all )?(?:friends|family|mates|everyone|everybody))\b)",
        re.IGNORECASE,
    )


def _thats_my_name(text: str, spoken: str, language: Language) -> ToldName | None:
    """A name as it is spoken: "yeah its tom thats my name". What no list of names has is asked back ("It's Hebrew,
    that's my name"), and what is another word is none at all: "It's Wrong, that's my name"."""
    found = _thats().match(spoken)
    if found is None:
        return None
    name, first = found["name"], found["name"].lower().split()[0]
    capital, given = all(word[0].isupper() for word in name.split()), first in language.words("given", "names")
    if first in language.words("names", "not_names") or not (capital or " " not in name) or _OF.search(name):
        return None
    if not (given or (may_be_name(first, language) and _unheard_of(first, language, surely=True))):
        return None
    rest = _rest(text, found.start(), found.end(), language)
    return ToldName(name if capital else name.title(), given and not found["the"], rest, True)


@lru_cache(maxsize=1)
def _thats() -> re.Pattern[str]:
    opened = "|".join(english().alternatives("names", one) for one in ("before_hello", "hello", "plain_yes"))
    return re.compile(
        rf"\s*(?:(?:{opened}|no|nope|nah|evening|morning)\b[\s,.!]*)*(?:(?:it['’]?s|i['’]?m|i am)(?: me,?)? )?"
        rf"(?P<name>{_NAME[1:-1]}?)(?:[,.;]? (?:that|it))?(?:['’]?s| is) (?:my|(?P<the>the)) (?:first |real )?name"
        r"(?=\s*(?:$|[.!,;)]| (?:btw|by the way|and|not|in case)\b| (?P=name)\b))", re.IGNORECASE,
    )  # fmt: skip


def _typed(text: str, spoken: str, language: Language) -> ToldName | None:
    """A name as people type it in a hurry, in small letters: "hiya, im kofi, 22". Nothing but a word that English
    doesn't have is taken for one; an age behind it or words for a name make it plain."""
    given = language.words("given", "names")
    for pattern, plainly, in_words in _typed_patterns() if text[:1].islower() else ():
        found = pattern.match(spoken)
        if found is None or (pattern is _low_its() and found["name"] not in given):
            continue
        if (own := found.groupdict().get("own")) and own not in given:
            continue  # "im late but call me picky"
        if _unheard_of(found["name"], language, surely=not plainly or in_words):
            rest = _rest(text, found.start(), found.end("name"), language)
            return ToldName(found["name"].title(), plainly, rest, in_words)
    return None


@lru_cache(maxsize=1)
def _low_its() -> re.Pattern[str]:
    lead, once = _hello()
    nobody, other = (english().alternatives("names", name) for name in ("no_caller", "not_the_caller"))
    ends = rf"(?:{_STOP}|(?= i['’]?m\b))(?!\s*[,(;–—-]+ ?(?:{nobody})\b)(?!\W+(?:{other})\b)"
    return re.compile(rf"^\s*{lead}{once}+{lead}(?:it['’]?s|this is) {_LOW}(?: again)?{ends}")


def _unheard_of(word: str, language: Language, *, surely: bool) -> bool:
    """Whether it is no word that one says of oneself; `surely`: none that any list here holds, but one of names."""
    first = word.split("-")[0]
    if first in language.words("names", "are_names"):
        return True
    lists = ("not_names", "no_names", "slang")
    known = language.lexicon if surely else language.stop.union(*(language.words("names", one) for one in lists))
    return not {first, first.removesuffix("s")} & known and not first.endswith(_NO_NAME)


def _goes_on(words: str, language: Language) -> bool:
    """Whether a small word follows a small word, so that neither need be a name: "my name is pretty common"."""
    first, _, rest = words.partition(" ")
    return (
        not first[0].isupper() and bool(rest) and rest.split()[0].lower() not in language.words("names", "after_name")
    )


def agrees(text: str) -> bool | None:
    """Whether a line that follows "Shall I call you Ana?" says yes or no, and nothing else; None: it says neither."""
    line = text.strip().replace("’", "'")
    if len(line) > LONGEST_ANSWER:
        return None
    if _yes().fullmatch(line):
        return True
    return False if _no().fullmatch(line) else None


def goes_on_then(text: str) -> bool:
    """Whether a line that follows "Erase it? [y/N]" is the yes of who shrugs: "go on then". At a question that may be
    passed over it is none."""
    then = english().alternatives("names", "going_on_then")
    return re.fullmatch(rf"{_ER}(?:{then})[\s,.!]*{_THANKS}", text.strip(), re.IGNORECASE) is not None


def agrees_first(text: str) -> str | None:
    """What follows the yes with which a line answers a question and goes on in its sense: "that's right, the 12th is
    off" of "Yes, that's right, the 12th is off."; None: it doesn't agree, takes it back ("but") or asks in its turn."""
    line = text.strip().replace("’", "'")
    begun = _yes_first().match(line)
    rest = line[begun.end() :] if begun else ""
    return rest if begun and not line.endswith("?") and not _taken_back().search(rest) else None


def takes_name(text: str, name: str) -> bool:
    """Whether a line says yes to being called so, and goes on: "Yes, Ana is fine. My sister ..."."""
    return agrees_first(text) is not None and _is_fine(name).match(text.strip()) is not None


def without_fine(text: str, name: str) -> str:
    """A line without such a yes."""
    found = _is_fine(name).match(text.strip())
    return text.strip()[found.end() :] if found else text


def _is_fine(name: str) -> re.Pattern[str]:
    fine = r"(?:fine|good|great|ok|okay|right|correct|perfect|alright|me|it|what (?:i|everybody|everyone) \w+)"
    called = rf"(?:(?:(?:you can )?call me|it['’]s|i['’]m) )?{re.escape(name)}"
    return re.compile(
        rf"(?:{english().alternatives('names', 'agreeing_first')})[\s]*[,.!;:–—-]+\s*{called}"
        rf"(?:(?:['’]s| is) {fine})?(?=\s*(?:[.!,;]|$))[.!,;]*\s*", re.IGNORECASE,
    )  # fmt: skip


@lru_cache(maxsize=1)
def _yes_first() -> re.Pattern[str]:
    return re.compile(
        rf"(?:(?:{english().alternatives('names', 'agreeing_first')})[\s]*[,.!;:–—-]+\s*)+", re.IGNORECASE
    )


@lru_cache(maxsize=1)
def _taken_back() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{english().alternatives('names', 'taking_back')})\b", re.IGNORECASE)


def may_be_name(name: str, language: Language) -> bool:
    """Whether a word after "I'm" may be a name: no nationality, belief, trait or work, as far as its form tells."""
    low = name.lower().split()[0]
    if low in language.words("names", "are_names"):
        return True
    ends = language.listed("names", "endings")
    return low not in language.words("names", "no_names") and not low.endswith(ends)


def _rest(text: str, start: int, end: int, language: Language) -> str:
    """The line without the clause that tells the name; empty when only a greeting is left."""
    before = text[: start + 1] if text[start : start + 1] in ".!?,;" else text[:start]
    rest = f"{before} {_JOINT.sub('', text[end:])}".strip(" ,;")
    return (
        rest
        if not _yes().fullmatch(rest)
        and set(re.findall(r"[^\W_]+", rest.lower())) - language.words("names", "greeting")
        else ""
    )


def _clean(words: str, any_case: bool, language: Language) -> str | None:
    """The leading words that are a name: capitalised ones, or (`any_case`) one that is not a common word."""
    ends, no_names = language.words("names", "after_name"), language.words("names", "not_names")
    kept: list[str] = []
    for word in words.split():
        if word.lower().split("'")[0] in ends or (kept and not word[0].isupper()):
            break
        kept.append(word)
    if not kept or any(len(word) > 30 for word in kept):
        return None
    also_a_name = any_case and kept[0].lower() in language.words("names", "are_names")  # "my name is Christian"
    if {kept[0].lower(), kept[0].lower().split("-")[0]} & no_names and not also_a_name:
        return None
    if not kept[0][0].isupper():
        return kept[0].capitalize() if any_case and len(kept[0]) > 1 else None
    if kept[0].isupper() and len(kept[0]) > 3 and not any_case:  # "I'm STARVING"
        return None
    return " ".join(kept)
