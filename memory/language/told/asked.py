"""Of whom or of what a question wants something of a certain kind: "how old is my son Leo?", "what's the cat's name?".

English; a question of another form wants nothing that is looked for here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from ..asked.forms import forms_of
from ..asked.personal import unwrapped
from ..words import tokens

Kind = Literal["age", "name", "job", "colour", "birthday", "home", "workplace"]

_OWNER = r"(?P<owner>my|our|the|his|her|their|(?:(?:my|our|the) )?(?:[\w-]+ ){0,2}?[\w-]+['’]s?(?= ))"
_HEAD = rf"(?:{_OWNER} )?(?P<head>[\w' ’-]+?)"
_IS = r"(?:\s?['’]?s|\s(?:is|was|are|were))"
_WHAT = rf"(?:what|how|wat){_IS}?"
_WHOLE = r"(?P<whole>[\w' ’.-]+?)"
_DO = "(?:does|did|do)"
_TOWN = "(?:which|what) (?:town|city|country|village|street|place)"
_FORMS: tuple[tuple[Kind, str], ...] = (
    ("age", rf"how old (?:is|are|was|am|will) {_WHOLE}(?: be)?(?: now| these days| today| exactly)?"),
    ("age", rf"how old {_WHOLE} (?:is|are|was|am)(?: now)?"),
    ("age", rf"what age (?:is|are|was) {_WHOLE}(?: now)?"),
    ("age", rf"{_WHAT} {_WHOLE}(?:['’]s)? age"),
    (
        "birthday",
        rf"(?:when|what|on which day|what day|what date){_IS}? (?:the )?(?:birthday|date of birth) of {_WHOLE}",
    ),
    ("birthday", rf"(?:when|what|what day|what date){_IS} {_WHOLE}(?:['’]s)? birthday"),
    ("birthday", rf"when was {_WHOLE} born"),
    ("name", rf"{_WHAT} (?:the )?names? of {_HEAD}"),
    ("name", rf"{_WHAT} {_HEAD}(?:['’]s?)? (?:\w+ )?(?:names?|surname)"),
    ("name", rf"{_WHAT} {_HEAD}(?: (?:is|was|are|were))? (?:called|named)"),
    ("name", rf"(?:the )?names? of {_HEAD}"),
    ("name", rf"{_OWNER} (?P<head>[\w' ’-]+?)(?:['’]s?)? names?"),
    ("name", rf"(?:what|which) names? (?:did|do|have) \w+ (?:give|given|pick|choose)(?: to| for)? {_HEAD}"),
    ("name", rf"what (?:did|do) (?:i|we) (?:name|call) {_HEAD}"),
    ("name", rf"(?:by )?(?:what|which) name (?:does|do|did|has|is) {_HEAD} (?:have|got|go by|bear|carry|called|known)"),
    ("colour", rf"(?:what|which) colou?r{_IS}? {_WHOLE}(?: going to be| be)?"),
    ("colour", rf"what{_IS} the colou?r of {_WHOLE}"),
    ("job", rf"what{_IS} {_WHOLE}['’]?s? (?:new |old |first |current )?(?:job|profession|occupation|trade)"),
    ("job", rf"what {_DO} {_WHOLE} (?:do(?: for (?:a living|work))?|work (?:as|at))(?: now| these days)?"),
    ("job", rf"what (?:kind of |sort of |line of )?(?:work|job) {_DO} {_WHOLE} (?:do|have)(?: now)?"),
    ("job", rf"what{_IS} {_WHOLE}['’]?s? line of work"),
    ("job", rf"what{_IS} {_WHOLE} (?:by (?:trade|profession)|working as)"),
    ("job", rf"how {_DO} {_WHOLE} (?:earn|make) (?:a living|money|\w+ living)"),
    ("workplace", rf"(?:where|in {_TOWN}) {_DO} {_WHOLE} work(?: now)?"),
    ("home", rf"where {_DO} {_WHOLE} live(?: now)?"),
    ("home", rf"where(?:['’]s| is| are) {_WHOLE} living(?: now)?"),
    ("home", rf"where(?:['’]s| is) {_WHOLE}['’]s (?:home|house|flat|place|apartment)"),
    ("home", rf"in {_TOWN} {_DO} {_WHOLE} live(?: now)?"),
    ("home", rf"{_TOWN} {_DO} {_WHOLE} live in"),
)
_CUT = re.compile(r"\s(?:in|at|on|of|from|near|where|who|that|which|with|for|i|we|he|she|they|to)\s.*$", re.IGNORECASE)
_LAW = re.compile(r"\b(mother|father|sister|brother|son|daughter)[ -]in[ -]law\b", re.IGNORECASE)
DOTTED = re.compile(r"\b(Dr|Mr|Mrs|Ms|St|Prof)\.(?= )")
"""What names are looked for behind as if it had no point."""
_MINE = frozenset({"i", "we", "me", "us"})
_OURS = frozenset({"my", "our"})
_EMPTY = frozenset({
    "the", "a", "an", "my", "our", "your", "his", "her", "their", "it", "he", "she", "they", "this", "that",
})  # fmt: skip
_LEANS = frozenset({
    "it", "he", "she", "they", "him", "them", "this", "that", "his", "her", "their", "you", "your", "go", "going",
    "want", "plan", "there",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Want:
    """What a question wants. `head`: the word for the one or the thing asked of, in small letters ("cat"); `before`:
    the words before it ("fishing"); `owner`: the name whose it is; `mine`: it is the asker's; `me`: it is the asker."""

    kind: Kind
    head: str
    before: tuple[str, ...] = ()
    owner: str = ""
    mine: bool = False
    me: bool = False


