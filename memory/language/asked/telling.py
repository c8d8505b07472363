"""What a line tells apart from what it asks: a question is never a source of facts.

A line that only asks has no telling part; "My sister Vera lives in Oslo, where should I stay?" tells of the sister.
"Did I tell you that I got a dog?" and "you know I'm vegan, right?" tell, too: the speaker says it in words of their own
and only looks for a nod. "My sister lives in Oslo?" and "do I like tea?" don't, nor does an order
("Draft a cover letter."). English is known best;
other languages by their question words and marks; a language without words in `asking.toml` by question marks alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from ..language import Language, english
from ..points import letters as re
from ..words import sentences
from .doubt import (
    also,
    before_question,
    behind_call,
    headed,
    in_place,
    is_somebody,
    is_tag,
    only_calls,
    unsure,
    with_nods,
    without_tags,
    wondered,
)
from .forms import Forms, Word, forms_of, words_of
from .inverted import drops_it, of_somebody, says_how_it_is
from .orders import SELF, gives_a_reason, is_of_noun, is_order, of_oneself, reason_of, whole_question

_MARKED = re.compile(r"[?？؟⁇⁉\u037e][^\w]*$")
_QUOTE = re.compile(r"\"[^\"]*\"|“[^”]*”|«[^»]*»|„[^“”]*[“”]")
_HIDDEN = "\ue000"
"""Stands for the question mark of a quotation while a line is cut."""
_GREEK = re.compile(r"[\u0370-\u03ff][^\w]*;\s*$")
_PARTS = re.compile(r"[,;:]\s+|\s+[-–—]+\s+|\.{2,}\s*|…\s*|[，、；：]")
_BE = frozenset({"is", "are", "was", "were", "means", "makes", "made"})
_ARTICLES = frozenset({"my", "our", "the", "a", "an", "some", "his", "her", "their", "your", "this", "that", "these"})
_DONE = frozenset({"have", "had", "has"})
_PRONOUNS = frozenset({"i", "we", "he", "she", "they", "it", "you"})
_TAIL = re.compile(r"[\s,;:–—-]+$")
_IT = re.compile(r"^(?:it|that|this), +", re.IGNORECASE)
_VERB = re.compile(
    r"(?:is|are|was|were|am|has|have|had|do|does|did|can|can't|will|won't|would|"
    rf"{english().alternatives('verbs', 'of_clauses')}|"
    r"\w+(?:'m|'re|'ve|'d|'ll)|(?:it|he|she|that|there|name|everything)'s|\w{3,}ed)$"
)


ELLIPTIC = 6
"""Words that a question without a verb has at most."""
_TO_YOU = re.compile(r"\b(?:you|your|yours|yourself|u)\b|\byou['’]", re.IGNORECASE)
_DOER = re.compile(
    r"(?i)\b(?:i|we|he|she|it|they|that|this|there|is|are|was|were|has|had|have)\b|['’](?:m|ve|re|ll|d)\b"
    r"|^(?-i:[A-Z])[\w-]+ and (?-i:[A-Z])[\w-]+ (?:work|live|study|play|sing|train|teach|stay) "
)
_OWNED = re.compile(r"\b(?:my|our|his|her|their|of|and)\b|['’]s\b", re.IGNORECASE)


def told_part(text: str, language: Language) -> str:
    """The telling part of a line; the line itself where it asks nothing, empty where it does nothing else."""
    told = _part(text, forms_of(language.code))
    if told == text and language.code != "en" and not _part(text, forms_of("en")):
        return ""  # of a short line without capitals the language is easily taken for another
    return told


def _part(text: str, forms: Forms) -> str:
    hidden = _QUOTE.sub(_hide, text.strip())
    pieces = [part for one in with_nods(sentences(hidden.replace("¿", "\n¿")), forms) for part in before_question(one)]
    kept = [
        f"{piece} {pieces[place + 1]}" if _answered(piece, pieces[place + 1 : place + 2], forms)
        else "" if place and _answered(pieces[place - 1], [piece], forms)
        else _told(piece, forms)
        for place, piece in enumerate(pieces)
    ]  # fmt: skip
    if forms.code == "en":
        kept = ["" if headed(pieces, kept, place) else part for place, part in enumerate(kept)]
        kept = [pieces[place] if only_calls(pieces, kept, place) else part for place, part in enumerate(kept)]
    if [part for part in kept if part] and " ".join(part for part in kept if part) == " ".join(pieces):
        return text
    if kept == pieces:
        return text
    return _TAIL.sub("", " ".join(part for part in kept if part)).strip().replace(_HIDDEN, "?")


def _answered(piece: str, after: Sequence[str], forms: Forms) -> bool:
    """Whether a question without a verb is answered by the speaker at once: "My favourite colour? Burnt orange."."""
    words, answer = words_of(piece), words_of(after[0]) if after else []
    if not _MARKED.search(piece) or not 2 <= len(words) <= 6 or not 1 <= len(answer) <= 6 or _MARKED.search(after[0]):
        return False
    whose = forms.code == "en" and words[0].low in _ARTICLES - {"your"}
    return whose and not any(_VERB.match(word.low) for word in words)


def _hide(quoted: re.Match[str]) -> str:
    """What somebody is quoted with asks nothing here, unless there is nothing but the quotation."""
    return quoted[0] if quoted[0] == quoted.string else quoted[0].replace("?", _HIDDEN)


def asks(text: str, language: Language) -> bool:
    """Whether a line asks anything, beside what it may tell."""
    return told_part(text, language) != text


def only_tells(text: str, language: Language) -> bool:
    """Whether an English line is understood and answered without what was told before: it asks nothing, speaks to
    nobody ("you forgot that"), and is no question cut short ("my dog's name")."""
    if language.code != "en" or asks(text, language) or _TO_YOU.search(text):
        return False
    return not is_cut_short(text, language)


def is_cut_short(text: str, language: Language) -> bool:
    """Whether an English line may be a question without its verb: "my dog's name", "size of my flock", "the code of the
    door please", "garden water, where"."""
    if language.code != "en" or asks(text, language) or _TO_YOU.search(text):
        return False
    if len(text.split()) > ELLIPTIC or _DOER.search(text) or says_how_it_is(text):
        return False
    return bool(_OWNED.search(text)) or _wished(text, forms_of(language.code))


