"""Questions that are only understood with the talk before them: "and hers?", "how old is he?".

`leans` says whether one does, in the languages of `questions.toml`. `made_whole` puts what it leans on in its place by
rule, in English and where that is plain; a model that reads instructions does it better (`models/chat/whole.py`).
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from ..asked.forms import forms_of, words_of
from ..language import Language, english
from ..points import letters as re
from ..words import sentences, tokens
from .pointing import points_back

SHORT = 6
"""Words of a question that begins with "and" or the like and asks nothing whole by itself."""
_OWNERS = re.compile(r"\b(?:(?:my|our) [\w-]+(?:'s)(?: [\w-]+'s)?|[A-Z][\w-]+'s|my|our|your|his|her|their)\b(?= \w)")
_WHICH = english().alternatives("relations", "which_of_kin")
_WHOM = re.compile(rf"\b(?:my|our) (?:(?:{_WHICH}|youngest) )?[\w-]+|\b[A-Z][\w-]+\b")
_NAMED = re.compile(rf"\b(?:[Mm]y|[Oo]ur|[A-Z][\w-]+'s) (?:(?:{_WHICH}) )?([\w-]+)\b")
_NAME = re.compile(r"(?<![.!?] )(?<!^)\b(?!I\b)[A-Z][\w-]+\b")
_HIS = frozenset({"he", "him", "his"})
_HER = frozenset({"she", "her", "hers"})


def leans(text: str, language: Language) -> bool:
    """Whether a line is a question that points at something said before."""
    data = _data().get(language.code)
    if data is None:
        return False
    words = [word.low for word in words_of(text)]
    asks = text.rstrip().endswith(("?", "？")) or bool(words and forms_of(language.code).has("asking", words[0]))
    if not words or not asks:
        return False
    if language.code == "zh":
        return any(text.startswith(one) for one in data["openers"]) or any(one in text for one in data["pointing"])
    if _opener(words, data) and len(words) <= SHORT:
        return True
    if language.code == "en":
        return points_back(text, data["pointing"])
    return bool({*words} & data["pointing"])


def made_whole(text: str, before: Sequence[str], language: Language) -> str:
    """The question with what it points at in its place; as it is where that isn't plain. `before`: earlier lines of
    the one who asks, oldest first."""
    if language.code != "en" or not before or not leans(text, language):
        return text
    *told, question = sentences(text)
    words = words_of(question)
    start = _opener([word.low for word in words], _data()["en"])
    core = question[words[start - 1].end :].strip(" ,") if start else question
    if start and len(words_of(core)) <= 4 and not {*tokens(core)} & {"is", "are", "was", "were", "does", "do", "did"}:
        asked = next((line for line in reversed(before) if line.rstrip().endswith("?")), "")
        return _with_other(sentences(asked)[-1], core.rstrip(" ?"), before) if asked else text
    return " ".join([*told, _without_pronouns(question, before)])


def _with_other(asked: str, other: str, before: Sequence[str]) -> str:
    """The last question, asked of somebody else: "What's my dog called?", "hers" -> "What's Ana's dog called?"."""
    low = other.lower()
    owner = {"hers": "her", "his": "his", "mine": "my", "theirs": "their", "ours": "our"}.get(low)
    if owner in ("her", "his"):
        who = _last_person(before, _HER if owner == "her" else _HIS)
        owner = f"{who}'s" if who else owner
    elif owner is None and low.endswith("'s"):
        owner = other
    if low.split()[0] in ("in", "on", "at", "for", "with", "to"):
        return re.sub(rf"\b{low.split()[0]} [\w'-]+", other, asked, count=1)
    pattern, said = (_OWNERS, owner) if owner else (_WHOM, _without_pronouns(other, before))
    found = list(pattern.finditer(asked, len(asked.split()[0]) if asked else 0))
    if not found:
        return f"{asked.rstrip(' ?')}, {other}?"
    place = found[-1] if owner else found[0]
    return asked[: place.start()] + said + asked[place.end() :]


def _without_pronouns(text: str, before: Sequence[str]) -> str:
    """With "he", "she" and their forms as the person who was spoken of last."""
    words = {*tokens(text)}
    for forms in (_HIS, _HER):
        who = _last_person(before, forms) if words & forms else None
        if who is None:
            continue
        text = re.sub(r"\b(?:his|hers)\b", f"{who}'s", text) if forms is _HIS else text
        text = re.sub(r"\bher (?=[\w-]+)", f"{who}'s ", text) if forms is _HER else text
        text = re.sub(r"\b(?:he|him|she|her)'s\b", f"{who} is", text)
        text = re.sub(rf"\b(?:{'|'.join(sorted(forms - {'his', 'hers'}))})\b", who, text)
    return text


def _last_person(before: Sequence[str], forms: frozenset[str]) -> str | None:
    """Who was spoken of last and may be meant: kin of that sex, or a name."""
    data = _data()["en"]
    fits, other = (data["male"], data["female"]) if forms is _HIS else (data["female"], data["male"])
    for line in reversed(before):
        kin = [found[0] for found in _NAMED.finditer(line) if found[1].lower() in fits]
        if kin:
            return re.sub(r"^(?:My|Our)\b", lambda own: own[0].lower(), kin[-1])
        taken = any(word in other for word in tokens(line))
        names = [found[0] for found in _NAME.finditer(line) if found[0].lower() not in english().months]
        if names and not taken:
            return names[-1].removesuffix("'s")
    return None


def _opener(words: Sequence[str], data: Mapping[str, frozenset[str]]) -> int:
    """How many of the first words are an opener, the longest."""
    text = " ".join(words[:6]) + " "
    return max((len(one.split()) for one in data["openers"] if text.startswith(one + " ")), default=0)


@lru_cache(maxsize=1)
def _data() -> Mapping[str, Mapping[str, frozenset[str]]]:
    table = tomllib.loads((Path(__file__).parent / "questions.toml").read_text(encoding="utf-8"))
    return {
        code: {
            name: frozenset(" ".join(one.split()) for one in text.split("|")) if name == "openers"
            else frozenset(text.split())
            for name, text in lists.items()
        }
        for code, lists in table.items()
    }  # fmt: skip