def want(question: str) -> Want | None:
    """What it wants; None: nothing of these kinds, or of somebody whom only the talk before it tells."""
    question = DOTTED.sub(r"\1", _LAW.sub(r"\1-in-law", question))
    core = " ".join(unwrapped(question, forms_of("en")).strip(" ?!.").replace("’", "'").split())
    for kind, pattern in _FORMS:
        found = re.fullmatch(pattern, core, re.IGNORECASE)
        if found:
            return _want(kind, found)
    return None


def subject(kind: Kind, who: str) -> Want | None:
    """The same of words that name somebody: "my sister", "Leo's dog", "I"; None where they lean on the talk before."""
    found = re.fullmatch(rf"(?:{_OWNER} )?(?P<head>.+)", who.replace("’", "'"), re.IGNORECASE)
    return _made(kind, found.groupdict()) if found else None


def _want(kind: Kind, found: re.Match[str]) -> Want | None:
    groups = found.groupdict()
    return subject(kind, groups["whole"]) if groups.get("whole") is not None else _made(kind, groups)


def _made(kind: Kind, groups: Mapping[str, str | None]) -> Want | None:
    owner, head = (groups.get("owner") or "").lower(), (groups.get("head") or "").lower()
    head = re.sub(r"^(?:that|this|those|these) (?=\w)", "the ", head)
    if head in _MINE:
        return Want(kind, "", me=True) if not owner and kind not in ("job", "workplace") else None
    head = _CUT.sub("", f" {head} ").strip()
    if kind in ("birthday", "job") and head in _OURS:
        return Want(kind, "", me=True)
    words = [word for word in re.findall(r"[^\W_][\w-]*", head.replace("'s", "")) if word not in _EMPTY]
    if not words or {*tokens(head), owner} & _LEANS or words[-1] in ("am", "i", "call"):
        return None
    mine = owner.split(" ")[0] in _OURS if owner else False
    name = owner.removeprefix("my ").removeprefix("our ").removeprefix("the ")
    name = re.sub(r"'s?$", "", name)
    name = "" if name in _EMPTY else name
    return Want(kind, words[-1], tuple(words[:-1]), name, mine)