def _wished(text: str, forms: Forms) -> bool:
    """Whether a few words end as a question does: with a plea, or a question word behind the thing."""
    words, last = words_of(text), words_of(_PARTS.split(text)[-1])
    asked = 0 < len(last) < min(4, len(words)) and forms.has("asking", last[0].low)
    return len(words) > 2 and (asked or forms.has("pleas", words[-1].low))


def affirms(text: str, language: Language) -> bool:
    """Whether a line begins with a yes to the line before: "yes, he did"."""
    forms = forms_of(language.code)
    words = words_of(text)
    while words and forms.has("greetings", words[0].low):
        words = words[1:]
    return bool(words) and (forms.has("yes", words[0].low) or forms.begins("yes_after", words) > 0)


def _told(piece: str, forms: Forms) -> str:
    """The telling part of a sentence."""
    said = behind_call(piece, forms)
    if said and (_tells(_PARTS.split(said)[0], forms) or is_somebody(said)) and _told(said, forms) == said:
        return piece
    marked = bool(_MARKED.search(piece) or (forms.code == "el" and _GREEK.search(piece)))
    whole, words = piece, words_of(piece)
    marked = marked or any(piece.rstrip(" 。.!").endswith(end) for end in forms.lists.get("endings", ()))
    presupposed = _presupposed(piece, words, forms, marked)
    if presupposed is not None:
        return presupposed
    split = _split(piece, forms)
    parts = without_tags(split, forms)
    piece = piece if parts == split else ", ".join(parts)
    if any(forms.begins("checking", words[at:]) for at in range(_opening(words, forms) + 1)):
        return ""
    if doubtful := unsure(parts, forms, marked=marked):
        return _closed([part for part in parts[:-doubtful] if _tells(part, forms)])
    if marked and len(parts) > 1 and is_tag(parts[-1], forms):
        parts, marked = parts[:-1], False
        piece = piece[: piece.rindex(parts[-1]) + len(parts[-1])]
    elif marked and words and forms.has("tag_words", words[-1].low) and len(words) > 3:
        marked, piece = False, _TAIL.sub("", piece[: words[-2].end])
        parts = _split(piece, forms)
    first = next(
        (n for n, part in enumerate(parts) if (marked or not is_tag(part, forms))
         and (_ordering(part, forms, parts[:n])
              or _asking(words_of(part), forms, first=_led(parts[:n], forms), marked=marked, whole=piece))), None,
    )  # fmt: skip
    if first is None:
        return (piece if piece == whole else _closed([piece])) if not marked else _closed(_before_you(parts, forms))
    order = parts[first] if _ordering(parts[first], forms, parts[:first]) else ""
    behind = _behind_it if marked else partial(_stated, orders=bool(order))
    after = behind(parts[first + 1 :], forms, whole, parts[first])
    told = [part for part in parts[:first] if _tells(part, forms, strict=marked)]
    return _closed([*told, *after])


