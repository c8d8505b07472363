"""What is put in doubt: "Ben works at Lidl, right?", "not sure whether I told you where Ben works", "Vera lives where".

Who asks for a nod to what they say of somebody else doesn't know it: nothing is told. Of themselves people know
("My name is Owen, right?"), but who asks "I live in Bern, don't I?" asks the memory. What only calls for wonder ("my
wife is pregnant, can you believe it?") or reminds ("I have a dog, remember?") is told, and so is what stands behind a
call to be heard ("guess what, I've quit"). English; of others tags.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..language import english
from ..points import letters as re
from ..third_person import verbs
from .forms import Forms, Word, forms_of, words_of

_PRONOUNS = frozenset({"i", "we", "he", "she", "they", "it", "you", "there"})
_LEAST = 2
"""Words of a statement before its tag."""
_SEVERAL = frozenset({"children", "people", "folks", "i", "we", "they", "you"})
_HEADS = frozenset({"my", "our", "the", "that", "those", "this", "these"})
_PLACED = frozenset(
    {"in", "on", "at", "of", "from", "with", "for", "to", "by", "near", "about", "since", "before", "after"}
)
_WHOSE = english().words("questions", "at_one") | english().words("questions", "at_many")
_POINTS = _WHOSE | {"it", "one", "that"}
_MARK = re.compile(r"(?:[,:;!.…]+|\s+[-–—]+)\s+(?=\w)")
"""Between a call and what is told."""
_UNMARKED = re.compile(
    rf"{_MARK.pattern}|\s+(?:that\s+)?"
    r"(?=(?:i|we|he|she|they|my|our|his|her|their|the|it(?=['’]| (?:is|was|has|had) ))(?:['’]\w+)? )",
    re.IGNORECASE,
)
_IS_A = re.compile(
    r"(?:(?:my|our|his|her|their|the) )?(?:[\w-]+ ){0,2}[\w-]+['’]s (?:an?|the|my|so|only|still|now|\d+)\b", re.I
)
_BELIEVE = re.compile(r"\b(?:believe|credit)(?: (?:it|that|this))?$", re.IGNORECASE)
_OBJECTS = _WHOSE | english().words("questions", "before_things") | {"it", "me", "us"}


def unsure(parts: Sequence[str], forms: Forms, *, marked: bool) -> int:
    """How many of the last parts of a sentence are a statement with the tag that puts it in doubt; 0: none."""
    last = words_of(parts[-1]) if parts else []
    if len(parts) > 1 and (kind := _kind(last, forms, marked=marked)):
        said = words_of(parts[-2])
        return 0 if _sure(said, kind, forms) else 2
    size = _at_the_end(last, forms, marked=marked)
    if not size or len(last) - size < _LEAST:
        return 0
    kind = "turned" if size == 2 and last[-1].low in _PRONOUNS else "plain"
    return 0 if _sure(last[:-size], kind, forms) else 1


def before_question(piece: str) -> list[str]:
    """A question, and what stands before its last semicolon: "I sing alto, and we meet on Tuesdays; do you sing?"."""
    told, cut, asked = piece.rpartition("; ")
    return [f"{told};", asked] if cut and asked.rstrip().endswith("?") and len(told.split()) > 2 else [piece]


def with_nods(pieces: Sequence[str], forms: Forms) -> list[str]:
    """The sentences of a line, each with the "¿verdad?" that only looks for a nod to it."""
    found: list[str] = []
    for piece in pieces:
        words = words_of(piece)
        nods = max(forms.begins("nods", words), forms.begins("asked_nods", words), forms.begins("tags", words))
        if found and found[-1].endswith(",") and piece.startswith("¿") and nods == len(words):
            found[-1] = f"{found[-1]} {piece.lstrip('¿')}"
        else:
            found.append(piece)
    return found


def behind_call(piece: str, forms: Forms) -> str:
    """What stands behind a call that only wants to be heard: "would you believe it, they've put me back"."""
    end = _call(piece, forms)
    mark = _UNMARKED if _BELIEVE.search(piece[:end]) else _MARK
    found = mark.match(piece, end) if end else None
    return piece[found.end() :] if found else ""


def is_somebody(said: str) -> bool:
    """Whether words begin with somebody or something and what that is, in the short form: "my sister's a nurse"."""
    return _IS_A.match(said) is not None


def only_calls(pieces: Sequence[str], kept: Sequence[str], place: int) -> bool:
    """Whether a sentence is no more than such a call to what is told right behind it: "Guess what? I'm a gran."."""
    told = place + 1 < len(pieces) and bool(pieces[place + 1]) and kept[place + 1] == pieces[place + 1]
    end = _call(pieces[place], forms_of("en")) if told else 0
    return bool(end) and not any(letter.isalnum() for letter in pieces[place][end:])


def _call(piece: str, forms: Forms) -> int:
    """Where the call ends with which a sentence begins; 0: it begins with none."""
    words = words_of(piece)
    while len(words) > 1 and forms.has("openers", words[0].low):
        words = words[1:]
    size = forms.begins("calls", words)
    return words[size - 1].end if size else 0


def is_tag(part: str, forms: Forms) -> bool:
    """Whether a part only looks for a nod: "right", "isn't it", "don't I"."""
    words = words_of(part)
    size = forms.begins("tags", words)
    if size and size == len(words):
        return True
    return (
        forms.code == "en"
        and len(words) == 2
        and forms.has("verbs", words[0].low)
        and words[1].low in _PRONOUNS - {"there"}
    )


def without_tags(parts: Sequence[str], forms: Forms) -> list[str]:
    """The parts of a sentence without a statement that a tag in the middle puts in doubt: "Vera is 40, isn't she, and
    she lives in Oslo"."""
    kept: list[str] = []
    for place, part in enumerate(parts):
        if 0 < place < len(parts) - 1 and kept and _kind(words_of(part), forms, marked=False) == "turned":
            kept = kept[:-1]
        else:
            kept.append(part)
    return kept


