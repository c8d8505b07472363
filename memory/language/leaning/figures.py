"""What a note says in figures without a verb, as sentences: "rent 940, want 10,000 by May" as "My rent is 940. I want".

A small model makes of such a note what it knows best, or tells one number of another's thing. English; the line that is
kept stays as it was typed.
"""

from __future__ import annotations

from functools import lru_cache

from ..language import english
from ..points import letters as re
from ..points.abbreviated import hidden, shown
from ..words import alternatives, tokens
from .named import does

SENTENCE = re.compile(r"[^\n]+?(?:[.!?]+(?=\s|$)|(?=\n)|$)")
"""A point inside of "7.30" ends none."""
_JOINT = re.compile(r"(?P<joint>[,;] (?:and |but )?| and )")
_NAME = r"[A-Z][\w-]*[a-zà-ÿ]"
_NUMBER = r"(?:[£$€]\s?)?\d[\d.,]*(?:k|kg|cm|m|lb|lbs|st|am|pm|%)?(?![\w-])"
_SEVERAL = frozenset({"savings", "fees", "bills", "wages"})
_AGED = re.compile(
    rf"(?P<joint>(?:^|[,:]|\band|\bare|\bcalled|\bnamed)\s+)(?P<who>{_NAME}) "
    r"(?P<age>\d{1,2})(?=\s*(?:[,.;!)]|and\b|$))"
)
"""Behind a word for children: no "Mill Road 12"."""


def with_figures(line: str) -> str:
    """The line with a sentence for each figure that stands behind the name of what it measures, and with ages of
    children as such; unchanged where it has none."""
    if not re.search(r"\d", line) or line.rstrip().endswith("?"):
        return line
    text = hidden(line)
    told = SENTENCE.sub(lambda one: _told(one[0]), text)
    return line if told == text else shown(told)


def _told(sentence: str) -> str:
    sentence = _with_ages(sentence)
    pieces = _JOINT.split(sentence.rstrip(" .!"))
    if not any(_figure(one.strip()) for one in pieces[::2]):
        return sentence
    out = ""
    for joint, piece in zip(["", *pieces[1::2]], pieces[::2], strict=True):
        said = _said(piece.strip())
        begins = said is not None and (not out or said != piece.strip() or "." in out)
        out += f"{'. ' if out and begins else joint}{said[:1].upper() + said[1:] if said and begins else piece}"
    end = sentence.rstrip()[-1:]
    return f"{' ' * sentence.startswith(' ')}{out.strip()}{end if end in '.!' else '.'}"


def _with_ages(sentence: str) -> str:
    """ "Two kids, Leo 4 and Ada 7" as "Two kids, Leo and Ada. Leo is 4. Ada is 7."."""
    many = _children().search(sentence)
    ages = [f"{one['who']} is {one['age']}" for one in _AGED.finditer(sentence[many.end() :])] if many else []
    if many is None or not ages:
        return sentence
    rest = _AGED.sub(r"\g<joint>\g<who>", sentence[many.end() :]).rstrip(" .!")
    return f"{sentence[: many.end()]}{rest}. {'. '.join(ages)}."


def _said(piece: str) -> str | None:
    """A piece as a sentence; None: it goes on with the one before."""
    if found := _figure(piece):
        whose, be = found["whose"] or "my", "are" if found["head"].lower() in _SEVERAL else "is"
        return f"{whose} {found['what'][:1].lower()}{found['what'][1:]} {be} {found['value']}"
    if _own().match(piece):
        return f"I {piece}"
    return piece if does(piece) else None


def _figure(piece: str) -> re.Match[str] | None:
    """What a piece measures, and its figure."""
    found = _measured().fullmatch(piece)
    if found is None or does(found["what"]) or {*tokens(found["what"])} & english().self_words:
        return None
    return found


@lru_cache(maxsize=1)
def _measured() -> re.Pattern[str]:
    heads = alternatives(english().listed("apart", "measures"))
    units = alternatives(english().listed("apart", "behind_figures"))
    return re.compile(
        rf"(?:(?P<whose>(?i:my|our|the|his|her)|{_NAME}['’]s|(?i:(?:my|our) [a-z-]+)['’]s) )?"
        rf"(?P<what>(?i:(?:(?!and\b|or\b|my\b|the\b)[a-z-]+ ){{0,2}}?)(?P<head>(?i:{heads}))):? "
        rf"(?P<value>(?:(?:now|about|around|still|only|just|roughly|nearly|almost|up to|down to) )?{_NUMBER}"
        rf"(?:(?: |/)(?:{units})\b(?: (?!is\b|was\b|has\b|will\b|and\b)[\w'’%/]+){{0,4}})?)"
    )


@lru_cache(maxsize=1)
def _own() -> re.Pattern[str]:
    known = english()
    verbs = "|".join(sorted({*known.words("apart", "own"), *known.words("apart", "in_figures")}))
    return re.compile(rf"(?i:{verbs}) (?:(?:now|about|around|still|only|just|to \w+) )*{_NUMBER}")


@lru_cache(maxsize=1)
def _children() -> re.Pattern[str]:
    several = [f"{one}s" for one in english().listed("apart", "counted")]
    return re.compile(rf"\b(?:{'|'.join([*several, 'children', 'girls', 'boys', 'twins'])})\b", re.IGNORECASE)