def _closed(parts: Sequence[str]) -> str:
    """Parts of a sentence as a sentence."""
    told = _TAIL.sub("", ", ".join(parts))
    return told if not told or told[-1] in ".!…。" else told + "."


def _presupposed(piece: str, words: Sequence[Word], forms: Forms, marked: bool) -> str | None:
    """What "did I tell you that ...", "you know ..." and "can you remember that ..." lead to; None: it is none."""
    skip = _opening(words, forms)
    size = forms.begins("telling", words[skip:])
    if not size or (forms.code == "en" and words[skip].low == "you" and not marked):
        return None
    rest = words[skip + size :]
    that = bool(rest) and forms.has("that", rest[0].low)
    joined = bool(rest) and any(forms.has("that", head) and rest[0].low.startswith(head) for head in ("qu'",))
    start = rest[0].end if that else words[skip + size - 1].end
    rest = rest[1:] if that else rest
    if not rest:
        return None
    led = len(rest) > 1 and forms.has("before", rest[0].low)  # "in which town"
    if forms.has("asking", rest[led].low) or forms.has("if", rest[0].low) or rest[0].low in ("about", "of"):
        return ""
    if marked and (forms.has("or", rest[-2].low if len(rest) > 1 else "") or any(forms.has("or", w.low) for w in rest)):
        return ""
    if not (that or joined) and not (forms.code == "en" and len(rest) > 1 and _verbal(rest)):
        return "" if marked or forms.begins("telling", words[skip:]) else None
    told = re.sub(r"[\s?？!.]+$", "", piece[start:].lstrip(" ,:"))
    if len(rest) > 2 and forms.has("tag_words", rest[-1].low):
        told = told[: -len(rest[-1].low)].rstrip(" ,")
    if forms.code == "en" and _asking(words_of(told := _IT.sub("", told)), forms, first=True, marked=False):
        return ""
    parts = _split(told, forms)
    if len(parts) > 1 and is_tag(parts[-1], forms):
        told = told[: told.rindex(parts[-2]) + len(parts[-2])]
    return _closed([told])


def _split(piece: str, forms: Forms) -> list[str]:
    """A sentence in parts: at commas and the like, and where a joint leads to a question."""
    found: list[str] = []
    for part in _PARTS.split(piece):
        words, at = words_of(part), 0
        for place, word in enumerate(words[1:-1], 1):
            if also(words[place:]) or also(words[place + 1 :]):
                break
            if forms.has("joints", word.low) and _inverted(words[place + 1 :], forms):
                found.append(part[at : words[place - 1].end])
                at = word.end
        found.append(part[at:])
    return [part.strip() for part in found if words_of(part)]