def _kind(words: Sequence[Word], forms: Forms, *, marked: bool) -> str:
    """ "turned" for "doesn't he", "plain" for "right"; empty: no tag that asks for a nod."""
    lows = [word.low for word in words]
    if forms.code == "en" and len(lows) == 2 and forms.has("verbs", lows[0]) and lows[1] in _PRONOUNS - {"you"}:
        return "turned"
    size = forms.begins("nods", words) or (forms.begins("asked_nods", words) if marked else 0)
    return "plain" if size and size == len(words) else ""


def _at_the_end(words: Sequence[Word], forms: Forms, *, marked: bool) -> int:
    """How many of the last words are a tag without a comma before it: "Ben works at Lidl right"."""
    lows = [word.low for word in words]
    if forms.code != "en" or len(lows) < 3:
        return 0
    before = lows[-3]
    denied = any(low.endswith("n't") or low in ("not", "never", "no") for low in lows[:-2])
    turned = forms.has("verbs", lows[-2]) and lows[-1] in _PRONOUNS - {"you"}
    if turned and lows[-2].endswith("n't") != denied and not forms.has("no_tag_after", before):
        return 2
    if lows[-1] in ("right", "correct") and not forms.has("no_right_after", lows[-2]):
        return 1
    return 1 if marked and forms.has("tag_words", lows[-1]) else 0


def _sure(said: Sequence[Word], kind: str, forms: Forms) -> bool:
    """Whether what is said before a tag is the speaker's own to know."""
    lows = [word.low for word in said]
    while lows and forms.has("openers", lows[0]):
        lows = lows[1:]
    if not lows:
        return True
    text = " ".join(lows) + " "
    if any(text.startswith(f"{phrase} ") for phrase in forms.phrases.get("said_before", ())):
        return True
    if forms.code == "en":
        return kind == "plain" and (forms.has("self", lows[0]) or lows[:2] == ["my", "name"])
    return "self" not in forms.lists or any(forms.has("self", low) or low.startswith("j'") for low in lows)