def _opening(words: Sequence[Word], forms: Forms) -> int:
    """How many words stand before what is said: "hey, by the way"."""
    skip = 0
    while skip < len(words):
        size = forms.begins("opening", words[skip:]) or int(forms.has("openers", words[skip].low))
        if not size:
            break
        skip += size
    return skip


def _led(parts: Sequence[str], forms: Forms) -> bool:
    """Whether nothing but an opening stands in the parts: "just curious:"."""
    return all(_opening(words_of(part), forms) == len(words_of(part)) for part in parts)


def _asking(words: Sequence[Word], forms: Forms, *, first: bool, marked: bool, whole: str = "") -> bool:
    """Whether a part of a sentence has the form of a question. `first`: nothing stands before it."""
    if not marked and forms.code == "en" and also(words):
        return False
    words = words[_opening(words, forms) :] if first or marked else words
    if not words or forms.begins("not_asking", words):
        return False
    if not first and not marked:
        return not forms.has("relative", words[0].low) and _inverted(words, forms, joined=True)
    if forms.begins("wrappers", words) or forms.has("final", words[-1].low):
        return True
    if wondered(words, forms) or in_place(words, forms):
        return True
    if any(words[0].low.endswith(end) for end in forms.lists.get("inverted", ())):
        return True
    if len(words) > 2 and forms.has("before", words[0].low) and forms.has("asking", words[1].low):
        return marked or not forms.has("subjects", words[2].low)  # "since when ...", but "from what I know"
    if forms.has("asking", words[0].low):
        return _asks_with_word(words, forms, marked, whole)
    return _verb_first(words, forms, marked, whole)


def _ordering(part: str, forms: Forms, before: Sequence[str]) -> bool:
    """Whether a part only orders something: "please draft a cover letter"."""
    words = words_of(part)
    skip = _opening(words, forms)
    return is_order(part[words[skip - 1].end :] if skip else part, forms.code) and not of_oneself(part, before)


def _asks_with_word(words: Sequence[Word], forms: Forms, marked: bool, whole: str) -> bool:
    """Whether a part that begins with a question word asks: "when I was a child, ..." doesn't."""
    if marked or len(words) == 1 or not forms.has("leading", words[0].low):
        return True
    after = words[1].low
    if forms.has("verbs", after) or after.split("'")[0] in _BE:
        return True
    subject = forms.has("subjects", after)
    if forms.has("clause", words[0].low):  # "when" and its like begin clauses of time
        return not _PARTS.search(whole) and len(words) < 7
    if not subject:
        return not _PARTS.search(whole) or forms.code == "en"
    return not _PARTS.search(whole) and not any(word.low in _BE for word in words[3:-1])


def _verb_first(words: Sequence[Word], forms: Forms, marked: bool, whole: str) -> bool:
    """Whether a verb stands before its subject: "do I like tea", "is Vera married"; "have two cats" drops its "I"."""
    if len(words) < 2 or not forms.has("verbs", words[0].low):
        return False
    verb, after = words[0].low, words[1].low
    if marked:
        return True
    if forms.code != "en":
        return forms.has("subjects", after) or words[1].capital
    if after in _PRONOUNS or (after in _ARTICLES and verb not in {*_DONE, "do", "did", "may", "will"}):
        return forms.has("subjects", after) or after in _PRONOUNS
    if verb in ("do", "did") and after in _ARTICLES:
        return after not in ("a", "an", "some") and not re.search(r",|!| and ", whole)
    if words[1].capital and not verb.startswith(("don't", "dont")):
        return len(words) > 2
    if forms.has("subjects", after) and verb not in _DONE:
        return verb not in ("may", "will")
    return (
        verb in ("does", "doesn't", "doesnt")
        or of_somebody(words)
        or (verb == "is" and len(words) > 2 and not after.endswith("ing") and not drops_it(after, forms, whole))
    )


def _inverted(words: Sequence[Word], forms: Forms, *, joined: bool = False) -> bool:
    """Whether words surely ask: a verb before its subject, or a question word before these.

    `joined`: after another clause, where in some languages the verb of a statement comes first, too.
    """
    words = words[_opening(words, forms) :]
    if forms.begins("wrappers", words):
        return True
    if len(words) > 2 and forms.has("asking", words[0].low):
        after, then = words[1].low, words[2].low
        return forms.has("verbs", after) and (forms.has("subjects", then) or words[2].capital)
    if len(words) > 1 and forms.has("asking", words[0].low) and "'" in words[0].low:
        return True
    if joined and "verb_second" in forms.lists:
        return False
    return (
        len(words) > 1 and forms.has("verbs", words[0].low)
        and (words[1].low in _PRONOUNS if forms.code == "en" else forms.has("subjects", words[1].low))
    )  # fmt: skip


def _before_you(parts: Sequence[str], forms: Forms) -> list[str]:
    """Of a statement with a question mark nothing is told, but "I'm fine, and you?" tells what stands before."""
    last = [word.low for word in words_of(parts[-1])] if parts else []
    turned = len(parts) > 1 and len(last) <= 4 and any(forms.has("you", word) for word in last)
    return [part for part in parts[:-1] if _tells(part, forms)] if turned else []


def _tells(part: str, forms: Forms, *, strict: bool = True) -> bool:
    """Whether a part beside a question says something: no greeting, no condition, no mere name. `strict`: it holds what
    may be a verb."""
    words = words_of(part)
    words = words[_opening(words, forms) :]
    if not words or forms.has("if", words[0].low) or forms.has("asking", words[0].low):
        return False
    if forms.code != "en" or (not strict and len(words) > 2):
        return len(words) > 2
    return len(words) > 1 and _verbal(words) and not _asking(words, forms, first=True, marked=False)


def _stated(parts: Sequence[str], forms: Forms, whole: str, before: str, *, orders: bool) -> list[str]:
    """The statements among parts after a question or an order (`before`), each with the "not nine" that follows it;
    once one was told of whom that speaks of, what goes on from it is told, too."""
    kept, reasons = list[str](), False
    for at, part in enumerate(parts):
        denies = kept and kept[-1] is parts[at - 1] and words_of(part)[0].low == "not"
        goes_on = reasons and _verbal(words_of(part)) and _plain(part, forms)
        said = forms.code == "en" and (goes_on or reason_of(part, before))
        reasons = reasons or said
        states = _states(part, forms, whole) or (orders and gives_a_reason(part, before))
        kept += [part] if denies or said or states else []
    return kept


def _behind_it(parts: Sequence[str], forms: Forms, whole: str, before: str) -> list[str]:
    """The statements behind a question whose mark stands at their end: "what should I cook, my aunt eats no meat?"."""
    if forms.code != "en" or not whole_question(before) or re.search(r"\bor\b", " ".join(parts), re.IGNORECASE):
        return []
    told = [part for part in _stated(parts, forms, whole.rstrip(" ?!."), before, orders=False) if _plain(part, forms)]
    return [part.rstrip(" ?!") for part in told if len(words_of(part)) > 3 or reason_of(part, before)]


def _plain(part: str, forms: Forms) -> bool:
    """Whether a part neither asks nor orders."""
    return not _ordering(part, forms, ()) and not _asking(words_of(part), forms, first=True, marked=False)


def _states(part: str, forms: Forms, whole: str) -> bool:
    """Whether a part after a question is a statement: of the speaker's own ("where should I stay, I'm in Oslo"), or of
    somebody by name in a line that is no question after all ("what am I saying, Signe is ten!")."""
    words = words_of(part)
    if forms.code != "en" or len(words) < 3 or not _verbal(words):
        return False
    named = words[0].capital and whole.rstrip()[-1:] in "!." and not _asking(words, forms, first=True, marked=False)
    return words[0].low in SELF or words[0].low == "my" or named


def _verbal(words: Sequence[Word]) -> bool:
    """Whether words hold a subject and what may be its verb."""
    return words[0].low in SELF or any(_VERB.match(word.low) for word in words) or is_of_noun(words)