def wondered(words: Sequence[Word], forms: Forms) -> bool:
    """Whether words only say that the speaker doesn't know, or did tell: "not sure where Ben works"."""
    size = forms.begins("unsure", words)
    lows = [word.low for word in words[size:]]
    lows = lows[1:] if lows and lows[0] in ("about", "of", "as") else lows
    if not size or len(lows) < 2 or _exclaims(words[:size], lows, forms):
        return False
    if forms.has("if", lows[0]):
        return lows[1] in ("i", "we", "you", "i've", "we've") and any(forms.has("mentioned", low) for low in lows[2:6])
    return (forms.has("asking", lows[0]) and lows[1] != "to") or any(forms.has("recorded", low) for low in lows[:3])


def _exclaims(led: Sequence[Word], lows: Sequence[str], forms: Forms) -> bool:
    """Whether words that begin as a question does say how somebody finds something: "I said how marvellous". `led`:
    what leads to them, which says that it was told: "not sure what a fair price is" asks."""
    if not any(forms.has("mentioned", word.low) for word in led):
        return False
    if lows[0] == "what":
        return len(lows) > 2 and lows[1] in ("a", "an")
    told = lows[0] == "how" and not forms.has("measured", lows[1]) and not forms.has("subjects", lows[1])
    return (
        told and not forms.has("verbs", lows[1]) and (len(lows) == 2 or lows[2] in ("and", "but", "it", "that", "of"))
    )


def in_place(words: Sequence[Word], forms: Forms) -> bool:
    """Whether a question word stands where its answer would: "Vera lives where", "my sister is called what again"."""
    lows = [word.low for word in words]
    for phrase in forms.phrases.get("again", ()):
        size = len(phrase.split())
        if " ".join(lows[-size:]) == phrase and len(lows) > size:
            lows = lows[:-size]
            break
    if len(lows) < 3 or not forms.has("placed", lows[-1]) or any(forms.has("asking", low) for low in lows[:-1]):
        return False
    named = lows[0] in _PRONOUNS - {"it", "there", "you"} or forms.has("owned", lows[0]) or words[0].capital
    bare = lows[-2] in ("is", "was", "are", "were") and lows[0] in ("it", "that", "this", "here", "there", "which")
    return named and not bare and not forms.has("no_place_after", lows[-2])


def also(words: Sequence[Word]) -> bool:
    """Whether words say that somebody does or is the same: "so do I", "neither is my brother"."""
    words = words[1:] if words and words[0].low == "and" else words
    lows = [word.low for word in words]
    if not 3 <= len(lows) <= 4 or lows[0] not in ("so", "neither", "nor") or not forms_of("en").has("verbs", lows[1]):
        return False
    return words[2].capital or lows[2] in _PRONOUNS if len(lows) == 3 else lows[2] in ("my", "our", "his", "her")


def headed(pieces: Sequence[str], kept: Sequence[str], place: int) -> bool:
    """Whether a sentence without a verb only says of what the question behind it asks: "My bike lock. Which number
    opens it?". `kept`: what each of the sentences tells."""
    if not kept[place] or kept[place] != pieces[place] or place + 1 >= len(pieces) or kept[place + 1]:
        return False
    words, known = [word.low for word in words_of(pieces[place])], verbs()
    acts, base = known.past | known.modals | {"is", "are", "am", "do", "have"}, known.base | known.finite
    if not words or not (words[0] in _HEADS or words[0].endswith("'s")):
        return False
    if any(word in acts or word.endswith(("ed", "'m", "'re", "'ve", "'d", "'ll")) for word in words):
        return False
    if any(word.endswith("s") for word in words[1:]):
        return False  # "barks", or a plural
    for before, word, after in zip(["", *words], words, [*words[1:], ""], strict=False):
        if word in base and (before in _SEVERAL or after in _OBJECTS):
            return False  # "my parents live in Rome"
        if before and word not in _PLACED | _OBJECTS and before not in _HEADS and after in _OBJECTS:
            return False  # "my mum cut her finger"
    return bool(_POINTS & {word.low for word in words_of(pieces[place + 1])})
